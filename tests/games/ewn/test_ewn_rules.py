"""EWN's rules: against the oracle on random games, and on the exact positions; set-ups, dice and perft."""

from __future__ import annotations

import csv
import itertools
import random
from typing import Any

import pytest
from fixture_files import SHARED, vectors
from live_record import live_bytes
from samples import sampled

from naive.ewn import Naive, letter_of, setup_position
from siqi.games import registry
from siqi.games.contract import Game
from siqi.games.kernel.control import Control

AFTER_SETUPS = "ABC2/DE3/F3f/3ed/2cba f -"
WORDS = ["".join(digits) for digits in itertools.permutations("123456")]


@pytest.fixture(scope="module")
def game() -> Game:
    return registry.load("ewn")


def texts(position: Any) -> list[str]:
    return sorted(position.move_text(move) for move in position.legal_moves())


def deployed(game: Game, first: str, second: str) -> Any:
    position = game.position()
    position.push(position.parse_move(first))
    position.push(position.parse_move(second))
    return position


def check_against_oracle(game: Game, fen: str) -> None:
    for die in ("-", *"123456"):
        thrown = f"{fen.rsplit(' ', 1)[0]} {die}"
        position, oracle = game.position(thrown), Naive(thrown)
        assert texts(position) == oracle.legal_moves(), thrown
        assert position.count_legal() == len(oracle.legal_moves())
        assert position.fen() == oracle.fen() == thrown


@sampled("games", 20, 120)
def test_random_games_against_the_oracle(game: Game, games: int) -> None:
    rng = random.Random(1)
    reasons = set()
    plies = 0
    for _ in range(games):
        first, second = rng.choice(WORDS), rng.choice(WORDS)
        position, oracle = deployed(game, first, second), Naive(setup_position(first, second))
        states = []
        while oracle.winner() is None:
            assert position.outcome() is None
            if rng.random() < 0.8:
                oracle.die = rng.randint(1, 6)
                position.set_dice(oracle.die)
            assert position.dice == (oracle.die or 0)
            assert position.fen() == oracle.fen()
            assert texts(position) == oracle.legal_moves()
            assert position.count_legal() == len(position.legal_moves())
            fresh = game.position(position.fen())
            assert (fresh.fen(), fresh.key) == (position.fen(), position.key)
            move = rng.choice(position.legal_moves())
            states.append((live_bytes(position.record), position.fen(), move))
            oracle.push(position.move_text(move))
            position.push(move)
            plies += 1
        outcome = position.outcome()
        assert outcome is not None
        assert outcome.winner == oracle.winner()
        reasons.add(outcome.reason)
        assert position.fen() == oracle.fen()
        assert position.legal_moves() == oracle.legal_moves() == []
        assert position.count_legal() == 0
        assert game.position(position.fen()).outcome() == outcome
        while states:
            before, fen, move = states.pop()
            assert position.pop() == move
            assert live_bytes(position.record) == before
            assert position.fen() == fen
    assert plies > 15 * games
    assert {"corner"} <= reasons <= {"corner", "captured-all"} and (games < 120 or len(reasons) == 2)


def test_fresh_positions_have_the_same_live_fields(game: Game) -> None:
    rng = random.Random(2)
    for _ in range(100):
        position = deployed(game, rng.choice(WORDS), rng.choice(WORDS))
        while not position.outcome():
            position.push(rng.choice(position.legal_moves()))
            fresh = game.position(position.fen()).record
            for field in ("board", "square", "alive", "turn", "die", "winner", "key"):
                assert fresh[field].tolist() == position.record[field].tolist(), field


@pytest.mark.parametrize("case", vectors("ewn_exact.jsonl"), ids=lambda case: case["fen"])
def test_exact_positions(game: Game, case: dict[str, Any]) -> None:
    check_against_oracle(game, case["fen"])
    position = game.position(case["fen"])
    for die, best in enumerate(case["best"], 1):
        position.set_dice(die)
        assert set(best) <= set(texts(position))


@pytest.mark.parametrize("side", [0, 1])
def test_movable_pieces_for_every_throw_and_every_set_of_survivors(game: Game, side: int) -> None:
    squares = ("b3", "c3", "d3", "b2", "c2", "d2")
    for mask in range(1, 64):
        alive = [number for number in range(1, 7) if mask >> (number - 1) & 1]
        rows = [["."] * 5 for _ in range(5)]
        rows[2][4 if side == 0 else 0] = letter_of(1 - side, 1)
        for number in alive:
            square = squares[number - 1]
            rows[5 - int(square[1])]["abcde".index(square[0])] = letter_of(side, number)
        board = "/".join("".join(row) for row in rows).replace(".", "1")
        for die in range(1, 7):
            position = game.position(f"{board} {'fs'[side]} {die}")
            above = [number for number in alive if number > die][:1]
            below = [number for number in alive if number < die][-1:]
            expected = [die] if die in alive else below + above
            assert {text[:2] for text in texts(position)} == {squares[number - 1] for number in expected}


