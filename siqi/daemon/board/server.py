"""The page's server: HTTP and WebSockets of this machine's loopback, all of them behind the guard."""

from __future__ import annotations

import contextlib
import secrets
import socket
from importlib.resources import files
from typing import Any
from urllib.parse import quote

import msgspec
import tornado.httpserver
import tornado.ioloop
import tornado.netutil
import tornado.web
import tornado.websocket

from siqi.daemon.board import guard
from siqi.daemon.board.hub import Hub

CLOCK_MS = 200
"""The clocks are looked at this often."""

TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}

PUBLIC = ("enter.js", "shared.css", "app.css", "icon.svg")
"""Parts of the page that takes the token; they show nothing of a game."""


HEAD, SHARED = "head.html", ("shared.css", "words.js")
"""The beginning of both pages, and what they share with reviews."""


def page_files() -> dict[str, bytes]:
    """Return the files of the page by name; the two pages begin with one head."""
    folder = files("siqi.daemon.board").joinpath("page")
    known = {path.name: path.read_bytes() for path in folder.iterdir() if path.name.partition(".")[2] in TYPES}
    head = known.pop(HEAD)
    pages = {name: head + data for name, data in known.items() if name.endswith(".html")}
    return known | pages | {name: files("siqi.daemon.review").joinpath(name).read_bytes() for name in SHARED}


class BoardServer:
    """The server of a hub."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self.token = secrets.token_urlsafe(guard.TOKEN_BYTES)
        self.door = guard.Door(0, secrets.token_urlsafe(guard.TOKEN_BYTES))
        self._server: tornado.httpserver.HTTPServer | None = None
        self._ticks = tornado.ioloop.PeriodicCallback(hub.tick, CLOCK_MS)

    def listen(self, port: int) -> int:
        """Listen on this machine's loopback; return the port. OSError if it is taken; 0: a free one."""
        sockets = tornado.netutil.bind_sockets(port, "127.0.0.1", socket.AF_INET)
        port = sockets[0].getsockname()[1]
        with contextlib.suppress(OSError):  # where there is no such protocol
            sockets += tornado.netutil.bind_sockets(port, "::1", socket.AF_INET6)
        self.door = self.door._replace(port=port)
        self._server = tornado.httpserver.HTTPServer(self._application(), max_body_size=2 * guard.MAX_BYTES)
        self._server.add_sockets(sockets)
        self._ticks.start()
        return port

    def _application(self) -> tornado.web.Application:
        known = {"server": self}
        return tornado.web.Application(
            [
                ("/", Entrance, known),
                ("/enter", Enter, known),
                ("/page/([a-z]+[.][a-z]+)", PageFile, known | {"pages": page_files()}),
                ("/picture/([0-9]{1,9})(f?)(?:-([a-z]{1,20}))?[.]svg", PictureFile, known),
                ("/review/([0-9]{1,9})[.]html", ReviewFile, known),
                ("/record", RecordFile, known),
                ("/socket", Tab, known),
            ],
            default_handler_class=Nothing,
            default_handler_args=known,
            websocket_max_message_size=guard.MAX_MESSAGE_BYTES,
            websocket_ping_interval=20,
            log_function=lambda handler: None,  # a tab of an earlier server asks each second: no line in the terminal
        )

    async def close(self) -> None:
        """Stop listening, and end the engine."""
        self._ticks.stop()
        if self._server is not None:
            self._server.stop()
            await self._server.close_all_connections()
        await self.hub.close()


class Guarded(tornado.web.RequestHandler):
    """A handler behind the guard."""

    checks = guard.CHECKS
    server: BoardServer

    def initialize(self, server: BoardServer) -> None:
        self.server = server

    def set_default_headers(self) -> None:
        server = getattr(self, "server", None)
        self.clear_header("Server")
        if server is not None:
            for name, value in guard.headers(server.door).items():
                self.set_header(name, value)

    def prepare(self) -> None:
        self.set_default_headers()
        if reason := self.refusal(self.checks):
            self.refuse(403, reason)

    def refuse(self, status: int, reason: str) -> None:
        """End the request with a line of text."""
        self.set_status(status)
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.finish(f"siqi board: {reason}\n")

    def refusal(self, checks: tuple[guard.Check, ...]) -> str:
        """Return why these checks refuse the request, '' if they pass."""
        door = self.server.door
        request = guard.Request(
            self.request.method or "",
            self.request.headers,
            len(self.request.body),
            self.get_cookie(door.cookie_name) or "",
            isinstance(self, Tab),
        )
        return guard.refusal(request, door, checks)

    def write_file(self, name: str, data: bytes | str) -> None:
        """Answer with a file; its name gives its type."""
        self.set_header("Content-Type", f"{TYPES[name.rpartition('.')[2]]}; charset=utf-8")
        self.write(data)

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        self.refuse(status_code, "not found" if status_code == 404 else "not possible")


