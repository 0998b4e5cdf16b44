"""Botzone's JSON with long-running bots, for Xiangqi, Connect6 and EWN.

The first line has the game so far, `{"requests": [...], "responses": [...]}`, the later ones a request each. A request
is the opponent's move, the keys saying of what game: Xiangqi's `{"source": "h2", "target": "e2"}`; Connect6's stones
`{"x0": 9, "y0": 9, "x1": -1, "y1": -1}`, counted from the top left corner; EWN's `{"setup": "123456"}`, then `source`
and `target`, and beside either the `dice` thrown for the answer. What there is not yet is -1. An answer is followed by
the line that keeps the bot running.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from daemon.engine import Engine
from daemon.events import Kind, Refusal
from daemon.frontends.base import READY, Command, whole_reason
from daemon.frontends.move_by_move import MoveByMove
from daemon.limits import Limits
from daemon.output import Output
from daemon.pipes import ClientLine, printable
from games import registry

KEEP_RUNNING = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"

TURN_S = 1.0
"""Seconds that a turn has where the client names none."""

SHARE = 0.7
"""The share of a turn's time that a search takes."""

NOTHING = (-1, "-1", "")


class Botzone(MoveByMove):
    """A client that speaks Botzone's JSON."""

    clock_s = 0

    def __init__(self, engine: Engine, out: Output, leave: Callable[[], None]) -> None:
        super().__init__(engine, out, leave)
        self._game = ""
        self._movetime = round(1000 * SHARE * TURN_S)
        self._dice = 0

    def find(self, word: str) -> Command:
        return REQUEST

    def read(self, line: ClientLine) -> None:
        """The game has to be known before its first line's turn comes."""
        if not self._game:
            try:
                self._game = game_of(checked(json.loads(line.text)))
                self.select_game(self._game)
            except FAULTS as error:
                self.refuse(line, fault(error))
                return
        super().read(line)

    def request(self, words: list[str], line: ClientLine) -> None:
        try:
            asked = checked(json.loads(line.text))
            if "requests" in asked:
                self._take_history(asked)
                asked = asked["requests"][-1]
            self._dice = die_of(self._game, asked)
            for move in moves_of(self._game, asked):
                self.play(move)
        except FAULTS as error:
            raise fault(error) from None
        self.search(line.ns)

    def _take_history(self, asked: dict[str, Any]) -> None:
        """Begin a game with all its turns but the last request."""
        requests, responses = asked["requests"], asked.get("responses", [])
        if len(requests) != len(responses) + 1:
            raise ValueError("a request more than responses is needed")
        turns = [turn for pair in zip(requests, responses, strict=False) for turn in pair]
        moves = [move for turn in turns for move in moves_of(self._game, turn)]
        seconds = min(float(asked.get("time_limit") or TURN_S), 3600)
        self._movetime = max(round(1000 * SHARE * seconds), 1)
        self.begin(0)
        self._moves = moves

    def set_position(self) -> None:
        super().set_position()
        if self._dice:
            self.engine.set_dice(self._dice)

    def limits(self) -> Limits:
        return Limits(movetime=self._movetime)

    def refuse(self, line: ClientLine, refusal: Refusal) -> None:
        """A refused move may be any of a history's."""
        self.out.line(self.error(whole_reason(refusal)))

    def error(self, what: str) -> str:
        return json.dumps({"error": printable(what, 200)})

    def answer(self, move: str) -> None:
        self._moves.append(move)
        board = registry.info(self._game).board
        if self._game == "connect6":
            response: dict[str, Any] = {"x1": -1, "y1": -1}
            for i, (column, row) in enumerate(board.points(move)):
                response |= {f"x{i}": column, f"y{i}": len(board.rows) - 1 - row}
        elif self._game == "ewn" and move.isdigit():
            response = {"setup": move}
        else:
            source, target = (board.point_text(*point) for point in board.points(move))
            response = {"source": source, "target": target}
        self.out.line(json.dumps({"response": response}), KEEP_RUNNING)


REQUEST = Command(Botzone.request, READY)

FAULTS = (ValueError, KeyError, TypeError, IndexError, OverflowError, RecursionError)


def fault(error: BaseException) -> Refusal:
    return error if isinstance(error, Refusal) else Refusal(Kind.LINE, f"{type(error).__name__}: {error}")


def game_of(asked: dict[str, Any]) -> str:
    """Return the game of a first line; ValueError or KeyError if it is none."""
    if "requests" not in asked:
        raise ValueError("the first line needs requests")
    first = asked["requests"][0]
    return "connect6" if "x0" in first else "ewn" if "setup" in first else "xiangqi"


def moves_of(game: str, turn: Any) -> list[str]:
    """Return the move of a request or response as the game writes it, if any; ValueError if it is neither."""
    turn, board = checked(turn), registry.info(game).board
    if game == "connect6":
        stones = [(turn["x0"], turn["y0"]), (turn["x1"], turn["y1"])]
        if any(not -1 <= x < len(board.columns) for stone in stones for x in stone):
            raise ValueError("a stone is beyond the board")
        words = [board.point_text(x, len(board.rows) - 1 - y) for x, y in stones if x not in NOTHING]
        return ["".join(words)] if words else []
    if game == "ewn" and "setup" in turn:
        return [] if turn["setup"] in NOTHING else [shaped(turn["setup"], "[1-6]{6}", "a set-up")]
    if turn["source"] in NOTHING:
        return []
    square = f"[{board.columns[0]}-{board.columns[-1]}][{board.rows[0]}-{board.rows[-1]}]"
    return ["".join(shaped(turn[field], square, "a square") for field in ("source", "target"))]


def shaped(field: Any, pattern: str, kind: str) -> str:
    """Return a field as text; ValueError if it is not of this kind."""
    if not re.fullmatch(pattern, str(field)):
        raise ValueError(f"not {kind}: {field}")
    return str(field)


def die_of(game: str, request: Any) -> int:
    """Return the die of a request, 0 if it has none; ValueError if no die shows it."""
    die = checked(request).get("dice", 0)
    return 0 if die in (0, *NOTHING) else int(shaped(die, "[1-6]", "a die"))


def checked(asked: Any) -> dict[str, Any]:
    """Return what was asked; ValueError if it is no object."""
    if not isinstance(asked, dict):
        raise ValueError("not an object")
    return asked
