"""Paper 4's command in small, the kinds of moves, and players that differ in what they know."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fixture_files import vectors

from scripts.papers.junqi_cooperation import experiments as junqi_cooperation
from scripts.papers.junqi_cooperation.activation import ACTIVATIONS, LearningStage
from scripts.papers.junqi_cooperation.experiments import EXPERIMENTS, grid_name, mean_score
from scripts.papers.junqi_cooperation.kinds import KINDS, kinds_of
from scripts.papers.junqi_cooperation.players import FullWidth, PlainView, make_player

from siqi.daemon.clients.player import PlayerLimits
from siqi.games import registry
from siqi.games.junqi.knowledge.worlds import marginals
from siqi.games.junqi.search.deployment import draw_deployment


def view(moves: int = 0) -> Any:
    """Return the first side's view of a game's beginning."""
    game = vectors("junqi_games.jsonl")[0]
    position = registry.load("junqi").position()
    for word in (game["first"], "?", *game["moves"][:moves]):
        position.push(position.parse_move(word))
    return position


def run(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setattr("sys.argv", ["junqi_cooperation.py", "--quick", "--jobs", "1", "--out", str(folder)])
    assert junqi_cooperation.main() == 0


@pytest.mark.long
def test_a_quick_run_writes_every_page_and_a_second_repeats_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(monkeypatch, tmp_path)
    logs = {path.name: path.read_bytes() for path in tmp_path.glob("*.jsonl")}
    report = (tmp_path / "report.md").read_text()
    for experiment in EXPERIMENTS:
        page = (tmp_path / f"{experiment.name}.md").read_text()
        assert experiment.claim in page and experiment.claim in report and "A quick run" in page
    assert len(logs) == len(EXPERIMENTS)  # table-1 counts the moves of other games, figure-2 has two logs
    cut = tmp_path / "players.jsonl"
    lines = logs[cut.name].splitlines(keepends=True)
    cut.write_bytes(b"".join(lines[:-1]) + lines[-1][:40])  # killed as it wrote the last pair
    run(monkeypatch, tmp_path)
    contents = {path.name: path.read_bytes() for path in tmp_path.glob("*.jsonl")}
    assert len(contents[cut.name].splitlines()) == len(lines) + 1  # half a pair is replayed as a whole pair
    assert {name: log for name, log in contents.items() if name != cut.name} == {
        name: log for name, log in logs.items() if name != cut.name
    }


def test_players_that_play_the_same_games_are_not_counted_as_more_games() -> None:
    def games(gammas: int) -> list[Any]:
        return [
            {"a": grid_name(0.2, gamma), "b": "uct", "pair": pair, "winner": (pair + first) % 3 % 2}
            for gamma in range(gammas)
            for pair in range(12)
            for first in range(2)
        ]

    assert mean_score(games(5), "CooperationAlpha=0.2") == pytest.approx(mean_score(games(1), "CooperationAlpha=0.2"))


def test_moves_that_meet_a_piece_are_attacks() -> None:
    seen = set()
    for game in vectors("junqi_games.jsonl"):
        for word, (_, kind, meets) in zip(
            game["moves"], kinds_of([game["first"], game["second"], *game["moves"]]), strict=False
        ):
            assert meets == (not word.endswith("=3"))  # 0 to 2: a battle
            assert kind == "attack" or not meets
            seen.add(kind)
    assert seen == set(KINDS)


def test_a_plain_view_knows_no_prior() -> None:
    """A plain view gives both possible places of a flag the same chance; the engine's belief prefers one."""
    position = view(4)
    plain = marginals(PlainView(position).believed(1))
    informed = marginals(position.believed(1))
    assert plain.sum(1) == pytest.approx(1, abs=1e-3)
    assert abs(plain - informed).max() > 0.05


def test_a_simple_player_completes_the_board_once() -> None:
    position = view()
    simple, usual = FullWidth(True, True), FullWidth(True)
    for player in (simple, usual):
        player.new_game(1)
    assert len(simple.begin(position, PlayerLimits(nodes=1)).worlds.kinds) == 1
    assert len(usual.begin(position, PlayerLimits(nodes=1)).worlds.kinds) == usual.worlds
    for name in ("minimax simple", "alphabeta", "mcts simple", "uct", "cooperation learning=0.1 CooperationPieces=2"):
        player = make_player(name)
        player.new_game(1)
        assert player.choose(position, PlayerLimits(nodes=200)) in position.legal_moves()


@pytest.mark.parametrize("name", ["minimax ample", "uct k=1", "alphazero"])
def test_unknown_players_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="unknown player"):
        make_player(name)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_every_activation_learns(activation: str) -> None:
    position = registry.load("junqi").position()
    for word in (draw_deployment(5), "?"):
        position.push(position.parse_move(word))
    learner = LearningStage(activation, 0.4, 0.6)
    assert learner.seconds(position, PlayerLimits(nodes=200), 100) > 0
    rows = learner._matrix[learner._matrix["key"] != 0]
    movable = {move & 63 for move in position.legal_moves()}
    assert len(rows) >= (-(-len(movable) // 4) if activation == "none" else 1)
    assert (rows["worth"] != 0).any()
