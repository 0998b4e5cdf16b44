"""Game records: the log of scripts/junqi_referee.py, a line of fields between tabs each.

Name, first and second player, their set-ups, moves with the digit of their result, and how the game ended.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TextIO

from games.contract import GameRecord

ENCODING = "utf-8"
RESULTS = {"first": "1-0", "second": "0-1", "draw": "1/2-1/2"}


def read(handle: TextIO) -> Iterator[GameRecord]:
    """The games of a file; moves are not judged by the rules."""
    for line in handle:
        if line.strip() and not line.startswith("#"):
            fields = line.rstrip("\n").split("\t")
            if len(fields) < 7:
                raise ValueError(f"not a line of a log: {line[:40]!r}")
            name, first, second, *setups, words, end = fields[:7]
            moves = (f"{word[:4]}={word[4:]}" for word in words.split())
            yield GameRecord((*setups, *moves), (), RESULTS.get(end, "*"), first, second, event=name)


def write(game: GameRecord, comments: Mapping[int, str] = MappingProxyType({})) -> str:
    """The line; the format has no comments."""
    end = next((text for text, result in RESULTS.items() if result == game.result), "")
    words = " ".join(word[:4] + word[5:6] for word in game.moves[2:])
    return "\t".join([game.event, game.first, game.second, *game.moves[:2], words, end]) + "\n"
