"""EWN's searchers: plain expectiminimax, exact values, proofs, trees kept between moves, all options together."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from fixture_files import vectors
from samples import sampled

from naive.ewn import Naive, setup_position
from siqi.games import registry
from siqi.games.contract import Game, Report, Searcher, Task, exhaust
from siqi.games.ewn.paper.uct import PARALLEL_MODES, TOP
from siqi.games.ewn.search.playout import PLAYOUTS
from siqi.games.kernel.control import Control

CASES = vectors("ewn_exact.jsonl")


def new_game(**options: str) -> Game:
    game = registry.load("ewn")
    for name, value in options.items():
        game.set_option(name, value)
    return game


def search(game: Game, fen: str, depth: int = 0, nodes: int = 0, threads: int = 1, multipv: int = 1) -> Report:
    searcher = game.searcher()
    searcher.configure(16, threads, 1)
    return deepen(searcher, Task(game.position(fen), Control(nodes), (), multipv), depth)


def deepen(searcher: Searcher, task: Task, depth: int) -> Report:
    searcher.start(task)
    report = searcher.iterate()
    while report.complete and not report.finished and (not depth or report.depth < depth):
        report = searcher.iterate()
    searcher.finish()
    return report


def after(fen: str, die: int, move: str) -> Naive:
    position = Naive(f"{fen.rsplit(' ', 1)[0]} {die}")
    position.push(move)
    return position


def plain(fen: str, depth: int, static: Callable[[str], float]) -> float:
    """Return the mover's chance before the throw, by expectiminimax without cuts."""
    if depth == 0:
        return static(fen)
    total = 0.0
    for die in range(1, 7):
        total += max(plain_move(fen, die, move, depth, static) for move in Naive(f"{fen[:-1]}{die}").legal_moves())
    return total / 6


def plain_move(fen: str, die: int, move: str, depth: int, static: Callable[[str], float]) -> float:
    position = after(fen, die, move)
    return 1.0 if position.winner() is not None else 1 - plain(position.fen(), depth - 1, static)


def random_fens(count: int, seed: int, most: int = 12) -> list[str]:
    """Return positions of random games with at most `most` pieces, the throw known."""
    rng, fens = random.Random(seed), []
    while len(fens) < count:
        words = ["".join(rng.sample("123456", 6)) for _ in range(2)]
        position = Naive(setup_position(*words))
        while position.winner() is None:
            position.die = rng.randint(1, 6)
            if len(position.board) <= most and rng.random() < 0.2:
                fens.append(position.fen())
            position.push(rng.choice(position.legal_moves()))
    return fens[:count]


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_cuts_change_no_value(depth: int) -> None:
    game: Any = new_game(UseEndgames="false")
    known: dict[str, float] = {}

    def static(fen: str) -> float:
        if fen not in known:
            known[fen] = game.knowledge.estimate(game.position(fen).record)
        return known[fen]

    for fen in random_fens({1: 60, 2: 25, 3: 4}[depth], depth, 12 if depth < 3 else 5):
        report = search(game, fen, depth)
        die = int(fen[-1])
        values = {move: plain_move(fen[:-1] + "-", die, move, depth, static) for move in Naive(fen).legal_moves()}
        best = game.position(fen).move_text(report.lines[0].pv[0])
        assert report.lines[0].score.win == pytest.approx(max(values.values()), abs=2e-5)
        assert values[best] == pytest.approx(max(values.values()), abs=2e-5)


@pytest.mark.parametrize("algorithm", ["expectimax", "uct"])
@pytest.mark.parametrize("endgames", ["true", "false"])
def test_small_endings_are_solved(algorithm: str, endgames: str) -> None:
    game = new_game(Algorithm=algorithm, UseEndgames=endgames)
    for case in CASES:
        if sum(sign.isalpha() for sign in case["fen"].split()[0]) > (3 if algorithm == "uct" else 4):
            continue
        report = search(game, case["fen"], nodes=100_000 if endgames == "false" else 5_000)
        if not report.finished:
            assert endgames == "false", case
            continue
        position = game.position(case["fen"])
        assert [line.throw for line in report.lines] == [1, 2, 3, 4, 5, 6]
        assert report.value is not None
        assert report.value.win == pytest.approx(case["v"], abs=3e-5)
        for line, value, best in zip(report.lines, case["throws"], case["best"], strict=True):
            assert line.score.win == pytest.approx(value, abs=3e-5)
            assert position.move_text(line.pv[0]) in best
            if value in (0.0, 1.0):
                assert line.score.mate is not None
                assert (line.score.mate > 0) == (value == 1.0)


def forced(fen: str, winner: int, turns: int) -> bool:
    """True if `winner` wins for certain within `turns` turns of its own, before the throw of the side to move."""
    if turns == 0:
        return False
    for die in range(1, 7):
        results = []
        for move in Naive(f"{fen[:-1]}{die}").legal_moves():
            position = after(fen, die, move)
            mover = 1 - position.turn
            if position.winner() is not None:
                results.append(position.winner() == winner)
            else:
                results.append(forced(position.fen(), winner, turns - (mover == winner)))
        is_winners = Naive(fen).turn == winner
        if not (any(results) if is_winners else all(results)):
            return False
    return True


