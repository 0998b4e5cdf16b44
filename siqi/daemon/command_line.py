"""The command line of `siqi` with arguments; without arguments it is the daemon."""

from __future__ import annotations

import argparse
import functools
import os
import re
from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

from siqi.daemon.commands.arguments import MISUSED
from siqi.daemon.commands.parser import CommandParser, add_language, language_of
from siqi.daemon.engine.options import SEARCHER_OPTIONS, is_search_option, names_for_game, parse_settings
from siqi.games import registry
from siqi.games.compiling import announce_compiling
from siqi.system.languages import preferred_language
from siqi.system.messages import is_english, select, translated
from siqi.system.pipes import printable, to_stderr
from siqi.version import __version__

SHELLS = ("bash", "zsh", "tcsh", "fish", "powershell")


class CommandHelp(NamedTuple):
    """A command's line in `siqi --help`, the examples and the command for its document, which end its own help."""

    about: str
    examples: tuple[str, str]
    page: str


GROUPS = {
    "Positions and games": {
        "board": CommandHelp(
            "play against the engine on a page in the browser",
            ("siqi board --game ewn", "siqi board --no-browser --port 8000 --games ~/games"),
            "siqi docs board",
        ),
        "analyse": CommandHelp(
            "analyse positions or games, as JSON, a table, comments or a plot",
            (
                "siqi analyse game.pgn --depth 12 --output record > commented.pgn",
                """echo '{"moves": ["h2e2"], "depth": 9}' | siqi analyse""",
            ),
            "siqi docs analyse",
        ),
        "review": CommandHelp(
            "write a page on games: chances, mistakes, what was better",
            ("siqi review game.xqf", "siqi review cup/*.pgn -o cup.html --movetime 1000 --workers 4"),
            "siqi docs review",
        ),
        "show": CommandHelp(
            "draw a position as text, SVG or PNG",
            ("siqi show startpos moves h2e2 h9g7", "siqi show --game connect6 --svg board.svg startpos moves j10 i9k9"),
            "siqi docs pictures",
        ),
        "rules": CommandHelp(
            "mine games of Xiangqi for rules of play; show and export them",
            (
                "siqi rules mine cup/ games.pgn --plies 40 -o my.rules",
                "siqi rules export tables --rules my.rules --games cup/ games.pgn",
            ),
            "siqi docs rules",
        ),
        "convert": CommandHelp(
            "convert games from one file format to another",
            ("siqi convert game.xqf game.pgn --notation chinese", "siqi convert *.cbl games all.pgn"),
            "siqi docs files",
        ),
    },
    "The engine": {
        "match": CommandHelp(
            "play engines against each other: who is better?",
            (
                "siqi match xiangqi a='pikafish Hash=64' 'siqi@Skill Level=5' --games 100",
                "siqi match ewn siqi siqi@Threads=2 random --games 20 --movetime 100",
            ),
            "siqi docs match",
        ),
        "options": CommandHelp(
            "explain the engine's options",
            ("siqi options connect6", "siqi options xiangqi --language zh"),
            "siqi docs options",
        ),
        "bench": CommandHelp(
            "measure speed, and print the signature of fixed searches",
            ("siqi bench xiangqi", "siqi bench connect6 --option Threads=2"),
            "siqi docs commands",
        ),
        "warm": CommandHelp(
            "compile all kernels now instead of at the first start",
            ("siqi warm", "siqi warm xiangqi connect6 --cache /var/cache/siqi"),
            "siqi docs troubleshooting",
        ),
        "docs": CommandHelp(
            "list the documents, or print one, for example siqi docs protocol",
            ("siqi docs", "siqi docs match --language zh"),
            "siqi docs index",
        ),
        "completion": CommandHelp(
            "print a script that completes these words",
            ("siqi completion bash > ~/.local/share/bash-completion/completions/siqi", "siqi completion zsh > _siqi"),
            "siqi docs analyse",
        ),
    },
}

USAGE = "siqi [OPTION ...] [COMMAND ...]"

ABOUT = "An engine for Xiangqi, Connect6, EWN and Junqi; without a command, the daemon."

OPTIONS = {
    "--option NAME=VALUE": "set an option of the engine (siqi options lists them)",
    "--no-files": "refuse files that the client names (daemon, analyse)",
    "--language zh|en": "language of messages and texts; default: the locale's",
    "--version, --help": "the version; this help (siqi help COMMAND: examples)",
}
"""The lines on options in the help of `siqi` itself."""

MEANT = {"play": "board", "gui": "board", "draw": "show", "version": "--version"}
"""Words that a newcomer tries, and what they are here."""


class MainParser(CommandParser):
    """The parser of `siqi` itself, whose help groups the commands."""

    is_leaf = False

    def format_help(self) -> str:
        lines = [f"{translated('usage:')} {USAGE}", translated(ABOUT)]
        groups = {title: {name: each.about for name, each in group.items()} for title, group in GROUPS.items()}
        names = [name for group in groups.values() for name in group]
        for title, entries in {**groups, "Options": OPTIONS}.items():
            width = max(map(len, OPTIONS if entries is OPTIONS else names))
            lines += ["", f"{title}:" if is_english() else f"{translated(title)}："]
            lines += [f"  {name:<{width}}  {translated(about)}" for name, about in entries.items()]
        return "\n".join(lines) + "\n"

    def error(self, message: str) -> NoReturn:
        """End with an error; for a file in a command's place, or a word of MEANT, it names a command."""
        if match := re.fullmatch(r"argument COMMAND: invalid choice: '?(.*?)'? \(choose from .*\)", message, re.DOTALL):
            word = match[1]
            if os.path.isfile(word):
                message = f"{word} is a file; a command comes first, for example: siqi review {word}"
            elif word in MEANT:
                message = f"no command {word}, did you mean {MEANT[word]}?"
        super().error(message)


