"""Games that the engine plays with itself: legal, ended as their result says, the same again with the same options."""

from __future__ import annotations

import json
from typing import Any

from self_play import Settings, play

from games import registry


def settings(max_plies: int) -> Settings:
    return Settings(game="xiangqi", nodes=150, random_plies=6, max_plies=max_plies, seed=3)


def test_games_are_legal_and_repeatable() -> None:
    game = registry.load("xiangqi")
    for number in range(3):
        record = play(settings(60), number)
        position: Any = game.position()
        for word in record["moves"]:
            assert position.outcome() is None
            position.push(position.parse_move(word))
        assert json.dumps(play(settings(60), number)) == json.dumps(record)
    assert play(settings(60), 0)["moves"] != play(settings(60), 1)["moves"]


def test_a_game_cut_off_is_a_draw() -> None:
    record = play(settings(7), 0)
    assert len(record["moves"]) == 7 and record["result"] == "1/2-1/2"
