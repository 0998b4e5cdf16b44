"""A position of EWN with its history, in python-chess's verbs, over the kernels."""

from __future__ import annotations

from typing import Self

from siqi.games.contract import Outcome
from siqi.games.ewn.rules import movegen, notation
from siqi.games.ewn.rules.lookup import LOOKUP_RECORD
from siqi.games.ewn.rules.position import POSITION_DTYPE, do_move, undo_move
from siqi.games.ewn.rules.setup import SETUPS, set_up, setup_pieces
from siqi.games.ewn.rules.work import THREAD_WORK
from siqi.games.kernel.jit import Record, new_record


class EwnPosition:
    """A position with its history. Until both sides have set up there are no pieces, only `words`."""

    def __init__(self, fen: str | None = None) -> None:
        self.record: Record = new_record(POSITION_DTYPE)
        self.words: list[str] = []
        self.has_pieces = fen is not None
        if fen is not None:
            set_up(self.record, *notation.parse_fen(fen))

    @property
    def turn(self) -> int:
        return int(self.record.turn) if self.has_pieces else len(self.words)

    @property
    def ply(self) -> int:
        return len(self.words) + int(self.record.height)

    @property
    def key(self) -> int:
        return int(self.record.key) if self.has_pieces else int("".join(self.words) or 0)

    @property
    def dice(self) -> int:
        return int(self.record.die)

    def set_dice(self, die: int) -> None:
        if not self.has_pieces:
            raise ValueError("dice: no die is thrown before the set-ups")
        if self.record.winner >= 0:
            raise ValueError("dice: the game is over")
        self.record.key ^= LOOKUP_RECORD.zobrist_die[self.record.die] ^ LOOKUP_RECORD.zobrist_die[die]
        self.record.die = die

    def copy(self) -> Self:
        twin = object.__new__(type(self))
        twin.__dict__ |= self.__dict__
        twin.record = self.record.copy()
        twin.words = self.words.copy()
        return twin

    def fen(self) -> str:
        if not self.has_pieces:
            return " ".join(["startpos", *(["moves", *self.words] if self.words else [])])
        return notation.write_fen(self.pieces(), self.turn, self.dice)

    def pieces(self) -> dict[str, str]:
        board = self.record.board.tolist()
        return {notation.square_text(at): notation.letter_of(board[at]) for at in range(25) if board[at]}

    def setup_points(self, side: int) -> tuple[str, ...]:
        """Return the squares of a side's triangle, row by row from the corner's row outward."""
        return tuple(map(notation.square_text, notation.TRIANGLES[side]))

    def board(self) -> str:
        lines = []
        for row in range(5):
            squares = range(row * 5, row * 5 + 5)
            signs = [notation.letter_of(int(self.record.board[s])) if self.record.board[s] else "." for s in squares]
            lines.append(f"{5 - row}  " + " ".join(signs))
        return "\n".join([*lines, "   a b c d e", f"Dice: {self.dice or '-'}"])

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.fen()}>"

    def legal_moves(self) -> list[int]:
        if not self.has_pieces:
            return [notation.SETUP + int(word) for word in SETUPS]
        count = self.count_legal()
        moves: list[int] = THREAD_WORK.moves[:count].tolist()
        return moves

    def count_legal(self) -> int:
        if not self.has_pieces:
            return len(SETUPS)
        return int(movegen.list_legal(self.record, THREAD_WORK.record, LOOKUP_RECORD, self.dice, 0))

    def push(self, move: int) -> None:
        if self.has_pieces:
            do_move(self.record, LOOKUP_RECORD, move)
            return
        self.words.append(str(move - notation.SETUP))
        if len(self.words) == 2:
            self.has_pieces = True
            set_up(self.record, setup_pieces(0, self.words[0]) + setup_pieces(1, self.words[1]), 0, 0)

    def pop(self) -> int:
        if self.record.height > 0:
            return int(undo_move(self.record))
        if not self.words:
            raise IndexError("pop from the first position")
        self.record = new_record(POSITION_DTYPE)
        self.has_pieces = False
        return notation.SETUP + int(self.words.pop())

    def parse_move(self, text: str) -> int:
        if not self.has_pieces:
            return notation.parse_setup(text)
        move = notation.parse_move(text)
        if move not in self.legal_moves():
            raise ValueError(f"illegal move{f' after a throw of {self.dice}' if self.dice else ''}: {text}")
        return move

    def move_text(self, move: int) -> str:
        return notation.move_text(move)

    def outcome(self) -> Outcome | None:
        winner = int(self.record.winner)
        if not self.has_pieces or winner < 0:
            return None
        return Outcome(winner, "corner" if self.record.alive[1 - winner] else "captured-all")
