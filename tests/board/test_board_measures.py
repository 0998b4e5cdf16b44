"""What the page of `siqi board` costs in a headless Chromium: `pytest -m long -s` prints it, coarse bounds hold.

`BOARD_SECONDS=900` analyses for a quarter of an hour. Times may be ten times what is aimed at on a quiet machine.
"""

from __future__ import annotations

import json
import math
import os
import statistics
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from board_browser import SLOW_MS, browser, needs_chromium, until
from board_server import command

pytestmark = [needs_chromium, pytest.mark.long]

__all__ = ["browser"]  # a fixture

SECONDS = float(os.environ.get("BOARD_SECONDS", "30"))
MOVES = 30
SAMPLES = 60

WATCH_CLICKS = """() => {
    window.drawn = [];
    let since = 0;
    document.getElementById('grid').addEventListener('pointerdown', (event) => { since = event.timeStamp; }, true);
    new MutationObserver(() => requestAnimationFrame(() => {
        if (since) window.drawn.push(performance.now() - since);
        since = 0;
    })).observe(document.getElementById('picture'), { attributes: true, attributeFilter: ['data-shown'] });
}"""
"""Keeps the milliseconds from each click to the frame that first shows another picture."""


def opened(browser: Any, address: str) -> Any:
    """Open the page in Analyse."""
    page = browser.new_context(locale="en-GB").new_page()
    page.set_default_timeout(SLOW_MS)
    page.goto(address.replace("/#", "/?mode=analyse#"))
    page.wait_for_selector("#open[open]")
    return page


def test_the_first_page(browser: Any, tmp_path: Path) -> None:
    for start in ("first", "second"):
        before = time.monotonic()
        with command(tmp_path) as (_, address):
            listening = time.monotonic()
            page = browser.new_context().new_page()
            page.goto(address)
            page.wait_for_selector("#begin[open]", timeout=SLOW_MS)
            shown = time.monotonic()
            page.context.close()
        print(f"\n{start} start: listens after {listening - before:.2f} s, shown {shown - listening:.2f} s later")
        assert shown - listening < 10


def test_a_click_to_the_drawn_move(browser: Any, tmp_path: Path) -> None:
    with command(tmp_path) as (_, address):
        page = opened(browser, address)
        page.click("#open-games [data-game=xiangqi]")
        page.wait_for_selector("#lines button.line")
        page.select_option("#multi", "0")
        page.wait_for_selector("#lines", state="hidden")
        page.evaluate(WATCH_CLICKS)
        for number in range(MOVES):
            page.locator("#grid .mine").nth(number % 3).click()
            page.locator("#grid .target").first.click()
            page.wait_for_selector(f"#tree .move >> nth={number}")
            until(page, lambda number=number: len(page.evaluate("window.drawn")) > number)
        drawn = page.evaluate("window.drawn")
        page.context.close()
    median = statistics.median(drawn)
    print(f"\na click to the drawn move: median of {len(drawn)} {median:.0f} ms, {min(drawn):.0f} to {max(drawn):.0f}")
    assert len(drawn) == MOVES and median < 500


def test_lines_come_ten_times_a_second_and_memory_stays(browser: Any, tmp_path: Path) -> None:
    heard: list[float] = []

    def hear(data: str | bytes) -> None:
        if json.loads(data)["event"] == "lines":
            heard.append(time.monotonic())

    with command(tmp_path) as (process, address):
        page = opened(browser, address)
        page.on("websocket", lambda socket: socket.on("framereceived", hear))
        page.reload()
        page.wait_for_selector("#open[open]")
        page.click("#open-games [data-game=xiangqi]")
        page.wait_for_selector("#lines button.line")
        cdp = page.context.new_cdp_session(page)
        begin, samples = time.monotonic(), []
        while (now := time.monotonic()) < begin + SECONDS:
            cdp.send("HeapProfiler.collectGarbage")
            heap = cdp.send("Runtime.getHeapUsage")["usedSize"]
            nodes = cdp.send("Memory.getDOMCounters")["nodes"]
            resident = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
            samples.append((now - begin, heap / 1e6, nodes, resident / 1e6))
            page.wait_for_timeout(1000 * SECONDS / SAMPLES)
        page.context.close()
    fastest = 10 / min((after - before for before, after in zip(heard, heard[10:], strict=False)), default=math.inf)
    print(f"\n{len(heard)} lines in {heard[-1] - heard[0]:.0f} s, at most {fastest:.1f} a second")
    later = np.array(samples[len(samples) // 3 :])  # what fills the engine's tables at first is not counted
    most = {"the page's heap, MB": 1, "its nodes": 100, "the server, MB": 8}
    for column, (name, bound) in enumerate(most.items(), 1):
        slope = np.polyfit(later[:, 0], later[:, column], 1)[0] * SECONDS
        first, last = samples[0][column], samples[-1][column]
        print(f"{name}: {first:.2f} to {last:.2f}; slope in {SECONDS:.0f} s {slope:+.2f}")
        assert slope < bound
    assert len(heard) <= 10 * (heard[-1] - heard[0]) + 10
