"""Paper 4's figure 2: the cooperation matrix is fed back, so that games teach later games."""

from __future__ import annotations

from pathlib import Path

from scripts.match.paired_games import PairJob, PaperGame, run_games, score_table
from scripts.papers.junqi_cooperation.parameters import UCT_ALONE
from scripts.papers.junqi_cooperation.players import play
from scripts.papers.paper import Bench, Result

from siqi.daemon.clients.player import PlayerLimits
from siqi.games.junqi.paper.cooperation import read_experience
from siqi.games.junqi.paper.experience import LEAST_LESSONS

TRAINING_GAMES, TRAINING_PLAYOUTS = 1000, 200
TRAINING_DEPLOYMENTS = 10_000
"""The number of the first pair of training, so that measured games have other deployments."""

WITHOUT, UNTRAINED = "cooperation experience=none", "cooperation"
"""Players without a file: without experience of kinds, and with what the same game has taught."""


def trainee(book: Path) -> str:
    """Return the player that trains against itself: half of its playouts are lessons, and it saves them."""
    return f"cooperation learning=0.5 CooperationFile={book}"


def trained(book: Path) -> str:
    return f"cooperation frozen={book}"


def play_to_learn(job: PairJob, first: int) -> PaperGame:
    """Play a game of training, on deployments that `play` does not use."""
    record = play(job._replace(pair=job.pair + TRAINING_DEPLOYMENTS), first)
    del record["words"]
    return record | {"pair": job.pair}


def run_feedback(bench: Bench) -> Result:
    book = bench.log.with_suffix(".book")
    training = bench.size(2, TRAINING_GAMES)
    limit = PlayerLimits(nodes=bench.size(50, TRAINING_PLAYOUTS))
    pair = (trainee(book), trainee(book))
    played = run_games(play_to_learn, [pair], bench.of("figure-2-training").log, training, limit, bench.jobs)
    lessons = read_experience(book)["lessons"]
    games, limit = bench.size(2, 400), PlayerLimits(nodes=bench.size(50, 500))
    pairings = [(trained(book), other) for other in (WITHOUT, UNTRAINED, UCT_ALONE)]
    records = run_games(play, pairings, bench.log, games, limit, bench.jobs)
    conditions = (
        f"{len(played)} training games of the player against itself, {TRAINING_PLAYOUTS} playouts per move, half of "
        f"them lessons, kept in a `CooperationFile`: {lessons.sum():,} lessons of {(lessons > 0).sum():,} kinds of "
        f"actions, {(lessons >= LEAST_LESSONS).sum():,} with at least {LEAST_LESSONS}. Then {games} games a row with "
        f"other deployments, {limit.text} per move, to which the file is the same in each game."
    )
    return Result(conditions, [score_table(records)])
