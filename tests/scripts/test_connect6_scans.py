"""The paper's two ways to scan a Connect6 board value every position alike, as does the engine's own."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scripts.lib import connect6_scans
from scripts.papers.compare_connect6_scans import ScanJob, play

from games import registry
from games.connect6.rules.lookup import LOOKUP_RECORD

FIXTURES = Path(__file__).parents[1] / "support" / "fixtures"
GAMES = [json.loads(line) for line in (FIXTURES / "connect6_games.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def game() -> Any:
    return registry.load("connect6")


def replayed(game: Any, record: dict[str, Any], turns: int) -> Any:
    position = game.position()
    for text in record["moves"][:turns]:
        position.push(position.parse_move(text))
    return position


def test_a_whole_scan_gives_what_the_engine_keeps_stone_by_stone(game: Any) -> None:
    for record in GAMES:
        position = game.position()
        for text in record["moves"]:
            position.push(position.parse_move(text))
            kept, scanned = position.record, position.record.copy()
            scanned.roads[:] = 0
            scanned.score[:] = 0
            connect6_scans.search_depth(scanned, work_of(connect6_scans.GLOBAL), LOOKUP_RECORD, 0)
            assert (scanned.roads == kept.roads).all() and (scanned.score == kept.score).all()


def work_of(scan: int) -> Any:
    work = np.zeros(1, connect6_scans.SCAN_DTYPE)[0]
    work.local, work.poll_at = scan, 1 << 60
    return work


def test_both_scans_choose_and_value_alike(game: Any) -> None:
    rng = random.Random(3)
    programs = [connect6_scans.Program(scan, 6) for scan in (connect6_scans.LOCAL, connect6_scans.GLOBAL)]
    for record in rng.sample(GAMES, 12):
        position = replayed(game, record, rng.randrange(2, 12))
        if position.outcome() is None:
            local, whole = (program.search(position, 2) for program in programs)
            assert local == whole and local[2] == 2


def test_the_paper_s_program_takes_a_six(game: Any) -> None:
    position = game.position("19/19/19/19/19/19/19/19/19/5bbbb10/19/19/9w4ww3/19/19/19/19/19/19 b 2")
    turn, value, _ = connect6_scans.Program(connect6_scans.LOCAL, 10).search(position, 3)
    position.push(turn)
    assert value >= connect6_scans.WON and str(position.outcome()) == "win first six"


def test_a_game_of_the_two(game: Any) -> None:
    played = play(ScanJob(GAMES[0]["moves"][:3], 0, 6, 0.002, 10))
    assert played.points in (0.0, 0.5, 1.0) and played.turns > 3
    assert min(played.depths[connect6_scans.LOCAL]) >= 1
