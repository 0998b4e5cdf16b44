"""The endings of the tablebase, and the number of each placement of their pieces: the layout of the tables.

An ending is named by how many pieces each side has, `3-1`. The stronger side, or the mover if both are equal, is seen
from the corner a5. A side's numbers matter only through which pieces the throws move, now and after captures. So the
6, 15, 20 and 15 sets of one to four numbers, assigned to the pieces in every way, form 1, 15, 60 and 180 *classes*. A
position and its mirror image at the diagonal a5-e1 share a number, unless both stand on the same squares.
"""

from __future__ import annotations

import functools
import itertools
import math
from typing import NamedTuple

from siqi.games.ewn.rules.lookup import CAPTURED, PLACES, movable
from siqi.games.ewn.rules.position import POSITION
from siqi.games.kernel.intrinsics import popcount, trailing_zeros
from siqi.games.kernel.jit import Record, inner, int64, new_record, record, record_type

MAX_SIDE = 4
"""The most pieces of a side."""

MAX_PIECES = 5
"""The most pieces of both sides: 4-1 and 3-2 take minutes to build and 0.9 GB; six pieces would take ten times that."""

_SETS = math.comb(PLACES, MAX_SIDE)
"""The most sets of squares of a side."""

_SELF_MIRRORED = 44 * 276
"""A bound on the pairs of 3-2 whose strong set is its own mirror image: 44 sets, each with at most 276 weak sets. No
other ending has more."""


class MaterialSignature(NamedTuple):
    """The number of pieces of each side: the name of an ending."""

    strong: int
    weak: int

    @classmethod
    def parse(cls, name: str) -> MaterialSignature:
        """Return the signature of a name such as `3-1`; ValueError if it is not one of SIGNATURES."""
        for signature in SIGNATURES:
            if str(signature) == name:
                return signature
        raise ValueError(f"not an ending: {name}")

    def __str__(self) -> str:
        return f"{self.strong}-{self.weak}"

    @property
    def movers(self) -> int:
        """The sides to move with values of their own: 1 if the sides are equal, as the mover is then the strong one."""
        return 1 if self.strong == self.weak else 2


