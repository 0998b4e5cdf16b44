"""Players of the scenarios: random legal moves, and a Junqi referee."""

from __future__ import annotations

import random
from typing import Any

from games import registry

SETUPS = ("diahcbgkkfiecfigjhedjljhg", "bicgcakdgifgeekjfhjjihhld")
"""Two deployments of Junqi."""

FULL_BOARD = "/".join("wwbbwwbbwwbbwwbbwwb" if row % 4 == 3 else "bbwwbbwwbbwwbbwwbbw" for row in range(19))
"""Connect6 without a six."""


def position_after(game: str, *moves: str, fen: str | None = None) -> Any:
    position = registry.load(game).position(fen)
    for move in moves:
        push(position, move)
    return position


def push(position: Any, move: str) -> None:
    position.push(position.parse_move(move))


def listed(position: Any) -> list[str]:
    """The legal moves, sorted."""
    return sorted(map(position.move_text, position.legal_moves()))


def random_move(rng: random.Random, position: Any) -> str:
    return rng.choice(listed(position))


def random_turn(rng: random.Random, position: Any) -> str:
    """A turn of Connect6 with both stones at random; the legal turns are too many to list."""
    stones = position.record.stones
    empty = [point for point in range(361) if not stones[point]]
    points = sorted(rng.sample(empty, int(position.record.left)))
    return "".join(f"{'abcdefghijklmnopqrs'[point // 19]}{point % 19 + 1}" for point in points)


def moves_line(moves: list[str], start: str = "startpos") -> str:
    """A `position` line."""
    return " ".join(["position", start, *(["moves", *moves] if moves else [])])


class JunqiReferee:
    """A game whose pieces are all known; what either side may see of it."""

    def __init__(self, first: str, second: str) -> None:
        self.position = position_after("junqi", first, second)

    def play(self, move: str) -> tuple[str, str | None]:
        """Play a move; return its result's digit and the square of a flag that the opponent of its owner hears of."""
        position = self.position
        turn = position.turn
        before = [position.flag_told(side) for side in (0, 1)]
        push(position, move)
        after = [position.flag_told(side) for side in (0, 1)]
        code = position.view_moves(turn)[-1].split("@")[0].partition("=")[2] or "3"
        news = [flag for flag, old in zip(after, before, strict=True) if flag is not None and old is None]
        return code, news[0] if news else None

    def view(self, side: int) -> list[str]:
        """The words of the game as a side sees it."""
        words: list[str] = self.position.view_moves(side)
        return words
