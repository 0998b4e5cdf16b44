"""Check that the engine beats a random mover at every game, its least requirement.

    python scripts/match/beat_random.py --logs matches

Plays 100 games of each at 50 ms a move and prints a table; exit status 1 if it won too few. The same command resumes
from a folder of logs: give a new engine a new folder.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from scripts.common import script

from siqi.daemon.clients.player import EngineSpec, PlayerLimits, StartError
from siqi.daemon.match.match_log import MatchSettings, UsageError
from siqi.daemon.match.matches import run_match
from siqi.daemon.match.tally import Tally

GAMES = 100
LIMITS = PlayerLimits(movetime_ms=50)
REQUIRED = {"xiangqi": 95, "connect6": 95, "ewn": 85, "junqi": 95}  # wins; with dice even a bad player wins some


def wins(game: str, command: str, logs: Path, concurrency: int) -> int:
    """Play GAMES games against the random mover; return the engine's wins. The log is `<logs>/<game>.jsonl`."""
    engines = (EngineSpec("engine", command, limits=LIMITS), EngineSpec("random", "random"))
    tally = Tally(MatchSettings(game=game, engines=engines, games=GAMES, concurrency=concurrency))
    run_match(tally.settings, logs / f"{game}.jsonl", tally, every=GAMES)
    return tally.scores[1.0]


@script.command
def main(arguments: Sequence[str] | None = None) -> int:
    parser = script.parser(__doc__)
    parser.add_argument("games", nargs="*", metavar="GAME", default=list(REQUIRED), help=", ".join(REQUIRED))
    parser.add_argument(
        "--engine",
        default=shlex.join([sys.executable, "-m", "siqi"]),
        metavar="COMMAND",
        help="default: this checkout's",
    )
    parser.add_argument("--logs", type=Path, default=Path("beat_random"), metavar="FOLDER")
    parser.add_argument("--concurrency", type=int, default=1, help="games at a time")
    parsed = parser.parse_args(arguments)
    if unknown := set(parsed.games) - set(REQUIRED):
        parser.error(f"no such game: {' '.join(sorted(unknown))}")
    parsed.logs.mkdir(parents=True, exist_ok=True)
    try:
        won = {game: wins(game, parsed.engine, parsed.logs, parsed.concurrency) for game in parsed.games}
    except (UsageError, StartError) as error:
        parser.error(str(error))
    print(f"{'game':<10}{'won':>8}{'required':>10}")
    for game, count in won.items():
        print(f"{game:<10}{count:>8}{REQUIRED[game]:>10}{'' if count >= REQUIRED[game] else '  falls short'}")
    return int(any(count < REQUIRED[game] for game, count in won.items()))


if __name__ == "__main__":
    sys.exit(main())
