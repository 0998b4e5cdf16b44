"""`BaseBoard`: any pieces on any squares, and what they attack; no side to move and no moves."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Self

from games.xiangqi.rules.lookup import ADVISOR, CANNON, ELEPHANT, HORSE, KING, LOOKUP_RECORD, PAWN, ROOK
from games.xiangqi.rules.move import BLACK, RED, SQUARES, Color, Piece, PieceType, Square, square_mirror
from games.xiangqi.rules.notation import START_FEN, board_text, read_board

STARTING_BOARD_FEN = START_FEN.split()[0]

_NO_BLOCKER = -1


def _steps(name: str, width: int, has_blockers: bool = False, first: int = 0) -> list[dict[Square, Square]]:
    """Return by origin each target with the leg or eye that must be empty, from an array of lookup.py."""
    table = LOOKUP_RECORD[name].tolist()[first:]
    steps = []
    for origin in SQUARES:
        row = table[origin * width : (origin + 1) * width]
        row = row[: row.index(-1)]
        steps.append(dict(zip(row[::2], row[1::2])) if has_blockers else dict.fromkeys(row, _NO_BLOCKER))
    return steps


_LINES: list[dict[Square, Square]] = [
    {target: _NO_BLOCKER for target in SQUARES if (target // 9 == origin // 9) != (target % 9 == origin % 9)}
    for origin in SQUARES
]

_STEPS = {
    KING: [_steps("king_steps", 5)] * 2,
    ADVISOR: [_steps("advisor_steps", 5)] * 2,
    ELEPHANT: [_steps("elephant_steps", 9, has_blockers=True)] * 2,
    HORSE: [_steps("horse_steps", 17, has_blockers=True)] * 2,
    ROOK: [_LINES] * 2,
    CANNON: [_LINES] * 2,
    PAWN: [_steps("pawn_steps", 4, first=90 * 4), _steps("pawn_steps", 4)],
}
"""Targets with their blockers, by piece type, colour (BLACK, RED) and origin."""


def _count_between(a: Square, b: Square, occupied: Collection[Square]) -> int:
    """Return how many squares between two of the same rank or file are occupied."""
    step = 1 if a // 9 == b // 9 else 9
    return sum(square in occupied for square in range(min(a, b) + step, max(a, b), step))


class BaseBoard:
    """Pieces on squares. ValueError for a text that is no board; None makes an empty one."""

    def __init__(self, board_fen: str | None = STARTING_BOARD_FEN) -> None:
        self._pieces: dict[Square, Piece] = {}
        if board_fen is not None:
            self.set_board_fen(board_fen)

    @classmethod
    def empty(cls) -> Self:
        return cls(None)

    # Looking

    def piece_at(self, square: Square) -> Piece | None:
        return self._pieces.get(square)

    def piece_type_at(self, square: Square) -> PieceType | None:
        """Return KING..PAWN (KING is 0), None if the square is empty."""
        piece = self._pieces.get(square)
        return None if piece is None else piece.piece_type

    def color_at(self, square: Square) -> Color | None:
        piece = self._pieces.get(square)
        return None if piece is None else piece.color

    def piece_map(self, *, mask: Collection[Square] = SQUARES) -> dict[Square, Piece]:
        """Return every piece on the squares of `mask` by its square."""
        return {square: piece for square, piece in self._pieces.items() if square in mask}

    def pieces(self, piece_type: PieceType, color: Color) -> set[Square]:
        """Return the squares of the pieces of a kind."""
        return {square for square, piece in self._pieces.items() if piece == (piece_type, color)}

    def king(self, color: Color) -> Square | None:
        """Return the king's square, the highest if there are several; None if there is none."""
        return max(self.pieces(KING, color), default=None)

    def board_fen(self) -> str:
        """Return the FEN's first field."""
        return board_text({square: piece.symbol() for square, piece in self._pieces.items()})

    # Attacks: a piece attacks the squares where it could take an enemy, even if that left its own king in check

    def attacks(self, square: Square) -> set[Square]:
        """Return the squares that the piece on a square attacks, whatever stands on them; none if the square is empty.

        Along an open file a king attacks the other king, and nothing else.
        """
        if square not in self._pieces:
            return set()
        return {target for target in self._goals(square) if self._attacks(square, target, self._pieces)}

    def attackers(self, color: Color, square: Square, occupied: Collection[Square] | None = None) -> set[Square]:
        """Return the squares of the pieces of a colour that attack a square, pinned ones too.

        `occupied`, if given, replaces the squares that are occupied, for screens and blocked legs too.
        """
        taken = self._pieces if occupied is None else occupied
        return {
            origin
            for origin, piece in self._pieces.items()
            if piece.color == color and self._attacks(origin, square, taken)
        }

    def is_attacked_by(self, color: Color, square: Square, occupied: Collection[Square] | None = None) -> bool:
        return bool(self.attackers(color, square, occupied))

    def is_pinned(self, color: Color, square: Square) -> bool:
        """Return True if removing the colour's piece from a square would expose its king to a new attacker."""
        king = self.king(color)
        if king is None or king == square or self.color_at(square) != color:
            return False
        rest = self._pieces.keys() - {square}
        return not self.attackers(not color, king, rest) <= self.attackers(not color, king)

    def _goals(self, origin: Square) -> Collection[Square]:
        """Return the squares that the piece on a square could attack for some placement of the others."""
        kind, color = self._pieces[origin]
        steps = _STEPS[kind][color][origin]
        return steps if kind != KING else steps.keys() | self.pieces(KING, not color)

    def _attacks(self, origin: Square, target: Square, occupied: Collection[Square]) -> bool:
        kind, color = self._pieces[origin]
        blocker = _STEPS[kind][color][origin].get(target)
        if blocker is None:
            faces = kind == KING and origin % 9 == target % 9 and self._pieces.get(target) == (KING, not color)
            return faces and _count_between(origin, target, occupied) == 0
        if kind in (ROOK, CANNON):
            return _count_between(origin, target, occupied) == (1 if kind == CANNON else 0)
        return blocker not in occupied

    def _reaches(self, origin: Square, target: Square) -> bool:
        """Return True if the piece on a square can move to another, which its own side must not hold."""
        if self._pieces[origin].piece_type == CANNON and target not in self._pieces:
            return target in _LINES[origin] and _count_between(origin, target, self._pieces) == 0
        return self._attacks(origin, target, self._pieces)

    # Changing

    def _place(self, pieces: dict[Square, Piece]) -> None:
        """Replace all pieces; every change except moves goes through here."""
        self._pieces = pieces

    def set_piece_at(self, square: Square, piece: Piece | None) -> None:
        """Put a piece on a square in place of what stands there; None empties the square. IndexError off the board."""
        if square not in SQUARES:
            raise IndexError(f"no square {square}")
        rest = {other: found for other, found in self._pieces.items() if other != square}
        self._place(rest if piece is None else {**rest, square: piece})

    def remove_piece_at(self, square: Square) -> Piece | None:
        """Take the piece off a square and return it, None if there is none."""
        piece = self.piece_at(square)
        self.set_piece_at(square, None)
        return piece

    def set_piece_map(self, pieces: Mapping[Square, Piece]) -> None:
        """Replace all pieces. IndexError for one off the board."""
        if not pieces.keys() <= set(SQUARES):
            raise IndexError(f"no squares {sorted(pieces.keys() - set(SQUARES))}")
        self._place(dict(pieces))

    def set_board_fen(self, fen: str) -> None:
        """Set up the pieces of a FEN's first field; ValueError if it is none."""
        self._place({square: Piece.from_symbol(letter) for square, letter in read_board(fen).items()})

    def reset_board(self) -> None:
        """Set up the pieces of the start."""
        self.set_board_fen(STARTING_BOARD_FEN)

    def clear_board(self) -> None:
        self._place({})

    def apply_transform(self, f: Callable[[Square], Square]) -> None:
        """Move each piece from its square to `f(square)`, as `flip_horizontal` (python-chess's `f` maps bitboards)."""
        self.set_piece_map({f(square): piece for square, piece in self._pieces.items()})

    def apply_mirror(self) -> None:
        """Exchange the colours and reverse the ranks."""
        self._place({square_mirror(s): Piece(kind, not color) for s, (kind, color) in self._pieces.items()})

    # Copies

    def copy(self) -> Self:
        twin = object.__new__(type(self))
        twin.__dict__ |= self.__dict__
        twin._pieces = self._pieces.copy()
        return twin

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.copy()

    def __eq__(self, other: object) -> bool:
        return self._pieces == other._pieces if isinstance(other, BaseBoard) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # boards are mutable

    # Pictures

    def __str__(self) -> str:
        """Return ten lines of FEN letters, Red below."""
        return self._rows(RED, ".", " ", Piece.symbol)

    def unicode(self, *, orientation: Color = RED, empty_square: str = "＋") -> str:
        """Return ten lines of full-width characters, with `orientation` below."""
        return self._rows(orientation, empty_square, "", Piece.unicode_symbol)

    def _rows(self, orientation: Color, empty: str, gap: str, face: Callable[[Piece], str]) -> str:
        signs = [face(self._pieces[square]) if square in self._pieces else empty for square in SQUARES]
        if orientation == BLACK:
            signs.reverse()
        return "\n".join(gap.join(signs[first : first + 9]) for first in range(81, -1, -9))

    def _repr_svg_(self) -> str:
        from games.xiangqi.library import svg

        return svg.board(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.board_fen()!r})"
