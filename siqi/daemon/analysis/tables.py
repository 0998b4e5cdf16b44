"""Answers as a table of comma-separated values, and the file of `--resume` to which a run appends its rows."""

from __future__ import annotations

import contextlib
import csv
import errno
import io
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO, NamedTuple

import msgspec

from siqi.daemon.analysis.answers import Answer, Final, NotAnswersError
from siqi.daemon.analysis.inputs import InputKind, OpenInput
from siqi.daemon.analysis.outputs import Output, guarded, put
from siqi.daemon.analysis.scores import loss, needs_next_score, score_before
from siqi.daemon.commands.game_files import CommandError
from siqi.games import registry
from siqi.games.contract import Outcome
from siqi.games.game_record import GameRecord
from siqi.system.files import check_owned, open_append, open_regular, write_whole

COLUMNS = (
    *("id", "turn", "fen", "toMove", "played", "lost", "rank", "throw", "bestmove", "move", "cp", "mate", "win"),
    *("draw", "expected", "depth", "nodes", "time", "pv", "outcome", "error", "query"),
)
"""The columns of a table before those of the game's tags."""

OTHER_TAGS = "Tags"
"""The last column: tags without a column of their own, as JSON."""


def columns(game: str) -> tuple[str, ...]:
    """Return the columns of a table whose first input is of a game, if it has games, which have tags."""
    return (*COLUMNS, "Event", "Site", "Date", "Round", *registry.info(game).players, "Result", OTHER_TAGS)


def tags_of(game: str, record: GameRecord) -> dict[str, str]:
    """Return the tags of a game: those of its file where the format has tags, else those that its record gives."""
    if record.source is not None:
        return {**record.source.headers, "Result": record.result}
    first, second = registry.info(game).players
    tags = {"Event": record.event, "Date": record.occasion, first: record.first, second: record.second}
    return {name: text for name, text in tags.items() if text} | {"Result": record.result}


HEADERS = (COLUMNS, *dict.fromkeys(columns(game) for game in registry.NAMES))
"""The headers that tables may have."""


CHECKED: Mapping[str, Callable[[str], object]] = {"turn": int, "cp": int, "mate": int, "outcome": Outcome.parse}
"""Readers of the cells that a later run needs; ValueError for a cell that is none of ours."""


class EarlierRows(NamedTuple):
    """The content of a table that a later run needs."""

    header: tuple[str, ...] = ()  # (): there is no table yet
    scores: Mapping[Final, int | None] = MappingProxyType({})  # of answered positions
    errors: frozenset[int] = frozenset()  # hashes of rows
    end: int = 0  # the bytes of the complete rows
    size: int = 0  # all bytes


def owns(head: bytes) -> bool:
    """True if a file that begins with these bytes is one of ours: its first line is a header, or the start of one."""
    line, newline, _ = head.partition(b"\n")
    texts = [",".join(header).encode() for header in HEADERS]
    return line in texts if newline else any(text.startswith(line) for text in texts)


def read_table(path: Path) -> EarlierRows:
    """Read a table without changing it; a missing file has none.

    A last row that was cut short does not count, nor do the rows of its position before it. OSError if the table cannot
    be read, NotAnswersError if a row of it is none of ours.
    """
    try:
        check_owned(path, owns)
        descriptor = open_regular(path)
    except FileNotFoundError:
        return EarlierRows()
    with os.fdopen(descriptor, "rb") as file:
        return _read(file)


def _read(file: BinaryIO) -> EarlierRows:
    line = file.readline()
    if not line.endswith(b"\n"):
        return EarlierRows(size=len(line))
    header = tuple(line.decode().rstrip("\n").split(","))
    scores: dict[Final, int | None] = {}
    errors = set()
    start = end = len(line)  # `start`: of the last position
    last: Final | None = None
    for number, line in enumerate(file, 2):
        if not line.endswith(b"\n"):
            if last is not None and (line.startswith(_beginning(last)) or _beginning(last).startswith(line)):
                scores.pop(last, None)
                end = start
            break
        row = _row(line, header, number)
        final = (text_of(row["id"]), int(row["turn"]), row["query"]) if row["turn"] else None
        if final is None or final != last:
            start, last = end, final
            if row["error"]:
                errors.add(hash(line.rstrip(b"\n")))
            elif final is not None and row["query"]:
                scores[final] = _score(row)
        end += len(line)
    return EarlierRows(header, scores, frozenset(errors), end, file.seek(0, os.SEEK_END))


def _beginning(final: Final) -> bytes:
    """Return the first bytes of a position's rows, its id and turn, by which a row that was cut short is recognised."""
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow((cell_of(final[0]), final[1]))
    return text.getvalue().encode() + b","


def _row(line: bytes, header: tuple[str, ...], number: int) -> dict[str, str]:
    """Return the cells of a row by their columns; NotAnswersError if it is none of ours."""
    try:
        (cells,) = csv.reader([line.decode()], strict=True)
        row = dict(zip(header, cells, strict=True))
        for name, read in CHECKED.items():
            if row[name]:
                read(row[name])
    except (ValueError, csv.Error):
        raise NotAnswersError(f"line {number} is no row of siqi analyse; the file is left as it is") from None
    return row


def _score(row: dict[str, str]) -> int | None:
    """Return the score of a position in centipawns, the mover's view, by its first row."""
    score = {name: int(row[name]) for name in ("cp", "mate") if row[name]}
    line = {"score": score} | ({"throw": 1} if row["throw"] else {})
    return score_before({"outcome": row["outcome"], "toMove": row["toMove"], "lines": [line] if score else []})


