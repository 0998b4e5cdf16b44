"""The command line of `siqi` with arguments; without arguments it is the daemon."""

from __future__ import annotations

import argparse
import contextlib
import os
from collections.abc import Sequence

from daemon import __version__
from games import registry
from games.compiling import announce_compiling, to_stderr

SHELLS = ("bash", "zsh", "tcsh", "fish", "powershell")


def build_parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(
        prog="siqi",
        description="An engine for Xiangqi, Connect6, EinStein würfelt nicht! and Junqi. "
        "Without arguments it is the daemon on standard input and output (see protocol.md).",
    )
    found.add_argument("--version", action="version", version=f"siqi {__version__}")
    commands = found.add_subparsers(dest="command", metavar="COMMAND", required=True)
    from daemon.analysis.command import add_arguments

    add_arguments(commands.add_parser("analyse", aliases=["analyze"], help="positions from a file or standard input"))
    from daemon import convert

    convert.add_arguments(commands.add_parser("convert", help="games from one file format to another"))
    bench = commands.add_parser("bench", help="node signature and speed")
    bench.add_argument("game", nargs="?", choices=registry.NAMES, help="a game; default: all")
    from daemon.show import add_arguments as add_show_arguments

    add_show_arguments(commands.add_parser("show", help="a position as text, SVG or PNG"))
    from daemon.review.command import add_arguments as add_review_arguments

    add_review_arguments(commands.add_parser("review", help="a page on games with the engine's judgements"))
    warm = commands.add_parser("warm", help="compile all kernels now instead of at the first start")
    warm.add_argument("game", nargs="*", help="games; default: all")
    warm.add_argument("--cache", metavar="DIR", help="compile into DIR, for all users that have SIQI_CACHE=DIR")
    completion = commands.add_parser("completion", help="print a script that completes these words")
    completion.add_argument("shell", choices=SHELLS)
    return found


def run(arguments: list[str]) -> int:
    """Run a command line; return the exit status."""
    whole = build_parser()
    options = whole.parse_args(arguments)
    if options.command in ("analyse", "analyze"):
        from daemon.analysis.command import analyse_with

        return analyse_with(options)
    if options.command == "convert":
        from daemon.convert import convert_with

        return convert_with(options)
    if options.command == "bench":
        return bench_all([options.game] if options.game else list(registry.NAMES))
    if options.command == "review":
        from daemon.review.command import review_with

        return review_with(options)
    if options.command == "show":
        from daemon.show import show

        return show(options)
    if options.command == "warm":
        from daemon.warm import warm

        return warm(options.game or list(registry.NAMES), options.cache)
    import shtab

    with contextlib.suppress(BrokenPipeError):  # for example `| head`
        print(shtab.complete(whole, options.shell), flush=True)
        return 0
    os._exit(0)


def bench_all(names: Sequence[str]) -> int:
    """Run and print the bench of each game, in the protocol's lines; return the exit status."""
    from daemon.bench import BenchJob
    from daemon.events import Event
    from daemon.frontends.uci_family import count_lines

    def show(event: Event) -> None:
        for line in count_lines(event):
            print(line, flush=True)

    for name in names:
        with announce_compiling(to_stderr, name):
            game = registry.load(name, to_stderr)
        show(BenchJob(game, show).run())
    return 0
