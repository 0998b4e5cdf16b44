"""Games and positions from a text or a file's content, for an analysis: any format that `siqi convert` reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from siqi.daemon.board.analyse.entries import Begun, KeptMove
from siqi.daemon.commands.game_files import GameFormat, GameSource, choose, cut_records
from siqi.games import registry
from siqi.games.game_record import GameRecord
from siqi.games.game_tree import GameTree, tree_of
from siqi.games.records.position_lines import position_of
from siqi.system.encodings import decode

MAX_GAMES = 2000
"""The games of a file among which the page lets choose."""

MAX_MOVES = 20_000
"""The moves of a game, variations included."""


class Source(NamedTuple):
    """A content whose game is known, still to be read, for which the game's rules must be loaded."""

    game: str
    name: str
    data: bytes
    format: GameFormat | None  # None: the words of a position
    words: tuple[str, ...] = ()  # FEN or `startpos`, then the moves


class Imported(NamedTuple):
    """The games of a source, one at least, and lines on what could not be read."""

    game: str
    name: str
    games: list[Any]  # as the formats' readers return them
    faults: list[str]


def source_of(name: str, data: bytes, game: str) -> Source:
    """Return a content with the game that it is of, `game` for moves alone; ValueError if nothing shows a game.

    Nothing is loaded.
    """
    if (words := _position_words(data)) is not None:
        return Source(_game_of(words[0], game), name, data, None, words)
    try:
        choice = choose(GameSource(name, data))
    except ValueError:
        if (moves := _moves(data)) and game:
            return Source(game, name, data, None, ("startpos", *moves))
        raise ValueError("neither a position nor a game in a format that is known") from None
    return Source(choice.game, name, data, choice)


def _position_words(data: bytes) -> tuple[str, ...] | None:
    """Return a FEN or `startpos` with its moves, if a content is one line of that kind."""
    if len(data) > 1 << 20 or not data.isascii():
        return None
    lines = [line for line in decode(data, None, "ascii")[0].splitlines() if line.strip()]
    parts = position_of(lines[0]) if len(lines) == 1 else None
    if parts is None or any(word[:1].isdigit() for word in parts.moves):  # throws, or a result
        return None
    return parts.start, *parts.moves


def _game_of(start: str, game: str) -> str:
    """Return the game whose board a FEN has; ValueError if there is none."""
    if start == "startpos":
        return game or registry.DEFAULT_GAME
    ranks = start.partition(" ")[0].count("/") + 1
    fitting = [name for name in registry.NAMES if len(registry.info(name).shape.rows) == ranks]
    if not fitting:
        raise ValueError(f"no game has a board of {ranks} ranks")
    return game if game in fitting else fitting[0]


def _moves(data: bytes) -> tuple[str, ...]:
    """Return the words of a text of moves; () if it has something else."""
    if not data.isascii() or len(data) > 1 << 16:
        return ()
    words = data.decode("ascii").split()
    return tuple(words) if words and all(word[0].isalpha() and any(map(str.isdigit, word)) for word in words) else ()


def read(source: Source) -> Imported:
    """Return the games of a source, each cut before its first illegal move; ValueError if there is none.

    The game's rules must be loaded, or they are compiled now.
    """
    if source.format is None:
        start, *moves = source.words
        fen = "" if start == "startpos" else start
        record = GameRecord(tuple(moves), fen=fen)
        registry.load(source.game).position(fen or None)
        return _checked(source.game, source.name, [record], [])
    parsed = source.format.format.read(source.data, None)
    if not parsed.games:
        raise ValueError(parsed.faults[0] if parsed.faults else "no game can be read")
    return _checked(source.game, source.name, parsed.games[:MAX_GAMES], parsed.faults)


def _checked(game: str, name: str, games: list[Any], faults: list[str]) -> Imported:
    records = [game for game in games if isinstance(game, GameRecord)]
    if records:  # other games are checked by their readers
        from siqi.games.formats import ParsedFile

        parsed = ParsedFile(records)
        cut_records(game, parsed)
        return Imported(game, name, parsed.games, [*faults, *parsed.faults])
    return Imported(game, name, games, faults)


def tree(game: str, parsed: Any) -> GameTree:
    """Return a game with its variations, as a reader of the game's formats returned it."""
    notation = registry.notation(game)
    return tree_of(parsed) if notation is None or isinstance(parsed, GameRecord) else notation.tree(parsed)


def title(parsed: Any, game: str) -> str:
    """Return the line by which a game is chosen among those of its file."""
    notation = registry.notation(game)
    record = parsed if notation is None or isinstance(parsed, GameRecord) else notation.record(parsed)
    players = " - ".join((record.first, record.second))
    more = [text for text in (record.event, record.occasion, record.result) if text not in ("", "?", "*")]
    return " · ".join([players, *more])[:200]


def begun(imported: Imported, number: int, at: str) -> Begun:
    """Return the first fact of an analysis of a game; ValueError for too many moves."""
    whole = tree(imported.game, imported.games[number])
    record = whole.record
    if len(whole.moves) > MAX_MOVES:
        raise ValueError(f"more than {MAX_MOVES} moves")
    info = registry.info(imported.game)
    moves = [KeptMove(move.parent, move.word, 0, move.comment, move.nags) for move in whole.moves]
    if info.has_dice:  # such games have no variations
        throws = [record.throw(info, ply) for ply in range(len(moves))]
        moves = [KeptMove(move.parent, move.word, throw) for move, throw in zip(moves, throws, strict=True)]
    return Begun(
        at=at,
        game=imported.game,
        fen=record.fen,
        moves=tuple(moves),
        comment=whole.comment,
        headers=dict(whole.headers),
        players=(record.first, record.second),
        event=record.event,
        occasion=record.occasion,
        result=record.result,
        name=imported.name,
    )


def choices(imported: Imported) -> Sequence[str]:
    """Return the lines by which the games of a file are chosen."""
    return [f"{number}. {title(parsed, imported.game)}" for number, parsed in enumerate(imported.games, 1)]
