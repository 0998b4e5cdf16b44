"""The client's side of MyAI, the protocol of a university course's referee of EWN.

Each throw comes with the whole position, so that openings and positions are possible. The clock is whole seconds for a
game, without increment.
"""

from __future__ import annotations

from siqi.daemon.clients.base import EngineProcess
from siqi.daemon.clients.player import Choice, Forfeit, Turn
from siqi.daemon.frontends.myai import ACCEPTED, CAPTURED, EWN, point_of, square_of
from siqi.games.contract import Position, is_setup_position

SIDES = "RB"


class MyAiEngine(EngineProcess):
    """An engine that speaks MyAI."""

    protocol = "myai"
    games = ("ewn",)
    limits = ("clock",)
    in_seconds = ("clock",)
    has_options = False

    def hello(self, within_s: float) -> None:
        """Ask for the name, which any line may be, then for a setting, whose answer shows the protocol."""
        self.send("name")
        self.wait_for(timeout_s=within_s)
        self.send(f"time_setting {max(self._spec.limits.clock_ms // 1000, 1)}")
        self.wait_for(ACCEPTED, timeout_s=within_s)
        self.is_known = True

    def prepare(self) -> None:
        self.wait_until_ready("board_setting 5 6", ACCEPTED)

    def choose(self, turn: Turn) -> Choice:
        side = SIDES[turn.position.turn]
        asked = f"ini {side}" if turn.deploying else f"get {side} {turn.throws[-1]} {squares_of(turn.position)}"
        elapsed_ms, line = self.request([asked], budget_ms=turn.budget_ms)
        try:
            points = [point_of(square) for square in line.split()]
        except (ValueError, IndexError):
            raise Forfeit("illegal", f"not squares: {line}") from None
        return Choice(self._set_up(points, turn.position) if turn.deploying else "".join(points), elapsed_ms)

    def _set_up(self, points: list[str], position: Position) -> str:
        """Return the word of a set-up from the points of the pieces 1 to 6; Forfeit if they are not a set-up's."""
        assert is_setup_position(position, self._info)
        places = position.setup_points(position.turn)
        if sorted(points) != sorted(places):
            raise Forfeit("illegal", f"no set-up: {' '.join(map(square_of, points))}")
        return "".join(str(points.index(place) + 1) for place in places)


def squares_of(position: Position) -> str:
    """Return the squares of Blue's pieces, then of Red's, as `get` has them."""
    places = {piece: square_of(point) for point, piece in position.pieces().items()}
    return " ".join(places.get(piece, CAPTURED) for piece in "".join(reversed(EWN.pieces)))
