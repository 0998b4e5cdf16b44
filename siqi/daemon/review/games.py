"""The games of a review, from files of any format or a position's words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from siqi.daemon.commands.game_files import (
    InputOptions,
    choose,
    cut_records,
    files_of,
    position_in,
    read_games,
    read_source,
    record_of,
    report_faults,
)
from siqi.daemon.frontends.words import parse_position
from siqi.games import registry
from siqi.games.compiling import announce_compiling
from siqi.games.contract import GameInfo
from siqi.games.formats import ParsedFile
from siqi.games.game_record import GameRecord


class ReviewedGame(NamedTuple):
    """A game to review. Its plies are counted from the first position with a board, after the set-ups."""

    game: str
    record: GameRecord
    place: str  # the file, and the game's number in it
    comments: Mapping[int, str] = MappingProxyType({})  # by the number of moves before them

    @property
    def info(self) -> GameInfo:
        return registry.info(self.game)

    @property
    def setups(self) -> int:
        """The number of set-ups among the moves."""
        return self.info.setups(self.record.fen)

    @property
    def plies(self) -> int:
        return len(self.record.moves) - self.setups

    def throw(self, ply: int) -> int:
        """Return the throw for the move after `ply` moves, 0 if it is not known."""
        return self.record.throw(self.info, self.setups + ply)


class ReviewInput(NamedTuple):
    """All games that were read; `is_whole`: every file could be read completely."""

    games: list[ReviewedGame]
    is_whole: bool


def read_all(names: Sequence[str], described: InputOptions, report: Callable[[str], None]) -> ReviewInput:
    """Read the games that arguments name; faults in them are reported, each game is kept up to its first.

    OSError if a file cannot be read, ValueError or Refusal if it has no games.
    """
    games: list[ReviewedGame] = []
    faults = 0
    for name in _inputs(names, report):
        if is_position(name):
            game = described.game or registry.DEFAULT_GAME
            parsed, place = _of_words(name), "moves"
            with announce_compiling(report, game):
                cut_records(game, parsed)
            report_faults(place, parsed, report)
        else:
            source = read_source(name, described)
            choice = choose(source)
            game, place = choice.game, "standard input" if name == "-" else name
            with announce_compiling(report, game):
                parsed = read_games(source, choice, report)
        faults += len(parsed.faults)
        games += _reviewed(game, parsed, place)
    chosen = described.chosen(games)
    kept = [reviewed for reviewed in chosen if reviewed.plies >= 0]
    if len(kept) < len(chosen):
        report(f"games without both set-ups are left out: {len(chosen) - len(kept)}")
    kept = [reviewed for reviewed in kept if _can_be_played(reviewed, report)]
    if not kept:
        raise ValueError(f"{', '.join(names)}: no game can be read")
    return ReviewInput(kept, not faults and len(kept) == len(chosen))


def is_position(name: str) -> bool:
    """True if a game is given by its position and moves, not by a file."""
    return bool(position_in([name]))


def _inputs(names: Sequence[str], report: Callable[[str], None]) -> Iterator[str]:
    """Yield the inputs that names stand for: a folder for its files of games. CommandError if it has none."""
    for name in names:
        if is_position(name):
            yield name
        else:
            yield from (file.path for file in files_of([name], report).files)


def _can_be_played(game: ReviewedGame, report: Callable[[str], None]) -> bool:
    """True if the rules can play a game's first position; else report why not."""
    if game.record.fen:
        try:
            registry.load(game.game).position(game.record.fen)
        except ValueError as error:
            report(f"{game.place}: {error}")
            return False
    return True


def _of_words(text: str) -> ParsedFile:
    words = text.split()
    words = words[1:] if words[0] == "position" else words
    fen, moves = parse_position(words if words[:1] in (["startpos"], ["fen"]) else ["fen", *words])
    return ParsedFile([GameRecord(tuple(moves), fen=fen or "")])


def _reviewed(game: str, file: ParsedFile, place: str) -> list[ReviewedGame]:
    notation = registry.notation(game)
    numbered = len(file.games) > 1
    games = []
    for number, parsed in enumerate(file.games, 1):
        record, where = record_of(game, parsed), f"{place} {number}" if numbered else place
        comments = {} if notation is None or record.source is None else notation.comments(record.source)
        games.append(ReviewedGame(game, record, where, comments))
    return games
