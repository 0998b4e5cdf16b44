"""Xiangqi's rules: against the oracle on random games, and on perft, mate and repetition vectors."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fixture_files import FIXTURES, SHARED, lines, vectors
from live_record import live_bytes
from samples import sampled

from naive.xiangqi import Naive, verdict_of_cycle
from siqi.games import registry
from siqi.games.contract import Game, Outcome, Task, exhaust
from siqi.games.kernel.control import Control
from siqi.games.xiangqi.rules import notation
from siqi.games.xiangqi.rules.lookup import LOOKUP_RECORD
from siqi.games.xiangqi.rules.movegen import is_legal_here

START = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR"
PERFT_LIMIT = 5_000_000
ORACLE_EVERY = 3


@pytest.fixture(scope="module")
def game() -> Game:
    return registry.load("xiangqi")


@pytest.fixture
def ranks_from_one(game: Game) -> Iterator[Game]:
    game.set_option("UCI_Coordinates", "1")
    yield game
    game.set_option("UCI_Coordinates", "0")


def replay(game: Game, fen: str | None, moves: list[str]) -> Any:
    position = game.position(fen)
    for text in moves:
        position.push(position.parse_move(text))
    return position


ADVISOR_ASTRAY = "4k4/9/9/9/9/9/9/4n4/3A5/3K5 w - - 0 1"
"""A position of a public suite that the game refuses."""


def texts(position: Any) -> list[str]:
    return sorted(position.move_text(move) for move in position.legal_moves())


def perft(game: Game, fen: str, depth: int) -> int:
    return sum(count for _, count in game.perft(game.position(fen), depth, Control()))


def verdict(position: Any) -> str:
    outcome = position.outcome()
    if outcome is None:
        return "undecided"
    if outcome.winner is None:
        return "draw"
    return "win" if outcome.winner == position.turn else "loss"


def perft_cases(path: Path) -> list[Any]:
    return [
        pytest.param(case["fen"], int(depth), count, id=f"{case['id']}-{depth}")
        for case in vectors(path.name, path.parent)
        for depth, count in case["nodes"].items()
        if count <= PERFT_LIMIT
    ]


@pytest.mark.parametrize(("fen", "depth", "count"), perft_cases(FIXTURES / "xiangqi_perft.jsonl"))
def test_perft(game: Game, fen: str, depth: int, count: int) -> None:
    assert perft(game, fen, depth) == count


def test_perft_of_the_oracle(game: Game) -> None:
    for case in vectors("xiangqi_perft.jsonl"):
        if case["nodes"]["2"] < 600:
            assert perft(game, case["fen"], 2) == Naive(case["fen"]).perft(2) == case["nodes"]["2"]


COMPOSITIONS = (
    "3k1p3/4P4/9/9/6CCR/3n4c/2Pn5/8B/5p3/4K4 w - - 0 1",
    "1p1k1p3/9/p6p1/9/9/1p7/1P1P3PN/9/PP6n/4K4 w - - 0 1",
    "3ap1b2/3k1p2p/7P1/9/2p6/9/9/B2NN3B/2P5P/3KPP3 b - - 0 1",
)
"""Positions with pawns where no game brings them: behind their start rank, or before the river off its five files."""


def test_a_composition_with_pawns_behind_their_start_rank(game: Game) -> None:
    """It has its moves, its mate and its FEN after them; perft counts as the oracle does."""
    for fen in COMPOSITIONS:
        position = game.position(fen)
        assert position.fen() == fen and texts(position) == Naive(fen).legal_moves()
        assert perft(game, fen, 2) == Naive(fen).perft(2)
        for move in position.legal_moves():
            position.push(move)
            assert game.position(position.fen()).fen() == position.fen()
            position.pop()
    searcher = game.searcher()
    searcher.configure(1, 1, 1)
    line = exhaust(searcher, Task(game.position(COMPOSITIONS[0]), Control(20_000))).lines[0]
    assert [notation.move_text(move) for move in line.pv] == ["g5g9", "f9f8", "h5h9"] and line.score.mate == 2


def starts(every: int = 1) -> list[str]:
    """Return the positions from which random games begin, or every n-th of each kind."""
    perfts, mates = vectors("xiangqi_perft.jsonl"), vectors("xiangqi_mates.jsonl")
    kinds = [f"{START} w - - 0 1"] * 12, [case["fen"] for case in perfts], [case["fen"] for case in mates], COMPOSITIONS
    return [fen for kind in kinds for fen in kind[::every]]


@sampled("every", 6, 1)
def test_random_games_against_the_oracle(game: Game, every: int) -> None:
    rng = random.Random(1)
    asked = decided = 0
    for fen in starts(every) * 2:
        position, oracle = game.position(fen), Naive(fen)
        for ply in range(50):
            moves = position.legal_moves()
            if not moves or ply % ORACLE_EVERY == 0:
                assert texts(position) == oracle.legal_moves()
                asked += 1
            assert len(moves) == position.count_legal()
            if not moves:
                decided += 1
                reason = "checkmate" if oracle.in_check(oracle.turn) else "stalemate"
                assert position.outcome() == Outcome(oracle.outcome_of_moves(), reason)
                break
            move = rng.choice(moves)
            oracle._play(position.move_text(move))
            position.push(move)
            assert position.fen().split()[0] == oracle.fen_board()
            assert position.turn == oracle.turn
    assert asked > 1500 // every
    assert decided > 5 // every


@sampled("every", 9, 1)
def test_single_moves_are_judged_as_the_list_has_them(game: Game, every: int) -> None:
    """All pairs of squares are judged as in the list, after random moves from the start positions."""
    rng = random.Random(11)
    words = [origin | target << 7 for origin in range(90) for target in range(90)]
    for fen in starts(every):
        position: Any = game.position(fen)
        for ply in range(13):
            legal = position.legal_moves()
            if not legal:
                break
            if ply == 12:
                record = position.record
                judged = [word for word in words if is_legal_here(record, LOOKUP_RECORD, word)]
                assert judged == sorted(legal, key=words.index)
            position.push(rng.choice(legal))


@sampled("every", 6, 1)
def test_push_and_pop_restore_every_byte(game: Game, every: int) -> None:
    rng = random.Random(2)
    for fen in starts(every):
        position = game.position(fen)
        stack = []
        for _ in range(90):
            moves = position.legal_moves()
            if not moves:
                break
            before = live_bytes(position.record)
            for move in moves if position.ply % 6 == 0 else []:
                position.push(move)
                assert position.pop() == move
                assert live_bytes(position.record) == before
            stack.append((before, position.fen(), moves[rng.randrange(len(moves))]))
            position.push(stack[-1][2])
        while stack:
            before, text, move = stack.pop()
            assert position.pop() == move
            assert live_bytes(position.record) == before
            assert position.fen() == text
        with pytest.raises(IndexError):
            position.pop()


@sampled("every", 6, 1)
def test_key_and_fen_are_those_of_a_fresh_position(game: Game, every: int) -> None:
    rng = random.Random(3)
    for fen in starts(every) * 2:
        position = game.position(fen)
        while position.ply < 80 and (moves := position.legal_moves()):
            position.push(rng.choice(moves))
            fresh = game.position(position.fen())
            assert fresh.fen() == position.fen()
            assert fresh.key == position.key
            for field in ("rank_bits", "file_bits", "turn", "score", "quiet"):
                assert fresh.record[field].tolist() == position.record[field].tolist(), field
            assert texts(fresh) == texts(position)


def test_equal_positions_share_a_key_and_the_side_to_move_changes_it(game: Game) -> None:
    position = replay(game, None, ["h2e2", "h9g7", "b0c2"])
    other = replay(game, None, ["b0c2", "h9g7", "h2e2"])
    assert position.key == other.key
    assert game.position(f"{START} w").key != game.position(f"{START} b").key


def test_a_copy_is_independent(game: Game) -> None:
    position = replay(game, None, ["h2e2", "h9g7"])
    fen, key = position.fen(), position.key
    twin = position.copy()
    twin.pop()
    twin.push(twin.parse_move("b9c7"))
    twin.push(twin.parse_move("b0c2"))
    assert (position.fen(), position.key, position.ply) == (fen, key, 2)
    position.pop()
    position.pop()
    assert twin.ply == 3
    assert [twin.move_text(twin.pop()) for _ in range(3)] == ["b0c2", "b9c7", "h2e2"]


def test_counters_of_a_fen_go_on(game: Game) -> None:
    assert replay(game, f"{START} w - - 7 12", ["h2e2"]).fen().split()[4:] == ["8", "12"]
    assert replay(game, f"{START} w - - 7 12", ["h2e2", "h7e7"]).fen().split()[4:] == ["9", "13"]
    assert replay(game, f"{START} b - - 7 12", ["h7e7"]).fen().split()[4:] == ["8", "13"]
    assert replay(game, f"{START} w - - 7 12", ["h2h9"]).fen().split()[4:] == ["0", "12"]


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (START, "w - - 0 1"),
        (f"{START} w", "w - - 0 1"),
        (f"{START} r", "w - - 0 1"),
        (f"{START} b", "b - - 0 1"),
        (f"{START} w - -", "w - - 0 1"),
        (f"{START} w 5 7", "w - - 5 7"),
        (f"{START} b - - 3 9", "b - - 3 9"),
        (f"{START} w - - 3", "w - - 3 1"),
        (f"{START} w - - 0 0", "w - - 0 1"),
        (START.replace("n", "h").replace("b", "e").replace("N", "H").replace("B", "E") + " r - - 0 1", "w - - 0 1"),
    ],
)
def test_accepted_fens(game: Game, given: str, read: str) -> None:
    assert game.position(given).fen() == f"{START} {read}"


def test_pieces_stand_where_the_rules_let_them(game: Game) -> None:
    """Each advisor and elephant is accepted on its own points, and refused with its square on all others; a pawn stands
    anywhere."""
    points = {
        "advisor": {"d0", "f0", "e1", "d2", "f2"},
        "elephant": {"c0", "g0", "a2", "e2", "i2", "c4", "g4"},
        "pawn": {f"{file}{rank}" for file in "abcdefghi" for rank in range(10)},
    }
    faults = {"advisor": "outside its palace's five points", "elephant": "outside its side's seven points"}
    for square in range(90):
        rank, file = divmod(square, 9)
        for letter, name in (("A", "advisor"), ("B", "elephant"), ("P", "pawn")):
            board = {4: "K", 85: "k", 40: "n", 49: "n"} | {square: letter}
            if len(board) < 5:
                continue
            for is_black in (False, True):
                turned = {89 - at: sign.swapcase() for at, sign in board.items()} if is_black else board
                rows = ["".join(turned.get(9 * r + f, "1") for f in range(9)) for r in range(9, -1, -1)]
                where = "abcdefghi"[8 - file if is_black else file] + str(9 - rank if is_black else rank)
                try:
                    game.position(f"{'/'.join(rows)} {'bw'[is_black]}")
                except ValueError as error:
                    sign = letter.lower() if is_black else letter
                    assert str(error) == f"{name} {sign} on {where} is {faults[name]}"
                    assert f"{'abcdefghi'[file]}{rank}" not in points[name]
                else:
                    assert f"{'abcdefghi'[file]}{rank}" in points[name]


@pytest.mark.shared
def test_only_one_known_position_of_public_suites_is_refused(game: Game) -> None:
    """In all other positions every piece is where it can stand."""
    refused = {}
    for name in ("perft", "mates", "composed_mates", "repetition_axf", "repetition_wxf"):
        for case in vectors(f"xiangqi/{name}.jsonl", SHARED):
            try:
                game.position(case["fen"])
            except ValueError as error:
                refused[case["id"]] = str(error)
    assert refused == {"mce_horse_check": "advisor A on d1 is outside its palace's five points"}


@pytest.mark.parametrize(
    ("fen", "error"),
    [
        ("9/9/9/9/9/9/9/9/9/4K4 w", "black has no king"),
        ("4k4/9/9/9/9/9/9/9/9/9 w", "red has no king"),
        ("3k5/9/9/9/9/9/9/9/9/3KK4 w", "more than 1 of piece K"),
        ("3kk4/9/9/9/9/9/9/9/9/5K3 w", "more than 1 of piece k"),
        ("3k5/9/9/9/9/9/4K4/9/9/9 w", "king K on e3 is outside its palace"),
        ("2k6/9/9/9/9/9/9/9/9/4K4 w", "king k on c9 is outside its palace"),
        ("4K4/9/9/9/9/9/9/9/9/3k5 w", "king K on e9 is outside its palace"),
        ("3k5/4A4/9/9/9/9/9/9/9/4K4 w", "advisor A on e8 is outside its palace's five points"),
        ("3k5/9/9/9/B8/9/9/9/9/4K4 w", "elephant B on a5 is outside its side's seven points"),
        ("4k4/9/9/9/9/9/9/9/9/4K4 w", "the side not to move is in check, or the kings face each other"),
        ("4k4/9/9/9/9/9/9/9/9/4K4 b", "the side not to move is in check, or the kings face each other"),
        ("3k5/9/9/3R5/9/9/9/9/9/4K4 w", "the side not to move is in check"),
        ("3k5/9/9/9/9/9/9/4r4/9/4K4 b", "the side not to move is in check"),
        ("3k5/9/9/RRR6/9/9/9/9/9/4K4 w", "more than 2 of piece R"),
        ("3k5/9/9/pppppp3/9/9/9/9/9/4K4 w", "more than 5 of piece p"),
        ("3k5/HN7/N8/9/9/9/9/9/9/4K4 w", "more than 2 of piece N"),
        ("3k5/9/9/9/9/9/9/9/4K4 w", "board has 9 ranks, not 10"),
        ("3k5/9/9/9/9/9/9/9/9/9/4K4 w", "board has 11 ranks, not 10"),
        ("3k5/9/9/8/9/9/9/9/9/4K4 w", "rank 6 has 8 files, not 9"),
        ("3k5/9/9/9R/9/9/9/9/9/4K4 w", "rank 6 has 10 files, not 9"),
        ("3k6/9/9/9/9/9/9/9/9/4K4 w", "rank 9 has 10 files, not 9"),
        ("3k5/9/9/9/9/9/9/9/9/4Q4 w", "unknown piece Q"),
        ("3k5/9/9/09/9/9/9/9/9/4K4 w", "unknown piece 0"),
        ("3k5/9/9/9/9/9/9/9/9/4K4 x", "side to move is w, r or b, not x"),
        ("3k5/9/9/9/9/9/9/9/9/4K4 w - - 0 1234567", "counter is above 99999: 1234567"),
        ("3k5/9/9/9/9/9/9/9/9/4K4 w - - x 1", "counter is not a number: x"),
        ("3k5/9/9/9/9/9/9/9/9/4K4 w - - 0 -1", "counter is not a number: -1"),
        ("3k5/9/9/9/9/9/9/9/9/4K4 w - - 0 123456", "counter is above 99999: 123456"),
        ("3k5/9/9/9/9/9/9/9/9/4K4 w x y", "counter is not a number: x"),
        ("3k5/9/9/9/9/9/9/9/9/4K4 w - - 0 1 e0e1 d9d8", "unexpected e0e1: moves stand behind the word moves"),
        ("3k5/9/9/9/9/9/9/9/9/4K4 w - - 0 1 move e0e1", "unexpected move"),
        ("3k5/9/9/9/9/9/9/9/9/4K4 w - - 0 1 -", "unexpected -"),
        ("3k5/9/9/9/9/9/9/9/9/4K4 w - - e0e1 d9d8", "counter is not a number: e0e1"),
        ("3k5/9/9/9/9/9/9/9/9/4K4 w 0 1 e0e1", "counter is not a number: e0e1"),
        ("3k5/9/9/9/9/9/9/9/9/4K4 w e0e1 d9d8", "counter is not a number: e0e1"),
    ],
)
def test_refused_fens(game: Game, fen: str, error: str) -> None:
    with pytest.raises(ValueError) as raised:
        game.position(fen)
    assert error in str(raised.value)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("h2e3", "illegal move: h2e3"),
        ("h9g7", "illegal move: h9g7"),
        ("e4e5", "illegal move: e4e5"),
        ("h2h2", "illegal move: h2h2"),
        ("h2", "not a move: h2"),
        ("j2e2", "not a move: j2e2"),
        ("\u01302e2", "not a move: \u01302e2"),
        ("h2e2x", "not a move: h2e2x"),
        ("", "not a move: "),
        ("h10e2", "rank off the board: h10e2"),
    ],
)
def test_refused_moves(game: Game, text: str, error: str) -> None:
    with pytest.raises(ValueError) as raised:
        game.position().parse_move(text)
    assert str(raised.value) == error


@pytest.mark.parametrize("text", ["h2e2", "H2E2", "H2-E2"])
def test_move_text_is_read_in_several_forms(game: Game, text: str) -> None:
    position = game.position()
    assert position.move_text(position.parse_move(text)) == "h2e2"


def test_ranks_from_one(ranks_from_one: Game) -> None:
    position = ranks_from_one.position()
    assert position.move_text(position.parse_move("h3e3")) == "h3e3"
    position.push(position.parse_move("h3e3"))
    assert position.move_text(position.parse_move("i10i9")) == "i10i9"
    assert position.move_text(position.parse_move("I10-I9")) == "i10i9"
    for text in ("i0i1", "h11g8"):
        with pytest.raises(ValueError):
            position.parse_move(text)
    for move in position.legal_moves():
        assert position.parse_move(position.move_text(move)) == move
    assert position.fen().startswith(START[:20])


@pytest.mark.parametrize("moves", lines("xiangqi_openings.txt"))
def test_openings_replay(game: Game, moves: str) -> None:
    position = replay(game, None, moves.split()[1:])
    assert position.ply == 6
    assert position.outcome() is None


@pytest.mark.parametrize(
    ("fen", "outcome"),
    [
        ("3k1R3/4R4/9/9/9/9/9/9/9/4K4 b", "win first checkmate"),
        ("3a1k3/5P3/9/9/9/9/9/9/9/4K4 b", None),
        ("5k3/3P5/4P4/9/9/9/9/9/9/4K4 b", None),
        ("3k5/9/3P5/9/9/9/9/9/9/4K4 b", "win first stalemate"),
        ("3k5/9/9/9/9/9/9/3p5/9/4K4 w", None),
        ("5k3/9/9/9/9/9/9/3p5/9/3K5 w", None),
        ("4k4/9/9/9/9/9/9/5p3/9/5K3 w", "win second stalemate"),
        ("3ak4/9/9/9/9/9/9/9/9/3K1AB2 w", "draw no-attackers"),
        ("3ak4/9/9/9/9/9/P8/9/9/3K1AB2 w", None),
    ],
)
def test_outcome_of_a_board(game: Game, fen: str, outcome: str | None) -> None:
    ended = game.position(fen).outcome()
    assert (None if ended is None else str(ended)) == outcome


@pytest.mark.parametrize("counters", ["500 7", "119 1", "0 99999"])
def test_a_fen_at_the_limits_of_its_counters_is_read_back(game: Game, counters: str) -> None:
    position = replay(game, f"{START} w - - {counters}", ["h2e2", "h9g7"])
    assert game.position(position.fen()).fen() == position.fen()


def test_taking_the_last_attacker_draws(game: Game) -> None:
    position = replay(game, "3k5/9/9/9/9/9/9/9/4p4/4K4 w", [])
    assert position.outcome() is None
    position.push(position.parse_move("e0e1"))
    assert str(position.outcome()) == "draw no-attackers"
    position.pop()
    assert position.outcome() is None


def test_sixty_moves_without_a_capture_draw(game: Game) -> None:
    board = "3k5/9/9/9/9/9/9/9/R8/4K4"
    assert str(game.position(f"{board} w - - 120 70").outcome()) == "draw sixty-moves"
    assert str(game.position(f"{board} w - - 999 70").outcome()) == "draw sixty-moves"
    position = game.position(f"{board} w - - 118 70")
    position.push(position.parse_move("a1a2"))
    assert position.outcome() is None
    position.push(position.parse_move("d9d8"))
    assert str(position.outcome()) == "draw sixty-moves"


def test_a_capture_or_mate_comes_before_the_sixty_moves(game: Game) -> None:
    position = replay(game, "3k5/9/9/9/9/9/9/9/R7p/4K4 w - - 119 70", ["a1i1"])
    assert position.outcome() is None
    position = replay(game, "3k5/R8/9/9/9/9/9/9/8R/4K4 w - - 119 70", ["i1i9"])
    assert str(position.outcome()) == "win first checkmate"


def test_checks_beyond_ten_a_side_do_not_count(game: Game) -> None:
    position = game.position("4k4/9/9/9/4R4/9/9/9/9/5K3 b - - 0 1")
    rounds = [("e9d9", "e5d5"), ("d9e9", "d5e5")]
    for number in range(1, 15):
        for text in rounds[(number - 1) % 2]:
            position.push(position.parse_move(text))
        assert position.record.quiet == number + min(number, 10)
    for _ in range(28):
        position.pop()
    assert position.record.quiet == 0
    assert position.record.checks.tolist() == [0, 0]


@sampled("every", 6, 1)
def test_quiet_plies_of_random_games_are_recounted(game: Game, every: int) -> None:
    rng = random.Random(4)
    for fen in starts(every):
        position = game.position(fen)
        quiet, checks = 0, [0, 0]
        while position.ply < 150 and (moves := position.legal_moves()):
            checking = []
            for move in moves:
                position.push(move)
                if position.is_check():
                    checking.append(move)
                position.pop()
            move = rng.choice(checking or moves)
            giver, before = position.turn, sum(map(str.isalpha, position.fen().split()[0]))
            position.push(move)
            if sum(map(str.isalpha, position.fen().split()[0])) < before:
                quiet, checks = 0, [0, 0]
            elif move in checking:
                checks[giver] += 1
                quiet += checks[giver] <= 10
            else:
                quiet += 1
            assert position.record.quiet == quiet


def test_a_long_quiet_game_is_taken_back_exactly(game: Game) -> None:
    position = game.position("3k5/9/9/9/9/9/9/9/R8/4K4 w - - 0 1")
    states = []
    for ply in range(400):
        states.append(live_bytes(position.record))
        position.push(position.parse_move(["a1a2", "d9d8", "a2a1", "d8d9"][ply % 4]))
    while states:
        position.pop()
        assert live_bytes(position.record) == states.pop()


def test_check_is_reported(game: Game) -> None:
    rng = random.Random(5)
    seen = 0
    for fen in starts():
        position = game.position(fen)
        for _ in range(20):
            oracle = Naive(position.fen())
            assert position.is_check() == oracle.in_check(oracle.turn)
            seen += position.is_check()
            moves = position.legal_moves()
            if not moves:
                break
            position.push(rng.choice(moves))
    assert seen > 20


@pytest.mark.parametrize(
    "case", [c for c in vectors("xiangqi_mates.jsonl") if c["mate_moves"] <= 2], ids=lambda c: c["id"]
)
def test_short_mates_are_found(game: Game, case: dict[str, Any]) -> None:
    position = game.position(case["fen"])
    searcher = game.searcher()
    searcher.configure(4, 1, 1)
    searcher.start(Task(position, Control(2_000_000)))
    report = searcher.iterate()
    while report.lines[0].score.mate is None and report.depth < 2 * case["mate_moves"] + 2 and not report.finished:
        report = searcher.iterate()
    searcher.finish()
    assert report.lines[0].score.mate == case["mate_moves"]
    assert report.lines[0].pv[0] in position.legal_moves()


@pytest.mark.parametrize("case", vectors("xiangqi_repetition.jsonl"), ids=lambda c: c["id"])
def test_repetition_suites(game: Game, case: dict[str, Any]) -> None:
    """Every case of both suites has the expected verdict, without exceptions."""
    assert verdict(replay(game, case["fen"], case["moves"])) == case["expect_stm"]


@pytest.mark.parametrize(
    ("fen", "cycle", "expected"),
    [
        ("4ck3/4a4/3P5/9/R3n4/9/9/9/9/3K5 w", "d7e7 e8d9 e7d7 d9e8", "loss"),
        ("4ck3/4a4/3P5/9/C3n4/9/9/9/9/3K5 w", "d7e7 e8d9 e7d7 d9e8", "draw"),
        ("4ck3/4a4/3P5/9/R3p4/9/9/9/9/3K5 w", "d7e7 e8d9 e7d7 d9e8", "draw"),
        ("4ck3/4a4/3P5/9/9/R3p4/9/9/9/3K5 w", "d7e7 e8d9 e7d7 d9e8", "loss"),
    ],
    ids=["horse", "no threat", "uncrossed pawn", "crossed pawn"],
)
def test_taking_protection_away_from_the_side_is_a_chase(game: Game, fen: str, cycle: str, expected: str) -> None:
    """The protector, here a cannon, does not attack the chaser (appendix of the Asian rules)."""
    assert verdict(replay(game, fen, cycle.split() * 2)) == expected
    assert verdict_of_cycle(fen, cycle.split()) == expected


def test_an_evasion_renews_no_threat(game: Game) -> None:
    """The rook's threat is new only at every second move; the others evade a check, which forbade the capture."""
    fen = "5kb2/4a4/5a3/4p3P/6b2/4n1N2/4R4/4BA3/4A4/5K1r1 w"
    cycle = ["f0f1", "e4c5", "e3c3", "h0h1", "f1f0", "c5e4", "c3e3", "h1h0"]
    assert verdict(replay(game, fen, cycle * 2)) == "draw"
    assert verdict_of_cycle(fen, cycle) == "draw"


