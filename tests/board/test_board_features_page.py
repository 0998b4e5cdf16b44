"""The page in the browser beside the games: files, set-ups, lists of moves, faces, drawn arrows, teaching."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import board_analyse
import board_championship
import board_play
import pytest
from board_browser import browser, needs_chromium, opened, until
from board_server import running

from siqi.daemon.board import teaching

pytestmark = [needs_chromium, pytest.mark.long]

__all__ = ["browser"]  # a fixture


def test_set_ups_and_earlier_games(browser: Any, tmp_path: Path) -> None:
    with running(tmp_path, "ewn") as served, opened(browser, served) as page:
        board_play.begin(page, "ewn")
        first = board_play.drawn(page, served)
        page.click("[data-act=keepLayout]")
        page.fill("#form-name", "mine")
        page.click("#form [data-act=send]")
        page.wait_for_selector("[data-act='layout 0']:text-is('mine')")
        page.click(f"#grid [data-point={first.setup[0]}]")
        page.click(f"#grid [data-point={first.setup[1]}]")
        until(page, lambda: board_play.shown(served).pieces != first.pieces)
        page.click("[data-act='layout 0']")
        until(page, lambda: board_play.shown(served).pieces == first.pieces)
        page.click("#new")
        board_play.begin(page, "connect6")
        board_play.drawn(page, served)
        page.click("#earlier")
        page.click(f"#file-list [data-file='{first.file}']")
        page.wait_for_selector("[data-act=goOn]")
        assert board_play.shown(served).file == first.file


def test_a_list_of_moves_in_championship(browser: Any, tmp_path: Path) -> None:
    with running(tmp_path, "connect6") as served, opened(browser, served, "?mode=championship") as page:
        board_championship.begin(page, "connect6")
        board_championship.waited(page, served, "resume")
        page.click("[data-act=enterMoves]")
        page.fill("#form-moves", "J10\nK11 I9")
        page.click("#form [data-act=send]")
        page.wait_for_selector("#c-log li:has-text('moves entered: 2')")
        assert [move.word for move in board_championship.shown(served).moves] == ["j10", "i9k11"]


def test_arrows_answers_and_faces(browser: Any, tmp_path: Path) -> None:
    ready = "#open[open]"
    with running(tmp_path, "junqi") as served, opened(browser, served, board_analyse.ANALYSE, ready=ready) as page:
        page.click("#open-games [data-game=junqi]")
        page.wait_for_selector("#study:visible")
        page.fill("#added", "diahcbgkkfiecfigjhedjljhg")
        page.press("#added", "Enter")
        until(page, lambda: board_analyse.shown(served).node == 1)
        page.fill("#added", "?")
        page.press("#added", "Enter")
        until(page, lambda: bool(board_analyse.shown(served).choices))
        now = board_analyse.shown(served)
        page.wait_for_selector(f"#picture[data-shown='/picture/{now.picture}.svg']", state="attached")
        page.select_option("#faces", "letters")
        page.wait_for_selector(f"#picture[data-shown='/picture/{now.picture}-letters.svg']", state="attached")
        cells = [page.locator(f"#grid [data-point={point}]") for point in ("G0", "I2")]
        for count in range(2):
            cells[0].hover()
            page.mouse.down(button="right")
            cells[1].hover()
            page.mouse.up(button="right")
            if count == 0:
                page.wait_for_selector("#arrows .drawn polygon", state="attached")
        page.wait_for_selector("#arrows .drawn", state="detached")
        battle = next(choice for choice in now.choices if choice.points[-1] in now.pieces)
        for point in battle.points:
            page.click(f"#grid [data-point={point}]")
        page.click("#battle [data-act=answer2]")
        until(page, lambda: board_analyse.shown(served).node == 3)
        assert served.analysis.tree.node.word == f"{battle.word}=2"


TWO_PICKS = """() => {
    const grid = document.getElementById('grid');
    for (const key of ['Enter', 'ArrowRight', 'Enter']) {
        grid.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    }
}"""


def test_a_pick_before_the_move_is_answered_is_one_too_many(browser: Any, tmp_path: Path) -> None:
    with running(tmp_path, "connect6") as served, opened(browser, served) as page:
        board_play.begin(page, "connect6")
        board_play.drawn(page, served)
        page.evaluate(TWO_PICKS)
        until(page, lambda: len(board_play.shown(served).moves) == 2)
        assert board_play.shown(served).moves[0].word == "j10" and not page.text_content("#refusal")


def test_a_bad_move_is_taken_back(browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(teaching, "BAD_LOSS", -1.0)  # any move but the best
    with running(tmp_path, "xiangqi") as served, opened(browser, served) as page:
        page.wait_for_selector("#begin[open]")
        page.check("#teaches")
        page.select_option("#clock", "5")
        assert page.is_hidden("#teaches")
        page.select_option("#clock", "0")
        board_play.begin(page, "xiangqi")
        board_play.drawn(page, served)
        for point in ("h2", "h9"):
            page.click(f"#grid [data-point={point}]")
        page.wait_for_selector("#detail:has-text('h2h9 loses')")
        assert not board_play.drawn(page, served).moves
        for point in ("h2", "h9"):
            page.click(f"#grid [data-point={point}]")
        page.wait_for_selector("#moves [data-ply='2']")
        assert board_play.drawn(page, served).moves[0].word == "h2h9"
