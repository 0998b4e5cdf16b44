"""The engine's findings on the positions of a review, kept in a file next to the page until the page is complete."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Self

import msgspec

from siqi.daemon.analysis.open_run import open_run
from siqi.daemon.analysis.query import Query, query_hash, resolve_options
from siqi.daemon.analysis.run import Listeners, Run, RunSettings
from siqi.games.contract import TablebaseResult
from siqi.system.files import check_owned, open_json_lines, open_regular, write_whole

HEAD = b'{"siqi":"review","format":1}\n'
"""The first line of a file of findings."""

EVERY_REPORT_S = 1e-9
"""Seconds between the reports of a search, so few that each iteration is reported."""

MAX_MOVES = 10
"""The moves of a line that are kept, unless it ends in mate."""


class Chance(msgspec.Struct, frozen=True, omit_defaults=True):
    """A value, the view of the side to move."""

    expected: float  # the expected result, 0..1
    mate: int = 0  # turns of the winner, negative if the mover loses; 0: not proven
    cp: int = 0


class FoundLine(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line with its value; `throw`: the throw that it answers, if none was given."""

    value: Chance
    moves: tuple[str, ...]
    throw: int = 0


class Finding(msgspec.Struct, frozen=True, omit_defaults=True):
    """The engine's and the tablebases' knowledge of a position."""

    key: str  # a hash of the position with its past, the limits, the options and the version
    value: Chance | None = None  # None: the game is over, and has no moves
    lines: tuple[FoundLine, ...] = ()  # the best; of EWN the best for each throw; of Junqi the one played, too
    depth: int = 0
    ending: TablebaseResult | None = None  # by the tablebases
    error: str = ""


class PositionRequest(msgspec.Struct, frozen=True):
    """A position to analyse: a query's, after `turn` of its moves."""

    query: Query
    turn: int
    key: str


def request_of(query: Query, turn: int, settings: RunSettings) -> PositionRequest:
    """Return the request to analyse a position, with its key."""
    key = query_hash(query, turn, resolve_options(query, settings.options))
    if query.multipv != 1 and turn < len(query.moves):
        key += f" {bare(query.moves[turn])}"  # whose line is kept
    return PositionRequest(query, turn, key)


def finding_of(key: str, answer: dict[str, Any]) -> Finding:
    """Return the part of an answer of the analysis that a review shows."""
    if "error" in answer:
        return Finding(key, error=answer["error"])
    lines = [FoundLine(_chance(line["score"]), _kept(line), line.get("throw", 0)) for line in answer["lines"]]
    if lines and not lines[0].throw:
        played = bare(answer.get("played", ""))
        lines = [line for line in lines if line is lines[0] or bare(line.moves[0]) == played]
    value = _chance(answer["value"]) if "value" in answer else lines[0].value if lines else None
    ending = TablebaseResult(**answer["ending"]) if "ending" in answer else None
    return Finding(key, value, tuple(lines), answer.get("depth", 0), ending)


def _kept(line: dict[str, Any]) -> tuple[str, ...]:
    return tuple(line["pv"] if "mate" in line["score"] else line["pv"][:MAX_MOVES])


def lengthen(lines: Sequence[dict[str, Any]], earlier: Sequence[list[str]]) -> None:
    """Give each line the moves that an earlier iteration had after it: the last iteration may have been stopped."""
    for line in lines:
        longer = [pv for pv in earlier if pv[: len(line["pv"])] == line["pv"]]
        line["pv"] = max([line["pv"], *longer], key=len)


def bare(word: str) -> str:
    """Return a move's word without the result of its battle and an announced flag (Junqi)."""
    return word.partition("=")[0].partition("@")[0]


def _chance(score: dict[str, Any]) -> Chance:
    mate = score.get("mate", 0)
    if mate:
        return Chance(float(mate > 0), mate)
    return Chance(score["expected"], 0, score.get("cp", 0))


class FindingsFile:
    """A file of findings; each is written whole or not at all, so that a run that is killed loses none."""

    def __init__(self, path: Path) -> None:
        """Open or create the file. OSError if it is not ours, or another run writes to it."""
        self.path = path
        self.findings: dict[str, Finding] = {}
        self._file: BinaryIO = open_json_lines(path, _owns, exclusive=True)
        try:
            if os.fstat(self._file.fileno()).st_size == 0:
                write_whole(self._file, HEAD)
            self.findings.update((finding.key, finding) for finding in _findings(path))
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """Close the file; one without findings, of a run that was refused, is deleted."""
        if self.findings:
            self._file.close()
        else:
            self.remove()

    def add(self, finding: Finding) -> None:
        """Append a finding; OSError if the disk is full."""
        write_whole(self._file, msgspec.json.encode(finding) + b"\n")
        self.findings[finding.key] = finding

    def remove(self) -> None:
        """Delete the file, which is no longer needed."""
        self._file.close()
        self.path.unlink(missing_ok=True)


def _owns(head: bytes) -> bool:
    return head.startswith(HEAD) or HEAD.startswith(head)  # a run may have been killed as it wrote the first line


def _findings(path: Path) -> Iterator[Finding]:
    """Yield the findings of a file; a line that is none is skipped, and its position analysed again."""
    check_owned(path, _owns)
    with os.fdopen(open_regular(path), "rb") as file:
        for line in file:
            try:
                yield msgspec.json.decode(line, type=Finding)
            except (msgspec.DecodeError, UnicodeError):
                continue


def find(
    positions: Iterable[PositionRequest],
    settings: RunSettings,
    take: Callable[[Finding], None],
    fail: Callable[[Exception], object],
    note: Callable[[str], None],
    cluster: str | None = None,
) -> None:
    """Analyse positions, and give each finding to `take`. Blocks until the last one; Ctrl-C stops it early.

    `cluster`: the address of a Dask cluster whose workers search, None: this process. ClusterError if there is none.

    `fail` is called with an exception after which the run cannot go on, and must end the process; `note` gets lines for
    the user. `take` is called by one thread at a time.
    """
    waiting: dict[str, str] = {}
    earlier: dict[str, list[list[str]]] = {}

    def write(answer: dict[str, Any]) -> None:
        name = answer["id"]
        if answer.get("isDuringSearch"):
            earlier[name] = [line["pv"] for line in answer["lines"]]
        else:
            lengthen(answer.get("lines", ()), earlier.pop(name, ()))
            take(finding_of(waiting.pop(name), answer))

    def feed(run: Run) -> None:
        for number, position in enumerate(positions):
            name = str(number)
            waiting[name] = position.key
            query = msgspec.structs.replace(
                position.query, id=name, analyseTurns=(position.turn,), reportEvery=EVERY_REPORT_S
            )
            run.take_query(query)

    with contextlib.ExitStack() as stack:
        run = open_run(cluster, stack, settings, Listeners(write, fail, note=note))
        try:
            run.carry_out(lambda: feed(run))
        except KeyboardInterrupt:
            run.stop()
            raise
