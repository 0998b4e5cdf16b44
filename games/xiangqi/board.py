"""`Board`: Xiangqi with python-chess's verbs and meanings, a thin shell over the kernels.

Where Xiangqi differs from chess: a stalemated side has lost, repetition and the 60-move rule end the game by
themselves (rules.py), and there are no null moves.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from typing import NamedTuple

from games.xiangqi.game import XiangqiPosition
from games.xiangqi.move import BLACK, RED, SQUARES, Color, IllegalMoveError, Move, Piece
from games.xiangqi.notation import START_FEN as STARTING_FEN
from games.xiangqi.san import Notation, Scene, read_san, write_san
from games.xiangqi.tables import CAPTURED, KING

__all__ = ["BLACK", "RED", "STARTING_FEN", "Board", "LegalMoves", "Move", "Outcome", "Piece", "Termination"]


class Termination(enum.Enum):
    """Why a game is over; the values are the daemon's words for it."""

    CHECKMATE = "checkmate"
    STALEMATE = "stalemate"  # the side to move has lost
    PERPETUAL = "perpetual"  # perpetual check or chase: the offender has lost
    REPETITION = "repetition"
    SIXTY_MOVES = "sixty-moves"
    NO_ATTACKERS = "no-attackers"


class Outcome(NamedTuple):
    """How a game ended; `winner` is None for a draw."""

    termination: Termination
    winner: Color | None

    def result(self) -> str:
        """`1-0` (Red has won), `0-1` or `1/2-1/2`."""
        return "1/2-1/2" if self.winner is None else "1-0" if self.winner == RED else "0-1"


class LegalMoves:
    """A live view of a board's legal moves: iterable, sized, and answers `move in ...`."""

    def __init__(self, board: Board) -> None:
        self._board = board

    def __iter__(self) -> Iterator[Move]:
        return map(Move.from_code, list(self._board.scene().legal))

    def __contains__(self, move: object) -> bool:
        return isinstance(move, Move) and self._board.is_legal(move)

    def __len__(self) -> int:
        return len(self._board.scene().legal)

    def count(self) -> int:
        return len(self)

    def __repr__(self) -> str:
        return f"<LegalMoves ({', '.join(map(self._board.san, self))})>"


