"""EWN's championship records: reading, writing, and the errors of bad ones."""

from __future__ import annotations

import io
import random
from collections.abc import Iterator

import pytest

from naive.ewn import Naive, setup_position
from siqi.games import registry
from siqi.games.ewn.formats import championship
from siqi.games.game_record import GameRecord, position_after


def read(text: str) -> Iterator[GameRecord]:
    return championship.stream(io.StringIO(text))


TEXT = """#[WTN][Alpha R][Beta B][先手胜][2017.07.29 14:00 重庆][2017 CCGC];
R:A5-1;A4-4;A3-6;B5-2;B4-5;C5-3
B:E3-3;E2-2;E1-6;D2-4;D1-1;C1-5
1:6;(R6,B3)
2:3;(B3,D4)
"""


def test_a_record() -> None:
    (game,) = read(TEXT)
    assert game == GameRecord(
        ("123456", "615243", "a3b3", "e3d4"), (6, 3), "1-0", "Alpha", "Beta", "2017.07.29 14:00 重庆", "2017 CCGC"
    )
    assert list(read(championship.text(game))) == [game]
    assert championship.text(game).encode("gb2312")
    assert list(read(TEXT + TEXT.replace("\n", " "))) == [game, game]


def test_where_blue_moved_first_the_board_is_turned() -> None:
    (game,) = read(TEXT.replace("1:6;(R6,B3)\n2:3;(B3,D4)", "1:3;(B3,D4)\n2:6;(R6,B3)").replace("先手", "后手"))
    assert (game.first, game.second, game.result) == ("Beta", "Alpha", "0-1")
    assert game.moves == ("615243", "123456", "a3b2", "e3d3")


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (
            "#[WTN][红方:甲][蓝方:乙][红方先手][红方胜][2022-08-01 14:00:00 成都][2022 CCGC]",
            ("甲", "乙", "1-0", "2022"),
        ),
        ("#[WTN][甲 R][乙 B][先手胜][2022.08.01 14:00 成都][2022 CCGC]", ("甲", "乙", "1-0", "2022")),
        ("#[WTN][乙 B][甲 R][后手胜][2022.08.01 14:00 成都][2022 CCGC];", ("甲", "乙", "0-1", "2022")),
    ],
)
def test_heads_that_programs_write(head: str, expected: tuple[str, ...]) -> None:
    """Seven fields that name the sides and who began; no semicolon behind the head; the second side named first."""
    (game,) = read(head + TEXT[TEXT.index("\n") :])
    assert (game.first, game.second, game.result, game.occasion[:4]) == expected
    assert game.moves == ("123456", "615243", "a3b3", "e3d4") and game.event == "2022 CCGC"


def test_random_games_come_back_and_can_be_replayed() -> None:
    ewn, rng = registry.load("ewn"), random.Random(4)
    for _ in range(50):
        setups = ["".join(rng.sample("123456", 6)) for _ in range(2)]
        position, moves, dice = Naive(setup_position(*setups)), list(setups), []
        while position.winner() is None:
            position.die = rng.randint(1, 6)
            dice.append(position.die)
            moves.append(rng.choice(position.legal_moves()))
            position.push(moves[-1])
        game = GameRecord(tuple(moves), tuple(dice), "1-0" if position.winner() == 0 else "0-1", "A", "B", "here", "x")
        (back,) = read(championship.text(game))
        assert back == game
        assert position_after(ewn, back).outcome().winner == position.winner()


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("WTN", "C6", "not a record"),
        ("A5-1", "A5-2", "not a set-up"),
        ("C5-3", "C4-3", "not a set-up"),
        ("B:E3-3;E2-2;E1-6;D2-4;D1-1;C1-5", "", "a set-up is missing"),
        ("2:3;", "3:3;", "move 2 is missing"),
        ("(B3,D4)", "(R3,D4)", "move 2 is missing"),
        ("(R6,B3)\n2:3;(B3,D4)", "(R6,B3)\n2:3;(B3,B3)\n3:6;(R6,C2)", "move 3: R6 is not on the board"),
    ],
)
def test_errors_are_reported(old: str, new: str, error: str) -> None:
    with pytest.raises(ValueError, match=error):
        list(read(TEXT.replace(old, new)))
