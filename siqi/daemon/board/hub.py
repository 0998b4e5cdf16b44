"""The hub around the modes: the tabs that watch, the one that holds the board, and the engine."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Protocol

import msgspec

from siqi.daemon.board import boards
from siqi.daemon.board.commands import Review, See, ServerCommand, SwitchMode, TakeBoard
from siqi.daemon.board.events import ActiveMode, Board, Event, Picture, Refused, Reviewing, Shown, TabStatus, Welcome
from siqi.daemon.board.mode import HasGame, Mode, SearchInfo, SearchRequest
from siqi.daemon.board.modes import Modes
from siqi.daemon.board.reviews import ReviewError, Reviews
from siqi.daemon.board.thinker import Answered, Fault, GameLoaded, News, Progress, Thinker
from siqi.games import registry
from siqi.version import __version__


class Tab(Protocol):
    """A tab of the browser."""

    @property
    def only_watches(self) -> bool:
        """True for a second screen: it never holds the board, and sees nothing private."""

    def send_text(self, data: str) -> None:
        """Send an event that is encoded; a tab that is gone gets nothing."""


def send(tab: Tab, event: Event) -> None:
    """Send an event to one tab."""
    tab.send_text(msgspec.json.encode(event).decode())


class Hub:
    """Any number of tabs watch; one holds the board, and its commands alone are carried out.

    One mode is active: it is shown, commanded, and asks the engine. All calls are made in the thread of one event loop.
    """

    def __init__(
        self,
        modes: Modes,
        reviews: Reviews,
        numbering: Iterator[int],
        default_game: str = registry.DEFAULT_GAME,
        settings: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Begin in a running event loop.

        `numbering`: that of the modes. `default_game`: what a page without a game proposes. `settings`: of the engine.
        """
        self._modes, self._default_game = modes, default_game
        self._numbering = numbering
        self.reviews = reviews
        self.pictures = boards.Pictures()
        self._loop = asyncio.get_running_loop()
        self._tabs: list[Tab] = []
        self._holder: Tab | None = None
        self._thinker = Thinker(self._post, settings)
        self._asked: object = None  # the key of what the engine was asked last
        self._progress = ""
        self._writing: asyncio.Task[None] | None = None  # a review
        self._ask()

    @property
    def _mode(self) -> Mode:
        return self._modes.active

    def _next_number(self) -> int:
        return next(self._numbering)

    async def close(self) -> None:
        """End a review that is being written, and the engine."""
        if self._writing is not None:
            self._writing.cancel()
            await asyncio.wait([self._writing])
        await asyncio.to_thread(self._thinker.close)

    # Tabs

    def joined(self, tab: Tab) -> None:
        """Show a new tab all; it holds the board if no other does."""
        self._tabs.append(tab)
        if self._holder is None and not tab.only_watches:
            self._holder = tab
        games = [*map(boards.card, registry.NAMES)]
        send(
            tab, Welcome(number=self._next_number(), games=games, default_game=self._default_game, version=__version__)
        )
        self._send_tab_status()
        for event in self._whole():
            if not (event.is_private and tab.only_watches):
                send(tab, event)

    def _whole(self) -> Iterator[Event]:
        """Yield the events that show the active mode to a tab that has seen nothing of it."""
        yield ActiveMode(number=self._next_number(), mode=self._mode.name, modes=self._modes.names)
        if (board := self._board()) is not None:
            yield board
        snapshot = self._mode.snapshot()
        self._keep(snapshot)
        yield snapshot
        if self._progress:
            yield from self._mode.loading(self._progress)

    def left(self, tab: Tab) -> None:
        """Forget a tab; the oldest of the others holds the board if it did."""
        if tab in self._tabs:
            self._tabs.remove(tab)
        self.pictures.forget(tab)
        if self._holder is tab:
            self._holder = next((other for other in self._tabs if not other.only_watches), None)
        self._send_tab_status()

    def _send_tab_status(self) -> None:
        for tab in self._tabs:
            holds = tab is self._holder
            send(tab, TabStatus(number=self._next_number(), holds=holds, tabs=len(self._tabs)))

    def said(self, tab: Tab, message: str | bytes) -> None:
        """Carry out a command of a tab."""
        try:
            command = msgspec.json.decode(message, type=self._mode.commands | ServerCommand)
        except msgspec.DecodeError as error:
            send(tab, Refused(number=self._next_number(), reason=str(error)))
            return
        if isinstance(command, See):
            self.pictures.see(tab, command.is_flipped, command.faces)
        elif tab.only_watches:
            send(tab, Refused(number=self._next_number(), reason="this screen only watches"))
        elif isinstance(command, TakeBoard):
            self._holder = tab
            self._send_tab_status()
        elif tab is not self._holder:
            send(tab, Refused(number=self._next_number(), reason="another tab holds the board"))
        elif isinstance(command, Review):
            self._writing = self._loop.create_task(self._review())
        elif isinstance(command, SwitchMode):
            self._switch(tab, command.mode)
        else:
            if command.renews:
                self._asked = None
            before = self._mode.positions
            self._show(self._mode.do(command), tab)
            self._show_board(before)

    def _switch(self, tab: Tab, name: str) -> None:
        """Show another mode, and have the engine do what that one wants."""
        try:
            self._modes.switch(name)
        except KeyError:
            send(tab, Refused(number=self._next_number(), reason=f"no mode {name}"))
            return
        self._send_all(self._whole())
        self._ask()

    def _board(self) -> Board | None:
        positions = self._mode.positions
        return None if positions is None else boards.board(positions.game, self._next_number())

    def _show_board(self, before: HasGame | None) -> None:
        """Send the board of a game that has just been loaded."""
        if self._mode.positions is not before and (board := self._board()) is not None:
            self._send_all([board])

    def _show(self, events: Iterable[Event], sender: Tab | None = None) -> None:
        """Send events to whom they concern, then have the engine do what the session wants now."""
        for event in events:
            self._keep(event)
            if isinstance(event, Refused) and sender is not None:
                send(sender, event)
            else:
                self._send_all([event])
        self._ask()

    def _keep(self, event: Event) -> None:
        """Keep the picture of what is shown."""
        if isinstance(event, Shown):
            self.pictures.keep(event.picture, self._mode.drawing())

    def _send_all(self, events: Iterable[Event]) -> None:
        for event in events:
            data = msgspec.json.encode(event).decode()
            for tab in self._tabs:
                if not (event.is_private and tab.only_watches):
                    if isinstance(event, Shown):
                        self._send_picture(tab, event)
                    tab.send_text(data)

    def _send_picture(self, tab: Tab, shown: Shown) -> None:
        """Send the picture of what is shown next to a tab that has said how it sees boards: it need not ask for it."""
        if (seen := self.pictures.due(tab, shown.picture)) is not None:
            send(tab, Picture(number=shown.number, picture=shown.picture, **seen._asdict()))

    # The engine

    def _ask(self) -> None:
        request = self._mode.engine_request()
        key = request.key if isinstance(request, SearchRequest) else request
        if key != self._asked:
            self._asked = key
            self._thinker.request(request)
        if isinstance(request, SearchRequest) and request.is_urgent:
            self._thinker.hurry()

    def _post(self, news: News) -> None:
        """Take news in the engine's thread."""
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._hear, news)

    def _hear(self, news: News) -> None:
        """Take news of the engine; called in the loop's thread."""
        match news:
            case Progress(text):
                self._progress = text
                self._show(self._mode.loading(text))
            case GameLoaded(game):
                self._progress = ""
                before = self._mode.positions
                self._show(self._mode.game_loaded(game))
                self._show_board(before)
            case Fault(reason):
                self._show(self._mode.engine_failed(reason))
            case Answered(request, word):
                if request.key == self._asked:
                    self._asked = None
                self._show(self._mode.engine_moved(request.key, word))
            case SearchInfo():
                if news.key == self._asked:
                    self._send_all(self._mode.engine_searched(news))

    def tick(self) -> None:
        """Look at the clocks."""
        for mode in self._modes.every:
            events = mode.tick()
            if events and mode is self._mode:
                self._show(events)

    def record(self) -> tuple[str, bytes] | None:
        """Return the official record of the game that is shown, and its name; None without one."""
        return self._mode.record()

    async def _review(self) -> None:
        mode, number = self._mode, self._next_number
        finished = mode.finished()
        if finished is None:
            self._send_all([Refused(number=number(), reason="the game is not over")])
            return
        try:
            async for text in self.reviews.write(mode.file, finished):
                self._send_all([Reviewing(number=number(), text=text)])
        except ReviewError as error:
            self._send_all([Reviewing(number=number()), Refused(number=number(), reason=str(error))])
        else:
            address = f"/review/{self.reviews.number(mode.file)}.html"
            self._send_all([Reviewing(number=number(), address=address)])
