"""Junqi's views: the part of a game that a side sees, and its conclusions."""

from __future__ import annotations

import random

import pytest
from junqi_games import (
    FIRST,
    SETUPS,
    Witness,
    letters,
    may,
    piece_on,
    random_games,
    random_word,
    replay,
    state,
    swapped,
    texts,
    view_fen,
)
from live_record import live_bytes
from samples import sampled

from naive import junqi as naive
from naive.junqi import Naive
from siqi.games import registry
from siqi.games.contract import Game
from siqi.games.junqi.knowledge.belief import narrow_by_counts


@pytest.fixture(scope="module")
def game() -> Game:
    return registry.load("junqi")


FLAGLESS = (
    "x1x1x/1x3/5/1x1x1/5/5/5/1A3/5/5/JJ1I1/B2LC f f 3",  # no piece stands in a headquarters
    "1a1b1/1x3/5/1x1x1/5/5/5/1A3/5/5/JJ1I1/B2LC s f 3",  # the pieces in headquarters are known
    "1x1x1/1x3/5/1x1x1/5/5/5/1A3/5/5/JJ1I1/B1C2 f f 3",  # the viewer has lost its own flag
    "1x1x1/1x3/5/1x1x1/5/5/5/1A3/5/5/JJ1I1/1B1C1 s f 3",
    "5/5/5/5/5/5/5/5/5/5/5/3L1 f f 0",  # the other side has no piece left
)
"""Views in which a side has no flag."""


@pytest.mark.parametrize("fen", FLAGLESS)
def test_a_view_without_a_flag_answers_everything(game: Game, fen: str) -> None:
    """Every question is answered; the fallen flag is one dead piece, and no other dead piece can be the flag."""
    position = game.position(fen)
    assert position.fen() == fen and position.outcome() is not None
    assert game.evaluate(position)[-1].startswith("total ")
    assert position.legal_moves() == []
    for side in range(2):
        flags = [types for types in position.believed(side).may if types >> 11 & 1]
        assert len(flags) <= 2


def test_a_fen_at_the_limit_of_its_counter_is_read_back(game: Game) -> None:
    position = game.position("3l1/1a3/5/5/5/5/5/5/5/5/1A3/3L1 f - 999")
    position.push(position.legal_moves()[0])
    assert game.position(position.fen()).fen() == position.fen()


# Views


@sampled("games", 3, 12)
def test_views_of_random_games(game: Game, games: int) -> None:
    rng = random.Random(5)
    for count in range(games):
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
                    known = believed[25 * enemy : 25 * enemy + 25].tolist()
                    assert sorted(narrow_by_counts(known)) == sorted(known)
                    fresh = game.position(view.fen())
                    assert fresh.fen() == view.fen()
                    assert fresh.key == view.key
        for witness in witnesses:
            assert referee.view_moves(witness.viewer) == witness.words
            outcome, truth = witness.position.outcome(), referee.outcome()
            if truth.reason == "flag":
                assert outcome == truth or (outcome.unknown and truth.winner == witness.viewer)
            elif truth.reason == "quiet":
                assert outcome == truth


def worlds(rng: random.Random, setups: tuple[str, str], enemy: int) -> tuple[str, str]:
    """Return the set-ups with two unlike pieces of the enemy exchanged."""
    while True:
        one, other = rng.sample(range(25), 2)
        word = swapped(setups[enemy], naive.SLOTS[one], naive.SLOTS[other])
        if word != setups[enemy] and Naive.legal_setup(word):
            return (word, setups[1]) if enemy == 0 else (setups[0], word)


@sampled("games", 6, 20)
def test_a_view_hides_what_it_must(game: Game, games: int) -> None:
    rng = random.Random(6)
    long = 0
    for viewer in (0, 1) * games:
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
            (state(view), view.board(), view.key, game.evaluate(view), view.legal_moves(), view._state.public.tobytes())
            for view in views
        ]
        assert seen[0] == seen[1]
        assert game.position(views[0].fen()).fen() == views[0].fen()
        long += referees[0].ply > 22 and referees[0].fen() != referees[1].fen()
    assert long > games // 4


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


def test_code_2_of_the_own_bomb_reveals_nothing(game: Game) -> None:
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


def test_the_commander_falls_with_its_flag_announced(game: Game) -> None:
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


def test_a_known_commander_cannot_fall_unannounced(game: Game) -> None:
    view = game.position(view_fen({0: "1x1x1", 3: "2K2", 4: "2a2", 11: "1L3"}))
    before = state(view)
    with pytest.raises(ValueError, match="the commander fell, but its flag was not announced"):
        view.push(view.parse_move("D2E2=2"))
    assert state(view) == before
    view.push(view.parse_move("D2E2=2@A3"))
    assert may(view, "A3") == "l"


@pytest.mark.parametrize("square", ["A0", "E2", "C0", "L1", "D2"])
def test_a_flag_announced_where_none_can_stand(game: Game, square: str) -> None:
    view = game.position(view_fen({0: "xx1x1", 3: "2A2", 4: "2x2", 11: "1L3"}))
    before = state(view)
    with pytest.raises(ValueError, match=f"no flag can stand on {square}"):
        view.push(view.parse_move(f"D2E2=2@{square}"))
    assert state(view) == before


def test_a_flag_known_from_the_fen_and_announced_again_proves_no_commander(game: Game) -> None:
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
