"""Axe finds nothing serious on any screen of the page of `siqi board`, light or dark."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import board_analyse
import board_championship
import board_play
import pytest
from board_browser import browser, by_keys, needs_chromium, opened
from board_games import loaded
from board_server import running
from node_programs import INSTALLED, needs

from siqi.games import registry

AXE = INSTALLED / "axe-core/axe.min.js"

pytestmark = [needs_chromium, needs(AXE)]

__all__ = ["browser"]  # a fixture

GAMES = [pytest.param(game, marks=() if game == "ewn" else pytest.mark.long) for game in registry.NAMES]


def check(page: Any, screen: str) -> None:
    """Check the screen that is shown: its colours in both schemes, all else, which no scheme changes, in one."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    for scheme, rules in (("dark", "['color-contrast']"), ("light", "undefined")):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        faults = page.evaluate(f"axe.run({{ resultTypes: ['violations'], runOnly: {rules} }})")["violations"]
        violations = [
            f"{fault['id']}: {node['html']}: {node['failureSummary']}"
            for fault in faults
            if fault["impact"] in ("serious", "critical")
            for node in fault["nodes"]
        ]
        assert not violations, "\n".join([f"{screen}, {scheme}", *violations])


def check_dialog(page: Any, button: str, dialog: str) -> None:
    """Check a dialog that a button opens."""
    page.click(button)
    page.wait_for_selector(f"{dialog}[open]")
    check(page, f"dialog of {button}")
    page.keyboard.press("Escape")


@pytest.mark.parametrize("game", GAMES)
def test_play(game: str, browser: Any, tmp_path: Path) -> None:
    with running(tmp_path, game) as served, opened(browser, served) as page:
        page.wait_for_selector("#begin[open]")
        check(page, "the dialog of a new game")
        board_play.begin(page, game, clock="10", **({"thrower": "person"} if game == "ewn" else {}))
        now = board_play.drawn(page, served)
        if now.setup:
            check(page, "set-up")
            page.click("[data-act=ready]")
        now = board_play.drawn(page, served)
        check(page, "the first turn")
        if now.needs_throw:
            page.keyboard.press("3")
            now = board_play.drawn(page, served)
        page.keyboard.press("b")
        page.wait_for_selector("#detail:has-text('would play')")
        check(page, "a hint")
        board_play.play_by_keys(page, served, 2)  # in Connect6 a third turn of the engine would end the game
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("ArrowLeft")
        page.wait_for_selector("[data-act=lookOn]")
        check(page, "an earlier position")
        page.click("[data-act=lookOn]")
        check_dialog(page, "#help", "#keys")
        check_dialog(page, "#earlier", "#files")
        with opened(browser, served) as watching:
            watching.wait_for_selector("[data-act=takeBoard]")
            check(watching, "a tab that watches")
        page.click("[data-act=resign]")
        page.click("[data-act=resignSure]")
        page.wait_for_selector("[data-act=review]")
        check(page, "the end")


@pytest.mark.long
@pytest.mark.parametrize("game", registry.NAMES)
def test_championship(game: str, browser: Any, tmp_path: Path) -> None:
    rng = random.Random(1)
    whole = loaded(game).position() if game == "junqi" else None
    with running(tmp_path, game) as served, opened(browser, served, "?mode=championship") as page:
        page.wait_for_selector("[data-act=newContest]")
        check(page, "no contest")
        check_dialog(page, "[data-act=newContest]", "#form")
        board_championship.begin(page, game, minutes="0.5")
        seen = set()
        while len(board_championship.shown(served).moves) < 4:
            now = board_championship.waited(page, served, "resume", "set-up", "throw", "announce", "opponent")
            if now.press not in seen:
                check(page, now.press)
            if now.press == "opponent" and "opponent" not in seen:
                page.keyboard.press("g")
                page.wait_for_selector("#grid :focus", state="attached")
                by_keys(page, board_play.picks(now, rng))
                page.wait_for_selector("[data-press=confirm]")
                check(page, "confirm")
                page.keyboard.press("Escape")
            seen.add(now.press)
            board_championship.step(page, served, rng, whole)
        for button in ("undo", "endGame", "setClocks", "setScore", "setFirst", "setPlayers", "options"):
            check_dialog(page, f"[data-act={button}]", "#form")
        page.click("[data-act=undo]")
        page.keyboard.press("Enter")
        page.wait_for_selector("#c-log li")
        check(page, "a correction")
        with opened(browser, served, "?mode=championship&screen=watch") as watch:
            watch.wait_for_selector("#c-clocks:visible")
            check(watch, "the second screen")
        page.click("[data-act=endGame]")
        page.select_option("#form-how", "0 time")
        page.click("#form [data-act=send]")
        page.wait_for_selector("[data-act=nextGame]")
        check(page, "the end")


@pytest.mark.parametrize("game", GAMES)
def test_analyse(game: str, browser: Any, tmp_path: Path) -> None:
    with running(tmp_path, game) as served, opened(browser, served, board_analyse.ANALYSE, ready="#open[open]") as page:
        check(page, "the dialog that opens an analysis")
        board_analyse.begin(page, game)
        page.wait_for_selector("#lines .value")
        check(page, "lines")
        for ply in range(2):
            if page.locator("#throws button").count():
                page.keyboard.press(str(1 + ply))
            page.wait_for_selector("#lines button.line")
            before = page.locator("#tree .move").count()
            page.keyboard.press("b")
            page.wait_for_selector(f"#tree .move >> nth={before}")
        page.wait_for_selector("#lines .value")
        for layer in ("heat", "view0"):
            if page.locator(f"[data-act={layer}]").count():
                page.click(f"[data-act={layer}]")
        page.keyboard.press("ArrowLeft")
        page.wait_for_selector("#lines .value")
        check(page, "a tree")
        page.click("[data-act=edit]")
        page.wait_for_selector("[data-act=emptyBoard]")
        check(page, "a board that is set up")
