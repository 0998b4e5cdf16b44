"""The contest as the page shows it."""

from __future__ import annotations

from typing import Any

import msgspec

from siqi.daemon.board.championship.contest import ContestFacts
from siqi.daemon.board.championship.entries import OURS
from siqi.daemon.board.championship.events import Contest, GameLine, Press, Stage, Table
from siqi.daemon.board.championship.state import GameState
from siqi.daemon.board.events import PlayedMove
from siqi.daemon.board.positions import Positions


def table(facts: ContestFacts, number: int, picture: int, arranged: str, record: str) -> Table:
    """Return the event for a contest; `arranged`: the set-up that is made by hand."""
    stage = _stage(facts)
    if facts.state.begun is None or facts.state.game is None:
        return Table(number=number, stage=stage)
    about = Table(
        number=number,
        stage=stage,
        press="nobody",
        contest=_contest(facts),
        first=facts.game.first,
        corrections=list(facts.state.corrections),
        record=record,
        saved_at=facts.last_at,
    )
    if facts.loaded is None:
        return about
    game, positions = facts.game, facts.loaded
    word = (game.proposed or arranged) if facts.goes_on and not positions.has_pieces else ""
    ahead = _ahead(game)
    return msgspec.structs.replace(
        about,
        press=_press(facts),
        picture=picture,
        turn=positions.whole.turn,
        pieces=_pieces(positions, game, word),
        moves=positions.moves,
        line=game.line(),
        ahead=ahead,
        ahead_moves=[PlayedMove(game.nodes[node].word, "", game.nodes[node].answered) for node in ahead],
        word=word,
        throw=game.throw,
        clocks=facts.clocks(),
        **_offers(facts),
    )


def _stage(facts: ContestFacts) -> Stage:
    if facts.state.game is None:
        return "start"
    if facts.loaded is None:
        return "loading"
    if facts.game.ended is not None:
        return "over"
    if facts.is_held:
        return "asks"
    if not facts.loaded.has_pieces:
        return "set-up"
    return "paused" if facts.game.is_paused else "play"


def _press(facts: ContestFacts) -> Press:
    """Return what the operator has to do next."""
    stage = _stage(facts)
    if stage == "over":
        return "next"
    if stage in ("asks", "paused"):
        return "resume"
    if facts.needs_throw and facts.loaded is not None and facts.loaded.has_pieces:
        return "throw"
    if facts.is_referees:
        return "referee"
    if facts.is_engines:
        return "announce" if facts.game.proposed else "nobody"
    if stage == "set-up":
        return "set-up"
    return "own" if facts.team == OURS else "opponent"


def _contest(facts: ContestFacts) -> Contest:
    state, begun = facts.state, facts.begun
    settings: dict[str, Any] = {
        name: getattr(begun, name) for name in Contest.__struct_fields__ if hasattr(begun, name)
    }
    played = [
        GameLine(
            game.first,
            len(game.path()),
            game.ended.winner if game.ended else None,
            game.ended.end if game.ended else "",
            game.ended.reason if game.ended else "",
        )
        for game in state.games
    ]
    return Contest(
        **settings,
        points=state.points(),
        is_decided=state.is_decided,
        next_first=state.first_of_next(),
        played=played,
        current=state.current,
    )


def _ahead(game: GameState) -> list[int]:
    """Return the youngest line of nodes behind the position shown."""
    path, at = list[int](), game.current
    while children := [number for number, node in enumerate(game.nodes) if node.parent == at]:
        at = children[-1]
        path.append(at)
    return path


def _pieces(positions: Positions, game: GameState, word: str) -> dict[str, str]:
    """Return the pieces by point, during the set-ups those that are known or being set up."""
    if positions.has_pieces:
        return positions.whole.pieces()
    pieces: dict[str, str] = {}
    words = [node.word for node in game.path()] + ([word] if word else [])
    for side, each in enumerate(words):
        if each != "?":
            pieces |= positions.set_up(side, each)
    return pieces


def _offers(facts: ContestFacts) -> dict[str, Any]:
    """Return the parts that say what may be entered now."""
    positions, game = facts.positions, facts.game
    offers: dict[str, Any] = {}
    if game.proposed and facts.goes_on:
        offers["proposed"] = positions.worded(game.proposed) if positions.has_pieces else PlayedMove(game.proposed)
        if positions.has_pieces and positions.info.has_hidden:
            offers["answers"] = positions.answers(game.proposed)
    if not facts.goes_on or facts.needs_throw:
        return offers
    side = positions.whole.turn
    if not positions.has_pieces:
        presets = {
            game.path()[game.team(facts.team)].word
            for game in facts.state.games
            if len(game.path()) > game.team(facts.team)
        }
        return offers | {"setup": list(positions.setup_points(side)), "presets": sorted(presets - {"?"})}
    return offers if facts.is_engines else offers | positions.choices()
