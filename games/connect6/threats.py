"""Wins by continuous double threats, exactly: every defence is enumerated, none is summed up.

An attack is a turn after which no single stone hits every threat (a road with four stones or more and none of the
enemy's). The opponent, if he does not win first, must answer with two stones that hit them all; after an attack that no
two stones can hit the game is won. Such a sequence leaves him no free stone, so it is searched by itself: a few nodes
where the full game has thousands.
"""

from __future__ import annotations

from games.connect6.movegen import find_threats, hits_all, ordered, winning_turn
from games.connect6.position import NO_POINT, NOT_OVER, POSITION, THREAT, do_turn, undo_turn
from games.connect6.tables import POINT_ROADS, POINTS, ROAD_LENGTH, ROADS, TABLES
from games.connect6.work import MAX_ATTACKS, MAX_HITS, MAX_LEVELS, MAX_REPLIES, WORK
from games.kernel.intrinsics import recurse_3
from games.kernel.jit import Record, entry, inner, int64, void
from games.kernel.node import count_node, pick_from
from games.kernel.table import EXACT, entry_depth, entry_move, entry_score, probe, save

MISSED = -1
"""In the place of a number of replies: one stone suffices, it is no attack."""

ABORTED = -1
"""In the place of a number of turns: the node limit came first."""

REPLY_COST = 1 << 24
UNSTOPPABLE = -(1 << 23)
"""Scores of attacks: the fewer replies the better, then by the interest of the points; from UNSTOPPABLE on none."""

SALT = 0x5A17ED0C0FFEE
"""Tells the solver's entries in the transposition table from the search's."""

SCRATCH = MAX_LEVELS * MAX_REPLIES
"""Where replies are listed only to be counted."""


@inner(void(POSITION, TABLES, int64, int64), forceinline=True)
def step_roads(pos: Record, t: Record, point: int, step: int) -> None:
    """Change the contents of the roads through a point, and nothing else."""
    for i in range(point * POINT_ROADS, point * POINT_ROADS + t.road_count[point]):
        pos.roads[t.point_roads[i]] += step


@inner(void(POSITION, WORK, TABLES, int64, int64), forceinline=True)
def note_threats(pos: Record, work: Record, t: Record, point: int, side: int) -> None:
    """Add the threats on the roads through a point, as the points that hit them."""
    for i in range(point * POINT_ROADS, point * POINT_ROADS + t.road_count[point]):
        road = int64(t.point_roads[i])
        if t.own[side * 64 + pos.roads[road]] >= THREAT and work.hit_count < MAX_HITS:
            work.hit_first[work.hit_count] = NO_POINT
            work.hit_second[work.hit_count] = NO_POINT
            for j in range(road * ROAD_LENGTH, road * ROAD_LENGTH + ROAD_LENGTH):
                other = int64(t.road_points[j])
                if pos.stones[other] == 0:
                    if work.hit_first[work.hit_count] == NO_POINT:
                        work.hit_first[work.hit_count] = other
                    else:
                        work.hit_second[work.hit_count] = other
            work.hit_count += 1


@inner(int64(WORK, int64, int64, int64))
def list_second(work: Record, first: int, at: int, end: int) -> int:
    """With `first` hitting some of the threats, list the replies it is part of; MISSED if it hits all."""
    a, b = int64(NO_POINT), int64(NO_POINT)
    is_open = False
    for i in range(work.hit_count):
        p, q = int64(work.hit_first[i]), int64(work.hit_second[i])
        if p == first or q == first:
            continue
        if not is_open:
            a, b = p, q
            is_open = True
        else:
            if a != p and a != q:
                a = int64(NO_POINT)
            if b != p and b != q:
                b = int64(NO_POINT)
    if not is_open:
        return MISSED
    for second in (a, b):
        if second != NO_POINT:
            turn = ordered(first, second)
            is_new = True
            for i in range(at, end):
                if work.replies[i] == turn:
                    is_new = False
            if is_new and end < at + MAX_REPLIES:
                work.replies[end] = turn
                end += 1
    return end


