"""Processes of the program for tests, forked from a server that has loaded all games.

A start until `readyok` costs 0.15 s of a core instead of 0.6; one that loads no game costs 0.02.

They run the program's `main` on pipes of their own, as a started process does. Start a process by `subprocess` where
the start itself is tested: imports, the environment, the kernel cache, the handshake before numba is imported.
"""

from __future__ import annotations

import contextlib
import functools
import multiprocessing
import os
import runpy
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from multiprocessing.forkserver import ensure_running
from multiprocessing.reduction import DupFd
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

NOT_READ = ("PYTEST_", "DASK_", "__DASK_", "KMP_", "MALLOC_", "MKL_", "OMP_", "OPENBLAS_", "PYTHONHASHSEED")
"""Beginnings of variables that the program does not read; tests and libraries that they import set some."""

TIMEOUT_S = 300.0


def environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(NOT_READ)}


_before = environment()


@functools.cache
def _server() -> Any:
    """Start the server; return multiprocessing's context. Only the environment determines where modules are found."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["preloaded"])
    path = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(Path(__file__).parent)])
    try:
        ensure_running()
    finally:
        del os.environ["PYTHONPATH"]
        if path is not None:
            os.environ["PYTHONPATH"] = path
    return context


def limit_files(size: int) -> str:
    """Return Python code after which no file of the process grows beyond `size` bytes, as on a full disk.

    The process writes no bytecode: Python would keep its first `size` bytes, which break all later imports.
    """
    return (
        "import resource, sys; sys.dont_write_bytecode = True; "
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, resource.RLIM_INFINITY)); "
    )


class _Pipes:
    """Descriptors that become a started process's 0, 1 and 2."""

    def __init__(self, *descriptors: int) -> None:
        self._descriptors = descriptors

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, ([DupFd(descriptor) for descriptor in self._descriptors],)


def _run(pipes: tuple[Any, ...], folder: str, arguments: Sequence[str], program: str | Path | None) -> None:
    """Run the program, Python code or a script in the forked process."""
    for number, pipe in enumerate(pipes):
        descriptor = pipe.detach()
        os.dup2(descriptor, number)
        os.close(descriptor)
    sys.stdin, sys.stdout, sys.stderr = os.fdopen(0), os.fdopen(1, "w"), os.fdopen(2, "w", 1)
    multiprocessing.current_process()._config["daemon"] = False  # type: ignore[attr-defined]  # it may have children
    sys.argv = ["siqi", *arguments]
    os.chdir(folder)
    if isinstance(program, Path):
        runpy.run_path(str(program), run_name="__main__")
    elif program is not None:
        exec(program, {"__name__": "__main__"})
    else:
        from siqi.daemon.main import main

        main()


class ForkedProcess:
    """A process of the program, with the attributes of subprocess.Popen that tests use."""

    def __init__(self, folder: str | Path, *arguments: str, program: str | Path | None = None) -> None:
        """`program`: Python code, or the path of a script, that runs in place of the program's `main`."""
        pipes = [os.pipe() for _ in range(3)]
        theirs = (pipes[0][0], pipes[1][1], pipes[2][1])
        self._process = _server().Process(
            target=_run, args=(_Pipes(*theirs), str(folder), arguments, program), daemon=True
        )
        self._process.start()
        for descriptor in theirs:
            os.close(descriptor)
        self.stdin = os.fdopen(pipes[0][1], "wb")
        self.stdout, self.stderr = os.fdopen(pipes[1][0], "rb"), os.fdopen(pipes[2][0], "rb")
        assert self._process.pid is not None
        self.pid = self._process.pid

    @staticmethod
    def fits(variables: Mapping[str, str] | None) -> bool:
        """True if a process with this environment (None: the present one) can be forked."""
        return (
            variables is None and "forkserver" in multiprocessing.get_all_start_methods() and environment() == _before
        )

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired("siqi", timeout or 0.0)
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        self._process.kill()

    def communicate(self, given: bytes = b"", timeout: float = TIMEOUT_S) -> tuple[bytes, bytes]:
        """Send all input, read all output and wait for the end; TimeoutExpired after killing the process."""
        texts: dict[int, bytes] = {}

        def read(number: int, pipe: Any) -> None:
            with pipe:
                texts[number] = pipe.read()

        readers = [threading.Thread(target=read, args=pair) for pair in enumerate((self.stdout, self.stderr))]
        for reader in readers:
            reader.start()
        with contextlib.suppress(BrokenPipeError), self.stdin:
            self.stdin.write(given)
        try:
            self.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            raise
        finally:
            for reader in readers:
                reader.join()
        return texts[0], texts[1]


def run(
    *arguments: str,
    given: bytes = b"",
    folder: str | Path = ROOT,
    program: str | Path | None = None,
    timeout: float = TIMEOUT_S,
    changes: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run the program, Python code or a script to its end, like `subprocess.run`.

    The process is forked if possible; `changes` of the environment need a new interpreter.
    """
    if not changes and ForkedProcess.fits(None):
        process = ForkedProcess(folder, *arguments, program=program)
        out, err = process.communicate(given, timeout)
        return subprocess.CompletedProcess(arguments, process.wait(), out, err)
    start = ("-m", "siqi") if program is None else (str(program),) if isinstance(program, Path) else ("-c", program)
    env = {**os.environ, "PYTHONPATH": str(ROOT), **(changes or {})}
    return subprocess.run(
        [sys.executable, *start, *arguments], input=given, capture_output=True, cwd=folder, env=env, check=False,
        timeout=timeout,
    )  # fmt: skip
