"""The names of openings as Chinese books have them, and the opening of a game.

An opening is known by the pieces that have moved and where they stand, whatever the order of the moves: a game that
transposes into it has its name. An opening and its mirror image are one.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from siqi.games.formats import OpeningName
from siqi.games.xiangqi import INFO
from siqi.games.xiangqi.rules.notation import FILES, START_FEN

SLACK = 4
"""Plies of slack for a game to reach an opening after its own moves, unless the table has the ply."""


class Formation(NamedTuple):
    """A named opening. Each of its moves has the point that a piece left, and the one where it stands in the end."""

    chinese: str
    english: str
    red: tuple[str, ...]
    black: tuple[str, ...]
    last_ply: int  # by which a game has to reach it

    @property
    def rank(self) -> tuple[int, int]:
        """The numbers of Black's and of Red's pieces that it needs: Black's choice of a defence says most."""
        return len(self.black), len(self.red)


def opening_of(boards: Iterable[Mapping[str, str]]) -> OpeningName | None:
    """Return the opening of a game from the letters by point at the start and after each move; None without a name.

    Of several that the game reaches it is the first of the highest rank.
    """
    best: Formation | None = None
    name = None
    last_ply = max(formation.last_ply for formation in formations())
    for ply, board in enumerate(itertools.islice(boards, last_ply + 1)):
        for formation in formations():
            if (
                (best is None or formation.rank > best.rank)
                and ply <= formation.last_ply
                and has_reached(board, formation)
            ):
                best, name = formation, OpeningName(formation.chinese, formation.english, ply)
    return name


def has_reached(board: Mapping[str, str], opening: Formation) -> bool:
    """True if the pieces of an opening, or those of its mirror image, stand where it has them."""
    moves = opening.red + opening.black
    return any(all(_is_made(board, move) for move in image) for image in (moves, [*map(_mirrored, moves)]))


def _is_made(board: Mapping[str, str], move: str) -> bool:
    letter = _start()[move[:2]]
    return board.get(move[2:]) == letter and (board.get(move[:2]) == letter) == (move[:2] == move[2:])


def _mirrored(move: str) -> str:
    return move.translate(_MIRROR)


_MIRROR = str.maketrans(FILES, FILES[::-1])


@functools.cache
def _start() -> dict[str, str]:
    """Return the letters of the start position by point."""
    shape = INFO.shape
    placed = shape.read_placement(START_FEN.split()[0])
    return {shape.point_text(column, row): letter for column, row, letter in placed}


@functools.cache
def formations() -> tuple[Formation, ...]:
    """Return all named openings."""
    return tuple(_parsed(_TABLE))


def _parsed(table: str) -> Iterator[Formation]:
    for line in table.strip().splitlines():
        chinese, english, red, black, last, *_ = (part.strip() for part in f"{line}|||".split("|"))
        moves = tuple(red.split()), tuple(black.split())
        yield Formation(chinese, english, *moves, last_ply=int(last or 2 * max(map(len, moves)) + SLACK))