class Nothing(Guarded):
    """Everything that is not there."""

    def prepare(self) -> None:
        super().prepare()
        if not self._finished:
            self.refuse(404, "not found")


class Entrance(Guarded):
    """The page; for a browser without the cookie the small page that takes the token.

    A browser leaves the cookie out where a click elsewhere led here: the small page then goes on by itself.
    """

    checks = guard.ENTRANCE

    def get(self) -> None:
        name = "enter.html" if self.refusal(guard.CHECKS) else "index.html"
        self.write_file(name, page_files()[name])


class Token(msgspec.Struct, forbid_unknown_fields=True):
    """The body that exchanges the token."""

    token: str


class Enter(Guarded):
    """The exchange of the token for the cookie."""

    checks = (*guard.ENTRANCE, guard.check_site)

    def post(self) -> None:
        try:
            given = msgspec.json.decode(self.request.body, type=Token).token
        except msgspec.DecodeError:
            self.refuse(400, "no token")
            return
        if not secrets.compare_digest(given.encode(), self.server.token.encode()):
            self.refuse(403, "another token")
            return
        door = self.server.door
        self.set_cookie(door.cookie_name, door.secret, path="/", httponly=True, samesite="Strict")
        self.set_status(204)


class PageFile(Guarded):
    """A file of the page, by its name among those of the package."""

    def initialize(self, server: BoardServer, pages: dict[str, bytes]) -> None:  # type: ignore[override]
        super().initialize(server)
        self._pages = pages

    def prepare(self) -> None:
        if self.path_args[0] in PUBLIC:
            self.checks = guard.ENTRANCE
        super().prepare()

    def get(self, name: str) -> None:
        if name in self._pages:
            self.write_file(name, self._pages[name])
        else:
            self.refuse(404, "not found")


class PictureFile(Guarded):
    """A picture of the board, by its number, the side that is below, and the pieces' faces."""

    def get(self, number: str, flipped: str, faces: str | None = None) -> None:
        svg = self.server.hub.pictures.svg(int(number), bool(flipped), faces or "")
        if svg is None:
            self.refuse(404, "not found")
            return
        self.set_header("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
        self.write_file("board.svg", svg)


class ReviewFile(Guarded):
    """A review, by its number; it brings its own policy, in its head."""

    def get(self, number: str) -> None:
        page = self.server.hub.reviews.page(int(number))
        if page is None:
            self.refuse(404, "not found")
            return
        self.set_header(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; frame-ancestors 'none'",
        )
        self.write_file("review.html", page)


class RecordFile(Guarded):
    """The official record of the game that is shown, to be saved under its official name."""

    def get(self) -> None:
        record = self.server.hub.record()
        if record is None:
            self.refuse(404, "no record")
            return
        name, data = record
        self.set_header("Content-Type", "application/octet-stream")
        self.set_header("Content-Disposition", f"attachment; filename*=UTF-8''{quote(name, safe='')}")
        self.write(data)


class Tab(tornado.websocket.WebSocketHandler, Guarded):
    """A tab of the browser."""

    def prepare(self) -> None:
        Guarded.prepare(self)

    def check_origin(self, origin: str) -> bool:
        """Pass: the guard has looked at it."""
        return True

    @property
    def only_watches(self) -> bool:
        """True for a second screen."""
        return self.get_query_argument("screen", "") == "watch"

    def open(self, *args: str, **kwargs: str) -> None:
        self.set_nodelay(True)
        self.server.hub.joined(self)

    def on_message(self, message: str | bytes) -> None:
        self.server.hub.said(self, message)

    def on_close(self) -> None:
        self.server.hub.left(self)

    def send_text(self, data: str) -> None:
        """Send an event that is encoded; a tab that is gone gets nothing."""
        try:
            self.write_message(data)
        except tornado.websocket.WebSocketClosedError:
            return
