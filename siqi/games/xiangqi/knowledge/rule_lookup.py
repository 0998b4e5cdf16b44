"""The rules of a rule book that fit a position and its history, found by a kernel.

The search needs none of this: the module is imported, and its kernel compiled, when a rule is to be played or shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import types

from siqi.games.kernel.jit import Record, entry, inner, int64
from siqi.games.xiangqi.knowledge.intent import situations_of
from siqi.games.xiangqi.knowledge.items import START_BOARD, Item, Numbering
from siqi.games.xiangqi.rules.lookup import LOOKUP, LOOKUP_RECORD
from siqi.games.xiangqi.rules.movegen import checks_and_pins, is_legal
from siqi.games.xiangqi.rules.position import MAX_HISTORY, POSITION, origin_of, target_of
from siqi.games.xiangqi.rules.symmetry import mirror_move

Array = np.ndarray[Any, Any]
NUMBERS, ROWS = types.int64[::1], types.int64[:, ::1]

RULE, WHEN, ANSWER, MIRRORED, AFTER = range(5)
"""Columns of a row: the rule's number, its situations, its answer as it is and mirrored, then all of its `after`."""

NONE = -1
"""No answer; the end of an `after`; the number of a move that no rule has."""

NO_MOVE = -1
"""In place of a move: the answer is any move of the rule's intents."""

MIDDLE_FILE = 4


def code_of(item: Item) -> int:
    """Return an item as one number, not negative."""
    return item.piece | item.captured << 6 | item.move << 12


@inner(int64(NUMBERS, int64))
def number_at(codes: Array, code: int) -> int:
    """Return the place of a code among rising codes, NONE if it is not there."""
    low, high = 0, len(codes)
    while low < high:
        middle = (low + high) // 2
        if codes[middle] < code:
            low = middle + 1
        else:
            high = middle
    return int64(low) if low < len(codes) and codes[low] == code else int64(NONE)


@inner(int64(NUMBERS, int64))
def mirrored_code(mirrored: Array, code: int) -> int:
    """Return the code of a mirrored item; `mirrored`: by number of a piece."""
    move = code >> 12
    return int64(mirrored[code & 63] | mirrored[code >> 6 & 63] << 6 | mirror_move(move) << 12)


@entry(
    int64(POSITION, LOOKUP, NUMBERS, NUMBERS, ROWS, NUMBERS, NUMBERS, NUMBERS, int64, NUMBERS, NUMBERS, NUMBERS, ROWS)
)
def find_fitting(
    pos: Record,
    lookup: Record,
    codes: Array,
    first: Array,
    rows: Array,
    number_of: Array,
    mirrored: Array,
    start: Array,
    situations: int,
    board: Array,
    past: Array,
    played: Array,
    fitting: Array,
) -> int:
    """Write number and answer of each rule that fits to `fitting`; return their number.

    The rows of the rules with an item as a move of `after` are `first[number]` to `first[number + 1]`; those without
    `after` are the last. `start`: codes of the board from which pieces have numbers; empty if they always have.
    Working memory: `board` has a place for each square, `past` for each ply, `played` for each item.

    The moves played are looked up as they are if they began on the right, and mirrored if they began on the left; both
    ways while none has left the middle file.
    """
    for square in range(90):
        board[square] = pos.board[square]
    height = int64(pos.height)
    began = int64(MIDDLE_FILE)
    for ply in range(height - 1, -1, -1):
        move, captured = int64(pos.past_move[ply]), int64(pos.past_captured[ply])
        origin, target = origin_of(move), target_of(move)
        past[ply] = number_of[board[target]] | number_of[captured] << 6 | move << 12
        board[origin], board[target] = board[target], captured
        if target % 9 != MIDDLE_FILE:
            began = target % 9
        if origin % 9 != MIDDLE_FILE:
            began = origin % 9
    for square in range(len(start)):
        if board[square] != start[square]:
            return 0
    state = checks_and_pins(pos, lookup)
    items = len(played)
    count = 0
    for turned in range(2):
        if began != MIDDLE_FILE and turned != (began < MIDDLE_FILE):
            continue
        for item in range(items):
            played[item] = 0
        last = int64(NONE)
        for ply in range(height):
            code = int64(past[ply])
            last = number_at(codes, mirrored_code(mirrored, code) if turned == 1 else code)
            if last != NONE:
                played[last] = 1
        for part in range(2):
            place = last if part == 0 else items
            if place == NONE:
                continue
            for row in range(first[place], first[place + 1]):
                fits = rows[row, WHEN] & ~situations == 0
                column = AFTER
                while fits and column < rows.shape[1] and rows[row, column] != NONE:
                    fits = played[rows[row, column]] == 1
                    column += 1
                if not fits:
                    continue
                answer = rows[row, MIRRORED if turned == 1 else ANSWER]
                move = int64(NO_MOVE)
                if answer != NONE:
                    move = answer >> 12
                    if (
                        number_of[pos.board[origin_of(move)]] != answer & 63
                        or number_of[pos.board[target_of(move)]] != answer >> 6 & 63
                        or is_legal(pos, lookup, move, state) == 0
                    ):
                        continue
                fitting[count, 0] = rows[row, RULE]
                fitting[count, 1] = move
                count += 1
    return count


class RuleKey(NamedTuple):
    """The part of a rule that decides where it fits."""

    after: tuple[Item, ...]
    when: int
    answer: Item | None


class RuleLookup:
    """Finds the rules of a book that fit. For one thread at a time."""

    def __init__(self, rules: Sequence[RuleKey], numbering: Numbering) -> None:
        self._numbering = numbering
        items = sorted({item for rule in rules for item in rule.after}, key=code_of)
        number = {item: place for place, item in enumerate(items)}
        places: list[list[int]] = [[] for _ in range(len(items) + 1)]
        for place, rule in enumerate(rules):
            for last in dict.fromkeys(rule.after):
                places[number[last]].append(place)
            if not rule.after:
                places[-1].append(place)
        self._first = np.cumsum([0, *map(len, places)], dtype=np.int64)
        longest = max((len(rule.after) for rule in rules), default=0)
        self._rows = np.full((int(self._first[-1]), AFTER + longest), NONE, np.int64)
        for row, place in enumerate(place for group in places for place in group):
            rule = rules[place]
            self._rows[row, :ANSWER] = place, rule.when
            if rule.answer is not None:
                self._rows[row, ANSWER:AFTER] = code_of(rule.answer), code_of(numbering.mirror(rule.answer))
            self._rows[row, AFTER : AFTER + len(rule.after)] = [number[item] for item in rule.after]
        self._codes = np.array([code_of(item) for item in items], np.int64)
        self._number_of = np.array(numbering.number_of, np.int64)
        self._mirrored = np.array(numbering.mirrored, np.int64)
        self._start = np.array(START_BOARD if numbering.needs_start else (), np.int64)
        self._board, self._past, self._played = (np.zeros(size, np.int64) for size in (90, MAX_HISTORY, len(items)))
        self._fitting = np.zeros((2 * len(self._rows), 2), np.int64)
        self._has_situations = bool(self._rows[:, WHEN].any())

    def find(self, pos: Record) -> Iterator[tuple[int, int]]:
        """Yield number and answer of each rule that fits, the unmirrored first; NO_MOVE: a move of its intents."""
        count = find_fitting(
            pos,
            LOOKUP_RECORD,
            self._codes,
            self._first,
            self._rows,
            self._number_of,
            self._mirrored,
            self._start,
            situations_of(pos) if self._has_situations else 0,
            self._board,
            self._past,
            self._played,
            self._fitting,
        )
        yield from self._fitting[:count].tolist()
