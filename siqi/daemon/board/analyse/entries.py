"""The facts of an analysis, in the order in which they came to be: the lines of its file."""

from __future__ import annotations

import msgspec


class Entry(msgspec.Struct, frozen=True, tag_field="entry", kw_only=True, omit_defaults=True):
    """A fact."""

    at: str  # the time of the day, in UTC, for people


class Value(msgspec.Struct, frozen=True, omit_defaults=True):
    """The engine's judgement of a position, the first side's view."""

    chance: float  # the expected result, 0..1, a draw counting half
    depth: int = 0
    mate: int = 0  # the winner's turns, negative if the second side wins; 0: not proven


class KeptMove(msgspec.Struct, frozen=True, omit_defaults=True):
    """A move of a game that was read, by the number of the position before it; 0 is the first position."""

    parent: int
    word: str
    throw: int = 0  # the one that the move answered; 0: none, or not known
    comment: str = ""
    nags: tuple[int, ...] = ()  # PGN's numeric annotations


class Begun(Entry, frozen=True, tag="begun"):
    """An analysis has begun. It is the first fact of a file, and the only one of its kind there."""

    game: str
    fen: str = ""  # of the first position; '': the start position
    moves: tuple[KeptMove, ...] = ()  # parents before what follows them, the main line first
    comment: str = ""  # on the first position
    headers: dict[str, str] = {}  # the tags of the file that it was read from
    players: tuple[str, str] = ("?", "?")
    event: str = ""
    occasion: str = ""
    result: str = "*"
    name: str = ""  # of the file, or what the page shows in its place


class Added(Entry, frozen=True, tag="added"):
    """A move was played at the current position; it leads to a new position, or to one of the tree."""

    word: str


class Went(Entry, frozen=True, tag="went"):
    """The current position is another one."""

    node: int


class Threw(Entry, frozen=True, tag="threw"):
    """The throw for the side to move at the current position; 0: not thrown."""

    throw: int


class Removed(Entry, frozen=True, tag="removed"):
    """A move and all that follows it were taken out of the tree."""

    node: int


class Restored(Entry, frozen=True, tag="restored"):
    """The moves that were removed last are back."""


class Promoted(Entry, frozen=True, tag="promoted"):
    """The variation that a position belongs to comes before the one that it is an alternative to."""

    node: int


class Commented(Entry, frozen=True, tag="commented"):
    """A comment on a position took the place of the one before; '': none."""

    node: int
    text: str


class Marked(Entry, frozen=True, tag="marked"):
    """The arrows and rings drawn on a position took the place of those before: each by its two ends."""

    node: int
    marks: tuple[tuple[str, str], ...] = ()


class Valued(Entry, frozen=True, tag="valued"):
    """The engine's judgement of a position took the place of the one before."""

    node: int
    value: Value


AnyEntry = Begun | Added | Went | Threw | Removed | Restored | Promoted | Commented | Marked | Valued
