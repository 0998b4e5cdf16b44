"""The input of `siqi analyse`: a line is parsed and checked as a query or an action.

Some of KataGo's names are accepted beside ours. An error names its field.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from typing import Annotated, Any, Literal, NamedTuple, get_args

import msgspec
from msgspec import Meta

from daemon import __version__
from daemon.frontends.words import split_moves
from daemon.options import Options
from daemon.pipes import printable
from games import registry

Number = Annotated[int, Meta(ge=0, le=10**15)]
Throw = Annotated[int, Meta(ge=0, le=6)]
GameName = Literal["xiangqi", "connect6", "ewn", "junqi"]
ActionName = Literal["query_version", "clear_cache", "terminate", "terminate_all"]

SPELLINGS = {
    "analyzeTurns": "analyseTurns",
    "reportDuringSearchEvery": "reportEvery",
    "maxVisits": "nodes",
    "turnNumbers": "turns",
}
"""Our names of fields, by KataGo's."""


class Query(msgspec.Struct, frozen=True):
    """A position, or several of one game, and the limits of their searches."""

    id: Annotated[str, Meta(min_length=1)]
    game: GameName = "xiangqi"
    position: str = ""  # the arguments of the protocol's `position`; or:
    fen: str = ""  # '': the start position
    moves: tuple[str, ...] = ()
    dice: Throw | tuple[Throw, ...] = 0  # EWN's throw for the last position, or the throws for all moves after set-ups
    analyseTurns: tuple[Number, ...] | None = None  # numbers of moves played; None: all of them
    nodes: Number = 0
    depth: Number = 0
    movetime: Annotated[int, Meta(ge=0, le=10**9)] = 0  # ms
    mate: Number = 0
    multipv: Annotated[int, Meta(ge=1, le=256)] | None = None
    searchmoves: tuple[str, ...] = ()
    options: dict[str, str | int | float | bool] = msgspec.field(default_factory=dict)
    reportEvery: Annotated[float, Meta(ge=0)] = 0.0  # seconds between answers while a search runs; 0: none
    priority: Annotated[int, Meta(ge=-(10**15), le=10**15)] = 0  # higher comes first
    book: bool = False  # add the books' knowledge: most of a millisecond in Xiangqi
    clear: bool = False  # forget earlier searches first, so that the answer is reproducible

    @property
    def limits(self) -> dict[str, int]:
        """The limits that are given (not 0)."""
        found = {"nodes": self.nodes, "depth": self.depth, "movetime": self.movetime, "mate": self.mate}
        return {name: value for name, value in found.items() if value}

    def throw(self, turn: int) -> int:
        """Return the throw at the position after `turn` moves, 0 if none is given."""
        if isinstance(self.dice, int):
            return self.dice if turn == len(self.moves) else 0
        setups = 2 if not self.fen and registry.info(self.game).has_setup else 0
        at = turn - setups
        return self.dice[at] if 0 <= at < len(self.dice) else 0


class Action(msgspec.Struct, frozen=True):
    """A request other than a query."""

    id: str
    action: ActionName
    terminateId: str | None = None  # required by `terminate`
    turns: tuple[int, ...] | None = None  # the turns to terminate; None: all


class BadLineError(ValueError):
    """Raised for a fault in a line. `field` is '' if it is the whole line, `id` is '' if the query's is not known."""

    def __init__(self, what: str, field: str = "", id: str = "") -> None:
        super().__init__(what)
        self.field = field
        self.id = id


class Parsed(NamedTuple):
    """A parsed line."""

    request: Query | Action
    unknown: list[str]  # names of unknown fields, sorted
    fields: dict[str, Any]  # as they were sent; the answer to an action repeats them


_FIELDS = {kind: {field.name for field in msgspec.structs.fields(kind)} for kind in (Query, Action)}
_CHOICES = {"game": get_args(GameName), "action": get_args(ActionName)}


