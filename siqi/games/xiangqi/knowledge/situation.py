"""Situations: classes of positions, so that mined rules can depend on more than the moves played.

Jiang, Chen, Tang 2004 (section 5) propose that a rule know more of a move than piece, captured piece, origin and
target. Each situation is a bit, in the order of SITUATIONS, seen from the side to move. intent.py finds those that pass
with the next move.
"""

from __future__ import annotations

from siqi.games.kernel.jit import Record, entry, inner, int64
from siqi.games.xiangqi.rules.lookup import (
    ADVISOR,
    CAPTURED,
    ELEPHANT,
    FIRST_CANNON,
    FIRST_PAWN,
    FIRST_ROOK,
    LOOKUP,
    SLOTS,
)
from siqi.games.xiangqi.rules.position import POSITION, count_kind, count_strong

SITUATIONS = (
    "opening", "middle game", "ending",
    "own castle whole", "own castle broken", "castle whole", "castle broken",
    "own rook on open file", "rook on open file", "own central cannon", "central cannon",
    "piece taken", "in check", "rook attacked", "horse or cannon attacked", "pawn attacked",
)  # fmt: skip
"""The phase, by the rooks, horses and cannons left; castles (advisors and elephants), rooks and central cannons of both
sides; what the last move did or left. `own` is the side to move."""

LASTING = 11
"""The first situations, which outlast the next move; the others are about the last move."""

PHASES = (11, 6)
"""Fewest rooks, horses and cannons of both sides together in the opening, and in the middle game."""


@inner(int64(POSITION, LOOKUP, int64))
def has_open_file(pos: Record, lookup: Record, side: int) -> int:
    """Return 1 if a rook of a side stands on a file without pawns of that side, else 0."""
    base = 16 << side
    for slot in range(FIRST_ROOK, FIRST_CANNON):
        if pos.square[base + slot] < CAPTURED:
            file = lookup.file_of[pos.square[base + slot]]
            is_open = 1
            for pawn in range(FIRST_PAWN, SLOTS):
                if pos.square[base + pawn] < CAPTURED and lookup.file_of[pos.square[base + pawn]] == file:
                    is_open = 0
            if is_open == 1:
                return 1
    return 0


@inner(int64(POSITION, LOOKUP, int64), forceinline=True)
def has_central_cannon(pos: Record, lookup: Record, side: int) -> int:
    """Return 1 if a cannon of a side stands on the middle file, else 0."""
    for slot in range(FIRST_CANNON, FIRST_PAWN):
        square = pos.square[(16 << side) + slot]
        if square < CAPTURED and lookup.file_of[square] == 4:
            return 1
    return 0


@inner(int64(POSITION, int64), forceinline=True)
def is_whole(pos: Record, side: int) -> int:
    """Return 1 if a side has both advisors and both elephants, else 0."""
    return 1 if count_kind(pos, side, int64(ADVISOR)) + count_kind(pos, side, int64(ELEPHANT)) == 4 else 0


@entry(int64(POSITION, LOOKUP))
def describe_lasting(pos: Record, lookup: Record) -> int:
    """Return the situations of a position, as bits, that do not pass with the next move."""
    own, other = pos.turn, pos.turn ^ 1
    strong = count_strong(pos, int64(0)) + count_strong(pos, int64(1))
    situations = 1 if strong >= PHASES[0] else 2 if strong >= PHASES[1] else 4
    situations |= 1 << 3 if is_whole(pos, own) == 1 else 1 << 4
    situations |= 1 << 5 if is_whole(pos, other) == 1 else 1 << 6
    situations |= has_open_file(pos, lookup, own) << 7 | has_open_file(pos, lookup, other) << 8
    situations |= has_central_cannon(pos, lookup, own) << 9 | has_central_cannon(pos, lookup, other) << 10
    return situations
