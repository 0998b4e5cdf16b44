"""Records of games: each game's come back as they were written, and are the games they tell of."""

from __future__ import annotations

import io
import random

import pytest

from games import registry
from games.contract import GameRecord

C6 = "{[C6][Alpha B][Beta W][先手胜][2017.07.29 14:00 重庆][2017 CCGC];B(J,10);W(I,11);W(K,9);B(J,11);B(J,12)}\n"


def random_game(name: str, rng: random.Random) -> GameRecord:
    game = registry.load(name)
    position = game.position()
    words, dice = [], []
    if name == "ewn":
        words = ["".join(rng.sample("123456", 6)) for _ in range(2)]
    if name == "junqi":
        words = ["diahcbgkkfiecfigjhedjljhg", "bicgcakdgifgeekjfhjjihhld"]
    for word in words:
        position.push(position.parse_move(word))
    while position.outcome() is None and len(words) < 60:
        if name == "ewn":
            dice.append(rng.randint(1, 6))
            position.set_dice(dice[-1])
        text = position.move_text(rng.choice(position.legal_moves()))
        move = position.parse_move(text)
        position.push(move)
        words.append(position.move_text(position.moves()[-1]) if name == "junqi" else text)
    outcome = position.outcome()
    result = "*" if outcome is None else {0: "1-0", 1: "0-1", None: "1/2-1/2"}[outcome.winner]
    return GameRecord(tuple(words), tuple(dice), result, "A", "B", "2020.01.01", "x")


@pytest.mark.parametrize("name", registry.NAMES)
def test_what_is_written_is_read(name: str) -> None:
    records, rng = registry.records(name), random.Random(3)
    games = [random_game(name, rng) for _ in range(4)]
    text = "".join(records.write(game) for game in games)
    assert text.encode(records.ENCODING)
    read = list(records.read(io.StringIO(text)))
    assert [game.moves for game in read] == [game.moves for game in games]
    assert [(game.dice, game.result, game.first, game.second) for game in read] == [
        (game.dice, game.result, game.first, game.second) for game in games
    ]


def test_connect6_as_the_championships_keep_it() -> None:
    (game,) = registry.records("connect6").read(io.StringIO(C6))
    assert game == GameRecord(
        ("j10", "i11k9", "j11j12"), (), "1-0", "Alpha", "Beta", "2017.07.29 14:00 重庆", "2017 CCGC"
    )
    assert registry.records("connect6").write(game) == C6
    for wrong in (C6.replace("W(K", "B(K"), C6.replace("C6", "WTN", 1), "{}"):
        with pytest.raises(ValueError, match=r"wrong side|not a record"):
            list(registry.records("connect6").read(io.StringIO(wrong)))