def test_the_nearest_survivors_move_whatever_the_distance(game: Game) -> None:
    assert {text[:2] for text in texts(game.position("A4/2C2/5/3F1/e4 f 4"))} == {"c4", "d2"}
    assert {text[:2] for text in texts(game.position("A4/5/5/3F1/e4 f 3"))} == {"a5", "d2"}
    assert {text[:2] for text in texts(game.position("A4/5/5/5/e4 f 6"))} == {"a5"}


def test_own_pieces_are_captured_too(game: Game) -> None:
    position = game.position("AB3/5/5/5/4e f 1")
    assert texts(position) == ["a5a4", "a5b4", "a5b5"]
    position.push(position.parse_move("a5b5"))
    assert position.fen() == "1A3/5/5/5/4e s -"
    position.pop()
    assert position.fen() == "AB3/5/5/5/4e f 1"


@pytest.mark.parametrize(
    ("fen", "move", "outcome"),
    [
        ("5/5/5/a2A1/5 f 4", "d2e1", "win first corner"),
        ("5/5/5/4A/a4 f 4", "e2e1", "win first corner"),
        ("5/5/5/3Aa/5 f 1", "d2e2", "win first captured-all"),
        ("5/5/5/3A1/4a f 1", "d2e1", "win first captured-all"),
        ("1a3/5/5/4A/5 s 2", "b5a5", "win second corner"),
        ("5/3A1/4a/5/5 s 6", "e3d4", "win second captured-all"),
    ],
)
def test_both_ways_of_winning(game: Game, fen: str, move: str, outcome: str) -> None:
    position = game.position(fen)
    assert position.outcome() is None
    position.push(position.parse_move(move))
    assert str(position.outcome()) == outcome
    assert position.legal_moves() == []
    with pytest.raises(ValueError, match="the game is over"):
        position.set_dice(1)
    position.pop()
    assert position.outcome() is None
    assert position.fen() == fen


def test_losing_the_last_piece_to_oneself_loses_nothing_else(game: Game) -> None:
    position = game.position("AB3/5/5/5/4e f 2")
    assert texts(position) == ["b5b4", "b5c4", "b5c5"]
    assert {text[:2] for text in texts(game.position("AB3/5/5/5/4e f -"))} == {"a5", "b5"}


def test_all_720_set_ups(game: Game) -> None:
    position = game.position()
    assert texts(position) == sorted(WORDS)
    assert position.count_legal() == len(WORDS) == 720
    for word in WORDS:
        position.push(position.parse_move(word))
        assert position.fen() == f"startpos moves {word}"
        assert position.turn == 1
        assert texts(position) == sorted(WORDS)
        position.push(position.parse_move(word[::-1]))
        assert position.fen() == setup_position(word, word[::-1])
        assert game.position(position.fen()).key == position.key
        assert position.move_text(position.pop()) == word[::-1]
        assert position.move_text(position.pop()) == word
        assert position.fen() == "startpos"
    assert (position.ply, position.turn) == (0, 0)
    with pytest.raises(IndexError):
        position.pop()


def test_the_design_example(game: Game) -> None:
    assert deployed(game, "123456", "123456").fen() == AFTER_SETUPS
    assert deployed(game, "123456", "615243").fen() == setup_position("123456", "615243")


@pytest.mark.parametrize("word", ["", "12345", "1234567", "112345", "012345", "12345a", "123457", "a5b4", "?"])
def test_bad_set_ups(game: Game, word: str) -> None:
    position = game.position()
    with pytest.raises(ValueError) as raised:
        position.parse_move(word)
    assert "not a set-up (six digits, each of 1-6 once)" in str(raised.value)
    assert position.ply == 0


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("a5a4", "illegal move after a throw of 3: a5a4"),
        ("c5b5", "illegal move after a throw of 3: c5b5"),
        ("123456", "not a move: 123456"),
        ("a6a5", "not a move: a6a5"),
        ("f5e5", "not a move: f5e5"),
        ("c5c4c3", "not a move: c5c4c3"),
    ],
)
def test_bad_moves(game: Game, text: str, error: str) -> None:
    position = game.position(f"{AFTER_SETUPS[:-1]}3")
    with pytest.raises(ValueError) as raised:
        position.parse_move(text)
    assert str(raised.value) == error
    assert position.move_text(position.parse_move("C5C4")) == "c5c4"


def test_the_die_is_set_cleared_and_part_of_the_fen(game: Game) -> None:
    position = game.position(AFTER_SETUPS)
    bare = position.key
    keys = {bare}
    for die in range(1, 7):
        position.set_dice(die)
        assert position.dice == die
        assert position.fen() == f"{AFTER_SETUPS[:-1]}{die}"
        assert game.position(position.fen()).key == position.key
        keys.add(position.key)
    assert len(keys) == 7
    position.push(position.legal_moves()[0])
    assert position.dice == 0
    assert position.fen().endswith(" s -")
    position.pop()
    assert position.dice == 6
    position.set_dice(0)
    assert (position.key, position.fen()) == (bare, AFTER_SETUPS)
    with pytest.raises(ValueError, match="no die is thrown before the set-ups"):
        game.position().set_dice(3)


