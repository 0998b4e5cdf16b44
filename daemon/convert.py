"""The command line of `siqi convert`: games from one file format to another."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from daemon import game_files
from daemon.game_files import Refusal, check_encoding, check_number, choose, read_games, read_source
from daemon.interrupts import held_back
from games import registry
from games.compiling import announce_compiling, to_stderr
from games.files import check_owned, replace_file
from games.formats import FEATURES, Format, Style, named_by_file

FAILED, MISUSED = 1, 2
"""Exit statuses, as of `siqi analyse`."""


def add_arguments(found: argparse.ArgumentParser) -> None:
    """Add the arguments of `siqi convert` to a parser."""
    found.description = "Convert games from one file format to another (see protocol.md). What the new format has no "
    found.description += "room for is reported on standard error."
    found.add_argument("input", nargs="?", metavar="IN", help="a file; -: standard input")
    found.add_argument("output", nargs="?", metavar="OUT", help="a file; -: standard output")
    game_files.add_arguments(found)
    found.add_argument("--to", dest="target", metavar="FORMAT", help="the format of OUT; default: by its name")
    found.add_argument("--output-encoding", default="", metavar="ENCODING", help="the encoding of OUT")
    found.add_argument("--notation", default="", help="the notation of moves in OUT")
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
    if options.output_encoding:
        check_encoding(options.output_encoding)
    source = read_source(options.input, options)
    choice = choose(source)
    target = _target(options, choice.game)
    with announce_compiling(report, choice.game):
        found = read_games(source, choice, report)
    games = found.games
    if options.number is not None:
        check_number(options.number, games)
        games = games[options.number - 1 : options.number]
    if len(games) > 1 and "games" not in target.holds:
        raise Refusal(f"{target.name} holds one game, {options.input} has {len(games)}: choose one by --number")
    written = target.write(games, Style(options.output_encoding, options.notation))
    for kind, count in sorted(written.losses.items()):
        report(f"{target.name} has no room for {kind}: {count}")
    if options.output == "-":
        sys.stdout.buffer.write(written.data)
        sys.stdout.buffer.flush()
    else:
        with held_back():
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
