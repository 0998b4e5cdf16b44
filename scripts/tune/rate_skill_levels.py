"""Measure the strength of Skill Levels by matches between them, and fit a rating to each.

    python scripts/tune/rate_skill_levels.py xiangqi --out ladder/ --games 400 --jobs 2
    python scripts/tune/rate_skill_levels.py connect6 --out ladder/ --games 400 --levels 0 4 8 12 16 19

Each two neighbours among the levels named play a match (`siqi match`): colour-paired games from openings that a search
finds balanced, or from the engine's own set-ups. Logs and openings are in the folder; the same command resumes an
interrupted run, and matches of other levels may be added. Ratings are Elo, fitted to all matches in the folder at once
as a line with a few bends, the anchor's level at its rating. `--table` plays nothing.
"""

from __future__ import annotations

import errno
import math
import re
import sys
from collections.abc import Sequence
from itertools import islice, pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from scripts.common import script

from siqi.daemon.clients.player import EngineSpec, PlayerLimits
from siqi.daemon.cluster.jobs import Jobs
from siqi.daemon.cluster.remote import Cluster
from siqi.daemon.match import statistics
from siqi.daemon.match.match_log import MatchSettings, Reader
from siqi.daemon.match.matches import run_match
from siqi.daemon.match.random_openings import random_openings
from siqi.daemon.match.ratings import Array, fit_elo
from siqi.daemon.match.tally import Tally
from siqi.games import registry
from siqi.games.contract import Game, Position
from siqi.system.files import check_owned, read_bytes, replace_file
from siqi.system.log import read_log

LEVELS = (0, 2, 4, 6, 8, 10, 12, 14, 16, 19)
TOP_LEVEL = 19
"""The highest level that is rated: 20 is full strength, which depends on the time."""

BENDS = (0, 4, 8, 12, 16, 19)
"""Levels between which ratings are interpolated."""

ANCHOR_LEVEL, ANCHOR_ELO = 10, 2000
"""The scale is relative: this level has this rating in each game."""

LEAST_STEP = 1
"""The least difference in Elo between a level and the next."""

NODES_PER_MOVE = 1_000_000
"""Nodes per move, above the cap of every level below 20."""

OPENINGS_MARK = "# Openings of skill_ladder.py: "
"""Beginning of a file of openings, with the script's old name; its first line ends with the game and the seed."""

OPENINGS_BYTES = 1 << 28

MAX_PLIES = 400


class LevelMatch(NamedTuple):
    """The complete pairs of a match: the lower level, the higher, and the pairs by points of the higher."""

    low: int
    high: int
    pairs: Sequence[int]


# ---------------------------------------------------------------- matches


def level_spec(command: str, level: int) -> EngineSpec:
    return EngineSpec(f"level {level}", command, {"Skill Level": str(level)}, PlayerLimits(nodes=NODES_PER_MOVE))


def openings_path(folder: Path, game: str) -> Path:
    return folder / f"{game}-openings.txt"


def write_openings(folder: Path, game: Game[Position], seed: int, count: int) -> None:
    """Write the openings of the matches if they are missing; existing ones stay, whatever their number.

    OSError if they are of another game or seed, or if the file is not ours.
    """
    path = openings_path(folder, game.info.name)
    title = f"{OPENINGS_MARK}{game.info.name}, seed {seed}"
    check_owned(path, script.begins_with(OPENINGS_MARK))
    there = read_bytes(path, OPENINGS_BYTES).decode("utf-8", "replace") if path.exists() else ""
    if not there:
        lines = [title, *(" ".join(words) for words in islice(random_openings(game, seed), count))]
        replace_file(path, ["".join(f"{line}\n" for line in lines).encode()], script.begins_with(OPENINGS_MARK))
    elif there.splitlines()[0] != title:
        mark = there.splitlines()[0].removeprefix(OPENINGS_MARK)
        raise OSError(errno.EEXIST, f"has openings of {mark}, not of {title.removeprefix(OPENINGS_MARK)}", str(path))


def play_match(folder: Path, game: str, command: str, low: int, high: int, games: int, jobs: Jobs) -> str:
    """Play the missing games of a match of two levels; return its standing."""
    cluster = jobs if isinstance(jobs, Cluster) else None
    settings = MatchSettings(
        game=game,
        engines=(level_spec(command, high), level_spec(command, low)),
        games=games,
        concurrency=1 if isinstance(jobs, Cluster) else jobs,
        openings=str(openings_path(folder, game)),
        max_plies=MAX_PLIES,
    )
    tally = Tally(settings)
    run_match(settings, folder / f"{game}-{high:02}-{low:02}.jsonl", tally, every=sys.maxsize, cluster=cluster)
    return tally.standing()


