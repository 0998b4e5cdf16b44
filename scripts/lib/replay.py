"""A fast replay of Xiangqi games: the moves as items, and the classes of their positions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from scripts.lib import script

from games.contract import GameRecord
from games.kernel.jit import Record, entry, int64, new_record
from games.xiangqi.knowledge.intent import classify, describe
from games.xiangqi.knowledge.rulebook import Item
from games.xiangqi.rules.lookup import LOOKUP, LOOKUP_RECORD
from games.xiangqi.rules.movegen import is_legal_here
from games.xiangqi.rules.notation import START_FEN, parse_move, square_text
from games.xiangqi.rules.position import POSITION, POSITION_DTYPE
from games.xiangqi.rules.repetition import pop, push
from games.xiangqi.rules.setup import set_up
from games.xiangqi.rules.work import WORK, WORK_DTYPE

PIECE, CAPTURED, ORIGIN, TARGET, SITUATIONS, INTENTS = range(6)
"""Columns of `replay`: kinds and squares as in rulebook.Item; classes as in situation.py, bits."""

Plies = np.ndarray[Any, np.dtype[np.int64]]


@entry(int64(POSITION, WORK, LOOKUP, int64[::1], int64[:, ::1]))
def _replay(pos: Record, work: Record, lookup: Record, moves: Any, plies: Any) -> int:
    """Fill a row a move up to the first illegal one; returns their number. Leaves the position as it was."""
    count = 0
    for i in range(len(moves)):
        move = moves[i]
        if is_legal_here(pos, lookup, move) == 0:
            break
        plies[i, PIECE] = lookup.kind_of[pos.board[move & 127]]
        plies[i, CAPTURED] = lookup.kind_of[pos.board[move >> 7]]
        plies[i, ORIGIN] = move & 127
        plies[i, TARGET] = move >> 7
        plies[i, SITUATIONS] = describe(pos, work, lookup)
        plies[i, INTENTS] = classify(pos, work, lookup, move)
        push(pos, lookup, move)
        count += 1
    for _ in range(count):
        pop(pos, lookup)
    return count


class Replayer:
    """Replays games one after the other."""

    def __init__(self) -> None:
        self._work = new_record(WORK_DTYPE)
        self._start = new_record(POSITION_DTYPE)
        set_up(self._start, START_FEN)
        squares = [square_text(square) for square in range(90)]
        self._codes = {a + b: i | j << 7 for i, a in enumerate(squares) for j, b in enumerate(squares)}

    def replay(self, words: Sequence[str], fen: str = "") -> Plies:
        """Return [ply, column]; ValueError names the first move that is not legal."""
        pos = self._start
        if fen:
            pos = new_record(POSITION_DTYPE)
            set_up(pos, fen)
        moves = np.array([self._codes.get(word) or parse_move(word) for word in words], np.int64)
        plies = np.empty((len(moves), 6), np.int64)
        legal = int(_replay(pos, self._work, LOOKUP_RECORD, moves, plies))
        if legal < len(moves):
            raise ValueError(f"illegal move: {words[legal]}")
        return plies


class Games(NamedTuple):
    """All sound games. Items are numbered in the order of their first appearance."""

    items: list[Item]
    plies: list[Plies]  # of each game
    numbers: list[np.ndarray[Any, Any]]  # of each game: by ply, the item's number
    winners: np.ndarray[Any, Any]  # [game]: side, or -1


def collect(records: Iterator[GameRecord], longest: int, report: Callable[[str], None]) -> Games:
    """Return the first plies of all sound games, mirrored if they begin on the left; `report` gets the other games."""
    numbers: dict[tuple[int, ...], int] = {}
    games = Games([], [], [], np.zeros(0, np.int8))
    winners = []
    replayer = Replayer()
    for place, record in enumerate(script.progress(records, unit=" games"), 1):
        try:
            plies = replayer.replay(record.moves[:longest], record.fen)
        except ValueError as error:
            report(f"game {place}: {error}")
            continue
        if begins_left(plies):
            plies[:, ORIGIN : TARGET + 1] += 8 - 2 * (plies[:, ORIGIN : TARGET + 1] % 9)
        games.plies.append(plies)
        moves = map(tuple, plies[:, : TARGET + 1].tolist())
        games.numbers.append(np.array([numbers.setdefault(move, len(numbers)) for move in moves], np.int64))
        winners.append({"1-0": 0, "0-1": 1}.get(record.result, -1))
    return games._replace(items=[Item(*move) for move in numbers], winners=np.array(winners, np.int8))


def begins_left(plies: Plies) -> bool:
    """True if the first square off the middle file is on the left."""
    files = plies[:, ORIGIN : TARGET + 1].ravel() % 9
    return bool((files[files != 4][:1] < 4).any())


def first_plies(games: Games, phase: int) -> list[dict[int, int]]:
    """Return for each game a map from item to the ply of its first appearance."""
    found = []
    for plies, numbers in zip(games.plies, games.numbers, strict=True):
        first: dict[int, int] = {}
        for ply, number in enumerate(numbers.tolist()):
            if not phase or plies[ply, SITUATIONS] & phase:
                first.setdefault(number, ply)
        found.append(first)
    return found
