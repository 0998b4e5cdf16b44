"""`siqi match`: a match between two engines or a tournament of several, from a log that the same command continues."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from siqi.daemon.clients.player import RANDOM, OptionError, PlayerLimits, StartError
from siqi.daemon.cluster.errors import ClusterError
from siqi.daemon.commands.arguments import MISUSED, add_cluster, number_to, reporter
from siqi.daemon.commands.game_files import reason
from siqi.daemon.match import export, sprt, stats
from siqi.daemon.match.arguments import (
    ENGINE_FAILED,
    FILE_FAILED,
    add_conditions,
    add_limits,
    check_conditions,
    fields_from,
    limits_from,
)
from siqi.daemon.match.check import command as check
from siqi.daemon.match.config import Config, ConfiguredEngine
from siqi.daemon.match.engines import configured_engine, distinct, parse_engine
from siqi.daemon.match.match_log import MatchSettings, UsageError, begun_settings
from siqi.daemon.match.openings import openings_text, with_default_openings
from siqi.daemon.match.records import UNKNOWN, Occasion, add_occasion, check_teams, occasion_of
from siqi.daemon.match.schedule import ROUNDS
from siqi.daemon.match.standings import Standings
from siqi.daemon.match.statistics import MODELS, NORMALIZED
from siqi.daemon.match.tally import Tally
from siqi.games import registry
from siqi.system.interrupts import INTERRUPTED, raised
from siqi.system.messages import translated
from siqi.system.pipes import printable

report = reporter("siqi match")

DEFAULT_MS = 100
"""The time of a move where no limit is given."""

MAX_GAMES = 1_000_000
MAX_FAULTS = 3
"""The usual number of games in a row, lost by faults, that end a match."""

MAX_AT_A_TIME = 256

KINDS = ("gauntlet", "round-robin", "swiss", "knockout")

GOES_ON = "; the same command goes on"
"""The end of the last line of a match that has begun and not ended."""

JOB_LIMIT_S = 6 * 3600.0
"""On a cluster, a game or series that takes longer is given to another worker."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the commands of `siqi match`, each with its arguments: a game's name plays a match."""
    parser.description = (
        "Play engines against each other: who is better? The first example answers that by 100 games. "
        "All options: siqi match xiangqi --help."
    )
    commands = parser.add_subparsers(dest="game", metavar="GAME|COMMAND", required=True)
    parser.usage = f"{parser.prog} GAME ENGINE ENGINE [--games N] [option ...]\n       {parser.prog} COMMAND ..."
    for name in registry.NAMES:
        add_match(commands.add_parser(name, help=f"play {registry.info(name).english.game}"), name)
    check.add_arguments(commands.add_parser("check", help="try the rules that clients rely on, on one engine"))
    stats.add_arguments(commands.add_parser("stats", help="show the results of logs in full"))
    export.add_arguments(commands.add_parser("export", help="write the games of a log as records or a table"))
    sprt.add_arguments(commands.add_parser("sprt", help="test counts of pairs by the SPRT"))


EXAMPLES = """\
two engines, 100 games, who is better:
  {match} ./mine ./other --games 100
engines with options; a name with a space has quotes of its own, but not behind siqi@:
  {match} './mine Hash=64 "Skill Level=5"' 'siqi@Skill Level=5,Threads=2'
is the new version better:
  {match} new=./mine old=./older --sprt 0 {elo} --games 20000
"""


