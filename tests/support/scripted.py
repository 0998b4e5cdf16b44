"""Front ends without a process and without a search: the test acts as client and as engine.

A `Session` has a real front end. Its engine records the calls that it gets in a list. It knows the rules of the real
games, and answers a search when the test requests it:

    client = Session("ucci")
    client.say("go depth 3")
    assert client.calls() == [Go(Limits(depth=3))]
    assert client.answer("b0c2") == ["bestmove b0c2"]
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from siqi.daemon.engine.engine import Engine
from siqi.daemon.engine.events import (
    BestMove,
    Event,
    GameOver,
    Info,
    Kind,
    Loaded,
    LoadFailed,
    PerftDone,
    Refusal,
    Refused,
    ends_job,
)
from siqi.daemon.engine.limits import Limits
from siqi.daemon.engine.options import Options
from siqi.daemon.engine.scheduler import Job, Needs, Scheduler, Shutdown, State
from siqi.daemon.frontends import front_end_for
from siqi.games import registry
from siqi.games.contract import (
    BookLine,
    Game,
    GameInfo,
    Line,
    Outcome,
    Position,
    Report,
    Score,
    StoredResult,
    is_hidden_position,
    is_setup_position,
    set_dice,
)
from siqi.system.output import Output
from siqi.system.pipes import ClientLine

MATE_IN_ONE = "3k5/1R7/R8/9/9/9/9/9/9/4K4 w"
ENDING = "4k4/9/9/9/9/9/9/9/9/3K5 w"
KINGS = "3k5/9/9/9/9/9/9/9/9/4K4 w"
NOTHING = {"source": "-1", "target": "-1"}
"""The move that Botzone sends to the side that moves first."""

# Calls


@dataclass(frozen=True)
class SetOption:
    name: str
    value: str


@dataclass(frozen=True)
class NewGame:
    pass


@dataclass(frozen=True)
class SetPosition:
    fen: str | None
    moves: str = ""  # joined by blanks
    is_played: bool = True


@dataclass(frozen=True)
class SetDice:
    dice: int


@dataclass(frozen=True)
class Go:
    limits: Limits
    searchmoves: tuple[str, ...] = ()
    is_stopped: bool = False


@dataclass(frozen=True)
class Ponderhit:
    pass


@dataclass(frozen=True)
class Stop:
    pass


@dataclass(frozen=True)
class Abandon:
    pass


@dataclass(frozen=True)
class EndGame:
    winner: int | None


@dataclass(frozen=True)
class Perft:
    depth: int
    is_stopped: bool = False


@dataclass(frozen=True)
class Bench:
    is_stopped: bool = False


Call = SetOption | NewGame | SetPosition | SetDice | Go | Ponderhit | Stop | Abandon | EndGame | Perft | Bench

READY = Needs.GAME | Needs.IDLE


@functools.cache
def rules(name: str) -> Game[Position]:
    """Return a game, loaded once for all tests."""
    return registry.load(name)


UNLIMITED = Limits()


class Held:
    """A job that runs until the test ends it."""

    def __init__(self, search_id: int = 0, position: Position | None = None, limits: Limits = UNLIMITED) -> None:
        self.search_id = search_id
        self.position = position
        self.limits = limits
        self.is_pondering = limits.ponder
        self.is_stopped = False

    def run(self) -> Event:
        raise AssertionError("a held job is not run")

    def failure_event(self, reason: str) -> Event:
        raise AssertionError("a held job is not run")

    def stop(self) -> None:
        self.is_stopped = True

    def shut_down(self, shutdown: Shutdown) -> None: ...


class HeldScheduler(Scheduler):
    """A scheduler without threads: the test posts a job's last event."""

    def _run(self, job: Job, state: State) -> None:
        assert self.job is None
        self.state, self.job = state, job


