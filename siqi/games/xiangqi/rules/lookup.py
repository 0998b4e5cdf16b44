"""The lookup: constant arrays that the Xiangqi kernels index, built once with numpy.

Squares are `rank * 9 + file` from Red's left corner, 0..89 (drawn in position.py); 90 is 'captured'.
The occupancy of a rank or file is a word with one bit per square; arrays of lines are indexed by place and word.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from siqi.games.kernel.jit import Record, new_record, record, record_type
from siqi.games.xiangqi.data.endings import ATTACKS, RESISTANCES, scale_factors
from siqi.games.xiangqi.data.weights import EXCHANGE, KINDS, MIRROR, PIECE_SQUARE, TERM_WEIGHTS

KING, ADVISOR, ELEPHANT, HORSE, ROOK, CANNON, PAWN = range(7)
"""The kinds of pieces."""

CAPTURED = 90
"""The square of a piece off the board."""

BLOCKED = 91
"""A square that is always occupied: the leg of a horse that is out of reach."""

KIND_OF_SLOT = (
    KING, ADVISOR, ADVISOR, ELEPHANT, ELEPHANT, HORSE, HORSE,
    ROOK, ROOK, CANNON, CANNON, PAWN, PAWN, PAWN, PAWN, PAWN,
)  # fmt: skip
"""The kind of each of a side's sixteen pieces."""

KING_SLOT, FIRST_ADVISOR, FIRST_ELEPHANT, FIRST_HORSE, FIRST_ROOK, FIRST_CANNON, FIRST_PAWN, SLOTS = (
    0, 1, 3, 5, 7, 9, 11, 16,
)  # fmt: skip
"""The first slot of each kind; its slots end where those of the next kind begin."""

LOOKUP_DTYPE = record(
    [
        ("rank_of", "u1", 91),
        ("file_of", "u1", 91),
        # [square]: lists of targets, or of (target, eye or leg) pairs, that end at -1
        ("king_steps", "i1", 90 * 5),
        ("advisor_steps", "i1", 90 * 5),
        ("elephant_steps", "i1", 90 * 9),
        ("horse_steps", "i1", 90 * 17),
        ("pawn_steps", "i1", 2 * 90 * 4),  # [side, square]
        ("horse_leg", "u1", 90 * 91),  # [target, horse's square]: the leg, BLOCKED if out of reach
        # [place on the line, occupancy]: bits 0-9 empty squares reached, 10-19 rook's captures, 20-29 cannon's
        ("rank_targets", "u4", 9 << 9),
        ("file_targets", "u4", 10 << 10),
        # same index: places of the three nearest pieces each way, as nibbles (the place itself where there is none)
        ("rank_blockers", "u4", 9 << 9),
        ("file_blockers", "u4", 10 << 10),
        ("line_square", "u1", 90 * 20),  # [square, bit]: bits 0-8 along the rank, 9-18 along the file
        ("kind_of", "u1", 48),  # [piece code]: 0 none, 1-7 Red's kinds, 8-14 Black's
        ("zobrist", "i8", 15 * 91),  # [kind, square]; zero for none and for captured
        ("zobrist_turn", "i8"),
        ("piece_square", "i4", 15 * 91),  # [kind, square]: packed centipawns, Red's view (weights.py)
        ("terms", "i4", len(TERM_WEIGHTS)),  # weights of terms.py's terms, packed
        ("unit", "i8", 15),  # [kind]: one piece in pos.material
        ("scale_factors", "u1", ATTACKS * RESISTANCES),  # [attack, resistance]: sixteenths of an advantage (endings.py)
        ("exchange", "i2", 15),  # [kind]: centipawns in an exchange
    ]
)
LOOKUP = record_type(LOOKUP_DTYPE)


def _on_board(rank: int, file: int) -> bool:
    return 0 <= rank < 10 and 0 <= file < 9


def _in_palace(rank: int, file: int) -> bool:
    return 3 <= file <= 5 and (rank <= 2 or rank >= 7)


