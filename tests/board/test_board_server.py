"""The server of `siqi board` through Tornado's client: who is let in, what each check of the guard keeps out, tabs."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import tornado.httpclient
import tornado.httputil
import tornado.websocket
from board_server import RunningServer, running
from fixture_files import ROOT

from siqi.daemon.board import guard
from siqi.daemon.board.server import page_files

WAIT_S = 60


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with running(tmp_path_factory.mktemp("games"), "xiangqi") as server:
        yield server


def ask(served: RunningServer, method: str, path: str, headers: dict[str, str], body: bytes = b"") -> Any:
    """Send a request with just these headers, and a length; return the answer, with its body as `data`."""
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=WAIT_S)
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    for name, value in ({"Host": f"127.0.0.1:{served.port}"} | headers).items():
        connection.putheader(name, value)
    if method == "POST":
        connection.putheader("Content-Length", str(len(body)))
    connection.endheaders(body or None)
    answer: Any = connection.getresponse()
    answer.data = answer.read()
    connection.close()
    return answer


def cookie(served: RunningServer) -> dict[str, str]:
    door = served.server.door
    return {"Cookie": f"{door.cookie_name}={door.secret}"}


def test_the_token_is_changed_for_a_cookie(served: RunningServer) -> None:
    json_type = {"Content-Type": "application/json"}
    first = ask(served, "GET", "/", {})
    assert first.status == 200 and first.data == page_files()["enter.html"]
    right = json.dumps({"token": served.server.token}).encode()
    assert served.server.token in served.address.partition("#")[2] and len(served.server.token) >= 43  # 32 bytes
    for body in (b'{"token":"wrong"}', b'{"token":""}', b"", b"[]", b'{"token":1}'):
        answer = ask(served, "POST", "/enter", json_type, body)
        assert answer.status in (400, 403) and "Set-Cookie" not in answer.headers
    answer = ask(served, "POST", "/enter", json_type, right)
    given = answer.headers["Set-Cookie"]
    assert answer.status == 204 and given.startswith(f"siqi-board-{served.port}=")
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(given.split("; ")[1:])
    pair = given.split(";")[0]
    assert ask(served, "GET", "/", {"Cookie": pair}).data == page_files()["index.html"]
    assert served.server.token not in pair


BODY = b'{"token":"x"}'

HOSTILE: dict[str, tuple[guard.Check, str, str, dict[str, str], bytes]] = {
    "a name that was made to point here": (
        guard.check_host,
        "GET",
        "/page/app.js",
        {"Host": "evil.example:{port}"},
        b"",
    ),
    "this machine's name without the port": (guard.check_host, "GET", "/page/app.js", {"Host": "localhost"}, b""),
    "no name": (guard.check_host, "GET", "/page/app.js", {"Host": ""}, b""),
    "another page": (guard.check_origin, "GET", "/page/app.js", {"Origin": "http://evil.example"}, b""),
    "another server of this machine": (
        guard.check_origin,
        "GET",
        "/page/app.js",
        {"Origin": "http://127.0.0.1:1"},
        b"",
    ),
    "a sandboxed page": (guard.check_origin, "GET", "/page/app.js", {"Origin": "null"}, b""),
    "another site": (guard.check_site, "GET", "/page/app.js", {"Sec-Fetch-Site": "cross-site"}, b""),
    "another port of this site": (guard.check_site, "GET", "/page/app.js", {"Sec-Fetch-Site": "same-site"}, b""),
    "nobody known": (guard.check_cookie, "GET", "/page/app.js", {"Cookie": ""}, b""),
    "a guess": (guard.check_cookie, "GET", "/page/app.js", {"Cookie": "siqi-board-{port}=guess"}, b""),
    "the cookie of another port": (guard.check_cookie, "GET", "/page/app.js", {"Cookie": "siqi-board-1={secret}"}, b""),
    "a picture for nobody known": (guard.check_cookie, "GET", "/picture/1.svg", {"Cookie": ""}, b""),
    "a review for nobody known": (guard.check_cookie, "GET", "/review/0.html", {"Cookie": ""}, b""),
    "a form of any page": (guard.check_type, "POST", "/enter", {"Content-Type": "text/plain"}, BODY),
    "a form": (guard.check_type, "POST", "/enter", {"Content-Type": "application/x-www-form-urlencoded"}, BODY),
    "a large body": (guard.check_size, "POST", "/enter", {"Content-Type": "application/json"}, b" " * 65537),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_each_check_keeps_something_out(name: str, served: RunningServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The request is refused, and with this one check taken out it is not."""
    check, method, path, headers, body = HOSTILE[name]
    door = served.server.door
    sent = cookie(served) | {key: value.format(port=door.port, secret=door.secret) for key, value in headers.items()}
    assert ask(served, method, path, sent, body).status == 403
    from siqi.daemon.board import server

    for handler in (server.Guarded, server.Entrance, server.Enter):
        monkeypatch.setattr(handler, "checks", tuple(other for other in handler.checks if other is not check))
    answer = ask(served, method, path, sent, body)
    assert answer.status in (200, 400, 404) or b"another token" in answer.data


