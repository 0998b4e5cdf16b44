"""The command line of `siqi analyse`: files, formats, progress."""

from __future__ import annotations

import argparse
import contextlib
import errno
import io
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from siqi.daemon.analysis import plot
from siqi.daemon.analysis.answers import EarlierAnswers, Final, Journal, NotAnswersError, last_answers, read_answers
from siqi.daemon.analysis.formats import (
    AnnotatedRecords,
    CsvTable,
    queries_of_fens,
    query_of_record,
    records_of,
    tags_of,
)
from siqi.daemon.analysis.inputs import (
    FEN,
    JSON,
    RECORD,
    WORDS,
    InputKind,
    format_names,
    json_lines,
    kind_of,
    read_whole,
)
from siqi.daemon.analysis.open_run import open_run
from siqi.daemon.analysis.run import DEFAULT_NODES, Listeners, RunSettings
from siqi.daemon.analysis.tables import EarlierRows, TableFile, read_table
from siqi.daemon.cluster.errors import ClusterError
from siqi.daemon.commands.arguments import add_cluster, add_workers, number_to, workers_of
from siqi.daemon.commands.game_files import (
    CommandError,
    NamedFile,
    check_encoding,
    files_of,
    listed,
    position_in,
    reason,
)
from siqi.daemon.engine.options import CORE
from siqi.games import registry
from siqi.games.compiling import announce_compiling
from siqi.games.game_record import CutGameError, GameRecord
from siqi.system.encodings import Text, explain, first_bytes, open_input
from siqi.system.interrupts import INTERRUPTED
from siqi.system.messages import translated
from siqi.system.pipes import printable, to_stderr
from siqi.system.texts import visible

FAILED, MISUSED = 1, 2
"""Exit statuses."""

_MAX = {option.name: option.high for option in CORE}


def add_arguments(found: argparse.ArgumentParser) -> None:
    """Add the arguments of `siqi analyse` to a parser."""
    found.description = "Analyse positions: one JSON object per line in, one per line out."
    what = "a file of queries or games, a folder with files of games, a position, or - for standard input (default)"
    found.add_argument("input", nargs="*", metavar="FILE", help=what)
    add_workers(found)
    found.add_argument("--threads", type=number_to(_MAX["Threads"]), default=1, help="threads of each search")
    found.add_argument(
        "--hash", type=number_to(_MAX["Hash"]), default=16, metavar="MIB", help="hash memory of each search"
    )
    nodes_help = f"node limit of queries that name no limit ({DEFAULT_NODES})"
    found.add_argument("--nodes", type=number_to(10**15), default=0, help=nodes_help)
    found.add_argument("--depth", type=number_to(10**15), default=0, help="their depth limit")
    found.add_argument("--movetime", type=number_to(10**9), default=0, metavar="MS", help="their time limit")
    found.add_argument("--multipv", type=number_to(256), default=1, metavar="N", help="number of best moves to report")
    found.add_argument("--game", choices=registry.NAMES, help="the game of FENs and records (xiangqi, or by content)")
    what = "json, fen, record (the game's usual one), or a name of siqi convert --list; default: by the content"
    found.add_argument("--from", dest="format", metavar="FORMAT", help=what)
    found.add_argument("--format", default=argparse.SUPPRESS, help=argparse.SUPPRESS)  # its name in earlier versions
    found.add_argument("--encoding", help="the encoding of FENs and records; default: detected")
    found.add_argument(
        "--output",
        choices=("json", "csv", "record", "plot"),
        default="json",
        help="record: the input with comments; plot: a picture of all answers, into the file of --plot or as SVG",
    )
    plot_help = "at the end, write a picture of all answers: SVG or PNG, needs matplotlib"
    found.add_argument("--plot", type=Path, metavar="FILE", help=plot_help)
    what = "append answers (JSON or CSV) to FILE; skip those it has"
    found.add_argument("--resume", type=Path, metavar="FILE", help=what)
    add_cluster(found)
    found.add_argument("--json-progress", action="store_true", help="progress on standard error as lines of JSON")


def report(text: str) -> None:
    """Write a line for the user to standard error."""
    to_stderr(f"siqi analyse: {text}")


