"""Wins by continuous double threats, exactly: every defence is enumerated, none is summed up.

After an attack (attacks.py) the opponent, if he does not win first, must answer with two stones that hit all threats;
after one that no two stones can hit the game is won. Such a sequence leaves him no free stone, so it is searched by
itself: a few nodes where the full game has thousands.
"""

from __future__ import annotations

from games.connect6.attacks import UNSTOPPABLE, list_attacks, list_replies
from games.connect6.movegen import winning_turn
from games.connect6.position import NO_POINT, NOT_OVER, POSITION, do_turn, undo_turn
from games.connect6.tables import TABLES
from games.connect6.work import MAX_LEVELS, MAX_REPLIES, WORK
from games.kernel.intrinsics import recurse_3
from games.kernel.jit import Record, entry, inner, int64, void
from games.kernel.node import count_node, pick_from
from games.kernel.table import EXACT, entry_depth, entry_move, entry_score, probe, save

ABORTED = -1
"""In the place of a number of turns: the node limit came first."""

SALT = 0x5A17ED0C0FFEE
"""Tells the solver's entries in the transposition table from the search's."""

ZONE_TURNS = 200
"""Turns of a win whose points are looked at, for the zone."""

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
            count = list_replies(pos, work, t, turn, side, replies)
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
    limit = int64(2)
    while limit <= depth:
        work.attack_cut = 0
        length = attack(pos, work, t, limit, int64(0), int64(0))
        if work.attack_aborted == 1:
            return ABORTED
        if length > 0:
            return length
        if work.attack_cut == 0:
            break
        limit += 1
    return 0


@inner(int64(POSITION, WORK), forceinline=True)
def attack_found(pos: Record, work: Record) -> int:
    """The first turn of the win that `find_win` has just found."""
    return entry_move(probe(work.table, work.table_mask, pos.key ^ SALT))


@inner(void(WORK, int64), forceinline=True)
def mark(work: Record, point: int) -> None:
    """Make a point part of the zone."""
    if point != NO_POINT and work.zone_seen[point] != work.zone_stamp:
        work.zone_seen[point] = work.zone_stamp
        work.zone[work.zone_count] = point
        work.zone_count += 1


@inner(int64(POSITION, WORK, TABLES, int64, int64, int64))
def mark_win(pos: Record, work: Record, t: Record, level: int, room: int, _: int) -> int:
    """Mark the points that the win of `find_win` needs, of at most `room` of its turns; returns the room left."""
    data = probe(work.table, work.table_mask, pos.key ^ SALT)
    if data == 0 or entry_score(data) <= 0 or room == 0:
        return room
    turn = entry_move(data)
    replies = level * MAX_REPLIES
    do_turn(pos, t, turn)
    mark(work, turn & 511)
    mark(work, turn >> 9)
    count = list_replies(pos, work, t, turn, pos.turn ^ 1, replies)
    for i in range(work.hit_count):
        mark(work, int64(work.hit_first[i]))
        mark(work, int64(work.hit_second[i]))
    room -= 1
    for r in range(replies, replies + count):
        reply = int64(work.replies[r])
        do_turn(pos, t, reply)
        room = recurse_3(pos, work, t, level + 1, room, int64(0))
        undo_turn(pos, t, reply)
    undo_turn(pos, t, turn)
    return room


@inner(int64(POSITION, WORK, TABLES, int64, int64))
def find_danger(pos: Record, work: Record, t: Record, depth: int, budget: int) -> int:
    """Turns in which the opponent would win by double threats if the side to move passed; 0 none, ABORTED unknown.

    The points that this win needs go to work.zone: a turn that touches none of them and makes no threat does not
    avert it.
    """
    pos.turn ^= 1
    pos.key ^= t.zobrist_turn
    length = find_win(pos, work, t, depth, budget)
    work.zone_count = 0
    if length > 0:
        work.zone_stamp += 1
        mark_win(pos, work, t, int64(0), int64(ZONE_TURNS), int64(0))
    pos.turn ^= 1
    pos.key ^= t.zobrist_turn
    return length


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
    return list_replies(pos, work, t, turn, pos.turn ^ 1, int64(0))
