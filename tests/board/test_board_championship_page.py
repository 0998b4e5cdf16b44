"""Championship in a headless Chromium: an operator's games by the keyboard, slips that are mended, the second screen.

Screenshots of a whole run are kept as `build/championship-*.png`.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from board_browser import NARROW, WIDE, browser, fits, needs_chromium, opened
from board_championship import begin, confirm, operate, shown, step, waited
from board_games import loaded
from board_server import command, running
from fixture_files import ROOT

__all__ = ["browser"]

pytestmark = needs_chromium

ENTER_AT_ONCE = """
    const card = document.getElementById('c-card');
    const presses = new MutationObserver(() => {
        if (card.dataset.press !== 'announce') return;
        presses.disconnect();
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
        document.body.dataset.pressed = 'true';
    });
    presses.observe(card, { attributes: true });
"""
"""Has Enter pressed as soon as a move is shown, which is too soon to have been announced."""


def test_an_operator_begins_a_game_and_mends_a_slip(browser: Any, tmp_path: Path) -> None:
    rng = random.Random(2)
    with running(tmp_path, "ewn") as served, opened(browser, served) as page:
        page.wait_for_selector("#begin[open]")
        page.click("#tabs >> text=Championship")  # before any game: the form for one does not lie over the tabs
        begin(page, "ewn")
        assert "mode=championship" in page.url
        while waited(page, served, "set-up", "announce", "resume", "throw").press != "throw":
            step(page, served, rng)
            if page.text_content("#c-press") == "Announce our set-up, then Enter":
                assert page.text_content("#c-words").startswith("A5 ")  # each piece by its point
        page.evaluate(ENTER_AT_ONCE)
        page.keyboard.press("3")
        now = waited(page, served, "announce")
        assert now.proposed is not None and now.proposed.word[2:].upper() in page.text_content("#c-move")
        assert page.evaluate("document.body.dataset.pressed") and len(shown(served).moves) == 2
        page.click("#c-dice button:text-is('5')")  # it was a five
        page.wait_for_selector("#c-log li:has-text('3 → 5')")
        proposed = waited(page, served, "announce").proposed
        confirm(page)  # the die's button has the focus no more
        now = waited(page, served, "throw")
        assert proposed is not None and [move.word for move in now.moves[2:]] == [proposed.word]
        page.keyboard.press("2")
        now = waited(page, served, "opponent")
        page.fill("#c-word", "e1e5")
        page.keyboard.press("Enter")
        page.wait_for_selector("#refusal:has-text('There is no such move: e1e5')")
        assert page.get_attribute("#c-card", "data-press") == "opponent"
        piece, goal = now.pieces[now.choices[0].points[0]], now.choices[0].points[1]
        page.fill("#c-word", f"b{'abcdef'.index(piece) + 1} {goal}")  # as the opponent says it
        page.keyboard.press("Enter")
        page.wait_for_selector(f"[data-press=confirm] >> text={goal.upper()})")
        assert not page.text_content("#refusal")
        page.keyboard.press("Escape")
        page.locator("#c-moves button").nth(1).click()  # after both set-ups
        assert page.text_content("#form-title") == "Back to the position after the set-up of Beta?"
        page.fill("#form-note", "the referee agrees")
        page.keyboard.press("Enter")
        page.wait_for_selector("#c-log li:has-text('the referee agrees')")
        assert len(shown(served).moves) == 2 and shown(served).throw == 5


@pytest.mark.long
def test_a_best_of_seven_by_an_operator_who_sees_the_page_alone(browser: Any, tmp_path: Path) -> None:
    """With a wrong throw, a wrong move, a kill in mid-game, and a wrong score."""
    rng = random.Random(3)
    context = browser.new_context(viewport=WIDE, locale="en-GB")
    with command(tmp_path) as (process, address):
        page = context.new_page()
        page.goto(address)
        page.click("#tabs >> text=Championship")
        begin(page, "ewn", games="7", event="2026 CCGC", site="重庆")
        operate(page, rng, "Announce and play")
        page.click("#c-dice button:not([aria-pressed=true]) >> nth=0")  # the die showed another number
        page.wait_for_selector("#c-log li:has-text('→')")
        operate(page, rng, "Enter the throw of Alpha")
        page.keyboard.press("p")  # they had played something else
        page.wait_for_selector("#c-press:text-is('The clocks stand')")
        page.click("text=Undo")
        page.fill("#form-note", "the referee agrees")
        page.click("text=Go there")
        page.wait_for_selector("#c-log li:has-text('after move 1 of Alpha the referee agrees')")
        for _ in range(3):
            operate(page, rng, "Enter the throw of Beta")
            operate(page, rng, "Enter the throw of Alpha")
        played = page.locator("#c-moves").inner_text()
        process.kill()
        page.wait_for_selector("#c-press:has-text('Run “siqi board” again')")
        page.close()
    with command(tmp_path) as (_, address):
        page = context.new_page()
        page.goto(address)
        page.wait_for_selector("#c-press:text-is('Go on with the game?')")
        assert page.locator("#c-moves").inner_text() == played
        score = [0, 0]
        for number in range(1, 8):
            operate(page, rng, f"Game {number} is over")
            score["Beta" in page.text_content("#c-move")] += 1
            page.wait_for_selector(f"#c-score:text-is('Alpha {score[0]} : {score[1]} Beta')")
            if number == 2:
                for points in ([3, 2], score):  # the referee's table had a slip, which is seen later
                    page.click("text=Correct the score")
                    page.fill("#form-team0", str(points[0]))
                    page.fill("#form-team1", str(points[1]))
                    page.keyboard.press("Enter")
                    page.wait_for_selector(f"#c-score:text-is('Alpha {points[0]} : {points[1]} Beta')")
            if max(score) == 4:
                break
            page.click("text=Next game")
        page.wait_for_selector("#c-about:has-text('decided')")
        assert page.locator("#c-games button").count() == sum(score)
        assert len(list(tmp_path.glob("championship/*/WTN-*胜-*.txt"))) == sum(score)
    context.close()


@pytest.mark.long
@pytest.mark.parametrize("game", ("xiangqi", "connect6", "junqi"))
def test_a_whole_game_is_reloaded_and_goes_on_with_another_server(game: str, browser: Any, tmp_path: Path) -> None:
    rng = random.Random(4)
    whole = loaded(game).position() if game == "junqi" else None
    with running(tmp_path, game) as served, opened(browser, served, "?mode=championship") as page:
        begin(page, game, games="1")
        for _ in range(7 if game == "junqi" else 4):
            assert step(page, served, rng, whole)
        before = waited(page, served, "announce", "opponent")
        page.reload()
        waited(page, served, before.press)
        assert page.locator("#c-moves button").count() == len(before.moves) and shown(served).moves == before.moves
    with running(tmp_path, game) as served, opened(browser, served) as page:
        now = waited(page, served, "resume")
        assert (now.stage, now.moves) == ("asks", before.moves)
        while step(page, served, rng, whole):
            pass
        now = shown(served)
        assert now.stage == "over" and now.contest is not None
        (played,) = now.contest.played
        assert played.end == "rules" or (played.end == "referee" and whole is not None)
        if whole is not None:
            outcome = whole.outcome()
            assert outcome is not None
            assert played.winner == (None if outcome.winner is None else outcome.winner ^ now.first)
        with page.expect_download() as download:
            page.click("[data-act=record]")
        assert (
            Path(download.value.path()).read_bytes() == next(tmp_path.glob(f"championship/*/{now.record}")).read_bytes()
        )


@pytest.mark.long
def test_the_second_screen_shows_board_and_clocks_and_cannot_press(browser: Any, tmp_path: Path) -> None:
    with running(tmp_path, "connect6") as served, opened(browser, served, "?mode=championship&screen=watch") as watch:
        watch.wait_for_selector("body.watch")
        assert served.server.hub._holder is None
        with opened(browser, served, "?mode=championship") as page:
            begin(page, "connect6")
            page.click("[data-act=startClocks]")
            waited(page, served, "announce")
            confirm(page)
            waited(page, served, "opponent")
            page.fill("#c-word", "i9k11")
            page.keyboard.press("Enter")
            page.wait_for_selector("[data-press=confirm] >> text=I9 K11")
            page.keyboard.press("Enter")
            waited(page, served, "announce")
            page.wait_for_selector("#c-evaluation:has-text('depth')", state="attached")
            watch.wait_for_selector("#c-clocks .runs")
            marks = [screen.locator("#grid .chosen").count() for screen in (page, watch)]
            assert marks == [2, 0] and not watch.text_content("#spoken")  # the stones to be announced
            assert not watch.text_content("#c-evaluation") and not watch.text_content("#c-move")
            watch.keyboard.press("Enter")
            watch.evaluate("document.querySelector('#c-main')?.click()")
            assert watch.locator("button:visible").count() == 0 or not watch.locator("#c-main button:visible").count()
            confirm(page)
            waited(page, served, "opponent")
            watch.wait_for_selector(f"#picture[data-shown='/picture/{shown(served).picture}.svg']", state="attached")
            assert fits(watch)


@pytest.mark.long
@pytest.mark.parametrize("game", ("xiangqi", "connect6", "ewn", "junqi"))
def test_screenshots(game: str, browser: Any, tmp_path: Path) -> None:
    (ROOT / "build").mkdir(exist_ok=True)
    rng = random.Random(1)
    with running(tmp_path, game) as served:
        with opened(browser, served, "?mode=championship") as page:
            begin(page, game, minutes="0.5", event="2026 CCGC", site="重庆")
            while waited(page, served, "resume", "set-up", "announce").press != "resume":
                step(page, served, rng)
            step(page, served, rng)
            if game == "ewn":
                step(page, served, rng)
            waited(page, served, "announce")
            assert fits(page)
            page.screenshot(path=ROOT / "build" / f"championship-{game}.png")
        for name, size, query in (("narrow", NARROW, ""), ("dark", WIDE, "&lang=zh"), ("watch", WIDE, "&screen=watch")):
            scheme = "dark" if name == "dark" else "light"
            with opened(browser, served, f"?mode=championship{query}", size, color_scheme=scheme) as page:
                page.wait_for_selector("#c-clocks:visible")
                page.wait_for_timeout(300)
                assert fits(page)
                page.screenshot(path=ROOT / "build" / f"championship-{game}-{name}.png")
