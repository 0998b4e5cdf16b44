"""Command-line options of games between engines: limits of engines, and the conditions of play."""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scripts.common import script
from scripts.match.match_log import MatchSettings, UsageError
from scripts.match.players import PlayerLimits
from scripts.match.tablebases import GAMES as TABLEBASE_GAMES


def parse_clock(text: str) -> tuple[int, int]:
    """Return `SECONDS` or `SECONDS+INCREMENT` as milliseconds."""
    base, _, increment = text.partition("+")
    return round(float(base) * 1000), round(float(increment or 0) * 1000)


def parse_option(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(text)
    return name, value


LIMITS: dict[str, tuple[Callable[[str], Any], str, str | None]] = {
    "movetime": (int, "MS", "a move"),
    "nodes": (int, "N", "a move"),
    "depth": (int, "N", None),
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
    option("--seed", type=int, default=1)
    option("--openings", default="", metavar="FILE", help="one opening per line: moves, FEN, or FEN moves ...")
    option("--max-plies", type=int, default=0, metavar="N", help="a game of N plies is a draw")
    option("--agree", nargs=2, type=int, metavar=("CP", "PLIES"), help="scores of both engines that decide a game")
    option("--tablebases", action="store_true", help="exact values decide a game: " + ", ".join(TABLEBASE_GAMES))
    option("--margin", dest="margin_ms", type=int, default=50, metavar="MS", help="grace beyond the time allowed")
    option("--hang", dest="hang_s", type=float, default=60, metavar="S", help="kill engines that hang this long")
    option("--referee", choices=("siqi", "pyffish"), default="siqi", help="the rules that judge")


def fields_from(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of MatchSettings that a command line names."""
    fields = {name: value for name, value in arguments.items() if name in MatchSettings.__struct_fields__}
    fields["agreement"] = arguments["agree"]
    if arguments["openings"]:
        fields["openings_sha256"] = hashlib.sha256(Path(arguments["openings"]).read_bytes()).hexdigest()
    return fields


def check_conditions(settings: MatchSettings) -> None:
    """Check that games can be played as asked; UsageError."""
    for spec in settings.engines:
        if spec.command != "random" and spec.limits == PlayerLimits():
            raise UsageError(f"{spec.name} needs a limit: --movetime, --nodes, --depth or --clock")
        if spec.ranks and settings.game != "xiangqi":
            raise UsageError("only Xiangqi's ranks are counted in two ways")
    if settings.referee == "pyffish":
        if settings.game != "xiangqi":
            raise UsageError("pyffish knows only Xiangqi's rules")
        script.require("pyffish", "referee")
    if settings.tablebases and (settings.game not in TABLEBASE_GAMES or settings.referee != "siqi"):
        raise UsageError(f"--tablebases: only {' and '.join(TABLEBASE_GAMES)}, by our own rules")
