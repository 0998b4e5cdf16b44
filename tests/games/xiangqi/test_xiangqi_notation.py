"""Xiangqi as a library: `Board`'s verbs, and every notation, picture and game file both ways."""

from __future__ import annotations

import contextlib
import functools
import io
import json
import logging
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from fixture_files import SHARED
from hypothesis import given
from hypothesis import strategies as st
from samples import sampled

from siqi.games.game_record import NoteLine
from siqi.games.xiangqi.library import Board, Move, svg
from siqi.games.xiangqi.library.board import BLACK, RED, STARTING_FEN, Outcome, Piece, Termination
from siqi.games.xiangqi.library.move import (
    AmbiguousMoveError,
    IllegalMoveError,
    InvalidMoveError,
    parse_square,
    square_name,
)
from siqi.games.xiangqi.library.movetext import moves_in
from siqi.games.xiangqi.library.pgn import Game, read_game, read_games
from siqi.games.xiangqi.library.san import is_of_other_side
from siqi.games.xiangqi.library.signs import is_like_move, split_sign
from siqi.games.xiangqi.rules.lookup import CANNON, KING, PAWN

NOTATIONS: tuple[Any, ...] = ("wxf", "chinese", "traditional", "iccs")

THREE = "5k3/3P5/3P5/3P5/P8/9/9/9/9/4K4 w - - 0 1"
FOUR = "5k3/3P5/3P5/3P5/3P5/9/9/9/9/4K4 w - - 0 1"
FIVE = "3P1k3/3P5/3P5/3P5/3P5/9/9/9/9/4K4 w - - 0 1"
TWO_FILES = "5k3/2P3P2/2P3P2/2P6/9/9/9/9/9/4K4 w - - 0 1"
BLACK_TWO_FILES = "5k3/9/9/9/9/9/p6p1/p6p1/9/4K4 b - - 0 1"
TANDEM = "2rak4/9/2r6/9/1n7/1n7/6C2/4B4/6C2/3AKA3 w - - 0 1"
"""Cannons, rooks and horses of both sides in tandem."""


# Values


def test_squares_moves_and_pieces() -> None:
    assert parse_square("h2") == 25 and square_name(25) == "h2"
    move = Move.from_uci("h2e2")
    assert move == Move(25, 22) == Move.from_uci("h3e3", ranks=1) == Move.from_uci("H2-E2")
    assert (move.uci(), move.uci(1), move.iccs(), str(move)) == ("h2e2", "h3e3", "H2-E2", "h2e2")
    assert repr(move) == "Move.from_uci('h2e2')" and len({move, Move(25, 22)}) == 1
    assert Move.from_code(move.code) == move
    assert Piece.from_symbol("c") == Piece(CANNON, BLACK) and Piece(CANNON, BLACK).symbol() == "c"
    assert Piece(KING, RED).unicode_symbol() == "帥" and str(Piece(KING, RED)) == "K"


@pytest.mark.parametrize("text", ["", "h2", "j0a0", "h2e", "a10a11", "0000"])
def test_a_text_that_is_no_coordinates(text: str) -> None:
    with pytest.raises(InvalidMoveError):
        Move.from_uci(text)
    with pytest.raises(ValueError):
        parse_square(text[:1])


# The board


def test_the_start() -> None:
    board = Board()
    assert board.fen() == STARTING_FEN and board.board_fen() == STARTING_FEN.split()[0]
    assert board.turn == RED and board.ply() == 0 and board.fullmove_number == 1 and board.halfmove_clock == 0
    assert len(board.legal_moves) == board.legal_moves.count() == len(list(board.legal_moves)) == 44
    assert Move.from_uci("h2e2") in board.legal_moves and Move.from_uci("h2e3") not in board.legal_moves
    assert board.king(RED) == 4 and board.king(BLACK) == 85
    assert board.piece_at(25) == Piece(CANNON, RED) and board.piece_at(40) is None and board.piece_at(90) is None
    assert len(board.piece_map()) == 32 and board.pieces(PAWN, BLACK) == set(range(54, 63, 2))
    assert str(board).splitlines()[0] == "r n b a k a b n r" and board.unicode().splitlines()[9] == "俥傌相仕帥仕相傌俥"
    assert board.unicode(orientation=BLACK).splitlines()[9] == "車馬象士將士象馬車"
    assert repr(board) == f"Board({STARTING_FEN!r})" and "C2.5" in repr(board.legal_moves)


def test_push_pop_peek_copy() -> None:
    board = Board()
    with pytest.raises(IndexError):
        board.pop()
    with pytest.raises(IllegalMoveError):
        board.push(Move.from_uci("a0a5"))
    move = board.push_san("炮二平五")
    twin = board.copy()
    assert twin == board and twin.peek() == board.peek() == move and board.ply() == 1 and board.turn == BLACK
    twin.push_uci("h9g7")
    assert len(board.move_stack) == 1 and twin != board and len(twin.move_stack) == 2
    assert twin.fullmove_number == 2 and twin.halfmove_clock == 2 and twin.root() == Board()
    alone = twin.copy(stack=False)
    assert alone == twin and alone.move_stack == []
    assert twin.pop() == Move.from_uci("h9g7") and twin == board
    assert board.pop() == move and board == Board()
    with pytest.raises(TypeError):
        hash(board)


