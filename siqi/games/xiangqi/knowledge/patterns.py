"""The pattern book: results that endgame manuals give for pieces and their places ("a horse beats a lone advisor").

Paper 5's step 2 consults a base of known positions before it searches; here an entry stands for a class of them. The
source is a text for people, siqi/books/xiangqi-patterns.txt, one entry a line:

    N* - A = win | 马必胜单士 | practical endgames, horse and pawn, no. 12
    P* - ; P.rank <= 8 = win | ...

The letters are those of endings' names (numbering.py), the pressing side's first; `*` stands for any advisors and
elephants in addition to those named. Conditions are separated by commas; small letters are the other side's pieces. A
condition holds if every piece of its letter fulfils it, with `some` if one does. It compares a piece's `rank`, from the
pressing side's back rank (0) to the other's (9), or its `side`, the distance from the middle file (0-4). The first
entry whose conditions hold counts.
"""

from __future__ import annotations

import functools
import itertools
import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from siqi.games.books.book import BookFileError
from siqi.games.kernel.hashing import hash16
from siqi.games.kernel.intrinsics import pointer_to
from siqi.games.kernel.jit import Record, entry, inner, int64, record, record_type, void
from siqi.games.kernel.memory import address_of
from siqi.games.xiangqi.data.weights import KINDS
from siqi.games.xiangqi.knowledge.numbering import ORDER, MaterialSignature, material_of
from siqi.games.xiangqi.rules.lookup import CAPTURED, KIND_OF_SLOT, LOOKUP, LOOKUP_RECORD
from siqi.games.xiangqi.rules.position import POSITION
from siqi.system.encodings import read_text

DRAWN, WON = 1, 2
"""Results of `match`: a draw; a win of the pressing side."""

RESULTS = {"draw": DRAWN, "win": WON}
ATTRIBUTES = ("rank", "side")

MAX_BYTES = 1 << 18
"""Most bytes of a source; the shipped one has 14,000."""

_SLOTS = 1 << 14
_MAX_ENTRIES = 512
_MAX_CONDITIONS = 512

PATTERNS_DTYPE = record(
    [
        # A hash table by pos.material, open addressing; 0 is free. A material may have several slots.
        ("material", "i8", _SLOTS),
        ("pressing", "u1", _SLOTS),  # colour
        ("entry", "u2", _SLOTS),
        ("result", "u1", _MAX_ENTRIES),
        ("first_condition", "u2", _MAX_ENTRIES + 1),
        ("is_some", "u1", _MAX_CONDITIONS),  # 1 if one piece suffices
        ("is_other", "u1", _MAX_CONDITIONS),  # 1 for the other side's pieces
        ("first_slot", "u1", _MAX_CONDITIONS),
        ("slots", "u1", _MAX_CONDITIONS),
        ("attribute", "u1", _MAX_CONDITIONS),
        ("low", "i1", _MAX_CONDITIONS),
        ("high", "i1", _MAX_CONDITIONS),
    ]
)
PATTERNS = record_type(PATTERNS_DTYPE)
patterns_at = pointer_to(PATTERNS)


@inner(int64(POSITION, LOOKUP, PATTERNS, int64, int64))
def holds(pos: Record, lookup: Record, pattern_book: Record, at: int, pressing: int) -> int:
    """Return 1 if all conditions of an entry hold, else 0."""
    for c in range(int64(pattern_book.first_condition[at]), int64(pattern_book.first_condition[at + 1])):
        piece = (16 << (pressing ^ int64(pattern_book.is_other[c]))) + int64(pattern_book.first_slot[c])
        fitting, others = 0, 0
        for slot in range(int64(pattern_book.slots[c])):
            square = int64(pos.square[piece + slot])
            if square < CAPTURED:
                value = abs(int64(lookup.file_of[square]) - 4)
                if pattern_book.attribute[c] == 0:
                    value = int64(lookup.rank_of[square])
                    if pressing == 1:
                        value = 9 - value
                if value < pattern_book.low[c] or value > pattern_book.high[c]:
                    others += 1
                else:
                    fitting += 1
        if (fitting == 0) if pattern_book.is_some[c] == 1 else (others > 0):
            return 0
    return 1


