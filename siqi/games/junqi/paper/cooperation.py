"""The cooperative player of paper 4: UCT over worlds, activation of pieces, Q-learning of joint actions.

UCT in worlds drawn by belief (uct.py, worlds.py) values the moves, by the formula that the paper prints and with leaves
that get moves after some visits. The few pieces behind the best moves are *activated* (team.py): they learn joint
actions out of the moves that UCT has found for them, in turns with UCT (learning.py): any limit finds both done. What
they learn goes back to UCT as the prior value of the root's moves, and it chooses the move, alone or together with UCT.
The *cooperation matrix*, Q by state and joint action, is kept for the whole game. What recurs in other games, Q by the
kind of an action (experience.py), is kept in a file if the user names one.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from siqi.games.books.book import BookFileError, book_kind, open_book, write_book
from siqi.games.contract import Task
from siqi.games.junqi.board import JunqiPosition
from siqi.games.junqi.knowledge.knowledge import Knowledge
from siqi.games.junqi.paper.experience import KIND_DTYPE, KINDS, LEAST_LESSONS
from siqi.games.junqi.paper.learning import learn, recall, set_priors
from siqi.games.junqi.paper.team import (
    STATE_DTYPE,
    STATES,
    TEAM_DTYPE,
    carried_over,
    enter_root,
    first_move,
    renew_moves,
    renewed_team,
)
from siqi.games.junqi.rules.lookup import LOOKUP_RECORD
from siqi.games.junqi.rules.position import POSITION_DTYPE, origin_of
from siqi.games.junqi.search.root import MoveValue
from siqi.games.junqi.search.uct import PAPER, UctAdapter, root_values
from siqi.games.kernel.jit import Record, new_record
from siqi.games.search.iteration import IterationResult
from siqi.system.files import open_to_replace

EXPLORATION = 0.1
"""The paper's risk parameter k; it prints no value."""

EXPAND_VISITS = 4
"""Visits of a leaf before it gets moves; the paper prints no value."""

LEARNING_SHARE = 0.2
"""Share of the playouts spent on learning."""

TURN_PLAYOUTS, TURN_SHARE = 100, 1 / 16
"""Playouts of UCT and of learning together, before UCT has its turn again: this number, or this share of those so far
if that is more."""

PRIOR_VISITS = 8.0
"""Visits for which a learned value counts in addition to UCT's."""

KIND, VERSION = "junqi-cooperation", 3

OFTEN = 4
"""A move is visited often if the most visited one has at most this times its visits."""

MAX_LESSONS, MAX_WORTH = 1 << 60, 1e6
"""Bounds for the lessons of a kind, and for what one of them is worth, that no play reaches."""

SAVE_WAIT_S = 10.0
"""Seconds that saving waits for another engine to save to the same file."""