@pytest.mark.parametrize(
    ("fen", "error"),
    [
        ("ABC2/DE3/F3f/3ed/2cba", "1 fields, not 2 or 3"),
        ("ABC2/DE3/F3f/3ed/2cba f - -", "4 fields, not 2 or 3"),
        ("ABC2/DE3/F3f/3ed f -", "board has 4 rows, not 5"),
        ("ABC2/DE3/F3f/3ed/2cba/5 f -", "board has 6 rows, not 5"),
        ("ABC1/DE3/F3f/3ed/2cba f -", "row 5 has 4 columns, not 5"),
        ("ABC2/DE3/F3f1/3ed/2cba f -", "row 3 has 6 columns, not 5"),
        ("ABG2/DE3/F3f/3ed/2cba f -", "unknown piece G"),
        ("ABC2/DE3/F3f/3ed/2c0ba f -", "unknown piece 0"),
        ("ABA2/DE3/F3f/3ed/2cba f -", "piece A twice"),
        ("ABC2/DE3/F3f/3ed/2cba w -", "side to move is f or s, not w"),
        ("ABC2/DE3/F3f/3ed/2cba f 7", "die is 1-6 or -, not 7"),
        ("ABC2/DE3/F3f/3ed/2cba f 0", "die is 1-6 or -, not 0"),
        ("5/5/5/5/5 f -", "no pieces"),
        ("a4/5/5/5/4A f -", "both sides have won"),
    ],
)
def test_refused_fens(game: Game, fen: str, error: str) -> None:
    with pytest.raises(ValueError) as raised:
        game.position(fen)
    assert error in str(raised.value)


def test_a_fen_without_a_die(game: Game) -> None:
    assert game.position(AFTER_SETUPS[:-2]).fen() == AFTER_SETUPS


@pytest.mark.parametrize(
    ("fen", "outcome"),
    [
        ("5/5/5/5/a3A f -", "win first corner"),
        ("a4/5/5/5/A4 s -", "win second corner"),
        ("5/5/2A2/5/5 s -", "win first captured-all"),
        ("5/5/2a2/5/5 f -", "win second captured-all"),
    ],
)
def test_won_positions_are_read(game: Game, fen: str, outcome: str) -> None:
    position = game.position(fen)
    assert str(position.outcome()) == outcome
    assert position.legal_moves() == []
    assert position.fen() == fen


def test_a_copy_is_independent(game: Game) -> None:
    position = game.position(f"{AFTER_SETUPS[:-1]}3")
    twin = position.copy()
    twin.push(twin.parse_move("c5c4"))
    twin.set_dice(5)
    assert position.fen() == f"{AFTER_SETUPS[:-1]}3"
    position.push(position.parse_move("c5d4"))
    assert twin.fen() != position.fen()
    assert (twin.ply, position.ply, twin.dice) == (1, 1, 5)
    between = game.position()
    between.push(between.parse_move("123456"))
    other = between.copy()
    other.push(other.parse_move("654321"))
    assert between.fen() == "startpos moves 123456"


@pytest.mark.parametrize(("depth", "count"), [(1, 18), (2, 324), (3, 5445)])
def test_perft(game: Game, depth: int, count: int) -> None:
    assert sum(nodes for _, nodes in game.perft(game.position(AFTER_SETUPS), depth, Control())) == count


def test_perft_of_the_oracle(game: Game) -> None:
    for case in vectors("ewn_exact.jsonl")[::3]:
        position, oracle = game.position(case["fen"]), Naive(case["fen"])
        for depth in (1, 2, 3):
            assert sum(nodes for _, nodes in game.perft(position, depth, Control())) == oracle.perft(depth)


@sampled("depth", 1, 2)
def test_perft_before_the_set_ups(game: Game, depth: int) -> None:
    counts = list(game.perft(game.position(), depth, Control()))
    assert len(counts) == 720
    assert {nodes for _, nodes in counts} == {720 ** (depth - 1)}


@pytest.mark.shared
def test_shared_exact_positions(game: Game) -> None:
    squares = [column + row for row in "54321" for column in "abcde"]
    letters = str.maketrans(".123456", "1ABCDEF")
    with (SHARED / "ewn/exact_values.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 200
    for row in rows:
        board, side = row["fen"].split()
        for run in (5, 4, 3, 2):
            board = board.replace("." * run, chr(ord("P") + run))
        board = board.translate(letters).translate({ord("P") + run: str(run) for run in (5, 4, 3, 2)})
        fen = f"{board} {'fs'['rb'.index(side)]} -"
        check_against_oracle(game, fen)
        position = game.position(fen)
        for die in range(1, 7):
            position.set_dice(die)
            listed = set()
            for entry in row[f"all{die}"].split():
                origin, target = map(int, entry.split("=")[0].split(":")[1].split("-"))
                listed.add(squares[origin] + squares[target])
            assert set(texts(position)) == listed
