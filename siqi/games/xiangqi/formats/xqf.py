"""XQF, the files of XQStudio: a head of 1,024 bytes, then the tree of moves.

The published format 1.0 (version 10) has no variations of its own, though programs write and read them. Versions 11 to
18 are encrypted by four bytes of the head, which may all be 0. We write version 10 as it is published, and version 18
with keys of 0 for a game with variations.

A square is 10 * file + rank, from Red's left corner. A step is four bytes: origin + 24, target + 32, flags and a
spare one. The size of its comment (always in versions up to 10, else if the flags say so) and the comment follow. The
first step is no move; its comment is the game's.

Sources: XQStudio 1.0's description of the format (qipaile.net, 2001); public readers of later versions.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import NamedTuple

from siqi.games.formats import Format, Losses, ParsedFile, WriteStyle, WrittenFile
from siqi.games.xiangqi.formats.fitting import cut, fitted, set_first, tags_of
from siqi.games.xiangqi.formats.preorder import Planter, StepReader, TreeStep, steps_of
from siqi.games.xiangqi.library.move import Move
from siqi.games.xiangqi.library.pgn import Game
from siqi.system.encodings import LEAST_NON_ASCII, broken_line, detected, is_nearly_utf8, replaced

HEAD_BYTES = 1024
ENCODING = "gb18030"
ENCODINGS = ("gb18030", "big5")
"""Encodings of the texts that are tried; programs in Taiwan write Big5."""

OLD, NEW = 10, 18
_PLAIN = 10  # the last version that is not encrypted

PIECES = "RNBAKABNRCCPPPPPrnbakabnrccppppp"
"""Letters of the 32 bytes of the first position."""

_OFF_BOARD = 0xFF
_RESULTS = ("*", "1-0", "0-1", "1/2-1/2")
_FIELDS = {
    "Title": (0x50, 63),
    "Event": (0xD0, 63),
    "Date": (0x110, 15),
    "Site": (0x120, 15),
    "Red": (0x130, 15),
    "Black": (0x140, 15),
    "TimeControl": (0x150, 63),
    "RedTime": (0x190, 15),
    "BlackTime": (0x1A0, 15),
    "Annotator": (0x1D0, 15),
    "Author": (0x1E0, 15),
}
"""Offset of a field, whose first byte is its length, and the most bytes of its text."""

_MASK = b"[(C) Copyright Mr. Dong Shiwei.]"
_NEXT, _SIBLING, _COMMENT = 0x80, 0x40, 0x20
_FROM, _TO = 24, 32


class _Keys(NamedTuple):
    """The keys that decrypt a file: subtracted from squares, sizes of comments, and all bytes behind the head."""

    square: int = 0
    origin: int = 0
    target: int = 0
    size: int = 0
    stream: bytes = bytes(32)


def read(form: Format, data: bytes, encoding: str | None) -> ParsedFile:
    """Return the game of a file."""
    if data[:2] != b"XQ":
        raise ValueError("not an XQF file: it does not begin with XQ")
    if len(data) < HEAD_BYTES + 4:
        raise ValueError(f"cut short: {len(data)} bytes, fewer than a head and a step")
    parsed = ParsedFile()
    version = data[2]
    keys = _Keys() if version <= _PLAIN else _keys(data)
    body = _decrypted(data[HEAD_BYTES:], keys.stream)
    fields = {tag: data[at + 1 : at + 1 + min(data[at], size)] for tag, (at, size) in _FIELDS.items()}
    reader = _Reader(body, version, keys, parsed.faults)
    root, comment = reader.read_step()
    texts = [*fields.values(), comment, *reader.skim()]
    name_of_texts = encoding or _encoding_of(texts)
    reader.encoding = name_of_texts

    game = Game({tag: reader.text(text) for tag, text in fields.items() if text})
    game.headers = tags_of(game)
    game.headers["Result"] = _RESULTS[data[0x33]] if data[0x33] < len(_RESULTS) else f"number {data[0x33]}"
    game.settle()
    letters = _letters(data[0x10:0x30], version, keys, parsed.faults)
    set_first(game, letters, reader.first_origin(), data[0x32], {0: "w", 1: "b"})
    if comment:
        game.comments[0] = reader.text(comment)
    if root.has_next or reader.has_more():
        reader.plant(Planter(game, parsed.faults))
    parsed.faults += broken_line(reader.broken, reader.encoding)
    game.comments = {place: text for place, text in game.comments.items() if text}
    if reader.left():
        game.notes.append(f"bytes left out behind the game: {reader.left()}")
    parsed.notes += game.notes
    parsed.games.append(game)
    return parsed


class _Reader(StepReader):
    """A reader of the steps, from the first one on."""

    def __init__(self, body: bytes, version: int, keys: _Keys, faults: list[str]) -> None:
        super().__init__(body, 0, faults)
        self._version, self._keys = version, keys
        self.encoding = ENCODING
        self.broken = 0  # characters that cannot be decoded

    def left(self) -> int:
        """Return the number of bytes that have not been read, without zeros at the end."""
        return len(self._data[self._at :].rstrip(b"\0"))

    def place(self) -> str:
        return f"byte {HEAD_BYTES + self._at}"

    def read_step(self) -> tuple[TreeStep, bytes]:
        if not self.has_more():
            raise ValueError("the file ends before the game does")
        start, end, flags, _ = self._data[self._at : self._at + 4]
        self._at += 4
        if self._version <= _PLAIN:
            has_next, has_sibling, has_comment = bool(flags & 0xF0), bool(flags & 0x0F), True
        else:
            has_next, has_sibling = bool(flags & _NEXT), bool(flags & _SIBLING)
            has_comment = bool(flags & _COMMENT)
        comment = self._read_comment() if has_comment else b""
        origin = _square((start - _FROM - self._keys.origin) & 0xFF)
        target = _square((end - _TO - self._keys.target) & 0xFF)
        return TreeStep(Move(origin, target), "", has_next, has_sibling), comment

    def _read_comment(self) -> bytes:
        if self._at + 4 > len(self._data):
            raise ValueError("the file ends before the game does")
        (size,) = struct.unpack_from("<i", self._data, self._at)
        size -= self._keys.size
        self._at += 4
        if not 0 <= size <= len(self._data) - self._at:
            raise ValueError(f"a comment of {size} bytes at {HEAD_BYTES + self._at}, which the file has not")
        self._at += size
        return self._data[self._at - size : self._at]

    def skim(self) -> list[bytes]:
        """Return all comments, and go back."""
        at, comments = self._at, []
        try:
            while self.has_more():
                comments.append(self.read_step()[1])
        except ValueError:
            pass
        self._at = at
        return comments

    def text(self, data: bytes) -> str:
        """Return a text; characters that cannot be decoded become U+FFFD, and are counted."""
        text, broken = replaced(data, self.encoding)
        self.broken += broken
        return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "").strip()


def _keys(head: bytes) -> _Keys:
    mask, *ors, total, square, origin, target = head[3], *head[8:16]
    square_key = _scrambled(square) * square & 0xFF
    origin_key = _scrambled(origin) * square_key & 0xFF
    target_key = _scrambled(target) * origin_key & 0xFF
    parts = [(key & mask) | more for key, more in zip((total, square, origin, target), ors, strict=True)]
    stream = bytes(sign & parts[number % 4] for number, sign in enumerate(_MASK))
    return _Keys(square_key, origin_key, target_key, (total * 256 + square) % 32000 + 767, stream)


def _scrambled(key: int) -> int:
    return key * key * 54 + 221


def _decrypted(data: bytes, stream: bytes) -> bytes:
    if not any(stream):
        return data
    table = [bytes((value - key) & 0xFF for value in range(256)) for key in stream]
    out = bytearray(data)
    for place in range(32):
        out[place::32] = data[place::32].translate(table[place])
    return bytes(out)


def _letters(places: bytes, version: int, keys: _Keys, faults: list[str]) -> dict[int, str]:
    """Return the letters of the first position by square."""
    letters: dict[int, str] = {}
    for number, value in enumerate(places):
        slot = (keys.square + number + 1) % 32 if version >= 12 else number
        square = _square((value - keys.square) & 0xFF)
        if square < 0:
            continue
        if square in letters:
            faults.append(f"two pieces on one point: {letters[square]} and {PIECES[slot]}")
            continue
        letters[square] = PIECES[slot]
    return letters


def _square(value: int) -> int:
    """Return the square of a byte, -1 for a captured piece."""
    return value % 10 * 9 + value // 10 if value < 90 else -1


def _encoding_of(texts: Sequence[bytes]) -> str:
    """Return the encoding of a file's texts: GB18030, unless they are UTF-8, or enough of them show another."""
    text = b"\n".join(filter(None, texts))
    if is_nearly_utf8(text):
        return "utf-8"
    if sum(value > 127 for value in text) < LEAST_NON_ASCII:
        return ENCODING
    return detected(text, ENCODING, ENCODINGS)


