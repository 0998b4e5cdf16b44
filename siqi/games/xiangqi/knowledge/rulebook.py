"""The rule book: "after these moves, in such a position, answer so", mined from games.

`siqi rules mine` mined the shipped one; mining.py mines the user's own during play. Apriori (Jiang, Chen,
Tang 2004, sections 2 and 4) finds two kinds of rules. One kind knows moves only: once all moves of `after` have been
played, in any order and one of them as the last move, `answer` follows. The other kind looks at the position as well:
the situations `when` (situation.py) must hold, and the answer may be any move of certain intents (intent.py). Games
are mirrored so that they begin on the right wing; a rule fits the mirrored game as well.

The header's `items` names the numbering of the pieces (items.py), `kind` if it is missing.
"""

from __future__ import annotations

import copy
import functools
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import msgspec
import numpy as np

from siqi.games.books.book import BookFileError, open_book, write_book
from siqi.games.kernel.hashing import hash16
from siqi.games.kernel.intrinsics import pointer_to
from siqi.games.kernel.jit import Record, entry, inner, int64, record, record_type, void
from siqi.games.kernel.memory import address_of
from siqi.games.xiangqi.knowledge.items import BY_KIND, NUMBERINGS, Item, Numbering, histories
from siqi.games.xiangqi.knowledge.situation import describe_lasting
from siqi.games.xiangqi.rules.lookup import LOOKUP, LOOKUP_RECORD
from siqi.games.xiangqi.rules.position import MAX_HISTORY, POSITION, make_move, origin_of
from siqi.system.files import Owns

if TYPE_CHECKING:
    from siqi.games.xiangqi.knowledge.rule_lookup import RuleLookup

KIND, VERSION = "xiangqi-rules", 1

MAX_BYTES = 1 << 22
"""Most bytes of a rule book; the shipped one has 140,000."""

MAX_AFTER = 8
"""Most moves of an antecedent; those shipped have 2 at most."""

DEFAULT_PLIES = 40
"""Plies at the start of each game from which rules are mined, where the header names no other number."""

_ALL_BITS = (1 << 62) - 1


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
        """True if all numbers are within their range; `Numbering.is_sound` judges the moves."""
        is_short = len(self.after) <= MAX_AFTER and self.games >= 0
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
    """A position that the rule book accepts."""

    record: Record

    def legal_moves(self) -> list[int]: ...


