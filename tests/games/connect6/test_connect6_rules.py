"""Connect6's rules: against the oracle on random games, on game records, and on the rule of the single stone."""

from __future__ import annotations

import csv
import gzip
import io
import random
import re
from collections.abc import Iterator
from typing import Any

import pytest
from fixture_files import SHARED, lines, vectors
from live_record import live_bytes
from samples import sampled

from naive.connect6 import COLUMNS, Naive, points_of, text_of
from siqi.games import registry
from siqi.games.connect6.data.weights import OPPONENT_VALUE, OWN_VALUE, TEMPO
from siqi.games.connect6.rules.lookup import LOOKUP, LOOKUP_RECORD
from siqi.games.connect6.rules.position import POSITION, do_pair, undo_pair
from siqi.games.contract import Game
from siqi.games.kernel.control import Control
from siqi.games.kernel.jit import entry, int64, void

EMPTY = "/".join(["19"] * 19)


@pytest.fixture(scope="module")
def game() -> Game:
    return registry.load("connect6")


def replay(game: Game, moves: list[str]) -> Any:
    position = game.position()
    for text in moves:
        position.push(position.parse_move(text))
    return position


def drawn_board(empty: list[str]) -> str:
    """Return the first field of a FEN: a board without six in a row, full except for some points."""
    rows = []
    for row in range(19, 0, -1):
        stones = ["bw"[(column // 2 + row) % 2] for column in range(19)]
        line = "".join("." if f"{c}{row}" in empty else s for c, s in zip(COLUMNS, stones, strict=True))
        rows.append(re.sub(r"\.+", lambda run: str(len(run[0])), line))
    return "/".join(rows)


def random_turn(rng: random.Random, oracle: Naive) -> str:
    """Return a random turn, usually near the middle, where lines get long; its points in either order."""
    free = oracle.points_free()
    near = [point for point in free if 6 <= point[0] <= 12 and 7 <= point[1] <= 13]
    if rng.random() < 0.1 or len(near) < 2:
        near = free
    points = rng.sample(near, oracle.stones_left)
    return "".join(f"{COLUMNS[column]}{row}" for column, row in points)


def random_games(game: Game, seed: int, count: int, length: int) -> Iterator[tuple[Any, Naive]]:
    """Yield each position of random games with the oracle's, final positions included."""
    rng = random.Random(seed)
    for _ in range(count):
        position, oracle = game.position(), Naive()
        yield position, oracle
        while position.ply < length and position.outcome() is None:
            text = random_turn(rng, oracle)
            position.push(position.parse_move(text))
            oracle.push(text)
            yield position, oracle


@sampled("games", 20, 100)
def test_random_games_against_the_oracle(game: Game, games: int) -> None:
    seen = won = 0
    for position, oracle in random_games(game, 1, games, 60):
        seen += 1
        outcome = position.outcome()
        winner = oracle.winner()
        assert (outcome is None) == (winner is None)
        if outcome is not None:
            won += 1
            assert (outcome.winner, outcome.reason) == (winner, "six")
            assert position.legal_moves() == []
            assert position.count_legal() == 0
        else:
            assert position.fen() == oracle.fen()
        assert position.turn == oracle.turn
    assert seen > 15 * games
    assert won > games // 2


@sampled("games", 20, 100)
def test_counts_and_evaluations_of_the_oracle(game: Game, games: int) -> None:
    rng = random.Random(2)
    game.set_option("Evaluation", "roads")
    for position, oracle in random_games(game, 3, games, 40):
        if position.outcome() is None and rng.random() < 0.25:
            for side in (0, 1):
                expected = oracle.global_evaluation(side, OWN_VALUE, OPPONENT_VALUE)
                assert int(position.record.score[side]) == expected
            total = int(position.record.score[oracle.turn]) + TEMPO
            assert game.evaluate(position)[-1].startswith(f"total {total:+d} ")


@sampled("lists", 5, 30)
def test_legal_turns_of_the_oracle(game: Game, lists: int) -> None:
    rng = random.Random(4)
    listed = 0
    for position, oracle in random_games(game, 5, 4 * lists, 60):
        threatening = position.ply == 0 or (position.record.threats[position.turn] > 0 and rng.random() < 0.3)
        if position.outcome() is None and listed < lists and threatening:
            listed += 1
            turns = oracle.legal_turns()
            assert position.count_legal() == len(turns)
            assert sorted(map(position.move_text, position.legal_moves())) == turns
    assert listed == lists


@sampled("boards", 15, 100)
def test_few_empty_points_against_the_oracle(game: Game, boards: int) -> None:
    rng = random.Random(6)
    points = [f"{column}{row}" for column in COLUMNS for row in range(1, 20)]
    for _ in range(boards):
        empty = rng.sample(points, rng.randint(1, 9))
        position = game.position(f"{drawn_board(empty)} {rng.choice('bw')} {rng.choice('12')}")
        oracle = Naive(position.fen())
        while oracle.winner() is None and not oracle.drawn():
            turns = oracle.legal_turns()
            assert sorted(map(position.move_text, position.legal_moves())) == turns
            assert position.count_legal() == len(turns)
            text = rng.choice(turns)
            position.push(position.parse_move(text))
            oracle.push(text)
        outcome = position.outcome()
        assert outcome is not None
        assert outcome.winner == oracle.winner()
        assert outcome.reason == ("six" if oracle.winner() is not None else "full-board")


@sampled("games", 25, 150)
def test_push_and_pop_restore_every_byte(game: Game, games: int) -> None:
    rng = random.Random(7)
    for _ in range(games):
        position, oracle = game.position(), Naive()
        states = []
        while position.ply < 50 and position.outcome() is None:
            for _ in range(3):
                before = live_bytes(position.record)
                move = position.parse_move(random_turn(rng, oracle))
                position.push(move)
                assert position.pop() == move
                assert live_bytes(position.record) == before
            states.append((before, position.fen(), move))
            position.push(move)
            oracle.push(position.move_text(move))
        while states:
            before, fen, move = states.pop()
            assert position.pop() == move
            assert live_bytes(position.record) == before
            assert position.fen() == fen
        with pytest.raises(IndexError):
            position.pop()


@entry(void(POSITION, LOOKUP, int64), is_rare=True)
def play_pair(pos: Any, lookup: Any, move: int) -> None:
    do_pair(pos, lookup, move)


@entry(void(POSITION, LOOKUP, int64), is_rare=True)
def take_back_pair(pos: Any, lookup: Any, move: int) -> None:
    undo_pair(pos, lookup, move)


@sampled("boards", 30, 200)
def test_pairs_of_the_threat_search_are_turns_without_sums(game: Game, boards: int) -> None:
    """Each of a line of turns gives the board that `push` gives, also on the last points; then all are taken back."""
    rng = random.Random(9)
    points = [f"{column}{row}" for column in COLUMNS for row in range(1, 20)]
    pairs = 0
    for board in range(boards):
        empty = rng.sample(points, 9 if board % 2 else 361)
        position = game.position(f"{drawn_board(empty)} {rng.choice('bw')} 2")
        record = position.record.copy()
        states = []
        while len(empty) >= 2 and len(states) < 6:
            move = position.parse_move(empty.pop() + empty.pop())
            position.push(move)
            if (outcome := position.outcome()) is not None and outcome.winner is not None:
                break
            states.append((live_bytes(record), move))
            play_pair(record, LOOKUP_RECORD, move)
            for field in ("stones", "roads", "turn", "left", "key", "empty"):
                assert record[field].tolist() == position.record[field].tolist(), field
        pairs += len(states)
        while states:
            before, move = states.pop()
            take_back_pair(record, LOOKUP_RECORD, move)
            assert live_bytes(record) == before
    assert pairs > 3 * boards


@sampled("games", 12, 60)
def test_running_sums_are_those_of_a_fresh_position(game: Game, games: int) -> None:
    fields = ("stones", "roads", "interest", "score", "threats", "turn", "left", "winner", "key", "empty")
    for position, _ in random_games(game, 8, games, 60):
        fresh = game.position(position.fen())
        assert fresh.fen() == position.fen()
        assert fresh.key == position.key
        for field in fields:
            assert fresh.record[field].tolist() == position.record[field].tolist(), field


def test_a_copy_is_independent(game: Game) -> None:
    position = replay(game, ["j10", "i9k11"])
    fen, key = position.fen(), position.key
    twin = position.copy()
    twin.pop()
    twin.push(twin.parse_move("a1b1"))
    twin.push(twin.parse_move("c1d1"))
    assert (position.fen(), position.key, position.ply) == (fen, key, 2)
    position.pop()
    position.push(position.parse_move("e5e6"))
    assert [twin.move_text(twin.pop()) for _ in range(3)] == ["c1d1", "a1b1", "j10"]


def test_the_order_of_stones_does_not_matter(game: Game) -> None:
    one, other = replay(game, ["j10", "i9k11", "a1b2", "c3d4"]), replay(game, ["j10", "d4c3", "b2a1", "k11i9"])
    assert one.key == other.key
    assert one.fen() == other.fen()


@pytest.mark.parametrize("case", vectors("connect6_games.jsonl"), ids=lambda case: str(case["gid"]))
def test_recorded_games(game: Game, case: dict[str, Any]) -> None:
    position = game.position()
    for text in case["moves"]:
        assert position.outcome() is None
        move = position.parse_move(text)
        assert position.move_text(move) == text_of(points_of(text))
        position.push(move)
    if case["end"] == "six":
        assert str(position.outcome()) == f"win {'first' if case['result'] == 'B' else 'second'} six"
    else:
        assert position.outcome() is None


def test_openings_and_puzzles_replay(game: Game) -> None:
    for text in lines("connect6_openings.txt"):
        assert replay(game, text.split()).outcome() is None
    for case in vectors("connect6_puzzles.jsonl"):
        position = replay(game, case["history"])
        assert position.outcome() is None
        if case["winning_turn"]:
            position.parse_move(case["winning_turn"])


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("i9k11", "i9k11"),
        ("k11i9", "i9k11"),
        ("K11I9", "i9k11"),
        ("a10a9", "a9a10"),
        ("s19a1", "a1s19"),
        ("a2b1", "a2b1"),
        ("b1a2", "a2b1"),
    ],
)
def test_a_turn_is_read_in_either_order_and_written_sorted(game: Game, text: str, written: str) -> None:
    position = replay(game, ["j10"])
    assert position.move_text(position.parse_move(text)) == written
    assert position.parse_move(text) == position.parse_move(written)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("j10k11", "illegal move, j10 is taken: j10k11"),
        ("k11j10", "illegal move, j10 is taken: k11j10"),
        ("k11", "illegal move, two stones are to be placed: k11"),
        ("k11k11", "the same point twice: k11k11"),
        ("t1a1", "not a move: t1a1"),
        ("\u017f1a1", "not a move: \u017f1a1"),
        ("a0b1", "not a move: a0b1"),
        ("a20b1", "row off the board: a20b1"),
        ("a01b1", "not a move: a01b1"),
        ("a1b1c1", "not a move: a1b1c1"),
        ("a1 b1", "not a move: a1 b1"),
        ("", "not a move: "),
    ],
)
def test_refused_turns(game: Game, text: str, error: str) -> None:
    position = replay(game, ["j10"])
    with pytest.raises(ValueError) as raised:
        position.parse_move(text)
    assert str(raised.value) == error


