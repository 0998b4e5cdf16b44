"""The Connect6 program of paper 3 (Li et al. 2015), with its two ways to scan the board and a third.

At each node all pairs of points near stones are valued by the roads, and the best `width` are searched by plain
alpha-beta to a fixed depth. A pair's value is what it adds to the mover's evaluation, "after" less "before". Road
values are the paper's table 1. The three scans differ in the roads that they read for it:

- GLOBAL: all 924, before and after the pair is placed (formula 4).
- LOCAL: those through the pair's points, up to 48, before and after (formulas 5 and 6, and the pseudocode). The paper's
  48 counts a road through both points twice. Here its value counts once, as formula 10 requires, by which both scans
  value a pair alike: `local_value` leaves it out for the second point.
- INCREMENTAL: none. Each stone updates the contents of the roads through its point and both sides' sums, and the first
  stone of a pair stays on the board while the second is tried on all points.

The paper does not define the value of a leaf. With the value of the last pair alone, or the sum of the values along the
path, each in its mover's view, leaves of different paths could not be compared: a threat counts more than the same road
of one's own. So a leaf's value is the whole evaluation of its board in the view of the side to move. The global scan
reads it from the board. The local scan does not read all roads: it adds to the root's evaluation the changes by each
pair of the path, in both views (formulas 7 to 10). Hence all three choose the same turns with the same values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from siqi.games.connect6.board import Connect6Position
from siqi.games.connect6.knowledge.knowledge import Knowledge
from siqi.games.connect6.rules.lookup import LOOKUP, LOOKUP_RECORD, POINT_ROADS, POINTS, ROAD_LENGTH, ROADS, SIZE
from siqi.games.connect6.rules.position import NO_POINT, POSITION, first_stone, make_move, second_stone
from siqi.games.contract import Line, Move, Score, Task
from siqi.games.kernel.control import NEVER, STOPPED, Control, poll
from siqi.games.kernel.intrinsics import recurse_4
from siqi.games.kernel.jit import Record, entry, inner, int64, new_record, record, record_type, void
from siqi.games.kernel.tt import TranspositionTable
from siqi.games.search.deepening import DeepeningAdapter
from siqi.games.search.iteration import IterationResult

OWN = (0, 1, 20, 40, 200, 200, 1_000_000)
OPPONENT = (0, 1, 25, 50, 6000, 6000, 1_000_000)
WON = 900_000
"""Score of a win: far above any sum of roads without a six."""

BOUND = 1 << 40
"""Above all values: two stones can make a dozen roads of six at once."""

GLOBAL, LOCAL, INCREMENTAL = 0, 1, 2
SCANS = {"global": GLOBAL, "local": LOCAL, "incremental": INCREMENTAL}

NEAR = 2
"""A point is near if a stone stands at most this many steps away in one of the eight directions."""

MAX_DEPTH, MAX_WIDTH = 8, 64

SCAN_DTYPE = record(
    [
        ("control", "i8"),
        ("thread", "i8"),
        ("nodes", "i8"),
        ("poll_at", "i8"),  # NEVER: not to be stopped yet
        ("pairs", "i8"),  # valued
        ("stopped", "i8"),
        ("width", "i8"),
        ("scan", "i8"),  # GLOBAL, LOCAL or INCREMENTAL
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


ROAD_VALUES: dict[str, Callable[[], Record]] = {"paper": paper_tables, "learned": lambda: LOOKUP_RECORD}
"""Lookup arrays by the origin of their road values: the paper's table 1, or learned from experts' games."""


def road_count(rows: int, columns: int, k: int) -> int:
    """Return the number of roads, lines of k points, of connect(rows, columns, k) (section 1.1 and formula 1)."""
    along, down = max(columns - k + 1, 0), max(rows - k + 1, 0)
    return rows * along + columns * down + 2 * along * down


@inner(int64(POSITION, LOOKUP, int64), forceinline=True)
def read_road(pos: Record, lookup: Record, road: int) -> int:
    """Return a road's content, read from the stones on its six points."""
    content = int64(0)
    for i in range(road * ROAD_LENGTH, road * ROAD_LENGTH + ROAD_LENGTH):
        stone = int64(pos.stones[lookup.road_points[i]])
        content += (stone & 1) + 4 * (stone & 2)
    return content


