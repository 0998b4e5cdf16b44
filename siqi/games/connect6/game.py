"""Connect6 as the daemon sees it: positions, searchers, books and perft."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping

from siqi.games.connect6 import INFO, Settings
from siqi.games.connect6.board import Connect6Position
from siqi.games.connect6.data.bench import BENCH
from siqi.games.connect6.knowledge.knowledge import Knowledge
from siqi.games.connect6.paper.players import PLAYERS, new_searcher
from siqi.games.connect6.rules import movegen, notation
from siqi.games.connect6.rules.lookup import LOOKUP_RECORD, POINTS
from siqi.games.connect6.rules.work import WORK_DTYPE
from siqi.games.connect6.search.search import PvsAdapter
from siqi.games.contract import BenchItem, BookLine, Game, GameInfo, Searcher, Suggestion, Warn, check_throw
from siqi.games.kernel.control import Control
from siqi.games.kernel.jit import new_record
from siqi.games.options import Values
from siqi.games.search.aspiration import Aspiration
from siqi.games.search.choice import ChosenSearcher
from siqi.games.search.deepening import DeepeningSearcher


class Connect6:
    info: GameInfo = INFO
    bench: tuple[BenchItem, ...] = BENCH

    def __init__(self, warn: Warn) -> None:
        self._values = Values(INFO.options, Settings, PLAYERS)
        self.knowledge = Knowledge(self._values.settings, warn)

    def set_option(self, name: str, value: str) -> None:
        if self._values.change(name, value):
            self.knowledge.use(self._values.settings)

    def position(self, fen: str | None = None) -> Connect6Position:
        return Connect6Position(notation.START_FEN if fen is None else fen)

    def fen_of(self, pieces: Mapping[str, str], turn: int, die: int = 0) -> str:
        """Return the FEN of stones by point. One stone is left on the empty board and on the last point, otherwise two.

        ValueError for a throw, a point or a stone that does not exist.
        """
        check_throw(INFO, die)
        return notation.write_fen(pieces, turn, 1 if len(pieces) in (0, POINTS - 1) else 2)

    def searcher(self) -> Searcher[Connect6Position]:
        return ChosenSearcher(lambda: self.knowledge.settings.algorithm, self._new_searcher)

    def _new_searcher(self) -> Searcher[Connect6Position]:
        if self.knowledge.settings.algorithm in PLAYERS:
            return new_searcher(self.knowledge)
        return DeepeningSearcher(Aspiration(PvsAdapter(self.knowledge)))

    def consult(self, position: Connect6Position) -> list[BookLine]:
        return self.knowledge.openings.consult(position)

    def suggest(self, position: Connect6Position, rng: random.Random) -> Suggestion | None:
        """Return a move that needs no search, or None: the centre for a first single stone, otherwise a book move.

        The centre needs no book: a search took 248 s of fifteen minutes for it.
        """
        if position.record.empty == POINTS and position.record.left == 1:
            return Suggestion(position.parse_move(notation.CENTRE), "first stone", under_any_limit=True)
        return self.knowledge.openings.suggest(position, rng)

    def evaluate(self, position: Connect6Position) -> list[str]:
        return self.knowledge.evaluation.explain(position.record)

    def perft(self, position: Connect6Position, depth: int, control: Control) -> Iterator[tuple[int, int]]:
        work = new_record(WORK_DTYPE)
        work.control = control.address
        twin = position.copy()
        for move in sorted(twin.legal_moves(), key=notation.move_text):
            yield move, int(movegen.perft(twin.record, work, LOOKUP_RECORD, move, depth))


def create(warn: Warn) -> Game[Connect6Position]:
    return Connect6(warn)
