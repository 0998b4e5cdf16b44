"""The front end for Botzone's JSON with long-running bots, for Xiangqi, Connect6 and EWN.

The first line has the game so far, `{"requests": [...], "responses": [...]}`; each later line is one request. A request
is the opponent's move, whose keys show the game: Xiangqi's `{"source": "h2", "target": "e2"}`; Connect6's stones
`{"x0": 9, "y0": 9, "x1": -1, "y1": -1}`, counted from the top left corner; EWN's `{"setup": "123456"}`, then `source`
and `target`, both with the `dice` thrown for the answer. A missing move is -1. The line that keeps the bot running
follows each answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple

from siqi.daemon.engine.engine import Engine
from siqi.daemon.engine.events import Kind, Refusal
from siqi.daemon.engine.limits import Limits
from siqi.daemon.frontends.base import GAME, IDLE, IN_ORDER, Command, QueuedLine, whole_reason
from siqi.daemon.frontends.move_by_move import SETOPTION, MoveByMove
from siqi.games import registry
from siqi.system.output import Output
from siqi.system.pipes import ClientLine, printable

KEEP_RUNNING = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"

TURN_S = 1.0
"""The seconds of a turn if the client names none."""

SHARE = 0.7
"""The share of a turn's time that the search may use."""

NOTHING = (-1, "-1", "")
"""Values of a missing move."""


class Botzone(MoveByMove):
    """The front end for Botzone."""

    page = "protocol/botzone"
    clock_s = 0
    fixed: ClassVar[Mapping[str, str]] = {"UCI_Coordinates": "0"}

    def __init__(self, engine: Engine, out: Output, leave: Callable[[], None]) -> None:
        super().__init__(engine, out, leave)
        self._game = ""
        self._movetime = round(1000 * SHARE * TURN_S)
        self._dice = 0

    def find(self, word: str) -> Command:
        return SETOPTION if word == "setoption" else REQUEST

    def read_request(self, words: list[str], line: ClientLine) -> None:
        """Parse a request, and queue it until no job runs and its game is loaded.

        A whole game replaces the one before. ValueError for a single move during a search.
        """
        request = parse_request(line.text, self._game)
        if request.past is None:
            self.check_idle()
        else:
            self.cancel_search()
        load = Command(lambda botzone, words, line: botzone.load_game(request, line), IDLE)
        self.queue.appendleft(QueuedLine(line, load))

    def load_game(self, request: BotzoneRequest, line: ClientLine) -> None:
        """Load the request's game, and queue the request until it is loaded."""
        self.select_game(request.game)
        answer = Command(lambda botzone, words, line: botzone.carry_out(request, line), GAME)
        self.queue.appendleft(QueuedLine(line, answer))

    def carry_out(self, request: BotzoneRequest, line: ClientLine) -> None:
        """Play the request's moves and search for the answer."""
        if request.past is not None:
            self.begin(0)
            self._game, self._movetime, self._moves = request.game, request.movetime, request.past
        self._dice = request.dice
        for move in request.moves:
            self.play(move)
        self.search(line.ns)

    def set_position(self) -> None:
        super().set_position()
        if self._dice:
            self.engine.set_dice(self._dice)

    def limits(self) -> Limits:
        return Limits(movetime=self._movetime)

    def refuse(self, line: ClientLine, refusal: Refusal) -> None:
        """Report a refusal with the number of the move, which may be any of the history."""
        self.out.line(self.error(whole_reason(refusal)))

    def error(self, what: str) -> str:
        return json.dumps({"error": printable(what, 200)})

    def answer(self, move: str) -> None:
        self._moves.append(move)
        shape = registry.info(self._game).shape
        if self._game == "connect6":
            response: dict[str, Any] = {"x1": -1, "y1": -1}
            for i, (column, row) in enumerate(shape.points(move)):
                response |= {f"x{i}": column, f"y{i}": len(shape.rows) - 1 - row}
        elif self._game == "ewn" and move.isdigit():
            response = {"setup": move}
        else:
            source, target = (shape.point_text(*point) for point in shape.points(move))
            response = {"source": source, "target": target}
        self.out.line(json.dumps({"response": response}), KEEP_RUNNING)


REQUEST = Command(Botzone.read_request, IN_ORDER)