@sampled("every", 4, 1)
def test_repetition_suites_of_the_oracle(every: int) -> None:
    for case in vectors("xiangqi_repetition.jsonl")[::every]:
        oracle = Naive(case["fen"])
        boards = [oracle.fen_board()]
        for text in case["moves"]:
            oracle.push(text)
            boards.append(oracle.fen_board())
        if case["expect_stm"] != "undecided":
            last = len(boards) - 1
            start = [i for i in range(last % 2, last, 2) if boards[i] == boards[-1]][-2]
            fen = f"{boards[start]} {'wb'[oracle.turn]}"
            assert verdict_of_cycle(fen, case["moves"][start:]) == case["expect_stm"], case["id"]


def shuffles(rng: random.Random, position: Any) -> Iterator[list[str]]:
    """Yield cycles of four plies from a position: a piece of each side moves out and back."""
    board = position.fen().split()[0]
    moves = texts(position)
    for text in rng.sample(moves, min(6, len(moves))) * 2:
        cycle: list[str] = []
        for ply in range(4):
            legal = texts(position)
            back = cycle[ply - 2] if ply >= 2 else ""
            step = back[2:] + back[:2] if back else (text, rng.choice(legal or [""]))[ply]
            if step not in legal:
                break
            cycle.append(step)
            position.push(position.parse_move(step))
        if len(cycle) == 4 and position.fen().split()[0] == board:
            yield cycle
        for _ in cycle:
            position.pop()


