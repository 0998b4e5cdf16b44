"""The settings and the games of a match, and the log that holds both."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from siqi.daemon.clients.player import EngineSpec
from siqi.daemon.match.game_loop import Agreement
from siqi.daemon.match.statistics import LOGISTIC
from siqi.system.files import Owns
from siqi.system.log import Log

if TYPE_CHECKING:
    from siqi.daemon.match.sequential import Sprt


class UsageError(Exception):
    """The settings of the match are wrong or contradict each other."""


Pairing = tuple[int, int]
"""Two engines of a match's settings, A and B."""


class MatchSettings(msgspec.Struct, frozen=True):
    """All settings of a match or a tournament; the first line of its log."""

    game: str
    engines: tuple[EngineSpec, ...]  # A, B; or all of a tournament
    games: int = 100  # per pairing
    concurrency: int = 1
    seed: int = 1  # for throws, order of openings, random movers
    openings: str = ""  # a shipped list, `random:` and a number of moves, or the path of a file; empty: the start
    openings_sha256: str = ""  # of a list or a file
    sprt: tuple[float, float] | None = None  # elo0, elo1
    max_plies: int = 0  # 0: only the rules end a game
    margin_ms: int = 50
    hang_s: float = 60.0
    referee: str = "siqi"  # siqi | pyffish: the library whose rules judge
    best_of: int = 0  # most games of a series; `games` then counts series
    agreement: Agreement | None = None  # of both engines' scores, which decides a game
    tournament: str = ""  # gauntlet | round-robin | swiss | knockout; empty: a match of two
    tablebases: bool = False  # exact values decide a game
    rounds: int = 0  # of a Swiss tournament; 0: as many as are usual
    sprt_model: str = LOGISTIC  # or normalized: the Elo of `sprt`; logs without this field are logistic

    @property
    def pairs(self) -> int:
        """The pairs, or series, of each pairing."""
        return self.games if self.best_of else self.games // 2

    @property
    def test(self) -> Sprt | None:
        """The SPRT that ends the match; None if only the number of games does."""
        from siqi.daemon.match.sequential import Sprt  # late: it imports numpy, which no command line needs

        return Sprt(*self.sprt, self.sprt_model) if self.sprt else None

    @property
    def pairings(self) -> list[Pairing]:
        """The engines, A and B, of each pairing of a match, a gauntlet or a round-robin."""
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
    cause: str  # rules | illegal | crash | time | resigned | adjudicated
    reason: str
    time_ms: tuple[int, int]  # used by A, B
    times_ms: list[float] = []  # of each move after the opening
    scores: list[int | str | None] = []  # of these moves, from the mover's view: centipawns, `#3`, `#-3`; None: unknown
    nodes: list[int] = []  # of these moves; 0: unknown
    versions: tuple[str, str] = ("", "")  # what A and B call themselves
    over_ms: tuple[list[float], list[float]] = ([], [])  # by A, B: `Clock.over_ms`, also of a move that was too late
    start_ms: tuple[int, int] = (0, 0)  # how long A and B took to start for this game, outside all clocks
    dialogue: list[str] = []  # after a fault: the last lines of the loser's dialogue, and of its standard error

    @property
    def score(self) -> float:
        """A's points."""
        return 0.5 if self.winner is None else 1.0 - self.winner

    @property
    def result(self) -> str:
        """The result as records have it, from the first side's view."""
        return "1/2-1/2" if self.winner is None else "1-0" if self.winner == self.first else "0-1"

    @property
    def names(self) -> tuple[str, str]:
        """The names of A and B."""
        return self.players[self.first], self.players[1 - self.first]


