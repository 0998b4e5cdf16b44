"""The pattern book: what the endgame manuals say of forces and how they stand ("a horse beats a lone advisor").

Paper 5's step 2 asks a base of known positions before it searches; here an entry stands for a class of them. The source
is a text that people read, books/xiangqi-patterns.txt, an entry a line:

    N* - A = win | 马必胜单士 | practical endgames, horse and pawn, no. 12
    P* - ; P.rank <= 8 = win | ...

Letters as in names of endings (numbering.py), the side that presses first; `*` stands for any advisors and elephants
beside those named. Conditions, with commas between, compare for every piece of a letter (small ones are the other
side's), or for `some` piece of it, its `rank` from the pressing side's back rank (0) to the other's (9), or its `side`,
files off the middle (0-4). The first entry whose conditions hold counts.
"""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np

from games.books.book import BookError
from games.files import read_bytes
from games.kernel.hashing import hash16
from games.kernel.intrinsics import pointer_to
from games.kernel.jit import Record, entry, inner, int64, record, record_type, void
from games.kernel.memory import address_of
from games.xiangqi.evaluation.weights import KINDS
from games.xiangqi.knowledge.numbering import ORDER, Ending, material_of
from games.xiangqi.rules.lookup import CAPTURED, KIND_OF_SLOT, LOOKUP, LOOKUP_RECORD
from games.xiangqi.rules.position import POSITION

DRAWN, WON = 1, 2
"""What `match` finds: nobody wins; the side that presses does."""

RESULTS = {"draw": DRAWN, "win": WON}
ATTRIBUTES = ("rank", "side")

MOST_BYTES = 1 << 18
"""Of a source; the shipped one has 14,000."""

_SLOTS = 1 << 14
_MAX_ENTRIES = 512
_MAX_CONDITIONS = 512

