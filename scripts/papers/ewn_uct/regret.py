"""Decisions of EWN whose values are known, and the losses of a player's moves there."""

from __future__ import annotations

import csv
import errno
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from scripts.match.agents import Agent, EngineAgent

from siqi.daemon.clients.player import PlayerLimits
from siqi.games.contract import Task
from siqi.games.ewn.board import EwnPosition
from siqi.games.ewn.rules.position import origin_of, target_of
from siqi.games.kernel.control import Control

COLUMNS = ("fen", "n_red", "n_blue", *(f"all{die}" for die in range(1, 7)))
SOURCE = f"200 EWN endings, 1 v 1 to 3 v 3, by two exact solvers; not shipped. Columns {', '.join(COLUMNS)}"


class Decision(NamedTuple):
    """A position with its throw, and the value of each move: the mover's chance to win, 0 to 1."""

    fen: str
    pieces: int
    values: dict[str, float]


def decisions(path: Path) -> Iterator[Decision]:
    """Yield the decisions of a CSV file with the columns of SOURCE, also those with one move.

    Cells are numbered row by row from the top left; red, the first side, has the digits. OSError, naming the line, if
    one is bad or does not have exactly the legal moves.
    """
    with path.open(encoding="utf-8") as file:
        rows = csv.DictReader(file)
        try:
            for row in rows:
                yield from _decisions_of(row)
        except (KeyError, ValueError, AttributeError, csv.Error):  # None for a missing cell has no `split`
            why = f"line {rows.line_num} is no position with the values of its legal moves ({COLUMNS})"
            raise OSError(errno.EINVAL, why, str(path)) from None


def _decisions_of(row: dict[str, str]) -> Iterator[Decision]:
    """Yield a row's decisions; ValueError, KeyError or AttributeError if it is bad."""

    def square(cell: str) -> str:
        return f"{'abcde'[int(cell) % 5]}{5 - int(cell) // 5}"

    board, side = row["fen"].split()
    for digit in "123456":
        board = board.replace(digit, chr(ord("A") + int(digit) - 1))
    board = board.replace(".", "1")
    for die in "123456":
        values = {}
        for part in row[f"all{die}"].split():
            origin, target = part.partition("=")[0].partition(":")[2].split("-")
            values[square(origin) + square(target)] = float(part.partition("=")[2])
        position = EwnPosition(f"{board} {'fs'[side == 'b']} {die}")
        if set(values) != set(map(position.move_text, position.legal_moves())):
            raise ValueError
        yield Decision(position.fen(), int(row["n_red"]) + int(row["n_blue"]), values)


def row_of(fen: str, values: Mapping[str, float]) -> str:
    """Return the line of a position without a throw, given the value of each of its moves, as `decisions` reads it."""
    position = EwnPosition(fen)

    def text(move: int) -> str:
        word = position.move_text(move)
        number = (int(position.record.board[origin_of(move)]) - 1) % 6 + 1
        return f"{number}:{origin_of(move)}-{target_of(move)}={values[word]:.6f}"

    cells = []
    for die in range(1, 7):
        position.set_dice(die)
        cells.append(" ".join(map(text, position.legal_moves())))
    reds, blues = (int(position.record.alive[side]).bit_count() for side in range(2))
    return ",".join([board_of(fen), str(reds), str(blues), *cells])


def board_of(fen: str) -> str:
    """Return a FEN as such files have it."""
    placement, side = fen.split()[:2]
    letters = str.maketrans({**{str(n): "." * n for n in range(1, 6)}, **dict(zip("ABCDEF", "123456", strict=True))})
    return f"{placement.translate(letters)} {'rb'[side == 's']}"


def choices(path: Path, every: int = 1) -> list[Decision]:
    """Return each `every`-th of the decisions between several moves."""
    between = (case for case in decisions(path) if len(case.values) > 1)
    return list(itertools.islice(between, 0, None, every))


def regret(case: Decision, move: str) -> float:
    """Return the chance that a move loses against the best one."""
    return max(case.values.values()) - case.values[move]


def regret_of(player: Agent, case: Decision, limit: PlayerLimits) -> float:
    """Return the loss of a player's move, in a new game."""
    if len(case.values) == 1:
        return 0.0
    position = EwnPosition(case.fen)
    player.new_game(1)
    return regret(case, position.move_text(player.choose(position, limit)))


class Step(NamedTuple):
    """A search after an iteration."""

    value: float  # of the move that it would choose, by its own estimate
    regret: float  # of that move


def search_steps(agent: EngineAgent, case: Decision, depths: Sequence[int]) -> list[Step]:
    """Return the steps of one search at the ends of some iterations, in rising order."""
    position = EwnPosition(case.fen)
    agent.new_game(1)
    searcher, steps = agent.searcher, list[Step]()
    searcher.start(Task(position, Control()))
    while len(steps) < len(depths):
        report = searcher.iterate()
        line = report.lines[0]
        step = Step(float(line.score.win), regret(case, position.move_text(line.pv[0])))
        reached = math.inf if report.finished else report.depth
        steps += [step] * sum(depth <= reached for depth in depths[len(steps) :])
    searcher.finish()
    return steps
