"""The owner of an engine: the thread that makes its calls, handles its events and follows its searches.

Python runs the handlers of signals in the main thread, between any two instructions, and what they raise (Ctrl-C) may
cut a call in half there. The owner is another thread, so an engine is whole whatever has become of its callers. They
only put requests into its queue and wait for news in theirs; nothing depends on news that a caller has lost.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from numbers import Integral, Real
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Generic, NamedTuple

from siqi.checks import check_type, is_of
from siqi.daemon.engine import events as _events
from siqi.daemon.engine.engine import Engine
from siqi.daemon.engine.events import Kind, Refusal
from siqi.daemon.engine.limits import Limits
from siqi.daemon.engine.options import declared
from siqi.daemon.engine.scheduler import Needs
from siqi.games.contract import Report, Score
from siqi.limit import Limit, engine_limits
from siqi.positions import M, Position, PositionOf, decompose, warn
from siqi.system.memory import STACK_BYTES
from siqi.system.pipes import to_stderr

if TYPE_CHECKING:
    from siqi.games.xiangqi.library.move import Move

OptionValue = str | int | float | bool

FIXED = ("UCI_Variant", "UCI_Coordinates", "Debug Log File")
"""Options of the daemon that do not apply to a library."""


class EngineError(RuntimeError):
    """Raised if the game cannot be loaded, the engine is closed, or a search was ended by a fault in this program."""


class Info(NamedTuple, Generic[M]):
    """A principal variation and its score, as a search reports them."""

    score: Score
    """The value of the position by this variation, the view of the side to move."""
    pv: tuple[M, ...]
    """The moves: words of the protocol, in Xiangqi `Move` objects."""
    depth: int
    """Plies to which the variation was searched."""
    seldepth: int
    """The longest line that the search looked at, in plies."""
    nodes: int
    """Nodes of the whole search so far."""
    time: float
    """Seconds since the search was requested."""
    multipv: int
    """The rank of the variation, from 1."""
    throw: int = 0
    """EWN without a die: the throw that the variation answers; otherwise 0."""


class PlayResult(NamedTuple, Generic[M]):
    """The engine's answer."""

    move: M | None
    """The move to play, None if there is no legal one."""
    ponder: M | None = None
    """The answer that the engine expects, None if it has none."""
    info: Info[M] | None = None
    """The last report of the search, None if there was no search, as for a move from a book."""


class Request(NamedTuple):
    """A search as the engine is asked for it."""

    game: str
    fen: str | None
    words: list[str]
    die: int
    limits: Limits
    multipv: int
    root_moves: list[str]
    has_words: bool
    """True if the caller's moves are words, False for `Move` objects."""


def _requested(position: object, limit: Limit, multipv: int, root_moves: Collection[str | Move] | None) -> Request:
    game, fen, words, die = decompose(position)
    check_type("multipv", multipv, Integral, "a whole number")
    limits, has_words = engine_limits(limit), isinstance(position, Position)
    return Request(game, fen, list(words), die, limits, multipv, move_words(root_moves), has_words)


class Search(Generic[M]):
    """A search of a position as it is now. The owner runs it; any thread may read its state and stop it."""

    def __init__(
        self,
        position: PositionOf[M],
        limit: Limit,
        multipv: int = 1,
        root_moves: Collection[str | Move] | None = None,
        *,
        ends_by_request: bool = True,
    ) -> None:
        """`ends_by_request`: the next request of the engine stops it. Errors as of `Engine.analysis`."""
        self.request = _requested(position, limit, multipv, root_moves)
        self.ends_by_request = ends_by_request
        self.is_begun = False
        self.is_done = False  # it has its result or an error; without having begun if it was refused
        self.is_stopped = False
        self.lines: list[Info[M]] = []  # of the last report
        self.result: PlayResult[M] | None = None
        self.error: BaseException | None = None

    def answer(self) -> PlayResult[M]:
        """Return the result of a search that is done, or raise its error."""
        if self.error is not None:
            raise self.error
        assert self.result is not None
        return self.result

    def take(self, event: _events.Event, search_id: int) -> Sequence[Info[M]]:
        """Note an event of the running search; return the variations that it reports."""
        if isinstance(event, _events.Info):
            self.lines = [
                Info(
                    line.score,
                    tuple(self._move(event, move) for move in line.pv),
                    line.depth or event.report.depth,
                    event.report.seldepth,
                    event.report.nodes,
                    event.elapsed_ms / 1000,
                    rank,
                    line.throw,
                )
                for rank, line in enumerate(_shown(event.report, event.multipv), 1)
            ]
            return self.lines
        if isinstance(event, _events.Refused):
            self.error = EngineError(event.reason)
        elif isinstance(event, _events.BestMove) and event.search_id == search_id:
            info = self.lines[0] if self.lines and event.move is not None else None
            self.result = PlayResult(self._move(event, event.move), self._move(event, event.ponder), info)
        return ()

    def _move(self, event: _events.Info | _events.BestMove, move: int | None) -> Any:
        if move is None:
            return None
        text = event.position.move_text(move)
        if self.request.has_words:
            return text
        from siqi.games.xiangqi.library.move import Move

        return Move.from_uci(text)


