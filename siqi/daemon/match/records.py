"""Games of a match as records, which the formats of their game write."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from siqi.daemon.match.game_loop import parse_opening, words_for
from siqi.daemon.match.match_log import MatchRecord
from siqi.games.contract import FIRST, Game, GameInfo, Position
from siqi.games.game_record import GameRecord, position_after


class Occasion(NamedTuple):
    """Where and when games were played, as their records say it."""

    event: str = ""
    site: str = ""
    round: str = ""
    date: str = ""
    teams: Mapping[str, str] = {}  # by the name of the engine


UNKNOWN = Occasion()


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
