"""The frame of every script: command line, outputs, and a message while kernels are compiled.

The package `scripts` imports this module before anything else, and a script imports the package before the games, so
that their compiling is announced on standard error. A script writes only files that did not exist or are its own
(siqi/system/files.py). Only with `--replace-shipped` does it write into the folders of the shipped sources and books.
An output that cannot be written is refused before the work begins.
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
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from siqi.daemon.cluster import node
from siqi.daemon.cluster.errors import ClusterError
from siqi.daemon.cluster.jobs import MAX_CALLS, Jobs, completed
from siqi.daemon.cluster.progress import Bar
from siqi.daemon.cluster.remote import Cluster, check_address
from siqi.games import registry
from siqi.games.books.book import BOOKS_FOLDER, book_kind
from siqi.games.compiling import announce_compiling
from siqi.games.contract import Game, Position
from siqi.system.files import Owns, check_owned
from siqi.system.pipes import to_stderr

SHIPPED = tuple(Path(os.path.realpath(folder)) for folder in (Path(registry.__file__).parent, BOOKS_FOLDER))
"""Folders that only `--replace-shipped` writes into."""

FAILED, WRONG_USAGE, INTERRUPTED = 1, 2, 130

P = ParamSpec("P")
Item = TypeVar("Item")
Task = TypeVar("Task")
Result = TypeVar("Result")


# ---------------------------------------------------------------- compiling


def _announce(name: str) -> contextlib.AbstractContextManager[None]:
    """Announce compiling on standard error if a script is the program: not in tests, nor in the workers of a pool."""
    is_program = Path(sys.argv[0]).resolve().is_relative_to(Path(__file__).resolve().parents[1])
    if is_program and multiprocessing.current_process().name == "MainProcess":
        return announce_compiling(to_stderr, name)
    return contextlib.nullcontext()


_imports = contextlib.ExitStack()
_imports.enter_context(_announce("kernels"))  # to the end of the script's imports


def load(name: str) -> Game[Position]:
    """Load a game and announce its compiling; report books that cannot be used on standard error."""
    with _announce(name):
        return node.load(name, to_stderr)


@functools.cache
def load_once(name: str) -> Game[Position]:
    """Load a game once per process: its books may take longer to open than the work with it."""
    return load(name)


# ---------------------------------------------------------------- command line


def command(main: Callable[P, int]) -> Callable[P, int]:
    """Decorate a script's `main`, so that an error ends it with one line on standard error and an exit status.

    Status 2: a file cannot be read (a second line names the source of the data) or written; 1: a worker process was
    killed, or a cluster cannot be used; 130: Ctrl-C.
    """

    def end(why: str, status: int) -> SystemExit:
        print(f"{program()}: {why}", file=sys.stderr)
        return SystemExit(status)

    @functools.wraps(main)
    def run(*args: P.args, **kwargs: P.kwargs) -> int:
        _imports.close()
        try:
            return main(*args, **kwargs)
        except FileNotFoundError as error:
            raise end("\n".join(filter(None, (error_line(error), data_of(main)))), WRONG_USAGE) from None
        except OSError as error:
            raise end(error_line(error), WRONG_USAGE) from None
        except BrokenProcessPool:
            raise end("a worker process was killed", FAILED) from None
        except ClusterError as error:
            raise end(str(error), FAILED) from None
        except KeyboardInterrupt:
            raise end("interrupted", INTERRUPTED) from None

    return run


def program() -> str:
    """Return the name of the command that runs: its file's, or its package's."""
    path = Path(sys.argv[0])
    return path.parent.name if path.name == "__main__.py" else path.name


def parser(doc: str | None) -> argparse.ArgumentParser:
    """Return a parser whose help is a script's docstring, its lines unchanged."""
    return argparse.ArgumentParser(program(), description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)


def require(module: str, extra: str = "scripts") -> None:
    """Check that a module is installed; OSError, naming its extra, if it is not."""
    if importlib.util.find_spec(module) is None:
        raise OSError(errno.EINVAL, f"is not installed: pip install -e '.[{extra}]'", module)


DEFAULT_LIMIT_S = 6 * 3600.0


