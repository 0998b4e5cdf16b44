"""The move picker of Xiangqi: every legal move of a node once, in the order of the classes."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from siqi.games.kernel.jit import Record, entry, int64, new_record
from siqi.games.xiangqi.board import XiangqiPosition
from siqi.games.xiangqi.rules.lookup import LOOKUP, LOOKUP_RECORD
from siqi.games.xiangqi.rules.movegen import checks_and_pins
from siqi.games.xiangqi.rules.position import NO_MOVE, POSITION
from siqi.games.xiangqi.rules.work import MAX_MOVES, WORK, WORK_DTYPE
from siqi.games.xiangqi.search.picker import (
    BAD_CAPTURE,
    GOOD_CAPTURE,
    KILLER,
    TT_MOVE,
    next_move,
    picked_score,
    start_picker,
)

PLY = 3


@entry(int64(POSITION, WORK, LOOKUP, int64, int64))
def pick_all(pos: Record, work: Record, lookup: Record, tt_move: int, late_from: int) -> int:
    """Write all moves in order at the place of PLY; return their number. They are late from `late_from` on."""
    state = checks_and_pins(pos, lookup)
    start_picker(pos, work, lookup, int64(PLY), state, tt_move)
    count, is_late = 0, int64(0)
    while next_move(pos, work, lookup, int64(PLY), state, tt_move, is_late) != NO_MOVE:
        count += 1
        if count >= late_from and picked_score(work, int64(PLY)) < KILLER:
            is_late = int64(1)
    return count


def positions() -> Iterator[XiangqiPosition]:
    rng = random.Random(5)
    for _ in range(12):
        position = XiangqiPosition()
        for _ in range(rng.randint(0, 120)):
            moves = position.legal_moves()
            if not moves:
                break
            position.push(rng.choice(moves))
            yield position


def class_of(score: int) -> int:
    """Return the class of a move's score, the first to be yielded 0."""
    bounds = (TT_MOVE, GOOD_CAPTURE, KILLER, BAD_CAPTURE // 2)
    return next((place for place, bound in enumerate(bounds) if score >= bound), len(bounds))


@pytest.mark.parametrize("late_from", [MAX_MOVES, 4])
def test_every_legal_move_is_yielded_once(late_from: int) -> None:
    rng = random.Random(late_from)
    work = new_record(WORK_DTYPE)
    first = PLY * MAX_MOVES
    classes_seen = set()
    for position in positions():
        legal = position.legal_moves()
        quiet = [move for move in legal if not position.record.board[move >> 7]]
        work.killers[2 * PLY : 2 * PLY + 2] = rng.choices([*quiet, 1], k=2)
        for tt_move in (NO_MOVE, 1, *rng.sample(legal, min(2, len(legal)))):  # 1 is never legal
            count = int(pick_all(position.record, work, LOOKUP_RECORD, tt_move, late_from))
            picked = work.moves[first : first + count].tolist()
            assert sorted(picked) == sorted(legal)
            assert tt_move not in legal or picked[0] == tt_move
            if late_from == MAX_MOVES:
                scores = work.move_scores[first : first + count].tolist()
                classes = [class_of(score) for score in scores]
                assert classes == sorted(classes)
                assert [score for score in scores if class_of(score) == 3] == sorted(
                    (score for score in scores if class_of(score) == 3), reverse=True
                )
                classes_seen.update(classes)
    assert late_from != MAX_MOVES or classes_seen == {0, 1, 2, 3, 4}
