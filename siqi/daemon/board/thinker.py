"""The engine of the page: its owner's thread, which takes requests and posts answers.

Requests come from any thread and do not block. A new request drops the one before: its answer never comes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from queue import Empty, SimpleQueue
from types import MappingProxyType
from typing import NamedTuple

from siqi.daemon.board.mode import EngineRequest, LoadRequest, SearchInfo, SearchLine, SearchRequest, monotonic_ms
from siqi.daemon.engine import events
from siqi.daemon.engine.engine import Engine
from siqi.daemon.engine.events import Refusal, internal_reason
from siqi.daemon.engine.scheduler import Needs
from siqi.games import registry
from siqi.games.contract import Game, Position
from siqi.system.memory import STACK_BYTES


class Answered(NamedTuple):
    """The answer to a request."""

    request: SearchRequest
    word: str


class GameLoaded(NamedTuple):
    """A game is loaded; this one is for its rules, and the listener's own."""

    game: Game[Position]


class Progress(NamedTuple):
    """A line about loading."""

    text: str


class Fault(NamedTuple):
    """A request that could not be carried out, and why."""

    reason: str


News = Answered | SearchInfo | GameLoaded | Progress | Fault


REPORT_MS = 100
"""A search is reported this often at most, and once at its end."""


class Thinker:
    """The engine on a thread of its own."""

    def __init__(self, post: Callable[[News], None], settings: Mapping[str, str] = MappingProxyType({})) -> None:
        """Start the thread; `post` is called in it. `settings`: options of the engine for searches."""
        self._post = post
        self._inbox: SimpleQueue[events.Event | Callable[[], None] | None] = SimpleQueue()
        self._engine = Engine(self._inbox.put)
        self._engine.begin_with(settings)
        self._waiting: EngineRequest | None = None
        self._request: SearchRequest | None = None
        self._search = 0
        self._info: SearchInfo | None = None  # not reported yet
        self._reported = 0.0
        threading.stack_size(max(threading.stack_size(), STACK_BYTES))  # a kernel's recursion needs it
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)
        self._thread.start()

    # Called in any thread

    def request(self, request: EngineRequest | None) -> None:
        """Do this next, and drop what was requested before; None: nothing."""
        self._inbox.put(lambda: self._replace(request))

    def hurry(self) -> None:
        """Answer the request with what has been found; a second call changes nothing."""
        self._inbox.put(self._engine.stop)

    def close(self) -> None:
        """End the thread; block until it has ended. A search is stopped; the loading of a game is not waited for."""
        self._engine.stop()
        self._inbox.put(None)
        self._thread.join(10)

    # The thread

    def _run(self) -> None:
        while (item := self._next()) is not None:
            try:
                if callable(item):
                    item()
                else:
                    self._engine.handle_event(item)
                    self._follow(item)
                if self._waiting is not None and not self._engine.is_busy:
                    request, self._waiting = self._waiting, None
                    self._start(request)
            except Refusal as refusal:
                self._post(Fault(refusal.reason))
            except Exception as error:
                self._post(Fault(internal_reason(error)))
        self._engine.close()

    def _replace(self, request: EngineRequest | None) -> None:
        self._waiting, self._request, self._info = request, None, None
        self._engine.stop()

    def _start(self, request: EngineRequest) -> None:
        engine = self._engine
        if isinstance(request, LoadRequest):
            engine.set_option("UCI_Variant", request.game)
            if engine.prepare(Needs.GAME):
                self._post(GameLoaded(registry.load(request.game)))
            return
        engine.set_option("UCI_Variant", request.game)
        if not engine.prepare(Needs.GAME):  # another mode had another game
            self._waiting = request
            return
        engine.set_option("Skill Level", str(request.skill))
        engine.set_option("MultiPV", str(max(request.lines, 1)))
        if request.is_new:
            engine.new_game()
        engine.set_position(request.fen or None, request.words, is_played=not request.lines)
        if request.throw or request.lines:
            engine.set_dice(request.throw)
        self._request = request
        self._search = engine.go(request.limits, request.moves)

    def _follow(self, event: events.Event) -> None:
        match event:
            case events.Compiling(text) | events.Warning(text):
                self._post(Progress(text))
            case events.Loaded(name):
                self._post(GameLoaded(registry.load(name)))
            case events.LoadFailed(_, reason):
                self._waiting = None
                self._post(Fault(reason))
            case events.Refused(_, reason):
                self._post(Fault(reason))
            case events.Info() if self._request and event.search_id == self._search:
                self._info = search_info(event, self._request)
                self._report()
            case events.BestMove(search_id, position, move) if self._request and search_id == self._search:
                self._report(is_last=True)
                request, self._request = self._request, None
                if move is not None or request.lines:
                    word = "" if move is None else position.move_text(move)
                    self._post(Answered(request, word))

    def _report(self, is_last: bool = False) -> None:
        """Post what has been found since the last report, if it is time for one."""
        if self._info is not None and (is_last or monotonic_ms() - self._reported >= REPORT_MS):
            self._reported = monotonic_ms()
            self._post(self._info)
            self._info = None

    def _next(self) -> events.Event | Callable[[], None] | None:
        """Return the next request or event; report meanwhile what is due."""
        while self._info is not None:
            try:
                return self._inbox.get(timeout=max(self._reported + REPORT_MS - monotonic_ms(), 1) / 1000)
            except Empty:
                self._report()
        return self._inbox.get()


def search_info(info: events.Info, request: SearchRequest) -> SearchInfo:
    """Return what a search has found, its moves as words."""
    text, report = info.position.move_text, info.report
    kept = report.lines if report.lines[0].throw else report.lines[: info.multipv]
    lines = tuple(SearchLine(line.score, tuple(map(text, line.pv)), line.throw) for line in kept)
    return SearchInfo(request.key, report.depth, report.nodes, info.elapsed_ms, lines, report.value)
