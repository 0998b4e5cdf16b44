"""Players of the scenarios: random legal moves, and a Junqi referee."""

from __future__ import annotations

import random
import re
from typing import Any

from junqi_games import announced_flag

from siqi.games import registry

SETUPS = ("diahcbgkkfiecfigjhedjljhg", "bicgcakdgifgeekjfhjjihhld")
"""Two deployments of Junqi."""

FULL_BOARD = "/".join("wwbbwwbbwwbbwwbbwwb" if row % 4 == 3 else "bbwwbbwwbbwwbbwwbbw" for row in range(19))
"""A game of Connect6 without six in a row."""


def position_after(game: str, *moves: str, fen: str | None = None) -> Any:
    position = registry.load(game).position(fen)
    for move in moves:
        push(position, move)
    return position


def push(position: Any, move: str) -> None:
    position.push(position.parse_move(move))


def listed(position: Any) -> list[str]:
    """Return the legal moves as words, sorted."""
    return sorted(map(position.move_text, position.legal_moves()))


def random_move(rng: random.Random, position: Any) -> str:
    return rng.choice(listed(position))


def random_turn(rng: random.Random, position: Any) -> str:
    """Return a turn of Connect6 with both stones at random; the legal turns are too many to list."""
    stones = position.record.stones
    empty = [point for point in range(361) if not stones[point]]
    points = sorted(rng.sample(empty, int(position.record.left)))
    return "".join(f"{'abcdefghijklmnopqrs'[point // 19]}{point % 19 + 1}" for point in points)


def moves_line(moves: list[str], start: str = "startpos") -> str:
    """Return a `position` line."""
    return " ".join(["position", start, *(["moves", *moves] if moves else [])])


LETTERS = "ABCDEFGHIJKLMNOPQRS"


def in_letters(turn: str, from_top: bool) -> str:
    """Return a turn of Connect6 as SAU (rows from the top) or Cloudict writes it."""
    stones = []
    for point in re.findall(r"[a-s]\d+", turn):
        row = int(point[1:])
        stones.append(f"{point[0].upper()}{LETTERS[19 - row if from_top else row - 1]}")
    return "".join(stones if len(stones) == 2 else [stones[0], "@@" if from_top else stones[0]])


def of_letters(text: str, from_top: bool) -> str:
    """Return a turn of SAU's or Cloudict's in the game's notation."""
    stones = [text[:2]] if text[2:] in ("@@", text[:2]) else [text[:2], text[2:]]
    rows = [LETTERS.index(stone[1]) for stone in stones]
    return "".join(f"{s[0].lower()}{19 - row if from_top else row + 1}" for s, row in zip(stones, rows, strict=True))


class JunqiReferee:
    """A game with all pieces known, and the views of either side."""

    def __init__(self, first: str, second: str) -> None:
        self.position = position_after("junqi", first, second)

    def play(self, move: str) -> tuple[str, tuple[str | None, str | None]]:
        """Play a move; return its result code and, by owner, the square of a flag that is now announced."""
        position = self.position
        before = [announced_flag(position, side) for side in (0, 1)]
        turn = position.turn
        push(position, move)
        after = [announced_flag(position, side) for side in (0, 1)]
        code = position.view_moves(turn)[-1].partition("@")[0].partition("=")[2] or "3"
        first, second = (flag if old is None else None for flag, old in zip(after, before, strict=True))
        return code, (first, second)

    def random_move(self, rng: random.Random) -> str:
        """Return a random move of the side to move, an attack if there is one."""
        position = self.position
        texts = [text[:4] for text in listed(position)]
        fen = position.fen().split()[0]
        board = "".join("." * int(sign) if sign.isdigit() else sign for sign in fen.replace("/", ""))
        attacks = [text for text in texts if board["ABCDEFGHIJKL".index(text[2]) * 5 + int(text[3])] != "."]
        return rng.choice(attacks or texts)

    def view(self, side: int) -> list[str]:
        """Return the words of the game in a side's view."""
        words: list[str] = self.position.view_moves(side)
        return words
