"""Lines of positions: EPD's operations, comments, moves, and words that belong to none of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from client import Client

from siqi.daemon.analysis.inputs import queries_of_fens
from siqi.games import registry
from siqi.games.records.position_lines import read_line

FEN = "3k5/9/9/9/9/9/9/9/9/R3K4"


@pytest.mark.parametrize(
    ("line", "start", "moves", "comment"),
    [
        (f'{FEN} w - - bm a7a9; id "one";', f"{FEN} w - -", (), 'bm a7a9; id "one";'),
        (f"{FEN} w - - 0 1 bm a0a9", f"{FEN} w - - 0 1", (), "bm a0a9"),
        (f"{FEN} w bm a0a9;", f"{FEN} w", (), "bm a0a9"),
        (f"{FEN} w - - acd 3; c0 x;", f"{FEN} w - -", (), "acd 3; c0 x;"),
        (f"{FEN} w - - my_op 3;", f"{FEN} w - -", (), "my_op 3"),
        (f"position fen {FEN} w - - 0 1 moves a0a9 ; a note", f"{FEN} w - - 0 1", ("a0a9",), "a note"),
        ("startpos moves h2e2 h9g7", "startpos", ("h2e2", "h9g7"), ""),
        (f"{FEN} w - - 0 1 h2e2 h9g7", f"{FEN} w - - 0 1 h2e2 h9g7", (), ""),
        (f"{FEN} w - - 0 1 h2e2; a note", f"{FEN} w - - 0 1 h2e2", (), "a note"),
        (f"{FEN} w - - 0 1 move h2e2;", f"{FEN} w - - 0 1 move h2e2", (), ""),
        ("aaaaa/aaaaa f s 0 ; note", "aaaaa/aaaaa f s 0", (), "note"),
        ("fen", "fen", (), ""),  # the head of a column: no start position
        ("fen moves h2e2", "fen", ("h2e2",), ""),
        ("position", "position", (), ""),
    ],
)
def test_the_parts_of_a_line(line: str, start: str, moves: tuple[str, ...], comment: str) -> None:
    assert read_line(line) == (start, moves, comment)
    (query,) = queries_of_fens(["# none", "", line], "xiangqi")
    assert (query.fen, query.moves) == ("" if start == "startpos" else start, moves)


def test_what_is_read_by_convert_is_analysed_and_the_rest_refused_by_both() -> None:
    fens = next(form for form in registry.formats("xiangqi") if form.name == "fens")
    parsed = fens.read(f'{FEN} w - - bm a0a9; id "one";\n{FEN} w - - 0 1 a0a9 d9d8\n{FEN} w 0 1 move a0a9\n'.encode())
    assert [game.comments for game in parsed.games] == [{0: 'bm a0a9; id "one";'}]
    assert parsed.faults == [
        "line 2: unexpected a0a9: moves stand behind the word moves",
        "line 3: counter is not a number: move",
    ]


@pytest.mark.parametrize("game", registry.NAMES)
def test_no_game_drops_words_behind_a_fen(game: str) -> None:
    loaded = registry.load(game)
    position = loaded.position(None)
    words = {"ewn": ("123456", "123456"), "junqi": ()}.get(game, ())
    for word in words:
        position.push(position.parse_move(word))
    fen = position.fen() if game != "junqi" else "5/5/5/5/5/a4/5/A4/5/5/5/5 f - 0"
    for words in ("h2e2 h9g7", "move h2e2", "0", "-"):
        with pytest.raises(ValueError):
            loaded.position(f"{fen} {words}")


@pytest.mark.parametrize("protocol", ["uci", "ucci"])
def test_front_ends_refuse_words_behind_a_fen(protocol: str) -> None:
    with Client(protocol) as client:
        client.expect(f"{protocol}ok")
        for words in ("h2e2 h9g7", "move h2e2"):
            client.send(f"position fen {FEN} w - - 0 1 {words}", "isready")
            assert any(f"bad FEN: unexpected {words.split()[0]}" in line for line in client.expect("readyok"))


def test_a_game_s_fen_tag_with_more_words_is_a_fault(tmp_path: Path) -> None:
    pgn = next(form for form in registry.formats("xiangqi") if form.name == "pgn")
    parsed = pgn.read(f'[FEN "{FEN} w - - 0 1 a0a9"]\n\n1. a0a8 *\n'.encode())
    assert not parsed.games and "unexpected a0a9" in parsed.faults[0]
