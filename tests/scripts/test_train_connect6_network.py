"""Training Connect6's networks: samples, gradients, rounding, what is learned, what is repeated."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fixture_files import vectors
from game_logs import connect6_games, connect6_scored, write

from scripts.common import script
from scripts.common.records import read_game_records
from scripts.network import connect6_samples, sample_connect6_positions, train_connect6_network
from scripts.network.adam import Steps
from scripts.network.connect6_samples import (
    is_asked,
    is_held_out,
    new_solver,
    policy_samples,
    scored_positions,
    value_samples,
)
from scripts.network.connect6_sampling import Search
from scripts.network.score_connect6_games import ScoringSettings, scored
from scripts.network.train_connect6_network import MAX_OUTPUTS, POLICY, VALUE, Learner, floats, new_state, quantise

import naive.connect6_network as naive
from siqi.games.connect6.evaluation.network import (
    INTEREST_LOGIT,
    LAYOUT,
    NETWORK_BOOK,
    VALUE_LOGIT,
    WINDOWS,
    fault_of,
    read_network,
)
from siqi.games.connect6.evaluation.patterns import NetworkEvaluation
from siqi.games.connect6.rules.lookup import POINTS, SIZE
from siqi.games.connect6.search.search import HORIZON_NODES, THREAT_DEPTH
from siqi.games.connect6.search.threats import ThreatSolver
from siqi.games.game_record import GameRecord, position_after

NUMBERS = {code: number for number, code in enumerate(WINDOWS)}


@pytest.fixture(scope="module")
def steps() -> Steps:
    return Steps(2, 0.99)


@pytest.fixture
def all_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hold out one opening of three, so that few games have some of each."""
    monkeypatch.setattr(connect6_samples, "HELD_OUT", 3)


def some_state(seed: int) -> Any:
    """Return parameters that have all parts of the networks in use."""
    random = np.random.default_rng(seed)
    state = new_state(seed)
    for name, values in state.items():
        if not values.any():
            state[name] = random.normal(0, 0.1, values.shape).astype(np.float32)
    return state


def some_boards(count: int, seed: int) -> Any:
    rng = random.Random(seed)
    boards = np.zeros((count, POINTS), np.uint8)
    for board in boards:
        for point in rng.sample(range(POINTS), rng.randrange(1, 120)):
            board[point] = rng.choice((1, 2))
    return boards


def batch_of(names: Any, count: int, seed: int) -> tuple[Any, ...]:
    boards = some_boards(count, seed)
    random = np.random.default_rng(seed)
    if names == VALUE:
        return boards, random.random(count).astype(np.float32)
    free = [np.flatnonzero(board == 0) for board in boards]
    stones = np.array([random.choice(points, 2, replace=False) for points in free], np.int16)
    return boards, random.integers(0, 2, count).astype(np.uint8), stones


@pytest.mark.parametrize("names", [POLICY, VALUE], ids=["policy", "value"])
def test_gradients_are_the_slopes_of_the_loss(steps: Steps, names: Any) -> None:
    state, samples = some_state(3), batch_of(names, 6, 4)
    learner = Learner(state, names, steps)
    learner.loss(samples, 1.0)
    gradients = {name: sum(part[name] for part in learner._gradients) for name in names}
    pick = random.Random(5)
    for name in names:
        flat, slope = learner.state[name].reshape(-1), gradients[name].reshape(-1)
        places = np.flatnonzero(slope)
        assert len(places)
        for place in pick.sample(places.tolist(), min(4, len(places))):
            before, losses = flat[place], []
            for step in (1e-2, -1e-2):
                flat[place] = before + np.float32(step)
                losses.append(learner.loss(samples) * len(samples[0]))
            flat[place] = before
            assert (losses[0] - losses[1]) / 2e-2 == pytest.approx(slope[place], rel=0.05, abs=2e-3), name


