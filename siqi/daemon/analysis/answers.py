"""The file of `--resume`: the answers of earlier runs, to which this run appends its own."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import msgspec

from siqi.system.files import check_owned, open_json_lines, open_regular, write_whole

Answer = dict[str, Any]
Final = tuple[str, int, str]
"""The id, turn and `query` of a final answer."""

_BEGINNING = re.compile(rb'\{"id":"(?:[^"\\]|\\.)*","turn":\d+,"isDuringSearch":')
_FIRST_FIELDS = (b'{"id":"', b'{"error":"')
_ERROR_FIELDS = {"error", "field", "id", "line", "turn"}


class NotAnswersError(ValueError):
    """Raised if a file has a line that `siqi analyse` has not written."""


def no_results(id: str, turn: int) -> Answer:
    """Return the answer to a position that was terminated before its search."""
    return {"id": id, "turn": turn, "isDuringSearch": False, "noResults": True}


def place_of(answer: Answer, name: str) -> str:
    """Return which position an answer is to; `name`: what an id is, such as `game {}`."""
    place = f"line {answer['line']}" if "line" in answer else name.format(answer.get("id", "?"))
    return f"after move {turn} of {place}" if (turn := answer.get("turn")) else place


def is_answer(value: object) -> bool:
    """True for an answer of `siqi analyse`: to a position or an action, an error, or a warning."""
    if not isinstance(value, dict):
        return False
    if "error" in value and isinstance(value["error"], str):
        return value.keys() <= _ERROR_FIELDS
    if not isinstance(value.get("id"), str):
        return False
    if "warning" in value:
        return value.keys() == {"id", "warning", "field"}
    if "action" in value:
        return isinstance(value["action"], str)
    return type(value.get("turn")) is int and type(value.get("isDuringSearch")) is bool


def owns(head: bytes) -> bool:
    """True if a file that begins with these bytes is one of ours: its first line is an answer, or the start of one."""
    line, newline, _ = head.partition(b"\n")
    value = _decoded(line)
    if isinstance(value, dict):
        return is_answer(value) and "action" not in value  # a file of queries may have actions, too
    return not newline and _BEGINNING.match(head) is not None


def _decoded(line: bytes) -> object:
    """Return the value of a line of JSON, None if it is malformed."""
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None


class EarlierAnswers(NamedTuple):
    """The content of a file of answers that a later run needs."""

    finals: frozenset[Final] = frozenset()
    others: frozenset[int] = frozenset()  # hashes of errors and warnings


def read_answers(path: Path) -> EarlierAnswers:
    """Read a file of answers without changing it; a missing file has none.

    OSError if it cannot be read, NotAnswersError if any line of it is no answer.
    """
    finals, others = set(), set()
    try:
        check_owned(path, owns)
        descriptor = open_regular(path)
    except FileNotFoundError:
        return EarlierAnswers()
    with os.fdopen(descriptor, "rb") as file:
        for answer, line in _answers(file):
            if "isDuringSearch" not in answer:
                others.add(hash(line))
            elif not answer["isDuringSearch"] and isinstance(answer.get("query"), str):
                finals.add((answer["id"], answer["turn"], answer["query"]))
    return EarlierAnswers(frozenset(finals), frozenset(others))


def _answers(file: BinaryIO) -> Iterator[tuple[Answer, bytes]]:
    """Yield each answer and its line; a last line that was cut short is skipped."""
    for number, line in enumerate(file, 1):
        value = _decoded(line)
        if isinstance(value, dict) and is_answer(value):
            yield value, line.rstrip(b"\n")
        elif value is not None or line.endswith(b"\n") or not line.startswith(_FIRST_FIELDS):
            raise NotAnswersError(f"line {number} is no answer of siqi analyse; the file is left as it is")


def last_answers(path: Path) -> Iterator[Answer]:
    """Yield the final answers of a file, of several to one id and turn the last one; OSError if it cannot be read."""
    last: dict[tuple[str, int], int] = {}
    for is_second in (False, True):
        with os.fdopen(open_regular(path), "rb") as file:
            for number, (answer, _) in enumerate(_answers(file)):
                if answer.get("isDuringSearch", True):
                    continue
                if not is_second:
                    last[answer["id"], answer["turn"]] = number
                elif last[answer["id"], answer["turn"]] == number:
                    yield answer


class Journal:
    """A file of answers, open for appending; each answer is written whole or not at all."""

    def __init__(self, path: Path, earlier: EarlierAnswers) -> None:
        """Open or create the file, and remove a last line that was cut short.

        OSError if that fails, or if another run is writing to it.
        """
        self._file = open_json_lines(path, owns, exclusive=True)
        self._others = set(earlier.others)

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def write(self, answer: Answer) -> None:
        """Append an answer, unless it answers an action, or is an error or warning that the file has already."""
        if "action" in answer:
            return
        line = msgspec.json.encode(answer)
        if "isDuringSearch" not in answer:
            if hash(line) in self._others:
                return
            self._others.add(hash(line))
        write_whole(self._file, line + b"\n")
