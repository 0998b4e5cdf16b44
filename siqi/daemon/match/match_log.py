"""The settings and the games of a match, and the log that holds both."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from siqi.daemon.clients.player import EngineSpec
from siqi.daemon.match.game_loop import Agreement
from siqi.system.log import Log


class UsageError(Exception):
    """The settings of the match are wrong or contradict each other."""


class MatchSettings(msgspec.Struct, frozen=True):
    """All settings of a match or a tournament; the first line of its log."""

    game: str
    engines: tuple[EngineSpec, ...]  # A, B; or all of a tournament
    games: int = 100  # per pairing
    concurrency: int = 1
    seed: int = 1  # for throws, order of openings, random movers
    openings: str = ""  # path of a file
    openings_sha256: str = ""
    sprt: tuple[float, float] | None = None  # elo0, elo1
    max_plies: int = 0  # 0: only the rules end a game
    margin_ms: int = 50
    hang_s: float = 60.0
    referee: str = "siqi"  # siqi | pyffish: the library whose rules judge
    best_of: int = 0  # most games of a series; `games` then counts series
    agreement: Agreement | None = None  # of both engines' scores, which decides a game
    tournament: str = ""  # gauntlet | round-robin; empty: a match of two
    tablebases: bool = False  # exact values decide a game

    @property
    def pairings(self) -> list[tuple[int, int]]:
        """Return the engines, A and B, of each pairing; pair (or series) k belongs to pairing k modulo their number."""
        pairings = list(itertools.combinations(range(len(self.engines)), 2))
        return [pairing for pairing in pairings if pairing[0] == 0 or self.tournament != "gauntlet"]


class MatchRecord(msgspec.Struct, frozen=True):
    """One finished game; a line of the log. Engines are 0 for A and 1 for B of the game's pairing."""

    game: int
    pair: int
    first: int  # the engine on the first side
    players: tuple[str, str]  # names, the first side's first
    opening: str
    dice: list[int]
    moves: list[str]  # the opening's included
    plies: int
    winner: int | None
    cause: str  # rules | illegal | crash | time | adjudicated
    reason: str
    time_ms: tuple[int, int]  # used by A, B

    @property
    def score(self) -> float:
        """Return A's points."""
        return 0.5 if self.winner is None else 1.0 - self.winner


def seating(settings: MatchSettings, index: int) -> tuple[int, int]:
    """Return the pair or series that a game belongs to, and the engine on the first side.

    In a series sides change by the championships' rule.
    """
    if not settings.best_of:
        return divmod(index, 2)
    series, number = divmod(index, settings.best_of)
    return series, int(number % 4 in (1, 2)) ^ series % 2


def missing(settings: MatchSettings, records: Sequence[MatchRecord]) -> list[list[int]]:
    """Return the games still to be played, a list for each series: played in order, until the series is decided."""
    played = {record.game for record in records}
    if not settings.best_of:
        return [[index] for index in range(settings.games * len(settings.pairings)) if index not in played]
    decided = {series for series, scores in series_scores(records).items() if is_decided(scores, settings)}
    groups = []
    for series in sorted(set(range(settings.games)) - decided):
        first = series * settings.best_of
        groups.append([index for index in range(first, first + settings.best_of) if index not in played])
    return groups


def is_decided(scores: Iterable[float], settings: MatchSettings) -> bool:
    """True if one engine has more than half of a series' points."""
    return 2 * max(scores) > settings.best_of


def series_scores(records: Iterable[MatchRecord]) -> dict[int, list[float]]:
    """Return the points of A and B in each series."""
    scores: dict[int, list[float]] = {}
    for record in records:
        score = scores.setdefault(record.pair, [0.0, 0.0])
        score[0] += record.score
        score[1] += 1 - record.score
    return scores


def open_log(path: Path, settings: MatchSettings) -> tuple[Log, list[MatchRecord]]:
    """Open a log, and return it with the games it holds.

    OSError if the file is not a match's log, or another process writes it. UsageError if it is the log of another
    match; only the number of games and the concurrency may differ.
    """
    header = msgspec.json.encode(settings)
    reader = Reader()

    def owns(head: bytes) -> bool:
        return re.match(rb'\{"game":"\w+","engines":\[\{', head) is not None or header.startswith(head)

    def read(line: bytes) -> None:
        if reader.read(line) is None:
            for name in MatchSettings.__struct_fields__:
                old, new = getattr(reader.settings, name), getattr(settings, name)
                if old != new and name not in ("games", "concurrency"):
                    raise UsageError(f"{path} is the log of another match: {name} was {old}, now {new}")

    log = Log(path, owns, read)
    if log.is_empty:
        log.add([header])
    return log, reader.records


class Reader:
    """The settings and games read from the lines of a log."""

    def __init__(self) -> None:
        self.settings: MatchSettings | None = None
        self.records: list[MatchRecord] = []

    def read(self, line: bytes) -> MatchRecord | None:
        """Keep a line's content; return its game, or None for the first line, which has the settings."""
        if self.settings is None:
            self.settings = msgspec.json.decode(line, type=MatchSettings)
            return None
        self.records.append(msgspec.json.decode(line, type=MatchRecord))
        return self.records[-1]
