"""The games of a file in any format of the tables, whose format and encoding are found by its content."""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from siqi.daemon.commands.arguments import whole_number
from siqi.games import registry
from siqi.games.formats import HEAD_BYTES, MAX_BYTES, Format, ParsedFile, recognised
from siqi.games.game_record import CutGameError, GameRecord, check_moves
from siqi.games.records.position_lines import position_of
from siqi.system import encodings
from siqi.system.files import open_regular, read_bytes
from siqi.system.pipes import printable

MAX_LINES = 20
"""The most faults that are listed; further ones are only counted."""

Report = Callable[[str], None]
G = TypeVar("G")


class CommandError(ValueError):
    """Raised with one line for the user, before anything is written."""


class GameSource(NamedTuple):
    """The content of a file or of standard input, and the options that describe it, '' for what is to be detected."""

    name: str
    data: bytes
    game: str = ""
    format: str = ""
    encoding: str = ""


class NamedFile(NamedTuple):
    """A file that a command names, itself or by a folder."""

    path: str  # '-': standard input
    inner: str  # its path within the folder, else its name


class Files(NamedTuple):
    """The files that a command names."""

    files: list[NamedFile]
    are_many: bool  # more than one, or by a folder: the command goes on after a file that fails


def files_of(names: Sequence[str], report: Callable[[str], None], without: str = "") -> Files:
    """Return the files that names stand for: a folder for the files of games in it, at any depth, in order of names.

    `report` gets a line for a folder with other files too. The folder `without` is left out. CommandError for a folder
    without files of games.
    """
    files: list[NamedFile] = []
    for name in names:
        if name == "-" or not os.path.isdir(name):
            files.append(NamedFile(name, os.path.basename(name)))
            continue
        paths = list(_below(name, without))
        games = [path for path in paths if _is_of_games(path)]
        if not games:
            raise CommandError(f"{name}: no file in this folder is of a format that is known")
        if len(games) < len(paths):
            report(f"{name}: files of no known format, left out: {len(paths) - len(games)}")
        files += [NamedFile(path, os.path.relpath(path, name)) for path in games]
    return Files(files, len(names) > 1 or any(map(os.path.isdir, names)))


def _below(folder: str, without: str) -> Iterator[str]:
    """Yield the files below a folder without hidden ones, in the order of their names."""
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".") and not (without and _is_same(os.path.join(parent, name), without))
        )
        yield from (os.path.join(parent, name) for name in sorted(names) if not name.startswith("."))


def _is_same(path: str, other: str) -> bool:
    return os.path.realpath(path) == os.path.realpath(other)


def _is_of_games(path: str) -> bool:
    """True if a file is of games by its content, or by a name that other files rarely have."""
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            head = file.read(HEAD_BYTES)
    except OSError:
        head = b""
    tables = [registry.formats(game) for game in registry.NAMES]
    name = "" if path.lower().endswith(COMMON_SUFFIXES) else path
    return any(recognised(table, head, name) is not None for table in tables)


COMMON_SUFFIXES = (".txt", ".html", ".htm")
"""Suffixes that files other than games often have, too."""


def reason(error: Exception) -> str:
    """Return why a file cannot be read or written, with its name, in words for the user."""
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror or error)
    return str(error)


def listed(names: Sequence[str]) -> str:
    """Return a list of files in words: MAX_LINES of them, and the number of the others."""
    more = f" and {len(names) - MAX_LINES} more" if len(names) > MAX_LINES else ""
    return ", ".join(names[:MAX_LINES]) + more


def position_in(words: Sequence[str]) -> str:
    """Return the position that a command has in place of files: `startpos ...`, `fen FEN ...` or a FEN, with moves.

    Return '' if the words are files: the first one exists, or no position looks like them.
    """
    text = " ".join(words)
    if not words or os.path.exists(words[0]) or "." in text.partition(" ")[0]:
        return ""
    return "" if position_of(text) is None else text


def game_of_fen(text: str) -> str:
    """Return the game of a position in words, by the rows of its board; "" if it is no FEN of any."""
    parts = position_of(text)
    board = "" if parts is None else parts.start.partition(" ")[0]
    rows = board.count("/") + 1
    fitting = (game for game in registry.NAMES if len(registry.info(game).shape.rows) == rows)
    return next(fitting, "") if board.replace("/", "").isalnum() else ""


