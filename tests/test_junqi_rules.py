"""Junqi's rules and views: the referee's games, the oracle on random games, and what a side may conclude."""

from __future__ import annotations

import itertools
import json
import math
import random
from collections.abc import Iterator
from typing import Any

import pytest
from conftest import FIXTURES, lines, live_bytes, vectors

from games import registry
from games.contract import Game, Task
from games.junqi.belief import complete, spread_counts
from games.junqi.tables import COUNTS, SQUARES, STEPS, TABLES_RECORD
from games.kernel.control import Control
from naive import junqi as naive
from naive.junqi import Naive

SETUPS = lines("junqi_setups.txt")
RECORDS = vectors("junqi_games.jsonl")
LETTERS = "abcdefghijkl"
FIRST = "abccddeeffggghhhiiijjkklj"
LAST_ROWS = "5/5/5/5/5"
"""Rows that hold nothing, to fill FENs."""


@pytest.fixture(scope="module")
def game() -> Game:
    return registry.load("junqi")


def replay(game: Game, words: list[str], fen: str | None = None) -> Any:
    position = game.position(fen)
    for word in words:
        position.push(position.parse_move(word))
    return position


def texts(position: Any) -> list[str]:
    return sorted(position.move_text(move) for move in position.legal_moves())


def number(square: str) -> int:
    return naive.SQUARES.index(square)


def letters(types: int) -> str:
    return "".join(letter for kind, letter in enumerate(LETTERS) if types >> kind & 1)


def piece_on(position: Any, square: str) -> int:
    return int(position.record.board[number(square)]) - 1


def may(position: Any, square: str) -> str:
    """What the piece on a square may be."""
    return letters(int(position.record.may[piece_on(position, square)]))


def state(position: Any) -> tuple[Any, ...]:
    """All that can be seen of a position."""
    seen = (position.fen(), position.outcome(), position.ply, position.turn, position.viewer, tuple(position.words))
    return (*seen, live_bytes(position.record))


def random_word(rng: random.Random, oracle: Naive) -> str:
    """A move of the side to move, rather an attack, best of all on the flag."""
    moves = oracle.legal_moves()
    attacks = [text for text in moves if text[2:] in oracle.board]
    wins = [text for text in attacks if text[2:] == oracle.flag_square(1 - oracle.turn)]
    if wins and rng.random() < 0.5:
        return wins[0]
    return rng.choice(attacks if attacks and rng.random() < 0.4 else moves)


def random_games(game: Game, seed: int, count: int) -> Iterator[tuple[Any, Naive]]:
    """Each position of random games between set-ups of the collection, the ends included, with the oracle's."""
    rng = random.Random(seed)
    for _ in range(count):
        first, second = rng.choice(SETUPS), rng.choice(SETUPS)
        position, oracle = replay(game, [first, second]), Naive(first, second)
        yield position, oracle
        while oracle.outcome() is None:
            text = random_word(rng, oracle)
            position.push(position.parse_move(text))
            code = oracle.push(text)
            assert position._steps[-1].move >> 12 & 7 == code + 1
            yield position, oracle


class Witness:
    """One side's view of a random game, kept from what the oracle tells it alone."""

    def __init__(self, game: Game, setups: tuple[str, str], viewer: int) -> None:
        self.viewer = viewer
        self.words = [word if side == viewer else "?" for side, word in enumerate(setups)]
        self.position = replay(game, self.words)
        self.told = False

    def hear(self, text: str, code: int, oracle: Naive, flag: str | None) -> None:
        word = f"{text}={code}"
        if not self.told and oracle.flag_known(1 - self.viewer):
            self.told = True
            word += f"@{flag}"
        self.words.append(word)
        self.position.push(self.position.parse_move(word))


# The board and the referee


def test_roads_and_railway() -> None:
    told = json.loads((FIXTURES / "junqi_adjacency.json").read_text(encoding="utf-8"))
    for square, name in enumerate(naive.SQUARES):
        roads = [other for other in range(SQUARES) if TABLES_RECORD.roads[square] >> other & 1]
        rails = [square + step for step, ends in zip((-1, 1, -5, 5), STEPS, strict=True) if ends >> square & 1]
        assert sorted(naive.SQUARES[other] for other in roads) == told["adj"].get(name, [])
        assert sorted(naive.SQUARES[other] for other in rails) == told["rail"].get(name, [])
    assert sum(map(len, told["adj"].values())) == 2 * 133
    assert sum(map(len, told["rail"].values())) == 2 * 35


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
            found = view.outcome()
            assert found == outcome or (found.unknown and viewer == record["winner"])


