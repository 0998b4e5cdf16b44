"""What the operator of a championship can ask: typed commands, as the page sends them."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import msgspec

from siqi.daemon.board.commands import (
    MAX_MS,
    Command,
    FileCommand,
    LayoutCommand,
    MoveNow,
    Pause,
    Point,
    Propose,
    Resume,
    SetUp,
    Swap,
    Throw,
    Word,
)

Team = Annotated[int, msgspec.Meta(ge=0, le=1)]
Text = Annotated[str, msgspec.Meta(max_length=80)]
Left = Annotated[int, msgspec.Meta(ge=-MAX_MS, le=MAX_MS)]
Points = Annotated[float, msgspec.Meta(ge=0, le=1000)]
MoveList = Annotated[str, msgspec.Meta(max_length=20_000)]
Answer = Annotated[int, msgspec.Meta(ge=0, le=3)]


class CheckReady(Command, frozen=True, tag="check"):
    """Load and warm up a game, and look whether the machine is ready for it."""

    renews: ClassVar[bool] = True

    game: Word


class BeginContest(Command, frozen=True, tag="begin"):
    """Begin a contest and its first game; the fields are those of `entries.Begun`."""

    renews: ClassVar[bool] = True

    game: Word
    teams: tuple[Text, Text]
    games: Annotated[int, msgspec.Meta(ge=1, le=99)]
    first: Team
    clock_ms: Annotated[int, msgspec.Meta(ge=1000, le=MAX_MS)]
    event: Text = ""
    site: Text = ""
    engine: tuple[bool, bool] = (True, False)
    ends_on_time: bool = False
    ponders: bool = False
    hides: bool = False


class LeaveCheck(Command, frozen=True, tag="leave check"):
    """Show the contest again that was shown before the check."""


class NextGame(Command, frozen=True, tag="next game"):
    """Begin the next game of the contest."""


class ThrowForMe(Command, frozen=True, tag="throw for me"):
    """Have the page throw the die for the side to move."""


class Play(Command, frozen=True, tag="move"):
    """Enter a move that was played; in Junqi with the referee's answer and the flag's square that was announced."""

    word: Word
    result: Answer | None = None
    flag: Point = ""


class Confirm(Command, frozen=True, tag="confirm"):
    """Say that the engine's move was announced and played; in Junqi with the referee's answer to it."""

    result: Answer | None = None
    flag: Point = ""


class Arrange(Command, frozen=True, tag="arrange"):
    """Make a set-up of its word, such as 123456; it is played by `SetUp`."""

    word: Word


class GoBack(Command, frozen=True, tag="go back"):
    """Go on from a position of any game of the contest; the clocks keep what was used."""

    game: Annotated[int, msgspec.Meta(ge=0)]
    node: Annotated[int, msgspec.Meta(ge=0)] | None = None  # None: where that game stood
    note: Text = ""


class EnterMoves(Command, frozen=True, tag="enter moves"):
    """Enter all moves of the game from its start, from a list: a record in a format of the game, or bare moves."""

    moves: MoveList
    note: Text = ""


class SetClocks(Command, frozen=True, tag="set clocks"):
    """Correct the clocks: what each team has left, in milliseconds."""

    left: tuple[Left, Left]
    note: Text = ""


class SetScore(Command, frozen=True, tag="set score"):
    """Correct the score."""

    points: tuple[Points, Points]
    note: Text = ""


class SetFirst(Command, frozen=True, tag="set first"):
    """Correct which team moves first in the next game."""

    first: Team


class SetPlayers(Command, frozen=True, tag="set players"):
    """Have the engine or a hand play each team from now on."""

    engine: tuple[bool, bool]


class SetOptions(Command, frozen=True, tag="set options"):
    """Change the options of the contest."""

    ends_on_time: bool
    ponders: bool
    hides: bool


class EndGame(Command, frozen=True, tag="end"):
    """End the game as the referee says, or by a resignation."""

    winner: Team | None
    end: Literal["resignation", "time", "referee", "adjourned"]
    note: Text = ""


AnyCommand = (
    CheckReady
    | LeaveCheck
    | BeginContest
    | NextGame
    | Throw
    | ThrowForMe
    | Play
    | Confirm
    | Arrange
    | Swap
    | Propose
    | SetUp
    | GoBack
    | EnterMoves
    | SetClocks
    | SetScore
    | SetFirst
    | SetPlayers
    | SetOptions
    | EndGame
    | MoveNow
    | Pause
    | Resume
    | LayoutCommand
    | FileCommand
)
"""The commands of Championship."""
