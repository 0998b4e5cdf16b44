"""The threat search: wins by continuous double threats, exact because every defence is enumerated.

After an attack (attacks.py) the opponent must win at once or hit all threats with his two stones. An attack that no two
stones can hit wins. As the opponent never has a free stone, the sequence takes a few nodes where the full game has
thousands.
"""

from __future__ import annotations

from siqi.games.connect6.rules.lookup import LOOKUP, LOOKUP_RECORD, ROAD_LENGTH, THREAT
from siqi.games.connect6.rules.movegen import winning_move
from siqi.games.connect6.rules.position import (
    NO_POINT,
    NOT_OVER,
    POSITION,
    ROAD_WORDS,
    do_move,
    do_pair,
    do_stone,
    first_stone,
    pass_turn,
    roads_with,
    second_stone,
    undo_move,
    undo_pair,
    undo_stone,
)
from siqi.games.connect6.rules.work import MAX_LEVELS, MAX_REPLIES, WORK, WORK_DTYPE
from siqi.games.connect6.search.attacks import NO_ATTACK, UNSTOPPABLE, list_attacks, list_pairs_with, list_replies
from siqi.games.kernel.control import Control
from siqi.games.kernel.intrinsics import recurse_3, trailing_zeros
from siqi.games.kernel.jit import Record, entry, inner, int64, new_record, outlined, pair, void
from siqi.games.kernel.node import count_node, hasten_poll, pick_from
from siqi.games.kernel.tt import EXACT, TranspositionTable, entry_depth, entry_move, entry_score, probe, save

ABORTED = -1
"""Sentinel for a number of turns: the node limit or the stop came first."""

SALT = 0x5A17ED0C0FFEE
"""Distinguishes the threat search's keys in the transposition table from those of the main search."""

FIRST_REPLIES = (MAX_LEVELS + 1) * MAX_REPLIES
"""The place in work.replies for the replies to a single threat."""

ROADS_PER_NODE = 8
"""Hot roads whose attacks take as long to list as an ordinary node; on crowded boards a node has a hundred."""

ZONE_TURNS = 200
"""The most turns of a win that are replayed for its zone."""

EXHAUSTED = MAX_LEVELS + 1
"""The stored depth of a node without a win at any depth."""