def add_match(parser: argparse.ArgumentParser, game: str) -> None:
    """Declare the arguments of a match; those of MatchSettings bear the names of its fields."""
    option = parser.add_argument
    parser.usage = f"{parser.prog} ENGINE ENGINE [ENGINE ...] [option ...]"
    parser.description = EXAMPLES.format(match=f"siqi match {game}", elo=10 if game == "xiangqi" else 20)
    option(
        "engines",
        nargs="*",
        metavar="ENGINE",
        help="[NAME=]COMMAND [WORD=VALUE ...], one argument each: a program, random, siqi or siqi@OPTION=VALUE,...; "
        "a WORD is an option of the engine, a limit of its own (movetime, nodes, depth, clock), ranks or proto",
    )
    what = "games of each two engines, even, as sides change; default: 100"
    option("--games", type=number_to(MAX_GAMES), default=100, metavar="N", help=what)
    option("--log", type=Path, metavar="FILE", help="JSON lines, continued if it exists; default: GAME-A-B.jsonl")
    option("--tournament", choices=KINDS, default="", help="of more than two engines; default: round-robin")
    option("--rounds", type=number_to(99), default=0, metavar="N", help="of a Swiss tournament")
    option("--best-of", type=number_to(99), default=0, metavar="N", help="--games series of at most N games")
    option(
        "--records", type=Path, metavar="DIR", help="also write each game as a file: PGN, the championships' records"
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--concurrency", type=number_to(MAX_AT_A_TIME), default=1, metavar="N", help="games at a time")
    add_cluster(where)
    option(
        "--sprt",
        nargs=2,
        type=float,
        metavar=("ELO0", "ELO1"),
        help="stop once it is decided which is right, errors 5 %% each; to begin with 0 10 for Xiangqi, else 0 20",
    )
    option("--model", choices=MODELS, help=f"the Elo of --sprt; default: {NORMALIZED}, or that of the log")
    option("--every", type=number_to(MAX_GAMES), default=10, metavar="N", help="report every N games, off a terminal")
    option("--json-progress", action="store_true", help="progress on standard error as lines of JSON")
    option(
        "--faults",
        type=number_to(MAX_GAMES, 0),
        default=MAX_FAULTS,
        metavar="N",
        help="end the match when an engine has lost N games in a row by faults; 0: never; default: 3",
    )
    add_occasion(parser)
    option("--config", action=Config, metavar="FILE", help="TOML with these options, and tables [[engine]]")
    add_conditions(parser)
    add_limits(
        parser.add_argument_group("limits", f"of all engines without their own; default: {DEFAULT_MS} ms a move")
    )


def settings_from(arguments: dict[str, Any]) -> MatchSettings:
    """Return the settings of the match that a command line asks for; UsageError if they make no sense."""
    common = limits_from(arguments)
    common = PlayerLimits(movetime_ms=DEFAULT_MS) if common == PlayerLimits() else common
    files: Sequence[ConfiguredEngine] = arguments.get("configured") or ()
    configured = [configured_engine(each, common) for each in files]
    engines = distinct([*configured, *(parse_engine(text, common) for text in arguments["engines"])])
    kind = arguments["tournament"] or ("round-robin" if len(engines) > 2 else "")
    fields = fields_from(arguments) | {"engines": engines, "tournament": kind}
    if arguments["sprt"]:
        fields["sprt_model"] = arguments["model"] or NORMALIZED
    settings = msgspec.convert(fields, MatchSettings)
    check_conditions(settings)
    if len(engines) < 2:
        raise UsageError("a match needs two engines; `random` and `siqi` are always there")
    if settings.games % 2 and not settings.best_of:
        raise UsageError("--games must be even: they are played in pairs")
    if settings.best_of and (settings.best_of % 2 == 0 or settings.sprt):
        raise UsageError("--best-of: an odd number of games, and no SPRT: it judges pairs")
    if settings.tournament and settings.sprt:
        raise UsageError("--sprt is for a match of two engines")
    if settings.rounds and settings.tournament != "swiss":
        raise UsageError("--rounds is for --tournament swiss")
    if settings.test and (fault := settings.test.fault()):
        raise UsageError(f"--sprt: {fault}")
    return settings


class Arguments(NamedTuple):
    """The arguments of a command line, completed by what the log says of a match that it goes on with."""

    settings: MatchSettings
    log: Path
    records: Path | None  # the folder of records; None: none are written
    occasion: Occasion
    every: int  # games between two reports
    faults: int  # games in a row that end the match; 0: never
    cluster: str | None
    json_progress: bool


def arguments_of(options: argparse.Namespace) -> Arguments:
    """Return the arguments that were parsed; UsageError if they make no sense, OSError if a file cannot be read."""
    settings = settings_from(vars(options))
    log: Path = options.log or log_name(settings)
    begun = begun_settings(log)
    if settings.sprt and options.model is None and begun is not None:
        settings = msgspec.structs.replace(settings, sprt_model=begun.sprt_model)
    if options.openings is None:
        settings = with_default_openings(settings, begun)
    occasion = occasion_of(options)
    check_teams(occasion, settings)
    if occasion != UNKNOWN and options.records is None:
        raise UsageError("--event, --site, --date, --round and --team are for --records, or for siqi match export")
    return Arguments(
        settings,
        log,
        options.records,
        occasion,
        options.every,
        options.faults,
        options.cluster,
        options.json_progress,
    )


def log_name(settings: MatchSettings) -> Path:
    """Return the name of the log where none is given: by the game and the engines."""
    names = [re.sub(r"[^\w.+-]+", "_", spec.name) for spec in settings.engines]
    return Path("-".join([settings.game, *names])[:200] + ".jsonl")


def match_with(options: argparse.Namespace) -> int:
    """Run `siqi match`; return 0 once all is played or decided, else one of the statuses above, or INTERRUPTED."""
    try:
        arguments = arguments_of(options)
        settings = arguments.settings
        report(summary(settings, arguments.log))
    except UsageError as error:
        report(printable(str(error), 300))
        return MISUSED
    except OSError as error:
        report(reason(error))
        return FILE_FAILED
    tally = Standings(settings) if settings.tournament else Tally(settings)
    try:
        status, end = play(arguments, tally)
    except (UsageError, OptionError) as error:
        report(printable(str(error), 300))
        return MISUSED
    except (ClusterError, StartError) as error:
        status, end = ENGINE_FAILED, printable(str(error), 300)
    except OSError as error:
        status, end = FILE_FAILED, reason(error)
    if tally.games:
        print(translated(tally.report()), flush=True)
        end += GOES_ON if status else ""
    report(end)  # the last line says why it ended, and how it goes on
    return status


def play(arguments: Arguments, tally: Tally | Standings) -> tuple[int, str]:
    """Play what the log lacks; return 0, or INTERRUPTED after Ctrl-C, and why it ended."""
    from siqi.daemon.cluster.remote import Cluster  # late: it needs much
    from siqi.daemon.match.matches import run_match

    settings = arguments.settings
    cluster = None if arguments.cluster is None else Cluster(arguments.cluster, JOB_LIMIT_S)
    try:
        with raised():
            fresh = run_match(
                settings, arguments.log, tally, arguments.every, arguments.records, arguments.occasion, cluster,
                arguments.json_progress, arguments.faults,
            )  # fmt: skip
    except KeyboardInterrupt:
        return INTERRUPTED, f"interrupted after {tally.games} games"
    verdict = tally.sprt()[1]
    end = f"the SPRT accepts {verdict} after {tally.games} games" if verdict else f"all {tally.games} games are played"
    if not fresh:
        end = f"{end}: they are those of the log, nothing was played now"
    return 0, end if verdict or settings.tournament in ROUNDS else f"{end}; more --games go on from here"


def summary(settings: MatchSettings, path: Path) -> str:
    """Return in one sentence what will be played."""
    names = [spec.name for spec in settings.engines]
    who = f"{names[0]} against {names[1]}" if len(names) == 2 else f"{settings.tournament} of {', '.join(names)}"
    size = f"{settings.games} series, best of {settings.best_of}" if settings.best_of else f"{settings.games} games"
    each = " each" if len(names) > 2 else ""
    limits = {spec.limits for spec in settings.engines if spec.command != RANDOM}
    limit = "each engine by its own limit" if limits else "random moves"
    limit = limit_text(*limits) if len(limits) == 1 else limit
    return f"{settings.game}: {who}, {size}{each}, sides change; {limit}; {openings_text(settings)}; log {path}"


def limit_text(limits: PlayerLimits) -> str:
    """Return a limit in words."""
    if limits.clock_ms:
        increment = f" and {limits.increment_ms / 1000:g} s a move" if limits.increment_ms else ""
        return f"{limits.clock_ms / 1000:g} s a game{increment}"
    return f"{limits.text} a move"
