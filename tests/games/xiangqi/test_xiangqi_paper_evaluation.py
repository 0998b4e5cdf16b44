"""Paper 5's evaluation against a slow oracle, its option, and the effect of a change on stored results."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
from client import Client
from fixture_files import vectors

from naive.xiangqi import Board, Naive, in_palace, king_falls, moved, reach, side_of
from siqi.games import registry
from siqi.games.contract import Task
from siqi.games.kernel.control import Control
from siqi.games.kernel.jit import entry, int64, new_record
from siqi.games.xiangqi.evaluation.exchange import hanging
from siqi.games.xiangqi.paper.evaluation import CENTIPAWNS, PAPER_TERMS, PIECES, SCORES, explain
from siqi.games.xiangqi.rules.lookup import LOOKUP, LOOKUP_RECORD
from siqi.games.xiangqi.rules.position import POSITION
from siqi.games.xiangqi.rules.work import WORK, WORK_DTYPE


@entry(int64(POSITION, WORK, LOOKUP))
def slots_that_hang(pos: Any, work: Any, lookup: Any) -> int:
    return hanging(pos, work, lookup)


def hanging_squares(position: Any, side: int) -> set[tuple[int, int]]:
    """Return the squares of a side's pieces that hang, by the exchanges of the engine."""
    pos = position.record.copy()
    pos.turn = side
    slots = slots_that_hang(pos, new_record(WORK_DTYPE), LOOKUP_RECORD)
    squares = [int(pos.square[(16 << side) + slot]) for slot in range(16) if slots >> slot & 1]
    return {(square % 9, square // 9) for square in squares}


def taken_by_king(board: Board, side: int) -> set[tuple[int, int]]:
    """Return the squares of the enemy pieces that a side's king can take."""
    king = next(square for square, letter in board.items() if letter == "Kk"[side])
    return {
        target
        for target in reach(board, king)
        if target in board and in_palace(target, side) and not king_falls(moved(board, king, target), side)
    }


def moves_of(board: Board, side: int) -> list[Board]:
    """Return the boards after each legal move of a side."""
    return [
        after
        for origin, letter in board.items()
        if side_of(letter) == side
        for target in reach(board, origin)
        if not king_falls(after := moved(board, origin, target), side)
    ]


def can_mate(board: Board, side: int) -> bool:
    """True if a side that has the move mates with it."""
    return any(king_falls(after, 1 - side) and not moves_of(after, 1 - side) for after in moves_of(board, side))


def palace_attackers(board: Board, side: int) -> dict[tuple[int, int], int]:
    """Return, for each piece of a side that attacks the enemy palace, how many points.

    A rook, horse or pawn attacks a point whatever is on it; a cannon attacks only a piece that it could take, or its
    own piece behind the screen.
    """
    attackers = {}
    for origin, letter in board.items():
        if side_of(letter) == side and letter.lower() in "nrcp":
            points = [(file, rank) for file in (3, 4, 5) for rank in range(10) if in_palace((file, rank), 1 - side)]
            if letter.lower() == "c":
                points = [point for point in points if point in board]
            enemy = "a" if side == 0 else "A"
            attacked = sum(point in reach(board | {point: enemy}, origin) for point in points if point != origin)
            if attacked:
                attackers[origin] = attacked
    return attackers


def naive_counts(position: Any) -> dict[str, int]:
    """Return Red's counts less Black's of all terms."""
    naive = Naive(position.fen())
    board, mover = naive.board, naive.turn
    counts = dict.fromkeys(PAPER_TERMS, 0)
    for side, sign in ((0, 1), (1, -1)):
        own = [letter.lower() for letter in board.values() if side_of(letter) == side]
        for name, kind in zip(PIECES, "abnrcp", strict=True):
            counts[name] += sign * own.count(kind)
        enemy_king = next(square for square, letter in board.items() if letter == ("k" if side == 0 else "K"))
        steps = [(enemy_king[0] + df, enemy_king[1] + dr) for df, dr in ((1, 0), (-1, 0), (0, 1), (0, -1))]
        steps = [step for step in steps if in_palace(step, 1 - side)]
        steps = [step for step in steps if step not in board or side_of(board[step]) == side]
        attackers = palace_attackers(board, side)
        loose = hanging_squares(position, 1 - side) | taken_by_king(board, side)
        checks = king_falls(board, 1 - side)
        counts["check"] += sign * checks
        counts["palace attack"] += sign * sum(attackers.values())
        counts["king control"] += sign * sum(king_falls(moved(board, enemy_king, step), 1 - side) for step in steps)
        counts["disturbed attack"] += sign * len(loose & set(palace_attackers(board, 1 - side)))
        counts["capture" if side == mover else "chase"] += sign * len(loose)
        counts["double attack"] += sign * (bool(loose) and checks + len(loose) >= 2)
    sign = 1 - 2 * mover
    if can_mate(board, mover):
        counts["mate at hand"] += sign
    elif not king_falls(board, mover) and can_mate(board, 1 - mover):
        counts["mate threat"] -= sign
        relieved = any(not can_mate(after, 1 - mover) for after in moves_of(board, mover))
        counts["relief from mate"] += sign * relieved
    return counts


def naive_points(position: Any) -> dict[str, int]:
    """Return the paper's points of one of each term, with the pieces left."""
    letters = [letter.lower() for letter in Naive(position.fen()).board.values()]
    gone = (32 - len(letters)) // 6
    strong = sum(letters.count(kind) for kind in "rnc")
    points = dict(advisors=20, elephants=20, horses=45 + gone, rooks=100, cannons=50 - gone)
    return points | dict(pawns=10 + 20 * (12 - strong) // 12) | SCORES


def endings(count: int, seed: int) -> list[Any]:
    """Return positions that random play reaches from endgames, few pieces, some in check and some near mate."""
    rng = random.Random(seed)
    game = registry.load("xiangqi")
    fens = [case["fen"] for case in vectors("xiangqi_mates.jsonl")]
    positions: list[Any] = []
    while len(positions) < count:
        position: Any = game.position(rng.choice(fens))
        for _ in range(rng.randrange(6)):
            if moves := position.legal_moves():
                position.push(rng.choice(moves))
        if position.legal_moves():
            positions.append(game.position(position.fen()))
    return positions


def read(explained: list[str]) -> dict[str, tuple[int, int, int]]:
    """Return (points, count, points of one) by term."""
    terms = {}
    for line in explained[:-1]:
        name, *numbers = re.fullmatch(r"([a-z ]+) ([+-]\d+) \(([+-]\d+) of (\d+)\)", line).groups()  # type: ignore[union-attr]
        terms[name] = tuple(map(int, numbers))
    return terms  # type: ignore[return-value]


def test_every_term_is_the_oracle_s() -> None:
    seen = dict.fromkeys(PAPER_TERMS, 0)
    for position in endings(60, 1):
        explained = explain(position.record)
        counts, points = naive_counts(position), naive_points(position)
        terms = read(explained)
        assert {name: count for name, (_, count, _) in terms.items()} == counts, position.fen()
        assert {name: worth for name, (_, _, worth) in terms.items()} == points, position.fen()
        assert all(sum_ == count * worth for sum_, count, worth in terms.values())
        total = CENTIPAWNS * sum(sum_ for sum_, _, _ in terms.values())
        assert explained[-1] == f"total {total if position.turn == 0 else -total:+d} for the side to move"
        for name, count in counts.items():
            seen[name] += count != 0
    assert all(seen.values()), seen


@pytest.mark.parametrize(
    ("fen", "captures"),
    [
        ("3k5/3R5/9/9/9/9/9/9/9/4K4 b", 1),
        ("3k5/3R5/9/3R5/9/9/9/9/9/4K4 b", 0),  # guarded
        ("3k5/3R5/9/9/9/9/9/9/9/3K5 b", 0),  # the kings would face each other
    ],
)
def test_a_king_takes_what_nothing_guards(fen: str, captures: int) -> None:
    game: Any = registry.load("xiangqi")
    assert read(explain(game.position(fen).record))["capture"][1] == -captures


def test_values_of_the_paper() -> None:
    """A rook is worth 100; as pieces leave a horse 45 to 50, a cannon 50 to 45, a pawn 10 to 30; situations 1-500."""
    game: Any = registry.load("xiangqi")
    full, bare = (
        {name: worth for name, (_, _, worth) in read(explain(game.position(fen).record)).items()}
        for fen in (None, "3k5/9/9/9/9/9/4P4/9/9/4K4 w")
    )
    assert (full["rooks"], full["horses"], full["cannons"], full["pawns"]) == (100, 45, 50, 10)
    assert (bare["rooks"], bare["pawns"]) == (100, 30)
    few = read(explain(game.position("3k5/9/9/9/9/9/4N4/9/9/4KC3 w").record))
    assert (few["horses"][2], few["cannons"][2]) == (49, 46)  # four pieces are left; 50 and 45 with two
    assert all(1 <= score <= 500 for score in SCORES.values())


def test_the_position_is_left_as_it_was() -> None:
    game: Any = registry.load("xiangqi")
    game.set_option("Evaluation", "paper")
    for position in endings(30, 2):
        before = position.record.copy()
        game.evaluate(position)
        before.terms[:] = position.record.terms
        for name in before.dtype.names:
            if not name.startswith("past_"):
                assert (getattr(before, name) == getattr(position.record, name)).all(), name


def test_the_option_chooses_the_evaluation_of_search_and_of_eval() -> None:
    game: Any = registry.load("xiangqi")
    position = game.position("2bk1a3/4aP3/b2r5/3N3R1/9/9/9/4B4/4A4/3AK4 b")
    shown = game.evaluate(position)
    searcher = game.searcher()
    searcher.configure(1, 1, 1)

    def search() -> tuple[int, int, int]:
        control = Control(3000)
        searcher.start(Task(position, control))
        while (report := searcher.iterate()).complete and not report.finished:
            pass
        searcher.finish()
        return report.lines[0].score.cp, report.lines[0].pv[0], control.nodes

    first = search()
    game.set_option("Evaluation", "paper")
    assert game.evaluate(position) != shown and "king control" in "\n".join(game.evaluate(position))
    searcher.configure(1, 1, 1)
    assert searcher.recall(position) is None, "what the other evaluation stored is gone"
    by_paper = search()
    assert by_paper != first
    game.set_option("Evaluation", "network")
    searcher.configure(1, 1, 1)
    assert search() == first and game.evaluate(position) == shown


def test_a_bad_value_is_one_line_and_changes_nothing() -> None:
    with Client("setoption name Evaluation value paper") as client:
        client.sync()
        assert any("mate threat" in line for line in client.answers("eval"))
        answers = client.answers("setoption name Evaluation value best")
        assert answers == ["info string error option Evaluation: one of network terms paper, not best"]


@pytest.mark.parametrize("fen", ["3k5/9/9/9/9/9/9/9/9/R3K3R w", "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/9/9/9/4K4 w"])
def test_values_stay_below_a_known_win(fen: str) -> None:
    game: Any = registry.load("xiangqi")
    total = re.search(r"total ([+-]\d+)", explain(game.position(fen).record)[-1])
    assert total and 0 < abs(int(total[1])) < 10_000