@inner(int64(POSITION, WORK, TABLES, int64, int64, int64, int64))
def list_replies(pos: Record, work: Record, t: Record, first: int, second: int, side: int, at: int) -> int:
    """The pairs that hit every threat of `side` on roads through two points, to work.replies from `at`.

    Returns their number: 0 if the threats cannot be met, MISSED if one stone meets them all.
    """
    work.hit_count = 0
    note_threats(pos, work, t, first, side)
    if second != NO_POINT:
        note_threats(pos, work, t, second, side)
    if work.hit_count == 0:
        return MISSED
    end = list_second(work, int64(work.hit_first[0]), at, at)
    if end != MISSED and work.hit_second[0] != NO_POINT:
        end = list_second(work, int64(work.hit_second[0]), at, end)
    return MISSED if end == MISSED else end - at


@inner(void(POSITION, TABLES, int64, int64), forceinline=True)
def put(pos: Record, t: Record, point: int, by: int) -> None:
    """Put a stone of the side to move on a point (by = 1) or take it off (-1): for the stones and roads alone."""
    if point != NO_POINT:
        pos.stones[point] = pos.turn + 1 if by == 1 else 0
        step_roads(pos, t, point, by if pos.turn == 0 else 8 * by)


@inner(int64(POSITION, WORK, TABLES, int64, int64))
def count_replies(pos: Record, work: Record, t: Record, first: int, second: int) -> int:
    """What `list_replies` would return after the side to move has placed these stones."""
    put(pos, t, first, int64(1))
    put(pos, t, second, int64(1))
    replies = list_replies(pos, work, t, first, second, pos.turn, SCRATCH)
    put(pos, t, second, int64(-1))
    put(pos, t, first, int64(-1))
    return replies


@inner(int64(POSITION, WORK, TABLES, int64, int64, int64))
def try_attack(pos: Record, work: Record, t: Record, first: int, second: int, end: int) -> int:
    """List the turn if it is an attack that also hits the opponent's threats; returns the list's new end."""
    low, high = min(first, second), max(first, second)
    if work.seen[low * POINTS + high] == work.stamp:
        return end
    work.seen[low * POINTS + high] = work.stamp
    if work.threat_count > 0 and hits_all(work, t, low, high) == 0:
        return end
    replies = count_replies(pos, work, t, low, high)
    if replies == MISSED:
        return end
    if end == MAX_ATTACKS:
        work.attack_cut = 1
        return end
    base = pos.turn * POINTS
    work.attacks[end] = ordered(low, high)
    work.attack_scores[end] = pos.interest[base + low] + pos.interest[base + high] - REPLY_COST * replies
    return end + 1


@inner(int64(POSITION, WORK, TABLES, int64))
def list_attacks(pos: Record, work: Record, t: Record, first: int) -> int:
    """The attacks of the side to move, to work.attacks from `first`; returns their end.

    Both stones make a threat together on a road of two, or each on a road of three; or one does alone, and the other is
    any on a road of two or three.
    """
    side = pos.turn
    end = first
    if pos.left != 2:
        return end
    work.stamp += 1
    find_threats(pos, work, side ^ 1)
    # Points on roads of three, and those on any road that would gain.
    three_count, some_count = int64(0), int64(0)
    for road in range(ROADS):
        own = int64(t.own[side * 64 + pos.roads[road]])
        if own == 2 or own == 3:
            for j in range(road * ROAD_LENGTH, road * ROAD_LENGTH + ROAD_LENGTH):
                point = int64(t.road_points[j])
                if pos.stones[point] != 0:
                    continue
                if own == 3 and work.taken[point] < 2:
                    if work.taken[point] == 0:
                        work.some[some_count] = point
                        some_count += 1
                    work.taken[point] = 2
                    work.three[three_count] = point
                    three_count += 1
                elif work.taken[point] == 0:
                    work.taken[point] = 1
                    work.some[some_count] = point
                    some_count += 1
    for i in range(some_count):
        work.taken[work.some[i]] = 0
    for i in range(three_count):
        point = int64(work.three[i])
        for j in range(i + 1, three_count):
            end = try_attack(pos, work, t, point, int64(work.three[j]), end)
        if count_replies(pos, work, t, point, int64(NO_POINT)) != MISSED:
            for j in range(some_count):
                if work.some[j] != point:
                    end = try_attack(pos, work, t, point, int64(work.some[j]), end)
    for road in range(ROADS):
        if t.own[side * 64 + pos.roads[road]] == 2:
            base = road * ROAD_LENGTH
            for j in range(base, base + ROAD_LENGTH):
                if pos.stones[t.road_points[j]] == 0:
                    for k in range(j + 1, base + ROAD_LENGTH):
                        if pos.stones[t.road_points[k]] == 0:
                            end = try_attack(pos, work, t, int64(t.road_points[j]), int64(t.road_points[k]), end)
    return end


