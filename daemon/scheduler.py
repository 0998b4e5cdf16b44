"""What the engine does now, and what waits: one job at a time, on a thread of its own.

    state      what happens                      next
    EMPTY      load                              LOADING
    LOADING    its last event is Loaded          READY
    LOADING    its last event is LoadFailed      EMPTY
    READY      load (new memory)                 LOADING
    LOADING    its last event is Configured      READY
    READY      load (another game)               LOADING
    READY      start (a search, a count)         RUNNING
    RUNNING    stop                              STOPPING
    RUNNING, STOPPING   the job's last event     READY

All methods except `stop` are called by the engine's owner; a job's thread only posts. So a state changes between two of
the owner's steps, never within one. Calls that wait are made in order, each when no job runs and a game is loaded.
"""

from __future__ import annotations

import enum
import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

from daemon.events import Configured, Event, Loaded, Post, internal_reason
from daemon.pipes import now_ns


class State(enum.Enum):
    EMPTY = enum.auto()  # no game is loaded
    LOADING = enum.auto()
    READY = enum.auto()
    RUNNING = enum.auto()
    STOPPING = enum.auto()


class Needs(enum.Flag):
    """What a call needs before it can be made."""

    NOTHING = 0
    IN_ORDER = enum.auto()  # all that came before it has been done
    GAME = enum.auto()  # a game is loaded
    IDLE = enum.auto()  # no job runs
    NOT_STOPPING = enum.auto()  # no job is about to end: it was told to stop


class Shutdown(enum.Enum):
    """How a client asks for no more."""

    END_OF_INPUT = enum.auto()  # its input has ended; it waits for the answers
    QUIT = enum.auto()  # it wants the process to end


class Job(Protocol):
    def run(self) -> Event:
        """Do the work and return its last event; called on the job's thread."""

    def failure_event(self, reason: str) -> Event:
        """Return the last event of a job that could not run, or broke off by a fault of ours."""

    def stop(self) -> None:
        """Have it end soon; called by the owner, before it runs too."""

    def shut_down(self, shutdown: Shutdown) -> None:
        """Stop if nobody would do so any more, or if the client has left and the work is not worth it."""


class WaitingCall(NamedTuple):
    """A call that has to wait; `job` is what it will start."""

    call: Callable[[], None]
    job: Job | None


class Scheduler:
    """One explicit state, the job that runs, and the calls that wait for its end."""

    def __init__(self, post: Post) -> None:
        self._post = post
        self.state = State.EMPTY
        self.job: Job | None = None
        self.waiting: deque[WaitingCall] = deque()
        self.idle_since_ns = 0
        """When the last job ended. A call that waited counts its time from here, not from when it was asked for."""

    def allows(self, needs: Needs) -> bool:
        """True if a call that needs so much can be made now."""
        if Needs.GAME in needs and self.state in (State.EMPTY, State.LOADING):
            return False
        if Needs.NOT_STOPPING in needs and self.state is State.STOPPING:
            return False
        return not (Needs.IDLE in needs and self.job is not None)

    def call_when_ready(self, call: Callable[[], None], job: Job | None = None) -> None:
        """Make a call as soon as no job runs and a game is loaded, after those that wait already.

        `job`, if the call is to start one, is stopped by a `stop` that comes before.
        """
        if self.waiting or not self.allows(Needs.GAME | Needs.IDLE):
            self.waiting.append(WaitingCall(call, job))
        else:
            call()

    def start(self, job: Job) -> None:
        """Run a search or a count."""
        self._run(job, State.RUNNING)

    def load(self, job: Job) -> None:
        """Run a job that loads a game or gives it memory: it cannot be stopped, and ends in Loaded, LoadFailed or
        Configured."""
        self._run(job, State.LOADING)

    def _run(self, job: Job, state: State) -> None:
        assert self.job is None

        def work() -> None:
            try:
                last = job.run()
            except Exception as error:
                last = job.failure_event(internal_reason(error))
            self._post(last)

        self.state, self.job = state, job
        try:
            threading.Thread(target=work, name="job", daemon=True).start()
        except RuntimeError as error:  # the system has no thread to spare
            self._post(job.failure_event(internal_reason(error)))

    def stop(self) -> None:
        """Stop the job that runs, and those that wait: all were asked for before this."""
        if self.state is State.RUNNING:
            self.state = State.STOPPING
        job = self.job  # another thread may call this
        if job is not None:
            job.stop()
        for waiting in tuple(self.waiting):
            if waiting.job is not None:
                waiting.job.stop()

    def job_ended(self, event: Event) -> None:
        """Take the last event of the job; calls that wait may be `due` then."""
        self.job = None
        has_failed = self.state is State.LOADING and not isinstance(event, Loaded | Configured)
        self.state = State.EMPTY if has_failed else State.READY
        self.idle_since_ns = event.ready_ns if isinstance(event, Loaded) else now_ns()

    def due(self) -> Iterator[Callable[[], None]]:
        """Yield the calls that wait, each to be made before the next is asked for, until one starts a job."""
        while self.waiting and self.allows(Needs.GAME | Needs.IDLE):
            yield self.waiting.popleft().call

    def drop_waiting(self) -> int:
        """Forget the calls that wait; return their number."""
        count = len(self.waiting)
        self.waiting.clear()
        return count

    def shut_down(self, shutdown: Shutdown) -> None:
        """Pass on that the client asks for no more."""
        if self.job is not None:
            self.job.shut_down(shutdown)
        for waiting in self.waiting:
            if waiting.job is not None:
                waiting.job.shut_down(shutdown)
