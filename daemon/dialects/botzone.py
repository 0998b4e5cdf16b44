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
from typing import Any

from daemon.dialects import Reading
from daemon.dialects.connect6 import stones_of
from daemon.dialects.told import Told
from daemon.pipes import printable

KEEP_RUNNING = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"

TURN_S = 1.0
"""Seconds that a turn has where the client names none."""

SHARE = 0.7
"""The share of a turn's time that a search takes."""

COLUMNS = "abcdefghijklmnopqrs"
NOTHING = (-1, "-1", "")
SQUARES = {"xiangqi": "[a-i][0-9]", "ewn": "[a-e][1-5]"}
SETUP = "[1-6]{6}"


class Botzone(Told):
    """A `Dialect`."""

    clock_s = 0

    def __init__(self) -> None:
        super().__init__()
        self._game = ""
        self._movetime = round(1000 * SHARE * TURN_S)
        self._dice = 0

    def read(self, text: str, ns: int) -> Reading:
        try:
            told = checked(json.loads(text))
            return self._history(told, ns) if "requests" in told else self._request(told, ns)
        except (ValueError, KeyError, TypeError, IndexError, OverflowError, RecursionError) as error:
            return Reading(answers=(self.error(f"{type(error).__name__}: {error}"),))

    def _history(self, told: dict[str, Any], ns: int) -> Reading:
        requests, responses = told["requests"], told.get("responses", [])
        if len(requests) != len(responses) + 1:
            raise ValueError("a request more than responses is needed")
        first = requests[0]
        game = "connect6" if "x0" in first else "ewn" if "setup" in first else "xiangqi"
        turns = [turn for pair in zip(requests, responses, strict=False) for turn in pair]
        moves = [move for turn in turns for move in moves_of(game, turn)]
        last = moves_of(game, requests[-1]), die_of(requests[-1])
        movetime = max(round(1000 * SHARE * min(float(told.get("time_limit") or TURN_S), 3600)), 1)
        begin = self._begin(0)
        self._game, self._moves, self._movetime = game, moves, movetime
        reading = self._answer(*last, ns)
        return reading._replace(commands=(f"setoption name UCI_Variant value {game}", *begin, *reading.commands))

    def _request(self, request: dict[str, Any], ns: int) -> Reading:
        if not self._game:
            raise ValueError("the first line needs requests")
        return self._answer(moves_of(self._game, request), die_of(request), ns)

    def _answer(self, moves: list[str], die: int, ns: int) -> Reading:
        """Seek the answer to a request's move, with the die that was thrown for it."""
        self._check_idle()
        self._dice = die
        return self._try(moves[0], ns) if moves else self._try_position(ns)

    def _go(self) -> str:
        super()._go()
        return f"go movetime {self._movetime}"

    def write(self, text: str) -> Reading:
        reading = super().write(text)
        dice = (f"dice {self._dice}",) if self._dice and reading.commands else ()
        return reading._replace(commands=(*dice, *reading.commands))

    def reason(self, text: str) -> str:
        """Return the core's words: the move that it refuses may be any of a history's."""
        return text

    def error(self, what: str) -> str:
        return json.dumps({"error": printable(what, 200)})

    def answer(self, move: str) -> tuple[str, ...]:
        self._moves.append(move)
        if self._game == "connect6":
            response: dict[str, Any] = {"x1": -1, "y1": -1}
            for i, stone in enumerate(stones_of(move)):
                response |= {f"x{i}": COLUMNS.index(stone[0]), f"y{i}": 19 - int(stone[1:])}
        elif self._game == "ewn" and move.isdigit():
            response = {"setup": move}
        else:
            response = {"source": move[:2], "target": move[2:]}
        return json.dumps({"response": response}), KEEP_RUNNING


def moves_of(game: str, turn: dict[str, Any]) -> list[str]:
    """Return the move of a request or response as the core writes it, if any; ValueError if it is neither."""
    checked(turn)
    if game == "connect6":
        stones = [(turn["x0"], turn["y0"]), (turn["x1"], turn["y1"])]
        if any(not -1 <= x <= 18 for stone in stones for x in stone):
            raise ValueError("a stone is beyond the board")
        words = [f"{COLUMNS[x]}{19 - y}" for x, y in stones if x not in NOTHING]
        return ["".join(words)] if words else []
    if game == "ewn" and "setup" in turn:
        return [] if turn["setup"] in NOTHING else [shaped(turn["setup"], SETUP, "a set-up")]
    if turn["source"] in NOTHING:
        return []
    return ["".join(shaped(turn[field], SQUARES[game], "a square") for field in ("source", "target"))]


def shaped(field: Any, pattern: str, kind: str) -> str:
    """ValueError if a field is not one word of this kind: it becomes a part of a line to the core."""
    if not re.fullmatch(pattern, str(field)):
        raise ValueError(f"not {kind}: {field}")
    return str(field)


def die_of(request: dict[str, Any]) -> int:
    """The die of a request, 0 if it has none; ValueError if no die shows it."""
    die = checked(request).get("dice", 0)
    return 0 if die in (0, *NOTHING) else int(shaped(die, "[1-6]", "a die"))


def checked(told: Any) -> dict[str, Any]:
    """ValueError if it is no object."""
    if not isinstance(told, dict):
        raise ValueError("not an object")
    return told
