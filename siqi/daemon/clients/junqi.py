"""The client's side of Junqi's referee protocol v1.0.

Squares on its lines are in the engine's own frame. The clock is whole seconds for a game, without increment. Set-ups
are the engines' own, so that no opening is possible.
"""

from __future__ import annotations

from siqi.daemon.clients.base import EngineProcess
from siqi.daemon.clients.player import Choice, Forfeit, StartError, Turn
from siqi.daemon.frontends.junqi import NO_FLAG, NO_MOVE, SHAPE
from siqi.games.contract import Position, is_hidden_position

QUIET_PLIES = 31
"""The plies without contact that end a game."""


class JunqiEngine(EngineProcess):
    """An engine that speaks the referee protocol."""

    protocol = "junqi"
    games = ("junqi",)
    limits = ("clock",)
    in_seconds = ("clock",)
    has_options = False

    _side = 0
    _has_set_up = False
    _is_told_the_end = False

    def hello(self, within_s: float) -> None:
        self.greeting(["INFO 1.0"], "NAME", (), within_s)

    def new_game(self, seed: str) -> None:
        super().new_game(seed)
        self._has_set_up = False

    def choose(self, turn: Turn) -> Choice:
        if turn.deploying:
            self._side, self._has_set_up = turn.position.turn, True
            return self._set_up(turn)
        if not self._has_set_up:
            raise StartError(f"{self.name}: the protocol junqi has no openings")
        moves = turn.words[2:]
        choice = self._answer(f"GO {self._report(moves)}" if moves else f"GO {NO_MOVE} 0 {NO_FLAG}", "BESTMOVE", turn)
        try:
            return choice._replace(word=turned(choice.word, self._side))
        except ValueError as error:
            raise Forfeit("illegal", str(error)) from None

    def _set_up(self, turn: Turn) -> Choice:
        line = f"START {self._side} {self._spec.limits.clock_ms // 1000} {QUIET_PLIES}"
        is_told_the_end, self._is_told_the_end = self._is_told_the_end, False
        try:
            return self._answer(line, "ARRAY", turn)
        except Forfeit as fault:
            if fault.cause != "crash" or not is_told_the_end:
                raise
        # Programs like the competition's example end at END, maybe just while the next START is written
        super().new_game("")
        return self._answer(line, "ARRAY", turn)

    def _answer(self, line: str, wanted: str, turn: Turn) -> Choice:
        elapsed_ms, answer = self.request([line], "ERROR", wanted, budget_ms=turn.budget_ms)
        word, *words = answer.split()
        if word != wanted or not words:
            raise Forfeit("illegal", answer)
        return Choice(words[0], elapsed_ms)

    def _report(self, moves: list[str]) -> str:
        """Return the last of the moves as the engine may know it: squares, result, the opponent's flag or NO_FLAG."""
        squares, code = moves[-1][:4], moves[-1][5]
        flags = [flag for move in moves if (flag := move.partition("@")[2])]
        return f"{turned(squares, self._side)} {code} {turned(flags[0], self._side) if flags else NO_FLAG}"

    def played(self, position: Position) -> None:
        assert is_hidden_position(position, self._info)
        if moves := position.view_moves(self._side)[2:]:
            self.notify(f"RESULT {self._report(moves).split(maxsplit=1)[1]}")

    def game_over(self, won: bool | None) -> None:
        self.notify(f"END {2 if won is None else int(won)}")
        self._is_told_the_end = True


def turned(squares: str, side: int) -> str:
    """Return squares of a side's own frame in the first side's, or back; ValueError for other text."""
    points = SHAPE.points(squares)
    return "".join(SHAPE.point_text(*(SHAPE.turned(*point) if side else point)) for point in points)
