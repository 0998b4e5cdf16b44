"""The command line of `siqi review`: files in, one page out, progress, and resuming after a stop."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from siqi.daemon.analysis.run import RunSettings
from siqi.daemon.cluster.errors import ClusterError
from siqi.daemon.commands import game_files
from siqi.daemon.commands.arguments import (
    FAILED,
    MISUSED,
    add_cluster,
    add_workers,
    name_fault,
    number_to,
    reporter,
    workers_of,
)
from siqi.daemon.commands.game_files import CommandError, InputOptions, input_options
from siqi.daemon.engine.options import CORE
from siqi.daemon.review.assess import assess, course, doubt_of, positions, solved
from siqi.daemon.review.engine import Finding, FindingsFile, PositionRequest, find
from siqi.daemon.review.games import is_position, read_all
from siqi.daemon.review.page import Page, is_page
from siqi.games import registry
from siqi.games.compiling import announce_compiling
from siqi.system.files import check_folder, check_owned, replace_file
from siqi.system.interrupts import INTERRUPTED, held_back
from siqi.system.messages import translated
from siqi.system.pipes import printable
from siqi.system.texts import visible

report = reporter("siqi review")

_MAX = {option.name: option.high for option in CORE}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `siqi review` to a parser."""
    parser.description = "Write a page on games with the engine's judgements, for any browser."
    parser.add_argument(
        "games", nargs="+", metavar="GAME", help="a file of games, 'startpos moves ...', or - for standard input"
    )
    what = "the page, for example review.html; default: beside a single GAME, game.html for game.pgn"
    parser.add_argument("-o", "--output", metavar="PAGE", help=what)
    times = ", ".join(f"{game} {registry.info(game).review.movetime_ms}" for game in registry.NAMES)
    parser.add_argument(
        "--movetime", type=number_to(10**9), default=0, metavar="MS", help=f"time for a position ({times})"
    )
    parser.add_argument("--nodes", type=number_to(10**15), default=0, help="node limit of a position")
    parser.add_argument("--depth", type=number_to(10**15), default=0, help="depth limit of a position")
    add_workers(parser)
    parser.add_argument("--threads", type=number_to(_MAX["Threads"]), default=1, help="threads of each search")
    parser.add_argument(
        "--hash", type=number_to(_MAX["Hash"]), default=64, metavar="MIB", help="hash memory of each search"
    )
    add_cluster(parser)
    game_files.add_arguments(parser)


class Arguments(NamedTuple):
    """The arguments of a command line."""

    games: tuple[str, ...]  # names of files, '-' for standard input, or positions
    input: InputOptions
    output: Path
    cluster: str | None
    settings: RunSettings


def arguments_of(options: argparse.Namespace) -> Arguments:
    """Return the arguments that were parsed; CommandError if they exclude each other or name no page to write."""
    if options.cluster is not None and options.workers is not None:
        raise CommandError("--workers and --cluster exclude each other")
    if "UCI_Coordinates" in options.settings:
        raise CommandError("--option UCI_Coordinates: games have ranks of their own")
    limits = options.nodes, options.depth, options.movetime
    return Arguments(
        tuple(options.games),
        input_options(options),
        page_path(options.games) if options.output is None else Path(options.output),
        options.cluster,
        RunSettings(workers_of(options), options.threads, options.hash, *limits, given=options.settings),
    )


def page_path(games: Sequence[str]) -> Path:
    """Return where a page goes that is not named: beside the only game; CommandError if that is no file."""
    path = Path(games[0])
    if len(games) == 1 and not is_position(games[0]) and games[0] != "-":
        os.stat(games[0])  # a file that is not there is named, as with -o
    if len(games) > 1 or is_position(games[0]) or not path.is_file():
        raise CommandError("-o PAGE is missing: only a single file gives the page its name")
    return path.with_suffix(".html")


def review_with(options: argparse.Namespace) -> int:
    """Run `siqi review`. Return 0 if all games are on the page, 1 after a fault, 2 if nothing was started."""
    try:
        return _review(arguments_of(options))
    except CommandError as refusal:
        report(str(refusal))
        return MISUSED
    except ClusterError as error:
        report(str(error))
        return MISUSED
    except OSError as error:
        report(f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror or error))
        return FAILED
    except ValueError as error:
        report(printable(str(error), 300))
        return FAILED
    except KeyboardInterrupt:
        report("stopped; the same command goes on from here")
        return INTERRUPTED


