"""Pictures of Xiangqi: SVG and text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from siqi.games.pictures import grid as marks
from siqi.games.pictures.diagram import Diagram
from siqi.games.pictures.drawing import Design, Drawing, shape
from siqi.games.pictures.grid import Grid
from siqi.games.pictures.style import PictureStyle
from siqi.games.pictures.terminal import Cell, TerminalStyle, rows
from siqi.games.xiangqi import INFO
from siqi.games.xiangqi.rules.notation import read_fen, square_text, squares_of

if TYPE_CHECKING:
    from siqi.games.xiangqi.board import XiangqiPosition

STEP = 40
"""SVG units between two lines of the board."""

RADIUS = 18
"""The radius of a piece."""

LETTERS = "".join(INFO.pieces)
CHARACTERS = {
    "traditional": dict(zip(LETTERS, "帥仕相傌俥炮兵將士象馬車砲卒", strict=True)),
    "simplified": dict(zip(LETTERS, "帅仕相马车炮兵将士象马车炮卒", strict=True)),
    "letters": dict(zip(LETTERS, "KAEHRCP" * 2, strict=True)),
}
"""The characters on the pieces, by kind of face and FEN letter."""

EXTRAS: tuple[str, ...] = ()
MARGINS = ("numerals",)
FACES = tuple(CHARACTERS)

NUMERALS = ("九八七六五四三二一", "123456789")
"""The numbers of the files in Chinese moves, from Red's left to right: Red's, and Black's."""

PALETTE = {
    "board": ("#efd3a0", "#4a3a2a"),
    "line": ("#6d4a26", "#b08d5e"),
    "label": ("#6d4a26", "#c9aa7c"),
    "piece": ("#fbf0d9", "#e7d5b0"),
    "rim": ("#a9773f", "#8a6a3e"),
    "red": ("#b3201a", "#a51d17"),
    "black": ("#1d2a2a", "#1b2424"),
    "check": ("#e0402e", "#ff5a45"),
    **marks.PALETTE,
}

DESIGN = Design(
    "xq",
    PALETTE,
    f"""\
{marks.RULES}
.board{{fill:$board}}
.line{{fill:none;stroke:$line;stroke-width:1.2}}
.edge{{fill:none;stroke:$line;stroke-width:2.4}}
.river{{fill:$line;opacity:.55}}
.shade{{opacity:.22}}
.disc{{fill:$piece;stroke:$rim;stroke-width:1}}
.red{{fill:$red;stroke:$red}}
.black{{fill:$black;stroke:$black}}
.inner{{fill:none}}
.check{{fill:$check;opacity:.6}}
.numerals{{fill:$label;stroke:$label;stroke-width:5}}""",
)

_STARTS = [(file, rank) for rank in (2, 7) for file in (1, 7)] + [(f, r) for r in (3, 6) for f in range(0, 9, 2)]
"""(file, rank) where cannons and pawns start, drawn with small corners."""


def draw(
    position: XiangqiPosition,
    style: PictureStyle = PictureStyle(),  # noqa: B008
    *,
    faces: str = "traditional",
    numerals: bool = False,
) -> Drawing:
    """Return the picture of a position; see `draw_pieces`."""
    pieces = position.pieces()
    king = next((point for point, letter in pieces.items() if letter == "Kk"[position.turn]), None)
    last = _last_points(position)
    check_point = king if position.is_check() else None
    title, text = f"Xiangqi, {_state(position)}", position.fen()
    return draw_pieces(pieces, style, title, text, faces=faces, numerals=numerals, last=last, check=check_point)


def grid_of(style: PictureStyle) -> Grid:
    """Return the grid of the picture of a style."""
    margin = STEP * 0.75
    left = margin + (12 if style.coordinates else 0)
    return Grid(INFO.shape, left, margin, (STEP, STEP), (RADIUS, RADIUS), flipped=style.flipped)


def diagram(fen: str) -> Diagram:
    """Return the placement of a FEN, which may be one that the rules cannot play; ValueError if the text is none."""
    letters, turn, _, _ = read_fen(fen)
    return Diagram({square_text(square): letter for square, letter in letters.items()}, turn, fen)


def _last_points(position: XiangqiPosition) -> tuple[str, ...]:
    if not position.ply:
        return ()
    return tuple(map(square_text, squares_of(position.copy().pop())))


