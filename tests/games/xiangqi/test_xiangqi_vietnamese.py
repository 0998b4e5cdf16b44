"""Vietnamese notation: words, whole games, and what must stay WXF's."""

from __future__ import annotations

import io
import random
from pathlib import Path

import pytest

from siqi.game_files import load_games, save_games
from siqi.games.formats import WriteStyle, recognised
from siqi.games.game_record import NoteLine
from siqi.games.xiangqi.formats.table import FORMATS
from siqi.games.xiangqi.library.board import STARTING_FEN, Board
from siqi.games.xiangqi.library.move import IllegalMoveError, InvalidMoveError
from siqi.games.xiangqi.library.pgn import Game, read_game
from siqi.games.xiangqi.library.vietnamese import is_vietnamese

BY_NAME = {form.name: form for form in FORMATS}

MOVES = "1. P2-5 M8.7 2. M2.3 X9-8 3. X1-2 B7.1 4. X2.6 M2.3 5. B7.1 T3.5 6. S4.5 P8-9 7. X2/2 S4.5"
CHINESE = " ".join(
    [
        "炮二平五 马８进７ 马二进三 车９平８ 车一平二 卒７进１ 车二进六 马２进３",
        "兵七进一 象３进５ 仕四进五 炮８平９ 车二退二 士４进５",
    ]
)


def game_of(text: str) -> Game:
    game = read_game(io.StringIO(text))
    assert game is not None
    return game


def chinese(game: Game) -> str:
    board = game.board()
    return " ".join(board.san_and_push(move, "chinese") for move in game.moves)


@pytest.mark.parametrize(
    "text",
    [
        MOVES,
        MOVES.replace("-", "–"),
        MOVES.lower(),
        MOVES.replace("B7.1", "C7.1").replace("T3.5", "V3.5"),
        MOVES.replace(". ", "."),
        "\n".join(MOVES.split(" ")),
    ],
)
def test_a_game_is_read(text: str) -> None:
    game = game_of(f'[Red "A"]\n\n{text} 1-0\n')
    assert chinese(game) == CHINESE and not game.errors and not game.notes and game.result == "1-0"
    parsed = BY_NAME["moves"].read(text.encode())
    assert not parsed.faults and not parsed.notes and chinese(parsed.games[0]) == CHINESE
    kind = recognised(FORMATS, text.encode())
    assert kind is not None and kind.name == "moves"


def test_a_game_is_written_and_keeps_its_notation() -> None:
    game = game_of(f'[Red "A"]\n\n{MOVES} *\n')
    text = BY_NAME["pgn"].write([game], WriteStyle("", "vietnamese")).data.decode()
    assert '[Format "Vietnamese"]' in text and MOVES in " ".join(text.split())
    assert chinese(game_of(text)) == CHINESE
    assert MOVES in " ".join(BY_NAME["moves"].write([game], WriteStyle("", "vietnamese")).data.decode().split())
    noted = game.annotated({1: (NoteLine("+0.30/9", ("h9g7",)),)})
    assert "{Siqi +0.30/9 M8.7}" in noted and MOVES.split()[1] in noted


def test_variations_comments_and_a_fault() -> None:
    game = game_of("1. P2-5 {Pháo đầu} (1. M2.3 B7.1) M8.7 2. M2.3 $1 X9-8 3. X1.9 {mất} *\n")
    assert [move.uci() for move in game.moves] == ["h2e2", "h9g7", "h0g2", "i9h9"]
    assert game.comments == {1: "Pháo đầu"} and len(game.variations[0][0].moves) == 2 and game.nags == {3: [1]}
    assert [str(error) for error in game.errors] == ["3. illegal move: X1.9"]


@pytest.mark.parametrize(
    ("fen", "words"),
    [
        ("3k5/9/9/9/2R6/9/2R6/9/9/4K4 w", {"c5c6": "Xt.1", "c3c2": "Xs/1", "c5d5": "Xt-6", "e0e1": "Tg5.1"}),
        ("3k5/9/4P4/4P4/4P4/9/9/9/9/5K3 w", {"e7e8": "Bt.1", "e6d6": "Bg-6", "e5f5": "Bs-4"}),
        ("3k5/4P4/4P4/4P4/4P4/9/9/9/9/5K3 w", {"e8e9": "1B.1", "e7d7": "2B-6", "e5f5": "4B-4"}),
        ("3k5/9/4P1P2/4P1P2/8P/9/9/9/9/5K3 w", {"g7g8": "1B.1", "e6d6": "4B-6", "i5i6": "B1.1"}),
        ("3k1a3/4a4/9/9/9/9/9/9/9/5K3 b", {"e8f7": "S5.6", "f9e8": ""}),
        ("3k5/9/9/4n4/9/4n4/9/9/9/5K3 b", {"e6d4": "Ms.4", "e4d2": "Mt.4"}),
    ],
)
def test_words(fen: str, words: dict[str, str]) -> None:
    board = Board(fen)
    for uci, word in words.items():
        if word:
            move = board.parse_uci(uci)
            assert board.san(move, "vietnamese") == word
            assert (
                board.parse_san(word, is_vietnamese=True) == board.parse_san(word.lower(), is_vietnamese=True) == move
            )


def test_every_move_is_read_as_it_is_written() -> None:
    rng = random.Random(3)
    starts = [
        STARTING_FEN,
        "3k5/2P6/2P6/2P6/2P6/2P6/9/9/9/4K4 w - - 0 1",
        "3k5/4P4/4P4/4P4/9/9/2P6/2P6/9/5K3 w - - 0 1",
        "3ak4/4a4/4b4/4r4/4r4/9/9/4B4/4A4/3K1AB2 w - - 0 1",
    ]
    for fen in 2 * starts:
        board = Board(fen)
        for _ in range(25):
            moves = list(board.legal_moves)
            if not moves or board.is_game_over():
                break
            for move in rng.sample(moves, min(4, len(moves))):
                assert board.parse_san(board.san(move, "vietnamese"), is_vietnamese=True) == move
            board.push(rng.choice(moves))


def test_words_of_two_notations() -> None:
    """What only Vietnamese has is read at once; the rest is WXF's unless it is said, or the whole game shows it."""
    board = Board()
    assert board.parse_san("X1.1").uci() == "i0i1" and board.parse_san("T3.5").uci() == "g0e2"
    assert board.parse_san("C2.5").uci() == "h2e2"
    for word in ("P2-5", "M2.3", "B7.1"):
        with pytest.raises(IllegalMoveError, match=word):
            board.parse_san(word)
        assert board.parse_san(word, is_vietnamese=True)
    for word in ("X0.1", "X", "X.1", "X12.1"):
        with pytest.raises(InvalidMoveError, match=f"not a move: {word}"):
            board.parse_san(word, is_vietnamese=True)
    game = game_of("1. C2.5 H8+7 2. P2-5 *\n")  # a fault, not a cannon's move
    assert len(game.moves) == 2 and "2. illegal move: P2-5" in str(game.errors[0])
    assert not is_vietnamese(["C2.5", "P2-5", "H8+7"]) and not is_vietnamese(["S4.5", "C2.5"])
    assert is_vietnamese(["S4.5", "C2.1", "X1.1"])


def test_files_are_converted(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(f"{MOVES}\n", encoding="utf-8")
    (game,) = load_games(path).games
    save_games(tmp_path / "b.pgn", [game], notation="vietnamese")
    (same,) = load_games(tmp_path / "b.pgn").games
    assert same.moves == game.moves and same.headers["Format"] == "Vietnamese"
