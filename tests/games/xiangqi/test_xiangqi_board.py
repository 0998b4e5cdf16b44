"""`Board` against python-chess's: the same names, attacks as by a naive oracle, boards set up by hand."""

from __future__ import annotations

import copy
import inspect
import random
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import sampled

from naive import xiangqi as naive
from naive.xiangqi import Naive
from siqi.games.xiangqi import library
from siqi.games.xiangqi.board import XiangqiPosition
from siqi.games.xiangqi.library import (
    ADVISOR,
    BLACK,
    CANNON,
    COLORS,
    KING,
    PAWN,
    PIECE_TYPES,
    RED,
    ROOK,
    SQUARES,
    STARTING_BOARD_FEN,
    STARTING_FEN,
    BaseBoard,
    Board,
    IllegalMoveError,
    InvalidMoveError,
    Move,
    Outcome,
    Piece,
    Status,
    Termination,
    flip_horizontal,
    flip_vertical,
    parse_square,
    piece_name,
    piece_symbol,
    square,
    square_distance,
    square_file,
    square_manhattan_distance,
    square_mirror,
    square_name,
    square_rank,
    svg,
)
from siqi.games.xiangqi.library.pgn import Game

chess = pytest.importorskip("chess", reason="python-chess is not installed")

KINGS = "3k5/9/9/9/9/9/9/9/9/4K4 w - - 0 1"
CHECK = "3k5/9/9/3R5/9/9/9/9/9/4K4 b - - 0 1"


def squares(*names: str) -> set[int]:
    return set(map(parse_square, names))


def positions(count: int, seed: int) -> Iterator[Board]:
    """Yield positions of random games, captures and checks favoured, to open lines and expose kings."""
    choose = random.Random(seed)
    for _ in range(count):
        board = Board()
        for _ in range(choose.randrange(90)):
            moves = list(board.legal_moves)
            if board.is_game_over() or not moves:
                break
            if choose.random() < 0.3:
                moves = [move for move in moves if board.is_capture(move) or board.gives_check(move)] or moves
            board.push(choose.choice(moves))
        yield board


def place(square: int) -> naive.Square:
    return square % 9, square // 9


def naive_attackers(pieces: naive.Board, color: bool, target: int) -> set[int]:
    """Return the pieces that reach a square once an enemy pawn stands on it, or the enemy king if it does already."""
    there = pieces.get(place(target), "")
    if there != ("k" if color == RED else "K"):
        pieces = {**pieces, place(target): "p" if color == RED else "P"}
    side = 0 if color == RED else 1
    return {
        square(*origin)
        for origin, letter in pieces.items()
        if naive.side_of(letter) == side and place(target) in naive.reach(pieces, origin)
    }


# Names


CASTLING = "there is no castling"
EN_PASSANT = "pawns neither double-step nor take in passing"
ONE_START = "there is one start"
MASK = "ninety squares do not fit a bitboard: the same without `_mask`, or `pieces`, is a set"
EPD = "Xiangqi has no EPD operations; suites are read by scripts"
CLAIMS = "draws come by themselves, at the third repetition and by `is_sixty_moves`"
VARIANT = "what ends a game beside mate is in `outcome`"
SYZYGY = "Syzygy's tables are chess's"
OMITTED = {
    "castling_rights": CASTLING,
    "castling_shredder_fen": CASTLING,
    "castling_xfen": CASTLING,
    "clean_castling_rights": CASTLING,
    "generate_castling_moves": CASTLING,
    "has_castling_rights": CASTLING,
    "has_chess960_castling_rights": CASTLING,
    "has_kingside_castling_rights": CASTLING,
    "has_queenside_castling_rights": CASTLING,
    "is_castling": CASTLING,
    "is_kingside_castling": CASTLING,
    "is_queenside_castling": CASTLING,
    "set_castling_fen": CASTLING,
    "shredder_fen": CASTLING,
    "ep_square": EN_PASSANT,
    "generate_legal_ep": EN_PASSANT,
    "generate_pseudo_legal_ep": EN_PASSANT,
    "has_legal_en_passant": EN_PASSANT,
    "has_pseudo_legal_en_passant": EN_PASSANT,
    "is_en_passant": EN_PASSANT,
    "promoted": "pawns do not promote",
    "chess960_pos": ONE_START,
    "from_chess960_pos": ONE_START,
    "set_chess960_pos": ONE_START,
    "attackers_mask": MASK,
    "attacks_mask": MASK,
    "checkers_mask": MASK,
    "pieces_mask": MASK,
    "bishops": MASK,
    "kings": MASK,
    "knights": MASK,
    "occupied": MASK,
    "occupied_co": MASK,
    "pawns": MASK,
    "queens": MASK,
    "rooks": MASK,
    "pin": "pins run along no ray: a cannon pins its screens, a horse pins its leg; `is_pinned` knows them",
    "pin_mask": "as `pin`",
    "epd": EPD,
    "from_epd": EPD,
    "set_epd": EPD,
    "can_claim_fifty_moves": CLAIMS,
    "can_claim_threefold_repetition": CLAIMS,
    "is_fifty_moves": CLAIMS,
    "is_fivefold_repetition": CLAIMS,
    "is_seventyfive_moves": CLAIMS,
    "is_variant_draw": VARIANT,
    "is_variant_end": VARIANT,
    "is_variant_loss": VARIANT,
    "is_variant_win": VARIANT,
    "aliases": "names of chess's variants in PGN",
    "captures_compulsory": "of chess's variants",
    "connected_kings": "of chess's variants",
    "one_king": "of chess's variants",
    "pawnless_tbw_magic": SYZYGY,
    "pawnless_tbw_suffix": SYZYGY,
    "pawnless_tbz_magic": SYZYGY,
    "pawnless_tbz_suffix": SYZYGY,
    "tbw_magic": SYZYGY,
    "tbw_suffix": SYZYGY,
    "tbz_magic": SYZYGY,
    "tbz_suffix": SYZYGY,
}
"""Public names of `chess.Board` that ours lacks, with the reason."""