@sampled("every", 6, 1)
def test_random_repetitions_against_the_oracle(game: Game, every: int) -> None:
    rng = random.Random(6)
    seen: dict[str, int] = {}
    for case in [*vectors("xiangqi_repetition.jsonl"), *vectors("xiangqi_mates.jsonl")][::every]:
        for cycle in shuffles(rng, game.position(case["fen"])):
            actual = verdict(replay(game, case["fen"], cycle * 2))
            assert actual == verdict_of_cycle(case["fen"], cycle), (case["fen"], cycle)
            seen[actual] = seen.get(actual, 0) + 1
    assert seen["loss"] > 20 // every
    assert every > 1 or seen["win"] > 1


def test_judging_changes_nothing_that_lives(game: Game) -> None:
    for case in vectors("xiangqi_repetition.jsonl"):
        position = game.position(case["fen"])
        states = [live_bytes(position.record)]
        for text in case["moves"]:
            position.push(position.parse_move(text))
            position.outcome()
            states.append(live_bytes(position.record))
        while position.ply:
            assert live_bytes(position.record) == states.pop(), case["id"]
            position.pop()
        assert live_bytes(position.record) == states.pop(), case["id"]


def test_a_plain_threefold_repetition_draws_the_third_time(game: Game) -> None:
    cycle = ["h0g2", "h9g7", "g2h0", "g7h9"]
    assert replay(game, None, cycle).outcome() is None
    assert replay(game, None, cycle * 2 + cycle[:1]).outcome() is not None
    assert str(replay(game, None, cycle * 2).outcome()) == "draw repetition"
    assert replay(game, None, cycle + cycle[:3]).outcome() is None


@pytest.mark.shared
@pytest.mark.parametrize(
    ("fen", "depth", "count"), perft_cases(SHARED / "xiangqi/perft.jsonl") if SHARED.is_dir() else []
)
def test_shared_perft(game: Game, fen: str, depth: int, count: int) -> None:
    if fen == ADVISOR_ASTRAY:
        pytest.skip("an advisor stands where it cannot")
    assert perft(game, fen, depth) == count


@pytest.mark.shared
@pytest.mark.parametrize("suite", ["axf", "wxf"])
def test_shared_repetition(game: Game, suite: str) -> None:
    for case in vectors(f"xiangqi/repetition_{suite}.jsonl", SHARED):
        if case["id"] == "wxf103":  # a pawn stands where no pawn can
            continue
        assert verdict(replay(game, case["fen"], case["moves"])) == case["expect_stm"], case["id"]
