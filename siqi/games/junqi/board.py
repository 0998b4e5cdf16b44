"""A position of Junqi with its history, in python-chess's verbs, over the kernels and the beliefs.

A position is one side's view, or a referee's full position (`viewer` None).
"""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple, Self

import numpy as np

from siqi.games.contract import (
    UNKNOWN_SETUP,
    Outcome,
)
from siqi.games.junqi.knowledge.behaviour import TRAITS, factors, note_move
from siqi.games.junqi.knowledge.belief import check_possible, compatible_types, deployment_weights, narrow_by_counts
from siqi.games.junqi.knowledge.worlds import Belief, marginals
from siqi.games.junqi.rules import movegen, notation
from siqi.games.junqi.rules.lookup import (
    ANY,
    ATTACKER_DIES,
    ATTACKER_WINS,
    BOTH_DIE,
    CAMPS,
    COMMANDER,
    ENGINEER,
    FLAG,
    HEADQUARTERS,
    LOOKUP_RECORD,
    MOBILE,
    NOWHERE,
    PIECES,
    PLAIN,
    ROWS,
    SLOTS,
    SQUARES,
    TYPES,
)
from siqi.games.junqi.rules.position import POSITION_DTYPE, QUIET_LIMIT, do_move, origin_of, target_of
from siqi.games.junqi.rules.setup import DEPLOYMENT_COUNT, deploy, frame, place, slot_types, square_types
from siqi.games.junqi.rules.work import WORK_DTYPE
from siqi.games.kernel.jit import Record, new_record


class PlayedMove(NamedTuple):
    """A move played, with the state that `pop` restores."""

    move: int  # with its result code, and the flag square if one was announced
    before: Record
    taken: int  # piece that fell in its headquarters and may have been the flag, -1 none
    announced: tuple[bool, bool]  # by side: its flag square had been announced
    public: Any  # uint16 [piece 0-49]: sets of types possible to an observer who sees neither side's pieces
    trait_counts: Any  # int64 [piece 0-49, trait]


