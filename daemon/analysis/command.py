"""`siqi analyse` from the command line: files, formats, progress."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec

from daemon.analysis.batch import DEFAULT_NODES, Batch, Settings, finals
from daemon.analysis.formats import Annotated, Table, queries_of_fens, query_of_record, records_of
from games import registry

INTERRUPTED = 130


def add_arguments(found: argparse.ArgumentParser) -> None:
    found.description = "Analyse positions: a JSON object a line in, a JSON object a line out (see protocol.md)."
    found.add_argument("input", nargs="?", type=Path, help="a file; without it standard input")
    found.add_argument("--workers", type=positive, default=1, help="positions looked at at the same time")
    found.add_argument("--threads", type=positive, default=1, help="of a search")
    found.add_argument("--hash", type=positive, default=16, metavar="MIB", help="memory of a search")
    found.add_argument("--nodes", type=positive, default=0, help=f"for queries without a limit ({DEFAULT_NODES})")
    found.add_argument("--depth", type=positive, default=0, help="likewise")
    found.add_argument("--movetime", type=positive, default=0, metavar="MS", help="likewise")
    found.add_argument("--game", choices=registry.NAMES, default="xiangqi", help="of FENs and records")
    found.add_argument("--format", choices=("json", "fen", "record"), default="json", help="of the input")
    found.add_argument("--encoding", help="of records, if not the usual one")
    found.add_argument("--output", choices=("json", "csv", "record"), default="json", help="record: with comments")
    found.add_argument("--resume", type=Path, metavar="FILE", help="append the answers to FILE; skip what it has")


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def analyse_with(options: argparse.Namespace) -> int:
    """The exit status."""
    if options.resume is not None and options.output != "json":
        print("siqi analyse: --resume needs --output json", file=sys.stderr)
        return 2
    if options.output == "record" and options.format != "record":
        print("siqi analyse: --output record needs --format record", file=sys.stderr)
        return 2
    nodes = options.nodes or (0 if options.depth or options.movetime else DEFAULT_NODES)
    settings = Settings(options.workers, options.threads, options.hash, nodes, options.depth, options.movetime)
    try:
        done = finals(answers_of(options.resume)) if options.resume is not None else frozenset()
        with contextlib.ExitStack() as stack:
            handle = stack.enter_context(opened(options))
            out = stack.enter_context(options.resume.open("ab")) if options.resume else sys.stdout.buffer
            progress = stack.enter_context(Progress())
            return analyse(options, settings, handle, out, progress, done)
    except (OSError, LookupError) as error:  # LookupError: an encoding that nobody knows
        print(f"siqi analyse: {error}", file=sys.stderr)
        return 1


def opened(options: argparse.Namespace) -> Any:
    """The input: bytes of JSON lines, text otherwise."""
    is_json = options.format == "json"
    encoding = options.encoding or (registry.records(options.game).ENCODING if options.format == "record" else "utf-8")
    if options.input is not None:
        return options.input.open("rb") if is_json else options.input.open(encoding=encoding, errors="replace")
    if is_json:
        return contextlib.nullcontext(sys.stdin.buffer)
    sys.stdin.reconfigure(encoding=encoding, errors="replace")  # type: ignore[union-attr]
    return contextlib.nullcontext(sys.stdin)


def analyse(
    options: argparse.Namespace,
    settings: Settings,
    handle: Any,
    out: Any,
    progress: Progress,
    done: frozenset[tuple[str, int]],
) -> int:
    def say(text: str) -> None:
        put(text.encode() + b"\n")

    def put(line: bytes) -> None:
        try:
            out.write(line)
            out.flush()
        except BrokenPipeError:
            os._exit(0)  # nobody reads any more
        except OSError as error:  # a full disk
            print(f"siqi analyse: {error}", file=sys.stderr, flush=True)
            os._exit(1)

    def say_json(answer: dict[str, Any]) -> None:
        put(msgspec.json.encode(answer) + b"\n")

    write: Callable[[dict[str, Any]], None] = say_json
    annotated = Annotated(say, options.game) if options.output == "record" else None
    if annotated is not None:
        write = annotated
    elif options.output == "csv":
        write = Table(say)

    def write_and_count(answer: dict[str, Any]) -> None:
        write(answer)
        progress.see(answer)

    batch = Batch(settings, write_and_count, progress.expect, done)

    def feed() -> None:
        if options.format == "json":
            for line in handle:
                if line.strip():
                    batch.take(line)
        elif options.format == "fen":
            for query in queries_of_fens(handle, options.game):
                batch.ask(query)
        else:
            number = 0
            for number, record in enumerate(records_of(handle, options.game), 1):
                if isinstance(record, ValueError):
                    batch.complain(str(record), str(number))
                    if options.output == "record":
                        print(f"siqi analyse: game {number}: {record}", file=sys.stderr)
                    continue
                if annotated is not None:
                    annotated.expect(str(number), record)
                batch.ask(query_of_record(str(number), options.game, record))
            if not number:
                print(f"siqi analyse: no record of {options.game} in the input", file=sys.stderr)

    try:
        batch.run(feed)
    except KeyboardInterrupt:
        batch.stop()
        return INTERRUPTED
    return 0


def answers_of(path: Path) -> Iterable[dict[str, Any]]:
    """The answers that a file has; a last line that was cut short is cut off."""
    if not path.exists():
        return
    with path.open("rb+") as file:
        read = whole = 0
        for line in file:
            read += len(line)
            with contextlib.suppress(msgspec.DecodeError):
                answer = msgspec.json.decode(line)
                whole = read if line.endswith(b"\n") else whole
                if isinstance(answer, dict) and whole == read:
                    yield answer
        file.truncate(whole)


class Progress:
    """A bar on standard error where that is a terminal: positions, rate, time left."""

    def __enter__(self) -> Progress:
        self._bar: Any = None
        if sys.stderr.isatty():
            from tqdm import tqdm

            self._bar = tqdm(total=0, unit=" positions", file=sys.stderr, dynamic_ncols=True)
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def expect(self) -> None:
        """A position more has been read."""
        if self._bar is not None:
            self._bar.total += 1

    def see(self, answer: dict[str, Any]) -> None:
        if self._bar is not None and not answer.get("isDuringSearch", "turn" not in answer):
            self._bar.update()
