"""Training the network of Junqi's evaluation: its inputs are the engine's, what is learned, what is repeated."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fixture_files import vectors
from game_logs import junqi_log

from scripts.match import junqi_views
from scripts.match.junqi_views import is_held_out, own_games
from scripts.network import train_junqi_beliefs, train_junqi_network
from scripts.network.junqi_inputs import UNIT, result_of, samples_of
from scripts.network.train_junqi_network import losses_of
from scripts.network.weights import evaluate

from siqi.games import registry
from siqi.games.game_record import GameRecord, position_after, replay
from siqi.games.junqi.evaluation.choice import Evaluation
from siqi.games.junqi.evaluation.evaluate import explain
from siqi.games.junqi.evaluation.network import read_network

WORDS = ["games.jsonl", "--every", "1", "--epochs", "8", "--batch", "64", "--rate", "0.01", "--decay", "1", "--out"]


def words_of(number: int) -> list[str]:
    game = vectors("junqi_games.jsonl")[number]
    return [game["first"], game["second"], *game["moves"]]


def positions_that_go_on(words: list[str]) -> Iterator[tuple[Any, int]]:
    """Yield each position of a game after the set-ups that is not its end, with its ply."""
    for ply, position in enumerate(replay(registry.load("junqi"), GameRecord(tuple(words)))):
        if ply >= 2 and position.outcome() is None:
            yield position, ply


def test_a_training_learns_and_can_be_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(junqi_views, "HELD_OUT", 3)
    monkeypatch.chdir(tmp_path)
    junqi_log(tmp_path / "games.jsonl")
    for name in ("one.network", "other.network"):
        assert train_junqi_network.main([*WORDS, name]) == 0
    assert (tmp_path / "one.network").read_bytes() == (tmp_path / "other.network").read_bytes()
    reported = capsys.readouterr().out
    assert "terms: held out error" in reported and "integers: held out error" in reported
    network = read_network(tmp_path / "one.network")
    learned = [words for words in own_games(tmp_path / "games.jsonl") if not is_held_out(words)]
    samples = samples_of(learned, 1, network.buckets)
    bases = samples.inputs.bases
    with_network = losses_of(bases + evaluate(network, samples.inputs) / UNIT, samples.results)
    assert with_network["error"] < losses_of(bases, samples.results)["error"] - 0.02

    # What is learned from is what the engine evaluates: each position's value, and the sum that it is added to.
    words, evaluation = words_of(4), Evaluation(network)
    inputs = samples_of([words], 1, network.buckets).inputs
    values = evaluate(network, inputs)
    for row, (position, _) in enumerate(positions_that_go_on(words)):
        *terms, shown, _ = explain(position.record, evaluation)
        sign = 1 - 2 * position.turn
        assert shown == f"network {sign * values[row]:+d}"
        counted = [line.rsplit(" ", 3)[1:] for line in terms]
        total = sum(int(count) * float(weight) for count, _, weight in counted)
        assert sign * inputs.bases[row] * UNIT == pytest.approx(total, abs=0.01)
    assert row + 1 == len(values) and len(set(values.tolist())) > 20


def test_results_are_the_mover_s_and_both_sides_move() -> None:
    words, game = words_of(4), registry.load("junqi")
    result, unfinished = (result_of(position_after(game, GameRecord(tuple(part)))) for part in (words, words[:10]))
    assert result is not None and unfinished is None
    assert len(samples_of([words[:10]], 1, 4).results) == 0
    samples = samples_of([words], 3, 4)
    turns = [position.turn for position, ply in positions_that_go_on(words) if ply % 3 == 0]
    assert samples.results.tolist() == [1 - result if turn else result for turn in turns]
    assert set(turns) == {0, 1} and set(np.unique(samples.inputs.counts)) <= set(range(2, 51))


@pytest.mark.parametrize("training", [train_junqi_beliefs, train_junqi_network])
def test_too_few_games_are_one_line(
    training: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    first = junqi_log(tmp_path / "all.jsonl").read_text().splitlines(keepends=True)[0]
    (tmp_path / "games.jsonl").write_text(first)
    monkeypatch.setattr("sys.argv", ["train.py", "games.jsonl", "--out", "my.network"])
    with pytest.raises(SystemExit) as ended:
        training.main()
    assert ended.value.code == 2
    assert "games.jsonl" in capsys.readouterr().err and not (tmp_path / "my.network").exists()
