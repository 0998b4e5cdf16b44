"""Junqi for tests: set-ups, recorded games, texts of positions, random games and one side's view of them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from fixture_files import lines, vectors
from live_record import live_bytes

from naive import junqi as naive
from naive.junqi import Naive
from siqi.games.contract import Game
from siqi.games.game_record import GameRecord, position_after
from siqi.games.junqi.board import JunqiPosition
from siqi.games.junqi.rules.lookup import COMMANDER, FLAG, NOWHERE, PIECES
from siqi.games.junqi.rules.notation import square_text

SETUPS = lines("junqi_setups.txt")
RECORDS = vectors("junqi_games.jsonl")
LETTERS = "abcdefghijkl"
FIRST = "abccddeeffggghhhiiijjkklj"
LAST_ROWS = "5/5/5/5/5"
"""Empty rows, to fill FENs."""


def replay(game: Game, words: list[str], fen: str | None = None) -> Any:
    """Return the position after words played from a FEN or the start."""
    return position_after(game, GameRecord(tuple(words), fen=fen or ""))


def texts(position: Any) -> list[str]:
    """Return the words of all legal moves, sorted."""
    return sorted(position.move_text(move) for move in position.legal_moves())


def number(square: str) -> int:
    return naive.SQUARES.index(square)


def letters(types: int) -> str:
    """Return the letters of a set of piece types (a bit each)."""
    return "".join(letter for kind, letter in enumerate(LETTERS) if types >> kind & 1)


def piece_on(position: Any, square: str) -> int:
    """Return the number of the piece on a square, -1 if it is empty."""
    return int(position.record.board[number(square)]) - 1


def may(position: Any, square: str) -> str:
    """Return the letters of all types that the piece on a square may have."""
    return letters(int(position.record.may[piece_on(position, square)]))


def state(position: Any) -> tuple[Any, ...]:
    """Return all observable state of a position, for comparisons."""
    seen = (position.fen(), position.outcome(), position.ply, position.turn, position.viewer, tuple(position.words))
    return (*seen, live_bytes(position.record))


def random_word(rng: random.Random, oracle: Naive) -> str:
    """Return a random move of the side to move, attacks favoured, an attack on the flag most of all."""
    moves = oracle.legal_moves()
    attacks = [text for text in moves if text[2:] in oracle.board]
    wins = [text for text in attacks if text[2:] == oracle.flag_square(1 - oracle.turn)]
    if wins and rng.random() < 0.5:
        return wins[0]
    return rng.choice(attacks if attacks and rng.random() < 0.4 else moves)


def random_games(game: Game, seed: int, count: int) -> Iterator[tuple[Any, Naive]]:
    """Yield each position of random games with the oracle's, from the set-ups to the end."""
    rng = random.Random(seed)
    for _ in range(count):
        first, second = rng.choice(SETUPS), rng.choice(SETUPS)
        position, oracle = replay(game, [first, second]), Naive(first, second)
        yield position, oracle
        while oracle.outcome() is None:
            text = random_word(rng, oracle)
            position.push(position.parse_move(text))
            code = oracle.push(text)
            assert position.moves()[-1] >> 12 & 7 == code + 1
            yield position, oracle


class Witness:
    """One side's view of a random game, built only from words that the referee would send to it."""

    def __init__(self, game: Game, setups: tuple[str, str], viewer: int) -> None:
        self.viewer = viewer
        self.words = [word if side == viewer else "?" for side, word in enumerate(setups)]
        self.position = replay(game, self.words)
        self.is_flag_announced = False

    def hear(self, text: str, code: int, oracle: Naive, flag: str | None) -> None:
        """Play a move with its result code. `flag` is the enemy flag's square, announced once its commander is dead."""
        word = f"{text}={code}"
        if not self.is_flag_announced and oracle.flag_known(1 - self.viewer):
            self.is_flag_announced = True
            word += f"@{flag}"
        self.words.append(word)
        self.position.push(self.position.parse_move(word))


def swapped(word: str, one: str, other: str) -> str:
    """Return a set-up with the pieces of two squares exchanged."""
    slots = [naive.SLOTS.index(one), naive.SLOTS.index(other)]
    pieces = list(word)
    pieces[slots[0]], pieces[slots[1]] = pieces[slots[1]], pieces[slots[0]]
    return "".join(pieces)


def view_fen(rows: dict[int, str], side: str = "f", viewer: str = "f") -> str:
    """Return a FEN of the given rows, by number from the top; the others are empty."""
    return "/".join(rows.get(row, "5") for row in range(12)) + f" {side} {viewer} 0"


def turned(squares: str, side: int) -> str:
    """Return squares of a side's own frame in the first side's, or back."""
    pairs = zip(squares[::2], squares[1::2], strict=True)
    return "".join(f"{'LKJIHGFEDCBA'[ord(row) - 65]}{4 - int(column)}" for row, column in pairs) if side else squares


def announced_flag(position: JunqiPosition, side: int) -> str | None:
    """Return the square of a side's flag in a full position once its commander has died; None before, or if taken."""
    pieces = range(side * PIECES, side * PIECES + PIECES)
    commander, flag = (next(p for p in pieces if position.record.may[p] == 1 << kind) for kind in (COMMANDER, FLAG))
    if position.record.where[commander] != NOWHERE or position.record.where[flag] == NOWHERE:
        return None
    return square_text(int(position.record.where[flag]))


def flag_of(position: JunqiPosition, side: int, viewer: int) -> str:
    """Return the square of a side's flag as a referee reports it: in the viewer's frame, 00 until it is announced."""
    square = announced_flag(position, side)
    return "00" if square is None else turned(square, viewer)