SIGNATURES = tuple(
    MaterialSignature(strong, total - strong)
    for total in range(2, MAX_PIECES + 1)
    for strong in range(-(-total // 2), min(total - 1, MAX_SIDE) + 1)
)
"""The signatures of all endings that have numbers, each after those that captures lead to."""

NUMBERING_DTYPE = record(
    [
        ("binomial", "i4", 25 * (MAX_SIDE + 1)),  # [n, k]: binomial coefficient
        ("class_of", "u1", 6 + 36 + 216 + 1296),  # [first_code + numbers less 1 as digits of base 6, lowest first]
        ("first_code", "i4", MAX_SIDE + 1),  # [number of pieces]: its first index in class_of
        ("seen_as", "u1", 4 * 26),  # [view = 2 * rotated + mirrored, square]: the square in the view, and back
    ]
)
NUMBERING = record_type(NUMBERING_DTYPE)

INDEXING_DTYPE = record(
    [
        ("strong_classes", "i8"),
        ("weak_classes", "i8"),
        ("entries", "i8"),  # number of placements; each has a value for either side to move, or one if equal
        ("start", "i4", _SETS),  # [strong set]: number of its first pair of sets; -1: see its mirror image
        ("own_image", "i4", _SETS),  # [strong set]: its start in `turned` if it is its own mirror image; otherwise -1
        ("turned", "u2", _SELF_MIRRORED),  # [start + weak set]: 2 * number, + 1 if it is seen mirrored
    ]
)
INDEXING = record_type(INDEXING_DTYPE)


def mirror(square: int) -> int:
    """Return the mirror image of a square at the diagonal a5-e1."""
    return square % 5 * 5 + square // 5


@functools.cache
def classes(count: int) -> dict[tuple[int, ...], int]:
    """Return the class of each sequence of a side's numbers, in the order of its squares.

    Sequences share a class if the same shares of throws move their pieces, before and after every capture. Numbers
    reversed, d as 7 - d, are alike, and so are all single numbers.
    """
    class_of: dict[object, int] = {}
    result = {}
    for numbers in itertools.permutations(range(1, 7), count):
        alive = sum(1 << (number - 1) for number in numbers)
        moved = [tuple(sorted(numbers.index(i + 1) for i in movable(alive, die))) for die in range(1, 7)]
        rest = [numbers[:i] + numbers[i + 1 :] for i in range(count)] if count > 1 else []
        behaviour = (tuple(sorted(moved)), tuple(classes(count - 1)[left] for left in rest))
        result[numbers] = class_of.setdefault(behaviour, len(class_of))
    return result


def class_count(count: int) -> int:
    return 1 + max(classes(count).values())


def members(count: int) -> list[tuple[int, ...]]:
    """Return one sequence of numbers for each class."""
    first: dict[int, tuple[int, ...]] = {}
    for numbers, number in classes(count).items():
        first.setdefault(number, numbers)
    return [first[number] for number in range(len(first))]


def sets(places: int, count: int) -> list[tuple[int, ...]]:
    """Return all sets of `count` of the places, in the order of their ranks."""
    return sorted(itertools.combinations(range(places), count), key=lambda chosen: chosen[::-1])


def weak_squares(strong: tuple[int, ...]) -> list[int]:
    """Return the squares where the weak side may stand, given the strong side's; both in the numbering's view."""
    return [square for square in range(1, 25) if square not in strong]


@functools.cache
def number(signature: MaterialSignature) -> Record:
    """Return the INDEXING record of an ending, read-only by convention: how its placements are numbered."""
    layout = new_record(INDEXING_DTYPE)
    layout.strong_classes, layout.weak_classes = class_count(signature.strong), class_count(signature.weak)
    layout.start[:] = layout.own_image[:] = -1
    ranks = {chosen: rank for rank, chosen in enumerate(sets(PLACES, signature.strong))}
    pairs = used = 0
    for chosen, rank in ranks.items():
        image = tuple(sorted(map(mirror, chosen)))
        if ranks[image] < rank:
            continue
        layout.start[rank] = pairs
        squares = weak_squares(chosen)
        if image != chosen:
            pairs += math.comb(len(squares), signature.weak)
            continue
        layout.own_image[rank] = used
        numbers: dict[tuple[int, ...], int] = {}
        for other in sets(len(squares), signature.weak):
            there = tuple(squares[i] for i in other)
            seen = tuple(sorted(map(mirror, there)))
            layout.turned[used] = 2 * numbers[seen] + 1 if seen in numbers else 2 * len(numbers)
            if seen not in numbers:
                numbers[there] = len(numbers)
            used += 1
        pairs += len(numbers)
    layout.entries = pairs * layout.strong_classes * layout.weak_classes
    return layout


def _numbering() -> Record:
    numbering = new_record(NUMBERING_DTYPE)
    for places in range(25):
        for count in range(MAX_SIDE + 1):
            numbering.binomial[places * (MAX_SIDE + 1) + count] = math.comb(places, count)
    first = 0
    for count in range(1, MAX_SIDE + 1):
        numbering.first_code[count] = first
        for numbers, class_number in classes(count).items():
            numbering.class_of[first + sum((label - 1) * 6**i for i, label in enumerate(numbers))] = class_number
        first += 6**count
    numbering.seen_as[:] = CAPTURED
    for square in range(25):
        numbering.seen_as[square::26] = square, mirror(square), 24 - square, 24 - mirror(square)
    return numbering


NUMBERING_RECORD = _numbering()
"""The lookup that the numbering of all endings shares, read-only by convention."""


@inner(int64(POSITION, NUMBERING, int64, int64), forceinline=True)
def squares_seen(pos: Record, numbering: Record, side: int, view: int) -> int:
    """Return the mask of a side's squares in a view."""
    mask = int64(0)
    for piece in range(6 * side + 1, 6 * side + 7):
        square = int64(numbering.seen_as[view * 26 + int64(pos.square[piece])])
        if square < CAPTURED:
            mask |= int64(1) << square
    return mask


@inner(int64(NUMBERING, int64), forceinline=True)
def rank_of(numbering: Record, mask: int) -> int:
    """Return the rank of a set of places among the sets of its size."""
    rank = int64(0)
    count = 1
    while mask != 0:
        rank += numbering.binomial[trailing_zeros(mask) * (MAX_SIDE + 1) + count]
        count += 1
        mask &= mask - 1
    return rank


@inner(int64(POSITION, NUMBERING, int64, int64, int64), forceinline=True)
def class_seen(pos: Record, numbering: Record, side: int, view: int, mask: int) -> int:
    """Return the class of a side whose squares in a view are `mask`."""
    code = int64(numbering.first_code[popcount(mask)])
    weight = int64(1)
    while mask != 0:
        square = int64(numbering.seen_as[view * 26 + trailing_zeros(mask)])
        code += weight * (int64(pos.board[square]) - 6 * side - 1)
        weight *= 6
        mask &= mask - 1
    return int64(numbering.class_of[code])


@inner(int64(POSITION, NUMBERING, INDEXING, int64))
def index(pos: Record, numbering: Record, indexing: Record, strong: int) -> int:
    """Return the number of a position of this ending; `strong` is its stronger side, and nobody may have won yet."""
    view = 2 * strong
    mine = squares_seen(pos, numbering, strong, view)
    rank = rank_of(numbering, mine)
    if indexing.start[rank] < 0:
        view += 1
        mine = squares_seen(pos, numbering, strong, view)
        rank = rank_of(numbering, mine)
    theirs = squares_seen(pos, numbering, 1 - strong, view)
    places = int64(0)
    mask = theirs
    while mask != 0:
        square = trailing_zeros(mask)
        places |= int64(1) << (square - 1 - popcount(mine >> 1 & ((int64(1) << (square - 1)) - 1)))
        mask &= mask - 1
    pair = rank_of(numbering, places)
    if indexing.own_image[rank] >= 0:
        seen = int64(indexing.turned[indexing.own_image[rank] + pair])
        pair = seen >> 1
        if seen & 1:
            view ^= 1
            theirs = squares_seen(pos, numbering, 1 - strong, view)
    number = (indexing.start[rank] + pair) * indexing.strong_classes + class_seen(pos, numbering, strong, view, mine)
    return number * indexing.weak_classes + class_seen(pos, numbering, 1 - strong, view, theirs)