def build_parser() -> argparse.ArgumentParser:
    return _parser(preferred_language())


@functools.cache
def _parser(language: str) -> argparse.ArgumentParser:
    parser = MainParser(prog="siqi")
    add_option(parser, "settings")
    parser.add_argument("--no-files", action="store_true", help="refuse options by which the client names a file")
    parser.add_argument("--version", action="version", version=f"siqi {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    def add(name: str, run: Callable[[argparse.Namespace], int], **more: Any) -> CommandParser:
        (command,) = (group[name] for group in GROUPS.values() if name in group)
        end = "\n".join(["examples:", *(f"  {example}" for example in command.examples), "", f"more: {command.page}"])
        subparser: CommandParser = commands.add_parser(name, help=command.about, epilog=end, page=command.page, **more)
        subparser.set_defaults(run=run)
        return subparser

    from siqi.daemon.analysis.arguments import add_arguments
    from siqi.daemon.board import command as board_command
    from siqi.daemon.commands import convert, documents, option_list, rules, show
    from siqi.daemon.match import command as match_command
    from siqi.daemon.review import command as review_command

    analyse, review = add("analyse", analyse_with, aliases=["analyze"]), add("review", review_command.review_with)
    bench, board = add("bench", bench_with), add("board", board_command.board_with)
    add_arguments(analyse)
    review_command.add_arguments(review)
    board_command.add_arguments(board)
    show.add_arguments(add("show", show.show))
    convert.add_arguments(add("convert", convert.convert_with))
    mining, match = add("rules", rules.rules_with), add("match", match_command.match_with)
    mining.is_leaf = match.is_leaf = False
    rules.add_arguments(mining)
    match_command.add_arguments(match)
    option_list.add_arguments(add("options", option_list.print_options))
    documents.add_arguments(add("docs", documents.print_documents))
    bench.add_argument("game", nargs="?", choices=registry.NAMES, help="a game; default: all")
    for command in (analyse, review, bench, board):
        add_option(command, "more_settings")
    warm = add("warm", warm_with)
    warm.add_argument("game", nargs="*", help="games; default: all")
    warm.add_argument("--cache", metavar="DIR", help="compile into DIR, for all users that have SIQI_CACHE=DIR")
    add("completion", complete).add_argument("shell", choices=SHELLS)
    add_language(parser, language)
    return parser


def add_option(parser: argparse.ArgumentParser, name: str) -> None:
    """Declare `--option`; its words are the attribute `name`."""
    what = "set an option of the engine, for example Hash=256; may be repeated"
    parser.add_argument("--option", dest=name, action="append", default=[], metavar="NAME=VALUE", help=what)


def settings_of(options: argparse.Namespace) -> dict[str, str]:
    """Return the values of options that a command line sets, by name.

    ValueError for a bad name or value, or an option that the command does not use.
    """
    words = [*options.settings, *getattr(options, "more_settings", ())]
    settings = parse_settings(words)
    if options.command is not None and words:
        if not hasattr(options, "more_settings"):
            raise ValueError(f"{options.command} takes no options of the engine")
        for name in settings:
            if not is_search_option(name):
                raise ValueError(f"option {name}: not for {options.command}, only for the daemon's clients")
    return settings


def run(arguments: list[str]) -> int:
    """Run a command line; return the exit status."""
    select(language_of(arguments))
    whole = build_parser()
    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:], "--help"]
    options = whole.parse_args(arguments)
    select(options.language)
    if options.no_files and options.command not in (None, "analyse", "analyze"):
        whole.error(f"--no-files: for the daemon and analyse, not for {options.command}")
    try:
        options.settings = settings_of(options)
        if options.command is None:
            if not options.settings and not options.no_files:
                whole.error("a command is missing")
            from siqi.daemon.serve import serve

            serve(options.settings, options.no_files)
    except ValueError as error:  # a Refusal is one
        to_stderr(f"siqi: --option: {printable(str(error), 300)}")
        return MISUSED
    status: int = options.run(options)
    return status


def analyse_with(options: argparse.Namespace) -> int:
    """Run `siqi analyse`; return the exit status."""
    from siqi.daemon.analysis import command

    return command.analyse_with(options)


def warm_with(options: argparse.Namespace) -> int:
    """Run `siqi warm`; return the exit status."""
    from siqi.daemon.commands.warm import warm

    return warm(options.game or list(registry.NAMES), options.cache)


def complete(options: argparse.Namespace) -> int:
    """Print the script that completes the words of command lines; return the exit status."""
    import shtab

    print(shtab.complete(build_parser(), options.shell))
    return 0


def bench_with(options: argparse.Namespace) -> int:
    """Run and print the bench of a game or of all, in the protocol's lines; return the exit status."""
    from siqi.daemon.engine.bench import CONFIG, BenchJob
    from siqi.daemon.engine.events import Event
    from siqi.daemon.frontends.uci_family import count_lines

    def show(event: Event) -> None:
        for line in count_lines(event):
            print(line, flush=True)

    settings = options.settings
    config = tuple(int(settings.get(option, default)) for option, default in zip(SEARCHER_OPTIONS, CONFIG, strict=True))
    for name in [options.game] if options.game else registry.NAMES:
        with announce_compiling(to_stderr, name):
            game = registry.load(name, to_stderr)
        for option, value in settings.items():
            if option in names_for_game(name) and option not in SEARCHER_OPTIONS:
                game.set_option(option, value)
        show(BenchJob(game, show, config).run())
    return 0
