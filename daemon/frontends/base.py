"""What all front ends share: a table of commands, lines that wait for their turn, events handed to methods.

A front end turns lines into calls and events into lines. All of it runs on the engine's owner's thread, so it needs no
locks: `read` is called with each line of the client, `write` with each event, `drain` after either.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple

from daemon import events
from daemon.engine import Engine
from daemon.events import Event, Kind, Refusal
from daemon.output import Output
from daemon.pipes import ClientLine, printable
from daemon.scheduler import Needs

DRAW_BELOW = -30
"""A draw is agreed to where the engine's score is less, in centipawns."""

AT_ONCE, IN_ORDER, GAME, IDLE = Needs.NOTHING, Needs.IN_ORDER, Needs.IN_ORDER | Needs.GAME, Needs.IN_ORDER | Needs.IDLE
READY = GAME | IDLE
NOT_STOPPING = GAME | Needs.NOT_STOPPING


class Command(NamedTuple):
    """A word that a client begins a line with."""

    handle: Callable[[Any, list[str], ClientLine], None]  # gets the front end, the other words, and the line
    needs: Needs = GAME
    help: str = ""  # its words, two blanks, what it does
    is_worth_compiling: bool = False  # once the client has quit


class QueuedLine(NamedTuple):
    """A line that waits."""

    line: ClientLine
    command: Command


class FrontEnd:
    """One client. A subclass has the client's commands, and a method for each event that the client hears of."""

    commands: ClassVar[Mapping[str, Command]]

    def __init__(self, engine: Engine, out: Output, leave: Callable[[], None]) -> None:
        """`leave` is called when the client wants the process to end."""
        self.engine = engine
        self.out = out
        self.leave = leave
        self.queue: deque[QueuedLine] = deque()

    # Lines

    def chosen_by(self, text: str) -> FrontEnd:
        """Return the front end for a line and those after it: this one, unless the line decides for another."""
        return self

    def read(self, line: ClientLine) -> None:
        """Take a line that is not blank: carry it out, or keep it until its turn comes."""
        command = self.find(line.text.split(maxsplit=1)[0])
        if command is None:
            self.unknown(line)
        elif command.needs and (self.queue or not self.engine.prepare(command.needs)):
            self.queue.append(QueuedLine(line, command))
        else:
            self._handle(line, command)

    def find(self, word: str) -> Command | None:
        """Return the command that a line begins with."""
        return self.commands.get(word)

    def unknown(self, line: ClientLine) -> None:
        """Say that a line is no command."""
        self.refuse(line, Refusal(Kind.LINE, f"unknown command: {printable(line.text.split()[0])}"))

    def run_queued(self) -> None:
        """Carry out the lines whose turn has come."""
        while self.queue and self.engine.prepare(self.queue[0].command.needs):
            self._handle(*self.queue.popleft())

    def _handle(self, line: ClientLine, command: Command) -> None:
        try:
            command.handle(self, line.text.split()[1:], line)
        except Refusal as refusal:
            self.refuse(line, refusal)
        except IndexError:
            self.refuse(line, Refusal(Kind.COMMAND, "too few words"))
        except (ValueError, OverflowError) as error:
            self.refuse(line, Refusal(Kind.COMMAND, str(error)))
        except Exception as error:
            self.refuse(line, Refusal(Kind.INTERNAL, events.internal_reason(error)))

    def refuse(self, line: ClientLine, refusal: Refusal) -> None:
        """Say why a line is not carried out."""
        raise NotImplementedError

    def is_search(self, text: str) -> bool:
        """True for a line that asks for a search which would be answered."""
        return False

    def stop_waiting(self) -> None:
        """Have all that waits end as soon as it begins."""
        for queued in self.queue:
            queued.line.is_stopped = True

    def quit(self, words: list[str], line: ClientLine) -> None:
        """Stop the searches, answer what came before, then end."""
        for queued in self.queue:
            queued.line.is_stopped |= self.is_search(queued.line.text)
        self.leave()

    # Events

    def write(self, event: Event) -> None:
        """Hand an event to its method."""
        match event:
            case events.Info():
                self.info(event)
            case events.BestMove():
                self.best_move(event)
            case events.GameOver():
                self.game_over(event)
            case events.Note():
                self.note(event.text)
            case events.Compiling():
                self.compiling(event.text)
            case events.Warning():
                self.warning(printable(event.text, 400))
            case events.Refused() | events.Failed():
                self.refused(event.kind, printable(event.reason, 400))
            case events.LoadFailed():
                self.load_failed(event)
            case _:
                self.count(event)

    def info(self, info: events.Info) -> None: ...

    def game_over(self, event: events.GameOver) -> None: ...

    def best_move(self, answer: events.BestMove) -> None: ...

    def note(self, text: str) -> None: ...

    def compiling(self, text: str) -> None:
        """Clients that take no comments hear nothing of it."""

    def warning(self, text: str) -> None: ...

    def refused(self, kind: Kind, reason: str) -> None:
        """A call that waited, or a part of a job, was refused."""

    def load_failed(self, event: events.LoadFailed) -> None:
        """Refuse each line that waits for the game, so that no client waits for ever."""
        self.refused(Kind.INTERNAL, printable(event.reason, 400))
        for queued in tuple(self.queue):
            if queued.command.needs == IDLE:
                break  # it may choose another game for those that follow
            if Needs.GAME not in queued.command.needs:
                continue
            self.queue.remove(queued)
            reason = f"{self.engine.info.name} could not be loaded: {printable(queued.line.text)}"
            self.refuse(queued.line, Refusal(Kind.LOADING, reason))

    def count(self, event: Event) -> None:
        """An event of perft or bench."""


def whole_reason(refusal: Refusal) -> str:
    """Return a refusal's reason; of a list of moves with its place in it."""
    if refusal.played is None:
        return refusal.reason
    return f"{refusal.reason} (move {refusal.played + 1}; the {refusal.played} before it stand)"