WRONG_KIND = (TypeError, AttributeError, IndexError, OverflowError)
"""Exceptions that parsing raises for a value of an unexpected type."""


class BotzoneRequest(NamedTuple):
    """A parsed line of the client's."""

    game: str
    moves: list[str]  # the opponent's move, if any
    dice: int  # 0: none
    past: list[str] | None = None  # the moves before, if the line has the whole game
    movetime: int = 0  # ms, if the line has the whole game


def parse_request(text: str, game: str) -> BotzoneRequest:
    """Parse a line; `game` is the current game, '' if there is none. Refusal(LINE) if it is no request."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise Refusal(Kind.LINE, f"not JSON: {printable(text, 40)}") from None
    try:
        fields = as_object(value)
        if "requests" in fields:
            return parse_history(fields)
        if not game:
            raise ValueError("the first line needs requests")
        return BotzoneRequest(game, moves_of(game, fields), die_of(game, fields))
    except KeyError as error:
        raise Refusal(Kind.LINE, f"{error.args[0]} is missing") from None
    except ValueError as error:
        raise Refusal(Kind.LINE, str(error)) from None
    except WRONG_KIND:
        raise Refusal(Kind.LINE, f"a value of the wrong kind: {printable(text, 40)}") from None


def parse_history(fields: dict[str, Any]) -> BotzoneRequest:
    """Parse a line with a whole game; ValueError, KeyError or WRONG_KIND if it is none."""
    requests, responses = fields["requests"], fields.get("responses", [])
    if len(requests) != len(responses) + 1:
        raise ValueError("one more request than responses is needed")
    game = game_of(requests[0])
    turns = [turn for pair in zip(requests, responses, strict=False) for turn in pair]
    past = [move for turn in turns for move in moves_of(game, turn)]
    try:
        movetime = max(round(1000 * SHARE * min(float(fields.get("time_limit") or TURN_S), 3600)), 1)
    except (ValueError, TypeError):
        raise ValueError("time_limit: not a number of seconds") from None
    return BotzoneRequest(game, moves_of(game, requests[-1]), die_of(game, requests[-1]), past, movetime)


def game_of(first: dict[str, Any]) -> str:
    """Return the game of a first request, by its keys."""
    return "connect6" if "x0" in first else "ewn" if "setup" in first else "xiangqi"


def moves_of(game: str, turn: Any) -> list[str]:
    """Return the move of a request or response in the game's notation, if any; ValueError if it is malformed."""
    turn, shape = as_object(turn), registry.info(game).shape
    if game == "connect6":
        stones = [(turn["x0"], turn["y0"]), (turn["x1"], turn["y1"])]
        if any(not -1 <= x < len(shape.columns) for stone in stones for x in stone):
            raise ValueError("a stone is beyond the board")
        words = [shape.point_text(x, len(shape.rows) - 1 - y) for x, y in stones if x not in NOTHING]
        return ["".join(words)] if words else []
    if game == "ewn" and "setup" in turn:
        return [] if turn["setup"] in NOTHING else [shaped(turn["setup"], "[1-6]{6}", "a set-up")]
    if turn["source"] in NOTHING:
        return []
    square = f"[{shape.columns[0]}-{shape.columns[-1]}][{shape.rows[0]}-{shape.rows[-1]}]"
    return ["".join(shaped(turn[field], square, "a square") for field in ("source", "target"))]


def shaped(field: Any, pattern: str, kind: str) -> str:
    """Return a field as text; ValueError, with `kind`, if it does not match the pattern."""
    if not re.fullmatch(pattern, str(field)):
        raise ValueError(f"not {kind}: {field}")
    return str(field)


def die_of(game: str, request: Any) -> int:
    """Return the die of a request, 0 if it has none; ValueError for a number that is not on the die."""
    die = as_object(request).get("dice", 0)
    faces = registry.info(game).die_faces or 6  # a game without a die refuses it itself
    return 0 if die in (0, *NOTHING) else int(shaped(die, f"[1-{faces}]", "a die"))


def as_object(fields: Any) -> dict[str, Any]:
    """Return a JSON value that is an object; ValueError if it is another."""
    if not isinstance(fields, dict):
        raise ValueError("not an object")
    return fields