@inner(int64(POSITION, LOOKUP, int64, int64))
def match(pos: Record, lookup: Record, patterns: int, pressing: int) -> int:
    """Return the first entry that fits with this colour pressing, as `result | entry << 2`; 0 if none does.

    `patterns`: address of a PATTERNS.
    """
    pattern_book = patterns_at(patterns)
    slot = hash16(pos.material) & _SLOTS - 1
    while pattern_book.material[slot] != 0:
        if pattern_book.material[slot] == pos.material and pattern_book.pressing[slot] == pressing:
            at = int64(pattern_book.entry[slot])
            if holds(pos, lookup, pattern_book, at, pressing) == 1:
                return int64(pattern_book.result[at]) | at << 2
        slot = slot + 1 & _SLOTS - 1
    return 0


@entry(int64(POSITION, LOOKUP, int64, int64))
def _match(pos: Record, lookup: Record, patterns: int, pressing: int) -> int:
    return match(pos, lookup, patterns, pressing)


@entry(void(PATTERNS, int64[:, ::1]))
def _fill(pattern_book: Record, rows: Any) -> None:
    """Fill the hash table with rows of material, pressing colour and entry."""
    for i in range(len(rows)):
        slot = hash16(rows[i, 0]) & _SLOTS - 1
        while pattern_book.material[slot] != 0:
            slot = slot + 1 & _SLOTS - 1
        pattern_book.material[slot] = rows[i, 0]
        pattern_book.pressing[slot] = rows[i, 1]
        pattern_book.entry[slot] = rows[i, 2]


class Condition(NamedTuple):
    """The condition `low <= attribute <= high`, for every piece of a letter or for some."""

    is_some: bool
    letter: str  # capital for the pressing side, small for the other
    attribute: str  # of ATTRIBUTES
    low: int
    high: int


class Pattern(NamedTuple):
    """An entry of the book."""

    pressing: str  # letters, may end in `*`
    other: str  # letters, may end in `*`
    conditions: tuple[Condition, ...]
    result: int  # DRAWN or WON
    name: str
    source: str

    @property
    def result_word(self) -> str:
        """The result for the pressing side, `draw` or `win`."""
        return "draw" if self.result == DRAWN else "win"

    @property
    def claim(self) -> str:
        """The entry as the source has it, its conditions in one form."""
        asked = ", ".join(
            f"{'some ' * is_some}{low}<={letter}.{name}<={high}" for is_some, letter, name, low, high in self.conditions
        )
        return f"{self.pressing} - {self.other}{'; ' * bool(asked)}{asked} = {self.result_word}"

    def materials(self) -> list[MaterialSignature]:
        """Return each `MaterialSignature(pressing, other)` that the letters stand for; it may be out of order."""
        return [MaterialSignature(*sides) for sides in itertools.product(_spelled(self.pressing), _spelled(self.other))]


@functools.cache
def _spelled(letters: str) -> tuple[str, ...]:
    """Return the sides that letters stand for, `*` replaced."""
    if not letters.endswith("*"):
        return (letters,)
    named = letters[:-1]
    more = itertools.product(range(3 - named.count("A")), range(3 - named.count("B")))
    return tuple("".join(sorted(named + "A" * a + "B" * b, key=ORDER.index)) for a, b in more)


_CONDITION = re.compile(r"(some\s+)?([KABNRCPkabnrcp])\.(rank|side)\s*(<=|>=|==)\s*(\d)")


