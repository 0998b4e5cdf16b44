"""Xiangqi as the daemon sees it: positions, searchers, books and perft."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping

from siqi.games.contract import (
    BenchItem,
    BookLine,
    Game,
    GameInfo,
    Outcome,
    Searcher,
    Suggestion,
    Warn,
    check_perft,
    check_throw,
)
from siqi.games.kernel.control import POLL_INTERVAL, Control
from siqi.games.kernel.jit import new_record
from siqi.games.options import Values
from siqi.games.search.aspiration import Aspiration
from siqi.games.search.choice import ChosenSearcher
from siqi.games.search.deepening import DeepeningSearcher
from siqi.games.xiangqi import INFO, Settings
from siqi.games.xiangqi.board import XiangqiPosition
from siqi.games.xiangqi.data.bench import BENCH
from siqi.games.xiangqi.data.margins import MARGIN_OPTIONS
from siqi.games.xiangqi.knowledge.knowledge import Knowledge
from siqi.games.xiangqi.knowledge.probe import UNKNOWN
from siqi.games.xiangqi.paper.players import PLAYERS, new_searcher
from siqi.games.xiangqi.rules import movegen, notation
from siqi.games.xiangqi.rules.lookup import LOOKUP_RECORD
from siqi.games.xiangqi.rules.movegen import MAX_PERFT
from siqi.games.xiangqi.rules.position import QUIET_LIMIT
from siqi.games.xiangqi.rules.work import WORK_DTYPE
from siqi.games.xiangqi.search.search import PvsAdapter


class Xiangqi:
    info: GameInfo = INFO
    bench: tuple[BenchItem, ...] = BENCH

    def __init__(self, warn: Warn) -> None:
        self._values = Values(INFO.options, Settings, PLAYERS)
        self.knowledge = Knowledge(self._values.settings, warn)
        self._adapter = PvsAdapter(self.knowledge)

    def set_option(self, name: str, value: str) -> None:
        if name in MARGIN_OPTIONS:
            self._adapter.set_margins(self._adapter.margins._replace(**{MARGIN_OPTIONS[name]: int(value)}))
        elif self._values.change(name, value):
            self.knowledge.use(self._values.settings)
        if name == "PositionFile":
            self.knowledge.read_known_positions(value)

    def learn_from(self, path: str) -> None:
        self.knowledge.learn_from(path)

    def begin_game(self) -> None:
        self.knowledge.begin_game()

    def position(self, fen: str | None = None) -> XiangqiPosition:
        return XiangqiPosition(notation.START_FEN if fen is None else fen, self.knowledge.first_rank)

    def fen_of(self, pieces: Mapping[str, str], turn: int, die: int = 0) -> str:
        check_throw(INFO, die)
        return notation.write_fen(pieces, turn)

    def searcher(self) -> Searcher[XiangqiPosition]:
        return ChosenSearcher(lambda: self.knowledge.settings.algorithm, self._new_searcher)

    def _new_searcher(self) -> Searcher[XiangqiPosition]:
        if self.knowledge.settings.algorithm in PLAYERS:
            return new_searcher(self.knowledge)
        return DeepeningSearcher(Aspiration(self._adapter))

    def consult(self, position: XiangqiPosition) -> list[BookLine]:
        return self.knowledge.consult(position)

    def tablebase_outcome(self, position: XiangqiPosition) -> Outcome | None:
        """Return the result by the tablebase: a mate if it comes before the 60-move rule, else a draw or None."""
        code = self.knowledge.tablebase_code(position.record)
        if code == UNKNOWN or (code and position.record.quiet + code - 1 > QUIET_LIMIT):
            return None
        if code == 0:
            return Outcome(None, "tablebase draw")
        winner = position.turn if code & 1 == 0 else 1 - position.turn
        return Outcome(winner, f"tablebase mate in {code - 1} plies")

    def solution(self, position: XiangqiPosition) -> list[int]:
        twin, line = position.copy(), []
        code = self.knowledge.tablebase_code(twin.record)
        while code > 1:  # 1: mated
            code -= 1
            for move in twin.legal_moves():
                twin.push(move)
                if self.knowledge.tablebase_code(twin.record) == code:
                    line.append(move)
                    break
                twin.pop()
            else:
                return line
        return line

    def suggest(self, position: XiangqiPosition, rng: random.Random) -> Suggestion | None:
        return self.knowledge.suggest(position, rng)

    def evaluate(self, position: XiangqiPosition) -> list[str]:
        return self.knowledge.evaluation.explain(position.record, self.knowledge.first_rank)

    def perft(self, position: XiangqiPosition, depth: int, control: Control) -> Iterator[tuple[int, int]]:
        check_perft(depth, MAX_PERFT)
        work = new_record(WORK_DTYPE)
        work.control, work.poll_at = control.address, POLL_INTERVAL
        twin = position.copy()
        for move in sorted(twin.legal_moves(), key=notation.move_text):
            yield move, int(movegen.perft(twin.record, work, LOOKUP_RECORD, move, depth))


def create(warn: Warn) -> Game[XiangqiPosition]:
    return Xiangqi(warn)
