"""EWN as the daemon sees it: positions, searchers, books and perft."""

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
    TablebaseResult,
    Warn,
    check_perft,
    check_throw,
)
from siqi.games.ewn import INFO, Settings
from siqi.games.ewn.board import EwnPosition
from siqi.games.ewn.data.bench import BENCH
from siqi.games.ewn.knowledge.knowledge import Knowledge
from siqi.games.ewn.paper.players import PLAYERS, new_searcher
from siqi.games.ewn.rules import movegen, notation
from siqi.games.ewn.rules.lookup import LOOKUP_RECORD
from siqi.games.ewn.rules.movegen import MAX_PERFT
from siqi.games.ewn.rules.work import WORK_DTYPE
from siqi.games.ewn.search.search import ExpectimaxAdapter
from siqi.games.ewn.search.setup import SetupSearch
from siqi.games.kernel.control import POLL_INTERVAL, Control
from siqi.games.kernel.jit import Record, new_record
from siqi.games.options import Values
from siqi.games.search.choice import DeployingSearcher
from siqi.games.search.deepening import DeepeningSearcher


class Ewn:
    info: GameInfo = INFO
    bench: tuple[BenchItem, ...] = BENCH

    def __init__(self, warn: Warn) -> None:
        """`warn` gets a line for a book that cannot be used."""
        self._values = Values(INFO.options, Settings, PLAYERS)
        self.knowledge = Knowledge(self._values.settings, warn)

    def set_option(self, name: str, value: str) -> None:
        if self._values.change(name, value):
            self.knowledge.use(self._values.settings)

    def position(self, fen: str | None = None) -> EwnPosition:
        return EwnPosition(fen)

    def fen_of(self, pieces: Mapping[str, str], turn: int, die: int = 0) -> str:
        check_throw(INFO, die)
        return notation.write_fen(pieces, turn, die)

    def searcher(self) -> Searcher[EwnPosition]:
        return DeployingSearcher(
            lambda: self.knowledge.settings.algorithm,
            self._new_searcher,
            lambda task, seed: SetupSearch(task, seed, self.knowledge),
        )

    def _new_searcher(self) -> Searcher[EwnPosition]:
        if self.knowledge.settings.algorithm in PLAYERS:
            return new_searcher(self.knowledge)
        return DeepeningSearcher(ExpectimaxAdapter(self.knowledge))

    def consult(self, position: EwnPosition) -> list[BookLine]:
        """Return lines with the book's set-ups, or with the tablebase's chance."""
        if not position.has_pieces:
            return self.knowledge.consult(position.words)
        chance = self.knowledge.chance(position.record)
        if chance is None:
            return []
        return [BookLine(f"endgame chance {chance:.5f} before the throw", ending=TablebaseResult("chance", 0, chance))]

    def tablebase_outcome(self, position: EwnPosition) -> Outcome | None:
        """Return a win that no throw can prevent, to the tablebase's precision."""
        chance = self.knowledge.chance(position.record) if position.has_pieces else None
        if chance not in (0.0, 1.0):
            return None
        return Outcome(position.turn if chance else 1 - position.turn, "tablebase win")

    def suggest(self, position: EwnPosition, rng: random.Random) -> Suggestion | None:
        return None if position.has_pieces else self.knowledge.suggest(position.words, rng)

    def evaluate(self, position: EwnPosition) -> list[str]:
        if not position.has_pieces or position.record.winner >= 0:
            return ["total +0 outside play"]
        return self.knowledge.explain(position.record)

    def perft(self, position: EwnPosition, depth: int, control: Control) -> Iterator[tuple[int, int]]:
        """Yield (move, leaves below it). A set-up counts as one ply; after the first ply moves are those of any throw.

        ValueError for a depth above MAX_PERFT.
        """
        check_perft(depth, MAX_PERFT)
        work = new_record(WORK_DTYPE)
        work.control, work.poll_at = control.address, POLL_INTERVAL
        for move in sorted(position.legal_moves(), key=notation.move_text):
            yield move, self._perft(position, move, depth, work, control)

    def _perft(self, position: EwnPosition, move: int, depth: int, work: Record, control: Control) -> int:
        if depth == 1:
            return 1
        if position.has_pieces:
            return int(movegen.perft(position.record.copy(), work, LOOKUP_RECORD, move, depth))
        after, total = position.copy(), 0
        after.push(move)
        for reply in after.legal_moves():
            if control.stopped:
                break
            total += self._perft(after, reply, depth - 1, work, control)
        return total


def create(warn: Warn) -> Game[EwnPosition]:
    return Ewn(warn)
