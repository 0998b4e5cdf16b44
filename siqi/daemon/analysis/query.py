"""The input of `siqi analyse`: a line is parsed and checked as a query or an action.

Some of KataGo's names are accepted in addition to ours. An error names its field as the client has written it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, Literal, NamedTuple, get_args

import msgspec
from msgspec import Meta

from siqi.daemon.engine.options import SEARCHER_OPTIONS, VARIANT, Options
from siqi.daemon.frontends.words import parse_position
from siqi.games import registry
from siqi.games.game_record import GameRecord
from siqi.system.pipes import escaped, printable
from siqi.system.spelling import did_you_mean
from siqi.version import __version__

MOST = 10**15
MAX_MS = 10**9
MAX_LINES = 256

Limit = Annotated[int, Meta(ge=1, le=MOST)]
Turn = Annotated[int, Meta(ge=0, le=MOST)]
Throw = Annotated[int, Meta(ge=0, le=6)]
GameName = Annotated[str, Meta(pattern=rf"^(?:{'|'.join(registry.NAMES)})\Z")]
ActionName = Literal["query_version", "clear_cache", "terminate", "terminate_all"]

SPELLINGS = {
    "analyzeTurns": "analyseTurns",
    "reportDuringSearchEvery": "reportEvery",
    "maxVisits": "nodes",
    "turnNumbers": "turns",
}
"""Our names of fields, by KataGo's."""

_LIMIT = f"a whole number from 1 to {MOST}, not {{}}"
REFUSALS = {
    "id": "a text that is not empty, not {}",
    "game": f"one of {' '.join(registry.NAMES)}, not {{}}",
    "position": "startpos or fen and a FEN, then moves and the moves if there are any, not {}",
    "fen": "a text, not {}",
    "moves": "a list of moves as texts, not {}",
    "dice": "a number from 0 to 6, or a list of such numbers, not {}",
    "analyseTurns": f"a list of numbers of moves, 0 to {MOST}, at least one, not {{}}",
    **dict.fromkeys(("nodes", "depth", "mate"), _LIMIT),
    "movetime": f"a whole number of milliseconds from 1 to {MAX_MS}, not {{}}",
    "multipv": f"a whole number from 1 to {MAX_LINES}, not {{}}",
    "searchmoves": "a list of moves as texts, at least one, not {}",
    "options": "an object of names of options and their values, not {}",
    "reportEvery": "a number of seconds above 0, not {}",
    "priority": f"a whole number from {-MOST} to {MOST}, not {{}}",
    "book": "true or false, not {}",
    "clear": "true or false, not {}",
    "action": f"one of {' '.join(get_args(ActionName))}, not {{}}",
    "terminateId": "a text, not {}",
    "turns": f"a list of numbers of moves, 0 to {MOST}, not {{}}",
}
"""The values that each field may have, in words for the client, and not the given one."""


class Query(msgspec.Struct, frozen=True):
    """A position, or several of one game, and the limits of their searches."""

    id: Annotated[str, Meta(min_length=1)]
    game: GameName = registry.DEFAULT_GAME
    position: str | None = None  # the arguments of the protocol's `position`; or:
    fen: str = ""  # '': the start position
    moves: tuple[str, ...] = ()
    dice: Throw | tuple[Throw, ...] = 0  # EWN's throw for the last position, or the throws for all moves after set-ups
    analyseTurns: Annotated[tuple[Turn, ...], Meta(min_length=1)] | None = None  # moves played; None: all of them
    nodes: Limit | None = None
    depth: Limit | None = None
    movetime: Annotated[int, Meta(ge=1, le=MAX_MS)] | None = None  # ms
    mate: Limit | None = None
    multipv: Annotated[int, Meta(ge=1, le=MAX_LINES)] | None = None
    searchmoves: Annotated[tuple[str, ...], Meta(min_length=1)] | None = None  # None: all
    options: dict[str, str | int | float | bool] = msgspec.field(default_factory=dict)
    reportEvery: Annotated[float, Meta(gt=0)] | None = None  # seconds between answers while a search runs; None: none
    priority: Annotated[int, Meta(ge=-MOST, le=MOST)] = 0  # higher comes first
    book: bool = False  # add the books' knowledge, which takes most of a millisecond in Xiangqi
    clear: bool = False  # forget earlier searches first, so that the answer is reproducible

    @property
    def limits(self) -> dict[str, int]:
        """The limits that are given."""
        limits = {"nodes": self.nodes, "depth": self.depth, "movetime": self.movetime, "mate": self.mate}
        return {name: value for name, value in limits.items() if value is not None}

    @property
    def record(self) -> GameRecord:
        """The moves, with the throws that are given for them."""
        return GameRecord(self.moves, () if isinstance(self.dice, int) else self.dice, fen=self.fen)

    def throw(self, turn: int) -> int:
        """Return the throw at the position after `turn` moves, 0 if none is given."""
        if isinstance(self.dice, int):
            return self.dice if turn == len(self.moves) else 0
        return self.record.throw(registry.info(self.game), turn)


class Action(msgspec.Struct, frozen=True):
    """A request other than a query."""

    id: str
    action: ActionName
    terminateId: str | None = None  # required by `terminate`
    turns: tuple[Turn, ...] | None = None  # the turns to terminate; None: all


class BadLineError(ValueError):
    """Raised for a fault in a line. `field`: '' if the whole line is at fault; `id`: '' if the query's is not known."""

    def __init__(self, what: str, field: str = "", id: str = "") -> None:
        super().__init__(what)
        self.field = field
        self.id = id


class ParsedLine(NamedTuple):
    """A parsed line."""

    request: Query | Action
    unknown: list[str]  # names of unknown fields, sorted
    fields: dict[str, Any]  # as they were sent; the answer to an action repeats them
    written: Mapping[str, str]  # the client's names of fields, by ours, where they differ


