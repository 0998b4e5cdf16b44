"""The running result of a match: games, pairs, series, faults, and the strength they show."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from siqi.daemon.match import statistics
from siqi.daemon.match.match_log import MatchRecord, MatchSettings
from siqi.daemon.match.schedule import add_score

FAULTS = ("illegal", "crash", "time")

MAX_ON_TIME = 0.02
"""The share of games lost on time above which the result says so."""


LEGEND = (
    "LOS: the chance that the first engine is stronger; nElo: Elo, whatever the share of draws; draw ratio: pairs with "
    "1 point; pair ratio: pairs won for each one lost; -: too few games"
)
"""What the figures of `strength` are."""


class Tally:
    """The running result of one pairing, from A's side."""

    def __init__(self, settings: MatchSettings, pairing: tuple[int, int] = (0, 1)) -> None:
        self.settings = settings
        self.names = [settings.engines[engine].name for engine in pairing]
        self._paired = statistics.PairedScore()  # A's
        self.faults: Counter[tuple[int, str]] = Counter()  # games by the loser and its fault
        self.ends: Counter[tuple[str, str]] = Counter()  # games by cause and reason, N for each number in a reason
        self.sides: tuple[Counter[float], Counter[float]] = Counter(), Counter()  # by side, games by A's points on it
        self.plies: list[int] = []
        self.over_ms: tuple[list[float], list[float]] = [], []  # of A's and B's moves, as in the log
        self.repeated = 0  # games equal to an earlier one with the same sides, move for move
        self._series: dict[int, tuple[float, float]] = {}  # points of A and B in each
        self._seen: set[tuple[int, str]] = set()
        self._llr: tuple[tuple[int, ...], float] = (), 0.0  # the last, with its counts: it takes milliseconds

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
        scores = self._series.values()
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
        if record.cause in FAULTS and record.winner is not None:
            self.faults[1 - record.winner, record.cause] += 1
        is_plain = record.cause in (*FAULTS, "resigned")  # with a reason of one game alone
        self.ends[record.cause, "" if is_plain else re.sub(r"\d+", "N", record.reason)] += 1
        self.sides[record.first][record.score] += 1
        self.plies.append(record.plies)
        for over_ms, more in zip(self.over_ms, record.over_ms, strict=True):
            over_ms.extend(more)
        if self.settings.best_of:
            add_score(self._series, record)
            self.scores[record.score] += 1
        else:
            self._paired.add(record.pair, record.score)
        played = (record.first, " ".join(record.moves))
        self.repeated += played in self._seen
        self._seen.add(played)

    @property
    def adjudicated(self) -> int:
        """The number of games that were adjudicated."""
        return sum(games for (cause, _), games in self.ends.items() if cause == "adjudicated")

    def faults_of(self, engine: int) -> str:
        """Return the games that an engine, 0 for A, lost by each kind of fault."""
        return ", ".join(f"{fault} {self.faults[engine, fault]}" for fault in FAULTS)

    def sprt(self) -> tuple[float, str]:
        """Return the log-likelihood ratio and the verdict: H0, H1, or empty while undecided or without an SPRT."""
        test, counts = self.settings.test, tuple(self.pairs)
        if test is None or self.misconfigured is not None:
            return 0.0, ""
        if self._llr[0] != counts:
            self._llr = counts, test.llr(counts)
        return self._llr[1], test.verdict(self._llr[1])

    @property
    def misconfigured(self) -> int | None:
        """The engine, 0 for A, that lost every game by an illegal move: its options are wrong, not its play."""
        return next((engine for engine in (0, 1) if 0 < self.games == self.faults[engine, "illegal"]), None)

    def standing(self) -> str:
        """Return one line: W-D-L, score and Elo of the complete pairs, SPRT."""
        words = [f"W-D-L {'-'.join(self._paired.counts)}"]
        if self.settings.best_of:
            won, lost, undecided = self.series
            words.insert(0, f"series {won}-{lost}, {undecided} undecided")
        if self.misconfigured is not None:
            return "  ".join([*words, f"no Elo: {self.names[self.misconfigured]} lost every game by an illegal move"])
        if any(self.pairs):
            result = self._paired.score
            elo, low, high = (statistics.elo(score) for score in (result.score, result.low, result.high))
            words += [
                f"score {result.score:.1%} [{result.low:.1%}, {result.high:.1%}]",
                f"Elo {elo:+.1f} [{low:+.1f}, {high:+.1f}]",
            ]
        if test := self.settings.test:
            words.append(test.text(self.sprt()[0]))
        return "  ".join(words)

    def report(self) -> str:
        """Return the whole result in several lines."""
        names = self.names
        lines = [f"{self.settings.game}: {names[0]} against {names[1]}, {self.games} games", self.standing()]
        if any(self.pairs) and self.misconfigured is None:
            lines += [strength(self.pairs), LEGEND, self._conclusion()]
        lines += [f"lost by {name}: {self.faults_of(engine)}" for engine, name in enumerate(names)]
        lines += [
            f"{name}: {latency_text(over_ms)}" for name, over_ms in zip(names, self.over_ms, strict=True) if over_ms
        ]
        if on_time := warning_of_time([self]):
            lines.append(on_time)
        if self.adjudicated:
            lines.append(f"adjudicated: {self.adjudicated}")
        if self.repeated:
            lines.append(f"repeating an earlier game, no evidence: {self.repeated}")
        return "\n".join(lines)

    def _conclusion(self) -> str:
        """Return in words which engine is better."""
        result, (a, b) = self._paired.score, self.names
        scores = f"{a} scores {result.score:.0%}, with 95 % confidence {result.low:.0%} to {result.high:.0%}"
        if result.low <= 0.5 <= result.high:
            return f"neither is shown to be better: {scores}"
        return f"{a if result.score > 0.5 else b} is better: {scores}"