def parse(line: str | bytes) -> Parsed:
    """Parse a line of the input; BadLineError if it is no JSON object, or a field has a bad value."""
    try:
        given = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        shown = printable(line if isinstance(line, str) else line.decode(errors="replace"), 40)
        raise BadLineError(f"not JSON: {error}: {shown}") from None
    if not isinstance(given, dict):
        raise BadLineError("not a JSON object")
    fields: dict[str, Any] = {SPELLINGS.get(key) or key: value for key, value in given.items()}
    name: str = given["id"] if isinstance(given.get("id"), str) else ""
    kind: type[Query | Action] = Action if "action" in fields else Query
    for field, choices in _CHOICES.items():
        if isinstance(value := fields.get(field), str) and value not in choices:
            raise BadLineError(f"one of {' '.join(choices)}, not {printable(value)}", field, name)
    try:
        request = msgspec.convert(fields, kind)
    except msgspec.ValidationError as error:
        what, _, path = str(error).partition(" - at `$")
        field = re.split(r"[.`\[]", path.lstrip("."))[0] or _missing(what)
        raise BadLineError(what, field, name) from None
    unknown = sorted(set(fields) - _FIELDS[kind])
    if isinstance(request, Query):
        request = _with_position(request)
    elif request.action == "terminate" and request.terminateId is None:
        raise BadLineError("Object missing required field `terminateId`", "terminateId", name)
    return Parsed(request, unknown, given)


def _missing(what: str) -> str:
    match = re.search(r"field `(\w+)`", what)
    return match[1] if match else ""


def _with_position(query: Query) -> Query:
    """Return the query with its `position` split into `fen` and `moves`."""
    if not query.position:
        return query
    if query.fen or query.moves:
        raise BadLineError("position, or fen and moves, not both", "position", query.id)
    start, moves = split_moves(query.position.split())
    if start == ["startpos"] or (start[:1] == ["fen"] and len(start) > 1):
        return msgspec.structs.replace(query, position="", fen=" ".join(start[1:]), moves=tuple(moves))
    raise BadLineError("expected startpos or fen", "position", query.id)


OptionValue = tuple[str, str]
"""The name and the value of an option."""


@lru_cache(256)
def _resolved(game: str, settings: tuple[OptionValue, ...]) -> tuple[OptionValue, ...]:
    options = Options()
    for name, value in settings:
        options.set(name, value)
    search = tuple((name, options.text(name)) for name in SEARCHER_OPTIONS)
    return search + tuple(options.for_game(game))


SEARCHER_OPTIONS = ("Hash", "Threads", "Seed")


def resolve_options(query: Query, defaults: dict[str, str]) -> tuple[OptionValue, ...]:
    """Return (name, value) of every option that affects the query's search: SEARCHER_OPTIONS first, then the game's.

    BadLineError for an unknown name or a value that is not allowed.
    """
    given = {
        name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in query.options.items()
    }
    known = [name for name, _ in _resolved(query.game, ())]
    for name in given:
        if name.lower() not in {option.lower() for option in known}:  # also options that only the daemon uses
            what = f"unknown option: {printable(name, 40)}; {query.game} has {', '.join(known)}"
            raise BadLineError(what, "options", query.id)
    try:
        return _resolved(query.game, (*defaults.items(), *given.items()))
    except ValueError as error:
        raise BadLineError(printable(str(error), 200), "options", query.id) from None


def query_hash(query: Query, turn: int, options: tuple[OptionValue, ...]) -> str:
    """Return a hash, as 16 hexadecimal digits, of everything that determines an answer.

    That is the version, the position with all moves and throws before it, and the limits and options of the search. The
    id, the priority and the answers during the search do not count.
    """
    whole = (
        __version__,
        (query.game, query.fen, query.moves[:turn], [query.throw(ply) for ply in range(turn + 1)]),
        sorted(query.limits.items()),
        (query.multipv, query.searchmoves, query.book, query.clear),
        options,
    )
    return hashlib.blake2b(msgspec.json.encode(whole), digest_size=8).hexdigest()


def error_answer(error: BadLineError) -> dict[str, Any]:
    """Return the answer that reports an error, with those of its fields that are not empty."""
    found = {"error": str(error), "field": error.field, "id": error.id}
    return {name: value for name, value in found.items() if value}
