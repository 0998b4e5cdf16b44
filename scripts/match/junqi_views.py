"""Views of Junqi's games: what one side sees of the other's pieces, and what they are."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from scripts.common import script
from scripts.match.paired_games import read_games

from siqi.games.game_record import GameRecord, position_after, replay
from siqi.games.junqi.board import JunqiPosition
from siqi.games.junqi.formats import log
from siqi.games.junqi.knowledge.behaviour import plies_of
from siqi.games.junqi.rules.lookup import PIECES, TYPES

HELD_OUT = 10
"""A training holds one game in this many out. Games with the same deployments stay together."""

LEAST_CHANCE = 1e-6
"""A chance below this counts as this in a loss of beliefs."""


class View(NamedTuple):
    """One side's pieces as the other sees them."""

    may: list[int]  # [piece]: sets of types
    counts: Any  # int64 [piece, trait and history]
    plies: int  # moves of both sides so far
    kinds: Any  # int64 [piece]: the true types

    def unsure(self) -> Any:
        """Return the pieces whose type is not certain."""
        return np.array([piece for piece, may in enumerate(self.may) if may & may - 1], np.int64)


def own_games(path: Path) -> Iterator[list[str]]:
    """Yield the words of each game of a log of compare_players.py; those of a game that is there twice once."""
    yield from (words.split() for words in dict.fromkeys(game["words"] for game in read_games(path)))


def referee_games(path: Path) -> Iterator[list[str]]:
    """Yield the words of each game of a referee's log."""
    with path.open(encoding="utf-8") as file:
        yield from (list(game.moves) for game in log.stream(file))


def is_held_out(words: list[str]) -> bool:
    """True if a game, by its words, is held out of trainings."""
    return zlib.crc32(" ".join(words[:2]).encode()) % HELD_OUT == 0


def positions_of(words: Sequence[str], viewer: int, every: int) -> Iterator[JunqiPosition]:
    """Yield a game's positions as one side sees them, after every `every` moves."""
    game: Any = script.load_once("junqi")
    referee = position_after(game, GameRecord(tuple(words)))
    for view in replay(game, GameRecord(tuple(referee.view_moves(viewer)))):
        plies = plies_of(view.counts())
        if plies and plies % every == 0:
            yield view


def views_of(words: list[str], every: int) -> Iterator[View]:
    """Yield both sides' views of a game after every `every` moves."""
    for viewer in range(2):
        side = 1 - viewer
        pieces = slice(side * PIECES, side * PIECES + PIECES)
        kinds = np.array([TYPES.index(letter) for letter in words[side]])
        for view in positions_of(words, viewer, every):
            counts = view.counts()
            yield View(view.believed(side).may, counts[pieces], plies_of(counts), kinds)