class ScriptedEngine:
    """A substitute for `siqi.daemon.engine.engine.Engine`, which has the same calls and records them."""

    def __init__(self, post: Callable[[Event], None], loads_at_once: bool) -> None:
        self.calls: list[Call] = []
        self.refusals: dict[str, Refusal] = {}
        """The refusal that the next call of a method raises, by the method's name."""
        self.book: list[BookLine] = []
        self.memory: StoredResult | None = None
        self.options = Options()
        self.is_debugging = False
        self._post = post
        self._scheduler = HeldScheduler(post)
        self._loads_at_once = loads_at_once
        self._ids = itertools.count(1)
        self._position: Position | None = None
        if loads_at_once:
            self.load()

    def load(self) -> None:
        """Load the game that is selected."""
        if self.state is State.EMPTY:
            self._scheduler.load(Held())
        self.handle_event(Loaded(self.info.name, rules(self.info.name), cast(Any, None), 0))

    def running(self) -> Held:
        """Return the job that runs."""
        assert isinstance(self._scheduler.job, Held) and self.state is not State.LOADING, "nothing runs"
        return self._scheduler.job

    def handle_event(self, event: Event) -> None:
        if not ends_job(event):
            return
        self._scheduler.job_ended(event)
        if isinstance(event, Loaded):
            self._position = event.game.position()
        elif isinstance(event, LoadFailed):
            self._scheduler.drop_waiting()
        for call in self._scheduler.due():
            call()

    # The engine's own calls

    @property
    def info(self) -> GameInfo:
        return registry.info(self.options.text("UCI_Variant"))

    @property
    def state(self) -> State:
        return self._scheduler.state

    def prepare(self, needs: Needs) -> bool:
        if Needs.GAME in needs and self.state is State.EMPTY:
            self._scheduler.load(Held())
        return self._scheduler.allows(needs)

    def call_when_ready(self, call: Callable[[], None]) -> None:
        self.prepare(READY)
        self._scheduler.call_when_ready(lambda: self._make(call))

    def _make(self, call: Callable[[], None]) -> None:
        try:
            call()
        except Refusal as refusal:
            self._post(Refused(refusal.kind, refusal.reason))

    def begin_with(self, settings: Mapping[str, str]) -> None:
        for name, value in settings.items():
            self.options.set(name, value)
        self.options.become_defaults()

    def set_option(self, name: str, value: str) -> None:
        self._take(SetOption(name, value), Needs.IDLE, "set_option")
        before = self.info
        try:
            self.options.set(name, value)
        except ValueError as error:
            raise Refusal(Kind.OPTION, str(error)) from None
        if self.info != before:
            self._scheduler.load(Held())
            if self._loads_at_once:
                self.load()

    @property
    def position(self) -> Position:
        self._check(Needs.GAME)
        assert self._position is not None
        return self._position

    def set_position(self, fen: str | None, moves: Sequence[str], is_played: bool = True) -> None:
        self._take(SetPosition(fen, " ".join(moves), is_played), Needs.GAME, "set_position")
        try:
            self._position = rules(self.info.name).position(fen)
        except ValueError as error:
            raise Refusal(Kind.POSITION, f"bad FEN: {error}") from None
        for played, word in enumerate(moves):
            try:
                self._position.push(self._position.parse_move(word))
            except ValueError as error:
                raise Refusal(Kind.MOVE, str(error), played) from None

    def set_dice(self, die: int) -> None:
        self._take(SetDice(die), Needs.GAME, "set_dice")
        try:
            set_dice(self.position, self.info, die)
        except ValueError as error:
            raise Refusal(Kind.DICE, str(error)) from None

    def legal_moves(self) -> list[str]:
        return sorted(self.position.move_text(move) for move in self.position.legal_moves())

    def fen_of(self, pieces: Mapping[str, str], turn: int, die: int = 0) -> str:
        self._check(Needs.GAME)
        try:
            return rules(self.info.name).fen_of(pieces, turn, die)
        except ValueError as error:
            raise Refusal(Kind.POSITION, str(error)) from None

    def setup_points(self, side: int) -> tuple[str, ...]:
        position = self.position
        return position.setup_points(side) if is_setup_position(position, self.info) else ()

    def observed(self, move: str, result: int, flag: str = "") -> str:
        position = self.position
        try:
            return position.observed(move, result, flag) if is_hidden_position(position, self.info) else move
        except ValueError as error:
            raise Refusal(Kind.MOVE, str(error)) from None

    def outcome(self) -> Outcome | None:
        return self.position.outcome()

    def evaluate(self) -> list[str]:
        return rules(self.info.name).evaluate(self.position)

    def consult(self) -> list[BookLine]:
        self._check(READY)
        return self.book

    def recall(self) -> StoredResult | None:
        self._check(READY)
        return self.memory

    def new_game(self) -> None:
        self._take(NewGame(), READY, "new_game")

    def go(
        self, limits: Limits, searchmoves: Sequence[str] = (), requested_ns: int = 0, is_stopped: bool = False
    ) -> int:
        self._take(Go(limits, tuple(searchmoves), is_stopped), Needs.GAME, "go")
        search = Held(next(self._ids), self.position.copy(), limits)
        search.is_stopped = is_stopped
        self._scheduler.call_when_ready(lambda: self._scheduler.start(search), search)
        return search.search_id

    def ponderhit(self, hit_ns: int = 0) -> None:
        self._take(Ponderhit(), Needs.NOTHING, "ponderhit")
        if self.is_pondering:
            self.running().is_pondering = False

    @property
    def is_pondering(self) -> bool:
        job = self._scheduler.job
        return isinstance(job, Held) and job.is_pondering

    def stop(self) -> None:
        self._take(Stop(), Needs.NOTHING, "stop")
        self._scheduler.stop()

    def abandon(self) -> None:
        self._take(Abandon(), Needs.NOTHING, "abandon")
        self._scheduler.stop()

    def end_game(self, winner: int | None) -> None:
        self._take(EndGame(winner), Needs.NOTHING, "end_game")

    def perft(self, depth: int, is_stopped: bool = False) -> None:
        self._take(Perft(depth, is_stopped), READY, "perft")
        self._start_count(is_stopped)

    def bench(self, is_stopped: bool = False) -> None:
        self._take(Bench(is_stopped), READY, "bench")
        self._start_count(is_stopped)

    def _start_count(self, is_stopped: bool) -> None:
        count = Held()
        count.is_stopped = is_stopped
        self._scheduler.start(count)

    def _take(self, call: Call, needs: Needs, name: str) -> None:
        """Record a call; Refusal if the engine would refuse it, or if the test set a refusal."""
        self._check(needs)
        self.calls.append(call)
        if name in self.refusals:
            raise self.refusals.pop(name)

    def _check(self, needs: Needs) -> None:
        if not self._scheduler.allows(needs):
            raise Refusal(Kind.BUSY, "not now")


