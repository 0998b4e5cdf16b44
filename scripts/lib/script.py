"""The frame of every script: its command line, its outputs, and the announcement that kernels are compiled.

The package imports this module before anything else, and a script imports the package before the games, so that their
compiling is announced on standard error. A script writes only files that did not exist or are its own (games/files.py),
and never into the folders of the shipped sources and books unless `--replace-shipped` is given. An output that cannot
be written is refused before the work begins.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import functools
import importlib.util
import multiprocessing
import os
import sys
import tempfile
from collections.abc import Callable, Iterable
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from tqdm import tqdm

from games import registry
from games.books.book import BOOKS_FOLDER, book_kind
from games.compiling import announce_compiling, to_stderr
from games.contract import Game, Position
from games.files import Owns, check_owned

SHIPPED = tuple(Path(os.path.realpath(folder)) for folder in (Path(registry.__file__).parent, BOOKS_FOLDER))
"""Folders that only `--replace-shipped` writes into."""

FAILED, WRONG_USAGE, INTERRUPTED = 1, 2, 130

P = ParamSpec("P")
Item = TypeVar("Item")


# ---------------------------------------------------------------- compiling


def _announce(name: str) -> contextlib.AbstractContextManager[None]:
    """Announce compiling on standard error if a script is the program: not in tests, nor in the workers of a pool."""
    is_program = Path(sys.argv[0]).resolve().parent.parent.name == "scripts"
    if is_program and multiprocessing.current_process().name == "MainProcess":
        return announce_compiling(to_stderr, name)
    return contextlib.nullcontext()


_imports = contextlib.ExitStack()
_imports.enter_context(_announce("kernels"))  # to the end of the script's imports


def load(name: str) -> Game[Position]:
    """Load a game, its compiling announced."""
    with _announce(name):
        return registry.load(name)


@functools.cache
def load_once(name: str) -> Game[Position]:
    """Load a game once a process: its books may take longer to open than the work with it."""
    return load(name)


# ---------------------------------------------------------------- command line


def command(main: Callable[P, int]) -> Callable[P, int]:
    """Decorate a script's `main`, so that an error ends it with one line on standard error and an exit status.

    Status 2: a file cannot be read (a second line names the source of the data) or written; 1: a worker process was
    killed; 130: Ctrl-C.
    """

    def end(why: str, status: int) -> SystemExit:
        print(f"{Path(sys.argv[0]).name}: {why}", file=sys.stderr)
        return SystemExit(status)

    @functools.wraps(main)
    def run(*args: P.args, **kwargs: P.kwargs) -> int:
        _imports.close()
        try:
            return main(*args, **kwargs)
        except FileNotFoundError as error:
            raise end("\n".join(filter(None, (reason(error), data_of(main)))), WRONG_USAGE) from None
        except OSError as error:
            raise end(reason(error), WRONG_USAGE) from None
        except BrokenProcessPool:
            raise end("a worker process was killed", FAILED) from None
        except KeyboardInterrupt:
            raise end("interrupted", INTERRUPTED) from None

    return run


def parser(doc: str | None) -> argparse.ArgumentParser:
    """Return a parser whose help is a script's docstring, its lines unchanged."""
    return argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)


def require(module: str, extra: str = "scripts") -> None:
    """Check that a module is installed; OSError, naming its extra, if it is not."""
    if importlib.util.find_spec(module) is None:
        raise OSError(errno.EINVAL, f"is not installed: pip install -e '.[{extra}]'", module)


def progress(items: Iterable[Item] | None = None, unit: str = "it", **more: Any) -> tqdm[Item]:
    """Return a progress bar on a terminal, a silent one elsewhere."""
    return tqdm(items, unit=unit, disable=not sys.stderr.isatty(), **more)


def data_of(main: Callable[P, int]) -> str:
    """Return the paragraph of a script's docstring that begins with `Data: `; empty if there is none."""
    paragraphs = (sys.modules[main.__module__].__doc__ or "").split("\n\n")
    return "".join(" ".join(text.split()) for text in paragraphs if text.startswith("Data: "))


def reason(error: OSError) -> str:
    """Return the file and the error in one line."""
    text = error.strerror or str(error)
    return text if error.filename is None else f"{error.filename}: {text}"


def add_output(parser: argparse.ArgumentParser, what: str, required: bool = True) -> None:
    """Declare `--out` and `--replace-shipped`, of which one is given; `output` makes a path of them."""
    group = parser.add_mutually_exclusive_group(required=required)
    group.add_argument("--out", type=Path, metavar="PATH", help=f"write {what} here")
    group.add_argument("--replace-shipped", action="store_true", help=f"write {what} where the engine reads it")


def output(options: argparse.Namespace, shipped: Path, owns: Owns) -> Path:
    """Return the file to write; OSError if it must not be written."""
    path = output_folder(options, shipped)
    check_output(path, owns)
    return path


def output_folder(options: argparse.Namespace, shipped: Path) -> Path:
    """Return the path that the options name; OSError if `--out` leads into a shipped folder."""
    if options.replace_shipped:
        return shipped
    path: Path = options.out
    if is_shipped(path):
        raise OSError(errno.EPERM, "belongs to what is shipped; --replace-shipped writes there", str(path))
    return path


def is_shipped(path: Path) -> bool:
    """True if a path leads into a shipped folder."""
    return any(Path(os.path.realpath(path)).is_relative_to(folder) for folder in SHIPPED)


def work_folder(path: Path) -> Path:
    """Make a folder for logs, if it is missing. OSError if it leads into a shipped folder or cannot be made."""
    if is_shipped(path):
        raise OSError(errno.EPERM, "belongs to what is shipped", str(path))
    path.mkdir(parents=True, exist_ok=True)
    return path


def check_output(path: Path, owns: Owns) -> None:
    """Check that a file can be written; OSError if not, or if it exists and is not ours."""
    check_owned(path, owns)
    try:
        tempfile.TemporaryFile(dir=Path(os.path.realpath(path)).parent).close()
    except OSError as error:
        raise OSError(errno.EINVAL, f"cannot be written: {error.strerror}", str(path)) from None


def begins_with(text: str) -> Owns:
    """Return a test for files that begin with a text."""
    return lambda head: head.startswith(text.encode())


def is_book(kind: str) -> Owns:
    """Return a test for books of a kind."""
    return lambda head: book_kind(head) == kind
