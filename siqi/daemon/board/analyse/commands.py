"""The commands of Analyse, typed, as the page sends them."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from siqi.daemon.board.commands import Command, FileCommand, Point, Word

MAX_CHARACTERS = 4 << 20
"""Characters of a pasted text, or of a file's base64."""

MAX_LINES = 5

Text = Annotated[str, msgspec.Meta(max_length=MAX_CHARACTERS)]
NodeNumber = Annotated[int, msgspec.Meta(ge=0)]


class Open(Command, frozen=True, tag="open"):
    """Begin an analysis at a game's start position; the one before stays in its file."""

    game: Word


class Read(Command, frozen=True, tag="read"):
    """Begin an analysis of what a text has: a FEN, words of a position, moves, or games of any format."""

    text: Text
    game: Word = ""  # the one that the page shows, for moves alone


class ReadFile(Command, frozen=True, tag="read file"):
    """Begin an analysis of a file's games."""

    name: Annotated[str, msgspec.Meta(max_length=300)]
    data: Text  # base64


class Choose(Command, frozen=True, tag="choose"):
    """Begin an analysis of another game of the file that was read last."""

    number: NodeNumber


class Add(Command, frozen=True, tag="add"):
    """Play a move, or a set-up, at the current position; in a view with the referee's answer, as in Championship."""

    word: Word
    result: Annotated[int, msgspec.Meta(ge=0, le=3)] | None = None
    flag: Point = ""


class SetUps(Command, frozen=True, tag="set-ups"):
    """Have the engine set up the pieces of the side to move."""


class GoTo(Command, frozen=True, tag="go to"):
    """Make a position of the tree the current one."""

    node: NodeNumber


class Dice(Command, frozen=True, tag="dice"):
    """Set the throw at the current position; 0: not thrown, so that all throws are looked at."""

    throw: Annotated[int, msgspec.Meta(ge=0, le=6)]


class Remove(Command, frozen=True, tag="remove"):
    """Take a move and what follows it out of the tree."""

    node: NodeNumber


class Restore(Command, frozen=True, tag="restore"):
    """Put back the moves that were removed last."""


class Promote(Command, frozen=True, tag="promote"):
    """Put the variation of a position before the one that it is an alternative to."""

    node: NodeNumber


class Comment(Command, frozen=True, tag="comment"):
    """Write the comment on a position; '' takes it away."""

    node: NodeNumber
    text: Annotated[str, msgspec.Meta(max_length=10_000)]


class Mark(Command, frozen=True, tag="mark"):
    """Draw arrows and rings on a position in place of those before: each by its ends, a ring by one point twice."""

    node: NodeNumber
    marks: Annotated[tuple[tuple[Point, Point], ...], msgspec.Meta(max_length=100)]


class Trial(Command, frozen=True, tag="trial"):
    """Begin to try moves out, or end it: drop them, and go back to where it began, or keep them as variations."""

    step: Literal["begin", "drop", "keep"]


class Engine(Command, frozen=True, tag="engine"):
    """Let the engine look at the current position, with a number of lines; 0: it rests."""

    lines: Annotated[int, msgspec.Meta(ge=0, le=MAX_LINES)]


class Layer(Command, frozen=True, tag="layer"):
    """Show more on the board, or no longer: one of the game's `layers`."""

    name: Word
    is_shown: bool


class View(Command, frozen=True, tag="view"):
    """Show the board as a side sees it, None: as the referee, in games with hidden pieces."""

    side: Annotated[int, msgspec.Meta(ge=0, le=1)] | None = None


class Judge(Command, frozen=True, tag="judge"):
    """Have the engine judge each position of the line shown that it has not judged; a second time it stops."""


class Edit(Command, frozen=True, tag="edit"):
    """Begin to set up pieces: those of the current position, or none."""

    is_empty: bool = False


class Put(Command, frozen=True, tag="put"):
    """Put a piece on a point while pieces are set up; '' takes it away."""

    point: Point
    letter: Annotated[str, msgspec.Meta(max_length=1)]


class Shift(Command, frozen=True, tag="shift"):
    """Exchange what two points have while pieces are set up: a piece moves to an empty point."""

    first: Point
    second: Point


class Deploy(Command, frozen=True, tag="deploy"):
    """Put a side's pieces where a set-up may have them, at random, while pieces are set up."""

    side: Annotated[int, msgspec.Meta(ge=0, le=1)]


class Edited(Command, frozen=True, tag="edited"):
    """End the setting up of pieces: analyse them with this side to move, None: go on as before."""

    turn: Annotated[int, msgspec.Meta(ge=0, le=1)] | None = None
    throw: Annotated[int, msgspec.Meta(ge=0, le=6)] = 0  # of that side, in games with a die; 0: not thrown


class Save(Command, frozen=True, tag="save"):
    """Write the analysis in a format of its game."""

    format: Word


AnalyseCommand = (
    Open
    | Read
    | ReadFile
    | Choose
    | Add
    | SetUps
    | GoTo
    | Dice
    | Remove
    | Restore
    | Promote
    | Comment
    | Mark
    | Trial
    | Engine
    | Layer
    | View
    | Judge
    | Edit
    | Put
    | Shift
    | Deploy
    | Edited
    | Save
    | FileCommand
)
"""The commands of Analyse."""
