"""Connect6 game records in the format of the Chinese championships (GB2312 text).

    {[C6][X B][Y W][先手胜][2017.07.29 14:00 重庆][2017 CCGC];B(J,10);W(I,11);W(K,9);B(J,11);B(J,12)}

A stone is written as its colour, the column's letter and the row from the bottom. Black's first turn has one stone, all
others have two. The official sample begins with `{{C6}[` in place of `{[C6][`, once with `{{C5}[`; both are read.
`MARK[1]` behind a stone (-2 to 2) is a remark, which is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import TextIO

from siqi.games.game_record import GameRecord
from siqi.games.records.championship import check_start, read_head, write_head
from siqi.games.records.record_format import WholeTexts
from siqi.games.records.values import read_result

annotate = None
"""The format has no comments."""

_SAMPLE = re.compile(r"\{\s*\{\s*C[56]\s*\}\s*\[")
_ANY_STONE = re.compile(r"\s*[BW]\s*\(")
_STONE = re.compile(r"([BW])\(\s*([A-Sa-s])\s*,\s*(\d{1,2})\s*\)")


def text(game: GameRecord) -> str:
    """Return the text of a game; ValueError if it began from a FEN."""
    check_start(game.fen)
    stones = [
        f"{'BW'[ply % 2]}({stone[0].upper()},{stone[1:]})"
        for ply, move in enumerate(game.moves)
        for stone in re.findall(r"[a-s]\d+", move)
    ]
    return f"{{{write_head('C6', 'BW', game)};{';'.join(stones)}}}\n"


def stream(handle: TextIO, skip: Callable[[str], None] = lambda text: None) -> Iterator[GameRecord]:
    """Yield the games of a file; ValueError names the fault of a game. Moves are not checked against the rules."""
    before, *texts = _SAMPLE.sub("{[C6][", handle.read()).split("{")
    skip(before)
    return map(partial(_read, skip), texts)


def _read(skip: Callable[[str], None], text: str) -> GameRecord:
    text, _, behind = text.partition("}")
    head, _, body = text.partition(";")
    names, verdict, occasion, event, rest = read_head(head, "C6", "BW")
    for part in (*rest, *_STONE.sub("", body).split(";"), behind.replace("}", "")):
        if _ANY_STONE.match(part):
            raise ValueError(f"not a stone on the board: {part.strip()[:20]}")
        skip(part)
    stones = [(colour, f"{column.lower()}{int(row)}") for colour, column, row in _STONE.findall(body)]
    turns = [stones[max(first, 0) : first + 2] for first in range(-1, len(stones), 2)]
    for number, turn in enumerate(turns):
        if any(colour != "BW"[number % 2] for colour, _ in turn):
            raise ValueError(f"turn {number + 1} has a stone of the wrong side")
    result = read_result(verdict, "black", "white")
    return GameRecord(
        tuple("".join(stone for _, stone in turn) for turn in turns if turn),
        (),
        result.result,
        names.get("B", "?"),
        names.get("W", "?"),
        occasion,
        event,
        result_text=result.text,
    )


_WHOLE = WholeTexts(stream, text)
read, write = _WHOLE.read, _WHOLE.write
