"""Moves as items of Apriori (Jiang, Chen, Tang 2004, section 4.2), and the moves that led to a position.

An item is a piece, the piece that it captured, and two squares. Pieces are numbered by kind, or by identity as in the
paper: each of the 32 pieces has its own number, so that the two rooks of a side differ. An identity is followed
through the game from the start position; in a game that began elsewhere no piece has one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from siqi.games.kernel.jit import Record
from siqi.games.xiangqi.rules.lookup import LOOKUP_RECORD
from siqi.games.xiangqi.rules.notation import START_FEN, piece_codes, read_fen, squares_of
from siqi.games.xiangqi.rules.position import make_move
from siqi.games.xiangqi.rules.symmetry import mirror_move, mirror_square

START_BOARD = 90 * [0]
for _code, _square in piece_codes(read_fen(START_FEN)[0]):
    START_BOARD[_square] = _code
"""The piece codes of the start position's board, by square."""


class Item(NamedTuple):
    """A move; pieces are numbered as a `Numbering` says."""

    piece: int
    captured: int
    origin: int
    target: int

    @property
    def move(self) -> int:
        return make_move(self.origin, self.target)


class Numbering(NamedTuple):
    """A way to number pieces."""

    name: str
    """Its name in the headers of rule books."""
    number_of: tuple[int, ...]
    """[piece code of a position's board, 0 none]: the number, -1 for a code that is no piece."""
    kinds: tuple[int, ...]
    """[number]: 1-7 Red's king..pawn, 8-14 Black's, 0 for no piece."""
    mirrored: tuple[int, ...]
    """[number]: the number of the piece that stands in its place in the mirrored start position."""
    needs_start: bool
    """True if only the pieces of games from the start position have numbers."""

    def mirror(self, item: Item) -> Item:
        """Return an item with left and right exchanged."""
        origin, target = squares_of(mirror_move(item.move))
        return Item(self.mirrored[item.piece], self.mirrored[item.captured], origin, target)

    def side(self, item: Item) -> int:
        """Return 0 for a move of Red's, 1 for one of Black's."""
        return (self.kinds[item.piece] - 1) // 7

    def is_sound(self, item: Item) -> bool:
        """True if all numbers of an item are within their range."""
        pieces = range(len(self.kinds))
        are_pieces = item.piece in pieces and item.captured in pieces and self.kinds[item.piece] > 0
        return are_pieces and 0 <= item.origin < 90 and 0 <= item.target < 90


_KINDS = tuple(int(kind) for kind in LOOKUP_RECORD.kind_of)

BY_KIND = Numbering("kind", _KINDS, tuple(range(15)), tuple(range(15)), False)

NO_PIECE = 32
"""The paper's number for a move that captures nothing."""


def _by_identity() -> Numbering:
    """Return the paper's numbers: 0-15 Red's, 16-31 Black's; king, advisors .. pawns, each kind from left to right."""
    start = {code: square for square, code in enumerate(START_BOARD) if code}
    mirrored = tuple(START_BOARD[mirror_square(start[16 + number])] - 16 for number in range(NO_PIECE))
    number_of = tuple(NO_PIECE if code == 0 else max(code - 16, -1) for code in range(len(_KINDS)))
    return Numbering("identity", number_of, (*_KINDS[16:], 0), (*mirrored, NO_PIECE), True)


BY_IDENTITY = _by_identity()

NUMBERINGS = {numbering.name: numbering for numbering in (BY_KIND, BY_IDENTITY)}


def items_played(pos: Record, numbering: Numbering = BY_KIND) -> list[Item] | None:
    """Return the moves that led to a position, first to last; None if its pieces have no numbers (`needs_start`)."""
    number_of = numbering.number_of
    # Lists, because reading an element of an array costs more: 0.3 ms for 280 moves, 1.3 with arrays.
    board = pos.board.tolist()
    plies = zip(pos.past_move[: pos.height].tolist(), pos.past_captured[: pos.height].tolist(), strict=True)
    items = []
    for move, captured in reversed([*plies]):
        origin, target = squares_of(move)
        items.append(Item(number_of[board[target]], number_of[captured], origin, target))
        board[origin], board[target] = board[target], captured
    if numbering.needs_start and board[:90] != START_BOARD:
        return None
    return items[::-1]


def moves_begin_left(items: Sequence[Item]) -> bool | None:
    """Return True if the first square off the middle file is on the left; None if there is none."""
    squares = (square % 9 for item in items for square in (item.origin, item.target))
    return next((file < 4 for file in squares if file != 4), None)


def histories(pos: Record, numbering: Numbering = BY_KIND) -> Iterator[tuple[list[Item], bool]]:
    """Yield the moves that led to a position, and True if they are mirrored; nothing if its pieces have no numbers.

    They are mirrored if they began on the left, and yielded both ways while no move has left the middle file.
    """
    items = items_played(pos, numbering)
    if items is None:
        return
    began_left = moves_begin_left(items)
    if not began_left:
        yield items, False
    if began_left is not False:
        yield [numbering.mirror(item) for item in items], True
