"""`siqi analyse`: inputs are read into a run, its answers go to the outputs."""

from __future__ import annotations

import argparse
import contextlib
import errno
import io
import os
import sys
from typing import Any

from siqi.daemon.analysis.annotated import RecordOutput, comments_fault
from siqi.daemon.analysis.answers import Final, NotAnswersError, place_of
from siqi.daemon.analysis.arguments import Arguments, arguments_of
from siqi.daemon.analysis.fen_tables import rows_of
from siqi.daemon.analysis.inputs import (
    FEN,
    JSON,
    RECORD,
    TABLE,
    InputKind,
    OpenInput,
    json_lines,
    kind_of,
    queries_of_fens,
    query_of_record,
    read_whole,
    records_of,
)
from siqi.daemon.analysis.open_run import open_run
from siqi.daemon.analysis.outputs import JsonOutput, Output, PlotOutput
from siqi.daemon.analysis.progress import Progress, report, shown
from siqi.daemon.analysis.readable import TextOutput
from siqi.daemon.analysis.run import Listeners
from siqi.daemon.analysis.tables import CsvOutput
from siqi.daemon.cluster.errors import ClusterError
from siqi.daemon.commands.arguments import FAILED, MISUSED
from siqi.daemon.commands.game_files import (
    CommandError,
    NamedFile,
    check_encoding,
    files_of,
    game_of_fen,
    listed,
    reason,
)
from siqi.games import registry
from siqi.games.compiling import announce_compiling
from siqi.games.game_record import CutGameError, GameRecord
from siqi.system.encodings import Text, explain, first_bytes, open_input
from siqi.system.interrupts import INTERRUPTED
from siqi.system.pipes import printable


class UnreadableError(Exception):
    """Raised with one line for the user if an input has no game."""


def analyse_with(options: argparse.Namespace) -> int:
    """Run `siqi analyse`. Return 0 if every position has an answer, 1 after a failure, 2 if nothing was started."""
    try:
        arguments = arguments_of(options)
        outputs = outputs_of(arguments)
        with contextlib.ExitStack() as stack:
            progress = stack.enter_context(Progress(arguments.json_progress, stays=arguments.output != "text"))
            return AnalyseCommand(arguments, outputs, progress, stack).run()
    except (ClusterError, CommandError) as error:
        report(str(error))
        return MISUSED
    except UnicodeError as error:  # found before the first position
        report(explain(error))
        return MISUSED
    except OSError as error:
        report(reason(error))
        return FAILED


def outputs_of(arguments: Arguments) -> list[Output]:
    """Return the outputs, the one of `--output` first; CommandError if none can be added to the file of `--resume`."""
    resume = arguments.resume
    outputs: list[Output] = []
    try:
        if arguments.output == "json":
            outputs = [JsonOutput(resume)]
        elif arguments.output == "csv":
            outputs = [CsvOutput(resume)]
        elif arguments.output == "record":
            outputs = [RecordOutput()]
        elif arguments.output == "text":
            outputs = [TextOutput(is_alone=arguments.is_position, has_bar=not arguments.json_progress)]
    except (OSError, NotAnswersError) as error:
        raise CommandError(f"--resume {resume}: {getattr(error, 'strerror', None) or error}") from None
    if arguments.output == "plot" or arguments.plot is not None:
        outputs.append(PlotOutput(arguments.plot, resume))
    count = len(outputs[0].done)
    if count and sys.stderr is not None and sys.stderr.isatty():
        report(f"--resume {resume}: {count} answer{'s are' if count > 1 else ' is'} there")
    return outputs


