"""Games of a file of any format, for library users."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from siqi.games.formats import MAX_BYTES, Format, WriteStyle, named_by_file, recognised
from siqi.games.xiangqi.formats.table import FORMATS
from siqi.games.xiangqi.library.pgn import Game
from siqi.system.files import read_bytes, replace_file


class LoadedGames(NamedTuple):
    """The content of a file of games."""

    games: list[Game]
    """The games; one with a fault has what could be read."""
    faults: list[str]
    """A line for each fault, with its place."""


def load_games(path: str | Path, format: str = "", encoding: str | None = None) -> LoadedGames:
    """Return the games of a file in any format that `siqi convert --list` shows.

    The content shows the format and the encoding, unless they are given. A game's `notes` list its parts that are left
    out, or kept as text because they have no known meaning. OSError if the file cannot be read, ValueError if it is in
    no format that is known.
    """
    _check_path(path)
    data = read_bytes(path, MAX_BYTES)
    one = _named(format) if format else recognised(FORMATS, data, str(path))
    if one is None:
        raise ValueError(f"{path}: not a format that is known")
    found = one.read(data, encoding)
    return LoadedGames(found.games, found.faults)


def save_games(
    path: str | Path,
    games: Sequence[Game],
    format: str = "",
    *,
    encoding: str = "",
    notation: str = "",
    replace: bool = False,
) -> dict[str, int]:
    """Write games into a file and return what the format has no room for, with counts.

    `format` is a name that `siqi convert --list` shows; without it the file's name shows the format. `encoding` and
    `notation` (`wxf`, `chinese`, `traditional`, `iccs`, `xboard`, `fairy`) are for the formats with a choice.

    OSError if the file exists (unless `replace`) or cannot be written, ValueError if the format cannot hold the games
    at all; in both cases nothing is changed.
    """
    _check_path(path)
    if not isinstance(games, Sequence) or not all(isinstance(game, Game) for game in games):
        raise TypeError("games: a list of siqi.Game is needed")
    one = _named(format) if format else named_by_file(FORMATS, str(path))
    if one is None:
        raise ValueError(f"{path}: no format has such a name")
    written = one.write(games, WriteStyle(encoding, notation))
    try:
        replace_file(path, [written.data], lambda head: replace)
    except FileExistsError:
        raise FileExistsError(errno.EEXIST, "exists; replace=True overwrites it", str(path)) from None
    return dict(written.losses)


def _check_path(path: object) -> None:
    if not isinstance(path, str | Path):
        raise TypeError(f"path: the name of a file is needed, not {type(path).__name__}")


def _named(name: str) -> Format:
    for one in FORMATS:
        if one.name == name:
            return one
    raise ValueError(f"no format is called {name}; there are {', '.join(one.name for one in FORMATS)}")
