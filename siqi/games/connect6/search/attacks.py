"""Attacks of Connect6 and the replies to them.

A threat is a road with four stones or more of one side and none of the other. An attack is a turn after which no single
stone hits every threat. A threat is kept as the one or two empty points of its road: the points that hit it.
"""

from __future__ import annotations

from siqi.games.connect6.rules.lookup import LOOKUP, NEIGHBOURS, POINT_ROADS, ROAD_LENGTH, SIZE, THREAT
from siqi.games.connect6.rules.movegen import find_threats, hits_all, sorted_move
from siqi.games.connect6.rules.position import NO_POINT, POSITION, ROAD_WORDS, first_stone, roads_with, second_stone
from siqi.games.connect6.rules.work import MAX_ATTACKS, MAX_HITS, MAX_LEVELS, MAX_REPLIES, WORK
from siqi.games.kernel.intrinsics import trailing_zeros
from siqi.games.kernel.jit import Record, inner, int64, void

NO_ATTACK = -1
"""Sentinel for a number of replies: one stone hits every threat, so the turn is no attack."""

REPLY_COST = 1 << 24
UNSTOPPABLE = -(1 << 23)
"""Terms of an attack's score: the interest of its points less REPLY_COST for each reply. An attack with a score of
UNSTOPPABLE or more has no reply."""

SCRATCH = MAX_LEVELS * MAX_REPLIES
"""The place in work.replies for replies that are only counted."""

PARTNER, THREE = 1, 2
"""Marks of empty points. PARTNER: on a hot road (two or three own stones) or on an opponent's threat. THREE: on an own
road of three stones."""


@inner(void(POSITION, WORK, LOOKUP, int64, int64, int64), forceinline=True)
def note_threat(pos: Record, work: Record, lookup: Record, road: int, first: int, second: int) -> None:
    """Note the threat that a road becomes with own stones on two points; each may be off the road, or NO_POINT."""
    at = work.hit_count
    if at == MAX_HITS:
        return
    work.hit_first[at] = NO_POINT
    work.hit_second[at] = NO_POINT
    for i in range(road * ROAD_LENGTH, road * ROAD_LENGTH + ROAD_LENGTH):
        point = int64(lookup.road_points[i])
        if pos.stones[point] == 0 and point != first and point != second:
            if work.hit_first[at] == NO_POINT:
                work.hit_first[at] = point
            else:
                work.hit_second[at] = point
    work.hit_count += 1


@inner(int64(WORK, int64, int64, int64))
def list_pairs_with(work: Record, first: int, at: int, end: int) -> int:
    """Add the pairs of `first` and another point that hit every noted threat to work.replies[at:end].

    Return the list's new end; NO_ATTACK if `first` alone hits every threat.
    """
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
            if a == NO_POINT and b == NO_POINT:
                return end
    if not is_open:
        return NO_ATTACK
    for second in (a, b):
        if second != NO_POINT:
            move = sorted_move(first, second)
            is_new = True
            for i in range(at, end):
                if work.replies[i] == move:
                    is_new = False
            if is_new and end < at + MAX_REPLIES:
                work.replies[end] = move
                end += 1
    return end


@inner(int64(WORK, int64))
def list_hitting(work: Record, at: int) -> int:
    """List the pairs that hit every noted threat in work.replies from `at`.

    Return their number; NO_ATTACK if one stone hits every threat, or there is none.
    """
    if work.hit_count < 2:
        return NO_ATTACK
    end = list_pairs_with(work, int64(work.hit_first[0]), at, at)
    if end != NO_ATTACK and work.hit_second[0] != NO_POINT:
        end = list_pairs_with(work, int64(work.hit_second[0]), at, end)
    return NO_ATTACK if end == NO_ATTACK else end - at


@inner(int64(POSITION, WORK, LOOKUP, int64, int64, int64))
def list_replies(pos: Record, work: Record, lookup: Record, move: int, side: int, at: int) -> int:
    """`list_hitting` for the threats that `side` made by the turn just played."""
    work.hit_count = 0
    for point in (first_stone(move), second_stone(move)):
        if point != NO_POINT:
            for i in range(point * POINT_ROADS, point * POINT_ROADS + lookup.road_count[point]):
                road = int64(lookup.point_roads[i])
                if lookup.own[side * 64 + pos.roads[road]] >= THREAT:
                    note_threat(pos, work, lookup, road, int64(NO_POINT), int64(NO_POINT))
    return list_hitting(work, at)


