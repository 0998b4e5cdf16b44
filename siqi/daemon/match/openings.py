"""The openings of a match: a list that is shipped with its game, a file, random ones, or the start position.

MatchSettings.openings names them: `connect6-5` (a list), `random:6` (moves), a path, or nothing for the start position.
"""

from __future__ import annotations

import hashlib
import itertools
import random
import re
from pathlib import Path

import msgspec

from siqi.daemon.clients.player import Forfeit
from siqi.daemon.match.game_loop import Opening, Referee, parse_opening
from siqi.daemon.match.match_log import MatchSettings, UsageError
from siqi.games import registry
from siqi.games.contract import Game, Position

NONE, RANDOM = "none", "random:"
"""The words of the command line for the start position, and for random openings, before the number of moves."""

MAX_DRAWN = 1000
"""The most random openings of a match."""


def openings_fields(game: str, name: str) -> dict[str, str]:
    """Return the fields of MatchSettings for openings that a user names; UsageError for bad random ones.

    OSError if a file cannot be read.
    """
    if name in ("", NONE):
        return {"openings": "", "openings_sha256": ""}
    if name.startswith(RANDOM) and not plies_of(name):
        raise UsageError(f"--openings {name}: random:N, with 1 to 99 moves")
    owner = next((other for other in registry.NAMES if name in registry.info(other).opening_lists), game)
    if owner != game and not Path(name).exists():
        raise UsageError(f"--openings {name}: a list of {owner}")
    if plies_of(name):
        if registry.info(game).has_setup:
            raise UsageError(f"--openings {name}: games of {game} begin with the engines' set-ups")
        return {"openings": name, "openings_sha256": ""}
    return {"openings": name, "openings_sha256": hashlib.sha256(file_of(game, name).read_bytes()).hexdigest()}


def plies_of(name: str) -> int:
    """Return the number of moves of random openings; 0 for openings of other kinds."""
    match = re.fullmatch(r"random:([1-9]\d?)", name)
    return int(match[1]) if match else 0


def file_of(game: str, name: str) -> Path:
    """Return the file of a shipped list of the game, or of a path."""
    return registry.opening_list(game, name) or Path(name)


def with_default_openings(settings: MatchSettings, begun: MatchSettings | None) -> MatchSettings:
    """Return the settings of a match whose user names no openings: with the game's first list, if it has one.

    Series begin at the start position, as in championships. So does a match whose log does, which has the settings
    `begun`: all did before there were lists.
    """
    lists = registry.info(settings.game).opening_lists
    if not lists or settings.best_of or (begun is not None and not begun.openings):
        return settings
    return msgspec.structs.replace(settings, **openings_fields(settings.game, lists[0]))


def lines_of(game: str, name: str) -> list[tuple[int, str]]:
    """Return the openings of a list or a file with their line numbers; `#` starts a comment.

    OSError if the file cannot be read, UsageError if it is no text.
    """
    try:
        lines = file_of(game, name).read_text("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise UsageError(f"{name} is no text in UTF-8") from None
    texts = ((number, line.partition("#")[0].strip()) for number, line in enumerate(lines, 1))
    return [(number, text) for number, text in texts if text]


def load_openings(game: Game[Position], settings: MatchSettings) -> list[Opening]:
    """Return the openings of a match, all checked, those of a list or a file shuffled by the seed.

    UsageError if one cannot be played, or if there are none, or too few random ones.
    """
    name = settings.openings
    if not name:
        return [Opening()]
    openings = []
    if plies := plies_of(name):
        from siqi.daemon.match.random_openings import random_openings  # late: it imports numba, as a search does

        wanted = count_openings(settings)
        for words in itertools.islice(random_openings(game, settings.seed, plies), wanted):
            openings.append(Opening(" ".join(words), None, words))
        if len(openings) < wanted:
            raise UsageError(f"--openings {name}: {len(openings)} balanced ones are found, {wanted} needed")
        return openings
    for number, text in lines_of(game.info.name, name):
        try:
            openings.append(parse_opening(text))
            Referee(game, openings[-1], rules=settings.referee)
        except (ValueError, Forfeit) as error:
            raise UsageError(f"{name}:{number}: {error}") from error
    if not openings:
        raise UsageError(f"{name} has no openings")
    random.Random(f"openings/{settings.seed}").shuffle(openings)
    return openings


def count_openings(settings: MatchSettings) -> int:
    """Return the number of openings of a match, at most MAX_DRAWN random ones; 0: games from the start position."""
    if not settings.openings:
        return 0
    if plies_of(settings.openings):
        return min(settings.pairs, MAX_DRAWN)
    return len(lines_of(settings.game, settings.openings))


def openings_text(settings: MatchSettings) -> str:
    """Return a phrase that says how the games of a match begin; errors as of `lines_of`."""
    count, name = count_openings(settings), settings.openings
    if not count:
        return "from the start position"
    drawn = f"{count} random opening{'s' if count > 1 else ''} of {plies_of(name)} moves"
    what = drawn if plies_of(name) else f"{count} opening{'s' if count > 1 else ''} of {name}"
    return f"{what}, which go{'' if count > 1 else 'es'} round" if count < settings.pairs else what