def test_ranks_from_one() -> None:
    board = Board(ranks=1)
    assert board.push_uci("h3e3") == Move.from_uci("h2e2")
    assert board.uci(board.peek()) == "h3e3" and board.copy().uci(board.peek()) == "h3e3"
    assert board.parse_san("H9-G7") == Move.from_uci("h9g7")


def test_mirror_and_flip() -> None:
    board = Board()
    board.push_san("C2.5")
    mirrored = board.mirror()
    assert mirrored.turn == RED and mirrored.piece_at(parse_square("e7")) == Piece(CANNON, BLACK)
    assert mirrored.mirror() == board and len(mirrored.legal_moves) == len(board.legal_moves)
    assert board.flip_horizontal().piece_at(parse_square("e2")) == Piece(CANNON, RED)
    assert board.flip_horizontal().flip_horizontal() == board


def test_checkmate_and_stalemate() -> None:
    mate = Board("3k5/3R5/3R5/9/9/9/9/9/9/4K4 b - - 0 1")
    assert mate.is_check() and mate.is_checkmate() and not mate.is_stalemate() and mate.is_game_over()
    assert mate.outcome() == Outcome(Termination.CHECKMATE, RED) and mate.result() == "1-0"


def test_a_stalemated_side_has_lost() -> None:
    board = Board("3k5/4P4/9/9/9/9/9/9/9/4K4 b - - 0 1")
    assert board.is_stalemate() and not board.is_check()
    assert board.outcome() == Outcome(Termination.STALEMATE, RED)


def test_positions_that_cannot_be_played_are_kept_and_not_played() -> None:
    fen = "3k5/4A4/9/9/9/9/9/9/9/4K4 w - - 0 1"
    error = "advisor A on e8 is outside its palace's five points"
    with pytest.raises(ValueError, match=error):
        Board(fen)
    game = read_game(io.StringIO(f'[Game "Chinese Chess"]\n[FEN "{fen}"]\n\n1. K5+1 *\n'))
    assert game is not None and [str(fault) for fault in game.errors] == [f"1. illegal position: {error}: {fen}"]
    assert game.board().fen() == fen and not game.moves
    study = read_game(io.StringIO(f'[Game "Chinese Chess"]\n[FEN "{fen}"]\n\n*\n'))
    assert study is not None and not study.errors and study.board().fen() == fen


def test_repetition() -> None:
    board = Board()
    for _ in range(2):
        assert not board.is_repetition() and board.outcome() is None
        for text in ("H2+3", "H2+3", "H3-2", "H3-2"):
            board.push_san(text)
    assert board.is_repetition(3) and not board.is_repetition(4)
    assert board.outcome() == Outcome(Termination.REPETITION, None) and board.result() == "1/2-1/2"
    assert not board.copy(stack=False).is_repetition(2)


def test_gives_check_and_captures() -> None:
    board = Board()
    board.push_san("C2.5")
    board.push_san("A4+5")
    assert board.is_capture(board.parse_san("炮五进四")) and board.gives_check(board.parse_san("炮五进四"))
    assert not board.gives_check(board.parse_san("H2+3")) and len(board.move_stack) == 2


def test_a_bad_fen() -> None:
    with pytest.raises(ValueError, match="ranks"):
        Board("9/9")


# Texts