class RuleBook:
    """An open rule book. BookFileError if the file cannot be used.

    `numbering`: of its items. `plies`: of each game from which its rules were mined; 0: whole games.
    """

    def __init__(self, path: Path) -> None:
        book = open_book(path, KIND, VERSION, MAX_BYTES)
        self.about = book.about
        self.numbering, self.plies = _header_of(path, book.about)
        try:
            self.rules: list[MinedRule] = msgspec.msgpack.decode(book.payload.tobytes(), type=list[MinedRule])
        except (msgspec.MsgspecError, RecursionError) as error:
            raise BookFileError(f"{path}: damaged rules") from error
        for rule in self.rules:
            if not rule.is_sound:
                raise BookFileError(f"{path}: a rule with a number out of range")
        for item in dict.fromkeys(item for rule in self.rules for item in (*rule.after, rule.answer)):
            if item is not None and not self.numbering.is_sound(item):
                raise BookFileError(f"{path}: no such move: {tuple(item)}")
        self._by_last: dict[Item | None, list[MinedRule]] = {}
        for rule in self.rules:
            for last in rule.after or (None,):
                self._by_last.setdefault(last, []).append(rule)
        self._record = np.zeros(1, RULES_DTYPE)
        # For `prepare`: a row for each rule with an `answer` and each move of its antecedent, as the last one.
        self._numbers = {item: number for number, item in enumerate(item for item in self._by_last if item is not None)}
        rows = [
            (rule, last, rule.answer) for last, rules in self._by_last.items() for rule in rules if last and rule.answer
        ]
        lacking = [[self._numbers[item] for item in rule.after if item != last] for rule, last, _ in rows]
        longest = max(map(len, lacking), default=0)
        self._lacking = np.array([row + [-1] * (longest - len(row)) for row in lacking], int).reshape(
            len(rows), longest
        )
        self._when = np.array([rule.when for rule, _, _ in rows], np.int64)
        self._confidence = np.array([round(1000 * rule.confidence) for rule, _, _ in rows], np.int64)
        self._last_numbers = np.array([self._numbers[last] for _, last, _ in rows], np.int64)
        moves = [(last, answer) for _, last, answer in rows]
        mirror = functools.cache(self.numbering.mirror)
        mirrored = [(mirror(last), mirror(answer)) for last, answer in moves]
        self._sides = [_Rows.of(side, self.numbering) for side in (moves, mirrored)]

    @functools.cached_property
    def _lookup(self) -> RuleLookup:
        # Late: only a rule that is played or shown needs the kernel.
        from siqi.games.xiangqi.knowledge.rule_lookup import RuleKey, RuleLookup

        return RuleLookup([RuleKey(rule.after, rule.when, rule.answer) for rule in self.rules], self.numbering)

    def twin(self) -> RuleBook:
        """Return a book of the same rules, which may be prepared for a search beside one with this book."""
        twin = copy.copy(self)
        twin._record = np.zeros(1, RULES_DTYPE)
        twin.__dict__.pop("_lookup", None)  # it is for one thread
        return twin

    def answers(self, position: RulePosition) -> list[FittingRule]:
        """Return the rules with an answer that fit a position and its history, by falling confidence."""
        fits = [fit for fit in self._fits(position) if fit.moves]
        return fits if len(fits) < 2 else _by_confidence(fits)

    def fitting(self, position: RulePosition) -> list[FittingRule]:
        """Return the rules that fit a position and its history, those of intents too, by falling confidence."""
        from siqi.games.xiangqi.knowledge.intent import intents_of  # late, as for `_lookup`

        intents: dict[int, int] = {}
        fits = []
        for fit in self._fits(position):
            if fit.moves:
                fits.append(fit)
                continue
            intents = intents or {move: intents_of(position.record, move) for move in position.legal_moves()}
            moves = tuple(move for move, has in intents.items() if not fit.rule.intents & ~has)
            if moves:
                fits.append(fit._replace(moves=moves))
        return _by_confidence(fits)

    def _fits(self, position: RulePosition) -> Iterator[FittingRule]:
        """Yield the rules that fit; those of intents without moves."""
        for number, move in self._lookup.find(position.record):
            yield FittingRule(self.rules[number], () if move < 0 else (move,))

    def _moved_by_named(self, pos: Record, past: Sequence[Item], is_mirrored: bool) -> Any:
        """Return, for each row of `prepare`, True if exactly the pieces that it names make its moves.

        The search looks one ply beyond the root: at the root a piece that moves there still stands on its origin.
        """
        numbers = np.array(self.numbering.number_of)[pos.board[:90]]
        last, answer = self._sides[is_mirrored].movers
        is_last = numbers[last[:, 1]] == last[:, 0]
        if past:
            is_last |= self._last_numbers == self._numbers.get(past[-1], -1)
        return is_last & (numbers[answer[:, 1]] == answer[:, 0])

    def prepare(self, position: RulePosition) -> int:
        """Prepare for a search the rules that one more move completes; return the address of a RULES, 0 for none.

        Rules of intents, and rules whose situations pass with the next move, are left to `fitting`.
        """
        self._record[:] = np.zeros(1, RULES_DTYPE)
        holds = self._when & ~describe_lasting(position.record, LOOKUP_RECORD) == 0
        filled = 0
        for past, is_mirrored in histories(position.record, self.numbering):
            played = np.zeros(len(self._numbers) + 1, bool)
            played[[self._numbers[item] for item in past if item in self._numbers]] = True
            played[-1] = True  # for -1, which pads the rows
            fits = holds & played[self._lacking].all(axis=1)
            if self.numbering.needs_start:
                fits &= self._moved_by_named(position.record, past, is_mirrored)
            _fill(self._record[0], self._sides[is_mirrored].keys[fits], self._confidence[fits])
            filled += int(fits.sum())
        return address_of(self._record) if filled else 0


class _Rows(NamedTuple):
    """The moves of `prepare`'s rows, as they are or mirrored."""

    keys: Any  # under which `mined_confidence` looks for an answer
    movers: Any  # [last or answer, row, piece or origin], to distinguish a piece from others of its kind

    @classmethod
    def of(cls, pairs: Sequence[tuple[Item, Item]], numbering: Numbering) -> _Rows:
        """Return the rows of pairs of last moves and answers."""
        moves: Any = np.array(pairs, np.int64).reshape(len(pairs), 2, len(Item._fields))
        codes: Any = make_move(moves[:, :, 2], moves[:, :, 3])
        kinds = np.array(numbering.kinds)[moves[:, 1, 0]]
        return cls(codes[:, 0] | codes[:, 1] << 14 | kinds << 28, moves[:, :, :3:2].swapaxes(0, 1))


def _header_of(path: Path, about: dict[str, Any]) -> tuple[Numbering, int]:
    """Return the numbering and the plies that a header names; BookFileError for invalid ones."""
    parameters = about.get("parameters", {})
    items = about.get("items", BY_KIND.name)
    plies = parameters.get("plies", DEFAULT_PLIES) if isinstance(parameters, dict) else None
    is_known = isinstance(items, str) and items in NUMBERINGS
    if not is_known or type(plies) is not int or not 0 <= plies < MAX_HISTORY:
        raise BookFileError(f"{path}: damaged header")
    return NUMBERINGS[items], plies


class FittingRule(NamedTuple):
    """A rule that fits a position, and the legal moves that are its answers."""

    rule: MinedRule
    moves: tuple[int, ...]


def _by_confidence(fits: list[FittingRule]) -> list[FittingRule]:
    return sorted(dict.fromkeys(fits), key=lambda fit: -fit.rule.confidence)


def write(path: Path, about: dict[str, Any], rules: Sequence[MinedRule], owns: Owns | None = None) -> None:
    """Write a rule book; `about` is added to its header. `owns`: what may be replaced, by default any rule book."""
    write_book(path, KIND, VERSION, about, msgspec.msgpack.encode(rules), owns)


def bit_names(names: Sequence[str], bits: int) -> list[str]:
    """Return the names of the bits that are set."""
    return [name for bit, name in enumerate(names) if bits >> bit & 1]
