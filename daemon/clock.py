"""Time management: how long to think. Pure functions; EVERY QUANTITY HERE IS IN MILLISECONDS."""

from __future__ import annotations

from typing import NamedTuple

RESERVE = 150
"""Kept back for the machine's hiccups (a late wake-up, a client's lag), or half the clock if that is less."""

MIN_BUDGET = 1
"""No search is given less."""

MIN_MOVE_TIME = 5
"""Any move is worth so much, or half of what there is if that is less: a plan for a whole game would leave the last
milliseconds unused, and the moves that they are kept for would be no better. Xiangqi reaches depth 5 in 3 ms."""


class Budget(NamedTuple):
    """`soft`: start no new iteration after it (scaled as the search goes). `hard`: stop then, whatever happens."""

    soft: float
    hard: float


def horizon(expected_turns: int, turns_played: int) -> int:
    """Own moves to provide for: what is left of a game of usual length, but never less than a third of one."""
    return max(expected_turns - turns_played, expected_turns // 3, 2)


def share_count(moves: int, expected_turns: int, turns_played: int, early_weight: float) -> float:
    """Into how many parts like the present move's the time for `moves` goes, those of a game's first third being
    `early_weight` times the later ones'."""
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
) -> Budget:
    """The budget of one move from a clock. `moves_to_go` 0: none given, the clock is for the whole game.

    Promises LEAST <= soft <= hard, and hard + overhead < left wherever left allows (left > overhead + 2).
    """
    moves = min(moves_to_go, 50) if moves_to_go > 0 else horizon(expected_turns, turns_played)
    usable = max(left - overhead - min(RESERVE, left / 2), MIN_BUDGET)
    pool = max(usable + (increment - overhead) * (moves - 1), usable / 2)
    soft = min(pool / share_count(moves, expected_turns, turns_played, early_weight), usable)
    if pondering:
        soft *= 1.25
    # A single unclear move may take four shares, never most of what is left (all of it before a time control).
    hard = min(4 * soft, usable * (0.9 if moves == 1 else 0.6))
    least = max(min(MIN_MOVE_TIME, (left - overhead) / 2), MIN_BUDGET)
    hard = max(hard, least)
    return Budget(max(min(soft, hard), least), hard)


def fixed(movetime: float, overhead: float) -> Budget:
    """The budget of `movetime`: all of it less the overhead (half of it where the overhead is more)."""
    time = max(movetime - overhead, movetime / 2, MIN_BUDGET)
    return Budget(time, time)


def scale(stable_iterations: int, score_drop: float) -> float:
    """Factor on the soft limit: less for a best move that has stood for long, more when the score falls.

    `score_drop`: what the score lost since the last iteration, in hundredths of the game's unit (a pawn).
    """
    stability = max(0.6, 1.3 - 0.12 * stable_iterations)
    return stability * (1 + min(max(score_drop, 0.0), 100) / 100)
