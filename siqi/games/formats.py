"""The contract of file formats: each game has a table of them, `siqi/games/<game>/formats/table.py`.

A format's module reads a whole file into games and writes games into a whole file. All formats of a game share one kind
of game (`library.pgn.Game` in Xiangqi, `GameRecord` in the others), so each is converted into each. What a format
cannot store is in its row of the table; a writer leaves it out and counts it. Errors: a `ValueError` has one clear
line fit for the user.
"""

from __future__ import annotations

import importlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TextIO, cast

from siqi.system.encodings import check_encoding

if TYPE_CHECKING:
    from pathlib import Path

    from siqi.games.game_record import GameRecord, Note
    from siqi.games.game_tree import GameTree

MAX_BYTES = 256 << 20
"""The size of the biggest file that is read."""

HEAD_BYTES = 1 << 16
"""Bytes by which a format is recognised."""

MAX_LINE = 300
"""The most characters of a fault."""

FEATURES = ("games", "variations", "comments", "NAGs", "results", "positions")
"""Features of formats: several games, alternatives to moves, texts and NAGs at moves, results, first positions."""

Losses = Counter[str]
"""Kinds of content that a format could not hold, with counts."""


@dataclass
class ParsedFile:
    """The games of a file, a line for each fault, with its place, and one for all else that is left out."""

    games: list[Any] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class WrittenFile(NamedTuple):
    """A file's content, and what it could not hold."""

    data: bytes
    losses: Losses


class WriteStyle(NamedTuple):
    """The encoding and the notation of a written text, where the format leaves a choice."""

    encoding: str = ""  # "": the format's default
    notation: str = ""  # of moves; "": the format's default


DEFAULT_STYLE = WriteStyle()


class FormatModule(Protocol):
    """The module of one format or several that are alike."""

    def read(self, form: Format, data: bytes, encoding: str | None) -> ParsedFile:
        """Return the games of a file's content; ValueError if it is not in the format `form` at all.

        `encoding` is that of its texts, None to detect it. LookupError if it does not exist.
        """

    def write(self, form: Format, games: Sequence[Any], style: WriteStyle) -> WrittenFile:
        """Return the content of a file with these games; ValueError if one cannot be written at all.

        `style` has the format's defaults where the caller has no wish.
        """


class StreamModule(FormatModule, Protocol):
    """The module of a text format whose games are read and written one by one, as records."""

    annotate: Callable[[GameRecord, Mapping[int, Note], str], str] | None
    """Return the text that a game was read from, with these notes in place of any that Siqi inserted before.

    The notes are keyed by the number of moves played before them. The last argument is an encoding that can hold the
    text; the notes are written in characters that it can hold. None if the format cannot store notes.
    """

    def stream(self, handle: TextIO, skip: Callable[[str], None] = ...) -> Iterator[GameRecord]:
        """Yield the games of an open file, each read when it is requested.

        `next` raises ValueError for a malformed game, CutGameError if its moves before the fault can be played; the
        `next` after it continues after that game. `skip` gets all
        text that belongs to no game yielded, in the order of the file. If the format has no `annotate`, it also gets
        those texts of games that mean nothing to the reader.
        """

    def text(self, game: GameRecord) -> str:
        """Return a game's text; `game.source` is ignored. ValueError if the format cannot hold the game."""


class OpeningName(NamedTuple):
    """The name of a game's opening."""

    chinese: str
    english: str
    ply: int  # by which the game had reached it