def test_random_games_against_the_oracle(game: Game) -> None:
    ends: dict[str, int] = {}
    plies = 0
    for position, oracle in random_games(game, 1, 45):
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
        for square in naive.SQUARES:
            side, letter = oracle.board.get(square, (0, ""))
            assert position._letter(number(square)) == (letter.upper() if side == 0 else letter)
        if plies % 4 == 0:
            fresh = game.position(position.fen())
            assert (fresh.fen(), fresh.key, fresh.outcome()) == (position.fen(), position.key, outcome)
            assert texts(fresh) == moves
    assert plies > 3000
    assert ends["flag"] > 3
    assert ends["quiet"] + ends.get("immobile", 0) > 3


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
    found = game.position(fen).outcome()
    assert (None if found is None else str(found)) == outcome


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


def swapped(word: str, one: str, other: str) -> str:
    """A set-up with the pieces of two squares exchanged."""
    slots = [naive.SLOTS.index(one), naive.SLOTS.index(other)]
    pieces = list(word)
    pieces[slots[0]], pieces[slots[1]] = pieces[slots[1]], pieces[slots[0]]
    return "".join(pieces)


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


# Views


def test_views_of_random_games(game: Game) -> None:
    rng = random.Random(5)
    for count in range(28):
        setups = (rng.choice(SETUPS), rng.choice(SETUPS))
        oracle, referee = Naive(*setups), replay(game, list(setups))
        witnesses = [Witness(game, setups, viewer) for viewer in (0, 1)]
        while oracle.outcome() is None:
            moves = oracle.legal_moves()
            for witness in witnesses:
                view = witness.position
                assert view.outcome() is None or view.outcome().unknown
                own = texts(view)
                assert own == moves if view.turn == witness.viewer else set(moves) <= set(own)
            text = random_word(rng, oracle)
            flags = [oracle.flag_square(side) for side in (0, 1)]
            code = oracle.push(text)
            referee.push(referee.parse_move(text))
            for witness in witnesses:
                witness.hear(text, code, oracle, flags[1 - witness.viewer])
                view, enemy = witness.position, 1 - witness.viewer
                truth, believed = referee.record.may, view.record.may
                assert all(int(believed[piece]) & int(truth[piece]) for piece in range(50))
                mine = slice(25 * witness.viewer, 25 * witness.viewer + 25)
                assert believed[mine].tolist() == truth[mine].tolist()
                assert view.record.board.tolist() == referee.record.board.tolist()
                assert view.record.where.tolist() == referee.record.where.tolist()
                if count % 4 == 0:
                    assert sorted(spread_counts(view._may(enemy))) == sorted(view._may(enemy))
                    fresh = game.position(view.fen())
                    assert fresh.fen() == view.fen()
                    assert fresh.key == view.key
        for witness in witnesses:
            assert referee.view_moves(witness.viewer) == witness.words
            found, truth = witness.position.outcome(), referee.outcome()
            if truth.reason == "flag":
                assert found == truth or (found.unknown and truth.winner == witness.viewer)
            elif truth.reason == "quiet":
                assert found == truth


def worlds(rng: random.Random, setups: tuple[str, str], enemy: int) -> tuple[str, str]:
    """The same set-ups, but two unlike pieces of the enemy exchanged."""
    while True:
        one, other = rng.sample(range(25), 2)
        word = swapped(setups[enemy], naive.SLOTS[one], naive.SLOTS[other])
        if word != setups[enemy] and Naive.legal_setup(word):
            return (word, setups[1]) if enemy == 0 else (setups[0], word)


def test_a_view_hides_what_it_must(game: Game) -> None:
    rng = random.Random(6)
    long = 0
    for viewer in (0, 1) * 50:
        setups = (rng.choice(SETUPS), rng.choice(SETUPS))
        others = worlds(rng, setups, 1 - viewer)
        oracles = [Naive(*setups), Naive(*others)]
        referees = [replay(game, list(setups)), replay(game, list(others))]
        while all(oracle.outcome() is None for oracle in oracles):
            text = random_word(rng, oracles[0])
            if text not in oracles[1].legal_moves():
                break
            flags = [oracle.flag_square(1 - viewer) for oracle in oracles]
            codes = [oracle.push(text) for oracle in oracles]
            known = [oracle.flag_known(1 - viewer) for oracle in oracles]
            if codes[0] != codes[1] or known[0] != known[1] or (known[0] and flags[0] != flags[1]):
                break
            for referee in referees:
                referee.push(referee.parse_move(text))
        words = [referee.view_moves(viewer) for referee in referees]
        assert words[0] == words[1]
        views = [replay(game, heard) for heard in words]
        seen = [
            (state(view), view.board(), view.key, game.evaluate(view), view.legal_moves(), view.weights.tobytes())
            for view in views
        ]
        assert seen[0] == seen[1]
        assert game.position(views[0].fen()).fen() == views[0].fen()
        long += referees[0].ply > 22 and referees[0].fen() != referees[1].fen()
    assert long > 10