_FIELDS = {kind: {field.name for field in msgspec.structs.fields(kind)} for kind in (Query, Action)}


def parse(line: str | bytes) -> ParsedLine:
    """Parse a line of the input; BadLineError if it is no JSON object, or a field has a bad value."""
    try:
        given = msgspec.json.decode(line)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise BadLineError(_no_json(line, error)) from None
    if not isinstance(given, dict):
        raise BadLineError("not a JSON object")
    name: str = given["id"] if isinstance(given.get("id"), str) else ""
    _refuse_repeated(line, name)
    written = {SPELLINGS[field]: field for field in given if field in SPELLINGS}
    fields: dict[str, Any] = {SPELLINGS.get(field) or field: value for field, value in given.items()}
    kind: type[Query | Action] = Action if "action" in fields else Query
    try:
        request = msgspec.convert(fields, kind)
    except msgspec.ValidationError as error:
        raise _bad_value(str(error), given, written, name) from None
    unknown = sorted(field for field in given if SPELLINGS.get(field, field) not in _FIELDS[kind])
    if isinstance(request, Query):
        if request.position is not None:
            written |= {"fen": "position", "moves": "position"}
        request = _with_position(request)
    elif request.action == "terminate" and request.terminateId is None:
        raise BadLineError("terminateId is missing", "terminateId", name)
    return ParsedLine(request, unknown, given, written)


def _no_json(line: str | bytes, error: Exception) -> str:
    """Return why a line is no JSON, with the place if it is known, and the text from there on."""
    data = line.encode() if isinstance(line, str) else line
    text = data.decode(errors="replace")
    if text.encode() != data:
        return f"not UTF-8: {printable(text, 40)}"
    place = re.search(r"\(byte (\d+)\)", str(error))
    if place and 0 < (start := int(place[1])) < len(data):
        return f"not JSON from byte {start + 1} on: {printable(data[start:].decode(errors='replace'), 40)}"
    return f"not JSON: {printable(text, 40)}"


def _refuse_repeated(line: str | bytes, name: str) -> None:
    """Raise BadLineError if a line has a field twice, under one name or two."""
    seen: dict[str, str] = {}
    for field, _ in json.loads(line, object_pairs_hook=list, parse_int=str, parse_float=str):
        key = SPELLINGS.get(field, field)
        if key in seen:
            is_same = seen[key] == field
            what = f"{printable(field)} is there twice" if is_same else f"{seen[key]} and {field} are the same field"
            raise BadLineError(what, field, name)
        seen[key] = field


def _bad_value(text: str, given: dict[str, Any], written: Mapping[str, str], name: str) -> BadLineError:
    """Return the error for a value that msgspec refuses with a text."""
    what, _, path = text.partition(" - at `$")
    field = re.split(r"[.`\[]", path.lstrip("."))[0]
    if not field:
        match = re.search(r"field `(\w+)`", what)
        missing = match[1] if match else ""
        return BadLineError(f"{missing} is missing", missing, name)
    own = written.get(field, field)
    value = given[own]
    is_word = field in ("game", "action") and isinstance(value, str)
    shown = value if is_word else msgspec.json.encode(value).decode()
    return BadLineError(REFUSALS[field].format(printable(shown)), own, name)


def _with_position(query: Query) -> Query:
    """Return the query with its `position` split into `fen` and `moves`."""
    if query.position is None:
        return query
    if query.fen or query.moves:
        raise BadLineError("position, or fen and moves, not both", "position", query.id)
    try:
        fen, moves = parse_position(query.position.split())
    except ValueError as error:
        raise BadLineError(str(error), "position", query.id) from None
    if fen == "":
        raise BadLineError("position: no FEN follows fen", "position", query.id)
    return msgspec.structs.replace(query, position=None, fen=fen or "", moves=tuple(moves))


OptionValue = tuple[str, str]
"""The name and the value of an option."""


@lru_cache(256)
def _resolved(
    game: str, defaults: tuple[OptionValue, ...], given: tuple[OptionValue, ...] = (), no_files: bool = False
) -> tuple[OptionValue, ...]:
    options = Options()
    options.set(VARIANT, game)
    for name, value in defaults:
        options.set(name, value)
    if no_files:
        options.fix_files()
    for name, value in given:
        options.set(name, value)
    search = tuple((name, options.text(name)) for name in SEARCHER_OPTIONS)
    return search + tuple(options.for_game(game))


def resolve_options(query: Query, defaults: dict[str, str], no_files: bool = False) -> tuple[OptionValue, ...]:
    """Return (name, value) of every option that affects the query's search: SEARCHER_OPTIONS first, then the game's.

    BadLineError for an unknown name or a value that is not allowed, such as with `no_files` that of a file.
    """
    given = {
        name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in query.options.items()
    }
    known = [name for name, _ in _resolved(query.game, ())]
    for name in given:
        if name.lower() not in {option.lower() for option in known}:  # also options that only the daemon uses
            word, meant = printable(name, 40), did_you_mean(name, known)
            what = f"unknown option: {word}{meant} ({query.game} has {', '.join(known)})"
            raise BadLineError(what, "options", query.id)
    try:
        return _resolved(query.game, tuple(defaults.items()), tuple(given.items()), no_files)
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
        (query.multipv, query.searchmoves or (), query.book, query.clear),
        options,
    )
    return hashlib.blake2b(msgspec.json.encode(whole), digest_size=8).hexdigest()


def error_answer(error: BadLineError) -> dict[str, Any]:
    """Return the answer that reports an error, with those of its fields that are not empty."""
    fields = {"error": escaped(str(error)), "field": error.field, "id": error.id}
    return {name: value for name, value in fields.items() if value}
