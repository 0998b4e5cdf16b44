"""Other ways in and out: lists of FENs, records of games, tables of comma-separated values, annotated records."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from typing import Any, TextIO

from daemon.analysis.query import Query
from daemon.words import split_moves
from games import registry
from games.contract import GameRecord

COLUMNS = ("id", "turn", "fen", "bestmove", "cp", "mate", "win", "depth", "nodes", "time", "pv", "outcome", "error")
"""Of a table."""

Answer = dict[str, Any]


def queries_of_fens(handle: TextIO, game: str) -> Iterator[Query]:
    """A FEN a line, with `moves ...` if wanted; what follows a `;` is left out (EPD). The id is the line's number."""
    for number, line in enumerate(handle, 1):
        words = line.partition(";")[0].split()
        if words:
            start, moves = split_moves(words)
            yield Query(str(number), game, fen=" ".join(start), moves=tuple(moves))  # type: ignore[arg-type]


def records_of(handle: TextIO, game: str) -> Iterator[GameRecord | ValueError]:
    """The games of a file, and what is wrong with those that cannot be read."""
    records = registry.records(game)
    while True:
        try:
            yield from records.read(handle)
        except ValueError as error:
            yield error
        else:
            return


def query_of_record(name: str, game: str, record: GameRecord) -> Query:
    """Every position of a game."""
    turns = tuple(range(len(record.moves) + 1))
    return Query(
        name,
        game,  # type: ignore[arg-type]
        fen=record.fen,
        moves=record.moves,
        dice=record.dice,
        analyseTurns=turns,
    )


class Table:
    """Final answers as lines of comma-separated values."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._write(COLUMNS)

    def _write(self, cells: tuple[Any, ...]) -> None:
        text = io.StringIO()
        csv.writer(text, lineterminator="").writerow(cells)
        self._say(text.getvalue())

    def __call__(self, answer: Answer) -> None:
        if answer.get("isDuringSearch") or "warning" in answer or "action" in answer:
            return
        best = answer["lines"][0] if answer.get("lines") else {}
        told = {**answer, **best.get("score", {}), "pv": " ".join(best.get("pv", ()))}
        self._write(tuple(told.get(column, "") for column in COLUMNS))


class Annotated:
    """Whole games, each with what was found of every position as a comment; written when the last is there."""

    def __init__(self, say: Callable[[str], None], game: str) -> None:
        self._say = say
        self._records = registry.records(game)
        self._games: dict[str, GameRecord] = {}
        self._found: dict[str, dict[int, str]] = {}

    def expect(self, name: str, record: GameRecord) -> None:
        self._games[name] = record
        self._found[name] = {}

    def __call__(self, answer: Answer) -> None:
        if answer.get("isDuringSearch") or "turn" not in answer:
            return
        name = answer["id"]
        self._found[name][answer["turn"]] = comment(answer)
        if len(self._found[name]) == len(self._games[name].moves) + 1:
            self._say(self._records.write(self._games.pop(name), self._found.pop(name)).rstrip("\n") + "\n")


def comment(answer: Answer) -> str:
    """`+0.13/14 h2e2 h9g7`: the score from the mover's side, the depth, and the line."""
    if "error" in answer or not answer.get("lines"):
        return str(answer.get("error") or answer.get("outcome", ""))
    best = answer["lines"][0]
    score = best["score"]
    told = f"mate {score['mate']}" if "mate" in score else f"{score['cp'] / 100:+.2f}"
    return f"{told}/{best['depth']} {' '.join(best['pv'])}"
