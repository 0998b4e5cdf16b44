"""Junqi's rules: the referee's games, the oracle on random games, set-ups and FENs."""

from __future__ import annotations

import itertools
import json
import math
import random
from typing import Any

import pytest
from fixture_files import FIXTURES
from junqi_games import (
    FIRST,
    LAST_ROWS,
    LETTERS,
    RECORDS,
    SETUPS,
    piece_on,
    random_games,
    random_word,
    replay,
    state,
    swapped,
    texts,
    view_fen,
)
from samples import sampled

from naive import junqi as naive
from naive.junqi import Naive
from siqi.games import registry
from siqi.games.contract import Game, Task
from siqi.games.junqi.rules.lookup import LOOKUP_RECORD, SQUARES, STEPS
from siqi.games.kernel.control import Control


@pytest.fixture(scope="module")
def game() -> Game:
    return registry.load("junqi")


# The board and the referee


def test_roads_and_railway() -> None:
    adjacency = json.loads((FIXTURES / "junqi_adjacency.json").read_text(encoding="utf-8"))
    for square, name in enumerate(naive.SQUARES):
        roads = [other for other in range(SQUARES) if LOOKUP_RECORD.roads[square] >> other & 1]
        rails = [square + step for step, ends in zip((-1, 1, -5, 5), STEPS, strict=True) if ends >> square & 1]
        assert sorted(naive.SQUARES[other] for other in roads) == adjacency["adj"].get(name, [])
        assert sorted(naive.SQUARES[other] for other in rails) == adjacency["rail"].get(name, [])
    assert sum(map(len, adjacency["adj"].values())) == 2 * 133
    assert sum(map(len, adjacency["rail"].values())) == 2 * 35


@pytest.mark.parametrize("attacker", [letter for letter in LETTERS if letter not in "jl"])
@pytest.mark.parametrize("defender", list(LETTERS))
def test_battles(game: Game, attacker: str, defender: str) -> None:
    top = "1l3" if defender == "l" else f"1{defender}1l1"
    fen = f"{top}/1{attacker.upper()}3/5/h4/5/5/5/5/5/5/H4/1L3 f - 4"
    position = game.position(fen)
    position.push(position.parse_move("B1A1"))
    code = naive.battle(attacker, defender)
    attacker_lives, defender_lives = code == 1, code == 0
    assert (piece_on(position, "A1") >= 0) == (attacker_lives or defender_lives)
    assert piece_on(position, "B1") < 0
    assert position.record.quiet == 0
    if defender == "l":
        assert str(position.outcome()) == "win first flag"
    assert position.move_text(position.pop()) == f"B1A1={code}"
    assert position.fen() == fen


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["id"])
def test_games_of_the_referee(game: Game, record: dict[str, Any]) -> None:
    position = replay(game, [record["first"], record["second"]])
    oracle = Naive(record["first"], record["second"])
    for word in record["moves"]:
        assert position.outcome() is None
        assert texts(position) == oracle.legal_moves()
        plain = position.parse_move(word[:4])
        position.push(plain)
        assert position.move_text(position.pop()) == word
        position.push(position.parse_move(word))
        assert oracle.push(word[:4]) == int(word[-1])
    outcome = position.outcome()
    if record["end"] == "flag":
        assert str(outcome) == f"win {('first', 'second')[record['winner']]} flag"
    else:
        assert outcome is None
    for viewer in (0, 1):
        view = replay(game, position.view_moves(viewer))
        assert view.viewer == viewer
        if record["end"] == "flag":
            ended = view.outcome()
            assert ended == outcome or (ended.unknown and viewer == record["winner"])


