"""The page of `siqi review` in a headless Chromium: every game by keys and clicks, in both languages, wide and narrow.

No test may see a console message, an error or a request. Screenshots of each game are kept as `build/review-*.png`.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from fixture_files import ROOT
from review_games import write_games

import siqi
from daemon.command import run

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="not installed: chromium (Debian: chromium)")

WIDE, NARROW = {"width": 1280, "height": 860}, {"width": 390, "height": 844}
LANGUAGES = {"en": "en-GB", "zh": "zh-CN"}
ENDS = {"xiangqi": 18, "connect6": 12, "ewn": 17, "junqi": 18}
"""The number of moves of each game."""

GAMES = list(enumerate(ENDS, 1))


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    out = folder / "review.html"
    assert run(["review", *map(str, write_games(folder).values()), "-o", str(out), "--depth", "2"]) == 0
    return out


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as started:
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []  # Chromium refuses to run as root with one
        found = started.chromium.launch(executable_path=CHROMIUM, args=sandbox)
        yield found
        found.close()


@contextmanager
def opened(
    browser: Any, path: Path, place: str = "", size: Any = WIDE, expected: str = "nothing else", **more: Any
) -> Iterator[Any]:
    """Open the page; at the end there must have been no message, no error and no request but that of the file.

    `expected` is a part of each message that a test asks for itself.
    """
    context = browser.new_context(viewport=size, **more)
    page = context.new_page()
    page.set_default_timeout(5000)
    seen: list[str] = []
    page.on("console", lambda message: seen.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: seen.append(f"error: {error}"))
    page.on("request", lambda request: seen.append(f"request: {request.url}"))
    page.goto(f"{path.as_uri()}{place}")
    yield page
    assert seen == [f"request: {path.as_uri()}"] + [text for text in seen if expected in text]
    context.close()


class Shown(NamedTuple):
    """What the page shows."""

    state: str
    shapes: str  # the moving part of the board
    current: str  # the ply that the list of moves marks
    slider: str
    spoken: str  # the slider's value for readers of the screen


def shown(page: Any) -> Shown:
    return Shown(
        *page.evaluate(
            """() => {
                const slider = document.getElementById('slider');
                return [document.getElementById('state').textContent,
                    document.querySelector('.picture:not([hidden]) .siqi-live').innerHTML,
                    document.querySelector('#moves [aria-current]').dataset.ply,
                    slider.value, slider.getAttribute('aria-valuetext')];
            }"""
        )
    )


def press(page: Any, key: str) -> Shown:
    page.keyboard.press(key)
    return shown(page)


def click(page: Any, place: str) -> Shown:
    page.click(place)
    return shown(page)


def fits(page: Any) -> bool:
    found: bool = page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    return found


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("number", "game"), GAMES)
def test_a_game_by_keys_and_clicks(number: int, game: str, language: str, browser: Any, page_file: Path) -> None:
    with opened(browser, page_file, locale=LANGUAGES[language]) as page:
        assert page.input_value("#language") == language
        page.select_option("#games", str(number - 1))
        page.locator("#title").click()  # the keys are the page's again
        found = [shown(page)]
        for ply in range(1, ENDS[game] + 1):
            found.append(press(page, "ArrowRight"))
            assert found[-1].current == found[-1].slider == str(ply) and found[-1].spoken == found[-1].state
        assert press(page, "ArrowRight") == found[-1]
        assert len({one.shapes for one in found}) == len({one.state for one in found}) == len(found)
        assert press(page, "ArrowLeft") == found[-2]
        assert press(page, "Home") == found[0] and press(page, "End") == found[-1]
        assert click(page, "#moves [data-ply='5']") == found[5]
        assert click(page, "[data-go=next]") == found[6] and click(page, "[data-go=back]") == found[5]
        box = page.locator("#graph").bounding_box()
        page.mouse.click(box["x"] + box["width"] - 9, box["y"] + 20)
        assert shown(page) == found[-1]
        assert click(page, "[data-go=first]") == found[0]
        page.fill("#slider", "4")
        assert shown(page) == found[4]
        assert click(page, "[data-go=flip]").shapes != found[4].shapes
        assert press(page, "f") == found[4]
        assert f"game={number}&ply=4&lang={language}" in page.url


@pytest.mark.parametrize(("number", "game"), GAMES)
def test_a_mistake_and_the_better_line(number: int, game: str, browser: Any, page_file: Path) -> None:
    """Down goes to a mistake; B plays the better line, arrows step through it, Escape goes back to the game."""
    with opened(browser, page_file, f"#game={number}&ply=0&lang=en") as page:
        mistake = press(page, "ArrowDown")
        assert mistake.current != "0"
        assert re.search(
            r"(Inaccuracy|Mistake|Blunder): loses [\d.]+\s% of the chance to win", page.inner_text("#judgement")
        )
        first = press(page, "b")
        assert first.shapes != mistake.shapes and "Engine’s line" in first.state
        buttons = page.locator("#judgement .line:has-text('Better') button")
        assert buttons.first.get_attribute("aria-current") == "true"
        for step in range(1, buttons.count()):
            assert press(page, "ArrowRight").shapes != first.shapes
            assert buttons.nth(step).get_attribute("aria-current") == "true"
        assert press(page, "Escape") == mistake
        buttons.first.click()
        assert shown(page) == first
        assert click(page, "text=Back to the game") == mistake
        assert press(page, "ArrowUp") == mistake  # the first of the game


@pytest.mark.parametrize(("number", "game"), GAMES)
def test_screenshots(number: int, game: str, browser: Any, page_file: Path) -> None:
    """Nothing is wider than the screen; people look at what is kept."""
    folder = ROOT / "build"
    folder.mkdir(exist_ok=True)
    looks: dict[str, dict[str, Any]] = {
        "wide": {"lang": "en", "size": WIDE},
        "narrow": {"lang": "zh", "size": NARROW},
        "dark": {"lang": "zh", "size": WIDE, "color_scheme": "dark"},
    }
    for name, look in looks.items():
        with opened(browser, page_file, f"#game={number}&ply=9&lang={look.pop('lang')}", **look) as page:
            assert fits(page)
            page.screenshot(path=folder / f"review-{game}-{name}.png", full_page=name == "narrow")
            ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert (ground == "rgb(27, 29, 32)") == (name == "dark")


def test_every_control_has_a_name(browser: Any, page_file: Path) -> None:
    with opened(browser, page_file, "#game=4&ply=3&lang=en") as page:
        for role, names in {
            "button": ("First position", "Back", "Next", "Last position", "Mistake before", "Next mistake"),
            "combobox": ("Game", "View", "Language"),
            "slider": ("Move",),
            "checkbox": ("Best move, threats, beliefs",),
        }.items():
            for name in names:
                assert page.get_by_role(role, name=name, exact=True).count() == 1, name
        assert page.locator("#state").get_attribute("aria-live") == "polite"
        named = page.locator(".picture:not([hidden]) svg").get_attribute("aria-label")
        assert named == f"Junqi, {shown(page).state}"
        page.select_option("#language", "zh")
        assert page.get_by_role("button", name="下一处失误").count() == 1
        assert page.evaluate("document.documentElement.lang") == "zh-CN" and "红方" in shown(page).state
        assert not re.search(r"[a-z]{4}", page.inner_text(".bar"))


def test_notations_and_texts_of_a_game(browser: Any, page_file: Path) -> None:
    with opened(browser, page_file, "#game=1&ply=1&lang=en") as page:
        found = []
        for notation in range(4):
            page.select_option("#notation", str(notation))
            found.append(page.inner_text("#moves [data-ply='1']"))
        assert found == ["炮二平五", "炮二平五", "C2.5", "H2-E2"]
        assert "<img src=x onerror=alert(1)> <!-- <script>" in page.inner_text("#judgement .comment")
        assert "Cup </script><b>" in page.inner_text("#title")
        assert page.locator("img, b").count() == 0


def test_views_of_junqi(browser: Any, page_file: Path) -> None:
    with opened(browser, page_file, "#game=4&ply=0&lang=en") as page:
        counts = []
        for view in range(3):
            page.select_option("#view", str(view))
            counts.append([len(re.findall(rf"#siqi-jq-{side}c[a-l]\"", shown(page).shapes)) for side in "rb"])
        red, blue = counts[0]
        assert counts[1] == [red, 0] and counts[2] == [0, blue] and red > 20 and blue > 20
        assert "from what this side can know" in page.inner_text("#summary")


def test_the_board_is_the_position(browser: Any, page_file: Path) -> None:
    """What Chromium draws stands where the library's picture has it."""
    with opened(browser, page_file, "#game=1&ply=18&lang=en") as page:
        board = siqi.Board()
        for ply in range(1, 19):
            board.push_san(page.inner_text(f"#moves [data-ply='{ply}']").split()[0])
        pieces = re.findall(r'<use href="#siqi-xq-t.*?>', siqi.picture(board))
        drawn = re.findall(r'<use href="#siqi-xq-t.*?>', shown(page).shapes)
        assert drawn == [piece.replace("/>", ">") for piece in pieces] and len(pieces) > 20