def analyse_with(options: argparse.Namespace) -> int:
    """Run `siqi analyse`. Return 0 if every position has an answer, 1 after a failure, 2 if nothing was started."""
    if (refusal := misuse(options)) is not None:
        report(refusal)
        return MISUSED
    earlier: EarlierAnswers | EarlierRows = EarlierAnswers()
    if options.resume is not None:
        try:
            earlier = read_table(options.resume) if options.output == "csv" else read_answers(options.resume)
        except (OSError, NotAnswersError) as error:
            report(f"--resume {options.resume}: {getattr(error, 'strerror', None) or error}")
            return MISUSED
        count = len(earlier.scores if isinstance(earlier, EarlierRows) else earlier.finals)
        if count and sys.stderr is not None and sys.stderr.isatty():
            report(f"--resume {options.resume}: {count} answer{'s are' if count > 1 else ' is'} there")
    try:
        with contextlib.ExitStack() as stack:
            progress = stack.enter_context(Progress(options.json_progress))
            return AnalyseCommand(options, progress, earlier, stack).run()
    except (ClusterError, CommandError) as error:
        report(str(error))
        return MISUSED
    except UnicodeError as error:  # found before the first position
        report(explain(error))
        return MISUSED
    except OSError as error:
        report(reason(error))
        return FAILED


def misuse(options: argparse.Namespace) -> str | None:
    """Return why the options exclude each other, None if they do not."""
    if options.cluster is not None and options.workers is not None:
        return "--workers are of this machine; --cluster has its own"
    if options.resume is not None and options.output not in ("json", "csv"):
        return "--resume needs --output json or csv"
    if options.resume is not None and options.output == "csv" and options.plot is not None:
        return "--plot with --resume needs --output json"
    if options.format is not None and options.format not in (*WORDS, *format_names()):
        return f"--from {options.format}: {', '.join(WORDS)}, or a format of siqi convert --list"
    if (options.output == "plot" or options.plot is not None) and (fault := plot.refusal(options.plot)) is not None:
        return f"--plot: {fault}"
    if options.output == "record":
        if options.format in (JSON, FEN):
            return "--output record needs --from record"
        if len(options.input) > 1 or any(map(os.path.isdir, options.input)):
            return "--output record takes one file"
        if options.format == RECORD:
            return no_room(options.game or registry.DEFAULT_GAME)
    return None


def no_room(game: str) -> str | None:
    """Return why records of a game are not written with comments, None if they are."""
    with announce_compiling(report, game):
        annotate = registry.record_format(game).load_stream().annotate
    return f"--output record: records of {game} have no room for comments" if annotate is None else None


