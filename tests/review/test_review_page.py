"""The page of `siqi review` in a headless Chromium: every game by keys and clicks, in both languages, wide and narrow.

By default each test of a whole game runs with one game, each with a different one; with `-m long` all run with all.

No test may see a console message, an error or a request. Screenshots of each game are kept as `build/review-*.png`.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from board_browser import fits
from fixture_files import ROOT
from review_games import XIANGQI, write_games

import siqi
from siqi.daemon.command_line import run

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="not installed: chromium (Debian: chromium)")

WIDE, NARROW = {"width": 1280, "height": 860}, {"width": 390, "height": 844}
LANGUAGES = {"en": "en-GB", "zh": "zh-CN"}
ENDS = {"xiangqi": 18, "connect6": 12, "ewn": 17, "junqi": 18}
"""The number of moves of each game."""


def games(*usual: str) -> Any:
    """Return a decorator that runs a test with each game, by default with the games `usual` alone."""
    marks = {game: () if game in usual else pytest.mark.long for game in ENDS}
    parameters = [pytest.param(number, game, marks=marks[game], id=game) for number, game in enumerate(ENDS, 1)]
    return pytest.mark.parametrize(("number", "game"), parameters)


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
        browser = started.chromium.launch(executable_path=CHROMIUM, args=sandbox)
        browser.new_context().new_page()  # the tab that `opened` keeps
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def endings_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page without names of players: a win by a tablebase, and a game from the start."""
    out = tmp_path_factory.mktemp("page") / "endings.html"
    games = "fen 4ka3/P4C3/9/9/9/9/9/9/9/5K3 w", "startpos moves h2e2 h9g7 h0g2 i9h9 i0h0 b9c7"
    assert run(["review", *games, "-o", str(out), "--depth", "2"]) == 0
    return out


@contextmanager
def opened(
    browser: Any, path: Path, place: str = "", size: Any = WIDE, expected: str = "nothing else", **more: Any
) -> Iterator[Any]:
    """Load the page; afterwards check that there were no messages, no errors and no requests except for the file.

    `expected` is a part of each message that a test causes on purpose. The tab, which costs more than the page, is kept
    for the next test unless there are settings `more` of the browser; loading anew forgets all that was done.
    """
    is_kept = not more
    page = browser.contexts[0].pages[0] if is_kept else browser.new_context(**more).new_page()
    page.set_viewport_size(size)
    page.set_default_timeout(5000)
    seen: list[str] = []
    listeners = {
        "console": lambda message: seen.append(f"console: {message.text}"),
        "pageerror": lambda error: seen.append(f"error: {error}"),
        "request": lambda request: seen.append(f"request: {request.url}"),
    }
    for event, listener in listeners.items():
        page.on(event, listener)
    page.goto(f"{path.as_uri()}{place}")
    try:
        yield page
        assert seen == [f"request: {path.as_uri()}"] + [text for text in seen if expected in text]
    finally:
        if is_kept:
            for event, listener in listeners.items():
                page.remove_listener(event, listener)
            page.goto("about:blank")  # else the next address may differ in its fragment only, and nothing be loaded
        else:
            page.context.close()


def go(page: Any, place: str) -> None:
    """Go to another place of the page, as by a link in it."""
    page.evaluate(
        """(place) => location.hash === place ? null : new Promise((done) => {
            addEventListener('hashchange', done);
            location.hash = place;
        })""",
        place,
    )


class Shown(NamedTuple):
    """The texts that the page shows."""

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
                    document.querySelector('.picture:not([hidden]) .siqi-foreground').innerHTML,
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


