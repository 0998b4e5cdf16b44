"""The games and openings of paper 2's experiments."""

from __future__ import annotations

import sys
from pathlib import Path

from scripts.papers.paper import FIXTURES, Bench
from scripts.papers.xiangqi_rules.mining import own_games

DATA = "games.jsonl.zst"


def openings() -> list[list[str]]:
    """Return common openings of six plies."""
    lines = (FIXTURES / "xiangqi_openings.txt").read_text(encoding="utf-8").splitlines()
    return [line.split()[1:] for line in lines]


def games_of(bench: Bench) -> Path:
    """Return the file of games to mine: the user's, else one of games that the engine now plays against itself."""
    if bench.has_data(DATA):
        return bench.data(DATA, "", "games of human players")
    own = bench.log.parent / "own-games.jsonl"
    print(f"no {DATA} in --data: games of the engine against itself ({own})", file=sys.stderr)
    own_games(own, bench.size(10, 400), openings(), bench.jobs)
    return own