OPTIONS_OMITTED = {
    "board_fen": {"promoted"},
    "empty": {"chess960"},
    "find_move": {"promotion"},
    "set_piece_at": {"promoted"},
    "uci": {"chess960"},
    "unicode": {"invert_color", "borders"},  # the characters differ by colour; lines are full-width already
    "xboard": {"chess960"},
}
"""Parameters of python-chess's methods that ours lack."""


def public(board: Any) -> set[str]:
    return {name for name in dir(board) if not name.startswith("_")}


def test_every_public_name_of_python_chess_is_here_or_left_out_for_a_reason() -> None:
    theirs, ours = public(chess.Board()), public(Board())
    assert theirs - ours == set(OMITTED)
    assert ours - theirs == {"flip_horizontal", "is_sixty_moves", "random_move", "ranks"}


def test_verbs_take_what_python_chess_has_them_take() -> None:
    lacking = {}
    for name in public(chess.Board) & public(Board):
        if not callable(getattr(chess.Board, name)):
            continue
        theirs = list(inspect.signature(getattr(chess.Board, name)).parameters.values())
        ours = list(inspect.signature(getattr(Board, name)).parameters.values())
        needed = [p for p in theirs if p.default is p.empty]
        assert [p.kind for p in needed] == [p.kind for p in ours if p.default is p.empty], name
        missing = {p.name for p in theirs if p.default is not p.empty} - {p.name for p in ours}
        if missing:
            lacking[name] = missing
    assert lacking == OPTIONS_OMITTED


@pytest.mark.parametrize("name", library.__all__)
def test_the_package_has_every_name_it_declares(name: str) -> None:
    value = getattr(library, name)
    if callable(value) and hasattr(chess, name):
        assert callable(getattr(chess, name))


def test_colours_and_turns_are_python_chess_s() -> None:
    assert (RED, BLACK, COLORS) == (chess.WHITE, chess.BLACK, chess.COLORS)
    assert library.COLOR_NAMES == ["black", "red"] and Board().turn == RED


# Values


def test_squares() -> None:
    assert len(SQUARES) == len(set(library.SQUARE_NAMES)) == 90
    for place, name in zip(SQUARES, library.SQUARE_NAMES):
        assert parse_square(name) == square(square_file(place), square_rank(place)) == place
        assert square_name(place) == name
        file, rank = (
            library.FILE_NAMES[square_file(place)],
            library.RANK_NAMES[square_rank(place)],
        )
        assert file + rank == name
        assert square_mirror(square_mirror(place)) == flip_horizontal(flip_horizontal(place)) == place
    assert square_mirror(parse_square("b0")) == flip_vertical(parse_square("b0")) == parse_square("b9")
    assert flip_horizontal(parse_square("b0")) == parse_square("h0")
    assert square_distance(parse_square("a0"), parse_square("d1")) == 3
    assert square_manhattan_distance(parse_square("a0"), parse_square("d1")) == 4


