"""Who plays whom: the games of a match or a tournament that are still to be played, from those that were.

Games are numbered. Two make a pair, or up to `best_of` a series; both change sides. Pairs (or series) belong to
meetings of two engines. In a match, a gauntlet and a round-robin all meetings are known from the start and are played
side by side: pair k is of meeting k modulo their number. In a Swiss tournament and a knock-out a round follows from the
results of the rounds before; there meeting m has the pairs from (pairs of a meeting + TIE_BREAKS) * m on.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from siqi.daemon.match.match_log import MatchRecord, MatchSettings, Pairing

TIE_BREAKS = 8
"""The most pairs, or series, that break a tie of a knock-out; then the engine named first in its order goes on."""


class Unit(NamedTuple):
    """Games that are played one after the other: one, or those of a series until it is decided."""

    games: list[int]
    pairing: Pairing
    turn: int  # chooses opening and throws: the same in all meetings of a round
    scores: tuple[float, float] = (0.0, 0.0)  # points of A and B in the series so far


class Meeting(NamedTuple):
    """Two engines that play each other in a round, and their pairs (or series)."""

    pairing: Pairing
    pairs: range


class Round(NamedTuple):
    """The meetings of a round; `rests`: the engine, if any, that has no opponent and gets the points of a win."""

    meetings: list[Meeting]
    rests: int | None = None


def seating(settings: MatchSettings, index: int) -> tuple[int, int]:
    """Return the pair or series that a game belongs to, and the engine, 0 for A, on the first side.

    In a series sides change by the championships' rule: A moves first in games 1, 4 and 5, in every second one B.
    """
    if not settings.best_of:
        return divmod(index, 2)
    series, number = divmod(index, settings.best_of)
    return series, int(number % 4 in (1, 2)) ^ series % 2


def is_decided(scores: Iterable[float], settings: MatchSettings) -> bool:
    """True if one engine has more than half of a series' points."""
    return 2 * max(scores) > settings.best_of


def series_scores(records: Iterable[MatchRecord]) -> dict[int, tuple[float, float]]:
    """Return the points of A and B in each pair or series."""
    scores: dict[int, tuple[float, float]] = {}
    for record in records:
        add_score(scores, record)
    return scores


def add_score(scores: dict[int, tuple[float, float]], record: MatchRecord) -> None:
    """Add a game to the points of A and B in its pair or series."""
    a, b = scores.get(record.pair, (0.0, 0.0))
    scores[record.pair] = a + record.score, b + 1 - record.score