def add_jobs(parser: argparse.ArgumentParser, default: int = 1, what: str = "processes that share the work") -> None:
    """Declare `--jobs` and `--cluster`, which the function `jobs` reads, and `--json-progress`."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--jobs", type=int, default=default, help=what)
    add_cluster(parser, group)


def add_cluster(parser: argparse.ArgumentParser, group: argparse._ActionsContainer) -> None:
    """Declare `--cluster` in a group of exclusive options, its limit, and `--json-progress`."""
    where = "local:N, tcp://HOST:PORT or tls://HOST:PORT: on the workers of a Dask cluster (docs/guide/cluster.md)"
    group.add_argument("--cluster", type=_address, metavar="WHERE", help=where)
    limit = "on a cluster: work that takes longer is given to another worker; 0: never (default: 6 hours)"
    parser.add_argument("--job-limit", type=float, default=DEFAULT_LIMIT_S, metavar="S", help=limit)
    parser.add_argument("--json-progress", action=_JsonProgress, help="progress on standard error as lines of JSON")


def jobs(options: argparse.Namespace) -> Jobs:
    """Return the processes or the cluster that the options choose for the work."""
    return cluster(options) or int(options.jobs)


def cluster(options: argparse.Namespace) -> Cluster | None:
    """Return the cluster that the options name; None: this machine."""
    return None if options.cluster is None else Cluster(options.cluster, options.job_limit)


def finished(
    function: Callable[[Task], Result], tasks: Iterable[Task], jobs: Jobs, most_calls: int = MAX_CALLS
) -> Generator[list[Result]]:
    """Yield the results of tasks as they finish, as `completed` does; one job works in this process."""
    if jobs == 1:
        return ([function(task)] for task in tasks)
    return completed(function, tasks, jobs, most_calls=most_calls)


def _address(text: str) -> str:
    try:
        return check_address(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


class _JsonProgress(argparse.Action):
    """Switches the form of all bars of the process."""

    is_on = False

    def __init__(self, option_strings: Sequence[str], dest: str, **more: Any) -> None:
        super().__init__(option_strings, dest, nargs=0, default=False, **more)

    def __call__(self, parser: argparse.ArgumentParser, options: argparse.Namespace, *_: object) -> None:
        _JsonProgress.is_on = True
        setattr(options, self.dest, True)


def progress(items: Iterable[Item] | None = None, unit: str = "it", **more: Any) -> Bar:
    """Return a progress bar on a terminal, a silent one elsewhere; with `--json-progress` one of JSON lines."""
    return Bar(items, unit=unit, as_json=_JsonProgress.is_on, disable=not shows_progress(), **more)


def shows_progress() -> bool:
    """True if progress is visible: as a bar on a terminal, or as JSON."""
    return _JsonProgress.is_on or sys.stderr.isatty()


def data_of(main: Callable[P, int]) -> str:
    """Return the paragraph of a script's docstring that begins with `Data: `; empty if there is none."""
    paragraphs = (sys.modules[main.__module__].__doc__ or "").split("\n\n")
    return "".join(" ".join(text.split()) for text in paragraphs if text.startswith("Data: "))


def error_line(error: OSError) -> str:
    """Return the file and the error in one line."""
    text = error.strerror or str(error)
    return text if error.filename is None else f"{error.filename}: {text}"


def add_output(parser: argparse.ArgumentParser, what: str, required: bool = True) -> None:
    """Declare `--out` and `--replace-shipped`, of which one is given; `output_file` makes a path of them."""
    group = parser.add_mutually_exclusive_group(required=required)
    group.add_argument("--out", type=Path, metavar="PATH", help=f"write {what} here")
    group.add_argument("--replace-shipped", action="store_true", help=f"write {what} where the engine reads it")


def output_file(options: argparse.Namespace, shipped: Path, owns: Owns) -> Path:
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


def check_distinct(*paths: Path | None) -> None:
    """Check that no two outputs have the same path; OSError if they have."""
    real = [os.path.realpath(path) for path in paths if path is not None]
    for number, path in enumerate(real):
        if path in real[:number]:
            raise OSError(errno.EINVAL, "cannot be two of the files to be written", path)


def begins_with(text: str) -> Owns:
    """Return a test for files that begin with a text."""
    return lambda head: head.startswith(text.encode())


def is_book(kind: str) -> Owns:
    """Return a test for books of a kind."""
    return lambda head: book_kind(head) == kind
