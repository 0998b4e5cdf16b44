"""The command line of `siqi convert`: games from one file format to another."""

from __future__ import annotations

import argparse
import contextlib
import itertools
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from siqi.daemon.commands import game_files
from siqi.daemon.commands.arguments import FAILED, MISUSED
from siqi.daemon.commands.game_files import (
    CommandError,
    InputOptions,
    NamedFile,
    check_encoding,
    choose,
    files_of,
    input_options,
    listed,
    read_games,
    read_source,
    reason,
)
from siqi.games import registry
from siqi.games.compiling import announce_compiling
from siqi.games.formats import FEATURES, Format, WriteStyle, named_by_file
from siqi.system.columns import padded, width_of
from siqi.system.files import check_folder, check_owned, replace_file
from siqi.system.interrupts import held_back
from siqi.system.messages import translated
from siqi.system.pipes import printable, to_stderr


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `siqi convert` to a parser."""
    parser.description = (
        "Convert games from one file format to another. What the new format cannot store is reported on standard error."
    )
    what = "IN ... OUT: files, or folders with files of games, then the file to write; -: standard input or output"
    parser.add_argument("files", nargs="*", metavar="FILE", help=what)
    what = "write a file per game into FOLDER, in the format of --to; all FILEs are inputs then"
    parser.add_argument("--split", metavar="FOLDER", help=what)
    game_files.add_arguments(parser)
    parser.add_argument("--to", dest="target", metavar="FORMAT", help="the format of OUT; default: by its name")
    parser.add_argument("--output-encoding", default="", metavar="ENCODING", help="the encoding of OUT")
    parser.add_argument("--notation", default="", help="the notation of moves in OUT")
    parser.add_argument("--force", action="store_true", help="replace OUT if it exists")
    parser.add_argument("--list", action="store_true", help="list the formats and what each holds")


def report(text: str) -> None:
    """Write a line for the user to standard error, above a progress bar."""
    with contextlib.ExitStack() as stack:
        if sys.stderr is not None and sys.stderr.isatty():
            from tqdm import tqdm

            stack.enter_context(tqdm.external_write_mode(sys.stderr))
        to_stderr(f"siqi convert: {text}")


class MisuseError(CommandError):
    """Raised if a file shows that the command line cannot be carried out."""


def convert_with(options: argparse.Namespace) -> int:
    """Run `siqi convert`. Return 0 if all of IN was read, 1 after a fault, 2 if nothing was started."""
    try:
        if options.list:
            print("\n".join(table([options.game] if options.game else registry.NAMES)))
            return 0
        return _convert(options)
    except CommandError as refusal:
        report(str(refusal))
        return MISUSED
    except BrokenPipeError:
        os._exit(0)  # the reader has closed the pipe
    except (OSError, ValueError) as error:
        report(reason(error))
        return FAILED


def table(games: Sequence[str]) -> list[str]:
    """Return the lines of the list of formats."""
    head = ["game", "format", "names", *FEATURES, "tags", "used by"]
    rows = [[translated(cell) for cell in head]]
    for game in games:
        for form in registry.formats(game):
            marks = [translated("yes") if feature in form.holds else "-" for feature in FEATURES]
            texts = [translated(form.tags), translated(form.about)]
            rows.append([game, form.name, " ".join(form.suffixes), *marks, *texts])
    widths = [max(width_of(row[column]) for row in rows) for column in range(len(head))]
    return ["  ".join(map(padded, row, widths)).rstrip() for row in rows]


def _convert(options: argparse.Namespace) -> int:
    names, output = list(options.files), ""
    if options.split is None and names:
        output = names.pop()
    if not names:
        raise CommandError("IN and OUT are needed (see siqi convert --help, siqi docs files)")
    if options.split is not None:
        _check_folder(Path(options.split), options.target)
    elif output != "-":
        _check_output(Path(output), options.force)
    for name in (options.encoding or "", options.output_encoding):
        check_encoding(name)
    files = files_of(names, report, options.split or "")
    if files.are_many and options.number is not None:
        raise CommandError("--number is for one file")
    is_in_place = any(_is_same_file(file.path, output) for file in files.files)
    if files.are_many and is_in_place:
        raise CommandError(f"{output} is an input, too")
    described = input_options(options)
    style = WriteStyle(options.output_encoding, options.notation)
    asked = OutputOptions(options.target or "", style, bool(options.force))
    writer: JoinedOutput | SplitOutput
    writer = (
        JoinedOutput(asked, output, is_in_place)
        if options.split is None
        else SplitOutput(asked, Path(options.split), [file.path for file in files.files])
    )
    failed = []
    if not files.are_many:
        if not _add(files.files[0], described, writer):
            failed.append(files.files[0].path)
    else:
        for file in progress(files.files):
            try:
                is_whole = _add(file, described, writer)
            except MisuseError:
                raise
            except (OSError, ValueError) as error:
                report(reason(error))
                is_whole = False
            if not is_whole:
                failed.append(file.path)
    losses = writer.finish()
    for (name, kind), count in sorted(losses.items()):
        report(f"{name} cannot store {kind}: {count}")
    if files.are_many:
        bad = f"; {len(failed)} could not be converted, or not whole: {listed(failed)}" if failed else ""
        files_text = f"{len(files.files)} file{'s' * (len(files.files) != 1)}"
        report(f"{files_text}, {writer.count} game{'s' * (writer.count != 1)}{bad}")
    return FAILED if failed else 0


def _is_same_file(name: str, output: str) -> bool:
    """True if an input is the output by any name: a link, or standard input."""
    try:
        status = os.fstat(0) if name == "-" else os.stat(name)
        return os.path.samestat(status, os.stat(output))
    except (OSError, ValueError):
        return False


def progress(files: Sequence[NamedFile]) -> Iterator[NamedFile]:
    """Yield the files; a bar shows which one is read if standard error is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield from files
        return
    from tqdm import tqdm

    with tqdm(files, unit=translated(" files"), file=sys.stderr, dynamic_ncols=True) as bar:
        for file in bar:
            bar.set_description_str(printable(file.inner, 40))
            yield file


