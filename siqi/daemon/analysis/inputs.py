"""The inputs of `siqi analyse`: lines of JSON, FENs, or games in any format, recognised by their beginning."""

from __future__ import annotations

import argparse
import io
import re
from collections.abc import Iterator
from typing import NamedTuple

from siqi.daemon.commands.game_files import CommandError, GameFormat, GameSource, Report, choose, read_games, record_of
from siqi.games import registry
from siqi.games.formats import HEAD_BYTES, MAX_BYTES, Format
from siqi.games.game_record import GameRecord
from siqi.system.encodings import mark_of

JSON, FEN, RECORD = "json", "fen", "record"
WORDS = (JSON, FEN, RECORD)
"""Words of `--from` in addition to the names of file formats."""


_QUERY = re.compile(rb'\s*\{\s*["}]')
_JSON_NAMES = (".json", ".jsonl", ".ndjson")


def format_names() -> set[str]:
    """Return the names of all games' file formats."""
    return {one.name for game in registry.NAMES for one in registry.formats(game)}


class InputKind(NamedTuple):
    """The kind of an input: its game, its form and its encoding."""

    way: str  # JSON, FEN or RECORD, or '': it is read whole
    game: str
    choice: GameFormat | None = None  # None: the command line has said what it is

    def __str__(self) -> str:
        if self.way == JSON:
            return "queries"
        return f"{self.way if self.choice is None else self.choice.format.name}, {self.game}"


def kind_of(name: str, head: bytes, options: argparse.Namespace) -> InputKind:
    """Return the kind of an input by its first bytes, its name, and the options; CommandError if nothing shows it.

    Standard input that is no game counts as JSON, and so does a file with a name of JSON.
    """
    game = options.game or registry.DEFAULT_GAME
    if options.format in (JSON, FEN, RECORD):
        return InputKind(options.format, game)
    if options.format is None and _is_json(head):
        return InputKind(JSON, game)
    try:
        choice = choose(GameSource(name, head[:HEAD_BYTES], options.game or "", options.format or ""))
    except CommandError:
        if options.format is None and (name == "-" or name.lower().endswith(_JSON_NAMES)):
            return InputKind(JSON, game)
        raise
    return InputKind(_way(choice.format), choice.game, choice)


def _way(one: Format) -> str:
    """Return the word of `--from` for a format that is read game by game or line by line; '' for the others."""
    return RECORD if one.is_stream else FEN if one.name == "fens" else ""


def _is_json(head: bytes) -> bool:
    mark, encoding = mark_of(head)
    text = head[len(mark) :]
    return _QUERY.match(text if encoding == "utf-8" else text.decode(encoding, "ignore").encode()) is not None


def json_lines(source: io.BufferedReader, head: bytes) -> Iterator[str | bytes]:
    """Yield the lines of an input without its byte order mark; the lines of UTF-16 and UTF-32, which a mark shows, are
    text."""
    mark, encoding = mark_of(head)
    if encoding == "utf-8":
        for line in source:
            yield line.removeprefix(mark)
            mark = b""
    else:
        yield from (line.removeprefix("\ufeff") for line in io.TextIOWrapper(source, encoding, "replace"))


def read_whole(
    name: str, source: io.BufferedReader, kind: InputKind, encoding: str, report: Report
) -> tuple[list[GameRecord], int]:
    """Return an input's games, and the number of its faults, which `report` gets; ValueError if it has no game."""
    assert kind.choice is not None
    data = source.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ValueError(f"{name}: more than the {MAX_BYTES >> 20} MiB that a file may have")
    found = read_games(GameSource(name, data, encoding=encoding), kind.choice, report)
    return [record_of(kind.game, one) for one in found.games], len(found.faults)