@pytest.mark.parametrize(
    ("fen", "uci", "wxf", "chinese", "traditional"),
    [
        (STARTING_FEN, "h2e2", "C2.5", "炮二平五", "炮二平五"),
        (STARTING_FEN, "b0c2", "H8+7", "马八进七", "馬八進七"),
        (STARTING_FEN, "c3c4", "P7+1", "兵七进一", "兵七進一"),
        (STARTING_FEN, "g0e2", "E3+5", "相三进五", "相三進五"),
        (STARTING_FEN, "a0a1", "R9+1", "车九进一", "車九進一"),
        (STARTING_FEN, "e0e1", "K5+1", "帅五进一", "帥五進一"),
        (STARTING_FEN, "h2h1", "C2-1", "炮二退一", "炮二退一"),
        (STARTING_FEN.replace(" w ", " b "), "h9g7", "H8+7", "马８进７", "馬８進７"),
        (STARTING_FEN.replace(" w ", " b "), "h7e7", "C8.5", "炮８平５", "砲８平５"),
        (STARTING_FEN.replace(" w ", " b "), "d9e8", "A4+5", "士４进５", "士４進５"),
        (STARTING_FEN.replace(" w ", " b "), "e9e8", "K5+1", "将５进１", "將５進１"),
        (TANDEM, "g3f3", "C+.4", "前炮平四", "前炮平四"),
        (TANDEM, "g1g2", "C-+1", "后炮进一", "後炮進一"),
        (TANDEM.replace(" w ", " b "), "c7c6", "R++1", "前车进１", "前車進１"),
        (TANDEM.replace(" w ", " b "), "c9b9", "R-.2", "后车平２", "後車平２"),
        (TANDEM.replace(" w ", " b "), "b4c2", "H++3", "前马进３", "前馬進３"),
        (TANDEM.replace(" w ", " b "), "b5d6", "H--4", "后马退４", "後馬退４"),
        (THREE, "d8c8", "P+.7", "前兵平七", "前兵平七"),
        (THREE, "d7c7", "P6.7", "中兵平七", "中兵平七"),
        (THREE, "d6c6", "P-.7", "后兵平七", "後兵平七"),
        (THREE, "a5a6", "P9+1", "兵九进一", "兵九進一"),
        (FOUR, "d8c8", "++.7", "一兵平七", "一兵平七"),
        (FOUR, "d8d9", "+++1", "一兵进一", "一兵進一"),
        (FOUR, "d7c7", "P+.7", "二兵平七", "二兵平七"),
        (FOUR, "d6c6", "P-.7", "三兵平七", "三兵平七"),
        (FOUR, "d5c5", "--.7", "四兵平七", "四兵平七"),
        (FIVE, "d9c9", "++.7", "一兵平七", "一兵平七"),
        (FIVE, "d7c7", "P6.7", "三兵平七", "三兵平七"),
        (FIVE, "d5c5", "--.7", "五兵平七", "五兵平七"),
        (TWO_FILES, "g8f8", "3+.4", "一兵平四", "一兵平四"),
        (TWO_FILES, "g7f7", "3-.4", "二兵平四", "二兵平四"),
        (TWO_FILES, "c8d8", "7+.6", "三兵平六", "三兵平六"),
        (TWO_FILES, "c7d7", "77.6", "四兵平六", "四兵平六"),
        (TWO_FILES, "c6d6", "7-.6", "五兵平六", "五兵平六"),
        (BLACK_TWO_FILES, "a2a1", "1++1", "一卒进１", "一卒進１"),
        (BLACK_TWO_FILES, "h3g3", "8-.7", "四卒平７", "四卒平７"),
    ],
)
def test_known_texts(fen: str, uci: str, wxf: str, chinese: str, traditional: str) -> None:
    board = Board(fen)
    move = board.parse_uci(uci)
    assert [board.san(move, notation) for notation in NOTATIONS[:3]] == [wxf, chinese, traditional]
    assert {board.parse_san(text) for text in (wxf, chinese, traditional, move.iccs())} == {move}


@pytest.mark.parametrize(
    ("fen", "text", "uci"),
    [
        (STARTING_FEN, "c2=5", "h2e2"),
        (STARTING_FEN, " 炮2平5 ", "h2e2"),
        (STARTING_FEN, "砲二平五", "h2e2"),
        (STARTING_FEN, "炮２平５", "h2e2"),
        (STARTING_FEN, "Ｃ２．５", "h2e2"),
        (STARTING_FEN, "N8+7", "b0c2"),
        (STARTING_FEN, "傌八進七", "b0c2"),
        (STARTING_FEN, "G5+1", "e0e1"),
        (STARTING_FEN, "B3+5", "g0e2"),
        (STARTING_FEN, "M3+5", "g0e2"),
        (STARTING_FEN, "M4+5", "f0e1"),
        (STARTING_FEN, "S7+1", "c3c4"),
        (STARTING_FEN, "俥九进一", "a0a1"),
        (STARTING_FEN, "卒七进一", "c3c4"),
        (STARTING_FEN, "h2-e2", "h2e2"),
        (STARTING_FEN, "H2E2", "h2e2"),
        (STARTING_FEN, "C2\u22121", "h2h1"),
        (TANDEM, "+C.4", "g3f3"),
        (TANDEM, "前包平四", "g3f3"),
        (TANDEM, "C3+5", "g3g8"),
        (TANDEM.replace(" w ", " b "), "後車平二", "c9b9"),
        (FOUR, "前兵平七", "d8c8"),
        (FOUR, "后兵平七", "d5c5"),
        (FIVE, "中兵平七", "d7c7"),
        (TWO_FILES, "前七平六", "c8d8"),
        (TWO_FILES, "中七平六", "c7d7"),
        (TWO_FILES, "后三平四", "g7f7"),
        ("5k3/9/9/9/9/9/9/3A5/9/3AK4 w", "后仕进五", "d0e1"),
        ("5k3/9/9/9/9/9/9/3A5/9/3AK4 w", "A-+5", "d0e1"),
        ("5k3/9/9/9/9/9/9/3A5/9/3AK4 w", "仕六进五", "d0e1"),
        ("5k3/9/9/9/9/9/9/3A5/9/3AK4 w", "仕六退五", "d2e1"),
    ],
)
def test_texts_that_are_read_too(fen: str, text: str, uci: str) -> None:
    assert Board(fen).parse_san(text) == Move.from_uci(uci)


@pytest.mark.parametrize(
    ("fen", "text", "error"),
    [
        (STARTING_FEN, "", InvalidMoveError),
        (STARTING_FEN, "hello", InvalidMoveError),
        (STARTING_FEN, "C2.0", InvalidMoveError),
        (STARTING_FEN, "34.5", IllegalMoveError),
        (STARTING_FEN, "炮二平", InvalidMoveError),
        (STARTING_FEN, "C3.5", IllegalMoveError),
        (STARTING_FEN, "前马进七", IllegalMoveError),
        (STARTING_FEN, "中炮进一", IllegalMoveError),
        (STARTING_FEN, "R9+3", IllegalMoveError),
        (STARTING_FEN, "C2+9", IllegalMoveError),
        (STARTING_FEN, "E3-5", IllegalMoveError),
        (STARTING_FEN, "33.4", IllegalMoveError),
        (STARTING_FEN, "a0a5", IllegalMoveError),
        (TANDEM, "C3.4", AmbiguousMoveError),
        (TWO_FILES, "前兵进一", AmbiguousMoveError),
    ],
)
def test_texts_that_are_refused(fen: str, text: str, error: type[ValueError]) -> None:
    with pytest.raises(error):
        Board(fen).parse_san(text)