def _add(file: NamedFile, described: InputOptions, writer: JoinedOutput | SplitOutput) -> bool:
    """Read a file and add its games to the output; return False if parts of it could not be read.

    OSError or ValueError if it cannot be read, or its games not be written.
    """
    source = read_source(file.path, described)
    choice = choose(source)
    try:
        target = writer.target(choice.game)
    except MisuseError:
        raise
    except ValueError as error:
        raise CommandError(f"{file.path}: {error}") from None
    with announce_compiling(report, choice.game):
        parsed = read_games(source, choice, report)
    games = described.chosen(parsed.games)
    if writer.is_in_place and (parsed.faults or parsed.notes):
        raise ValueError(f"{file.path}: not replaced, as not all of it could be read")
    if writer.is_in_place and len(games) < len(parsed.games):
        raise ValueError(f"{file.path}: not replaced, as its other games would be lost")
    writer.add(file, target, games)
    return not parsed.faults


class OutputOptions(NamedTuple):
    """The options on what is written."""

    format: str  # '': by the name of the file
    style: WriteStyle
    force: bool  # True: files that exist are replaced


class JoinedOutput:
    """All games in one file. `count`: of games.

    `is_in_place`: the file is the input, perhaps the only copy of it, and is replaced only by all of its content.
    """

    def __init__(self, options: OutputOptions, output: str, is_in_place: bool) -> None:
        self.is_in_place = is_in_place
        self._options = options
        self._output = output
        self._target: Format | None = None
        self._game = ""
        self._games: list[Any] = []
        self.count = 0

    def target(self, game: str) -> Format:
        """Return the format for a game; ValueError for another game than that of the first file."""
        if self._target is None:
            try:
                self._target, self._game = _target(self._options, game, self._output), game
            except CommandError as refusal:
                raise MisuseError(str(refusal)) from None
        if game != self._game:
            raise ValueError(f"{self._output} has games of {self._game}, not of {game}")
        return self._target

    def add(self, file: NamedFile, target: Format, games: Sequence[Any]) -> None:
        self._games += games
        if len(self._games) > 1 and "games" not in target.holds:
            how = "choose one by --number, or --split FOLDER writes a file per game"
            raise MisuseError(f"{target.name} holds one game, not {len(self._games)}: {how}")
        self.count += len(games)

    def finish(self) -> Counter[tuple[str, str]]:
        """Write the file, if there are games; return what it could not hold, with the name of the format."""
        if self._target is None or not self._games:
            return Counter()
        written = self._target.write(self._games, self._options.style)
        if self.is_in_place and written.losses:
            kinds = ", ".join(sorted(written.losses))
            raise ValueError(f"{self._output}: not replaced, as {self._target.name} cannot store {kinds}")
        if self._output == "-":
            sys.stdout.buffer.write(written.data)
            sys.stdout.buffer.flush()
        else:
            with held_back():
                replace_file(self._output, [written.data], lambda head: self._options.force)
        return Counter({(self._target.name, kind): count for kind, count in written.losses.items()})