def test_a_view_shows_no_letter_it_does_not_know(game: Game) -> None:
    for viewer in (0, 1):
        view = replay(game, replay(game, [FIRST, SETUPS[5]]).view_moves(viewer))
        rows = view.fen().split()[0].split("/")
        hidden = rows[:6] if viewer == 0 else rows[6:]
        assert set("".join(hidden)) <= set("xX12345")
        assert "".join(hidden).lower().count("x") == 25


def test_repeating_the_flag_is_harmless(game: Game) -> None:
    repeated = 0
    for seed in range(12):
        *_, (referee, oracle) = random_games(game, 100 + seed, 1)
        for viewer in (0, 1):
            words = referee.view_moves(viewer)
            said = [index for index, word in enumerate(words) if "@" in word]
            if not said:
                continue
            repeated += 1
            flag = words[said[0]][words[said[0]].index("@") :]
            again = [word + flag if index > said[0] else word for index, word in enumerate(words)]
            assert oracle.flag_known(1 - viewer)
            assert live_bytes(replay(game, again).record) == live_bytes(replay(game, words).record)
    assert repeated > 3


# Conclusions


def view_fen(rows: dict[int, str], side: str = "f", viewer: str = "f") -> str:
    """A FEN of some rows, the others empty."""
    return "/".join(rows.get(row, "5") for row in range(12)) + f" {side} {viewer} 0"


def test_slots_bound_the_types(game: Game) -> None:
    view = replay(game, [FIRST, "?"])
    assert may(view, "F0") == may(view, "F4") == "abcdefghi"
    assert may(view, "E0") == may(view, "C2") == "abcdefghik"
    assert may(view, "B2") == may(view, "A0") == "abcdefghijk"
    assert may(view, "A1") == may(view, "A3") == "abcdefghijkl"
    assert may(view, "G0") == "a"


@pytest.mark.parametrize(
    ("word", "left"),
    [("G2F2=0", "ab"), ("G2F2=1", "defghi"), ("G2F2=2", "c")],
)
def test_results_bound_the_types(game: Game, word: str, left: str) -> None:
    view = replay(game, [FIRST, "?"])
    piece = piece_on(view, "F2")
    view.push(view.parse_move(word))
    assert letters(int(view.record.may[piece])) == left


@pytest.mark.parametrize(("word", "left"), [("D2E2=2", "ck"), ("D2E2=0", "ab"), ("D2E2=1", "defghi")])
def test_code_2_is_a_bomb_or_an_equal(game: Game, word: str, left: str) -> None:
    view = game.position(view_fen({0: "1x1x1", 3: "2C2", 4: "2x2", 11: "1L3"}))
    piece = piece_on(view, "E2")
    view.push(view.parse_move(word))
    assert letters(int(view.record.may[piece])) == left


def test_code_2_of_the_own_bomb_tells_nothing(game: Game) -> None:
    view = game.position(view_fen({0: "1x1x1", 3: "2K2", 4: "2x2", 11: "1L3"}))
    piece = piece_on(view, "E2")
    view.push(view.parse_move("D2E2"))
    assert letters(int(view.record.may[piece])) == "bcdefghik"
    assert view.move_text(view.pop()) == "D2E2=2"


@pytest.mark.parametrize(("code", "left"), [(0, "bcdefgh"), (1, "i"), (2, "k")])
def test_what_runs_into_a_mine(game: Game, code: int, left: str) -> None:
    view = game.position(view_fen({0: "1x1x1", 9: "x4", 10: "J4", 11: "1L3"}, "s"))
    piece = piece_on(view, "J0")
    view.push(view.parse_move(f"J0K0={code}"))
    assert letters(int(view.record.may[piece])) == left


