"""The running result of a match: games, pairs, series, faults, and what they say of the strength."""

from __future__ import annotations

import contextlib
import sys
from collections import Counter
from collections.abc import Callable, Iterator

from tqdm import tqdm

from scripts.lib import statistics
from scripts.lib.match_log import MatchRecord, MatchSettings, series_scores

FAULTS = ("illegal", "crash", "time")


class Tally:
    """The running result, from A's side."""

    def __init__(self, settings: MatchSettings) -> None:
        self.settings = settings
        self.scores: Counter[float] = Counter()  # games by A's points
        self.pairs = [0] * len(statistics.POINTS)
        self.faults: Counter[tuple[int, str]] = Counter()  # games by the loser and its fault
        self.adjudicated = 0
        self.repeated = 0  # games equal to an earlier one with the same sides, move for move
        self._series: list[MatchRecord] = []
        self._half_pairs: dict[int, float] = {}
        self._seen: set[tuple[int, str]] = set()

    @property
    def games(self) -> int:
        return self.scores.total()

    def add(self, record: MatchRecord) -> None:
        self.scores[record.score] += 1
        self.adjudicated += record.cause == "adjudicated"
        if record.cause in FAULTS and record.winner is not None:
            self.faults[1 - record.winner, record.cause] += 1
        if self.settings.best_of:
            self._series.append(record)
        elif record.pair in self._half_pairs:
            self.pairs[round(2 * (record.score + self._half_pairs.pop(record.pair)))] += 1
        else:
            self._half_pairs[record.pair] = record.score
        played = (record.first, " ".join(record.moves))
        self.repeated += played in self._seen
        self._seen.add(played)

    def sprt(self) -> tuple[float, str]:
        """Log-likelihood ratio and verdict, H0 or H1; no verdict while undecided, or without an SPRT."""
        if self.settings.sprt is None:
            return 0.0, ""
        llr = statistics.llr(self.pairs, *self.settings.sprt)
        low, high = statistics.sprt_bounds()
        return llr, "H1" if llr >= high else "H0" if llr <= low else ""

    def standing(self) -> str:
        """One line: W-D-L, what the complete pairs say of the strength, SPRT."""
        words = [f"W-D-L {self.scores[1.0]}-{self.scores[0.5]}-{self.scores[0.0]}"]
        if self.settings.best_of:
            scores = series_scores(self._series).values()
            won, lost = (sum(2 * score[engine] > self.settings.best_of for score in scores) for engine in (0, 1))
            words.insert(0, f"series {won}-{lost}, {len(scores) - won - lost} undecided")
        if any(self.pairs):
            result = statistics.estimate(self.pairs)
            elo, low, high = (statistics.elo(score) for score in (result.score, result.low, result.high))
            words += [
                f"score {result.score:.1%} +- {result.bar:.1%}",
                f"Elo {elo:+.1f} [{low:+.1f}, {high:+.1f}]",
            ]
        if self.settings.sprt:
            (elo0, elo1), (low, high), (llr, verdict) = self.settings.sprt, statistics.sprt_bounds(), self.sprt()
            words.append(f"SPRT [{elo0:g}, {elo1:g}] LLR {llr:.2f} ({low:.2f}, {high:.2f}) {verdict}".rstrip())
        return "  ".join(words)

    def report(self) -> str:
        """The whole result in several lines."""
        names = [spec.name for spec in self.settings.engines]
        lines = [f"{self.settings.game}: {names[0]} against {names[1]}, {self.games} games", self.standing()]
        if any(self.pairs):
            los = statistics.likelihood_of_superiority(statistics.estimate(self.pairs))
            lines.append(f"LOS {los:.1%}  pairs with 0, 1/2, 1, 3/2, 2 points: {', '.join(map(str, self.pairs))}")
        for engine, name in enumerate(names):
            faults = ", ".join(f"{fault} {self.faults[engine, fault]}" for fault in FAULTS)
            lines.append(f"lost by {name}: {faults}")
        if self.adjudicated:
            lines.append(f"adjudicated: {self.adjudicated}")
        if self.repeated:
            lines.append(f"repeating an earlier game, no evidence: {self.repeated}")
        return "\n".join(lines)


@contextlib.contextmanager
def progress(tally: Tally, every: int) -> Iterator[Callable[[], None]]:
    """What to call after each game: a bar on a terminal, else a line every so many games."""
    if sys.stderr.isatty():
        layout = "{l_bar}{bar:10}| {n_fmt}/{total_fmt} [{elapsed}<{remaining}]{postfix}"
        total = tally.settings.games * max(tally.settings.best_of, 1)
        with tqdm(total=total, initial=tally.games, bar_format=layout) as bar:

            def advance() -> None:
                bar.set_postfix_str(tally.standing(), refresh=False)
                bar.update()

            yield advance
    else:

        def say() -> None:
            if tally.games % every == 0:
                print(f"{tally.games}  {tally.standing()}", flush=True)

        yield say
