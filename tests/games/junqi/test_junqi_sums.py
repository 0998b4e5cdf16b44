"""The evaluation's sum along a line of the search: it is what counting all terms anew gives, after every move."""

from __future__ import annotations

from typing import Any

import pytest
from junqi_games import random_games
from samples import sampled

from siqi.games import registry
from siqi.games.junqi.evaluation.choice import Evaluation
from siqi.games.junqi.evaluation.evaluate import begin_line, chance_of, evaluate_in_line, follow_move
from siqi.games.junqi.evaluation.terms import CONTACT_WEIGHT, QUIET_GRACE, steps_overdue, sum_terms
from siqi.games.junqi.rules.lookup import LOOKUP, LOOKUP_RECORD
from siqi.games.junqi.rules.notation import without_result
from siqi.games.junqi.rules.position import NOBODY, POSITION, QUIET_LIMIT, result_code
from siqi.games.junqi.rules.work import MAX_PLY, WORK, WORK_DTYPE
from siqi.games.kernel.jit import entry, float64, int64, new_record

CODES = ("attacker dies", "attacker wins", "both die", "plain")


@entry(float64(POSITION, WORK, LOOKUP, int64))
def counted_value(pos: Any, work: Any, lookup: Any, ply: int) -> float:
    begin_line(pos, work, lookup, ply)
    return evaluate_in_line(pos, work, lookup, ply)


@entry(int64(POSITION, WORK, LOOKUP, int64, int64, int64))
def follow(pos: Any, work: Any, lookup: Any, ply: int, next_ply: int, move: int) -> int:
    code = result_code(pos, lookup, move)
    follow_move(pos, work, lookup, ply, next_ply, move, code)
    return code


@entry(float64(POSITION, WORK, LOOKUP, int64))
def value_in_line(pos: Any, work: Any, lookup: Any, ply: int) -> float:
    return evaluate_in_line(pos, work, lookup, ply)


@entry(float64(POSITION, WORK, LOOKUP))
def value_of_terms(pos: Any, work: Any, lookup: Any) -> float:
    total = sum_terms(pos, work, lookup)
    return chance_of(total + CONTACT_WEIGHT * steps_overdue(pos, work, lookup))


@sampled("games", 6, 60)
def test_the_sum_along_a_line_is_that_of_all_terms(games: int) -> None:
    game, evaluation = registry.load("junqi"), Evaluation()
    work = new_record(WORK_DTYPE)
    evaluation.prepare([work])
    before, ply, met = None, 0, set()
    for position, _ in random_games(game, 12, games):
        pos = position.record.copy()
        if position.ply == 2:  # both set-ups
            ply = MAX_PLY
            counted_value(pos, work, LOOKUP_RECORD, ply)
        else:
            ply, last = (ply + 1) % MAX_PLY, ply
            move = without_result(position.moves()[-1])
            met.add(CODES[follow(before, work, LOOKUP_RECORD, last, ply, move)])
        if pos.loser == NOBODY:
            quiet = int(pos.quiet)
            for pos.quiet in (quiet, QUIET_GRACE + 1 + ply % (QUIET_LIMIT - QUIET_GRACE)):
                expected = value_of_terms(pos, work, LOOKUP_RECORD)
                assert value_in_line(pos, work, LOOKUP_RECORD, ply) == pytest.approx(expected, abs=1e-7)
        before = position.record.copy()
    assert met == set(CODES)


def test_a_line_begins_at_any_position() -> None:
    """A line begins with the flags on either side, pieces that have fought, and mines beside flags or not."""
    game, evaluation = registry.load("junqi"), Evaluation()
    work = new_record(WORK_DTYPE)
    evaluation.prepare([work])
    flags = set()
    for position, _ in random_games(game, 4, 8):
        pos = position.record
        if pos.loser == NOBODY and pos.fought:
            assert counted_value(pos, work, LOOKUP_RECORD, 0) == pytest.approx(
                value_of_terms(pos, work, LOOKUP_RECORD), abs=1e-7
            )
            flags.add((int(work.beside_flag[0]), int(work.beside_flag[1])))
    assert len(flags) == 4
