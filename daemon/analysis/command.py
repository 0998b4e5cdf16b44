"""The command line of `siqi analyse`: files, formats, progress."""

from __future__ import annotations

import argparse
import contextlib
import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from daemon.analysis import plot
from daemon.analysis.answers import Earlier, Journal, NotAnswersError, last_answers, read_answers
from daemon.analysis.batch import DEFAULT_NODES, BatchSettings, Listeners, open_batch
from daemon.analysis.encodings import Text, explain, open_input
from daemon.analysis.formats import AnnotatedRecords, CsvTable, queries_of_fens, query_of_record, records_of
from daemon.cluster.errors import ClusterError
from daemon.interrupts import INTERRUPTED
from daemon.options import CORE
from daemon.pipes import printable
from games import registry
from games.compiling import announce_compiling, to_stderr

FAILED, MISUSED = 1, 2
"""Exit statuses."""

_MAX = {option.name: option.high for option in CORE}


def add_arguments(found: argparse.ArgumentParser) -> None:
    """Add the arguments of `siqi analyse` to a parser."""
    found.description = "Analyse positions: a JSON object a line in, a JSON object a line out (see protocol.md)."
    found.add_argument("input", nargs="?", type=Path, help="a file; default: standard input")
    found.add_argument("--workers", type=number_to(256), default=1, help="positions analysed at the same time")
    found.add_argument("--threads", type=number_to(_MAX["Threads"]), default=1, help="threads of each search")
    found.add_argument(
        "--hash", type=number_to(_MAX["Hash"]), default=16, metavar="MIB", help="hash memory of each search"
    )
    nodes_help = f"node limit of queries that name no limit ({DEFAULT_NODES})"
    found.add_argument("--nodes", type=number_to(10**15), default=0, help=nodes_help)
    found.add_argument("--depth", type=number_to(10**15), default=0, help="their depth limit")
    found.add_argument("--movetime", type=number_to(10**9), default=0, metavar="MS", help="their time limit")
    found.add_argument("--multipv", type=number_to(256), default=1, metavar="N", help="number of best moves to report")
    found.add_argument("--game", choices=registry.NAMES, default="xiangqi", help="the game of FENs and records")
    found.add_argument("--format", choices=("json", "fen", "record"), default="json", help="the format of the input")
    found.add_argument("--encoding", help="the encoding of FENs and records; default: detected")
    found.add_argument(
        "--output",
        choices=("json", "csv", "record", "plot"),
        default="json",
        help="record: the input with comments; plot: a picture of all answers, into the file of --plot or as SVG",
    )
    plot_help = "at the end, write a picture of all answers: SVG or PNG, needs matplotlib"
    found.add_argument("--plot", type=Path, metavar="FILE", help=plot_help)
    found.add_argument("--resume", type=Path, metavar="FILE", help="append answers to FILE; skip those it has")
    add_cluster(found)
    found.add_argument("--json-progress", action="store_true", help="progress on standard error as lines of JSON")


def add_cluster(found: argparse.ArgumentParser) -> None:
    """Declare `--cluster`."""
    where = "local:N, tcp://HOST:PORT or tls://HOST:PORT: search on the workers of a Dask cluster (see docs/cluster.md)"
    found.add_argument("--cluster", type=cluster_address, metavar="WHERE", help=where)


def number_to(most: int) -> Callable[[str], int]:
    """Return the type of an argument that is a whole number from 1 to `most`."""

    def checked(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 20 and 1 <= int(text) <= most):
            raise argparse.ArgumentTypeError(f"a whole number from 1 to {most}, not {text}")
        return int(text)

    return checked


