"""The facts of a contest, in their order: the lines of its file. A contest is all games of two teams.

Teams are 0, ours, and 1, theirs; sides are 0, the one that moves first in a game, and 1. Every fact bears the local
time for people, for the folder and for the official record; no clock is computed from it.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from siqi.daemon.board.entries import Entry, Moved, Paused, Resumed, Thrown, Ticked, Used

OURS, THEIRS = 0, 1

End = Literal["rules", "resignation", "time", "referee", "adjourned"]


class Begun(Entry, frozen=True, tag="begun"):
    """A contest has begun. It is the first fact of its file, and the only one of its kind there."""

    game: str
    teams: tuple[str, str]
    games: int  # of the contest, at most: 7 is a best of seven, 2 a double round, 1 a single game
    first: int  # the team that moves first in game 1
    clock_ms: int  # of a side for a game
    event: str = ""
    site: str = ""
    engine: tuple[bool, bool] = (True, False)  # by team: the engine plays, not a hand
    ends_on_time: bool = False
    ponders: bool = False
    hides: bool = False  # the operator sees no evaluation


class GameBegun(Entry, frozen=True, tag="game begun"):
    """The next game has begun; its clocks stand until the referee has it start."""

    first: int  # the team that moves first


class Proposed(Entry, frozen=True, tag="proposed"):
    """The engine has found its move or set-up, which the operator has not announced yet."""

    word: str
    used: Used


class WentBack(Entry, frozen=True, tag="went back"):
    """A game goes on from a position of it; moves behind it stay as a variation, an end no longer counts."""

    game: int  # its index in the contest
    node: int
    used: Used  # in the game that was shown before
    note: str = ""


class ListedMove(msgspec.Struct, frozen=True, omit_defaults=True):
    """A move of a list, with the throw that it answered; 0: none."""

    word: str
    throw: int = 0


class Entered(Entry, frozen=True, tag="entered"):
    """All moves of the game from its start were entered at once; the clocks stand from then on."""

    moves: tuple[ListedMove, ...]
    used: Used
    note: str = ""


class ClocksSet(Entry, frozen=True, tag="clocks set"):
    """The clocks have been corrected by hand."""

    used: Used
    note: str = ""


class ScoreSet(Entry, frozen=True, tag="score set"):
    """The score has been corrected by hand; later games add to it."""

    points: tuple[float, float]
    note: str = ""


class FirstSet(Entry, frozen=True, tag="first set"):
    """The team that moves first in the next game has been corrected by hand."""

    first: int


class PlayersSet(Entry, frozen=True, tag="players set"):
    """Each team is played by the engine or by a hand from now on."""

    engine: tuple[bool, bool]


class OptionsSet(Entry, frozen=True, tag="options set"):
    """The options of the contest have been changed."""

    ends_on_time: bool
    ponders: bool
    hides: bool


class Recorded(Entry, frozen=True, tag="recorded"):
    """The game's official record is about to be written: the file that has these bytes is our own.

    Whatever else has the name, of another contest or corrected by hand, stays as it is.
    """

    name: str  # of the file, in the contest's folder
    digest: str  # SHA-256 of its bytes, in hexadecimal


class Ended(Entry, frozen=True, tag="ended"):
    """A game has ended. An adjourned one has no winner and no points."""

    winner: int | None  # the team; None: a draw
    end: End
    used: Used
    reason: str = ""  # of the rules, such as `six`
    note: str = ""


AnyEntry = (
    Begun
    | GameBegun
    | Thrown
    | Proposed
    | Moved
    | WentBack
    | Entered
    | Ticked
    | Paused
    | Resumed
    | ClocksSet
    | ScoreSet
    | FirstSet
    | PlayersSet
    | OptionsSet
    | Recorded
    | Ended
)
