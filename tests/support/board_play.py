"""Play in the browser, as a person uses it."""

from __future__ import annotations

import random
import time
from typing import Any

from board_browser import SLOW_MS, by_keys
from board_server import RunningServer

from siqi.daemon.board.analyse.events import AnalysisShown
from siqi.daemon.board.championship.events import Table
from siqi.daemon.board.events import Snapshot


def begin(page: Any, game: str, side: int = 0, **selects: str) -> None:
    """Begin a game by the dialog."""
    page.wait_for_selector("#begin[open]")
    page.check(f"input[name=game][value={game}]", force=True)
    page.check(f"input[name=side][value='{side}']", force=True)
    for name, value in {"movetime": "0.1", "skill": "0"}.items():
        page.select_option(f"#{name}", value)
    for name, value in selects.items():
        page.select_option(f"#{name}", value)
    assert page.text_content("#begin-rules").endswith((".", "。"))  # for those who do not know the game
    page.click("#start")


def shown(served: RunningServer) -> Snapshot:
    snapshot: Snapshot = served.call(served.session.snapshot)
    return snapshot


def drawn(page: Any, served: RunningServer) -> Snapshot:
    """Wait until the page shows what the session has and the person can act, or the game is over; return that."""
    deadline = time.monotonic() + SLOW_MS / 1000
    while time.monotonic() < deadline:
        now = shown(served)
        if now.choices or now.stones or now.needs_throw or now.stage == "over" or (now.setup and now.pieces):
            picture = page.evaluate("document.getElementById('picture').dataset.shown ?? ''")
            if picture.removeprefix("/picture/").rstrip("f.svg") == str(now.picture):
                return now
        page.wait_for_timeout(20)
    raise AssertionError(f"the page does not follow: {now}")


def picks(now: Snapshot | Table | AnalysisShown, rng: random.Random) -> list[str]:
    """Return the points of a random move."""
    if now.stones:
        every = [f"{column}{row}" for column in "abcdefghijklmnopqrs" for row in range(1, 20)]
        return rng.sample([point for point in every if point not in now.pieces], now.stones)
    return rng.choice(now.choices).points


def play_by_keys(page: Any, served: RunningServer, most: int) -> Snapshot:
    """Play by the keyboard alone, until the end or for a number of own turns."""
    rng = random.Random(1)
    for _ in range(most):
        now = drawn(page, served)
        if now.stage == "over":
            break
        if now.needs_throw:
            page.keyboard.press(str(rng.randint(1, 6)))
        elif now.setup:
            swap(page, served, now)
            page.locator("[data-act=ready]").focus()
            page.keyboard.press("Enter")
        else:
            page.evaluate("document.querySelector('#grid [tabindex=\"0\"]').focus()")
            by_keys(page, picks(now, rng))
        while shown(served).number and (after := shown(served)).picture == now.picture and after.stage != "over":
            page.wait_for_timeout(10)
    return drawn(page, served)


def swap(page: Any, served: RunningServer, now: Snapshot) -> None:
    """Exchange two pieces of the set-up by the keyboard."""
    first, second = next(
        (a, b) for a in now.setup for b in now.setup[3:6] if now.pieces[a] != now.pieces[b] and a in now.setup[:9]
    )
    page.evaluate("document.querySelector('#grid [tabindex=\"0\"]').focus()")
    by_keys(page, [first, second])
    while (after := shown(served)).picture == now.picture:
        assert not page.text_content("#refusal")
        page.wait_for_timeout(10)
    assert (after.pieces[first], after.pieces[second]) == (now.pieces[second], now.pieces[first])
