"""The rule book: "after these moves, in such a position, answer so", mined from games by scripts/build/mine_rules.py.

Apriori (Jiang, Chen, Tang 2004, sections 2 and 4) finds two kinds of rules. One kind knows moves only: once all moves
of `after` have been played, in any order and one of them as the last move, `answer` follows. The other kind looks at
the position as well: the situations `when` (situation.py) must hold, and the answer may be any move of certain intents
(intent.py). Games are mirrored so that they begin on the right wing; a rule fits the mirrored game as well.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import msgspec
import numpy as np

from games.books.book import BookFileError, open_book, write_book
from games.kernel.hashing import hash16
from games.kernel.intrinsics import pointer_to
from games.kernel.jit import Record, entry, inner, int64, record, record_type, void
from games.kernel.memory import address_of
from games.xiangqi.rules.lookup import LOOKUP, LOOKUP_RECORD
from games.xiangqi.rules.notation import mirror_move, move_code, squares_of
from games.xiangqi.rules.position import POSITION, origin_of

KIND, VERSION = "xiangqi-rules", 1

MOST_BYTES = 1 << 22
"""Most bytes of a rule book; the shipped one has 140,000."""

MOST_AFTER = 8
"""Most moves of an antecedent; those shipped have 2 at most."""

_ALL_BITS = (1 << 62) - 1


class Item(NamedTuple):
    """A move as an item of Apriori (the paper's section 4.2)."""

    piece: int  # 1-7 Red's king..pawn, 8-14 Black's
    captured: int  # likewise, 0 for none
    origin: int
    target: int

    @property
    def side(self) -> int:
        """0 for a move of Red's, 1 for one of Black's."""
        return (self.piece - 1) // 7

    @property
    def move(self) -> int:
        return move_code(self.origin, self.target)

    @property
    def is_sound(self) -> bool:
        """True if all numbers are within their range."""
        return 0 < self.piece < 15 and 0 <= self.captured < 15 and 0 <= self.origin < 90 and 0 <= self.target < 90

    def mirrored(self) -> Item:
        origin, target = squares_of(mirror_move(self.move))
        return self._replace(origin=origin, target=target)


class MinedRule(msgspec.Struct, frozen=True, array_like=True):
    """A mined rule: an antecedent, its answer, and statistics. Files depend on the order of the fields."""

    after: tuple[Item, ...]
    when: int  # situations that must hold, as bits
    answer: Item | None  # None: any move that has all intents
    intents: int  # as bits, 0 with an answer
    games: int  # with this answer (positions, where there is a `when`)
    confidence: float  # share of the games with the antecedent that have the answer
    lift: float  # confidence over the share of all games that have the answer
    score: float  # mean result of the answering side in `games`, 0..1

    @property
    def is_sound(self) -> bool:
        """True if all numbers are within their range; the moves have an `is_sound` of their own."""
        is_short = len(self.after) <= MOST_AFTER and self.games >= 0
        are_bits = 0 <= self.when <= _ALL_BITS and 0 <= self.intents <= _ALL_BITS
        return is_short and are_bits and 0 < self.confidence <= 1 and 0 <= self.score <= 1 and 0 <= self.lift < math.inf


RULES_DTYPE = record(
    [
        # A hash table, open addressing, by last move | answer << 14 | its piece << 28; 0 is free.
        ("key", "i8", 4096),
        ("confidence", "i8", 4096),  # per mille
    ]
)
RULES = record_type(RULES_DTYPE)
rules_at = pointer_to(RULES)
MAX_PAIRS = 3072


@inner(int64(RULES, int64))
def find_key(rules: Record, key: int) -> int:
    """Return the slot of a key, or the free slot where it belongs."""
    slot = hash16(key) & 4095
    while rules.key[slot] != key and rules.key[slot] != 0:
        slot = slot + 1 & 4095
    return slot


@inner(int64(POSITION, LOOKUP, int64, int64))
def mined_confidence(pos: Record, lookup: Record, rules: int, move: int) -> int:
    """Return the best confidence, per mille, of prepared rules that answer the last move with `move`; 0 for none.

    `rules`: address of a RULES.
    """
    if pos.height == 0:
        return 0
    last = int64(pos.past_move[pos.height - 1])
    piece = int64(lookup.kind_of[pos.board[origin_of(move)]])
    slot = find_key(rules_at(rules), last | move << 14 | piece << 28)
    return rules_at(rules).confidence[slot]


@entry(void(RULES, int64[::1], int64[::1]))
def _fill(rules: Record, keys: Any, confidences: Any) -> None:
    for i in range(min(len(keys), MAX_PAIRS)):
        slot = find_key(rules, keys[i])
        rules.key[slot] = keys[i]
        rules.confidence[slot] = max(rules.confidence[slot], confidences[i])


class RulePosition(Protocol):
    """A position that the rule book can look at."""

    record: Record

    def legal_moves(self) -> list[int]: ...

    def situations(self) -> int:
        """Return the situations of the position (situation.py) as bits."""

    def lasting_situations(self) -> int:
        """Return the situations that do not pass with the next move."""

    def intents(self, move: int) -> int:
        """Return the intents of a legal move (intent.py) as bits."""


class RuleBook:
    """An open rule book. BookFileError if the file cannot be used."""

    def __init__(self, path: Path) -> None:
        book = open_book(path, KIND, VERSION, MOST_BYTES)
        self.about = book.about
        try:
            self.rules: list[MinedRule] = msgspec.msgpack.decode(book.payload.tobytes(), type=list[MinedRule])
        except (msgspec.MsgspecError, RecursionError) as error:
            raise BookFileError(f"{path}: {error}") from error
        for rule in self.rules:
            if not rule.is_sound:
                raise BookFileError(f"{path}: a rule with a number out of range")
            for item in (*rule.after, rule.answer):
                if item is not None and not item.is_sound:
                    raise BookFileError(f"{path}: no such move: {tuple(item)}")
        self._by_last: dict[Item | None, list[MinedRule]] = {}
        for rule in self.rules:
            for last in rule.after or (None,):
                self._by_last.setdefault(last, []).append(rule)
        self._record = np.zeros(1, RULES_DTYPE)
        # For `prepare`: a row for each rule with an `answer` and each move of its antecedent, as the last one.
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
        """Return the rules that fit a position and its history, by falling confidence."""
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
        """Prepare for a search the rules that one more move completes; return the address of a RULES, 0 for none.

        Rules of intents, and rules whose situations pass with the next move, are left to `fitting`.
        """
        self._record[:] = np.zeros(1, RULES_DTYPE)
        holds = self._when & ~position.lasting_situations() == 0
        filled = 0
        for past, is_mirrored in histories(position.record):
            played = np.zeros(len(self._numbers) + 1, bool)
            played[[self._numbers[item] for item in past if item in self._numbers]] = True
            played[-1] = True  # for -1, which pads the rows
            fits = holds & played[self._lacking].all(axis=1)
            _fill(self._record[0], self._keys[is_mirrored][fits], self._confidence[fits])
            filled += int(fits.sum())
        return address_of(self._record) if filled else 0


def _key(last: Item, answer: Item, mirror: bool) -> int:
    """Return the key under which `mined_confidence` looks for an answer."""
    if mirror:
        last, answer = last.mirrored(), answer.mirrored()
    return last.move | answer.move << 14 | answer.piece << 28


class FittingRule(NamedTuple):
    """A rule that fits a position, and the legal moves that are its answers."""

    rule: MinedRule
    moves: tuple[int, ...]


def item_of(pos: Record, move: int) -> Item:
    """Return the item of a move that is not played yet."""
    kinds = LOOKUP_RECORD.kind_of
    origin, target = squares_of(move)
    return Item(int(kinds[pos.board[origin]]), int(kinds[pos.board[target]]), origin, target)


def items_played(pos: Record) -> list[Item]:
    """Return the moves that led to a position, first to last."""
    kinds = LOOKUP_RECORD.kind_of
    board = pos.board.copy()
    found = []
    for height in range(int(pos.height) - 1, -1, -1):
        move, captured = int(pos.past_move[height]), int(pos.past_captured[height])
        origin, target = squares_of(move)
        found.append(Item(int(kinds[board[target]]), int(kinds[captured]), origin, target))
        board[origin], board[target] = board[target], captured
    return found[::-1]


def begins_left(items: Sequence[Item]) -> bool | None:
    """Return True if the first square off the middle file is on the left; None if there is none."""
    squares = (square % 9 for item in items for square in (item.origin, item.target))
    return next((file < 4 for file in squares if file != 4), None)


def histories(pos: Record) -> Iterator[tuple[list[Item], bool]]:
    """Yield the moves that led to a position, and True if they are mirrored.

    They are mirrored if they began on the left, and yielded both ways while no move has left the middle file.
    """
    items = items_played(pos)
    began_left = begins_left(items)
    if not began_left:
        yield items, False
    if began_left is not False:
        yield [item.mirrored() for item in items], True


def write(path: Path, about: dict[str, Any], rules: Sequence[MinedRule]) -> None:
    """Write a rule book; `about` is added to its header."""
    write_book(path, KIND, VERSION, about, msgspec.msgpack.encode(rules))


def bit_names(names: Sequence[str], bits: int) -> list[str]:
    """Return the names of the bits that are set."""
    return [name for bit, name in enumerate(names) if bits >> bit & 1]
