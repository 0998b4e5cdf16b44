"""The kernels' side of the tablebase (tablebase.py): the mover's exact chance to win before the throw."""

from __future__ import annotations

from siqi.games.ewn.knowledge.numbering import INDEXING, MAX_PIECES, NUMBERING, index
from siqi.games.ewn.rules.position import POSITION
from siqi.games.kernel.intrinsics import load_short, pointer_to, popcount
from siqi.games.kernel.jit import Record, entry, inner, int64, record, record_type

UNKNOWN = -1
"""The value of a position that the tablebase lacks."""

SLOTS = MAX_PIECES * MAX_PIECES

TABLEBASE_DTYPE = record(
    [
        ("numbering", "i8"),  # address of the NUMBERING
        # [slot = (stronger side's pieces - 1) * MAX_PIECES + weaker side's]:
        ("indexing", "i8", SLOTS),  # address of its INDEXING
        ("values", "i8", SLOTS),  # address of its values, 16 bits each, [weak side to move, number]; 0: no table
    ]
)
TABLEBASE = record_type(TABLEBASE_DTYPE)
tablebase_at = pointer_to(TABLEBASE)
numbering_at = pointer_to(NUMBERING)
indexing_at = pointer_to(INDEXING)


def slot_of(strong: int, weak: int) -> int:
    """Return the slot of an ending, by the numbers of pieces."""
    return (strong - 1) * MAX_PIECES + weak


@inner(int64(POSITION, int64))
def probe_tablebase(pos: Record, tablebase: int) -> int:
    """Return the mover's exact chance before the throw, 0 to ONE; UNKNOWN without a table or after the end of the game.

    `tablebase`: address of a TABLEBASE, 0 for none.
    """
    first = popcount(pos.alive[0])
    second = popcount(pos.alive[1])
    if tablebase == 0 or first + second > MAX_PIECES or pos.winner >= 0:
        return UNKNOWN
    strong = int64(second > first) if first != second else int64(pos.turn)
    slot = (max(first, second) - 1) * MAX_PIECES + min(first, second)
    values = tablebase_at(tablebase).values[slot]
    if values == 0:
        return UNKNOWN
    indexing = indexing_at(tablebase_at(tablebase).indexing[slot])
    cell = (pos.turn ^ strong) * indexing.entries + index(
        pos, numbering_at(tablebase_at(tablebase).numbering), indexing, strong
    )
    return load_short(values + 2 * cell)


@entry(int64(POSITION, int64))
def value_here(pos: Record, tablebase: int) -> int:
    """`probe_tablebase` for Python."""
    return probe_tablebase(pos, tablebase)
