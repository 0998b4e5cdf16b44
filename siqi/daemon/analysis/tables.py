"""The file of `--resume` as a table: the rows of earlier runs, to which this run appends its own."""

from __future__ import annotations

import csv
import errno
import io
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO, NamedTuple

from siqi.daemon.analysis.answers import Final, NotAnswersError
from siqi.daemon.analysis.formats import cell_of, columns, score_before, text_of
from siqi.games import registry
from siqi.games.contract import Outcome
from siqi.system.files import check_owned, open_append, open_regular, write_whole

HEADERS = tuple(dict.fromkeys(columns(game) for game in registry.NAMES))
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
