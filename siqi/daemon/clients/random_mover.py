"""A player of random moves, in this process."""

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
        return Choice(self._setup() if turn.deploying else self.move(turn.position), 0.0)

    def _setup(self) -> str:
        return random_junqi_setup(self._rng) if self._info.has_hidden else random_ewn_setup(self._rng)

    def move(self, position: Position) -> str:
        """Return a random legal move's word."""
        if position.count_legal() <= MAX_LISTED:
            return position.move_text(self._rng.choice(position.legal_moves()))
        while True:  # two stones on a board with room: most draws are legal
            word = "".join(f"{self._rng.choice('abcdefghijklmnopqrs')}{self._rng.randint(1, 19)}" for _ in "12")
            with contextlib.suppress(ValueError):
                position.parse_move(word)
                return word


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
