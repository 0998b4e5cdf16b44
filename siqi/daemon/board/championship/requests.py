"""What the engine should do for a contest as it stands."""

from __future__ import annotations

from siqi.daemon.board.championship.contest import ContestFacts
from siqi.daemon.board.championship.entries import OURS
from siqi.daemon.board.mode import HINT_MS, EngineRequest, LoadRequest, SearchRequest
from siqi.daemon.engine.limits import Limits
from siqi.daemon.engine.options import MAX_SKILL

SETUP_MS = 2000
"""The engine's time for a set-up, which no clock counts."""


def engine_request(facts: ContestFacts, arranged: str, nonce: int, is_urgent: bool) -> EngineRequest | None:
    """Return what the engine should do now; None: nothing.

    `arranged`: the set-up that is made by hand. `nonce` renews a request.
    """

    def search_request(purpose: str, limits: Limits) -> SearchRequest:
        game, positions = facts.game, facts.positions
        key = (purpose, game.current, game.throw, nonce)
        words = tuple(positions.words(positions.whole.turn))
        return SearchRequest(key, facts.begun.game, words, game.throw, limits, MAX_SKILL, len(words) <= 1, is_urgent)

    if facts.state.game is None:
        return None
    if facts.rules is None or facts.rules.info.name != facts.begun.game:
        return LoadRequest(facts.begun.game)
    if not facts.goes_on or facts.is_referees:
        return None
    if not facts.positions.has_pieces:
        if facts.is_engines:
            return None if facts.game.proposed else search_request("championship set-up", Limits(movetime=SETUP_MS))
        is_begun = arranged or facts.team != OURS
        return None if is_begun else search_request("championship proposal", Limits(movetime=HINT_MS))
    if facts.is_engines:
        is_done = facts.needs_throw or facts.game.proposed
        return None if is_done else search_request("championship move", _limits(facts))
    if facts.begun.ponders and facts.begun.engine[1 - facts.team] and not facts.positions.info.has_hidden:
        return search_request("championship pondering", Limits(infinite=True))
    return None


def _limits(facts: ContestFacts) -> Limits:
    left = [max(facts.left(side), 1) for side in range(2)]
    return Limits(wtime=left[0], btime=left[1])