def parse(path: Path) -> list[Pattern]:
    """Return the entries of a source; BookFileError names the first line that cannot be read."""
    try:
        lines = read_text(path, MAX_BYTES).splitlines()
    except (OSError, ValueError) as error:
        raise BookFileError(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    entries = []
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.startswith("#"):
            try:
                entries.append(parse_line(line))
            except ValueError as error:
                raise BookFileError(f"{path}:{number}: {error}") from error
    return entries


@functools.cache
def parse_line(line: str) -> Pattern:
    """Return the entry of a line; ValueError if it is none."""
    claim, *notes = (part.strip() for part in line.split("|"))
    left, _, result = claim.rpartition(" = ")
    sides, _, asked = left.partition(";")
    pressing, dash, other = (part.strip() for part in sides.partition("-"))
    if result not in RESULTS or not dash or len(notes) != 2:
        raise ValueError("not `letters - letters [; conditions] = win|draw | name | source`")
    for letters in (pressing, other):
        plain = letters.removesuffix("*")
        if set(plain) - set(ORDER) or "".join(sorted(plain, key=ORDER.index)) != plain or not dash:
            raise ValueError(f"not letters of {ORDER} in this order: {letters}")
        if any(plain.count(letter) > KIND_OF_SLOT.count(KINDS.index(letter.lower())) for letter in plain):
            raise ValueError(f"more than a set holds: {letters}")
    conditions = []
    for text in asked.split(","):
        if text.strip():
            compared = _CONDITION.fullmatch(text.strip())
            if compared is None:
                raise ValueError(f"not a condition: {text.strip()}")
            some, letter, attribute, operator, value = compared.groups()
            low = int(value) if operator != "<=" else 0
            high = int(value) if operator != ">=" else 9
            conditions.append(Condition(some is not None, letter, attribute, low, high))
    return Pattern(pressing, other, tuple(conditions), RESULTS[result], *notes)


class FittingPattern(NamedTuple):
    """An entry that fits a position, and the colour that presses."""

    entry: int  # index in `PatternBook.patterns`
    pressing: int  # 0 Red, 1 Black


class PatternBook:
    """The entries of a source, compiled for `match`. BookFileError if it cannot be used."""

    def __init__(self, path: Path) -> None:
        self.patterns = parse(path)
        conditions = [condition for pattern in self.patterns for condition in pattern.conditions]
        materials = [(at, signature) for at, pattern in enumerate(self.patterns) for signature in pattern.materials()]
        if len(self.patterns) > _MAX_ENTRIES or len(conditions) > _MAX_CONDITIONS or 4 * len(materials) > _SLOTS:
            raise BookFileError(f"{path}: more entries than can be stored")
        self._record = np.zeros(1, PATTERNS_DTYPE)
        pattern_book = self._record[0]
        pattern_book.result[: len(self.patterns)] = [pattern.result for pattern in self.patterns]
        counts = [len(pattern.conditions) for pattern in self.patterns]
        pattern_book.first_condition[1 : len(counts) + 1] = np.cumsum(counts)
        for c, condition in enumerate(conditions):
            kind = KINDS.index(condition.letter.lower())
            pattern_book.is_some[c], pattern_book.is_other[c] = condition.is_some, condition.letter.islower()
            pattern_book.first_slot[c], pattern_book.slots[c] = KIND_OF_SLOT.index(kind), KIND_OF_SLOT.count(kind)
            pattern_book.attribute[c] = ATTRIBUTES.index(condition.attribute)
            pattern_book.low[c], pattern_book.high[c] = condition.low, condition.high
        rows = [(material_of(signature, colour), colour, at) for at, signature in materials for colour in (0, 1)]
        _fill(pattern_book, np.array(rows, np.int64).reshape(-1, 3))

    @property
    def address(self) -> int:
        """Address of a PATTERNS, for `match`."""
        return address_of(self._record)

    def find(self, pos: Record) -> FittingPattern | None:
        """Return the first entry that fits with Red pressing, else with Black pressing; None if none does."""
        for pressing in (0, 1):
            entry = int(_match(pos, LOOKUP_RECORD, self.address, pressing))
            if entry:
                return FittingPattern(entry >> 2, pressing)
        return None
