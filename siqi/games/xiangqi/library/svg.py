"""The board as an SVG picture, with `chess.svg`'s arguments; no font is needed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Protocol, runtime_checkable

from siqi.games.pictures.drawing import Drawing, Picture
from siqi.games.pictures.style import Arrow, PictureStyle, picture_style
from siqi.games.xiangqi import picture
from siqi.games.xiangqi.library.move import RED, Color, Move, Piece, Square, square_name

COLORS = {name: light for name, (light, _) in picture.PALETTE.items()}
"""The colours by name, those of light mode; `board(colors=...)` overrides any of them in both modes."""


def draw(
    board: Pieces,
    style: PictureStyle = PictureStyle(),  # noqa: B008
    *,
    faces: str = "traditional",
    numerals: bool = False,
) -> Drawing:
    """Return the picture of a board, with the last move and a king in check if it is a `Board`; see picture.py."""
    last: tuple[str, ...] = ()
    check = None
    if isinstance(board, Playable):
        last = tuple(map(square_name, board.move_stack[-1])) if board.move_stack else ()
        king = board.king(board.turn)
        check = square_name(king) if king is not None and board.is_check() else None
    return _draw(board, style, faces, numerals, last, check)


class Pieces(Protocol):
    """The part of a `BaseBoard` that a picture reads; this module is below it."""

    def piece_map(self) -> dict[Square, Piece]: ...

    def board_fen(self) -> str: ...


@runtime_checkable
class Playable(Protocol):
    """The other part of a `Board` that a picture reads."""

    move_stack: list[Move]
    turn: Color

    def is_check(self) -> bool: ...

    def king(self, color: Color) -> Square | None: ...

    def fen(self) -> str: ...


def _draw(
    board: Pieces, style: PictureStyle, faces: str, numerals: bool, last: tuple[str, ...], check: str | None
) -> Drawing:
    pieces = {square_name(square): piece.symbol() for square, piece in board.piece_map().items()}
    title, text = "Xiangqi", board.board_fen()
    if isinstance(board, Playable):
        title, text = f"Xiangqi, {'Red' if board.turn == RED else 'Black'} to move", board.fen()
    return picture.draw_pieces(pieces, style, title, text, faces=faces, numerals=numerals, last=last, check=check)


def board(
    board: Pieces,
    *,
    orientation: Color = RED,
    lastmove: Move | None = None,
    check: Square | None = None,
    arrows: Iterable[tuple[Square, Square] | tuple[Square, Square, str]] = (),
    fill: Mapping[Square, str] = MappingProxyType({}),
    squares: Iterable[Square] = (),
    size: int | None = None,
    coordinates: bool = True,
    colors: Mapping[str, str] = MappingProxyType({}),
    theme: str = "auto",
    faces: str = "traditional",
    numerals: bool = False,
) -> Picture:
    """Return an SVG document of the board with `orientation` below.

    `lastmove`: corners around its two squares; `check`: a king's square, coloured; `arrows`: (from, to) squares, or
    (from, to, colour), drawn below the pieces; `fill`: colours by square; `squares`: ringed; `size`: the width in
    pixels (unset: the picture fills its container); `colors`: overrides of COLORS; `theme`: `auto` (the reader's),
    `light` or `dark`; `faces`: `traditional`, `simplified` or `letters`; `numerals`: on the margin the numbers of
    files in Chinese moves. ValueError for a colour, a theme or faces that do not exist.
    """
    shown = picture_style(
        flipped=orientation != RED,
        coordinates=coordinates,
        size=size,
        theme=theme,
        colors=colors,
        arrows=[Arrow(square_name(tail), square_name(head), *colour) for tail, head, *colour in arrows],
        squares=map(square_name, squares),
        fill={square_name(square): colour for square, colour in fill.items()},
    )
    last = tuple(map(square_name, lastmove or ()))
    return _draw(board, shown, faces, numerals, last, None if check is None else square_name(check)).svg()


def piece(
    piece: Piece,
    size: int | None = None,
    *,
    colors: Mapping[str, str] = MappingProxyType({}),
    theme: str = "auto",
    faces: str = "traditional",
) -> Picture:
    """Return an SVG document of one piece, `size` pixels wide (unset: it fills its container)."""
    side = 2 * picture.RADIUS + 5
    letter, character = piece.symbol(), picture.face_of(faces)[piece.symbol()]
    drawing = Drawing(
        picture.DESIGN, side, side, picture_style(size=size, theme=theme, colors=colors), character, letter
    )
    parts = "".join(picture.piece(drawing, letter, character))
    drawing.foreground.append(f'<g class="piece" transform="translate({side / 2:g} {side / 2:g})">{parts}</g>')
    return drawing.svg()
