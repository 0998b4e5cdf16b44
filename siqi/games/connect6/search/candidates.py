"""The turns of Connect6 that are searched, chosen by the interest of their points (weights.py, patterns.py).

A node has up to 65,000 turns. Listed are the points of most interest, each with the best second points after it.
Against threats all turns that hit them are listed, and in danger (`find_danger`) the turns that may avert it.
"""

from __future__ import annotations

from siqi.games.connect6.evaluation.network import EMPTY
from siqi.games.connect6.evaluation.patterns import (
    DIRECTIONS,
    POLICY,
    STEPS,
    has_policy,
    interest_by,
    load_interest,
    set_stone,
)
from siqi.games.connect6.rules.lookup import LOOKUP, POINT_ROADS, POINTS, ROAD_LENGTH, SIZE
from siqi.games.connect6.rules.movegen import find_threats, hits_all, sorted_move, winning_move
from siqi.games.connect6.rules.position import (
    NO_POINT,
    POSITION,
    do_move,
    first_stone,
    make_move,
    second_stone,
    undo_move,
)
from siqi.games.connect6.rules.work import (
    CANDIDATES,
    COMPLETE,
    LOST,
    MAX_FIRSTS,
    MAX_MOVES,
    MAX_THREATS,
    PARTIAL,
    SECONDS,
    WORK,
)
from siqi.games.kernel.jit import Record, inner, int64, outlined, pair


@inner(int64(WORK, int64), forceinline=True)
def in_zone(work: Record, point: int) -> int:
    """Return 1 if a point is in the zone, the points that the opponent's win needs."""
    return 1 if point != NO_POINT and work.zone_seen[point] == work.zone_stamp else 0


@inner(int64(WORK, int64, int64, int64, int64), forceinline=True)
def insert_candidate(work: Record, point: int, score: int, count: int, most: int) -> int:
    """Insert a point into work.candidates[:count], best first, at most `most`; return their new number."""
    if count == most:
        if score <= work.candidate_scores[count - 1]:
            return count
        count -= 1
    place = count
    while place > 0 and work.candidate_scores[place - 1] < score:
        work.candidates[place] = work.candidates[place - 1]
        work.candidate_scores[place] = work.candidate_scores[place - 1]
        place -= 1
    work.candidates[place] = point
    work.candidate_scores[place] = score
    return count + 1


@inner(int64(POSITION, WORK, int64))
def choose_points(pos: Record, work: Record, most: int) -> int:
    """List the `most` empty points of highest interest in work.candidates; return their number."""
    count: int = int64(0)
    for point in range(POINTS):
        if pos.stones[point] == 0:
            count = insert_candidate(work, int64(point), int64(work.interest[point]), count, most)
    return count


