"""The scheduler: each row of its table, and calls that wait."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, cast

import pytest

from siqi.daemon.engine.events import (
    BenchDone,
    BestMove,
    Configured,
    Event,
    Failed,
    Kind,
    Loaded,
    LoadFailed,
    PerftDone,
)
from siqi.daemon.engine.scheduler import Needs, Scheduler, Shutdown, State

READY = Needs.GAME | Needs.IDLE
LOADED = Loaded("ewn", cast(Any, None), cast(Any, None), 17)
LOAD_FAILED = LoadFailed("ewn", "no numba")
DONE = PerftDone(1, 44, 0, is_stopped=False)

STATES = tuple(State)


class FakeJob:
    """A job that notes the calls it gets, and ends when the test releases it."""

    def __init__(self, last: Event = DONE, fault: Exception | None = None) -> None:
        self.asked: list[object] = []
        self.may_end = threading.Event()
        self._last = last
        self._fault = fault

    @property
    def is_stopped(self) -> bool:
        return "stop" in self.asked

    def run(self) -> Event:
        assert self.may_end.wait(10)
        if self._fault is not None:
            raise self._fault
        return self._last

    def failure_event(self, reason: str) -> Event:
        return Failed(Kind.INTERNAL, reason)

    def stop(self) -> None:
        self.asked.append("stop")

    def shut_down(self, shutdown: Shutdown) -> None:
        self.asked.append(shutdown)


class Owner:
    """A scheduler and its inbox."""

    def __init__(self) -> None:
        self.inbox: SimpleQueue[Event] = SimpleQueue()
        self.scheduler = Scheduler(self.inbox.put)

    def begin(self, state: State) -> FakeJob:
        """Bring a new scheduler into a state; return its job."""
        job = FakeJob()
        if state is not State.EMPTY:
            self.scheduler.load(job)
        if state not in (State.EMPTY, State.LOADING):
            self.finish(job, LOADED)
        if state in (State.RUNNING, State.STOPPING):
            job = FakeJob()
            self.scheduler.start(job)
        if state is State.STOPPING:
            self.scheduler.stop()
        assert self.scheduler.state is state
        return job

    def finish(self, job: FakeJob, last: Event = DONE) -> None:
        """End a job, and settle its last event."""
        job._last = last
        job.may_end.set()
        event = self.inbox.get(timeout=10)
        assert event is last
        self.scheduler.job_ended(event)

    def make_due(self) -> None:
        for call in self.scheduler.due():
            call()


@pytest.mark.parametrize("state", [State.EMPTY, State.READY])
def test_load(state: State) -> None:
    owner = Owner()
    owner.begin(state)
    owner.scheduler.load(FakeJob())
    assert owner.scheduler.state is State.LOADING and owner.scheduler.job is not None


@pytest.mark.parametrize(
    "last, state", [(LOADED, State.READY), (LOAD_FAILED, State.EMPTY), (Configured(), State.READY)]
)
def test_the_end_of_loading(last: Event, state: State) -> None:
    owner = Owner()
    owner.finish(owner.begin(State.LOADING), last)
    assert owner.scheduler.state is state and owner.scheduler.job is None


def test_another_game_that_cannot_be_loaded_leaves_none() -> None:
    owner = Owner()
    owner.begin(State.READY)
    job = FakeJob()
    owner.scheduler.load(job)
    owner.finish(job, LOAD_FAILED)
    assert owner.scheduler.state is State.EMPTY


def test_start() -> None:
    owner = Owner()
    owner.begin(State.READY)
    job = FakeJob()
    owner.scheduler.start(job)
    assert owner.scheduler.state is State.RUNNING and owner.scheduler.job is job


@pytest.mark.parametrize("state", STATES)
def test_stop(state: State) -> None:
    """A stop is sent to the running job, also to loading, which ignores it. Without a job nothing happens."""
    owner = Owner()
    job = owner.begin(state)
    before = len(job.asked)
    owner.scheduler.stop()
    assert owner.scheduler.state is (State.STOPPING if state is State.RUNNING else state)
    runs = state in (State.LOADING, State.RUNNING, State.STOPPING)
    assert job.asked[before:] == ["stop"] * runs


@pytest.mark.parametrize("state", [State.RUNNING, State.STOPPING])
@pytest.mark.parametrize("last", [DONE, BenchDone(None), Failed(Kind.LIMIT, "x"), BestMove(1, cast(Any, None), None)])
def test_the_end_of_a_search_or_a_count(state: State, last: Event) -> None:
    owner = Owner()
    owner.finish(owner.begin(state), last)
    assert owner.scheduler.state is State.READY and owner.scheduler.job is None


def test_one_job_at_a_time() -> None:
    owner = Owner()
    owner.begin(State.RUNNING)
    for run in (owner.scheduler.start, owner.scheduler.load):
        with pytest.raises(AssertionError):
            run(FakeJob())


@pytest.mark.parametrize(
    "needs, states",
    [
        (Needs.NOTHING, STATES),
        (Needs.IN_ORDER, STATES),
        (Needs.GAME, (State.READY, State.RUNNING, State.STOPPING)),
        (Needs.IDLE, (State.EMPTY, State.READY)),
        (READY, (State.READY,)),
        (READY | Needs.IN_ORDER, (State.READY,)),
        (Needs.NOT_STOPPING, (State.EMPTY, State.LOADING, State.READY, State.RUNNING)),
        (Needs.GAME | Needs.NOT_STOPPING, (State.READY, State.RUNNING)),
    ],
)
def test_what_is_allowed(needs: Needs, states: tuple[State, ...]) -> None:
    allowed = []
    for state in STATES:
        owner = Owner()
        owner.begin(state)
        allowed += [state] * owner.scheduler.allows(needs)
    assert tuple(allowed) == states


# What waits


def test_a_call_is_made_at_once_only_where_nothing_runs() -> None:
    for state in STATES:
        owner = Owner()
        made: list[int] = []
        owner.begin(state)
        owner.scheduler.call_when_ready(lambda made=made: made.append(1))  # type: ignore[misc]
        assert len(made) == (state is State.READY) == 1 - len(owner.scheduler.waiting)


def test_calls_that_wait_are_made_in_order_until_one_starts_a_job() -> None:
    owner = Owner()
    made: list[int] = []
    scheduler = owner.scheduler
    first, second = owner.begin(State.RUNNING), FakeJob()

    def note(number: int) -> Callable[[], None]:
        return lambda: made.append(number)

    scheduler.call_when_ready(note(1))
    scheduler.call_when_ready(lambda: scheduler.start(second), second)
    scheduler.call_when_ready(note(2))
    owner.make_due()
    assert made == []
    owner.finish(first)
    assert made == []  # until the owner calls them
    owner.make_due()
    assert made == [1] and scheduler.job is second
    scheduler.call_when_ready(note(3))
    owner.finish(second)
    scheduler.call_when_ready(note(4))  # after those that wait, although nothing runs
    owner.make_due()
    assert made == [1, 2, 3, 4] and not scheduler.waiting


def test_calls_that_wait_for_a_game_are_not_made_without() -> None:
    owner = Owner()
    made: list[int] = []
    job = owner.begin(State.LOADING)
    for _ in range(3):
        owner.scheduler.call_when_ready(lambda: made.append(1))
    owner.finish(job, LOAD_FAILED)
    owner.make_due()
    assert made == []
    assert owner.scheduler.drop_waiting() == 3 and owner.scheduler.drop_waiting() == 0


@pytest.mark.parametrize("state", [State.LOADING, State.RUNNING])
def test_jobs_that_wait_are_stopped_and_ended_with_the_one_that_runs(state: State) -> None:
    owner, waiting = Owner(), FakeJob()
    job = owner.begin(state)
    owner.scheduler.call_when_ready(lambda: owner.scheduler.start(waiting), waiting)
    owner.scheduler.call_when_ready(lambda: None)
    owner.scheduler.stop()
    owner.scheduler.shut_down(Shutdown.QUIT)
    assert job.asked == waiting.asked == ["stop", Shutdown.QUIT]


def test_a_job_that_was_stopped_as_it_waited_is_stopping() -> None:
    """`isready` is answered at once while a job runs, but after the answer of a stopped one."""
    owner, waiting = Owner(), FakeJob()
    job = owner.begin(State.RUNNING)
    owner.scheduler.call_when_ready(lambda: owner.scheduler.start(waiting), waiting)
    owner.scheduler.stop()
    owner.finish(job)
    owner.make_due()
    assert owner.scheduler.job is waiting and owner.scheduler.state is State.STOPPING


# Time and faults


def test_since_when_it_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    """After loading, the scheduler is free since the game was ready, not since its event was settled."""
    monkeypatch.setattr("siqi.daemon.engine.scheduler.now_ns", lambda: 99)
    owner = Owner()
    owner.begin(State.READY)
    assert owner.scheduler.idle_since_ns == LOADED.ready_ns
    job = FakeJob()
    owner.scheduler.start(job)
    owner.finish(job)
    assert owner.scheduler.idle_since_ns == 99


def test_a_fault_of_a_job_is_its_last_event() -> None:
    owner = Owner()
    owner.begin(State.READY)
    job = FakeJob(fault=KeyError("x"))
    owner.scheduler.start(job)
    job.may_end.set()
    assert owner.inbox.get(timeout=10) == Failed(Kind.INTERNAL, "internal: KeyError: 'x'")


@pytest.mark.parametrize("state", [State.EMPTY, State.READY])
def test_a_thread_that_cannot_be_started(state: State, monkeypatch: pytest.MonkeyPatch) -> None:
    """The job's last event is queued like any other; until it is settled the job counts as running."""
    owner = Owner()
    owner.begin(state)

    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    (owner.scheduler.load if state is State.EMPTY else owner.scheduler.start)(FakeJob())
    assert owner.scheduler.job is not None
    event = owner.inbox.get(timeout=10)
    assert event == Failed(Kind.INTERNAL, "internal: RuntimeError: can't start new thread")
    owner.scheduler.job_ended(event)
    assert owner.scheduler.state is state and owner.scheduler.job is None