def test_trained_numbers_are_the_engine_s_and_the_oracle_s() -> None:
    """The networks in float32, the engine's integers and the oracle's agree: the first within the rounding."""
    state = some_state(6)
    network = quantise(state)
    evaluation = NetworkEvaluation(network)
    position = after(["j10", "i11i9", "h10i12", "k9g10"])
    record, side = position.record, position.turn
    stones = {divmod(point, SIZE): stone - 1 for point, stone in enumerate(record.stones.tolist()) if stone}
    interest = naive.interest(network, NUMBERS, stones, side, 2)
    assert [interest[p] for p in range(POINTS) if not record.stones[p]] == [
        evaluation.interest(record)[p] for p in range(POINTS) if not record.stones[p]
    ]
    assert evaluation.value(record) == naive.value(network, NUMBERS, stones, side)

    def features(name: str) -> Any:
        rows = state[f"{name}_rows"].astype(np.float64)
        return real_features(rows, state[f"{name}_biases"], connect6_samples.as_seen(record.stones, side))

    x = features("policy")
    nearness = np.array([18 - abs(column - 9) - abs(row - 9) for column, row in naive.POINTS])
    logits = x @ state["policy_weights"][0] + nearness * state["policy_centre"][0]
    assert np.abs(logits * INTEREST_LOGIT - interest).max() < 5
    s = features("value").sum(0) / 64
    y = np.maximum(state["hidden_weights"] @ s + state["hidden_biases"], 0)
    value = s @ state["value_weights"] + y @ state["hidden_outputs"] + state["value_bias"][0]
    assert abs(value * VALUE_LOGIT - evaluation.value(record)) < 10


def real_features(rows: Any, biases: Any, board: Any) -> Any:
    seen = {naive.POINTS[point]: int(cell) - 1 for point, cell in enumerate(board.tolist()) if cell}
    scaled = [np.rint(values * 2**14) for values in (rows, biases)]
    return naive.features(*scaled, NUMBERS, seen, 0, 2**30).astype(np.float64) / 2**14


def test_integers_become_the_same_integers() -> None:
    network = quantise(some_state(8))
    assert all(np.array_equal(one, other) for one, other in zip(quantise(floats(network)), network, strict=True))
    state = some_state(8)
    state["value_rows"] *= 1e5
    with pytest.raises(ValueError, match="value_rows does not fit 16 bits"):
        quantise(state)
    assert set(LAYOUT) == {*POLICY, *VALUE}


def test_a_value_that_learned_too_much_still_fits_its_integers(steps: Steps) -> None:
    state = some_state(8)
    state["hidden_outputs"] *= 3 * MAX_OUTPUTS / np.abs(state["hidden_outputs"]).sum()
    assert "may overflow 32 bits" in fault_of(quantise(state))
    learner = Learner(state, VALUE, steps)
    learner.step(batch_of(VALUE, 8, 1), 1e-6)
    assert np.abs(learner.state["hidden_outputs"]).sum() == pytest.approx(MAX_OUTPUTS, rel=1e-3)
    assert fault_of(quantise(state | {name: learner.state[name] for name in VALUE})) == ""


def test_policy_samples_are_positions_of_the_games(tmp_path: Path, all_learned: None) -> None:
    parts = policy_samples([connect6_games(tmp_path / "games.jsonl")], 1)
    assert min(len(part.boards) for part in parts) > 10
    for part in parts:
        for board, head, stones in zip(*part, strict=True):
            own, enemy = (int((board == cell).sum()) for cell in (1, 2))
            assert not board[stones].any() and (stones[0] == stones[1]) == bool(head)
            assert abs(own - int(head) - enemy) <= 2  # who moved last is ahead by at most the odd stone


