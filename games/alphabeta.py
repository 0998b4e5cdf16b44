"""What the alpha-beta games share above their kernels: iterative deepening with aspiration, MultiPV, lazy SMP.

A game's searcher supplies the kernels; this owns the transposition table, one working memory a thread, and the
order of root moves.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from games.contract import MATE_LIMIT, Line, Move, Position, Recollection, Report, Score, Task
from games.kernel.control import Control
from games.kernel.jit import Record
from games.kernel.table import EXACT, LOWER, UPPER, Memory, Table
from games.kernel.threads import Helpers


class Outlook(NamedTuple):
    """What is known of a root before the search."""

    note: str = ""  # what tables of endings tell of it
    is_settled: bool = False  # every move's value is known without a search below it
    is_drawn: bool = False  # each move to be searched draws: the search but chooses where the opponent may err


class Root(Protocol):
    """A game's half of an alpha-beta searcher, and its scale of scores."""

    mate: int  # mated now; a win in n plies scores mate - n
    infinite: int
    margin: int  # first half-width of the aspiration window
    quiet_bound: int  # scores beyond it are searched with a full window
    max_depth: int
    win_is_enough: bool  # no shorter win is looked for once one is proven

    def new_work(self) -> Record: ...

    def begin(self, task: Task) -> Outlook:
        """Ready what all threads share."""

    def prepare(self, work: Record, position: Any, moves: tuple[Move, ...]) -> list[Move]:
        """Ready a working memory for a search; writes and returns the root moves, likely best first."""

    def between(self, control: Control) -> None:
        """Called before each iteration but the first."""

    def chances(self, cp: int) -> tuple[float, float]:
        """The mover's chances to win and to draw at the root that `begin` got, by a score short of a proven win."""

    def search(self, board: Record, work: Record, alpha: int, beta: int, depth: int, skip: int) -> int:
        """One depth over root moves skip..; the best goes to place `skip`, its line to the first row of work.pv.

        -infinite if it was stopped before one move was finished.
        """

    def tbhits(self, work: Record) -> int:
        """Positions of this search that tables of endings told."""