@inner(int64(POSITION, LOOKUP, int64), forceinline=True)
def global_value(pos: Record, lookup: Record, side: int) -> int:
    """Return the value of all roads in a side's view."""
    value = int64(0)
    for road in range(ROADS):
        value += lookup.value[64 * side + read_road(pos, lookup, road)]
    return value


@inner(int64(POSITION, LOOKUP, int64, int64, int64), forceinline=True)
def value_through(pos: Record, lookup: Record, point: int, other: int, side: int) -> int:
    """Return the value, in a side's view, of the roads through `point` that do not hold the point `other`."""
    value = int64(0)
    for i in range(point * POINT_ROADS, point * POINT_ROADS + lookup.road_count[point]):
        road = int64(lookup.point_roads[i])
        content, holds = int64(0), int64(0)
        for j in range(road * ROAD_LENGTH, road * ROAD_LENGTH + ROAD_LENGTH):
            on_road = int64(lookup.road_points[j])
            stone = int64(pos.stones[on_road])
            content += (stone & 1) + 4 * (stone & 2)
            if on_road == other:
                holds = 1
        if holds == 0:
            value += lookup.value[64 * side + content]
    return value


@inner(int64(POSITION, LOOKUP, int64, int64, int64), forceinline=True)
def local_value(pos: Record, lookup: Record, first: int, second: int, side: int) -> int:
    """Return the value of the roads through one or both of two points in a side's view."""
    value = value_through(pos, lookup, first, int64(NO_POINT), side)
    return value + value_through(pos, lookup, second, first, side)


@inner(int64(POSITION, LOOKUP, int64, int64, int64, int64), forceinline=True)
def scan_value(pos: Record, lookup: Record, first: int, second: int, side: int, scan: int) -> int:
    """Return the value of the roads that GLOBAL or LOCAL reads for a pair, in a side's view."""
    if scan == GLOBAL:
        return global_value(pos, lookup, side)
    return local_value(pos, lookup, first, second, side)


@inner(void(POSITION, LOOKUP, int64, int64, int64), forceinline=True)
def update(pos: Record, lookup: Record, point: int, side: int, by: int) -> None:
    """Place a stone (by = 1) or remove it (-1); update the roads through it and the sums."""
    pos.stones[point] = side + 1 if by == 1 else 0
    step = by if side == 0 else 8 * by
    for i in range(point * POINT_ROADS, point * POINT_ROADS + lookup.road_count[point]):
        road = int64(lookup.point_roads[i])
        before = int64(pos.roads[road])
        after = before + step
        pos.roads[road] = after
        pos.score[0] += lookup.value[after] - lookup.value[before]
        pos.score[1] += lookup.value[64 + after] - lookup.value[64 + before]


@inner(void(POSITION, LOOKUP, int64, int64, int64))
def do_pair(pos: Record, lookup: Record, move: int, side: int, scan: int) -> None:
    """Place a side's two stones and bring both evaluations up to date."""
    first, second = first_stone(move), second_stone(move)
    if scan == INCREMENTAL:
        update(pos, lookup, first, side, int64(1))
        update(pos, lookup, second, side, int64(1))
        return
    for view in range(2):
        pos.score[view] -= scan_value(pos, lookup, first, second, view, scan)
    pos.stones[first] = side + 1
    pos.stones[second] = side + 1
    for view in range(2):
        pos.score[view] += scan_value(pos, lookup, first, second, view, scan)


