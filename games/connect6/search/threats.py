"""Wins by continuous double threats, exactly: every defence is enumerated, none is summed up.

After an attack (attacks.py) the opponent, if he does not win first, must answer with two stones that hit all threats;
after one that no two stones can hit the game is won. Such a sequence leaves him no free stone, so it is searched by
itself: a few nodes where the full game has thousands.
"""

from __future__ import annotations

from games.connect6.rules.lookup import LOOKUP, ROAD_LENGTH, ROADS
from games.connect6.rules.movegen import winning_turn
from games.connect6.rules.position import NO_POINT, NOT_OVER, POSITION, THREAT, do_stone, do_turn, undo_stone, undo_turn
from games.connect6.rules.work import MAX_LEVELS, MAX_REPLIES, WORK
from games.connect6.search.attacks import MISSED, UNSTOPPABLE, list_attacks, list_replies, list_second
from games.kernel.intrinsics import recurse_3
from games.kernel.jit import Record, entry, inner, int64, outlined, void
from games.kernel.node import count_node, hasten_poll, pick_from
from games.kernel.tt import EXACT, entry_depth, entry_move, entry_score, probe, save

ABORTED = -1
"""In the place of a number of turns: the node limit came first."""

SALT = 0x5A17ED0C0FFEE
"""Tells the solver's entries in the transposition table from the search's."""

FIRST_REPLIES = (MAX_LEVELS + 1) * MAX_REPLIES
"""Where replies to a single threat are listed."""

ROADS_A_NODE = 8
"""Hot roads whose attacks take as long to list as other nodes take: on crowded boards a node has a hundred."""

ZONE_TURNS = 200
"""Turns of a win whose points are looked at, for the zone."""

EXHAUSTED = MAX_LEVELS + 1
"""In the place of a depth: no limit of depth left anything out."""


