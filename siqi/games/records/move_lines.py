"""A line of moves a game, in the words of the protocol, with EWN's throws before the moves and the result at the end.

    j10 i9k11 i10k10 1-0
    123456 615243 6 a3b3 3 e3d4

A move's number (`1.`), commas, colons and semicolons are no part of a move; `#` begins a remark. A position other than
the start stands before its moves, with the word `moves` between them: `5/1A3/2e2/3d1/5 f - moves 2 b4c3`.

Little Golem's lists of moves are read too: a line that begins with the number of the next move continues the game
before it, and `resign` is the last word of the side that gave up.

    1.j10 2.i9l10 3.j8l8 4.k8m7 5.i11j12 6.k9j9
    7.l9l7 8.k10k7 9.resign
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import TextIO

from siqi.games.contract import GameInfo
from siqi.games.formats import Format, begins
from siqi.games.game_record import GameRecord
from siqi.games.records.record_format import WholeTexts
from siqi.games.records.values import RESULTS

_NUMBER = re.compile(r"(?<!\S)\d+\.+")
_RESIGNED = ("resign", "resigned")


def moves_format(info: GameInfo, beginning: bytes, word: str) -> Format:
    """Return the format for a game; the patterns of a file's first words, remarks left out, and of a move's word."""
    return Format(
        name="moves",
        about="a line of moves per game",
        suffixes=(".moves",),
        holds=frozenset({"games", "results", "positions"}),
        tags="0",
        recognises=begins(rb"\s*(?:#[^\n]*\n\s*)*" + beginning),
        module=MoveLines(info, word),
    )


class MoveLines(WholeTexts):
    """The functions of a FormatModule (siqi/games/formats.py) for a game."""

    def __init__(self, info: GameInfo, word: str) -> None:
        """`word` is the pattern of a move's word."""
        self._info, self._word = info, re.compile(word)
        super().__init__(self.stream, self.text)

    def stream(self, handle: TextIO, skip: Callable[[str], None] = lambda text: None) -> Iterator[GameRecord]:
        """Yield the games of a file; ValueError for a line with a word that is no move.

        Moves are not checked against the rules.
        """
        return map(self._read, self._whole_games(filter(str.strip, map(partial(_without_remark, skip), handle))))

    def _whole_games(self, lines: Iterator[str]) -> Iterator[str]:
        """Yield the moves of each game in one line."""
        game = ""
        for line in lines:
            if game and not line.lstrip().startswith(f"{len(self._words_in(game)) + 1}."):
                yield game
                game = ""
            game += f" {line}" if game else line
        if game:
            yield game

    def _words_in(self, text: str) -> list[str]:
        """Return the words of moves in a text."""
        return list(filter(self._word.fullmatch, _words(text)))

    def _read(self, line: str) -> GameRecord:
        start, is_given, rest = line.rpartition(" moves ")
        fen = start.strip() if is_given and start.strip() != "startpos" else ""
        words = _words(rest)
        result = words.pop() if words[-1:] and words[-1] in RESULTS else "*"
        has_resigned = words[-1:] and words[-1].lower() in _RESIGNED
        if has_resigned:
            words.pop()
        moves: list[str] = []
        throws: list[int] = []
        throw = 0
        for word in words:
            if self._info.has_dice and word in map(str, range(1, self._info.die_faces + 1)):
                throw = int(word)
            elif self._word.fullmatch(word):
                moves.append(word)
                throws.append(throw)
                throw = 0
            else:
                raise ValueError(f"not a move: {word[:40]}")
        if has_resigned and result == "*" and not fen:
            result = ("0-1", "1-0")[len(moves) % 2]
        dice = tuple(throws[self._info.setups(fen) :]) if self._info.has_dice else ()
        return GameRecord(tuple(moves), dice, result, fen=fen)

    def text(self, game: GameRecord) -> str:
        """Return the line of a game; ValueError if it has no moves."""
        if not game.moves:
            raise ValueError("a game without moves has no line")
        words = [game.fen, "moves"] if game.fen else []
        for ply, word in enumerate(game.moves):
            if throw := game.throw(self._info, ply):
                words.append(str(throw))
            words.append(word)
        if game.result != "*":
            words.append(game.result)
        return " ".join(words) + "\n"


def _words(text: str) -> list[str]:
    """Return the words of a text without the numbers of moves."""
    return re.sub(r"[,;:]", " ", _NUMBER.sub(" ", text)).split()


def _without_remark(skip: Callable[[str], None], line: str) -> str:
    text, _, remark = line.partition("#")
    skip(remark)
    return text