def test_the_guard_stands_before_everything(served: RunningServer) -> None:
    for path in (
        "/page/app.js",
        "/picture/1.svg",
        "/review/0.html",
        "/socket",
        "/nothing",
        "/page/..%2f..%2fsession.py",
    ):
        answer = ask(served, "GET", path, {})
        assert answer.status == 403 and b"siqi board: no " in answer.data, path
    for path in (
        "/nothing",
        "/page/app.py",
        "/page/session.py",
        "/page/../session.py",
        "/picture/99.svg",
        "/review/9.html",
    ):
        assert ask(served, "GET", path, cookie(served)).status == 404, path
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS"):
        assert ask(served, method, "/", cookie(served) | {"Content-Type": "application/json"}).status in (404, 405)
    for path in ("/page/app.js", "/", "/nothing", "/enter"):
        for sent in ({}, cookie(served)):
            headers = ask(served, "GET", path, sent).headers
            policy = headers["Content-Security-Policy"]
            assert policy.startswith("default-src 'none';") and "unsafe" not in policy and "*" not in policy
            assert headers["X-Content-Type-Options"] == "nosniff" and headers["Referrer-Policy"] == "no-referrer"
            assert (
                not [name for name in headers if name.lower().startswith("access-control")] and "Server" not in headers
            )
    assert ask(served, "GET", "/", {"Sec-Fetch-Site": "cross-site"} | cookie(served)).data == page_files()["enter.html"]


def test_no_other_machine_reaches_it(served: RunningServer) -> None:
    addresses = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    others = [address for address in addresses if not str(address).startswith("127.")]
    for address in others:
        with pytest.raises(OSError):
            socket.create_connection((address, served.port), timeout=5)
    with socket.create_connection(("127.0.0.1", served.port), timeout=5):
        pass


def test_refused_requests_write_no_line_into_the_terminal(
    served: RunningServer, caplog: pytest.LogCaptureFixture
) -> None:
    assert ask(served, "GET", "/socket", {"Cookie": ""}).status == 403
    assert ask(served, "GET", "/nothing", cookie(served)).status == 404
    assert not caplog.records


# Tabs


class Tab:
    """A client as a tab of the browser is one."""

    def __init__(self, socket: tornado.websocket.WebSocketClientConnection) -> None:
        self._socket = socket
        self.last = 0

    async def next(self, *kinds: str) -> Any:
        """Return the next event of these kinds; numbers must rise."""
        while True:
            message = await asyncio.wait_for(self._socket.read_message(), WAIT_S)
            assert message is not None, "closed"
            event = json.loads(message)
            assert event["number"] > self.last
            if event["event"] != "picture":  # it has the number of the event that it comes with
                self.last = event["number"]
            if not kinds or event["event"] in kinds:
                return event

    async def until(self, test: Callable[[Any], bool], *kinds: str) -> Any:
        while True:
            event = await self.next(*kinds)
            if test(event):
                return event

    async def say(self, **command: Any) -> None:
        await self._socket.write_message(json.dumps(command))

    async def say_text(self, text: str) -> None:
        await self._socket.write_message(text)

    async def closed(self) -> bool:
        while await asyncio.wait_for(self._socket.read_message(), WAIT_S) is not None:
            pass
        return True

    def close(self) -> None:
        self._socket.close()


async def tab(served: RunningServer, query: str = "", **headers: str) -> Tab:
    sent = {"Origin": f"http://127.0.0.1:{served.port}"} | cookie(served) | headers
    request = tornado.httpclient.HTTPRequest(
        f"ws://127.0.0.1:{served.port}/socket{query}", headers=tornado.httputil.HTTPHeaders(sent)
    )
    return Tab(await tornado.websocket.websocket_connect(request))


