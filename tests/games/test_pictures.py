"""Pictures: they need no other file, every position has one, and each piece and mark is in its place."""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import siqi
from siqi.games import registry
from siqi.games.kernel.cache import WITHOUT_KERNELS
from siqi.games.pictures.drawing import Design, Drawing
from siqi.games.pictures.grid import Grid
from siqi.games.pictures.outlines import outline
from siqi.games.pictures.replay import page
from siqi.games.pictures.style import Arrow, PictureStyle, picture_style
from siqi.games.pictures.terminal import Cell, TerminalStyle, painted, rows
from siqi.games.shape import BoardShape
from siqi.games.xiangqi.library import pgn
from siqi.system.columns import width_of

SPACE = "{http://www.w3.org/2000/svg}"
SETUP = "diahcbgkkfiecfigjhedjljhg"
MAX_BYTES = 25_600

STARTS = {
    "xiangqi": [],
    "connect6": [],
    "ewn": ["123456", "615243"],
    "junqi": [SETUP, SETUP],
}


@pytest.mark.parametrize("game", registry.NAMES)
@pytest.mark.parametrize("shown", (PictureStyle(), PictureStyle(flipped=True), PictureStyle(coordinates=False)))
def test_centres_are_where_rings_are_drawn(game: str, shown: PictureStyle) -> None:
    maker, shape = registry.picture_maker(game), registry.info(game).shape
    centres = maker.grid_of(shown).centres()
    assert len(centres) == len(shape.columns) * len(shape.rows)
    assert list(centres) == sorted(centres, key=lambda point: centres[point][::-1])
    position = registry.load(game).position(None)
    for point in [*centres][:: max(len(centres) // 7, 1)]:
        drawing = maker.draw(position, shown._replace(squares=(point,)))
        (ring,) = [ElementTree.fromstring(part) for part in drawing.foreground if 'class="ring"' in part]
        if ring.tag == "circle":
            centre = float(ring.get("cx", 0)), float(ring.get("cy", 0))
        else:
            sides = ("x", "width"), ("y", "height")
            centre = tuple(float(ring.get(start, 0)) + float(ring.get(size, 0)) / 2 for start, size in sides)
        assert centre == pytest.approx(centres[point], abs=0.1)
        assert 0 < centres[point][0] < drawing.width and 0 < centres[point][1] < drawing.height


def random_game(name: str, seed: int, plies: int, setups: list[str] | None = None) -> Iterator[Any]:
    """Yield the positions of a random game, of the contract's type, beginning before the set-ups."""
    rng = random.Random(seed)
    position = registry.load(name).position(None)
    yield position
    for word in STARTS[name] if setups is None else setups:
        position.push(position.parse_move(word))
        yield position
    for _ in range(plies):
        if position.outcome() is not None or not position.count_legal():
            return
        if name == "ewn":
            position.set_dice(rng.randint(1, 6))
        text = position.move_text(rng.choice(position.legal_moves()))
        for word in (text, *(f"{text}={code}" for code in (1, 0, 2))):  # a view of Junqi needs a battle's result
            try:
                position.push(position.parse_move(word))
            except ValueError:
                continue
            break
        else:
            return
        yield position


def drawn(position: Any, name: str, shown: PictureStyle = PictureStyle(), **more: Any) -> ElementTree.Element:  # noqa: B008
    """Return the picture's root; check that it is well formed and needs no other file."""
    text = registry.picture_maker(name).draw(position, shown, **more).svg()
    root = ElementTree.fromstring(text)
    kept = {element.get("id") for element in root.iter()} - {None}
    assert not {element.tag for element in root.iter()} & {f"{SPACE}{tag}" for tag in ("text", "image", "script")}
    assert "font" not in text and "@import" not in text
    assert text.count("http") == 1  # the name space
    for reference in re.findall(r'href="(.*?)"|url\((.*?)\)', text):
        assert "".join(reference).removeprefix("#") in kept
    assert root.get("role") == "img" and root[0].tag == f"{SPACE}title" and root[0].text
    assert root[1].tag == f"{SPACE}desc" and root[1].text == position.fen()
    assert all(name.startswith("siqi-") for element in root.iter() for name in (element.get("class") or "").split())
    assert all((element.get("id") or "siqi-").startswith("siqi-") for element in root.iter())
    return root


def placed(root: ElementTree.Element) -> dict[tuple[float, float], str]:
    """Return the pieces by place: shapes that are used directly below the root."""
    return {
        (float(use.get("x", "0")), float(use.get("y", "0"))): use.get("href", "")
        for use in root
        if use.tag == f"{SPACE}use" and use.get("class") is None
    }


@pytest.mark.parametrize("name", STARTS)
@pytest.mark.parametrize("flipped", [False, True])
def test_every_position_has_a_picture(name: str, flipped: bool) -> None:
    """A picture has the board's pieces, in the board's order from the left and from the top."""
    seen = 0
    for position in random_game(name, 3, 40):
        pieces = position.pieces()
        actual = placed(drawn(position, name, PictureStyle(flipped=flipped)))
        assert len(actual) == len(pieces)
        seen += len(pieces)
        shape = registry.info(name).shape
        across: dict[int, set[float]] = {}
        down: dict[int, set[float]] = {}
        letters: dict[str, set[str]] = {}
        spots = sorted(actual, key=lambda spot: (spot[1], spot[0]))
        points = {point: shape.points(point)[0] for point in pieces}
        ordered = sorted(points, key=lambda point: (-points[point][1], points[point][0]), reverse=flipped)
        for point, (x, y) in zip(ordered, spots, strict=True):
            across.setdefault(points[point][0], set()).add(x)
            down.setdefault(points[point][1], set()).add(y)
            letters.setdefault(pieces[point], set()).add(actual[x, y])
        assert all(len(places) == 1 for places in [*across.values(), *down.values(), *letters.values()])
        columns = [x for _, (x,) in sorted(across.items())]
        assert columns == sorted(columns, reverse=flipped)
        assert len({shape for (shape,) in letters.values()}) == len(letters)
    assert seen > 100


@pytest.mark.parametrize("name", STARTS)
def test_plain_boards_are_small(name: str) -> None:
    sizes = [len(registry.picture_maker(name).draw(position).svg()) for position in random_game(name, 5, 30)]
    assert max(sizes) < MAX_BYTES and len(sizes) > 10


@pytest.mark.parametrize("name", STARTS)
def test_themes_and_colours(name: str) -> None:
    *_, position = random_game(name, 7, 6)
    maker = registry.picture_maker(name)
    auto, light, dark = (maker.draw(position, picture_style(theme=theme)).svg() for theme in ("auto", "light", "dark"))
    assert "prefers-color-scheme:dark" in auto and "var(--siqi-board," in auto
    assert "var(" not in light + dark and "@media" not in light + dark
    ids = [set(re.findall(r'id="(siqi-[a-z].*?-[a-z].*?)"', text)) for text in (auto, light, dark)]
    assert all(ids) and not ids[0] & ids[1] and not ids[1] & ids[2]  # on one page each keeps its colours
    own = maker.draw(position, picture_style(colors={"board": "rgb(1, 2, 3)"})).svg()
    assert 'style="--siqi-board:rgb(1, 2, 3)"' in own
    assert "board{fill:#010203}" in maker.draw(position, picture_style(theme="dark", colors={"board": "#010203"})).svg()
    with pytest.raises(ValueError, match="unknown colour 'sky'"):
        maker.draw(position, picture_style(colors={"sky": "#fff"}))


def test_equal_ids_have_equal_shapes() -> None:
    """Shapes with equal ids are equal, since pictures on one page share ids."""
    kept: dict[str, str] = {}
    for name in siqi.GAMES:
        *_, position = random_game(name, 9, 8)
        maker = registry.picture_maker(name)
        for faces in maker.FACES or (None,):
            more = {} if faces is None else {"faces": faces}
            for shown in (
                picture_style(),
                picture_style(theme="dark"),
                picture_style(theme="dark", colors={"board": "#123456"}),
            ):
                for key, shape in maker.draw(position, shown, **more).defs.items():
                    assert kept.setdefault(key, shape) == shape
    for words in ([SETUP, SETUP], [SETUP, "?"]):  # pieces and beliefs about them
        *_, position = random_game("junqi", 9, 4, words)
        drawing = registry.picture_maker("junqi").draw(position, picture_style(), beliefs="?" in words)
        for key, shape in drawing.defs.items():
            assert kept.setdefault(key, shape) == shape
    assert len(kept) > 100


@pytest.mark.parametrize("name", STARTS)
def test_a_picture_without_its_board_has_the_same_moving_part(name: str) -> None:
    *_, position = random_game(name, 9, 8)
    draw = registry.picture_maker(name).draw
    whole, bare = draw(position), draw(position, PictureStyle(background=False))
    assert bare.foreground == whole.foreground and whole.background and not bare.background
    assert bare.defs.items() <= whole.defs.items()


@pytest.mark.parametrize(
    "call",
    [lambda: picture_style(theme="blue"), lambda: picture_style(size=0), lambda: picture_style(fill={"a1": "x;y"})],
)
def test_looks_that_are_refused(call: Any) -> None:
    with pytest.raises(ValueError, match=r"theme|size|colour"):
        call()


@pytest.mark.parametrize("name", STARTS)
def test_points_off_the_board(name: str) -> None:
    *_, position = random_game(name, 1, 0)
    maker = registry.picture_maker(name)
    for shown in (
        picture_style(squares=["z9"]),
        picture_style(fill={"a1a2": "red"}),
        picture_style(arrows=[("a1", "b77")]),
        picture_style(lastmove=["?"]),
    ):
        with pytest.raises(ValueError, match="point"):
            maker.draw(position, shown)


# Marks


@pytest.mark.parametrize("name", STARTS)
def test_marks_of_the_last_move(name: str) -> None:
    count, classes = {"xiangqi": (2, "last"), "connect6": (2, "dot"), "ewn": (2, "moved"), "junqi": (2, "last")}[name]
    *_, position = random_game(name, 11, 5)

    def marks(shown: PictureStyle) -> int:
        return sum((e.get("class") or "").endswith(f"-{classes}") for e in drawn(position, name, shown).iter())

    assert marks(picture_style()) == count and marks(picture_style(lastmove=())) == 0
    points = list(position.pieces())[:3]
    assert marks(picture_style(lastmove=points)) == 3
    rings = [
        e
        for e in drawn(position, name, picture_style(squares=points)).iter()
        if (e.get("class") or "").endswith("-ring")
    ]
    assert len(rings) == 3


@pytest.mark.parametrize("is_round", [True, False])
@pytest.mark.parametrize("flipped", [True, False])
def test_arrows_end_short_of_their_target(is_round: bool, flipped: bool) -> None:
    """No corner of an arrow lies within the piece on its target, and its tip is the corner nearest to it."""
    shape = BoardShape(tuple("abcde"), tuple("12345"))
    grid = Grid(shape, 30, 30, (60, 42), (25, 25 if is_round else 14), is_round, 20, flipped)
    points = [shape.point_text(c, r) for c in range(5) for r in range(5)]
    for tail in points:
        for head in points:
            if tail == head:
                assert grid.arrow(tail, head, True) == ""
                continue
            corners = [tuple(map(float, pair.split(","))) for pair in grid.arrow(tail, head, True).split()]
            x, y = grid.place(head)
            tip = min(corners, key=lambda corner: math.dist(corner, (x, y)))
            assert corners.index(tip) == 3
            if is_round:
                assert math.dist(tip, (x, y)) > 25
            else:
                assert abs(tip[0] - x) > 25 or abs(tip[1] - y) > 14
            empty = [tuple(map(float, pair.split(","))) for pair in grid.arrow(tail, head, False).split()]
            assert 2 < math.dist(empty[3], (x, y)) < 8


def test_arrows_and_fills_are_below_the_pieces() -> None:
    *_, position = random_game("xiangqi", 2, 0)
    shown = picture_style(arrows=[("h2", "e2"), Arrow("b9", "c7", "square")], fill={"e3": "gold"}, squares=["e3"])
    order = [(e.get("class") or e.tag).split("-")[-1] for e in drawn(position, "xiangqi", shown)]
    pieces = [i for i, name in enumerate(order) if name == f"{SPACE}use"]
    assert max(order.index("fill"), *(i for i, name in enumerate(order) if name == "arrow")) < pieces[0]
    assert order.count("arrow") == 2 and order.index("ring") > pieces[-1]


# Each game's own


def test_faces_of_xiangqi() -> None:
    *_, position = random_game("xiangqi", 2, 0)
    for faces, character in (("traditional", "帥"), ("simplified", "帅"), ("letters", "K")):
        text = registry.picture_maker("xiangqi").draw(position, PictureStyle(), faces=faces).svg()
        assert outline(character).path in text
    with pytest.raises(ValueError, match="unknown faces"):
        registry.picture_maker("xiangqi").draw(position, PictureStyle(), faces="smileys")


def test_checks_are_drawn_on_the_king() -> None:
    position = registry.load("xiangqi").position("3k5/9/9/3R5/9/9/9/9/9/4K4 b - - 0 1")
    (circle,) = [e for e in drawn(position, "xiangqi").iter() if e.get("class") == "siqi-xq-check"]
    kings = [place for place, href in placed(drawn(position, "xiangqi")).items() if href.endswith("kk")]
    assert [(float(circle.get("cx", "")), float(circle.get("cy", "")))] == kings


def test_extras_of_connect6() -> None:
    position = registry.load("connect6").position(None)
    for word in ["j10", "a1a19", "j9j11", "s1s19", "j8k15"]:
        position.push(position.parse_move(word))
    root = drawn(position, "connect6", numbers=True, threats=True, heat=True)
    classes = [element.get("class") or "" for element in root.iter()]
    assert classes.count("siqi-c6-threat siqi-c6-first") == 1 and "siqi-c6-threat siqi-c6-second" not in classes
    (threat,) = [e.get("d", "") for e in root.iter() if "threat" in (e.get("class") or "")]
    assert threat.count("M") == 3  # j6-j11, j7-j12 and j8-j13 hold four black stones and no white one
    numbers = [e for e in root.iter() if (e.get("class") or "").startswith("siqi-c6-on")]
    assert [len(group) for group in numbers] == [5, 4]
    assert 2 <= classes.count("siqi-c6-heat") <= 6
    values = siqi.picture(siqi.position("connect6"), heat={"a1": 1.0, "b1": 0.5})
    assert values.count("siqi-c6-heat{") == 1 and values.count('class="siqi-c6-heat"') == 2


def test_the_heat_is_highest_where_a_stone_makes_most() -> None:
    from siqi.games.connect6.evaluation.choice import choose
    from siqi.games.connect6.picture import worths

    position = registry.load("connect6").position(None)
    for word in ["j10", "a1a19", "j9j11"]:
        position.push(position.parse_move(word))
    values = worths(position)
    assert len(values) == 361 - 5 and 0.99 < sum(worth**2 for worth in values.values()) < 1.01
    assert max(values, key=lambda point: values[point])[0] == "j"
    by_roads = choose("roads").worths(position.record)
    assert len(by_roads) == 361 - 5 and by_roads[18 * 19 + 9] == min(by_roads.values())
    assert max(by_roads, key=lambda point: by_roads[point]) // 19 == 9


def test_the_die_and_the_chances_of_ewn() -> None:
    *_, position = random_game("ewn", 4, 0)
    for throw in range(7):
        position.set_dice(throw)
        root = drawn(position, "ewn")
        pips = [e for e in root.iter() if e.tag == f"{SPACE}circle"]
        assert len(pips) == throw
    chances = {throw: throw / 8 for throw in range(1, 7)}
    root = drawn(position, "ewn", chances=chances)
    bars = [float(e.get("width", "")) for e in root.iter() if e.get("height") == "7" and "red" in e.get("class", "")]
    assert bars == sorted(bars) and len(bars) == 6 and math.isclose(bars[5], 2 * bars[2], rel_tol=0.01)
    for wrong in ({7: 0.5}, {1: 1.5}, {0: 0.1}):
        with pytest.raises(ValueError, match="chances"):
            drawn(position, "ewn", chances=wrong)


def test_beliefs_of_junqi() -> None:
    """A view shows backs, and with beliefs the likeliest type of each; certain types need no belief."""
    *_, position = random_game("junqi", 6, 30, [SETUP, "?"])
    hidden = [point for point, letter in position.pieces().items() if letter == "x"]
    hrefs = list(placed(drawn(position, "junqi")).values())
    assert hidden and hrefs.count("#siqi-jq-bcx") == len(hidden)
    believed = position.beliefs()
    assert set(hidden) <= set(believed) and all(
        math.isclose(sum(row.values()), 1, rel_tol=1e-6) for row in believed.values()
    )
    root = drawn(position, "junqi", beliefs=True)
    shades = [e for e in root if e.get("class") == "siqi-jq-face siqi-jq-belief"]
    assert len(shades) == len(hidden)
    picture = drawn(position, "junqi", beliefs={hidden[0]: {"a": 0.75, "b": 0.25}})
    (shade,) = [e for e in picture if e.get("class") == "siqi-jq-face siqi-jq-belief"]
    assert [float(bar.get("width", "")) for bar in shade if bar.tag == f"{SPACE}rect"] == [33]
    for wrong in ({"q": 1.0}, {"a": 1.2}):
        with pytest.raises(ValueError, match="beliefs"):
            drawn(position, "junqi", beliefs={hidden[0]: wrong})
    full = registry.load("junqi").position(None)
    for word in (SETUP, SETUP):
        full.push(full.parse_move(word))
    assert full.beliefs() == {}


# The library and its games


def test_pictures_of_the_library() -> None:
    for name in siqi.GAMES:
        position = siqi.position(name)
        root = ElementTree.fromstring(position._repr_svg_())
        assert root.tag == f"{SPACE}svg" and repr(position)
        inner = registry.load(name).position(None)
        assert repr(inner) == f"<{type(inner).__name__} {inner.fen()}>"
        assert 'width="90"' in siqi.picture(position, size=90)
    with pytest.raises(TypeError, match="numbers"):
        siqi.picture(siqi.position("ewn"), numbers=True)
    ElementTree.fromstring(siqi.Board.empty()._repr_svg_())


def frames_of(html: str) -> dict[str, Any]:
    match = re.search(r'<script type="application/json">(.*?)</script>', html, re.DOTALL)
    assert match
    frames: dict[str, Any] = json.loads(match[1])
    return frames


def labels_of(svg: str) -> str:
    """Return the characters on the margin of a picture."""
    group = next(
        shape for shape in re.findall(r"<g transform=[^>]*>.*?</g>", svg) if "labels" in shape or "numerals" in shape
    )
    return "".join(chr(int(code, 16)) for code in re.findall(r'href="#siqi-([0-9a-f]+)"', group))


def test_numerals_of_files_stand_on_the_margin() -> None:
    """Numerals count each side's files from its right; coordinates are unchanged."""
    numerals, coordinates = "九八七六五四三二一123456789", "abcdefghi0123456789"
    board = siqi.Board()
    for flipped in (False, True):
        plain, chinese = (siqi.picture(board, flipped=flipped, numerals=is_on) for is_on in (False, True))
        assert labels_of(plain) == coordinates and labels_of(chinese) == numerals
        sizes = [re.search(r'viewBox="(\S+) (\S+) (\S+) (\S+)"', svg) for svg in (plain, chinese)]
        assert sizes[0] is not None and sizes[1] is not None and sizes[0].groups()[2:] == sizes[1].groups()[2:]
        places = [re.findall(r'<use href="#siqi-xq-t[^>]*>', svg) for svg in (plain, chinese)]
        assert places[0] == places[1] and len(places[0]) == 32
    with pytest.raises(StopIteration):
        labels_of(siqi.picture(board, numerals=True, coordinates=False))


def test_a_replay_with_chinese_words_has_their_numerals() -> None:
    board = siqi.Board()
    board.push_uci("h2e2")
    for words, more, expected in (
        (["炮二平五"], {}, "九"), (["C2.5"], {}, "a"), (None, {}, "a"), (["炮二平五"], {"numerals": False}, "a"),
        (None, {"numerals": True}, "九"),
    ):  # fmt: skip
        assert labels_of(siqi.replay(board, words=words, **more).html)[0] == expected
    for notation, expected in (("Chinese", "九"), ("WXF", "a")):
        game = pgn.Game({"Format": notation}, list(board.move_stack))
        assert labels_of(game._repr_html_())[0] == expected


@pytest.mark.parametrize("name", STARTS)
def test_a_replay_has_each_position(name: str) -> None:
    """The frames are those of the pictures of each position, before the first move and after each."""
    position = siqi.position(name)
    for word in STARTS[name]:
        position.push(siqi.Move.from_uci(word) if name == "xiangqi" else word)  # type: ignore[arg-type]
    rng = random.Random(8)
    expected = [position._repr_svg_()]
    for _ in range(8):
        if name == "ewn":
            position.set_dice(rng.randint(1, 6))  # type: ignore[union-attr]
            expected[-1] = position._repr_svg_()
        position.push(rng.choice(list(position.legal_moves)))  # type: ignore[arg-type]
        expected.append(position._repr_svg_())
    html = siqi.replay(position)._repr_html_()
    data = frames_of(html)
    assert len(data["frames"]) == len(data["titles"]) == len(expected)
    for frame, picture in zip(data["frames"], expected, strict=True):
        assert picture.endswith("".join(data["shapes"][number] for number in frame) + "</svg>")
    assert "http" not in html.replace("http://www.w3.org/2000/svg", "")
    svg = html[html.index("<svg") : html.index("</svg>") + 6]
    kept = {element.get("id") for element in ElementTree.fromstring(svg).iter()}
    uses = {use for shape in data["shapes"] for use in re.findall(r'href="#(.*?)"', shape)}
    assert uses and uses <= kept


def test_the_page_of_a_game_is_safe() -> None:
    """Words of the caller cannot end the script or the data."""
    position = siqi.position("xiangqi")
    position.push(siqi.Move.from_uci("h2e2"))
    html = siqi.replay(position, words=["</script><b>"]).html
    assert html.count("</script>") == 2 and "<b>" not in html.split('<script type="application/json">')[0]
    assert frames_of(html)["titles"][1].startswith("1. </script><b>")
    with pytest.raises(ValueError, match="2 words for 1 moves"):
        siqi.replay(position, words=["too", "many"])
    for word in ("<!--<script>", "]]>", "&lt;", "\u2028", "\ud800", "\0", "'\""):
        html = siqi.replay(position, words=[word]).html
        data = html[html.index('<script type="application/json">') + 32 : html.index("</script>")]
        assert not set("<>&\u2028\u2029") & set(data) and json.loads(data)["titles"][1].startswith(f"1. {word}")
        static = html[: html.index("<script")]
        assert "<!--<script" not in static and "\0" not in static and html.encode()


def test_words_that_turn_the_line_round_are_isolated() -> None:
    position = siqi.position("xiangqi")
    position.push(siqi.Move.from_uci("h2e2"))
    html = siqi.replay(position, words=["\u202eab"]).html
    isolated = "\u2068\u202eab\u202c\u2069"
    assert f"1. <bdi>{isolated}</bdi>" in html and frames_of(html)["titles"][1].startswith(f"1. {isolated} - ")
    assert f'<output aria-live="polite">1. {isolated} - ' in html
    drawing = Drawing(Design("t", {}, ""), 10, 10, picture_style(), "\u2067</title>", "\u202e&")
    assert (
        "<title>\u2068\u2067&lt;/title&gt;\u2069\u2069</title><desc>\u2068\u202e&amp;\u202c\u2069</desc>"
        in drawing.svg()
    )


def test_a_game_of_pgn_steps_through_its_moves() -> None:
    from siqi.games.xiangqi.library.pgn import Game

    board = siqi.Board()
    board.push_san("炮二平五")
    game = Game.from_board(board)
    assert "1. 炮二平五" in frames_of(game._repr_html_())["titles"][1]
    game.headers["Format"] = "ICCS"
    assert "1. H2-E2" in frames_of(game._repr_html_())["titles"][1]


def test_drawings_of_a_page_share_their_shapes() -> None:
    *_, position = random_game("xiangqi", 2, 0)
    drawing: Drawing = registry.picture_maker("xiangqi").draw(position)
    assert len(page([drawing] * 50, ["a"] * 49)) < len(drawing.svg()) + 20_000


# The kernels' cache


def test_what_the_cache_leaves_out_has_no_kernels() -> None:
    """No module of pictures and formats defines a kernel, since the hash of the kernels' sources leaves them out."""
    games = Path(registry.__file__).parent
    files = [*games.glob("*/picture.py")]
    files += (path for path in games.rglob("*.py") if path.parent.name in WITHOUT_KERNELS)
    assert len(files) > 30
    for path in files:
        assert "jit" not in path.read_text(encoding="utf-8"), path


# Text


def test_widths_in_a_terminal() -> None:
    assert [width_of(text) for text in ("a", "車", "？", "[1]", "e\u0301")] == [1, 2, 2, 3, 1]


@pytest.mark.parametrize("name", STARTS)
@pytest.mark.parametrize("chinese", [True, False])
@pytest.mark.parametrize("flipped", [True, False])
def test_rows_are_of_one_width(name: str, chinese: bool, flipped: bool) -> None:
    """Every cell begins at the same column of the terminal in each row, with wide characters and without."""
    shape = registry.info(name).shape
    for position in random_game(name, 12, 15):
        lines = list(registry.picture_maker(name).text(position, TerminalStyle(chinese, False, flipped, 80)))
        assert max(map(width_of, lines)) <= 80 and len(lines) == len(shape.rows) + 2
        assert chinese or "".join(lines).isascii()
        width = {width_of(line.rstrip()) for line in lines[: len(shape.rows)]}
        assert max(width) - min(width) <= 3  # blanks and marks at the end


def test_colours_and_marks_of_text() -> None:
    shape = BoardShape(tuple("ab"), tuple("12"))
    cells = {"a1": Cell("帥", "red")}
    plain = list(rows(shape, cells, TerminalStyle(True), marked=["a1", "b2"]))
    assert plain == ["2  .  . <", "1  帥<.", "   a  b"]
    coloured = list(rows(shape, cells, TerminalStyle(True, True), marked=["a1"]))
    assert "\x1b[1;31;7m帥\x1b[0m" in coloured[1] and "<" not in "".join(coloured)
    assert list(rows(shape, {"a1": Cell("x")}, TerminalStyle(flipped=True))) == ["1  . x", "2  . .", "   b a"]
    assert list(rows(shape, {"a1": Cell("x")}, TerminalStyle(columns=4))) == ["2  ..", "1  x.", "   ab"]
    assert painted("x", ["red"], TerminalStyle()) == "x"
