"""The inputs of `siqi analyse`: lines of JSON, FENs, or games in any format, recognised by their beginning."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TextIO

from siqi.daemon.analysis.fen_tables import FenColumn, fen_column
from siqi.daemon.analysis.query import Query
from siqi.daemon.commands.game_files import CommandError, GameFormat, GameSource, Report, choose, read_games, record_of
from siqi.games import registry
from siqi.games.formats import HEAD_BYTES, MAX_BYTES, Format
from siqi.games.game_record import GameRecord, check_moves
from siqi.games.records.position_lines import read_line
from siqi.system.encodings import Text, mark_of

JSON, FEN, TABLE, RECORD = "json", "fen", "csv", "record"
WORDS = (JSON, FEN, TABLE, RECORD)
"""Words of `--from` in addition to the names of file formats."""


_QUERY = re.compile(rb'\s*\{\s*["}]')
_JSON_NAMES = (".json", ".jsonl", ".ndjson")
_TABLE_NAMES = (".csv", ".tsv")


def format_names() -> set[str]:
    """Return the names of all games' file formats."""
    return {form.name for game in registry.NAMES for form in registry.formats(game)}


class InputKind(NamedTuple):
    """The kind of an input: its game, its form and its encoding."""

    way: str  # one of WORDS, or '': it is read whole
    game: str
    choice: GameFormat | None = None  # None: the command line has said what it is, or it has no games
    column: FenColumn | None = None  # of a TABLE

    @property
    def is_detected(self) -> bool:
        """True if the content has shown what it is, which the user should know."""
        return self.choice is not None or self.column is not None

    @property
    def has_tags(self) -> bool:
        """True if it is of games, which have tags."""
        return self.way not in (JSON, FEN, TABLE)

    @property
    def id_name(self) -> str:
        """The words for an answer's id, which stands for {}."""
        return {JSON: "query {}", FEN: "line {}", TABLE: "row {}"}.get(self.way, "game {}")

    def __str__(self) -> str:
        if self.way == JSON:
            return "queries"
        if self.column is not None:
            return f"FENs of column {self.column}, {self.game}"
        return f"{self.way if self.choice is None else self.choice.format.name}, {self.game}"


class OpenInput(NamedTuple):
    """An input that is open."""

    source: io.BufferedReader
    head: bytes
    kind: InputKind
    text: Text | None  # its text, if it is read game by game or line by line


def kind_of(name: str, head: bytes, game: str, form: str) -> InputKind:
    """Return the kind of an input by its first bytes, its name, and the game and the format that the user has named.

    '' for what is to be detected; CommandError if nothing shows it. A table has FENs in a column that its heading
    names, or in any if its name is a table's or it is nothing else. Standard input that is no game and no table counts
    as JSON, and so does a file with a name of JSON.
    """
    default = game or registry.DEFAULT_GAME
    if form in (JSON, FEN, RECORD):
        return InputKind(form, default)
    if not form and _is_json(head):
        return InputKind(JSON, default)
    column = fen_column(head) if form in ("", TABLE) else None
    is_table = form == TABLE or name.lower().endswith(_TABLE_NAMES)
    if form != TABLE and (column is None or not (is_table or column.is_named)):
        try:
            by_name = name if column is None else ""  # FENs say more than a name that other files have, too
            choice = choose(GameSource(by_name, head[:HEAD_BYTES], game, form))
            return InputKind(_way(choice.format), choice.game, choice)
        except CommandError:
            if column is None and not is_table:
                if not form and (name == "-" or name.lower().endswith(_JSON_NAMES)):
                    return InputKind(JSON, default)
                raise
    if column is None:
        raise CommandError(f"{name}: a table without a column of FENs; its first line may name one fen")
    return InputKind(TABLE, game or column.game or default, column=column)


def _way(form: Format) -> str:
    """Return the word of `--from` for a format that is read game by game or line by line; '' for the others."""
    return RECORD if form.is_stream else FEN if form.name == "fens" else ""


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
    parsed = read_games(GameSource(name, data, encoding=encoding), kind.choice, report)
    return [record_of(kind.game, record) for record in parsed.games], len(parsed.faults)


def queries_of_fens(handle: Iterable[str], game: str, prefix: str = "") -> Iterator[Query]:
    """Yield the query of each line: a FEN, and `moves ...` if there are any. Its id ends with the number of the line.

    Comments and the operations of EPD are left out (siqi/games/records/position_lines.py).
    """
    for number, line in enumerate(handle, 1):
        if (parts := read_line(line)) is not None:
            fen = "" if parts.start == "startpos" else parts.start
            yield Query(f"{prefix}{number}", game, fen=fen, moves=parts.moves)


def records_of(handle: TextIO, game: str, skip: Callable[[str], None]) -> Iterator[GameRecord | ValueError]:
    """Yield the games of a file, and an error for each with a fault; `skip` as for `StreamModule.stream`.

    It is a CutGameError if its first moves can be played. UnicodeError if the text cannot be decoded; that ends the
    reading, a bad game does not.
    """
    games = registry.record_format(game).load_stream().stream(handle, skip)
    loaded = registry.load(game) if registry.notation(game) is None else None  # else the reader checks the moves itself
    while True:
        try:
            record = next(games)
            if loaded is not None:
                check_moves(loaded, record)
            yield record
        except StopIteration:
            return
        except UnicodeError:
            raise
        except ValueError as error:
            yield error


def query_of_record(name: str, game: str, record: GameRecord) -> Query:
    """Return the query for every position of a game."""
    turns = tuple(range(len(record.moves) + 1))
    return Query(name, game, fen=record.fen, moves=record.moves, dice=record.dice, analyseTurns=turns)