def test_pieces() -> None:
    for kind in PIECE_TYPES:
        assert Piece.from_symbol(piece_symbol(kind)) == Piece(kind, BLACK)
        assert Piece.from_symbol(piece_symbol(kind).upper()) == Piece(kind, RED)
        assert eval(repr(Piece(kind, RED)), {"Piece": Piece}) == Piece(kind, RED)
    assert [piece_name(kind) for kind in (KING, ADVISOR, CANNON)] == ["king", "advisor", "cannon"]
    faces = {Piece(kind, color).unicode_symbol() for kind in PIECE_TYPES for color in COLORS}
    assert len(faces) == 14


# Attacks


@sampled("count", 15, 60)
def test_attackers_are_the_naive_ones(count: int) -> None:
    choose = random.Random(5)
    met = 0
    for board in positions(count, seed=1):
        pieces = Naive(board.fen()).board
        for target in SQUARES:
            for color in COLORS:
                expected = naive_attackers(pieces, color, target)
                assert board.attackers(color, target) == expected, (board.fen(), square_name(target))
                assert board.is_attacked_by(color, target) == bool(expected)
                met += len(expected)
        origin = choose.choice(list(board.piece_map()))
        attacked = {s for s in SQUARES if origin in board.attackers(board.color_at(origin) is True, s)}
        assert board.attacks(origin) == attacked
    assert met > 50 * count