def test_the_first_turn_is_one_stone(game: Game) -> None:
    position = game.position()
    assert position.count_legal() == len(position.legal_moves()) == 361
    assert all(position.parse_move(position.move_text(move)) == move for move in position.legal_moves())
    with pytest.raises(ValueError, match="one stone is to be placed"):
        position.parse_move("j10k11")
    position.push(position.parse_move("a1"))
    assert position.fen().endswith(" w 2")
    assert position.count_legal() == 360 * 359 // 2


def test_a_winning_stone_may_stand_alone(game: Game) -> None:
    position = game.position(f"{EMPTY[:-2]}1bbbbb4wwww5 b 2")
    singles = [position.move_text(move) for move in position.legal_moves() if len(position.move_text(move)) < 4]
    assert singles == ["a1", "g1"]
    for text in ("a1", "g1", "a1g1", "g1m10"):
        position.push(position.parse_move(text))
        assert str(position.outcome()) == "win first six"
        assert position.turn == 1
        with pytest.raises(ValueError, match="the game is over"):
            position.parse_move("s19r19")
        position.pop()
        assert position.outcome() is None
        assert position.turn == 0
    with pytest.raises(ValueError, match="two stones are to be placed"):
        position.parse_move("h1")


@pytest.mark.parametrize("text", ["g1", "g1h1", "a1g1"])
def test_more_than_six_in_a_row_win(game: Game, text: str) -> None:
    position = game.position(f"{EMPTY[:-2]}1bbbbb1bbb9 b 2")
    position.push(position.parse_move(text if text != "g1h1" else "g1k1"))
    assert str(position.outcome()) == "win first six"