@inner(void(POSITION, LOOKUP, int64, int64, int64))
def undo_pair(pos: Record, lookup: Record, move: int, side: int, scan: int) -> None:
    """Remove the stones of `do_pair`. Only INCREMENTAL restores the evaluations."""
    first, second = first_stone(move), second_stone(move)
    if scan == INCREMENTAL:
        update(pos, lookup, second, side, int64(-1))
        update(pos, lookup, first, side, int64(-1))
    else:
        pos.stones[first] = 0
        pos.stones[second] = 0


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
    """Write the mover's `width` best pairs, best first, to the depth's part of work.turns; return their number.

    Polls the clock for each first point, since with the global scan all pairs of a node take some 50 ms, and stops at
    once.
    """
    side, scan = pos.turn, work.scan
    base = depth * MAX_WIDTH
    points = list_near(pos, work)
    whole = pos.score[side]
    count = int64(0)
    for i in range(points):
        if work.poll_at != NEVER and poll(work.control, work.thread, work.nodes) == STOPPED:
            work.stopped = 1
            return 0
        first = int64(work.points[i])
        work.pairs += points - i - 1
        if scan == INCREMENTAL:
            update(pos, lookup, first, side, int64(1))
        for j in range(i + 1, points):
            second = int64(work.points[j])
            if scan == INCREMENTAL:
                update(pos, lookup, second, side, int64(1))
                value = pos.score[side] - whole
                update(pos, lookup, second, side, int64(-1))
            else:
                before = scan_value(pos, lookup, first, second, side, scan)
                pos.stones[first] = side + 1
                pos.stones[second] = side + 1
                value = scan_value(pos, lookup, first, second, side, scan) - before
                pos.stones[first] = 0
                pos.stones[second] = 0
            if count == work.width:
                if value <= work.values[base + count - 1]:
                    continue
                count -= 1
            place = base + count
            while place > base and work.values[place - 1] < value:
                work.turns[place] = work.turns[place - 1]
                work.values[place] = work.values[place - 1]
                place -= 1
            work.turns[place] = make_move(first, second)
            work.values[place] = value
            count += 1
        if scan == INCREMENTAL:
            update(pos, lookup, first, side, int64(-1))
    return count


@inner(int64(POSITION, SCAN, LOOKUP, int64, int64, int64, int64))
def negamax(pos: Record, work: Record, lookup: Record, alpha: int, beta: int, depth: int, is_root: int) -> int:
    """Search a position to `depth` turns; return its value within (alpha, beta), the mover's view, fail-hard.

    Returns 0, without meaning, once work.stopped is set.
    """
    work.nodes += 1
    side, scan = pos.turn, work.scan
    if depth == 0 or abs(pos.score[side]) >= WON:
        return pos.score[side]
    count = choose_turns(pos, work, lookup, depth)
    if work.stopped == 1:
        return 0
    if count == 0:  # the board is full
        return pos.score[side]
    black, white = pos.score[0], pos.score[1]
    for i in range(depth * MAX_WIDTH, depth * MAX_WIDTH + count):
        move = int64(work.turns[i])
        do_pair(pos, lookup, move, side, scan)
        pos.turn = side ^ 1
        value = -recurse_4(pos, work, lookup, -beta, -alpha, depth - 1, int64(0))
        pos.turn = side
        undo_pair(pos, lookup, move, side, scan)
        pos.score[0] = black
        pos.score[1] = white
        if work.stopped == 1:
            return 0
        if value > alpha:
            alpha = value
            if is_root == 1:
                work.best = move
            if alpha >= beta:
                break
    return alpha


@entry(int64(POSITION, SCAN, LOOKUP, int64))
def search_depth(pos: Record, work: Record, lookup: Record, depth: int) -> int:
    """Search to a depth; return the value, the mover's view, and leave the turn in work.best.

    Each scan begins with the root's evaluation, read once from the stones.
    """
    for road in range(ROADS):
        pos.roads[road] = read_road(pos, lookup, road)
    for view in range(2):
        pos.score[view] = global_value(pos, lookup, view)
    return negamax(pos, work, lookup, -int64(BOUND), int64(BOUND), depth, int64(1))


class SearchResult(NamedTuple):
    """The result of a search."""

    move: int
    value: int  # the mover's view
    depth: int  # finished
    pairs: int  # valued


