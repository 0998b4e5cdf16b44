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

NEAR_CENTRE = range(6, 13)
"""Rows and columns of the stones that open Connect6, from 0."""


def random_opening(game: Game[Position], rng: random.Random) -> list[str] | None:
    """Draw an opening's moves; None if they are illegal, or no balanced opening."""
    searcher = game.searcher()
    searcher.configure(1, 1, rng.randrange(2**31))
    position = game.position()
    words: list[str] = []

    def play(move: int) -> None:
        words.append(position.move_text(move))
        position.push(move)

    if game.info.has_setup:
        for _ in range(2):
            play(exhaust(searcher, Task(position, Control(1))).lines[0].pv[0])
        return words
    for ply in range(PLIES[game.info.name]):
        if game.info.stones_per_turn == 1:
            play(rng.choice(position.legal_moves()))
            continue
        stones = [f"{'abcdefghijklmnopqrs'[rng.choice(NEAR_CENTRE)]}{rng.choice(NEAR_CENTRE) + 1}" for _ in range(2)]
        try:
            play(position.parse_move("".join(stones) if ply else "j10"))
        except ValueError:  # a point twice
            return None
    score = exhaust(searcher, Task(position, Control(NODES))).lines[0].score
    is_balanced = score.mate is None and abs(score.cp) <= BALANCE * game.info.score_unit
    return words if is_balanced else None


def openings(game: Game[Position], seed: int) -> Iterator[list[str]]:
    """Yield different openings without end; the same seed gives the same ones."""
    rng = random.Random(f"{game.info.name}/{seed}")
    seen: set[str] = set()
    while True:
        words = random_opening(game, rng)
        if words and " ".join(words) not in seen:
            seen.add(" ".join(words))
            yield words
