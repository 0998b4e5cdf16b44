"""Games of a file of any format, for library users."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeVar, overload

from siqi.checks import check_type, is_of
from siqi.daemon.commands.game_files import cut_records
from siqi.games import registry
from siqi.games.compiling import announce_compiling
from siqi.games.formats import HEAD_BYTES, MAX_BYTES, Format, WriteStyle, named_by_file, recognised
from siqi.games.game_record import CutGameError, GameRecord, check_moves
from siqi.positions import check_game
from siqi.system.files import read_bytes, replace_file
from siqi.system.pipes import to_stderr

if TYPE_CHECKING:
    from siqi.games.xiangqi.library.pgn import Game

G = TypeVar("G")

Other = Literal["connect6", "ewn", "junqi"]


class LoadedGames(NamedTuple, Generic[G]):
    """The content of a file of games."""

    games: list[G]
    """The games; one with a fault has what could be read."""
    faults: list[str]
    """A line for each fault, with its place. Of records also a line for what was left out or kept as text."""


@overload
def load_games(
    path: str | Path, format: str = "", encoding: str | None = None, *, game: Literal["xiangqi"] = "xiangqi"
) -> LoadedGames[Game]: ...
@overload
def load_games(
    path: str | Path, format: str = "", encoding: str | None = None, *, game: Other
) -> LoadedGames[GameRecord]: ...
@overload
def load_games(
    path: str | Path, format: str = "", encoding: str | None = None, *, game: str
) -> LoadedGames[GameRecord] | LoadedGames[Game]: ...
def load_games(
    path: str | Path, format: str = "", encoding: str | None = None, *, game: str = "xiangqi"
) -> LoadedGames[Any]:
    """Return the games of a file in any format that `siqi convert --list` shows for `game`.

    They are `Game` objects in Xiangqi, `GameRecord` in the others. The content shows the format and the encoding,
    unless they are given. A game is cut before its first illegal move. A `Game`'s `notes` list its parts that are left
    out, or kept as text because they have no known meaning. OSError if the file cannot be read, ValueError if it is in
    no known format of the game.
    """
    _check(path, game)
    data = read_bytes(path, MAX_BYTES)
    form = _named(game, format) if format else recognised(registry.formats(game), data, str(path))
    if form is None or not (format or form.recognises(data[:HEAD_BYTES])):
        others = _other_games(game, data)
        if form is None or others:
            raise ValueError(f"{path}: not a format of {game} that is known{others}")
    with announce_compiling(to_stderr, game):
        try:
            parsed = form.read(data, encoding)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None
    if any(isinstance(each, GameRecord) for each in parsed.games):
        cut_records(game, parsed)
        parsed.faults += parsed.notes
    return LoadedGames(parsed.games, parsed.faults)


def save_games(
    path: str | Path,
    games: Sequence[Game] | Sequence[GameRecord],
    format: str = "",
    *,
    game: str = "xiangqi",
    encoding: str = "",
    notation: str = "",
    replace: bool = False,
) -> dict[str, int]:
    """Write games into a file and return what the format cannot store, with counts.

    They are `Game` objects of Xiangqi, or `GameRecord` objects of the other game that is named. `format` is a name that
    `siqi convert --list` shows; without it the file's name shows the format. `encoding` and `notation` (`wxf`,
    `chinese`, `traditional`, `vietnamese`, `iccs`, `xboard`, `fairy`) are for the formats with a choice.

    OSError if the file exists (unless `replace`) or cannot be written, ValueError if the format cannot hold the games
    at all, or a record has a move that is illegal in the game that is named; in all cases nothing is changed.
    """
    _check(path, game)
    kind = "siqi.Game" if game == "xiangqi" else "siqi.GameRecord"
    if not isinstance(games, Sequence) or not all(_is_game(game, each) for each in games):
        raise TypeError(f"games: a list of {kind} is needed")
    form = _named(game, format) if format else named_by_file(registry.formats(game), str(path))
    if form is None:
        raise ValueError(f"{path}: no format of {game} has such a name")
    with announce_compiling(to_stderr, game):
        for number, each in enumerate(games, 1):
            if isinstance(each, GameRecord):
                _check_record(game, number, each)
        written = form.write(games, WriteStyle(encoding, notation))
    try:
        replace_file(path, [written.data], lambda head: replace)
    except FileExistsError:
        raise FileExistsError(errno.EEXIST, "exists; replace=True overwrites it", str(path)) from None
    return dict(written.losses)


def _other_games(game: str, data: bytes) -> str:
    """Return a hint at the games among whose formats the content is, '' if there is none."""
    names = [
        name
        for name in registry.NAMES
        if name != game and any(form.recognises(data[:HEAD_BYTES]) for form in registry.formats(name))
    ]
    return f"; a file of {' or '.join(names)}? Name the game: game={names[0]!r}" if names else ""


def _check_record(game: str, number: int, record: GameRecord) -> None:
    try:
        check_moves(registry.load(game), record)
    except CutGameError as error:
        raise ValueError(f"games: not of {game}, or with an illegal move: game {number}, {error}") from None


def _is_game(game: str, value: object) -> bool:
    if game == "xiangqi":
        return is_of("siqi.games.xiangqi.library.pgn", "Game", value)
    return isinstance(value, GameRecord)


def _check(path: object, game: str) -> None:
    check_type("path", path, (str, Path), "the name of a file")
    check_game(game)


def _named(game: str, name: str) -> Format:
    formats = registry.formats(game)
    for form in formats:
        if form.name == name:
            return form
    raise ValueError(f"no format of {game} is called {name}; there are {', '.join(form.name for form in formats)}")
