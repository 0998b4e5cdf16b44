"""The running result of a tournament: a tally for each two engines that met, a crosstable, ratings and rounds."""

from __future__ import annotations

import math
from collections.abc import Iterable

from siqi.daemon.match import statistics
from siqi.daemon.match.match_log import MatchRecord, MatchSettings, Pairing
from siqi.daemon.match.schedule import ROUNDS, Round, add_score, is_over, points_of, swiss_points
from siqi.daemon.match.tally import Tally, latency, warning_of_time
from siqi.system.columns import right
from siqi.system.messages import translated

RATING_HEADS, LATENCY_HEADS = (("Elo", 5), ("+-", 5), ("points", 8)), (("99% ms", 9), ("worst ms", 9))
"""Heads and widths of columns; the last are of the times of a move above its limit."""


def heads(columns: Iterable[tuple[str, int]]) -> str:
    """Return the heads of columns in the user's language, each at the right of its column."""
    return "".join(right(translated(head), width) for head, width in columns)


class Standings:
    """The running result of a tournament."""

    def __init__(self, settings: MatchSettings) -> None:
        self.settings = settings
        self._numbers = {spec.name: number for number, spec in enumerate(settings.engines)}
        self._tallies: dict[Pairing, Tally] = {}
        self._scores: dict[int, tuple[float, float]] = {}  # points of A and B in each pair or series

    @property
    def tallies(self) -> list[Tally]:
        """The results of each two engines that met."""
        return [self._tallies[pairing] for pairing in sorted(self._tallies)]

    @property
    def games(self) -> int:
        return sum(tally.games for tally in self._tallies.values())

    def add(self, record: MatchRecord) -> None:
        a, b = (self._numbers[name] for name in record.names)
        self._tallies.setdefault((a, b), Tally(self.settings, (a, b))).add(record)
        add_score(self._scores, record)

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

        Elo is relative: to the first engine in a gauntlet, else to the mean of all that are rated. Games of an engine
        that lost all by illegal moves show no strength: it has the Elo -inf.
        """
        import numpy as np  # late: no command line needs it

        from siqi.daemon.match.ratings import fit_elo

        size = len(self.settings.engines)
        unrated = {engine for engine in range(size) if self._is_misconfigured(engine)}
        rated = {pairing: tally for pairing, tally in self._tallies.items() if unrated.isdisjoint(pairing)}
        rows = np.array([np.eye(size)[a] - np.eye(size)[b] for a, b in rated]).reshape(-1, size)
        values, covariance = fit_elo(rows, [tally.observations for tally in rated.values()])
        origin = np.array([engine not in unrated for engine in range(size)]) / max(size - len(unrated), 1)
        if self.settings.tournament == "gauntlet":
            origin = np.eye(size)[0]
        ratings = []
        for engine, row in enumerate(np.eye(size) - origin):
            met = [self.score(engine, other) for other in range(size) if other not in unrated]
            points, games = (sum(part) for part in zip(*met, strict=True))
            bar = statistics.Z * math.sqrt(max(float(row @ covariance @ row), 0.0))
            elo = -math.inf if engine in unrated else float(row @ values)
            ratings.append((elo, bar if 0 < points < games or not row.any() else math.inf))
        return ratings

    def _is_misconfigured(self, engine: int) -> bool:
        """True if an engine lost every game by an illegal move: its rules or its options are wrong, not its play."""
        mine = [(pairing, tally) for pairing, tally in self._tallies.items() if engine in pairing]
        lost = sum(tally.faults[pairing.index(engine), "illegal"] for pairing, tally in mine)
        return 0 < sum(tally.games for _, tally in mine) == lost

    def _rounds(self) -> list[Round]:
        return ROUNDS[self.settings.tournament](self.settings, self._scores)

    def report(self) -> str:
        """Return the crosstable with ratings, the best engine first, the rounds, and the games lost by faults."""
        engines, ratings = self.settings.engines, self.ratings()
        merit = self._merit()
        order = sorted(range(len(engines)), key=lambda engine: (-merit[engine], -round(ratings[engine][0], 6), engine))
        width = max(len(spec.name) for spec in engines) + 4
        cells = "".join(f"{place:>9}" for place in range(1, len(order) + 1))
        over_ms = [self._over_ms(engine) for engine in range(len(engines))]
        lines = [
            f"{self.settings.game}: {self.settings.tournament} of {len(engines)} engines, {self.games} games",
            f"{'':{width}}{heads(RATING_HEADS)}{cells}{heads(LATENCY_HEADS) if any(over_ms) else ''}",
        ]
        for place, engine in enumerate(order, 1):
            scores = [self.score(engine, other) for other in order]
            cells = "".join(f"{f'{points:g}/{games}' if games else '-':>9}" for points, games in scores)
            elo, bar = ratings[engine]
            points = merit[engine] if self.settings.tournament == "swiss" else self.score(engine)[0]
            rating = f"{elo:+5.0f} {bar:4.0f}" if math.isfinite(bar) else f"{'-':>5} {'-':>4}"
            late = "".join(f"{ms:+9.1f}" for ms in latency(over_ms[engine])) if over_ms[engine] else ""
            lines.append(f"{place:2} {engines[engine].name:{width - 3}}{rating} {points:7g}{cells}{late}")
        if self.settings.tournament in ROUNDS:
            lines += [f"round {number}: {self._round_text(each)}" for number, each in enumerate(self._rounds(), 1)]
        for pairing, tally in sorted(self._tallies.items()):
            for loser, engine in enumerate(pairing):
                if any(who == loser for who, _ in tally.faults):
                    winner = engines[pairing[1 - loser]].name
                    lines.append(f"lost by {engines[engine].name} to {winner}: {tally.faults_of(loser)}")
        if adjudicated := sum(tally.adjudicated for tally in self._tallies.values()):
            lines.append(f"adjudicated: {adjudicated}")
        if on_time := warning_of_time(self._tallies.values()):
            lines.append(on_time)
        if repeated := sum(tally.repeated for tally in self._tallies.values()):
            lines.append(f"repeating an earlier game, no evidence: {repeated}")
        lines += [
            f"no Elo: {spec.name} lost every game by an illegal move"
            for engine, spec in enumerate(engines)
            if self._is_misconfigured(engine)
        ]
        rated = ((spec.name, bar) for spec, (elo, bar) in zip(engines, ratings, strict=True) if elo > -math.inf)
        one_way = [name for name, bar in rated if math.isinf(bar)]
        if one_way:
            lines.append(f"no Elo: {', '.join(one_way)}: too few games, as those with rated engines went one way")
        return "\n".join(lines)

    def _over_ms(self, engine: int) -> list[float]:
        """Return what the moves of an engine took above their limit in time."""
        mine = ((pairing, tally) for pairing, tally in self._tallies.items() if engine in pairing)
        return [ms for pairing, tally in mine for ms in tally.over_ms[pairing.index(engine)]]

    def _merit(self) -> list[float]:
        """Return what places each engine, before its rating: Swiss points, or the rounds of a knock-out."""
        merit = [0.0] * len(self.settings.engines)
        if self.settings.tournament == "swiss":
            merit = swiss_points(self.settings, self._rounds(), self._scores)
        elif self.settings.tournament == "knockout":
            for each in self._rounds():
                for meeting in each.meetings:
                    if is_over(self.settings, meeting, self._scores):
                        a, b = points_of(self.settings, meeting, self._scores)
                        merit[meeting.pairing[0 if a >= b else 1]] += 1
                    for engine in meeting.pairing:  # whoever plays one round more stands higher
                        merit[engine] += len(merit)
        return merit

    def _round_text(self, each: Round) -> str:
        """Return the results of a round in one line."""
        names = [spec.name for spec in self.settings.engines]
        texts = []
        for meeting in each.meetings:
            a, b = points_of(self.settings, meeting, self._scores)
            texts.append(f"{names[meeting.pairing[0]]} {a:g}-{b:g} {names[meeting.pairing[1]]}")
        if each.rests is not None:
            texts.append(f"{names[each.rests]} rests")
        return ", ".join(texts)