_TABLE = """\
中炮局 | Central Cannon | h2e2
中炮对屏风马 | Central Cannon vs Screen Horses | h2e2 | b9c7 h9g7
中炮巡河车对屏风马 | Central Cannon with Riverbank Chariot vs Screen Horses | h2e2 h0g2 i0h4 | b9c7 h9g7
中炮过河车对屏风马 | Central Cannon with River-crossing Chariot vs Screen Horses | h2e2 h0g2 i0h6 | b9c7 h9g7
中炮横车对屏风马 | Central Cannon with Ranked Chariot vs Screen Horses | h2e2 h0g2 i0i1 | b9c7 h9g7
中炮巡河炮对屏风马 | Central Cannon with Riverbank Cannon vs Screen Horses | h2e2 b2b4 | b9c7 h9g7 | 12
五六炮对屏风马 | 56 Cannons vs Screen Horses | h2e2 b2d2 | b9c7 h9g7 | 12
五七炮对屏风马 | 57 Cannons vs Screen Horses | h2e2 b2c2 | b9c7 h9g7 | 12
五八炮对屏风马 | 58 Cannons vs Screen Horses | h2e2 b2b6 | b9c7 h9g7 | 12
五九炮对屏风马 | 59 Cannons vs Screen Horses | h2e2 b2a2 | b9c7 h9g7 | 12
五九炮过河车对屏风马 | 59 Cannons with River-crossing Chariot vs Screen Horses | h2e2 b2a2 h0g2 i0h6 | b9c7 h9g7 | 12
中炮对反宫马 | Central Cannon vs Sandwiched Horses | h2e2 | b9c7 h7f7
中炮对反宫马 | Central Cannon vs Sandwiched Horses | h2e2 | h9g7 b7d7
中炮对反宫马 | Central Cannon vs Sandwiched Horses | h2e2 | b9c7 h9g7 h7f7
中炮对反宫马 | Central Cannon vs Sandwiched Horses | h2e2 | b9c7 h9g7 b7d7
五六炮对反宫马 | 56 Cannons vs Sandwiched Horses | h2e2 b2d2 | b9c7 h9g7 h7f7 | 12
五六炮对反宫马 | 56 Cannons vs Sandwiched Horses | h2e2 b2d2 | b9c7 h9g7 b7d7 | 12
五七炮对反宫马 | 57 Cannons vs Sandwiched Horses | h2e2 b2c2 | b9c7 h9g7 h7f7 | 12
五七炮对反宫马 | 57 Cannons vs Sandwiched Horses | h2e2 b2c2 | b9c7 h9g7 b7d7 | 12
中炮对单提马 | Central Cannon vs Single Horse | h2e2 | b9c7 h9i7
中炮对单提马 | Central Cannon vs Single Horse | h2e2 | h9g7 b9a7
中炮对左三步虎 | Central Cannon vs Three-step Tiger on the left | h2e2 | h9g7 i9h9 h7i7 b9b9
中炮对右三步虎 | Central Cannon vs Three-step Tiger on the right | h2e2 | b9c7 a9b9 b7a7 h9h9
中炮对左炮封车 | Central Cannon vs Chariot Blockade by the left Cannon | h2e2 | h9g7 i9h9 h7h3 b9b9
中炮对左炮封车转列炮 | Central Cannon vs Chariot Blockade with Opposite Cannons | h2e2 | h9g7 i9h9 h7h3 b7e7 b9b9
中炮对左三步虎转列炮 | Central Cannon vs Three-step Tiger with Opposite Cannons | h2e2 | h9g7 i9h9 h7i7 b7e7 b9b9
中炮对半途列炮 | Central Cannon vs Half-way Opposite Cannons | h2e2 | h9g7 i9h9 b7e7
顺炮局 | Same Direction Cannons | h2e2 | h7e7
顺炮直车对缓开车 | Same Direction Cannons, Filed Chariot vs Delayed Chariot | h2e2 h0g2 i0h0 | h7e7 h9g7
顺炮直车对横车 | Same Direction Cannons, Filed vs Ranked Chariot | h2e2 h0g2 i0h0 | h7e7 h9g7 i9i8
顺炮横车对直车 | Same Direction Cannons, Ranked vs Filed Chariot | h2e2 h0g2 i0i1 | h7e7 h9g7 i9h9
列炮局 | Opposite Direction Cannons | h2e2 | b7e7
仙人指路局 | Pawn Opening (Angel Points the Way) | c3c4
仙人指路对卒底炮 | Pawn Opening vs Cannon behind Pawn | c3c4 | b7c7
仙人指路转中炮对卒底炮 | Pawn Opening with Central Cannon vs Cannon behind Pawn | c3c4 h2e2 | b7c7
仙人指路转中炮对卒底炮 | Pawn Opening with Central Cannon vs Cannon behind Pawn | c3c4 b2e2 | b7c7
仙人指路转中炮对卒底炮飞象 | Pawn Opening with Central Cannon vs Cannon behind Pawn and Elephant | c3c4 h2e2 | b7c7 c9e7
仙人指路转中炮对卒底炮飞象 | Pawn Opening with Central Cannon vs Cannon behind Pawn and Elephant | c3c4 h2e2 | b7c7 g9e7
仙人指路转中炮对卒底炮转顺炮 | Pawn Opening with Same Direction Cannons vs Cannon behind Pawn | c3c4 h2e2 | b7c7 h7e7
仙人指路飞相对卒底炮 | Pawn Opening with Elephant vs Cannon behind Pawn | c3c4 g0e2 | b7c7
仙人指路飞相对卒底炮 | Pawn Opening with Elephant vs Cannon behind Pawn | c3c4 c0e2 | b7c7
仙人指路对金钩炮 | Pawn Opening vs Golden Hook Cannon | c3c4 | h7c7
仙人指路对飞象 | Pawn Opening vs Elephant | c3c4 | c9e7
仙人指路对飞象 | Pawn Opening vs Elephant | c3c4 | g9e7
仙人指路对中炮 | Pawn Opening vs Central Cannon | c3c4 | h7e7
仙人指路对中炮 | Pawn Opening vs Central Cannon | c3c4 | b7e7
仙人指路对过宫炮 | Pawn Opening vs Cross Palace Cannon | c3c4 | h7d7
仙人指路对起马 | Pawn Opening vs Horse | c3c4 | h9g7
仙人指路对起马 | Pawn Opening vs Horse | c3c4 | b9c7
两头蛇对起马 | Two-headed Snake vs Horse | c3c4 g3g4 | h9g7
两头蛇局 | Two-headed Snake | c3c4 g3g4
对兵局 | Pawn vs Pawn | c3c4 | g6g5
对兵转兵底炮 | Pawn vs Pawn with Cannon behind Pawn | c3c4 h2g2 | g6g5
对兵转兵底炮 | Pawn vs Pawn with Cannon behind Pawn | c3c4 b2c2 | g6g5
飞相局 | Elephant Opening | g0e2
顺相局 | Same Direction Elephants | g0e2 | g9e7
列相局 | Opposite Direction Elephants | g0e2 | c9e7
飞相对左中炮 | Elephant Opening vs left Central Cannon | g0e2 | h7e7
飞相对右中炮 | Elephant Opening vs right Central Cannon | g0e2 | b7e7
飞相对左过宫炮 | Elephant Opening vs left Cross Palace Cannon | g0e2 | h7d7
飞相对右过宫炮 | Elephant Opening vs right Cross Palace Cannon | g0e2 | b7f7
飞相对左士角炮 | Elephant Opening vs left Palace Corner Cannon | g0e2 | h7f7
飞相对右士角炮 | Elephant Opening vs right Palace Corner Cannon | g0e2 | b7d7
飞相对进左马 | Elephant Opening vs left Horse | g0e2 | h9g7
飞相对进右马 | Elephant Opening vs right Horse | g0e2 | b9c7
飞相对进７卒 | Elephant Opening vs Pawn on file 7 | g0e2 | g6g5
飞相对进３卒 | Elephant Opening vs Pawn on file 3 | g0e2 | c6c5
起马局 | Horse Opening | h0g2
起马对进７卒 | Horse Opening vs Pawn on file 7 | h0g2 | g6g5
士角炮局 | Palace Corner Cannon | h2f2
士角炮对右中炮 | Palace Corner Cannon vs right Central Cannon | h2f2 | b7e7
士角炮对进左马 | Palace Corner Cannon vs left Horse | h2f2 | h9g7
士角炮对左中炮 | Palace Corner Cannon vs left Central Cannon | h2f2 | h7e7
士角炮对进７卒 | Palace Corner Cannon vs Pawn on file 7 | h2f2 | g6g5
过宫炮局 | Cross Palace Cannon | h2d2
过宫炮对左中炮 | Cross Palace Cannon vs left Central Cannon | h2d2 | h7e7
过宫炮对进左马 | Cross Palace Cannon vs left Horse | h2d2 | h9g7
过宫炮对横车 | Cross Palace Cannon vs Ranked Chariot | h2d2 | i9i8
过宫炮对进７卒 | Cross Palace Cannon vs Pawn on file 7 | h2d2 | g6g5
过宫炮对进右马 | Cross Palace Cannon vs right Horse | h2d2 | b9c7
金钩炮局 | Golden Hook Cannon | h2c2
边马局 | Edge Horse | h0i2
上仕局 | Advisor Opening | f0e1
"""
"""Chinese name, English name, Red's moves, Black's moves, the last ply if it is a late one; `b9b9`: has not moved."""
