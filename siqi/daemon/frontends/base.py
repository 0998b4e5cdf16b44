"""The base of all front ends: a table of commands, a queue of lines, a method for each event.

The server calls `read` with each line of the client, `write` with each event, and `run_queued` after either, all on the
thread of the engine's owner; no locks are needed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple

from siqi.daemon.engine import events
from siqi.daemon.engine.engine import Engine
from siqi.daemon.engine.events import Event, Kind, Refusal
from siqi.daemon.engine.scheduler import Needs
from siqi.system.output import Output
from siqi.system.pipes import QUIT, ClientLine, printable
from siqi.system.spelling import did_you_mean

DRAW_BELOW = -30
"""The engine agrees to a draw if its score is below this, in centipawns, the engine's view."""

AT_ONCE, IN_ORDER, GAME, IDLE = Needs.NOTHING, Needs.IN_ORDER, Needs.IN_ORDER | Needs.GAME, Needs.IN_ORDER | Needs.IDLE
READY = GAME | IDLE
NOT_STOPPING = GAME | Needs.NOT_STOPPING


class Command(NamedTuple):
    """A command of the protocol, the first word of a line."""

    handle: Callable[[Any, list[str], ClientLine], None]  # called with the front end, the other words, and the line
    needs: Needs = GAME
    help: str = ""  # its syntax, two blanks, its effect
    is_worth_compiling: bool = False  # True: after `quit` it is answered even if that takes compiling, as searches are
    is_greeting: bool = False  # True: it is answered before its needs are met if the game takes long to load


class QueuedLine(NamedTuple):
    """A line that waits until its command's needs are met."""

    line: ClientLine
    command: Command


class FrontEnd:
    """The front end of one client. A subclass has the protocol's commands, and a method for each event it reports."""

    commands: ClassVar[Mapping[str, Command]]
    fixed: ClassVar[Mapping[str, str]] = {}
    """The values of options that the protocol does not leave to the user; the command line may have set others."""
    page: ClassVar[str] = "protocol"
    """The document of the protocol, as `siqi docs` names it; an error names it so."""
    comment: ClassVar[str] = ""
    """The beginning of a line that is for people; '' in protocols without such lines."""

    def __init__(self, engine: Engine, out: Output, leave: Callable[[], None]) -> None:
        """`leave` is called when the client wants the process to end."""
        self.engine = engine
        self.out = out
        self.leave = leave
        self.queue: deque[QueuedLine] = deque()
        self.has_begun = False  # a command that needs the game has been read
        if self.fixed:
            engine.begin_with(self.fixed)

    # Lines

    def yields_to(self, text: str) -> bool:
        """True for a line with which the client begins anew, by the protocol of that line."""
        return False

    def chosen_by(self, text: str) -> FrontEnd:
        """Return the front end for this line and all later ones: this one, unless the line selects another."""
        return self

    def read(self, line: ClientLine) -> None:
        """Carry out a line that is not blank, or queue it until its command's needs are met."""
        command = self.find(line.text.split(maxsplit=1)[0])
        self.has_begun |= command is not None and Needs.GAME in command.needs
        if command is None:
            self.unknown(line)
        elif command.needs and (self.queue or not self.engine.prepare(command.needs)):
            self.queue.append(QueuedLine(line, command))
        else:
            self._handle(line, command)

    def find(self, word: str) -> Command | None:
        """Return the command for the first word of a line, None if there is none."""
        return self.commands.get(word)

    @property
    def knows_quit(self) -> bool:
        """True if `quit` is a command of the protocol."""
        return QUIT in getattr(self, "commands", ())

    def unknown(self, line: ClientLine) -> None:
        """Refuse a line that is no command."""
        word = line.text.split()[0]
        what = f"unknown command: {printable(word)}{did_you_mean(word, self.commands)} (see siqi docs {self.page})"
        self.refuse(line, Refusal(Kind.LINE, what))

    def run_queued(self) -> None:
        """Carry out queued lines, in order, while their needs are met."""
        while self.queue and self.engine.prepare(self.queue[0].command.needs):
            self._handle(*self.queue.popleft())

    def greet(self) -> None:
        """Answer queued greetings although the game is not loaded: their clients wait for seconds only."""
        for queued in [queued for queued in self.queue if queued.command.is_greeting]:
            self.queue.remove(queued)
            self._handle(*queued)

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
        """Report why a line is not carried out."""
        raise NotImplementedError

    def is_search(self, text: str) -> bool:
        """True for a line that starts a search whose answer the client awaits."""
        return False

    def awaits_answer(self) -> bool:
        """True if the client awaits an answer to a queued line after a `quit` too, even if that takes compiling."""
        return any(queued.command.is_worth_compiling or self.is_search(queued.line.text) for queued in self.queue)

    def stop_waiting(self) -> None:
        """Mark all queued lines as stopped: their searches end after one iteration."""
        for queued in self.queue:
            queued.line.is_stopped = True

    def quit(self, words: list[str], line: ClientLine) -> None:
        """Stop queued searches, and end the process once all lines before are answered."""
        self.greet()
        for queued in self.queue:
            queued.line.is_stopped |= self.is_search(queued.line.text)
        self.leave()

    def farewell(self) -> None:
        """Say goodbye where the protocol does: called after a `quit`, when every line before it is answered."""

    # Events

    def write(self, event: Event) -> None:
        """Call the method for an event."""
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
            case events.Refused():
                self.refused(event.kind, printable(event.reason, 400))
            case events.Failed():
                self.failed(event.kind, printable(event.reason, 400))
            case events.StillLoading():
                self.greet()
            case events.LoadFailed():
                self.load_failed(event)
            case _:
                self.count(event)

    def info(self, info: events.Info) -> None:
        """Report an iteration."""

    def game_over(self, event: events.GameOver) -> None:
        """Report that there is nothing to search; a BestMove without a move follows."""

    def best_move(self, answer: events.BestMove) -> None:
        """Report the answer to a search; drop it by its id if the client does not await it."""

    def note(self, text: str) -> None:
        """Report information on a search; protocols without comments ignore it."""
        if self.comment:
            self.out.line(f"{self.comment} {text}")

    def compiling(self, text: str) -> None:
        """Report the progress of compiling."""
        self.note(text)

    def warning(self, text: str) -> None:
        """Report that a book or memory is missing."""
        self.note(f"warning {text}")

    def refused(self, kind: Kind, reason: str) -> None:
        """Report the refusal of a call that had waited, or of a part of a job."""
        self.note(reason)

    def failed(self, kind: Kind, reason: str) -> None:
        """Report that a count failed."""
        self.refused(kind, reason)

    def load_failed(self, event: events.LoadFailed) -> None:
        """Refuse each queued line that needs the game, so that no client waits for ever. Greetings are answered."""
        self.refused(Kind.INTERNAL, printable(event.reason, 400))
        self.greet()
        for queued in tuple(self.queue):
            if queued.command.needs == IDLE:
                break  # it may select another game for the lines after it
            if Needs.GAME not in queued.command.needs:
                continue
            self.queue.remove(queued)
            reason = f"{self.engine.info.name} could not be loaded: {printable(queued.line.text)}"
            self.refuse(queued.line, Refusal(Kind.LOADING, reason))

    def count(self, event: Event) -> None:
        """Report an event of perft or bench."""


def whole_reason(refusal: Refusal) -> str:
    """Return a refusal's reason, with the number of the refused move if it was one of a list."""
    if refusal.played is None:
        return refusal.reason
    kept = f"{refusal.played} move{'s' * (refusal.played != 1)} kept"
    return f"{refusal.reason} (move {refusal.played + 1}; {kept})"
