"""Known positions: the user's file of positions and values, matched at each node of a search (paper 5, step 2).

A line is `FEN, value`, the FEN's counters ignored; `#` begins a comment. The value is that of the side to move:
centipawns from -10000 to 10000, or `win`, `draw`, `loss`. A position stands for its mirror image, too.

    3k5/9/9/9/9/9/4P4/9/9/4K4 w, win

A value takes no history into account. At a matched node the rules of repetition and of 60 moves take
precedence; below it nothing is searched to which they could apply. A win has no distance: the search knows only that
it is one, and finds the way itself once the position is the root, which is not looked up.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from siqi.games.contract import Warn
from siqi.games.kernel.intrinsics import load
from siqi.games.kernel.jit import Record, code_address, entry, inner, int64, new_record, outlined, void
from siqi.games.kernel.memory import address_of
from siqi.games.xiangqi.rules.lookup import CAPTURED, LOOKUP, LOOKUP_RECORD
from siqi.games.xiangqi.rules.position import POSITION, POSITION_DTYPE
from siqi.games.xiangqi.rules.setup import set_up
from siqi.games.xiangqi.rules.work import NO_SCORE, WORK
from siqi.system.encodings import read_text

MAX_BYTES = 1 << 20
"""The largest file, in bytes: some 15,000 positions."""

MAX_CENTIPAWNS = 10_000
KNOWN_WIN = 15_000
"""The value of a known win: beyond any evaluation, short of a perpetual."""

WORDS = {"win": KNOWN_WIN, "draw": 0, "loss": -KNOWN_WIN}

_ROW, _ROW_SHIFT = 8, 6
"""Words of a row of the table, and the shift that makes bytes of it: a key, a value, and the board in six words.

A row without a value is free; a value is stored as `value << 2 | turn << 1 | 1`. Row -1 has the mask of rows.
"""

_BOARD_WORDS, _SQUARES_PER_WORD = 6, 15


@inner(int64(POSITION, LOOKUP, int64, int64), forceinline=True)
def board_word(pos: Record, lookup: Record, number: int, is_mirrored: int) -> int:
    """Return the kinds (lookup.kind_of) on fifteen squares, a nibble each; of the mirror image if `is_mirrored`."""
    word = int64(0)
    for i in range(_SQUARES_PER_WORD):
        square = _SQUARES_PER_WORD * number + i
        if is_mirrored == 1:
            square += 8 - 2 * int64(lookup.file_of[square])
        word |= int64(lookup.kind_of[pos.board[square]]) << 4 * i
    return word


@outlined(int64(POSITION, WORK, LOOKUP))
def find_known(pos: Record, work: Record, lookup: Record) -> int:
    """Return the value of a known position, NO_SCORE if it is none; count it as a tablebase hit.

    work.known_positions must be the address of a table. The whole board is compared, so nothing else matches.
    """
    mask = load(work.known_positions - (_ROW << 3))
    row = pos.key & mask
    while True:
        at = work.known_positions + (row << _ROW_SHIFT)
        stored = load(at + 8)
        if stored == 0:
            return NO_SCORE
        if load(at) == pos.key and stored >> 1 & 1 == pos.turn:
            is_same = 1
            for number in range(_BOARD_WORDS):
                if load(at + 16 + 8 * number) != board_word(pos, lookup, int64(number), int64(0)):
                    is_same = 0
            if is_same == 1:
                work.tbhits += 1
                return stored >> 2
        row = row + 1 & mask


@entry(void(POSITION, LOOKUP, int64[::1]))
def _describe(pos: Record, lookup: Record, words: Any) -> None:
    """Write the key and the board words of a position, then those of its mirror image."""
    for is_mirrored in range(2):
        key = int64(0) if pos.turn == 0 else lookup.zobrist_turn
        for piece in range(16, 48):
            square = int64(pos.square[piece])
            if square < CAPTURED:
                if is_mirrored == 1:
                    square += 8 - 2 * int64(lookup.file_of[square])
                key ^= lookup.zobrist[lookup.kind_of[piece] * 91 + square]
        words[is_mirrored * (_BOARD_WORDS + 1)] = key
        for number in range(_BOARD_WORDS):
            word = board_word(pos, lookup, int64(number), int64(is_mirrored))
            words[is_mirrored * (_BOARD_WORDS + 1) + 1 + number] = word


class KnownPositions:
    """The positions of a file as a table for `find_known`."""

    def __init__(self, path: Path, warn: Warn) -> None:
        """Read a file. Lines that are no position and value are left out, with one warning for all.

        OSError, ValueError if the file cannot be read or is no text.
        """
        values: dict[tuple[int, ...], int] = {}  # (turn, key, board words): value
        faults = []
        for number, line in enumerate(read_text(path, MAX_BYTES).splitlines(), 1):
            text = line.partition("#")[0].strip()
            if text:
                try:
                    fen, value = parse_line(text)
                    for place in _places(fen):
                        if values.setdefault(place, value) != value:
                            raise ValueError("known before with another value")
                except ValueError as error:
                    faults.append(f"line {number}: {error}")
        if faults:
            warn(f"{path}: {faults[0]}" + f"; {len(faults)} lines left out" * (len(faults) > 1))
        self.count = len(values)
        """Positions, mirror images included."""
        self._words = _table(values)
        self.address = address_of(self._words) + 8 * _ROW
        self.kernel = code_address(find_known)


def parse_line(text: str) -> tuple[str, int]:
    """Return the FEN and the value of a line; ValueError if it has none or the value is not allowed."""
    fen, comma, word = (part.strip() for part in text.rpartition(","))
    if not comma:
        raise ValueError("not `FEN, value`")
    if word.lower() in WORDS:
        return fen, WORDS[word.lower()]
    digits = word.lstrip("+-")
    if len(word) - len(digits) > 1 or not (digits.isascii() and digits.isdigit()) or len(digits) > 5:
        raise ValueError(f"not a value: {word}")
    if abs(int(word)) > MAX_CENTIPAWNS:
        raise ValueError(f"{word} is not within {-MAX_CENTIPAWNS}..{MAX_CENTIPAWNS}")
    return fen, int(word)


def _places(fen: str) -> list[tuple[int, ...]]:
    """Return (turn, key, board words) of a position and its mirror image; ValueError if the FEN is no position."""
    pos = new_record(POSITION_DTYPE)
    set_up(pos, fen)
    words = np.zeros(2 * (_BOARD_WORDS + 1), np.int64)
    _describe(pos, LOOKUP_RECORD, words)
    return [(int(pos.turn), *half) for half in words.reshape(2, -1).tolist()]


def _table(values: dict[tuple[int, ...], int]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return the rows of a table that is at most half full, after the row of its mask."""
    rows = 1 << (2 * len(values)).bit_length()
    words = np.zeros((1 + rows, _ROW), np.int64)
    words[0, 0] = rows - 1
    for (turn, key, *board), value in values.items():
        row = key & rows - 1
        while words[1 + row, 1]:
            row = row + 1 & rows - 1
        words[1 + row] = [key, value << 2 | turn << 1 | 1, *board]
    return words