def _shown(report: Report, multipv: int) -> Sequence[Any]:
    return report.lines if report.lines[0].throw else report.lines[:multipv]


def move_words(moves: Collection[str | Move] | None) -> list[str]:
    """Return moves as words of the engine, with ranks from 0 whatever the board's coordinates."""
    if moves is None:
        return []
    check_type("root_moves", moves, Iterable, "a list of moves")
    words = []
    for move in moves:
        if not isinstance(move, str) and not is_of("siqi.games.xiangqi.library.move", "Move", move):
            raise TypeError(f"root_moves: moves are needed, not {type(move).__name__}")
        words.append(move if isinstance(move, str) else move.uci(0))
    return words


Done = Callable[[BaseException | None], object]
"""Called in the owner's thread at the end of a call, with what it has raised."""

News = Callable[[Sequence[Info] | None], object]
"""Called in the owner's thread when a search begins, without variations, with those of each report, and with None when
it is done. It returns False if nobody can hear of the search any more."""


class Owner:
    """An engine for one game, and the thread that makes its calls, in the order of their requests."""

    def __init__(self, holder: object, game: str, options: Mapping[str, OptionValue]) -> None:
        """Start the thread; it ends with `holder`. The game is loaded, with its options, by the first call."""
        self.game = game
        self.is_loaded = False
        self._warnings: SimpleQueue[str] = SimpleQueue()  # that no caller has shown
        self._first_options = dict(options)
        self._events: SimpleQueue[_events.Event | None] = SimpleQueue()  # None: see whether the search is stopped
        self.engine = Engine(self._events.put)
        self._searches: deque[Search] = deque()  # requested and not done
        self._is_ended = False
        weakref.finalize(holder, self.end)
        self._start()

    def _start(self) -> None:
        self._requests: SimpleQueue[Callable[[], None] | None] = SimpleQueue()  # None: the end
        self._is_idle = True
        self._process = os.getpid()
        threading.stack_size(max(threading.stack_size(), STACK_BYTES))  # a kernel's recursion needs it
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)
        self._thread.start()

    # Called in any thread

    def call(self, function: Callable[[], None], done: Done) -> None:
        """Request a call, which ends an analysis that runs. EngineError after the end."""
        self._request(partial(self._call, function, done))

    def search(self, search: Search, news: News) -> None:
        """Request a search, which ends an analysis that runs. EngineError after the end, Refusal for another game."""
        if search.request.game != self.game:
            raise Refusal(Kind.POSITION, f"a position of {search.request.game} for an engine of {self.game}")
        self._request(partial(self._search, search, news), search)

    def _request(self, request: Callable[[], None], search: Search | None = None) -> None:
        if self._is_ended:
            raise EngineError("the engine is closed")
        if os.getpid() != self._process and self._is_idle and self._requests.empty():
            self._start()  # a fork has no thread but the one that made it
        self.check_process()
        for before in tuple(self._searches)[-1:]:
            if before.ends_by_request:
                self.stop(before)
        if search is not None:
            self._searches.append(search)
        self._requests.put(request)

    def check_process(self) -> None:
        """Raise EngineError in a fork that was made while the engine was at work."""
        if os.getpid() != self._process:
            raise EngineError("this process was forked during a search: it needs an engine of its own")

    def stop(self, search: Search) -> None:
        """Stop a search, whether or not it runs; return at once."""
        search.is_stopped = True
        self._events.put(None)

    def stop_running(self) -> None:
        """Stop the search that runs, or that will run next; return at once."""
        for search in tuple(self._searches)[:1]:
            self.stop(search)

    def end(self) -> None:
        """Stop all searches, and end the thread after the calls that have been requested; return at once."""
        self._is_ended = True
        for search in tuple(self._searches):
            self.stop(search)
        self._requests.put(None)

    def show_warnings(self) -> None:
        """Pass on the warnings that no caller has shown."""
        while not self._warnings.empty():
            warn(self._warnings.get())

    def options(self) -> dict[str, str]:
        """Return the options of the game with their values, as texts."""
        return {
            option.name: self.engine.options.text(option.name)
            for option, owner in declared()
            if owner in ("", self.game) and option.name not in FIXED and option.kind != "button"
        }

    def wait(self) -> None:
        """Block until the thread has ended, after `end`."""
        if os.getpid() == self._process:
            self._thread.join()

    # The thread

    def _run(self) -> None:
        while (request := self._requests.get()) is not None:
            self._is_idle = False
            request()
            self._is_idle = True
            del request  # with what it refers to
        self.engine.close()

    def _call(self, function: Callable[[], None], done: Done) -> None:
        try:
            self._prepare()
            function()
        except BaseException as error:
            done(error)
        else:
            done(None)

    def _search(self, search: Search, news: News) -> None:
        while self._searches[0] is not search:
            self._searches.popleft()  # its caller was interrupted before it had requested it
        try:
            self._prepare()
            self._follow(search, self._go(search), news)
        except BaseException as error:
            search.error = error
        self._searches.popleft()
        search.is_done = True
        news(None)

    def _go(self, search: Search) -> int:
        request = search.request
        self.engine.set_position(request.fen, request.words)
        if request.die:
            self.engine.set_dice(request.die)
        self.engine.set_option("MultiPV", str(request.multipv))
        return self.engine.go(request.limits, request.root_moves, is_stopped=search.is_stopped)

    def _follow(self, search: Search, search_id: int, news: News) -> None:
        """Wait for the answer of a search that has begun."""
        search.is_begun = True
        news(())
        while search.result is None:
            event = self._next_event()
            infos = () if event is None else search.take(event, search_id)
            if search.is_stopped or (infos and news(infos) is False):
                self.engine.stop()

    def _prepare(self) -> None:
        """Load the game unless it is loaded; wait until no job runs."""
        if self.engine.is_busy:  # after a fault in this thread
            self.engine.stop()
        self._wait_until_idle()
        if self.is_loaded:
            return
        for name, value in self._first_options.items():  # before loading, so that bad options are refused at once
            self._set_option(name, value)
        self.engine.set_option("UCI_Variant", self.game)
        self.engine.prepare(Needs.GAME)
        self._wait_until_idle()
        self.is_loaded = True

    def configure(self, options: Mapping[str, OptionValue]) -> None:
        """Set options; called in the owner's thread."""
        for name, value in options.items():
            self._set_option(name, value)
            self._wait_until_idle()  # Hash and Threads start a job, during which no option can be set

    def _set_option(self, name: str, value: OptionValue) -> None:
        check_type("option", name, str, "the name of an option")
        check_type(f"option {name}", value, (str, Real, bool), "a text, a number, True or False")
        if name.lower() in map(str.lower, FIXED):
            raise Refusal(Kind.OPTION, f"option {name}: not for a library")
        self.engine.set_option(name, str(value).lower() if isinstance(value, bool) else str(value))

    def new_game(self) -> None:
        """Forget earlier searches; called in the owner's thread."""
        self.engine.new_game()
        self._wait_until_idle()

    def _wait_until_idle(self) -> None:
        """Block until no job runs, handling events."""
        while self.engine.is_busy or not self._events.empty():
            self._next_event()

    def _next_event(self) -> _events.Event | None:
        """Wait for an event, handle it and return it. EngineError if the game cannot be loaded."""
        event = self._events.get()
        if event is None:
            return None
        self.engine.handle_event(event)
        match event:
            case _events.Compiling(text):
                to_stderr(text)
            case _events.Warning(text):
                self._warnings.put(text)
            case _events.LoadFailed(_, reason):
                raise EngineError(reason)
        return event
