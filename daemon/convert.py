"""The command line of `siqi convert`: games from one file format to another."""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from games import registry
from games.compiling import announce_compiling, to_stderr
from games.contract import GameRecord, is_dice_position
from games.files import check_owned, read_bytes, replace_file
from games.formats import FEATURES, HEAD_BYTES, MAX_BYTES, Format, Found, Style, named_by_file, recognised

FAILED, MISUSED, INTERRUPTED = 1, 2, 130
"""Exit statuses, as of `siqi analyse`."""

MOST_LINES = 20
"""Faults that are listed; more are counted."""


class Refusal(Exception):
    """Raised with one line for the user, before anything is written."""


class Choice(NamedTuple):
    """A game and one of its formats."""

    game: str
    format: Format


def add_arguments(found: argparse.ArgumentParser) -> None:
    """Add the arguments of `siqi convert` to a parser."""
    found.description = "Convert games from one file format to another (see protocol.md). What the new format has no "
    found.description += "room for is reported on standard error."
    found.add_argument("input", nargs="?", metavar="IN", help="a file; -: standard input")
    found.add_argument("output", nargs="?", metavar="OUT", help="a file; -: standard output")
    found.add_argument(
        "--from", dest="source", metavar="FORMAT", help="the format of IN; default: found by its content"
    )
    found.add_argument("--to", dest="target", metavar="FORMAT", help="the format of OUT; default: by its name")
    found.add_argument("--game", choices=registry.NAMES, help="the game; default: found by the content of IN")
    found.add_argument("--encoding", help="the encoding of the texts in IN; default: found by their content")
    found.add_argument("--output-encoding", default="", metavar="ENCODING", help="the encoding of OUT")
    found.add_argument("--notation", default="", help="the notation of moves in OUT")
    found.add_argument("--number", type=int, metavar="N", help="convert the game N of IN only")
    found.add_argument("--force", action="store_true", help="replace OUT if it exists")
    found.add_argument("--list", action="store_true", help="list the formats and what each holds")


def report(text: str) -> None:
    """Write a line for the user to standard error."""
    to_stderr(f"siqi convert: {text}")


def convert_with(options: argparse.Namespace) -> int:
    """Run `siqi convert`. Return 0 if all of IN was read, 1 after a fault, 2 if nothing was started."""
    try:
        if options.list:
            print("\n".join(table([options.game] if options.game else registry.NAMES)))
            return 0
        return _convert(options)
    except Refusal as refusal:
        report(str(refusal))
        return MISUSED
    except BrokenPipeError:
        os._exit(0)  # the reader has closed the pipe
    except OSError as error:
        report(f"{error.filename}: {error.strerror}" if error.filename else str(error))
        return FAILED
    except ValueError as error:
        report(str(error))
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED


def table(games: Sequence[str]) -> list[str]:
    """Return the lines of the list of formats."""
    head = ["game", "format", "names", *FEATURES, "tags", "used by"]
    rows = [head]
    for game in games:
        for one in registry.formats(game):
            marks = ["yes" if feature in one.holds else "-" for feature in FEATURES]
            rows.append([game, one.name, " ".join(one.suffixes), *marks, one.tags, one.about])
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _convert(options: argparse.Namespace) -> int:
    if options.input is None or options.output is None:
        raise Refusal("IN and OUT are needed (--list shows the formats)")
    if options.output != "-":
        _check_output(Path(options.output), options.force)
    for name in filter(None, (options.encoding, options.output_encoding)):
        _check_encoding(name)
    data = _read_input(options.input)
    source = _source(options, data)
    target = _target(options, source.game)
    with announce_compiling(report, source.game):
        found = source.format.read(data, options.encoding)
        if source.game != "xiangqi":  # whose readers check the moves themselves
            _check_records(source.game, found)
    _report_all(options.input, found.faults)
    for note in found.notes:
        report(f"{options.input}: {note}")
    games = found.games
    if options.number is not None:
        if not 1 <= options.number <= len(games):
            raise Refusal(f"--number {options.number}: there are {len(games)} games")
        games = games[options.number - 1 : options.number]
    if not games:
        raise ValueError(f"{options.input}: no game can be read")
    if len(games) > 1 and "games" not in target.holds:
        raise Refusal(f"{target.name} holds one game, {options.input} has {len(games)}: choose one by --number")
    written = target.write(games, Style(options.output_encoding, options.notation))
    for kind, count in sorted(written.losses.items()):
        report(f"{target.name} has no room for {kind}: {count}")
    if options.output == "-":
        sys.stdout.buffer.write(written.data)
        sys.stdout.buffer.flush()
    else:
        replace_file(options.output, [written.data], lambda head: bool(options.force))
    return FAILED if found.faults else 0


