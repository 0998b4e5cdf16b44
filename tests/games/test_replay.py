"""The replay of game records of all four games: set-ups, throws, referee's answers, FENs, and faults."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from junqi_games import RECORDS
from random_records import random_record

from siqi.games import registry
from siqi.games.contract import HIDDEN
from siqi.games.game_record import CutGameError, GameRecord, check_moves, position_after, replay

EWN = ("123456", "615243")
BEFORE_THE_END = "5/5/5/a2A1/5 f -"
"""The first side's piece is one step from the corner."""

JUNQI = RECORDS[0]["first"], RECORDS[0]["second"]
VIEW = "1l3/a4/5/5/5/5/5/5/5/5/A4/1L3 f - 4"

LAST: dict[str, tuple[str, GameRecord, str]] = {
    "from the start": (
        "xiangqi",
        GameRecord(("h2e2", "h9g7")),
        "rnbakab1r/9/1c4nc1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR w - - 2 2",
    ),
    "from a FEN": (
        "xiangqi",
        GameRecord(("e0e1",), fen="3k5/9/9/9/9/9/9/9/9/4K4 w"),
        "3k5/9/9/9/9/9/9/9/4K4/9 b - - 1 1",
    ),
    "stones": (
        "connect6",
        GameRecord(("j10", "k10l10")),
        "19/19/19/19/19/19/19/19/19/9bww7/19/19/19/19/19/19/19/19/19 b 2",
    ),
    "no move": ("ewn", GameRecord(()), "startpos"),
    "one set-up": ("ewn", GameRecord(EWN[:1], (3,)), "startpos moves 123456"),
    "set-ups and throws": ("ewn", GameRecord((*EWN, "a3b3", "e3d4"), (6, 3)), "ABC2/DE1c1/1F3/3db/2eaf f -"),
    "a throw that no move answers": ("ewn", GameRecord(EWN, (6,)), "ABC2/DE3/F3c/3db/2eaf f -"),
    "throws after a FEN": ("ewn", GameRecord(("d2e1",), (4,), fen=BEFORE_THE_END), "5/5/5/a4/4A s -"),
    "a throw in the FEN": ("ewn", GameRecord((), fen="5/5/5/a2A1/5 f 4"), "5/5/5/a2A1/5 f 4"),
    "a view": (
        "junqi",
        GameRecord((JUNQI[0], "?", "G2F2=1")),
        "xxxxx/xxxxx/x1x1x/xx1xx/x1x1x/xxAxx/DI1HC/B1G1K/KF1IE/C1F1I/GJHED/JLJHG s f 0",
    ),
    "a set-up only": ("junqi", GameRecord(JUNQI[:1]), f"startpos moves {JUNQI[0]}"),
    "a FEN of a referee": ("junqi", GameRecord(("K0K1",), fen=VIEW), "1l3/a4/5/5/5/5/5/5/5/5/1A3/1L3 s - 5"),
}
"""Game, record, and the FEN of its last position."""


@pytest.mark.parametrize("case", LAST.values(), ids=LAST.keys())
def test_the_last_position(case: tuple[str, GameRecord, str]) -> None:
    name, record, fen = case
    assert position_after(registry.load(name), record).fen() == fen


def throws(name: str, record: GameRecord) -> list[int]:
    """Return the throw that is set at each position of a record."""
    positions: Any = replay(registry.load(name), record)
    return [position.dice for position in positions]


def test_each_position_has_the_throw_for_its_move() -> None:
    moves = (*EWN, "a3b3", "e3d4")
    assert throws("ewn", GameRecord(moves, (6, 3))) == [0, 0, 6, 3, 0]
    assert throws("ewn", GameRecord(moves, (0, 3))) == [0, 0, 0, 3, 0]  # the first one is not known
    assert throws("ewn", GameRecord(moves, (6,))) == [0, 0, 6, 0, 0]
    assert throws("ewn", GameRecord(("d2d1", "a2a3"), (4, 2), fen=BEFORE_THE_END)) == [4, 2, 0]
    position: Any = position_after(registry.load("ewn"), GameRecord(moves, (6, 3)), 3)
    assert position.dice == 3


@pytest.mark.parametrize("name", registry.NAMES)
def test_random_games(name: str) -> None:
    """All positions are those of the moves pushed one by one; the result is that of the rules."""
    game, record = registry.load(name), random_record(name, random.Random(5))
    setups = game.info.setups(record.fen)
    known: Any = game.position()
    seen = []
    for ply, position in enumerate(replay(game, record)):
        seen.append(position)
        if ply:
            known.push(known.parse_move(record.moves[ply - 1]))
        if game.info.has_dice and setups <= ply < len(record.moves):
            known.set_dice(record.dice[ply - setups])
        assert (position.ply, position.fen(), position.turn) == (ply, known.fen(), known.turn)
    assert len(seen) == len(record.moves) + 1 and all(position is seen[0] for position in seen)
    outcome = seen[-1].outcome()
    assert record.result == ("*" if outcome is None else outcome.result)


