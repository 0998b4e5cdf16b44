"""Constant arrays of the Connect6 kernels: the 924 roads, the roads through each point, road values, Zobrist keys.

A road is six points in a row. A point is `column * 19 + row`, column a = 0, row 1 = 0. A road's content is one byte,
`black stones + 8 * white stones`.
"""

from __future__ import annotations

import numpy as np

from siqi.games.connect6.data.weights import CENTRE, OPPONENT_INTEREST, OPPONENT_VALUE, OWN_INTEREST, OWN_VALUE
from siqi.games.kernel.jit import Record, new_record, record, record_type

SIZE = 19
POINTS = SIZE * SIZE
ROAD_LENGTH = 6
ROADS = 924
LINES = 2 * SIZE + 2 * (2 * (SIZE - ROAD_LENGTH) + 1)
"""Lines with at least one road. A line has up to 14 roads."""

POINT_ROADS = 24
"""The most roads through one point."""

THREAT = 4
"""A road with this many own stones and no enemy stone is a threat: one turn makes it six."""

NEIGHBOURS = 4 * (ROAD_LENGTH - 1)
"""The most points that follow a point on the roads through it, in the four directions."""

LOOKUP_DTYPE = record(
    [
        ("road_points", "u2", ROADS * ROAD_LENGTH),
        ("road_pairs", "u1", ROADS),  # its direction's first place among the NEIGHBOURS of a point
        ("road_line", "u1", ROADS),  # number of its line: the roads on the same points, extended to the edges
        ("road_stride", "u1", ROADS),  # difference in number between roads of its line, 1 if it is alone
        ("roads_before", "u1", ROADS),  # roads before it on its line
        ("roads_after", "u1", ROADS),
        ("road_count", "u1", POINTS),
        ("point_roads", "u2", POINTS * POINT_ROADS),
        ("value", "i4", 2 * 64),  # [side, road content]: the road's value in that side's view
        # [view, side, road content]: what a stone of the side on the road changes in the view of Black and White
        ("value_change", "i4", 2 * 2 * 64),
        ("threat_change", "i4", 2 * 2 * 64),  # the number of that side's threats
        ("interest_change", "i4", 2 * 2 * 64),
        ("interest", "i4", 2 * 64),  # [side to move, road content]: worth of one more stone on the road
        ("interest_gain", "i4", 2 * 64),  # [side, road content]: the change of interest by a stone of the side
        ("own", "u1", 2 * 64),  # [side, road content]: stones of the side, 0 if the other side has one too
        ("centre", "i4", POINTS),  # part of the interest: higher nearer the centre
        ("zobrist", "i8", 2 * POINTS),  # [side, point]
        ("zobrist_turn", "i8"),
        ("zobrist_single", "i8"),  # in the key while one stone is left to place
    ]
)
LOOKUP = record_type(LOOKUP_DTYPE)


def roads() -> list[list[int]]:
    """Return the points of each road, by road number, in the four directions."""
    all_roads = []
    for dc, dr in ((1, 0), (0, 1), (1, 1), (1, -1)):
        for column in range(SIZE):
            for row in range(SIZE):
                line = [(column + i * dc, row + i * dr) for i in range(ROAD_LENGTH)]
                if all(0 <= c < SIZE and 0 <= r < SIZE for c, r in line):
                    all_roads.append([c * SIZE + r for c, r in line])
    return all_roads


def _build() -> Record:
    lookup = new_record(LOOKUP_DTYPE)
    through: list[list[int]] = [[] for _ in range(POINTS)]
    for number, points in enumerate(roads()):
        lookup.road_points[number * ROAD_LENGTH : (number + 1) * ROAD_LENGTH] = points
        for point in points:
            through[point].append(number)
    place = {tuple(points): number for number, points in enumerate(roads())}
    lines = 0
    pairs = {step: direction * (ROAD_LENGTH - 1) for direction, step in enumerate((SIZE, 1, SIZE + 1, SIZE - 1))}
    for line, number in place.items():
        step = line[1] - line[0]
        lookup.road_pairs[number] = pairs[step]
        before = place.get(tuple(point - step for point in line))
        if before is None:
            lookup.road_line[number] = lines
            lines += 1
        else:
            lookup.road_line[number] = lookup.road_line[before]
            lookup.roads_before[number] = lookup.roads_before[before] + 1
    assert lines == LINES
    lookup.road_stride[:] = 1
    for line, number in reversed(place.items()):
        step = line[1] - line[0]
        after = place.get(tuple(point + step for point in line))
        if after is not None:
            lookup.roads_after[number] = lookup.roads_after[after] + 1
            lookup.road_stride[number] = lookup.road_stride[after] = after - number
    for point, numbers in enumerate(through):
        lookup.road_count[point] = len(numbers)
        lookup.point_roads[point * POINT_ROADS : point * POINT_ROADS + len(numbers)] = numbers
    for own in range(ROAD_LENGTH + 1):
        for other in range(ROAD_LENGTH + 1 - own):
            if own and other:
                continue
            value = OWN_VALUE[own] if own else -OPPONENT_VALUE[other]
            interest = OWN_INTEREST[own] if not other else OPPONENT_INTEREST[other]
            for side in range(2):
                content = own + 8 * other if side == 0 else other + 8 * own
                lookup.value[side * 64 + content] = value
                lookup.interest[side * 64 + content] = interest
                lookup.own[side * 64 + content] = own
                more = OWN_INTEREST[min(own + 1, ROAD_LENGTH)] if not other else 0
                lookup.interest_gain[side * 64 + content] = more - interest
    contents = np.array([content for content in range(64) if content % 8 + content // 8 < ROAD_LENGTH])
    for changes, values in (
        (lookup.value_change, lookup.value),
        (lookup.threat_change, (lookup.own >= THREAT).astype(int)),
        (lookup.interest_change, lookup.interest),
    ):
        for side, stone in ((0, 1), (1, 8)):
            views = values.reshape(2, 64)
            changes.reshape(2, 2, 64)[:, side, contents] = views[:, contents + stone] - views[:, contents]
    columns, rows = divmod(np.arange(POINTS), SIZE)
    middle = SIZE // 2
    lookup.centre[:] = CENTRE * (2 * middle - np.abs(columns - middle) - np.abs(rows - middle))
    random = np.random.Generator(np.random.PCG64(0xC6))
    zobrist = random.integers(-(2**63), 2**63 - 1, size=2 * POINTS + 2, dtype=np.int64)
    lookup.zobrist[:] = zobrist[: 2 * POINTS]
    lookup.zobrist_turn, lookup.zobrist_single = zobrist[2 * POINTS :]
    return lookup


LOOKUP_RECORD = _build()
"""The lookup record, read-only by convention; every kernel gets it as an argument."""
