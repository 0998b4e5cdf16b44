"""Botzone's JSON with long-running bots, for Xiangqi, Connect6 and EWN.

The first line has the game so far, `{"requests": [...], "responses": [...]}`, the later ones a request each. A request
is the opponent's move, the keys saying of what game: Xiangqi's `{"source": "h2", "target": "e2"}`; Connect6's stones
`{"x0": 9, "y0": 9, "x1": -1, "y1": -1}`, counted from the top left corner; EWN's `{"setup": "123456"}`, then `source`
and `target`, and beside either the `dice` thrown for the answer. What there is not yet is -1. An answer is followed by
the line that keeps the bot running.
"""

from __future__ import annotations

import json
from typing import Any

from daemon.dialects import Reading
from daemon.dialects.connect6 import stones_of
from daemon.dialects.told import Told
from daemon.pipes import printable

KEEP_RUNNING = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"

MOVETIME_MS = 700
"""Of the second that a turn has where nothing else is told."""

SHARE = 0.7
"""Of the time that is told."""

COLUMNS = "abcdefghijklmnopqrs"
NOTHING = (-1, "-1", "")


class Botzone(Told):
    """A `Dialect`."""

    clock_s = 0

    def __init__(self) -> None:
        super().__init__()
        self._game = ""
        self._movetime = MOVETIME_MS
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
        if limit := told.get("time_limit"):
            self._movetime = max(round(1000 * SHARE * min(float(limit), 3600)), 1)
        first = requests[0]
        self._game = "connect6" if "x0" in first else "ewn" if "setup" in first else "xiangqi"
        begin = self._begin(0)
        for request, response in zip(requests, responses, strict=False):
            self._moves += [*self._move(request), *self._move(response)]
        reading = self._request(requests[-1], ns)
        return reading._replace(commands=(f"setoption name UCI_Variant value {self._game}", *begin, *reading.commands))

    def _request(self, request: dict[str, Any], ns: int) -> Reading:
        if not self._game:
            raise ValueError("the first line needs requests")
        self._dice = int(checked(request).get("dice", 0))
        moves = self._move(request)
        return self._try(moves[0], ns) if moves else self._try_position(ns)

    def _move(self, told: dict[str, Any]) -> list[str]:
        """A request or a response as the core writes it, nothing where there is none."""
        if self._game == "connect6":
            stones = [(told["x0"], told["y0"]), (told["x1"], told["y1"])]
            if any(not -1 <= x <= 18 for stone in stones for x in stone):
                raise ValueError("a stone is beyond the board")
            words = [f"{COLUMNS[x]}{19 - y}" for x, y in stones if x not in NOTHING]
            return ["".join(words)] if words else []
        if "setup" in told:
            return [] if told["setup"] in NOTHING else [str(told["setup"])]
        return [] if told["source"] in NOTHING else [f"{told['source']}{told['target']}"]

    def _go(self) -> str:
        super()._go()
        return f"go movetime {self._movetime}"

    def write(self, text: str) -> Reading:
        reading = super().write(text)
        dice = (f"dice {self._dice}",) if self._dice and reading.commands else ()
        return reading._replace(commands=(*dice, *reading.commands))

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


def checked(told: Any) -> dict[str, Any]:
    """ValueError if it is no object."""
    if not isinstance(told, dict):
        raise ValueError("not an object")
    return told
