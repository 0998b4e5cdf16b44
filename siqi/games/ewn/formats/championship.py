"""EWN game records in the format of the Chinese championships (GB2312 text).

    #[WTN][A R][B B][先手胜][2017.07.29 14:00 重庆][2017 CCGC];
    R:A5-1;B5-2;C5-3;A4-4;B4-5;A3-6
    B:E1-6;D1-1;C1-5;E2-2;D2-4;E3-3
    1:6;(R6,B4)
    2:3;(B3,D4)

A move is written ply:throw;(piece,target). Red (R) sets up at A5, the top left corner, Blue (B) at E1. Either may have
moved first. Here the first side is the one that did, and the board is turned if that was Blue.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import TextIO

from siqi.games.ewn import INFO
from siqi.games.ewn.rules.notation import TRIANGLES, letter_of, parse_fen, parse_square, square_text
from siqi.games.game_record import GameRecord
from siqi.games.records.championship import check_start, read_head, write_head
from siqi.games.records.record_format import WholeTexts
from siqi.games.records.values import read_result

annotate = None
"""The format has no comments."""

_DIGITS = str.maketrans("".join(INFO.pieces), "123456" * 2)
_PIECE = re.compile(r"([A-Ea-e][1-5])-([1-6])")
_SETUP = re.compile(r"([RB]):((?:\s*[A-Ea-e][1-5]-[1-6]\s*;?)+)")
_ANY_MOVE = re.compile(r"\s*\d+\s*[:：]")
_MOVE = re.compile(r"(?<!\d)(\d{1,5}):([1-6]);\(([RB])([1-6]),([A-Ea-e][1-5])\)")


def text(game: GameRecord) -> str:
    """Return the text of a game, with the first side as Red.

    ValueError if a set-up or a throw is missing, or the game began from a FEN that is not two set-ups with the first
    side to move.
    """
    setups, moves = (_setups_of(game.fen), game.moves) if game.fen else (game.moves[:2], game.moves[2:])
    if len(setups) < 2:
        raise ValueError("a set-up is missing")
    throws = game.dice[: len(moves)] + (0,) * (len(moves) - len(game.dice))
    if 0 in throws:
        raise ValueError(f"the throw of move {throws.index(0) + 1} is not known")
    lines = [f"#{write_head('WTN', 'RB', game)};"]
    standing: dict[int, str] = {}
    for colour, word, triangle in zip("RB", setups, TRIANGLES, strict=True):
        pieces = dict(zip(triangle, word, strict=True))
        standing |= {square: colour + digit for square, digit in pieces.items()}
        lines.append(f"{colour}:" + ";".join(f"{square_text(s).upper()}-{digit}" for s, digit in pieces.items()))
    for ply, (move, die) in enumerate(zip(moves, throws, strict=True), 1):
        piece = standing.pop(parse_square(move[:2]))
        standing[parse_square(move[2:])] = piece
        lines.append(f"{ply}:{die};({piece},{move[2:].upper()})")
    return "\n".join(lines) + "\n"


def _setups_of(fen: str) -> list[str]:
    """Return the words of the set-ups that a FEN shows; ValueError if it shows another position."""
    pieces, turn, _ = parse_fen(fen)
    letters = {square: letter_of(piece) for piece, square in pieces}
    setups = ["".join(letters.pop(square, "-") for square in triangle) for triangle in TRIANGLES]
    words = [setup.translate(_DIGITS) for setup in setups]
    if letters or turn or [sorted(setup) for setup in setups] != [list(INFO.pieces[side]) for side in range(2)]:
        check_start(fen)
    return words


def stream(handle: TextIO, skip: Callable[[str], None] = lambda text: None) -> Iterator[GameRecord]:
    """Yield the games of a file; ValueError names the fault of a game. Moves are not checked against the rules."""
    before, *texts = handle.read().split("#")
    skip(before)
    return map(partial(_read, skip), texts)


def _read(skip: Callable[[str], None], text: str) -> GameRecord:
    setups_at = _SETUP.search(text)
    start = setups_at.start() if setups_at else len(text)
    head, body = text[:start].rstrip("; \t\r\n"), text[start:]
    names, verdict, occasion, event, rest = read_head(head, "WTN", "RB")
    for part in (*rest, *_MOVE.sub("\n", _SETUP.sub("\n", body)).splitlines()):
        if _ANY_MOVE.match(part):
            raise ValueError(f"not a move: {part.strip()[:20]}")
        skip(part.strip(" ;"))
    moves = _MOVE.findall(body)
    is_turned = bool(moves) and moves[0][2] == "B"

    standing: dict[int, str] = {}
    setups = {}
    for colour, part in _SETUP.findall(body):
        pieces = {parse_square(square): digit for square, digit in _PIECE.findall(part)}
        standing |= {square: colour + digit for square, digit in pieces.items()}
        triangle = TRIANGLES["RB".index(colour)]
        if sorted(pieces) != sorted(triangle) or sorted(pieces.values()) != list("123456"):
            raise ValueError(f"{colour}: not a set-up: {part.strip()[:40]!r}")
        setups[colour] = "".join(pieces[square] for square in triangle)
    if set(setups) != {"R", "B"}:
        raise ValueError("a set-up is missing")

    order = "BR" if is_turned else "RB"
    words = [setups[colour] for colour in order]
    for count, (ply, _, colour, digit, target) in enumerate(moves):
        if int(ply) != count + 1 or colour != order[count % 2]:
            raise ValueError(f"move {count + 1} is missing, or of the wrong side")
        origins = [square for square, piece in standing.items() if piece == colour + digit]
        if not origins:
            raise ValueError(f"move {ply}: {colour}{digit} is not on the board")
        squares = origins[0], parse_square(target)
        standing[squares[1]] = standing.pop(squares[0])
        words.append("".join(square_text(24 - square if is_turned else square) for square in squares))
    result = read_result(verdict, *("blue", "red") if is_turned else ("red", "blue"))
    return GameRecord(
        tuple(words),
        tuple(int(move[1]) for move in moves),
        result.result,
        names.get(order[0], "?"),
        names.get(order[1], "?"),
        occasion,
        event,
        result_text=result.text,
    )


_WHOLE = WholeTexts(stream, text)
read, write = _WHOLE.read, _WHOLE.write
