"""Endings with few pieces, and a number for each placement of their pieces: the layout of the tablebase.

An ending is named by the pieces of both sides without their kings: `RN-AABB` is a rook and a horse against a full
defence. The stronger side comes first and is seen as Red. Mirrored placements share a number: 45 of the 81 pairs of
king squares are numbered, and for the others the board is mirrored. So do placements that exchange equal pieces.
"""

from __future__ import annotations

import functools
import itertools
import math
from typing import Any, NamedTuple

import numpy as np

from siqi.games.kernel.jit import Record, inner, int64, new_record, record, record_type
from siqi.games.xiangqi.data.weights import KINDS
from siqi.games.xiangqi.rules.lookup import ADVISOR, CAPTURED, ELEPHANT, KIND_OF_SLOT, KING, LOOKUP_RECORD, PAWN
from siqi.games.xiangqi.rules.position import POSITION
from siqi.games.xiangqi.rules.symmetry import mirror_square

ORDER = "RNCPAB"
"""Letters of the pieces as names order them, attackers first."""

ATTACKERS = "RNCP"
_KIND = {letter: KINDS.index(letter.lower()) for letter in ORDER}
_UNITS: list[int] = LOOKUP_RECORD.unit.tolist()

MAX_GROUPS = 8
"""Most groups of an ending; a group is the pieces of one kind and side."""

MAX_GROUP = 3
"""Most pieces of a group: `index` sorts three squares and no more."""

MAX_ENTRIES = 1 << 33
"""Most numbers of an ending: 16 GiB of values, far more than can be built."""

NOWHERE = 255
"""Sentinel for a number: a piece of this kind never stands there."""

KING_PAIRS = 45
"""Pairs of king squares, mirrored ones counted once."""


class MaterialSignature(NamedTuple):
    """The pieces of both sides without their kings, letters in ORDER: the name of an ending."""

    strong: str
    weak: str

    @classmethod
    @functools.cache
    def parse(cls, name: str) -> MaterialSignature:
        """Return the signature of a name; ValueError if it is out of order, has no attacker or is too large."""
        strong, dash, weak = name.partition("-")
        signature = cls(strong, weak)
        if not dash or set(strong + weak) - set(ORDER):
            raise ValueError(f"not an ending: {name}")
        for side, letter in itertools.product(signature, ORDER):
            if side.count(letter) > KIND_OF_SLOT.count(_KIND[letter]):
                raise ValueError(f"more than a set holds: {name}")
        if signature.ordered() != signature or not signature.has_attacker:
            raise ValueError(f"not in order: {name}")
        largest = max(side.count(letter) for side, letter in itertools.product(signature, ORDER))
        groups = len(set(strong)) + len(set(weak))
        if largest > MAX_GROUP or groups > MAX_GROUPS or signature.entries > MAX_ENTRIES:
            raise ValueError(f"too many pieces to be numbered: {name}")
        return signature

    @property
    def entries(self) -> int:
        """The count of placements; each has a value for either side to move."""
        groups = ((side, letter) for side in (0, 1) for letter in set(self[side]))
        counts = (math.comb(len(places(_KIND[letter], side)), self[side].count(letter)) for side, letter in groups)
        return KING_PAIRS * math.prod(counts)

    def __str__(self) -> str:
        return f"{self.strong}-{self.weak}"

    @property
    def has_attacker(self) -> bool:
        """True if either side has a piece that can win."""
        return can_attack(self.strong + self.weak)

    def ordered(self) -> MaterialSignature:
        """Return the signature with the stronger side first and letters in ORDER."""
        sides = ["".join(sorted(side, key=ORDER.index)) for side in self]
        sides.sort(key=_strength, reverse=True)
        return MaterialSignature(*sides)

    def after_captures(self) -> set[MaterialSignature]:
        """Return the signatures that one capture leads to, except those without attackers."""
        signatures = set()
        for side, taker in ((0, self.weak), (1, self.strong)):
            for letter in set(self[side]):
                if letter in ATTACKERS or can_attack(taker):  # defenders stay on their own half
                    left = list(self)
                    left[side] = left[side].replace(letter, "", 1)
                    signatures.add(MaterialSignature(*left).ordered())
        return {signature for signature in signatures if signature.has_attacker}


