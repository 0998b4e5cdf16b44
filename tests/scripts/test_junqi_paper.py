"""Paper 4's command in small, the kinds of moves, and players that differ in what they know."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from fixture_files import vectors

from scripts.papers.junqi_cooperation import experiments as junqi_cooperation
from scripts.papers.junqi_cooperation.activation import ACTIVATIONS, MAX_ACTIONS, Everyone, LearningStage
from scripts.papers.junqi_cooperation.experiments import EXPERIMENTS
from scripts.papers.junqi_cooperation.kinds import KINDS, kinds_of
from scripts.papers.junqi_cooperation.players import MATERIAL, OPPONENTS, PlainView, make_player

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


@pytest.mark.parametrize("name", OPPONENTS)
def test_a_simple_player_completes_the_board_once(name: str) -> None:
    position = view()
    for words, worlds, is_material in ((name, {8, 40, 256}, False), (f"{name} simple", {1}, True)):
        player: Any = make_player(words)
        player.new_game(1)
        assert player.choose(position, PlayerLimits(nodes=200)) in position.legal_moves()
        searcher = getattr(player.searcher, "_searcher", player.searcher)
        assert len(searcher._adapter._root.worlds.kinds) in worlds
        assert (searcher._adapter.lookup is MATERIAL) == is_material


def test_a_cooperative_player_takes_the_engine_s_options_and_its_own() -> None:
    player = make_player("cooperation learning=0.1 CooperationPieces=2")
    player.new_game(1)
    position = view()
    assert player.choose(position, PlayerLimits(nodes=200)) in position.legal_moves()


@pytest.mark.parametrize("name", ["minimax ample", "plain-uct k=1", "alphazero"])
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
    assert learner.ranked_moves(position) == LearningStage("none", 0.4, 0.6).ranked_moves(position)  # of one game
    rows = learner._matrix[learner._matrix["key"] != 0]
    movable = {move & 63 for move in position.legal_moves()}
    if activation == "none":  # it has a table of its own
        assert len(rows) == 0 and learner._work.nodes >= 100
        return
    assert len(rows) >= (-(-len(movable) // 4) if activation == "teams" else 1)
    assert (rows["worth"] != 0).any()


def test_everyone_has_all_joint_actions_and_learns_by_the_paper_s_formula() -> None:
    position = view()
    everyone = Everyone(position.record, position.legal_moves())
    movable = {move & 63 for move in position.legal_moves()}
    counts = [sum(move & 63 == square for move in position.legal_moves()) for square in movable]
    assert everyone.worth.shape == (len(movable), math.prod(counts)) and everyone.worth.shape[1] > 1 << 12
    everyone.learn(2 * len(movable), 0.5, 0.0, lambda move: 1.0)  # two joint actions, rewards of 1
    assert sorted(everyone.worth.ravel()[everyone.worth.ravel() > 0].tolist()) == [0.75] * len(movable)
    everyone.learn(1, 0.5, 0.5, lambda move: 1.0)
    mean = 0.75 / everyone.worth.shape[1]  # what the uniform policy expects of the next state
    assert everyone.worth.max() == pytest.approx(0.5 * 0.75 + 0.5 * (1 + 0.5 * mean))
    many = Everyone(position.record, [move | i << 12 for move in position.legal_moves() for i in range(3)])
    assert MAX_ACTIONS / 4 < many.worth.shape[1] <= MAX_ACTIONS and all(many.moves)
