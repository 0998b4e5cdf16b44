"""Championship in the browser, as an operator uses it."""

from __future__ import annotations

import random
import time
from typing import Any

from board_browser import SLOW_MS, by_keys
from board_server import RunningServer

from siqi.daemon.board.championship.events import Table


def shown(served: RunningServer) -> Table:
    found: Table = served.call(served.contests.snapshot)
    return found


def waited(page: Any, served: RunningServer, *press: str) -> Table:
    """Wait until the page shows that one of these is to be pressed."""
    deadline = time.monotonic() + SLOW_MS / 1000
    while time.monotonic() < deadline:
        now = shown(served)
        drawn = page.evaluate(
            "[document.getElementById('picture').dataset.shown, document.getElementById('c-card').dataset.press]"
        )
        if now.press in press and drawn[1] in (now.press, "confirm"):
            if not now.pieces or (drawn[0] or "").removeprefix("/picture/").rstrip("f.svg") == str(now.picture):
                return now
        page.wait_for_timeout(20)
    raise AssertionError(f"the page does not follow: {now}, {page.text_content('#refusal')}")


def begin(page: Any, game: str, **values: str) -> None:
    """Fill in the form of a new contest, check the machine, and begin."""
    page.click("[data-act=newContest]")
    page.select_option("#form-game", game)
    for name, value in {"ours": "Alpha", "theirs": "Beta", "minutes": "0.1"}.items():
        page.fill(f"#form-{name}", values.pop(name, value))
    for name, value in values.items():
        page.fill(f"#form-{name}", value)
    page.click("#form [data-act=send]")
    page.wait_for_selector("#c-move:text-is('READY')")
    page.click("[data-act=beginContest]")


def confirm(page: Any) -> None:
    """Press Enter on the card, once it has been shown for long enough."""
    page.wait_for_timeout(650)
    page.keyboard.press("Enter")


def step(page: Any, served: RunningServer, rng: random.Random) -> bool:
    """Press what the card says, by the keyboard alone; False once the game is over."""
    now = waited(page, served, "resume", "set-up", "throw", "announce", "opponent", "next")
    match now.press:
        case "resume" | "set-up":
            page.wait_for_selector("#c-main .first:enabled")
            page.locator("#c-main .first").focus()
            page.keyboard.press("Enter")
        case "throw":
            page.keyboard.press(str(rng.randint(1, 6)))
        case "announce":
            if len(now.answers) > 1:
                page.keyboard.press("0")
            confirm(page)
        case "opponent":
            page.keyboard.press("g")
            page.wait_for_selector("#grid :focus", state="attached")
            by_keys(page, rng.choice(now.choices).points)
            page.wait_for_selector("[data-press=confirm]")
            assert shown(served).moves == now.moves  # the key that picked the target confirms nothing
            if page.locator("#c-answers button").count():
                page.keyboard.press("0")
            page.keyboard.press("Enter")
        case "next":
            return False
    deadline = time.monotonic() + SLOW_MS / 1000
    while shown(served).picture == now.picture and shown(served).press == now.press:
        assert time.monotonic() < deadline and not page.text_content("#refusal"), page.text_content("#refusal")
        page.wait_for_timeout(10)
    return True