def test_a_game_counts_up_to_its_first_illegal_move(tmp_path: Path) -> None:
    games = [json.loads(line) for line in connect6_games(tmp_path / "games.jsonl").read_text().splitlines()]
    for game in games:
        game["moves"][-1:] = [game["moves"][0], "a1b2"]
    faulty = write(tmp_path / "faulty.jsonl", games)
    for game in games:
        game["moves"][-2:] = []
    whole = write(tmp_path / "whole.jsonl", games)
    samples = [policy_samples([path], 1) for path in (faulty, whole)]
    for one, other in zip(*(learned + held_out for learned, held_out in samples), strict=True):
        assert len(one) and np.array_equal(one, other)
    line = json.loads(scored((ScoringSettings("games", 50), 0, next(read_game_records(faulty, print, "connect6")))))
    assert line["moves"] == games[0]["moves"] and len(line["scores"]) == len(line["moves"])


def rows_of(parts: Any) -> Any:
    return sorted((board.tobytes(), result) for part in parts for board, result, _ in zip(*part, strict=True))


def test_value_samples_are_quiet_and_have_scores_in_the_mover_s_view(tmp_path: Path, all_learned: None) -> None:
    path = connect6_scored(tmp_path / "games.jsonl")
    learned, held_out = value_samples(path, 1.0, 1, 1)
    assert len(learned.boards) > 20 and len(held_out.boards) > 0
    decided = learned.results != 0.5
    agree = (learned.chances[decided] > 0.5) == (learned.results[decided] > 0.5)
    assert agree.all() and learned.results.min() == 0 and learned.results.max() == 1
    assert rows_of(value_samples(path, 1.0, 1, 2)) == rows_of((learned, held_out)), "by two processes the same"
    other = value_samples(path, 0.5, 1, 1)
    assert 0 < len(other[0].boards) < len(learned.boards)


def after(words: list[str]) -> Any:
    return position_after(script.load_once("connect6"), GameRecord(tuple(words)))


def test_a_value_is_not_asked_for_where_a_threat_or_a_win_stands() -> None:
    assert is_asked(after(["j10", "a1a19", "j9j11"]), new_solver())
    assert not is_asked(after(["j10", "a1a19", "j9j11", "s1s19", "j8a8"]), new_solver()), "Black has four in a row"
    won = [puzzle for puzzle in vectors("connect6_puzzles.jsonl") if puzzle["t2_depth"] == 2]
    positions = [after(puzzle["history"]) for puzzle in won]
    quiet = [position for position in positions if not position.record.threats.any()]
    assert quiet and not any(is_asked(position, new_solver()) for position in quiet)


def sampled_file(tmp_path: Path, *more: str) -> Path:
    path = tmp_path / "samples.jsonl"
    words = [connect6_games(tmp_path / "games.jsonl"), path, "--samples", "4", "--depth", "1", *more]
    assert sample_connect6_positions.main([str(word) for word in words]) == 0
    return path


def test_positions_like_those_at_which_a_search_ends(tmp_path: Path, all_learned: None) -> None:
    path = sampled_file(tmp_path)
    content = path.read_bytes()
    lines = [json.loads(line) for line in content.splitlines()][1:]
    search = Search(NetworkEvaluation(read_network(NETWORK_BOOK)), 8)
    boards, solver = [], ThreatSolver(1)
    for line in lines:
        for ply, turns, score in line["samples"]:
            position = after(line["moves"][:ply] + turns.split())
            assert 1 <= len(turns.split()) <= 3 and position.outcome() is None
            assert not position.record.threats.any()
            assert not solver.solve(position.record, HORIZON_NODES, THREAT_DEPTH)
            assert score == search.score(position.record, 1)
            boards.append(connect6_samples.as_seen(position.record.stones, position.turn).tobytes())
    assert len(lines) == 22 and len(set(boards)) > 20
    learned, held_out = scored_positions(path)
    seen = {board.tobytes(): chance for part in (learned, held_out) for board, chance in zip(*part, strict=True)}
    assert set(boards) == set(seen) and len(held_out[0]) > 0
    scores = {
        board: score for board, (_, _, score) in zip(boards, (s for g in lines for s in g["samples"]), strict=True)
    }
    for board, score in scores.items():
        expected = 0.99 if score > 20_000 else 1 / (1 + math.exp(-score / VALUE_LOGIT))
        assert seen[board] == pytest.approx(min(max(expected, 0.01), 0.99), abs=1e-4)
    # The same command adds nothing to a whole file, and the games that are missing to one that was cut.
    assert sampled_file(tmp_path).read_bytes() == content
    path.write_bytes(b"".join(content.splitlines(keepends=True)[:9]))
    again = sampled_file(tmp_path).read_bytes()
    assert sorted(again.splitlines()) == sorted(content.splitlines())