class Board:
    """A position with the moves that led to it.

    `ranks` is the number of the first rank in UCI texts, 0 (UCCI's and this project's habit) or 1 (Fairy-
    Stockfish's). Raises ValueError for a FEN that the rules cannot play (setup.py).
    """

    def __init__(self, fen: str = STARTING_FEN, *, ranks: int = 0) -> None:
        self._position = XiangqiPosition(fen, ranks)
        self._root_fen = self._position.fen()
        self.move_stack: list[Move] = []
        self._scene: Scene | None = None

    def scene(self) -> Scene:
        """Pieces, side and legal moves as the kernels code them, listed once a position; not to be changed."""
        if self._scene is None:
            position = self._position
            self._scene = Scene(position.record.square.tolist(), position.turn, position.legal_moves())
        return self._scene

    # The position

    @property
    def turn(self) -> Color:
        """RED (True) or BLACK (False)."""
        return self._position.turn == 0

    @property
    def fullmove_number(self) -> int:
        """Counts from 1 and grows after Black's move."""
        return self._position.move_number

    @property
    def halfmove_clock(self) -> int:
        """Plies since the last capture, as the 60-move rule counts them (a side's checks beyond ten left out)."""
        return int(self._position.record.quiet)

    def ply(self) -> int:
        """Half-moves since the start of the game, by move number and turn."""
        return 2 * (self.fullmove_number - 1) + (self.turn == BLACK)

    def fen(self) -> str:
        return self._position.fen()

    def board_fen(self) -> str:
        """The FEN's first field."""
        return self.fen().split()[0]

    def piece_at(self, square: int) -> Piece | None:
        squares = self.scene().squares
        return Piece.from_code(squares.index(square)) if square in squares and square < CAPTURED else None

    def piece_map(self) -> dict[int, Piece]:
        """Every piece by its square."""
        return {square: Piece.from_code(code) for code, square in enumerate(self.scene().squares) if square < CAPTURED}

    def pieces(self, piece_type: int, color: Color) -> set[int]:
        """Squares of the pieces of a kind (`tables.KING`..`PAWN`)."""
        return {square for square, piece in self.piece_map().items() if piece == (piece_type, color)}

    def king(self, color: Color) -> int:
        (square,) = self.pieces(KING, color)
        return square

    # Moves

    @property
    def legal_moves(self) -> LegalMoves:
        """As in python-chess, an end by counting (repetition, quiet plies) leaves them as they are."""
        return LegalMoves(self)

    def is_legal(self, move: Move) -> bool:
        return self._position.is_legal(move.code)

    def is_capture(self, move: Move) -> bool:
        return move.to_square in self.scene().squares

    def gives_check(self, move: Move) -> bool:
        """Whether a legal move checks; IllegalMoveError if it is not legal."""
        self.push(move)
        try:
            return self.is_check()
        finally:
            self.pop()

    def push(self, move: Move) -> None:
        """Play a move. IllegalMoveError if it is not legal; ValueError in a game of thousands of plies."""
        self._position.push(self._legal_move(move, move.uci()).code)
        self.move_stack.append(move)
        self._scene = None

    def pop(self) -> Move:
        """Take the last move back and return it; IndexError if there is none."""
        move = self.move_stack.pop()
        self._position.pop()
        self._scene = None
        return move

    def peek(self) -> Move:
        """The last move; IndexError if there is none."""
        return self.move_stack[-1]

    def root(self) -> Board:
        """A board of the position before the first move of the stack."""
        return Board(self._root_fen, ranks=self._position.ranks)

    # The end of the game

    def is_check(self) -> bool:
        return self._position.is_check()

    def is_checkmate(self) -> bool:
        return not self.scene().legal and self.is_check()

    def is_stalemate(self) -> bool:
        """No legal move though not in check; in Xiangqi a loss."""
        return not self.scene().legal and not self.is_check()

    def is_repetition(self, count: int = 3) -> bool:
        """Whether the position has occurred `count` times, this one included."""
        return self._position.occurrences() >= count

    def outcome(self) -> Outcome | None:
        """None while the game goes on."""
        outcome = self._position.outcome()
        if outcome is None:
            return None
        winner = None if outcome.winner is None else outcome.winner == 0
        return Outcome(Termination(outcome.reason), winner)

    def is_game_over(self) -> bool:
        return self.outcome() is not None

    def result(self) -> str:
        """`1-0`, `0-1`, `1/2-1/2`, or `*` while the game goes on."""
        outcome = self.outcome()
        return "*" if outcome is None else outcome.result()

    # Texts of moves. Errors: InvalidMoveError, IllegalMoveError, AmbiguousMoveError, all ValueErrors.

    def uci(self, move: Move) -> str:
        """`h2e2`, or `h3e3` if ranks count from 1."""
        return move.uci(self._position.ranks)

    def parse_uci(self, text: str) -> Move:
        """The legal move of a UCI text, ranks counted as the board was told."""
        return self._legal_move(Move.from_uci(text, self._position.ranks), text)

    def push_uci(self, text: str) -> Move:
        move = self.parse_uci(text)
        self.push(move)
        return move

    def san(self, move: Move, notation: Notation = "wxf") -> str:
        """A legal move as players write it: `C2.5`, 炮二平五 (`chinese`, `traditional`) or `H2-E2` (`iccs`)."""
        self._legal_move(move, move.uci())
        return move.iccs() if notation == "iccs" else write_san(self.scene(), move.code, notation)

    def parse_san(self, text: str) -> Move:
        """The legal move of a text in any notation (san.py); coordinates are ICCS's, ranks from 0."""
        text = text.strip()
        if text.isascii() and text[-2:-1].isalpha():
            return self._legal_move(Move.from_uci(text), text)
        return Move.from_code(read_san(self.scene(), text))

    def push_san(self, text: str) -> Move:
        move = self.parse_san(text)
        self.push(move)
        return move

    def _legal_move(self, move: Move, text: str) -> Move:
        if not self.is_legal(move):
            raise IllegalMoveError(f"illegal move: {text} in {self.fen()}")
        return move

    # Copies

    def copy(self, *, stack: bool = True) -> Board:
        """A board of its own; without the stack it knows the position but not its past."""
        if not stack:
            return Board(self.fen(), ranks=self._position.ranks)
        twin = object.__new__(Board)
        twin.__dict__ |= self.__dict__
        twin._position = self._position.copy()
        twin.move_stack = self.move_stack.copy()
        return twin

    def mirror(self) -> Board:
        """The same position with colours exchanged: ranks turned over, the other side to move; no past."""
        rows, turn, *rest = self.fen().split()
        rows = "/".join(reversed(rows.swapcase().split("/")))
        return Board(" ".join([rows, "b" if turn == "w" else "w", *rest]), ranks=self._position.ranks)

    def flip_horizontal(self) -> Board:
        """The position with left and right exchanged; no past."""
        rows, *rest = self.fen().split()
        rows = "/".join(row[::-1] for row in rows.split("/"))
        return Board(" ".join([rows, *rest]), ranks=self._position.ranks)

    def __eq__(self, other: object) -> bool:
        """Same pieces, turn and counters; the past is not compared."""
        return self.fen() == other.fen() if isinstance(other, Board) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # a board changes

    # Pictures

    def __str__(self) -> str:
        """Ten lines of FEN letters, Red below."""
        return self._rows(RED, ".", " ", Piece.symbol)

    def unicode(self, *, orientation: Color = RED, empty: str = "＋") -> str:
        """Ten lines of the pieces' characters, all full-width, with `orientation` below."""
        return self._rows(orientation, empty, "", Piece.unicode_symbol)

    def _rows(self, orientation: Color, empty: str, gap: str, face: Callable[[Piece], str]) -> str:
        pieces = self.piece_map()
        signs = [face(pieces[square]) if square in pieces else empty for square in SQUARES]
        if orientation == BLACK:
            signs.reverse()
        return "\n".join(gap.join(signs[first : first + 9]) for first in range(81, -1, -9))

    def _repr_svg_(self) -> str:
        from games.xiangqi import svg

        return svg.board(
            self,
            lastmove=self.move_stack[-1] if self.move_stack else None,
            check=self.king(self.turn) if self.is_check() else None,
        )

    def __repr__(self) -> str:
        return f"Board({self.fen()!r})"