@pytest.mark.parametrize("viewer", [0, 1])
def test_both_views_of_a_game_of_the_referee(viewer: int) -> None:
    game, logged = registry.load("junqi"), RECORDS[0]
    whole: Any = position_after(game, GameRecord((*JUNQI, *logged["moves"])))
    view: Any = position_after(game, GameRecord(tuple(whole.view_moves(viewer))))
    assert (view.viewer, view.ply) == (viewer, whole.ply)
    seen, known = view.pieces(), whole.pieces()
    assert seen.keys() == known.keys()
    assert {point for point in seen if seen[point] != known[point]} == {
        point for point, letter in seen.items() if letter in HIDDEN
    }


FAULTS: dict[str, tuple[str, GameRecord, int, Sequence[int], str]] = {
    "no legal move": ("xiangqi", GameRecord(("h2e2", "h9g7", "h2e2", "a9a8")), 2, (), "illegal move: h2e2"),
    "after the end": ("xiangqi", GameRecord(("a7a9", "d9e9"), fen="3k5/1R7/R8/9/9/9/9/9/9/4K4 w"), 1, (), "illegal"),
    "a point twice": ("connect6", GameRecord(("j10", "j10k10")), 1, (), "j10"),
    "no set-up": ("ewn", GameRecord(("123456", "111111", "a3b3"), (6,)), 1, (), "not a set-up"),
    "a move in place of a set-up": ("ewn", GameRecord(("123456", "a3b3"), (6,)), 1, (), "not a set-up"),
    "another throw": ("ewn", GameRecord((*EWN, "a3b3", "e3d4"), (6, 5)), 3, (6,), "illegal move after a throw of 5"),
    "a throw after the end": ("ewn", GameRecord(("d2e1", "a2b2"), (4, 2), fen=BEFORE_THE_END), 1, (4,), "is over"),
    "no such throw": ("ewn", GameRecord((*EWN, "a3b3"), (7,)), 2, (), "from 1 to 6, not 7"),
    "a result that cannot be": ("junqi", GameRecord((*JUNQI, "G2F2=0")), 2, (), "impossible result: G2F2=0"),
    "a result that is missing": ("junqi", GameRecord((JUNQI[0], "?", "G2F2")), 2, (), "a result code is needed"),
}
"""Game, record, the moves before the fault, the throws that these answered, and the fault."""


@pytest.mark.parametrize("case", FAULTS.values(), ids=FAULTS.keys())
def test_a_record_is_cut_before_its_first_fault(case: tuple[str, GameRecord, int, Sequence[int], str]) -> None:
    name, record, place, dice, why = case
    game = registry.load(name)
    record = record._replace(first="A", result="1-0")
    kept = record._replace(moves=record.moves[:place], dice=tuple(dice))
    with pytest.raises(CutGameError, match=why) as error:
        list(replay(game, record))
    assert error.value.record == kept
    with pytest.raises(CutGameError, match=f"^move {place + 1}: .*{why}") as error:
        check_moves(game, record)
    assert error.value.record == kept
    check_moves(game, kept)


def test_only_the_moves_before_a_position_are_read() -> None:
    game, record = registry.load("xiangqi"), GameRecord(("h2e2", "h9g7", "h2e2"))
    assert position_after(game, record, 2).ply == 2
    with pytest.raises(CutGameError, match="illegal move: h2e2"):
        position_after(game, record, 3)


def test_a_bad_fen() -> None:
    game, record = registry.load("ewn"), GameRecord(("d2e1",), (4,), fen="5/5 f -")
    with pytest.raises(ValueError, match="board has 2 rows") as error:
        position_after(game, record)
    assert not isinstance(error.value, CutGameError)
    with pytest.raises(CutGameError, match=r"^move 1: board has 2 rows") as cut:
        check_moves(game, record)
    assert cut.value.record == record._replace(moves=(), dice=())


def test_a_cut_record_keeps_the_throws_of_its_moves() -> None:
    info = registry.info("ewn")
    record = GameRecord((*EWN, "a3b3", "e3d4"), (6, 3))
    assert [record.cut(info, plies).dice for plies in range(5)] == [(), (), (), (6,), (6, 3)]
    assert [record.throw(info, ply) for ply in range(-1, 5)] == [0, 0, 0, 6, 3, 0]
    from_fen = GameRecord(("d2d1", "a2a3"), (4, 2), fen=BEFORE_THE_END)
    assert [from_fen.cut(info, plies).dice for plies in range(3)] == [(), (4,), (4, 2)]