class SplitOutput:
    """A file for each game, named like the game's own file, in folders like those of the input. `count`: of games."""

    is_in_place = False

    def __init__(self, options: OutputOptions, folder: Path, inputs: Sequence[str]) -> None:
        self._options = options
        self._folder = folder
        self._inputs = {os.path.realpath(name) for name in inputs}
        self._names: set[str] = set()  # in use, in lower case: some file systems ignore case
        self._losses: Counter[tuple[str, str]] = Counter()
        self.count = 0

    def target(self, game: str) -> Format:
        """Return the format for a game."""
        return _target(self._options, game, "")

    def add(self, file: NamedFile, target: Format, games: Sequence[Any]) -> None:
        """Write the games of a file, each as far as it can be; ValueError names those that cannot."""
        faults = []
        for number, game in enumerate(games, 1):
            path = self._path(file, number if len(games) > 1 else 0, target.suffixes[0])
            try:
                if os.path.realpath(path) in self._inputs:
                    raise CommandError(f"{path} is an input, too")
                _check_output(path, self._options.force, is_folder_made=True)
                written = target.write([game], self._options.style)
                path.parent.mkdir(parents=True, exist_ok=True)
                with held_back():
                    replace_file(path, [written.data], lambda head: self._options.force)
            except (OSError, ValueError) as error:
                faults.append(reason(error))
                continue
            self._losses.update({(target.name, kind): count for kind, count in written.losses.items()})
            self.count += 1
        if faults:
            more = f" (games that could not be written: {len(faults)})" if len(faults) > 1 else ""
            raise ValueError(f"{file.path}: {faults[0]}{more}")

    def _path(self, file: NamedFile, number: int, suffix: str) -> Path:
        """Return the path for a game that no other game of this run has."""
        inner = Path(file.inner if file.path != "-" else "game")
        stem = inner.stem + (f"-{number}" if number else "")
        for again in itertools.count(1):
            path = inner.with_name(stem + (f"-{again}" if again > 1 else "") + suffix)
            if str(path).lower() not in self._names:
                break
        self._names.add(str(path).lower())
        return self._folder / path

    def finish(self) -> Counter[tuple[str, str]]:
        """Return counts of the content that the files could not hold, with the name of the format."""
        return self._losses


def _check_folder(path: Path, target: str | None) -> None:
    """Raise CommandError unless the target's files can be made in a folder, which is made if it is missing."""
    if not target:
        raise CommandError("--split needs --to FORMAT (--list)")
    if target not in (names := {form.name: None for game in registry.NAMES for form in registry.formats(game)}):
        raise CommandError(f"--to {target}: one of {', '.join(names)}")
    try:
        if not path.exists():
            path.mkdir()
        check_folder(path)
    except OSError as error:
        raise CommandError(f"--split {error.filename or path}: {error.strerror}") from None


def _check_output(path: Path, force: bool, is_folder_made: bool = False) -> None:
    try:
        check_owned(path, lambda head: force)
    except FileExistsError:
        raise CommandError(f"{path} exists; --force replaces it") from None
    except OSError as error:
        hint = "; --split writes a file per game into a folder" if path.is_dir() else ""
        raise CommandError(f"{path}: {error.strerror}{hint}") from None
    if not is_folder_made and not path.parent.is_dir():
        raise CommandError(f"{path.parent}: no such folder")


def _target(options: OutputOptions, game: str, output: str) -> Format:
    """Return the format of the output; CommandError if nothing names it, or it is not one of the game's."""
    table = registry.formats(game)
    if options.format:
        form = next((form for form in table if form.name == options.format), None)
        if form is None:
            raise CommandError(
                f"--to {options.format}: {game} has the formats {', '.join(form.name for form in table)}"
            )
    else:
        form = named_by_file(table, output)
        if form is None:
            fault = f"{output}: no format of {game} has such a name"
            fault = "standard output has no name to show a format" if output == "-" else fault
            raise CommandError(f"{fault}; name one by --to (--list)")
    if options.style.notation and options.style.notation not in form.notations:
        choice = ", ".join(form.notations)
        raise CommandError(f"--notation {options.style.notation}: {form.name} has {choice or 'no choice'}")
    if options.style.encoding and not form.is_text:
        raise CommandError(f"--output-encoding: {form.name} has an encoding of its own")
    return form
