"""The Connect6 program of paper 3, with the board scanned whole or only where stones were placed.

At each node all pairs of points near stones are placed and valued by the roads; the best `width` are searched by plain
alpha-beta to a fixed depth. The two ways differ only in `put` and `settle`. Road values are the paper's table 1.
"""

from __future__ import annotations

import time

from games.connect6.game import Connect6Position
from games.connect6.rules.lookup import LOOKUP, LOOKUP_RECORD, POINT_ROADS, POINTS, ROAD_LENGTH, ROADS, SIZE
from games.connect6.rules.position import POSITION, first_stone, make_turn, second_stone
from games.kernel.control import STOPPED, Control, poll
from games.kernel.intrinsics import recurse_4
from games.kernel.jit import Record, entry, inner, int64, new_record, record, record_type, void

OWN = (0, 1, 20, 40, 200, 200, 1_000_000)
OPPONENT = (0, 1, 25, 50, 6000, 6000, 1_000_000)
WON = 900_000
"""Score of a win: no sum of other roads comes near a road of six."""

LOCAL, GLOBAL = 0, 1
NEAR = 2
"""A point is near if a stone stands at most this many steps away in one of the eight directions."""

MAX_DEPTH, MAX_WIDTH = 8, 64

SCAN_DTYPE = record(
    [
        ("control", "i8"),
        ("nodes", "i8"),
        ("poll_at", "i8"),
        ("stopped", "i8"),
        ("width", "i8"),
        ("local", "i8"),  # LOCAL or GLOBAL
        ("points", "u2", POINTS),  # the near ones
        ("turns", "i4", (MAX_DEPTH + 1) * MAX_WIDTH),  # by depth: the best pairs
        ("values", "i8", (MAX_DEPTH + 1) * MAX_WIDTH),
        ("best", "i8"),  # of the root
    ]
)
SCAN = record_type(SCAN_DTYPE)


def paper_tables() -> Record:
    """Return the engine's lookup arrays with the paper's road values."""
    lookup = LOOKUP_RECORD.copy()
    for stones in range(1, ROAD_LENGTH + 1):
        for side in range(2):
            own, other = (stones, 8 * stones) if side == 0 else (8 * stones, stones)
            lookup.value[64 * side + own] = OWN[stones]
            lookup.value[64 * side + other] = -OPPONENT[stones]
    return lookup


@inner(void(POSITION, LOOKUP, int64, int64, int64, int64), forceinline=True)
def put(pos: Record, lookup: Record, point: int, side: int, by: int, scan: int) -> None:
    """Place a stone (by = 1) or remove it (-1); the local scan updates the roads through it and the sums."""
    pos.stones[point] = side + 1 if by == 1 else 0
    if scan == LOCAL:
        step = by if side == 0 else 8 * by
        for i in range(point * POINT_ROADS, point * POINT_ROADS + lookup.road_count[point]):
            road = int64(lookup.point_roads[i])
            before = int64(pos.roads[road])
            after = before + step
            pos.roads[road] = after
            pos.score[0] += lookup.value[after] - lookup.value[before]
            pos.score[1] += lookup.value[64 + after] - lookup.value[64 + before]


@inner(void(POSITION, LOOKUP, int64), forceinline=True)
def settle(pos: Record, lookup: Record, scan: int) -> None:
    """Bring the sums up to date: the global scan looks at every point of every road."""
    if scan == GLOBAL:
        black, white = int64(0), int64(0)
        for road in range(ROADS):
            content = int64(0)
            for i in range(road * ROAD_LENGTH, road * ROAD_LENGTH + ROAD_LENGTH):
                stone = int64(pos.stones[lookup.road_points[i]])
                content += 1 if stone == 1 else 8 if stone == 2 else 0
            pos.roads[road] = content
            black += lookup.value[content]
            white += lookup.value[64 + content]
        pos.score[0] = black
        pos.score[1] = white


@inner(int64(POSITION, SCAN))
def list_near(pos: Record, work: Record) -> int:
    """Write the empty points near stones to work.points; return their number."""
    count = int64(0)
    for point in range(POINTS):
        if pos.stones[point] != 0:
            continue
        column, row = point // SIZE, point % SIZE
        is_near = False
        for dc in range(-1, 2):
            for dr in range(-1, 2):
                for step in range(1, NEAR + 1):
                    c, r = column + dc * step, row + dr * step
                    if 0 <= c < SIZE and 0 <= r < SIZE and pos.stones[c * SIZE + r] != 0:
                        is_near = True
        if is_near:
            work.points[count] = point
            count += 1
    return count