@sampled("count", 5, 20)
def test_attackers_with_other_squares_occupied(count: int) -> None:
    for board in positions(count, seed=2):
        pieces = Naive(board.fen()).board
        for lifted, piece in board.piece_map().items():
            rest = {place: letter for place, letter in pieces.items() if place != (lifted % 9, lifted // 9)}
            occupied = board.piece_map().keys() - {lifted}
            for king in (board.king(RED), board.king(BLACK)):
                if king is not None and king != lifted:
                    color = not board.color_at(king)
                    still = {lifted} if piece.color == color else set()
                    attackers = board.attackers(color, king, occupied)
                    assert attackers - still == naive_attackers(rest, color, king) - still


@sampled("count", 50, 150)
def test_checks_are_those_of_the_rules(count: int) -> None:
    checks = 0
    for board in positions(count, seed=3):
        oracle = Naive(board.fen())
        king = board.king(board.turn)
        assert king is not None
        letters = naive.enemies_reaching(oracle.board, place(king))
        assert board.checkers() == {square(*origin) for origin in letters}
        assert board.is_check() == oracle.in_check(oracle.turn) == XiangqiPosition(board.fen()).is_check()
        assert not board.was_into_check()
        checks += board.is_check()
        for move in board.legal_moves:
            after = naive.moved(oracle.board, place(move.from_square), place(move.to_square))
            assert board.gives_check(move) == naive.king_falls(after, 1 - oracle.turn)
    assert checks >= count // 10


@sampled("count", 15, 60)
def test_pseudo_legal_moves_are_legal_but_for_the_king(count: int) -> None:
    exposing = 0
    for board in positions(count, seed=4):
        oracle = Naive(board.fen())
        expected = {
            Move(square(*origin), square(*target))
            for origin, letter in oracle.board.items()
            if naive.side_of(letter) == oracle.turn
            for target in naive.reach(oracle.board, origin)
        }
        assert set(board.pseudo_legal_moves) == expected and len(board.pseudo_legal_moves) == len(expected)
        assert {m for o in SQUARES for t in SQUARES if board.is_pseudo_legal(m := Move(o, t))} == expected
        legal = set(board.legal_moves)
        assert {move for move in expected if not board.is_into_check(move)} == legal
        assert {move.uci() for move in legal} == set(oracle.legal_moves())
        exposing += len(expected - legal)
        captures = {move for move in expected if place(move.to_square) in oracle.board}
        assert set(board.generate_pseudo_legal_captures()) == captures
        assert set(board.generate_legal_captures()) == captures & legal
    assert exposing > count // 2


def test_moves_between_chosen_squares() -> None:
    board = Board()
    cannon = parse_square("h2")
    moves = set(board.generate_legal_moves({cannon}, range(22, 30)))
    assert moves == {Move(cannon, parse_square(name)) for name in ("e2", "f2", "g2", "i2")} | {Move(25, 34)} - {
        Move(25, 34)
    }
    assert list(board.generate_legal_captures({cannon})) == [Move.from_uci("h2h9")]
    assert Move.from_uci("h2h9") in board.pseudo_legal_moves and Move.from_uci("h2h8") not in board.pseudo_legal_moves


@sampled("count", 20, 80)
def test_pins_are_the_naive_ones(count: int) -> None:
    pins = 0
    for board in positions(count, seed=6):
        pieces = Naive(board.fen()).board
        for at, piece in board.piece_map().items():
            if piece.piece_type != KING:
                assert board.is_pinned(piece.color, at) == naive.is_pinned(pieces, place(at)), (board.fen(), at)
                assert not board.is_pinned(not piece.color, at)
                pins += board.is_pinned(piece.color, at)
    assert pins > count // 5


def test_facing_kings_attack_each_other_and_nothing_between() -> None:
    board = Board.empty()
    board.set_piece_map({4: Piece(KING, RED), 85: Piece(KING, BLACK)})
    assert board.checkers() == {85} and board.was_into_check()
    assert board.attackers(RED, 40) == set() and 85 in board.attacks(4)
    board.set_piece_at(40, Piece(PAWN, RED))
    assert not board.is_check() and board.is_pinned(RED, 40)


# Moves and the pieces that the board keeps in addition to its record


@sampled("count", 8, 25)
def test_pieces_turn_and_counters_follow_the_record_forth_and_back(count: int) -> None:
    choose = random.Random(8)
    for board in positions(count, seed=7):
        shown = Board(board.root().fen())
        for move in board.move_stack:
            shown.push(move)
            while shown.move_stack and choose.random() < 0.2:
                shown.push(shown.pop())
            assert shown.fen() == shown._position.fen()
            assert shown.piece_map() == Board(shown.fen()).piece_map()
        assert shown == board and shown.root() == Board()
        for _ in board.move_stack:
            shown.pop()
            assert shown.fen() == shown._position.fen()
        assert shown == Board()


@sampled("count", 4, 15)
def test_moves_on_letters_are_the_kernels_and_the_naive_ones(count: int) -> None:
    """Legality agrees for every pair of squares, and for some numbers that are no squares."""
    for board in positions(count, seed=21):
        legal = {Move(a, b) for a in range(-2, 92) for b in range(-2, 92) if board.is_legal(Move(a, b))}
        assert legal == set(map(Move.from_code, XiangqiPosition(board.fen()).legal_moves()))
        assert sorted(move.uci() for move in legal) == Naive(board.fen()).legal_moves()
        pseudo = {Move(a, b) for a in SQUARES for b in SQUARES if board.is_pseudo_legal(Move(a, b))}
        assert pseudo >= legal and pseudo == set(board.pseudo_legal_moves)


def test_the_kernels_are_asked_late_and_know_the_whole_past() -> None:
    """A position first queried after random moves and undos answers like one that played the same moves."""
    board = Board()
    for text in ("h2e2", "h9g7", "h0g2", "i9h9"):
        board.push_uci(text)
    assert board._kernels is None and board.turn == RED
    choose = random.Random(22)
    board, played = Board(), XiangqiPosition()
    repeated = 0
    for _ in range(1500):
        if board.move_stack and choose.random() < 0.2:
            assert board.pop().code == played.pop()
        elif moves := sorted(played.legal_moves()):
            before = board.move_stack[-2:]
            back = [move for move in moves if len(before) == 2 and Move.from_code(move) == before[0][::-1]]
            move = Move.from_code(choose.choice(back if back and choose.random() < 0.7 else moves))
            board.push_uci(move.uci())
            played.push(move.code)
        question = choose.randrange(12)
        if question == 0:
            assert board.fen() == played.fen()
        elif question == 1:
            outcome, expected = board.outcome(), played.outcome()
            ended = outcome and (outcome.termination.value, outcome.winner)
            assert ended == (expected and (expected.reason, None if expected.winner is None else expected.winner == 0))
            repeated += outcome is not None
        elif question == 2:
            assert set(board.legal_moves) == set(map(Move.from_code, played.legal_moves()))
        elif question == 3:
            assert board.is_repetition(2) == (played.occurrences() >= 2)
        elif question == 4:
            board = board.copy()
        elif question == 5:
            assert board.root() == Board() and board.root().outcome() is None
    assert repeated > 5


def test_texts_and_numbers_are_no_moves() -> None:
    for wrong in ("h2e2", (25, 22), None, 2841):
        with pytest.raises(TypeError, match=f"a siqi.Move is needed, not {type(wrong).__name__}"):
            Board().push(wrong)


def test_copies_with_part_of_the_stack() -> None:
    for board in positions(10, seed=9):
        length = len(board.move_stack)
        for count in (0, 1, length // 2, length, length + 5):
            twin = board.copy(stack=count)
            assert twin == board and twin.move_stack == board.move_stack[max(0, length - count) :]
            twin.root().legal_moves.count()
            for move in reversed(twin.move_stack):
                assert twin.pop() == move
            assert twin.fen() == twin._position.fen()
        for twin in (copy.copy(board), copy.deepcopy(board)):
            assert twin == board and twin.move_stack == board.move_stack
            twin.clear_board()
            assert board.piece_map() and board.copy() == board


def test_find_move_and_kinds_of_moves() -> None:
    board = Board()
    assert board.find_move(25, 22) == Move.from_uci("h2e2")
    with pytest.raises(IllegalMoveError, match="h2e3"):
        board.find_move(25, 31)
    capture, quiet, pawn = (Move.from_uci(text) for text in ("h2h9", "h2e2", "c3c4"))
    assert [board.is_capture(m) for m in (capture, quiet, pawn)] == [True, False, False]
    assert [board.is_zeroing(m) for m in (capture, quiet, pawn)] == [True, False, False]
    assert [board.is_irreversible(m) for m in (capture, quiet, pawn)] == [True, False, True]
    crossed = Board("3k5/9/9/9/2P6/9/9/9/9/4K4 w - - 0 1")
    assert not crossed.is_irreversible(Move.from_uci("c5b5")) and crossed.is_irreversible(Move.from_uci("c5c6"))
    board.push(capture)
    assert board.halfmove_clock == 0


def test_lines_of_moves_as_text() -> None:
    board = Board()
    line = [Move.from_uci(text) for text in ("h2e2", "h9g7", "h0g2", "i9h9")]
    assert board.variation_san(line) == "1. C2.5 H8+7 2. H2+3 R9.8"
    assert board.variation_san(line, "chinese") == "1. 炮二平五 马８进７ 2. 马二进三 车９平８"
    board.push(line[0])
    assert board.variation_san(line[1:]) == "1...H8+7 2. H2+3 R9.8" and board.move_stack == line[:1]
    with pytest.raises(IllegalMoveError):
        board.variation_san(line)
    assert board.variation_san([]) == ""
    assert board.lan(line[1]) == "H9-G7" and board.parse_san(board.lan(line[1])) == line[1]
    assert board.san_and_push(line[1]) == "H8+7" and board.peek() == line[1]


def test_moves_of_a_board_with_ranks_from_one_write_themselves_so() -> None:
    board, plain = Board(ranks=1), Board()
    moves = [board.push_uci("h3e3"), board.push_san("H8+7"), board.find_move(7, 24), next(iter(board.legal_moves))]
    assert [move.uci() for move in moves[:3]] == ["h3e3", "h10g8", "h1g3"] and str(moves[2]) == "h1g3"
    assert [move.uci() for move in board.move_stack] == ["h3e3", "h10g8"]
    assert moves[0] == Move.from_uci("h2e2") and hash(moves[0]) == hash(Move(25, 22))
    assert repr(moves[0]) == "Move.from_uci('h2e2')" and moves[0].iccs() == "H2-E2"
    plain.push(moves[0])
    assert plain.peek().uci() == "h2e2" and board.root().ranks == board.mirror().ranks == 1


# The end of the game


def test_no_draw_needs_a_claim() -> None:
    board = Board()
    for text in ("h0g2", "h9g7", "g2h0", "g7h9") * 2:
        assert not board.can_claim_draw() and not board.is_game_over(claim_draw=True)
        board.push_uci(text)
    assert board.can_claim_draw() and board.is_game_over(claim_draw=True)
    assert board.outcome(claim_draw=True) == board.outcome() == Outcome(Termination.REPETITION, None)
    assert board.result(claim_draw=True) == "1/2-1/2"


def test_sixty_moves() -> None:
    board = Board("3k5/9/9/9/9/9/9/9/R8/4K4 w - - 119 90")
    assert not board.is_sixty_moves() and not board.can_claim_draw()
    board.push_uci("a1b1")
    assert board.is_sixty_moves() and board.can_claim_draw()
    assert board.outcome() == Outcome(Termination.SIXTY_MOVES, None)
    mate = Board("3k5/3R5/3R5/9/9/9/9/9/9/4K4 b - - 120 90")
    assert not mate.is_sixty_moves() and not mate.can_claim_draw() and mate.is_checkmate()


def test_material_that_cannot_win() -> None:
    board = Board("3k1a3/9/9/9/9/9/9/4B4/4A4/4K4 w - - 0 1")
    assert board.is_insufficient_material() and board.outcome() == Outcome(Termination.NO_ATTACKERS, None)
    board.set_piece_at(parse_square("a5"), Piece(PAWN, RED))
    assert not board.has_insufficient_material(RED) and board.has_insufficient_material(BLACK)
    assert not board.is_insufficient_material() and board.outcome() is None


def test_a_game_gives_its_moves_under_python_chess_s_name() -> None:
    for board in positions(3, seed=14):
        again = Game.from_board(board).board()
        for move in Game.from_board(board).mainline_moves():
            again.push(move)
        assert again == board and again.move_stack == board.move_stack


# Boards set up by hand


def test_a_board_set_up_piece_by_piece() -> None:
    start, board = Board(), Board.empty()
    assert board == Board(None) and board.piece_map() == {} and board.king(RED) is None and board.turn == RED
    for at, piece in start.piece_map().items():
        board.set_piece_at(at, piece)
        assert (board.piece_at(at), board.piece_type_at(at), board.color_at(at)) == (piece, *piece)
    assert board == start and board.is_valid() and set(board.legal_moves) == set(start.legal_moves)
    board.push_uci("h2e2")
    assert board.remove_piece_at(0) == Piece(ROOK, RED) and board.remove_piece_at(0) is None
    assert board.move_stack == [] and board.turn == BLACK and board.fullmove_number == 1
    assert board.piece_type_at(0) is None and board.color_at(0) is None
    assert Move.from_uci("h9g7") in board.legal_moves
    for bad in (-1, 90):
        with pytest.raises(IndexError):
            board.set_piece_at(bad, Piece(ROOK, RED))
        with pytest.raises(IndexError):
            board.set_piece_map({bad: Piece(ROOK, RED)})


def test_turn_and_counters_are_assigned() -> None:
    board = Board()
    board.push_uci("h2e2")
    board.turn = BLACK
    assert len(board.move_stack) == 1, "nothing changes"
    board.turn = RED
    assert board.move_stack == [] and Move.from_uci("e2e6") in board.legal_moves
    board.halfmove_clock, board.fullmove_number = 118, 77
    assert board.fen().endswith(" w - - 118 77") and board.ply() == 152
    board.push_uci("e2d2")
    board.push_uci("h9g7")
    assert board.outcome() == Outcome(Termination.SIXTY_MOVES, None) and board.fullmove_number == 78
    board.halfmove_clock = 500
    assert board.halfmove_clock == 120


def test_reset_and_clear() -> None:
    for board in positions(5, seed=10):
        board.clear()
        assert board == Board.empty() and board.status() & Status.EMPTY
        board.reset()
        assert board == Board() and board.legal_moves.count() == 44
        board.push_uci("h2e2")
        board.reset_board()
        assert board.turn == BLACK and board.board_fen() == STARTING_BOARD_FEN and not board.move_stack
        board.clear_stack()
        assert board.root() == board


anywhere = st.dictionaries(
    st.integers(0, 89), st.builds(Piece, st.sampled_from(PIECE_TYPES), st.booleans()), max_size=40
)


@given(anywhere, st.booleans(), st.integers(0, 120), st.integers(1, 99_999))
def test_any_pieces_anywhere_survive_the_round_trips(
    pieces: dict[int, Piece], turn: bool, clock: int, number: int
) -> None:
    board = Board.empty()
    board.set_piece_map(pieces)
    board.turn, board.halfmove_clock, board.fullmove_number = turn, clock, number
    assert board.piece_map() == pieces
    again = Board()
    again.push_uci("h2e2")
    again.set_fen(board.fen())
    assert again == board and again.piece_map() == pieces and (again.turn, again.move_stack) == (turn, [])
    again.set_board_fen(board.board_fen())
    assert again == board == board.copy() == board.copy(stack=False) == board.root()
    base = BaseBoard(board.board_fen())
    assert base == BaseBoard(base.board_fen()) and base.piece_map() == pieces and str(base) == str(board)
    for turned_over in (Board.mirror, Board.flip_horizontal, lambda b: b.transform(flip_vertical)):
        once = turned_over(board)
        assert turned_over(once) == board and len(once.piece_map()) == len(pieces)
    assert board.is_valid() == (is_playable(board.fen()))
    ElementTree.fromstring(board._repr_svg_())


def is_playable(fen: str) -> bool:
    try:
        XiangqiPosition(fen)
    except ValueError:
        return False
    return True


@sampled("count", 60, 300)
def test_valid_boards_are_those_that_the_engine_takes(count: int) -> None:
    """Valid boards agree on random games with one piece added, removed or moved, or the other side to move."""
    choose = random.Random(12)
    valid = invalid = 0
    for board in positions(count, seed=11):
        change = choose.randrange(4)
        at = choose.choice(list(board.piece_map()))
        if change == 0:
            board.set_piece_at(choose.choice(SQUARES), Piece(choose.choice(PIECE_TYPES), choose.random() < 0.5))
        elif change == 1:
            board.remove_piece_at(at)
        elif change == 2:
            board.set_piece_at(choose.choice(SQUARES), board.remove_piece_at(at))
        else:
            board.turn = not board.turn
        assert board.is_valid() == is_playable(board.fen()), (board.fen(), board.status())
        valid += board.is_valid()
        invalid += not board.is_valid()
    assert valid > count // 6 and invalid > count // 6


FAULTS = {
    "9/9/9/9/9/9/9/9/9/9 w": Status.EMPTY | Status.NO_RED_KING | Status.NO_BLACK_KING,
    "3k5/9/9/9/9/9/9/9/9/9 w": Status.NO_RED_KING,
    "9/9/9/9/9/9/9/9/9/4K4 b": Status.NO_BLACK_KING,
    "3k5/9/9/9/9/9/9/9/4K4/4K4 w": Status.TOO_MANY_KINGS,
    "3k5/9/9/PPPPPP3/9/9/9/9/9/4K4 w": Status.TOO_MANY_RED_PAWNS,
    "3k5/9/9/9/9/9/pppppp3/9/9/5K3 b": Status.TOO_MANY_BLACK_PAWNS,
    "3k5/9/9/RRR6/9/9/9/9/9/4K4 w": Status.TOO_MANY_RED_PIECES,
    "3k5/9/nnn6/9/9/9/9/9/9/4K4 w": Status.TOO_MANY_BLACK_PIECES,
    "3k5/9/9/9/9/9/4K4/9/9/9 w": Status.MISPLACED_KING,
    "3k5/9/9/9/9/9/9/9/4K4/3A4A w": Status.MISPLACED_ADVISOR,
    "3k5/9/9/9/B8/9/9/9/9/4K4 w": Status.MISPLACED_ELEPHANT,
    "3k5/9/9/3R5/9/9/9/9/9/4K4 w": Status.OPPOSITE_CHECK,
    "4k4/9/9/9/9/9/9/9/9/4K4 w": Status.KINGS_FACING,
    "4k4/9/9/4R4/9/9/9/9/4r4/4K4 b": Status.OPPOSITE_CHECK,
    "4k4/9/9/9/9/9/9/9/R8/4K4 b": Status.KINGS_FACING,
    "3kp4/9/9/9/9/9/1P7/9/9/P3K4 w": Status.VALID,
    KINGS: Status.VALID,
    CHECK: Status.VALID,
    STARTING_FEN: Status.VALID,
}


@pytest.mark.parametrize(("fen", "status"), FAULTS.items())
def test_each_fault_has_its_name(fen: str, status: Status) -> None:
    board = Board()
    board.set_fen(fen)
    assert board.status() == status and board.is_valid() == (status == Status.VALID) == is_playable(fen)
    exchanged = Status.VALID
    for fault in status:
        name = str(fault.name).replace("RED", "*").replace("BLACK", "RED").replace("*", "BLACK")
        exchanged |= Status[name]
    assert board.mirror().status() == exchanged


def test_no_fault_is_without_an_example() -> None:
    shown = Status.VALID
    for status in FAULTS.values():
        shown |= status
    assert shown == ~Status.VALID


NEED_A_PLAYABLE_POSITION: dict[str, Callable[[Board], object]] = {
    "legal_moves": lambda board: list(board.legal_moves),
    "count": lambda board: board.legal_moves.count(),
    "generate_legal_moves": lambda board: list(board.generate_legal_moves()),
    "is_legal": lambda board: board.is_legal(Move(4, 13)),
    "push": lambda board: board.push(Move(4, 13)),
    "push_uci": lambda board: board.push_uci("e0e1"),
    "parse_san": lambda board: board.parse_san("K5+1"),
    "san": lambda board: board.san(Move(4, 13)),
    "outcome": lambda board: board.outcome(),
    "is_game_over": lambda board: board.is_game_over(),
    "is_checkmate": lambda board: board.is_checkmate(),
    "is_repetition": lambda board: board.is_repetition(),
}


@pytest.mark.parametrize("verb", NEED_A_PLAYABLE_POSITION)
def test_what_needs_legal_moves_reports_why_there_are_none(verb: str) -> None:
    board = Board(KINGS)
    board.remove_piece_at(parse_square("d9"))
    fen = board.fen()
    with pytest.raises(ValueError, match="illegal position: black has no king"):
        NEED_A_PLAYABLE_POSITION[verb](board)
    assert board.fen() == fen and not board.move_stack
    board.set_piece_at(parse_square("d9"), Piece(KING, BLACK))
    assert board == Board(KINGS)
    NEED_A_PLAYABLE_POSITION[verb](board)


def test_an_unplayable_board_still_answers_what_is_about_its_pieces() -> None:
    board = Board.empty()
    board.set_piece_map({0: Piece(ROOK, RED), 8: Piece(ROOK, RED), 4: Piece(PAWN, BLACK)})
    assert board.attackers(RED, 4) == {0, 8} and board.attackers(RED, 5) == {8} and not board.is_check()
    assert len(list(board.pseudo_legal_moves)) == 26 and Move(0, 4) in board.pseudo_legal_moves
    assert board.checkers() == set() and not board.was_into_check() and not board.is_pinned(RED, 0)
    with pytest.raises(ValueError, match="red has no king"):
        Board(board.fen())


@pytest.mark.parametrize("text", ["", "9/9 w", "x8/9/9/9/9/9/9/9/9/9 w", f"{STARTING_BOARD_FEN} x", "3k5/9/9"])
def test_a_text_that_is_no_fen_changes_nothing(text: str) -> None:
    board = Board()
    board.push_uci("h2e2")
    before = board.copy()
    for verb in (board.set_fen, *([board.set_board_fen] if " x" not in text else [])):
        with pytest.raises(ValueError):
            verb(text)
        assert board == before and board.move_stack == before.move_stack


def test_python_chess_s_options_of_fen_change_nothing() -> None:
    for board in positions(5, seed=13):
        assert board.fen(shredder=True, en_passant="fen", promoted=True) == board.fen()


def test_set_up_ends_repetitions() -> None:
    board = Board()
    for text in ("h0g2", "h9g7", "g2h0", "g7h9"):
        board.push_uci(text)
    assert board.is_repetition(2)
    board.clear_stack()
    assert not board.is_repetition(2) and board.halfmove_clock == 4
    with pytest.raises(IndexError):
        board.pop()
    with pytest.raises(InvalidMoveError):
        board.parse_uci("0000")


# Pictures


def test_pictures_of_attacks_and_of_a_piece() -> None:
    board = Board()
    marked = board.attackers(RED, parse_square("h9"))
    picture = svg.board(board, squares=marked, fill={40: "gold", 41: "#fff"})
    classes = [element.get("class") for element in ElementTree.fromstring(picture).iter()]
    assert marked and classes.count("siqi-xq-ring") == len(marked) and classes.count("siqi-xq-fill") == 2
    root = ElementTree.fromstring(svg.piece(Piece(CANNON, BLACK), 45))
    assert root.get("width") == root.get("height") == "45" and "砲" in "".join(root.itertext())
    base = ElementTree.fromstring(BaseBoard()._repr_svg_())
    assert len([1 for element in base if element.tag.endswith("use")]) == 32


def test_pieces_are_drawn_where_the_board_has_them() -> None:
    rows = str(Board()).splitlines()
    assert [len(row.split()) for row in rows] == [9] * 10 and all(a != b for a, b in pairwise(rows[:3]))
    assert Board().unicode(empty_square="．").count("．") == 58
