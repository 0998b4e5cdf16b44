"""Who plays whom in tournaments: meetings follow from results, so that a log is all that a run needs to go on."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable

import pytest

from siqi.daemon.clients.player import EngineSpec
from siqi.daemon.match.match_log import MatchRecord, MatchSettings, Pairing
from siqi.daemon.match.schedule import TIE_BREAKS, knockout_rounds, missing, seating, series_scores, swiss_rounds
from siqi.daemon.match.standings import Standings

Result = Callable[[Pairing, int], int | None]
"""The winner, 0 for A, of a game between two engines, by its number."""


def settings(kind: str, engines: int, **more: int) -> MatchSettings:
    specs = tuple(EngineSpec(f"e{number}", "random") for number in range(engines))
    return MatchSettings("xiangqi", specs, tournament=kind, **({"games": 4} | more))


def play(given: MatchSettings, result: Result, steps: int | None = None) -> list[MatchRecord]:
    """Play a tournament, `steps` games of it at most, always the first game that can be played."""
    records: list[MatchRecord] = []
    while (units := missing(given, records)) and len(records) != steps:
        unit = units[0]
        pair, first = seating(given, index := unit.games[0])
        a, b = (given.engines[engine].name for engine in unit.pairing)
        names = (a, b) if first == 0 else (b, a)
        winner = result(unit.pairing, index)
        records.append(MatchRecord(index, pair, first, names, "", [], [], 0, winner, "rules", "", (0, 0)))
    return records


def stronger(pairing: Pairing, game: int) -> int:
    return 0 if pairing[0] < pairing[1] else 1


def random_result(pairing: Pairing, game: int) -> int | None:
    return random.Random(f"{sorted(pairing)}/{game}").choice([0, 1, None])


@pytest.mark.parametrize("size", range(2, 12))
@pytest.mark.parametrize("result", [stronger, random_result])
def test_swiss_rounds_pair_like_points_and_no_two_twice(size: int, result: Result) -> None:
    given = settings("swiss", size)
    records = play(given, result)
    rounds = swiss_rounds(given, series_scores(records))
    assert len(rounds) == max(1, min((size - 1).bit_length(), size - 1))
    pairings = [frozenset(meeting.pairing) for each in rounds for meeting in each.meetings]
    assert len(set(pairings)) == len(pairings)
    rests = [each.rests for each in rounds if each.rests is not None]
    assert len(rests) == size % 2 * len(rounds) and len(set(rests)) == len(rests)
    for each in rounds:
        playing = sorted(itertools.chain.from_iterable(meeting.pairing for meeting in each.meetings))
        assert playing == [engine for engine in range(size) if engine != each.rests]
    assert len(records) == 4 * len(pairings)


def test_the_winners_of_a_swiss_round_meet() -> None:
    given = settings("swiss", 8)
    first, second, third = swiss_rounds(given, series_scores(play(given, stronger)))
    assert [meeting.pairing for meeting in first.meetings] == [(0, 1), (2, 3), (4, 5), (6, 7)]
    assert [meeting.pairing for meeting in second.meetings] == [(0, 2), (4, 6), (1, 3), (5, 7)]
    assert third.meetings[0].pairing == (0, 4)


def test_more_rounds_than_opponents_are_rematches() -> None:
    given = settings("swiss", 4, rounds=5)
    rounds = swiss_rounds(given, series_scores(play(given, stronger)))
    assert len(rounds) == 5 and all(len(each.meetings) == 2 for each in rounds)


@pytest.mark.parametrize("size", range(2, 12))
def test_a_knock_out_is_won_by_the_strongest(size: int) -> None:
    given = settings("knockout", size)
    rounds = knockout_rounds(given, series_scores(play(given, stronger)))
    assert len(rounds) == (size - 1).bit_length()
    assert sum(len(each.meetings) for each in rounds) == size - 1
    assert rounds[-1].meetings[0].pairing == (0, 1)


def test_ties_of_a_knock_out_are_broken_by_more_pairs() -> None:
    given = settings("knockout", 2)
    records = play(given, lambda pairing, game: None if game < 6 else 1)
    assert [record.game for record in records] == list(range(8))  # two pairs, a tied one, and one that decides
    drawn = play(given, lambda pairing, game: None)
    assert len(drawn) == 4 + 2 * TIE_BREAKS
    assert knockout_rounds(given, series_scores(drawn))[-1].meetings[0].pairing == (0, 1)


@pytest.mark.parametrize("kind", ["gauntlet", "round-robin", "swiss", "knockout"])
@pytest.mark.parametrize("best_of", [0, 7])
def test_a_tournament_that_was_broken_off_ends_as_an_undisturbed_one(kind: str, best_of: int) -> None:
    given = settings(kind, 5, best_of=best_of, games=4 if not best_of else 1)
    whole = play(given, random_result)
    for cut in range(len(whole)):
        kept = whole[:cut]
        left = [game for unit in missing(given, kept) for game in unit.games]
        assert not {record.game for record in kept} & set(left)
        assert whole[cut].game in left
    tables = []
    for records in (whole, list(reversed(whole))):
        standings = Standings(given)
        for record in records:
            standings.add(record)
        tables.append(standings.report())
    assert tables[0] == tables[1]


def test_games_of_known_numbers_stay_what_they_were() -> None:
    """Logs of matches and round-robins were written before tournaments had rounds: their numbers mean the same."""
    given = settings("round-robin", 3)
    units = missing(given, [])
    assert [(unit.games, unit.pairing, unit.turn) for unit in units[:8]] == [
        ([0], (0, 1), 0), ([1], (0, 1), 0), ([2], (0, 2), 0), ([3], (0, 2), 0),
        ([4], (1, 2), 0), ([5], (1, 2), 0), ([6], (0, 1), 1), ([7], (0, 1), 1),
    ]  # fmt: skip
