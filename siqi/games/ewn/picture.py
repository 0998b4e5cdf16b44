"""Pictures of EWN: SVG and text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from siqi.games.ewn import INFO
from siqi.games.ewn.rules.notation import letter_of, read_fen, square_text
from siqi.games.pictures import grid as marks
from siqi.games.pictures.diagram import Diagram
from siqi.games.pictures.drawing import Design, Drawing, shape
from siqi.games.pictures.grid import Grid
from siqi.games.pictures.history import last_points
from siqi.games.pictures.style import PictureStyle
from siqi.games.pictures.terminal import Cell, TerminalStyle, rows

if TYPE_CHECKING:
    from siqi.games.ewn.board import EwnPosition

STEP = 60
HALF = 23
"""Half the width of a piece."""

PANEL = 108
"""The width of the part beside the board, with the die and the chances."""

SIDES = ("Red", "Blue")
GOALS = ("e1", "a5")

EXTRAS: tuple[str, ...] = ()
MARGINS: tuple[str, ...] = ()
FACES: tuple[str, ...] = ()

PALETTE = {
    "board": ("#f4ead6", "#2b2f36"),
    "field1": ("#ead9b9", "#3a4049"),
    "field2": ("#dfc79b", "#474e59"),
    "label": ("#6b5636", "#b9c0cb"),
    "red": ("#c23b2c", "#c8493a"),
    "blue": ("#2d62ad", "#3f78c8"),
    "face": ("#fffaf0", "#f6f2ea"),
    "empty": ("#d6cbb4", "#4a515c"),
    "die": ("#fffdf7", "#e9e6de"),
    **marks.PALETTE,
    "lastmove": ("#e8c63f", "#d0a92a"),
}

DESIGN = Design(
    "ewn",
    PALETTE,
    f"""\
{marks.RULES}
.board{{fill:$board}}
.field1{{fill:$field1}}
.field2{{fill:$field2}}
.moved{{fill:$lastmove;opacity:.55}}
.shade{{opacity:.22}}
.red{{fill:$red}}
.blue{{fill:$blue}}
.goal{{opacity:.3}}
.togo0{{stroke:$red}}
.togo1{{stroke:$blue}}
.face{{fill:$face}}
.die{{fill:$die}}
.empty{{fill:$empty}}""",
)

PIPS = {1: "e", 2: "ai", 3: "aei", 4: "acgi", 5: "acegi", 6: "acdfgi"}
"""The pips of a throw among the nine places of a die, a to i."""


def draw(
    position: EwnPosition,
    style: PictureStyle = PictureStyle(),  # noqa: B008
    *,
    chances: Mapping[int, float] | None = None,
) -> Drawing:
    """Return the picture of a position, with the die beside the board.

    `chances`: the mover's chance to win, 0..1, by throw; each gets a bar. ValueError for a throw, a chance or a point
    that does not exist.
    """
    for throw, chance in (chances or {}).items():
        if not 1 <= throw <= INFO.die_faces or not 0 <= chance <= 1:
            raise ValueError(f"chances: throws 1 to {INFO.die_faces} and chances 0 to 1, not {throw}: {chance}")
    pieces = position.pieces()
    grid = grid_of(style)
    aside = grid.left - STEP / 2
    width, height = aside + 5 * STEP + PANEL, 12 + 5 * STEP + aside
    drawing = Drawing(DESIGN, width, height, style, f"EinStein würfelt nicht!, {_state(position)}", position.fen())
    drawing.lay_board(_squares(grid), lambda: marks.labels(drawing, grid, STEP / 2 + 14, STEP / 2 + 13, 10))
    foreground = drawing.foreground
    for point in last_points(position, INFO.shape) if style.lastmove is None else style.lastmove:
        foreground.append(_field(*grid.place(point), "moved"))
    foreground += marks.fills(drawing, grid)
    foreground += marks.arrows(drawing, grid, pieces)
    for point, letter in pieces.items():
        foreground.append(drawing.use(_keep_piece(drawing, letter), *grid.place(point)))
    foreground += marks.rings(style, grid)
    middle = aside + 5 * STEP + PANEL / 2
    if position.has_pieces and position.outcome() is None:
        foreground += _die(middle, 46, 26, position.dice, position.turn)
    if chances:
        foreground += _bars(drawing, middle, 96, position.turn, chances, position.dice)
    return drawing


def grid_of(style: PictureStyle) -> Grid:
    """Return the grid of the picture of a style."""
    aside = 26 if style.coordinates else 12
    return Grid(INFO.shape, aside + STEP / 2, 12 + STEP / 2, (STEP, STEP), (HALF, HALF), False, flipped=style.flipped)


def diagram(fen: str) -> Diagram:
    """Return the placement of a FEN, which may be one that the rules cannot play; ValueError if the text is none."""
    pieces, turn, die = read_fen(fen)
    return Diagram({square_text(square): letter_of(piece) for piece, square in pieces}, turn, fen, die)


def _state(position: EwnPosition) -> str:
    """Return the side to move and its throw, or the outcome."""
    outcome = position.outcome()
    if outcome is not None:
        return str(outcome)
    throw = f" with a {position.dice}" if position.dice else ""
    return f"{SIDES[position.turn]} to {'move' if position.has_pieces else 'set up'}{throw}"


def _squares(grid: Grid) -> Iterator[str]:
    for row in range(5):
        for column in range(5):
            yield _field(*grid.at(column, row), ("field1", "field2")[(row + column) % 2])
    for side, point in enumerate(GOALS):
        yield _field(*grid.place(point), f"goal {('red', 'blue')[side]}")


def _field(x: float, y: float, class_: str) -> str:
    return shape("rect", class_=class_, x=x - STEP / 2, y=y - STEP / 2, width=STEP, height=STEP)


def _keep_piece(drawing: Drawing, letter: str) -> str:
    side = int(letter.islower())
    digit = str(INFO.pieces[side].index(letter) + 1)
    box = dict(x=-HALF, y=-HALF, width=2 * HALF, height=2 * HALF, rx=9)
    return drawing.symbol(
        f"{('r', 'b')[side]}{digit}",
        shape("rect", class_="shade", **{**box, "x": 1.5 - HALF, "y": 2.5 - HALF}),
        shape("rect", class_=("red", "blue")[side], **box),
        drawing.words([(digit, 0, 0)], 25, class_="face"),
    )


def _die(x: float, y: float, half: float, throw: int, side: int) -> Iterator[str]:
    """Yield a die around a place; without pips before the throw."""
    box = dict(x=x - half, y=y - half, width=2 * half, height=2 * half, rx=half * 0.35)
    yield shape("rect", class_=f"die togo{side}", **box, stroke_width=max(half / 9, 1))
    for place in PIPS.get(throw, ""):
        row, column = divmod("abcdefghi".index(place), 3)
        pip = dict(cx=x + (column - 1) * half * 0.55, cy=y + (row - 1) * half * 0.55, r=half * 0.17)
        yield shape("circle", class_=("red", "blue")[side], **pip)


def _bars(
    drawing: Drawing, middle: float, top: float, side: int, chances: Mapping[int, float], thrown: int
) -> Iterator[str]:
    """Yield a bar for each throw with its chance; after a throw the others are faint."""
    left, length, step = middle - PANEL / 2 + 10, PANEL - 20, 37
    placed = []
    for i, (throw, chance) in enumerate(sorted(chances.items())):
        y = top + i * step
        faint = 0.45 if thrown and throw != thrown else 1.0
        yield f'<g opacity="{faint:g}">'
        yield shape("rect", class_="empty", x=left, y=y + 16, width=length, height=7, rx=3.5)
        if chance > 0:
            width = max(length * chance, 7)
            yield shape("rect", class_=("red", "blue")[side], x=left, y=y + 16, width=width, height=7, rx=3.5)
        yield from _die(left + 8, y + 5, 8, throw, side)
        yield "</g>"
        placed.append((f"{chance:.0%}", left + length - 20, y + 5))
    yield drawing.words(placed, 10, class_="labels")


def text(position: EwnPosition, style: TerminalStyle) -> Iterator[str]:
    """Yield the lines of a board for a terminal: Red's pieces in brackets."""
    cells = {}
    for point, letter in position.pieces().items():
        side = int(letter.islower())
        digit = INFO.pieces[side].index(letter) + 1
        cells[point] = Cell(f"({digit})" if side else f"[{digit}]", ("red", "blue")[side])
    yield from rows(INFO.shape, cells, style, marked=last_points(position, INFO.shape), empty=" . ")
    yield f"{_state(position)}; [1] Red to e1, (1) Blue to a5"