@inner(int64(POSITION, WORK, LOOKUP, int64, int64, int64))
def attack(pos: Record, work: Record, lookup: Record, depth: int, level: int, room: int) -> int:
    """Turns, at most `depth`, in which the side to move wins by double threats, its six included; 0 if it does not.

    Its own threats have all been hit. The first turn of all goes to work.attack_turn. `level`: attacks made so far;
    `room`: where this node's attacks are listed.
    """
    count_node(work)
    work.attack_nodes += 1
    if work.attack_nodes > work.attack_budget or work.stopped == 1:
        work.attack_aborted = 1
        return 0
    key = pos.key ^ SALT
    data = probe(work.tt, work.tt_mask, key)
    if data != 0:
        length = entry_score(data)
        if length > 0 and length <= depth:
            if level == 0:
                work.attack_turn = entry_move(data)
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
    end = list_attacks(pos, work, lookup, room)
    hasten_poll(work, int64(work.hot_count) // ROADS_A_NODE)
    replies = level * MAX_REPLIES
    side = pos.turn
    for i in range(room, end):
        turn = pick_from(work.attacks, work.attack_scores, i, end)
        longest: int = int64(2)
        if work.attack_scores[i] < UNSTOPPABLE:
            if depth == 2:
                work.attack_cut = 1
                break
            do_turn(pos, lookup, turn)
            count = list_replies(pos, work, lookup, turn, side, replies)
            for r in range(replies, replies + count):
                reply = int64(work.replies[r])
                do_turn(pos, lookup, reply)
                length = recurse_3(pos, work, lookup, depth - 1, level + 1, end)
                undo_turn(pos, lookup, reply)
                if length == 0:
                    longest = int64(0)
                    break
                longest = max(longest, length + 1)
            undo_turn(pos, lookup, turn)
            if work.attack_aborted == 1:
                return 0
        if longest > 0:
            work.attack_cut = was_cut
            if level == 0:
                work.attack_turn = turn
            save(work.tt, work.tt_mask, key, turn, longest, int64(0), EXACT, work.generation)
            return longest
    searched = depth if work.attack_cut else int64(EXHAUSTED)
    save(work.tt, work.tt_mask, key, int64(0), int64(0), searched, EXACT, work.generation)
    work.attack_cut |= was_cut
    return 0


@outlined(int64(POSITION, WORK, LOOKUP, int64, int64))
def find_win(pos: Record, work: Record, lookup: Record, depth: int, budget: int) -> int:
    """Turns in which the side to move, without threats of its own, wins by double threats; 0 none.

    ABORTED if the budget of nodes came first. By iterative deepening, so that the length is the shortest. The first
    turn goes to work.attack_turn.
    """
    work.attack_nodes = 0
    work.attack_budget = budget
    work.attack_aborted = 0
    for limit in range(2, depth + 1):
        work.attack_cut = 0
        length = attack(pos, work, lookup, limit, int64(0), int64(0))
        if work.attack_aborted == 1:
            return ABORTED
        if length > 0:
            return length
        if work.attack_cut == 0:
            break
    return 0


@inner(void(WORK, int64), forceinline=True)
def mark(work: Record, point: int) -> None:
    """Make a point part of the zone."""
    if point != NO_POINT and work.zone_seen[point] != work.zone_stamp:
        work.zone_seen[point] = work.zone_stamp
        work.zone[work.zone_count] = point
        work.zone_count += 1


@inner(void(POSITION, WORK, LOOKUP, int64))
def mark_counters(pos: Record, work: Record, lookup: Record, side: int) -> None:
    """Mark the points where one more stone of `side` would threaten to win."""
    for road in range(ROADS):
        if lookup.own[side * 64 + pos.roads[road]] >= THREAT - 1:
            for i in range(road * ROAD_LENGTH, road * ROAD_LENGTH + ROAD_LENGTH):
                if pos.stones[lookup.road_points[i]] == 0:
                    mark(work, int64(lookup.road_points[i]))


@inner(int64(POSITION, WORK, LOOKUP, int64, int64, int64))
def mark_win(pos: Record, work: Record, lookup: Record, level: int, room: int, with_counters: int) -> int:
    """Mark the points that the win of `find_win` needs: its stones, the points of its threats, and `with_counters`
    those of threats against it. At most `room` turns are looked at; returns the room left, 0 if points are missing.
    """
    data = probe(work.tt, work.tt_mask, pos.key ^ SALT)
    if data == 0 or entry_score(data) <= 0 or room == 0 or level == MAX_LEVELS:
        return 0
    turn = entry_move(data)
    replies = level * MAX_REPLIES
    if with_counters == 1:
        mark_counters(pos, work, lookup, pos.turn ^ 1)
    do_turn(pos, lookup, turn)
    mark(work, turn & 511)
    mark(work, turn >> 9)
    count = list_replies(pos, work, lookup, turn, pos.turn ^ 1, replies)
    for i in range(work.hit_count):
        mark(work, int64(work.hit_first[i]))
        mark(work, int64(work.hit_second[i]))
    room -= 1
    for r in range(replies, replies + count):
        reply = int64(work.replies[r])
        do_turn(pos, lookup, reply)
        room = recurse_3(pos, work, lookup, level + 1, room, with_counters)
        undo_turn(pos, lookup, reply)
    undo_turn(pos, lookup, turn)
    return room


@inner(void(POSITION, LOOKUP), forceinline=True)
def pass_turn(pos: Record, lookup: Record) -> None:
    """Give the turn to the other side."""
    pos.turn ^= 1
    pos.key ^= lookup.zobrist_turn


@inner(void(POSITION, LOOKUP, int64), forceinline=True)
def leave_out(pos: Record, lookup: Record, left: int) -> None:
    """With one stone left: pass it (left = 2, the other side's), or take that back (1)."""
    pass_turn(pos, lookup)
    pos.left = left
    pos.key ^= lookup.zobrist_single


@outlined(int64(POSITION, WORK, LOOKUP, int64, int64))
def find_danger(pos: Record, work: Record, lookup: Record, depth: int, budget: int) -> int:
    """Turns in which the opponent would win by double threats if the side to move passed; 0 none, ABORTED unknown.

    The points that this win needs go to work.zone: a turn that touches none of them and makes no threat hardly averts
    it (its stones may still become a threat with those of a forced reply).
    """
    pass_turn(pos, lookup)
    length = find_win(pos, work, lookup, depth, budget)
    work.zone_count = 0
    if length > 0:
        work.zone_stamp += 1
        mark_win(pos, work, lookup, int64(0), int64(ZONE_TURNS), int64(0))
    pass_turn(pos, lookup)
    return length


@inner(int64(POSITION, WORK, LOOKUP, int64, int64))
def win_against(pos: Record, work: Record, lookup: Record, point: int, budget: int) -> int:
    """As `find_win`, of the side that made a threat, after the opponent's reply with a stone on `point` that hits it
    and another anywhere.

    A win against that one stone holds whatever the other is, unless it is on a point of that win's zone: it blocks no
    stone and no threat of it, and makes no threat that must be answered. Those in the zone are tried each.
    """
    do_stone(pos, lookup, point)
    leave_out(pos, lookup, int64(2))
    longest: int = find_win(pos, work, lookup, int64(MAX_LEVELS), budget)
    if longest > 0:
        work.zone_stamp += 1
        work.zone_count = 0
        if mark_win(pos, work, lookup, int64(0), int64(ZONE_TURNS), int64(1)) == 0:
            longest = int64(ABORTED)
    leave_out(pos, lookup, int64(1))
    for i in range(work.zone_count):
        other = int64(work.zone[i])
        if longest > 0 and pos.stones[other] == 0:
            do_stone(pos, lookup, other)
            length = find_win(pos, work, lookup, int64(MAX_LEVELS), budget)
            undo_stone(pos, lookup)
            longest = max(longest, length) if length > 0 else length
    undo_stone(pos, lookup)
    return longest


@entry(int64(POSITION, WORK, LOOKUP, int64, int64))
def win_after(pos: Record, work: Record, lookup: Record, turn: int, budget: int) -> int:
    """Turns in which a turn that makes a threat, if but a single one, wins with double threats after it.

    0 or ABORTED if that is not proven with `budget` nodes against each reply; 0 for a side that has threats before it.
    """
    side = pos.turn
    if pos.threats[side] > 0:
        return 0
    do_turn(pos, lookup, turn)
    longest: int = int64(0)
    if pos.winner == NOT_OVER and pos.left == 2 and pos.threats[side] > 0 and pos.threats[side ^ 1] == 0:
        longest = int64(1)
        list_replies(pos, work, lookup, turn, side, int64(FIRST_REPLIES))
        end = int64(FIRST_REPLIES)
        singles = 0
        for point in (int64(work.hit_first[0]), int64(work.hit_second[0])):
            if point != NO_POINT:
                after = list_second(work, point, int64(FIRST_REPLIES), end)
                if after == MISSED:
                    work.singles[singles] = point
                    singles += 1
                else:
                    end = after
        for i in range(FIRST_REPLIES, end):
            if longest > 0:
                reply = int64(work.replies[i])
                do_turn(pos, lookup, reply)
                length = find_win(pos, work, lookup, int64(MAX_LEVELS), budget)
                undo_turn(pos, lookup, reply)
                longest = max(longest, length) if length > 0 else length
        for i in range(singles):
            if longest > 0:
                length = win_against(pos, work, lookup, int64(work.singles[i]), budget)
                longest = max(longest, length) if length > 0 else length
        work.zone_count = 0
    undo_turn(pos, lookup, turn)
    return longest + 1 if longest > 0 else longest


@entry(int64(POSITION, WORK, LOOKUP, int64, int64))
def win_by_threats(pos: Record, work: Record, lookup: Record, depth: int, budget: int) -> int:
    """`find_win` for any position; the turn goes to work.replies."""
    if pos.winner != NOT_OVER:
        return 0
    if pos.threats[pos.turn] > 0:
        turn = winning_turn(pos, work, lookup)
        if turn != 0:
            work.replies[0] = turn
            return 1
    length = find_win(pos, work, lookup, depth, budget)
    if length > 0:
        work.replies[0] = work.attack_turn
    return length


@entry(int64(POSITION, WORK, LOOKUP, int64))
def replies_to(pos: Record, work: Record, lookup: Record, turn: int) -> int:
    """After an attack: the opponent's pairs of stones that hit all threats, to work.replies; returns their number."""
    return list_replies(pos, work, lookup, turn, pos.turn ^ 1, int64(0))
