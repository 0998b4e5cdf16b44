"""The facts of a session, in the order in which they came to be: the lines of its file; contests share some of them.

Every fact bears the time of the day for people who read the file; nothing is computed from it. Clocks are what each
side has used, in milliseconds.
"""

from __future__ import annotations

from typing import Literal

import msgspec

By = Literal["person", "engine", "page"]
"""The author of a fact; the page throws dice."""

Used = tuple[int, int]
"""The time that each side has used, in milliseconds."""


class Entry(msgspec.Struct, frozen=True, tag_field="entry", kw_only=True):
    """A fact."""

    at: str  # the time of the day, in UTC, for people; of a contest the local time, such as 2026-11-27T14:00:05


class Begun(Entry, frozen=True, tag="begun"):
    """A game has begun. It is the first fact of a session, and the only one of its kind there."""

    game: str
    person: int  # the person's side
    skill: int  # the engine's Skill Level
    movetime_ms: int  # the engine's time for a move, where no clock is used
    clock_ms: int = 0  # of a side for the game; 0: no clock
    increment_ms: int = 0
    dice: By = "page"  # who throws
    seed: int = 0  # of the page's throws
    teaches: bool = False  # bad moves of the person are taken back


class Thrown(Entry, frozen=True, tag="thrown"):
    """The side to move has thrown a die. A new throw corrects one that no move has answered."""

    throw: int
    by: By


class Moved(Entry, frozen=True, tag="moved"):
    """The side to move has moved, or set up its pieces. It has answered the throw that stood, if there was one."""

    word: str  # of the protocol; in Play without results: the session is the referee
    by: By
    used: Used


class WentBack(Entry, frozen=True, tag="went back"):
    """The game goes on from an earlier position; the moves behind it stay as a variation."""

    node: int
    used: Used


class TakenBack(Entry, frozen=True, tag="taken back"):
    """The person's last move was a bad one, and is taken back; played again, it stands."""

    lost: float  # the chance that it loses
    used: Used


class Ticked(Entry, frozen=True, tag="ticked"):
    """A clock runs: what it shows now."""

    used: Used


class Paused(Entry, frozen=True, tag="paused"):
    """The clocks stand, and nobody moves."""

    used: Used


class Resumed(Entry, frozen=True, tag="resumed"):
    """The game goes on after a pause."""


class Ended(Entry, frozen=True, tag="ended"):
    """The game has ended otherwise than by its rules on the board."""

    winner: int | None
    reason: Literal["resignation", "time"]
    used: Used


AnyEntry = Begun | Thrown | Moved | WentBack | TakenBack | Ticked | Paused | Resumed | Ended