class AnalyseCommand:
    """The command with its inputs, its run and its output."""

    def __init__(
        self,
        options: argparse.Namespace,
        progress: Progress,
        earlier: EarlierAnswers | EarlierRows,
        stack: contextlib.ExitStack,
    ) -> None:
        self._options = options
        self._progress = progress
        self._records: AnnotatedRecords | None = None
        self._table: CsvTable | None = None
        self._earlier = earlier
        self._summary = plot.PlotSummary() if options.output == "plot" or options.plot is not None else None
        if sys.stdout is None:
            raise OSError(errno.EBADF, "standard output is closed")
        self._status = 0
        check_encoding(options.encoding or "")
        names = [self._position] if self._position else options.input or ["-"]
        self._files = files_of(names, progress.report)
        self._failed: list[str] = []
        self._opened: OpenInput | None = None
        if not self._files.are_many and (options.output == "record" or options.input not in ([], ["-"])):
            self._opened = self._open(self._files.files[0])  # what cannot be read is refused before anything is written
            stack.enter_context(self._opened.source)
        self._write = self._writer(stack)
        nodes = options.nodes or (0 if options.depth or options.movetime else DEFAULT_NODES)
        limits = nodes, options.depth, options.movetime
        settings = RunSettings(
            workers_of(options),
            options.threads,
            options.hash,
            *limits,
            options.multipv,
            given=options.settings,
            no_files=options.no_files,
        )
        listeners = Listeners(self._take_answer, self._fail, self._expect, progress.report)
        done = earlier.scores if isinstance(earlier, EarlierRows) else earlier.finals
        self._run = open_run(options.cluster, stack, settings, listeners, done)

    @property
    def _position(self) -> str:
        """The position that stands in place of a file; '' without one."""
        return "" if self._options.format else position_in(self._options.input)

    def _open(self, file: NamedFile) -> OpenInput:
        """Open an input; CommandError if its format is not known, OSError, LookupError or UnicodeError as of `Text`."""
        options = self._options
        if file.path == "-" and sys.stdin is not None and sys.stdin.isatty():
            end = "Ctrl-Z and Enter" if sys.platform == "win32" else "Ctrl-D"
            self._progress.report(f"waiting for FENs, queries in JSON or a game; {end} ends the input")
        source: io.BufferedReader = (
            io.BufferedReader(io.BytesIO(self._position.encode())) if self._position else open_input(file.path)
        )
        try:
            head = first_bytes(source)
            if not head and source.isatty():  # its end has been typed: to read on would ask for another one
                source = io.BufferedReader(io.BytesIO())
            game = options.game or registry.DEFAULT_GAME
            kind = InputKind(FEN, game) if self._position else kind_of(file.path, head, options)
            if kind.way not in (JSON, FEN) and "UCI_Coordinates" in options.settings:
                raise CommandError(f"--option UCI_Coordinates: {file.path}: records have ranks of their own")
            if options.output == "record":
                if kind.way != RECORD:
                    raise CommandError(f"--output record: {file.path}: {kind}, which is no record")
                if (fault := no_room(kind.game)) is not None:
                    raise CommandError(fault)
            text = None
            if kind.way in (FEN, RECORD):
                usual = "utf-8"
                if kind.way == RECORD:
                    usual = registry.record_format(kind.game).encoding
                text = Text(source, options.encoding, usual, options.output == "record")
        except BaseException:
            source.close()
            raise
        return OpenInput(source, head, kind, text)

    def _writer(self, stack: contextlib.ExitStack) -> Callable[[dict[str, Any]], None]:
        options = self._options
        if options.output == "record":
            assert self._opened is not None and self._opened.text is not None
            text, game = self._opened.text, self._opened.kind.game
            encode = text.encode if not sys.stdout.isatty() else for_terminal
            self._records = AnnotatedRecords(lambda part: self._put(encode(part)), game, text.encoding)
            return self._records
        if options.output == "csv":
            if isinstance(self._earlier, EarlierRows) and options.resume is not None:
                file = stack.enter_context(TableFile(options.resume, self._earlier))
                self._table = CsvTable(lambda rows: self._guard(lambda: file.write(rows)), self._earlier.header)
            else:
                self._table = CsvTable(lambda rows: self._put(rows.encode() + b"\n"))
            return self._table
        if options.output == "plot":
            return lambda answer: None
        if isinstance(self._earlier, EarlierAnswers) and options.resume is not None:
            journal = stack.enter_context(Journal(options.resume, self._earlier))
            return lambda answer: self._guard(lambda: journal.write(answer))
        return lambda answer: self._put(msgspec.json.encode(answer) + b"\n")

    def _put(self, data: bytes) -> None:
        def put() -> None:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()

        self._guard(put)

    def _guard(self, write: Callable[[], None]) -> None:
        """Write; if that fails, end the process at once, however much input is left."""
        try:
            write()
        except BrokenPipeError:
            os._exit(0)  # the reader has closed the pipe
        except OSError as error:  # a full disk
            report(f"the output: {error.strerror}")
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

    def _expect(self, name: str, turns: tuple[int, ...], done: list[Final]) -> None:
        self._progress.expect(len(turns))
        if self._table is not None:
            scores = self._earlier.scores if isinstance(self._earlier, EarlierRows) else {}
            self._table.expect(name, turns, {final[1]: scores[final] for final in done})

    def run(self) -> int:
        """Run to the end of the inputs and the last answer; return the exit status."""
        try:
            self._run.carry_out(self._feed)
        except KeyboardInterrupt:
            self._run.stop()
            self._status = INTERRUPTED
        if self._table is not None and self._options.resume is None:  # the next run adds them whole
            self._table.close()
        if self._summary is not None:
            self._plot(self._summary)
        if self._files.are_many:
            self._progress.report(summary(len(self._files.files), self._failed))
        if self._status != INTERRUPTED and self._run.errors:
            errors = self._run.errors
            self._progress.report(f"{errors} of the answers {'is an error' if errors == 1 else 'are errors'}")
            self._status = FAILED
        return self._status

    def _plot(self, summary: plot.PlotSummary) -> None:
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
            fault = reason(error)
        except ValueError:
            fault = f"{options.resume}: an answer is not of this version"
        if fault:
            self._progress.report(f"no plot: {fault}")
            self._status = self._status or FAILED

    def _feed(self) -> None:
        """Read the inputs one after the other; what was read before a fault is answered."""
        for number, file in enumerate(self._files.files, 1):
            try:
                opened = self._opened or self._open(file)
                with opened.source:
                    self._begin(file.path, number, opened.kind)
                    is_whole = self._feed_from(file.path, opened)
            except (OSError, UnicodeError, UnreadableError, CommandError) as error:
                name = f"{file.path}: " if self._files.are_many else ""
                if isinstance(error, UnicodeError):
                    self._progress.report(name + explain(error))
                else:
                    self._progress.report(reason(error))
                is_whole = False
            if not is_whole:
                self._failed.append(file.path)
                self._status = FAILED

    def _begin(self, name: str, number: int, kind: InputKind) -> None:
        """Note which input is read, and report it if there are several or its kind was detected."""
        self._progress.read(name, number, len(self._files.files))
        if self._table is not None:
            self._table.begin(kind.game)
        if self._files.are_many or kind.choice is not None:
            place = f" ({number} of {len(self._files.files)})" if self._files.are_many else ""
            self._progress.note(f"{shown(name)}: {kind}{place}")

    def _feed_from(self, name: str, opened: OpenInput) -> bool:
        """Queue the positions of an input; return False if parts of it could not be read."""
        kind, text = opened.kind, opened.text
        prefix = f"{name}:" if self._files.are_many else ""
        is_whole = True
        if kind.way == JSON:
            for number, line in enumerate(json_lines(opened.source, opened.head), 1):
                if line := line.strip():
                    self._run.take_line(line, number)
        elif text is not None and kind.way == FEN:
            for query in queries_of_fens(text.handle, kind.game, prefix):
                self._run.take_query(query)
        elif text is not None:
            is_whole = self._feed_records(text, kind.game, prefix)
        else:
            is_whole = self._feed_games(name, opened, prefix)
        if text is not None and text.broken:
            self._progress.report(prefix + text.hint())
        return is_whole

    def _feed_records(self, text: Text, game: str, prefix: str) -> bool:
        number = 0
        skip = self._records.skip if self._records is not None else lambda text: None
        with announce_compiling(self._progress.report, game):
            found = records_of(text.handle, game, skip)
        is_whole = True
        for number, record in enumerate(found, 1):
            name = f"{prefix}{number}"
            if isinstance(record, ValueError):
                self._run.report_error(str(record), name)
                is_whole = False
                if isinstance(record, CutGameError) and self._records is None:  # else its text stays as it is
                    self._take_record(name, game, record.record)
                continue
            if self._records is not None:
                self._records.add(name, record)
            self._take_record(name, game, record)
        if not number:
            self._progress.report(f"{prefix}no record of {game} in the input")
        return bool(number) and is_whole

    def _feed_games(self, name: str, opened: OpenInput, prefix: str) -> bool:
        """Queue the positions of a file that is read whole; of a game with a fault those before it."""
        kind = opened.kind
        with announce_compiling(self._progress.report, kind.game):
            try:
                games, faults = read_whole(
                    name, opened.source, kind, self._options.encoding or "", self._progress.report
                )
            except ValueError as error:
                raise UnreadableError(str(error)) from None
        for number, record in enumerate(games, 1):
            self._take_record(f"{prefix}{number}", kind.game, record)
        return not faults

    def _take_record(self, name: str, game: str, record: GameRecord) -> None:
        if self._table is not None:
            self._table.describe(name, tags_of(game, record))
        self._run.take_query(query_of_record(name, game, record))


