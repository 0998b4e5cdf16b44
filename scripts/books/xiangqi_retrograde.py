"""Retrograde analysis: the distance to mate of every position of an ending, for either side to move.

Pass d settles the positions d plies from mate and looks back from there: predecessors of a lost position are won in
d + 1; a predecessor of a won one is lost once all its moves are wins for the other side. Captures lead to the tables of
smaller endings. Values are codes: 0 a draw, d + 1 an end in d plies (odd d: the mover wins), ILLEGAL.

Repetition and the 60-move rule are ignored: a win is a win under any such rule, but a draw may be decided by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from siqi.games.kernel.intrinsics import load_byte, pointer_to, store_byte
from siqi.games.kernel.jit import Record, entry, inner, int64, new_record, record, record_type, void
from siqi.games.kernel.memory import address_of
from siqi.games.xiangqi.knowledge.numbering import (
    INDEXING,
    INDEXING_DTYPE,
    KING_PAIRS,
    MAX_GROUPS,
    MaterialSignature,
    index,
    king_pairs,
    material_of,
    number,
    placements,
)
from siqi.games.xiangqi.rules.lookup import BLOCKED, CAPTURED, LOOKUP, LOOKUP_RECORD
from siqi.games.xiangqi.rules.movegen import ALL_MOVES, checks_and_pins, generate_legal, is_attacked
from siqi.games.xiangqi.rules.position import POSITION, POSITION_DTYPE, do_move, put_piece, undo_move
from siqi.games.xiangqi.rules.work import WORK, WORK_DTYPE

ILLEGAL = 255
LONGEST = 252
"""The longest distance that a code can hold, in plies."""

ALL, LOSSES, CAPTURES = range(3)
"""The codes that `expand` computes."""

CHUNK = 1 << 18
"""Positions between two reports of progress."""

Values = np.ndarray[Any, np.dtype[np.uint8]]
"""[side to move, number]: codes; the stronger side is Red and first."""

ANALYSIS_DTYPE = record(
    [
        ("values", "i8"),  # address of Values
        ("due", "i8"),  # address of the same: a code to set when its pass comes, 0 if none
        ("spots", "i8", MAX_GROUPS),  # [group]: address of [placement, piece] squares
        ("king_spots", "i8"),  # address of [pair, side] squares
        ("smaller", "i8"),  # number of endings that captures may lead to
        ("smaller_material", "i8", 32),  # pos.material of each
        ("smaller_strong", "i8", 32),  # colour of its stronger side
        ("smaller_indexing", "i8", 32),  # address of its INDEXING
        ("smaller_values", "i8", 32),
        ("furthest", "i8"),  # the highest code set or due
        ("settled", "i8"),  # positions with a winner
        ("failed", "i8"),  # the first number that check_values found wrong, -1
    ]
)
ANALYSIS = record_type(ANALYSIS_DTYPE)
indexing_at = pointer_to(INDEXING)


@inner(int64(POSITION, LOOKUP, INDEXING, ANALYSIS, int64))
def place(pos: Record, lookup: Record, e: Record, a: Record, at: int) -> int:
    """Set up position `at` on a cleared board; 0 if two pieces would stand on one square."""
    for piece in range(16, 48):
        square = int64(pos.square[piece])
        if square < CAPTURED:
            pos.board[square] = 0
            pos.square[piece] = CAPTURED
            pos.rank_bits[lookup.rank_of[square]] = 0
            pos.file_bits[lookup.file_of[square]] = 0
    pos.material = 0
    pos.height = 0
    for side in range(2):
        square = load_byte(a.king_spots + 2 * (at // e.king_weight % KING_PAIRS) + side)
        put_piece(pos, lookup, int64(16) << side, square)
    for group in range(e.groups):
        side = int64(e.side[group])
        piece = (16 << side) + int64(e.first_slot[group])
        count = int64(e.count[group])
        spot = a.spots[group] + at // e.weight[group] % e.placements[group] * count
        for j in range(count):
            square = load_byte(spot + j)
            if pos.board[square] != 0:
                return 0
            put_piece(pos, lookup, piece + j, square)
    return 1


@inner(int64(POSITION, ANALYSIS))
def value_after_capture(pos: Record, a: Record) -> int:
    """Return the code of a position of a smaller ending, 0 where neither side can win."""
    for i in range(a.smaller):
        if a.smaller_material[i] == pos.material:
            strong = a.smaller_strong[i]
            e = indexing_at(a.smaller_indexing[i])
            return load_byte(a.smaller_values[i] + (pos.turn ^ strong) * e.entries + index(pos, e, strong))
    return 0


@inner(int64(POSITION, WORK, LOOKUP, INDEXING, ANALYSIS, int64))
def expand(pos: Record, work: Record, lookup: Record, e: Record, a: Record, wanted: int) -> int:
    """Return the code of a position by the codes of its successors.

    `wanted`: ALL; LOSSES, 0 for anything else; or CAPTURES: a win by a capture, a loss if all moves are captures.
    """
    end = generate_legal(pos, work, lookup, int64(0), int64(ALL_MOVES), checks_and_pins(pos, lookup))
    theirs = a.values + (pos.turn ^ 1) * e.entries
    soonest, latest = int64(ILLEGAL), int64(0)
    is_lost = True
    for i in range(end):
        move = int64(work.moves[i])
        target = move >> 7
        if pos.board[target] != 0:
            do_move(pos, lookup, move)
            code = value_after_capture(pos, a)
            undo_move(pos, lookup)
        elif wanted == CAPTURES:
            is_lost = False
            continue
        else:
            piece = int64(pos.board[move & 127])
            pos.square[piece] = target
            code = load_byte(theirs + index(pos, e, int64(0)))
            pos.square[piece] = move & 127
        if code & 1:
            soonest = min(soonest, code)
        if code == 0 or code & 1:
            is_lost = False
            if wanted == LOSSES:
                return 0
        else:
            latest = max(latest, code)
    if soonest < ILLEGAL:
        return soonest + 1
    return latest + 1 if is_lost else 0


@entry(void(POSITION, WORK, LOOKUP, INDEXING, ANALYSIS, int64, int64))
def initialise(pos: Record, work: Record, lookup: Record, e: Record, a: Record, first: int, end: int) -> None:
    """Mark the illegal among positions first..end-1; the codes that captures give to the others become due."""
    for at in range(first, end):
        stands = place(pos, lookup, e, a, at)
        for turn in range(2):
            cell = turn * e.entries + at
            pos.turn = turn
            code = int64(0)
            if stands == 0 or is_attacked(pos, lookup, int64(pos.square[32 >> turn]), turn ^ 1) == 1:
                store_byte(a.values + cell, int64(ILLEGAL))
            else:
                store_byte(a.values + cell, int64(0))
                code = expand(pos, work, lookup, e, a, int64(CAPTURES))
                a.furthest = max(a.furthest, code)
            store_byte(a.due + cell, code)


@inner(int64(POSITION, LOOKUP, INDEXING))
def twin(pos: Record, lookup: Record, e: Record) -> int:
    """Return the number of the mirrored position; it differs only where both kings stand on the middle file."""
    number = int64(0)
    for way in range(2):
        for piece in range(16, 48):
            square = int64(pos.square[piece])
            if square < CAPTURED:
                pos.square[piece] = square + 8 - 2 * int64(lookup.file_of[square])
        if way == 0:
            number = index(pos, e, int64(0))
    return number


@inner(void(POSITION, WORK, LOOKUP, INDEXING, ANALYSIS, int64, int64, int64))
def step_back(
    pos: Record, work: Record, lookup: Record, e: Record, a: Record, piece: int, origin: int, code: int
) -> None:
    """Settle the position before `piece` moved from `origin`, if the code after the move decides it."""
    if pos.board[origin] != 0:
        return
    target = int64(pos.square[piece])
    pos.square[piece] = origin
    at = index(pos, e, int64(0))
    # A king that leaves the middle file does so from both of the mirrored positions there.
    other = at
    if lookup.file_of[pos.square[16]] == 4 and lookup.file_of[pos.square[32]] == 4:
        other = twin(pos, lookup, e)
    pos.square[piece] = target
    cell = pos.turn * e.entries + at
    if at < 0 or load_byte(a.values + cell) != 0:
        return
    if code & 1:
        code += 1
        store_byte(a.values + cell, code)
        store_byte(a.values + pos.turn * e.entries + other, code)
    else:
        if load_byte(a.due + cell) != 0:
            return
        do_move(pos, lookup, target | origin << 7)
        pos.turn ^= 1
        code = expand(pos, work, lookup, e, a, int64(LOSSES))
        pos.turn ^= 1
        undo_move(pos, lookup)
        store_byte(a.due + cell, code)
        store_byte(a.due + pos.turn * e.entries + other, code)
    a.furthest = max(a.furthest, code)


@inner(void(POSITION, WORK, LOOKUP, INDEXING, ANALYSIS, int64))
def look_back(pos: Record, work: Record, lookup: Record, e: Record, a: Record, code: int) -> None:
    """Settle the predecessors, by quiet moves, of the position on the board, which has this code."""
    pos.turn ^= 1
    base = 16 << pos.turn
    for slot in range(16):
        square = int64(pos.square[base + slot])
        if square >= CAPTURED:
            continue
        piece = base + slot
        if slot == 0:
            i = square * 5
            while lookup.king_steps[i] >= 0:
                step_back(pos, work, lookup, e, a, piece, int64(lookup.king_steps[i]), code)
                i += 1
        elif slot <= 2:
            i = square * 5
            while lookup.advisor_steps[i] >= 0:
                step_back(pos, work, lookup, e, a, piece, int64(lookup.advisor_steps[i]), code)
                i += 1
        elif slot <= 4:
            i = square * 9
            while lookup.elephant_steps[i] >= 0:
                if pos.board[lookup.elephant_steps[i + 1]] == 0:
                    step_back(pos, work, lookup, e, a, piece, int64(lookup.elephant_steps[i]), code)
                i += 2
        elif slot <= 6:
            i = square * 17
            while lookup.horse_steps[i] >= 0:
                origin = int64(lookup.horse_steps[i])
                if pos.board[lookup.horse_leg[square * 91 + origin]] == 0:
                    step_back(pos, work, lookup, e, a, piece, origin, code)
                i += 2
        elif slot <= 10:
            for step in (-9, -1, 1, 9):
                origin = square + step
                while origin >= 0 and origin < 90 and pos.board[origin] == 0:
                    if (step == 1 or step == -1) and lookup.rank_of[origin] != lookup.rank_of[square]:
                        break
                    step_back(pos, work, lookup, e, a, piece, origin, code)
                    origin += step
        else:
            behind = square - 9 if pos.turn == 0 else square + 9
            if behind >= 0 and behind < 90:
                step_back(pos, work, lookup, e, a, piece, behind, code)
            if (square >= 45) == (pos.turn == 0):
                if lookup.file_of[square] > 0:
                    step_back(pos, work, lookup, e, a, piece, square - 1, code)
                if lookup.file_of[square] < 8:
                    step_back(pos, work, lookup, e, a, piece, square + 1, code)
    pos.turn ^= 1


@entry(void(POSITION, WORK, LOOKUP, INDEXING, ANALYSIS, int64, int64, int64))
def run_pass(pos: Record, work: Record, lookup: Record, e: Record, a: Record, code: int, first: int, end: int) -> None:
    """Settle those positions of first..end-1 that have this code, and look back from each."""
    for turn in range(2):
        for at in range(first, end):
            cell = turn * e.entries + at
            value = load_byte(a.values + cell)
            if value == 0 and load_byte(a.due + cell) == code:
                value = code
                store_byte(a.values + cell, code)
            if value == code:
                a.settled += 1
                place(pos, lookup, e, a, at)
                pos.turn = turn
                look_back(pos, work, lookup, e, a, code)


@entry(void(POSITION, WORK, LOOKUP, INDEXING, ANALYSIS, int64, int64))
def check_values(pos: Record, work: Record, lookup: Record, e: Record, a: Record, first: int, end: int) -> None:
    """Compare each code of positions first..end-1 with that by its successors; set a.failed to the first wrong one."""
    for at in range(first, end):
        stands = place(pos, lookup, e, a, at)
        for turn in range(2):
            pos.turn = turn
            value = load_byte(a.values + turn * e.entries + at)
            if stands == 0 or is_attacked(pos, lookup, int64(pos.square[32 >> turn]), turn ^ 1) == 1:
                right = int64(ILLEGAL)
            else:
                right = expand(pos, work, lookup, e, a, int64(ALL))
            if value != right and a.failed < 0:
                a.failed = at


class Overflow(Exception):
    """A distance longer than a code can hold."""


class RetrogradeAnalysis:
    """The analysis of one ending; `smaller` has the values of all that captures lead to."""

    def __init__(self, signature: MaterialSignature, smaller: Mapping[MaterialSignature, Values]) -> None:
        self.signature = signature
        self._numbering = number(signature)
        self.size = int(self._numbering.entries)
        self.values: Values = np.empty((2, self.size), np.uint8)
        self._due: Values = np.empty((2, self.size), np.uint8)
        self._a = new_record(ANALYSIS_DTYPE)
        self._a.values, self._a.due = address_of(self.values), address_of(self._due)
        self._a.failed = -1
        self._spots = [placements(self._numbering, group) for group in range(int(self._numbering.groups))]
        self._a.spots[: len(self._spots)] = [address_of(spots) for spots in self._spots]
        self._king_spots = np.array(king_pairs(), np.uint8)
        self._a.king_spots = address_of(self._king_spots)
        others = sorted(signature.after_captures())
        self._smaller = {other: smaller[other] for other in others}
        self._smaller_numberings = np.zeros(len(others), INDEXING_DTYPE)
        for i, (other, values) in enumerate(self._smaller.items()):
            self._smaller_numberings[i] = number(other)
            for strong in (0, 1):
                self._add(material_of(other, strong), strong, i, values)
        self._pos = new_record(POSITION_DTYPE)
        self._pos.board[BLOCKED] = 1
        self._pos.square[:] = CAPTURED
        self._work = new_record(WORK_DTYPE)

    def _add(self, word: int, strong: int, numbering: int, values: Values) -> None:
        a, i = self._a, int(self._a.smaller)
        a.smaller_material[i], a.smaller_strong[i] = word, strong
        a.smaller_indexing[i] = address_of(self._smaller_numberings[numbering:])
        a.smaller_values[i] = address_of(values)
        a.smaller += 1

    def run(self, report: Callable[[str, float], None]) -> None:
        """Fill `values`; `report` gets the name of the pass and the share of it that is done."""
        self._each(initialise, partial(report, "captures"))
        code = 1
        while code <= self._a.furthest:
            if code > LONGEST:
                raise Overflow(f"{self.signature}: longer than {LONGEST} plies")
            self._each(run_pass, partial(report, f"{code - 1} plies"), code)
            code += 1

    def check(self, report: Callable[[str, float], None]) -> int:
        """Return the first number whose code differs from what its successors give, -1 if there is none."""
        self._each(check_values, partial(report, "check"))
        return int(self._a.failed)

    def _each(self, kernel: Any, report: Callable[[float], None], *words: int) -> None:
        for first in range(0, self.size, CHUNK):
            report(first / self.size)
            end = min(first + CHUNK, self.size)
            kernel(self._pos, self._work, LOOKUP_RECORD, self._numbering, self._a, *words, first, end)


def build_order(signatures: list[MaterialSignature]) -> Iterator[MaterialSignature]:
    """Yield the endings and all that captures lead to, smaller ones first."""
    seen: set[MaterialSignature] = set()

    def visit(signature: MaterialSignature) -> Iterator[MaterialSignature]:
        if signature not in seen:
            seen.add(signature)
            for other in sorted(signature.after_captures()):
                yield from visit(other)
            yield signature

    for signature in signatures:
        yield from visit(signature)