@inner(int64(int64, int64), forceinline=True)
def shares_road(first: int, second: int) -> int:
    """Return 1 if two points may lie on one road."""
    columns = abs(second // SIZE - first // SIZE)
    rows = abs(second % SIZE - first % SIZE)
    is_on_line = columns == 0 or rows == 0 or columns == rows
    return 1 if is_on_line and max(columns, rows) < ROAD_LENGTH else 0


@inner(int64(POSITION, WORK, int64, int64))
def choose_seconds_by_network(pos: Record, work: Record, first: int, most: int) -> int:
    """Do what `choose_seconds` does, by the networks: `first` is put on the board that they see, and taken back."""
    network = int64(work.network)
    view = POLICY + pos.turn
    set_stone(network, view, first, pos.turn + 1)
    count: int = int64(0)
    for direction in range(DIRECTIONS):
        for steps in range(1 - ROAD_LENGTH, ROAD_LENGTH):
            column = first // SIZE + steps * STEPS[direction][0]
            row = first % SIZE + steps * STEPS[direction][1]
            if steps != 0 and 0 <= column < SIZE and 0 <= row < SIZE:
                point = column * SIZE + row
                if pos.stones[point] == 0:
                    count = insert_candidate(work, point, interest_by(network, view, int64(1), point), count, most)
    for i in range(work.leading_count):
        point = int64(work.leading[i])
        if shares_road(first, point) == 0:
            count = insert_candidate(work, point, interest_by(network, view, int64(1), point), count, most)
    set_stone(network, view, first, int64(EMPTY))
    return count


@inner(int64(POSITION, WORK, LOOKUP, int64, int64))
def choose_seconds(pos: Record, work: Record, lookup: Record, first: int, most: int) -> int:
    """List the `most` second points of highest interest after `first` in work.candidates; return their number.

    They come from work.leading and from the points whose interest `first` changes.
    """
    if has_policy(pos, work) == 1:
        return choose_seconds_by_network(pos, work, first, most)
    touched = int64(0)
    for i in range(first * POINT_ROADS, first * POINT_ROADS + lookup.road_count[first]):
        road = int64(lookup.point_roads[i])
        gain = lookup.interest_gain[pos.turn * 64 + pos.roads[road]]
        if gain != 0:
            for j in range(road * ROAD_LENGTH, road * ROAD_LENGTH + ROAD_LENGTH):
                point = int64(lookup.road_points[j])
                if pos.stones[point] == 0 and point != first:
                    if work.marks[point] == 0:
                        work.marks[point] = 1
                        work.touched[touched] = point
                        work.gains[point] = 0
                        touched += 1
                    work.gains[point] += gain
    count: int = int64(0)
    for i in range(touched):
        point = int64(work.touched[i])
        count = insert_candidate(work, point, int64(work.interest[point] + work.gains[point]), count, most)
    for i in range(work.leading_count):
        point = int64(work.leading[i])
        if work.marks[point] == 0 and point != first:
            count = insert_candidate(work, point, int64(work.interest[point]), count, most)
    for i in range(touched):
        work.marks[work.touched[i]] = 0
    return count


@inner(int64(WORK, int64, int64, int64, int64, int64), forceinline=True)
def list_turn(work: Record, first: int, second: int, score: int, start: int, end: int) -> int:
    """Add a turn to work.moves[start:end] unless it is there; return the list's new end."""
    move = sorted_move(first, second)
    for i in range(start, end):
        if work.moves[i] == move:
            return end
    work.moves[end] = move
    work.move_scores[end] = score
    return end + 1


@inner(int64(POSITION, WORK, LOOKUP, int64, int64))
def list_singles(pos: Record, work: Record, lookup: Record, end: int, count: int) -> int:
    """List single stones on the candidates, only those that hit all threats if any does; return their end."""
    first_listed = end
    for must_hit in range(1, -1, -1):
        for i in range(count):
            point = int64(work.candidates[i])
            if must_hit == 1 and hits_all(work, lookup, point, point) == 0:
                continue
            work.moves[end] = make_move(point, NO_POINT)
            work.move_scores[end] = work.candidate_scores[i]
            end += 1
        if end > first_listed:
            break
    return end


@inner(int64(POSITION, WORK, LOOKUP, int64, int64, int64, int64))
def list_with(pos: Record, work: Record, lookup: Record, first: int, seconds: int, start: int, end: int) -> int:
    """Add the turns of `first` and each of its best second points; return the list's new end."""
    score = work.interest[first]
    for i in range(choose_seconds(pos, work, lookup, first, seconds)):
        end = list_turn(work, first, int64(work.candidates[i]), score + work.candidate_scores[i], start, end)
    return end


@inner(pair(POSITION, WORK, LOOKUP, int64, int64))
def list_defences(pos: Record, work: Record, lookup: Record, start: int, seconds: int) -> tuple[int, int]:
    """List the turns that hit every listed threat; return their end, `start` if there are none, and their coverage.

    All pairs that need both stones are listed. A point that suffices alone gets its best `seconds` second points, and
    the coverage is PARTIAL. It is also PARTIAL if the list of turns or of threats was full.
    """
    end = start
    coverage = int64(COMPLETE if work.threat_count < MAX_THREATS else PARTIAL)
    limit = start + MAX_MOVES - seconds
    base = int64(work.threat_roads[0]) * ROAD_LENGTH
    for j in range(base, base + ROAD_LENGTH):
        first = int64(lookup.road_points[j])
        if pos.stones[first] != 0 or end > limit:
            continue
        open_road = int64(-1)
        for i in range(work.threat_count):
            road = int64(work.threat_roads[i]) * ROAD_LENGTH
            hit = 0
            for k in range(road, road + ROAD_LENGTH):
                if lookup.road_points[k] == first:
                    hit = 1
            if hit == 0:
                open_road = road
        if open_road < 0:
            coverage = int64(PARTIAL)
            end = list_with(pos, work, lookup, first, seconds, start, end)
        else:
            for k in range(open_road, open_road + ROAD_LENGTH):
                second = int64(lookup.road_points[k])
                if pos.stones[second] == 0 and hits_all(work, lookup, first, second) == 1:
                    score = work.interest[first] + work.interest[second]
                    end = list_turn(work, first, second, score, start, end)
    if end > limit:
        coverage = int64(PARTIAL)
    elif end == start and coverage == COMPLETE:
        coverage = int64(LOST)
    return end, coverage


@inner(int64(POSITION, WORK, LOOKUP, int64, int64, int64))
def list_in_zone(pos: Record, work: Record, lookup: Record, start: int, end: int, zone_count: int) -> int:
    """Keep the listed turns that touch the zone or make a threat, and add others that touch it; return their end."""
    kept = start
    side = pos.turn
    for i in range(start, end):
        move = int64(work.moves[i])
        is_useful = in_zone(work, first_stone(move)) == 1 or in_zone(work, second_stone(move)) == 1
        if not is_useful:
            do_move(pos, lookup, move)
            is_useful = pos.threats[side] > 0
            undo_move(pos, lookup, move)
        if is_useful:
            work.moves[kept] = move
            work.move_scores[kept] = work.move_scores[i]
            kept += 1
    count: int = int64(0)
    for i in range(zone_count):
        point = int64(work.zone[i])
        count = insert_candidate(work, point, int64(work.interest[point]), count, int64(MAX_FIRSTS))
    for i in range(count):
        work.zone[i] = work.candidates[i]
    end = kept
    for i in range(min(count, (start + MAX_MOVES - kept) // SECONDS)):
        end = list_with(pos, work, lookup, int64(work.zone[i]), int64(SECONDS), start, end)
    return end


@outlined(pair(POSITION, WORK, LOOKUP, int64, int64, int64))
def generate_moves(pos: Record, work: Record, lookup: Record, ply: int, width: int, zone_count: int) -> tuple[int, int]:
    """List the turns worth searching in the ply's part of work.moves, unordered; return their end and their coverage.

    They are about five times `width`, each with its interest as score. A turn that wins at once is listed alone.
    Against threats only turns that hit all of them are listed, unless there are none. `zone_count`: points in the zone
    of `find_danger`; if there are any, only the turns of `list_in_zone` are listed. The coverage, PARTIAL, COMPLETE or
    LOST, says what was left out.
    """
    start = ply * MAX_MOVES
    coverage = int64(PARTIAL)
    if pos.threats[pos.turn] > 0:
        move = winning_move(pos, work, lookup)
        if move != 0:
            work.moves[start] = move
            work.move_scores[start] = 0
            return start + 1, coverage
    find_threats(pos, work, pos.turn ^ 1)
    load_interest(pos, work)
    firsts = min(max(width // 2 + 2, 6), MAX_FIRSTS)
    count = choose_points(pos, work, firsts + 3 * SECONDS)
    if pos.left == 1 or pos.empty == 1:
        return list_singles(pos, work, lookup, start, count), coverage
    for i in range(count):
        work.leading[i] = work.candidates[i]
    work.leading_count = count
    end = start
    if work.threat_count > 0:
        end, coverage = list_defences(pos, work, lookup, start, min(2 * firsts, CANDIDATES))
    if end == start:
        for i in range(min(firsts, count)):
            end = list_with(pos, work, lookup, int64(work.leading[i]), int64(SECONDS), start, end)
        if zone_count > 0:
            end = list_in_zone(pos, work, lookup, start, end, zone_count)
    return end, coverage