class OpenInput(NamedTuple):
    """An input that is open."""

    source: io.BufferedReader
    head: bytes
    kind: InputKind
    text: Text | None  # its text, if it is read game by game or line by line


class UnreadableError(Exception):
    """Raised with one line for the user if an input has no game."""


def for_terminal(text: str) -> bytes:
    """Return a text for a person at a terminal, whose encoding is not that of the file."""
    return text.encode(sys.stdout.encoding, "replace")


def shown(name: str) -> str:
    """Return the name of an input for the user."""
    return "standard input" if name == "-" else name


def summary(count: int, failed: Sequence[str]) -> str:
    """Return a line on the files that were read: which of them could not be, or not whole."""
    return f"{count} files" + (f"; {len(failed)} could not be read, or not whole: {listed(failed)}" if failed else "")


class Progress:
    """A progress bar, or its figures as JSON: positions, rate, workers of a cluster, time left."""

    def __init__(self, as_json: bool) -> None:
        """A bar needs a terminal as standard error, `as_json` does not."""
        self._as_json = as_json

    def __enter__(self) -> Progress:
        self._bar: Any = None
        if sys.stderr is not None and (self._as_json or sys.stderr.isatty()):
            from siqi.daemon.cluster.progress import Bar

            self._bar = Bar(as_json=self._as_json, total=0, unit=translated(" positions"), file=sys.stderr)
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def report(self, text: str) -> None:
        """Write a line for the user, above the bar."""
        if self._bar is None or self._as_json:
            report(text)
        else:
            self._bar.write(visible(translated(f"siqi analyse: {text}")), file=sys.stderr)

    def note(self, text: str) -> None:
        """Write a line on what is done now, unless a bar shows it."""
        if self._bar is None:
            report(text)

    def read(self, name: str, number: int, total: int) -> None:
        """Show which input is read."""
        if self._bar is not None:
            what = printable(os.path.basename(shown(name)), 40)
            self._bar.reading = name
            self._bar.set_description_str(f"{what} {number}/{total}" if total > 1 else what, refresh=False)

    def expect(self, count: int) -> None:
        """Add to the number of positions to be answered."""
        if self._bar is not None:
            self._bar.total += count

    def update(self, answer: dict[str, Any]) -> None:
        if self._bar is not None and not answer.get("isDuringSearch", "turn" not in answer):
            self._bar.update()
