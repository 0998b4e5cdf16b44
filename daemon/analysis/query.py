"""What a line of the input asks for, checked: a query, or the word to leave one.

Names are ours; KataGo's spellings of a few are understood. What is wrong is told with the field that it is wrong in.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal, NamedTuple

import msgspec
from msgspec import Meta

from daemon.pipes import printable
from daemon.words import split_moves

Number = Annotated[int, Meta(ge=0, le=10**15)]
Throw = Annotated[int, Meta(ge=0, le=6)]

SPELLINGS = {"analyzeTurns": "analyseTurns", "reportDuringSearchEvery": "reportEvery", "maxVisits": "nodes"}
"""KataGo's, and ours."""


class Query(msgspec.Struct, frozen=True):
    """A position, or several of one game, and how far to look into them."""

    id: Annotated[str, Meta(min_length=1)]
    game: Literal["xiangqi", "connect6", "ewn", "junqi"] = "xiangqi"
    position: str = ""  # what the protocol's `position` takes; else:
    fen: str = ""
    moves: tuple[str, ...] = ()
    dice: Throw | tuple[Throw, ...] = 0  # EWN's throw for the last position, or the throws for all moves but set-ups
    analyseTurns: tuple[Number, ...] | None = None  # after how many moves; None: after all
    nodes: Number = 0
    depth: Number = 0
    movetime: Annotated[int, Meta(ge=0, le=10**9)] = 0  # ms
    mate: Number = 0
    multipv: Annotated[int, Meta(ge=1, le=256)] = 1
    searchmoves: tuple[str, ...] = ()
    options: dict[str, str | int | float | bool] = msgspec.field(default_factory=dict)
    reportEvery: Annotated[float, Meta(ge=0)] = 0.0  # seconds between answers while a search runs; 0: none
    priority: Annotated[int, Meta(ge=-(10**15), le=10**15)] = 0  # higher comes first
    book: bool = False  # tell what the books say, too: most of a millisecond in Xiangqi
    clear: bool = False  # forget earlier searches first, so that the answer can be repeated exactly

    @property
    def is_bounded(self) -> bool:
        return bool(self.nodes or self.depth or self.movetime or self.mate)


class Terminate(msgspec.Struct, frozen=True):
    """Leave a query, or some of its turns."""

    id: str
    action: Literal["terminate"]
    terminateId: str
    turns: tuple[int, ...] | None = None


class BadLineError(ValueError):
    """What is wrong, in which field ('' for the line), of which query ('' where that is not known)."""

    def __init__(self, what: str, field: str = "", id: str = "") -> None:
        super().__init__(what)
        self.field = field
        self.id = id


class Parsed(NamedTuple):
    asked: Query | Terminate
    unknown: list[str]  # fields that nobody knows


_FIELDS = {kind: {field.name for field in msgspec.structs.fields(kind)} for kind in (Query, Terminate)}


def parse(line: str | bytes) -> Parsed:
    """A line of the input; BadLineError says what is wrong with it."""
    try:
        told = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        shown = printable(line if isinstance(line, str) else line.decode(errors="replace"), 40)
        raise BadLineError(f"not JSON: {error}: {shown}") from None
    if not isinstance(told, dict):
        raise BadLineError("not a JSON object")
    told = {SPELLINGS.get(name, name): value for name, value in told.items()}
    name = told.get("id")
    kind: type[Query | Terminate] = Terminate if "action" in told else Query
    try:
        asked = msgspec.convert(told, kind)
    except msgspec.ValidationError as error:
        what, _, path = str(error).partition(" - at `$")
        field = re.split(r"[.`\[]", path.lstrip("."))[0] or _missing(what)
        raise BadLineError(what, field, name if isinstance(name, str) else "") from None
    unknown = sorted(set(told) - _FIELDS[kind])
    if isinstance(asked, Query):
        asked = _with_position(asked)
    return Parsed(asked, unknown)


def _missing(what: str) -> str:
    match = re.search(r"field `(\w+)`", what)
    return match[1] if match else ""


def _with_position(query: Query) -> Query:
    """`position`, as the protocol has it, taken apart."""
    if not query.position:
        return query
    if query.fen or query.moves:
        raise BadLineError("position, or fen and moves, not both", "position", query.id)
    start, moves = split_moves(query.position.split())
    if start == ["startpos"] or (start[:1] == ["fen"] and len(start) > 1):
        return msgspec.structs.replace(query, position="", fen=" ".join(start[1:]), moves=tuple(moves))
    raise BadLineError("expected startpos or fen", "position", query.id)
