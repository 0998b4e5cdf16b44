"""Who may speak to the page's server: the person whose browser has the cookie, from the page itself, and nobody else.

Other pages of the same browser, other names for this machine, other users of it and other machines are refused. Each
check returns why a request is refused, '' if it passes.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from typing import NamedTuple

TOKEN_BYTES = 32

MAX_BYTES = 64 * 1024
"""The size of a body, at most."""

MAX_MESSAGE_BYTES = 6 << 20
"""The size of a message of a tab, at most: it may bring a file of games."""


class Request(NamedTuple):
    """What the checks look at."""

    method: str
    headers: Mapping[str, str]  # names in any case
    body_bytes: int
    cookie: str  # '': there is none
    is_socket: bool  # it opens a WebSocket


class Door(NamedTuple):
    """What the checks compare with."""

    port: int
    secret: str  # the cookie's value

    @property
    def cookie_name(self) -> str:
        """The name of the cookie: several servers of this machine share one jar."""
        return f"siqi-board-{self.port}"

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names of the server in addresses."""
        return tuple(f"{name}:{self.port}" for name in ("127.0.0.1", "localhost", "[::1]"))


def check_host(request: Request, door: Door) -> str:
    """Refuse names that others have made point here (DNS rebinding)."""
    return "" if request.headers.get("Host", "") in door.hosts else "another host"


def check_origin(request: Request, door: Door) -> str:
    """Refuse requests that another page makes; a WebSocket always says where it comes from."""
    origin = request.headers.get("Origin")
    if origin is None:
        return "no origin" if request.is_socket else ""
    return "" if origin in [f"http://{host}" for host in door.hosts] else "another origin"


def check_site(request: Request, door: Door) -> str:
    """Refuse what the browser says another site has caused."""
    return "" if request.headers.get("Sec-Fetch-Site", "none") in ("same-origin", "none") else "from another site"


def check_cookie(request: Request, door: Door) -> str:
    """Refuse who has not had the token: other users of this machine, other programs."""
    return "" if hmac.compare_digest(request.cookie.encode(), door.secret.encode()) else "no cookie"


def check_type(request: Request, door: Door) -> str:
    """Refuse bodies that a form of any page can send without asking."""
    if request.method in ("GET", "HEAD"):
        return ""
    return "" if request.headers.get("Content-Type", "") == "application/json" else "not JSON"


def check_size(request: Request, door: Door) -> str:
    """Refuse large bodies."""
    return "" if request.body_bytes <= MAX_BYTES else "too large"


Check = Callable[[Request, Door], str]

CHECKS: tuple[Check, ...] = (check_host, check_origin, check_site, check_type, check_size, check_cookie)
"""For everything that shows or changes the game."""

ENTRANCE: tuple[Check, ...] = (check_host, check_origin, check_type, check_size)
"""For the page that takes the token, which shows nothing: a click elsewhere may lead to it."""


def refusal(request: Request, door: Door, checks: tuple[Check, ...]) -> str:
    """Return why a request is refused, '' if all checks pass."""
    return next(filter(None, (check(request, door) for check in checks)), "")


def headers(door: Door) -> dict[str, str]:
    """Return the headers of every answer: nothing from elsewhere, in no other page, no types guessed, nothing kept."""
    sockets = " ".join(f"ws://{host}" for host in door.hosts[:2])  # a policy has no addresses of IPv6
    return {
        "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        f"connect-src 'self' {sockets}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cache-Control": "no-store",
    }