def cluster_address(text: str) -> str:
    """The type of `--cluster`."""
    from daemon.cluster.remote import check_address

    try:
        return check_address(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def report(text: str) -> None:
    """Write a line for the user to standard error."""
    to_stderr(f"siqi analyse: {text}")


def analyse_with(options: argparse.Namespace) -> int:
    """Run `siqi analyse`. Return 0 if every position has an answer, 1 after a failure, 2 if nothing was started."""
    if (refusal := misuse(options)) is not None:
        report(refusal)
        return MISUSED
    earlier = Earlier()
    if options.resume is not None:
        try:
            earlier = read_answers(options.resume)
        except (OSError, NotAnswersError) as error:
            report(f"--resume {options.resume}: {getattr(error, 'strerror', None) or error}")
            return MISUSED
    try:
        with contextlib.ExitStack() as stack:
            progress = stack.enter_context(Progress(options.json_progress))
            return Run(options, progress, earlier, stack).run()
    except ClusterError as error:
        report(str(error))
        return MISUSED
    except (OSError, LookupError) as error:  # LookupError: an encoding that does not exist
        report(str(error))
        return FAILED
    except UnicodeError as error:  # found before the first position
        report(explain(error))
        return MISUSED


def misuse(options: argparse.Namespace) -> str | None:
    """Return why the options exclude each other, None if they do not."""
    if options.cluster is not None and options.workers != 1:
        return "--workers are of this machine; --cluster has its own"
    if options.resume is not None and options.output != "json":
        return "--resume needs --output json"
    if (options.output == "plot" or options.plot is not None) and (fault := plot.refusal(options.plot)) is not None:
        return f"--plot: {fault}"
    if options.output == "record":
        if options.format != "record":
            return "--output record needs --format record"
        with announce_compiling(report, options.game):
            annotate = registry.game_record_format(options.game).annotate
        if annotate is None:
            return f"--output record: records of {options.game} have no room for comments"
    return None


class Run:
    """One run with its input and its output."""

    def __init__(
        self, options: argparse.Namespace, progress: Progress, earlier: Earlier, stack: contextlib.ExitStack
    ) -> None:
        self._options = options
        self._progress = progress
        self._text: Text | None = None
        self._records: AnnotatedRecords | None = None
        self._table: CsvTable | None = None
        self._summary = plot.Summary() if options.output == "plot" or options.plot is not None else None
        if sys.stdout is None:
            raise OSError(errno.EBADF, "standard output is closed")
        self._out = sys.stdout.buffer
        self._status = 0
        if options.format == "json":
            self._handle: Any = stack.enter_context(open_input(options.input))
        else:
            with announce_compiling(progress.report, options.game):
                usual = registry.game_record_format(options.game).ENCODING if options.format == "record" else "utf-8"
            self._text = Text(options.input, options.encoding, usual, options.output == "record")
            self._handle = stack.enter_context(self._text.handle)
        self._write = self._writer(earlier, stack)
        nodes = options.nodes or (0 if options.depth or options.movetime else DEFAULT_NODES)
        limits = nodes, options.depth, options.movetime
        settings = BatchSettings(options.workers, options.threads, options.hash, *limits, options.multipv)
        listeners = Listeners(self._take_answer, self._fail, self._expect, progress.report)
        self._batch = open_batch(options.cluster, stack, settings, listeners, earlier.finals)

    def _writer(self, earlier: Earlier, stack: contextlib.ExitStack) -> Callable[[dict[str, Any]], None]:
        options = self._options
        if options.output == "record":
            assert self._text is not None
            encode = self._text.encode
            self._records = AnnotatedRecords(lambda text: self._put(encode(text)), options.game, self._text.encoding)
            return self._records
        if options.output == "csv":
            self._table = CsvTable(lambda text: self._put(text.encode() + b"\n"))
            return self._table
        if options.output == "plot":
            return lambda answer: None
        if options.resume is not None:
            journal = stack.enter_context(Journal(options.resume, earlier))
            return lambda answer: self._guard(lambda: journal.write(answer))
        return lambda answer: self._put(msgspec.json.encode(answer) + b"\n")

    def _put(self, data: bytes) -> None:
        def put() -> None:
            self._out.write(data)
            self._out.flush()

        self._guard(put)

    def _guard(self, write: Callable[[], None]) -> None:
        """Write; if that fails, end the process at once, however much input is left."""
        try:
            write()
        except BrokenPipeError:
            os._exit(0)  # the reader has closed the pipe
        except OSError as error:  # a full disk
            report(str(error))
            os._exit(FAILED)

    def _fail(self, error: Exception) -> None:
        """End the process at once, as the reader may wait for ever for input or for a failed worker."""
        what = str(error) if isinstance(error, ClusterError) else f"internal: {type(error).__name__}: {error}"
        try:
            self._progress.report(printable(what, 200))
        finally:
            os._exit(FAILED)

    def _take_answer(self, answer: dict[str, Any]) -> None:
        self._write(answer)
        self._progress.update(answer)
        if self._summary is not None and (self._options.resume is None or "error" in answer):
            self._summary.add(answer)
        if self._options.output in ("record", "plot") and "error" in answer:
            turn = f", after move {answer['turn']}" if "turn" in answer else ""
            name = f"line {answer['line']}" if "line" in answer else f"game {answer.get('id', '?')}"
            self._progress.report(f"{name}{turn}: {answer['error']}")

    def _expect(self, name: str, turns: tuple[int, ...]) -> None:
        self._progress.expect(len(turns))
        if self._table is not None:
            self._table.expect(name, turns)

    def run(self) -> int:
        """Run to the end of the input and the last answer; return the exit status."""
        try:
            self._batch.run(self._feed)
        except KeyboardInterrupt:
            self._batch.stop()
            self._status = INTERRUPTED
        if self._table is not None:
            self._table.close()
        if self._summary is not None:
            self._plot(self._summary)
        if self._text is not None and self._text.is_broken:
            self._progress.report(self._text.hint())
        if self._status == 0 and self._batch.errors:
            self._progress.report(f"{self._batch.errors} of the answers are errors")
            self._status = FAILED
        return self._status

    def _plot(self, summary: plot.Summary) -> None:
        """Write the plot of all answers, with --resume of those that the file has."""
        options = self._options
        fault = ""
        try:
            for answer in last_answers(options.resume) if options.resume is not None else ():
                summary.add(answer)
            if not summary.positions:
                fault = "no position has an answer"
            elif options.plot is None:
                self._put(plot.picture(summary, ".svg"))
            else:
                plot.save(summary, options.plot)
        except OSError as error:
            fault = f"{error.filename}: {error.strerror}"
        except ValueError as error:
            fault = f"{options.resume}: not answers of this version: {error}"
        if fault:
            self._progress.report(f"no plot: {fault}")
            self._status = self._status or FAILED

    def _feed(self) -> None:
        """Read the input; positions read before a fault are answered."""
        try:
            self._feed_input()
        except (OSError, UnicodeError) as error:
            self._progress.report(explain(error) if isinstance(error, UnicodeError) else str(error))
            self._status = FAILED

    def _feed_input(self) -> None:
        options = self._options
        if options.format == "json":
            for number, line in enumerate(self._handle, 1):
                if line := line.strip():
                    self._batch.take_line(line, number)
        elif options.format == "fen":
            for query in queries_of_fens(self._handle, options.game):
                self._batch.take_query(query)
        else:
            self._feed_records()

    def _feed_records(self) -> None:
        game, number = self._options.game, 0
        skip = self._records.skip if self._records is not None else lambda text: None
        with announce_compiling(self._progress.report, game):
            found = records_of(self._handle, game, skip)
        for number, record in enumerate(found, 1):
            if isinstance(record, ValueError):
                self._batch.report_error(str(record), str(number))
                continue
            if self._records is not None:
                self._records.add(str(number), record)
            self._batch.take_query(query_of_record(str(number), game, record))
        if not number:
            self._progress.report(f"no record of {game} in the input")
            self._status = FAILED


class Progress:
    """A progress bar, or its figures as JSON: positions, rate, workers of a cluster, time left."""

    def __init__(self, as_json: bool) -> None:
        """A bar needs a terminal as standard error, `as_json` does not."""
        self._as_json = as_json

    def __enter__(self) -> Progress:
        self._bar: Any = None
        if sys.stderr is not None and (self._as_json or sys.stderr.isatty()):
            from daemon.cluster.progress import Bar

            self._bar = Bar(as_json=self._as_json, total=0, unit=" positions", file=sys.stderr)
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def report(self, text: str) -> None:
        """Write a line for the user, above the bar."""
        if self._bar is None or self._as_json:
            report(text)
        else:
            self._bar.write(f"siqi analyse: {text}", file=sys.stderr)

    def expect(self, count: int) -> None:
        """Add to the number of positions to be answered."""
        if self._bar is not None:
            self._bar.total += count

    def update(self, answer: dict[str, Any]) -> None:
        if self._bar is not None and not answer.get("isDuringSearch", "turn" not in answer):
            self._bar.update()
