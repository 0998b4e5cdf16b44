"""`Board`: Xiangqi with python-chess's verbs and meanings.

Moves are played and tested on a text of letters (letters.py). The kernels list moves and judge repetitions: they get
their own position, with the moves played, at their first use.

Xiangqi differs from chess: a stalemated side has lost; repetition and the 60-move rule end the game by themselves
(repetition.py), so no draw is claimed; there are no null moves.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache, lru_cache
from random import Random
from typing import Self

from siqi.games.xiangqi import INFO
from siqi.games.xiangqi.board import MAX_PLIES, XiangqiPosition
from siqi.games.xiangqi.library import algebraic
from siqi.games.xiangqi.library.chess_engine import widen_move_pattern
from siqi.games.xiangqi.library.letters import after_legal, is_pseudo_legal, text_of
from siqi.games.xiangqi.library.listing import LegalMoves, PseudoLegalMoves
from siqi.games.xiangqi.library.move import (
    BLACK,
    RED,
    SQUARES,
    Color,
    IllegalMoveError,
    InvalidMoveError,
    Move,
    OneBasedMove,
    Piece,
    Square,
    check_text,
    flip_horizontal,
)
from siqi.games.xiangqi.library.outcome import Outcome, Termination
from siqi.games.xiangqi.library.placement import BaseBoard
from siqi.games.xiangqi.library.san import Notation, Scene, is_of_other_side, read_san, write_san
from siqi.games.xiangqi.library.status import Status, status_of
from siqi.games.xiangqi.rules.lookup import PAWN
from siqi.games.xiangqi.rules.notation import MAX_COUNTER, read_fen, squares_of
from siqi.games.xiangqi.rules.notation import START_FEN as STARTING_FEN
from siqi.games.xiangqi.rules.position import QUIET_LIMIT, make_move

__all__ = ["BLACK", "RED", "STARTING_FEN", "Board", "LegalMoves", "Move", "Outcome", "Piece", "Termination"]


class Board(BaseBoard):
    """A position of Xiangqi with the moves that led to it.

    `ranks` is the number of the first rank in UCI texts: 0, as in UCCI and in Siqi's protocol, or 1, as in
    Fairy-Stockfish. ValueError for a FEN that the rules cannot play; None makes an empty board.

    The verbs of set-up (`set_fen`, `set_piece_at`, an assigned turn) make any position, and empty the stack of moves.
    If the rules cannot play it, `status` returns why, and whatever depends on legal moves raises ValueError.
    """

    starting_fen = STARTING_FEN
    uci_variant = "xiangqi"
    xboard_variant = "xiangqi"

    fullmove_number: int
    """The move number, from 1, which grows after Black's move."""

    def __init__(self, fen: str | None = STARTING_FEN, *, ranks: int = 0) -> None:
        super().__init__(None)
        self.ranks = ranks
        self.move_stack: list[Move] = []
        """The moves that led here."""
        self._past: list[str] = []  # the letters before each move of the stack
        self._turn, self.fullmove_number = RED, 1
        self._clock = 0  # the halfmove clock before the first move of the stack
        self._is_playable = False  # known to be
        self._kernels: XiangqiPosition | None = None  # made at its first use
        self._played = 0  # moves of the stack that it has
        self._listed: list[int] | None = None  # the legal moves
        if fen is not None:
            check_text(fen, "a FEN")
            position = None if fen == STARTING_FEN else XiangqiPosition(fen)
            self.set_fen(fen)
            self._kernels, self._is_playable = position, True

    @classmethod
    def empty(cls, *, ranks: int = 0) -> Self:
        """Return a board without pieces, Red to move."""
        return cls(None, ranks=ranks)

    @property
    def chess960(self) -> bool:
        """False. `chess.engine` reads it before it sends a position, and is then made to read Xiangqi's moves."""
        widen_move_pattern()
        return False

    @property
    def _position(self) -> XiangqiPosition:
        """The kernels' position; ValueError if the rules cannot play it."""
        if self._kernels is None:
            fen = self.root().fen()
            try:
                self._kernels = XiangqiPosition(fen)
            except ValueError as error:
                raise ValueError(f"illegal position: {error}: {fen}") from None
            self._played, self._is_playable = 0, True
        if self._played < len(self.move_stack):
            self._kernels.push_all([move.code for move in self.move_stack[self._played :]])
            self._played = len(self.move_stack)
        return self._kernels

    def _check_is_playable(self) -> None:
        """Raise ValueError if the rules cannot play the position."""
        if not self._is_playable:
            self._position  # noqa: B018

    def _legal_codes(self) -> list[int]:
        """Return the kernels' codes of the legal moves, listed once per position."""
        if self._listed is None:
            self._listed = self._position.legal_moves()
        return self._listed

    def _scene(self) -> Scene:
        self._check_is_playable()
        return Scene(self._letters, int(self._turn == BLACK))

    # The position

    @property
    def turn(self) -> Color:
        """The side to move, RED (True) or BLACK (False); assigning the other one empties the stack of moves."""
        return self._turn

    @turn.setter
    def turn(self, color: Color) -> None:
        if color != self._turn:
            self.clear_stack()
            self._turn = bool(color)

    @property
    def halfmove_clock(self) -> int:
        """Plies since the last capture, as the 60-move rule counts them: without a side's checks beyond ten.

        Assigning a number empties the stack of moves; more than 120 counts as 120.
        """
        return int(self._position.record.quiet) if self.move_stack else self._clock

    @halfmove_clock.setter
    def halfmove_clock(self, plies: int) -> None:
        self.clear_stack()
        self._clock = min(plies, QUIET_LIMIT)

    def ply(self) -> int:
        """Return the plies since the start of the game, by move number and turn."""
        return 2 * (self.fullmove_number - 1) + (self.turn == BLACK)

    def fen(self, *, shredder: bool = False, en_passant: str = "legal", promoted: bool | None = None) -> str:
        """Return the FEN; python-chess's options, which concern castling, pawns and promotion, are ignored."""
        # Capped as `read_fen` and `set_up` expect: the FEN reads back the same.
        clock, number = min(self.halfmove_clock, QUIET_LIMIT), min(self.fullmove_number, MAX_COUNTER)
        return f"{self.board_fen()} {INFO.sides[self._turn == BLACK]} - - {clock} {number}"

    def status(self) -> Status:
        """Return the faults for which the rules cannot play the position; Status.VALID if there are none."""
        return status_of(self, self.turn)

    def is_valid(self) -> bool:
        """Return True if the rules can play the position."""
        return self.status() == Status.VALID

    def checkers(self) -> set[Square]:
        """Return the squares of the pieces that give check."""
        king = self.king(self.turn)
        return set() if king is None else self.attackers(not self.turn, king)

    def is_check(self) -> bool:
        """Return True if the side to move is in check."""
        king = self.king(self.turn)
        return king is not None and self.is_attacked_by(not self.turn, king)

    def was_into_check(self) -> bool:
        """Return True if the side to move could take the king, which happens in no game."""
        king = self.king(not self.turn)
        return king is not None and self.is_attacked_by(self.turn, king)

    # Set-up

    def set_fen(self, fen: str) -> None:
        """Set up the position of a FEN and drop the past; ValueError if the text is no FEN."""
        check_text(fen, "a FEN")
        board, self.turn, self.halfmove_clock, self.fullmove_number = _read(fen)
        self._place(board)

    def reset(self) -> None:
        """Return to the start of a game."""
        self.set_fen(STARTING_FEN)

    def clear(self) -> None:
        """Take all pieces away; Red to move, counters as at the start."""
        self.clear_board()
        self.turn, self.halfmove_clock, self.fullmove_number = RED, 0, 1

    def clear_stack(self) -> None:
        """Forget the moves that led here, and with them repetitions."""
        self._clock = min(self.halfmove_clock, QUIET_LIMIT)
        self._drop_past()

    def _drop_past(self) -> None:
        self.move_stack, self._past = [], []
        self._kernels, self._is_playable, self._played, self._listed = None, False, 0, None

    def _place(self, board: str) -> None:
        self.clear_stack()
        super()._place(board)

    def apply_mirror(self) -> None:
        """Exchange the colours, reverse the ranks, and let the other side move."""
        super().apply_mirror()
        self.turn = not self.turn

    # Moves

    @property
    def legal_moves(self) -> LegalMoves:
        """The legal moves; as in python-chess, an end by repetition or by quiet plies does not empty them."""
        codes = self._legal_codes
        return LegalMoves(lambda: map(self._move, list(codes())), lambda: len(codes()), self.is_legal, self.san)

    def random_move(self, rng: Random) -> Move:
        """Return a legal move drawn at random; ValueError if there is none."""
        if not isinstance(rng, Random):
            raise TypeError(f"rng: a random.Random is needed, not {type(rng).__name__}")
        codes = self._legal_codes()
        if not codes:
            raise ValueError("there is no legal move")
        return self._move(rng.choice(codes))

    @property
    def pseudo_legal_moves(self) -> PseudoLegalMoves:
        """The moves of the side's pieces, whether or not they leave its king in check."""
        moves = self.generate_pseudo_legal_moves
        return PseudoLegalMoves(moves, lambda: sum(1 for _ in moves()), self.is_pseudo_legal, self.uci)

    def generate_legal_moves(
        self, from_mask: Collection[Square] = SQUARES, to_mask: Collection[Square] = SQUARES
    ) -> Iterator[Move]:
        """Yield the legal moves between two collections of squares."""
        for code in list(self._legal_codes()):
            origin, target = squares_of(code)
            if origin in from_mask and target in to_mask:
                yield self._move(code)

    def generate_legal_captures(
        self, from_mask: Collection[Square] = SQUARES, to_mask: Collection[Square] = SQUARES
    ) -> Iterator[Move]:
        """Return the legal captures between two collections of squares."""
        return filter(self.is_capture, self.generate_legal_moves(from_mask, to_mask))

    def generate_pseudo_legal_moves(
        self, from_mask: Collection[Square] = SQUARES, to_mask: Collection[Square] = SQUARES
    ) -> Iterator[Move]:
        """Yield the moves of the side's pieces, whether or not they leave its king in check."""
        for origin, piece in self.piece_map().items():
            if piece.color == self.turn and origin in from_mask:
                moves = [self._move(make_move(origin, target)) for target in self._goals(origin) if target in to_mask]
                yield from filter(self.is_pseudo_legal, moves)

    def generate_pseudo_legal_captures(
        self, from_mask: Collection[Square] = SQUARES, to_mask: Collection[Square] = SQUARES
    ) -> Iterator[Move]:
        """Return the captures among `generate_pseudo_legal_moves`."""
        return filter(self.is_capture, self.generate_pseudo_legal_moves(from_mask, to_mask))

    def is_legal(self, move: Move) -> bool:
        """Return True if a move can be played."""
        self._check_is_playable()
        return after_legal(self._letters, self._turn, *move) is not None

    def is_pseudo_legal(self, move: Move) -> bool:
        """Return True if a piece of the side to move can move so, whether or not that leaves its king in check."""
        return is_pseudo_legal(self._letters, self._turn, *move)

    def is_into_check(self, move: Move) -> bool:
        """Return True if a move is pseudo-legal but leaves the mover's king in check, or facing the other king."""
        return self.is_pseudo_legal(move) and not self.is_legal(move)

    def is_capture(self, move: Move) -> bool:
        """Return True if an enemy's piece stands where the move goes."""
        return self.color_at(move.to_square) == (not self.turn)

    def is_zeroing(self, move: Move) -> bool:
        """Return True if the move sets the 60-move rule's count to zero, as captures do."""
        return self.is_capture(move)

    def is_irreversible(self, move: Move) -> bool:
        """Return True if the present placement cannot recur after the move: captures, and forward moves of pawns."""
        is_forward = move.from_square // 9 != move.to_square // 9
        return self.is_capture(move) or (is_forward and self.piece_type_at(move.from_square) == PAWN)

    def gives_check(self, move: Move) -> bool:
        """Return True if a legal move checks; IllegalMoveError if it is not legal."""
        self.push(move)
        try:
            return self.is_check()
        finally:
            self.pop()

    def find_move(self, from_square: Square, to_square: Square) -> Move:
        """Return the legal move between two squares; IllegalMoveError if there is none."""
        return self._legal_move(Move(from_square, to_square))

    def push(self, move: Move) -> None:
        """Play a move. IllegalMoveError if it is not legal; ValueError in a game of thousands of plies."""
        self._push(move)

    def _push(self, move: Move, text: str = "") -> Move:
        """Play a move, `text` in errors, and return it."""
        letters = self._after(move, text)
        if len(self.move_stack) >= MAX_PLIES:
            raise ValueError(f"game longer than {MAX_PLIES} plies")
        own = self._own(move)
        self._past.append(self._letters)
        self.move_stack.append(own)
        self._letters = letters
        self.fullmove_number += self._turn == BLACK
        self._turn = not self._turn
        self._listed = None
        return own

    def pop(self) -> Move:
        """Take the last move back and return it; IndexError if there is none."""
        move = self.move_stack.pop()
        self._letters = self._past.pop()
        if self._kernels is not None and self._played > len(self.move_stack):
            self._kernels.pop()
            self._played -= 1
        self._turn = not self._turn
        self.fullmove_number -= self._turn == BLACK
        self._listed = None
        return move

    def peek(self) -> Move:
        """Return the last move; IndexError if there is none."""
        return self.move_stack[-1]

    def root(self) -> Self:
        """Return a board of the position before the first move of the stack."""
        root = super().copy()
        root._drop_past()
        if self.move_stack:
            count = len(self.move_stack)
            root._letters = self._past[0]
            root._turn = self._turn ^ bool(count % 2)
            root.fullmove_number -= (count + (self._turn == RED)) // 2
            root._is_playable = True
        return root

    def _move(self, code: int) -> Move:
        return _move_of(code, self.ranks != 0)

    def _own(self, move: Move) -> Move:
        """Return a move whose text counts ranks as the board does."""
        kind = OneBasedMove if self.ranks else Move
        return move if type(move) is kind else kind(*move)

    def _legal_move(self, move: Move, text: str = "") -> Move:
        self._after(move, text)
        return self._own(move)

    def _after(self, move: Move, text: str = "") -> str:
        """Return the letters after a move; IllegalMoveError, with `text` for the move, if it is not legal."""
        if not isinstance(move, Move):
            raise TypeError(f"a siqi.Move is needed, not {type(move).__name__}; push_uci and push_san take texts")
        self._check_is_playable()
        letters = after_legal(self._letters, self._turn, *move)
        if letters is None:
            raise IllegalMoveError(f"illegal move: {text or move.uci()} in {self.fen()}")
        return letters

    # The end of the game. `claim_draw` is python-chess's; it is ignored, because no draw is claimed in Xiangqi.

    def is_checkmate(self) -> bool:
        """Return True if the side to move is in check and has no legal move."""
        return not self._legal_codes() and self.is_check()

    def is_stalemate(self) -> bool:
        """Return True if the side to move has no legal move and is not in check; in Xiangqi it has lost."""
        return not self._legal_codes() and not self.is_check()

    def is_insufficient_material(self) -> bool:
        """Return True if neither side has a piece that can cross the river, which is a draw."""
        return self.has_insufficient_material(RED) and self.has_insufficient_material(BLACK)

    def has_insufficient_material(self, color: Color) -> bool:
        """Return True if a side has no piece that can cross the river."""
        return _ATTACKERS[color].isdisjoint(self._letters)

    def is_repetition(self, count: int = 3) -> bool:
        """Return True if the position has occurred `count` times, this one included."""
        return self._position.occurrences() >= count

    def is_sixty_moves(self) -> bool:
        """Return True if the 60-move rule draws (python-chess's `is_fifty_moves`): 120 plies, and a legal move left."""
        return self.halfmove_clock >= QUIET_LIMIT and bool(self._legal_codes())

    def can_claim_draw(self) -> bool:
        """Return True if the game is drawn by repetition or the 60-move rule; `outcome` reports it without a claim."""
        outcome = self.outcome()
        return outcome is not None and outcome.termination in (Termination.REPETITION, Termination.SIXTY_MOVES)

    def outcome(self, *, claim_draw: bool = False) -> Outcome | None:
        """Return how the game has ended, None while it goes on; `claim_draw` is ignored.

        The outcome has a `termination`, a member of `Termination`, and a `winner`: RED, BLACK, or None for a draw.
        """
        outcome = self._position.outcome()
        if outcome is None:
            return None
        winner = None if outcome.winner is None else outcome.winner == 0
        return Outcome(Termination(outcome.reason), winner)

    def is_game_over(self, *, claim_draw: bool = False) -> bool:
        """Return True if the game has ended; `claim_draw` is ignored, because no draw is claimed in Xiangqi."""
        return self.outcome() is not None

    def result(self, *, claim_draw: bool = False) -> str:
        """Return `1-0` (Red has won), `0-1`, `1/2-1/2`, or `*` while the game goes on."""
        outcome = self.outcome()
        return "*" if outcome is None else outcome.result()

    # Texts of moves. Errors: InvalidMoveError, IllegalMoveError, AmbiguousMoveError, all ValueErrors.

    def uci(self, move: Move) -> str:
        """Return `h2e2`, or `h3e3` if ranks count from 1."""
        return move.uci(self.ranks)

    def parse_uci(self, text: str) -> Move:
        """Return the legal move of a UCI text, ranks counted from `ranks`."""
        return self._legal_move(Move.from_uci(text, self.ranks), text)

    def push_uci(self, text: str) -> Move:
        """Play the move of a UCI text, read as `parse_uci` reads it, and return it."""
        return self._push(Move.from_uci(text, self.ranks), text)

    # XBoard writes the moves of Xiangqi as UCI does.
    xboard = uci
    parse_xboard = parse_uci
    push_xboard = push_uci

    def san(self, move: Move, notation: Notation = "wxf") -> str:
        """Return a legal move as players write it.

        `C2.5` (`wxf`), 炮二平五 (`chinese`, or `traditional` characters), `P2-5` (`vietnamese`), `H2-E2` (`iccs`),
        XBoard's `Ce2` (`xboard`) or Fairy-Stockfish's `Ce3` (`fairy`).
        """
        self._legal_move(move)
        if notation == "iccs":
            return move.iccs()
        if notation == "xboard" or notation == "fairy":
            text = algebraic.write_algebraic(self._scene(), move.code, notation)
            self.push(move)
            sign = "" if not self.is_check() else "+" if self._legal_codes() else "#"
            self.pop()
            return text + sign
        return write_san(self._scene(), move.code, notation)

    def lan(self, move: Move) -> str:
        """Return a legal move by both its squares, as ICCS writes it: `H2-E2`."""
        return self.san(move, "iccs")

    def san_and_push(self, move: Move, notation: Notation = "wxf") -> str:
        """Play a legal move and return its text, as `san` writes it."""
        text = self.san(move, notation)
        self.push(move)
        return text

    def variation_san(self, variation: Iterable[Move], notation: Notation = "wxf") -> str:
        """Return the text of a line of moves with its numbers, `1. C2.5 H8+7 2. H2+3` or `37...R9.8 38. R1+1`.

        IllegalMoveError if a move is not legal where it stands.
        """
        board = self.copy(stack=False)
        words: list[str] = []
        for move in variation:
            number = board.fullmove_number
            prefix = f"{number}. " if board.turn == RED else "" if words else f"{number}..."
            words.append(prefix + board.san_and_push(move, notation))
        return " ".join(words)

    def parse_san(self, text: str, ranks: int = 0, *, is_vietnamese: bool = False) -> Move:
        """Return the legal move of a text in any notation that `san` writes.

        Coordinates and XBoard's SAN count ranks from 0. With `ranks` 1 they count from 1, as Fairy-Stockfish's do.
        `P2-5`, `M8.7` and other words of Vietnamese notation that could be WXF's are read as such if `is_vietnamese`.
        """
        text = check_text(text, "a move's text").strip()
        if text.isascii():
            if algebraic.COORDINATES.fullmatch(text):
                return self._legal_move(Move.from_uci(text, ranks), text)
            if algebraic.PATTERN.fullmatch(text):
                return self._move(algebraic.read_algebraic(self._scene(), text, ranks))
        return self._move(read_san(self._scene(), text, bool(ranks), is_vietnamese))

    def push_san(self, text: str, ranks: int = 0, *, either_side: bool = False, is_vietnamese: bool = False) -> Move:
        """Play the move of a text, read as `parse_san` reads it, and return it.

        InvalidMoveError for names or numerals of the other side, as Red's 炮2平5 or 卒五进一, unless `either_side`.
        """
        move = self.parse_san(text, ranks, is_vietnamese=is_vietnamese)
        if not either_side and is_of_other_side(text, 0 if self.turn == RED else 1):
            raise InvalidMoveError(f"names or numerals of the other side: {text} (either_side=True reads them)")
        return self._push(move)

    # Copies

    def copy(self, *, stack: bool | int = True) -> Self:
        """Return an independent board with all moves of the stack, with the last `stack` of them, or with none.

        Its past, and with it repetition, begins where its stack does.
        """
        twin = super().copy()
        if not stack:
            twin._clock = min(self.halfmove_clock, QUIET_LIMIT)
            twin._drop_past()
            twin._is_playable = self._is_playable
            return twin
        twin.move_stack, twin._past = self.move_stack.copy(), self._past.copy()
        twin._kernels = None if self._kernels is None else self._kernels.copy()
        if stack is True or stack >= len(self.move_stack):
            return twin
        moves = [twin.pop() for _ in range(stack)]
        twin.clear_stack()
        for move in reversed(moves):
            twin.push(move)
        return twin

    def transform(self, f: Callable[[Square], Square]) -> Self:
        """Return a copy without a past, each piece moved from its square to `f` of it."""
        board = self.copy(stack=False)
        board.apply_transform(f)
        return board

    def mirror(self) -> Self:
        """Return the position with colours exchanged, ranks reversed and the other side to move; no past."""
        board = self.copy(stack=False)
        board.apply_mirror()
        return board

    def flip_horizontal(self) -> Self:
        """Return the position with left and right exchanged; no past."""
        return self.transform(flip_horizontal)

    def __eq__(self, other: object) -> bool:
        """Return True for the same pieces, turn and counters; the past is not compared."""
        return self.fen() == other.fen() if isinstance(other, Board) else NotImplemented

    __hash__ = None  # boards are mutable

    # Pictures

    def _repr_svg_(self) -> str:
        from siqi.games.xiangqi.library import svg

        return svg.draw(self).svg()

    def __repr__(self) -> str:
        return f"Board({self.fen()!r})"


_ATTACKERS = {RED: frozenset("RNCP"), BLACK: frozenset("rncp")}
"""The letters of pieces that can cross the river."""


@cache
def _move_of(code: int, is_one_based: bool) -> Move:
    """Return the move of a kernel's code; a list of moves needs some forty of at most 90 * 90."""
    return (OneBasedMove if is_one_based else Move).from_code(code)


@lru_cache(64)
def _read(fen: str) -> tuple[str, Color, int, int]:
    """Return (letters, turn, halfmove clock, move number) of a FEN; ValueError if it is none."""
    pieces, turn, clock, number = read_fen(fen)
    return text_of(pieces), turn == 0, min(clock, QUIET_LIMIT), number
