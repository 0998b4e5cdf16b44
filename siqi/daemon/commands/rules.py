"""`siqi rules`: rules of play mined from games, shown, and exported as tables."""

from __future__ import annotations

import argparse
import csv
import io
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from siqi.daemon.commands.arguments import FAILED, MAX_DIGITS, MISUSED, number_to, reporter
from siqi.daemon.commands.game_files import (
    MAX_LINES,
    CommandError,
    InputOptions,
    NamedFile,
    choose,
    files_of,
    read_games,
    read_source,
    reason,
    record_of,
)
from siqi.games import registry
from siqi.games.compiling import announce_compiling
from siqi.games.formats import MAX_BYTES, RULE_ITEMS, RULE_KINDS, RULE_PHASES, RuleBases, RuleSettings
from siqi.games.game_record import GameRecord
from siqi.system.files import Owns, check_folder, check_owned, replace_file
from siqi.system.interrupts import held_back
from siqi.system.pipes import printable

report = reporter("siqi rules")

GAME = "xiangqi"
NOTATIONS = ("chinese", "traditional", "wxf")
MAX_LONGEST = 8
ZSTANDARD = b"\x28\xb5\x2f\xfd"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the commands of `siqi rules`, each with its arguments."""
    commands = parser.add_subparsers(dest="task", metavar="COMMAND", required=True)
    mine = commands.add_parser("mine", help="mine games for rules: after these moves, answer so")
    _add_games(mine, "games", "+")
    default = RuleSettings()
    option = mine.add_argument
    option("-o", "--output", metavar="RULES", help="the rule base to write, for the option RuleFile; default: print")
    option("--force", action="store_true", help="replace RULES if it is a rule base")
    what = "moves: rules of the moves played; situations: of classes of positions; default: moves"
    option("--kind", choices=RULE_KINDS, default=default.kind, help=what)
    what = "number pieces by kind, or by identity as in the paper; default: kind"
    option("--items", choices=RULE_ITEMS, default=default.items, help=what)
    what = f"plies at the start of each game that count, 0: all; default: {default.plies}"
    option("--plies", type=number_to(10**6, 0), default=default.plies, metavar="N", help=what)
    what = "least share of the games"
    option("--min-support", dest="support", type=share, default=default.support, metavar="SHARE", help=what)
    what = "least share of the positions, for situations"
    option(
        "--min-position-support",
        dest="position_support",
        type=share,
        default=default.position_support,
        metavar="SHARE",
        help=what,
    )
    what = "least share of the games with the moves that have the answer"
    option("--min-confidence", dest="confidence", type=share, default=default.confidence, metavar="SHARE", help=what)
    option("--min-games", dest="least", type=number_to(10**9), default=default.least, metavar="N", help="least games")
    what = "most moves before the answer"
    option("--longest", type=number_to(MAX_LONGEST), default=default.longest, metavar="N", help=what)
    what = "least gain of confidence by each condition"
    option("--min-improvement", dest="improvement", type=share, default=0.0, metavar="SHARE", help=what)
    option("--phase", choices=RULE_PHASES, default="", help="count only moves played in this phase")
    option("--winners", action="store_true", help="count only answers of the side that won")
    what = "the answer may come before the moves, as the paper defines a rule"
    option("--any-order", dest="ordered", action="store_false", help=what)
    option("--source", default="", help="the source of the games, for the header of RULES")
    _add_notation(mine)
    show = commands.add_parser("show", help="print a rule base")
    show.add_argument("rules", nargs="?", metavar="RULES", help="a rule base; default: the shipped one")
    _add_notation(show)
    export = commands.add_parser("export", help="write a rule base as the paper's tables, in CSV")
    what = "the folder for steptoname.csv, ruletable.csv and, with --games, knowledge.csv; made if it is missing"
    export.add_argument("folder", metavar="FOLDER", help=what)
    export.add_argument("--rules", metavar="RULES", help="a rule base; default: the shipped one")
    _add_games(export, "--games", "+")
    _add_notation(export)


def _add_games(parser: argparse.ArgumentParser, name: str, count: str) -> None:
    """Declare games, and what describes their files."""
    what = "files or folders of games in any format of `siqi convert`, JSON lines as GameLog writes them, .zst; -"
    parser.add_argument(name, nargs=count, metavar="GAMES", help=what)
    parser.add_argument(
        "--from", dest="source_format", metavar="FORMAT", help="their format; default: by their content"
    )
    parser.add_argument("--encoding", help="the encoding of their texts; default: by their content")


def _add_notation(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--notation", choices=NOTATIONS, default=NOTATIONS[0], help="of moves; default: chinese")


def share(text: str) -> float:
    """The type of an argument that is a share, from 0 to 1."""
    plain = text.replace(".", "", 1)
    if not (plain.isascii() and plain.isdigit() and len(text) <= MAX_DIGITS and 0 <= float(text) <= 1):
        raise argparse.ArgumentTypeError(f"a number from 0 to 1, not {text}")
    return float(text)


class MineTask(NamedTuple):
    """`siqi rules mine`, with its arguments."""

    games: tuple[str, ...]  # names of files and folders
    input: InputOptions
    output: Path | None  # None: print the rules
    replaces: bool
    settings: RuleSettings
    source: str  # of the games, in words
    notation: str

    def run(self, bases: RuleBases) -> int:
        """Mine the games; return the exit status."""
        if self.output is not None:
            _check_output(self.output, self.replaces, bases.is_base)
        faults = _Faults()
        try:
            base = bases.mine(_records(self.games, self.input, bases, faults.report), self.settings, faults.report)
        except ValueError as error:  # only for the settings: what is wrong with games is reported
            raise CommandError(str(error)) from None
        if not base.games:
            raise ValueError("no game can be read")
        if self.output is None:
            for line in bases.rule_lines(base, self.notation):
                print(line)
        else:
            with held_back():
                bases.write(self.output, base, self.source, None if self.replaces else lambda head: False)
        report(f"{base.games} games, {base.items} different moves, {len(base.rules)} rules")
        return faults.finish()


class ShowTask(NamedTuple):
    """`siqi rules show`, with its arguments."""

    rules: Path | None  # None: the shipped rule base
    notation: str

    def run(self, bases: RuleBases) -> int:
        """Print a rule base; return the exit status."""
        for line in bases.lines(_read(self.rules, bases), self.notation):
            print(line)
        return 0


class ExportTask(NamedTuple):
    """`siqi rules export`, with its arguments."""

    rules: Path | None  # None: the shipped rule base
    folder: Path
    games: tuple[str, ...] | None  # names of files and folders; None: no table of games
    input: InputOptions
    notation: str
    language: str

    def run(self, bases: RuleBases) -> int:
        """Write the tables; return the exit status."""
        book = _read(self.rules, bases)
        try:
            self.folder.mkdir(exist_ok=True)
            check_folder(self.folder)
        except OSError as error:
            raise CommandError(f"{self.folder}: {error.strerror}") from None
        faults = _Faults()
        records = None if self.games is None else _records(self.games, self.input, bases, faults.report)
        for table in bases.tables(book, records, self.notation, self.language, faults.report):
            path, heading, rows = self.folder / f"{table.name}.csv", _csv([table.heading]), list(table.rows)
            with held_back():
                replace_file(path, [heading, _csv(rows)], _begins_with(heading))
            report(f"{path}: {len(rows)} rows")
        return faults.finish()


def task_of(options: argparse.Namespace) -> MineTask | ShowTask | ExportTask:
    """Return the task that was named, with the arguments that were parsed."""
    if options.task == "show":
        return ShowTask(_path(options.rules), options.notation)
    described = InputOptions(GAME, options.source_format or "", options.encoding or "")
    if options.task == "export":
        games = None if options.games is None else tuple(options.games)
        folder = Path(options.folder)
        return ExportTask(_path(options.rules), folder, games, described, options.notation, options.language)
    return MineTask(
        tuple(options.games),
        described,
        _path(options.output),
        options.force,
        RuleSettings(**{name: getattr(options, name) for name in RuleSettings._fields}),
        options.source or ", ".join(os.path.basename(name) for name in options.games),
        options.notation,
    )


def _path(name: str | None) -> Path | None:
    return None if name is None else Path(name)


def rules_with(options: argparse.Namespace) -> int:
    """Run `siqi rules`. Return 0 if all was read and written, 1 after a fault, 2 if nothing was started."""
    task = task_of(options)
    try:
        with announce_compiling(report, GAME):
            bases = registry.rule_bases(GAME)
        return task.run(bases)
    except CommandError as refusal:
        report(printable(str(refusal), 300))
        return MISUSED
    except BrokenPipeError:
        os._exit(0)  # the reader has closed the pipe
    except (OSError, ValueError) as error:
        report(printable(reason(error), 300))
        return FAILED


def _begins_with(heading: bytes) -> Owns:
    return lambda head: head.startswith(heading)


def _csv(rows: Sequence[Sequence[Any]]) -> bytes:
    """Return rows as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def _read(path: Path | None, bases: RuleBases) -> Any:
    """Return a rule base; CommandError if it cannot be used."""
    try:
        return bases.read(path)
    except ValueError as error:
        raise CommandError(str(error)) from None