@inner(void(WORK, int64, int64), forceinline=True)
def note_alone(work: Record, point: int, other: int) -> None:
    """Note the threats that a stone on a point of work.three makes alone, except those that `other` hits."""
    for i in range(point * POINT_ROADS, point * POINT_ROADS + work.alone_count[point]):
        p, q = work.alone_first[i], work.alone_second[i]
        if p != other and q != other and work.hit_count < MAX_HITS:
            work.hit_first[work.hit_count] = p
            work.hit_second[work.hit_count] = q
            work.hit_count += 1


@inner(int64(POSITION, WORK, LOOKUP, int64, int64, int64), forceinline=True)
def try_attack(pos: Record, work: Record, lookup: Record, first: int, second: int, end: int) -> int:
    """Add a turn to work.attacks if its noted threats make it an attack and it hits all the opponent's threats.

    Return the list's new end. A full list sets work.attack_cut.
    """
    if work.threat_count > 0 and hits_all(work, lookup, first, second) == 0:
        return end
    replies = list_hitting(work, int64(SCRATCH))
    if replies == NO_ATTACK:
        return end
    if end == MAX_ATTACKS:
        work.attack_cut = 1
        return end
    work.attacks[end] = sorted_move(first, second)
    interest = pos.interest[2 * first + pos.turn] + pos.interest[2 * second + pos.turn]
    work.attack_scores[end] = interest - REPLY_COST * replies
    return end + 1


@inner(void(POSITION, WORK, LOOKUP))
def find_hot_roads(pos: Record, work: Record, lookup: Record) -> None:
    """List the mover's hot roads, their empty points, and the threats that one stone makes on each road of three."""
    own = pos.turn * 64
    work.hot_count = work.partner_count = work.three_count = 0
    for word in range(ROAD_WORDS):
        mask = roads_with(pos, word, pos.turn, int64(THREAT - 2), int64(THREAT - 1))
        while mask != 0:
            work.hot[work.hot_count] = 64 * word + trailing_zeros(mask)
            work.hot_count += 1
            mask &= mask - 1
    for h in range(work.hot_count):
        road = int64(work.hot[h])
        is_three = lookup.own[own + pos.roads[road]] == THREAT - 1
        work.hot_on_line[lookup.road_line[road]] |= 1 << lookup.roads_before[road]
        base, count = road * ROAD_LENGTH, 0
        for place in range(ROAD_LENGTH):
            point = int64(lookup.road_points[base + place])
            if pos.stones[point] != 0:
                continue
            work.empty_places[base + count] = place
            count += 1
            if work.marks[point] == 0:
                work.marks[point] = PARTNER
                work.partners[work.partner_count] = point
                work.partner_count += 1
            if is_three:
                if work.marks[point] == PARTNER:
                    work.marks[point] = THREE
                    work.three[work.three_count] = point
                    work.three_count += 1
                    work.alone_count[point] = 0
                work.hit_count = 0
                note_threat(pos, work, lookup, road, point, int64(NO_POINT))
                at = point * POINT_ROADS + work.alone_count[point]
                work.alone_first[at] = work.hit_first[0]
                work.alone_second[at] = work.hit_second[0]
                work.alone_count[point] += 1
        work.empty_count[road] = count


@inner(int64(int64, int64), forceinline=True)
def pair_on_line(first: int, second: int) -> int:
    """Return a number below POINTS * NEIGHBOURS for two points that share a road, -1 for others; first < second."""
    columns = second // SIZE - first // SIZE
    rows = second % SIZE - first % SIZE
    if columns >= ROAD_LENGTH or abs(rows) >= ROAD_LENGTH:
        return -1
    if rows == 0:
        return first * NEIGHBOURS + columns - 1
    if columns == 0:
        return first * NEIGHBOURS + ROAD_LENGTH - 1 + rows - 1
    if columns == rows:
        return first * NEIGHBOURS + 2 * (ROAD_LENGTH - 1) + columns - 1
    if columns == -rows:
        return first * NEIGHBOURS + 3 * (ROAD_LENGTH - 1) + columns - 1
    return -1


