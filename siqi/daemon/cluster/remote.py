"""Workers of a Dask cluster. Transport, scheduling, retries and the detection of dead workers are Dask's.

Dask pickles what it is given to send: here the reference to `run_calls` (the name of a module's function), bytes and a
number, and back bytes. The bytes are calls and results as `calls` describes them. So nothing of a user's file is ever
unpickled. But by Dask's design any client of a scheduler can have code run, so a scheduler listens on the loopback or
requires certificates.
"""

from __future__ import annotations

import contextlib
import logging
import re
import threading
import time
import uuid
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from types import TracebackType
from typing import Any, NamedTuple, Self

import msgspec

from siqi.daemon.cluster.errors import ClusterError, KilledError
from siqi.daemon.cluster.identity import identity
from siqi.daemon.cluster.local import Batch, Outcome, start_tracker
from siqi.daemon.cluster.node import pack, run_calls, unpack_results
from siqi.system.interrupts import held_back

HEARTBEAT_S = 60
"""A worker of `local:N` that sends no heartbeat for this time is restarted, and its batch given to another."""

CONNECT_S = 15

KEPT_MESSAGES = 10
"""Messages of each connection that Dask keeps for its developers: 1000 by default, with the batches in them."""

COUNT_S = 1.0
"""Seconds between two counts of a cluster's workers."""


class Cluster(NamedTuple):
    """A Dask cluster: `local:N` workers of this machine, or the address of a scheduler, `tcp://host:port`."""

    address: str
    limit_s: float = 0.0  # a batch that takes longer ends its worker and is given to another; 0: no limit