@sampled("games", 12, 45)
def test_random_games_against_the_oracle(game: Game, games: int) -> None:
    ends: dict[str, int] = {}
    plies = 0
    for position, oracle in random_games(game, 1, games):
        plies += 1
        moves = oracle.legal_moves()
        verdict = oracle.outcome()
        if verdict is not None and verdict[1] == "quiet":
            moves = oracle.moves_of(oracle.turn)
        assert texts(position) == moves
        assert position.count_legal() == len(moves)
        assert position.turn == oracle.turn
        assert position.record.quiet == oracle.quiet
        outcome = position.outcome()
        assert (None if outcome is None else (outcome.winner, outcome.reason)) == verdict
        if outcome is not None:
            ends[outcome.reason] = ends.get(outcome.reason, 0) + 1
        stands = oracle.board.items()
        assert position.pieces() == {at: letter.upper() if side == 0 else letter for at, (side, letter) in stands}
        if plies % 4 == 0:
            fresh = game.position(position.fen())
            assert (fresh.fen(), fresh.key, fresh.outcome()) == (position.fen(), position.key, outcome)
            assert texts(fresh) == moves
    assert plies > 60 * games
    assert ends["flag"] > games // 12
    assert ends.get("quiet", 0) + ends.get("immobile", 0) > games // 12


def test_push_and_pop_restore_everything(game: Game) -> None:
    rng = random.Random(2)
    for first, second in itertools.pairwise(SETUPS[::4]):
        position, oracle = replay(game, [first, second]), Naive(first, second)
        states = []
        while oracle.outcome() is None:
            states.append(state(position))
            for move in rng.choices(position.legal_moves(), k=2):
                position.push(move)
                assert position.pop() & 0xFFF == move
                assert state(position) == states[-1]
            text = random_word(rng, oracle)
            oracle.push(text)
            position.push(position.parse_move(text))
        while states:
            assert position.ply == len(states) + 2
            position.pop()
            assert state(position) == states.pop()
        assert position.move_text(position.pop()) == second
        assert position.fen() == f"startpos moves {first}"
        assert position.move_text(position.pop()) == first
        assert position.fen() == "startpos"
        with pytest.raises(IndexError):
            position.pop()


