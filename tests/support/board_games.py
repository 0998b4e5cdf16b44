"""Games at a board without a page: a session, a clock that is set by hand, and an engine that moves at random."""

from __future__ import annotations

import functools
import random
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fixture_files import ROOT

from siqi.daemon.board.commands import Begin, Play, Resume, SetUp, Throw
from siqi.daemon.board.entries import AnyEntry
from siqi.daemon.board.events import Refused, Snapshot
from siqi.daemon.board.mode import LoadRequest, SearchRequest
from siqi.daemon.board.session import Session
from siqi.daemon.board.store import Store
from siqi.daemon.clients.random_mover import RandomMover, random_ewn_setup, random_junqi_setup
from siqi.games import registry
from siqi.games.contract import Game, Position, set_dice


@functools.cache
def loaded(name: str) -> Game[Position]:
    return registry.load(name)


class Memory:
    """A store that keeps facts in memory, and may be full."""

    stem = "00001-game"

    def __init__(self, entries: Sequence[Any] = ()) -> None:
        self.entries: list[Any] = list(entries)
        self.fault: OSError | None = None

    def latest(self) -> list[Any]:
        return list(self.entries)

    def begin(self, entry: Any) -> None:
        self._check()
        self.entries = [entry]

    def add(self, entry: Any) -> None:
        self._check()
        self.entries.append(entry)

    def _check(self) -> None:
        if self.fault is not None:
            raise self.fault


class Table:
    """A session with a random engine."""

    def __init__(self, store: Any = None, seed: int = 1) -> None:
        self.store = Memory() if store is None else store
        self.rng = random.Random(seed)
        self.now = 1000.0
        self.open()

    def open(self) -> Snapshot:
        """Begin as a new process does: only the store is left of the one before."""
        self.session = Session(self.store, lambda: self.now, lambda: "today", seed=7)
        self.load()
        return self.shown()

    def load(self) -> None:
        request = self.session.engine_request()
        if isinstance(request, LoadRequest):
            self.session.game_loaded(loaded(request.game))

    def shown(self) -> Snapshot:
        return self.session.snapshot()

    def do(self, command: Any) -> Snapshot:
        """Carry out a command that must not be refused."""
        events = self.session.do(command)
        assert not [event for event in events if isinstance(event, Refused)], events
        self.load()
        return self.shown()

    def refused(self, command: Any) -> str:
        """Return why a command is refused; it must change nothing."""
        before, facts = self.session.state, len(self.store.latest())
        (event,) = self.session.do(command)
        assert isinstance(event, Refused) and self.session.state is before and len(self.store.latest()) == facts
        return event.reason

    def answer(self) -> bool:
        """Answer what the session wants of the engine; False if it wants nothing."""
        request = self.session.engine_request()
        if not isinstance(request, SearchRequest):
            return False
        events = self.session.engine_moved(request.key, self.engine_word(request))
        assert events and not any(isinstance(event, Refused) for event in events), events
        return True

    def engine_word(self, request: SearchRequest) -> str:
        game = loaded(request.game)
        if len(request.words) < 2 and game.info.has_setup:
            return self.set_up(request.game)
        if not game.info.has_hidden:
            return RandomMover.move(self._mover(game), self.session.positions.whole)  # type: ignore[union-attr]
        position = game.position()
        for word in request.words:
            position.push(position.parse_move(word))
        set_dice(position, game.info, request.throw)
        return RandomMover.move(self._mover(game), position)

    def _mover(self, game: Game[Position]) -> RandomMover:
        mover = RandomMover(game.info)
        mover._rng = self.rng
        return mover

    def set_up(self, name: str) -> str:
        return random_junqi_setup(self.rng) if name == "junqi" else random_ewn_setup(self.rng)

    def begin(self, game: str, person: int = 0, **more: Any) -> Snapshot:
        return self.do(Begin(game, person, 20, **more))

    def step(self) -> bool:
        """Do the next thing of the game, the person's or the engine's; False once it is over."""
        shown = self.shown()
        if shown.stage == "over":
            return False
        if shown.stage in ("asks", "paused"):
            self.do(Resume())
        elif shown.needs_throw:
            self.do(Throw(self.rng.randint(1, 6)))
        elif self.answer():
            pass
        elif shown.setup:
            self.do(SetUp())
        else:
            self.do(Play(self.person_word(shown)))
        return True

    def person_word(self, shown: Snapshot) -> str:
        if shown.choices:
            return self.rng.choice(shown.choices).word
        info = registry.info(shown.settings.game)  # type: ignore[union-attr]
        columns, rows = range(len(info.shape.columns)), range(len(info.shape.rows))
        points = [info.shape.point_text(column, row) for column in columns for row in rows]
        return "".join(self.rng.sample([point for point in points if point not in shown.pieces], shown.stones))

    def play(self, most: int = 10_000) -> Snapshot:
        """Play on until the end, or for a number of steps."""
        for _ in range(most):
            if not self.step():
                break
        return self.shown()


def shown_until_killed(command: Sequence[str], rng: random.Random) -> list[str]:
    """Start a process, kill it within half a second of its first line; return the whole lines of its output."""
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(rng.random() / 2)
    process.send_signal(signal.SIGKILL)
    lines = [line for line in process.stdout.read().splitlines(keepends=True) if line.endswith("\n")]
    process.wait()
    return lines


def file_table(folder: Path, seed: int = 1) -> Table:
    """Return a table whose session keeps its games in a folder."""
    return Table(Store(folder, AnyEntry), seed)