class AlphaBetaSearcher:
    """A `Searcher`; one iteration is one depth of every MultiPV line."""

    def __init__(self, root: Root) -> None:
        self._root = root
        self._memory = Memory[Table]()
        self._works: list[Record] = []
        self._depth = 0

    def configure(self, hash_mb: int, threads: int, seed: int) -> None:
        """The seed plays no part: alpha-beta draws no lots."""
        if self._memory.wanted == hash_mb and len(self._works) == threads:
            return
        self._depth = 0
        self._works = [self._root.new_work() for _ in range(threads)]
        if self._memory.wanted == hash_mb:
            self._table.clear()
        else:
            self._memory.resize(hash_mb, Table)

    @property
    def _table(self) -> Table:
        return self._memory.held

    def clear(self) -> None:
        self._depth = 0
        self._table.clear()
        self._works = [self._root.new_work() for _ in self._works]

    def start(self, task: Task) -> None:
        self._control: Control = task.control
        self._control.set_threads(len(self._works))
        self._depth = 0
        self._key = task.position.key
        self._table.new_search()
        self._outlook = self._root.begin(task)
        self._boards = [task.position.record.copy() for _ in self._works]  # type: ignore[attr-defined]
        for thread, work in enumerate(self._works):
            work.control, work.thread = task.control.address, thread
            work.nodes = work.poll_at = work.seldepth = 0
            work.table, work.table_mask = self._table.address, self._table.mask
            work.generation = self._table.generation
            moves = self._root.prepare(work, task.position, task.moves)
        self._multipv = min(task.multipv, len(moves))
        self._lines = [Line(Score(), (move,)) for move in moves[: self._multipv]]
        self._helpers = Helpers(task.control, len(self._works), self._help)

    def _help(self, thread: int) -> None:
        """A helper deepens on its own; odd ones a ply ahead, so that the threads do not walk in step."""
        root = self._root
        for depth in range(1 + thread % 2, root.max_depth + 1):
            root.search(self._boards[thread], self._works[thread], -root.infinite, root.infinite, depth, 0)
            if self._control.stopped:
                break

    def _search_line(self, index: int) -> None:
        """Search line `index` to the present depth, by aspiration."""
        root, board, work = self._root, self._boards[0], self._works[0]
        alpha, beta, margin = -root.infinite, root.infinite, root.margin
        previous = self._lines[index].score.cp
        if self._depth >= 4 and abs(previous) < root.quiet_bound:
            alpha, beta = previous - margin, previous + margin
        while True:
            value = root.search(board, work, alpha, beta, self._depth, index)
            if value > alpha:  # else only a bound from above, of whichever move came first
                pv = tuple(work.pv[: int(work.pv_length[0])].tolist())
                self._put_line(index, Line(self._score(value), pv, depth=self._depth))
            if work.stopped or alpha < value < beta:
                return
            margin *= 3
            wide = margin > 80 * root.margin
            if value <= alpha:
                alpha = -root.infinite if wide else max(value - margin, -root.infinite)
            else:
                beta = root.infinite if wide else min(value + margin, root.infinite)

    def iterate(self) -> Report:
        self._depth += 1
        if self._depth > 1:
            self._root.between(self._control)
        self._helpers.start_after(int(self._works[0].nodes))
        work = self._works[0]
        for index in range(self._multipv):
            self._search_line(index)
            if work.stopped:
                break
        if not work.stopped:
            self._lines.sort(key=lambda line: -line.score.cp)
            work.root_moves[: self._multipv] = [line.pv[0] for line in self._lines]
        self._control.report(0, int(work.nodes))
        mate = self._lines[0].score.mate
        lines = tuple(line._replace(score=self._with_chances(line.score)) for line in self._lines)
        return Report(
            self._depth,
            int(work.seldepth),
            self._control.nodes,
            lines,
            not work.stopped,
            self._outlook.is_settled
            or self._depth >= self._root.max_depth
            or (mate is not None and 2 * abs(mate) <= self._depth)
            or (mate is not None and mate > 0 and self._root.win_is_enough),
            self._table.hashfull(),
            sum(self._root.tbhits(work) for work in self._works),
            self._outlook.note,
        )

    def _put_line(self, index: int, line: Line) -> None:
        """Replace line `index`; a move that stood further down moves up and the rest shift."""
        others = [other for other in self._lines if other.pv[0] != line.pv[0]]
        if len(others) == len(self._lines):
            del others[index]
        self._lines = [*others[:index], line, *others[index:]]

    def _score(self, value: int) -> Score:
        """A search value as the contract tells it: mates in the winner's own moves."""
        if value > self._root.mate - 2 * MATE_LIMIT:
            return Score(value, (self._root.mate - value + 1) // 2)
        if value < 2 * MATE_LIMIT - self._root.mate:
            return Score(value, -((self._root.mate + value + 1) // 2))
        return Score(value)

    def _with_chances(self, score: Score) -> Score:
        if self._outlook.is_drawn:
            return Score(win=0.0, draw=1.0)
        win, draw = self._root.chances(score.cp) if score.mate is None else (float(score.mate > 0), 0.0)
        return score._replace(win=win, draw=draw)

    def finish(self) -> None:
        self._helpers.join()

    def recall(self, position: Position) -> Recollection | None:
        if self._depth and position.key == self._key:  # the last root, which is not stored
            best = self._lines[0]
            return Recollection(best.pv[0], best.depth, best.score, best.score)
        entry = self._table.entry(position.key)
        if entry is None:
            return None
        score = self._score(entry.score)
        lower = score if entry.bound in (LOWER, EXACT) else None
        upper = score if entry.bound in (UPPER, EXACT) else None
        return Recollection(entry.move or None, entry.depth, lower, upper)