class Notation(Protocol):
    """The module `siqi/games/<game>/formats/notation.py`: games as records, and moves as players write them."""

    NOTATIONS: tuple[str, ...]
    """Notations that players choose from, in addition to that of the file."""

    def record(self, game: Any) -> GameRecord:
        """Return the game's record, with its main line's moves as words of the protocol."""

    def comments(self, game: Any) -> dict[int, str]:
        """Return the comments on the main line, by the number of moves before them."""

    def tree(self, game: Any) -> GameTree:
        """Return the game with its variations."""

    def game(self, tree: GameTree) -> Any:
        """Return the game that the formats write for a tree; ValueError for a move that cannot be played."""

    def own_notation(self, game: Any) -> str:
        """Return the one of NOTATIONS that the game's own notation is a form of; '' if it is of none.

        `game`: None if it is from no file.
        """

    def opening(self, boards: Iterable[Mapping[str, str]]) -> OpeningName | None:
        """Return the opening of a game from the letters by point at the start position and after each move.

        None if it has no name.
        """

    def texts(self, game: Any, fen: str, words: Sequence[str]) -> list[tuple[str, ...]]:
        """Return for each move of a line its text in the game's own notation, then in each of NOTATIONS.

        `game`: None if it is from no file. `fen`: of the position before the line, '' for the start. ValueError for an
        illegal move.
        """


class RuleSettings(NamedTuple):
    """How rules of play are mined from games."""

    kind: str = "moves"  # one of RULE_KINDS
    items: str = "kind"  # one of RULE_ITEMS
    plies: int = 40  # at the start of each game; 0: whole games
    support: float = 0.02  # least share of the games
    position_support: float = 0.001  # least share of the positions, of rules that look at them
    confidence: float = 0.3
    longest: int = 2  # most moves, or situations, before the answer
    least: int = 3  # games or positions
    improvement: float = 0.0  # least gain of confidence by a condition
    phase: str = ""  # one of RULE_PHASES, the only one whose moves count; "": all
    winners: bool = False  # count only answers of the side that won
    ordered: bool = True  # the answer comes last; False: in any order


RULE_KINDS = ("moves", "situations", "both")
"""Rules that know the moves played, that know classes of positions, and both."""

RULE_ITEMS = ("kind", "identity")
"""Pieces of a kind are one, or each piece has its own number."""

RULE_PHASES = ("opening", "middle game", "ending")


class RuleTable(NamedTuple):
    """A table of a rule base."""

    name: str
    heading: tuple[str, ...]
    rows: Iterable[tuple[Any, ...]]


class RuleBases(Protocol):
    """The module `siqi/games/<game>/formats/rule_bases.py`: rules of play mined from games."""

    def records_in_lines(self, data: bytes, report: Callable[[str], None]) -> Iterator[GameRecord]:
        """Yield the games in JSON lines; `report` gets a line for each that is no game."""

    def mine(self, records: Iterable[GameRecord], settings: RuleSettings, report: Callable[[str], None]) -> Any:
        """Return a base mined from games, with its numbers of `games` and `items` and its `rules`.

        `report` gets a line for each game that is left out. ValueError for settings out of range.
        """

    def is_base(self, head: bytes) -> bool:
        """True if a file that begins with these bytes is a rule base."""

    def write(self, path: Path, base: Any, source: str, owns: Callable[[bytes], bool] | None = None) -> None:
        """Write a mined base into a file in one step; OSError if a file is there that is not ours (`owns`)."""

    def rule_lines(self, base: Any, notation: str) -> Iterator[str]:
        """Yield a line for each rule of a mined base."""

    def read(self, path: Path | None) -> Any:
        """Return the base of a file, None: the shipped one; ValueError if it cannot be used."""

    def lines(self, book: Any, notation: str) -> Iterator[str]:
        """Yield the lines that show a base that was read."""

    def tables(
        self,
        book: Any,
        records: Iterable[GameRecord] | None,
        notation: str,
        language: str,
        report: Callable[[str], None],
    ) -> Iterator[RuleTable]:
        """Yield the tables of a base that was read; the one of games only if there are `records`."""