@pytest.mark.parametrize("language", LANGUAGES)
@games("ewn")
def test_a_game_by_keys_and_clicks(number: int, game: str, language: str, browser: Any, page_file: Path) -> None:
    with opened(browser, page_file, locale=LANGUAGES[language]) as page:
        assert page.input_value("#language") == language
        page.select_option("#games", str(number - 1))
        page.locator("#title").click()  # the keys are the page's again
        states = [shown(page)]
        for ply in range(1, ENDS[game] + 1):
            states.append(press(page, "ArrowRight"))
            assert states[-1].current == states[-1].slider == str(ply) and states[-1].spoken == states[-1].state
        assert press(page, "ArrowRight") == states[-1]
        assert len({state.shapes for state in states}) == len({state.state for state in states}) == len(states)
        assert press(page, "ArrowLeft") == states[-2]
        assert press(page, "Home") == states[0] and press(page, "End") == states[-1]
        assert click(page, "#moves [data-ply='5']") == states[5]
        assert click(page, "[data-go=next]") == states[6] and click(page, "[data-go=back]") == states[5]
        box = page.locator("#graph").bounding_box()
        page.mouse.click(box["x"] + box["width"] - 9, box["y"] + 20)
        assert shown(page) == states[-1]
        assert click(page, "[data-go=first]") == states[0]
        page.fill("#slider", "4")
        assert shown(page) == states[4]
        assert click(page, "[data-go=flip]").shapes != states[4].shapes
        assert press(page, "f") == states[4]
        assert f"game={number}&ply=4&lang={language}" in page.url


FIRST_SIDES = {
    "xiangqi": ("Red", "红方"),
    "connect6": ("Black", "黑方"),
    "ewn": ("Red", "红方"),
    "junqi": ("Red", "红方"),
}


@pytest.mark.parametrize(
    ("language", "text"), [("en", "{}’s expected result by move, %"), ("zh", "{}逐着期望得分（%）")]
)
@games("connect6")
def test_the_graph_says_whose_results_it_shows(
    number: int, game: str, language: str, text: str, browser: Any, page_file: Path
) -> None:
    with opened(browser, page_file, f"#game={number}&ply=1&lang={language}") as page:
        assert page.inner_text("#graph-title") == text.format(FIRST_SIDES[game][language == "zh"])


