"""Games of a match as records, which the formats of their game write."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import NamedTuple

from siqi.daemon.match.game_loop import parse_opening, words_for
from siqi.daemon.match.match_log import MatchRecord, MatchSettings, UsageError
from siqi.games.contract import FIRST, Game, GameInfo, Position
from siqi.games.formats import Format
from siqi.games.game_record import GameRecord, position_after


class Occasion(NamedTuple):
    """Where and when games were played, as their records say it."""

    event: str = ""
    site: str = ""
    round: str = ""
    date: str = ""
    teams: Mapping[str, str] = {}  # by the name of the engine


UNKNOWN = Occasion()

HAVE_ROUNDS = ("pgn", "sgf")
"""Formats with a field for the round; others put it behind the event."""


def add_occasion(parser: argparse.ArgumentParser) -> None:
    """Declare the options that say where and when games were played."""
    option = parser.add_argument_group("in the records").add_argument
    option("--event", default="", help="the name of the event")
    option("--site", default="", help="its place")
    option("--date", default="", help="its date, such as 2026.11.27")
    option("--round", default="", help="default in PGN and SGF: the number of the pair or series, from 1")
    what = "an engine's team; may be repeated"
    option("--team", type=parse_team, action="append", default=[], metavar="ENGINE=TEAM", help=what)


def parse_team(text: str) -> tuple[str, str]:
    """Return an engine's name and its team; ArgumentTypeError for other texts."""
    name, equals, team = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"ENGINE=TEAM, not {text}")
    return name, team


def occasion_of(options: argparse.Namespace) -> Occasion:
    """Return the occasion that options name."""
    return Occasion(options.event, options.site, options.round, options.date, dict(options.team))


def check_teams(occasion: Occasion, settings: MatchSettings) -> None:
    """Check that the teams are of engines of the match; UsageError."""
    names = [spec.name for spec in settings.engines]
    for name, team in occasion.teams.items():
        if name not in names:
            raise UsageError(f"--team {name}={team}: ENGINE=TEAM, with one of the engines {', '.join(names)}")


def round_of(record: MatchRecord, form: Format, occasion: Occasion) -> str:
    """Return a game's round in a format: the occasion's, or the number of its pair if the format has rounds."""
    return occasion.round or (str(record.pair + 1) if form.name in HAVE_ROUNDS else "")


def record_of(
    info: GameInfo, record: MatchRecord, game: Game[Position] | None, occasion: Occasion = UNKNOWN
) -> GameRecord | None:
    """Return a game as a record; None unless both sides have set up.

    `game` is needed if pieces are hidden: the results of moves stand in a record, not in the log.
    """
    fen = parse_opening(record.opening).fen or ""
    setups = info.setups(fen)
    if len(record.moves) < setups:
        return None
    teams = tuple(occasion.teams.get(name, "") for name in record.players)
    played = GameRecord(
        tuple(record.moves),
        tuple(record.dice[: len(record.moves) - setups]),  # a throw may have been answered by no move
        record.result,
        *record.players,
        occasion=occasion.date,
        event=occasion.event,
        fen=fen,
        site=occasion.site,
        round=occasion.round,
        teams=(teams[0], teams[1]),
        end="" if record.cause == "rules" else record.cause,
    )
    if info.has_hidden:
        assert game is not None
        moves = words_for(game, position_after(game, played), FIRST, record.moves)
        played = played._replace(moves=(*played.moves[:setups], *moves[setups:]))
    return played