class AnalyseCommand:
    """The command with its inputs, its run and its outputs."""

    def __init__(
        self, arguments: Arguments, outputs: list[Output], progress: Progress, stack: contextlib.ExitStack
    ) -> None:
        self._arguments = arguments
        self._progress = progress
        self._outputs = outputs
        self._output = outputs[0]
        if sys.stdout is None:
            raise OSError(errno.EBADF, "standard output is closed")
        self._status = 0
        self._id_name = "{}"
        check_encoding(arguments.encoding)
        self._files = files_of(arguments.names, progress.report)
        self._failed: list[str] = []
        self._opened: OpenInput | None = None
        if not self._files.are_many and (arguments.output == "record" or arguments.names != ("-",)):
            self._opened = self._open(self._files.files[0])  # what cannot be read is refused before anything is written
            stack.enter_context(self._opened.source)
        for output in outputs:
            output.open(stack, self._opened)
        listeners = Listeners(self._take_answer, self._fail, self._expect, progress.report)
        self._run = open_run(arguments.cluster, stack, arguments.settings, listeners, self._output.done)

    def _open(self, file: NamedFile) -> OpenInput:
        """Open an input; CommandError if its format is not known, OSError, LookupError or UnicodeError as of `Text`."""
        arguments = self._arguments
        if file.path == "-" and sys.stdin is not None and sys.stdin.isatty():
            end = "Ctrl-Z and Enter" if sys.platform == "win32" else "Ctrl-D"
            self._progress.report(f"waiting for FENs, queries in JSON or a game; {end} ends the input")
        source: io.BufferedReader = (
            io.BufferedReader(io.BytesIO(file.path.encode())) if arguments.is_position else open_input(file.path)
        )
        try:
            head = first_bytes(source)
            if not head and source.isatty():  # its end has been typed: to read on would ask for another one
                source = io.BufferedReader(io.BytesIO())
            if arguments.is_position:
                kind = InputKind(FEN, arguments.game or game_of_fen(file.path) or registry.DEFAULT_GAME)
            else:
                kind = kind_of(file.path, head, arguments.game, arguments.format)
            if kind.has_tags and "UCI_Coordinates" in arguments.settings.given:
                raise CommandError(f"--option UCI_Coordinates: {file.path}: records have ranks of their own")
            if arguments.output == "record":
                if kind.way != RECORD:
                    raise CommandError(f"--output record: {file.path}: {kind}, which is no record")
                if (fault := comments_fault(kind.game)) is not None:
                    raise CommandError(fault)
            text = None
            if kind.way in (FEN, TABLE, RECORD):
                default = "utf-8"
                if kind.way == RECORD:
                    default = registry.record_format(kind.game).encoding
                text = Text(source, arguments.encoding or None, default, arguments.output == "record")
        except BaseException:
            source.close()
            raise
        return OpenInput(source, head, kind, text)

    def _fail(self, error: Exception) -> None:
        """End the process at once, as the reader may wait for ever for input or for a failed worker."""
        what = str(error) if isinstance(error, ClusterError) else f"internal: {type(error).__name__}: {error}"
        try:
            self._progress.report(printable(what, 200))
        finally:
            os._exit(FAILED)

    def _take_answer(self, answer: dict[str, Any]) -> None:
        for output in self._outputs:
            output.write(answer)
        self._progress.update(answer)
        if not self._output.shows_errors and "error" in answer:
            self._progress.report(f"{place_of(answer, self._id_name)}: {answer['error']}")

    def _expect(self, name: str, turns: tuple[int, ...], done: list[Final]) -> None:
        self._progress.expect(len(turns))
        self._output.expect(name, turns, done)

    def run(self) -> int:
        """Run to the end of the inputs and the last answer; return the exit status."""
        try:
            self._run.carry_out(self._feed)
        except KeyboardInterrupt:
            self._run.stop()
            self._status = INTERRUPTED
        for output in self._outputs:
            if (fault := output.finish()) is not None:
                self._progress.report(fault)
                self._status = self._status or FAILED
        if self._files.are_many:
            failed = self._failed
            parts = f"; {len(failed)} could not be read, or not whole: {listed(failed)}" if failed else ""
            self._progress.report(f"{len(self._files.files)} files{parts}")
        if self._status != INTERRUPTED and self._run.errors:
            errors = self._run.errors
            self._progress.report(f"{errors} of the answers {'is an error' if errors == 1 else 'are errors'}")
            self._status = FAILED
        return self._status

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
        self._id_name = "{}" if self._files.are_many else kind.id_name
        self._output.begin(kind, self._files.are_many)
        if self._files.are_many or kind.is_detected:
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
        elif text is not None and kind.column is not None:
            for row in rows_of(text.handle, kind.column, kind.game, prefix):
                if row.query is None:
                    fault = f"no FEN in column {kind.column}; fill it in, or delete the row: the others are answered"
                    self._run.report_error(fault, row.name)
                else:
                    self._run.take_query(row.query)
        elif text is not None:
            is_whole = self._feed_records(text, kind.game, prefix)
        else:
            is_whole = self._feed_games(name, opened, prefix)
        if text is not None and text.broken:
            self._progress.report(prefix + text.hint())
        return is_whole

    def _feed_records(self, text: Text, game: str, prefix: str) -> bool:
        number = 0
        with announce_compiling(self._progress.report, game):
            records = records_of(text.handle, game, self._output.skip)
        is_whole = True
        for number, record in enumerate(records, 1):
            name = f"{prefix}{number}"
            if isinstance(record, ValueError):
                self._run.report_error(str(record), name)
                is_whole = False
                if isinstance(record, CutGameError) and not self._output.keeps_text:
                    self._take_record(name, game, record.record)
                continue
            self._take_record(name, game, record)
        if not number:
            self._progress.report(f"{prefix}no record of {game} in the input")
        return bool(number) and is_whole

    def _feed_games(self, name: str, opened: OpenInput, prefix: str) -> bool:
        """Queue the positions of a file that is read whole; of a game with a fault those before it."""
        kind = opened.kind
        with announce_compiling(self._progress.report, kind.game):
            try:
                games, faults = read_whole(name, opened.source, kind, self._arguments.encoding, self._progress.report)
            except ValueError as error:
                raise UnreadableError(str(error)) from None
        for number, record in enumerate(games, 1):
            self._take_record(f"{prefix}{number}", kind.game, record)
        return not faults

    def _take_record(self, name: str, game: str, record: GameRecord) -> None:
        self._output.add_game(name, game, record)
        self._run.take_query(query_of_record(name, game, record))
