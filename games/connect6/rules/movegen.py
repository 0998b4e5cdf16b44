"""Connect6 turns: counting the legal ones, threats and the stones that hit them, the turn that wins at once."""

from __future__ import annotations

from games.connect6.rules.lookup import LOOKUP, POINTS, ROAD_LENGTH, ROADS
from games.connect6.rules.position import NO_POINT, NOT_OVER, POSITION, do_turn, is_threat, undo_turn
from games.connect6.rules.work import MAX_THREATS, WORK
from games.kernel.control import poll
from games.kernel.jit import Record, entry, inner, int64, void


@inner(int64(POSITION, LOOKUP, int64), forceinline=True)
def wins_at(pos: Record, lookup: Record, point: int) -> int:
    """1 if a single stone of the side to move on an empty point makes six."""
    five = 5 if pos.turn == 0 else 40
    for i in range(point * 24, point * 24 + lookup.road_count[point]):
        if pos.roads[lookup.point_roads[i]] == five:
            return 1
    return 0


@entry(int64(POSITION, LOOKUP))
def count_legal(pos: Record, lookup: Record) -> int:
    """Legal turns: single stones with one left, else pairs, and single stones that already win."""
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
    """1 if a single stone of the side to move on this empty point ends the game."""
    return wins_at(pos, lookup, point)


@inner(int64(POSITION, WORK, LOOKUP, int64))
def perft_below(pos: Record, work: Record, lookup: Record, depth: int) -> int:
    """Turn sequences of `depth` turns; the last turn is counted, not played."""
    if depth == 0:
        return 1
    if depth == 1 or pos.winner != NOT_OVER:
        return count_legal(pos, lookup)
    # At every node: the 65,000 turns below one take longer than a look at the clock by far.
    work.nodes += 1
    if poll(work.control, int64(0), work.nodes) < 0:
        work.stopped = 1
    total = 0
    single = pos.left == 1
    for first in range(POINTS):
        if pos.stones[first] != 0:
            continue
        if single or wins_at(pos, lookup, first) == 1:
            do_turn(pos, lookup, first | NO_POINT << 9)
            total += perft_below(pos, work, lookup, depth - 1)
            undo_turn(pos, lookup, first | NO_POINT << 9)
        if not single:
            for second in range(first + 1, POINTS):
                if work.stopped == 1:
                    return total
                if pos.stones[second] == 0:
                    do_turn(pos, lookup, first | second << 9)
                    total += perft_below(pos, work, lookup, depth - 1)
                    undo_turn(pos, lookup, first | second << 9)
    return total


@entry(int64(POSITION, WORK, LOOKUP, int64, int64), is_rare=True)
def perft(pos: Record, work: Record, lookup: Record, move: int, depth: int) -> int:
    """Leaves below one legal turn, `depth` turns in all (depth >= 1)."""
    do_turn(pos, lookup, move)
    total = perft_below(pos, work, lookup, depth - 1)
    undo_turn(pos, lookup, move)
    return total


@inner(void(POSITION, WORK, int64))
def find_threats(pos: Record, work: Record, side: int) -> None:
    """List the roads on which `side` threatens to win."""
    count = 0
    if pos.threats[side] > 0:
        for road in range(ROADS):
            if is_threat(int64(pos.roads[road]), side) == 1 and count < MAX_THREATS:
                work.threat_roads[count] = road
                count += 1
    work.threat_count = count


@inner(int64(WORK, LOOKUP, int64, int64), forceinline=True)
def hits_all(work: Record, lookup: Record, first: int, second: int) -> int:
    """1 if every listed threat has one of two points on it."""
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
def ordered(first: int, second: int) -> int:
    """The code of a turn whatever the order of its stones."""
    return first | second << 9 if first < second else second | first << 9


@inner(int64(POSITION, WORK, LOOKUP))
def winning_turn(pos: Record, work: Record, lookup: Record) -> int:
    """A turn that makes six at once, 0 if the stones left do not suffice."""
    side = pos.turn
    for road in range(ROADS):
        content = int64(pos.roads[road])
        if is_threat(content, side) == 1:
            missing = ROAD_LENGTH - (content & 7 if side == 0 else content >> 3)
            if missing > pos.left:
                continue
            turn = 0
            found = 0
            for j in range(road * ROAD_LENGTH, road * ROAD_LENGTH + ROAD_LENGTH):
                point = int64(lookup.road_points[j])
                if pos.stones[point] == 0:
                    turn |= point << 9 * found
                    found += 1
            return ordered(turn & 511, turn >> 9) if found == 2 else turn | NO_POINT << 9
    return 0