def test_four_stones_need_both(game: Game) -> None:
    position = game.position(f"{EMPTY[:-2]}1bbbb4wwww6 w 2")
    assert min(len(position.move_text(move)) for move in position.legal_moves()) == 4
    position.push(position.parse_move("h1i1"))
    assert str(position.outcome()) == "win second six"


@pytest.mark.parametrize(("empty", "turns"), [(["e7"], 1), (["e7", "e9"], 1), (["e7", "e9", "m3"], 3)])
def test_the_last_points(game: Game, empty: list[str], turns: int) -> None:
    position = game.position(f"{drawn_board(empty)} b 2")
    assert position.outcome() is None
    assert position.count_legal() == len(position.legal_moves()) == turns
    while position.outcome() is None:
        position.push(position.legal_moves()[0])
    assert str(position.outcome()) == "draw full-board"
    assert position.count_legal() == 0
    while position.ply:
        position.pop()
    assert position.outcome() is None


@pytest.mark.parametrize("empty", [["e7", "e9", "m3"], ["a1", "s19", "j10", "j11", "j12"]])
def test_a_single_last_point_is_one_stone_in_the_fen_too(game: Game, empty: list[str]) -> None:
    position = game.position(f"{drawn_board(empty)} b 2")
    while position.record.empty > 1:
        position.push(position.legal_moves()[0])
    fresh = game.position(position.fen())
    assert fresh.fen() == position.fen()
    assert fresh.key == position.key