class Program:
    """The paper's program with one of the scans."""

    def __init__(self, scan: int, width: int, tables: Record | None = None) -> None:
        """`tables`: lookup arrays with the road values; by default the paper's."""
        self._work = new_record(SCAN_DTYPE)
        self._work.scan, self._work.width = scan, width
        self._lookup = paper_tables() if tables is None else tables

    def search(self, position: Connect6Position, depth: int, deadline_ns: int = 0) -> SearchResult | None:
        """Search to a depth, 1 to MAX_DEPTH; None if the deadline (CLOCK_MONOTONIC; 0: none) passes first."""
        work, control = self._work, Control()
        control.set_deadline(deadline_ns)
        work.control, work.nodes, work.pairs, work.stopped, work.poll_at = control.address, 0, 0, 0, 0
        value = int(search_depth(position.record.copy(), work, self._lookup, depth))
        return None if work.stopped else SearchResult(int(work.best), value, depth, int(work.pairs))

    def deepen(self, position: Connect6Position, deadline_ns: int) -> SearchResult:
        """Search depth after depth until the deadline, or to a win; depth 1 is always finished."""
        result = self.search(position, 1)
        assert result is not None
        while result.depth < MAX_DEPTH and abs(result.value) < WON:
            deeper = self.search(position, result.depth + 1, deadline_ns)
            if deeper is None:
                break
            result = deeper
        return result


class RoadsAdapter(DeepeningAdapter["Connect6Position"]):
    """The paper's search deepened turn by turn, by one thread, without a table; a win ends it."""

    work_dtype = SCAN_DTYPE
    max_depth = MAX_DEPTH

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._tables = paper_tables()

    def begin(self, task: Task[Connect6Position], works: Sequence[Record], tt: TranspositionTable, seed: int) -> None:
        self._work, position, settings = works[0], task.position, self._knowledge.settings
        self._work.scan, self._work.width = SCANS[settings.scan], settings.width
        self._work.pairs = 0
        is_single = position.record.left == 1  # valued by its roads alone
        self.max_depth = 1 if is_single else min(settings.depth or MAX_DEPTH, MAX_DEPTH)
        self._position = position.copy()
        # The paper's search chooses pairs: what else may be played is valued move by move.
        single = sorted(position.legal_moves(), key=from_centre) if is_single else []
        self._moves = list(task.moves) or single
        self._best, self._value, self._depth = 0, 0, 0

    def search(self, thread: int, depth: int) -> None:
        """Search a depth on thread 0; a depth that is stopped counts for nothing."""
        if thread:
            return
        result = self._try_each(depth) if self._moves else self._choose(depth)
        if result is not None:
            (self._best, self._value), self._depth = result, depth

    def _choose(self, depth: int) -> tuple[Move, int] | None:
        """Return the best pair and its value, the mover's view; None if the search was stopped."""
        work, position = self._work, self._position
        work.best = -1
        value = int(search_depth(position.record.copy(), work, self._tables, depth))
        if work.stopped:
            return None
        if work.best < 0:  # fewer than two empty points lie near stones
            return position.legal_moves()[0], value
        return position.parse_move(position.move_text(int(work.best))), value

    def _try_each(self, depth: int) -> tuple[Move, int] | None:
        """Return the best of the moves that are allowed, the first of equals, and its value."""
        best: tuple[Move, int] | None = None
        for move in self._moves:
            self._position.push(move)
            value = -int(search_depth(self._position.record.copy(), self._work, self._tables, depth - 1))
            self._position.pop()
            if self._work.stopped:
                return None
            if best is None or value > best[1]:
                best = move, value
        return best

    def result(self, depth: int) -> IterationResult:
        """Return the best turn. Only a win of this turn is proven: of the replies `Width` were searched."""
        has_won = self._value >= WON
        is_proven = has_won and self._depth == 1
        score = Score(mate=1) if is_proven else Score(min(max(self._value, -WON), WON))
        line = Line(score, (self._best,), depth=self._depth)
        return IterationResult([line], self._depth, is_settled=abs(self._value) >= WON)


def from_centre(move: Move) -> int:
    """Return the steps along columns and rows from the centre to a turn's first point."""
    column, row = divmod(first_stone(move), SIZE)
    return abs(column - SIZE // 2) + abs(row - SIZE // 2)
