"""Connect6 turns: counting the legal ones, threats and the stones that hit them, the turns worth searching."""

from __future__ import annotations

from games.connect6.position import (
    NO_POINT,
    NOT_OVER,
    POSITION,
    do_stone,
    do_turn,
    is_threat,
    undo_stone,
    undo_turn,
)
from games.connect6.tables import POINTS, ROAD_LENGTH, ROADS, TABLES
from games.connect6.work import ALL, CANDIDATES, MAX_FIRSTS, MAX_THREATS, MAX_TURNS, NONE, SECONDS, SOME, WORK
from games.kernel.control import poll
from games.kernel.jit import Record, entry, inner, int64, void


@inner(int64(POSITION, TABLES, int64), forceinline=True)
def wins_at(pos: Record, t: Record, point: int) -> int:
    """1 if a single stone of the side to move on an empty point makes six."""
    five = 5 if pos.turn == 0 else 40
    for i in range(point * 24, point * 24 + t.road_count[point]):
        if pos.roads[t.point_roads[i]] == five:
            return 1
    return 0


@entry(int64(POSITION, TABLES))
def count_legal(pos: Record, t: Record) -> int:
    """Legal turns: single stones with one left, else pairs, and single stones that already win."""
    if pos.winner != NOT_OVER:
        return 0
    if pos.left == 1:
        return pos.empty
    count = pos.empty * (pos.empty - 1) // 2
    if pos.threats[pos.turn] > 0:
        for point in range(POINTS):
            if pos.stones[point] == 0 and wins_at(pos, t, point) == 1:
                count += 1
    return count


@entry(int64(POSITION, TABLES, int64))
def is_winning_point(pos: Record, t: Record, point: int) -> int:
    """1 if a single stone of the side to move on this empty point ends the game."""
    return wins_at(pos, t, point)


@inner(int64(POSITION, WORK, TABLES, int64))
def perft_below(pos: Record, work: Record, t: Record, depth: int) -> int:
    """Turn sequences of `depth` turns; the last turn is counted, not played."""
    if depth == 0:
        return 1
    if depth == 1 or pos.winner != NOT_OVER:
        return count_legal(pos, t)
    # At every node: the 65,000 turns below one take longer than a look at the clock by far.
    work.nodes += 1
    if poll(work.control, int64(0), work.nodes) < 0:
        work.stopped = 1
    total = 0
    single = pos.left == 1
    for first in range(POINTS):
        if pos.stones[first] != 0:
            continue
        if single or wins_at(pos, t, first) == 1:
            do_turn(pos, t, first | NO_POINT << 9)
            total += perft_below(pos, work, t, depth - 1)
            undo_turn(pos, t, first | NO_POINT << 9)
        if not single:
            for second in range(first + 1, POINTS):
                if work.stopped == 1:
                    return total
                if pos.stones[second] == 0:
                    do_turn(pos, t, first | second << 9)
                    total += perft_below(pos, work, t, depth - 1)
                    undo_turn(pos, t, first | second << 9)
    return total


@entry(int64(POSITION, WORK, TABLES, int64, int64))
def perft(pos: Record, work: Record, t: Record, move: int, depth: int) -> int:
    """Leaves below one legal turn, `depth` turns in all (depth >= 1)."""
    do_turn(pos, t, move)
    total = perft_below(pos, work, t, depth - 1)
    undo_turn(pos, t, move)
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


@inner(int64(WORK, TABLES, int64, int64), forceinline=True)
def hits_all(work: Record, t: Record, first: int, second: int) -> int:
    """1 if every listed threat has one of two points on it."""
    for i in range(work.threat_count):
        base = int64(work.threat_roads[i]) * ROAD_LENGTH
        hit = 0
        for j in range(base, base + ROAD_LENGTH):
            if t.road_points[j] == first or t.road_points[j] == second:
                hit = 1
        if hit == 0:
            return 0
    return 1


@inner(int64(int64, int64), forceinline=True)
def ordered(first: int, second: int) -> int:
    """The code of a turn whatever the order of its stones."""
    return first | second << 9 if first < second else second | first << 9


@inner(int64(POSITION, WORK, TABLES))
def winning_turn(pos: Record, work: Record, t: Record) -> int:
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
                point = int64(t.road_points[j])
                if pos.stones[point] == 0:
                    turn |= point << 9 * found
                    found += 1
            return ordered(turn & 511, turn >> 9) if found == 2 else turn | NO_POINT << 9
    return 0


@inner(int64(POSITION, WORK, int64, int64))
def choose_points(pos: Record, work: Record, at: int, most: int) -> int:
    """The empty points of most interest to the side to move, best first, to work.candidates from `at`; their number."""
    base = pos.turn * POINTS
    count = int64(0)
    for point in range(POINTS):
        if pos.stones[point] != 0:
            continue
        interest = pos.interest[base + point]
        if count == most:
            if interest <= pos.interest[base + int64(work.candidates[at + count - 1])]:
                continue
            count -= 1
        place = at + count
        while place > at and pos.interest[base + int64(work.candidates[place - 1])] < interest:
            work.candidates[place] = work.candidates[place - 1]
            place -= 1
        work.candidates[place] = point
        count += 1
    return count


