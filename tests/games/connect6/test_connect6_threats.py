"""Wins by double threats: found where they exist, and proven to a checker that has no lookup arrays."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from connect6_proofs import Proof, prove
from fixture_files import SHARED
from samples import sampled

from naive.connect6 import ROADS, Naive, Point, points_of
from siqi.games import registry
from siqi.games.connect6.rules.notation import move_text
from siqi.games.connect6.rules.position import NO_POINT, first_stone, second_stone
from siqi.games.connect6.search.threats import ThreatSolver
from siqi.games.contract import Task
from siqi.games.kernel.control import Control

FIXTURES = Path(__file__).parents[2] / "support" / "fixtures"
PUZZLES = [json.loads(line) for line in (FIXTURES / "connect6_puzzles.jsonl").read_text().splitlines()]
SLOW_PUZZLES = {"t2-0035", "t2-0045", "t2-0361", "t2-0577"}
"""Their proofs take two thirds of the time of all."""

BUDGET = 200_000


@pytest.fixture(scope="module")
def game() -> Any:
    return registry.load("connect6")


@pytest.fixture(scope="module")
def solver() -> ThreatSolver:
    return ThreatSolver()


def replay(game: Any, history: list[str]) -> Any:
    position = game.position()
    for text in history:
        position.push(position.parse_move(text))
    return position


def threats(board: dict[Point, int], side: int) -> list[list[Point]]:
    """Return the empty points of each road on which a side can make six in one turn."""
    threats = []
    for road in ROADS:
        stones = [board.get(point) for point in road]
        if stones.count(side) >= 4 and stones.count(1 - side) == 0:
            threats.append([point for point in road if point not in board])
    return threats


def has_six(board: dict[Point, int], side: int) -> bool:
    return any(all(board.get(point) == side for point in road) for road in ROADS)


def check(board: dict[Point, int], side: int, proof: Proof) -> int:
    """Assert that a proof wins against every pair of stones; return the length of its longest line in turns."""
    points = points_of(move_text(proof.turn))
    assert not set(points) & set(board)
    after = board | dict.fromkeys(points, side)
    if has_six(after, side):
        return 1
    assert len(points) == 2 and not threats(after, 1 - side), "the opponent wins first"
    made = threats(after, side)
    cells = sorted({point for threat in made for point in threat})
    assert not any(all(point in threat for threat in made) for point in cells), "one stone suffices"
    hits = {pair for pair in combinations(cells, 2) if all(set(pair) & set(threat) for threat in made)}
    replies = {tuple(sorted(points_of(move_text(reply)))): answer for reply, answer in proof.replies.items()}
    assert made and set(replies) == hits
    return 1 + max((check(after | dict.fromkeys(pair, 1 - side), side, replies[pair]) for pair in replies), default=1)


def board_of(position: Any) -> dict[Point, int]:
    return Naive(position.fen()).board


@pytest.mark.parametrize(
    "puzzle",
    [
        pytest.param(each, marks=pytest.mark.long if each["id"] in SLOW_PUZZLES else (), id=each["id"])
        for each in PUZZLES
    ],
)
def test_a_win_is_proven(game: Any, solver: ThreatSolver, puzzle: dict[str, Any]) -> None:
    position = replay(game, puzzle["history"])
    length = solver.solve(position.record, BUDGET)
    assert length and length <= (puzzle["t2_depth"] or length)
    proof = prove(solver, position.record, BUDGET)
    assert proof is not None and proof.length == length
    assert check(board_of(position), position.turn, proof) == length


def random_positions(game: Any, count: int) -> Iterator[Any]:
    """Yield positions of random stones near the middle, Black to move, without a threat by either side."""
    rng = random.Random(6)
    while count:
        stones = rng.randrange(5, 12)
        points = rng.sample([(c, r) for c in range(5, 14) for r in range(5, 14)], 2 * stones + 1)
        rows = [["."] * 19 for _ in range(19)]
        for i, (column, row) in enumerate(points):
            rows[row][column] = "bw"[i % 2]
        text = "/".join("".join(f"{len(run)}" if run[0] == "." else run for run in _runs(row)) for row in rows)
        position = game.position(f"{text} b 2")
        if not any(threats(board_of(position), side) for side in (0, 1)):
            count -= 1
            yield position


def _runs(row: list[str]) -> Iterator[str]:
    run = ""
    for cell in row:
        if run and run[-1] != cell:
            yield run
            run = ""
        run += cell
    yield run


@sampled("positions", 24, 120)
def test_an_attack_that_cannot_be_met_is_found_just_where_there_is_one(
    game: Any, solver: ThreatSolver, positions: int
) -> None:
    """A win is found exactly where the reference finds one: it tries all pairs of points on roads of two or three."""
    count = 0
    for position in random_positions(game, positions):
        board = board_of(position)
        side = position.turn
        roads = []
        for road in ROADS:
            stones = [board.get(point) for point in road]
            if stones.count(side) >= 2 and stones.count(1 - side) == 0:
                roads.append(set(road))
        cells = sorted({point for road in roads for point in road if point not in board})
        exists = False
        for pair in combinations(cells, 2):
            taken = set(pair)
            made = [
                road - taken - set(board)
                for road in roads
                if sum(p in taken or board.get(p) == side for p in road) >= 4
            ]
            points = {point for threat in made for point in threat}
            if made and not any(all(set(hit) & threat for threat in made) for hit in combinations(points, 2)):
                exists = len(points) > 1 or exists
        count += exists
        assert (solver.solve(position.record, BUDGET, depth=2) == 2) == exists, position.fen()
    assert positions / 12 < count < positions * 11 / 12


def single_threat_wins(game: Any, solver: ThreatSolver, most: int) -> Iterator[tuple[Any, int, int]]:
    """Yield positions of games, a turn that makes a single threat, and the length of the win that begins with it."""
    for line in (FIXTURES / "connect6_games.jsonl").read_text().splitlines():
        position = game.position()
        for text in json.loads(line)["moves"]:
            position.push(position.parse_move(text))
            pos = position.record
            if position.ply < 6 or position.outcome() or pos.threats.any() or solver.solve(pos, 2000) != 0:
                continue
            searcher = game.searcher()
            searcher.configure(1, 1, 1)
            searcher.start(Task(position, Control(1)))
            for turn in searcher._searcher._works[0].root_moves[: searcher._searcher._works[0].root_count].tolist():
                length = solver.solve_after(pos, turn, 300)
                if length:
                    yield position.copy(), turn, length
                    most -= 1
                    break
            searcher.finish()
            if most == 0:
                return


@sampled("wins", 1, 4)
def test_a_win_that_begins_with_a_single_threat_holds_against_every_reply(
    game: Any, solver: ThreatSolver, wins: int
) -> None:
    rng = random.Random(9)
    count = 0
    for position, turn, length in single_threat_wins(game, solver, wins):
        count += 1
        side = position.turn
        position.push(turn)
        made = threats(board_of(position), side)
        free = [turn for turn in position.legal_moves() if second_stone(turn) != NO_POINT]
        hits = [reply for reply in free if all(set(points_of(move_text(reply))) & set(threat) for threat in made)]
        assert len(hits) > 300, "one stone suffices, the other is free"
        interest = position.record.interest[side ^ 1 :: 2]
        hits.sort(key=lambda reply: -int(interest[first_stone(reply)] + interest[second_stone(reply)]))
        for reply in [*hits[:25], *rng.sample(hits, 25)]:
            position.push(reply)
            proof = prove(solver, position.record, BUDGET)
            assert proof is not None and proof.length < length, (position.fen(), move_text(turn), move_text(reply))
            check(board_of(position), side, proof)
            position.pop()
    assert count == wins


def test_an_attack_may_leave_one_stone_for_the_defence(game: Any, solver: ThreatSolver) -> None:
    """A stone defends while the other attacks: e1 meets the threat on the first row, k11 attacks alone."""
    rows = "w17w/19/16w2/19/19/19/19/19/7bbb9/9bb8/8b1b8/7b2b8/19/19/19/19/19/19/wwww14w b 2"
    position = game.position(rows)
    proof = prove(solver, position.record, BUDGET)
    assert proof is not None and check(board_of(position), position.turn, proof) == 2


def test_no_win_without_stones(game: Any, solver: ThreatSolver) -> None:
    for history in ([], ["j10"], ["j10", "i11k11"]):
        assert solver.solve(replay(game, history).record, BUDGET) == 0
        assert prove(solver, replay(game, history).record, BUDGET) is None


def test_out_of_nodes(game: Any) -> None:
    position = replay(game, PUZZLES[0]["history"])
    assert ThreatSolver().solve(position.record, 3) is None


def shared_positions(game: Any, name: str) -> Iterator[tuple[dict[str, str], Any]]:
    """Yield rows of a file with their positions; the file counts rows from the top, as the referee's platform does."""
    letters = "ABCDEFGHIJKLMNOPQRS"
    with (SHARED / "connect6" / name).open() as file:
        for row in csv.DictReader(file):
            turns = [
                "".join(f"{c.lower()}{19 - letters.index(r)}" for c, r in zip(word[::2], word[1::2], strict=True))
                for word in row["history_sau"].split()
            ]
            yield row, replay(game, turns)


@pytest.mark.shared
def test_shared_wins(game: Any, solver: ThreatSolver) -> None:
    total = proven = short = 0
    for row, position in shared_positions(game, "double_threat_wins.csv"):
        length = solver.solve(position.record, BUDGET)
        total += 1
        proven += bool(length)
        short += bool(length) and length <= int(row["t2_depth"])
    assert proven >= 0.99 * total and short >= 0.95 * total


@pytest.mark.shared
def test_shared_positions_without_a_win(game: Any, solver: ThreatSolver) -> None:
    """Wins found in these positions nevertheless are proven to the checker: fourteen (docs/history/connect6.md)."""
    claimed = 0
    for row, position in shared_positions(game, "double_threat_none.csv"):
        if row["exhausted_at_depth10"] == "True" and solver.solve(position.record, BUDGET, depth=10):
            proof = prove(solver, position.record, BUDGET)
            assert proof is not None
            check(board_of(position), position.turn, proof)
            claimed += 1
    assert claimed <= 14
