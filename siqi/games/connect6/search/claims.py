"""Claims: wins that rest on the turns which were tried against them, not on all turns.

A node whose listed turns all lose may still have a turn that was not listed. So its score is its evaluation less
CLAIM_BONUS, which stays on the scale of evaluations, and the root verifies the claim before it plays for it.
"""

from __future__ import annotations

from siqi.games.connect6.evaluation.patterns import load_interest
from siqi.games.connect6.rules.lookup import LOOKUP, ROAD_LENGTH, ROADS, THREAT
from siqi.games.connect6.rules.movegen import find_threats, hits_all, sorted_move
from siqi.games.connect6.rules.position import POSITION, do_stone, pass_turn, undo_stone
from siqi.games.connect6.rules.work import MAX_LEVELS, MAX_REFUTATIONS, SECONDS, WORK
from siqi.games.connect6.search.candidates import choose_points
from siqi.games.connect6.search.threats import (
    ZONE_TURNS,
    add_win_to_zone,
    clear_zone,
    find_win,
    pass_stone,
    win_after,
)
from siqi.games.kernel.jit import Record, inner, int64, outlined, pair

CLAIM_BONUS = 800
"""Added to the winner's evaluation for a claim: more than two logits by WIN_MODELS. Evaluations in place of scores near
those of proven wins: 48.8 % +- 3.0 of 120 games at 20,000 nodes."""

CLAIM_NODES = 1000
"""Nodes of each threat search that lists refutations."""

COUNTER_NODES = 100
"""Nodes of `win_after` for each reply to a threat that counters a claim."""

UNCLAIMED = 0
"""In work.claims: the variation rests on no claim. Else it has the ply of the side that is to lose, plus 1: odd if that
is the root's."""


@inner(int64(POSITION, WORK, LOOKUP))
def mark_zone(pos: Record, work: Record, lookup: Record) -> int:
    """Make the zone that of the win by double threats of the side to move, and return its size; 0 without a win."""
    length, _ = find_win(pos, work, lookup, int64(MAX_LEVELS), int64(CLAIM_NODES))
    clear_zone(work)
    if length > 0:
        add_win_to_zone(pos, work, lookup, int64(0), int64(ZONE_TURNS), int64(1))
    return int64(work.zone_count)


@inner(int64(POSITION, WORK, LOOKUP))
def list_firsts(pos: Record, work: Record, lookup: Record) -> int:
    """List the points of which a refutation has one in work.refuting_firsts; return their number.

    Against threats these are the points that hit all of them, as the turns that need both stones were all listed. Else
    they are the zone of the win after a pass; none if a pass does not lose.
    """
    count = 0
    if pos.threats[pos.turn ^ 1] > 0:
        find_threats(pos, work, pos.turn ^ 1)
        road = int64(work.threat_roads[0]) * ROAD_LENGTH
        for i in range(road, road + ROAD_LENGTH):
            point = int64(lookup.road_points[i])
            if pos.stones[point] == 0 and hits_all(work, lookup, point, point) == 1:
                work.refuting_firsts[count] = point
                count += 1
        return count
    pass_turn(pos, lookup)
    size = mark_zone(pos, work, lookup)
    pass_turn(pos, lookup)
    for i in range(size):
        if pos.stones[work.zone[i]] == 0:
            work.refuting_firsts[count] = work.zone[i]
            count += 1
    return count


@outlined(int64(POSITION, WORK, LOOKUP))
def list_refutations(pos: Record, work: Record, lookup: Record) -> int:
    """List the turns that may refute a claim against the side to move in work.refutations; return their number.

    One stone touches what the win after a pass needs (`list_firsts`). The other touches what the win that is left
    needs, or, if the first stone leaves none, is one of the points of most interest.
    """
    count = 0
    for i in range(list_firsts(pos, work, lookup)):
        first = int64(work.refuting_firsts[i])
        do_stone(pos, lookup, first)
        pass_stone(pos, lookup, int64(2))
        seconds = mark_zone(pos, work, lookup)
        pass_stone(pos, lookup, int64(1))
        if seconds == 0:
            load_interest(pos, work)
            seconds = choose_points(pos, work, int64(SECONDS))
            for j in range(seconds):
                work.zone[j] = work.candidates[j]
        for j in range(seconds):
            second = int64(work.zone[j])
            if pos.stones[second] == 0 and count < MAX_REFUTATIONS:
                work.refutations[count] = sorted_move(first, second)
                count += 1
        undo_stone(pos, lookup)
    return count


@inner(int64(POSITION, WORK, LOOKUP))
def list_threats(pos: Record, work: Record, lookup: Record) -> int:
    """List the turns that make a threat on a road of two own stones in work.refutations, once; return their number."""
    count = 0
    base = pos.turn * 64
    for road in range(ROADS):
        if lookup.own[base + pos.roads[road]] != THREAT - 2:
            continue
        start = road * ROAD_LENGTH
        for i in range(start, start + ROAD_LENGTH):
            for j in range(i + 1, start + ROAD_LENGTH):
                first, second = int64(lookup.road_points[i]), int64(lookup.road_points[j])
                if pos.stones[first] != 0 or pos.stones[second] != 0 or count == MAX_REFUTATIONS:
                    continue
                move = sorted_move(first, second)
                place = 0
                while place < count and work.refutations[place] != move:
                    place += 1
                work.refutations[place] = move
                count = max(count, place + 1)
    return count


@outlined(pair(POSITION, WORK, LOOKUP))
def find_counter(pos: Record, work: Record, lookup: Record) -> tuple[int, int]:
    """Return the number of turns in which the side to move wins by a threat of its own, and the first; 0, 0 if none.

    A search that has found a win for the other side may not have tried that threat.
    """
    if pos.threats[pos.turn ^ 1] == 0:
        for i in range(list_threats(pos, work, lookup)):
            move = int64(work.refutations[i])
            length = win_after(pos, work, lookup, move, int64(COUNTER_NODES))
            if length > 0:
                return length, move
    return 0, 0