def dialogue(talk: Callable[[], Awaitable[None]]) -> None:
    async def whole() -> None:
        await asyncio.wait_for(talk(), 4 * WAIT_S)

    asyncio.run(whole())


@pytest.mark.parametrize(
    "headers",
    ({"Origin": "http://evil.example"}, {"Cookie": ""}, {"Host": "evil.example"}, {"Sec-Fetch-Site": "cross-site"}),
)
def test_a_socket_is_refused_like_a_request(headers: dict[str, str], served: RunningServer) -> None:
    async def talk() -> None:
        with pytest.raises(tornado.httpclient.HTTPError) as raised:
            await tab(served, **headers)
        assert raised.value.code == 403

    dialogue(talk)


def test_a_socket_says_where_it_comes_from(served: RunningServer) -> None:
    upgrade = {
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
        "Sec-WebSocket-Version": "13",
    }
    answer = ask(served, "GET", "/socket", cookie(served) | upgrade)
    assert answer.status == 403 and b"no origin" in answer.data


def test_one_tab_holds_the_board_and_all_watch(tmp_path: Path) -> None:
    with running(tmp_path, "xiangqi") as served:

        async def talk() -> None:
            first, second = await tab(served), await tab(served)
            assert (await first.next("welcome"))["default_game"] == "xiangqi"
            assert (await first.next("tab status"))["holds"] and not (await second.next("tab status"))["holds"]
            assert (await first.next("snapshot"))["stage"] == "start"
            await second.say(do="begin", game="xiangqi", person=0, skill=0)
            assert (await second.next("refused"))["reason"] == "another tab holds the board"
            for bad in ('{"do":"fly"}', "nonsense", "[]", '{"do":"begin","game":"ewn"}', '{"do":"throw","throw":"6"}'):
                await first.say_text(bad)
                assert (await first.next("refused"))["reason"]
            await first.say(do="begin", game="xiangqi", person=0, skill=0, movetime_ms=50)
            for socket in (first, second):
                ready = await socket.until(lambda event: event["stage"] == "play", "snapshot")
                assert len(ready["choices"]) == 44 and len((await socket.next("board"))["views"]) == 2
            await first.say(do="move", word="h2e2")
            answered = await second.until(lambda event: len(event["moves"]) == 2, "snapshot")
            assert answered["moves"][0]["word"] == "h2e2" and answered["turn"] == 0
            pictures = set[bytes]()
            for flipped in ("", "f", "-letters", "f-simplified", "-nonsense"):
                picture = ask(served, "GET", f"/picture/{answered['picture']}{flipped}.svg", cookie(served))
                assert picture.status == 200 and picture.data.startswith(b"<svg ")
                assert picture.headers["Content-Type"].startswith("image/svg+xml")
                pictures.add(picture.data)
            assert len(pictures) == 4  # faces that the game does not have are its usual ones
            await second.say(do="take board")
            assert (await second.until(lambda event: event["holds"], "tab status"))["tabs"] == 2
            await first.say(do="hint")
            assert (await first.next("refused"))["reason"] == "another tab holds the board"
            second.close()
            assert (await first.until(lambda event: event["tabs"] == 1, "tab status"))["holds"]
            with contextlib.suppress(tornado.websocket.WebSocketClosedError):
                await first.say_text(json.dumps({"do": "move", "word": "x" * guard.MAX_MESSAGE_BYTES}))
            assert await first.closed()  # too large

        dialogue(talk)


def test_the_picture_comes_before_the_position_as_the_tab_sees_boards(tmp_path: Path) -> None:
    with running(tmp_path, "xiangqi") as served:

        async def talk() -> None:
            holder, screen = await tab(served), await tab(served, query="?screen=watch")
            await screen.say(do="see", is_flipped=True, faces="letters")
            await holder.say(do="begin", game="xiangqi", person=0, skill=0, movetime_ms=50)
            sent, shown = await screen.next("picture"), await screen.next()
            assert shown["event"] == "snapshot" and (shown["picture"], shown["number"]) == (
                sent["picture"],
                sent["number"],
            )
            asked = ask(served, "GET", f"/picture/{sent['picture']}f-letters.svg", cookie(served))
            assert sent["svg"].encode() == asked.data and (sent["is_flipped"], sent["faces"]) == (True, "letters")
            await holder.say(do="hint")
            again = await screen.until(lambda event: event.get("is_hint_coming") or event["event"] == "picture")
            assert again["picture"] != shown["picture"] or again["event"] == "snapshot"  # each picture is sent once
            heard = [(await holder.next())["event"] for _ in range(6)]
            assert "picture" not in heard  # it has not said how it sees boards

        dialogue(talk)