def read_results(folder: Path, game: str) -> list[LevelMatch]:
    """Return the results of a folder's logs that hold whole pairs."""
    results = []
    for path in sorted(folder.glob(f"{game}-*.jsonl")):
        levels = re.fullmatch(rf"{game}-(\d\d)-(\d\d)", path.stem)
        if levels is None:
            continue
        reader = Reader()
        read_log(path, reader.read)
        if reader.settings is None:
            continue
        tally = Tally(reader.settings)
        for record in reader.records:
            tally.add(record)
        if any(tally.pairs):
            results.append(LevelMatch(int(levels[2]), int(levels[1]), tuple(tally.pairs)))
    return sorted(results)


# ---------------------------------------------------------------- ratings


def shares(levels: Sequence[int], level: float) -> Array:
    """Return the weights of the given levels' ratings in a level's rating: interpolated, or extrapolated outside."""
    weights = np.zeros(len(levels))
    above = min(max(int(np.searchsorted(levels, level)), 1), len(levels) - 1)
    low, high = levels[above - 1], levels[above]
    weights[above] = (level - low) / (high - low)
    weights[above - 1] = 1 - weights[above]
    return weights


class Ratings(NamedTuple):
    """Elo of the levels at the bends, rising, the anchor's at its rating; and the covariance of the estimates."""

    levels: tuple[int, ...]
    values: Array
    covariance: Array

    def elo(self, level: float) -> float:
        return float(shares(self.levels, level) @ self.values)

    def bar(self, level: float) -> float:
        """Return half the 95 % confidence interval of the difference to the anchor."""
        row = shares(self.levels, level) - shares(self.levels, ANCHOR_LEVEL)
        return statistics.Z * math.sqrt(max(float(row @ self.covariance @ row), 0.0))


def fit_ratings(results: Sequence[LevelMatch]) -> Ratings:
    """Return the likeliest ratings by the logistic model of Elo, a pair of games being one observation."""
    top = max(result.high for result in results)
    levels = tuple(sorted({*(level for level in BENDS if level < top), top}))
    rows = np.array([shares(levels, result.high) - shares(levels, result.low) for result in results])
    values, covariance = fit_elo(rows, [result.pairs for result in results])
    for i in range(1, len(levels)):  # strength is meant to rise
        values[i] = max(values[i], values[i - 1] + LEAST_STEP * (levels[i] - levels[i - 1]))
    ratings = Ratings(levels, values, covariance)
    return ratings._replace(values=values + ANCHOR_ELO - ratings.elo(ANCHOR_LEVEL))


def table(results: Sequence[LevelMatch]) -> str:
    """Return the matches with the fit's differences, each level's rating, and the line for the game's declaration."""
    ratings = fit_ratings(results)
    lines = ["levels    games  score of the higher  Elo measured  Elo fitted"]
    for low, high, pairs in results:
        estimate = statistics.estimate(pairs)
        elo, least, most = (statistics.elo(score) for score in (estimate.score, estimate.low, estimate.high))
        lines.append(
            f"{high:2} - {low:2}  {2 * sum(pairs):6}  {estimate.score:10.1%} +-{estimate.bar:5.1%}"
            f"  {elo:+6.0f} +-{(most - least) / 2:4.0f}  {ratings.elo(high) - ratings.elo(low):+8.0f}"
        )
    levels = range(TOP_LEVEL + 1)
    lines.append("level   Elo   +-")
    lines += [f"{level:5}  {ratings.elo(level):4.0f}  {ratings.bar(level):3.0f}" for level in levels]
    lines.append(f"skill_elo=({', '.join(str(round(ratings.elo(level))) for level in levels)})")
    return "\n".join(lines)


@script.command
def main(arguments: Sequence[str] | None = None) -> int:
    parser = script.parser(__doc__)
    option = parser.add_argument
    option("game", choices=registry.NAMES)
    option("--out", type=Path, required=True, metavar="DIR", help="logs and openings; continued if they exist")
    option("--games", type=int, default=400, help="games per match; even")
    option("--levels", type=int, nargs="+", default=LEVELS, choices=range(TOP_LEVEL + 1), metavar="N")
    option("--engine", default=f"{sys.executable} -m siqi", metavar="COMMAND")
    option("--seed", type=int, default=1, help="of the openings")
    option("--table", action="store_true", help="play nothing")
    script.add_jobs(parser, what="games at a time")
    options = parser.parse_args(arguments)
    if options.games < 2 or options.games % 2:
        parser.error("--games must be even: they are played in pairs")
    if options.jobs < 1:
        parser.error("--jobs must be at least 1")
    if not options.table:
        script.work_folder(options.out)
        write_openings(options.out, script.load(options.game), options.seed, options.games // 2)
        for low, high in pairwise(sorted(set(options.levels))):
            jobs = script.jobs(options)
            standing = play_match(options.out, options.game, options.engine, low, high, options.games, jobs)
            print(f"{high} - {low}: {standing}", flush=True)
    results = read_results(options.out, options.game)
    if not results:
        parser.error(f"no pair of games of {options.game} in {options.out}")
    print(table(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
