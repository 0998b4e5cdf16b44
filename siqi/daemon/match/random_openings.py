"""Different openings for games of an engine with itself: balanced by a short search, or the engine's set-ups."""

from __future__ import annotations

import random
from collections.abc import Iterator

from siqi.games.contract import Game, Position, Task, exhaust
from siqi.games.kernel.control import Control

NODES = 2_000
"""Nodes of the search that judges whether an opening is balanced."""

PLIES = {"xiangqi": 6, "connect6": 2}
"""Random moves of an opening, in games without set-ups."""

BALANCE = 0.6
"""The largest score of an opening, in the game's unit of scores."""

MAX_REFUSED = 1_000
"""Openings drawn in a row without one that is balanced and new, after which no more are drawn."""

NEAR_CENTRE = range(6, 13)
"""Rows and columns of the stones that open Connect6, from 0."""


def random_moves(game: Game[Position], rng: random.Random, plies: int) -> list[str] | None:
    """Draw moves from the start, any legal ones, or stones near the centre; None if they are no moves of one game."""
    position, words = game.position(), list[str]()
    for ply in range(plies):
        if position.outcome() is not None:
            return None
        if game.info.stones_per_turn == 1:
            move = rng.choice(position.legal_moves())
        else:
            stones = [f"{'abcdefghijklmnopqrs'[rng.choice(NEAR_CENTRE)]}{rng.choice(NEAR_CENTRE) + 1}" for _ in "12"]
            try:
                move = position.parse_move("".join(stones) if ply else "j10")
            except ValueError:  # a point twice
                return None
        words.append(position.move_text(move))
        position.push(move)
    return words


def random_opening(game: Game[Position], rng: random.Random, plies: int = 0) -> list[str] | None:
    """Draw an opening's moves, PLIES of them if not said; None if they are illegal, or no balanced opening."""
    searcher = game.searcher()
    searcher.configure(1, 1, rng.randrange(2**31))
    position = game.position()
    if game.info.has_setup:
        words = []
        for _ in range(2):
            move = exhaust(searcher, Task(position, Control(1))).lines[0].pv[0]
            words.append(position.move_text(move))
            position.push(move)
        return words
    drawn = random_moves(game, rng, plies or PLIES[game.info.name])
    for word in drawn or ():
        position.push(position.parse_move(word))
    if drawn is None or position.outcome() is not None:
        return None
    score = exhaust(searcher, Task(position, Control(NODES))).lines[0].score
    is_balanced = score.mate is None and abs(score.cp) <= BALANCE * game.info.score_unit
    return drawn if is_balanced else None


def random_openings(game: Game[Position], seed: int, plies: int = 0) -> Iterator[list[str]]:
    """Yield different openings, of PLIES moves if not said, as long as they are found; a seed gives the same ones."""
    rng = random.Random(f"{game.info.name}/{seed}")
    seen: set[str] = set()
    refused = 0
    while refused < MAX_REFUSED:
        words = random_opening(game, rng, plies)
        if words and " ".join(words) not in seen:
            seen.add(" ".join(words))
            refused = 0
            yield words
        else:
            refused += 1
