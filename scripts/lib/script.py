"""What every script does alike: its command line, what it may write, and telling when kernels are compiled.

The package imports it before anything else, and a script imports the package before the games, so that their compiling
is announced on standard error. A script writes only what did not exist or what it knows to be its own (games/files.py),
and never into the folders of the shipped sources and books unless `--replace-shipped` is given. What cannot be written
is refused before the work begins.
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
    """`announce_compiling` on standard error if a script is the program: not in tests, nor in the workers of a pool."""
    is_program = Path(sys.argv[0]).resolve().parent.parent.name == "scripts"
    if is_program and multiprocessing.current_process().name == "MainProcess":
        return announce_compiling(to_stderr, name)
    return contextlib.nullcontext()


_imports = contextlib.ExitStack()
_imports.enter_context(_announce("kernels"))  # to the end of the script's imports


def load(name: str) -> Game[Position]:
    """`registry.load`, its compiling announced."""
    with _announce(name):
        return registry.load(name)


@functools.cache
def load_once(name: str) -> Game[Position]:
    """`load`, once a process: a game's books may take longer than what is to be done with it."""
    return load(name)


# ---------------------------------------------------------------- command line


def command(main: Callable[P, int]) -> Callable[P, int]:
    """Decorate a script's `main`, so that one line on standard error ends it.

    Status 2: a file cannot be read (a second line says where the data comes from) or written; 1: a worker process was
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
    """A parser whose help is a script's docstring as it stands."""
    return argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)


def require(module: str, extra: str = "scripts") -> None:
    """OSError if a module of an extra is not installed."""
    if importlib.util.find_spec(module) is None:
        raise OSError(errno.EINVAL, f"is not installed: pip install -e '.[{extra}]'", module)


def progress(items: Iterable[Item] | None = None, unit: str = "it", **more: Any) -> tqdm[Item]:
    """A bar on a terminal, nothing elsewhere."""
    return tqdm(items, unit=unit, disable=not sys.stderr.isatty(), **more)


def data_of(main: Callable[P, int]) -> str:
    """What a script's docstring says of its data, in the paragraph that begins so; else nothing."""
    paragraphs = (sys.modules[main.__module__].__doc__ or "").split("\n\n")
    return "".join(" ".join(text.split()) for text in paragraphs if text.startswith("Data: "))


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
    if is_shipped(path):
        raise OSError(errno.EPERM, "belongs to what is shipped; --replace-shipped writes there", str(path))
    return path


def is_shipped(path: Path) -> bool:
    """True if a path leads into what is shipped."""
    return any(Path(os.path.realpath(path)).is_relative_to(folder) for folder in SHIPPED)


def work_folder(path: Path) -> Path:
    """Make a folder for logs, if it is missing. OSError if it leads into what is shipped or cannot be made."""
    if is_shipped(path):
        raise OSError(errno.EPERM, "belongs to what is shipped", str(path))
    path.mkdir(parents=True, exist_ok=True)
    return path


def check_output(path: Path, owns: Owns) -> None:
    """OSError if a file cannot be written, or must not be: it is there and not ours."""
    check_owned(path, owns)
    try:
        tempfile.TemporaryFile(dir=Path(os.path.realpath(path)).parent).close()
    except OSError as error:
        raise OSError(errno.EINVAL, f"cannot be written: {error.strerror}", str(path)) from None


def begins_with(text: str) -> Owns:
    """Ours are files that begin so."""
    return lambda head: head.startswith(text.encode())


def is_book(kind: str) -> Owns:
    """Ours are books of a kind."""
    return lambda head: book_kind(head) == kind
