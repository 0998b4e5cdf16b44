"""What every script does alike: its command line, what it may write, and telling when kernels are compiled.

Import it (`import _script`) before anything of the games', so that their compiling is reported on standard error. A
script writes only what did not exist or what it knows to be its own (games/files.py), and never into the folders of the
shipped sources and books unless `--replace-shipped` is given. What cannot be written is refused before the work begins.
"""

from __future__ import annotations

import argparse
import errno
import functools
import multiprocessing
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec

from games import registry
from games.book import FOLDER, kind_of
from games.contract import Game
from games.files import Owns, check_owned
from games.kernel import jit

SHIPPED = tuple(Path(os.path.realpath(folder)) for folder in (Path(registry.__file__).parent, FOLDER))
"""Folders that only `--replace-shipped` writes into."""

WRONG_USAGE = 2

P = ParamSpec("P")


# ---------------------------------------------------------------- compiling


class _Compiling:
    """Reports kernels that are compiled because the cache lacks them: the first, every ten, and their number."""

    def __init__(self) -> None:
        self._count = 0

    def see(self, kernel: str) -> None:
        """Called by games.kernel.jit with each kernel that was compiled."""
        if self._count == 0:
            self._say("compiling kernels; later starts find them in the cache")
        self._count += 1
        if self._count % 10 == 0:
            self._say(f"{self._count} kernels compiled")

    def finish(self) -> None:
        """Called when what was being loaded is there."""
        if self._count:
            self._say(f"compiled all {self._count} kernels")
            self._count = 0

    @staticmethod
    def _say(line: str) -> None:
        print(line, file=sys.stderr, flush=True)


_compiling = _Compiling()
_is_program = Path(sys.argv[0]).resolve().parent == Path(__file__).resolve().parent
if _is_program and multiprocessing.current_process().name == "MainProcess":  # neither tests nor the workers of a pool
    jit.on_compile = _compiling.see


def load(name: str) -> Game:
    """`registry.load`, its compiling reported to the end."""
    game = registry.load(name)
    _compiling.finish()
    return game


# ---------------------------------------------------------------- command line


def command(main: Callable[P, int]) -> Callable[P, int]:
    """Decorate a script's `main`: a file that cannot be read or written ends it with one line and status 2."""

    @functools.wraps(main)
    def run(*args: P.args, **kwargs: P.kwargs) -> int:
        _compiling.finish()  # what the script's imports compiled
        try:
            return main(*args, **kwargs)
        except OSError as error:
            print(f"{Path(sys.argv[0]).name}: {reason(error)}", file=sys.stderr)
            raise SystemExit(WRONG_USAGE) from None

    return run


def reason(error: OSError) -> str:
    """What is wrong with which file, in one line."""
    text = error.strerror or str(error)
    return text if error.filename is None else f"{error.filename}: {text}"


def add_output(parser: argparse.ArgumentParser, what: str, required: bool = True) -> None:
    """Declare `--out` and `--replace-shipped`, of which one is given; `output` makes a path of them."""
    group = parser.add_mutually_exclusive_group(required=required)
    group.add_argument("--out", type=Path, metavar="PATH", help=f"write {what} here")
    group.add_argument("--replace-shipped", action="store_true", help=f"write {what} where the engine reads it")


def output(options: argparse.Namespace, shipped: Path, owns: Owns) -> Path:
    """The file to write, which is checked. OSError if it must not be written."""
    path = output_folder(options, shipped)
    check_output(path, owns)
    return path


def output_folder(options: argparse.Namespace, shipped: Path) -> Path:
    """The path that the options name; OSError if `--out` leads into what is shipped."""
    if options.replace_shipped:
        return shipped
    path: Path = options.out
    real = Path(os.path.realpath(path))
    if any(real.is_relative_to(folder) for folder in SHIPPED):
        raise OSError(errno.EPERM, "belongs to what is shipped; --replace-shipped writes there", str(path))
    return path


def check_output(path: Path, owns: Owns) -> None:
    """OSError if a file cannot be written, or must not be: it is there and not ours."""
    check_owned(path, owns)
    try:
        tempfile.TemporaryFile(dir=Path(os.path.realpath(path)).parent).close()
    except OSError as error:
        raise OSError(error.errno, f"cannot be written: {error.strerror}", str(path)) from None


def begins_with(text: str) -> Owns:
    """Ours are files that begin so."""
    return lambda head: head.startswith(text.encode())


def is_book(kind: str) -> Owns:
    """Ours are books of a kind."""
    return lambda head: kind_of(head) == kind