@sampled("count", 25, 100)
def test_mates_are_as_long_as_they_are_said_to_be(count: int) -> None:
    game, mates = new_game(), set()
    for fen in random_fens(count, 5, 3):
        report = search(game, fen, nodes=3000)
        mate = report.lines[0].score.mate
        if mate is None or abs(mate) > 2:
            continue
        mates.add(mate)
        position = game.position(fen)
        move, mover = position.move_text(report.lines[0].pv[0]), position.turn
        left = after(fen, int(fen[-1]), move)
        if mate == 1:
            assert left.winner() == mover
        elif mate > 0:
            assert forced(left.fen(), mover, mate - 1)
            assert not forced(left.fen(), mover, mate - 2)
        else:
            assert forced(left.fen(), 1 - mover, -mate)
            assert not forced(left.fen(), 1 - mover, -mate - 1)
    assert ({1, 2, -1} if count == 100 else {1}) <= mates


def test_an_expected_win_is_no_mate() -> None:
    report = search(new_game(), "A1B2/2E2/C1F1f/2e2/1cb1a s 4", depth=4)
    assert report.lines[0].score.mate is None
    assert 0.2 < (report.lines[0].score.win or 0) < 0.6


@pytest.mark.parametrize("algorithm", ["expectimax", "uct"])
def test_multipv_is_in_order_and_complete(algorithm: str) -> None:
    game = new_game(Algorithm=algorithm)
    for fen in random_fens(20, 8):
        report = search(game, fen, nodes=3000, multipv=18)
        position = game.position(fen)
        assert sorted(line.pv[0] for line in report.lines) == sorted(position.legal_moves())
        wins = [line.score.win or 0 for line in report.lines]
        assert wins == sorted(wins, reverse=True)


@pytest.mark.parametrize("algorithm", ["expectimax", "uct"])
def test_stopped_at_once_it_still_has_a_move(algorithm: str) -> None:
    game = new_game(Algorithm=algorithm)
    for fen in random_fens(20, 9):
        control = Control()
        control.stop()
        searcher = game.searcher()
        searcher.configure(1, 1, 1)
        position = game.position(fen)
        report = exhaust(searcher, Task(position, control))
        assert report.lines[0].pv[0] in position.legal_moves()


@pytest.mark.parametrize("playout", PLAYOUTS)
@pytest.mark.parametrize("parallel", PARALLEL_MODES)
@sampled("nodes", 1500, 6000)
def test_every_way_finds_good_moves(playout: str, parallel: str, nodes: int) -> None:
    game = new_game(Algorithm="uct", UCTPlayout=playout, UCTParallel=parallel, UseEndgames="false")
    for threads in (1, 2, 5) if playout == "random" and nodes == 6000 else (2,):
        good = total = 0
        for case in CASES:
            report = search(game, case["fen"], nodes=nodes, threads=threads)
            position = game.position(case["fen"])
            good += sum(
                position.move_text(line.pv[0]) in best for line, best in zip(report.lines, case["best"], strict=True)
            )
            total += 6
        assert good > 0.8 * total  # random moves: under half


def test_visits_and_results_of_shared_trees_add_up() -> None:
    for parallel in PARALLEL_MODES:
        game = new_game(Algorithm="uct", UCTParallel=parallel)
        searcher: Any = game.searcher()
        searcher.configure(16, 3, 1)
        report = exhaust(searcher, Task(game.position("ABC2/DE3/F3f/3ed/2cba f 3"), Control(50_000)))
        adapter = searcher._searcher._adapter
        visits = sum(int(forest.children(TOP)["visits"].sum()) for forest in adapter._forests)
        assert 0.999 * report.nodes <= visits <= report.nodes
        assert len(adapter._forests) == (3 if parallel == "root" else 1)


@pytest.mark.parametrize("algorithm", ["expectimax", "uct"])
def test_searches_are_repeated_exactly(algorithm: str) -> None:
    game = new_game(Algorithm=algorithm)
    searcher = game.searcher()
    actual = []
    for _ in range(2):
        searcher.configure(16, 1, 7)
        searcher.clear()
        for fen in ("ABC2/DE3/F3f/3ed/2cba f 3", "A1B2/2E2/C1F1f/2e2/1cb1a s 4"):
            actual.append(exhaust(searcher, Task(game.position(fen), Control(30_000))))
    assert actual[:2] == actual[2:]


def test_the_tree_is_kept_from_move_to_move() -> None:
    game = new_game(Algorithm="uct")
    searcher: Any = game.searcher()
    searcher.configure(16, 1, 1)
    position = game.position("ABC2/DE3/F3f/3ed/2cba f 3")
    report = exhaust(searcher, Task(position, Control(100_000)))
    for throw in (4, 2):  # the engine's move, then the answer; neither throw is given
        position.push(report.lines[0].pv[0])
        position.set_dice(throw)
        searcher.start(Task(position, Control(1)))
        adapter = searcher._searcher._adapter
        kept = int(adapter._forests[0].children(TOP)["visits"].sum())
        assert kept > 1000
        report = searcher.iterate()
        searcher.finish()
        assert report.lines[0].pv[0] in position.legal_moves()
    # With root moves restricted, or in another position, the tree begins anew.
    searcher.start(Task(position, Control(1), tuple(position.legal_moves()[:1])))
    assert int(searcher._searcher._adapter._forests[0].children(TOP)["visits"].sum()) == 0
    searcher.finish()
    searcher.start(Task(game.position("A1B2/2E2/C1F1f/2e2/1cb1a s 4"), Control(1)))
    assert int(searcher._searcher._adapter._forests[0].children(TOP)["visits"].sum()) == 0
    searcher.finish()


def test_a_small_memory_is_enough() -> None:
    game = new_game(Algorithm="uct")
    for parallel in PARALLEL_MODES:
        game.set_option("UCTParallel", parallel)
        searcher = game.searcher()
        searcher.configure(1, 8, 1)
        report = exhaust(searcher, Task(game.position("ABC2/DE3/F3f/3ed/2cba f 3"), Control(200_000)))
        assert report.hashfull > 900
        assert report.lines[0].pv