def warning_of_time(tallies: Iterable[Tally]) -> str:
    """Return a warning if many of the games were lost on time, else nothing."""
    games, lost = 0, 0
    for tally in tallies:
        games += tally.games
        lost += tally.faults[0, "time"] + tally.faults[1, "time"]
    if lost <= MAX_ON_TIME * games:
        return ""
    return f"lost on time: {lost / games:.1%} of the games, so this is a result of clocks, too"


def latency(over_ms: Sequence[float]) -> tuple[float, float]:
    """Return the 99th percentile (nearest rank) and the worst of the times above a move's limit, in ms."""
    ranked = sorted(over_ms)
    return ranked[-(-99 * len(ranked) // 100) - 1], ranked[-1]


def latency_text(over_ms: Sequence[float]) -> str:
    """Return an engine's latency in words."""
    p99, worst = latency(over_ms)
    return f"time of a move above its limit: 99 % up to {p99:+.1f} ms, worst {worst:+.1f} ms"


def strength(pairs: Sequence[int]) -> str:
    """Return the statistics of pentanomial counts, as fastchess names and rounds them; `-`: without bounds."""
    result, nelo = statistics.estimate(pairs), statistics.normalized_elo(pairs)
    elo, los = statistics.elo_of(result), statistics.likelihood_of_superiority(result)
    elo_text, nelo_text = (f"{x.mean:+.2f} +- {x.bar:.2f}" if math.isfinite(x.bar) else "-" for x in (elo, nelo))
    ratio = statistics.pair_ratio(pairs)
    return (
        f"Elo {elo_text}  nElo {nelo_text}  LOS {los:.2%}  draw ratio {statistics.draw_ratio(pairs):.2%}  "
        f"pair ratio {f'{ratio:.2f}' if math.isfinite(ratio) else '-'}\n"
        f"pairs with 0, 1/2, 1, 3/2, 2 points: {', '.join(map(str, pairs))}"
    )
