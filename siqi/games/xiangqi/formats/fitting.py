"""Functions that the formats share: a game reduced to what a format can hold, tags, first positions."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping

from siqi.games.formats import Losses
from siqi.games.records.values import RESULT_TEXT, read_result
from siqi.games.xiangqi.library.board import STARTING_FEN, Board
from siqi.games.xiangqi.library.pgn import SIDE_TAG, Game
from siqi.games.xiangqi.library.tree import Line
from siqi.games.xiangqi.rules.notation import board_text

TECHNICAL = frozenset({"Game", "Format", "Variant", "FEN", "SetUp", "Result", SIDE_TAG})
"""Tags that say how a PGN text is written, or that a game has in another form."""

_LINE_END = re.compile(r"\r\n?")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f]")

UNKNOWN = frozenset({"", "?", "????.??.??", "*"})
"""Values of tags without content."""


def plain(text: str) -> str:
    """Return a text without control characters and outer blanks, its lines ended by line feeds."""
    return _CONTROLS.sub("", _LINE_END.sub("\n", text)).strip()


def tags_of(game: Game) -> dict[str, str]:
    """Return the tags with content, outer blanks left out; none of the technical ones."""
    tags = {name: plain(value) for name, value in game.headers.items() if name not in TECHNICAL}
    return {name: value for name, value in tags.items() if value not in UNKNOWN}


def fitted(game: Game, holds: Collection[str], names: Collection[str] | None, losses: Losses) -> Game:
    """Return a game reduced to what a format can hold; count what is lost.

    `names` are those of the tags that it holds, None if it holds all. The result has a canonical FEN, if any, and none
    of the technical tags but FEN and Result.
    """
    tags = tags_of(game)
    result, text = read_result(game.result)
    if text:
        tags.setdefault(RESULT_TEXT, text)
    if names is not None:
        lost = tags.keys() - set(names)
        for name in lost:
            losses[f"tags {name}"] += 1
        tags = {name: value for name, value in tags.items() if name not in lost}
    if result != "*" and "results" not in holds:
        losses["results"] += 1
        result = "*"
    new = Game({**tags, "Result": result})
    if fen := fen_tag(game.board()):
        if "positions" not in holds:
            raise ValueError("a game begins from another position than the start, which the format cannot store")
        new.headers["FEN"] = fen
    _copy(game, new, holds, losses)
    return new


def _copy(old: Line, new: Line, holds: Collection[str], losses: Losses) -> None:
    waiting: list[tuple[Line, Line, bool]] = [(old, new, False)]
    while waiting:
        source, target, is_variation = waiting.pop()
        target.moves = list(source.moves)
        comments = {place: text for place, text in source.comments.items() if text.strip()}
        nags = {place: list(numbers) for place, numbers in source.nags.items() if numbers}
        if "comments" in holds:
            target.comments = {place: kept for place, text in comments.items() if (kept := plain(text))}
            losses["control characters"] += sum(len(_CONTROLS.findall(text)) for text in comments.values())
            if is_variation and "NAGs" not in holds and 0 in target.comments:
                losses["comments before a variation, now after its first move"] += 1
                rest = target.comments.get(1, "")
                target.comments[1] = "\n".join(filter(None, (target.comments.pop(0), rest)))
        else:
            losses["comments"] += len(comments)
        if "NAGs" in holds:
            target.nags = nags
        else:
            losses["NAGs"] += sum(map(len, nags.values()))
        for place, lines in source.variations.items():
            for line in lines:
                if not line.moves:
                    continue
                if "variations" not in holds:
                    losses["variations"] += 1
                    continue
                twin = Line()
                target.variations.setdefault(place, []).append(twin)
                waiting.append((line, twin, True))


def rewrite_comments(game: Game, change: Callable[[str], str], kind: str, losses: Losses) -> None:
    """Apply a function to every comment of a game in place; count those that it changes."""
    for line in game.lines():
        for place, text in list(line.comments.items()):
            new = change(text)
            if new != text:
                losses[kind] += 1
                if new:
                    line.comments[place] = new
                else:
                    del line.comments[place]


def cut(text: str, size: int, encoding: str) -> tuple[str, bytes]:
    """Return the start of a text that needs at most `size` bytes in an encoding, and these bytes."""
    data = text.encode(encoding, "replace")
    while len(data) > size:
        text = text[: min(len(text) - 1, size)]
        data = text.encode(encoding, "replace")
    return text, data


def first_fen(placement: str, turn: str, number: int = 1) -> str:
    """Return the FEN tag of a placement: '' for the start position; ValueError if the text is no placement.

    `turn` is the side to move as a file has it. If that side could take the king, the other one is to move, unless the
    rules cannot play the position at all.
    """
    board = board_of(f"{placement} {turn} - - 0 {number}")
    if not board.is_valid():
        other = board.copy()
        other.turn = not board.turn
        board = other if other.is_valid() else board
    return fen_tag(board)


def set_first(
    game: Game, letters: dict[int, str], first: int, side: int, sides: Mapping[int, str], number: int = 1
) -> None:
    """Give a game its first position, from letters by square.

    The side of the first move, which begins on the square `first`, is to move; without a move the side that `sides` has
    for a file's number `side`, and Red, with a note, if it has none. `number`: of the first move.
    """
    turn = sides.get(side, "")
    if first in letters:
        turn = "w" if letters[first].isupper() else "b"
    elif not turn:
        game.notes.append(f"a side to move that is not known, read as Red: number {side}")
    if fen := first_fen(board_text(letters), turn or "w", number):
        game.headers["FEN"] = fen


def fen_tag(board: Board) -> str:
    """Return the FEN tag of a position: '' for the start position."""
    fen = board.fen()
    return "" if fen == STARTING_FEN else fen


def board_of(fen: str) -> Board:
    """Return the position of a FEN, even one that the rules cannot play; ValueError if the text is none."""
    board = Board.empty()
    board.set_fen(fen)
    return board
