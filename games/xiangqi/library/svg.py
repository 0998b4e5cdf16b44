"""The board as an SVG picture, in the manner of `chess.svg`; it needs no font or library beyond the viewer's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from games.xiangqi.rules.move import RED, Color, Move, Piece, Square
from games.xiangqi.rules.notation import FILES

if TYPE_CHECKING:
    from games.xiangqi.library.placement import BaseBoard

STEP = 40
"""SVG units between two lines of the board."""

COLORS = {
    "board": "#f3d9a4",
    "line": "#5b3a1a",
    "piece": "#fbf1dc",
    "red": "#b3261e",
    "black": "#1f1f1f",
    "lastmove": "#3f8f5f",
    "check": "#e0402e",
    "arrow": "#2f6fb5",
    "square": "#2f6fb5",
}
"""The default colours; `board(colors=...)` overrides any of them."""

_MARKED = [(file, rank) for rank in (2, 7) for file in (1, 7)] + [(f, r) for r in (3, 6) for f in range(0, 9, 2)]
"""(file, rank) where cannons and pawns start, drawn with small corners."""


def board(
    board: BaseBoard,
    *,
    orientation: Color = RED,
    lastmove: Move | None = None,
    check: Square | None = None,
    arrows: Iterable[tuple[Square, Square]] = (),
    fill: Mapping[Square, str] = MappingProxyType({}),
    squares: Iterable[Square] = (),
    size: int | None = None,
    coordinates: bool = True,
    colors: Mapping[str, str] = COLORS,
) -> str:
    """Return an XML document of the board with `orientation` below.

    `lastmove` rings its two squares; `check` fills a king's square; `arrows` are (from, to) squares; `fill` gives
    squares a colour; `squares` are marked with a cross; `size` is the width in pixels (unset: the picture fills its
    container); `colors` overrides entries of COLORS.
    """
    palette = _palette(colors)
    margin = STEP * 3 // 4 + (STEP // 2 if coordinates else 0)

    def at(square: int) -> tuple[int, int]:
        rank, file = divmod(square, 9)
        column, row = (file, 9 - rank) if orientation == RED else (8 - file, rank)
        return margin + column * STEP, margin + row * STEP

    width, height = 8 * STEP + 2 * margin, 9 * STEP + 2 * margin
    scale = f" width={quoteattr(str(size))} height={quoteattr(str(size * height // width))}" if size else ""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" version="1.1" viewBox="0 0 {width} {height}"{scale}>',
        f"<desc><pre>{escape(str(board))}</pre></desc>",
        '<defs><marker id="head" orient="auto" markerWidth="4" markerHeight="4" refX="2" refY="2">'
        f'<path d="M0,0 V4 L4,2 Z" fill="{palette["arrow"]}"/></marker></defs>',
        f'<rect width="{width}" height="{height}" fill="{palette["board"]}"/>',
        *_lines(margin, palette["line"]),
    ]
    if coordinates:
        parts += _coordinates(at, height, palette["line"])
    fills = [("fill", square, _quotable(colour)) for square, colour in fill.items()]
    if check is not None:
        fills.append(("check", check, palette["check"]))
    for name, square, colour in fills:
        x, y = at(square)
        parts.append(f'<circle class="{name}" cx="{x}" cy="{y}" r="{STEP * 0.56:g}" fill="{colour}"/>')
    for square, piece in sorted(board.piece_map().items()):
        parts.append(_piece(piece, *at(square), palette))
    for square in lastmove or ():
        x, y = at(square)
        parts.append(
            f'<circle class="lastmove" cx="{x}" cy="{y}" r="{STEP * 0.48:g}" fill="none" '
            f'stroke="{palette["lastmove"]}" stroke-width="3"/>'
        )
    for square in squares:
        x, y = at(square)
        parts.append(
            f'<path class="square" transform="translate({x},{y}) scale({STEP * 0.25:g})" d="M-1,-1 L1,1 M1,-1 L-1,1" '
            f'stroke="{palette["square"]}" stroke-width="0.35"/>'
        )
    for origin, target in arrows:
        (x1, y1), (x2, y2) = at(origin), at(target)
        parts.append(
            f'<line class="arrow" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{palette["arrow"]}" '
            'stroke-width="5" stroke-opacity="0.7" marker-end="url(#head)"/>'
        )
    return "".join([*parts, "</svg>"])


def piece(piece: Piece, size: int | None = None, *, colors: Mapping[str, str] = COLORS) -> str:
    """Return an XML document of one piece, `size` pixels wide (unset: it fills its container)."""
    scale = f" width={quoteattr(str(size))} height={quoteattr(str(size))}" if size else ""
    picture = _piece(piece, STEP // 2, STEP // 2, _palette(colors))
    box = f'viewBox="0 0 {STEP} {STEP}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" version="1.1" {box}{scale}>{picture}</svg>'


def _palette(colors: Mapping[str, str]) -> dict[str, str]:
    return {name: _quotable(colour) for name, colour in ({**COLORS, **colors}).items()}


def _quotable(colour: str) -> str:
    return escape(colour, {'"': "&quot;"})


def _lines(margin: int, colour: str) -> Iterator[str]:
    """Yield ranks, files broken at the river, palaces, corners around starting squares, and the river's name."""
    paths = [f"M0,{rank} h8" for rank in range(10)]
    paths += [f"M{file},0 v9" for file in (0, 8)]
    paths += [f"M{file},{start} v4" for file in range(1, 8) for start in (0, 5)]
    paths += [f"M3,{start} l2,2 m-2,0 l2,-2" for start in (0, 7)]
    for file, rank in _MARKED:
        for right in (1, -1):
            for down in (1, -1):
                x, y = file + right * 0.1, rank + down * 0.1
                if 0 < x < 8:
                    paths.append(f"M{x:g},{y + down * 0.2:g} v{-down * 0.2:g} h{right * 0.2:g}")
    yield (
        f'<path transform="translate({margin},{margin}) scale({STEP})" d="{" ".join(paths)}" '
        f'fill="none" stroke="{colour}" stroke-width="{1.2 / STEP:g}"/>'
    )
    for name, file in (("楚河", 2), ("漢界", 6)):
        yield _text(name, margin + file * STEP, margin + STEP * 9 // 2, STEP * 0.55, colour)


def _coordinates(at: Callable[[int], tuple[int, int]], height: int, colour: str) -> Iterator[str]:
    for file in range(9):
        yield _text(FILES[file], at(file)[0], height - STEP * 0.3, STEP * 0.3, colour)
    for rank in range(10):
        yield _text(str(rank), STEP * 0.3, at(rank * 9)[1], STEP * 0.3, colour)


def _piece(piece: Piece, x: int, y: int, palette: Mapping[str, str]) -> str:
    colour = palette["red" if piece.color == RED else "black"]
    return (
        f'<g class="piece"><circle cx="{x}" cy="{y}" r="{STEP * 0.44:g}" fill="{palette["piece"]}" stroke="{colour}" '
        f'stroke-width="1.5"/><circle cx="{x}" cy="{y}" r="{STEP * 0.37:g}" fill="none" stroke="{colour}"/>'
        f"{_text(piece.unicode_symbol(), x, y, STEP * 0.52, colour)}</g>"
    )


def _text(text: str, x: float, y: float, size: float, colour: str) -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{colour}" text-anchor="middle" '
        f'dominant-baseline="central" font-family="KaiTi, STKaiti, serif">{text}</text>'
    )