PATTERNS_DTYPE = record(
    [
        # A hash table by pos.material, open addressing; 0 is free. The same material may stand in it more than once.
        ("material", "i8", _SLOTS),
        ("pressing", "u1", _SLOTS),  # colour
        ("entry", "u2", _SLOTS),
        ("result", "u1", _MAX_ENTRIES),
        ("first_condition", "u2", _MAX_ENTRIES + 1),
        ("is_some", "u1", _MAX_CONDITIONS),  # 1 if one piece is enough
        ("is_other", "u1", _MAX_CONDITIONS),  # whose pieces: 1 the other side's
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
def holds(pos: Record, lookup: Record, p: Record, at: int, pressing: int) -> int:
    """1 if all conditions of an entry hold."""
    for c in range(int64(p.first_condition[at]), int64(p.first_condition[at + 1])):
        piece = (16 << (pressing ^ int64(p.is_other[c]))) + int64(p.first_slot[c])
        fitting, others = 0, 0
        for slot in range(int64(p.slots[c])):
            square = int64(pos.square[piece + slot])
            if square < CAPTURED:
                value = abs(int64(lookup.file_of[square]) - 4)
                if p.attribute[c] == 0:
                    value = int64(lookup.rank_of[square])
                    if pressing == 1:
                        value = 9 - value
                if value < p.low[c] or value > p.high[c]:
                    others += 1
                else:
                    fitting += 1
        if (fitting == 0) if p.is_some[c] == 1 else (others > 0):
            return 0
    return 1


@inner(int64(POSITION, LOOKUP, int64, int64))
def match(pos: Record, lookup: Record, patterns: int, pressing: int) -> int:
    """The first entry that fits with this colour pressing, as `result | entry << 2`; 0 if none does."""
    p = patterns_at(patterns)
    slot = hash16(pos.material) & _SLOTS - 1
    while p.material[slot] != 0:
        if p.material[slot] == pos.material and p.pressing[slot] == pressing:
            at = int64(p.entry[slot])
            if holds(pos, lookup, p, at, pressing) == 1:
                return int64(p.result[at]) | at << 2
        slot = slot + 1 & _SLOTS - 1
    return 0


@entry(int64(POSITION, LOOKUP, int64, int64))
def _match(pos: Record, lookup: Record, patterns: int, pressing: int) -> int:
    return match(pos, lookup, patterns, pressing)


@entry(void(PATTERNS, int64, int64, int64))
def _insert(p: Record, material: int, pressing: int, at: int) -> None:
    slot = hash16(material) & _SLOTS - 1
    while p.material[slot] != 0:
        slot = slot + 1 & _SLOTS - 1
    p.material[slot] = material
    p.pressing[slot] = pressing
    p.entry[slot] = at


class Condition(NamedTuple):
    """`low <= attribute <= high` for every piece of the letter, or for some."""

    is_some: bool
    letter: str  # capital: of the pressing side
    attribute: str
    low: int
    high: int


class Pattern(NamedTuple):
    """An entry of the book."""

    pressing: str  # letters, perhaps with `*`
    other: str
    conditions: tuple[Condition, ...]
    result: int
    name: str
    source: str

    @property
    def result_word(self) -> str:
        """For the pressing side."""
        return "draw" if self.result == DRAWN else "win"

    @property
    def claim(self) -> str:
        """As the source has it, but for the form of conditions."""
        asked = ", ".join(
            f"{'some ' * is_some}{low}<={letter}.{name}<={high}" for is_some, letter, name, low, high in self.conditions
        )
        return f"{self.pressing} - {self.other}{'; ' * bool(asked)}{asked} = {self.result_word}"

    def materials(self) -> list[Ending]:
        """What fits the letters: `Ending(pressing, other)`, not put in order."""
        return [Ending(*sides) for sides in itertools.product(_spelled(self.pressing), _spelled(self.other))]


def _spelled(letters: str) -> list[str]:
    """The sides that letters stand for."""
    if not letters.endswith("*"):
        return [letters]
    named = letters[:-1]
    more = itertools.product(range(3 - named.count("A")), range(3 - named.count("B")))
    return ["".join(sorted(named + "A" * a + "B" * b, key=ORDER.index)) for a, b in more]


_CONDITION = re.compile(r"(some\s+)?([KABNRCPkabnrcp])\.(rank|side)\s*(<=|>=|==)\s*(\d)")


def parse(path: Path) -> list[Pattern]:
    """The entries of a source; BookError names the first line that cannot be read."""
    try:
        lines = read_bytes(path, MOST_BYTES).decode().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BookError(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    found = []
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.startswith("#"):
            try:
                found.append(parse_line(line))
            except ValueError as error:
                raise BookError(f"{path}:{number}: {error}") from error
    return found


def parse_line(line: str) -> Pattern:
    """ValueError says what is wrong."""
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
    """An entry that fits a position, and the colour that presses in it."""

    entry: int
    pressing: int


class PatternBook:
    """The entries, compiled for `match`. BookError if the source cannot be used."""

    def __init__(self, path: Path) -> None:
        self.patterns = parse(path)
        conditions = [condition for pattern in self.patterns for condition in pattern.conditions]
        materials = [(at, ending) for at, pattern in enumerate(self.patterns) for ending in pattern.materials()]
        if len(self.patterns) > _MAX_ENTRIES or len(conditions) > _MAX_CONDITIONS or 4 * len(materials) > _SLOTS:
            raise BookError(f"{path}: more entries than there is room for")
        self._record = np.zeros(1, PATTERNS_DTYPE)
        p = self._record[0]
        p.result[: len(self.patterns)] = [pattern.result for pattern in self.patterns]
        counts = [len(pattern.conditions) for pattern in self.patterns]
        p.first_condition[1 : len(counts) + 1] = np.cumsum(counts)
        for c, condition in enumerate(conditions):
            kind = KINDS.index(condition.letter.lower())
            p.is_some[c], p.is_other[c] = condition.is_some, condition.letter.islower()
            p.first_slot[c], p.slots[c] = KIND_OF_SLOT.index(kind), KIND_OF_SLOT.count(kind)
            p.attribute[c] = ATTRIBUTES.index(condition.attribute)
            p.low[c], p.high[c] = condition.low, condition.high
        for at, ending in materials:
            for colour in (0, 1):
                _insert(p, material_of(ending, colour), colour, at)

    @property
    def address(self) -> int:
        """What `match` takes."""
        return address_of(self._record)

    def find(self, pos: Record) -> FittingPattern | None:
        """The first entry that fits, Red's before Black's."""
        for pressing in (0, 1):
            found = int(_match(pos, LOOKUP_RECORD, self.address, pressing))
            if found:
                return FittingPattern(found >> 2, pressing)
        return None
