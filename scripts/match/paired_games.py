"""Pairs of games between players in this process: played, kept in a log, reported and plotted as scores."""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from scripts.common import script
from scripts.common.table import Table

from siqi.daemon.clients.player import Player, PlayerLimits
from siqi.daemon.cluster.jobs import Jobs
from siqi.daemon.match.game_loop import Adjudication, Clock, Referee, play_moves
from siqi.daemon.match.statistics import Estimate, PairedScore, percent
from siqi.system.log import Log, read_log

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PaperGame = dict[str, Any]
"""A line of the log: players `a` and `b`, `limit` of a move, `pair`, `first` (0: A), `winner` (None: a draw), ..."""


class Pairing(NamedTuple):
    a: str
    b: str


class PairJob(NamedTuple):
    """Two games with the same start, sides swapped; `limit` has one limit."""

    pairing: Pairing
    pair: int
    limit: PlayerLimits


def play_game(job: PairJob, first: int, referee: Referee, players: Sequence[Player], max_plies: int = 0) -> PaperGame:
    """Play one game; return its line of the log.

    `first` is the player on the first side, 0 for A; `players` are by side. Only a limit of the whole game is enforced.
    `plies`: those after the opening. `end`: the rules' reason, `plies` or `time`. AssertionError for another fault.
    """
    opening, margin_ms = len(referee.words), 0.0 if job.limit.clock_ms else math.inf
    clocks = [Clock(job.limit, margin_ms) for _ in players]
    seeds = [str(2 * job.pair + side + 1) for side in range(2)]
    ending = play_moves(referee, players, clocks, seeds, Adjudication(max_plies))
    ends = {"rules": ending.reason, "adjudicated": "plies", "time": "time"}
    if ending.cause not in ends:
        raise AssertionError(f"{job}: {ending}")
    by_player = [clocks[side ^ first] for side in range(2)]
    return {
        "a": job.pairing.a,
        "b": job.pairing.b,
        "limit": job.limit.text,
        "pair": job.pair,
        "first": first,
        "winner": None if ending.winner is None else ending.winner ^ first,
        "end": ends[ending.cause],
        "plies": len(referee.words) - opening,
        "spent": [round(clock.used_ms) for clock in by_player],
        "longest": [round(clock.longest_ms) for clock in by_player],
    }


def is_log(head: bytes) -> bool:
    """True if a file begins with a game as `run_games` writes it."""
    return re.match(rb'\{"a": "[^"]*", "b": "[^"]*", "limit": ', head) is not None


class Pairs:
    """The games of a log. A kill may have left half a pair, which was then replayed."""

    def __init__(self) -> None:
        self._pairs: dict[tuple[Any, ...], dict[int, PaperGame]] = defaultdict(dict)

    def read(self, line: bytes) -> None:
        record = json.loads(line)
        self._pairs[_key(record)][record["first"]] = record

    def whole(self) -> list[PaperGame]:
        """Return the games of the complete pairs."""
        return [record for pair in self._pairs.values() if len(pair) == len((0, 1)) for record in pair.values()]


def read_games(path: Path) -> list[PaperGame]:
    """Return all games of a log, in its order. OSError if it is damaged or of another kind."""
    records: list[PaperGame] = []

    def read(line: bytes) -> None:
        records.append(json.loads(line))
        _key(records[-1])

    read_log(path, read)
    return records


def run_games(
    play: Callable[[PairJob, int], PaperGame],
    pairings: Iterable[tuple[str, str]],
    path: Path,
    games: int,
    limit: PlayerLimits,
    jobs: Jobs,
) -> list[PaperGame]:
    """Play the pairs that a log lacks of `games` games per pairing; return the games of these pairs, old and new.

    `play` plays a job's game with A (0) or B (1) on the first side; it is a function of a module. One job plays in this
    process.
    """
    pairs = Pairs()
    log = Log(path, is_log, pairs.read)
    wanted = {
        (*pairing, limit.text, pair): PairJob(Pairing(*pairing), pair, limit)
        for pairing in pairings
        for pair in range(games // 2)
    }
    records = [record for record in pairs.whole() if _key(record) in wanted]
    done = set(map(_key, records))
    missing = [job for key, job in wanted.items() if key not in done]
    each_pair = functools.partial(play_pair, play)
    finished = script.finished(each_pair, missing, jobs)
    with log, contextlib.closing(finished):
        each = itertools.chain.from_iterable(finished)
        for played in (bar := script.progress(each, total=len(missing), unit=" pairs", mininterval=5)):
            log.add([json.dumps(record).encode() for record in played])
            records += played
            bar.set_postfix_str(f"{played[0]['a']} - {played[0]['b']}", refresh=False)
    return records


def _key(record: PaperGame) -> tuple[Any, ...]:
    """Return the key that distinguishes a pair of games from others."""
    return record["a"], record["b"], record["limit"], record["pair"]


def pairing_scores(records: Iterable[PaperGame]) -> dict[Pairing, PairedScore]:
    """Return A's results in each pairing, in the order of the records."""
    scores: dict[Pairing, PairedScore] = {}
    for record in records:
        pairing = Pairing(record["a"], record["b"])
        scores.setdefault(pairing, PairedScore()).add(_key(record), points_of(record))
    return scores


def points_of(game: PaperGame) -> float:
    """Return A's points."""
    return 0.5 if game["winner"] is None else 1.0 - game["winner"]


def together(records: Iterable[PaperGame], name: str) -> list[PaperGame]:
    """Return games with all players B renamed, so that `pairing_scores` takes them as one; pairs stay separate."""
    return [record | {"b": name, "pair": f"{record['b']} {record['pair']}"} for record in records]


def play_pair(play: Callable[[PairJob, int], PaperGame], job: PairJob) -> list[PaperGame]:
    return [play(job, first) for first in (0, 1)]


def score_table(records: Iterable[PaperGame], heading: str = "") -> Table:
    """Return the results, a row for each pairing."""
    rows = [
        (pairing.a, pairing.b, *score.counts, percent(score.score))
        for pairing, score in pairing_scores(records).items()
    ]
    return Table(heading, ("A", "B", "won", "drawn", "lost", "A's score"), rows)


def draw_scores(figure: Figure, records: Iterable[PaperGame]) -> None:
    """Draw bars of each A's scores against each B."""
    scores = pairing_scores(records)
    heroes = list(dict.fromkeys(pairing.a for pairing in scores))
    others = list(dict.fromkeys(pairing.b for pairing in scores))
    width = 0.8 / len(heroes)
    axes = figure.subplots()
    for i, hero in enumerate(heroes):
        chosen = {pairing.b: result.score for pairing, result in scores.items() if pairing.a == hero}
        at = [others.index(name) + width * (i - (len(heroes) - 1) / 2) for name in chosen]
        heights, bars = percents(list(chosen.values()))
        axes.bar(at, heights, 0.9 * width, yerr=bars, label=hero)
    axes.axhline(50, color="grey", linewidth=0.8)
    axes.set_xticks(range(len(others)), others)
    axes.set_ylabel("score, %")
    axes.legend()


def percents(scores: Sequence[Estimate]) -> tuple[list[float], list[list[float]]]:
    """Return scores in percent, and their bars as matplotlib takes them: below and above, within 0 to 100."""
    below = [100 * (score.score - score.low) for score in scores]
    above = [100 * (score.high - score.score) for score in scores]
    return [100 * score.score for score in scores], [below, above]
