"""`siqi match export`: the games of a log in a format of their game, or as a table."""

from __future__ import annotations

import argparse
import csv
import io
import itertools
import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from siqi.daemon.cluster import node
from siqi.daemon.commands.arguments import MISUSED
from siqi.daemon.commands.game_files import reason
from siqi.daemon.match.arguments import FILE_FAILED
from siqi.daemon.match.match_log import MatchRecord, MatchSettings, UsageError
from siqi.daemon.match.records import Occasion, add_occasion, check_teams, occasion_of, record_of, round_of
from siqi.daemon.match.stats import read_match
from siqi.games import registry
from siqi.games.compiling import announce_compiling
from siqi.games.formats import Format
from siqi.games.game_record import GameRecord
from siqi.games.records import official
from siqi.system.files import replace_file
from siqi.system.interrupts import held_back
from siqi.system.pipes import printable, to_stderr

FORMS = {
    "pgn": "Xiangqi's games as PGN",
    "sgf": "Connect6's games as SGF",
    "championship": "as the game's championship keeps records; Xiangqi: PGN, Junqi: a line a game; the default",
    "csv": "a table with a row for each game",
}

COLUMNS = (
    *("game", "pair", "first", "second", "result", "winner", "cause", "reason", "plies", "first_ms", "second_ms"),
    *("opening", "dice", "moves"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `siqi match export`."""
    option = parser.add_argument
    parser.description = (
        "Write the games of a log, in the order of their numbers. A record says how its game ended if "
        "not by the rules: on time, by an illegal move, a crash or an adjudication."
    )
    option("log", type=Path, metavar="LOG", help="a log of siqi match, which may still run")
    forms = parser.add_mutually_exclusive_group()
    for name, what in FORMS.items():
        forms.add_argument(f"--{name}", dest="form", action="store_const", const=name, help=what)
    option("--out", metavar="FILE", help="default: standard output")
    option("--split", metavar="FOLDER", type=Path, help="a file for each game there, under its official name")
    option("--force", action="store_true", help="replace files that exist")
    add_occasion(parser)
    parser.set_defaults(run=export_with, form="championship")


class ExportArguments(NamedTuple):
    """The arguments of a command line."""

    log: Path
    form: str  # of FORMS
    out: str | None  # a file's name; None: standard output
    split: Path | None  # the folder of single files; None: all games go to `out`
    replaces: bool
    occasion: Occasion


def arguments_of(options: argparse.Namespace) -> ExportArguments:
    """Return the arguments that were parsed; UsageError if they exclude each other."""
    if options.out is not None and os.path.realpath(options.out) == os.path.realpath(options.log):
        raise UsageError(f"--out {options.out}: the log itself, which nothing could replace")
    if options.split is not None and (options.out is not None or options.form in ("csv", "sgf")):
        raise UsageError("--split: one file a game, as the game's championship keeps records; no --out, --csv or --sgf")
    return ExportArguments(options.log, options.form, options.out, options.split, options.force, occasion_of(options))


def export_with(options: argparse.Namespace) -> int:
    """Run `siqi match export`; return 0, MISUSED or FILE_FAILED."""
    try:
        arguments = arguments_of(options)
        match = read_match(arguments.log)
        records = sorted(match.records, key=lambda record: record.game)
        check_teams(arguments.occasion, match.settings)
        if arguments.split is not None:
            split(arguments.split, match.settings, records, arguments)
            return 0
        if arguments.form == "csv":
            data = table(records)
        else:
            data = games(match.settings, records, arguments)
        if arguments.out is None:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        else:
            with held_back():
                replace_file(arguments.out, [data], lambda head: arguments.replaces)
    except UsageError as error:
        to_stderr(f"siqi match export: {printable(str(error), 300)}")
        return MISUSED
    except OSError as error:
        hint = "; --force replaces it" if isinstance(error, FileExistsError) else ""
        to_stderr(f"siqi match export: {reason(error)}{hint}")
        return FILE_FAILED
    return 0


def table(records: Sequence[MatchRecord]) -> bytes:
    """Return the games as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for record in records:
        winner = "" if record.winner is None else record.names[record.winner]
        times = (record.time_ms[record.first], record.time_ms[1 - record.first])
        ending = (record.result, winner, record.cause, record.reason, record.plies)
        dice, moves = " ".join(map(str, record.dice)), " ".join(record.moves)
        writer.writerow(
            (record.game + 1, record.pair + 1, *record.players, *ending, *times, record.opening, dice, moves)
        )
    return text.getvalue().encode()


def games(settings: MatchSettings, records: Sequence[MatchRecord], arguments: ExportArguments) -> bytes:
    """Return the games in a format of theirs; UsageError if there is no such format, or it cannot store a game."""
    form = format_of(settings.game, arguments.form)
    return written(form, played_games(form, settings, records, arguments.occasion))


def split(folder: Path, settings: MatchSettings, records: Sequence[MatchRecord], arguments: ExportArguments) -> None:
    """Write each game into a file of its own under its official name, the folder made if it is missing.

    UsageError as of `games`; OSError for a file that exists with another text.
    """
    form = format_of(settings.game, arguments.form)
    folder.mkdir(parents=True, exist_ok=True)
    names: set[str] = set()
    for game in played_games(form, settings, records, arguments.occasion):
        numbered = (official.file_name(form, game, number) for number in itertools.count(1))
        name = next(name for name in numbered if name not in names)
        names.add(name)
        data = written(form, [game])
        with held_back():
            replace_file(folder / name, [data], partial(_may_replace, arguments.replaces, data))


def _may_replace(force: bool, data: bytes, head: bytes) -> bool:
    """True for a file that is to be replaced whatever it has, or that has the same content."""
    return force or data.startswith(head)


def played_games(
    form: Format, settings: MatchSettings, records: Sequence[MatchRecord], occasion: Occasion
) -> list[GameRecord]:
    """Return the games as records for a format; those in which a side had not set up are left out."""
    info = registry.info(settings.game)
    game = None
    if info.has_hidden:
        with announce_compiling(to_stderr, settings.game):
            game = node.load(settings.game, to_stderr)
    games: list[GameRecord] = []
    for record in records:
        played = record_of(info, record, game, occasion._replace(round=round_of(record, form, occasion)))
        if played is not None:
            games.append(played)
    if left_out := len(records) - len(games):
        to_stderr(f"siqi match export: left out, as a side had not set up: {left_out}")
    return games


def format_of(game: str, form: str) -> Format:
    """Return a format of a game by its name, or that of its championship; UsageError if the game has none."""
    if form == "championship":
        return registry.record_format(game)
    for each in registry.formats(game):
        if each.name == form:
            return each
    raise UsageError(f"--{form}: {game} has the formats {', '.join(each.name for each in registry.formats(game))}")


def written(form: Format, games: Sequence[GameRecord]) -> bytes:
    """Return games in a format; UsageError, with its number, for one that it cannot store."""
    if not form.is_stream:
        return form.write(games).data
    text = form.load_stream().text
    parts = []
    for number, game in enumerate(games, 1):
        try:
            parts.append(text(game))
        except ValueError as error:
            raise UsageError(f"{form.name}: game {number}: {error}") from None
    return ("\n" if form.name == "pgn" else "").join(parts).encode(form.encoding)