def test_a_piece_that_moved_is_neither_mine_nor_flag(game: Game) -> None:
    view = replay(game, [FIRST, "?", "G0H1", "B2C1"])
    assert may(view, "C1") == "abcdefghik"
    view = game.position(view_fen({0: "1x1x1", 1: "2x2", 11: "1L3"}, "s"))
    assert may(view, "B2") == "abcdefghijk"
    view.push(view.parse_move("B2B0"))
    assert may(view, "B0") == "abcdefghik"


def test_a_turn_on_the_railway_is_an_engineer(game: Game) -> None:
    view = game.position(view_fen({0: "1x1x1", 1: "2x2", 11: "1L3"}, "s"))
    view.push(view.parse_move("B2F0"))
    assert may(view, "F0") == "i"
    assert view.fen().split("/")[5] == "i4"
    view.pop()
    assert may(view, "B2") == "abcdefghijk"


def test_the_commander_falls_with_its_flag_told(game: Game) -> None:
    fen = view_fen({0: "1x1x1", 3: "2A2", 4: "2x2", 11: "1L3"})
    view = game.position(fen)
    piece = piece_on(view, "E2")
    view.push(view.parse_move("D2E2=2"))
    assert letters(int(view.record.may[piece])) == "k"
    view.pop()
    view.push(view.parse_move("D2E2=2@A1"))
    assert letters(int(view.record.may[piece])) == "a"
    assert may(view, "A1") == "l"
    assert "l" not in may(view, "A3")
    assert view.fen().startswith("1l1x1/")
    assert view.move_text(view.pop()) == "D2E2=2@A1"
    assert view.fen() == fen


def test_a_known_commander_cannot_fall_untold(game: Game) -> None:
    view = game.position(view_fen({0: "1x1x1", 3: "2K2", 4: "2a2", 11: "1L3"}))
    before = state(view)
    with pytest.raises(ValueError, match="the commander fell, but its flag was not announced"):
        view.push(view.parse_move("D2E2=2"))
    assert state(view) == before
    view.push(view.parse_move("D2E2=2@A3"))
    assert may(view, "A3") == "l"


@pytest.mark.parametrize("square", ["A0", "E2", "C0", "L1", "D2"])
def test_a_flag_told_where_none_can_stand(game: Game, square: str) -> None:
    view = game.position(view_fen({0: "xx1x1", 3: "2A2", 4: "2x2", 11: "1L3"}))
    before = state(view)
    with pytest.raises(ValueError, match=f"no flag can stand on {square}"):
        view.push(view.parse_move(f"D2E2=2@{square}"))
    assert state(view) == before


def test_a_flag_known_from_the_fen_and_told_again_proves_no_commander(game: Game) -> None:
    view = game.position(view_fen({0: "1l1x1", 3: "2A2", 4: "1xx2", 11: "1L3"}))
    piece = piece_on(view, "E2")
    view.push(view.parse_move("D2E2=2@A1"))
    assert "k" in letters(int(view.record.may[piece]))


@pytest.mark.parametrize(("attacker", "code"), [("A", 1), ("K", 2)])
def test_a_headquarters_taken_is_unknown_until_the_game_goes_on(game: Game, attacker: str, code: int) -> None:
    view = game.position(view_fen({0: "1x1x1", 1: f"1{attacker}3", 3: "x4", 10: "B4", 11: "1L3"}))
    view.push(view.parse_move(f"B1A1={code}"))
    outcome = view.outcome()
    assert outcome is not None
    assert outcome.unknown
    assert str(outcome) == "unknown headquarters-taken"
    assert may(view, "A3") == "abcdefghijkl"
    view.push(view.parse_move("D0D1"))
    assert view.outcome() is None
    assert may(view, "A3") == "l"
    view.pop()
    assert view.outcome() == outcome
    view.pop()
    assert view.outcome() is None