def _fill_steps(lookup: Record) -> None:
    orthogonal = ((1, 0), (-1, 0), (0, 1), (0, -1))
    diagonal = ((1, 1), (-1, 1), (1, -1), (-1, -1))
    for name in ("king_steps", "advisor_steps", "elephant_steps", "horse_steps", "pawn_steps"):
        lookup[name][:] = -1
    lookup["horse_leg"][:] = BLOCKED
    for square in range(90):
        rank, file = divmod(square, 9)

        def put(name: str, base: int, targets: list[int]) -> None:
            lookup[name][base : base + len(targets)] = targets

        for name, deltas in (("king_steps", orthogonal), ("advisor_steps", diagonal)):
            if _in_palace(rank, file):
                steps = [(rank + dr, file + df) for dr, df in deltas]
                put(name, square * 5, [r * 9 + f for r, f in steps if _on_board(r, f) and _in_palace(r, f)])
        pairs = []
        for dr, df in diagonal:
            r, f = rank + 2 * dr, file + 2 * df
            if _on_board(r, f) and (r < 5) == (rank < 5):
                pairs += [r * 9 + f, (rank + dr) * 9 + file + df]
        put("elephant_steps", square * 9, pairs)
        pairs = []
        for dr, df in orthogonal:
            leg = (rank + dr) * 9 + file + df
            for aside in (-1, 1):
                r, f = (rank + 2 * dr, file + aside) if dr else (rank + aside, file + 2 * df)
                if _on_board(r, f):
                    pairs += [r * 9 + f, leg]
                    lookup["horse_leg"][(r * 9 + f) * 91 + square] = leg
        put("horse_steps", square * 17, pairs)
        for side, ahead in ((0, 1), (1, -1)):
            crossed = rank >= 5 if side == 0 else rank < 5
            steps = [(rank + ahead, file)] + ([(rank, file - 1), (rank, file + 1)] if crossed else [])
            put("pawn_steps", (side * 90 + square) * 4, [r * 9 + f for r, f in steps if _on_board(r, f)])


def _line_lookup(length: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return the targets and the blockers of a line of `length` squares, by `place << length | occupancy`."""
    targets = np.zeros((length, 1 << length), np.int64)
    blockers = np.zeros((length, 1 << length), np.int64)
    occupancy = np.arange(1 << length)
    for place in range(length):
        for shift, way in ((0, range(place - 1, -1, -1)), (12, range(place + 1, length))):
            met = np.zeros(1 << length, np.int64)
            nearest = np.full((3, 1 << length), place)
            for i in way:
                is_met = occupancy >> i & 1
                rook, cannon, third = (is_met * (met == number) for number in range(3))
                targets[place] |= (met + is_met == 0) << i | rook << 10 + i | cannon << 20 + i
                for number, is_nearest in enumerate((rook, cannon, third)):
                    nearest[number, is_nearest == 1] = i
                met += is_met
            blockers[place] |= (nearest[0] | nearest[1] << 4 | nearest[2] << 8) << shift
    return targets.ravel(), blockers.ravel()


def _build() -> Record:
    lookup = new_record(LOOKUP_DTYPE)
    squares = np.arange(90)
    lookup["rank_of"][:90], lookup["file_of"][:90] = divmod(squares, 9)
    _fill_steps(lookup)
    lookup["rank_targets"][:], lookup["rank_blockers"][:] = _line_lookup(9)
    lookup["file_targets"][:], lookup["file_blockers"][:] = _line_lookup(10)
    line_square = np.zeros((90, 20), np.uint8)
    line_square[:, :9] = (squares // 9 * 9)[:, None] + np.arange(9)
    line_square[:, 9:19] = np.arange(10) * 9 + (squares % 9)[:, None]
    lookup["line_square"][:] = line_square.ravel()
    for slot, kind in enumerate(KIND_OF_SLOT):
        lookup["kind_of"][16 + slot], lookup["kind_of"][32 + slot] = 1 + kind, 8 + kind
    # Fixed seed: keys are part of book formats.
    random = np.random.Generator(np.random.PCG64(0x51_71))
    zobrist = random.integers(-(2**63), 2**63 - 1, size=(15, 91), dtype=np.int64)
    lookup["zobrist_turn"] = zobrist[0, 0]
    zobrist[0] = 0
    zobrist[:, 90] = 0
    lookup["zobrist"][:] = zobrist.ravel()
    piece_square = np.zeros((15, 91), np.int32)
    piece_square[1:8, :90] = PIECE_SQUARE
    piece_square[8:15, :90] = -PIECE_SQUARE[:, MIRROR]
    lookup["piece_square"][:] = piece_square.ravel()
    lookup["terms"][:] = TERM_WEIGHTS
    lookup["unit"][1:] = 1 << 4 * np.arange(1, 15, dtype=np.int64)
    lookup["scale_factors"][:] = scale_factors()
    lookup["exchange"][1:8] = lookup["exchange"][8:15] = EXCHANGE
    return lookup


assert len(KINDS) == 7
LOOKUP_RECORD = _build()
"""The lookup itself, read-only by convention, passed to every kernel."""
