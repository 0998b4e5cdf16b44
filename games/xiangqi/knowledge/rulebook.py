"""The rule base: "after these moves, in such a position, answer so", mined from games by scripts/build/mine_rules.py.

Rules come from Apriori (Jiang, Chen, Tang 2004, sections 2 and 4) in two kinds. One knows moves only: when all moves of
`after` have been played, in any order and the last of them just now, comes `answer`. The other looks at the position
too: the situations `when` hold (situation.py), and the answer may be any move of an intent. Games are seen so that they
begin on the right wing; a rule fits the mirrored game as well.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import msgspec
import numpy as np

from games.books.book import BookError, open_book, write_book
from games.kernel.hashing import hash16
from games.kernel.intrinsics import pointer_to
from games.kernel.jit import Record, entry, inner, int64, record, record_type, void
from games.kernel.memory import address_of
from games.xiangqi.rules.lookup import LOOKUP, LOOKUP_RECORD
from games.xiangqi.rules.notation import mirror_move
from games.xiangqi.rules.position import POSITION

KIND, VERSION = "xiangqi-rules", 1

MOST_BYTES = 1 << 22
"""Of a rule base; the shipped one has 140,000."""

MOST_AFTER = 8
"""Moves of an antecedent; those shipped have 2 at most."""

_ALL_BITS = (1 << 62) - 1


class Item(NamedTuple):
    """A move as the paper names it (section 4.2). Kinds: 0 none, 1-7 Red's, 8-14 Black's."""

    piece: int
    captured: int
    origin: int
    target: int

    @property
    def side(self) -> int:
        return (self.piece - 1) // 7

    @property
    def move(self) -> int:
        return self.origin | self.target << 7

    @property
    def is_sound(self) -> bool:
        """True if all numbers are within their range."""
        return 0 < self.piece < 15 and 0 <= self.captured < 15 and 0 <= self.origin < 90 and 0 <= self.target < 90

    def mirrored(self) -> Item:
        move = mirror_move(self.move)
        return self._replace(origin=move & 127, target=move >> 7)


class MinedRule(msgspec.Struct, frozen=True, array_like=True):
    """What the games say of one answer."""

    after: tuple[Item, ...]
    when: int  # situations, bits
    answer: Item | None  # None: any move of the intents
    intents: int  # bits, 0 with an answer
    games: int  # (or positions, where there is a `when`) in which it was the answer
    confidence: float  # their share of those where the antecedent held
    lift: float
    score: float  # points of the answering side in them, a draw counts half

    @property
    def is_sound(self) -> bool:
        """True if all numbers are within their range; whether the moves are is not looked at."""
        is_short = len(self.after) <= MOST_AFTER and self.games >= 0
        are_bits = 0 <= self.when <= _ALL_BITS and 0 <= self.intents <= _ALL_BITS
        return is_short and are_bits and 0 < self.confidence <= 1 and 0 <= self.score <= 1 and 0 <= self.lift < math.inf


RULES_DTYPE = record(
    [
        # What the search asks, open addressing: move just played | answer << 14 | its piece << 28; 0 is free.
        ("key", "i8", 4096),
        ("confidence", "i8", 4096),  # per mille
    ]
)
RULES = record_type(RULES_DTYPE)
rules_at = pointer_to(RULES)
MAX_PAIRS = 3072


@inner(int64(RULES, int64))
def find_key(rules: Record, key: int) -> int:
    """The slot of a key, or the free one where it belongs."""
    slot = hash16(key) & 4095
    while rules.key[slot] != key and rules.key[slot] != 0:
        slot = slot + 1 & 4095
    return slot


@inner(int64(POSITION, LOOKUP, int64, int64))
def mined_confidence(pos: Record, lookup: Record, rules: int, move: int) -> int:
    """The confidence per mille of a rule that answers the last move with this one; 0 if there is none."""
    if pos.height == 0:
        return 0
    last = int64(pos.past_move[pos.height - 1])
    piece = int64(lookup.kind_of[pos.board[move & 127]])
    slot = find_key(rules_at(rules), last | move << 14 | piece << 28)
    return rules_at(rules).confidence[slot]


@entry(void(RULES, int64[::1], int64[::1]))
def _fill(rules: Record, keys: Any, confidences: Any) -> None:
    for i in range(min(len(keys), MAX_PAIRS)):
        slot = find_key(rules, keys[i])
        rules.key[slot] = keys[i]
        rules.confidence[slot] = max(rules.confidence[slot], confidences[i])


class RulePosition(Protocol):
    """What a position tells the rule base."""

    record: Record

    def legal_moves(self) -> list[int]: ...

    def situations(self) -> int:
        """The classes of the position (situation.py), a bit each."""

    def lasting_situations(self) -> int:
        """Those that do not pass with the next move."""

    def intents(self, move: int) -> int:
        """The classes of a legal move (intent.py), a bit each."""


class RuleBook:
    """An open rule base. BookError if it cannot be used."""

    def __init__(self, path: Path) -> None:
        book = open_book(path, KIND, VERSION, MOST_BYTES)
        self.about = book.about
        try:
            self.rules: list[MinedRule] = msgspec.msgpack.decode(book.payload.tobytes(), type=list[MinedRule])
        except (msgspec.MsgspecError, RecursionError) as error:
            raise BookError(f"{path}: {error}") from error
        for rule in self.rules:
            if not rule.is_sound:
                raise BookError(f"{path}: a rule with a number out of range")
            for item in (*rule.after, rule.answer):
                if item is not None and not item.is_sound:
                    raise BookError(f"{path}: no such move: {tuple(item)}")
        self._by_last: dict[Item | None, list[MinedRule]] = {}
        for rule in self.rules:
            for last in rule.after or (None,):
                self._by_last.setdefault(last, []).append(rule)
        self._record = np.zeros(1, RULES_DTYPE)
        # For `prepare`, a row for each rule of an answer and each move of its antecedent that could come last:
        self._numbers = {item: number for number, item in enumerate(item for item in self._by_last if item is not None)}
        rows = [
            (rule, rule.answer, last) for last, rules in self._by_last.items() for rule in rules if last and rule.answer
        ]
        lacking = [[self._numbers[item] for item in rule.after if item != last] for rule, _, last in rows]
        longest = max(map(len, lacking), default=0)
        self._lacking = np.array([row + [-1] * (longest - len(row)) for row in lacking], int).reshape(
            len(rows), longest
        )
        self._when = np.array([rule.when for rule, _, _ in rows], np.int64)
        self._confidence = np.array([round(1000 * rule.confidence) for rule, _, _ in rows], np.int64)
        self._keys = [
            np.array([_key(last, answer, mirror) for _, answer, last in rows], np.int64) for mirror in (False, True)
        ]

    def fitting(self, position: RulePosition) -> list[FittingRule]:
        """The rules that fit a position and its history, surest first."""
        items = {move: item_of(position.record, move) for move in position.legal_moves()}
        situations = position.situations()
        intents: dict[int, int] = {}
        found = []
        for past, is_mirrored in histories(position.record):
            for rule in [*self._by_last.get(past[-1] if past else None, ()), *self._by_last.get(None, ())]:
                if rule.when & ~situations or not set(past).issuperset(rule.after):
                    continue
                if rule.answer is not None:
                    wanted = rule.answer.mirrored() if is_mirrored else rule.answer
                    moves = [move for move, item in items.items() if item == wanted]
                else:
                    intents = intents or {move: position.intents(move) for move in items}
                    moves = [move for move in items if not rule.intents & ~intents[move]]
                if moves:
                    found.append(FittingRule(rule, tuple(moves)))
        return sorted(dict.fromkeys(found), key=lambda fit: -fit.rule.confidence)

    def prepare(self, position: RulePosition) -> int:
        """Ready for a search from a position the rules that lack but one move; the address of a RULES, 0 for none.

        Rules of intents, and situations that pass with the next move, are left to `fitting`.
        """
        self._record[:] = np.zeros(1, RULES_DTYPE)
        holds = self._when & ~position.lasting_situations() == 0
        filled = 0
        for past, is_mirrored in histories(position.record):
            played = np.zeros(len(self._numbers) + 1, bool)
            played[[self._numbers[item] for item in past if item in self._numbers]] = True
            played[-1] = True  # what is not asked for
            fits = holds & played[self._lacking].all(axis=1)
            _fill(self._record[0], self._keys[is_mirrored][fits], self._confidence[fits])
            filled += int(fits.sum())
        return address_of(self._record) if filled else 0


def _key(last: Item, answer: Item, mirror: bool) -> int:
    """What `mined_confidence` looks for."""
    if mirror:
        last, answer = last.mirrored(), answer.mirrored()
    return last.move | answer.move << 14 | answer.piece << 28


class FittingRule(NamedTuple):
    """A rule that fits, and the legal moves that it names."""

    rule: MinedRule
    moves: tuple[int, ...]


def item_of(pos: Record, move: int) -> Item:
    """A move about to be played."""
    kinds = LOOKUP_RECORD.kind_of
    origin, target = move & 127, move >> 7
    return Item(int(kinds[pos.board[origin]]), int(kinds[pos.board[target]]), origin, target)


def items_played(pos: Record) -> list[Item]:
    """The moves that led to a position, first to last."""
    kinds = LOOKUP_RECORD.kind_of
    board = pos.board.copy()
    found = []
    for height in range(int(pos.height) - 1, -1, -1):
        move, captured = int(pos.past_move[height]), int(pos.past_captured[height])
        origin, target = move & 127, move >> 7
        found.append(Item(int(kinds[board[target]]), int(kinds[captured]), origin, target))
        board[origin], board[target] = board[target], captured
    return found[::-1]


def begins_left(items: Sequence[Item]) -> bool | None:
    """Whether the first square off the middle file is on the left; None if there is none yet."""
    squares = (square % 9 for item in items for square in (item.origin, item.target))
    return next((file < 4 for file in squares if file != 4), None)


def histories(pos: Record) -> Iterator[tuple[list[Item], bool]]:
    """The moves that led to a position, mirrored if they began on the left, and whether they were; both if neither."""
    items = items_played(pos)
    began_left = begins_left(items)
    if not began_left:
        yield items, False
    if began_left is not False:
        yield [item.mirrored() for item in items], True


def write(path: Path, about: dict[str, Any], rules: Sequence[MinedRule]) -> None:
    """Write a rule base."""
    write_book(path, KIND, VERSION, about, msgspec.msgpack.encode(rules))


def bit_names(names: Sequence[str], bits: int) -> list[str]:
    """The names of the bits that are set."""
    return [name for bit, name in enumerate(names) if bits >> bit & 1]
