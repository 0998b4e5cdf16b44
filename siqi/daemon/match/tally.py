"""The running result of a match or tournament: games, pairs, series, faults, and the strength they show."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from siqi.daemon.match import statistics
from siqi.daemon.match.match_log import MatchRecord, MatchSettings, series_scores
from siqi.daemon.match.ratings import fit_elo

FAULTS = ("illegal", "crash", "time")


class Tally:
    """The running result of one pairing, from A's side."""

    def __init__(self, settings: MatchSettings, pairing: tuple[int, int] = (0, 1)) -> None:
        self.settings = settings
        self._names = [settings.engines[engine].name for engine in pairing]
        self._paired = statistics.PairedScore()  # A's
        self.faults: Counter[tuple[int, str]] = Counter()  # games by the loser and its fault
        self.adjudicated = 0
        self.repeated = 0  # games equal to an earlier one with the same sides, move for move
        self._series: list[MatchRecord] = []
        self._seen: set[tuple[int, str]] = set()

    @property
    def games(self) -> int:
        return self.scores.total()

    @property
    def scores(self) -> Counter[float]:
        """Return the number of games by A's points."""
        return self._paired.games

    @property
    def pairs(self) -> list[int]:
        """Return the pentanomial counts; all 0 for series, which have no pairs."""
        return self._paired.pairs

    @property
    def points(self) -> float:
        """Return A's points."""
        return sum(points * games for points, games in self.scores.items())

    def add(self, record: MatchRecord) -> None:
        self.adjudicated += record.cause == "adjudicated"
        if record.cause in FAULTS and record.winner is not None:
            self.faults[1 - record.winner, record.cause] += 1
        if self.settings.best_of:
            self._series.append(record)
            self.scores[record.score] += 1
        else:
            self._paired.add(record.pair, record.score)
        played = (record.first, " ".join(record.moves))
        self.repeated += played in self._seen
        self._seen.add(played)

    def faults_of(self, engine: int) -> str:
        """Return the games that an engine, 0 for A, lost by each kind of fault."""
        return ", ".join(f"{fault} {self.faults[engine, fault]}" for fault in FAULTS)

    def sprt(self) -> tuple[float, str]:
        """Return the log-likelihood ratio and the verdict: H0, H1, or empty while undecided or without an SPRT."""
        if self.settings.sprt is None:
            return 0.0, ""
        llr = statistics.llr(self.pairs, *self.settings.sprt)
        low, high = statistics.sprt_bounds()
        return llr, "H1" if llr >= high else "H0" if llr <= low else ""

    def standing(self) -> str:
        """Return one line: W-D-L, score and Elo of the complete pairs, SPRT."""
        words = [f"W-D-L {'-'.join(self._paired.counts)}"]
        if self.settings.best_of:
            scores = series_scores(self._series).values()
            won, lost = (sum(2 * score[engine] > self.settings.best_of for score in scores) for engine in (0, 1))
            words.insert(0, f"series {won}-{lost}, {len(scores) - won - lost} undecided")
        if any(self.pairs):
            result = self._paired.score
            elo, low, high = (statistics.elo(score) for score in (result.score, result.low, result.high))
            words += [
                f"score {statistics.percent(result)}",
                f"Elo {elo:+.1f} [{low:+.1f}, {high:+.1f}]",
            ]
        if self.settings.sprt:
            (elo0, elo1), (low, high), (llr, verdict) = self.settings.sprt, statistics.sprt_bounds(), self.sprt()
            words.append(f"SPRT [{elo0:g}, {elo1:g}] LLR {llr:.2f} ({low:.2f}, {high:.2f}) {verdict}".rstrip())
        return "  ".join(words)

    def report(self) -> str:
        """Return the whole result in several lines."""
        names = self._names
        lines = [f"{self.settings.game}: {names[0]} against {names[1]}, {self.games} games", self.standing()]
        if any(self.pairs):
            los = statistics.likelihood_of_superiority(self._paired.score)
            lines.append(f"LOS {los:.1%}  pairs with 0, 1/2, 1, 3/2, 2 points: {', '.join(map(str, self.pairs))}")
        lines += [f"lost by {name}: {self.faults_of(engine)}" for engine, name in enumerate(names)]
        if self.adjudicated:
            lines.append(f"adjudicated: {self.adjudicated}")
        if self.repeated:
            lines.append(f"repeating an earlier game, no evidence: {self.repeated}")
        return "\n".join(lines)