class CooperationAdapter(UctAdapter):
    """The adapter of UCT with the cooperation matrix; thread 0 spends a share of its playouts on learning."""

    tree_settings = (PAPER, EXPLORATION, EXPAND_VISITS)
    learning_share = LEARNING_SHARE
    prior_visits = PRIOR_VISITS
    least_lessons = LEAST_LESSONS

    def __init__(self, knowledge: Knowledge) -> None:
        super().__init__()
        self._knowledge = knowledge
        self._matrix = np.zeros(STATES, STATE_DTYPE)
        self._experience = np.zeros(KINDS, KIND_DTYPE)
        self._base = self._experience  # as the file was read
        self._spare = new_record(POSITION_DTYPE)
        self._named = Path()  # as the option names it
        self._path = Path()  # the same, if it can be used
        self._has_learned = False  # something that the file lacks
        self._last_warning = ""  # not repeated with every game

    @property
    def threads(self) -> int:
        return 1 if self._knowledge.settings.algorithm == "paper" else 0

    def _load(self, path: Path) -> bool:
        """Load a file; False, after a line with the reason, if it cannot be used."""
        try:
            self._base = read_experience(path)
        except BookFileError as error:
            self._warn(f"{error}; it is left as it is")
            return False
        return True

    def _save(self) -> None:
        """Add what was learned since the file was read to what it has now; a line with the reason if that fails."""
        try:
            with open_to_replace(self._path, is_experience, SAVE_WAIT_S) as file:
                saved = read_experience(self._path) if file.tell() else np.zeros(KINDS, KIND_DTYPE)
                for name in KIND_DTYPE.names or ():
                    saved[name] += self._experience[name] - self._base[name]
                about = {"lessons": int(saved["lessons"].sum())}
                write_book(self._path, KIND, VERSION, about, saved.tobytes(), is_experience)
        except BookFileError as error:
            self._warn(f"{error}; it is left as it is")
        except OSError as error:
            self._warn(f"cannot write {self._path}: {error.strerror}")

    def _warn(self, text: str) -> None:
        """Send the user a line, unless it was the last one."""
        if text != self._last_warning:
            self._last_warning = text
            self._knowledge.warn(text)

    def forget(self) -> None:
        """Save to the user's file what a game has taught; a new game begins with what the file has."""
        super().forget()
        if self._path != Path() and self._has_learned:
            self._save()
        self._has_learned = False
        self._matrix = np.zeros(STATES, STATE_DTYPE)
        self._open_file()

    def _open_file(self) -> None:
        """Begin with the experience of the file that the option names; from now on it is saved there."""
        self._named = self._path = Path(self._knowledge.settings.cooperation_file)
        self._base = np.zeros(KINDS, KIND_DTYPE)
        if self._path != Path() and not _is_new(self._path) and not self._load(self._path):
            self._path = Path()  # a file that could not be read is not overwritten
        self._experience = self._base.copy()

    def begin(self, task: Task[JunqiPosition], trees: Sequence[Any], works: Sequence[Record], seed: int) -> None:
        if self._named != Path(self._knowledge.settings.cooperation_file):  # the option was set during a game
            self._open_file()
        super().begin(task, trees, works, seed)
        self._team = new_record(TEAM_DTYPE)
        settings = self._knowledge.settings
        self._team.alpha, self._team.gamma = settings.cooperation_alpha, settings.cooperation_gamma
        self._team.least = self.least_lessons
        self._team.row = -1

    def grow(self, thread: int, scratch: Record, playouts: int) -> None:
        """Run UCT; on thread 0 in turns with learning, for which the pieces are activated anew each time."""
        if thread:
            super().grow(thread, scratch, playouts)
            return
        work = self._works[0]
        end = work.nodes + playouts
        while not work.stopped and work.nodes < end:
            turn = min(max(TURN_PLAYOUTS, int(TURN_SHARE * work.nodes)), int(end - work.nodes))
            lessons = round(turn * self.learning_share)
            super().grow(0, scratch, turn - lessons)
            if work.stopped or not lessons:
                continue
            self._activate_pieces(self._best_first(root_values(self._works[:1], self._trees[:1])))
            if self._team.row >= 0:
                self._has_learned = True
                place = (self._root.view, scratch, self._spare, work, LOOKUP_RECORD, self._trees[0], self._team)
                learn(*place, self._matrix, self._experience, lessons)

    def result(self) -> IterationResult:
        """Return the often visited moves by their values, those with a learned value first, then the others.

        With the choice `q` the first is the first move of the joint action of the highest Q.
        """
        lines = self._best_first(self.move_values())
        most, prior = max(value.visits for value in lines) if lines else 0, self._works[0].prior
        lines.sort(key=lambda value: (OFTEN * value.visits < most, prior[value.move] < 0))
        if self._knowledge.settings.cooperation_choice == "q" and self._team.row >= 0:
            best = first_move(self._row, int(self._team.members))
            lines.sort(key=lambda value: value.move != best)
        return self._root.result(lines)

    def _best_first(self, values: Sequence[MoveValue]) -> list[MoveValue]:
        """Return moves, given most visited first, with their values by UCT and learning: the often visited by value."""
        prior = self._priors()
        valued = [self._combined(value, float(prior[value.move])) for value in values]
        often = sum(OFTEN * value.visits >= values[0].visits for value in values)
        return sorted(valued[:often], key=lambda value: -value.value) + valued[often:]

    def _priors(self) -> Any:
        """Return the learned values by move, negative where there is none; give them to UCT."""
        work = self._works[0]
        set_priors(work, self._team, self._matrix)
        for other in self._works:
            other.prior[:], other.prior_weight = work.prior, self.prior_visits
        return work.prior

    def _combined(self, searched: MoveValue, learned: float) -> MoveValue:
        """Return a move with its value by UCT and by what was learned, if that is not negative."""
        if learned < 0:
            return searched
        visits = searched.visits + self.prior_visits
        return searched._replace(value=(searched.visits * searched.value + self.prior_visits * learned) / visits)

    @property
    def _row(self) -> Record:
        """The matrix's row of the root's state."""
        return self._matrix[self._team.row : self._team.row + 1].view(np.recarray)[0]

    def _activate_pieces(self, best_first: Sequence[MoveValue]) -> None:
        """Activate the pieces of the best moves, and bring the state of the root up to date with the tree.

        A team that changes, and a state whose moves change, keep what they have learned as far as it still applies.
        """
        view, team = self._root.view, self._team
        members = team.piece[: team.members].tolist()
        before = self._row.copy() if team.row >= 0 else None
        pieces = renewed_team(ranked_pieces(view, best_first), members, self._knowledge.settings.cooperation_pieces)
        team.members = len(pieces)
        team.piece[: len(pieces)] = pieces
        place = (view, self._works[0], self._trees[0], team, self._matrix)
        enter_root(*place)
        if team.row < 0:
            return
        row = self._row
        known = row.copy()
        renew_moves(*place)
        if (row.count != known.count).any() or (row.move != known.move).any():
            row.worth[:], row.seen[:] = (each.ravel() for each in carried_over(row, known, pieces, pieces))
        if before is not None and members != pieces:
            worth, seen = carried_over(row, before, pieces, members)
            is_better = seen > row.seen
            row.worth[:] = np.where(is_better, worth, row.worth.reshape(worth.shape)).ravel()
            row.seen[:] = np.where(is_better, seen, row.seen)
        row.is_new = 0
        recall(view, view, self._works[0], LOOKUP_RECORD, team, self._matrix, self._experience, team.row)


