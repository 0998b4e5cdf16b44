"""The clients of all protocols: against our own front ends in whole games, against engines of a few lines that break
rules, and against other authors' programs."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from forked_engines import engine, fork_engines

from siqi.daemon.clients import CLASSES, asked, base, load_client, make_player
from siqi.daemon.clients.player import EngineSpec, PlayerLimits
from siqi.daemon.command_line import run
from siqi.daemon.match.command import ENGINE_FAILED, MISUSED
from siqi.games import registry

PATH = f"{os.environ['PATH']}:/usr/games"


@pytest.fixture(autouse=True)
def forked_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    fork_engines(monkeypatch)


def play(folder: Path, game: str, *words: str) -> list[dict[str, Any]]:
    """Play a match of two games and return its records."""
    log = folder / "m.jsonl"
    assert run(["match", game, *words, "--log", str(log), "--games", "2"]) == 0
    return [json.loads(line) for line in log.read_text().splitlines()[1:]]


def refused(folder: Path, game: str, *words: str) -> int:
    """Return the exit status of a match."""
    try:
        return run(["match", game, *words, "--log", str(folder / "m.jsonl"), "--games", "2"])
    except SystemExit as ended:
        assert isinstance(ended.code, int)
        return ended.code


# Whole games, our client against our front end

QUICK = ("--option=MoveTime=30", "--option=Depth=1")
"""Limits on the command line, where the protocol has none for a move."""

PAIRINGS = {
    ("xiangqi", "xboard", "ucci"): ("depth=1", "depth=1"),
    ("connect6", "sau", "cloudict"): ("clock=60", "clock=60"),
    ("connect6", "ugi", "cloudict"): ("nodes=20", "depth=1"),
    ("ewn", "myai", "ugi"): ("clock=60", "movetime=10"),
    ("junqi", "junqi", "ugi"): ("clock=60", "clock=60"),
}


@pytest.mark.parametrize("pairing", PAIRINGS, ids="-".join)
def test_whole_games(pairing: tuple[str, str, str], tmp_path: Path) -> None:
    """Each engine plays both sides, and all moves are legal by the referee; so both clients say all that happens."""
    game, *protocols = pairing
    engines = [
        f"{protocol}={engine(*QUICK)} proto={protocol} {limit}"
        for protocol, limit in zip(protocols, PAIRINGS[pairing], strict=True)
    ]
    records = play(tmp_path, game, *engines, "--max-plies", "60")
    assert [record["players"] for record in records] == [protocols, protocols[::-1]]
    for record in records:
        assert record["cause"] in ("rules", "adjudicated"), record
        assert record["cause"] == "rules" or record["plies"] == 60, record