def missing(settings: MatchSettings, records: Sequence[MatchRecord]) -> list[Unit]:
    """Return what can be played now; a later round of a tournament only once the round before has ended."""
    played, scores = {record.game for record in records}, series_scores(records)
    if settings.tournament in ROUNDS:
        rounds = ROUNDS[settings.tournament](settings, scores)
        turns = {pair: turn for each in rounds for meeting in each.meetings for turn, pair in enumerate(meeting.pairs)}
        meetings = [(pair, meeting.pairing) for each in rounds for meeting in each.meetings for pair in meeting.pairs]
    else:
        pairings = settings.pairings
        pairs = range(settings.pairs * len(pairings))
        turns = {pair: pair // len(pairings) for pair in pairs}
        meetings = [(pair, pairings[pair % len(pairings)]) for pair in pairs]
    units = []
    for pair, pairing in meetings:
        games = [index for index in games_of(settings, pair) if index not in played]
        score = scores.get(pair, (0.0, 0.0))
        if settings.best_of:
            if games and not is_decided(score, settings):
                units.append(Unit(games, pairing, turns[pair], score))
        else:
            units += [Unit([index], pairing, turns[pair]) for index in games]
    return units


def count_games(settings: MatchSettings) -> int:
    """Return the number of games that are to be played, at most for series, without ties that are to be broken."""
    size = len(settings.engines)
    meetings = len(settings.pairings)
    if settings.tournament == "swiss":
        meetings = (settings.rounds or swiss_length(size)) * (size // 2)
    elif settings.tournament == "knockout":
        meetings = size - 1
    return meetings * settings.games * max(settings.best_of, 1)


def games_of(settings: MatchSettings, pair: int) -> range:
    """Return the numbers of the games of a pair or series."""
    size = settings.best_of or 2
    return range(size * pair, size * pair + size)


def points_of(settings: MatchSettings, meeting: Meeting, scores: dict[int, tuple[float, float]]) -> tuple[float, float]:
    """Return the points of A and B in a meeting: of its games, or one for each series."""
    a = b = 0.0
    for pair in meeting.pairs:
        one, other = scores.get(pair, (0.0, 0.0))
        if settings.best_of:
            one, other = (0.5, 0.5) if one == other else (float(one > other), float(other > one))
        a, b = a + one, b + other
    return a, b


def is_over(settings: MatchSettings, meeting: Meeting, scores: dict[int, tuple[float, float]]) -> bool:
    """True if all games of a meeting were played, or its series are decided."""
    for pair in meeting.pairs:
        a, b = scores.get(pair, (0.0, 0.0))
        if a + b < (settings.best_of or 2) and not (settings.best_of and is_decided((a, b), settings)):
            return False
    return True


# ---------------------------------------------------------------- Swiss


def swiss_rounds(settings: MatchSettings, scores: dict[int, tuple[float, float]]) -> list[Round]:
    """Return the rounds that can be played by these results: each pairs engines of like points that have not met.

    In a round with an odd number of engines the last one by points that has not rested rests.
    """
    size, rounds = len(settings.engines), list[Round]()
    for number in range(settings.rounds or swiss_length(size)):
        if any(not is_over(settings, meeting, scores) for each in rounds for meeting in each.meetings):
            break
        points = swiss_points(settings, rounds, scores)
        order = sorted(range(size), key=lambda engine: (-points[engine], engine))
        rests = None
        if size % 2:
            rested = {each.rests for each in rounds}
            rests = next((engine for engine in reversed(order) if engine not in rested), order[-1])
            order.remove(rests)
        met = {frozenset(meeting.pairing) for each in rounds for meeting in each.meetings}
        pairings = _neighbours(order, met) or list(zip(order[::2], order[1::2], strict=True))
        first = number * (size // 2)
        rounds.append(Round([_meeting(settings, first + k, pairing) for k, pairing in enumerate(pairings)], rests))
    return rounds


def swiss_length(size: int) -> int:
    """Return the usual number of rounds: enough for one engine alone to win all of them, at most one less than all."""
    return max(1, min(math.ceil(math.log2(size)), size - 1))


def swiss_points(
    settings: MatchSettings, rounds: Iterable[Round], scores: dict[int, tuple[float, float]]
) -> list[float]:
    """Return each engine's points in these rounds; whoever rests has all of a meeting's."""
    points = [0.0] * len(settings.engines)
    for each in rounds:
        for meeting in each.meetings:
            for engine, gained in zip(meeting.pairing, points_of(settings, meeting, scores), strict=True):
                points[engine] += gained
        if each.rests is not None:
            points[each.rests] += settings.games
    return points


def _neighbours(order: list[int], met: set[frozenset[int]]) -> list[Pairing] | None:
    """Pair engines that have not met, each with the nearest possible one in the order; None if that cannot be."""
    if not order:
        return []
    first, *others = order
    for other in others:
        if frozenset((first, other)) not in met:
            rest = _neighbours([engine for engine in others if engine != other], met)
            if rest is not None:
                return [(first, other), *rest]
    return None


# ---------------------------------------------------------------- knock-out


def knockout_rounds(settings: MatchSettings, scores: dict[int, tuple[float, float]]) -> list[Round]:
    """Return the rounds that can be played by these results: the first engine is drawn against the last, and so on.

    If their number is no power of two, the first ones rest in the first round. A tie is broken by one more pair (or
    series) after another, up to TIE_BREAKS.
    """
    rounds, first = list[Round](), 0
    left: list[int | None] = list(range(len(settings.engines)))
    left += [None] * ((1 << (len(left) - 1).bit_length()) - len(left))
    while len(left) > 1:
        half = len(left) // 2
        meetings, winners = list[Meeting](), list[int | None]()
        for one, other in zip(left[:half], reversed(left[half:]), strict=True):
            if one is None or other is None:
                winners.append(other if one is None else one)
                continue
            meeting = _with_tie_breaks(settings, _meeting(settings, first + len(meetings), (one, other)), scores)
            meetings.append(meeting)
            a, b = points_of(settings, meeting, scores)
            winners.append(one if a >= b else other)
        first += len(meetings)
        rounds.append(Round(meetings))
        if any(not is_over(settings, meeting, scores) for meeting in meetings):
            break
        left = winners
    return rounds


def _with_tie_breaks(settings: MatchSettings, meeting: Meeting, scores: dict[int, tuple[float, float]]) -> Meeting:
    """Return a meeting with the pairs that its ties need."""
    for extra in range(TIE_BREAKS + 1):
        longer = Meeting(meeting.pairing, range(meeting.pairs.start, meeting.pairs.stop + extra))
        a, b = points_of(settings, longer, scores)
        if a != b or not is_over(settings, longer, scores):
            break
    return longer


def _meeting(settings: MatchSettings, number: int, pairing: Pairing) -> Meeting:
    first = number * (settings.pairs + TIE_BREAKS)
    return Meeting(pairing, range(first, first + settings.pairs))


ROUNDS = {"swiss": swiss_rounds, "knockout": knockout_rounds}
"""The kinds of tournaments whose rounds follow from results."""
