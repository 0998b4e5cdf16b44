"""Time management: the budget of one move. Pure functions; EVERY TIME HERE IS IN MILLISECONDS."""

from __future__ import annotations

from typing import NamedTuple

RESERVE = 150
"""Kept back for delays (a late wake-up, a client's lag), or half the clock if that is less."""

MIN_BUDGET = 1
"""The least budget of any search."""

MIN_MOVE_TIME = 5
"""The least hard limit from a clock, or LEAST_SHARE of the usable time if that is less. A plan for the whole game would
leave the last milliseconds unused, and later moves would be no better for them. Xiangqi reaches depth 5 in 3 ms."""

LEAST_SHARE = 0.1

LONG_GAME, MAX_LONG_GAME = 5, 250
"""A long game has this many times the usual number of moves, at most MAX_LONG_GAME."""

LONG_REST = 0.4
"""The least part of a long game's moves that is planned for: it may be longer still."""

MAX_MOVES_TO_GO = 50
"""A more distant time control is planned for as if it were this many moves away."""

PONDER_FACTOR = 1.25
"""The factor on the soft limit of a search that ponders."""

HARD_SHARES = 4
"""The largest ratio of the hard limit to the soft one."""

MAX_SHARE, MAX_LAST_SHARE = 0.6, 0.9
"""The largest part of the usable time for one move, and for the last move before a time control."""

UNSTABLE, STABILITY_STEP, MIN_STABILITY = 1.3, 0.12, 0.6
"""The factor on the soft limit for a new best move, its decrease with each iteration that keeps it, and its minimum."""

MAX_DROP = 100
"""The loss of score that doubles the soft limit, in hundredths of the game's unit; more counts as this."""


class Budget(NamedTuple):
    """The time of one move. `soft`: after it no new iteration starts (`scale` adapts it). `hard`: the search stops."""

    soft: float
    hard: float


def horizon(expected_turns: int, turns_played: int) -> int:
    """Return the number of own moves to plan for: the rest of a game of usual length, at least a third of one."""
    return max(expected_turns - turns_played, expected_turns // 3, 2)


def kept_back(
    left: float, increment: float, moves_to_go: int, turns_played: int, expected_turns: int, reply_cost: float
) -> float:
    """Return the part of a clock that no search may use: against delays, and for the replies of a long game.

    `reply_cost`: of the shortest reply. Without that part 3 of 40 games of Xiangqi at 1 s were lost on time, all after
    ply 217, and 11 of 200 games of Junqi.
    """
    whole = min(LONG_GAME * expected_turns, MAX_LONG_GAME)
    moves = max(whole - turns_played, LONG_REST * whole)
    if moves_to_go > 0:
        moves = min(moves, moves_to_go)
    return max(min(RESERVE, left / 2), (moves - 1) * max(reply_cost - increment, 0))


def share_count(moves: int, expected_turns: int, turns_played: int, early_weight: float) -> float:
    """Return the number of shares into which the time for `moves` is divided; the present move gets one.

    A move of the game's first third gets `early_weight` times the share of a later one.
    """
    early = min(max(expected_turns // 3 - turns_played, 0), moves)
    return moves if early == 0 else early + (moves - early) / early_weight


def allot(
    left: float,
    increment: float,
    moves_to_go: int,
    turns_played: int,
    expected_turns: int,
    overhead: float,
    pondering: bool = False,
    early_weight: float = 1.0,
    reply_cost: float = 3.0,
) -> Budget:
    """Return the budget of one move from a clock. `moves_to_go` 0: the clock is for the whole game.

    Guarantees MIN_BUDGET <= soft <= hard, and hard + overhead < left if left > overhead + 2.
    """
    moves = min(moves_to_go, MAX_MOVES_TO_GO) if moves_to_go > 0 else horizon(expected_turns, turns_played)
    kept = kept_back(left, increment, moves_to_go, turns_played, expected_turns, reply_cost)
    usable = max(left - overhead - kept, MIN_BUDGET)
    pool = max(usable + (increment - overhead) * (moves - 1), usable / 2)
    soft = min(pool / share_count(moves, expected_turns, turns_played, early_weight), usable)
    if pondering:
        soft *= PONDER_FACTOR
    hard = min(HARD_SHARES * soft, usable * (MAX_LAST_SHARE if moves == 1 else MAX_SHARE))
    least = max(min(MIN_MOVE_TIME, LEAST_SHARE * usable), MIN_BUDGET)
    hard = max(hard, least)
    return Budget(max(min(soft, hard), least), hard)


def fixed(movetime: float, overhead: float) -> Budget:
    """Return the budget of a `movetime`: all of it less the overhead, at least half of it."""
    time = max(movetime - overhead, movetime / 2, MIN_BUDGET)
    return Budget(time, time)


def scale(stable_iterations: int, score_drop: float) -> float:
    """Return the factor on the soft limit: less for a stable best move, more for a falling score.

    `stable_iterations`: iterations in a row that kept the best move. `score_drop`: the loss of score since the last
    iteration, in hundredths of the game's unit (a pawn).
    """
    stability = max(MIN_STABILITY, UNSTABLE - STABILITY_STEP * stable_iterations)
    return stability * (1 + min(max(score_drop, 0.0), MAX_DROP) / MAX_DROP)
