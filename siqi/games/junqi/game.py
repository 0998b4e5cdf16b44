"""Junqi as the daemon sees it: positions, searchers and perft."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping

import numpy as np

from siqi.games.contract import (
    HIDDEN,
    BenchItem,
    BookLine,
    Game,
    GameInfo,
    Searcher,
    Suggestion,
    Warn,
    check_perft,
    check_throw,
)
from siqi.games.junqi import INFO, Settings
from siqi.games.junqi.board import JunqiPosition
from siqi.games.junqi.data.bench import BENCH
from siqi.games.junqi.evaluation.evaluate import explain
from siqi.games.junqi.knowledge.knowledge import Knowledge
from siqi.games.junqi.paper.players import PLAYERS, new_searcher
from siqi.games.junqi.rules import movegen, notation
from siqi.games.junqi.rules.lookup import LOOKUP_RECORD
from siqi.games.junqi.rules.movegen import MAX_PERFT
from siqi.games.junqi.rules.position import POSITION_DTYPE
from siqi.games.junqi.rules.work import WORK_DTYPE
from siqi.games.junqi.search.deployment import DeploymentSearch
from siqi.games.junqi.search.root import explain_view
from siqi.games.junqi.search.search import WorldsAdapter
from siqi.games.kernel.control import POLL_INTERVAL, Control
from siqi.games.kernel.jit import new_record
from siqi.games.options import Values
from siqi.games.search.choice import DeployingSearcher
from siqi.games.search.deepening import DeepeningSearcher
from siqi.games.search.sampling import SamplingSearcher


class Junqi:
    info: GameInfo = INFO
    bench: tuple[BenchItem, ...] = BENCH

    def __init__(self, warn: Warn) -> None:
        """`warn` gets a line for a file that cannot be used."""
        self._values = Values(INFO.options, Settings, PLAYERS)
        self.knowledge = Knowledge(self._values.settings, warn)

    def set_option(self, name: str, value: str) -> None:
        if self._values.change(name, value):
            self.knowledge.use(self._values.settings)
        if name == "LayoutFile":
            self.knowledge.read_layouts(value)

    def position(self, fen: str | None = None) -> JunqiPosition:
        return JunqiPosition(fen)

    def fen_of(self, pieces: Mapping[str, str], turn: int, die: int = 0) -> str:
        check_throw(INFO, die)
        viewers = [1 - side for side, letter in enumerate(HIDDEN) if letter in pieces.values()]
        if len(viewers) > 1:
            raise ValueError("both sides have hidden pieces")
        return notation.write_fen(pieces, turn, viewers[0] if viewers else None)

    def searcher(self) -> Searcher[JunqiPosition]:
        return DeployingSearcher(
            lambda: self.knowledge.settings.algorithm,
            self._new_searcher,
            lambda task, seed: DeploymentSearch(task, seed, self.knowledge.layouts),
        )

    def _new_searcher(self) -> Searcher[JunqiPosition]:
        """Return a new searcher of the kind that the option Algorithm names; only its own kernels are loaded."""
        algorithm = self.knowledge.settings.algorithm
        if algorithm in PLAYERS:
            return new_searcher(self.knowledge)
        if algorithm == "uct":
            from siqi.games.junqi.search.uct import UctAdapter

            return SamplingSearcher(UctAdapter(lambda: self.knowledge.beliefs))
        if algorithm == "flat":
            from siqi.games.junqi.search.flat import FlatAdapter

            return SamplingSearcher(FlatAdapter(lambda: self.knowledge.beliefs))
        return DeepeningSearcher(WorldsAdapter(lambda: self.knowledge.beliefs, lambda: self.knowledge.evaluation))

    def consult(self, position: JunqiPosition) -> list[BookLine]:
        return []

    def suggest(self, position: JunqiPosition, rng: random.Random) -> Suggestion | None:
        return None

    def evaluate(self, position: JunqiPosition) -> list[str]:
        if not position.has_pieces:
            return ["total +0 before the set-ups"]
        evaluation = self.knowledge.evaluation
        if position.viewer is None:
            return explain(position.record, evaluation)
        return explain_view(position, self.knowledge.beliefs, evaluation)

    def perft(self, position: JunqiPosition, depth: int, control: Control) -> Iterator[tuple[int, int]]:
        """Yield each move with the leaves below it; ValueError if `depth` is above 1 in a view, or above MAX_PERFT."""
        check_perft(depth, MAX_PERFT)
        if depth > 1 and position.viewer is not None:
            raise ValueError("perft deeper than 1 needs a full position: a view does not know what a battle leaves")
        boards = np.zeros(depth + 1, POSITION_DTYPE)
        boards[0] = position.record
        work = new_record(WORK_DTYPE)
        work.control, work.poll_at = control.address, POLL_INTERVAL
        for move in sorted(position.legal_moves(), key=notation.move_text):
            yield move, 1 if depth == 1 else int(movegen.perft(boards, work, LOOKUP_RECORD, move, depth))


def create(warn: Warn) -> Game[JunqiPosition]:
    return Junqi(warn)
