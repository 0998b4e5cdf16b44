"""Training the network of Junqi's beliefs: views of games, gradients, what is learned, what is repeated."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from fixture_files import vectors
from game_logs import junqi_log

from scripts.match import junqi_views
from scripts.match.junqi_views import own_games, views_of
from scripts.network import train_junqi_beliefs
from scripts.network.train_junqi_beliefs import Learner, Views, arrays_of, chances_of, losses, mean_loss

from siqi.games.junqi.knowledge.belief_models import HABITS
from siqi.games.junqi.knowledge.belief_network import LAYOUT, read_network
from siqi.games.junqi.knowledge.worlds import Belief, marginals
from siqi.games.junqi.rules.lookup import TYPES


@pytest.fixture(scope="module")
def views() -> Views:
    game = vectors("junqi_games.jsonl")[4]
    return arrays_of(list(views_of([game["first"], game["second"], *game["moves"]], 5)))


def test_views_are_one_side_s_and_kinds_are_the_truth() -> None:
    game = vectors("junqi_games.jsonl")[4]
    words = [game["first"], game["second"], *game["moves"]]
    views = list(views_of(words, 7))
    assert {view.plies for view in views} == set(range(7, len(game["moves"]) + 1, 7))
    for view in views:
        assert "".join(TYPES[kind] for kind in view.kinds) in words[:2]
        assert all(types >> kind & 1 for types, kind in zip(view.may, view.kinds.tolist(), strict=True))
        assert 0 < len(view.unsure()) <= 25


def test_chances_are_the_marginals_of_the_engine(views: Views) -> None:
    """The habits' logarithms give the engine's marginals by habits, in all views at once."""
    game = vectors("junqi_games.jsonl")[4]
    chances = chances_of(views, views.habits)
    for row, view in enumerate(views_of([game["first"], game["second"], *game["moves"]], 5)):
        counts = np.concatenate([view.counts, view.counts])
        belief = HABITS.belief(view.may, counts, 0, is_deployed=True)
        assert isinstance(belief, Belief)
        assert np.abs(chances[row] - marginals(belief)).max() < 1e-3


def test_gradients_are_the_slopes_of_the_loss(views: Views) -> None:
    """The scaled weights only approximate the likelihood, so slopes and gradients agree in sign and size alone."""
    learner = Learner(1, 0.0)
    learner._state["output_weights"] *= 5
    is_mirrored = np.arange(len(views.may)) % 2 == 1
    _, gradients = learner.gradients(views, is_mirrored)
    pick = random.Random(3)
    slopes, found = [], []
    for name in LAYOUT:
        flat, gradient = learner._state[name].reshape(-1), gradients[name].reshape(-1)
        places = np.argsort(-np.abs(gradient))[:40].tolist()
        for place in pick.sample(places, 6):
            before, values = flat[place], []
            for step in (2e-2, -2e-2):
                flat[place] = before + np.float32(step)
                values.append(learner.gradients(views, is_mirrored)[0])
            flat[place] = before
            slopes.append((values[0] - values[1]) / 4e-2)
            found.append(float(gradient[place]))
    assert np.corrcoef(slopes, found)[0, 1] > 0.95
    assert 0.5 < np.linalg.norm(slopes) / np.linalg.norm(found) < 1.5


def test_mirrored_views_are_those_of_the_mirrored_game(views: Views) -> None:
    learner = Learner(2, 0.0)
    none, every = np.zeros(len(views.may), bool), np.ones(len(views.may), bool)
    plain = learner.gradients(views, none)[1]["slot_outputs"]
    mirrored = learner.gradients(views, every)[1]["slot_outputs"]
    assert plain.shape == mirrored.shape and not np.allclose(plain, mirrored)
    learner._state["slot_outputs"][:] = 0.0
    learner._state["slot_biases"][:] = 0.0
    assert learner.gradients(views, none)[0] == pytest.approx(learner.gradients(views, every)[0], abs=1e-5)


def test_a_training_learns_and_can_be_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(junqi_views, "HELD_OUT", 3)
    monkeypatch.chdir(tmp_path)
    junqi_log(tmp_path / "games.jsonl")
    words = ["games.jsonl", "--every", "2", "--epochs", "8", "--batch", "32", "--rate", "0.01", "--out"]
    for name in ("one.network", "other.network"):
        assert train_junqi_beliefs.main([*words, name]) == 0
    assert (tmp_path / "one.network").read_bytes() == (tmp_path / "other.network").read_bytes()
    reported = capsys.readouterr().out
    assert "deployments: games.jsonl" in reported and "habits: games.jsonl" in reported
    views = arrays_of([view for game in own_games(tmp_path / "games.jsonl") for view in views_of(game, 2)])
    network = read_network(tmp_path / "one.network")
    learner = Learner(0, 0.0)
    learner._state |= {name: np.float32(getattr(network, name)) for name in LAYOUT}
    before = mean_loss(views, lambda part: np.zeros_like(part.habits), 64)
    assert mean_loss(views, learner.logarithms, 64) < before - 0.1
    assert losses(views, chances_of(views, learner.logarithms(views))).min() >= 0
