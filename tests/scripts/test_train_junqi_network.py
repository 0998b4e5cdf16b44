"""Training the network of Junqi's evaluation: its inputs are the engine's, what is learned, what is repeated."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fixture_files import vectors
from game_logs import junqi_log

from scripts.match import junqi_views
from scripts.match.junqi_views import is_held_out, own_games
from scripts.network import train_junqi_network
from scripts.network.junqi_inputs import UNIT, positions_of, result_of, samples_of
from scripts.network.train_junqi_network import losses_of
from scripts.network.weights import evaluate

from siqi.games.junqi.evaluation.choice import Evaluation
from siqi.games.junqi.evaluation.evaluate import explain
from siqi.games.junqi.evaluation.network import read_network

WORDS = ["games.jsonl", "--every", "1", "--epochs", "8", "--batch", "64", "--rate", "0.01", "--decay", "1", "--out"]


def words_of(number: int) -> list[str]:
    game = vectors("junqi_games.jsonl")[number]
    return [game["first"], game["second"], *game["moves"]]


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
    for row, (position, _) in enumerate(positions_of(words)):
        *terms, shown, _ = explain(position.record, evaluation)
        sign = 1 - 2 * position.turn
        assert shown == f"network {sign * values[row]:+d}"
        counted = [line.rsplit(" ", 3)[1:] for line in terms]
        total = sum(int(count) * float(weight) for count, _, weight in counted)
        assert sign * inputs.bases[row] * UNIT == pytest.approx(total, abs=0.01)
    assert row + 1 == len(values) and len(set(values.tolist())) > 20


def test_results_are_the_mover_s_and_both_sides_move() -> None:
    words = words_of(4)
    result = result_of(words)
    assert result is not None and result_of(words[:10]) is None
    samples = samples_of([words], 3, 4)
    turns = [position.turn for position, ply in positions_of(words) if ply % 3 == 0]
    assert samples.results.tolist() == [1 - result if turn else result for turn in turns]
    assert set(turns) == {0, 1} and set(np.unique(samples.inputs.counts)) <= set(range(2, 51))


def test_too_few_games_are_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    first = junqi_log(tmp_path / "all.jsonl").read_text().splitlines(keepends=True)[0]
    (tmp_path / "games.jsonl").write_text(first)
    monkeypatch.setattr("sys.argv", ["train_junqi_network.py", "games.jsonl", "--out", "my.network"])
    with pytest.raises(SystemExit) as ended:
        train_junqi_network.main()
    assert ended.value.code == 2
    assert "games.jsonl" in capsys.readouterr().err and not (tmp_path / "my.network").exists()
