"""The notation of Xiangqi games: their records and comments, and their moves as players write them."""

from __future__ import annotations

from collections.abc import Sequence

from siqi.games.xiangqi.formats.portable import record_of
from siqi.games.xiangqi.formats.trees import game_of, tree_of
from siqi.games.xiangqi.knowledge.openings import opening_of
from siqi.games.xiangqi.library.board import STARTING_FEN, Board
from siqi.games.xiangqi.library.move import Move
from siqi.games.xiangqi.library.pgn import Game
from siqi.games.xiangqi.library.san import Notation
from siqi.games.xiangqi.library.style import NotationStyle, style_of

NOTATIONS: tuple[Notation, ...] = ("chinese", "wxf", "iccs")


record, tree, game, opening = record_of, tree_of, game_of, opening_of


def comments(game: Game) -> dict[int, str]:
    """Return the comments on the main line, by the number of moves before them."""
    return dict(game.comments)


def own_notation(game: Game | None) -> str:
    """Return the one of NOTATIONS that the game's own notation is a form of; '' if it is of none."""
    own = _style(game).notation
    return "chinese" if own == "traditional" else own if own in NOTATIONS else ""


def _style(game: Game | None) -> NotationStyle:
    if game is None:
        return NotationStyle("chinese")
    return style_of(game.source.words, game.headers.get("Format", ""), game.source.ranks)


def texts(game: Game | None, fen: str, words: Sequence[str]) -> list[tuple[str, ...]]:
    """Return each move's text in the game's own notation (Chinese where it has none), then in each of NOTATIONS.

    ValueError for an illegal move.
    """
    board = Board(fen or STARTING_FEN)
    style = _style(game)
    written = []
    for word in words:
        move = Move.from_uci(word)
        written.append((style.write(board, move), *(board.san(move, notation) for notation in NOTATIONS)))
        board.push(move)
    return written
