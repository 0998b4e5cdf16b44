"""Pictures of Junqi: SVG and text. A side's view shows what it knows, and what it believes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from siqi.games.contract import HIDDEN
from siqi.games.junqi import INFO
from siqi.games.junqi.rules.lookup import CAMPS, HEADQUARTERS, LOOKUP_RECORD, SQUARES, STEPS, TYPES
from siqi.games.junqi.rules.notation import parse_fen, square_text
from siqi.games.pictures import grid as marks
from siqi.games.pictures.diagram import Diagram
from siqi.games.pictures.drawing import Design, Drawing, number, shape
from siqi.games.pictures.grid import Grid
from siqi.games.pictures.history import last_points
from siqi.games.pictures.style import PictureStyle
from siqi.games.pictures.terminal import Cell, TerminalStyle, rows

if TYPE_CHECKING:
    from siqi.games.junqi.board import JunqiPosition

STEP = (64, 42)
PIECE = (27, 16)
"""Half the width and half the height of a piece."""

GAP = 20
"""The gap between the sides, for the mountains."""

SIDES = ("Red", "Blue")
NAMES = ("司令", "军长", "师长", "旅长", "团长", "营长", "连长", "排长", "工兵", "地雷", "炸弹", "军旗")
"""By type, as in TYPES."""

SHORT = "司军师旅团营连排工雷炸旗"

EXTRAS = ("beliefs",)
MARGINS: tuple[str, ...] = ()
FACES = ("characters", "letters")

PALETTE = {
    "board": ("#e9efdc", "#272d27"),
    "line": ("#7c8a6a", "#6d7a66"),
    "rail": ("#4c5a40", "#94a58a"),
    "sleeper": ("#e9efdc", "#272d27"),
    "station": ("#d9e2c6", "#353d34"),
    "camp": ("#c8d9a8", "#44553d"),
    "label": ("#56634a", "#aebba6"),
    "red": ("#c8452f", "#c4503c"),
    "blue": ("#2c6aa6", "#3c78b4"),
    "face": ("#fffaf0", "#f6f2ea"),
    **marks.PALETTE,
    "lastmove": ("#d98a00", "#ffc14d"),
}

DESIGN = Design(
    "jq",
    PALETTE,
    f"""\
{marks.RULES}
.board{{fill:$board}}
.line{{fill:none;stroke:$line;stroke-width:1.4}}
.rail{{fill:none;stroke:$rail;stroke-width:5}}
.sleeper{{fill:none;stroke:$sleeper;stroke-width:2.6;stroke-dasharray:7 7}}
.station{{fill:$station;stroke:$line}}
.camp{{fill:$camp;stroke:$line}}
.shade{{opacity:.22}}
.red{{fill:$red}}
.blue{{fill:$blue}}
.face{{fill:$face}}
.back{{fill:none;stroke:$face;opacity:.5}}""",
)


def draw(
    position: JunqiPosition,
    style: PictureStyle = PictureStyle(),  # noqa: B008
    *,
    faces: str = "characters",
    beliefs: bool | Mapping[str, Mapping[str, float]] = False,
) -> Drawing:
    """Return the picture of a full position or a view; unknown pieces show their backs.

    `faces`: `characters` or `letters`, those of FENs. `beliefs`: the probability of each type's letter (a to l) by
    point; True: the viewer's own. An unknown piece then shows its likeliest type, the fainter the less likely, with its
    probability. ValueError for a point or a type that does not exist, and for unknown faces.
    """
    if faces not in FACES:
        raise ValueError(f"unknown faces {faces!r}; one of {', '.join(FACES)}")
    believed = (position.beliefs() if beliefs is True else beliefs) or {}
    pieces = position.pieces()
    grid = grid_of(style)
    left = grid.left
    width = left + 44 + 4 * STEP[0]
    height = 60 + 11 * STEP[1] + GAP + (12 if style.coordinates else 0)
    drawing = Drawing(DESIGN, width, height, style, f"Junqi, {_state(position)}", position.fen())
    parts = itertools.chain(_ways(drawing, grid), _places(grid))
    drawing.lay_board(parts, lambda: marks.labels(drawing, grid, 29, 44, 9))
    foreground = drawing.foreground
    foreground += marks.fills(drawing, grid)
    foreground += marks.arrows(drawing, grid, pieces)
    for point, letter in pieces.items():
        foreground.append(drawing.use(_keep_piece(drawing, letter, faces), *grid.place(point)))
    for point, row in believed.items():
        if pieces.get(point) in HIDDEN:
            foreground += _belief(drawing, grid.place(point), row, faces)
    last = last_points(position, INFO.shape) if style.lastmove is None else style.lastmove
    foreground += [grid.brackets(point, 2) for point in last]
    foreground += marks.rings(style, grid)
    return drawing


def grid_of(style: PictureStyle) -> Grid:
    """Return the grid of the picture of a style."""
    left = 44 + (16 if style.coordinates else 0)
    return Grid(INFO.shape, left, 30, STEP, PIECE, False, GAP, style.flipped)


def diagram(fen: str) -> Diagram:
    """Return the placement of a FEN, which may be one that the rules cannot play; ValueError if the text is none."""
    pieces, turn, viewer, _ = parse_fen(fen)
    return Diagram({square_text(square): letter for letter, square in pieces}, turn, fen, viewer=viewer)


def _state(position: JunqiPosition) -> str:
    """Return the side to move or the outcome, and who sees the position so."""
    outcome = position.outcome()
    state = f"{SIDES[position.turn]} to {'move' if position.has_pieces else 'set up'}" if outcome is None else outcome
    return str(state) if position.viewer is None else f"as {SIDES[position.viewer]} sees it, {state}"


def _ways(drawing: Drawing, grid: Grid) -> Iterator[str]:
    """Yield roads, railways, and the mountains between the sides."""
    roads, rails = "", ""
    for square in range(SQUARES):
        for way, step in ((1, 1), (3, 5)):
            if STEPS[way] >> square & 1:
                rails += _line(grid, square, square + step)
        for other in range(square + 1, SQUARES):
            if int(LOOKUP_RECORD.roads[square]) >> other & 1:
                roads += _line(grid, square, other)
    yield shape("path", class_="line", d=roads)
    key = drawing.symbol("w" if grid.flipped else "v", shape("path", d=rails))
    yield drawing.use(key, 0, 0, class_="rail")
    yield drawing.use(key, 0, 0, class_="sleeper")
    for column in (1, 3):
        x, y = grid.at(column, 6)
        middle = y + (-1 if grid.flipped else 1) * (STEP[1] + GAP) / 2
        yield shape("path", class_="camp", d=f"M{number(x - 20)} {number(middle + 7)}l12 -14 8 9 5 -5 15 10z")


def _line(grid: Grid, start: int, end: int) -> str:
    (x, y), (x2, y2) = (grid.place(square_text(square)) for square in (start, end))
    return f"M{number(x)} {number(y)}l{number(x2 - x)} {number(y2 - y)}"


def _places(grid: Grid) -> Iterator[str]:
    """Yield stations as boxes, camps as circles, headquarters as gates."""
    stations = ""
    for square in range(SQUARES):
        x, y = grid.place(square_text(square))
        if square in CAMPS:
            yield shape("circle", class_="camp", cx=x, cy=y, r=18)
        elif square in HEADQUARTERS:
            yield shape("path", class_="camp", d=f"M{number(x - 24)} {number(y + 14)}v-14a24 14 0 0 1 48 0v14z")
        else:
            stations += f"M{number(x - 22)} {number(y - 12)}h44v24h-44z"
    yield shape("path", class_="station", d=stations)


def _keep_piece(drawing: Drawing, letter: str, faces: str) -> str:
    side = ("red", "blue")[int(letter.islower())]
    box = dict(x=-PIECE[0], y=-PIECE[1], width=2 * PIECE[0], height=2 * PIECE[1], rx=4)
    shadow = shape("rect", class_="shade", **{**box, "x": 1.2 - PIECE[0], "y": 2 - PIECE[1]})
    parts = [drawing.use(drawing.symbol(side, shadow, shape("rect", class_=side, **box)), 0, 0)]
    if letter in HIDDEN:
        parts.append(shape("rect", class_="back", x=-23.5, y=-12.5, width=47, height=25, rx=2.5))
    else:
        parts.append(drawing.use(_keep_face(drawing, letter, faces), 0, 0, class_="face"))
    return drawing.symbol(f"{side[0]}{faces[0]}{letter.lower()}", *parts)


def _keep_face(drawing: Drawing, letter: str, faces: str) -> str:
    """Keep the face of a type around (0, 0), in the colour of its user; return its id."""
    if faces == "letters":
        return drawing.symbol(f"l{letter.lower()}", drawing.words([(letter.upper(), 0, 0)], 17))
    return drawing.symbol(f"c{letter.lower()}", drawing.face(NAMES[TYPES.index(letter.lower())], 24))


def _belief(drawing: Drawing, place: tuple[float, float], row: Mapping[str, float], faces: str) -> Iterator[str]:
    """Yield an unknown piece's likeliest type, the fainter the less likely, above a bar of its probability.

    Shade and bar have steps of 5 %, so that the pictures of a game share shapes.
    """
    letter = max(row, key=lambda kind: row[kind])
    if letter not in TYPES or not 0 <= row[letter] <= 1:
        raise ValueError(f"beliefs: types a to l and probabilities 0 to 1, not {letter}: {row[letter]}")
    x, y = place
    whole = drawing.use(_keep_face(drawing, letter, faces), 0, 0)
    key = drawing.symbol(f"m{faces[0]}{letter}", f'<g transform="translate(0 -2.5) scale(.8)">{whole}</g>')
    track = drawing.symbol("track", shape("rect", opacity=".25", x=-22, y=8.5, width=44, height=3.2))
    share = round(row[letter] * 20) / 20
    bar = shape("rect", x=x - 22, y=y + 8.5, width=44 * share, height=3.2)
    shade = f'<g opacity="{0.25 + 0.75 * share:.2f}">{drawing.use(key, x, y)}</g>'
    yield f'<g class="face belief">{shade}{drawing.use(track, x, y)}{bar}</g>'


def text(position: JunqiPosition, style: TerminalStyle) -> Iterator[str]:
    """Yield the lines of a board for a terminal: Blue's pieces behind a `v`, camps as (), headquarters as []."""
    cells = {}
    for point, letter in position.pieces().items():
        side = int(letter.islower())
        name = letter.upper() if letter not in HIDDEN else "?"
        if style.chinese:
            name = "？" if letter in HIDDEN else SHORT[TYPES.index(letter.lower())]
        cells[point] = Cell(f"{'v' if side else ' '}{name}", ("red", "blue")[side])
    empty = {square_text(square): " ." for square in range(SQUARES)}
    empty |= {square_text(square): "()" for square in CAMPS} | {square_text(square): "[]" for square in HEADQUARTERS}
    yield from rows(INFO.shape, cells, style, marked=last_points(position, INFO.shape), empty=empty)
    yield f"{_state(position)}; v: Blue's pieces, which head down"
