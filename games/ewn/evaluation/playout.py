"""Playouts: from a position to an end of the game, or to where a value is known, by quick moves."""

from __future__ import annotations

from games.ewn.evaluation.evaluate import chance, evaluation_at
from games.ewn.knowledge.probe import UNKNOWN, probe_ending
from games.ewn.rules.lookup import LOOKUP, NOBODY, ONE
from games.ewn.rules.movegen import list_legal, step
from games.ewn.rules.position import POSITION, advance, copy_board, do_move, origin, target, undo_move
from games.ewn.rules.work import WORK
from games.kernel.jit import Record, entry, inner, int64
from games.kernel.random import below, next_state

FINER_BITS = 5
"""Bits by which chances in searches are finer than those of tables and evaluation."""

WIN = ONE << FINER_BITS

RANDOM, INFORMED, GREEDY = range(3)
"""Policies: any move; a step home, else rather a capture and rather far; the move that looks best."""

TO_THE_END = 1 << 30
"""In place of a number of plies."""

CAPTURE, STRAIGHT, DIAGONAL = 8, 1, 3
"""Weights of an informed playout's moves: to take an enemy, to step along a row or column, diagonally."""


@inner(int64(POSITION, WORK), forceinline=True)
def static_value(pos: Record, work: Record) -> int:
    """The mover's chance before the throw, 0 to WIN, without a search, while nobody has won.

    work.is_exact says whether it is more than an estimate.
    """
    exact = probe_ending(pos, work.tablebase)
    if exact != UNKNOWN:
        work.tbhits += 1
        work.is_exact = 1
        return exact << FINER_BITS
    work.is_exact = 0
    return chance(pos, evaluation_at(work.evaluation), work) << FINER_BITS


@inner(int64(POSITION, LOOKUP, int64, int64), forceinline=True)
def random_move(pos: Record, lookup: Record, die: int, random: int) -> int:
    """Every way of every piece that the throw moves is equally likely, by the lowest bits of a random number."""
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
    """A step home if there is one, else one at random, that rather takes an enemy and rather goes far."""
    side = pos.turn
    total = int64(0)
    chosen = int64(0)
    for i in range(list_legal(pos, work, lookup, die, int64(0))):
        move = int64(work.moves[i])
        if target(move) == 24 * (1 - side):
            return move
        captured = int64(pos.board[target(move)])
        if captured != 0 and (captured > 6) != (side == 1):
            weight = int64(CAPTURE)
        else:
            weight = int64(DIAGONAL if abs(target(move) - origin(move)) == 6 else STRAIGHT)
        total += weight
        work.random = next_state(work.random)
        if below(work.random, total) < weight:
            chosen = move
    return chosen


@inner(int64(POSITION, WORK, LOOKUP, int64))
def greedy_move(pos: Record, work: Record, lookup: Record, die: int) -> int:
    """The move after which the position is worth most as it stands; work.is_exact: whether that is for certain."""
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
    """Play on by a policy that looks at the board, to where the result is known at the latest; returns plies left."""
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
    """Play on by work.policy for work.playout_plies at most; returns the first side's result, 0 to WIN."""
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
    """The sum of the first side's results of playouts from `root`, throws unknown."""
    total = int64(0)
    for _ in range(playouts):
        copy_board(pos, root)
        total += playout(pos, work, lookup)
    return total