EXHAUSTED = MAX_LEVELS + 1
"""In the place of a depth: no limit of depth left anything out."""


@inner(int64(POSITION, WORK, TABLES, int64, int64, int64))
def attack(pos: Record, work: Record, t: Record, depth: int, level: int, room: int) -> int:
    """Turns, at most `depth`, in which the side to move wins by double threats, its six included; 0 if it does not.

    Its own threats have all been hit. The first turn goes to the transposition table. `level`: attacks made so far;
    `room`: where this node's attacks are listed.
    """
    count_node(work)
    work.attack_nodes += 1
    if work.attack_nodes > work.attack_budget or work.stopped == 1:
        work.attack_aborted = 1
        return 0
    key = pos.key ^ SALT
    data = probe(work.table, work.table_mask, key)
    if data != 0:
        length = entry_score(data)
        if length > 0 and length <= depth:
            return length
        if length == 0 and entry_depth(data) >= depth:
            if entry_depth(data) != EXHAUSTED:
                work.attack_cut = 1
            return 0
    if depth < 2 or level == MAX_LEVELS:
        work.attack_cut = 1
        return 0

    was_cut = work.attack_cut
    work.attack_cut = 0
    end = list_attacks(pos, work, t, room)
    replies = level * MAX_REPLIES
    side = pos.turn
    for i in range(room, end):
        turn = pick_from(work.attacks, work.attack_scores, i, end)
        longest: int = int64(2)
        if work.attack_scores[i] < UNSTOPPABLE:
            if depth == 2:
                work.attack_cut = 1
                break
            do_turn(pos, t, turn)
            count = list_replies(pos, work, t, turn & 511, turn >> 9, side, replies)
            for r in range(replies, replies + count):
                reply = int64(work.replies[r])
                do_turn(pos, t, reply)
                length = recurse_3(pos, work, t, depth - 1, level + 1, end)
                undo_turn(pos, t, reply)
                if length == 0:
                    longest = int64(0)
                    break
                longest = max(longest, length + 1)
            undo_turn(pos, t, turn)
            if work.attack_aborted == 1:
                return 0
        if longest > 0:
            work.attack_cut = was_cut
            save(work.table, work.table_mask, key, turn, longest, int64(0), EXACT, work.generation)
            return longest
    searched = depth if work.attack_cut else int64(EXHAUSTED)
    save(work.table, work.table_mask, key, int64(0), int64(0), searched, EXACT, work.generation)
    work.attack_cut |= was_cut
    return 0


@inner(int64(POSITION, WORK, TABLES, int64, int64))
def find_win(pos: Record, work: Record, t: Record, depth: int, budget: int) -> int:
    """Turns in which the side to move, without threats of its own, wins by double threats; 0 none.

    ABORTED if the budget of nodes came first. By iterative deepening, so that the length is the shortest.
    """
    work.attack_nodes = 0
    work.attack_budget = budget
    work.attack_aborted = 0
    for limit in range(2, depth + 1):
        work.attack_cut = 0
        length = attack(pos, work, t, limit, int64(0), int64(0))
        if work.attack_aborted == 1:
            return ABORTED
        if length > 0:
            return length
        if work.attack_cut == 0:
            break
    return 0


@inner(int64(POSITION, WORK), forceinline=True)
def attack_found(pos: Record, work: Record) -> int:
    """The first turn of the win that `find_win` has just found."""
    return entry_move(probe(work.table, work.table_mask, pos.key ^ SALT))


@entry(int64(POSITION, WORK, TABLES, int64, int64))
def win_by_threats(pos: Record, work: Record, t: Record, depth: int, budget: int) -> int:
    """`find_win` for any position; the turn goes to work.replies."""
    if pos.winner != NOT_OVER:
        return 0
    if pos.threats[pos.turn] > 0:
        turn = winning_turn(pos, work, t)
        if turn != 0:
            work.replies[0] = turn
            return 1
    length = find_win(pos, work, t, depth, budget)
    if length > 0:
        work.replies[0] = attack_found(pos, work)
    return length


@entry(int64(POSITION, WORK, TABLES, int64))
def replies_to(pos: Record, work: Record, t: Record, turn: int) -> int:
    """After an attack: the opponent's pairs of stones that hit all threats, to work.replies; returns their number."""
    return list_replies(pos, work, t, turn & 511, turn >> 9, pos.turn ^ 1, int64(0))
