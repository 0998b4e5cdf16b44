"""Contests without a page: the mode Championship, a clock that is set by hand, an engine that moves at random."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from board_games import Memory, loaded

from siqi.daemon.board.championship.commands import BeginContest, Confirm, NextGame, Play
from siqi.daemon.board.championship.days import Days
from siqi.daemon.board.championship.entries import AnyEntry
from siqi.daemon.board.championship.events import Table
from siqi.daemon.board.championship.session import Championship
from siqi.daemon.board.commands import Resume, SetUp, Throw
from siqi.daemon.board.events import Refused
from siqi.daemon.board.mode import LoadRequest, SearchRequest
from siqi.daemon.clients.random_mover import RandomMover, random_ewn_setup, random_junqi_setup
from siqi.games.contract import Position, set_dice

NOW = "2026-11-27T14:03:00"


class MemoryDays(Memory, Days):
    """A store that keeps facts in memory, and may be full; records go into the folder."""

    def __init__(self, folder: Path, entries: Sequence[AnyEntry] = ()) -> None:
        Days.__init__(self, folder)
        Memory.__init__(self, entries)


def refer(whole: Position, word: str, ours: int, rng: random.Random) -> tuple[int | None, str]:
    """Play a move on the board of Junqi's referee; return the referee's answer, and the flag that it announces.

    At our side's set-up the other side is set up too.
    """
    if whole.ply < 2:
        theirs = random_junqi_setup(rng)
        for each in (theirs, word) if ours else (word, theirs):
            whole.push(whole.parse_move(each))
        return None, ""
    whole.push(whole.parse_move(word))
    seen = whole.view_moves(ours)[-1]  # type: ignore[attr-defined]
    return int(seen.partition("=")[2][:1] or 3), seen.partition("@")[2]


class Operator:
    """An operator with a random engine, a random opponent, and in Junqi a referee who knows both set-ups."""

    def __init__(self, store: Days, seed: int = 1) -> None:
        self.store = store
        self.rng = random.Random(seed)
        self.now = 1000.0
        self.today = NOW
        self.hidden: Position | None = None  # the referee's position, in Junqi
        self.open()

    def open(self) -> Table:
        """Begin as a new process does: only the store is left of the one before."""
        self.mode = Championship(self.store, lambda: self.now, lambda: self.today, die=self.rng.randrange)
        self.load()
        return self.shown()

    def load(self) -> None:
        request = self.mode.engine_request()
        if isinstance(request, LoadRequest):
            self.mode.game_loaded(loaded(request.game))

    def shown(self) -> Table:
        return self.mode.snapshot()

    def do(self, command: Any) -> Table:
        """Carry out a command that must not be refused."""
        events = self.mode.do(command)
        assert not [event for event in events if isinstance(event, Refused)], events
        self.load()
        return self.shown()

    def refused(self, command: Any) -> str:
        """Return why a command is refused; it must change nothing."""
        before = self.mode.state
        (event,) = self.mode.do(command)
        assert isinstance(event, Refused) and self.mode.state is before
        return event.reason

    def begin(self, game: str, **more: Any) -> Table:
        settings: dict[str, Any] = {"teams": ("Alpha", "Beta"), "games": 1, "first": 0, "clock_ms": 600_000}
        shown = self.do(BeginContest(game, **(settings | more)))
        self.hidden = loaded(game).position() if game == "junqi" else None
        return shown

    def answer(self) -> bool:
        """Answer what the mode wants of the engine; False if it wants nothing that has an answer."""
        request = self.mode.engine_request()
        if not isinstance(request, SearchRequest) or request.limits.infinite:
            return False
        events = self.mode.engine_moved(request.key, self.engine_word(request))
        assert events and not any(isinstance(event, Refused) for event in events), events
        return True

    def engine_word(self, request: SearchRequest) -> str:
        game = loaded(request.game)
        if len(request.words) < 2 and game.info.has_setup:
            return random_junqi_setup(self.rng) if request.game == "junqi" else random_ewn_setup(self.rng)
        position = game.position()
        for word in request.words:
            position.push(position.parse_move(word))
        set_dice(position, game.info, request.throw)
        return self.random_move(position)

    def random_move(self, position: Position) -> str:
        assert self.mode.positions is not None
        mover = RandomMover(self.mode.positions.info)
        mover._rng = self.rng
        return RandomMover.move(mover, position)

    def step(self) -> bool:
        """Press what is to be pressed; False once the game is over."""
        shown = self.shown()
        match shown.press:
            case "resume":
                self.do(Resume())
            case "throw":
                self.do(Throw(self.rng.randint(1, 6)))
            case "announce":
                self.announce(shown)
            case "set-up":
                self.answer()
                self.do(SetUp())
                self._refer(self.shown().moves[-1].word)
            case "opponent" | "own":
                self.enter()
            case "nobody":
                assert self.answer()
            case _:
                return False
        return True

    def announce(self, shown: Table) -> None:
        assert shown.proposed is not None
        word = shown.proposed.word
        result, flag = self._refer(word)
        self.do(Confirm(result, flag) if shown.answers else Confirm())

    def enter(self) -> None:
        """Enter a move of a hand; in Junqi it is one of the pieces that the referee knows."""
        assert self.mode.positions is not None
        word = self.random_move(self.mode.positions.whole if self.hidden is None else self.hidden)
        result, flag = self._refer(word)
        self.do(Play(word, result, flag))

    def _refer(self, word: str) -> tuple[int | None, str]:
        if self.hidden is None:
            return None, ""
        return refer(self.hidden, word, self.mode.state.games[-1].team(0), self.rng)

    def play(self, most: int = 10_000) -> Table:
        """Play on until the end of the game, or for a number of steps."""
        for _ in range(most):
            if not self.step():
                break
        return self.shown()

    def next(self) -> Table:
        shown = self.do(NextGame())
        self.hidden = loaded("junqi").position() if self.hidden is not None else None
        return shown