def ranked_pieces(view: Record, best_first: Sequence[MoveValue]) -> list[int]:
    """Return the pieces of moves, in the order of the moves."""
    board = view.board.tolist()
    return list(dict.fromkeys(board[origin_of(value.move)] - 1 for value in best_first))


def is_experience(head: bytes) -> bool:
    """True if a file that begins with these bytes has what a cooperative player has learned."""
    return book_kind(head) == KIND


def read_experience(path: Path) -> Any:
    """Return the kinds of a file, with their lessons; BookFileError if it cannot be used."""
    payload = open_book(path, KIND, VERSION, KINDS * KIND_DTYPE.itemsize).payload
    if len(payload) != KINDS * KIND_DTYPE.itemsize:
        raise BookFileError(f"{path}: not {KINDS} kinds of actions")
    kinds = payload.view(KIND_DTYPE).copy()
    if not are_sound(kinds):
        raise BookFileError(f"{path}: lessons that cannot be")
    return kinds


def are_sound(kinds: Any) -> bool:
    """True if the kinds of a file can be used: numbers of lessons, and totals that fit them."""
    lessons = kinds["lessons"]
    return bool(((lessons >= 0) & (lessons < MAX_LESSONS) & (np.abs(kinds["total"]) <= MAX_WORTH * lessons)).all())


def _is_new(path: Path) -> bool:
    """True if there is no file of that name, an empty one, or a link to nothing."""
    try:
        status = os.stat(path)
    except (OSError, ValueError) as error:
        return isinstance(error, FileNotFoundError)
    return stat.S_ISREG(status.st_mode) and not status.st_size
