"""A fast replay of Xiangqi games: the moves as items, and the classes of their positions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from siqi.games.game_record import GameRecord
from siqi.games.kernel.jit import Record, entry, int64, new_record
from siqi.games.xiangqi.knowledge.intent import classify, describe
from siqi.games.xiangqi.knowledge.items import BY_KIND, Item, Numbering
from siqi.games.xiangqi.rules.lookup import LOOKUP, LOOKUP_RECORD
from siqi.games.xiangqi.rules.movegen import is_legal_here
from siqi.games.xiangqi.rules.notation import START_FEN, parse_move, square_text
from siqi.games.xiangqi.rules.position import MAX_HISTORY, POSITION, POSITION_DTYPE
from siqi.games.xiangqi.rules.repetition import pop, push
from siqi.games.xiangqi.rules.setup import set_up
from siqi.games.xiangqi.rules.work import WORK, WORK_DTYPE

PIECE, CAPTURED, ORIGIN, TARGET, SITUATIONS, INTENTS = range(6)
"""Columns of `Replayer.replay`: numbers and squares as in items.py; classes as in situation.py and intent.py, bits."""

MAX_MOVES = MAX_HISTORY - 1
"""Most moves of a game: the history of a position holds no more."""

Plies = np.ndarray[Any, np.dtype[np.int64]]


@entry(int64(POSITION, WORK, LOOKUP, int64[::1], int64[:, ::1], int64))
def _replay(pos: Record, work: Record, lookup: Record, moves: Any, plies: Any, classifies: int) -> int:
    """Fill one row per move up to the first illegal one; return their number. Leaves the position as it was.

    Pieces are codes of the board. The classes are filled if `classifies` is 1.
    """
    count = 0
    for i in range(len(moves)):
        move = moves[i]
        if is_legal_here(pos, lookup, move) == 0:
            break
        plies[i, PIECE] = pos.board[move & 127]
        plies[i, CAPTURED] = pos.board[move >> 7]
        plies[i, ORIGIN] = move & 127
        plies[i, TARGET] = move >> 7
        if classifies == 1:
            plies[i, SITUATIONS] = describe(pos, work, lookup)
            plies[i, INTENTS] = classify(pos, work, lookup, move)
        push(pos, lookup, move)
        count += 1
    for _ in range(count):
        pop(pos, lookup)
    return count


class Replayer:
    """Replays games one after the other."""

    def __init__(self, numbering: Numbering = BY_KIND, classifies: bool = False) -> None:
        """`classifies`: situations and intents are filled, which takes most of the time."""
        self._numbering, self._classifies = numbering, int(classifies)
        self._number_of = np.array(numbering.number_of)
        self._work = new_record(WORK_DTYPE)
        self._start = new_record(POSITION_DTYPE)
        set_up(self._start, START_FEN)
        squares = [square_text(square) for square in range(90)]
        self._codes = {a + b: i | j << 7 for i, a in enumerate(squares) for j, b in enumerate(squares)}

    def replay(self, words: Sequence[str], fen: str = "") -> Plies:
        """Return [ply, column]; ValueError if pieces have no numbers, or names the first move that is not legal."""
        if len(words) > MAX_MOVES:
            raise ValueError(f"longer than {MAX_MOVES} moves")
        pos = self._start
        if fen:
            pos = new_record(POSITION_DTYPE)
            set_up(pos, fen)
            if self._numbering.needs_start and not np.array_equal(pos.board, self._start.board):
                raise ValueError("does not begin at the start position, so its pieces have no identities")
        moves = np.array([self._codes.get(word) or parse_move(word) for word in words], np.int64)
        plies = np.zeros((len(moves), 6), np.int64)
        legal = int(_replay(pos, self._work, LOOKUP_RECORD, moves, plies, self._classifies))
        if legal < len(moves):
            raise ValueError(f"illegal move: {words[legal]}")
        plies[:, : CAPTURED + 1] = self._number_of[plies[:, : CAPTURED + 1]]
        return plies


class Games(NamedTuple):
    """All sound games. Items are numbered in the order of their first appearance."""

    items: list[Item]
    plies: list[Plies]  # of each game
    numbers: list[np.ndarray[Any, Any]]  # of each game: by ply, the item's number
    winners: np.ndarray[Any, Any]  # [game]: side, or -1
    numbering: Numbering = BY_KIND


def collect(
    records: Iterable[GameRecord],
    longest: int,
    report: Callable[[str], None],
    numbering: Numbering = BY_KIND,
    classifies: bool = False,
) -> Games:
    """Return all sound games, mirrored if they begin on the left; `report` gets a line for each of the others.

    `longest`: the plies at the start of each game that are looked at; 0: all.
    """
    numbers: dict[tuple[int, ...], int] = {}
    games = Games([], [], [], np.zeros(0, np.int8), numbering)
    winners = []
    replayer = Replayer(numbering, classifies)
    mirrored = np.array(numbering.mirrored)
    for place, record in enumerate(records, 1):
        try:
            plies = replayer.replay(record.moves[: longest or None], record.fen)
        except ValueError as error:
            report(f"game {place}: {error}")
            continue
        if plies_begin_left(plies):
            plies[:, ORIGIN : TARGET + 1] += 8 - 2 * (plies[:, ORIGIN : TARGET + 1] % 9)
            plies[:, : CAPTURED + 1] = mirrored[plies[:, : CAPTURED + 1]]
        games.plies.append(plies)
        moves = map(tuple, plies[:, : TARGET + 1].tolist())
        games.numbers.append(np.array([numbers.setdefault(move, len(numbers)) for move in moves], np.int64))
        winners.append({"1-0": 0, "0-1": 1}.get(record.result, -1))
    return games._replace(items=[Item(*move) for move in numbers], winners=np.array(winners, np.int8))


def plies_begin_left(plies: Plies) -> bool:
    """True if the first square off the middle file is on the left."""
    files = plies[:, ORIGIN : TARGET + 1].ravel() % 9
    return bool((files[files != 4][:1] < 4).any())


def first_plies(games: Games, phase: int) -> list[dict[int, int]]:
    """Return for each game a map from item to the ply of its first appearance."""
    maps = []
    for plies, numbers in zip(games.plies, games.numbers, strict=True):
        first: dict[int, int] = {}
        for ply, number in enumerate(numbers.tolist()):
            if not phase or plies[ply, SITUATIONS] & phase:
                first.setdefault(number, ply)
        maps.append(first)
    return maps