class Format(NamedTuple):
    """A row of a game's table."""

    name: str
    about: str  # the programs that use it
    suffixes: tuple[str, ...]  # of file names, with their dots
    holds: frozenset[str]  # some of FEATURES
    tags: str  # the tags that it holds: "all", or their number
    recognises: Callable[[bytes], bool]  # by the first HEAD_BYTES
    module: str | FormatModule  # by its name, if it is costly to import
    is_text: bool = True
    notations: tuple[str, ...] = ()  # of moves, the default first; (): there is no choice
    encoding: str = "utf-8"  # of a text that does not show its own
    is_stream: bool = False  # its module is a StreamModule
    kind: str = ""  # with which the official names of a game's files begin
    sides: str = ""  # both sides' letters behind the teams in these names; "": none

    def load(self) -> FormatModule:
        """Return the module that reads and writes it, which may compile the game's kernels."""
        return self.module if not isinstance(self.module, str) else importlib.import_module(self.module)

    def load_stream(self) -> StreamModule:
        """Return the module of a format that `is_stream`."""
        assert self.is_stream
        return cast("StreamModule", self.load())

    def read(self, data: bytes, encoding: str | None = None) -> ParsedFile:
        """Return the games of a file's content; errors as of `FormatModule.read`."""
        if len(data) > MAX_BYTES:
            raise ValueError(f"more than the {MAX_BYTES >> 20} MiB that a file may have")
        if encoding:
            check_encoding(encoding)
        try:
            parsed = self.load().read(self, data, encoding)
        except ValueError as error:
            raise ValueError(_line(str(error))) from None
        parsed.faults, parsed.notes = list(map(_line, parsed.faults)), list(map(_line, parsed.notes))
        return parsed

    def write(self, games: Sequence[Any], style: WriteStyle = DEFAULT_STYLE) -> WrittenFile:
        """Return the content of a file with these games; errors as of `FormatModule.write`."""
        if style.encoding and not self.is_text:
            raise ValueError(f"{self.name} has an encoding of its own")
        if style.encoding:
            check_encoding(style.encoding)
        if style.notation and style.notation not in self.notations:
            choice = ", ".join(self.notations) or "no choice"
            raise ValueError(f"notations of {self.name}: {choice}")
        if len(games) > 1 and "games" not in self.holds:
            raise ValueError(f"{self.name} holds one game, not {len(games)}")
        style = WriteStyle(style.encoding or self.encoding, style.notation or "".join(self.notations[:1]))
        return self.load().write(self, games, style)


def ascii_of(head: bytes) -> bytes:
    """Return the ASCII of a text that may be UTF-16, without its byte order mark."""
    for mark in (b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf"):
        head = head.removeprefix(mark)
    return head.replace(b"\0", b"") if b"\0" in head[:2] else head


def begins(pattern: bytes) -> Callable[[bytes], bool]:
    """Return a recogniser of texts whose ASCII begins with a pattern."""
    beginning = re.compile(pattern)
    return lambda head: beginning.match(ascii_of(head)) is not None


def _line(text: str) -> str:
    """Return a text that may have parts of a file in it as one line."""
    shown = "".join(char if char.isprintable() else "?" for char in text)
    return shown if len(shown) <= MAX_LINE else f"{shown[:MAX_LINE]}..."


def left_out(kind: str, texts: Sequence[str]) -> list[str]:
    """Return a note with the number of texts left out and the first of them; [] if nothing was left out."""
    kept = [text.strip() for text in texts if text.strip()]
    return [f"{kind} left out: {len(kept)}, the first: {kept[0][:60]}"] if kept else []


def recognised(formats: Sequence[Format], data: bytes, file_name: str = "") -> Format | None:
    """Return a file's format, by its content first and by its name second; None if neither shows it."""
    fitting = [form for form in formats if form.recognises(data[:HEAD_BYTES])]
    return named_by_file(fitting, file_name) or next(iter(fitting), None) or named_by_file(formats, file_name)


def named_by_file(formats: Sequence[Format], file_name: str) -> Format | None:
    """Return the first format with the end of a file's name, None if there is none."""
    lower = file_name.lower()
    return next((form for form in formats if lower.endswith(form.suffixes)), None)


def encode(text: str, encoding: str, losses: Losses) -> bytes:
    """Return a text in an encoding, `?` in place of what it lacks, which is counted; LookupError if there is none."""
    try:
        return text.encode(encoding)
    except UnicodeEncodeError:
        data = text.encode(encoding, "replace")
        lacking = sum(not _can_hold(encoding, char) for char in set(text))
        losses[f"different characters that {encoding} lacks"] += lacking
        return data


def _can_hold(encoding: str, char: str) -> bool:
    try:
        char.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
