"""The root for all searchers of Junqi: the worlds of a search, both sides' beliefs, and the lines to report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from siqi.games.contract import Line, Score, Task
from siqi.games.junqi.board import JunqiPosition
from siqi.games.junqi.evaluation.choice import Evaluation
from siqi.games.junqi.evaluation.evaluate import evaluate_here, total_line
from siqi.games.junqi.knowledge.belief_models import HABITS, BeliefModel
from siqi.games.junqi.knowledge.worlds import Worlds, draw_worlds, marginals
from siqi.games.junqi.rules.lookup import FLAG, LOOKUP_RECORD, NOWHERE, PIECES, TYPES
from siqi.games.junqi.rules.notation import square_text, without_result
from siqi.games.junqi.rules.position import NOBODY, target_of
from siqi.games.junqi.rules.work import WORK_DTYPE
from siqi.games.junqi.search.playout import gains
from siqi.games.kernel.jit import Record, new_record
from siqi.games.kernel.memory import address_of
from siqi.games.search.iteration import IterationResult

EXPLAINED = 256
"""Worlds over which `explain_view` averages."""


class MoveValue(NamedTuple):
    """A root move, its visits and its mean result, the mover's chance."""

    move: int
    visits: int
    value: float


class RootView:
    """The root as its viewer knows it: its moves, the worlds of the unseen side, and beliefs about every piece.

    The working memories of the search's threads get the address of the worlds, and what each attack is expected to
    gain. `beliefs`: float [piece 0-49, type], probabilities as the opponent of the piece sees them.
    """

    def __init__(
        self, task: Task[JunqiPosition], works: Sequence[Record], count: int, seed: int, model: BeliefModel = HABITS
    ) -> None:
        """`model`: that of beliefs; the papers' players have habits."""
        position = task.position
        self.view: Record = position.record
        self.moves: list[int] = [without_result(move) for move in task.moves or position.legal_moves()]
        self.hidden = NOBODY if position.viewer is None else 1 - position.viewer
        if self.hidden == NOBODY:
            self.worlds = Worlds(np.zeros((1, PIECES), np.uint8), 1.0)
            beliefs = [certain_beliefs(self.view, side) for side in range(2)]
        else:
            believed = [position.believed(side, model) for side in range(2)]
            self.worlds = draw_worlds(believed[self.hidden], count, seed)
            beliefs = [marginals(belief) for belief in believed]
        self.beliefs = np.concatenate(beliefs)
        self.gains = gains(self.beliefs)
        self._works = works
        board, may = self.view.board.tolist(), self.view.may.tolist()
        self._flags = {square for square, piece in enumerate(board) if piece and may[piece - 1] == 1 << FLAG}
        for work in works:
            work.worlds, work.world_count = address_of(self.worlds.kinds), len(self.worlds.kinds)
            work.hidden, work.seldepth = self.hidden, 0
            work.gains[:] = self.gains.ravel()

    def takes_flag(self, move: int) -> bool:
        """True if a move takes a piece known to be the flag."""
        return target_of(move) in self._flags

    def result(self, ranked: Sequence[MoveValue], hashfull: int = 0, is_settled: bool = False) -> IterationResult:
        """Return lines in the order given, but moves that win at once first; such a win ends the search."""
        lines = [
            Line(Score.from_expected(1.0, 1) if self.takes_flag(move) else Score.from_expected(value), (move,))
            for move, _, value in ranked
        ]
        lines.sort(key=lambda line: line.score.mate is None)
        is_settled |= bool(lines) and lines[0].score.mate is not None
        note = "" if self.hidden == NOBODY else f"worlds {len(self.worlds.kinds)} effective {self.worlds.effective:.0%}"
        return IterationResult(lines, max(int(work.seldepth) for work in self._works), hashfull, is_settled, note=note)


def certain_beliefs(view: Record, side: int) -> Any:
    """Return the beliefs about a side whose pieces are all known: float32 [piece, type], 0 or 1."""
    beliefs = np.zeros((PIECES, 12), np.float32)
    for piece in range(PIECES):
        beliefs[piece, int(view.may[side * PIECES + piece]).bit_length() - 1] = 1
    return beliefs


def explain_view(position: JunqiPosition, model: BeliefModel, evaluation: Evaluation) -> list[str]:
    """Return the lines of `eval` for a view: the likeliest types of unknown pieces, and the mean score over worlds."""
    viewer = position.viewer
    assert viewer is not None
    view, work = position.record.copy(), new_record(WORK_DTYPE)
    evaluation.prepare([work])
    base = (1 - viewer) * PIECES
    belief = position.believed(1 - viewer, model)
    worlds = draw_worlds(belief, EXPLAINED, 1)
    lines = [f"worlds {EXPLAINED} effective {worlds.effective:.0%}"]
    for piece, row in enumerate(marginals(belief)):
        if view.where[base + piece] != NOWHERE and int(view.may[base + piece]) & int(view.may[base + piece]) - 1:
            likely = sorted(range(12), key=lambda kind: -row[kind])[:3]
            words = " ".join(f"{TYPES[kind]} {row[kind]:.0%}" for kind in likely if row[kind] > 0)
            lines.append(f"{square_text(int(view.where[base + piece]))} {words}")
    chance = 0.0
    for kinds in worlds.kinds:
        view.may[base : base + PIECES] = 1 << kinds.astype(np.uint16)
        chance += evaluate_here(view, work, LOOKUP_RECORD) / EXPLAINED
    return [*lines, total_line(view.turn, chance)]