class Standings:
    """The running result of a tournament: a tally for each pairing, a crosstable and ratings."""

    def __init__(self, settings: MatchSettings) -> None:
        self.settings = settings
        self._tallies = {pairing: Tally(settings, pairing) for pairing in settings.pairings}

    @property
    def games(self) -> int:
        return sum(tally.games for tally in self._tallies.values())

    def add(self, record: MatchRecord) -> None:
        self._tallies[self.settings.pairings[record.pair % len(self._tallies)]].add(record)

    def sprt(self) -> tuple[float, str]:
        """Return no verdict: a tournament has no SPRT."""
        return 0.0, ""

    def score(self, engine: int, other: int | None = None) -> tuple[float, int]:
        """Return an engine's points against another, or all, and the number of these games."""
        points, games = 0.0, 0
        for pairing, tally in self._tallies.items():
            if engine in pairing and engine != other and other in (None, *pairing):
                points += tally.points if engine == pairing[0] else tally.games - tally.points
                games += tally.games
        return points, games

    def standing(self) -> str:
        """Return one line: the points of each engine."""
        totals = [(spec.name, self.score(engine)) for engine, spec in enumerate(self.settings.engines)]
        return "  ".join(f"{name} {points:g}/{games}" for name, (points, games) in totals)

    def ratings(self) -> list[tuple[float, float]]:
        """Return each engine's Elo and half its 95 % confidence interval, which is infinite if all games went one way.

        Elo is relative: to the first engine in a gauntlet, else to the mean of all.
        """
        size = len(self.settings.engines)
        rows = np.array([np.eye(size)[a] - np.eye(size)[b] for a, b in self._tallies])
        values, covariance = fit_elo(rows, [tally.pairs for tally in self._tallies.values()])
        origin = np.eye(size)[0] if self.settings.tournament == "gauntlet" else np.full(size, 1 / size)
        ratings = []
        for engine, row in enumerate(np.eye(size) - origin):
            points, games = self.score(engine)
            bar = statistics.Z * math.sqrt(max(float(row @ covariance @ row), 0.0))
            ratings.append((float(row @ values), bar if 0 < points < games or not row.any() else math.inf))
        return ratings

    def report(self) -> str:
        """Return the ratings and the crosstable, the best engine first, and the games lost by faults."""
        engines, ratings = self.settings.engines, self.ratings()
        order = sorted(range(len(engines)), key=lambda engine: -ratings[engine][0])
        width = max(len(spec.name) for spec in engines) + 4
        cells = "".join(f"{place:>9}" for place in range(1, len(order) + 1))
        lines = [
            f"{self.settings.game}: {self.settings.tournament} of {len(engines)} engines, {self.games} games",
            f"{'':{width}}  Elo   +-  points{cells}",
        ]
        for place, engine in enumerate(order, 1):
            scores = [self.score(engine, other) for other in order]
            cells = "".join(f"{f'{points:g}/{games}' if games else '-':>9}" for points, games in scores)
            (elo, bar), (points, _) = ratings[engine], self.score(engine)
            lines.append(f"{place:2} {engines[engine].name:{width - 3}}{round(elo):+5} {bar:4.0f} {points:7g}{cells}")
        for pairing, tally in self._tallies.items():
            for loser, engine in enumerate(pairing):
                if any(who == loser for who, _ in tally.faults):
                    winner = engines[pairing[1 - loser]].name
                    lines.append(f"lost by {engines[engine].name} to {winner}: {tally.faults_of(loser)}")
        if adjudicated := sum(tally.adjudicated for tally in self._tallies.values()):
            lines.append(f"adjudicated: {adjudicated}")
        return "\n".join(lines)