def _check_output(path: Path, force: bool, is_base: Owns) -> None:
    """Raise CommandError unless the rule base can be written: before the games are read, not after it."""
    try:
        check_owned(path, is_base)
        check_folder(path.parent)
    except OSError as error:
        raise CommandError(f"{error.filename or path}: {error.strerror}") from None
    try:
        check_owned(path, lambda head: force)
    except FileExistsError:
        raise CommandError(f"{path} exists; --force replaces a rule base") from None


class _Faults:
    """Reports what is left out of the games, and counts it."""

    def __init__(self) -> None:
        self._count = 0

    def report(self, text: str) -> None:
        """Report a fault, unless there were many."""
        self._count += 1
        if self._count <= MAX_LINES:
            report(printable(text, 300))

    def finish(self) -> int:
        """Report the number of faults that were not named; return the exit status."""
        if self._count > MAX_LINES:
            report(f"{self._count - MAX_LINES} more faults")
        return FAILED if self._count else 0


def _records(
    names: Sequence[str], described: InputOptions, bases: RuleBases, fault: Callable[[str], None]
) -> Iterator[GameRecord]:
    """Yield the games of files and folders; `fault` gets a line for each file or game that cannot be read."""
    for file in files_of(names, report).files:
        try:
            yield from _records_of(file, described, bases, fault)
        except (OSError, ValueError) as error:
            fault(reason(error))


def _records_of(
    file: NamedFile, described: InputOptions, bases: RuleBases, fault: Callable[[str], None]
) -> Iterator[GameRecord]:
    source = read_source(file.path, described)
    source = source._replace(data=_unpacked(source.data, file.path))
    if not source.format and source.data.lstrip()[:1] == b"{":
        yield from bases.records_in_lines(source.data, lambda text: fault(f"{file.path}: {text}"))
        return
    choice = choose(source)
    parsed = read_games(source, choice, lambda text: None)
    for text in parsed.faults:
        fault(f"{file.path}: {text}")
    for game in parsed.games:
        yield record_of(GAME, game)


def _unpacked(data: bytes, name: str) -> bytes:
    """Return the content of a file that may be packed by Zstandard; ValueError if it is damaged or too large."""
    if not data.startswith(ZSTANDARD):
        return data
    import zstandard

    try:
        with zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data), read_across_frames=True) as reader:
            content = reader.read(MAX_BYTES + 1)
    except zstandard.ZstdError as error:
        raise ValueError(f"{name}: {error}") from None
    if len(content) > MAX_BYTES:
        raise ValueError(f"{name}: more than {MAX_BYTES} bytes")
    return bytes(content)