def test_the_second_headquarters_is_the_flag(game: Game) -> None:
    fen = view_fen({0: "1x1x1", 1: "1A1B1", 3: "x4", 11: "1L3"})
    view = replay(game, ["B1A1=1", "D0D1", "B3A3=1"], fen)
    assert str(view.outcome()) == "win first flag"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("B3C3@G0", "no flag can stand on G0"),
        ("B3C3@A1", "no flag can stand on A1"),
        ("D0D1@G0", "no flag can stand on G0"),
    ],
)
def test_a_refused_move_keeps_the_unknown_outcome(game: Game, text: str, error: str) -> None:
    fen = view_fen({0: "1x1x1", 1: "1A1x1", 3: "x4", 11: "1L3"})
    view = replay(game, ["B1A1=1"], fen)
    before = state(view)
    with pytest.raises(ValueError, match=error):
        view.push(view.parse_move(text))
    assert state(view) == before


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("G2F2", "a result code is needed (=0, =1 or =2): G2F2"),
        ("G2F2=3", "impossible result: G2F2=3"),
        ("G0H1=0", "impossible result: G0H1=0"),
        ("G0H1=2", "impossible result: G0H1=2"),
        ("G0F0=0", "impossible result: G0F0=0"),
        ("G0F0=2", "the commander"),
    ],
)
def test_results_missing_or_impossible(game: Game, text: str, error: str) -> None:
    view = replay(game, [FIRST, "?"])
    before = state(view)
    if text == "G0F0=2":
        view.push(view.parse_move(text + "@A1"))
        view.pop()
        assert state(view) == before
    with pytest.raises(ValueError) as raised:
        view.push(view.parse_move(text))
    assert error in str(raised.value)
    assert state(view) == before


@pytest.mark.parametrize("code", [0, 2, 3])
def test_a_referee_knows_the_result(game: Game, code: int) -> None:
    position = replay(game, [FIRST, swapped(FIRST, "G0", "G2")])
    assert texts(position).count("G2F2") == 1
    position.push(position.parse_move("G2F2"))
    assert position.move_text(position.pop()) == "G2F2=0"
    before = state(position)
    if code == 0:
        position.push(position.parse_move("G2F2=0"))
        position.pop()
    else:
        with pytest.raises(ValueError, match="impossible result"):
            position.push(position.parse_move(f"G2F2={code}"))
    assert state(position) == before


def test_all_of_a_type_found_leaves_none(game: Game) -> None:
    view = replay(game, ["K0K1"], view_fen({0: "1x1l1", 3: "3ab", 4: "2x2", 10: "B4", 11: "1L3"}))
    assert may(view, "E2") == "cdefghik"
    assert may(view, "A1") == "cdefghijk"


# Completing a side


def brute_force(sets: list[int], left: list[int]) -> list[tuple[int, ...]]:
    """Every way to give the sets their types, each type as often as `left` has it."""
    if not sets:
        return [()]
    found = []
    for kind in range(12):
        if sets[0] >> kind & 1 and left[kind]:
            left[kind] -= 1
            found += [(kind, *rest) for rest in brute_force(sets[1:], left)]
            left[kind] += 1
    return found


def random_sets(rng: random.Random) -> tuple[list[int], int]:
    """25 sets of which all but a few are settled, the open ones first; now and then they contradict each other."""
    types = [kind for kind, count in enumerate(COUNTS) for _ in range(count)]
    rng.shuffle(types)
    open_ = rng.randint(1, 6)
    sets = [1 << kind for kind in types]
    for index in range(open_):
        for _ in range(rng.randint(0, 3)):
            sets[index] |= 1 << rng.choice(types[:open_])
        if rng.random() < 0.1:
            sets[index] &= ~(1 << types[index])
    return sets, open_


def test_completion_against_brute_force() -> None:
    rng = random.Random(7)
    impossible = sharpened = 0
    for _ in range(1500):
        sets, open_ = random_sets(rng)
        left = list(COUNTS)
        for types in sets[open_:]:
            left[types.bit_length() - 1] -= 1
        solutions = brute_force(sets[:open_], left)
        assignment = complete(sets)
        if not solutions:
            impossible += 1
            assert assignment is None
            continue
        assert assignment is not None
        assert tuple(assignment[:open_]) in solutions
        assert [1 << kind for kind in assignment[open_:]] == sets[open_:]
        spread = spread_counts(sets)
        sharpened += spread != sets
        for index in range(25):
            needed = 0
            for solution in solutions:
                needed |= 1 << solution[index] if index < open_ else sets[index]
            assert spread[index] & sets[index] == spread[index]
            assert spread[index] & needed == needed
        assert spread_counts(spread) == spread
    assert impossible > 50
    assert sharpened > 50


def test_counts_that_contradict_each_other() -> None:
    settled = [1 << kind for kind, count in enumerate(COUNTS) for _ in range(count)]
    assert spread_counts(settled) == settled
    assert complete(settled) == [types.bit_length() - 1 for types in settled]
    for wrong in ([1, *settled[:1], *settled[2:]], [0, *settled[1:]]):
        assert complete(wrong) is None
        with pytest.raises(ValueError, match="contradicts"):
            spread_counts(wrong)


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
