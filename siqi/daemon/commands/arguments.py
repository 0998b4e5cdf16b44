"""Arguments that several commands share: their types, and the names of files that commands write."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable

from siqi.system.pipes import to_stderr

FAILED, MISUSED = 1, 2
"""Exit statuses of commands: something failed on the way; nothing was started."""

MAX_WORKERS = 256

MAX_DIGITS = 19
"""The most digits of a whole number: Python converts no text of any length."""


def reporter(command: str) -> Callable[[str], None]:
    """Return the function that writes a line for the user of a command, such as `siqi show`, to standard error."""
    return lambda text: to_stderr(f"{command}: {text}")


def number_to(most: int, least: int = 1) -> Callable[[str], int]:
    """Return the type of an argument that is a whole number from `least` to `most`."""

    def checked(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS and least <= int(text) <= most):
            raise argparse.ArgumentTypeError(f"a whole number from {least} to {most}, not {text}")
        return int(text)

    return checked


def whole_number(text: str) -> int:
    """Parse the value of an argument whose range depends on others."""
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()):
        raise argparse.ArgumentTypeError(f"a whole number, not {text}")
    if len(digits) > MAX_DIGITS:
        raise argparse.ArgumentTypeError(f"too large: {text}")
    return int(text)


def cores() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def add_workers(parser: argparse.ArgumentParser) -> None:
    """Declare `--workers`, whose default depends on the other arguments."""
    what = "positions analysed at the same time; default: as many as keep all cores busy"
    parser.add_argument("--workers", type=number_to(MAX_WORKERS), metavar="N", help=what)


def workers_of(options: argparse.Namespace) -> int:
    """Return the number of searches at the same time: by default they keep all cores busy, whatever `--threads` is."""
    workers: int | None = options.workers
    return workers or min(max(1, cores() // options.threads), MAX_WORKERS)


def add_cluster(parser: argparse._ActionsContainer) -> None:
    """Declare `--cluster`."""
    where = "local:N, tcp://HOST:PORT or tls://HOST:PORT: work on a Dask cluster (see siqi docs cluster)"
    parser.add_argument("--cluster", type=cluster_address, metavar="WHERE", help=where)


def cluster_address(text: str) -> str:
    """The type of `--cluster`."""
    from siqi.daemon.cluster.remote import check_address

    try:
        return check_address(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def name_fault(name: str, suffixes: tuple[str, ...], what: str) -> str | None:
    """Return why a file of the kind `what` cannot have this name, None if it can: a user may have left the name out."""
    if name.lower().endswith(suffixes):
        return None
    return f"{name}: {what} has a name that ends in {' or '.join(suffixes)}"