class TableFile:
    """A table, open for appending; the rows of an answer are written whole or not at all."""

    def __init__(self, path: Path, earlier: EarlierRows) -> None:
        """Open or create the file, and remove what was cut short.

        OSError if that fails, or if another run is writing to it.
        """
        self._file = open_append(path, owns, exclusive=True)
        self._errors = earlier.errors
        if self._file.tell() != earlier.size:  # it has changed since it was read
            self._file.close()
            raise OSError(errno.EBUSY, "is being written by another process", str(path))
        self._file.truncate(earlier.end)

    def __enter__(self) -> TableFile:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def write(self, rows: str) -> None:
        """Append rows, unless they are an error that the file has already."""
        data = rows.encode()
        if hash(data) not in self._errors:
            write_whole(self._file, data + b"\n")


def cell_of(text: str) -> str:
    """Return a text as the cell of a table: a spreadsheet would run one that begins with a sign of a formula."""
    return f"'{text}" if text.lstrip("'").startswith(FORMULA_SIGNS) else text


def text_of(cell: str) -> str:
    """Return the text of a cell that `cell_of` has made."""
    return cell.removeprefix("'") if cell.lstrip("'").startswith(FORMULA_SIGNS) else cell


FORMULA_SIGNS = ("=", "+", "-", "@")


class CsvOutput(Output):
    """Final answers as comma-separated values, a row for each principal variation.

    The column `lost` needs the score of the next position, unless the move played is among the variations; its rows
    wait for that answer. With `resume`, the rows are appended to that file.
    """

    def __init__(self, resume: Path | None) -> None:
        self._resume = resume
        self._earlier = EarlierRows() if resume is None else read_table(resume)
        self._header = self._earlier.header
        self._file: TableFile | None = None
        self._tags: dict[str, dict[str, str]] = {}  # by id
        self._expected: dict[str, Counter[int]] = {}  # by id, the turns without an answer yet
        self._waiting: dict[str, dict[int, Answer]] = {}  # by id and turn, answers that wait for the next position's
        self._scores: dict[str, dict[int, int | None]] = {}  # by id and turn, centipawns, the mover's view
        self.done = self._earlier.scores

    def open(self, stack: contextlib.ExitStack, first: OpenInput | None) -> None:
        if self._resume is not None:
            self._file = stack.enter_context(TableFile(self._resume, self._earlier))

    def begin(self, kind: InputKind, are_many: bool) -> None:
        """Write the header, unless that is done: the players' columns are named as in the game of the first input.

        A single input without tags gets no columns for them.
        """
        if not self._header:
            self._header = columns(kind.game) if kind.has_tags or are_many else COLUMNS
            self._write([self._header])
        if kind.has_tags and self._header == COLUMNS:
            raise CommandError("the table of --resume has no columns for the tags of games")

    def add_game(self, name: str, game: str, record: GameRecord) -> None:
        self._tags[name] = tags_of(game, record)

    def expect(self, name: str, turns: tuple[int, ...], done: list[Final]) -> None:
        if turns:
            self._expected.setdefault(name, Counter()).update(turns)
            known = {final[1]: self._earlier.scores[final] for final in done}
            self._scores.setdefault(name, {}).update(known)
        else:
            self._tags.pop(name, None)

    def _write(self, rows: Iterable[Sequence[Any]]) -> None:
        text = io.StringIO()
        table = csv.writer(text, lineterminator="\n")
        for row in rows:
            table.writerow([cell_of(" ".join(cell.split())) if isinstance(cell, str) else cell for cell in row])
        if (file := self._file) is None:
            put(text.getvalue().encode())
        else:
            guarded(lambda: file.write(text.getvalue().removesuffix("\n")))

    def write(self, answer: Answer) -> None:
        if answer.get("isDuringSearch") or "warning" in answer or "action" in answer:
            return
        name, turn = answer.get("id", ""), answer.get("turn", -1)
        expected = self._expected.get(name, Counter())
        if not expected[turn]:  # an error of the whole query
            self._write_rows(answer, None)
            return
        expected[turn] -= 1
        scores, waiting = self._scores.setdefault(name, {}), self._waiting.setdefault(name, {})
        scores[turn] = score_before(answer)
        if (earlier := waiting.pop(turn - 1, None)) is not None:
            self._write_rows(earlier, scores[turn])
        if expected[turn + 1] and needs_next_score(answer) and turn not in waiting:
            waiting[turn] = answer
        else:
            self._write_rows(answer, scores.get(turn + 1))
        if not +expected:
            for store in (self._expected, self._waiting, self._scores, self._tags):
                store.pop(name, None)

    def finish(self) -> None:
        """Write the rows that still wait, unless the next run can add them whole."""
        for waiting in self._waiting.values() if self._resume is None else ():
            for answer in waiting.values():
                self._write_rows(answer, None)

    def _write_rows(self, answer: Answer, next_score: int | None) -> None:
        """Write the rows of an answer. `next_score`: of the position after the move played, the opponent's view."""
        lost = loss(answer, next_score)
        tags = self._tag_cells(answer.get("id", ""))
        rows = []
        for rank, line in enumerate(answer.get("lines") or [{}], 1):
            cells = {**answer, **line, **line.get("score", {}), "pv": " ".join(line.get("pv", ()))}
            if line:
                cells["rank"] = 1 if "throw" in line else rank
            if lost is not None:
                cells["lost"] = lost
            rows.append([*(cells.get(column, "") for column in COLUMNS), *tags])
        self._write(rows)

    def _tag_cells(self, name: str) -> list[str]:
        """Return the cells of the tags' columns for an id."""
        if self._header == COLUMNS:
            return []
        tags = self._tags.get(name, {})
        own = self._header[len(COLUMNS) : -1]
        others = {tag: text for tag, text in tags.items() if tag not in own}
        return [*(tags.get(tag, "") for tag in own), msgspec.json.encode(others).decode() if others else ""]