@inner(int64(POSITION, WORK, LOOKUP, int64))
def list_on_roads(pos: Record, work: Record, lookup: Record, end: int) -> int:
    """List the attacks with both stones on one hot road; return their end.

    Roads of the same line that overlap it may become threats too. The first road that holds a pair lists it.
    """
    for h in range(work.hot_count):
        road = int64(work.hot[h])
        base = road * ROAD_LENGTH
        pairs = int64(lookup.road_pairs[road])
        stride = int64(lookup.road_stride[road])
        before, after = int64(lookup.roads_before[road]), int64(lookup.roads_after[road])
        line = int64(work.hot_on_line[lookup.road_line[road]])
        last = base + int64(work.empty_count[road])
        for a in range(base, last):
            j = int64(work.empty_places[a])
            first = int64(lookup.road_points[base + j])
            for b in range(a + 1, last):
                k = int64(work.empty_places[b])
                lowest = before - min(before, ROAD_LENGTH - 1 - k)
                holding = line >> lowest & (2 << before + min(after, j) - lowest) - 1
                if holding & (1 << before - lowest) - 1 != 0:
                    continue
                second = int64(lookup.road_points[base + k])
                work.seen_on_line[first * NEIGHBOURS + pairs + k - j - 1] = work.stamp  # as in `pair_on_line`
                if holding & holding - 1 == 0 and work.marks[first] != THREE and work.marks[second] != THREE:
                    continue  # one stone hits the only threat
                work.hit_count = 0
                while holding != 0:
                    other = road + (lowest + trailing_zeros(holding) - before) * stride
                    note_threat(pos, work, lookup, other, first, second)
                    holding &= holding - 1
                if work.marks[first] == THREE:
                    note_alone(work, first, second)
                if work.marks[second] == THREE:
                    note_alone(work, second, first)
                end = try_attack(pos, work, lookup, first, second, end)
    for h in range(work.hot_count):
        work.hot_on_line[lookup.road_line[work.hot[h]]] = 0
    return end


@inner(int64(WORK, int64, int64), forceinline=True)
def is_new_pair(work: Record, first: int, second: int) -> int:
    """Return 1 if no hot road holds both points, so that `list_on_roads` has not tried the pair."""
    pair = pair_on_line(first, second) if first < second else pair_on_line(second, first)
    return 1 if pair < 0 or work.seen_on_line[pair] != work.stamp else 0


@inner(int64(POSITION, WORK, LOOKUP, int64))
def list_attacks(pos: Record, work: Record, lookup: Record, first: int) -> int:
    """List the attacks of the side to move in work.attacks from `first`; return their end.

    The side to move must have no threats; with one stone left it has no attacks. Three kinds are listed: both stones on
    one hot road; each stone on a road of three; one stone that attacks alone, with any partner point.
    """
    if pos.left != 2:
        return first
    work.stamp += 1
    find_threats(pos, work, pos.turn ^ 1)
    find_hot_roads(pos, work, lookup)
    for i in range(work.threat_count):
        road = int64(work.threat_roads[i]) * ROAD_LENGTH
        for j in range(road, road + ROAD_LENGTH):
            point = int64(lookup.road_points[j])
            if pos.stones[point] == 0 and work.marks[point] == 0:
                work.marks[point] = PARTNER
                work.partners[work.partner_count] = point
                work.partner_count += 1
    end = list_on_roads(pos, work, lookup, first)
    for i in range(work.three_count):
        point = int64(work.three[i])
        for j in range(i + 1, work.three_count):
            other = int64(work.three[j])
            if is_new_pair(work, point, other) == 1:
                work.hit_count = 0
                note_alone(work, point, other)
                note_alone(work, other, point)
                end = try_attack(pos, work, lookup, point, other, end)
        work.hit_count = 0
        note_alone(work, point, int64(NO_POINT))
        if list_hitting(work, int64(SCRATCH)) != NO_ATTACK:
            for j in range(work.partner_count):
                other = int64(work.partners[j])
                if work.marks[other] == PARTNER and is_new_pair(work, point, other) == 1:
                    end = try_attack(pos, work, lookup, point, other, end)
    for i in range(work.partner_count):
        work.marks[work.partners[i]] = 0
    return end
