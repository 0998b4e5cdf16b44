"""The `siqi` command. Without arguments it is the daemon; what a client needs first is all that is imported."""

from __future__ import annotations

import sys
import threading

USAGE = """\
usage: siqi              the engine daemon on standard input and output (see protocol.md)
       siqi analyse ...  positions from a file or standard input (siqi analyse --help)
       siqi bench [GAME] node signature and speed, of one game or of all
       siqi --version | --help"""

STACK_BYTES = 16 << 20
"""Stack of every thread: deep recursion in a kernel would crash the process on the small default of macOS."""


def main() -> None:
    threading.stack_size(STACK_BYTES)
    arguments = sys.argv[1:]
    if not arguments:
        from daemon.session import serve

        serve()
    elif arguments[0] == "analyse":
        from daemon.analysis.command import run

        sys.exit(run(arguments[1:]))
    elif arguments[0] == "bench" and len(arguments) <= 2:
        from daemon.bench import command_line

        sys.exit(command_line(arguments[1:]))
    elif arguments == ["--version"]:
        from daemon import __version__

        print(f"siqi {__version__}")
    elif arguments in (["--help"], ["-h"]):
        print(USAGE)
    else:
        print(USAGE, file=sys.stderr)
        sys.exit(2)
