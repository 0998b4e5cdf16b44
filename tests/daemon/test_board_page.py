"""The page of `siqi board` in a headless Chromium: whole games by the keyboard alone, by clicks, on a phone.

No test may see a console message, an error, or a request to another server. Screenshots are kept as
`build/board-*.png`.
"""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

import pytest
from board_browser import NARROW, SLOW_MS, WIDE, browser, by_keys, fits, needs_chromium, opened
from board_server import RunningServer, running
from fixture_files import ROOT

from siqi.daemon.board.events import Snapshot

pytestmark = needs_chromium

__all__ = ["browser"]  # a fixture

GAMES = ("xiangqi", "connect6", "ewn", "junqi")


def begin(page: Any, game: str, side: int = 0, **selects: str) -> None:
    """Begin a game by the dialog."""
    page.wait_for_selector("#begin[open]")
    page.check(f"input[name=game][value={game}]", force=True)
    page.check(f"input[name=side][value='{side}']", force=True)
    for name, value in {"movetime": "0.1", "skill": "0"}.items():
        page.select_option(f"#{name}", value)
    for name, value in selects.items():
        page.select_option(f"#{name}", value)
    page.click("#start")


def shown(served: RunningServer) -> Snapshot:
    found: Snapshot = served.call(served.session.snapshot)
    return found


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


def next_points(now: Snapshot, rng: random.Random) -> list[str]:
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
            by_keys(page, next_points(now, rng))
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


@pytest.mark.parametrize(
    "game", [pytest.param(game, marks=() if game == "ewn" else pytest.mark.long) for game in GAMES]
)
def test_a_game_by_the_keyboard_alone(game: str, browser: Any, tmp_path: Path) -> None:
    with running(tmp_path, game) as served, opened(browser, served) as page:
        begin(page, game)
        now = play_by_keys(page, served, 400 if game == "ewn" else 30)
        if game == "ewn":
            assert now.stage == "over" and page.text_content("#state") in ("You have won", "The engine has won")
        assert len(now.moves) > 4 and page.locator("#moves [data-ply]").count() == len(now.moves)
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("ArrowLeft")
        page.wait_for_selector(f"#moves .now[data-ply='{len(now.moves) - 1}']")
        assert shown(served).looked == len(now.moves) - 1
        page.keyboard.press("End")
        page.wait_for_selector("[data-act=lookOn]", state="detached")


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_screenshots(game: str, browser: Any, tmp_path: Path) -> None:
    (ROOT / "build").mkdir(exist_ok=True)
    with running(tmp_path, game) as served:
        with opened(browser, served) as page:
            page.wait_for_selector("#begin[open]")
            page.screenshot(path=ROOT / "build" / "board-begin.png")
            begin(page, game, clock="10")
            if shown(served).settings and game in ("ewn", "junqi"):
                drawn(page, served)
                page.screenshot(path=ROOT / "build" / f"board-{game}-setup.png")
            play_by_keys(page, served, 2 if game == "connect6" else 4)  # the engine soon wins
            page.keyboard.press("b")
            page.wait_for_selector("#detail:has-text('would play')")
            page.wait_for_timeout(300)
            assert fits(page)
            page.screenshot(path=ROOT / "build" / f"board-{game}-wide.png")
        sizes = (("narrow", NARROW, "light"), ("dark", WIDE, "dark"), ("narrow-dark", NARROW, "dark"))
        for name, size, scheme in sizes:
            with opened(browser, served, "?lang=zh" if "dark" in name else "", size, color_scheme=scheme) as page:
                drawn(page, served)
                page.wait_for_timeout(300)
                assert fits(page)
                page.screenshot(path=ROOT / "build" / f"board-{game}-{name}.png")