class MatchLog(Log):
    """The log of a match. Its settings are written with the first game: a match without one leaves no file behind."""

    def __init__(self, path: Path, settings: MatchSettings, owns: Owns, read: Callable[[bytes], object]) -> None:
        self._settings, self._is_new = settings, not path.exists()
        super().__init__(path, owns, read)

    def add_game(self, record: MatchRecord) -> None:
        """Append a game; it is on the disk when this returns."""
        parts = [self._settings, record] if self.is_empty else [record]
        self.add([msgspec.json.encode(part) for part in parts])
        self.is_empty = False

    def close(self) -> None:
        super().close()
        if self.is_empty and self._is_new:
            self._path.unlink(missing_ok=True)


def open_log(path: Path, settings: MatchSettings) -> tuple[MatchLog, list[MatchRecord]]:
    """Open a log, and return it with the games it holds.

    OSError if the file is not a match's log, or another process writes it. UsageError if it is the log of another
    match; only the concurrency may differ, and the number of games where it does not decide who plays whom.
    """
    header = msgspec.json.encode(settings)
    reader = Reader()

    def owns(head: bytes) -> bool:
        return re.match(rb'\{"game":"\w+","engines":\[\{', head) is not None or header.startswith(head)

    def read(line: bytes) -> None:
        if reader.read(line) is None:
            assert reader.settings is not None
            if changed := list(changes(reader.settings, settings)):
                raise UsageError(f"{path} is the log of another match: {'; '.join(changed)}")

    return MatchLog(path, settings, owns, read), reader.records


def changes(old: MatchSettings, new: MatchSettings) -> Iterator[str]:
    """Yield in words how settings differ, as far as games of one log must not."""
    free = ("concurrency",) if old.tournament in ("swiss", "knockout") else ("concurrency", "games")
    if [spec.name for spec in old.engines] != [spec.name for spec in new.engines]:
        names = [", ".join(spec.name for spec in settings.engines) for settings in (old, new)]
        yield f"engines were {names[0]}, now {names[1]}"
    else:
        for was, now in zip(old.engines, new.engines, strict=True):
            yield from (f"{was.name}: {words}" for words in differences(was.words, now.words))
    yield from differences(shown_settings(old, (*free, "engines")), shown_settings(new, (*free, "engines")))


def shown_settings(settings: MatchSettings, without: Collection[str]) -> dict[str, str]:
    """Return settings in words, by name."""
    return {name: shown(getattr(settings, name)) for name in settings.__struct_fields__ if name not in without}


def shown(value: object) -> str:
    """Return a setting's value in words, empty for one that is not given."""
    return " ".join(map(str, value)) if isinstance(value, tuple) else "" if value is None else str(value)


def differences(old: dict[str, str], new: dict[str, str]) -> Iterator[str]:
    """Yield in words how values differ by name."""
    for name in old | new:
        if old.get(name) != new.get(name):
            yield f"{name} was {old.get(name) or 'not given'}, now {new.get(name) or 'not given'}"


def begun_settings(path: Path) -> MatchSettings | None:
    """Return the settings by which a log was begun; None if there is no log that can be read."""
    try:
        with path.open("rb") as file:
            return msgspec.json.decode(file.readline(), type=MatchSettings)
    except (OSError, msgspec.DecodeError):
        return None


class Reader:
    """The settings and games read from the lines of a log."""

    def __init__(self) -> None:
        self.settings: MatchSettings | None = None
        self.records: list[MatchRecord] = []
        self._numbers: set[int] = set()

    def read(self, line: bytes) -> MatchRecord | None:
        """Keep a line's content; return its game, or None for the first line, which has the settings.

        ValueError for a game that is there already, or is none of the match.
        """
        if self.settings is None:
            self.settings = msgspec.json.decode(line, type=MatchSettings)
            return None
        record = msgspec.json.decode(line, type=MatchRecord)
        names = {spec.name for spec in self.settings.engines}
        is_ours = names.issuperset(record.players) and record.first in (0, 1) and record.winner in (0, 1, None)
        if record.game in self._numbers or not is_ours:
            raise ValueError(f"game {record.game} is none of this match, or is there twice")
        self._numbers.add(record.game)
        self.records.append(record)
        return record