BLACK_FEN = STARTING_FEN.replace(" w ", " b ")


@pytest.mark.parametrize(
    ("fen", "text"),
    [
        (STARTING_FEN, "炮2平5"),
        (STARTING_FEN, "炮２平５"),
        (STARTING_FEN, "卒七进一"),
        (STARTING_FEN, "将五进一"),
        (STARTING_FEN, "兵七进1"),
        (BLACK_FEN, "炮八平五"),
        (BLACK_FEN, "炮8平五"),
        (BLACK_FEN, "兵3进1"),
        (BLACK_FEN, "相3进5"),
        (BLACK_TWO_FILES, "一卒进一"),
    ],
)
def test_push_san_refuses_the_other_side_s_texts_unless_asked(fen: str, text: str) -> None:
    """Black's files count from the other edge: whoever writes 炮2平5 for Red may mean another cannon."""
    board = Board(fen)
    with pytest.raises(InvalidMoveError, match=f"names or numerals of the other side: {text} "):
        board.push_san(text)
    assert not board.move_stack
    assert board.push_san(text, either_side=True) == Board(fen).parse_san(text)


@pytest.mark.parametrize(
    ("fen", "text"),
    [(STARTING_FEN, "士四进五"), (STARTING_FEN, "C2\u22121"), (STARTING_FEN, "Ｃ２．５"), (BLACK_FEN, "马2进3")],
)
def test_push_san_reads_what_both_sides_write(fen: str, text: str) -> None:
    assert Board(fen).push_san(text) == Board(fen).parse_san(text)


def test_the_text_of_an_illegal_move() -> None:
    with pytest.raises(IllegalMoveError):
        Board().san(Move.from_uci("a0a5"))


@given(st.text(alphabet="CHRPEAK123459+-.= 前后中一二三炮马兵平进退ｅ２", max_size=6))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        move = Board(TWO_FILES).parse_san(text)
    except (InvalidMoveError, IllegalMoveError, AmbiguousMoveError):
        return
    assert move in Board(TWO_FILES).legal_moves


def check_every_move(board: Board) -> None:
    moves = list(board.legal_moves)
    for notation in NOTATIONS:
        texts = [board.san(move, notation) for move in moves]
        assert len(set(texts)) == len(moves), (board.fen(), notation)
        assert [board.parse_san(text) for text in texts] == moves, (board.fen(), notation)
        assert not any(is_of_other_side(text, 0 if board.turn == RED else 1) for text in texts), texts


@sampled("games", 1, 8)
def test_every_legal_move_of_random_games(games: int) -> None:
    choose = random.Random(7)
    for _ in range(games):
        board = Board()
        while board.ply() < 120 and not board.is_game_over():
            check_every_move(board)
            board.push(choose.choice(list(board.legal_moves)))


@functools.cache
def rows_for(letter: str, file: int) -> list[int]:
    """Return the rows of a FEN on which a piece may stand on a file."""
    cases = []
    for row in range(10):
        rows = [["1"] * 9 for _ in range(10)]
        rows[0][4], rows[8][3] = "k", "K"
        rows[row][file] = letter
        with contextlib.suppress(ValueError):
            Board(f"{'/'.join(map(''.join, rows))} {'b' if letter.isupper() else 'w'} - - 0 1")
            cases.append(row)
    return cases


def random_crowd(choose: random.Random) -> Board:
    """Return a random composed position: five pawns a side on few files, advisors and elephants anywhere."""
    while True:
        rows = [["1"] * 9 for _ in range(10)]
        files = choose.sample(range(9), choose.choice((1, 2, 2, 3)))
        letters = "PPPPPpppppBBbbAAaaRRrrNNnnCCcc"
        for letter in letters[: choose.choice((10, 18, 30))]:
            file = choose.choice(files) if letter in "Pp" else choose.choice((2, 3, 5, 6))
            if allowed := rows_for(letter, file):
                rows[choose.choice(allowed)][file] = letter
        rows[choose.choice((0, 1, 2))][choose.choice((3, 4, 5))] = "k"
        rows[choose.choice((7, 8, 9))][choose.choice((3, 4, 5))] = "K"
        try:
            return Board(f"{'/'.join(map(''.join, rows))} {choose.choice('wb')} - - 0 1")
        except ValueError:
            continue


@sampled("count", 100, 600)
def test_every_legal_move_of_composed_positions(count: int) -> None:
    choose = random.Random(11)
    for _ in range(count):
        check_every_move(random_crowd(choose))


def pawns_of(board: Board) -> dict[int, list[int]]:
    """Return the squares of the mover's pawns by file number, from the front."""
    files: dict[int, list[int]] = {}
    for square in sorted(board.pieces(PAWN, board.turn), reverse=board.turn):
        files.setdefault(9 - square % 9 if board.turn else square % 9 + 1, []).append(square)
    return files