class JunqiPosition:
    """A view or a full position, with its history; before both deployments it has no pieces, only `words`."""

    def __init__(self, fen: str | None = None) -> None:
        self.record: Record = new_record(POSITION_DTYPE)
        self.words: list[str] = []
        self.viewer: int | None = None
        self.has_pieces = fen is not None
        self._is_deployed = False  # by deployments: piece numbers are slots
        self._public = np.full(2 * PIECES, ANY, np.uint16)
        self._trait_counts = np.zeros((2 * PIECES, len(TRAITS)), np.int64)
        self._steps: list[PlayedMove] = []
        self._taken = -1
        self._announced = (False, False)
        self._work = new_record(WORK_DTYPE)
        self._scratch = new_record(POSITION_DTYPE)
        if fen is not None:
            pieces, turn, self.viewer, quiet = notation.parse_fen(fen)
            place(self.record, pieces, turn, self.viewer, quiet)
            for side in range(2):
                check_possible(narrow_by_counts(self._may(side)))  # not kept: a FEN is shown as given
            for piece in range(2 * PIECES):
                square = int(self.record.where[piece])
                types = square_types(square, piece // PIECES)
                if square == NOWHERE:  # a fallen flag ends the game, so everybody knows it
                    is_flag = self.record.may[piece] == 1 << FLAG
                    types = 1 << FLAG if is_flag else ANY & ~(1 << FLAG)
                self._public[piece] = types
            # A flag that the FEN shows may have been announced already: then nothing follows from a commander's death.
            self._announced = (self._knows_flag(0), self._knows_flag(1))

    # The position

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
        twin.record = self.record.copy()
        twin.words = self.words.copy()
        twin._steps = self._steps.copy()
        twin._public = self._public.copy()
        twin._trait_counts = self._trait_counts.copy()
        twin._work, twin._scratch = new_record(WORK_DTYPE), new_record(POSITION_DTYPE)
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

    def _knows_flag(self, side: int) -> bool:
        return 1 << FLAG in self._may(side)

    def _may(self, side: int) -> list[int]:
        may: list[int] = self.record.may[side * PIECES : side * PIECES + PIECES].tolist()
        return may

    # Moves

    def _playable(self, side: int) -> list[int]:
        count = movegen.list_side(self.record, self._work, LOOKUP_RECORD, side)
        moves: list[int] = self._work.moves[:count].tolist()
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
                self._deploy()
            return
        step = PlayedMove(
            move, self.record.copy(), self._taken, self._announced, self._public.copy(), self._trait_counts.copy()
        )
        try:
            code = self._deduce(move, step.before)
        except ValueError:
            self.record, self._taken, self._public = step.before, step.taken, step.public  # `_trait_counts` comes last
            raise
        bare = notation.without_result(move)
        self._steps.append(step._replace(move=notation.with_result(bare, code, self._announce(move, code))))

    def _deploy(self) -> None:
        self.has_pieces = True
        if UNKNOWN_SETUP in self.words:
            self.viewer = 1 - self.words.index(UNKNOWN_SETUP)
        deploy(self.record, self.words)
        self._is_deployed = True
        self._public[:] = [slot_types(slot) for _ in range(2) for slot in range(PIECES)]

    def _deduce(self, move: int, before: Record) -> int:
        """Play a move on the record, draw every conclusion, and return its result code; ValueError as in `push`."""
        record = self.record
        bare = notation.without_result(move)
        origin, target = origin_of(move), target_of(move)
        mover, other = int(record.board[origin]) - 1, int(record.board[target]) - 1
        self._clear_taken()
        types = MOBILE
        if not movegen.reaches(record, LOOKUP_RECORD, move, MOBILE & ~(1 << ENGINEER)):
            types = 1 << ENGINEER
        self._narrow(mover, types)
        code = self._result(move, mover, other)
        self._publish(mover, other, types, code)
        self._taken = -1
        if other >= 0:
            record.may[mover], record.may[other] = compatible_types(
                int(record.may[mover]), int(record.may[other]), code
            )
            if code in (ATTACKER_WINS, BOTH_DIE) and target in HEADQUARTERS and record.may[other] >> FLAG & 1:
                self._taken = other
        flag = notation.flag_square(move)
        if self.viewer is not None:
            fallen = [piece for piece in (mover, other) if self._falls(piece, mover, code)]
            self._note_announcement(flag, fallen)
            if not self._steps or not np.array_equal(record.may, before.may):
                for side in range(2):
                    known = narrow_by_counts(self._may(side))
                    check_possible(known)
                    record.may[side * PIECES : side * PIECES + PIECES] = known
        note_move(record, self._scratch, LOOKUP_RECORD, self._public, bare, code, self._trait_counts)
        do_move(record, bare, code)
        return code

    def _publish(self, mover: int, other: int, types: int, code: int) -> None:
        """Narrow `_public` by a move: what an observer learns who knows only where pieces began, and results."""
        public = self._public
        public[mover] = int(public[mover]) & types
        if other < 0 or self.viewer is None:
            return
        public[mover], public[other] = compatible_types(int(public[mover]), int(public[other]), code)
        own = self.viewer * PIECES
        for piece in (mover, other):
            if piece // PIECES == self.viewer and self._falls(piece, mover, code):
                if self.record.may[piece] == 1 << COMMANDER:  # the referee announces the flag to the opponent
                    flags = [flag for flag in range(own, own + PIECES) if self.record.may[flag] == 1 << FLAG]
                    public[piece], public[flags] = 1 << COMMANDER, 1 << FLAG
                else:
                    public[piece] = int(public[piece]) & ~(1 << COMMANDER)

    def trait_counts(self, side: int) -> Any:
        """Return the counts of traits of a side's pieces: int64 [piece, trait] (knowledge/behaviour.py)."""
        return self._trait_counts[side * PIECES : side * PIECES + PIECES]

    def believed(self, side: int) -> Belief:
        """Return the other side's belief about a side's pieces."""
        if side == self.viewer:
            may = narrow_by_counts(self._public[side * PIECES : side * PIECES + PIECES].tolist())
        else:
            may = narrow_by_counts(self._may(side))
        flags = [piece for piece in range(PIECES) if may[piece] >> FLAG & 1]
        likely = factors(self.trait_counts(side))
        return Belief(may, {flag: likely * (deployment_weights(flag) if self._is_deployed else 1) for flag in flags})

    def beliefs(self) -> dict[str, dict[str, float]]:
        if self.viewer is None or not self.has_pieces:
            return {}
        side, beliefs = 1 - self.viewer, {}
        for piece, row in enumerate(marginals(self.believed(side)).tolist(), side * PIECES):
            square = int(self.record.where[piece])
            if square != NOWHERE:
                beliefs[notation.square_text(square)] = dict(zip(TYPES, row, strict=True))
        return beliefs

    def _narrow(self, piece: int, types: int) -> None:
        """Remove all types except `types` from a piece's set."""
        self.record.may[piece] = int(self.record.may[piece]) & types

    def _result(self, move: int, mover: int, other: int) -> int:
        """Return the result code given with a move, or the only possible one; ValueError if impossible or needed."""
        record = self.record
        given = notation.given_code(move)
        if other < 0:
            codes = [PLAIN]
        else:
            attackers, defenders = int(record.may[mover]), int(record.may[other])
            codes = [code for code in range(3) if all(compatible_types(attackers, defenders, code))]
        if given < 0 and len(codes) == 1:
            return codes[0]
        if given < 0:
            raise ValueError(f"a result code is needed (=0, =1 or =2): {notation.move_text(move)}")
        if given not in codes:
            raise ValueError(f"impossible result: {notation.move_text(move)}")
        return given

    def _falls(self, piece: int, mover: int, code: int) -> bool:
        """True if a piece of a battle falls by its result code; False for -1."""
        if piece < 0 or code == PLAIN:
            return False
        return code == BOTH_DIE or (code == ATTACKER_DIES) == (piece == mover)

    def _clear_taken(self) -> None:
        """Conclude that the piece taken in its headquarters was not the flag, since the game goes on."""
        if self._taken < 0 or self.record.may[self._taken] == 1 << FLAG:
            return
        self._narrow(self._taken, ~(1 << FLAG))

    def _note_announcement(self, flag: int, fallen: list[int]) -> None:
        """Draw the conclusions from an announced flag square (-1: none) and the pieces that fell.

        The referee announces the opponent's flag when its commander dies, and only then. ValueError if the square
        cannot hold the flag, or the announcement is missing.
        """
        assert self.viewer is not None
        enemy = 1 - self.viewer
        record = self.record
        dead = [piece for piece in fallen if piece // PIECES == enemy]
        if flag >= 0:
            piece = int(record.board[flag]) - 1
            if piece // PIECES != enemy or piece < 0 or not record.may[piece] >> FLAG & 1:
                raise ValueError(f"no flag can stand on {notation.square_text(flag)}")
            record.may[piece] = 1 << FLAG
            if dead and not self._announced[enemy] and record.may[dead[0]] >> COMMANDER & 1:
                record.may[dead[0]] = 1 << COMMANDER
        elif not self._announced[enemy]:
            for piece in dead:
                if record.may[piece] == 1 << COMMANDER:
                    raise ValueError("the commander fell, but its flag was not announced")
                self._narrow(piece, ~(1 << COMMANDER))

    def _announce(self, move: int, code: int) -> int | None:
        """Return the flag square announced with a view's move, None without one; note that it was announced."""
        flag = notation.flag_square(move)
        if flag >= 0 and self.viewer is not None:
            enemy = 1 - self.viewer
            self._announced = (self._announced[0] or enemy == 0, self._announced[1] or enemy == 1)
            return flag
        return None

    def pop(self) -> int:
        """Take back the last move, or the last deployment, and return it; IndexError if there is none."""
        if self._steps:
            step = self._steps.pop()
            self.record = step.before.copy()  # a copy of this position may hold the same step
            self._taken, self._announced = step.taken, step.announced
            self._public, self._trait_counts = step.public.copy(), step.trait_counts.copy()
            return step.move
        if not self.words:
            raise IndexError("pop from the first position")
        self.record = new_record(POSITION_DTYPE)
        self.has_pieces, self.viewer, self._is_deployed = False, None, False
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
        return [step.move for step in self._steps]

    def observed(self, text: str, result: int, flag: str = "") -> str:
        return notation.observed(text, result, flag)

    def announced_flag(self, side: int) -> str | None:
        """Return the square of a side's flag once its commander has died, as the referee announces it; else None.

        For full positions only.
        """
        pieces = range(side * PIECES, side * PIECES + PIECES)
        commander, flag = (next(p for p in pieces if self.record.may[p] == 1 << kind) for kind in (COMMANDER, FLAG))
        if self.record.where[commander] != NOWHERE or self.record.where[flag] == NOWHERE:
            return None
        return notation.square_text(int(self.record.where[flag]))

    def view_moves(self, viewer: int) -> list[str]:
        """Return the words of a referee's game as one side sees them: `position startpos moves <these>` is its view."""
        words = [word if side == viewer else UNKNOWN_SETUP for side, word in enumerate(self.words)]
        enemy = 1 - viewer
        commander = enemy * PIECES + self.words[enemy].index("a") if len(self.words) == 2 else 0
        flag = enemy * PIECES + self.words[enemy].index("l") if len(self.words) == 2 else 0
        boards = [*(step.before for step in self._steps[1:]), self.record][: len(self._steps)]
        is_announced = False
        for step, after in zip(self._steps, boards, strict=True):
            text = notation.move_text(step.move)
            if not is_announced and after.where[commander] == NOWHERE:
                is_announced = True
                text += f"@{notation.square_text(int(step.before.where[flag]))}"
            words.append(text)
        return words

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
        if self._taken >= 0:
            return Outcome(None, "headquarters-taken", unknown=True)
        if self.record.quiet >= QUIET_LIMIT:
            return Outcome(turn, "quiet")
        return None
