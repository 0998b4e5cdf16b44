"""Connect6 turns: the count of legal turns, perft, threats and their defences, the turn that wins at once."""

from __future__ import annotations

from siqi.games.connect6.rules.lookup import LOOKUP, POINTS, ROAD_LENGTH, THREAT
from siqi.games.connect6.rules.position import (
    NO_POINT,
    NOT_OVER,
    POSITION,
    ROAD_WORDS,
    do_move,
    make_move,
    roads_with,
    undo_move,
)
from siqi.games.connect6.rules.work import MAX_THREATS, WORK
from siqi.games.kernel.control import poll
from siqi.games.kernel.intrinsics import trailing_zeros
from siqi.games.kernel.jit import Record, entry, inner, int64, void


@inner(int64(POSITION, LOOKUP, int64), forceinline=True)
def wins_at(pos: Record, lookup: Record, point: int) -> int:
    """Return 1 if one stone of the side to move on this empty point makes six."""
    five = 5 if pos.turn == 0 else 40
    for i in range(point * 24, point * 24 + lookup.road_count[point]):
        if pos.roads[lookup.point_roads[i]] == five:
            return 1
    return 0


@entry(int64(POSITION, LOOKUP))
def count_legal(pos: Record, lookup: Record) -> int:
    """Return the number of legal turns.

    With one stone left these are single stones, otherwise pairs and the single stones that already win.
    """
    if pos.winner != NOT_OVER:
        return 0
    if pos.left == 1:
        return pos.empty
    count = pos.empty * (pos.empty - 1) // 2
    if pos.threats[pos.turn] > 0:
        for point in range(POINTS):
            if pos.stones[point] == 0 and wins_at(pos, lookup, point) == 1:
                count += 1
    return count


@entry(int64(POSITION, LOOKUP, int64))
def is_winning_point(pos: Record, lookup: Record, point: int) -> int:
    """`wins_at` for Python."""
    return wins_at(pos, lookup, point)


@inner(int64(POSITION, WORK, LOOKUP, int64))
def perft_below(pos: Record, work: Record, lookup: Record, depth: int) -> int:
    """Return the number of turn sequences of length `depth`; the last turn is counted, not played.

    The count is too low once work.stopped.
    """
    if depth == 0:
        return 1
    if depth == 1 or pos.winner != NOT_OVER:
        return count_legal(pos, lookup)
    # Poll at every node: the 65,000 turns below it take far longer than a poll.
    work.nodes += 1
    if poll(work.control, int64(0), work.nodes) < 0:
        work.stopped = 1
    total = 0
    single = pos.left == 1
    for first in range(POINTS):
        if pos.stones[first] != 0:
            continue
        if single or wins_at(pos, lookup, first) == 1:
            do_move(pos, lookup, make_move(first, NO_POINT))
            total += perft_below(pos, work, lookup, depth - 1)
            undo_move(pos, lookup, make_move(first, NO_POINT))
        if not single:
            for second in range(first + 1, POINTS):
                if work.stopped == 1:
                    return total
                if pos.stones[second] == 0:
                    do_move(pos, lookup, make_move(first, second))
                    total += perft_below(pos, work, lookup, depth - 1)
                    undo_move(pos, lookup, make_move(first, second))
    return total


@entry(int64(POSITION, WORK, LOOKUP, int64, int64), is_rare=True)
def perft(pos: Record, work: Record, lookup: Record, move: int, depth: int) -> int:
    """Return the number of leaves below one legal turn, `depth` turns deep with this one (depth >= 1)."""
    do_move(pos, lookup, move)
    total = perft_below(pos, work, lookup, depth - 1)
    undo_move(pos, lookup, move)
    return total


@inner(void(POSITION, WORK, int64))
def find_threats(pos: Record, work: Record, side: int) -> None:
    """List the roads on which `side` threatens to win in work.threat_roads, at most MAX_THREATS."""
    count = 0
    for word in range(ROAD_WORDS):
        mask = roads_with(pos, word, side, int64(THREAT), int64(THREAT + 1))
        while mask != 0 and count < MAX_THREATS:
            work.threat_roads[count] = 64 * word + trailing_zeros(mask)
            count += 1
            mask &= mask - 1
    work.threat_count = count


@inner(int64(WORK, LOOKUP, int64, int64), forceinline=True)
def hits_all(work: Record, lookup: Record, first: int, second: int) -> int:
    """Return 1 if each road in work.threat_roads contains at least one of the two points."""
    for i in range(work.threat_count):
        base = int64(work.threat_roads[i]) * ROAD_LENGTH
        hit = 0
        for j in range(base, base + ROAD_LENGTH):
            if lookup.road_points[j] == first or lookup.road_points[j] == second:
                hit = 1
        if hit == 0:
            return 0
    return 1


@inner(int64(int64, int64), forceinline=True)
def sorted_move(first: int, second: int) -> int:
    """Return the turn of two points given in either order; NO_POINT may be one of them."""
    return make_move(first, second) if first < second else make_move(second, first)


@inner(int64(POSITION, WORK, LOOKUP))
def winning_move(pos: Record, work: Record, lookup: Record) -> int:
    """Return a turn that makes six at once; 0 if the stones left do not suffice."""
    least = ROAD_LENGTH - pos.left  # stones on the road
    for word in range(ROAD_WORDS):
        mask = roads_with(pos, word, pos.turn, least, int64(THREAT + 1))
        if mask != 0:
            road = 64 * word + trailing_zeros(mask)
            first, second = int64(NO_POINT), int64(NO_POINT)
            for j in range(road * ROAD_LENGTH, road * ROAD_LENGTH + ROAD_LENGTH):
                point = int64(lookup.road_points[j])
                if pos.stones[point] == 0:
                    if first == NO_POINT:
                        first = point
                    else:
                        second = point
            return sorted_move(first, second)
    return 0
