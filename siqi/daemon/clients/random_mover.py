"""Random moves, and a player of them in this process."""

from __future__ import annotations

import contextlib
import random

from siqi.daemon.clients.player import Choice, Player, Turn
from siqi.games.contract import GameInfo, Position

MAX_LISTED = 5000
"""The longest move list that the random mover builds."""


class RandomMover(Player):
    """A player of uniformly random legal moves and set-ups."""

    def __init__(self, info: GameInfo) -> None:
        self._info = info
        self._rng = random.Random()

    def new_game(self, seed: str) -> None:
        self._rng = random.Random(seed)

    def choose(self, turn: Turn) -> Choice:
        word = random_setup(self._info, self._rng) if turn.deploying else self.move(turn.position)
        return Choice(word, 0.0)

    def move(self, position: Position) -> str:
        """Return a random legal move's word."""
        return random_word(position, self._rng)


def random_word(position: Position, rng: random.Random) -> str:
    """Return the word of a random legal move after the set-ups; the position must have one."""
    if position.count_legal() <= MAX_LISTED:
        return position.move_text(rng.choice(position.legal_moves()))
    while True:  # two stones on a board with empty points: most draws are legal
        word = "".join(f"{rng.choice('abcdefghijklmnopqrs')}{rng.randint(1, 19)}" for _ in "12")
        with contextlib.suppress(ValueError):
            return position.move_text(position.parse_move(word))


def random_setup(info: GameInfo, rng: random.Random) -> str:
    """Return the word of a random set-up."""
    return random_junqi_setup(rng) if info.has_hidden else random_ewn_setup(rng)


def random_ewn_setup(rng: random.Random) -> str:
    return "".join(rng.sample("123456", 6))


def random_junqi_setup(rng: random.Random) -> str:
    """Return 25 letters, front row first: flag in a headquarters, mines in the last two rows, no bomb in front."""
    slots = [""] * 25
    slots[rng.choice((21, 23))] = "l"
    for letter, count, first in (("j", 3, 15), ("k", 2, 5)):
        for slot in rng.sample([slot for slot in range(first, 25) if not slots[slot]], count):
            slots[slot] = letter
    rest = iter(rng.sample("abccddeeffggghhhiii", 19))
    return "".join(letter or next(rest) for letter in slots)
