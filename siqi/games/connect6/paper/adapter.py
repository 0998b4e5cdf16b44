"""Paper 3's program as a searcher of the engine: `Algorithm roads`, with the options Scan, Width and Depth."""

from __future__ import annotations

from collections.abc import Sequence

from siqi.games.connect6.board import Connect6Position
from siqi.games.connect6.knowledge.knowledge import Knowledge
from siqi.games.connect6.paper.roads import MAX_DEPTH, SCAN_DTYPE, SCANS, WON, paper_tables, search_depth
from siqi.games.connect6.rules.lookup import SIZE
from siqi.games.connect6.rules.position import first_stone
from siqi.games.contract import Line, Move, Score, Task
from siqi.games.kernel.jit import Record
from siqi.games.kernel.tt import TranspositionTable
from siqi.games.search.deepening import DeepeningAdapter
from siqi.games.search.iteration import IterationResult


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
