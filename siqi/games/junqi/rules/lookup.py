"""Constant arrays of the Junqi kernels: roads, railway, camps, headquarters (rules: championship protocol v1.0).

Squares are `5 * row + column` with row A = 0 at the top, in the first side's frame: it deploys on rows G-L
at the bottom, the second side on rows A-F. A side's own frame has its own rows at the bottom: the second side's is
turned by 180 degrees.
"""

from __future__ import annotations

import numpy as np

from siqi.games.junqi.data.weights import TERMS, WORTH
from siqi.games.kernel.jit import Record, new_record, record, record_type

SQUARES = 60
NOWHERE = 60
"""The square of a dead piece."""

ROWS = "ABCDEFGHIJKL"
COLUMNS = 5
TYPES = "abcdefghijkl"
"""司令 commander down to 工兵 engineer in falling rank, then 地雷 mine, 炸弹 bomb, 军旗 flag."""

COMMANDER, BRIGADE, ENGINEER, MINE, BOMB, FLAG = 0, 3, 8, 9, 10, 11
COUNTS = (1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 2, 1)
"""Pieces of each type that a side has, 25 in all."""

PIECES = 25
ANY = (1 << 12) - 1
MOBILE = ANY & ~(1 << MINE | 1 << FLAG)


def square_of(text: str) -> int:
    """Return the number of a square such as `G0`."""
    return COLUMNS * ROWS.index(text[0]) + int(text[1])


CAMPS = tuple(map(square_of, ["C1", "C3", "D2", "E1", "E3", "H1", "H3", "I2", "J1", "J3"]))
HEADQUARTERS = tuple(map(square_of, ["A1", "A3", "L1", "L3"]))
CAMP_SET = sum(1 << square for square in CAMPS)
HEADQUARTERS_SET = sum(1 << square for square in HEADQUARTERS)
FIRST_HALF = (1 << SQUARES) - (1 << 30)
"""Bits of the first side's half."""

SLOTS = tuple(square for square in range(30, 60) if square not in CAMPS)
"""Squares of a deployment word's letters in the own frame: rows G to L without the camps."""

WAYS = 4
"""Directions on the railway: left, right, up, down."""

LOOKUP_DTYPE = record(
    [
        # Sets of squares are bits of an integer.
        ("roads", "i8", SQUARES),  # neighbours by road
        ("lines", "i8", SQUARES * WAYS),  # [square, way]: the stations in a straight line
        ("battle", "u1", 12 * 12),  # [attacker, defender]: result code
        ("near", "i8", SQUARES),  # squares exactly two steps by road away
        ("distance", "u1", SQUARES * SQUARES),  # steps by road
        ("weights", "f4", len(TERMS)),  # weights of the evaluation
        ("worth", "f4", 12),  # material by type, hundredths of log odds
        ("zobrist", "i8", 2 * PIECES * SQUARES),  # [piece, square]: hash keys
    ]
)
LOOKUP = record_type(LOOKUP_DTYPE)

ATTACKER_DIES, ATTACKER_WINS, BOTH_DIE, PLAIN = 0, 1, 2, 3
"""The referee's result codes; PLAIN: a move to an empty square."""

FLAG_WORTH = 1000.0


def _road_edges() -> set[tuple[int, int]]:
    """Return the roads as pairs of squares: orthogonal ones, except over the mountains; diagonals from or to a camp."""
    mountains = {(square_of("F1"), square_of("G1")), (square_of("F3"), square_of("G3"))}
    edges = set()
    for square in range(SQUARES):
        row, column = divmod(square, 5)
        for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
            if row + dr < 12 and 0 <= column + dc < 5:
                edge = (square, square + 5 * dr + dc)
                if dr and dc and not (edge[0] in CAMPS or edge[1] in CAMPS):
                    continue
                if edge not in mountains:
                    edges.add(edge)
    return edges


def _rail_edges() -> set[tuple[int, int]]:
    """Return the railway as pairs of neighbours: rows B, F, G, K; columns 0 and 4 from B to K; F2-G2."""
    edges = {(5 * row + column, 5 * row + column + 1) for row in (1, 5, 6, 10) for column in range(4)}
    edges |= {(5 * row + column, 5 * row + column + 5) for row in range(1, 10) for column in (0, 4)}
    return edges | {(square_of("F2"), square_of("G2"))}


def result_of(attacker: int, defender: int) -> int:
    """Return the result code of an attack of one type on another; the tests stand in the rule sheet's order."""
    if BOMB in (attacker, defender):
        return BOTH_DIE
    if defender == FLAG:
        return ATTACKER_WINS
    if defender == MINE:
        return ATTACKER_WINS if attacker == ENGINEER else ATTACKER_DIES
    if attacker == defender:
        return BOTH_DIE
    return ATTACKER_WINS if attacker < defender else ATTACKER_DIES


_ROAD_EDGES, _RAIL_EDGES = _road_edges(), _rail_edges()

STEPS = (
    sum(1 << b for a, b in _RAIL_EDGES if b == a + 1),
    sum(1 << a for a, b in _RAIL_EDGES if b == a + 1),
    sum(1 << b for a, b in _RAIL_EDGES if b == a + 5),
    sum(1 << a for a, b in _RAIL_EDGES if b == a + 5),
)
"""Bits by way: the stations that have a next one in that direction."""


def _beside(lookup: Record, squares: int) -> int:
    """Return the bits of all neighbours by road of a set of squares."""
    neighbours = 0
    for square in range(SQUARES):
        if squares >> square & 1:
            neighbours |= int(lookup.roads[square])
    return neighbours


def _build() -> Record:
    """Return the filled lookup record."""
    lookup = new_record(LOOKUP_DTYPE)
    for a, b in _ROAD_EDGES:
        lookup.roads[a] |= 1 << b
        lookup.roads[b] |= 1 << a
    for square in range(SQUARES):
        for way, step in enumerate((-1, 1, -5, 5)):
            station = square
            while STEPS[way] >> station & 1:
                station += step
                lookup.lines[square * WAYS + way] |= 1 << station
    lookup.battle[:] = np.array([[result_of(a, d) for d in range(12)] for a in range(12)]).ravel()
    for square in range(SQUARES):
        beside = int(lookup.roads[square])
        lookup.near[square] = _beside(lookup, beside) & ~beside & ~(1 << square)
    for square in range(SQUARES):
        reached, frontier, steps = 0, 1 << square, 0
        while frontier:
            for other in range(SQUARES):
                if frontier >> other & 1:
                    lookup.distance[square * SQUARES + other] = steps
            reached |= frontier
            frontier = _beside(lookup, frontier) & ~reached
            steps += 1
    lookup.weights[:] = list(TERMS.values())
    lookup.zobrist[:] = np.random.default_rng(4).integers(-(1 << 63), (1 << 63) - 1, len(lookup.zobrist))
    lookup.worth[:] = [*WORTH, FLAG_WORTH]
    return lookup


LOOKUP_RECORD = _build()
"""The lookup record, read-only by convention; every kernel gets it as an argument."""
