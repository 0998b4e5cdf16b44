"""The running result of a match: games, pairs, series, faults, and the strength they show."""

from __future__ import annotations

from collections import Counter

from siqi.daemon.match import statistics
from siqi.daemon.match.match_log import MatchRecord, MatchSettings
from siqi.daemon.match.schedule import series_scores

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
    def series(self) -> tuple[int, int, int]:
        """The series won and lost, and those that are not decided."""
        scores = series_scores(self._series).values()
        won, lost = (sum(2 * score[engine] > self.settings.best_of for score in scores) for engine in (0, 1))
        return won, lost, len(scores) - won - lost

    @property
    def observations(self) -> list[int]:
        """Pentanomial counts for a rating: of pairs, or of decided series, each of which is one observation."""
        return [self.series[1], 0, 0, 0, self.series[0]] if self.settings.best_of else self.pairs

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
            won, lost, undecided = self.series
            words.insert(0, f"series {won}-{lost}, {undecided} undecided")
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
