"""Ctrl-C: a command ends with status 130 and no message of Python's, at any moment."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import FrameType

import pytest

from siqi.daemon.cluster.jobs import completed, in_graph, in_order
from siqi.system import interrupts

ROOT = Path(__file__).parents[2]
TIMEOUT_S = 200

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to send")
needs_dask = pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason="Dask is not installed")

AT_IMPORT = """
import signal, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Finder())
sys.argv = ["siqi", *{arguments!r}]
from siqi.daemon.main import main
main()
"""


@pytest.mark.parametrize(
    ("arguments", "modules"),
    [
        (
            ("show",),
            ("siqi.games", "siqi.daemon.commands.show", "numba.core.interpreter", "siqi.games.xiangqi.rules.position"),
        ),
        (("analyse", "nowhere.jsonl"), ("siqi.daemon.command_line", "msgspec", "siqi.daemon.analysis.command")),
        (("bench", "ewn"), ("siqi.daemon.engine.bench", "numba.core.types", "siqi.games.ewn.search.search")),
        (("warm", "ewn"), ("tqdm", "llvmlite.binding", "siqi.games.ewn.rules.position")),
        (("convert", "--list"), ("siqi.daemon.review.command", "siqi.games.xiangqi.formats.table")),
        (("review", "startpos moves h2e2", "-o", "x.html"), ("siqi.games.pictures.drawing", "siqi.games.xiangqi.game")),
    ],
    ids=lambda value: value[0],
)
def test_during_imports(arguments: tuple[str, ...], modules: tuple[str, ...], tmp_path: Path) -> None:
    for module in modules:
        code = AT_IMPORT.format(module=module, arguments=arguments)
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            cwd=tmp_path,
            capture_output=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (130, b"", b""), module
    assert not list(tmp_path.iterdir())


def interrupted(process: subprocess.Popen[bytes]) -> tuple[int, bytes]:
    """Interrupt a process and all that it has started, as a terminal does; return its status and standard error."""
    os.killpg(process.pid, signal.SIGINT)
    _, error = process.communicate(timeout=TIMEOUT_S)
    return process.returncode, error


def started(*arguments: str, given: bytes = b"") -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        [sys.executable, "-m", "siqi", *arguments],
        bufsize=0,
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        cwd=ROOT,
        start_new_session=True,
    )
    assert process.stdin is not None
    process.stdin.write(given)
    return process


def test_while_a_kernel_or_a_compiler_runs() -> None:
    """An interrupt does not wait for the end of a kernel or a compiler, as Python's own handler would."""
    code = "import hashlib; from siqi.system.interrupts import end_on_interrupt;"
    code += "end_on_interrupt(); print(flush=True);"
    code += "hashlib.pbkdf2_hmac('sha256', b'', b'', 10**9)"
    pipe = subprocess.PIPE
    process = subprocess.Popen([sys.executable, "-c", code], stdout=pipe, stderr=pipe, cwd=ROOT, start_new_session=True)
    assert process.stdout is not None and process.stdout.readline()
    begun = time.monotonic()
    assert interrupted(process) == (130, b"")
    assert time.monotonic() - begun < 60


def child_exists(process: subprocess.Popen[bytes]) -> bool:
    tasks = Path(f"/proc/{process.pid}/task").glob("*/children")
    return any(path.read_text() for path in tasks)


@needs_dask
@pytest.mark.skipif(not Path("/proc/self").exists(), reason="finds processes by /proc")
@pytest.mark.parametrize("moment", ["imports", "starting", pytest.param("running", marks=pytest.mark.long)])
def test_a_cluster_of_this_machine(moment: str) -> None:
    """Local workers, which are in the terminal's process group too, print nothing either."""
    given = [{"id": "a", "nodes": 100}, *({"id": f"long{i}", "nodes": 10**12} for i in range(3))]
    lines = b"".join(json.dumps(query).encode() + b"\n" for query in given)
    process = started("analyse", "--hash", "1", "--cluster", "local:2", given=lines)
    if moment == "running":
        assert process.stdout is not None and b'"id":"a"' in process.stdout.readline()
    elif moment == "starting":
        deadline = time.monotonic() + TIMEOUT_S
        while not child_exists(process) and time.monotonic() < deadline:
            time.sleep(0.01)
    else:
        time.sleep(0.7)
    assert interrupted(process) == (130, b"")


