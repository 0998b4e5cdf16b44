"""Does the engine beat a random mover at every game? The least one may ask of it.

    python scripts/beat_random.py --logs matches

Plays 100 games of each at 50 ms a move and prints a table; exit status 1 if a score falls short.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from _engine import EngineSpec, Limits
from match import Settings, Tally, run_match

GAMES = 100
LIMITS = Limits(movetime_ms=50)
REQUIRED = {"xiangqi": 95, "connect6": 95, "ewn": 85, "junqi": 95}  # points; the dice spare even a bad player


def points(game: str, command: str, logs: Path, concurrency: int) -> float:
    """The engine's points out of GAMES against the random mover; the match's log is `<logs>/<game>.jsonl`."""
    engines = (EngineSpec("engine", command, limits=LIMITS), EngineSpec("random", "random"))
    tally = Tally(Settings(game=game, engines=engines, games=GAMES, concurrency=concurrency))
    run_match(tally.settings, logs / f"{game}.jsonl", tally, every=GAMES)
    return sum(score * count for score, count in tally.scores.items())


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=list(REQUIRED), help=", ".join(REQUIRED))
    parser.add_argument("--engine", default="siqi", metavar="COMMAND")
    parser.add_argument("--logs", type=Path, default=Path("beat_random"), metavar="FOLDER")
    parser.add_argument("--concurrency", type=int, default=1, help="games at a time")
    parsed = parser.parse_args(arguments)
    parsed.logs.mkdir(parents=True, exist_ok=True)
    scores = {game: points(game, parsed.engine, parsed.logs, parsed.concurrency) for game in parsed.games}
    print(f"{'game':<10}{'score':>8}{'required':>10}")
    for game, score in scores.items():
        print(f"{game:<10}{score:>8g}{REQUIRED[game]:>10}{'' if score >= REQUIRED[game] else '  falls short'}")
    return int(any(score < REQUIRED[game] for game, score in scores.items()))


if __name__ == "__main__":
    sys.exit(main())