class GameFormat(NamedTuple):
    """A game and one of its formats."""

    game: str
    format: Format


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that describe an input."""
    parser.add_argument("--from", dest="source", metavar="FORMAT", help="the input's format; default: by its content")
    parser.add_argument("--game", choices=registry.NAMES, help="the game; default: by the content of the input")
    parser.add_argument("--encoding", help="the encoding of the input's texts; default: by their content")
    parser.add_argument("--number", type=whole_number, metavar="N", help="only the game N of the input")


class InputOptions(NamedTuple):
    """The options that describe an input, '' for what is to be detected, and choose one of its games."""

    game: str = ""
    format: str = ""
    encoding: str = ""
    number: int | None = None  # None: all games

    def chosen(self, games: Sequence[G]) -> Sequence[G]:
        """Return the game that `number` names, or all; CommandError if there is no such game."""
        check_number(self.number, games)
        return games if self.number is None else games[self.number - 1 : self.number]


def input_options(options: argparse.Namespace) -> InputOptions:
    """Return the values of the arguments that `add_arguments` declares."""
    return InputOptions(options.game or "", options.source or "", options.encoding or "", options.number)


def read_source(name: str, described: InputOptions) -> GameSource:
    """Return the content of a file, or of standard input for `-`; OSError or ValueError if that cannot be read."""
    check_encoding(described.encoding)
    if name != "-":
        data = read_bytes(name, MAX_BYTES)
    elif sys.stdin is None:
        raise OSError(errno.EBADF, "standard input is closed")
    else:
        data = sys.stdin.buffer.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise ValueError(f"standard input has more than {MAX_BYTES} bytes")
    return GameSource(name, data, described.game, described.format, described.encoding)


def check_encoding(name: str) -> None:
    """Raise CommandError for what is no encoding of texts; '' is none that is named."""
    try:
        encodings.check_encoding(name or "utf-8")
    except LookupError as error:
        raise CommandError(printable(str(error))) from None


def choose(source: GameSource) -> GameFormat:
    """Return the game and the format of an input; CommandError if nothing shows them."""
    tables = {game: registry.formats(game) for game in ([source.game] if source.game else registry.NAMES)}
    head = source.data[:HEAD_BYTES]
    if source.format:
        named = [
            GameFormat(game, form) for game, table in tables.items() for form in table if form.name == source.format
        ]
        if not named:
            raise CommandError(f"--from {source.format}: there is no such format (siqi convert --list)")
        choices = [choice for choice in named if choice.format.recognises(head)] or named
        if len(choices) > 1:
            raise CommandError(f"--from {source.format}: a format of several games; name one by --game")
        return choices[0]
    for name in ("", source.name):  # the content of any game's files comes before a file's name
        for game, table in tables.items():
            if recognised(table, head, name):
                form = recognised(table, head, source.name)
                assert form is not None
                return GameFormat(game, form)
    what = "not a format that is known; name it by --from (siqi convert --list shows them)"
    raise CommandError(f"{source.name}: {what}")


def read_games(source: GameSource, choice: GameFormat, report: Report) -> ParsedFile:
    """Return an input's games, each cut before its first illegal move; `report` gets a line for what is left out.

    ValueError if the input is not in the format at all, or has no game.
    """
    try:
        parsed = choice.format.read(source.data, source.encoding or None)
    except ValueError as error:
        raise ValueError(f"{source.name}: {error}") from None
    if registry.notation(choice.game) is None:  # else the readers check the moves themselves
        cut_records(choice.game, parsed)
    report_faults(source.name, parsed, report)
    if not parsed.games:
        raise ValueError(f"{source.name}: no game can be read")
    return parsed


def report_faults(name: str, parsed: ParsedFile, report: Report) -> None:
    """Report what is left out of an input's games: MAX_LINES faults at most, and all notes."""
    for fault in parsed.faults[:MAX_LINES]:
        report(f"{name}: {fault}")
    if len(parsed.faults) > MAX_LINES:
        report(f"{name}: {len(parsed.faults) - MAX_LINES} more faults")
    for note in parsed.notes:
        report(f"{name}: {note}")


def check_number(number: int | None, games: Sequence[object]) -> None:
    """Raise CommandError unless `--number`, if it is given, is that of a game."""
    if number is not None and not 1 <= number <= len(games):
        there = "is 1 game" if len(games) == 1 else f"are {len(games)} games"
        raise CommandError(f"--number {number}: there {there}")


def record_of(game: str, parsed: Any) -> GameRecord:
    """Return a game as a record; `parsed`: as a reader of the game's formats returned it."""
    notation = registry.notation(game)
    return parsed if notation is None or isinstance(parsed, GameRecord) else notation.record(parsed)


def cut_records(game: str, parsed: ParsedFile) -> None:
    """Cut each record before its first illegal move, which is a fault."""
    loaded = registry.load(game)
    for number, record in enumerate(parsed.games):
        try:
            check_moves(loaded, record)
        except CutGameError as error:
            parsed.faults.append(f"game {number + 1}: {error}")
            parsed.games[number] = error.record