def test_modes_are_switched_for_all_tabs_and_a_second_screen_only_watches(tmp_path: Path) -> None:
    with running(tmp_path, "connect6") as served:

        async def talk() -> None:
            screen = await tab(served, query="?screen=watch")
            assert not (await screen.next("tab status"))["holds"]
            table = await tab(served)
            assert (await table.next("mode")) | {"number": 0} == {
                "event": "mode",
                "number": 0,
                "mode": "play",
                "modes": ["play", "championship", "analyse"],
            }
            for command in ({"do": "take board"}, {"do": "mode", "mode": "championship"}, {"do": "hint"}):
                await screen.say(**command)
                assert (await screen.next("refused"))["reason"] == "this screen only watches"
            await table.say(do="mode", mode="nothing")
            assert (await table.next("refused"))["reason"] == "no mode nothing"
            assert ask(served, "GET", "/record", cookie(served)).status == 404
            await table.say(do="mode", mode="championship")
            for each in (table, screen):
                assert (await each.until(lambda event: event["mode"] == "championship", "mode"))["modes"]
                assert (await each.next("championship"))["stage"] == "start"
            await table.say(do="begin", game="connect6", teams=["四棋", "B"], games=1, first=0, clock_ms=3000)
            await table.until(lambda event: event["press"] == "resume", "championship")
            await table.say(do="resume")
            await table.until(lambda event: event["press"] == "announce", "championship")
            await table.say(do="confirm")
            played = await table.until(lambda event: event["moves"], "championship")
            answer = ask(served, "GET", "/record", cookie(served))
            assert answer.status == 200 and "四棋" in answer.data.decode("gb18030")
            assert quote(played["record"], safe="") in answer.headers["Content-Disposition"]
            assert ask(served, "GET", "/record", {}).status == 403
            await table.say(do="mode", mode="play")
            assert (await screen.until(lambda event: True, "snapshot"))["stage"] == "start"

        dialogue(talk)


@pytest.mark.parametrize("game", ("xiangqi", "ewn", "junqi", "connect6"))
def test_a_review_of_a_game_that_is_over(game: str, tmp_path: Path) -> None:
    with running(tmp_path, game) as served:

        async def talk() -> None:
            table = await tab(served)
            await table.next("snapshot")
            await table.say(do="begin", game=game, person=0, skill=0, movetime_ms=20)
            now = await table.until(
                lambda event: (event["setup"] and event["pieces"]) or event["choices"] or event["stones"],
                "snapshot",
            )
            if now["setup"]:
                await table.say(do="set up")
                now = await table.until(lambda event: event["choices"], "snapshot")
            await table.say(do="move", word=now["choices"][0]["word"] if now["choices"] else "j10")
            await table.until(lambda event: event["choices"] or event["stones"], "snapshot")
            await table.say(do="review")
            assert (await table.next("refused"))["reason"] == "the game is not over"
            await table.say(do="resign")
            await table.until(lambda event: event["stage"] == "over", "snapshot")
            await table.say(do="review")
            shown = await table.until(
                lambda event: event["event"] == "refused" or event["address"], "reviewing", "refused"
            )
            page = ask(served, "GET", shown["address"], cookie(served))
            assert page.status == 200 and b"<!-- Siqi review -->" in page.data
            assert ask(served, "GET", shown["address"], {}).status == 403

        dialogue(talk)
        assert len(list(tmp_path.glob("00001-*.review.html"))) == 1


def test_the_command_ends_on_an_interrupt_and_a_second_one_finds_the_first(tmp_path: Path) -> None:
    command = (sys.executable, "-m", "siqi", "board", "--no-browser", "--games", str(tmp_path))
    first = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert first.stdout is not None
        address = first.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:") and "#" in address
        second = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=WAIT_S, check=False)
        assert second.returncode == 0 and second.stdout.strip() == address and "runs already" in second.stderr
        first.send_signal(2)
        _, err = first.communicate(timeout=WAIT_S)
        assert first.returncode == 130 and "goes on" in err and "Traceback" not in err
    finally:
        first.kill()
