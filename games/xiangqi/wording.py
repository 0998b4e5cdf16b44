"""The wording of Xiangqi games: their records and comments, and their moves as players write them."""

from __future__ import annotations

from collections.abc import Sequence

from games.contract import GameRecord
from games.xiangqi.library.board import STARTING_FEN, Board
from games.xiangqi.library.pgn import Game
from games.xiangqi.library.san import Notation
from games.xiangqi.library.style import Style, style_of
from games.xiangqi.record import record_of
from games.xiangqi.rules.move import Move

NOTATIONS: tuple[Notation, ...] = ("chinese", "wxf", "iccs")


def record(game: Game) -> GameRecord:
    """Return the game's record, with its main line's moves as words of the protocol."""
    return record_of(game)


def comments(game: Game) -> dict[int, str]:
    """Return the comments on the main line, by the number of moves before them."""
    return dict(game.comments)


def texts(game: Game | None, fen: str, words: Sequence[str]) -> list[tuple[str, ...]]:
    """Return each move's text in the game's own notation (Chinese where it has none), then in each of NOTATIONS.

    ValueError for an illegal move.
    """
    board = Board(fen or STARTING_FEN)
    style = Style("chinese")
    if game is not None:
        style = style_of(game.source.words, game.headers.get("Format", ""), game.source.ranks)
    found = []
    for word in words:
        move = Move.from_uci(word)
        found.append((style.write(board, move), *(board.san(move, notation) for notation in NOTATIONS)))
        board.push(move)
    return found
