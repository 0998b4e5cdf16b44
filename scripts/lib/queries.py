"""Positions of random games as queries of `siqi analyse`."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import msgspec

from scripts.lib import script
from scripts.lib.game_loop import Adjudication, Clock, Opening, Referee, play_moves, words_for
from scripts.lib.players import RandomMover


def queries(name: str, nodes: int, seed: int = 1, clear: bool = False) -> Iterator[bytes]:
    """Yield positions of random games without end, a line each; in a game with a die each has a throw."""
    game, draw = script.load(name), random.Random(seed)
    movers = [RandomMover(game.info)] * 2
    for number in itertools.count():
        referee = Referee(game, Opening(), iter(lambda: draw.randint(1, 6), 0))
        play_moves(
            referee, movers, [Clock()] * 2, [str(draw.random()) for _ in movers], Adjudication(draw.randint(4, 24))
        )
        position = referee.position
        if position.outcome() is None:
            words = words_for(game, position, position.turn, referee.words)
            query = {"id": str(number), "game": name, "moves": words, "nodes": nodes}
            query |= {"dice": draw.randint(1, 6)} if game.info.has_dice else {}
            query |= {"clear": True} if clear else {}
            yield msgspec.json.encode(query) + b"\n"
