"""The tablebase (tablebase.py) as kernels see it: unpacked blocks of values; absent blocks are marked as wanted.

A value is a code, for the side to move: 0 is a draw, d + 1 an end in d plies, which the side to move wins if d is odd.
The values ignore repetition: where the weaker side can attack, a draw by the values may be lost by a perpetual.
"""

from __future__ import annotations

from siqi.games.kernel.hashing import hash16
from siqi.games.kernel.intrinsics import load_byte, pointer_to, store_byte
from siqi.games.kernel.jit import Record, entry, inner, int64, record, record_type
from siqi.games.xiangqi.knowledge.numbering import INDEXING, index
from siqi.games.xiangqi.rules.position import POSITION

BLOCK = 1 << 20
"""Values of a block, a byte each; the last block of an ending may have fewer."""

ABSENT, PRESENT, WANTED = range(3)
"""States of a block."""

UNKNOWN = -1
"""Sentinel for a code: no value is at hand, or it is a draw that may be lost by a perpetual."""

_SLOTS = 2048

TABLEBASE_DTYPE = record(
    [
        # A hash table by pos.material, open addressing; 0 is free.
        ("material", "i8", _SLOTS),
        ("strong", "u1", _SLOTS),  # colour of the stronger side
        ("has_exact_draws", "u1", _SLOTS),  # 1 if draws by the values are draws: the weaker side cannot attack
        ("has_cannon", "u1", _SLOTS),  # 1 if the stronger side has one; its own defenders serve as screens
        ("indexing", "i8", _SLOTS),  # address of its INDEXING
        ("values", "i8", _SLOTS),  # address of its values
        ("states", "i8", _SLOTS),  # address of its blocks' states, a byte each: ABSENT, PRESENT, WANTED
        ("any_wanted", "i8"),  # 1 once a block is newly marked as wanted
    ]
)
TABLEBASE = record_type(TABLEBASE_DTYPE)
tablebase_at = pointer_to(TABLEBASE)
indexing_at = pointer_to(INDEXING)


@inner(int64(TABLEBASE, int64), forceinline=True)
def find_slot(tablebase: Record, material: int) -> int:
    """Return the slot of a material, or the free slot where it belongs."""
    slot = hash16(material) & _SLOTS - 1
    while tablebase.material[slot] != material and tablebase.material[slot] != 0:
        slot = slot + 1 & _SLOTS - 1
    return slot


@inner(int64(POSITION, TABLEBASE, int64))
def cell_of(pos: Record, tablebase: Record, slot: int) -> int:
    """Return the index of a position in its ending's values; UNKNOWN if a piece stands where none can."""
    indexing = indexing_at(tablebase.indexing[slot])
    strong = int64(tablebase.strong[slot])
    at = index(pos, indexing, strong)
    return UNKNOWN if at < 0 else (pos.turn ^ strong) * indexing.entries + at


@inner(int64(POSITION, TABLEBASE, int64))
def code_at(pos: Record, tablebase: Record, slot: int) -> int:
    """Return the code of a position by the ending in a slot; UNKNOWN if its block is absent, which is then wanted."""
    cell = cell_of(pos, tablebase, slot)
    if cell == UNKNOWN:
        return UNKNOWN
    state = tablebase.states[slot] + cell // BLOCK
    if load_byte(state) != PRESENT:
        if load_byte(state) == ABSENT:
            store_byte(state, int64(WANTED))
            tablebase.any_wanted = 1
        return UNKNOWN
    code = load_byte(tablebase.values[slot] + cell)
    return UNKNOWN if code == 0 and tablebase.has_exact_draws[slot] == 0 else code


@inner(int64(POSITION, int64), forceinline=True)
def probe_tablebase(pos: Record, tablebase: int) -> int:
    """Return the code of a position, UNKNOWN if no value is at hand. `tablebase`: address of a TABLEBASE."""
    slot = find_slot(tablebase_at(tablebase), pos.material)
    return code_at(pos, tablebase_at(tablebase), slot) if tablebase_at(tablebase).material[slot] != 0 else UNKNOWN


DEFENDERS = 0xFF00
"""The nibbles of pos.material that count Red's advisors and elephants; 28 bits further up Black's."""


@inner(int64(POSITION, int64, int64))
def probe_bare(pos: Record, tablebase: int, side: int) -> int:
    """Return the code that a position has without `side`'s own advisors and elephants; usually it is the same.

    UNKNOWN unless `side` is the stronger, against an enemy who cannot attack, and for draws of a cannon, which may need
    those as screens. `tablebase`: address of a TABLEBASE, 0 for none.
    """
    if tablebase != 0:
        slot = find_slot(tablebase_at(tablebase), pos.material & ~(DEFENDERS << 28 * side))
        if tablebase_at(tablebase).material[slot] != 0 and tablebase_at(tablebase).has_exact_draws[slot] == 1:
            if tablebase_at(tablebase).strong[slot] == side:
                code = code_at(pos, tablebase_at(tablebase), slot)
                return UNKNOWN if code == 0 and tablebase_at(tablebase).has_cannon[slot] == 1 else code
    return UNKNOWN


@entry(int64(TABLEBASE, int64, int64, int64, int64, int64, int64, int64))
def register(
    tablebase: Record,
    material: int,
    strong: int,
    has_exact_draws: int,
    has_cannon: int,
    indexing: int,
    values: int,
    states: int,
) -> int:
    """Write an entry except its material, and return its slot; UNKNOWN if the material has an entry.

    Running searches see the entry once the caller writes its material.
    """
    slot = find_slot(tablebase, material)
    if tablebase.material[slot] != 0:
        return UNKNOWN
    tablebase.strong[slot] = strong
    tablebase.has_exact_draws[slot] = has_exact_draws
    tablebase.has_cannon[slot] = has_cannon
    tablebase.indexing[slot] = indexing
    tablebase.values[slot] = values
    tablebase.states[slot] = states
    return slot


@entry(int64(POSITION, TABLEBASE))
def cell_here(pos: Record, tablebase: Record) -> int:
    """Return `cell_of` a position whose material the tablebase has."""
    return cell_of(pos, tablebase, find_slot(tablebase, pos.material))