def can_attack(letters: str) -> bool:
    return bool(set(letters) & set(ATTACKERS))


def material_of(signature: MaterialSignature, strong: int) -> int:
    """Return `pos.material` of a signature whose stronger side has the colour `strong`."""
    return _units_of(signature.strong, strong) + _units_of(signature.weak, 1 - strong)


@functools.cache
def _units_of(letters: str, colour: int) -> int:
    """Return what a side adds to `pos.material`."""
    return sum(_UNITS[7 * colour + kind + 1] for kind in (KING, *(_KIND[letter] for letter in letters)))


def letters_of(pos: Record, side: int) -> str:
    """Return the pieces of a side of a position without its king, letters in ORDER."""
    material = int(pos.material)
    return "".join(letter * (material >> 4 * (7 * side + kind + 1) & 15) for letter, kind in _KIND.items())


def _strength(side: str) -> tuple[int, ...]:
    """Return the sort key of a side: the number of attackers, then of each kind in ORDER."""
    counts = [side.count(letter) for letter in ORDER]
    return sum(counts[:4]), *counts


INDEXING_DTYPE = record(
    [
        ("entries", "i8"),  # numbers; each has two values, one for either side to move
        ("king_weight", "i8"),  # factor of the king pair's number
        ("groups", "i8"),  # groups in use
        ("side", "u1", MAX_GROUPS),  # of a group: 0 strong, 1 weak
        ("kind", "u1", MAX_GROUPS),
        ("first_slot", "u1", MAX_GROUPS),
        ("slots", "u1", MAX_GROUPS),
        ("count", "u1", MAX_GROUPS),
        ("placements", "i8", MAX_GROUPS),
        ("weight", "i8", MAX_GROUPS),  # factor of the group's number
        ("place", "u1", MAX_GROUPS * 91),  # [group, square as numbered]: number of the place, NOWHERE
        ("king_pair", "u1", 91 * 91),  # [strong, weak king, as numbered]: number, with MIRRORED; NOWHERE
        ("seen_as", "u1", 4 * 91),  # [2 * (strong side is Black) + mirrored, square]: square as numbered
    ]
)
INDEXING = record_type(INDEXING_DTYPE)
MIRRORED = 64
"""Flag in `king_pair`: the number is that of the mirrored board."""


def places(kind: int, side: int) -> list[int]:
    """Return the squares where a piece of a kind may stand; `side` is 0 for the strong side, which is seen as Red."""
    if kind == KING:
        squares = [square for square in range(27) if 3 <= square % 9 <= 5]
    elif kind == ADVISOR:
        squares = [3, 5, 13, 21, 23]
    elif kind == ELEPHANT:
        squares = [2, 6, 18, 22, 26, 38, 42]
    elif kind == PAWN:
        squares = [square for square in range(27, 90) if square >= 45 or square % 9 % 2 == 0]
    else:
        squares = list(range(90))
    return squares if side == 0 else sorted(map(_flip, squares))


def king_pairs() -> list[tuple[int, int]]:
    """Return the squares of the strong and the weak king by the number of the pair; mirrored pairs are left out."""
    pairs = itertools.product(places(KING, 0), places(KING, 1))
    return [pair for pair in pairs if pair[0] % 9 < 4 or (pair[0] % 9 == 4 and pair[1] % 9 <= 4)]