@inner(int64(POSITION, WORK, LOOKUP, int64, int64, int64))
def search_attacks(pos: Record, work: Record, lookup: Record, depth: int, level: int, first: int) -> int:
    """Return the number of turns in which the side to move wins by double threats, its six included.

    A result from 1 to `depth` is proven against every reply, though not always the shortest. 0 means no win within
    `depth` turns; if work.attack_cut is set then, a deeper search may find one. The result is void once
    work.attack_aborted. It does not depend on the path, unless the lists along it fill work.attacks.

    The side to move must have no threats. `level` is the number of attacks made so far; this node's list begins at
    `first` in work.attacks. At level 0 the winning turn goes to work.attack_move, for `find_win`.
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
                work.attack_move = entry_move(data)
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
    end = list_attacks(pos, work, lookup, first)
    hasten_poll(work, int64(work.hot_count) // ROADS_PER_NODE)
    replies = level * MAX_REPLIES
    side = pos.turn
    for i in range(first, end):
        move = pick_from(work.attacks, work.attack_scores, i, end)
        longest: int = int64(2)
        if work.attack_scores[i] < UNSTOPPABLE:
            if depth == 2:
                work.attack_cut = 1
                break
            do_pair(pos, lookup, move)
            count = list_replies(pos, work, lookup, move, side, replies)
            for r in range(replies, replies + count):
                reply = int64(work.replies[r])
                do_pair(pos, lookup, reply)
                length = recurse_3(pos, work, lookup, depth - 1, level + 1, end)
                undo_pair(pos, lookup, reply)
                if length == 0:
                    longest = int64(0)
                    break
                longest = max(longest, length + 1)
            undo_pair(pos, lookup, move)
            if work.attack_aborted == 1:
                return 0
        if longest > 0:
            work.attack_cut = was_cut
            if level == 0:
                work.attack_move = move
            save(work.tt, work.tt_mask, key, move, longest, int64(0), EXACT, work.generation)
            return longest
    searched = depth if work.attack_cut else int64(EXHAUSTED)
    save(work.tt, work.tt_mask, key, int64(0), int64(0), searched, EXACT, work.generation)
    work.attack_cut |= was_cut
    return 0


@outlined(pair(POSITION, WORK, LOOKUP, int64, int64))
def find_win(pos: Record, work: Record, lookup: Record, depth: int, budget: int) -> tuple[int, int]:
    """Return the number of turns in which the side to move wins by double threats, and the first of them.

    0, 0 if it does not win within `depth`; ABORTED, 0 if `budget` nodes did not suffice or the search was stopped.
    Iterative deepening makes the win the shortest. The side to move must have no threats.
    """
    work.attack_nodes = 0
    work.attack_budget = budget
    work.attack_aborted = 0
    for limit in range(min(depth, 3), depth + 1):
        work.attack_cut = 0
        length = search_attacks(pos, work, lookup, limit, int64(0), int64(0))
        if work.attack_aborted == 1:
            return ABORTED, 0
        if length > 0:
            return length, int64(work.attack_move)
        if work.attack_cut == 0:
            break
    return 0, 0


@inner(void(WORK), forceinline=True)
def clear_zone(work: Record) -> None:
    """Begin a new zone."""
    work.zone_count = 0
    work.zone_stamp += 1


@inner(void(WORK, int64), forceinline=True)
def add_to_zone(work: Record, point: int) -> None:
    """Add a point to the zone, once; NO_POINT is ignored."""
    if point != NO_POINT and work.zone_seen[point] != work.zone_stamp:
        work.zone_seen[point] = work.zone_stamp
        work.zone[work.zone_count] = point
        work.zone_count += 1


@inner(void(POSITION, WORK, LOOKUP, int64))
def add_counters_to_zone(pos: Record, work: Record, lookup: Record, side: int) -> None:
    """Add the points where one more stone of `side` makes a threat to the zone."""
    for word in range(ROAD_WORDS):
        mask = roads_with(pos, word, side, int64(THREAT - 1), int64(THREAT))
        mask |= roads_with(pos, word, side, int64(THREAT + 1), int64(THREAT + 1))
        while mask != 0:
            first = (64 * word + trailing_zeros(mask)) * ROAD_LENGTH
            for i in range(first, first + ROAD_LENGTH):
                if pos.stones[lookup.road_points[i]] == 0:
                    add_to_zone(work, int64(lookup.road_points[i]))
            mask &= mask - 1


@inner(int64(POSITION, WORK, LOOKUP, int64, int64, int64))
def add_win_to_zone(pos: Record, work: Record, lookup: Record, level: int, budget: int, with_counters: int) -> int:
    """Add the points that the win found by `find_win` needs to the zone, replaying it from the transposition table.

    These are its stones, the points of its threats, and with `with_counters` the points where the opponent could make a
    threat against it. At most `budget` turns are replayed. Return what is left of them, 0 if points are missing.
    """
    data = probe(work.tt, work.tt_mask, pos.key ^ SALT)
    if data == 0 or entry_score(data) <= 0 or budget == 0 or level == MAX_LEVELS:
        return 0
    move = entry_move(data)
    replies = level * MAX_REPLIES
    if with_counters == 1:
        add_counters_to_zone(pos, work, lookup, pos.turn ^ 1)
    do_move(pos, lookup, move)
    add_to_zone(work, first_stone(move))
    add_to_zone(work, second_stone(move))
    count = list_replies(pos, work, lookup, move, pos.turn ^ 1, replies)
    for i in range(work.hit_count):
        add_to_zone(work, int64(work.hit_first[i]))
        add_to_zone(work, int64(work.hit_second[i]))
    budget -= 1
    for r in range(replies, replies + count):
        reply = int64(work.replies[r])
        do_move(pos, lookup, reply)
        budget = recurse_3(pos, work, lookup, level + 1, budget, with_counters)
        undo_move(pos, lookup, reply)
    undo_move(pos, lookup, move)
    return budget


@inner(void(POSITION, LOOKUP, int64), forceinline=True)
def pass_stone(pos: Record, lookup: Record, left: int) -> None:
    """Pass the last stone of a turn (left = 2, the other side's stones), or take that back (left = 1)."""
    pass_turn(pos, lookup)
    pos.left = left
    pos.key ^= lookup.zobrist_single


@outlined(int64(POSITION, WORK, LOOKUP, int64, int64))
def find_danger(pos: Record, work: Record, lookup: Record, depth: int, budget: int) -> int:
    """Find the opponent's win by double threats if the side to move passed; return the size of its zone.

    The zone is the points that the win needs, in work.zone. 0 if there is no such win, or it is not known. A turn that
    touches no point of the zone and makes no threat rarely averts the win: its stones may still become a threat with
    those of a forced reply, so this is a heuristic.
    """
    pass_turn(pos, lookup)
    length, _ = find_win(pos, work, lookup, depth, budget)
    clear_zone(work)
    if length > 0:
        add_win_to_zone(pos, work, lookup, int64(0), int64(ZONE_TURNS), int64(0))
    pass_turn(pos, lookup)
    return int64(work.zone_count)


@inner(int64(POSITION, WORK, LOOKUP, int64, int64))
def win_against(pos: Record, work: Record, lookup: Record, point: int, budget: int) -> int:
    """Return the length of `find_win` for the side that made a threat, after any reply with one stone on `point`.

    The point hits the threat.
    A win against that stone alone holds wherever the other stone is placed, unless that is in the win's zone: outside
    it blocks no stone and no threat, and makes no threat that must be answered. Each point of the zone is tried.
    """
    do_stone(pos, lookup, point)
    pass_stone(pos, lookup, int64(2))
    longest, _ = find_win(pos, work, lookup, int64(MAX_LEVELS), budget)
    clear_zone(work)
    if longest > 0:
        if add_win_to_zone(pos, work, lookup, int64(0), int64(ZONE_TURNS), int64(1)) == 0:
            longest = int64(ABORTED)
    pass_stone(pos, lookup, int64(1))
    for i in range(work.zone_count):
        other = int64(work.zone[i])
        if longest > 0 and pos.stones[other] == 0:
            do_stone(pos, lookup, other)
            length, _ = find_win(pos, work, lookup, int64(MAX_LEVELS), budget)
            undo_stone(pos, lookup)
            longest = max(longest, length) if length > 0 else length
    undo_stone(pos, lookup)
    return longest


@entry(int64(POSITION, WORK, LOOKUP, int64, int64))
def win_after(pos: Record, work: Record, lookup: Record, move: int, budget: int) -> int:
    """Return the number of turns in which a turn that makes a threat wins by double threats after every reply.

    Unlike an attack the turn may be one whose threats a single stone hits. 0 or ABORTED if the win is not proven with
    `budget` nodes against each reply; 0 if the side to move already has threats.
    """
    side = pos.turn
    if pos.threats[side] > 0:
        return 0
    do_move(pos, lookup, move)
    longest: int = int64(0)
    if pos.winner == NOT_OVER and pos.left == 2 and pos.threats[side] > 0 and pos.threats[side ^ 1] == 0:
        longest = int64(1)
        list_replies(pos, work, lookup, move, side, int64(FIRST_REPLIES))
        end = int64(FIRST_REPLIES)
        singles = 0
        for point in (int64(work.hit_first[0]), int64(work.hit_second[0])):
            if point != NO_POINT:
                after = list_pairs_with(work, point, int64(FIRST_REPLIES), end)
                if after == NO_ATTACK:
                    work.singles[singles] = point
                    singles += 1
                else:
                    end = after
        for i in range(FIRST_REPLIES, end):
            if longest > 0:
                reply = int64(work.replies[i])
                do_move(pos, lookup, reply)
                length, _ = find_win(pos, work, lookup, int64(MAX_LEVELS), budget)
                undo_move(pos, lookup, reply)
                longest = max(longest, length) if length > 0 else length
        for i in range(singles):
            if longest > 0:
                length = win_against(pos, work, lookup, int64(work.singles[i]), budget)
                longest = max(longest, length) if length > 0 else length
    undo_move(pos, lookup, move)
    return longest + 1 if longest > 0 else longest


@entry(int64(POSITION, WORK, LOOKUP, int64, int64))
def win_by_threats(pos: Record, work: Record, lookup: Record, depth: int, budget: int) -> int:
    """Return the length of `find_win` for any position, for Python; the first turn goes to work.replies[0]."""
    if pos.winner != NOT_OVER:
        return 0
    if pos.threats[pos.turn] > 0:
        move = winning_move(pos, work, lookup)
        if move != 0:
            work.replies[0] = move
            return 1
    length, move = find_win(pos, work, lookup, depth, budget)
    if length > 0:
        work.replies[0] = move
    return length


@entry(int64(POSITION, WORK, LOOKUP, int64))
def replies_to(pos: Record, work: Record, lookup: Record, move: int) -> int:
    """List the opponent's replies to the attack just played, the pairs that hit all its threats, in work.replies.

    Return their number.
    """
    return list_replies(pos, work, lookup, move, pos.turn ^ 1, int64(0))


class ThreatSolver:
    """The threat search alone, with a transposition table and a control block of its own."""

    def __init__(self, megabytes: int = 16) -> None:
        self._work = new_record(WORK_DTYPE)
        self._tt = TranspositionTable(megabytes)
        self._control = Control()
        self._work.control = self._control.address
        self._work.tt, self._work.tt_mask = self._tt.address, self._tt.mask
        self.nodes = 0
        """Nodes of the last search."""

    def solve(self, pos: Record, budget: int, depth: int = MAX_LEVELS) -> int | None:
        """Return the number of turns in which the side to move wins by double threats, 0 if it does not.

        None if `budget`, a number of nodes, did not suffice. `depth`: the most turns of the win.
        """
        length = int(win_by_threats(pos, self._work, LOOKUP_RECORD, depth, budget))
        self.nodes = int(self._work.attack_nodes)
        return None if length == ABORTED else length

    def solve_after(self, pos: Record, move: int, budget: int) -> int:
        """Return the number of turns in which a turn that makes a threat wins by double threats after every reply.

        0 if that is not proven with `budget` nodes for each reply.
        """
        return max(int(win_after(pos, self._work, LOOKUP_RECORD, move, budget)), 0)