def book_texts(board: Board, move: Move) -> list[str]:
    """Return a pawn's move as books and dpxq.com write it; none if the pawn stands alone on its file."""
    files = pawns_of(board)
    file, tandem = next((file, squares) for file, squares in files.items() if move.from_square in squares)
    if len(tandem) == 1:
        return []
    place = tandem.index(move.from_square)
    names = [{2: "前后", 3: "前中后", 4: "前二三后", 5: "前二三四后"}[len(tandem)][place], "一二三四五"[place]]
    pawn = "卒兵"[board.turn]
    numerals = ("１２３４５６７８９", "一二三四五六七八九")[board.turn]
    end = board.san(move, "chinese")[2:]
    if sum(len(squares) > 1 for squares in files.values()) == 1:
        return [f"{name}{pawn}{end}" for name in names]
    number = numerals[file - 1]
    return [text for name in names for text in (f"{name}{number}{end}", f"{name}{pawn}{number}{end}")]


@sampled("boards", 30, 150)
def test_pawns_as_books_write_them(boards: int) -> None:
    choose, count = random.Random(5), 0
    for _ in range(boards):
        board = random_crowd(choose)
        for move in board.legal_moves:
            if board.piece_type_at(move.from_square) == PAWN:
                for text in book_texts(board, move):
                    assert board.parse_san(text) == move, (board.fen(), text)
                    count += 1
    assert count > 6 * boards


@sampled("boards", 25, 150)
def test_moves_as_fairy_stockfish_writes_them_in_wxf(boards: int) -> None:
    pyffish = pytest.importorskip("pyffish", reason="pyffish is not installed")
    choose, pawns = random.Random(6), 0
    for _ in range(boards):
        board = random_crowd(choose)
        lengths = sorted(map(len, pawns_of(board).values()))
        for move in board.legal_moves:
            text = pyffish.get_san("xiangqi", board.fen(), move.uci(1), False, pyffish.NOTATION_XIANGQI_WXF)
            assert board.parse_san(text, 1) == move, (board.fen(), text)
            pawns += board.piece_type_at(move.from_square) == PAWN
            if text[:3] in ("11+", "33+") and lengths[-2:] == [2, 3]:
                continue  # WXF's own middle pawn
            assert board.parse_san(text) == move, (board.fen(), text)
    assert pawns > 3 * boards


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("炮二平五马8进7", "炮二平五 马8进7"),
        ("C2.5H8+7", "C2.5 H8+7"),
        ("c2=5h8+7H2+3", "c2=5 h8+7 H2+3"),
        ("h2e2h9g7", "h2e2 h9g7"),
        ("H2-E2H9-G7", "H2-E2 H9-G7"),
        ("h3e3h10g8", "h3e3 h10g8"),
        ("1.兵七进一炮2平32.兵三进一炮8平5", "兵七进一 炮2平3 兵三进一 炮8平5"),
        ("C2.5H8+72.H2+3", "C2.5 H8+7 H2+3"),
        ("Che2Hg7", "Che2 Hg7"),
        ("前兵九平八二7平6", "前兵九平八 二7平6"),
        ("33.4P+.6", "33.4 P+.6"),
        ("炮二平五马8进71-0", "炮二平五 马8进7 1-0"),
        ("炮二平五马", "炮二平五马"),
        ("33.4", "33.4"),
        ("nonsense", "nonsense"),
    ],
)
def test_moves_without_blanks(text: str, expected: str) -> None:
    actual = moves_in(text)
    assert " ".join(word for word, _ in actual) == expected
    assert all(text[at : at + len(word)] == word for word, at in actual)


def test_games_without_blanks() -> None:
    for words in (
        "1.炮二平五马8进72.马二进三 *",
        "1.C2.5H8+7 2.H2+3 *",
        "h2e2h9g7h0g2*",
        "1. 炮二平五马8进72.马二进三1-0",
    ):
        game = read_game(io.StringIO(f'[Event "x"]\n\n{words}\n'))
        assert game and not game.errors and [move.uci() for move in game.moves] == ["h2e2", "h9g7", "h0g2"], words
        assert game.result == ("1-0" if words.endswith("1-0") else "*")


@pytest.mark.parametrize(
    ("tags", "fault"),
    [
        ('[Variant "Jieqi"]', "a game of another kind: Variant Jieqi"),
        ('[Variant "chess"]', "a game of another kind: Variant chess"),
        ('[Game "揭棋"]', "a game of another kind: Game 揭棋"),
        ('[SetUp "1"]', "SetUp says that the game begins from a position, which no FEN gives"),
        ('[Handicap "让双马"]', "a handicap without the position from which it begins: Handicap 让双马"),
        ('[Variant "xiangqi"]', ""),
        ('[Game "Xiangqi"]\n[Variant "Xiangqi"]\n[SetUp "0"]\n[Handicap "无"]', ""),
        (f'[SetUp "1"]\n[FEN "{STARTING_FEN}"]\n[Odds "one move"]', ""),
    ],
)
def test_tags_that_change_what_moves_mean(tags: str, fault: str) -> None:
    game = read_game(io.StringIO(f"{tags}\n\n1. C2.5 H8+7 *\n"))
    assert game and [str(error) for error in game.errors] == [fault] * bool(fault)
    assert len(game.moves) == (0 if fault else 2)


