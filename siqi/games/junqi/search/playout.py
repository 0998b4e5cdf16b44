"""Playouts in a world: a few plies of the moves that look best to their player, then the static evaluation.

Neither side sees the other's pieces. An attack is chosen by what its player *believes* the attacked piece to be
(`gains`), and decided by what that piece is in the world. So neither side acts on what it cannot know.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from siqi.games.junqi.evaluation.evaluate import evaluate
from siqi.games.junqi.rules.lookup import ATTACKER_DIES, BOTH_DIE, LOOKUP, LOOKUP_RECORD, PIECES
from siqi.games.junqi.rules.movegen import targets_of
from siqi.games.junqi.rules.position import NOBODY, POSITION, QUIET_LIMIT, do_move, make_move, result_code, type_of
from siqi.games.junqi.rules.work import WORK
from siqi.games.kernel.intrinsics import load_byte, popcount, trailing_zeros
from siqi.games.kernel.jit import Record, float64, inner, int64, void
from siqi.games.kernel.random import below, next_state

MIN_GAIN = 0.0
"""The gain that an attack must be expected to exceed, in hundredths of log odds."""


def gains(beliefs: Any) -> Any:
    """Return the material that attacks are expected to win: float32 [attacker's type, attacked piece].

    The unit is hundredths of log odds. `beliefs`: float [piece 0-49, type], the probabilities that a piece's opponent
    gives to its types.
    """
    worth = LOOKUP_RECORD.worth
    battle = LOOKUP_RECORD.battle.reshape(12, 12)
    payoff = np.where(battle == ATTACKER_DIES, 0, worth[None, :]) - np.where(
        (battle == ATTACKER_DIES) | (battle == BOTH_DIE), worth[:, None], 0
    )
    return (payoff @ beliefs.T).astype(np.float32)


@inner(void(POSITION, WORK, int64), forceinline=True)
def enter_world(pos: Record, work: Record, world: int) -> None:
    """Give the hidden side's pieces their types in a world; do nothing if no side is hidden."""
    if work.hidden == NOBODY:
        return
    at = work.worlds + PIECES * world
    for piece in range(PIECES):
        pos.may[work.hidden * PIECES + piece] = int64(1) << load_byte(at + piece)


@inner(int64(POSITION, WORK, LOOKUP))
def quick_move(pos: Record, work: Record, lookup: Record) -> int:
    """Return the attack expected to gain most, else a random quiet move, else the last attack, else -1."""
    side = pos.turn
    enemy = pos.occupied[1 - side]
    best = MIN_GAIN
    attack = int64(-1)
    quiet = int64(-1)
    last = int64(-1)
    total = int64(0)
    pieces = pos.occupied[side]
    while pieces != 0:
        origin = trailing_zeros(pieces)
        pieces &= pieces - 1
        kind = type_of(pos, int64(pos.board[origin]) - 1)
        targets = targets_of(pos, lookup, origin, side, int64(1) << kind)
        hits = targets & enemy
        targets ^= hits
        while hits != 0:
            target = trailing_zeros(hits)
            hits &= hits - 1
            last = make_move(origin, target)
            gain = work.gains[kind * 2 * PIECES + int64(pos.board[target]) - 1]
            if gain > best:
                best = gain
                attack = last
        if targets != 0:
            count = popcount(targets)
            total += count
            work.random = next_state(work.random)
            pick = below(work.random, total)
            if pick < count:  # reservoir sampling: one of this piece's moves, `pick` is its number
                while pick > 0:
                    targets &= targets - 1
                    pick -= 1
                quiet = make_move(origin, trailing_zeros(targets))
    if attack >= 0:
        return attack
    return quiet if quiet >= 0 else last


@inner(float64(POSITION, WORK, LOOKUP, int64))
def playout(pos: Record, work: Record, lookup: Record, plies: int) -> float:
    """Play at most `plies` plies of `quick_move` on `pos`, a full position; return the first side's chance, 0..1.

    The chance is the result if the game ended on the way, else the static evaluation.
    """
    for _ in range(plies):
        if pos.loser >= 0:
            break
        if pos.quiet >= QUIET_LIMIT:
            return float64(1 - pos.turn)
        move = quick_move(pos, work, lookup)
        if move < 0:
            return float64(pos.turn)
        do_move(pos, move, result_code(pos, lookup, move))
    return evaluate(pos, work, lookup)
