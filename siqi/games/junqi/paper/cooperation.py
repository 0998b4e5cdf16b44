"""The cooperative player of paper 4: UCT over worlds, activation of pieces, Q-learning of joint actions.

UCT in worlds drawn by belief (uct.py, worlds.py) values the moves, by the formula that the paper prints and with leaves
that get moves after some visits. The few pieces behind the best moves are *activated*: they learn joint actions out of
the moves that UCT has found for them (team.py). What they learn goes back to UCT as the prior value of the root's
moves, and into the choice of the move. The *cooperation matrix*, Q by state and joint action, is kept for the whole
game, and in a file if the user names one.
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
from siqi.games.junqi.paper.merging import merged
from siqi.games.junqi.paper.team import (
    JOINT_ACTIONS,
    MOST_MOVES,
    STATE_DTYPE,
    STATES,
    TEAM_DTYPE,
    enter_root,
    learn,
    relocate,
    renew_moves,
    row_for,
    set_priors,
)
from siqi.games.junqi.rules.lookup import LOOKUP_RECORD, SQUARES
from siqi.games.junqi.rules.position import POSITION_DTYPE, origin_of
from siqi.games.junqi.search.root import MoveValue
from siqi.games.junqi.search.uct import PAPER, UctAdapter
from siqi.games.kernel.jit import Record, new_record
from siqi.games.search.iteration import IterationResult
from siqi.system.files import open_to_replace

EXPLORATION = 0.1
"""The paper's risk parameter k; it prints no value."""

EXPAND_VISITS = 4
"""Visits of a leaf before it gets moves; the paper prints no value."""

LEARNING_SHARE = 0.2
"""Share of the playouts spent on learning."""

PRIOR_VISITS = 8.0
"""Visits for which a learned value counts in addition to UCT's."""

KIND, VERSION = "junqi-cooperation", 2

SAVE_WAIT_S = 10.0
"""Seconds that saving waits for another engine to save to the same file."""