def test_popping_and_pushing_again_leads_to_the_same_view(game: Game) -> None:
    for record in RECORDS:
        referee = replay(game, [record["first"], record["second"], *record["moves"]])
        for viewer in (0, 1):
            words = referee.view_moves(viewer)
            view = game.position()
            states = []
            for word in words:
                states.append(state(view))
                view.push(view.parse_move(word))
            last = state(view)
            for back in (1, len(words) // 2, len(words)):
                for undone in range(back):
                    assert view.move_text(view.pop()) == words[-1 - undone]
                    assert state(view) == states[-1 - undone]
                for word in words[len(words) - back :]:
                    view.push(view.parse_move(word))
                assert state(view) == last


def test_a_copy_is_independent(game: Game) -> None:
    record = RECORDS[0]
    position = replay(game, [record["first"], record["second"], *record["moves"][:6]])
    before, twin = state(position), position.copy()
    twin.pop()
    twin.push(twin.legal_moves()[0])
    twin.push(twin.legal_moves()[0])
    assert state(position) == before
    between = replay(game, [record["first"]])
    between.copy().push(between.parse_move(record["second"]))
    assert between.fen() == f"startpos moves {record['first']}"


def test_copies_that_go_back_stay_independent(game: Game) -> None:
    record = RECORDS[0]
    position = replay(game, [record["first"], record["second"], *record["moves"][:6]])
    twin = position.copy()
    position.pop()
    twin.pop()
    before = state(twin)
    position.push(position.legal_moves()[0])
    assert state(twin) == before


# The end


@pytest.mark.parametrize(
    ("fen", "outcome"),
    [
        (f"1l3/5/5/5/5/5/5/{LAST_ROWS[:-2]}/1L3 f - 0", "draw immobile"),
        (f"1l3/a4/5/5/5/5/5/{LAST_ROWS[:-2]}/1L3 f - 0", "win second immobile"),
        (f"1l3/a4/5/5/5/5/5/{LAST_ROWS[:-2]}/1L3 s - 0", None),
        (f"1l1A1/5/5/5/5/5/5/{LAST_ROWS[:-2]}/1L3 f - 0", "draw immobile"),
        (f"1l3/j4/5/5/5/5/5/{LAST_ROWS[:-4]}/A4/1L3 s - 0", "win first immobile"),
        (f"1l3/a4/5/5/5/5/5/{LAST_ROWS[:-4]}/A4/5 f - 0", "win second flag"),
        (f"5/a4/5/5/5/5/5/{LAST_ROWS[:-4]}/A4/1L3 f - 0", "win first flag"),
        (f"1l3/a4/5/5/5/5/5/{LAST_ROWS[:-4]}/A4/1L3 f - 31", "win first quiet"),
        (f"1l3/a4/5/5/5/5/5/{LAST_ROWS[:-4]}/A4/1L3 s - 31", "win second quiet"),
        (f"1l3/a4/5/5/5/5/5/{LAST_ROWS[:-4]}/A4/1L3 s - 30", None),
    ],
)
def test_outcomes_of_a_board(game: Game, fen: str, outcome: str | None) -> None:
    ended = game.position(fen).outcome()
    assert (None if ended is None else str(ended)) == outcome


def test_who_makes_the_31st_ply_without_contact_loses(game: Game) -> None:
    position = game.position(f"1l3/a4/5/5/5/5/5/{LAST_ROWS[:-4]}/A4/1L3 f - 29")
    position.push(position.parse_move("K0K1"))
    assert position.outcome() is None
    position.push(position.parse_move("B0B1"))
    assert str(position.outcome()) == "win first quiet"
    position.pop()
    assert position.outcome() is None


def test_contact_starts_the_count_again(game: Game) -> None:
    position = replay(game, ["B0A0"], f"jl3/A4/5/5/5/5/5/{LAST_ROWS[:-2]}/1L3 f - 30")
    assert position.record.quiet == 0


@pytest.mark.parametrize("attacker", "AK")
def test_a_flag_taken_or_bombed_loses(game: Game, attacker: str) -> None:
    position = replay(game, ["B1A1"], f"1l3/b{attacker}3/5/5/5/5/5/{LAST_ROWS[:-4]}/C4/1L3 f - 30")
    assert str(position.outcome()) == "win first flag"
    assert position.legal_moves() == []


def test_a_view_that_cannot_move_does_not_claim_to_know_whether_the_enemy_can(game: Game) -> None:
    outcome = game.position(view_fen({0: "xx1x1", 11: "1L3"})).outcome()
    assert outcome is not None
    assert outcome.unknown


def test_the_fen_of_a_view_that_has_won_is_read_again(game: Game) -> None:
    view = replay(game, ["B1A1=1"], view_fen({0: "1l3", 1: "1A3", 4: "x4", 11: "1L3"}))
    assert str(view.outcome()) == "win first flag"
    assert game.position(view.fen()).fen() == view.fen()


# Set-ups


@pytest.mark.parametrize(
    ("word", "error"),
    [
        (FIRST[:-1], "not a set-up (25 letters a-l)"),
        (FIRST + "a", "not a set-up (25 letters a-l)"),
        (FIRST.upper(), "not a set-up (25 letters a-l)"),
        (FIRST.replace("l", "m"), "not a set-up (25 letters a-l)"),
        ("", "not a set-up (25 letters a-l)"),
        ("??", "not a set-up (25 letters a-l)"),
        (FIRST.replace("b", "a"), "set-up has 2 of piece a, not 1"),
        (FIRST.replace("l", "k"), "set-up has 3 of piece k, not 2"),
        (swapped(FIRST, "L3", "L2"), "set-up may not have l on L2"),
        (swapped(FIRST, "L3", "G0"), "set-up may not have l on G0"),
        (swapped(FIRST, "L4", "G0"), "set-up may not have j on G0"),
        (swapped(FIRST, "K4", "J0"), "set-up may not have j on J0"),
        (swapped(FIRST, "L2", "G4"), "set-up may not have k on G4"),
    ],
)
def test_illegal_set_ups(game: Game, word: str, error: str) -> None:
    assert not Naive.legal_setup(word)
    for before in ([], [FIRST]):
        position = replay(game, before)
        with pytest.raises(ValueError) as raised:
            position.parse_move(word)
        assert error in str(raised.value)
        assert position.ply == len(before)


def test_set_ups_of_the_collection(game: Game) -> None:
    for word in SETUPS:
        position = replay(game, [word])
        assert position.fen() == f"startpos moves {word}"
        assert position.turn == 1
        assert position.move_text(position.parse_move(word)) == word
        assert Naive.legal_setup(word)


def test_random_set_ups_are_judged_as_the_oracle_judges(game: Game) -> None:
    rng = random.Random(3)
    position = game.position()
    legal = 0
    for _ in range(3000):
        pieces = list(rng.choice(SETUPS))
        for _ in range(rng.randint(1, 3)):
            one, other = rng.sample(range(25), 2)
            pieces[one], pieces[other] = pieces[other], pieces[one]
        if rng.random() < 0.1:
            pieces[rng.randrange(25)] = rng.choice(LETTERS)
        word = "".join(pieces)
        try:
            position.parse_move(word)
        except ValueError:
            assert not Naive.legal_setup(word)
        else:
            legal += 1
            assert Naive.legal_setup(word)
    assert 300 < legal < 2700


def test_the_number_of_set_ups(game: Game) -> None:
    ways = {(0, 0, 0): 1}
    for square in naive.SLOTS:
        after: dict[tuple[int, int, int], int] = {}
        for (mines, bombs, flags), count in ways.items():
            options = [(mines, bombs, flags)]
            if square[0] in "KL":
                options.append((mines + 1, bombs, flags))
            if square[0] != "G":
                options.append((mines, bombs + 1, flags))
            if square in naive.HEADQUARTERS:
                options.append((mines, bombs, flags + 1))
            for option in options:
                after[option] = after.get(option, 0) + count
        ways = after
    total = ways[3, 2, 1] * math.factorial(19) // math.prod(math.factorial(naive.COUNTS[kind]) for kind in "abcdefghi")
    assert game.position().count_legal() == total
    assert replay(game, [FIRST]).count_legal() == total
    with pytest.raises(ValueError, match="too many set-ups"):
        game.position().legal_moves()


def test_only_one_set_up_may_be_unknown(game: Game) -> None:
    assert replay(game, ["?", FIRST]).viewer == 1
    assert replay(game, [FIRST, "?"]).viewer == 0
    assert replay(game, [FIRST, FIRST]).viewer is None
    with pytest.raises(ValueError, match="both set-ups unknown"):
        replay(game, ["?"]).parse_move("?")


def test_drawn_set_ups_are_legal(game: Game) -> None:
    for seed in range(30):
        for words in ([], [SETUPS[seed]], ["?"]):
            position = replay(game, words)
            searcher = game.searcher()
            searcher.configure(1, 1, seed)
            searcher.start(Task(position, Control(1)))
            word = position.move_text(searcher.iterate().lines[0].pv[0])
            searcher.finish()
            assert Naive.legal_setup(word)


# FENs and moves


@pytest.mark.parametrize(
    ("fen", "error"),
    [
        (f"1l3/{LAST_ROWS}/{LAST_ROWS}/1L3", "1 fields, not 2 to 4"),
        (f"1l3/{LAST_ROWS}/{LAST_ROWS}/1L3 f - 0 0", "5 fields, not 2 to 4"),
        (f"1l3/{LAST_ROWS}/{LAST_ROWS} f - 0", "board has 11 rows, not 12"),
        (f"1l2/{LAST_ROWS}/{LAST_ROWS}/1L3 f - 0", "row A has 4 columns, not 5"),
        (f"1l3/{LAST_ROWS}/{LAST_ROWS}/1L4 f - 0", "row L has 6 columns, not 5"),
        (f"1l3/{LAST_ROWS}/{LAST_ROWS}/1M3 f - 0", "unknown piece M"),
        (f"1l3/{LAST_ROWS}/{LAST_ROWS}/1L3 w - 0", "side to move is f or s, not w"),
        (f"1l3/{LAST_ROWS}/{LAST_ROWS}/1L3 f x 0", "viewer is f, s or -, not x"),
        (f"1l3/{LAST_ROWS}/{LAST_ROWS}/1L3 f - x", "plies since contact are not a number: x"),
        (f"1l3/{LAST_ROWS}/{LAST_ROWS}/AL1A1 f - 0", "first side has 2 of piece a"),
        (f"lllll/{LAST_ROWS}/{LAST_ROWS}/1L3 f - 0", "second side has 5 of piece l"),
        (f"1l3/{LAST_ROWS}/{LAST_ROWS}/L4 f - 0", "first side's flag is outside its headquarters"),
        (f"1L3/{LAST_ROWS}/{LAST_ROWS}/1l3 f - 0", "flag is outside its headquarters"),
        (f"1l3/{LAST_ROWS}/5/5/5/J4/5/1L3 f - 0", "first side has a mine in front of its last two rows"),
        (f"1l3/{LAST_ROWS}/{LAST_ROWS}/1X3 f - 0", "first side has unknown pieces that its viewer must know"),
        (f"1x3/{LAST_ROWS}/{LAST_ROWS}/1L3 f s 0", "second side has unknown pieces that its viewer must know"),
        (f"{LAST_ROWS}/5/5/{LAST_ROWS} f - 0", "neither side has a flag"),
        (f"{'/'.join(['xxxxx'] * 6)}/5/{LAST_ROWS[:-2]}/1L3 f f 0", "second side has 30 pieces"),
        (f"5/5/{'/'.join(['xxxxx'] * 5)}/{LAST_ROWS[:-2]}/1L3 f f 0", "contradicts what is known of the pieces"),
    ],
)
def test_refused_fens(game: Game, fen: str, error: str) -> None:
    with pytest.raises(ValueError) as raised:
        game.position(fen)
    assert error in str(raised.value)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("G2", "not a move: G2"),
        ("M0L0", "not a move: M0L0"),
        ("G5F0", "not a move: G5F0"),
        ("G2F2=4", "not a move: G2F2=4"),
        ("G2F2@A9", "not a move: G2F2@A9"),
        ("L3L2", "illegal move: L3L2"),
        ("F2G2", "illegal move: F2G2"),
        ("G1F1", "illegal move: G1F1"),
        ("H1G0", "illegal move: H1G0"),
        ("K4L4", "illegal move: K4L4"),
        ("\u01300H1", "not a move: \u01300H1"),
        (FIRST, f"not a move: {FIRST}"),
    ],
)
def test_refused_moves(game: Game, text: str, error: str) -> None:
    for second in ("?", FIRST):
        position = replay(game, [FIRST, second])
        with pytest.raises(ValueError) as raised:
            position.parse_move(text)
        assert str(raised.value) == error


def test_perft_of_the_oracle(game: Game) -> None:
    for first, second in itertools.pairwise(SETUPS[:4]):
        position, oracle = replay(game, [first, second]), Naive(first, second)
        expected = 0
        for text in oracle.legal_moves():
            child = Naive(first, second)
            child.push(text)
            expected += len(child.legal_moves())
        assert sum(count for _, count in game.perft(position, 1, Control())) == len(oracle.legal_moves())
        assert sum(count for _, count in game.perft(position, 2, Control())) == expected
    with pytest.raises(ValueError, match="perft deeper than 1 needs a full position"):
        list(game.perft(replay(game, [FIRST, "?"]), 2, Control()))
