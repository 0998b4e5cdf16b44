"""Random Xiangqi games with comments, NAGs and variations, and files in other programs' variants of a format."""

from __future__ import annotations

import random
from typing import Any

from siqi.games.xiangqi.formats.fitting import tags_of
from siqi.games.xiangqi.library.board import STARTING_FEN, Board
from siqi.games.xiangqi.library.pgn import Game
from siqi.games.xiangqi.library.tree import Line

TAME = "炮二平五马8进7好棋 a-zA-Z.,;:!?红先胜Θé車馬象棋桥[]()%$#*\\\"'/|<>&=+"
"""Characters that every format holds."""

WILD = TAME + "{}\n\r\t\0\x1b\u2028😀𠀀"

TAGS = ("Title", "Event", "Date", "Site", "Red", "Black", "TimeControl", "Annotator", "Author")
"""Tags of all formats that have any."""


def text(rng: random.Random, signs: str, most: int) -> str:
    """Return a text without blanks at its ends or in a row; empty only for `most` 0."""
    while True:
        text = " ".join("".join(rng.choices(signs, k=rng.randint(1, most))).split(" ")).strip()
        if text and "  " not in text and text not in ("?", "*"):
            return text


def random_game(rng: random.Random, wild: bool = False, from_fen: bool | None = None) -> Game:
    """Return a game of up to 40 plies with variations four deep; if `wild`, with texts that few formats hold."""
    signs = WILD if wild else TAME
    board = Board()
    if from_fen if from_fen is not None else rng.random() < 0.3:
        for _ in range(rng.randint(1, 60)):
            if not (moves := list(board.legal_moves)):
                break
            board.push(rng.choice(moves))
        board = Board(board.fen() if wild else " ".join([*board.fen().split()[:4], "0", "1"]))
    game = Game({tag: text(rng, signs, 40 if wild else 3) for tag in TAGS if rng.random() < 0.5})
    if wild and rng.random() < 0.3:
        game.headers["Stage"] = "final"
    game.headers["Result"] = rng.choice(["1-0", "0-1", "1/2-1/2", "*"])
    if board.fen() != STARTING_FEN:
        game.headers["FEN"] = board.fen()
    _grow(rng, game, board, rng.choice([0, 1, 5, 20, 40]), 4, signs, wild)
    return game


def _grow(rng: random.Random, line: Line, board: Board, plies: int, depth: int, signs: str, wild: bool) -> None:
    start = len(board.move_stack)
    is_variation = depth < 4
    for place in range(plies + 1):
        may_begin = not is_variation or place or wild
        if may_begin and rng.random() < 0.2:
            line.comments[place] = text(rng, signs, 60)
        if may_begin and rng.random() < 0.1:
            line.nags[place] = [rng.randint(1, 140) for _ in range(rng.randint(1, 2))]
        moves = list(board.legal_moves)
        if place == plies or not moves:
            break
        rng.shuffle(moves)
        move, *others = moves
        line.moves.append(move)
        if depth and (place or not is_variation):
            for other in others[: rng.choice([0, 0, 0, 0, 0, 0, 1, 2])]:
                variation = Line()
                board.push(other)
                variation.moves.append(other)
                rest = Line()
                _grow(rng, rest, board, rng.randint(0, 6), depth - 1, signs, False)
                _append(variation, rest)
                if wild and rng.random() < 0.3:
                    variation.comments[0] = text(rng, signs, 20)
                line.variations.setdefault(place, []).append(variation)
                while len(board.move_stack) > start + place:
                    board.pop()
        board.push(move)
    while len(board.move_stack) > start:
        board.pop()


def _append(line: Line, rest: Line) -> None:
    """Add a line after one move of another."""
    line.moves += rest.moves
    line.comments |= {place + 1: comment for place, comment in rest.comments.items()}
    line.nags |= {place + 1: nags for place, nags in rest.nags.items()}
    line.variations |= {place + 1: lines for place, lines in rest.variations.items()}


def content(game: Game) -> Any:
    """Return the content by which two games are compared."""
    lines = [(line.moves, line.comments, line.nags, sorted(line.variations)) for line in game.lines()]
    return tags_of(game), game.result, game.board().fen(), lines


def reduced(game: Game, holds: frozenset[str], has_tags: bool) -> Game:
    """Return a game without the parts that a format, a row of the table, cannot hold."""
    new = Game({tag: value for tag, value in game.headers.items() if has_tags and tag in TAGS})
    new.headers["Result"] = game.result if "results" in holds else "*"
    if "FEN" in game.headers:
        assert "positions" in holds
        new.headers["FEN"] = game.headers["FEN"]
    waiting: list[tuple[Line, Line]] = [(game, new)]
    while waiting:
        old, twin = waiting.pop()
        twin.moves = list(old.moves)
        twin.comments = dict(old.comments) if "comments" in holds else {}
        twin.nags = dict(old.nags) if "NAGs" in holds else {}
        if "variations" in holds:
            for place, lines in old.variations.items():
                twin.variations[place] = [Line() for _ in lines]
                waiting += zip(lines, twin.variations[place], strict=True)
    return new


def paths(game: Game) -> list[tuple[str, ...]]:
    """Return every line of a game from its start to its end, as words."""
    paths, waiting = [], [(game, ())]
    while waiting:
        line, before = waiting.pop()
        words = tuple(move.uci() for move in line.moves)
        paths.append(before + words)
        for place, lines in line.variations.items():
            waiting += ((other, before + words[:place]) for other in lines)
    return sorted(paths)


def encrypted_xqf(data: bytes, version: int, key: bytes) -> bytes:
    """Return a file of version 18 whose keys are 0, with another version (11-18) and eleven bytes of keys.

    Written from the description of the format, independently of the reader: a byte of a stream is added to each byte of
    the moves, and numbers derived from the keys to squares and sizes of comments.
    """
    mask, a, b, c, d, total, square, origin, target = key[0], *key[5:9], *key[9:13]
    scramble = [(((((k * k) * 3 + 9) * 3 + 8) * 2 + 1) * 3 + 8) for k in (square, origin, target)]
    square_key = scramble[0] * square % 256
    origin_key = scramble[1] * square_key % 256
    target_key = scramble[2] * origin_key % 256
    size_key = (total * 256 + square) % 32000 + 767
    parts = [(total & mask) | a, (square & mask) | b, (origin & mask) | c, (target & mask) | d]
    stream = [ord(sign) & parts[n % 4] for n, sign in enumerate("[(C) Copyright Mr. Dong Shiwei.]")]

    head = bytearray(data[:1024])
    head[2], head[3:16] = version, key
    plain = head[0x10 + 31 : 0x30] + head[0x10 : 0x10 + 31]  # version 18 with keys of 0 rotates the row by one
    for n in range(32):
        slot = (square_key + n + 1) % 32 if version >= 12 else n
        head[0x10 + n] = (plain[slot] + square_key) % 256
    body, at = bytearray(data[1024:]), 0
    while at < len(body):
        body[at] = (body[at] + origin_key) % 256
        body[at + 1] = (body[at + 1] + target_key) % 256
        has_comment = body[at + 2] & 0x20
        at += 4
        if has_comment:
            size = int.from_bytes(body[at : at + 4], "little") - 767
            body[at : at + 4] = (size + size_key).to_bytes(4, "little")
            at += 4 + size
    return bytes(head) + bytes((value + stream[n % 32]) % 256 for n, value in enumerate(body))
