"""Lost games of Junqi played on in other worlds."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from scripts.match import swap_worlds
from scripts.match.swap_worlds import lost_games, swapped, table

from siqi.games import registry
from siqi.games.game_record import GameRecord, position_after

LOG = Path(__file__).resolve().parents[2] / "scripts/results/junqi-gaga.jsonl"


def test_losses_are_those_of_the_player() -> None:
    assert [record.reason for record, _ in lost_games(LOG, "siqi", [])] == ["flag", "immobile", "flag", "flag"]
    assert len(list(lost_games(LOG, "siqi", ["flag"]))) == 3
    assert len(list(lost_games(LOG, "GagaFix", []))) == 27


@pytest.mark.parametrize("number", range(4))
def test_another_world_differs_in_the_enemy_alone(number: int) -> None:
    """It is a legal game with the same results and the same view of the loser."""
    game: Any = registry.load("junqi")
    record, side = list(lost_games(LOG, "siqi", []))[number]
    words = record.moves[:-20]
    referee = position_after(game, GameRecord(tuple(words)))
    others = [swapped(words, side, seed) for seed in range(3)]
    for other in others:
        assert other[side] == words[side] and sorted(other[1 - side]) == sorted(words[1 - side])
        assert other[2:] == [referee.move_text(move) for move in referee.moves()]
        assert position_after(game, GameRecord(tuple(other))).view_moves(side) == referee.view_moves(side)
    assert len({other[1 - side] for other in others}) > 1


def test_an_unknown_player_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "swaps.jsonl"
    monkeypatch.setattr(sys, "argv", ["swap_worlds", str(LOG), str(log), "--player", "Siqi"])
    with pytest.raises(SystemExit) as ended:
        swap_worlds.main()
    assert ended.value.code == 2 and not log.exists()
    assert "whose engines are siqi, GagaFix" in capsys.readouterr().err


def test_luck_is_a_loss_that_other_worlds_win() -> None:
    def row(game: int, swapped: bool, points: float) -> dict[str, object]:
        return {"game": game, "back": 20, "swapped": swapped, "points": points}

    rows = [row(0, False, 0.0), row(0, True, 1.0), row(1, False, 0.0), row(1, True, 0.0), row(1, True, 0.5)]
    assert table(rows).rows == [("20", "2", "0.0 %", "62.5 %", "1 of 2")]


def test_a_second_run_plays_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log, printed = tmp_path / "swaps.jsonl", []
    words = ["--player", "siqi", "--back", "6", "--worlds", "2", "--nodes", "50"]
    monkeypatch.setattr(sys, "argv", ["swap_worlds", str(LOG), str(log), *words])
    for cut in (None, -3, None):
        lines = log.read_bytes().splitlines(keepends=True)[:cut] if log.exists() else []
        log.write_bytes(b"".join(lines))
        assert swap_worlds.main() == 0
        printed.append((len(log.read_bytes().splitlines()), capsys.readouterr().out))
    assert printed[0][0] == 17 and printed[0] == printed[1] == printed[2]
