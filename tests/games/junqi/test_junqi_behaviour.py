"""Junqi's traits of pieces against a plain count, their effect on beliefs, and the choice of deployments."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from junqi_games import FIRST, SETUPS, number, random_games, replay

from naive.junqi import CAMPS, SQUARES, Naive, legal_setup
from siqi.games import registry
from siqi.games.contract import Game, Task, exhaust
from siqi.games.junqi.knowledge import behaviour
from siqi.games.junqi.knowledge.worlds import draw_worlds
from siqi.games.junqi.rules.lookup import MOBILE, NOWHERE
from siqi.games.junqi.search.deployment import TILT, draw_deployment
from siqi.games.kernel.control import Control


@pytest.fixture(scope="module")
def game() -> Game:
    return registry.load("junqi")


def threatened(position: Any, side: int) -> set[str]:
    """Return the squares that a side can enter if all its possibly mobile pieces move like a commander."""
    oracle = object.__new__(Naive)
    oracle.board = {}
    for square in SQUARES:
        piece = int(position.record.board[number(square)]) - 1
        if piece >= 0:
            oracle.board[square] = (piece // 25, "a" if int(position._state.public[piece]) & MOBILE else "j")
    return {move[2:] for move in oracle.moves_of(side)}


def count_history(position: Any, origin: str, target: str, after: Any, counts: Counter[tuple[int, str]]) -> None:
    mover, other = (int(position.record.board[number(square)]) - 1 for square in (origin, target))
    ply = position.ply - 1  # two set-ups are no moves, and the first has the number 1
    distance = abs(ord(origin[0]) - ord(target[0])) + abs(int(origin[1]) - int(target[1]))
    counts[mover, "steps"] += distance
    counts[mover, "runs"] += distance > 2
    counts[mover, "first"] = counts[mover, "first"] or ply
    counts[mover, "last"] = ply
    if other >= 0:
        stands = [int(after.record.where[piece]) != NOWHERE for piece in (mover, other)]
        counts[mover, "beat"] += stands == [True, False]
        counts[other, "withstood"] += stands == [False, True]
        for piece, stays in zip((mover, other), stands, strict=True):
            if not stays:
                counts[piece, "fallen"] = ply


def count_move(position: Any, text: str, after: Any, counts: Counter[tuple[int, str]]) -> None:
    side, origin, target = position.turn, text[:2], text[2:4]
    mover = int(position.record.board[number(origin)]) - 1
    before = threatened(position, 1 - side)
    for square in SQUARES:
        piece = int(position.record.board[number(square)]) - 1
        if piece // 25 == side and piece not in (-1, mover):
            counts[piece, "waited"] += not counts[piece, "moved"]
            counts[piece, "stood"] += square in before
    count_history(position, origin, target, after, counts)
    counts[mover, "moved"] += 1
    counts[mover, "crossed"] |= (target[0] <= "F") == (side == 0)
    if position.record.board[number(target)]:
        counts[mover, "attacked"] += 1
        return
    now = target in threatened(after, 1 - side)
    counts[mover, "rested"] += target in CAMPS
    counts[mover, "fled"] += origin in before and not now
    counts[mover, "approached"] += now and origin not in before


def test_what_pieces_did_against_a_plain_count(game: Game) -> None:
    seen: Counter[str] = Counter()
    ends = {id(position): position for position, _ in random_games(game, 21, 6)}.values()
    for referee, viewer in itertools.product(ends, range(2)):
        view, counts = game.position(), Counter[tuple[int, str]]()
        for word in referee.view_moves(viewer):
            before = view.copy()
            view.push(view.parse_move(word))
            if before.has_pieces:
                count_move(before, word, view, counts)
        names = [*behaviour.TRAITS, *behaviour.HISTORY]
        for piece, column in itertools.product(range(50), range(len(names))):
            assert view.counts()[piece, column] == counts[piece, names[column]], (piece, names[column])
        seen.update(name for (_, name), count in counts.items() if count)
    assert set(seen) == {*behaviour.TRAITS, *behaviour.HISTORY}


def test_taking_back_takes_back_what_was_done(game: Game) -> None:
    referee = list(random_games(game, 3, 1))[-1][0]
    view = game.position()
    kept = []
    for word in referee.view_moves(0):
        kept.append(view.counts().copy())
        view.push(view.parse_move(word))
    for before in reversed(kept):
        view.pop()
        assert np.array_equal(view.counts(), before)


def test_habits_move_beliefs_but_not_what_is_known(game: Game) -> None:
    """The likelier of two ranks that can have taken a weak piece is the one that attacks more often."""
    view = replay(game, [FIRST.replace("a", "x").replace("h", "a", 1).replace("x", "h"), "?"])
    before = view.believed(1)
    for word in ["J2I2", "F0G0=1"]:
        view.push(view.parse_move(word))
    moved = view.believed(1)
    attacker = int(view.record.board[number("G0")]) - 26
    flag = next(iter(moved.weights))
    odds = [belief.weights[flag][attacker, 1] / belief.weights[flag][attacker, 6] for belief in (before, moved)]
    assert odds[1] > 2 * odds[0]
    for kinds in draw_worlds(moved, 50, 1).kinds.tolist():
        assert all(types >> kind & 1 for types, kind in zip(moved.may, kinds, strict=True))


def test_deployments_are_legal_varied_and_not_known_from_the_prior(game: Game) -> None:
    words = [draw_deployment(seed, TILT) for seed in range(300)]
    assert all(map(legal_setup, words))
    assert len(set(words)) > 290
    flags = Counter(word.index("l") for word in words)
    assert len(flags) == 2
    assert min(flags.values()) > 100


def chosen(game: Game, seed: int, words: list[str]) -> str:
    searcher = game.searcher()
    searcher.configure(1, 1, seed)
    position = replay(game, words)
    return position.move_text(exhaust(searcher, Task(position, Control())).lines[0].pv[0])


def test_the_users_layouts(tmp_path: Path) -> None:
    warnings: list[str] = []
    game = registry.load("junqi", warnings.append)
    path = tmp_path / "layouts.txt"
    path.write_text(f"# mine\n{SETUPS[0]}\n\n{SETUPS[1]}  # the other\n")
    game.set_option("LayoutFile", str(path))
    assert {chosen(game, seed, []) for seed in range(20)} == {SETUPS[0], SETUPS[1]}
    assert chosen(game, 1, ["?"]) in SETUPS[:2]
    game.set_option("LayoutFile", "")
    assert chosen(game, 3, []) not in SETUPS[:2]
    assert not warnings
    for encoding in ("utf-8-sig", "utf-16"):  # editors of Windows write a byte order mark
        path.write_text(f"{SETUPS[1]}  # 布阵\n", encoding)
        game.set_option("LayoutFile", str(path))
        assert chosen(game, 2, []) == SETUPS[1] and not warnings
    path.write_bytes(f"{SETUPS[0]}\n# 布阵\n".encode("gb18030"))
    game.set_option("LayoutFile", str(path))
    assert warnings == [f"{path}: line 2: not UTF-8, in which such a file is written"]
    warnings.clear()
    path.write_text(f"{SETUPS[0]}\n{'a' * 25}\n")
    game.set_option("LayoutFile", str(path))
    game.set_option("LayoutFile", str(tmp_path / "none"))
    assert legal_setup(chosen(game, 3, []))
    assert [line.partition(": ")[2][:7] for line in warnings[:1]] == ["line 2:"]
    assert "none" in warnings[1]
    assert len(warnings) == 2
