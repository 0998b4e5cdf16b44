"""Game records as logs of Junqi's referees have them: one game per line, its fields separated by tabs.

The fields: name, first and second player, their deployments, moves each with the digit of its result, and the winner. A
game as one side saw it has `?` for the deployment that it did not know. A move may end with the square of a flag that
was announced after it: `G2F21@A1`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TextIO

from siqi.games.contract import UNKNOWN_SETUP
from siqi.games.game_record import GameRecord
from siqi.games.records.record_format import WholeTexts
from siqi.games.records.values import read_result

annotate = None
"""The format has no comments."""

_ENDS = {"1-0": "first", "0-1": "second", "1/2-1/2": "draw"}


def stream(handle: TextIO, skip: Callable[[str], None] = lambda text: None) -> Iterator[GameRecord]:
    """Yield the games of a file, moves unchecked by the rules; ValueError at a line with too few fields."""
    return map(partial(_read, skip), _lines(handle, skip))


def _lines(handle: TextIO, skip: Callable[[str], None]) -> Iterator[str]:
    for line in handle:
        if line.strip() and not line.startswith("#"):
            yield line
        else:
            skip(line)


def _read(skip: Callable[[str], None], line: str) -> GameRecord:
    fields = line.rstrip("\n").split("\t")
    if len(fields) < 7:
        raise ValueError(f"not a line of a log: {line[:40]!r}")
    name, first, second, *deployments, words, end = fields[:7]
    for field in fields[7:]:
        skip(field)
    moves = (f"{word[:4]}={word[4:]}" for word in words.split())
    result, text = read_result(end, "red", "blue")
    return GameRecord((*deployments, *moves), (), result, first, second, event=name, result_text=text)


def text(game: GameRecord) -> str:
    """Return the line of a game; ValueError if it began from a FEN, or a deployment or a move's result is missing."""
    if game.fen:
        raise ValueError(f"the format cannot store a position at the start: {game.fen}")
    if len(game.moves) < 2:
        raise ValueError("a set-up is missing")
    if unclear := [word for word in game.moves[2:] if word[4:5] != "="]:
        raise ValueError(f"a move has no result: {unclear[0]}")
    end = " ".join(game.result_text.split()) or _ENDS.get(game.result, "")
    if game.end and end:
        end += f"{' won' * (game.result != '1/2-1/2')} ({game.end})"
    end_of_word = None if UNKNOWN_SETUP in game.moves[:2] else 6  # a flag's square follows from whole deployments
    words = " ".join(word[:4] + word[5:end_of_word] for word in game.moves[2:])
    names = (team or name for team, name in zip(game.teams, (game.first, game.second), strict=True))
    texts = (" ".join(text.split()) for text in (f"{game.event} {game.round}".lstrip("# \t\n\r"), *names))
    return "\t".join([*texts, *game.moves[:2], words, end]) + "\n"


_WHOLE = WholeTexts(stream, text)
read, write = _WHOLE.read, _WHOLE.write
