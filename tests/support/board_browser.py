"""A headless Chromium for the page of `siqi board`."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from board_server import RunningServer

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="not installed: chromium (Debian: chromium)")

WIDE, NARROW = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
SLOW_MS = 60_000


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as started:
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []  # Chromium refuses to run as root with one
        browser = started.chromium.launch(executable_path=CHROMIUM, args=sandbox)
        yield browser
        browser.close()


@contextmanager
def opened(
    browser: Any, served: RunningServer, query: str = "", size: Any = WIDE, ready: str = "#help", **more: Any
) -> Iterator[Any]:
    """Open the page and wait for a part of it.

    Afterwards check that there was no message, no error, and no request to another server.
    """
    context = browser.new_context(viewport=size, locale="en-GB", **more)
    page = context.new_page()
    page.set_default_timeout(SLOW_MS)
    seen: list[str] = []
    page.on("console", lambda message: seen.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: seen.append(f"error: {error}"))
    page.on("request", lambda request: seen.append(request.url))
    page.goto(served.address.replace("/#", f"/{query}#"))
    page.wait_for_selector(ready, state="attached")
    yield page
    own = f"//127.0.0.1:{served.port}/"
    assert [text for text in seen if own not in text or text.startswith(("console", "error"))] == []
    context.close()


def go_to(page: Any, point: str) -> None:
    """Move the focus to a point by the arrow keys."""
    steps = page.evaluate(
        """(point) => {
            const rows = [...document.querySelectorAll('#grid [role=row]')].map((row) => [...row.children]);
            const place = (test) => rows.flatMap((row, i) => row.flatMap((cell, j) => test(cell) ? [[i, j]] : []))[0];
            const [to, from] = [(c) => c.dataset.point === point, (c) => c.tabIndex === 0].map(place);
            return [to[0] - from[0], to[1] - from[1]];
        }""",
        point,
    )
    for count, (forth, back) in zip(steps, (("ArrowDown", "ArrowUp"), ("ArrowRight", "ArrowLeft")), strict=True):
        for _ in range(abs(count)):
            page.keyboard.press(forth if count > 0 else back)


def by_keys(page: Any, points: list[str]) -> None:
    for point in points:
        go_to(page, point)
        page.keyboard.press("Enter")


def fits(page: Any) -> bool:
    is_within: bool = page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    return is_within


def until(page: Any, holds: Callable[[], bool]) -> None:
    """Wait until something holds; the page's policy forbids Playwright's own waiting for a function."""
    deadline = time.monotonic() + SLOW_MS / 1000
    while not holds():
        assert time.monotonic() < deadline
        page.wait_for_timeout(20)
