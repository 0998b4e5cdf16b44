"""`BaseBoard`: any pieces on any squares, and what they attack; no side to move and no moves."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Self

from siqi.games.xiangqi.library import letters
from siqi.games.xiangqi.library.letters import EMPTY, EMPTY_BOARD, PATHS, PIECES
from siqi.games.xiangqi.library.move import BLACK, RED, SQUARES, Color, Piece, PieceType, Square, square_mirror
from siqi.games.xiangqi.rules.lookup import KING
from siqi.games.xiangqi.rules.notation import START_FEN, board_text, read_board

STARTING_BOARD_FEN = START_FEN.split()[0]


class BaseBoard:
    """Pieces on squares, with no side to move. ValueError for a text that is no board; None makes an empty one."""

    def __init__(self, board_fen: str | None = STARTING_BOARD_FEN) -> None:
        self._letters = EMPTY_BOARD  # letters.py
        if board_fen is not None:
            self.set_board_fen(board_fen)

    @classmethod
    def empty(cls) -> Self:
        """Return a board without pieces."""
        return cls(None)

    # Looking

    def piece_at(self, square: Square) -> Piece | None:
        """Return the piece on a square, None if it is empty."""
        return PIECES.get(self._letters[square]) if square in SQUARES else None

    def piece_type_at(self, square: Square) -> PieceType | None:
        """Return the type of the piece on a square (KING is 0), None if the square is empty."""
        piece = self.piece_at(square)
        return None if piece is None else piece.piece_type

    def color_at(self, square: Square) -> Color | None:
        """Return the colour of the piece on a square, None if the square is empty."""
        piece = self.piece_at(square)
        return None if piece is None else piece.color

    def piece_map(self, *, mask: Collection[Square] = SQUARES) -> dict[Square, Piece]:
        """Return every piece on the squares of `mask` by its square."""
        return {square: PIECES[letter] for square, letter in letters.occupied(self._letters) if square in mask}

    def pieces(self, piece_type: PieceType, color: Color) -> set[Square]:
        """Return the squares of the pieces of a kind."""
        return set(letters.find_all(self._letters, Piece(piece_type, color).symbol()))

    def king(self, color: Color) -> Square | None:
        """Return the king's square, the highest if there are several; None if there is none."""
        square = self._letters.rfind(letters.king_of(color))
        return None if square < 0 else square

    def board_fen(self) -> str:
        """Return the FEN's first field."""
        return board_text(dict(letters.occupied(self._letters)))

    # Attacks: a piece attacks the squares where it could take an enemy, even if that left its own king in check

    def attacks(self, square: Square) -> set[Square]:
        """Return the squares that the piece on a square attacks, whatever stands on them; none if the square is empty.

        Along an open file a king attacks the other king, and nothing else.
        """
        board = self._letters
        return {target for target in self._goals(square) if letters.attacks(board, square, target, board)}

    def attackers(self, color: Color, square: Square, occupied: Collection[Square] | None = None) -> set[Square]:
        """Return the squares of the pieces of a colour that attack a square, pinned ones too.

        `occupied`, if given, replaces the squares that are occupied, for screens and blocked legs too.
        """
        if square not in SQUARES:
            return set()
        board = blockers = self._letters
        if occupied is not None:
            blockers = "".join("x" if other in occupied else EMPTY for other in SQUARES)
        return {
            origin
            for origin, letter in letters.occupied(board)
            if letter.isupper() == color and letters.attacks(board, origin, square, blockers)
        }

    def is_attacked_by(self, color: Color, square: Square, occupied: Collection[Square] | None = None) -> bool:
        """Return True if a piece of a colour attacks a square; arguments as of `attackers`."""
        if occupied is not None:
            return bool(self.attackers(color, square, occupied))
        return square in SQUARES and letters.is_attacked(self._letters, square, color)

    def is_pinned(self, color: Color, square: Square) -> bool:
        """Return True if removing the colour's piece from a square would expose its king to a new attacker."""
        king = self.king(color)
        if king is None or king == square or self.color_at(square) != color:
            return False
        rest = self.piece_map().keys() - {square}
        return not self.attackers(not color, king, rest) <= self.attackers(not color, king)

    def _goals(self, origin: Square) -> Collection[Square]:
        """Return the squares that the piece on a square could attack for some placement of the others."""
        piece = self.piece_at(origin)
        if piece is None:
            return ()
        steps = PATHS[piece.symbol()][origin]
        return steps if piece.piece_type != KING else steps.keys() | self.pieces(KING, not piece.color)

    # Changing

    def _place(self, board: str) -> None:
        """Replace all pieces; every change except moves goes through here."""
        self._letters = board

    def set_piece_at(self, square: Square, piece: Piece | None) -> None:
        """Put a piece on a square in place of what stands there; None empties the square. IndexError off the board."""
        if square not in SQUARES:
            raise IndexError(f"no square {square}")
        board = self._letters
        self._place(f"{board[:square]}{EMPTY if piece is None else piece.symbol()}{board[square + 1 :]}")

    def remove_piece_at(self, square: Square) -> Piece | None:
        """Take the piece off a square and return it, None if there is none."""
        piece = self.piece_at(square)
        self.set_piece_at(square, None)
        return piece

    def set_piece_map(self, pieces: Mapping[Square, Piece]) -> None:
        """Replace all pieces. IndexError for one off the board."""
        if not pieces.keys() <= set(SQUARES):
            raise IndexError(f"no squares {sorted(pieces.keys() - set(SQUARES))}")
        self._place(letters.text_of({square: piece.symbol() for square, piece in pieces.items()}))

    def set_board_fen(self, fen: str) -> None:
        """Set up the pieces of a FEN's first field; ValueError if it is none."""
        self._place(letters.text_of(read_board(fen)))

    def reset_board(self) -> None:
        """Set up the pieces of the start."""
        self.set_board_fen(STARTING_BOARD_FEN)

    def clear_board(self) -> None:
        """Take all pieces away."""
        self._place(EMPTY_BOARD)

    def apply_transform(self, f: Callable[[Square], Square]) -> None:
        """Move each piece from its square to `f(square)`, as `flip_horizontal` (python-chess's `f` maps bitboards)."""
        self.set_piece_map({f(square): piece for square, piece in self.piece_map().items()})

    def apply_mirror(self) -> None:
        """Exchange the colours and reverse the ranks."""
        self._place("".join(self._letters[square_mirror(square)] for square in SQUARES).swapcase())

    # Copies

    def copy(self) -> Self:
        """Return an independent board with the same pieces."""
        twin = object.__new__(type(self))
        twin.__dict__ |= self.__dict__
        return twin

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.copy()

    def __eq__(self, other: object) -> bool:
        return self._letters == other._letters if isinstance(other, BaseBoard) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # boards are mutable

    # Pictures

    def __str__(self) -> str:
        """Return ten lines of FEN letters, Red below."""
        return self._rows(RED, ".", " ", Piece.symbol)

    def unicode(self, *, orientation: Color = RED, empty_square: str = "＋") -> str:
        """Return ten lines of full-width characters, with `orientation` below."""
        return self._rows(orientation, empty_square, "", Piece.unicode_symbol)

    def _rows(self, orientation: Color, empty: str, gap: str, face: Callable[[Piece], str]) -> str:
        signs = [empty if letter == EMPTY else face(PIECES[letter]) for letter in self._letters]
        if orientation == BLACK:
            signs.reverse()
        return "\n".join(gap.join(signs[first : first + 9]) for first in range(81, -1, -9))

    def _repr_svg_(self) -> str:
        from siqi.games.xiangqi.library import svg

        return svg.board(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.board_fen()!r})"