def _review(arguments: Arguments) -> int:
    output, settings = arguments.output, arguments.settings
    _check_output(output)
    read = read_all(arguments.games, arguments.input, report)
    loaded = {}
    for name in dict.fromkeys(game.game for game in read.games):
        with announce_compiling(report, name):
            loaded[name] = registry.load(name, report)
        for option, value in settings.given.items():
            if option in {known.name for known in registry.info(name).options}:
                loaded[name].set_option(option, value)  # its books, rules and tablebases
    courses = [course(game, loaded[game.game]) for game in read.games]
    asked = [positions(game, way, settings) for game, way in zip(read.games, courses, strict=True)]
    with FindingsFile(output.with_name(f"{output.name}.partial")) as partial:
        _analyse(asked, settings, partial, arguments.cluster)
        keys = {position.key for wanted in asked for position in wanted}
        errors = sum(bool(partial.findings[key].error) for key in keys)
        page = Page()
        for game, way, wanted in zip(read.games, courses, asked, strict=True):
            plies = assess(game, way, wanted, partial.findings)
            doubt = doubt_of(game, plies, (wanted[0].query.movetime or 0) if wanted else 0)
            page.add(game, loaded[game.game], way, solved(game, loaded[game.game], plies), doubt)
        data = page.html().encode()
        with held_back():
            replace_file(output, [data], is_page)
            partial.remove()
    count = len(read.games)
    report(f"{output}: {count} game{'s' * (count > 1)}, {-(-len(data) // 1024)} KiB")
    if errors:
        report(f"positions that could not be analysed: {errors}")
    return 0 if read.is_whole and not errors else FAILED


def _check_output(path: Path) -> None:
    """Raise CommandError unless the page can be written: before an analysis of hours, not after it."""
    try:
        check_owned(path, is_page)
        check_folder(path.parent)
    except OSError as error:
        raise CommandError(f"{error.filename or path}: {error.strerror}") from None
    if fault := name_fault(str(path), (".html", ".htm"), "a page"):
        raise CommandError(f"--output {fault}")


def _analyse(
    asked: Sequence[Sequence[PositionRequest]], settings: RunSettings, partial: FindingsFile, cluster: str | None
) -> None:
    """Analyse each position that the partial file lacks once, games backwards: stored results help earlier ones."""
    missing: dict[str, PositionRequest] = {}
    for game in asked:
        for position in reversed(game):
            if position.key not in partial.findings:
                missing.setdefault(position.key, position)
    total = len({position.key for game in asked for position in game})
    if len(missing) < total:
        report(f"positions that an earlier run has analysed: {total - len(missing)}")
    if not missing:
        return
    progress = ReviewProgress(len(missing))

    def take(finding: Finding) -> None:
        partial.add(finding)
        progress.update()

    with progress:
        find(missing.values(), settings, take, _fail, progress.report, cluster)


def _fail(error: Exception) -> None:
    """End the process at once: a full disk, or a fault of this program in a worker, which others may wait for."""
    try:
        text = str(error.strerror) if isinstance(error, OSError) else f"internal: {type(error).__name__}: {error}"
        text = str(error) if isinstance(error, ClusterError) else text
        report(printable(text, 200))
    finally:
        os._exit(FAILED)


class ReviewProgress:
    """A bar if standard error is a terminal, else lines now and then."""

    EVERY = 0.1
    """The share of all positions after which a line is written."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0
        self._bar: Any = None

    def __enter__(self) -> ReviewProgress:
        if sys.stderr is not None and sys.stderr.isatty():
            from tqdm import tqdm

            self._bar = tqdm(total=self._total, unit=translated(" positions"), file=sys.stderr, dynamic_ncols=True)
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def update(self) -> None:
        """Count a position."""
        self._done += 1
        if self._bar is not None:
            self._bar.update()
        elif int((self._done - 1) / self._total / self.EVERY) < int(self._done / self._total / self.EVERY):
            report(f"{self._done} of {self._total} positions")

    def report(self, text: str) -> None:
        """Write a line for the user, above the bar."""
        if self._bar is None:
            report(text)
        else:
            self._bar.write(visible(translated(f"siqi review: {text}")), file=sys.stderr)