def _check_output(path: Path, force: bool) -> None:
    try:
        check_owned(path, lambda head: force)
    except FileExistsError:
        raise Refusal(f"{path} exists; --force replaces it") from None
    except OSError as error:
        raise Refusal(f"{path}: {error.strerror}") from None
    if not path.parent.is_dir():
        raise Refusal(f"{path.parent}: no such folder")


def _check_encoding(name: str) -> None:
    try:
        "".encode(name)
    except LookupError:
        raise Refusal(f"no such encoding: {name}") from None


def _read_input(name: str) -> bytes:
    if name != "-":
        return read_bytes(name, MAX_BYTES)
    if sys.stdin is None:
        raise OSError(errno.EBADF, "standard input is closed")
    data = sys.stdin.buffer.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ValueError(f"standard input has more than {MAX_BYTES} bytes")
    return data


def _tables(options: argparse.Namespace) -> dict[str, tuple[Format, ...]]:
    return {game: registry.formats(game) for game in ([options.game] if options.game else registry.NAMES)}


def _source(options: argparse.Namespace, data: bytes) -> Choice:
    """Return the format of the input; Refusal if nothing shows it."""
    tables = _tables(options)
    head = data[:HEAD_BYTES]
    if options.source:
        named = [Choice(game, one) for game, table in tables.items() for one in table if one.name == options.source]
        if not named:
            raise Refusal(f"--from {options.source}: there is no such format (--list)")
        choices = [choice for choice in named if choice.format.recognises(head)] or named
        if len(choices) > 1:
            raise Refusal(f"--from {options.source}: a format of several games; name one by --game")
        return choices[0]
    for name in ("", options.input):  # the content of any game's files comes before a file's name
        for game, table in tables.items():
            if recognised(table, head, name):
                one = recognised(table, head, options.input)
                assert one is not None
                return Choice(game, one)
    raise Refusal(f"{options.input}: not a format that is known; name it by --from (--list shows them)")


def _target(options: argparse.Namespace, game: str) -> Format:
    """Return the format of the output; Refusal if nothing names it, or it is not one of the game's."""
    table = registry.formats(game)
    if options.target:
        one = next((one for one in table if one.name == options.target), None)
        if one is None:
            raise Refusal(f"--to {options.target}: {game} has the formats {', '.join(one.name for one in table)}")
    else:
        one = named_by_file(table, options.output)
        if one is None:
            raise Refusal(f"{options.output}: no format of {game} has such a name; name one by --to (--list)")
    if options.notation and options.notation not in one.notations:
        choice = ", ".join(one.notations)
        raise Refusal(f"--notation {options.notation}: {one.name} has {choice or 'no choice'}")
    if options.output_encoding and not one.is_text:
        raise Refusal(f"--output-encoding: {one.name} has an encoding of its own")
    return one


def _check_records(game: str, found: Found) -> None:
    """Cut each record before its first illegal move, which is a fault."""
    loaded = registry.load(game)
    info = registry.info(game)
    for number, record in enumerate(found.games):
        place = 0
        try:
            position = loaded.position(record.fen or None)
            setups = 2 if info.has_setup and not record.fen else 0
            for place, word in enumerate(record.moves):
                throw = record.dice[place - setups] if setups <= place < len(record.dice) + setups else 0
                if throw and is_dice_position(position, info):
                    position.set_dice(throw)
                position.push(position.parse_move(word))
        except ValueError as error:
            found.faults.append(f"game {number + 1}: move {place + 1}: {error}")
            found.games[number] = _cut(record, place, 2 if info.has_setup and not record.fen else 0)


def _cut(record: GameRecord, place: int, setups: int) -> GameRecord:
    return record._replace(moves=record.moves[:place], dice=record.dice[: max(0, place - setups)])


def _report_all(name: str, faults: Sequence[str]) -> None:
    for fault in faults[:MOST_LINES]:
        report(f"{name}: {fault}")
    if len(faults) > MOST_LINES:
        report(f"{name}: {len(faults) - MOST_LINES} more faults")