class Lines(Output):
    """An output that keeps its lines in a list."""

    def __init__(self) -> None:
        super().__init__(lambda text: None)
        self.written: list[str] = []

    def line(self, *texts: str) -> None:
        self.written += texts


class Session:
    """A client and its front end."""

    def __init__(self, *lines: str, loads_at_once: bool = True) -> None:
        """Choose the front end by the first line, and read all lines; their answers and calls are dropped.

        With `loads_at_once` a game is loaded as soon as it is selected, else when the test calls `load`.
        """
        self.engine = ScriptedEngine(self._write, loads_at_once)
        self.has_left = False
        self._out = Lines()
        self._heard = self._called = 0
        self._begin(lines[0])
        self.say(*lines)
        self.calls()

    def _begin(self, text: str) -> None:
        self.front_end = front_end_for(text)(cast(Engine, self.engine), self._out, self._leave)

    def _write(self, event: Event) -> None:
        """Write an event that the engine posts within a call."""
        self.front_end.write(event)

    def _leave(self) -> None:
        self.has_left = True

    def say(self, *lines: str, ns: int = 1) -> list[str]:
        """Send lines as the client, at the time `ns`; return the lines written since the last call."""
        for text in lines:
            if self.front_end.yields_to(text):
                self._begin(text)
            self.front_end = self.front_end.chosen_by(text)
            self.front_end.read(ClientLine(text, ns))
            self.front_end.run_queued()
        return self.heard()

    def heard(self) -> list[str]:
        """Return the lines written since the last call."""
        new = self._out.written[self._heard :]
        self._heard = len(self._out.written)
        return new

    def calls(self) -> list[Call]:
        """Return the calls that the engine got since the last time."""
        new = self.engine.calls[self._called :]
        self._called = len(self.engine.calls)
        return new

    # Events of the engine; each method returns the lines written

    def post(self, event: Event) -> list[str]:
        """Post and settle an event; return the lines written."""
        self.front_end.write(event)
        self.engine.handle_event(event)
        self.front_end.run_queued()
        return self.heard()

    def load(self) -> list[str]:
        """Finish loading the game."""
        return self.post(Loaded(self.engine.info.name, rules(self.engine.info.name), cast(Any, None), 0))

    def fail_to_load(self, reason: str) -> list[str]:
        """Fail to load the game."""
        return self.post(LoadFailed(self.engine.info.name, reason))

    def report(self, score: Score, *pv: str, depth: int = 1, nodes: int = 1, elapsed_ms: int = 0) -> list[str]:
        """Report an iteration of the running search, with one line."""
        search = self.engine.running()
        assert search.position is not None
        report = Report(depth, depth, nodes, (Line(score, moves_of(search.position, pv)),))
        return self.post(Info(search.search_id, search.position, report, 1, elapsed_ms, is_final=False))

    def answer(self, move: str | None, ponder: str | None = None, mate: int | None = None) -> list[str]:
        """End the running search with a move, or with none."""
        search = self.engine.running()
        assert search.position is not None
        words = [word for word in (move, ponder) if word is not None]
        moves = [*moves_of(search.position, words), None, None]
        return self.post(BestMove(search.search_id, search.position, moves[0], moves[1], mate))

    def end_game(self, score: Score) -> list[str]:
        """End the running search because the game is over."""
        return self.post(GameOver(self.engine.running().search_id, score)) + self.answer(None)

    def break_off(self, reason: str) -> list[str]:
        """End the running search by an internal fault."""
        return self.post(Refused(Kind.INTERNAL, reason)) + self.answer(None)

    def count(self, depth: int, nodes: int) -> list[str]:
        """End the running count."""
        return self.post(PerftDone(depth, nodes, 0, is_stopped=self.engine.running().is_stopped))


def moves_of(position: Position, words: Sequence[str]) -> tuple[int, ...]:
    """Return the moves of a variation from its words."""
    position, moves = position.copy(), []
    for word in words:
        moves.append(position.parse_move(word))
        position.push(moves[-1])
    return tuple(moves)
