"""The daemon on standard input and output: one thread owns the engine and its front end.

It takes lines and events in the order of their arrival from one queue, and waits for nothing else. Lines come from a
reader thread, events from the engine's jobs.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Mapping
from queue import SimpleQueue

from siqi.daemon.engine.engine import Engine
from siqi.daemon.engine.events import Event, Kind, Loaded, Refusal, Refused, Warning, ends_job, internal_reason
from siqi.daemon.engine.scheduler import Shutdown
from siqi.daemon.frontends import front_end_for
from siqi.daemon.frontends.base import FrontEnd
from siqi.system.faults import FaultGuard
from siqi.system.output import Output
from siqi.system.pipes import QUIT, ClientLine, EndOfInput, now_ns, printable, read_lines, to_stderr
from siqi.version import __version__

QUIT_WAIT_S = 30.0
"""The time that `perft` and `bench` get to finish after a `quit`."""


class QuitTimeout:
    """Put into the queue QUIT_WAIT_S after a `quit`."""


class KernelFault:
    """Put into the queue after a kernel has faulted: its thread does not return."""


EXIT_WORDS = (QUIT, "exit")
"""Lines that end the process at once if they follow a `quit`."""


class Server:
    """A session with one client, from its first line to its last answer."""

    def __init__(self) -> None:
        self._thread = threading.current_thread()
        self._inbox: SimpleQueue[ClientLine | EndOfInput | QuitTimeout | KernelFault | Event] = SimpleQueue()
        self._faults = FaultGuard(lambda: self._inbox.put(KernelFault()))
        self._out = Output(lambda text: self.post(Warning(text)), self._faults.trace_to)
        self._engine = Engine(self.post, self._out.log_to)
        self._front_end: FrontEnd | None = None
        self._shutdown: Shutdown | None = None
        self._has_quit_come = False

    def begin_with(self, settings: Mapping[str, str], no_files: bool) -> None:
        """Set options before the session, as of `serve`; Refusal(OPTION) for one that cannot be set."""
        self._engine.begin_with(settings)
        if no_files:
            self._engine.options.fix_files()

    def post(self, event: Event) -> None:
        """Queue an event; write it at once if the owner's thread posts it and no job ends. Any thread may call this."""
        if isinstance(event, Loaded):
            self._faults.start()
            event = event._replace(ready_ns=now_ns())  # the start is not on the clock of a `go` that waits
        if threading.current_thread() is self._thread and not ends_job(event):
            self._write(event)
        else:
            self._inbox.put(event)

    def run(self) -> None:
        """Serve until `quit` or the end of input, and until every request before it is answered."""
        threading.Thread(
            target=read_lines, args=(self._inbox.put, self._out.expect_end, self._see_quit), name="reader", daemon=True
        ).start()
        while not self._has_answered_all():
            item = self._inbox.get()
            try:
                self._handle(item)
            except Exception as error:  # a fault of ours ends one line, not the process
                self._write(Refused(Kind.INTERNAL, internal_reason(error)))
        self._end()

    def _end(self) -> None:
        """Leave the game; after a `quit` also say goodbye."""
        self._engine.close()
        if self._front_end is not None and self._shutdown is Shutdown.QUIT:
            self._front_end.farewell()

    def _handle(self, item: ClientLine | EndOfInput | QuitTimeout | KernelFault | Event) -> None:
        if isinstance(item, ClientLine):
            self._read(item)
        elif isinstance(item, EndOfInput):
            self._shutdown = self._shutdown or Shutdown.END_OF_INPUT
        elif isinstance(item, QuitTimeout):
            self._stop_all()
        elif isinstance(item, KernelFault):
            self._engine.give_up("internal: a kernel faulted; standard error or the debug log has the place")
        else:
            self._write(item)
            self._engine.handle_event(item)
        if self._front_end is not None:
            self._front_end.run_queued()
        if self._shutdown is not None:
            self._engine.shut_down(self._shutdown)

    def _has_answered_all(self) -> bool:
        """True if the process may end. After `quit`, queued lines that are not worth compiling for are dropped."""
        queue = () if self._front_end is None else self._front_end.queue
        if self._shutdown is Shutdown.QUIT and self._engine.is_compiling:
            return self._front_end is None or not self._front_end.awaits_answer()
        if self._shutdown is Shutdown.QUIT and self._engine.is_loading_ahead:
            return not queue
        return self._shutdown is not None and not self._engine.is_busy and not queue

    def _see_quit(self) -> None:
        """Called in the reader's thread at a `quit`: the owner may be blocked by a client that does not read."""
        self._has_quit_come = True
        self._expect_end()

    def _expect_end(self) -> None:
        """Expect the end if a `quit` has come that is one in this protocol."""
        if self._has_quit_come and self._front_end is not None and self._front_end.knows_quit:
            self._out.expect_end()

    def _read(self, line: ClientLine) -> None:
        if self._shutdown is Shutdown.QUIT:
            if line.text in EXIT_WORDS:
                self._end()
                os._exit(0)  # not through interpreter shutdown: that would wait for a compiler or a kernel
            return
        self._out.log_input(line.text)
        if not line.text:
            return
        if self._front_end is None or self._front_end.yields_to(line.text):
            self._front_end = front_end_for(line.text)(self._engine, self._out, self._leave)
        self._front_end = self._front_end.chosen_by(line.text)
        self._expect_end()
        if line.too_long:
            reason = f"line too long, ignored: {printable(line.text, 40)}"
            self._front_end.refuse(line, Refusal(Kind.LINE, reason))
        else:
            self._front_end.read(line)

    def _leave(self) -> None:
        """Begin to end after a `quit`: answer what came before, stop counts after QUIT_WAIT_S."""
        self._shutdown = Shutdown.QUIT
        self._out.expect_end()
        timer = threading.Timer(QUIT_WAIT_S, self._inbox.put, (QuitTimeout(),))
        timer.daemon = True
        timer.start()

    def _stop_all(self) -> None:
        self._engine.stop()
        if self._front_end is not None:
            self._front_end.stop_waiting()

    def _write(self, event: Event) -> None:
        if self._front_end is None:
            return  # no line has chosen a protocol yet
        try:
            self._front_end.write(event)
        except Exception as error:
            self._front_end.write(Refused(Kind.INTERNAL, internal_reason(error)))


def serve(settings: Mapping[str, str] | None = None, no_files: bool = False) -> None:
    """Run the daemon on standard input and output until `quit` or the end of input; then the process ends.

    `settings`: values of options from the start. Refusal(OPTION) before anything is read if one cannot be set.
    `no_files`: the client cannot set options that name files.
    """
    server = Server()
    server.begin_with(settings or {}, no_files)
    if os.isatty(0):
        to_stderr(f"Siqi {__version__}, an engine for Xiangqi, Connect6, EWN and Junqi. Commands: help, d, go, quit")
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        # Ctrl-C ends the process at once; Python's own handler would run only at the next event.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.excepthook = lambda failed: server.post(
        Refused(Kind.INTERNAL, internal_reason(failed.exc_value or Exception()))
    )
    server.run()
    os._exit(0)