def draw_pieces(
    pieces: Mapping[str, str],
    style: PictureStyle,
    title: str = "Xiangqi",
    text: str = "",
    *,
    faces: str = "traditional",
    numerals: bool = False,
    last: tuple[str, ...] = (),
    check: str | None = None,
) -> Drawing:
    """Return the picture of FEN letters by point; ValueError for a point off the board, or unknown faces.

    `numerals`: on the margin stand the numbers of files in Chinese moves, in place of coordinates. `last` are the
    points of the last move, unless `style` has others; `check` is the point of a king in check.
    """
    characters = face_of(faces)
    grid = grid_of(style)
    left, margin = grid.left, grid.top
    width, height = left + margin + 8 * STEP, 2 * margin + 9 * STEP + (12 if style.coordinates else 0)
    drawing = Drawing(DESIGN, width, height, style, title, text)
    if numerals and style.coordinates:
        drawing.corner = (6, -6)  # the space that coordinates need on two sides is divided among all four
    drawing.lay_board(
        _lines(drawing, left, margin),
        lambda: _numerals(drawing, grid) if numerals else marks.labels(drawing, grid, 28, 30, 9),
    )
    foreground = drawing.foreground
    foreground += marks.fills(drawing, grid)
    if check is not None:
        foreground.append(grid.outline(check, 5, "check"))
    foreground += marks.arrows(drawing, grid, pieces)
    placed = sorted(pieces.items())
    keys = {}
    for letter in dict.fromkeys(letter for _, letter in placed):
        name = faces[0] + (letter if letter.isupper() else 2 * letter)
        keys[letter] = drawing.symbol(name, *piece(drawing, letter, characters[letter]))
    foreground += [drawing.use(keys[letter], *grid.place(point)) for point, letter in placed]
    foreground += [grid.brackets(point, 2) for point in (last if style.lastmove is None else style.lastmove)]
    foreground += marks.rings(style, grid)
    return drawing


def are_chinese(words: Iterable[str]) -> bool:
    """True if moves are written with the numbers of files that `numerals` shows."""
    return any(sign in word for word in words for sign in NUMERALS[0])


def _numerals(drawing: Drawing, grid: Grid) -> str:
    """Return the numbers of the files, each side's along its own edge of the board."""
    placed = []
    for row, signs in zip((0, 9), NUMERALS, strict=True):
        aside = 28 if (row == 0) != grid.flipped else -28
        for column, sign in enumerate(signs):
            x, y = grid.at(column, row)
            placed.append((sign, x, y + aside + (0 if sign.isascii() else 0.7)))  # their outlines hang lower
    return drawing.words(placed, 9, class_="numerals")


def face_of(faces: str) -> Mapping[str, str]:
    """Return the characters of a kind of faces by FEN letter; ValueError if there is no such kind."""
    if faces not in CHARACTERS:
        raise ValueError(f"unknown faces {faces!r}; one of {', '.join(CHARACTERS)}")
    return CHARACTERS[faces]


def piece(drawing: Drawing, letter: str, character: str) -> Iterator[str]:
    """Yield the shapes of a piece around (0, 0)."""
    colour = "red" if letter.isupper() else "black"
    yield shape("circle", class_="shade", cx=1, cy=1.8, r=RADIUS)
    yield shape("circle", class_="disc", r=RADIUS)
    yield f'<g class="{colour}">{shape("circle", class_="inner", r=RADIUS - 2.6)}'
    yield drawing.face(character, 23 if character.isascii() else 25, stroke_width=4) + "</g>"


def _lines(drawing: Drawing, left: float, top: float) -> Iterator[str]:
    """Yield ranks, files broken at the river, its name, palaces, and corners around the points where pieces start."""
    paths = [f"M0 {rank}h8" for rank in range(10)]
    paths += [f"M{file} {start}v4" for file in range(1, 8) for start in (0, 5)]
    paths += ["M0 0v9M8 0v9"]
    paths += [f"M3 {start}l2 2m-2 0l2-2" for start in (0, 7)]
    for file, rank in _STARTS:
        for right in (1, -1):
            for down in (1, -1):
                x, y = file + right * 0.1, rank + down * 0.1
                if 0 < x < 8:
                    paths.append(f"M{x:g} {y + down * 0.2:g}v{-down * 0.2:g}h{right * 0.2:g}")
    place = f"translate({left:g} {top:g}) scale({STEP})"
    yield shape("path", class_="line", transform=place, d="".join(paths), style=f"stroke-width:{1.2 / STEP:g}")
    yield shape("rect", class_="edge", x=left - 4, y=top - 4, width=8 * STEP + 8, height=9 * STEP + 8)
    yield _river(drawing, left, top)


def _river(drawing: Drawing, left: float, top: float) -> str:
    """Return the river's name across its middle."""
    parts = []
    for character, file in zip("楚河漢界", (1.4, 2.6, 5.4, 6.6), strict=True):
        place = f"translate({left + file * STEP:g} {top + 4.5 * STEP:g})"
        parts.append(f'<g transform="{place}">{drawing.face(character, 24)}</g>')
    return f'<g class="river">{"".join(parts)}</g>'


def text(position: XiangqiPosition, style: TerminalStyle) -> Iterator[str]:
    """Yield the lines of a board for a terminal."""
    characters = CHARACTERS["traditional"] if style.chinese else None
    cells = {
        point: Cell(characters[letter] if characters else letter, "red" if letter.isupper() else "black")
        for point, letter in position.pieces().items()
    }
    yield from rows(INFO.shape, cells, style, marked=_last_points(position))
    yield _state(position)


def _state(position: XiangqiPosition) -> str:
    """Return the side to move, and whether it is in check; the outcome of a game that is over."""
    outcome = position.outcome()
    if outcome is not None:
        return str(outcome)
    return f"{('Red', 'Black')[position.turn]} to move{', in check' if position.is_check() else ''}"
