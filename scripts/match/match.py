"""Play a match between two engines, or a tournament of several, and report the result with its error bars.

    python scripts/match/match.py ewn --a siqi --b random --games 200 --movetime 50 --log ewn.jsonl
    python scripts/match/match.py xiangqi --tournament gauntlet --engine new=siqi --engine old="old/siqi" Hash=64 \\
        --engine "fairy=fairy-stockfish" ranks=1 movetime=100 --movetime 50 --tablebases --log gauntlet.jsonl

Each engine runs in processes of its own and speaks UCI, with the words protocol.md adds for the other games.
Games 2k and 2k+1 are a pair: the same opening and the same throws with the sides swapped. An engine that plays an
illegal move, crashes or oversteps its time loses the game. Every game becomes a line of the log; the same
command with the same log resumes an interrupted match. Siqi's own rules judge, or for Xiangqi those of
another library: `--referee pyffish`. `--best-of 7` plays series of seven games, as championships do:
A moves first in games 1, 4 and 5 (B in every second series). A series has its own throws, and ends when it is decided.
A tournament pairs its first engine with each other one (gauntlet) or all with all (round-robin), `--games` a pairing,
and ends with a crosstable and ratings. A word after NAME=COMMAND is a limit of this engine alone (movetime, nodes,
depth, clock), ranks, or a UCI option.
`--records` also writes each game to a file: PGN for Xiangqi, else in the championships' format. A file that
exists already must hold the same game. `--agree 1000 6` ends a game once the scores of both engines have named the
same winner, by 1000 centipawns or a mate, for six plies after the first. `--tablebases` ends a game of Xiangqi or EWN
whose result the shipped tablebases know.

Data: the tablebases are shipped; scripts/books/build_xiangqi_tablebases.py and build_ewn_tablebases.py make them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from scripts.common import script
from scripts.match.match_log import MatchSettings, UsageError
from scripts.match.match_options import (
    LIMITS,
    add_conditions,
    add_limits,
    check_conditions,
    fields_from,
    limits_from,
    parse_option,
)
from scripts.match.matches import run_match
from scripts.match.players import EngineSpec, PlayerLimits, StartError
from scripts.match.tally import Standings, Tally

from siqi.games import registry

OWN_WORDS = (*LIMITS, "ranks")


def build_parser() -> argparse.ArgumentParser:
    """Return a parser; options that fill MatchSettings bear the names of its fields."""
    parser = script.parser(__doc__)
    option = parser.add_argument
    option("game", choices=registry.NAMES)
    option("--log", type=Path, required=True, help="JSON lines; continued if it exists")
    option("--games", type=int, default=100, help="even: they are played in pairs; in a tournament, games per pairing")
    option("--tournament", choices=("gauntlet", "round-robin"), default="", help="between engines of --engine")
    option(
        "--engine", nargs="+", type=parse_option, action="append", default=[], metavar=("NAME=COMMAND", "WORD=VALUE")
    )
    option("--best-of", type=int, default=0, metavar="N", help="--games series of at most N games")
    option(
        "--records", type=Path, metavar="DIR", help="also write each game as a file: PGN, the championships' records"
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--concurrency", type=int, default=1, help="games at a time")
    script.add_cluster(parser, where)
    option("--sprt", nargs=2, type=float, metavar=("ELO0", "ELO1"), help="stop once decided (errors 5 %%)")
    option("--every", type=int, default=10, metavar="N", help="report every N games, off a terminal")
    add_conditions(parser)
    add_limits(parser.add_argument_group("limits of all engines"))
    for letter in "ab":
        group = parser.add_argument_group(f"engine {letter.upper()} (a limit of its own replaces all common ones)")
        group.add_argument(f"--{letter}", metavar="COMMAND", help="or `random`")
        group.add_argument(f"--{letter}-name", metavar="NAME")
        group.add_argument(f"--{letter}-option", type=parse_option, action="append", default=[], metavar="NAME=VALUE")
        for name in OWN_WORDS:
            group.add_argument(f"--{letter}-{name}", metavar=LIMITS[name][1] if name in LIMITS else "0|1")
    return parser


def spec_from(words: Sequence[tuple[str, str]], common: PlayerLimits) -> EngineSpec:
    """Return an engine from its name and command, then limits, ranks and UCI options; UsageError for a bad word."""
    (name, command), *rest = words
    options = dict(rest)
    try:
        own = limits_from({word: LIMITS[word][0](options.pop(word)) for word in LIMITS if word in options})
        ranks = {"0": 0, "1": 1}[options.pop("ranks", "0")]
    except (ValueError, KeyError) as error:
        raise UsageError(f"engine {name}: a bad limit, or ranks other than 0 and 1: {error}") from None
    return EngineSpec(name, command, options, common if own == PlayerLimits() else own, ranks)


def spec_of(arguments: dict[str, Any], letter: str) -> EngineSpec:
    """Return engine A or B; UsageError."""
    command, own = arguments[letter], [(word, arguments[f"{letter}_{word}"]) for word in OWN_WORDS]
    words = [*arguments[f"{letter}_option"], *(pair for pair in own if pair[1] is not None)]
    name = arguments[f"{letter}_name"] or f"{letter}:{command}"
    return spec_from([(name, command), *words], limits_from(arguments))


def engines_from(arguments: dict[str, Any]) -> tuple[EngineSpec, ...]:
    """Return A and B, or the engines of a tournament; UsageError if some are missing, or too many."""
    has_both, engines = bool(arguments["a"] and arguments["b"]), arguments["engine"]
    if not arguments["tournament"]:
        if not has_both or engines:
            raise UsageError("a match needs --a and --b; several --engine need --tournament")
        return tuple(spec_of(arguments, letter) for letter in "ab")
    specs = tuple(spec_from(words, limits_from(arguments)) for words in engines)
    if arguments["a"] or arguments["b"] or len({spec.name for spec in specs}) < max(len(specs), 2):
        raise UsageError("--tournament needs two --engine or more, of different names, not --a and --b")
    if arguments["best_of"] or arguments["sprt"]:
        raise UsageError("--best-of and --sprt are for matches of two engines")
    script.require("scipy")
    return specs


def settings_from(arguments: dict[str, Any]) -> MatchSettings:
    """Return the settings of the match asked for; UsageError if they make no sense."""
    settings = msgspec.convert(fields_from(arguments) | {"engines": engines_from(arguments)}, MatchSettings)
    check_conditions(settings)
    if arguments["records"] is not None and settings.openings and settings.game != "xiangqi":
        raise UsageError("--records: games must begin at the start position, except Xiangqi's")
    if settings.games < 1 or (settings.games % 2 and not settings.best_of):
        raise UsageError("--games must be even: they are played in pairs")
    if settings.best_of and (settings.best_of % 2 == 0 or settings.sprt):
        raise UsageError("--best-of: an odd number of games, and no SPRT: it judges pairs")
    if settings.concurrency < 1 or arguments["every"] < 1:
        raise UsageError("--concurrency and --every must be at least 1")
    if settings.sprt and settings.sprt[0] >= settings.sprt[1]:
        raise UsageError("--sprt: ELO0 must be below ELO1")
    return settings


@script.command
def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 0 done, 1 an engine cannot be used, 2 wrong usage, 130 interrupted by Ctrl-C."""
    parser = build_parser()
    parsed = parser.parse_args(arguments)
    status = 0
    try:
        settings = settings_from(vars(parsed))
        tally = Standings(settings) if settings.tournament else Tally(settings)
        try:
            run_match(settings, parsed.log, tally, parsed.every, parsed.records, script.cluster(parsed))
        except KeyboardInterrupt:
            status = 130
        except StartError as error:
            print(f"match: {error}", file=sys.stderr)
            status = 1
    except UsageError as error:
        parser.error(str(error))
    print(tally.report())
    return status


if __name__ == "__main__":
    sys.exit(main())