def test_marks_can_be_hidden(browser: Any, page_file: Path) -> None:
    for number, mark in ((1, "[class$='-arrow']"), (2, "[class*='-threat ']")):
        with opened(browser, page_file, f"#game={number}&ply=10&lang=en") as page:
            mark_shown = page.locator(f".picture:not([hidden]) {mark}")
            assert mark_shown.count() and mark_shown.first.evaluate("one => getComputedStyle(one).display") != "none"
            page.uncheck("#marks")
            assert mark_shown.first.evaluate("one => getComputedStyle(one).display") == "none"


def test_the_page_may_ask_for_nothing(browser: Any, page_file: Path) -> None:
    """Its policy forbids what a text in it might try."""
    with opened(browser, page_file, expected="Content Security Policy") as page:
        blocked = page.evaluate(
            """() => new Promise(done => {
                const found = [];
                document.addEventListener('securitypolicyviolation', event => {
                    found.push(event.effectiveDirective);
                    if (found.length === 3) done(found.sort());
                });
                fetch('data:,x').catch(() => {});
                document.body.append(Object.assign(new Image(), {src: 'data:image/gif;base64,AA'}));
                document.body.append(Object.assign(document.createElement('script'), {textContent: '1'}));
            })"""
        )
        assert blocked == ["connect-src", "img-src", "script-src-elem"]
