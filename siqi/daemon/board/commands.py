"""What a person can ask of a session: typed commands, as the page sends them."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import msgspec

MAX_MS = 24 * 3600 * 1000

Word = Annotated[str, msgspec.Meta(max_length=64)]
Point = Annotated[str, msgspec.Meta(max_length=4)]


class Refusal(ValueError):
    """A command that cannot be carried out; the text is for the person."""


class Command(msgspec.Struct, frozen=True, tag_field="do", forbid_unknown_fields=True):
    """A command."""

    renews: ClassVar[bool] = False
    """True if the engine is asked again for what it was asked last: a game that could not be loaded, for one."""


class Begin(Command, frozen=True, tag="begin"):
    """Begin a new game, and leave the one before; the fields are those of `entries.Begun`."""

    renews: ClassVar[bool] = True

    game: Word
    person: Annotated[int, msgspec.Meta(ge=0, le=1)]
    skill: Annotated[int, msgspec.Meta(ge=0, le=20)]
    movetime_ms: Annotated[int, msgspec.Meta(ge=10, le=MAX_MS)] = 1000
    clock_ms: Annotated[int, msgspec.Meta(ge=0, le=MAX_MS)] = 0
    increment_ms: Annotated[int, msgspec.Meta(ge=0, le=MAX_MS)] = 0
    dice: Literal["page", "person"] = "page"
    teaches: bool = False  # without clocks


class Play(Command, frozen=True, tag="move"):
    """Play a move, or a set-up, by its word."""

    word: Word


class Swap(Command, frozen=True, tag="swap"):
    """Exchange two pieces of the set-up that is being made."""

    first: Point
    second: Point


class Propose(Command, frozen=True, tag="propose"):
    """Have the engine propose another set-up."""


class SetUp(Command, frozen=True, tag="set up"):
    """Play the set-up that has been made."""


class SaveLayout(Command, frozen=True, tag="save layout"):
    """Keep the set-up that is being made under a name, which may have another one."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=40)]


class UseLayout(Command, frozen=True, tag="use layout"):
    """Make a set-up that was kept under a name."""

    name: Word


class ForgetLayout(Command, frozen=True, tag="forget layout"):
    """Keep a set-up no longer."""

    name: Word


LayoutCommand = SaveLayout | UseLayout | ForgetLayout


class Throw(Command, frozen=True, tag="throw"):
    """Enter the throw of a die for the side to move."""

    throw: Annotated[int, msgspec.Meta(ge=1, le=6)]


class TakeBack(Command, frozen=True, tag="take back"):
    """Go back to the position before one's own last move."""


class Hint(Command, frozen=True, tag="hint"):
    """Have the engine show its best move."""


class MoveNow(Command, frozen=True, tag="move now"):
    """Have the engine answer with what it has found."""


class ShowPly(Command, frozen=True, tag="show ply"):
    """Show the position after a number of moves, None: the last one; the game is not changed."""

    ply: Annotated[int, msgspec.Meta(ge=0)] | None = None


class Pause(Command, frozen=True, tag="pause"):
    """Stop the clocks."""


class Resume(Command, frozen=True, tag="resume"):
    """Go on after a pause, or after a restart."""


class Resign(Command, frozen=True, tag="resign"):
    """Give up the game."""


class ListFiles(Command, frozen=True, tag="files"):
    """List the files of the mode in the games' folder."""


class OpenFile(Command, frozen=True, tag="open file"):
    """Go on with an earlier game, contest or analysis; the one that is shown stays in its file."""

    renews: ClassVar[bool] = True

    name: Annotated[str, msgspec.Meta(max_length=300)]  # among those that are listed


class TakeBoard(Command, frozen=True, tag="take board"):
    """Let this tab hold the board; the others watch."""


class SwitchMode(Command, frozen=True, tag="mode"):
    """Show another mode, in all tabs."""

    mode: Word


class Review(Command, frozen=True, tag="review"):
    """Have the review of the game written, which is over."""


class See(Command, frozen=True, tag="see"):
    """Have pictures sent to this tab, which may watch only, as it sees boards: with each position comes its own."""

    is_flipped: bool
    faces: Word = ""  # '': the default ones


ServerCommand = TakeBoard | SwitchMode | Review | See
"""Commands to the server, not to a mode."""

FileCommand = ListFiles | OpenFile
"""Commands of all modes."""

AnyCommand = (
    Begin
    | Play
    | Swap
    | Propose
    | SetUp
    | Throw
    | TakeBack
    | Hint
    | ShowPly
    | MoveNow
    | Pause
    | Resume
    | Resign
    | LayoutCommand
    | FileCommand
)
"""The commands of Play."""