@inner(int64(POSITION, WORK, int64, int64, int64, int64), forceinline=True)
def list_turn(pos: Record, work: Record, first: int, second: int, score: int, end: int) -> int:
    """List a turn, once; returns the list's new end."""
    low, high = min(first, second), max(first, second)
    if work.seen[low * POINTS + high] != work.stamp:
        work.seen[low * POINTS + high] = work.stamp
        work.moves[end] = ordered(low, high)
        work.move_scores[end] = score
        end += 1
    return end


@inner(int64(POSITION, WORK, TABLES, int64, int64))
def list_singles(pos: Record, work: Record, t: Record, end: int, count: int) -> int:
    """The last stone of a turn on each candidate; only those that hit all threats, if any does."""
    first_listed = end
    for must_hit in range(1, -1, -1):
        for i in range(count):
            point = int64(work.candidates[i])
            if must_hit == 1 and hits_all(work, t, point, point) == 0:
                continue
            work.moves[end] = point | NO_POINT << 9
            work.move_scores[end] = pos.interest[pos.turn * POINTS + point]
            end += 1
        if end > first_listed:
            break
    return end


@inner(int64(POSITION, WORK, TABLES, int64, int64))
def list_defences(pos: Record, work: Record, t: Record, end: int, seconds: int) -> int:
    """Turns that hit every listed threat: all pairs that need both stones, and with each single point that suffices the
    best `seconds` points as second stones (not exhaustive then). None if the threats cannot be met."""
    side = pos.turn * POINTS
    base = int64(work.threat_roads[0]) * ROAD_LENGTH
    limit = end + MAX_TURNS - seconds
    for j in range(base, base + ROAD_LENGTH):
        first = int64(t.road_points[j])
        if pos.stones[first] != 0 or end > limit:
            continue
        score = pos.interest[side + first]
        suffices = hits_all(work, t, first, first)
        open_road = int64(0)
        for i in range(work.threat_count):
            road = int64(work.threat_roads[i]) * ROAD_LENGTH
            hit = 0
            for k in range(road, road + ROAD_LENGTH):
                if t.road_points[k] == first:
                    hit = 1
            if hit == 0:
                open_road = road
        do_stone(pos, t, first)
        if suffices == 1:
            work.exhaustive = SOME
            for i in range(choose_points(pos, work, int64(0), seconds)):
                second = int64(work.candidates[i])
                end = list_turn(pos, work, first, second, score + pos.interest[side + second], end)
        else:
            for k in range(open_road, open_road + ROAD_LENGTH):
                second = int64(t.road_points[k])
                if pos.stones[second] == 0 and hits_all(work, t, first, second) == 1:
                    end = list_turn(pos, work, first, second, score + pos.interest[side + second], end)
        undo_stone(pos, t)
    return end


@inner(int64(POSITION, WORK, TABLES, int64, int64, int64))
def list_pairs(pos: Record, work: Record, t: Record, end: int, firsts: int, seconds: int) -> int:
    """The best points, each with those that are best once it is taken."""
    side = pos.turn * POINTS
    for i in range(choose_points(pos, work, int64(0), firsts)):
        first = int64(work.candidates[i])
        score = pos.interest[side + first]
        do_stone(pos, t, first)
        if pos.left == 1:
            for j in range(firsts, firsts + choose_points(pos, work, firsts, seconds)):
                second = int64(work.candidates[j])
                end = list_turn(pos, work, first, second, score + pos.interest[side + second], end)
        undo_stone(pos, t)
    return end


@inner(int64(POSITION, WORK, TABLES, int64, int64))
def generate_turns(pos: Record, work: Record, t: Record, ply: int, width: int) -> int:
    """Write the turns worth searching to the ply's part of work.moves, unordered; returns their end.

    Scored by interest, some three times `width`. A turn that wins at once is the only one; against threats only turns
    that hit all of them, unless none does. work.exhaustive tells what was left out.
    """
    first = ply * MAX_TURNS
    work.exhaustive = SOME
    if pos.threats[pos.turn] > 0:
        turn = winning_turn(pos, work, t)
        if turn != 0:
            work.moves[first] = turn
            work.move_scores[first] = 0
            return first + 1
    find_threats(pos, work, pos.turn ^ 1)
    work.stamp += 1
    firsts = min(max(width // 2 + 2, 6), MAX_FIRSTS)
    if pos.left == 1 or pos.empty == 1:
        return list_singles(pos, work, t, first, choose_points(pos, work, int64(0), int64(CANDIDATES)))
    end = first
    if work.threat_count > 0:
        work.exhaustive = ALL if work.threat_count < MAX_THREATS else SOME
        end = list_defences(pos, work, t, first, 2 * firsts)
        if end > first + MAX_TURNS - 2 * firsts:
            work.exhaustive = SOME
        elif end == first and work.exhaustive == ALL:
            work.exhaustive = NONE
    if end == first:
        end = list_pairs(pos, work, t, first, firsts, SECONDS)
    return end
