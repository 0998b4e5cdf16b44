"""Tabs of the page of `siqi board` in a headless Chromium: several at once, wrong tokens, a server that is killed."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest
from board_browser import SLOW_MS, browser, needs_chromium, opened, until
from board_play import begin, drawn, shown
from board_server import RunningServer, command, running
from samples import sampled

pytestmark = needs_chromium

__all__ = ["browser"]  # a fixture


def follows(page: Any, served: RunningServer) -> bool:
    """True if a tab shows the position and the moves that the session has."""
    now = shown(served)
    picture = page.evaluate("document.getElementById('picture').dataset.shown ?? ''")
    return picture == f"/picture/{now.picture}.svg" and page.locator("#moves [data-ply]").count() == len(now.moves)


@sampled("count", 4, 10)
def test_tabs_show_one_game_and_pass_on_the_board(count: int, browser: Any, tmp_path: Path) -> None:
    with running(tmp_path, "connect6") as served, opened(browser, served) as first:
        begin(first, "connect6")
        drawn(first, served)
        tabs = [first, *(first.context.new_page() for _ in range(count - 1))]
        for page in tabs[1:]:
            page.goto(first.url)
            page.wait_for_selector("#main-actions [data-act=takeBoard]")
        for points in (["j10"], ["a1", "a2"]):
            holder, *watching = tabs
            played = len(drawn(holder, served).moves)
            watching[-1].click(f"#grid [data-point={points[0]}]")
            for point in points:
                holder.click(f"#grid [data-point={point}]")
            until(holder, lambda played=played: len(shown(served).moves) == played + 2)
            assert shown(served).moves[played].word == "".join(points)
            for page in tabs:
                until(page, lambda page=page: follows(page, served))
            holder.goto("about:blank")
            watching[0].wait_for_selector("#main-actions [data-act=takeBoard]", state="detached")
            assert all(page.locator("#main-actions [data-act=takeBoard]").count() for page in watching[1:])
            tabs = watching


@pytest.mark.long
def test_a_tab_that_slept_shows_the_position_of_now(browser: Any, tmp_path: Path) -> None:
    with running(tmp_path, "connect6") as served, opened(browser, served) as holder:
        begin(holder, "connect6")
        drawn(holder, served)
        sleeper = holder.context.new_page()
        sleeper.goto(holder.url)
        sleeper.wait_for_selector("#main-actions [data-act=takeBoard]")
        lifecycle = holder.context.new_cdp_session(sleeper)
        lifecycle.send("Page.setWebLifecycleState", {"state": "frozen"})
        served.call(served.server.hub._tabs[-1].close)  # as after pings without an answer
        until(holder, lambda: len(served.server.hub._tabs) == 1)
        holder.click("#grid [data-point=j10]")
        until(holder, lambda: len(shown(served).moves) == 2)
        assert not follows(sleeper, served)
        lifecycle.send("Page.setWebLifecycleState", {"state": "active"})
        until(sleeper, lambda: follows(sleeper, served))
        assert sleeper.locator("#main-actions [data-act=takeBoard]").count() == 1, "the other tab holds the board still"


def test_a_wrong_token_opens_nothing(browser: Any, tmp_path: Path) -> None:
    with running(tmp_path / "a") as served, running(tmp_path / "b") as other:
        base = served.address.partition("#")[0]
        context = browser.new_context(locale="en-GB")
        page = context.new_page()
        page.set_default_timeout(SLOW_MS)
        for fragment in ("", "#wrong", f"#{other.server.token}", f"#{served.server.token}x"):
            page.goto(base + fragment)
            page.wait_for_selector("#state:has-text('not valid any more')")
            assert page.locator("#board").count() == 0 and page.url == base and context.cookies() == []
            for path in ("picture/1.svg", "page/app.js", "record"):
                assert page.request.get(base + path).status == 403
            page.goto("about:blank")
        page.goto(served.address)  # the right one still opens it
        page.wait_for_selector("#begin[open]")
        context.close()


@pytest.mark.long
def test_a_server_that_is_killed_goes_on_in_a_new_one(browser: Any, tmp_path: Path) -> None:
    context = browser.new_context(locale="en-GB")
    page = context.new_page()
    page.set_default_timeout(SLOW_MS)
    with command(tmp_path) as (process, address):
        page.goto(address)
        begin(page, "connect6")
        page.click("#grid [data-point=j10]")
        page.wait_for_selector("#moves [data-ply='2']")
        page.wait_for_selector("#state:has-text('Your turn')")
        page.click("#grid [data-point=a1]")  # half a turn: it is not a move
        process.send_signal(signal.SIGKILL)
        page.wait_for_selector("#state:has-text('does not answer')")
        assert page.locator("#actions button").count() == 1
    moves = page.text_content("#moves")
    with command(tmp_path) as (process, address):
        page.goto(address)
        page.wait_for_selector("[data-act=goOn]")
        assert page.text_content("#moves") == moves
        page.click("[data-act=goOn]")
        for point in ("a1", "a2"):
            page.click(f"#grid [data-point={point}]")
        page.wait_for_selector("#moves [data-ply='4']")
    context.close()
