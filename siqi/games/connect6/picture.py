"""Pictures of Connect6: SVG and text."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from siqi.games.connect6 import INFO
from siqi.games.connect6.evaluation.choice import Evaluation, choose
from siqi.games.connect6.rules.lookup import ROAD_LENGTH, THREAT, roads
from siqi.games.connect6.rules.notation import parse_fen, point_text
from siqi.games.pictures import grid as marks
from siqi.games.pictures.diagram import Diagram
from siqi.games.pictures.drawing import Design, Drawing, number, shape
from siqi.games.pictures.grid import Grid
from siqi.games.pictures.history import last_points, past
from siqi.games.pictures.style import PictureStyle
from siqi.games.pictures.terminal import Cell, TerminalStyle, rows

if TYPE_CHECKING:
    from siqi.games.connect6.board import Connect6Position

STEP = 30
RADIUS = 13.5

ROADS = roads()

EXTRAS = ("numbers", "threats", "heat")
MARGINS: tuple[str, ...] = ()
FACES: tuple[str, ...] = ()

PALETTE = {
    "board": ("#e2b96b", "#6a5233"),
    "line": ("#5c431f", "#2d2213"),
    "label": ("#5c431f", "#d5bd93"),
    "black": ("#161616", "#0e0e0e"),
    "shine": ("#5f5f5f", "#474747"),
    "white": ("#d5d3cd", "#b9b6ae"),
    "gleam": ("#ffffff", "#f3f1ea"),
    "threat1": ("#c0271c", "#ff6a5c"),
    "threat2": ("#1c5fc0", "#6ab0ff"),
    "heat": ("#c0271c", "#ff7b4d"),
    **marks.PALETTE,
    "lastmove": ("#e0402e", "#e0402e"),
}

DESIGN = Design(
    "c6",
    PALETTE,
    f"""\
{marks.RULES}
.board{{fill:$board}}
.line{{fill:none;stroke:$line}}
.star{{fill:$line}}
.shade{{opacity:.25}}
.black0{{stop-color:$shine}}
.black1{{stop-color:$black}}
.white0{{stop-color:$gleam}}
.white1{{stop-color:$white}}
.onblack{{fill:$gleam}}
.onwhite{{fill:$black}}
.dot{{fill:$lastmove;stroke:none}}
.threat{{fill:none;stroke-width:11;stroke-linecap:round;opacity:.45}}
.first{{stroke:$threat1}}
.second{{stroke:$threat2}}
.heat{{fill:$heat}}""",
)

STARS = (3, 9, 15)
HEAT_LEVELS = 6


def draw(
    position: Connect6Position,
    style: PictureStyle = PictureStyle(),  # noqa: B008
    *,
    numbers: bool = False,
    threats: bool = False,
    heat: bool | Mapping[str, float] = False,
) -> Drawing:
    """Return the picture of a position.

    `numbers`: stones played since the position was set up have the number of their turn. `threats`: roads with four
    stones or more of one side alone. `heat`: shades of empty points by their values; True: by the worth of a stone
    there to the side to move, the root of the chance by the shipped network that it is put there. ValueError for a
    point off the board.
    """
    pieces = position.pieces()
    grid = grid_of(style)
    left = grid.left
    width = left + 26 + 18 * STEP
    height = 52 + 18 * STEP + (10 if style.coordinates else 0)
    drawing = Drawing(DESIGN, width, height, style, f"Connect6, {_state(position)}", position.fen())
    drawing.lay_board(_lines(left, 26), lambda: marks.labels(drawing, grid, 26, 25, 8))
    foreground = drawing.foreground
    foreground += marks.fills(drawing, grid)
    if heat:
        foreground += _heat(grid, worths(position) if heat is True else heat)
    foreground += marks.arrows(drawing, grid, pieces)
    stones = dict(zip(INFO.pieces, (_keep_stone(drawing, name) for name in ("black", "white")), strict=True))
    for point, letter in pieces.items():
        foreground.append(drawing.use(stones[letter], *grid.place(point)))
    if threats:
        foreground += _threats(position, grid)
    last = last_points(position, INFO.shape) if style.lastmove is None else style.lastmove
    numbered = _turn_numbers(position) if numbers else {}
    for side, class_ in enumerate(("onblack", "onwhite")):
        placed = [(str(turn), *grid.place(p)) for p, turn in numbered.items() if pieces.get(p) == INFO.pieces[side]]
        foreground.append(drawing.words(placed, 9, class_=class_))
    for point in last:
        x, y = grid.place(point)
        dot = y + 9 if point in numbered else y
        foreground.append(shape("circle", class_="dot", cx=x, cy=dot, r=2.2 if point in numbered else 4))
    foreground += marks.rings(style, grid)
    return drawing


def grid_of(style: PictureStyle) -> Grid:
    """Return the grid of the picture of a style."""
    left = 26 + (10 if style.coordinates else 0)
    return Grid(INFO.shape, left, 26, (STEP, STEP), (RADIUS, RADIUS), flipped=style.flipped)


def diagram(fen: str) -> Diagram:
    """Return the placement of a FEN, which may be one that the rules cannot play; ValueError if the text is none."""
    stones, turn, _ = parse_fen(fen)
    return Diagram({point_text(point): INFO.pieces[side] for point, side in stones}, turn, fen)


def _state(position: Connect6Position) -> str:
    """Return the side to move, or the outcome."""
    outcome = position.outcome()
    return f"{('Black', 'White')[position.turn]} to move" if outcome is None else str(outcome)


def _keep_stone(drawing: Drawing, name: str) -> str:
    key = f"{drawing.root_class()}-{name}"
    stops = f'<stop class="{name}0"/><stop class="{name}1" offset="1"/>'
    drawing.defs[key] = f'<radialGradient id="{key}" cx=".36" cy=".32" r=".62">{stops}</radialGradient>'
    shadow = shape("circle", class_="shade", cx=0.9, cy=1.5, r=RADIUS)
    return drawing.symbol(name[0], shadow, shape("circle", r=RADIUS, fill=f"url(#{key})"))


def _lines(left: float, top: float) -> Iterator[str]:
    size = 18 * STEP
    paths = [f"M{number(left)} {number(top + i * STEP)}h{size}" for i in range(19)]
    paths += [f"M{number(left + i * STEP)} {number(top)}v{size}" for i in range(19)]
    yield shape("path", class_="line", d="".join(paths))
    for column in STARS:
        for row in STARS:
            yield shape("circle", class_="star", cx=left + column * STEP, cy=top + row * STEP, r=3)


@functools.cache
def _shipped() -> Evaluation:
    return choose("network")  # late: a picture seldom needs it


def worths(position: Connect6Position) -> dict[str, float]:
    """Return by empty point the worth of a stone of the side to move, by the shipped networks (by roads without)."""
    return {point_text(point): worth for point, worth in _shipped().worths(position.record).items()}


def _heat(grid: Grid, values: Mapping[str, float]) -> Iterator[str]:
    """Yield one path per level of heat: squares around points, the stronger the higher the value."""
    most = max(values.values(), default=0.0)
    levels: dict[int, str] = {}
    for point, value in values.items():
        level = round(HEAT_LEVELS * value / most) if most > 0 else 0
        if level > 0:
            x, y = grid.place(point)
            square = f"M{number(x - 13)} {number(y - 13)}h26v26h-26z"
            levels[level] = levels.get(level, "") + square
    for level, path in sorted(levels.items()):
        yield shape("path", class_="heat", opacity=f"{0.75 * level / HEAT_LEVELS:.2g}", d=path)


def _threats(position: Connect6Position, grid: Grid) -> Iterator[str]:
    """Yield the threats of each side as one path of lines along their roads."""
    contents = position.record.roads.tolist()
    for side, class_ in enumerate(("first", "second")):
        threats = [
            road
            for road, content in zip(ROADS, contents, strict=True)
            if (content >> 3 * side & 7) >= THREAT and not content >> 3 * (1 - side) & 7
        ]
        path = ""
        for road in threats:
            (x, y), (x2, y2) = (grid.place(point_text(point)) for point in (road[0], road[ROAD_LENGTH - 1]))
            path += f"M{number(x)} {number(y)}L{number(x2)} {number(y2)}"
        if path:
            yield shape("path", class_=f"threat {class_}", d=path)


def _turn_numbers(position: Connect6Position) -> dict[str, int]:
    """Return the number of the turn of each stone played since the position was set up."""
    return {
        INFO.shape.point_text(*place): turn
        for turn, word in enumerate(past(position), 1)
        for place in INFO.shape.points(word)
    }


def text(position: Connect6Position, style: TerminalStyle) -> Iterator[str]:
    """Yield the lines of a board for a terminal."""
    signs = dict(zip(INFO.pieces, (Cell("x", "red"), Cell("o", "white")), strict=True))
    cells = {point: signs[letter] for point, letter in position.pieces().items()}
    yield from rows(INFO.shape, cells, style, marked=last_points(position, INFO.shape))
    yield f"{_state(position)}; x Black, o White"
