"""The arguments of `siqi analyse`."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import NamedTuple

from siqi.daemon.analysis import plot
from siqi.daemon.analysis.annotated import comments_fault
from siqi.daemon.analysis.inputs import FEN, JSON, RECORD, TABLE, WORDS, format_names
from siqi.daemon.analysis.run import DEFAULT_NODES, RunSettings
from siqi.daemon.commands.arguments import add_cluster, add_workers, number_to, workers_of
from siqi.daemon.commands.game_files import CommandError, position_in
from siqi.daemon.engine.options import CORE
from siqi.games import registry

_MAX = {option.name: option.high for option in CORE}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `siqi analyse` to a parser."""
    parser.description = "Analyse positions: one JSON object per line in, one per line out."
    what = "a file of queries or games, a folder with files of games, a position, or - for standard input (default)"
    parser.add_argument("input", nargs="*", metavar="FILE", help=what)
    add_workers(parser)
    parser.add_argument("--threads", type=number_to(_MAX["Threads"]), default=1, help="threads of each search")
    parser.add_argument(
        "--hash", type=number_to(_MAX["Hash"]), default=16, metavar="MIB", help="hash memory of each search"
    )
    nodes_help = f"node limit of queries that name no limit ({DEFAULT_NODES})"
    parser.add_argument("--nodes", type=number_to(10**15), default=0, help=nodes_help)
    parser.add_argument("--depth", type=number_to(10**15), default=0, help="their depth limit")
    parser.add_argument("--movetime", type=number_to(10**9), default=0, metavar="MS", help="their time limit")
    parser.add_argument("--multipv", type=number_to(256), default=1, metavar="N", help="number of best moves to report")
    parser.add_argument("--game", choices=registry.NAMES, help="the game of FENs and records (xiangqi, or by content)")
    what = (
        "json, fen, csv (a table with a column of FENs), record (the game's usual one), or a name of siqi convert "
        "--list; default: by the content"
    )
    parser.add_argument("--from", dest="format", metavar="FORMAT", help=what)
    parser.add_argument("--format", default=argparse.SUPPRESS, help=argparse.SUPPRESS)  # its name in earlier versions
    parser.add_argument("--encoding", help="the encoding of FENs and records; default: detected")
    parser.add_argument(
        "--output",
        choices=("text", "json", "csv", "record", "plot"),
        help="text: lines for people, usual on a terminal; json: usual elsewhere; csv: a table; record: the input with "
        "comments; plot: a picture of all answers, into the file of --plot or as SVG",
    )
    plot_help = "at the end, write a picture of all answers: SVG or PNG, needs matplotlib"
    parser.add_argument("--plot", type=Path, metavar="FILE", help=plot_help)
    what = "append answers (JSON or CSV) to FILE; skip those it has"
    parser.add_argument("--resume", type=Path, metavar="FILE", help=what)
    add_cluster(parser)
    parser.add_argument("--json-progress", action="store_true", help="progress on standard error as lines of JSON")


class Arguments(NamedTuple):
    """The arguments of a command line; '' for what is to be detected."""

    names: tuple[str, ...]  # of files and folders, '-' for standard input; or one position
    is_position: bool  # True: a position stands in place of a file
    game: str
    format: str
    encoding: str
    output: str  # text, json, csv, record or plot
    plot: Path | None
    resume: Path | None
    cluster: str | None
    json_progress: bool
    settings: RunSettings


def arguments_of(options: argparse.Namespace) -> Arguments:
    """Return the arguments that were parsed; CommandError if they exclude each other."""
    if options.output is None:
        options.output = "text" if is_for_people(options) else "json"
    if (fault := misuse(options)) is not None:
        raise CommandError(fault)
    position = "" if options.format else position_in(options.input)
    return Arguments(
        (position,) if position else tuple(options.input) or ("-",),
        bool(position),
        options.game or "",
        options.format or "",
        options.encoding or "",
        options.output,
        options.plot,
        options.resume,
        options.cluster,
        options.json_progress,
        RunSettings(
            workers_of(options),
            options.threads,
            options.hash,
            options.nodes or (0 if options.depth or options.movetime else DEFAULT_NODES),
            options.depth,
            options.movetime,
            options.multipv,
            given=options.settings,
            no_files=options.no_files,
        ),
    )


def is_for_people(options: argparse.Namespace) -> bool:
    """True if a person reads the answers: they go to a terminal, and are to a position or files that are named."""
    is_named = options.input not in ([], ["-"])
    return is_named and options.resume is None and sys.stdout is not None and sys.stdout.isatty()


def misuse(options: argparse.Namespace) -> str | None:
    """Return why the options exclude each other, None if they do not."""
    if options.cluster is not None and options.workers is not None:
        return "--workers and --cluster exclude each other"
    if options.resume is not None and options.output not in ("json", "csv"):
        return "--resume needs --output json or csv"
    if options.resume is not None and options.output == "csv" and options.plot is not None:
        return "--plot with --resume needs --output json"
    if options.format is not None and options.format not in (*WORDS, *format_names()):
        return f"--from {options.format}: {', '.join(WORDS)}, or a format of siqi convert --list"
    if (options.output == "plot" or options.plot is not None) and (fault := plot.refusal(options.plot)) is not None:
        return f"--plot: {fault}"
    if options.output == "record":
        if options.format in (JSON, FEN, TABLE):
            return "--output record needs --from record"
        if len(options.input) > 1 or any(map(os.path.isdir, options.input)):
            return "--output record takes one file"
        if options.format == RECORD:
            return comments_fault(options.game or registry.DEFAULT_GAME)
    return None