def number(signature: MaterialSignature) -> Record:
    """Return the INDEXING record by which an ending's placements are numbered."""
    layout = new_record(INDEXING_DTYPE)
    layout.king_pair[:], layout.seen_as[:] = _views()
    layout.place[:] = NOWHERE
    # Attackers vary slowest, defenders fastest: a rook and a horse against a full defence then pack to a quarter of the
    # bytes that the opposite order takes.
    attackers = [(side, letter) for side in (0, 1) for letter in ATTACKERS if letter in signature[side]]
    defenders = [(side, letter) for side in (0, 1) for letter in "BA" if letter in signature[side]]
    layout.groups = len(attackers + defenders)
    layout.entries = 1
    for group, (side, letter) in reversed(list(enumerate(attackers + defenders))):
        if group == len(attackers) - 1:
            layout.king_weight, layout.entries = layout.entries, layout.entries * KING_PAIRS
        kind, count = _KIND[letter], signature[side].count(letter)
        squares = places(kind, side)
        layout.side[group], layout.kind[group], layout.count[group] = side, kind, count
        layout.first_slot[group], layout.slots[group] = KIND_OF_SLOT.index(kind), KIND_OF_SLOT.count(kind)
        for place, square in enumerate(squares):
            layout.place[group * 91 + square] = place
        layout.placements[group] = math.comb(len(squares), count)
        layout.weight[group] = layout.entries
        layout.entries *= layout.placements[group]
    return layout


@functools.cache
def _views() -> tuple[Any, Any]:
    """Return `king_pair` and `seen_as`, alike for all endings; uncached they took a third of a file's opening time."""
    king_pair = np.full(91 * 91, NOWHERE, np.uint8)
    for code, (strong, weak) in enumerate(king_pairs()):
        king_pair[mirror_square(strong) * 91 + mirror_square(weak)] = code | MIRRORED
    for code, (strong, weak) in enumerate(king_pairs()):
        king_pair[strong * 91 + weak] = code
    seen_as = np.full(4 * 91, CAPTURED, np.uint8)
    for square in range(90):
        seen_as[square::91] = square, mirror_square(square), _flip(square), mirror_square(_flip(square))
    return king_pair, seen_as


def _flip(square: int) -> int:
    return (9 - square // 9) * 9 + square % 9


def placements(indexing: Record, group: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Return the squares of a group's placements, [number, piece]."""
    squares = places(int(indexing.kind[group]), int(indexing.side[group]))
    chosen = itertools.combinations(range(len(squares)), int(indexing.count[group]))
    # The highest place counts most, as in `index`.
    return np.array([[squares[i] for i in c] for c in sorted(chosen, key=lambda c: c[::-1])], np.uint8)


@inner(int64(POSITION, INDEXING, int64))
def index(pos: Record, indexing: Record, strong: int) -> int:
    """Return the number of a position of this ending; -1 if a piece stands where the ending has no place for it.

    `strong` is the colour of the stronger side. Groups have MAX_GROUP pieces at most.
    """
    view = strong * 182
    weak_king = int64(indexing.seen_as[view + pos.square[16 << (strong ^ 1)]])
    number = int64(indexing.king_pair[int64(indexing.seen_as[view + pos.square[16 << strong]]) * 91 + weak_king])
    if number & MIRRORED:
        view += 91
        number ^= MIRRORED
    number *= indexing.king_weight
    for group in range(indexing.groups):
        piece = (16 << (strong ^ int64(indexing.side[group]))) + int64(indexing.first_slot[group])
        low, middle, high = int64(-1), int64(-1), int64(-1)
        for slot in range(int64(indexing.slots[group])):
            square = int64(pos.square[piece + slot])
            if square < CAPTURED:
                place = int64(indexing.place[group * 91 + indexing.seen_as[view + square]])
                if place == NOWHERE:
                    return -1
                if place > high:
                    low, middle, high = middle, high, place
                elif place > middle:
                    low, middle = middle, place
                else:
                    low = place
        rank = high
        if middle >= 0:
            rank = middle + high * (high - 1) // 2
            if low >= 0:
                rank = low + middle * (middle - 1) // 2 + high * (high - 1) * (high - 2) // 6
        number += rank * indexing.weight[group]
    return number