class CooperationAdapter(UctAdapter):
    """The adapter of UCT with the cooperation matrix; thread 0 spends a share of its playouts on learning."""

    tree_settings = (PAPER, EXPLORATION, EXPAND_VISITS)
    learning_share = LEARNING_SHARE
    prior_visits = PRIOR_VISITS

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._matrix = np.zeros(STATES, STATE_DTYPE)
        self._base = self._matrix[:0]  # the rows of the file as it was read
        self._spare = new_record(POSITION_DTYPE)
        self._named = Path()  # as the option names it
        self._path = Path()  # the same, if it can be used
        self._has_learned = False  # something that the file lacks
        self._last_warning = ""  # not repeated with every game

    @property
    def threads(self) -> int:
        return self._knowledge.threads

    def _load(self, path: Path) -> bool:
        """Add a file's rows to the matrix; False, after a line with the reason, if the file cannot be used."""
        try:
            self._base = read_rows(path)
        except BookFileError as error:
            self._warn(f"{error}; it is left as it is")
            return False
        for row in self._base:
            at = row_for(self._matrix, int(row["key"]))
            self._matrix[at] = row
        return True

    def _save(self) -> None:
        """Write the matrix to the file, with what others have saved there since; a line with the reason if that
        fails."""
        ours = self._matrix[self._matrix["key"] != 0]
        try:
            with open_to_replace(self._path, is_matrix, SAVE_WAIT_S) as file:
                theirs = read_rows(self._path) if file.tell() else ours[:0]
                rows = merged(self._base, theirs, ours)
                write_book(self._path, KIND, VERSION, {"states": len(rows)}, rows.tobytes(), is_matrix)
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
        """Save to the user's file what a game has taught; a new game begins with that file's matrix."""
        super().forget()
        if self._path != Path() and self._has_learned:
            self._save()
        self._has_learned = False
        self._matrix = np.zeros(STATES, STATE_DTYPE)
        self._open_file()

    def _open_file(self) -> None:
        """Load the file that the option names; from now on the matrix is saved there."""
        self._named = self._path = Path(self._knowledge.cooperation_file)
        self._base = self._matrix[:0]
        if self._path != Path() and not _is_new(self._path) and not self._load(self._path):
            self._path = Path()  # a file that could not be read is not overwritten

    def begin(self, task: Task[JunqiPosition], trees: Sequence[Any], works: Sequence[Record], seed: int) -> None:
        if self._named != Path(self._knowledge.cooperation_file):  # the option was set during a game
            self._open_file()
        super().begin(task, trees, works, seed)
        self._team = new_record(TEAM_DTYPE)
        self._team.alpha, self._team.gamma = self._knowledge.alpha, self._knowledge.gamma
        self._team.row = -1

    def grow(self, thread: int, board: Record, playouts: int) -> None:
        work = self._works[thread]
        if self._team.row < 0 or thread:
            super().grow(thread, board, playouts)
            return
        lessons = int(playouts * self.learning_share)
        super().grow(thread, board, playouts - lessons)
        if not work.stopped:
            self._has_learned = True
            tree = self._trees[0]
            learn(
                self._root.view, board, self._spare, work, LOOKUP_RECORD, tree, self._team, self._matrix, lessons
            )  # fmt: skip

    def result(self) -> IterationResult:
        """Return UCT's lines by their values, those learned included; the often visited moves come first."""
        found = self.move_values()
        prior = self._priors()
        valued = [value._replace(value=self._combined(value, prior)) for value in found]
        often = [value for value in valued if 4 * value.visits >= found[0].visits]
        often.sort(key=lambda value: -value.value)
        self._activate_pieces(often + valued)
        return self._root.result(often + [value for value in valued if value not in often])

    def _priors(self) -> Any:
        """Return the learned values by move, negative where there is none; give them to UCT."""
        work = self._works[0]
        set_priors(work, self._team, self._matrix)
        for other in self._works:
            other.prior[:], other.prior_weight = work.prior, self.prior_visits
        return work.prior

    def _combined(self, value: MoveValue, prior: Any) -> float:
        """Return a move's value by UCT and by what was learned."""
        if not value.visits or prior[value.move] < 0:
            return value.value
        visits = value.visits + self.prior_visits
        return float((value.visits * value.value + self.prior_visits * prior[value.move]) / visits)

    def _activate_pieces(self, best_first: Sequence[MoveValue]) -> None:
        """Activate the pieces of the best moves, and bring the state of the root up to date with the tree."""
        pieces = best_pieces(self._root.view, best_first, self._knowledge.activate)
        self._team.members = len(pieces)
        self._team.piece[: len(pieces)] = pieces
        place = (self._root.view, self._works[0], self._trees[0], self._team, self._matrix)
        enter_root(*place)
        if self._team.row >= 0:
            before = self._matrix[self._team.row].copy()
            renew_moves(*place)
            relocate(self._matrix[self._team.row : self._team.row + 1].view(np.recarray)[0], before)


def best_pieces(view: Record, best_first: Sequence[MoveValue], most: int) -> list[int]:
    """Return the pieces of the best moves, at most `most`, best first."""
    pieces = (int(view.board[origin_of(value.move)]) - 1 for value in best_first)
    return list(dict.fromkeys(pieces))[:most]


def is_matrix(head: bytes) -> bool:
    """True if a file that begins with these bytes is a cooperation matrix."""
    return book_kind(head) == KIND


def read_rows(path: Path) -> Any:
    """Return the rows of a file; BookFileError if it cannot be used."""
    payload = open_book(path, KIND, VERSION, STATES * STATE_DTYPE.itemsize).payload
    if len(payload) % STATE_DTYPE.itemsize:
        raise BookFileError(f"{path}: not a cooperation matrix")
    rows = payload.view(STATE_DTYPE)
    if not are_sound(rows):
        raise BookFileError(f"{path}: a state that cannot be")
    return rows


def are_sound(rows: Any) -> bool:
    """True if the rows of a file can be used: keys, numbers of moves, moves and worths within their range."""
    counts = rows["count"]
    return bool(
        (rows["key"] != 0).all()
        and ((counts >= 1) & (counts <= MOST_MOVES)).all()
        and (counts.prod(1) <= JOINT_ACTIONS).all()
        and (rows["move"] < SQUARES << 6).all()
        and all(np.isfinite(rows[name]).all() for name in ("policy", "value", "worth"))
    )


def _is_new(path: Path) -> bool:
    """True if there is no file of that name, an empty one, or a link to nothing."""
    try:
        status = os.stat(path)
    except (OSError, ValueError) as error:
        return isinstance(error, FileNotFoundError)
    return stat.S_ISREG(status.st_mode) and not status.st_size