@games("connect6")
def test_a_mistake_and_the_better_line(number: int, game: str, browser: Any, page_file: Path) -> None:
    """Down goes to a mistake; B plays the better line, arrows step through it, Escape returns to the game."""
    with opened(browser, page_file, f"#game={number}&ply=0&lang=en") as page:
        mistake = press(page, "ArrowDown")
        assert mistake.current != "0"
        assert re.search(
            r"(Inaccuracy|Mistake|Blunder): loses [\d.]+\s% of the expected result", page.inner_text("#judgement")
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


@games("junqi")
def test_screenshots(number: int, game: str, browser: Any, page_file: Path) -> None:
    """Nothing is wider than the screen; the screenshots are kept for people."""
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


@pytest.mark.long
def test_the_picture_of_the_guide(browser: Any, tmp_path: Path) -> None:
    """A picture for docs/guide/review.md is left in `build/`, to be copied to `docs/images/`."""
    from PIL import Image

    game, out = tmp_path / "game.pgn", tmp_path / "game.html"
    moves = re.sub(r"\{[^}]*\}", "", XIANGQI).split("\n\n")[1]
    game.write_text(f'[Red "Red"]\n[Black "Black"]\n[Result "0-1"]\n\n{moves}', encoding="utf-8")
    assert run(["review", str(game), "-o", str(out), "--nodes", "200000", "--workers", "1"]) == 0
    with opened(browser, out, "#game=1&ply=13&lang=en", size={"width": 1100, "height": 800}) as page:
        assert fits(page) and "Better" in page.inner_text("#judgement")
        picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    (ROOT / "build").mkdir(exist_ok=True)
    picture.quantize(128, dither=Image.Dither.NONE).save(ROOT / "build/review.png", optimize=True)


def test_every_control_has_a_name(browser: Any, page_file: Path) -> None:
    with opened(browser, page_file, "#game=4&ply=3&lang=en") as page:
        for role, names in {
            "button": ("First position", "Back", "Next", "Last position", "Mistake before", "Next mistake"),
            "combobox": ("Game", "View", "Language"),
            "slider": ("Move",),
            "checkbox": ("Best move, beliefs",),
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


def test_the_buttons_of_mistakes_have_words(browser: Any, page_file: Path) -> None:
    with opened(browser, page_file, "#game=1&ply=3&lang=en") as page:
        assert page.locator('[data-go="earlier"]').inner_text().strip() == "Mistake before"
        assert page.locator('[data-go="later"]').inner_text().strip() == "Next mistake"
        assert page.locator("#graph-title").inner_text() == "Red’s expected result by move, %"


def test_a_position_is_copied_and_the_verdicts_are_saved(browser: Any, page_file: Path) -> None:
    data = json.loads(re.findall(r'id="data">(.*?)</script>', page_file.read_text(encoding="utf-8"), re.DOTALL)[0])
    fens = [ply["p"] for ply in data["games"][0]["plies"]]
    place = "#game=1&ply=3&lang=en"
    with opened(browser, page_file, place, expected="blob:", permissions=["clipboard-read", "clipboard-write"]) as page:
        assert page.input_value("#fen") == fens[3]
        press(page, "ArrowRight")
        page.click("#copy")
        page.locator("#copy", has_text="Copied").wait_for()
        assert page.evaluate("navigator.clipboard.readText()") == fens[4]
        with page.expect_download() as saved:
            page.click("#save")
        assert saved.value.suggested_filename.endswith("-siqi.pgn")
        assert Path(saved.value.path()).read_text(encoding="utf-8") == data["games"][0]["pgn"]
        page.select_option("#games", "1")
        assert page.locator("#save").is_hidden() and page.input_value("#fen").endswith(" b 1")


def test_notations_and_texts_of_a_game(browser: Any, page_file: Path) -> None:
    with opened(browser, page_file, "#game=1&ply=1&lang=en") as page:
        actual = []
        for notation in range(4):
            page.select_option("#notation", str(notation))
            actual.append(page.inner_text("#moves [data-ply='1']"))
        assert actual == ["炮二平五", "炮二平五", "C2.5", "H2-E2"]
        assert "<img src=x onerror=alert(1)> <!-- <script>" in page.inner_text("#judgement .comment")
        assert "Cup </script><b>" in page.inner_text("#title")
        assert page.locator("img, b").count() == 0


def margin(page: Any) -> str:
    """Return the characters of the board, without the river's name."""
    codes = page.evaluate(
        """() => [...document.querySelectorAll('.picture:not([hidden]) .siqi-background use')]
            .map(one => one.getAttribute('href').replace('#siqi-', ''))"""
    )
    return re.sub("[楚河漢界]", "", "".join(chr(int(code, 16)) for code in codes if re.fullmatch("[0-9a-f]+", code)))


def test_the_margin_follows_the_notation(browser: Any, page_file: Path) -> None:
    """With Chinese moves the files are counted from the right of each side; the board does not move on the screen."""
    with opened(browser, page_file, "#game=1&ply=1&lang=en") as page:
        actual, boxes = [], []
        for notation in range(4):
            page.select_option("#notation", str(notation))
            actual.append(margin(page))
            boxes.append(page.locator(".picture:not([hidden]) svg").bounding_box())
        coordinates = "abcdefghi0123456789"
        assert actual == ["九八七六五四三二一123456789"] * 2 + [coordinates] * 2
        assert boxes == boxes[:1] * 4
        page.select_option("#notation", "1")
        page.click("[data-go=flip]")
        marks = page.evaluate(
            """() => [...document.querySelectorAll('.picture:not([hidden]) .siqi-background use')]
                .filter(one => /siqi-(4e00|31)$/.test(one.getAttribute('href')))
                .map(one => [one.getBoundingClientRect().x, one.getBoundingClientRect().y])"""
        )
        (red_x, red_y), (black_x, black_y) = marks
        assert red_y < black_y and red_x < black_x  # Red's first file is at the top left
        go(page, "#game=2&ply=1&lang=zh")
        assert margin(page).startswith("abcdefghijklmnopqrs")


def test_a_set_up_position_is_no_opening(browser: Any, endings_file: Path) -> None:
    with opened(browser, endings_file) as page:
        for number, words in ((1, {"en": "Set-up position", "zh": "初始局面"}), (2, {"en": "Start", "zh": "开局"})):
            for language, word in words.items():
                go(page, f"#game={number}&ply=0&lang={language}")
                assert shown(page).state.split(" · ")[0] == word
                assert page.inner_text("#judgement h2") == page.inner_text("#moves .start") == word


def test_the_whole_line_of_a_tablebase(browser: Any, endings_file: Path) -> None:
    """A tablebase's line is counted in moves of the winner, and can be played on the board to its end."""
    with opened(browser, endings_file, "#game=1&ply=0&lang=zh") as page:
        text = page.inner_text("#judgement")
        assert "残局库：红方 13 回合内胜" in text and "半" not in text
        page.select_option("#language", "en")
        assert "Tablebase: Red wins in 13 moves" in page.inner_text("#judgement")
        buttons = page.locator("#judgement .line button")
        assert buttons.count() == 25
        page.locator("#title").click()
        press(page, "b")
        states = {press(page, "ArrowRight").shapes for _ in range(24)}
        assert len(states) == 24 and buttons.nth(24).get_attribute("aria-current") == "true"


def test_chinese_titles_have_no_english(browser: Any, endings_file: Path) -> None:
    with opened(browser, endings_file) as page:
        for number in (1, 2):
            go(page, f"#game={number}&ply=0&lang=zh")
            for text in (
                page.title(),
                page.inner_text("#title"),
                page.inner_text("#tables"),
                page.inner_text("#games"),
            ):
                assert not re.search("[A-Za-z]", text) and "红方" in text
            assert not re.search("[a-z]{3}", page.inner_text(".board"))
        go(page, "#game=1&ply=0&lang=en")
        assert page.title() == page.inner_text("#title") == "Xiangqi: Red – Black"


CHANCE = ["luck", "skill", "throw", "运气", "技术"]
HIDDEN = ["view", "referee", "belie", "视角", "推测"]
FOREIGN = {
    "xiangqi": [*CHANCE, *HIDDEN, "threat", "set-up", "威胁", "布阵"],
    "connect6": [*CHANCE, *HIDDEN, "tablebase", "set-up", "残局库", "布阵"],
    "ewn": [*HIDDEN, "threat", "opening book", "威胁", "开局库"],
    "junqi": [*CHANCE, "tablebase", "threat", "opening book", "残局库", "威胁", "开局库"],
}
"""Names of parts that a game does not have."""


@games("xiangqi")
def test_parts_that_a_game_has_not_have_no_names(number: int, game: str, browser: Any, page_file: Path) -> None:
    with opened(browser, page_file) as page:
        for language in LANGUAGES:
            for ply in (0, 1, 5, ENDS[game]):
                go(page, f"#game={number}&ply={ply}&lang={language}")
                text = page.inner_text("header") + page.inner_text("main")
                assert not [word for word in FOREIGN[game] if word in text.lower()]


def test_openings_and_books(browser: Any, endings_file: Path) -> None:
    with opened(browser, endings_file, "#game=2&ply=1&lang=en") as page:
        assert "Opening: Central Cannon vs Screen Horses" in page.inner_text("#summary")
        assert "In the opening book up to move 3" in page.inner_text("#summary")
        rows = page.locator(".book tbody tr").all_inner_texts()
        assert re.fullmatch(r"马８进７\s+[\d,]{5,}\s+\d\d\s%", rows[0]) and len(rows) > 2
        assert page.locator(".book .played").inner_text() == rows[0]
        assert "Score of Black" in page.inner_text(".book")
        page.keyboard.press("ArrowRight")
        rule = page.inner_text("#judgement .rule")
        assert re.match(
            r"Rule: \d\d\s% of [\d,]{5,} (games|positions of this kind) answer 马８进７; intent: develop", rule
        )
        page.select_option("#language", "zh")
        assert "应以 马８进７；意图：出子" in page.inner_text("#judgement .rule")
        page.keyboard.press("ArrowLeft")
        assert "开局：中炮对屏风马 · 至第 3 回合仍在开局库中" in page.inner_text("#summary")
        assert "黑方得分率" in page.inner_text(".book")


def test_shallow_searches_are_said_to_be_so(browser: Any, endings_file: Path) -> None:
    with opened(browser, endings_file, "#game=2&ply=0&lang=en") as page:
        assert re.match(r"Shallow searches \(median depth 2\).*--movetime 2000", page.inner_text("#summary .doubt"))
        page.select_option("#language", "zh")
        assert "搜索较浅" in page.inner_text("#summary .doubt")
        assert page.evaluate("document.querySelectorAll('#summary .doubt').length") == 1
        go(page, "#game=1&ply=0&lang=en")
        assert page.locator(".doubt").count() == 0  # its value is proven


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_the_players_come_first_with_links_to_their_games(size: Any, browser: Any, page_file: Path) -> None:
    with opened(browser, page_file, "#game=1&ply=3&lang=en", size=size) as page:
        assert page.locator("#overview").bounding_box()["y"] < page.locator("main").bounding_box()["y"]
        heads = page.locator("#tables thead th").all_inner_texts()
        assert heads == ["Player", "Games", "Score", "Mean loss", "Blunders", "Mistakes"]
        rows = [row.split("\t") for row in page.locator("#tables tbody tr").all_inner_texts()]
        assert rows[0][:3] == ["许 (Xiangqi)", "1", "1 / 1"] and len(rows) == 8
        assert page.locator("#tables a").count() == 4
        page.locator("#tables a").nth(1).click()
        page.locator("#moves [aria-current][data-ply='0']").wait_for()
        assert shown(page).current == "0" and page.input_value("#games") == "1" and "game=2" in page.url
        assert page.locator("#tables a[aria-current]").inner_text() == page.locator("#tables a").nth(1).inner_text()
        assert fits(page)
        page.click("#overview-title")
        assert not page.locator("#tables").is_visible()


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_column_is_lost_on_a_small_telephone(language: str, browser: Any, page_file: Path) -> None:
    """All cells are within the tables and hold their texts; players' names have some width."""
    size = {"width": 360, "height": 740}
    with opened(browser, page_file, f"#game=1&ply=0&lang={language}", size=size) as page:
        assert fits(page)
        lost = page.evaluate(
            """[...document.querySelectorAll("#tables th, #tables td, #summary th, #summary td")].filter((cell) => {
              const right = cell.closest("section, details").getBoundingClientRect().right;
              return cell.getBoundingClientRect().right > right || cell.scrollWidth > cell.clientWidth;
            }).map((cell) => cell.textContent)"""
        )
        assert lost == []
        assert page.locator("#tables tbody th").first.bounding_box()["width"] > 100


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
    """Chromium draws everything where the library's picture has it."""
    with opened(browser, page_file, "#game=1&ply=18&lang=en") as page:
        board = siqi.Board()
        for ply in range(1, 19):
            board.push_san(page.inner_text(f"#moves [data-ply='{ply}']").split()[0])
        pieces = re.findall(r'<use href="#siqi-xq-t.*?>', siqi.picture(board))
        drawn = re.findall(r'<use href="#siqi-xq-t.*?>', shown(page).shapes)
        assert drawn == [piece.replace("/>", ">") for piece in pieces] and len(pieces) > 20


def test_marks_can_be_hidden(browser: Any, page_file: Path) -> None:
    with opened(browser, page_file) as page:
        for number, mark in ((1, "[class$='-arrow']"), (2, "[class*='-threat ']")):
            go(page, f"#game={number}&ply=10&lang=en")
            page.check("#marks")
            mark_shown = page.locator(f".picture:not([hidden]) {mark}")
            assert mark_shown.count() and mark_shown.first.evaluate("one => getComputedStyle(one).display") != "none"
            page.uncheck("#marks")
            assert mark_shown.first.evaluate("one => getComputedStyle(one).display") == "none"


def test_the_page_may_ask_for_nothing(browser: Any, page_file: Path) -> None:
    """The page's policy forbids all requests that a text in it might attempt."""
    with opened(browser, page_file, expected="Content Security Policy") as page:
        blocked = page.evaluate(
            """() => new Promise(done => {
                const directives = [];
                document.addEventListener('securitypolicyviolation', event => {
                    directives.push(event.effectiveDirective);
                    if (directives.length === 3) done(directives.sort());
                });
                fetch('data:,x').catch(() => {});
                document.body.append(Object.assign(new Image(), {src: 'data:image/gif;base64,AA'}));
                document.body.append(Object.assign(document.createElement('script'), {textContent: '1'}));
            })"""
        )
        assert blocked == ["connect-src", "img-src", "script-src-elem"]


LEFT_OF = """(words) => {
    const walker = document.createTreeWalker(document.querySelector(words.shift()), NodeFilter.SHOW_TEXT);
    const places = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode())
        for (const word of words) {
            const at = node.data.indexOf(word), range = document.createRange();
            if (at < 0) continue;
            range.setStart(node, at);
            range.setEnd(node, at + word.length);
            places.push([word, range.getBoundingClientRect().left]);
        }
    return places.sort((a, b) => a[1] - b[1]).map((each) => each[0]);
}"""
"""Return words of an element from left to right, as they are displayed."""


def test_a_name_that_turns_the_line_round_turns_itself_alone(browser: Any, tmp_path: Path) -> None:
    (tmp_path / "a.pgn").write_text(
        '[Red "\u202eANNA"]\n[Black "\u2069\u2067BERT"]\n[Event "\u202b\u2066CUP"]\n[Date "1999"]\n\n1. C2.5 *\n',
        "utf-8",
    )
    out = tmp_path / "a.html"
    assert run(["review", str(tmp_path / "a.pgn"), "-o", str(out), "--depth", "1"]) == 0
    with opened(browser, out, "#lang=en") as page:
        assert page.evaluate(LEFT_OF, ["#title", "Xiangqi", "ANNA", "BERT", "CUP", "1999"]) == [
            *("Xiangqi", "ANNA", "BERT", "CUP", "1999")
        ]


def test_a_replay_s_words_neither_swallow_the_page_nor_turn_it_round(browser: Any, tmp_path: Path) -> None:
    board = siqi.Board()
    for word in ("h2e2", "h9g7", "h0g2"):
        board.push_uci(word)
    html = siqi.replay(board, words=["<!--<script>", "\u202eTURN", "</script><img src=x>"]).html
    out = tmp_path / "replay.html"
    out.write_text(f"<!doctype html><meta charset=utf-8>{html}<p id=after>after</p>", encoding="utf-8")
    with opened(browser, out) as page:
        assert page.inner_text("#after") == "after" and page.locator("img").count() == 0
        page.click("[data-go=first]")
        page.click("[data-go=next]")
        assert page.inner_text("output").startswith("1. <!--<script> - Xiangqi")
        page.click("[data-go=next]")
        assert page.evaluate(LEFT_OF, ["output", "2", "TURN", "Xiangqi", "to move"]) == [
            "2",
            "TURN",
            "Xiangqi",
            "to move",
        ]
        assert page.evaluate(LEFT_OF, [".siqi-moves", "TURN", "</script>"]) == ["TURN", "</script>"]
