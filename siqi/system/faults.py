"""Faults of kernels, such as a segmentation fault: one ends its search, not the process.

A job's thread that faults in a kernel, where it does not hold the GIL, is parked for ever; the others go on. Python's
faulthandler first writes where it was. Any other fault ends the process, as nothing would answer any more.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import os
import signal
import sys
import threading
from collections.abc import Callable

_PARK = """
declare i32 @PyGILState_Check()
declare i64 @pthread_self()
declare i32 @pause()
declare i64 @write(i32, i8*, i64)
declare i8* @signal(i32, i8*)

@mark = private constant [1 x i8] c"!"

define void @park(i32 %number) {{
entry:
    %holds_gil = call i32 @PyGILState_Check()
    %has_gil = icmp ne i32 %holds_gil, 0
    %thread = call i64 @pthread_self()
    %is_owner = icmp eq i64 %thread, {owner}
    %is_fatal = or i1 %has_gil, %is_owner
    br i1 %is_fatal, label %die, label %tell
die:
    %old = call i8* @signal(i32 %number, i8* null)
    ret void
tell:
    %at = getelementptr [1 x i8], [1 x i8]* @mark, i64 0, i64 0
    %written = call i64 @write(i32 {pipe}, i8* %at, i64 1)
    br label %wait
wait:
    %woken = call i32 @pause()
    br label %wait
}}
"""
"""The signal handler. Python cannot run in it; with the default action (null) the fault recurs and ends the process."""


def trace_to(file: int | None = None) -> None:
    """Have the place of a fault written to a file descriptor, standard error by default."""
    with contextlib.suppress(OSError, ValueError, AttributeError, RuntimeError):  # there is no standard error
        faulthandler.disable()  # it is enabled again after each fault, as it takes part in one only
        faulthandler.enable(sys.stderr.fileno() if file is None else file, all_threads=False)


class FaultGuard:
    """Parks threads that fault in kernels, from `start` on; on POSIX systems."""

    def __init__(self, report: Callable[[], None]) -> None:
        """The calling thread owns the engine. `report` is called after each fault, on a thread of its own."""
        self._report = report
        self._owner = threading.get_ident()
        self._engine: object = None  # owns the handler's code
        self._trace_file: int | None = None

    def trace_to(self, file: int | None) -> None:
        """Have the place of a fault written as `trace_to` of this module does, also for later faults."""
        self._trace_file = file
        trace_to(file)

    def start(self) -> None:
        """Begin to park threads, once. numba must be imported; takes some 20 ms."""
        if self._engine is not None or os.name != "posix":
            return
        import llvmlite.binding as llvm

        reading, writing = os.pipe()
        machine = llvm.Target.from_default_triple().create_target_machine()
        code = _PARK.format(pipe=writing, owner=self._owner)
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(code), machine)
        engine.finalize_object()
        self._engine = engine
        handler = ctypes.c_void_p(engine.get_function_address("park"))
        faulthandler.disable()  # its handler calls the one that it finds
        for number in (signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL):
            ctypes.CDLL(None).signal(int(number), handler)
        trace_to(self._trace_file)
        threading.Thread(target=self._listen, args=(reading,), name="faults", daemon=True).start()

    def _listen(self, reading: int) -> None:
        while os.read(reading, 1):
            trace_to(self._trace_file)
            self._report()
