"""Command-line options of games between engines: limits of engines, and the conditions of play."""

from __future__ import annotations

import argparse
import importlib.util
import re
from collections.abc import Callable
from typing import Any

from siqi.daemon.clients import unfit
from siqi.daemon.clients.player import RANDOM, PlayerLimits
from siqi.daemon.commands.arguments import number_to, whole_number
from siqi.daemon.match.match_log import MatchSettings, UsageError
from siqi.daemon.match.openings import openings_fields
from siqi.games import registry

ENGINE_FAILED, FILE_FAILED = 3, 4
"""Exit statuses beside MISUSED: an engine cannot be used, a file cannot be read or written."""

MOST = 10**12
"""The largest limit."""


def parse_clock(text: str) -> tuple[int, int]:
    """Return `SECONDS` or `SECONDS+INCREMENT` as milliseconds; ArgumentTypeError for other texts."""
    match = re.fullmatch(r"(\d{1,9}(?:\.\d+)?)(?:\+(\d{1,9}(?:\.\d+)?))?", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"SECONDS or SECONDS+INCREMENT, such as 60+0.5, not {text}")
    return round(float(match[1]) * 1000), round(float(match[2] or 0) * 1000)


def parse_option(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(text)
    return name, value


LIMITS: dict[str, tuple[Callable[[str], Any], str, str | None]] = {
    "movetime": (number_to(MOST), "MS", "a move"),
    "nodes": (number_to(MOST), "N", "a move"),
    "depth": (number_to(MOST), "N", "a move"),
    "clock": (parse_clock, "S[+S]", "a game + each move"),
}


def add_limits(parser: argparse._ActionsContainer) -> None:
    """Declare the limits that hold for all engines."""
    for name, (kind, metavar, about) in LIMITS.items():
        parser.add_argument(f"--{name}", type=kind, metavar=metavar, help=about)


def limits_from(words: dict[str, Any]) -> PlayerLimits:
    """Return the limits that the words name; a missing one, or None, does not limit."""
    movetime, nodes, depth, clock = (words.get(name) for name in LIMITS)
    return PlayerLimits(movetime or 0, nodes or 0, depth or 0, *(clock or (0, 0)))


def add_conditions(parser: argparse._ActionsContainer) -> None:
    """Declare how games begin, end and are judged; the options bear the names of fields of MatchSettings."""
    option = parser.add_argument
    option("--seed", type=whole_number, default=1, metavar="N", help="of throws, of the order of openings; default: 1")
    option(
        "--openings",
        metavar="NAME",
        help="a shipped list (xiangqi, connect6-5, connect6-7), random:N (N moves), none (the start position), or a "
        "file with an opening per line: moves, FEN, or FEN moves ...; default of `siqi match`: the game's first list",
    )
    option("--max-plies", type=number_to(MOST), default=0, metavar="N", help="a game of N plies is a draw")
    option("--agree", nargs=2, type=whole_number, metavar=("CP", "PLIES"), help="scores of both that decide a game")
    option("--tablebases", action="store_true", help="tablebases end a game whose result they know")
    option("--margin", dest="margin_ms", type=whole_number, default=50, metavar="MS", help="grace beyond the time")
    option("--hang", dest="hang_s", type=float, default=60, metavar="S", help="kill engines that hang this long")
    option("--referee", choices=("siqi", "pyffish"), default="siqi", help="the rules that judge")


def fields_from(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of MatchSettings that a command line names."""
    fields = {name: value for name, value in arguments.items() if name in MatchSettings.__struct_fields__}
    return fields | openings_fields(arguments["game"], arguments["openings"] or "") | {"agreement": arguments["agree"]}


def check_conditions(settings: MatchSettings) -> None:
    """Check that games can be played as asked; UsageError."""
    for spec in settings.engines:
        if spec.command != RANDOM and spec.limits == PlayerLimits():
            raise UsageError(f"{spec.name} needs a limit: --movetime, --nodes, --depth or --clock")
        if why := unfit(spec, registry.info(settings.game)):
            raise UsageError(why)
        if spec.ranks and settings.game != "xiangqi":
            raise UsageError("only Xiangqi's ranks are counted in two ways")
    if settings.referee == "pyffish":
        if settings.game != "xiangqi":
            raise UsageError("pyffish knows only Xiangqi's rules")
        if importlib.util.find_spec("pyffish") is None:
            raise UsageError("--referee pyffish: it is not installed: pip install 'siqi[referee]'")
    if settings.tablebases and (not registry.info(settings.game).has_tablebases or settings.referee != "siqi"):
        known = " and ".join(name for name in registry.NAMES if registry.info(name).has_tablebases)
        raise UsageError(f"--tablebases: only {known}, by our own rules")
