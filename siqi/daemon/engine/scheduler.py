"""The engine's state machine: one job at a time, on a thread of its own, and calls that wait for its end.

    state      what happens                      next
    EMPTY      load                              LOADING
    LOADING    its last event is Loaded          READY
    LOADING    its last event is LoadFailed      EMPTY
    READY      load (new memory)                 LOADING
    LOADING    its last event is Configured      READY
    READY      load (another game)               LOADING
    READY      start (a search, a count)         RUNNING; STOPPING if it was stopped while it waited
    RUNNING    stop                              STOPPING
    RUNNING, STOPPING   the job's last event     READY

Only the engine's owner calls these methods, except `stop`, which any thread may call; a job's thread only posts events.
Calls that wait are made in order, each once a game is loaded and no job runs.
"""

from __future__ import annotations

import enum
import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

from siqi.daemon.engine.events import Configured, Event, Loaded, Post, internal_reason
from siqi.system.pipes import now_ns


class State(enum.Enum):
    """The state of the engine; the table above has the transitions."""

    EMPTY = enum.auto()  # no game is loaded
    LOADING = enum.auto()
    READY = enum.auto()
    RUNNING = enum.auto()
    STOPPING = enum.auto()


class Needs(enum.Flag):
    """The conditions that a call or a line waits for."""

    NOTHING = 0
    IN_ORDER = enum.auto()  # all lines before it have been carried out; the front end's queue sees to that
    GAME = enum.auto()  # a game is loaded
    IDLE = enum.auto()  # no job runs
    NOT_STOPPING = enum.auto()  # no stopped job is still running


class Shutdown(enum.Enum):
    """The ways in which a client ends the session."""

    END_OF_INPUT = enum.auto()  # it sends no more lines, but reads the answers to the last ones
    QUIT = enum.auto()  # it wants the process to end


class Job(Protocol):
    """Work on a thread of its own, such as a search, a count or the loading of a game; by default it ends by itself."""

    @property
    def is_stopped(self) -> bool:
        """True once `stop` has been called, if the job can be stopped."""
        return False

    def run(self) -> Event:
        """Do the work and return the job's last event; called on the job's thread."""

    def failure_event(self, reason: str) -> Event:
        """Return the job's last event if it could not start, raised an exception, or is given up."""

    def stop(self) -> None:
        """Make the job end soon, if it can be stopped, and return at once. Any thread may call it, before a run too."""
        return

    def shut_down(self, shutdown: Shutdown) -> None:
        """Stop the job if it would otherwise never end, or if no client waits for its answer; return at once."""
        return


class WaitingCall(NamedTuple):
    """A call that waits for the end of a job; `job` is the one that it will start, if any."""

    call: Callable[[], None]
    job: Job | None


class Scheduler:
    """One explicit state, the running job, and the calls that wait for its end."""

    def __init__(self, post: Post) -> None:
        self._post = post
        self.state = State.EMPTY
        self.job: Job | None = None
        self.waiting: deque[WaitingCall] = deque()
        self.idle_since_ns = 0
        """The end of the last job. The clock of a search that waited runs from here, not from its request."""

    def allows(self, needs: Needs) -> bool:
        """True if a call with these needs can be made now; IN_ORDER is not checked here."""
        if Needs.GAME in needs and self.state in (State.EMPTY, State.LOADING):
            return False
        if Needs.NOT_STOPPING in needs and self.state is State.STOPPING:
            return False
        return not (Needs.IDLE in needs and self.job is not None)

    def call_when_ready(self, call: Callable[[], None], job: Job | None = None) -> None:
        """Make a call now if a game is loaded, no job runs and no call waits; otherwise add it to the waiting calls.

        `job`: the job that the call will start, if any; `stop` and `shut_down` reach it while it waits.
        """
        if self.waiting or not self.allows(Needs.GAME | Needs.IDLE):
            self.waiting.append(WaitingCall(call, job))
        else:
            call()

    def start(self, job: Job) -> None:
        """Start a search or a count; no other job may run. Returns at once."""
        self._run(job, State.STOPPING if job.is_stopped else State.RUNNING)

    def load(self, job: Job) -> None:
        """Start a job that loads a game or configures its searcher; no other job may run. Returns at once.

        Such a job cannot be stopped. Its last event is Loaded, LoadFailed or Configured.
        """
        self._run(job, State.LOADING)

    def _run(self, job: Job, state: State) -> None:
        assert self.job is None
        answer = self._answer = threading.Lock()  # taken once: a job has one last event, also if it is given up

        def work() -> None:
            try:
                last = job.run()
            except Exception as error:
                last = job.failure_event(internal_reason(error))
            if answer.acquire(blocking=False):
                self._post(last)

        self.state, self.job = state, job
        try:
            threading.Thread(target=work, name="job", daemon=True).start()
        except RuntimeError as error:  # the system refuses another thread
            self._post(job.failure_event(internal_reason(error)))

    def stop(self) -> None:
        """Stop the running job and those that wait, as all were requested before. Returns at once, in any thread."""
        if self.state is State.RUNNING:
            self.state = State.STOPPING
        job = self.job  # read once: the owner may change it meanwhile
        if job is not None:
            job.stop()
        for waiting in tuple(self.waiting):
            if waiting.job is not None:
                waiting.job.stop()

    def give_up(self, reason: str) -> None:
        """End the running job on its behalf, if there is one, because its thread will never return."""
        if self.job is not None and self._answer.acquire(blocking=False):
            self.job.stop()
            self._post(self.job.failure_event(reason))

    def job_ended(self, event: Event) -> None:
        """Note the end of the job by its last event; waiting calls may be `due` afterwards."""
        self.job = None
        has_failed = self.state is State.LOADING and not isinstance(event, Loaded | Configured)
        self.state = State.EMPTY if has_failed else State.READY
        self.idle_since_ns = event.ready_ns if isinstance(event, Loaded) else now_ns()

    def due(self) -> Iterator[Callable[[], None]]:
        """Yield the waiting calls until one starts a job; the caller makes each before it takes the next."""
        while self.waiting and self.allows(Needs.GAME | Needs.IDLE):
            yield self.waiting.popleft().call

    def drop_waiting(self) -> int:
        """Drop the waiting calls; return their number."""
        count = len(self.waiting)
        self.waiting.clear()
        return count

    def shut_down(self, shutdown: Shutdown) -> None:
        """Inform the running job and those that wait that the client ends the session."""
        if self.job is not None:
            self.job.shut_down(shutdown)
        for waiting in self.waiting:
            if waiting.job is not None:
                waiting.job.shut_down(shutdown)