@inner(int64(POSITION, SCAN, LOOKUP, int64))
def choose_turns(pos: Record, work: Record, lookup: Record, depth: int) -> int:
    """Write the mover's `width` best pairs, best first, to the depth's part of work.turns; return their number."""
    side, scan = pos.turn, work.local
    base = depth * MAX_WIDTH
    points = list_near(pos, work)
    count = int64(0)
    for i in range(points):
        first = int64(work.points[i])
        put(pos, lookup, first, side, int64(1), scan)
        for j in range(i + 1, points):
            second = int64(work.points[j])
            put(pos, lookup, second, side, int64(1), scan)
            settle(pos, lookup, scan)
            value = pos.score[side]
            put(pos, lookup, second, side, int64(-1), scan)
            if count == work.width:
                if value <= work.values[base + count - 1]:
                    continue
                count -= 1
            place = base + count
            while place > base and work.values[place - 1] < value:
                work.turns[place] = work.turns[place - 1]
                work.values[place] = work.values[place - 1]
                place -= 1
            work.turns[place] = make_turn(first, second)
            work.values[place] = value
            count += 1
        put(pos, lookup, first, side, int64(-1), scan)
    return count


@inner(int64(POSITION, SCAN, LOOKUP, int64, int64, int64, int64))
def negamax(pos: Record, work: Record, lookup: Record, alpha: int, beta: int, depth: int, is_root: int) -> int:
    """Search a settled position to `depth` turns; return its value within (alpha, beta), the mover's view, fail-hard.

    Returns 0, without meaning, once work.stopped is set.
    """
    work.nodes += 1
    if work.nodes >= work.poll_at:
        work.poll_at = poll(work.control, int64(0), work.nodes)
        if work.poll_at == STOPPED:
            work.stopped = 1
    if work.stopped == 1:
        return 0
    side, scan = pos.turn, work.local
    if depth == 0 or abs(pos.score[side]) >= WON:
        return pos.score[side]
    count = choose_turns(pos, work, lookup, depth)
    for i in range(depth * MAX_WIDTH, depth * MAX_WIDTH + count):
        turn = int64(work.turns[i])
        put(pos, lookup, first_stone(turn), side, int64(1), scan)
        put(pos, lookup, second_stone(turn), side, int64(1), scan)
        settle(pos, lookup, scan)
        pos.turn = side ^ 1
        value = -recurse_4(pos, work, lookup, -beta, -alpha, depth - 1, int64(0))
        pos.turn = side
        put(pos, lookup, first_stone(turn), side, int64(-1), scan)
        put(pos, lookup, second_stone(turn), side, int64(-1), scan)
        if work.stopped == 1:
            return 0
        if value > alpha:
            alpha = value
            if is_root == 1:
                work.best = turn
            if alpha >= beta:
                break
    return alpha


@entry(int64(POSITION, SCAN, LOOKUP, int64))
def search_depth(pos: Record, work: Record, lookup: Record, depth: int) -> int:
    """Search to a depth; return the value, the mover's view, and leave the turn in work.best."""
    settle(pos, lookup, work.local)
    value = negamax(pos, work, lookup, int64(-10 * WON), int64(10 * WON), depth, int64(1))
    settle(pos, lookup, work.local)
    return value


class Program:
    """One of the two programs."""

    def __init__(self, scan: int, width: int) -> None:
        self._work = new_record(SCAN_DTYPE)
        self._work.local, self._work.width = scan, width
        self._tables = paper_tables()

    def search(self, position: Connect6Position, depth: int, seconds: float = 0.0) -> tuple[int, int, int]:
        """Search one depth, or with `seconds` deepen until they are spent; return (turn, value, depth finished)."""
        work, lookup = self._work, self._tables
        pos = position.record.copy()
        for side in range(2):
            pos.score[side] = lookup.value[64 * side + pos.roads.astype(int)].sum()
        control = Control()
        end = time.clock_gettime_ns(time.CLOCK_MONOTONIC) + round(seconds * 1e9)
        work.control, work.nodes, work.poll_at, work.stopped = control.address, 0, 1, 0
        found = (0, 0, 0)
        for limit in range(1 if seconds else depth, depth + 1):
            value = int(search_depth(pos.copy(), work, lookup, limit))
            if work.stopped:
                break
            found = int(work.best), value, limit
            if abs(value) >= WON:
                break
            if seconds:
                control.set_deadline(end)
        return found