class ClusterWorkers:
    """The workers of a Dask cluster that are of our own identity; any other is refused with a line to `note`."""

    def __init__(self, cluster: Cluster, note: Callable[[str], None]) -> None:
        """Connect. ClusterError if that fails."""
        try:
            with held_back():
                import distributed  # noqa: F401
        except ImportError:
            raise ClusterError("--cluster needs Dask: pip install 'siqi[cluster]'") from None
        self.address, self._limit_s, self._note = cluster.address, cluster.limit_s, note
        self._refused: set[str] = set()
        self._counted = (0.0, 0, 0)  # when, workers admitted, all workers
        self._lock = threading.Lock()
        self._stack = contextlib.ExitStack()
        try:
            self._client = _connect(cluster.address, self._stack)
            self._admit(self._stack)
            self._executor = self._client.get_executor(pure=False, resources={self._resource: 1})
            # Cancels what is left.
            self._stack.callback(self._quietly, lambda: self._executor.shutdown(wait=False))
        except BaseException:
            self.close()
            raise
        _open.append(self)

    def _admit(self, stack: contextlib.ExitStack) -> None:
        """Have each worker checked, now and when it joins; wait for the first. ClusterError if all are refused."""
        from siqi.daemon.cluster.plugin import REFUSALS, Warden, resource

        wanted = identity()
        self._resource = resource(wanted)
        self._digest = wanted.digest
        name = f"siqi-{uuid.uuid4().hex}"
        self._client.subscribe_topic(REFUSALS, self._see_refusal)
        try:
            self._client.register_plugin(Warden(msgspec.structs.asdict(wanted)), name=name)
        except Exception as error:  # Siqi is missing on a worker, or the scheduler
            raise ClusterError(f"the workers at {self.address} cannot be used: {error}") from None
        stack.callback(self._quietly, lambda: self._client.unregister_worker_plugin(name))
        has_noted = False
        while not self._recount():
            everyone = self._counted[2]
            if everyone and len(self._refused) >= everyone:
                raise ClusterError(f"all workers at {self.address} are refused")
            if not everyone and not has_noted:
                self._note(f"no worker at {self.address} yet; waiting for one")
                has_noted = True
            time.sleep(0.05)

    async def _see_refusal(self, event: tuple[float, dict[str, str]]) -> None:
        message = event[1]
        if message["digest"] == self._digest and message["worker"] not in self._refused:
            self._refused.add(message["worker"])
            self._note(f"refused worker {message['worker']}: {message['refusal']}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Cancel what is left, and leave the cluster; end it if it was started here."""
        if self in _open:
            _open.remove(self)
        with held_back():
            self._stack.close()

    def count(self) -> int:
        """Return the number of workers that take jobs; they come and go. ClusterError if the scheduler is lost."""
        with self._lock:
            return self._recount() if time.monotonic() - self._counted[0] > COUNT_S else self._counted[1]

    def _recount(self) -> int:
        from siqi.daemon.cluster.plugin import count_workers

        try:
            counts: tuple[int, int] = self._client.run_on_scheduler(count_workers, self._resource)
        except Exception as error:
            if self._client.status == "running" and isinstance(error, ImportError):
                raise ClusterError(f"the scheduler at {self.address} lacks Siqi: {error}") from None
            raise self._lost() from None
        self._counted = (time.monotonic(), *counts)
        return counts[0]

    @property
    def counted(self) -> int:
        """The number of workers by the last count."""
        return self._counted[1]

    def send(self, calls: Sequence[bytes], priority: int = 0, limit_s: float = 0.0) -> Batch:
        """Hand out a batch; of those that wait, higher priorities come first.

        `limit_s`: if they take longer their worker ends, and another one gets them; 0: the cluster's limit.
        """
        limit_s = limit_s or self._limit_s
        try:
            batch: Batch = self._executor.submit(run_calls, pack(calls), limit_s, priority=priority)
        except Exception:
            raise self._lost() from None
        return batch

    def _lost(self) -> ClusterError:
        return ClusterError(f"the scheduler at {self.address} was lost; the same command goes on where it stopped")

    def outcome(self, batch: Batch) -> Outcome:
        """Return the outcome of a batch that is done, or raise the error that ended it.

        KilledError if it ended worker after worker, ClusterError if the scheduler was lost.
        """
        from distributed.scheduler import KilledWorker

        try:
            return unpack_results(batch.result())
        except CancelledError:
            raise self._lost() from None
        except KilledWorker:
            raise KilledError("a job ended every worker that carried it out") from None

    def run_everywhere(self, function: Callable[..., None], *arguments: Any, wait_s: float = 0.0) -> None:
        """Run a function of a module in each worker's process at once, in parallel to its job.

        Wait for the workers no longer than `wait_s`: one may hang.
        """

        def run() -> None:
            self._client.run(function, *arguments, on_error="ignore")

        thread = threading.Thread(target=self._quietly, args=(run,), daemon=True)
        thread.start()
        thread.join(wait_s)

    def subscribe(self, topic: str, handle: Callable[[dict[str, Any]], None]) -> None:
        """Have `handle` called, in Dask's thread, with each message that a worker emits; Dask adds a field `worker`."""
        self._client.subscribe_topic(topic, lambda event: handle(event[1]))

    def _quietly(self, act: Callable[[], object]) -> None:
        """Act on a scheduler that may be gone."""
        if self._client.status == "running":
            with contextlib.suppress(Exception):
                act()


_open: list[ClusterWorkers] = []


def workers_now() -> int | None:
    """Return the number of workers of the cluster that is open; None if there is none."""
    return _open[-1].counted if _open else None


def check_address(address: str) -> str:
    """Return an address; ValueError if it is neither `local:N` nor one of a scheduler."""
    if re.fullmatch(r"local:[1-9]\d{0,3}|(tcp|tls|ws|wss|ucx)://\S+", address) is None:
        raise ValueError(f"local:N, tcp://HOST:PORT or tls://HOST:PORT, not {address}")
    return address


def _connect(address: str, stack: contextlib.ExitStack) -> Any:
    """Return a client of a scheduler that is there or started here; ClusterError if that fails."""
    import dask
    from distributed import Security
    from distributed.versions import VersionMismatchWarning

    from siqi.daemon.cluster import loopback

    settings = {
        "distributed.comm.timeouts.connect": f"{CONNECT_S}s",
        "distributed.scheduler.worker-ttl": f"{HEARTBEAT_S}s",
        "distributed.worker.profile.enabled": False,
        "distributed.admin.tick.interval": "1s",
        "distributed.admin.low-level-log-length": KEPT_MESSAGES,
    }
    stack.enter_context(dask.config.set(settings))
    warnings.filterwarnings("ignore", category=VersionMismatchWarning)  # what matters is in an Identity
    for name in ("tornado", "asyncio", *logging.root.manager.loggerDict):  # we report lost connections in one line
        if name.partition(".")[0] in ("distributed", "tornado", "asyncio"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
    kind, _, number = address.partition(":")
    try:
        if kind != "local":
            if kind == "tls" and Security().get_connection_args("client")["ssl_context"] is None:
                raise ClusterError(f"{address} needs certificates in Dask's configuration, see siqi docs cluster")
            return _join(address, stack)
        start_tracker()
        with held_back():
            return _join(loopback.start(int(number), stack), stack)
    except ImportError:
        raise ClusterError(f"--cluster {address} needs cryptography: pip install 'siqi[cluster]'") from None
    except (OSError, ValueError, TypeError, RuntimeError) as error:
        what = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ClusterError(f"no workers at {address}: {what}") from None


def _join(where: Any, stack: contextlib.ExitStack) -> Any:
    """Return a client of a scheduler at an address, or of a cluster; `stack` closes it."""
    from distributed import Client

    class QuietClient(Client):  # type: ignore[misc]
        def __del__(self) -> None:
            """Do nothing if it was never connected: Dask would wait 30 s, and print a traceback."""

    return stack.enter_context(QuietClient(where, timeout=CONNECT_S, set_as_default=False))