def test_openings_are_held_out_whole() -> None:
    actual = {is_held_out(["j10", f"a{row}b{row}", "c1d1", "e1f1", word]) for row in range(1, 19) for word in "xy"}
    assert actual == {True, False}
    assert is_held_out(["j10", "a1b1", "c1d1", "e1f1"]) == is_held_out(["j10", "a1b1", "c1d1", "e1f1", "g1h1"])


def trained(tmp_path: Path, name: str, *more: str) -> Any:
    games, scored = connect6_games(tmp_path / "games.jsonl"), connect6_scored(tmp_path / "scored.jsonl")
    words = ["--policy", games, "--value", scored, "--policy-epochs", "4", "--batch", "16", "--threads", "1"]
    out = tmp_path / name
    assert train_connect6_network.main([*map(str, words), "--out", str(out), *more]) == 0
    return read_network(out)


def test_a_training_learns_and_can_be_repeated(
    tmp_path: Path, all_learned: None, capsys: pytest.CaptureFixture[str]
) -> None:
    network = trained(tmp_path, "a.network")
    losses = [
        float(line.split("loss ")[1].split(",")[0])
        for line in capsys.readouterr().out.splitlines()
        if "policy step" in line
    ]
    assert losses[-1] < losses[0] - 0.5
    again = trained(tmp_path, "b.network")
    assert all(np.array_equal(one, other) for one, other in zip(network, again, strict=True))
    # A part without games stays as it is. The value learns from positions, too.
    scored = tmp_path / "scored.jsonl"
    words = ["--value", str(scored), "--start", str(tmp_path / "a.network"), "--out", str(tmp_path / "c.network")]
    assert train_connect6_network.main(words) == 0
    further = read_network(tmp_path / "c.network")
    assert all(np.array_equal(getattr(network, name), getattr(further, name)) for name in POLICY)
    assert not all(np.array_equal(getattr(network, name), getattr(further, name)) for name in VALUE)
    words[:2] = "--positions", str(sampled_file(tmp_path))
    assert train_connect6_network.main([*words[:-1], str(tmp_path / "d.network")]) == 0
    other = read_network(tmp_path / "d.network")
    assert all(np.array_equal(getattr(network, name), getattr(other, name)) for name in POLICY)
    assert not all(np.array_equal(getattr(further, name), getattr(other, name)) for name in VALUE)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ((), "--policy, --value or --positions needs files"),
        (("--policy", "games"), "without --start, --policy and"),
        (("--policy", "games", "--value", "games", "--rate", "0"), "must be positive"),
        (("--policy", "games", "--value", "games", "--share", "2"), "within 0..1"),
        (("--policy", "games", "--value", "games", "--batch", "0"), "at least 1"),
    ],
)
def test_options_that_cannot_be_used_are_refused(
    words: Any, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        train_connect6_network.main([*words, "--out", str(tmp_path / "a.network")])
    assert ended.value.code == 2 and reason in capsys.readouterr().err


def test_too_few_games_are_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "none.jsonl").write_text("")
    words = ["--policy", str(tmp_path / "none.jsonl"), "--value", str(tmp_path / "none.jsonl")]
    with pytest.raises(SystemExit) as ended:
        train_connect6_network.main([*words, "--out", str(tmp_path / "a.network")])
    assert ended.value.code == 2 and "games for --policy are too few: 0 positions" in capsys.readouterr().err
    assert not (tmp_path / "a.network").exists()
