"""What a game asks of its players, whoever they are: a player's contract, its limits and its faults."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from siqi.games.contract import Position, Score

if TYPE_CHECKING:
    from siqi.games.kernel.control import Control


class PlayerLimits(msgspec.Struct, frozen=True):
    """One player's limits per move and per game; 0: no such limit."""

    movetime_ms: int = 0
    nodes: int = 0  # or playouts
    depth: int = 0  # plies
    clock_ms: int = 0  # sudden death for the whole game
    increment_ms: int = 0

    @property
    def text(self) -> str:
        """The limit, if there is only one, as tables and logs name it."""
        if self.clock_ms:
            return f"{self.clock_ms} ms a game"
        if self.depth:
            return f"depth {self.depth}"
        return f"{self.nodes} nodes" if self.nodes else f"{self.movetime_ms} ms"

    def control(self) -> Control:
        """Return a control block with the limits of a move but its depth; the time runs from here."""
        from siqi.games.kernel.control import Control  # late: it imports numba, which no command line needs

        control = Control(self.nodes)
        if self.movetime_ms:
            control.set_deadline(time.monotonic_ns() + 1_000_000 * self.movetime_ms)
        return control


UNLIMITED = PlayerLimits()


OWN, RANDOM = "siqi", "random"
"""The commands of this program and of the random mover."""


class EngineSpec(msgspec.Struct, frozen=True):
    """An engine as the command line describes it."""

    name: str
    command: str
    options: dict[str, str] = {}
    limits: PlayerLimits = UNLIMITED
    ranks: int = 0  # number of the lowest rank in its move words
    protocol: str = ""  # as in `proto=`; "": the engine is asked

    @property
    def words(self) -> dict[str, str]:
        """All that describes it but its name, as words: command, options, limits."""
        limits = {name: str(value) for name, value in msgspec.structs.asdict(self.limits).items() if value}
        return {"command": self.command, "ranks": str(self.ranks), "proto": self.protocol} | self.options | limits

    @property
    def program(self) -> str:
        """The command that starts it: this program runs in a process of its own too, so that a fault ends it alone."""
        return shlex.join([sys.executable, "-m", "siqi"]) if self.command == OWN else self.command


class TimeLeft(NamedTuple):
    """One side's clock."""

    left_ms: int
    increment_ms: int


class Turn(NamedTuple):
    """The question for one move."""

    position: Position  # the referee's, read-only; only for players in this process
    start: str  # `startpos` or `fen F`
    words: list[str]  # the moves since, as the mover may see them
    deploying: bool
    throws: Sequence[int]  # dice of the game so far, this turn's last; empty: the game has none, or is about to begin
    clocks: Sequence[TimeLeft | None]  # by side; None: a player without a clock
    budget_ms: float  # time the move may take, infinite without a limit in time


class Choice(NamedTuple):
    """A move word, and its ms on the referee's side of the pipe; score and nodes if the player reported them."""

    word: str
    elapsed_ms: float
    score: Score | None = None
    nodes: int = 0


class Forfeit(Exception):
    """The player to act loses the game; `cause` is illegal, crash, time or resigned."""

    def __init__(self, cause: str, reason: str) -> None:
        super().__init__(reason)
        self.cause, self.reason = cause, reason


class StartError(Exception):
    """An engine that cannot be used at all: the match stops."""


class OptionError(StartError):
    """An option that the engine does not have, or a value that the option cannot have."""


class Player:
    """A player of one side. `new_game` and `choose` raise Forfeit."""

    version = ""
    """What the player calls itself, once it has begun a game."""
    start_ms = 0
    """How long it took to start for this game, outside all clocks; 0 if it was there."""

    @property
    def dialogue(self) -> list[str]:
        """The last lines of the dialogue of this game; empty for players in this process."""
        return []

    def start(self) -> None:
        """Make ready for a first game; StartError if the player cannot play."""

    def new_game(self, seed: str) -> None:
        """Begin a game, after `start` if it is not ready."""

    def choose(self, turn: Turn) -> Choice:
        """Choose a move, or a set-up."""
        raise NotImplementedError

    def played(self, position: Position) -> None:
        """Called when the player's move was legal, with the referee's position after it."""

    def game_over(self, won: bool | None) -> None:
        """Called at the end; None: a draw."""

    def close(self) -> None:
        """End the player; harmless when repeated, and callable from another thread to break off a game."""
