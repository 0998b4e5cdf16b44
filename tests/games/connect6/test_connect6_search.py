"""A search of Connect6 stops before its threat search where a quiet position is worth more than beta."""

from __future__ import annotations

from typing import Any

import pytest
from fixture_files import vectors

from siqi.games import registry
from siqi.games.connect6.evaluation.network import NETWORK_BOOK, read_network
from siqi.games.connect6.evaluation.patterns import NetworkEvaluation
from siqi.games.connect6.rules.lookup import LOOKUP, LOOKUP_RECORD
from siqi.games.connect6.rules.position import POSITION
from siqi.games.connect6.rules.work import WORK, WORK_DTYPE
from siqi.games.connect6.search.search import FUTILITY_DEPTH, FUTILITY_MARGIN, INFINITE, MATE_BOUND, search
from siqi.games.kernel.control import Control
from siqi.games.kernel.jit import entry, int64, new_record
from siqi.games.kernel.tt import TranspositionTable
from siqi.games.search.threads import assign

WIDTH = 8
GAMES, PLIES = 10, range(5, 9)


@entry(int64(POSITION, WORK, LOOKUP, int64, int64, int64), is_rare=True)
def score_of(pos: Any, work: Any, lookup: Any, alpha: int, beta: int, depth: int) -> int:
    return search(pos, work, lookup, alpha, beta, depth, int64(1))


def searched(evaluation: NetworkEvaluation, record: Any, alpha: int, beta: int, depth: int) -> tuple[int, int]:
    """Return the score of a search with an empty transposition table, and its nodes."""
    work, tt = new_record(WORK_DTYPE), TranspositionTable(1)
    work.tt, work.tt_mask, work.generation, work.width = tt.address, tt.mask, tt.generation, WIDTH
    assign([work], Control())
    evaluation.prepare([work])
    score = score_of(record.copy(), work, LOOKUP_RECORD, alpha, beta, depth)
    return int(score), int(work.nodes)


@pytest.fixture(scope="module")
def evaluation() -> NetworkEvaluation:
    return NetworkEvaluation(read_network(NETWORK_BOOK))


@pytest.fixture(scope="module")
def quiet() -> list[Any]:
    """Return positions of games in which neither side has a threat."""
    positions = []
    for case in vectors("connect6_games.jsonl")[:GAMES]:
        for plies in PLIES:
            position: Any = registry.load("connect6").position()
            for move in case["moves"][:plies]:
                position.push(position.parse_move(move))
            if not position.record.threats.any():
                positions.append(position.record.copy())
    assert len(positions) > GAMES
    return positions


@pytest.mark.parametrize("depth", range(FUTILITY_DEPTH + 1))
def test_a_value_far_above_beta_is_the_score_and_takes_one_node(
    evaluation: NetworkEvaluation, quiet: list[Any], depth: int
) -> None:
    for record in quiet:
        value = evaluation.value(record)
        threshold = value - FUTILITY_MARGIN * depth
        score, nodes = searched(evaluation, record, threshold - 1, threshold, depth)
        assert (score, nodes) == (value, 1)
        score, nodes = searched(evaluation, record, threshold, threshold + 1, depth)
        assert nodes > 1 and (depth > 0 or score == value or score > MATE_BOUND)


def test_an_open_window_above_the_horizon_is_searched(evaluation: NetworkEvaluation, quiet: list[Any]) -> None:
    for record in quiet:
        threshold = evaluation.value(record) - FUTILITY_MARGIN
        assert searched(evaluation, record, -INFINITE, threshold, 1)[1] > 1