def test_what_a_reader_leaves_out_is_noted() -> None:
    text = (
        '[Event "a"]\n[Event "b"]\n[Red "one\ntwo"]\n\n1. C2.5!!! $1 (1. C8.5 1-0) H8+7\n% escaped\n'
        "2. H2+3 $ 1-0 more words\n"
    )
    game = read_game(io.StringIO(text))
    assert game and not game.errors and not game.warnings and len(game.moves) == 3
    assert game.headers["Event"] == "b" and game.headers["Red"] == "one two" and game.comments == {1: "!!!"}
    assert game.notes == [
        "the tag Event is given twice, the first is left out: a",
        "texts left out: 4, the first: 1-0",
    ]
    game = read_game(io.StringIO("1. C2.5 1-0 {resigns}\n"))
    assert game and game.comments == {1: "resigns"} and not game.notes


# Games


PGN = """\ufeff[Game "Chinese Chess"]
[Event "A \\"cup\\""]
[Red "胡荣华"]
[Black "杨官璘"]
[Result "1-0"]
[Format "Chinese"]

{before} 1. 炮二平五 {the usual
move} 马８进７ (1... 炮８平５ 2. 马二进三 (2. 炮五进四 {a } 士４进５)) 2.马二进三! $14 ; to the end ) } {
% skipped
车９平８
3. 车一平二 1-0
======
welcome to the site
[Game "Chinese Chess"]
[Event "no moves"]

*

[Game "Chinese Chess"]
[Event "illegal"]

1. C2.5 H8+7 2. C2.5 R9.8 0-1

[Game "Chinese Chess"]
[Event "open comment"]

1. C2.5 {never closed
[Game "Chinese Chess"]
[Event "open variation"]
[Result "*"]
1. C2.5 (1. C8.5 *
[Game "Chinese Chess"]
[Event "bad FEN"]
[FEN "9/9 w"]

1. C2.5 *

[Game "Chinese Chess"]
[Event bad tag]

1. C2.5 *

[Game "Chinese Chess"]
[Event "last"]
[FEN "5k3/2P3P2/2P3P2/2P6/9/9/9/9/9/3K5 w - - 0 7"]

7.77.6 K6.5 8. 3-.4 K5+1 1/2-1/2
"""


def test_games_one_by_one() -> None:
    handle = io.StringIO(PGN)
    first = read_game(handle)
    assert first and first.headers["Event"] == 'A "cup"' and first.headers["Red"] == "胡荣华" and not first.errors
    assert [move.uci() for move in first.moves] == ["h2e2", "h9g7", "h0g2", "i9h9", "i0h0"]
    assert first.comments == {0: "before", 1: "the usual\nmove", 3: "to the end ) } {"} and first.nags == {3: [1, 14]}
    assert first.result == "1-0" and first.end().turn == BLACK
    games = []
    while (game := read_game(handle)) is not None:
        games.append(game)
    errors = {game.headers.get("Event"): [type(e).__name__ for e in game.errors] for game in games}
    assert errors == {
        "no moves": [],
        "illegal": ["IllegalMoveError"],
        "open comment": ["ValueError"],
        "open variation": ["ValueError"],
        "bad FEN": ["ValueError"],
        None: ["ValueError"],
        "last": [],
    }
    assert str(games[1].errors[0]) == "2. illegal move: C2.5"
    assert len(games[1].moves) == 2 and len(games[-1].moves) == 4 and games[-1].result == "1/2-1/2"


def test_malformed_games_are_reported_and_skipped(caplog: pytest.LogCaptureFixture) -> None:
    reported: list[Game] = []
    sound = list(read_games(io.StringIO(PGN), reported.append))
    assert [len(sound), len(reported)] == [3, 5] and not any(game.errors for game in sound)
    with caplog.at_level(logging.WARNING):
        assert len(list(read_games(io.StringIO(PGN)))) == 3
    assert len(caplog.records) == 5


class Endless(io.TextIOBase):
    """A file that never ends and cannot seek."""

    def __init__(self) -> None:
        self.lines = 0

    def readline(self, size: int = -1, /) -> str:
        self.lines += 1
        return ('[Game "Chinese Chess"]\n', "\n", "1. 炮二平五 马8进7 *\n")[self.lines % 3 - 1]


def test_reading_is_streaming() -> None:
    handle: Any = Endless()
    games = read_games(handle)
    assert [len(next(games).moves) for _ in range(3)] == [2, 2, 2] and handle.lines <= 10


