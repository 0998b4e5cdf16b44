"""A position of Junqi with its history, in python-chess's verbs, over the kernels and the inference.

A position is one side's view, or a referee's full position (`viewer` None).
"""

from __future__ import annotations

import hashlib
from typing import Any, Self

from siqi.games.contract import UNKNOWN_SETUP, Outcome
from siqi.games.junqi.knowledge import inference
from siqi.games.junqi.knowledge.belief_models import HABITS, BeliefModel, Showing, default_model
from siqi.games.junqi.knowledge.inference import NO_PIECE, State
from siqi.games.junqi.knowledge.worlds import Belief, marginals
from siqi.games.junqi.rules import movegen, notation
from siqi.games.junqi.rules.lookup import (
    CAMPS,
    ENGINEER,
    HEADQUARTERS,
    LOOKUP_RECORD,
    MOBILE,
    NOWHERE,
    PIECES,
    ROWS,
    SLOTS,
    SQUARES,
    TYPES,
)
from siqi.games.junqi.rules.position import QUIET_LIMIT, origin_of
from siqi.games.junqi.rules.setup import DEPLOYMENT_COUNT, frame
from siqi.games.junqi.rules.work import THREAD_WORK
from siqi.games.kernel.jit import Record


class JunqiPosition:
    """A view or a full position, with its history; before both deployments it has no pieces, only `words`."""

    def __init__(self, fen: str | None = None) -> None:
        self.words: list[str] = []
        self.has_pieces = fen is not None
        self._state = inference.empty_state() if fen is None else inference.from_fen(fen)
        self._steps: list[tuple[int, State]] = []  # moves with their results, and the states before them

    # The position

    @property
    def record(self) -> Record:
        return self._state.record

    @property
    def viewer(self) -> int | None:
        return self._state.viewer

    @property
    def turn(self) -> int:
        return int(self.record.turn) if self.has_pieces else len(self.words)

    @property
    def ply(self) -> int:
        return len(self.words) + len(self._steps)

    @property
    def key(self) -> int:
        """A 64-bit hash of the FEN; no searcher of Junqi stores positions by it."""
        return int.from_bytes(hashlib.blake2b(self.fen().encode(), digest_size=8).digest(), "little")

    def copy(self) -> Self:
        twin = object.__new__(type(self))
        twin.__dict__ |= self.__dict__
        twin.words = self.words.copy()
        twin._steps = self._steps.copy()
        return twin

    def fen(self) -> str:
        if not self.has_pieces:
            return " ".join(["startpos", *(["moves", *self.words] if self.words else [])])
        return notation.write_fen(self.pieces(), self.turn, self.viewer, int(self.record.quiet))

    def pieces(self) -> dict[str, str]:
        board, may = self.record.board.tolist(), self.record.may.tolist()
        stands = [(square, board[square] - 1) for square in range(SQUARES) if board[square]]
        return {notation.square_text(at): notation.letter_of(may[piece], piece // PIECES) for at, piece in stands}

    def setup_points(self, side: int) -> tuple[str, ...]:
        """Return the squares of a deployment word's letters: row by row from the side's front, camps left out."""
        return tuple(notation.square_text(frame(square, side)) for square in SLOTS)

    def board(self) -> str:
        """Return the board as text, camps drawn as (), headquarters as []."""
        lines, pieces = [], self.pieces()
        for row in range(12):
            cells = []
            for square in range(5 * row, 5 * row + 5):
                brackets = "()" if square in CAMPS else "[]" if square in HEADQUARTERS else "  "
                cells.append(brackets[0] + pieces.get(notation.square_text(square), ".") + brackets[1])
            lines.append(f"{ROWS[row]} " + "".join(cells))
        return "\n".join([*lines, "   0  1  2  3  4"])

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.fen()}>"

    # Moves

    def _playable(self, side: int) -> list[int]:
        count = movegen.list_legal(self.record, THREAD_WORK.record, LOOKUP_RECORD, side)
        moves: list[int] = THREAD_WORK.moves[:count].tolist()
        return moves

    def _surely_mobile(self, side: int) -> bool:
        """True if a side has a move whatever its unknown pieces are."""
        for move in self._playable(side):
            may = int(self.record.may[self.record.board[origin_of(move)] - 1])
            common = may & ~(1 << ENGINEER) or may  # an engineer can make every move of the others
            if not may & ~MOBILE and movegen.reaches(self.record, LOOKUP_RECORD, move, common):
                return True
        return False

    def legal_moves(self) -> list[int]:
        """Return the moves, without result codes; a piece unknown to the viewer moves as any type that it may be.

        ValueError before both deployments.
        """
        if not self.has_pieces:
            raise ValueError(f"too many set-ups to list: {DEPLOYMENT_COUNT}")
        return [] if self.record.loser >= 0 else self._playable(self.turn)

    def count_legal(self) -> int:
        return len(self.legal_moves()) if self.has_pieces else DEPLOYMENT_COUNT

    def push(self, move: int) -> None:
        """Play a move; ValueError, and no change, if its result code is missing or contradicts what is known."""
        if not self.has_pieces:
            self.words.append(notation.deployment_word(move))
            if len(self.words) == 2:
                self.has_pieces, self._state = True, inference.deployed(self.words)
            return
        answered, after = inference.after_move(self._state, move)
        self._steps.append((answered, self._state))
        self._state = after

    def pop(self) -> int:
        """Take back the last move, or the last deployment, and return it; IndexError if there is none."""
        if self._steps:
            move, self._state = self._steps.pop()
            return move
        if not self.words:
            raise IndexError("pop from the first position")
        self.has_pieces, self._state = False, inference.empty_state()
        return notation.deployment_move(self.words.pop())

    def parse_move(self, text: str) -> int:
        if not self.has_pieces:
            if text == UNKNOWN_SETUP:
                if UNKNOWN_SETUP in self.words:
                    raise ValueError("both set-ups unknown")
            else:
                notation.check_deployment(text)
            return notation.deployment_move(text)
        move = notation.parse_move(text)
        if notation.without_result(move) not in self.legal_moves():
            raise ValueError(f"illegal move: {text}")
        return move

    def move_text(self, move: int) -> str:
        return notation.move_text(move)

    def moves(self) -> list[int]:
        """Return the moves since the deployments, with their results."""
        return [move for move, _ in self._steps]

    def observed(self, text: str, result: int, flag: str = "") -> str:
        return notation.observed(text, result, flag)

    def view_moves(self, viewer: int) -> list[str]:
        """Return the words of a referee's game as one side sees them: `position startpos moves <these>` is its view."""
        words = [word if side == viewer else UNKNOWN_SETUP for side, word in enumerate(self.words)]
        enemy = 1 - viewer
        commander = enemy * PIECES + self.words[enemy].index("a") if len(self.words) == 2 else 0
        flag = enemy * PIECES + self.words[enemy].index("l") if len(self.words) == 2 else 0
        states = [*(state for _, state in self._steps), self._state]
        is_announced = False
        for (move, before), after in zip(self._steps, states[1:], strict=True):
            text = notation.move_text(move)
            if not is_announced and after.record.where[commander] == NOWHERE:
                is_announced = True
                text += f"@{notation.square_text(int(before.record.where[flag]))}"
            words.append(text)
        return words

    # What the pieces may be

    def counts(self) -> Any:
        """Return what the pieces have done: int64 [piece 0-49, trait and history] (knowledge/behaviour.py)."""
        return self._state.counts

    def showings(self) -> tuple[Showing, ...]:
        """Return what the moves so far have shown of the unseen side's pieces."""
        return self._state.showings

    def believed(self, side: int, model: BeliefModel = HABITS) -> Belief:
        """Return the other side's belief about a side's pieces, by a model."""
        return inference.believed(self._state, side, model)

    def beliefs(self) -> dict[str, dict[str, float]]:
        if self.viewer is None or not self.has_pieces:
            return {}
        side, beliefs = 1 - self.viewer, {}
        for piece, row in enumerate(marginals(self.believed(side, default_model())).tolist(), side * PIECES):
            square = int(self.record.where[piece])
            if square != NOWHERE:
                beliefs[notation.square_text(square)] = dict(zip(TYPES, row, strict=True))
        return beliefs

    # The end

    def outcome(self) -> Outcome | None:
        """Return how the game ended, None if it goes on; by mobility of the side to move, flag, plies without contact.

        This is the rules' order.
        """
        if not self.has_pieces:
            return None
        turn = self.turn
        if not self._playable(turn):
            if not self._playable(1 - turn):
                return Outcome(None, "immobile")
            if not self._surely_mobile(1 - turn):
                return Outcome(None, "immobile", unknown=True)
            return Outcome(1 - turn, "immobile")
        if self.record.loser >= 0:
            return Outcome(1 - int(self.record.loser), "flag")
        if self._state.taken != NO_PIECE:
            return Outcome(None, "headquarters-taken", unknown=True)
        if self.record.quiet >= QUIET_LIMIT:
            return Outcome(turn, "quiet")
        return None
