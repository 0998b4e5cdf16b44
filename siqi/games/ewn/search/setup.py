"""The choice of a set-up by successive halving with greedy playouts."""

from __future__ import annotations

import random

from siqi.games.contract import Line, Report, Score, SetupPosition, Task
from siqi.games.ewn.knowledge.knowledge import Knowledge
from siqi.games.ewn.rules.lookup import LOOKUP_RECORD
from siqi.games.ewn.rules.notation import SETUP
from siqi.games.ewn.rules.position import POSITION_DTYPE
from siqi.games.ewn.rules.setup import SECOND_SETUPS, SETUPS, reversed_numbers, set_up, setup_pieces
from siqi.games.ewn.rules.work import WORK_DTYPE
from siqi.games.ewn.search.playout import GREEDY, TO_THE_END, WIN, play_out
from siqi.games.kernel.jit import Record, new_record
from siqi.games.kernel.random import seed_state

OPPONENTS = 4
"""The opposing set-ups that each candidate meets in a round if the opponent's is not known."""

CHUNK = 128
"""The playouts between two polls of the control block: 1 ms."""

LEAST_FIELD = 8
"""The candidates that a search without any time plays: 20 ms."""

FIRST_ROUND = 64
"""The playouts per candidate in the first round; each round doubles them and halves the field."""


def playout_work(knowledge: Knowledge, seed: int, stream: int = 0) -> Record:
    """Return working memory for greedy playouts that value set-ups, with the random `stream` of a seed."""
    work = new_record(WORK_DTYPE)
    work.random = seed_state(seed, stream)
    work.policy, work.playout_plies = GREEDY, TO_THE_END
    work.tablebase, work.evaluation = knowledge.tablebase, knowledge.evaluation
    return work


class SetupSearch:
    """The choice of a set-up: each iteration plays every candidate left and drops the worse half."""

    def __init__(self, task: Task[SetupPosition], seed: int, knowledge: Knowledge) -> None:
        self._control = task.control
        self._side = task.position.turn
        words = task.position.words
        self._known = words[0] if words else None
        self._random = random.Random(seed)
        # Of two equivalent set-ups a random one is tried, in random order: a set-up should not be predictable.
        field = [self._random.choice([word, reversed_numbers(word)]) for word in SECOND_SETUPS]
        if task.moves:
            field = [str(move - SETUP) for move in task.moves]
        self._random.shuffle(field)
        self._multipv = task.multipv
        self._field = [(0.5, word) for word in field]
        self._round = 0
        self._nodes = 0
        self._work = playout_work(knowledge, seed)
        self._scratch = new_record(POSITION_DTYPE)

    def iterate(self) -> Report:
        """Play a round and return its report; if stopped, candidates not played keep their earlier values.

        In the first round, those not played are left out, and a stop lets LEAST_FIELD be played.
        """
        playouts = FIRST_ROUND << self._round
        self._round += 1
        opponents = [self._known] if self._known else self._random.sample(SETUPS, OPPONENTS)
        tried: list[tuple[float, str]] = []
        complete = True
        for _, word in self._field:
            limit = self._control.node_limit
            has_enough = self._round > 1 or len(tried) >= LEAST_FIELD
            if has_enough and (self._control.check() or 0 < limit <= self._nodes):
                complete = False
                break
            shares = [self._share(word, other, playouts // len(opponents)) for other in opponents]
            if has_enough and self._control.stopped and tried:  # the last candidate may have had few playouts
                complete = False
                break
            tried.append((sum(shares) / len(shares), word))
        untried = self._field[len(tried) :] if self._round > 1 else []
        self._field = sorted(tried, reverse=True) + untried
        if complete:
            del self._field[max(len(tried) // 2, 1) :]
        lines = tuple(
            Line(Score.from_expected(win), (SETUP + int(word),)) for win, word in self._field[: self._multipv]
        )
        return Report(self._round, 1, self._nodes, lines, complete, len(self._field) == 1)

    def _share(self, word: str, other: str, playouts: int) -> float:
        """Return our side's share of the playouts, or of those before the stop; the first side moves first."""
        root = new_record(POSITION_DTYPE)
        set_up(root, setup_pieces(self._side, word) + setup_pieces(1 - self._side, other), 0, 0)
        total = played = 0
        while played < playouts and not (played and self._control.check()):
            chunk = min(playouts - played, CHUNK)
            total += int(play_out(root, self._scratch, self._work, LOOKUP_RECORD, chunk))
            played += chunk
        self._nodes += played
        share = total / (WIN * played)
        return 1 - share if self._side else share