@needs_dask
def test_joining_a_cluster_that_does_not_answer(tmp_path: Path) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as silent:
        process = started("analyse", "--cluster", f"tcp://127.0.0.1:{silent.getsockname()[1]}")
        connection, _ = silent.accept()
        with connection:
            begun = time.monotonic()
            assert interrupted(process) == (130, b"")
            assert time.monotonic() - begun < 12  # Dask itself would continue for 15 s


def test_interrupts_that_are_held_back_come_afterwards() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), interrupts.held_back():
        with interrupts.held_back():
            threading.Timer(0, os.kill, (os.getpid(), signal.SIGINT)).start()
            time.sleep(0.1)
            done.append(1)
        signal.raise_signal(signal.SIGINT)
        done.append(2)
    assert done == [1, 2]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def is_blocked(_: int) -> bool:
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def main_of_workers() -> None:
    """Run the main function of a process, and query its workers."""
    print(list(in_order(is_blocked, range(2), 2)))


def test_workers_never_receive_an_interrupt() -> None:
    """Workers ignore interrupts, also the first ones, with which multiprocessing starts a process of its own."""
    paths = os.pathsep.join(map(str, (ROOT, ROOT / "tests/engine", ROOT / "tests/support")))
    done = subprocess.run(
        [sys.executable, "-c", "import test_interrupts; test_interrupts.main_of_workers()"],
        env=os.environ | {"PYTHONPATH": paths},
        capture_output=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.stdout.decode() == "[True, True]\n", done.stderr


RAISED = """
import signal, sys, time
from siqi.system.interrupts import end_on_interrupt, raised
end_on_interrupt()
sys.setswitchinterval(10)  # no other thread runs before this one waits
try:
    with raised():
        signal.raise_signal(signal.SIGINT)
except KeyboardInterrupt:
    time.sleep(0.5)
    print("stopped in order")
"""


def test_an_interrupt_that_was_raised_does_not_end_the_process_later() -> None:
    done = subprocess.run(
        [sys.executable, "-c", RAISED],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, b"stopped in order\n")


def test_a_swallowed_interrupt_is_raised_again() -> None:
    """An interrupt in a finaliser, which Python would only report, is raised again."""

    class Swallower:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGINT, interrupts.end)
    try:
        with pytest.raises(KeyboardInterrupt), interrupts.raised():
            Swallower()
            time.sleep(1)
        assert signal.getsignal(signal.SIGINT) is interrupts.end
    finally:
        signal.signal(signal.SIGINT, before)


LOCKS_NOTHING = {"Executor.__enter__", "_check_system_limits", "current_thread", "main_thread"}


def locking_calls() -> set[str]:
    """Return the functions of Python's executors and threads that ran in this thread while Ctrl-C could come."""
    calls = set()

    def see(frame: FrameType, event: str, _: object) -> None:
        where = Path(frame.f_code.co_filename)
        if event == "call" and (where.parent.name == "futures" or where.name == "threading.py") and not is_blocked(0):
            calls.add(frame.f_code.co_qualname)

    runs = [in_order(is_blocked, range(9), 2), completed(is_blocked, range(9), 2, 0.1)]
    runs.append(in_graph(is_blocked, range(9), lambda task: (task - 1,), 2))
    sys.setprofile(see)
    try:
        for run in runs:
            list(run)
    finally:
        sys.setprofile(None)
    return calls


def test_ctrl_c_leaves_no_lock_of_a_batch_taken() -> None:
    """A lock that is left taken makes the end of a run wait for ever."""
    assert {name for name in locking_calls() if not name.endswith("__init__")} <= LOCKS_NOTHING