def test_a_file_in_gb18030(tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    path.write_bytes(PGN.lstrip("\ufeff").encode("gb18030"))
    with path.open(encoding="gb18030") as handle:
        game = read_game(handle)
    assert game and game.headers["Black"] == "杨官璘" and len(game.moves) == 5


@pytest.mark.parametrize("text", ["", "\n\n", "no game here\n", "\x00{}()$;\n"])
def test_a_file_without_games(text: str) -> None:
    assert read_game(io.StringIO(text)) is None


@given(st.text(alphabet='[]"{}();$!*.1 \nC25H87+=-炮平', max_size=80))
def test_any_movetext_ends(text: str) -> None:
    handle = io.StringIO(f'[Game "Chinese Chess"]\n\n{text}')
    assert read_game(handle) is not None
    while read_game(handle) is not None:
        pass


def test_tags_alone_are_a_game() -> None:
    handle = io.StringIO('[Event "one"]\n[Result "0-1"]\n\n[Event "two"]\n\n1. C2.5 *\n')
    games = list(read_games(handle))
    assert [(game.headers["Event"], game.result, len(game.moves)) for game in games] == [
        ("one", "0-1", 0),
        ("two", "*", 1),
    ]


def test_results_and_dates_in_any_wording() -> None:
    game = read_game(io.StringIO(Game({"Result": "红先胜", "Date": "2006年7月3日"}, [Move.from_uci("h2e2")]).text()))
    assert game and game.result == "1-0" and game.headers["Date"] == "2006.07.03" and not game.notes
    game = read_game(io.StringIO(Game({"Result": "红优", "Date": "夏"}, [Move.from_uci("h2e2")]).text()))
    assert game and game.result == "*" and game.headers["ResultText"] == "红优" and not game.errors
    assert game.notes == [
        "a result that is not known, kept as text: 红优",
        "a date that is not known, kept as text: 夏",
    ]
    again = read_game(io.StringIO(game.text()))
    assert again and (again.result, again.headers["ResultText"], again.headers["Date"]) == ("*", "红优", "夏")
    for tags, end, result in (
        ("", "1-0", "1-0"),
        ("*", "0-1", "0-1"),
        ("odd", "1/2-1/2", "1/2-1/2"),
        ("1-0", "0-1", "1-0"),
    ):
        game = read_game(io.StringIO((f'[Result "{tags}"]\n' if tags else "") + f"\n1. C2.5 {end}\n"))
        assert game and game.result == result and bool(game.notes) == (tags in ("odd", "1-0"))


def test_without_tags() -> None:
    game = read_game(io.StringIO("1.C2.5 H8+7\n2.H2+3\n"))
    assert game and len(game.moves) == 3 and game.result == "*" and not game.errors


@pytest.mark.parametrize("notation", NOTATIONS)
def test_written_games_are_read_again(notation: Any) -> None:
    choose = random.Random(3)
    text, games = "", []
    for fen in (STARTING_FEN, TWO_FILES, BLACK_TWO_FILES):
        board = Board(fen)
        while board.ply() < 60 and not board.is_game_over():
            board.push(choose.choice(list(board.legal_moves)))
        game = Game.from_board(board, Event='a "b" \\', Red="红")
        game.comments |= {0: "at the start", 1: "one\n[two]"}
        game.nags[1] = [1, 18]
        games.append(game)
        text += game.text(notation) + "\n"
    assert max(len(line) for line in text.splitlines()) <= 80
    read = list(read_games(io.StringIO(text)))
    assert [game.moves for game in read] == [game.moves for game in games]
    assert [game.headers.get("FEN") for game in read] == [game.headers.get("FEN") for game in games]
    assert all(game.headers["Event"] == 'a "b" \\' for game in read)
    assert all(game.comments == {0: "at the start", 1: "one [two]"} and game.nags == {1: [1, 18]} for game in read)
    assert str(read[0]) == games[0].text()


# Pictures


def test_svg() -> None:
    board = Board()
    board.push_san("C2.5")
    root = ElementTree.fromstring(board._repr_svg_())
    space = "{http://www.w3.org/2000/svg}"
    assert root.tag == f"{space}svg"
    uses = [use.get("href") for use in root if use.tag == f"{space}use"]
    assert len(uses) == 32 and uses.count("#siqi-xq-tP") == uses.count("#siqi-xq-tpp") == 5
    kept = {element.get("id") for element in root.iter()}
    assert {f"siqi-{ord(character):x}" for character in "帥將楚河漢界abcdefghi0123456789"} <= kept
    assert len([1 for path in root.iter(f"{space}path") if path.get("class") == "siqi-xq-last"]) == 2


def test_svg_options() -> None:
    board = Board("3k5/3R5/3R5/9/9/9/9/9/9/4K4 b - - 0 1")
    picture = svg.board(
        board,
        orientation=BLACK,
        check=board.king(BLACK),
        arrows=[(0, 40)],
        size=300,
        coordinates=False,
        colors={"board": "#abc"},
    )
    root = ElementTree.fromstring(picture)
    assert root.get("width") == "300" and root.get("style") == "--siqi-board:#abc"
    classes = [element.get("class") for element in root.iter()]
    assert classes.count("siqi-xq-check") == classes.count("siqi-xq-arrow") == 1
    assert 'class="siqi-xq-check"' in Board("3k5/3R5/3R5/9/9/9/9/9/9/4K4 b")._repr_svg_()
    for colour in ('"<&', "red;fill:blue", "url(x)"):
        with pytest.raises(ValueError, match="not a colour"):
            svg.board(board, colors={"board": colour})


# The package


def test_the_declaration_loads_nothing_heavy() -> None:
    code = "import sys, siqi.games.xiangqi; print(sorted({'numba', 'numpy'} & set(sys.modules)))"
    root = Path(__file__).parents[3]
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert out.stdout.strip() == "[]"
    with pytest.raises(ImportError):
        from siqi.games.xiangqi.library import Bored  # type: ignore[attr-defined]  # noqa: F401


def shared_games(count: int) -> Iterator[list[str]]:
    import zstandard

    with zstandard.open(SHARED / "xiangqi" / "games.jsonl.zst", "rt", encoding="utf-8") as handle:
        for _, line in zip(range(count), handle):
            yield json.loads(line)["moves"]


@pytest.mark.shared
@sampled("count", 20, 5000)
def test_every_move_of_real_games_survives_every_notation(count: int) -> None:
    """Moves are written and read in UCI with ranks from 0 and 1, ICCS, WXF, Chinese in both scripts; games in PGN."""
    plies = games = 0
    for texts in shared_games(count):
        board = Board()
        for text in texts:
            move = board.parse_uci(text)
            assert move.uci() == text and Move.from_uci(move.uci(1), 1) == move
            for notation in NOTATIONS:
                assert board.parse_san(board.san(move, notation)) == move, (board.fen(), text, notation)
            board.push(move)
            plies += 1
        notation = NOTATIONS[games % len(NOTATIONS)]
        game = read_game(io.StringIO(Game(moves=list(board.move_stack)).text(notation)))
        assert game and game.moves == board.move_stack and not game.errors
        games += 1
    print(f"{games} games, {plies} plies")
    assert games == count


@pytest.mark.parametrize(
    ("sign", "nag"),
    [
        *(
            ("!", 1),
            ("？", 2),
            ("！！", 3),
            ("?？", 4),
            ("！?", 5),
            ("⁈", 6),
            ("+=", 14),
            ("⩲", 14),
            ("=+", 15),
            ("±", 16),
        ),
        *(("+/-", 16), ("∓", 17), ("-/+", 17), ("+-", 18), ("-+", 19), ("=", 10), ("∞", 13), ("□", 7), ("N", 146)),
    ],
)
def test_signs_beside_moves_are_nags(sign: str, nag: int) -> None:
    for text in (f"1. C2.5 {sign} H8+7 *", f"1. C2.5{sign} H8+7 *", f"1. 炮二平五{sign} 马８进７ *"):
        game = read_game(io.StringIO(text))
        assert game is not None and not game.errors and not game.notes
        assert len(game.moves) == 2 and game.nags == {1: [nag]}, text


@pytest.mark.parametrize(
    ("text", "count", "notes"),
    [
        ("1. C2.5 xyz H8+7 => *", 2, ["texts left out: 2, the first: xyz"]),
        ("1. C2.5 +0.35/12 e.p. H8+7 *", 2, ["texts left out: 2, the first: +0.35/12"]),
        ("1. C2.5+ H8+7# *", 2, []),
        ("1．C2.5，H8+7；2．H2+3。 *", 3, []),
        ("1、炮二平五，马8进7；2、马二进三（好棋）车9平8 *", 4, ["texts left out: 1, the first: 好棋"]),
        ("1. C2.5 ｛好}棋｝ H8+7 ；好 H2+3\n2. H2+3 *", 3, []),
        ("1. C2.5 H8+7 ½-½", 2, []),
        ("1. C2.5 H8+7 和棋", 2, []),
        ("1. C2.5 H8+7 1：0", 2, []),
    ],
)
def test_texts_that_are_no_moves_do_not_end_a_game(text: str, count: int, notes: list[str]) -> None:
    game = read_game(io.StringIO(text))
    assert game is not None and not game.errors and game.notes == notes
    assert len(game.moves) == count
    if "｛" in text:
        assert game.comments == {1: "好}棋", 2: "好 H2+3"}
    results = {"½-½": "1/2-1/2", "和棋": "1/2-1/2", "1：0": "1-0"}
    assert game.result == results.get(text.rsplit(maxsplit=1)[-1], "*")


@pytest.mark.parametrize("word", ["R9..", "R9.", "炮二平", "炮二\ufffd五", "车9进", "--", "h2e", "\ufffd\ufffd"])
def test_moves_with_a_fault_end_a_game(word: str) -> None:
    game = read_game(io.StringIO(f"1. C2.5 H8+7 2. {word} R9.8 *"))
    assert game is not None
    assert len(game.moves) == 2 and "not a move" in str(game.errors[0])


def test_every_move_is_like_a_move() -> None:
    board, rng = Board(), random.Random(5)
    for _ in range(120):
        moves = list(board.legal_moves)
        if not moves:
            break
        move = rng.choice(moves)
        for notation in ("wxf", "chinese", "traditional", "iccs", "xboard", "fairy"):
            text = board.san(move, notation)
            assert is_like_move(text) and is_like_move(text.lower()) and split_sign(text) == (text.rstrip("+#"), "")
        assert is_like_move(move.uci())
        board.push(move)


def test_notes_stand_behind_signs() -> None:
    text = "1. C2.5± H8+7+ 2. H2+3 N *\n"
    game = read_game(io.StringIO(text))
    assert game is not None
    notes = {place: (NoteLine(f"+0.0{place}/1"),) for place in range(4)}
    annotated = game.annotated(notes)
    assert "C2.5±\n{Siqi +0.01/1} H8+7+\n{Siqi +0.02/1} 2. H2+3 N\n{Siqi +0.03/1} *" in annotated
