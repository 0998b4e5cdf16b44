"""Teaching in Play: the engine judges each move of the person, and a bad one is taken back, once.

It values the position before the move by all moves, often while the person still thinks, then by the one played. Both
values are of what the person knows, so that dice and hidden pieces need nothing of their own.
"""

from __future__ import annotations

from typing import NamedTuple

from siqi.daemon.board.entries import TakenBack
from siqi.daemon.board.events import Taught
from siqi.daemon.board.mode import JUDGE_MS, Key, SearchInfo, SearchRequest
from siqi.daemon.board.played import Played
from siqi.daemon.engine.limits import Limits
from siqi.daemon.engine.options import MAX_SKILL
from siqi.daemon.review.assess import GRADES

_, BAD_LOSS, _ = GRADES
"""The least chance lost by a bad move: a mistake, as reviews grade moves."""

BEST, PLAYED = "best value", "value of the move"
"""The purposes of requests to the engine."""


class Spot(NamedTuple):
    """A position in which the person moves, and the move once it is played."""

    node: int
    throw: int
    word: str = ""


class Teaching:
    """The engine's values of the person's last position and move; it takes back a bad move."""

    def __init__(self, played: Played) -> None:
        self._played = played
        self.forget()

    def forget(self) -> None:
        """Forget what was found: another game begins."""
        self._valued: Spot | None = None  # the position whose best value is known
        self._best = ""  # the best move there
        self._chance: float | None = None  # and its chance
        self._judged: Spot | None = None
        self._info: SearchInfo | None = None

    @property
    def is_judging(self) -> bool:
        """True if the engine looks at the person's move before it answers."""
        spot = self._spot()
        return spot is not None and bool(spot.word) and bool(self._purpose(spot))

    def search_request(self, nonce: int, is_urgent: bool) -> SearchRequest | None:
        """Return the request about the person's move, or before it about the best one; None: all is known."""
        spot = self._spot()
        if spot is None or not (purpose := self._purpose(spot)):
            return None
        begun, words = self._played.begun, self._played.positions.words(self._played.begun.person)
        return SearchRequest(
            (purpose, spot.node, spot.throw, nonce),
            begun.game,
            tuple(words[:-1] if spot.word else words),
            spot.throw,
            Limits(movetime=JUDGE_MS),
            MAX_SKILL,
            False,
            is_urgent,
            lines=1,
            moves=(spot.word,) if purpose == PLAYED else (),
        )

    def take(self, info: SearchInfo) -> None:
        """Take what a search has found so far."""
        self._info = info

    def answered(self, key: Key, word: str) -> Taught | None:
        """Take the answer to the request, and the person's move back if it is a bad one; return that."""
        spot = self._spot()
        assert spot is not None
        info, self._info = self._info, None
        chance = None if info is None or info.key != key else info.lines[0].score.expected
        if key[0] == BEST:
            self._valued, self._best, self._chance = spot._replace(word=""), word, chance
            return None
        if self._chance is None or chance is None or self._chance - chance < BAD_LOSS:
            self._judged = spot
            return None
        played = self._played
        taught = Taught(played.positions.moves[-1], round(self._chance - chance, 4))
        played.add(TakenBack(at=played.today(), lost=taught.lost, used=played.used()))
        return taught

    def _spot(self) -> Spot | None:
        """Return the position of the person's turn, or of the move that waits for an answer; None: there is none."""
        played, positions = self._played, self._played.loaded
        if positions is None or not played.begun.teaches or not played.goes_on or not positions.has_pieces:
            return None
        state = played.state
        if positions.whole.turn == played.begun.person:
            return Spot(state.current, state.throw)
        node = state.nodes[state.current]
        is_first = len(positions.moves) <= positions.info.setups("")
        return None if is_first or state.current in state.taken else Spot(node.parent, node.answered, node.word)

    def _purpose(self, spot: Spot) -> str:
        """Return the purpose of what is to be asked now; '': nothing."""
        if self._valued != spot._replace(word=""):
            return "" if spot == self._judged else BEST
        return "" if spot.word in ("", self._best) or spot == self._judged else PLAYED