def test_a_full_board_is_drawn_from_its_fen(game: Game) -> None:
    position = game.position(f"{drawn_board([])} b 2")
    assert str(position.outcome()) == "draw full-board"
    assert position.legal_moves() == []


@pytest.mark.parametrize(
    ("fen", "error"),
    [
        (f"{EMPTY} b", "2 fields, not 3"),
        (f"{EMPTY} b 1 0", "4 fields, not 3"),
        (f"{EMPTY[3:]} b 1", "board has 18 rows, not 19"),
        (f"{EMPTY}/19 b 1", "board has 20 rows, not 19"),
        (f"18{EMPTY[2:]} b 1", "row 19 has 18 columns, not 19"),
        (f"{EMPTY}b b 1", "row 1 has 20 columns, not 19"),
        (f"{EMPTY[:-2]}x18 b 1", "unknown stone x"),
        (f"{EMPTY[:-2]}B18 b 1", "unknown stone B"),
        (f"{EMPTY[:-2]}190 b 1", "unknown stone 0"),
        (f"{EMPTY} r 1", "side to move is b or w, not r"),
        (f"{EMPTY} b 3", "stones left are 1 or 2, not 3"),
        (f"{EMPTY} b 0", "stones left are 1 or 2, not 0"),
        (f"bbbbbb13/{EMPTY[3:-3]}/wwwwww13 b 2", "both sides have six in a row"),
    ],
)
def test_refused_fens(game: Game, fen: str, error: str) -> None:
    with pytest.raises(ValueError) as raised:
        game.position(fen)
    assert error in str(raised.value)


def test_the_start_and_other_fens_are_written_as_read(game: Game) -> None:
    assert game.position().fen() == f"{EMPTY} b 1"
    for fen in (f"{EMPTY} w 2", f"{EMPTY[:-2]}bw15wb w 1", f"{EMPTY[:-2]}b9w8 b 2"):
        assert game.position(fen).fen() == fen


def test_perft(game: Game) -> None:
    position = game.position(f"{drawn_board(['a1', 'e7', 'e9', 'm3', 's4'])} b 2")
    oracle = Naive(position.fen())
    turns = oracle.legal_turns()
    counts = dict(game.perft(position, 1, Control()))
    assert sorted(map(position.move_text, counts)) == turns
    assert set(counts.values()) == {1}
    expected = 0
    for text in turns:
        child = Naive(position.fen())
        child.push(text)
        expected += child.count_legal()
    assert sum(count for _, count in game.perft(position, 2, Control())) == expected


@pytest.mark.shared
@pytest.mark.parametrize("step", [16, pytest.param(1, marks=pytest.mark.long)])
def test_shared_games(game: Game, step: int) -> None:
    path = SHARED / "connect6/lg_expert_games.csv.gz"
    with gzip.open(path) as packed:
        rows = list(csv.DictReader(io.TextIOWrapper(packed, encoding="utf-8")))
    assert len(rows) == 19_368
    for row in rows[::step]:
        position = replay(game, row["moves"].split())
        if row["end"] == "six":
            assert str(position.outcome()) == f"win {'first' if row['result'] == 'B' else 'second'} six", row["gid"]
        else:
            assert position.outcome() is None, row["gid"]
