"""Random game records of every game."""

from __future__ import annotations

import random

from siqi.games import registry
from siqi.games.game_record import GameRecord

EMPTY = {f"{column}{row}" for column in "abcdefghijklmnopqrs" for row in range(1, 20)}
"""The points of Connect6's empty board."""


def random_record(name: str, rng: random.Random, most: int = 60) -> GameRecord:
    """Return a random game of up to `most` moves, set-ups included."""
    game = registry.load(name)
    position = game.position()
    words, dice = [], []
    if name == "ewn":
        words = ["".join(rng.sample("123456", 6)) for _ in range(2)]
    if name == "junqi":
        words = ["diahcbgkkfiecfigjhedjljhg", "bicgcakdgifgeekjfhjjihhld"]
    for word in words:
        position.push(position.parse_move(word))
    while position.outcome() is None and len(words) < most:
        if name == "ewn":
            dice.append(rng.randint(1, 6))
            position.set_dice(dice[-1])
        if name == "connect6":  # its list of legal moves has tens of thousands
            text = "".join(rng.sample(sorted(EMPTY - set(position.pieces())), 2 if words else 1))
        else:
            text = position.move_text(rng.choice(position.legal_moves()))
        move = position.parse_move(text)
        position.push(move)
        words.append(position.move_text(position.moves()[-1]) if name == "junqi" else text)
    outcome = position.outcome()
    result = "*" if outcome is None else outcome.result
    return GameRecord(tuple(words), tuple(dice), result, "A", "B", "2020.01.01", "x")
