"""Playouts: quick moves from a position to the end of the game or to a known value."""

from __future__ import annotations

from siqi.games.ewn.evaluation.evaluate import chance, evaluation_at
from siqi.games.ewn.knowledge.probe import UNKNOWN, probe_tablebase
from siqi.games.ewn.rules.lookup import LOOKUP, NOBODY, ONE
from siqi.games.ewn.rules.movegen import list_legal, step
from siqi.games.ewn.rules.position import POSITION, advance, copy_board, do_move, origin_of, target_of, undo_move
from siqi.games.ewn.rules.work import WORK
from siqi.games.kernel.jit import Record, entry, inner, int64
from siqi.games.kernel.random import below, next_state

FINER_BITS = 5
"""Extra bits of precision of chances in searches over those of the tablebase and the evaluation."""

WIN = ONE << FINER_BITS
"""The chance of a certain win in searches and playouts."""

RANDOM, INFORMED, GREEDY = range(3)
"""Policies: any move; a winning step if there is one, otherwise a random move, captures and diagonal steps favoured;
the move of the best static value."""

TO_THE_END = 1 << 30
"""A number of plies beyond every game."""

SHORT = 4
"""The plies of a short playout."""

PLAYOUTS = {
    "random": (RANDOM, TO_THE_END),
    "informed": (INFORMED, TO_THE_END),
    "short": (INFORMED, SHORT),
    "greedy": (GREEDY, TO_THE_END),
    "evaluation": (RANDOM, 0),
}
"""The policy of playouts by the option's value, and the plies after which the evaluation gives the result."""

CAPTURE, STRAIGHT, DIAGONAL = 8, 1, 3
"""Weights of an informed playout's moves: a capture of an enemy, a step along a row or column, a diagonal step."""


@inner(int64(POSITION, WORK), forceinline=True)
def static_value(pos: Record, work: Record) -> int:
    """Return the mover's chance before the throw without a search, 0 to WIN; nobody may have won yet.

    work.is_exact becomes 1 if the tablebase has the position, 0 if the value is the evaluation's estimate.
    """
    exact = probe_tablebase(pos, work.tablebase)
    if exact != UNKNOWN:
        work.tbhits += 1
        work.is_exact = 1
        return exact << FINER_BITS
    work.is_exact = 0
    return chance(pos, evaluation_at(work.evaluation), work) << FINER_BITS


@inner(int64(POSITION, LOOKUP, int64, int64), forceinline=True)
def random_move(pos: Record, lookup: Record, die: int, random: int) -> int:
    """Return a legal move, each equally likely, chosen by the lowest 16 bits of a random number."""
    side = pos.turn
    pair = int64(lookup.movable[pos.alive[side] * 7 + die])
    square = int64(pos.square[6 * side + 1 + (pair & 15)])
    ways = int64(lookup.step_count[side * 25 + square])
    other_ways = 0
    other = int64(0)
    if pair >> 4 != NOBODY:
        other = int64(pos.square[6 * side + 1 + (pair >> 4)])
        other_ways = int64(lookup.step_count[side * 25 + other])
    choice = ((random & 0xFFFF) * (ways + other_ways)) >> 16
    if choice >= ways:
        choice -= ways
        square = other
    return step(lookup, side, square, choice)


@inner(int64(POSITION, WORK, LOOKUP, int64))
def informed_move(pos: Record, work: Record, lookup: Record, die: int) -> int:
    """Return a winning step if there is one, otherwise a random move, captures and diagonal steps favoured."""
    side = pos.turn
    total = int64(0)
    chosen = int64(0)
    for i in range(list_legal(pos, work, lookup, die, int64(0))):
        move = int64(work.moves[i])
        start, end = origin_of(move), target_of(move)
        if end == 24 * (1 - side):
            return move
        captured = int64(pos.board[end])
        if captured != 0 and (captured > 6) != (side == 1):
            weight = int64(CAPTURE)
        else:
            weight = int64(DIAGONAL if abs(end - start) == 6 else STRAIGHT)
        total += weight
        work.random = next_state(work.random)
        if below(work.random, total) < weight:
            chosen = move
    return chosen


@inner(int64(POSITION, WORK, LOOKUP, int64))
def greedy_move(pos: Record, work: Record, lookup: Record, die: int) -> int:
    """Return the move of the best static value; work.is_exact becomes 1 if that value is proven."""
    best = int64(-1)
    chosen = int64(0)
    is_exact = int64(0)
    for i in range(list_legal(pos, work, lookup, die, int64(0))):
        move = int64(work.moves[i])
        do_move(pos, lookup, move)
        work.is_exact = 1
        value = int64(WIN) if pos.winner >= 0 else WIN - static_value(pos, work)
        undo_move(pos)
        if value > best:
            best = value
            chosen = move
            is_exact = work.is_exact
    work.is_exact = is_exact
    return chosen


@inner(int64(POSITION, WORK, LOOKUP, int64))
def guided_playout(pos: Record, work: Record, lookup: Record, plies: int) -> int:
    """Play at most `plies` by INFORMED or GREEDY, and stop where the result is known; return the plies left."""
    work.is_exact = 0
    while pos.winner < 0 and plies > 0 and work.is_exact == 0:
        work.random = next_state(work.random)
        die = 1 + below(work.random, int64(6))
        move = informed_move(pos, work, lookup, die) if work.policy == INFORMED else greedy_move(pos, work, lookup, die)
        advance(pos, lookup, move)
        plies -= 1
    return plies


@inner(int64(POSITION, WORK, LOOKUP), forceinline=True)
def playout(pos: Record, work: Record, lookup: Record) -> int:
    """Play by work.policy, at most work.playout_plies, and return the first side's result, 0 to WIN.

    The result is that of the game if it ended, otherwise the static value. `pos` is changed and not restored; the game
    may be over at the start. The playout does not poll the control block.
    """
    random = work.random
    plies = work.playout_plies
    if work.policy == RANDOM:
        while pos.winner < 0 and plies > 0:
            random = next_state(random)
            advance(pos, lookup, random_move(pos, lookup, 1 + below(random, int64(6)), random))
            plies -= 1
        work.random = random
    else:
        plies = guided_playout(pos, work, lookup, plies)
    if pos.winner >= 0:
        return WIN * (1 - pos.winner)
    value = static_value(pos, work)
    return WIN - value if pos.turn else value


@entry(int64(POSITION, POSITION, WORK, LOOKUP, int64))
def play_out(root: Record, pos: Record, work: Record, lookup: Record, playouts: int) -> int:
    """Return the sum of the first side's results of playouts from `root`, 0 to WIN each; its throw is not used."""
    total = int64(0)
    for _ in range(playouts):
        copy_board(pos, root)
        total += playout(pos, work, lookup)
    return total