def write(form: Format, games: Sequence[Game], style: WriteStyle) -> WrittenFile:
    """Return the file of one game."""
    losses = Losses()
    game = fitted(games[0] if games else Game(), form.holds, _FIELDS, losses)
    version = NEW if game.variations else OLD
    head = bytearray(HEAD_BYTES)
    head[:3] = b"XQ" + bytes([version])
    board = game.board()
    squares = _places({square: piece.symbol() for square, piece in board.piece_map().items()})
    # Version 18 turns the row of pieces by one place, even if its keys are 0.
    head[0x10:0x30] = squares[1:] + squares[:1] if version == NEW else squares
    head[0x32] = 0 if board.turn else 1
    if board.fullmove_number != 1 or board.halfmove_clock:
        losses["counters of first positions"] += 1
    head[0x33] = _RESULTS.index(game.result)
    for tag, (at, size) in _FIELDS.items():
        text = game.headers.get(tag, "")
        kept, data = cut(text, size, ENCODING)
        losses["ends of tags"] += kept != text
        head[at : at + 1 + len(data)] = bytes([len(data)]) + data
    body = bytearray(_step(0, 0, bool(game.moves), False, game.comments.get(0, ""), version))
    body[3] = 0xFF
    for step in steps_of(game) if game.moves else ():
        origin, target = map(_byte, step.move)
        body += _step(origin, target, step.has_next, step.has_sibling, step.comment, version)
    return WrittenFile(bytes(head + body), +losses)


def _byte(square: int) -> int:
    return square % 9 * 10 + square // 9


def _places(letters: dict[int, str]) -> bytes:
    """Return the places of a position's pieces; ValueError if it has more of a kind than a set."""
    for letter in set(letters.values()):
        if (count := list(letters.values()).count(letter)) > PIECES.count(letter):
            raise ValueError(f"xqf cannot store {count} pieces {letter}")
    left = {letter: sorted(square for square, placed in letters.items() if placed == letter) for letter in set(PIECES)}
    return bytes(_byte(left[letter].pop(0)) if left[letter] else _OFF_BOARD for letter in PIECES)


def _step(origin: int, target: int, has_next: bool, has_sibling: bool, comment: str, version: int) -> bytes:
    data = comment.replace("\n", "\r\n").encode(ENCODING, "replace")
    if version == OLD:
        flags, size = 0xF0 * has_next, struct.pack("<i", len(data))
    else:
        flags = _NEXT * has_next | _SIBLING * has_sibling | _COMMENT * bool(data)
        size = struct.pack("<i", len(data) + _keys(bytes(16)).size) if data else b""
    return bytes([origin + _FROM, target + _TO, flags, 0]) + size + data
