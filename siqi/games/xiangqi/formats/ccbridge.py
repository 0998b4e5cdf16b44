"""CBR and CBL, the files of CCBridge (象棋桥): one game, and a library of games.

A game's record has texts at fixed places in UTF-16-LE, and the first position as 90 bytes from Black's left corner
(seen from Red) row by row. From byte 2,214 on it has the tree of moves: four bytes per step, flags, 0, origin, target,
then a comment's size and the comment if the flags say so. The first step is no move; its comment is the game's.

A library has a head, an index with 276 bytes for each of its slots, and the records, each at a multiple of 4,096 bytes
after the index; a long one takes several. An entry of the index shows whether a record was deleted. A record without
pieces is a heading. Bytes between the fields are whatever was in CCBridge's memory.

Sources: a description of the format (zhihu.com/p/682174695), public readers, and real libraries.
"""

from __future__ import annotations

import hashlib
import struct
import uuid
from collections.abc import Collection, Sequence

from siqi.games.formats import Format, Losses, ParsedFile, WriteStyle, WrittenFile
from siqi.games.xiangqi.formats.fitting import cut, fitted, set_first, tags_of
from siqi.games.xiangqi.formats.preorder import Planter, StepReader, TreeStep, steps_of
from siqi.games.xiangqi.library.move import Move
from siqi.games.xiangqi.library.pgn import Game
from siqi.system.encodings import broken_line, replaced

RECORD, LIBRARY = b"CCBridge Record\0", b"CCBridgeLibrary\0"
SLOT_BYTES = 4096
INDEX_AT, INDEX_BYTES = 66_624, 276
SLOTS_AT_ONCE = 128
"""CCBridge extends the index by this number of games at a time."""

_ENCODING = "utf-16-le"
_MOVES_AT = 2214
_KIND, _RESULT, _FIRST_SIDE, _NUMBER, _BOARD, _STATE = 2040, 2076, 2112, 2116, 2120, 2210
_RESULTS = ("*", "1-0", "0-1", "1/2-1/2", "1/2-1/2")
_SIDES = {0: "w", 1: "w", 2: "b"}
_LETTERS = "RNBAKCP"
_FIELDS = {
    "Script": (52, 128),
    "Title": (180, 128),
    "Category": (308, 256),
    "Source": (564, 64),
    "EventType": (628, 64),
    "Event": (692, 64),
    "Round": (756, 64),
    "Group": (820, 32),
    "Board": (852, 32),
    "Date": (884, 64),
    "Site": (948, 64),
    "TimeControl": (1012, 64),
    "Red": (1076, 64),
    "RedTeam": (1140, 64),
    "RedTime": (1204, 64),
    "RedScore": (1268, 32),
    "Black": (1300, 64),
    "BlackTeam": (1364, 64),
    "BlackTime": (1428, 64),
    "BlackScore": (1492, 32),
    "Referee": (1524, 64),
    "Recorder": (1588, 64),
    "Annotator": (1652, 64),
    "AnnotatorMail": (1716, 64),
    "Author": (1780, 64),
    "AuthorMail": (1844, 64),
    "Created": (1908, 40),
    "Nature": (2044, 32),
    "Termination": (2080, 32),
}
"""Offset and size of a field, whose text ends with a character of 0."""

_LAST, _SIBLING, _COMMENT = 1, 2, 4
_IN_USE, _PRESENT = 1, 2
"""Flags of an entry of the index: 7 for a game, 5 for one that was deleted."""


def read(form: Format, data: bytes, encoding: str | None) -> ParsedFile:
    """Return the games of a record or a library, whichever the data is."""
    parsed = ParsedFile()
    if encoding:
        raise ValueError(f"{form.name} has an encoding of its own")
    if data.startswith(RECORD):
        parsed.games.append(_read_record(data, parsed.faults))
        parsed.notes += parsed.games[-1].notes
        return parsed
    if not data.startswith(LIBRARY):
        raise ValueError("not a file of CCBridge: it begins with neither of its marks")
    if len(data) < INDEX_AT:
        raise ValueError(f"cut short: {len(data)} bytes, fewer than a library's head")
    starts = _record_starts(data)
    for number, (start, end) in enumerate(zip(starts, [*starts[1:], len(data)], strict=True), 1):
        faults: list[str] = []
        title, _ = _text(data[start + _FIELDS["Title"][0] : end][: _FIELDS["Title"][1]])
        if not any(data[start + _BOARD : start + _BOARD + 90]):
            parsed.notes.append(f"record {number} has no position: {title}")
            continue
        if _is_deleted(data, number - 1, title):
            parsed.notes.append(f"record {number} was deleted: {title}")
            continue
        try:
            parsed.games.append(_read_record(data[start:end], faults))
            parsed.notes += (f"record {number}: {note}" for note in parsed.games[-1].notes)
        except ValueError as error:
            faults.append(str(error))
        parsed.faults += (f"record {number}: {fault}" for fault in faults)
    return parsed


def _record_starts(data: bytes) -> list[int]:
    """Return the offsets of a library's records: the first one behind the index, the others by slots from there."""
    (slots,) = struct.unpack_from("<I", data, 60)
    first = INDEX_AT + slots * INDEX_BYTES
    if data[first : first + len(RECORD)] != RECORD:
        first = data.find(RECORD, INDEX_AT)
    if first < 0:
        return []
    return [at for at in range(first, len(data), SLOT_BYTES) if data.startswith(RECORD, at)]


def _read_record(data: bytes, faults: list[str]) -> Game:
    if len(data) < _MOVES_AT:
        raise ValueError(f"cut short: {len(data)} bytes, fewer than a record's head")
    reader = _Reader(data, faults)
    game = Game({tag: reader.text(data[at : at + size]) for tag, (at, size) in _FIELDS.items()})
    game.headers = tags_of(game)
    game.headers["Result"] = _RESULTS[data[_RESULT]] if data[_RESULT] < len(_RESULTS) else f"number {data[_RESULT]}"
    game.settle()
    letters = _letters(data[_BOARD : _BOARD + 90], faults)
    root, comment = reader.read_step() if reader.has_more() else (None, b"")
    first, (number,) = reader.first_origin(), struct.unpack_from("<H", data, _NUMBER)
    set_first(game, letters, first, data[_FIRST_SIDE], _SIDES, max(1, number))
    if text := reader.text(comment):
        game.comments[0] = text
    if root is not None and root.has_next and first >= 0:
        reader.plant(Planter(game, faults))
    faults += broken_line(reader.broken, _ENCODING)
    return game


def _is_deleted(data: bytes, number: int, title: str) -> bool:
    """True if the index has a record, by its number and title, as deleted."""
    at = INDEX_AT + number * INDEX_BYTES
    flags, place = struct.unpack_from("<2I", data, at)
    entry_title, _ = _text(data[at + 100 : at + 228])
    return bool(flags & _IN_USE) and not flags & _PRESENT and place <= number and entry_title == title


def _text(data: bytes) -> tuple[str, int]:
    """Return the text of a field, whose end is a character of 0, and how many characters cannot be decoded."""
    size = len(data) // 2 * 2
    end = next((at for at in range(0, size, 2) if data[at : at + 2] == b"\0\0"), size)
    text, broken = replaced(data[:end], _ENCODING)
    return text.replace("\r\n", "\n").replace("\r", "\n").strip(), broken


def _letters(board: bytes, faults: list[str]) -> dict[int, str]:
    """Return the letters of the first position by square."""
    letters = {}
    unknown = 0
    for place, value in enumerate(board):
        kind = (value & 15) - 1
        if value >> 4 in (1, 2) and kind in range(len(_LETTERS)):
            letter = _LETTERS[kind]
            letters[_square(place)] = letter if value >> 4 == 1 else letter.lower()
        else:
            unknown += value not in (0, 0xFF)
    if unknown:
        faults.append(f"pieces of an unknown kind: {unknown}")
    return letters


def _square(place: int) -> int:
    """Return the square of a place on the board, and the place of a square."""
    return (9 - place // 9) * 9 + place % 9


class _Reader(StepReader):
    """A reader of the steps, from the first one on."""

    def __init__(self, data: bytes, faults: list[str]) -> None:
        super().__init__(data, _MOVES_AT, faults)
        self.broken = 0  # characters that cannot be decoded

    def place(self) -> str:
        return f"byte {self._at} of the record"

    def read_step(self) -> tuple[TreeStep, bytes]:
        if not self.has_more():
            raise ValueError("the record ends before the game does")
        flags, _, origin, target = self._data[self._at : self._at + 4]
        self._at += 4
        comment = self._read_comment() if flags & _COMMENT else b""
        squares = [_square(place) if place < 90 else 90 for place in (origin, target)]
        return TreeStep(Move(*squares), "", not flags & _LAST, bool(flags & _SIBLING)), comment

    def _read_comment(self) -> bytes:
        if not self.has_more():
            raise ValueError("the record ends before the game does")
        (size,) = struct.unpack_from("<i", self._data, self._at)
        self._at += 4
        if not 0 <= size <= len(self._data) - self._at:
            raise ValueError(f"a comment of {size} bytes, which the record has not")
        self._at += size
        return self._data[self._at - size : self._at]

    def text(self, data: bytes) -> str:
        text, broken = _text(data)
        self.broken += broken
        return text

    def first_origin(self) -> int:
        """Return the origin of the first move, -1 if there is none; a record without moves may end in zeros."""
        return super().first_origin() if any(self._data[self._at : self._at + 4]) else -1


def write(form: Format, games: Sequence[Game], style: WriteStyle) -> WrittenFile:
    """Return the record of a game, or a library of games."""
    losses = Losses()
    if form.name == "cbr":
        return WrittenFile(_record(games[0] if games else Game(), form.holds, losses), +losses)
    slots = -(-max(len(games), 1) // SLOTS_AT_ONCE) * SLOTS_AT_ONCE
    head = bytearray(INDEX_AT + slots * INDEX_BYTES)
    head[:16] = LIBRARY
    head[16:20] = struct.pack("<I", 3)
    head[52:56] = b"\xff\xff\xff\x7f"
    head[60:64] = struct.pack("<I", slots)
    parts: list[bytes] = []
    for number, game in enumerate(games):
        record = _record(game, form.holds, losses)
        at = INDEX_AT + number * INDEX_BYTES
        struct.pack_into("<4I", head, at, 7, number, 1, len(record))
        identity = uuid.UUID(bytes=hashlib.sha256(record + struct.pack("<I", number)).digest()[:16])
        _put(head, at + 20, 80, f"{{{str(identity).upper()}}}")
        _put(head, at + 100, 128, game.headers.get("Title", ""))
        parts += [record, bytes(-len(record) % SLOT_BYTES)]
    return WrittenFile(b"".join([bytes(head), *parts]), +losses)


def _put(data: bytearray, at: int, size: int, text: str) -> str:
    """Write a text into a field, and return what fitted in with the 0 at its end."""
    kept, encoded = cut(text, size - 2, _ENCODING)
    data[at : at + len(encoded)] = encoded
    return kept


def _record(whole: Game, holds: Collection[str], losses: Losses) -> bytes:
    game = fitted(whole, holds, _FIELDS, losses)
    head = bytearray(_MOVES_AT)
    head[:16] = RECORD
    head[19] = 2
    for tag, (at, size) in _FIELDS.items():
        text = game.headers.get(tag, "")
        losses["ends of tags"] += _put(head, at, size, text) != text
    board = game.board()
    head[_KIND] = 2 if "FEN" in game.headers else 0
    head[_RESULT] = _RESULTS.index(game.result)
    head[_FIRST_SIDE] = 1 if board.turn else 2
    losses["counters of first positions"] += bool(board.halfmove_clock)
    struct.pack_into("<H", head, _NUMBER, min(board.fullmove_number, 0xFFFF))
    for square, piece in board.piece_map().items():
        letter = piece.symbol()
        head[_BOARD + _square(square)] = (16 if letter.isupper() else 32) + _LETTERS.index(letter.upper()) + 1
    head[_STATE : _STATE + 4] = b"\xff\xff\xff\xff"
    body = bytearray(_step(0, 0, 0 if game.moves else _LAST, game.comments.get(0, "")))
    for step in steps_of(game) if game.moves else ():
        flags = (0 if step.has_next else _LAST) | (_SIBLING if step.has_sibling else 0)
        origin, target = map(_square, step.move)
        body += _step(origin, target, flags, step.comment)
    return bytes(head + body)


def _step(origin: int, target: int, flags: int, comment: str) -> bytes:
    if not comment:
        return bytes([flags, 0, origin, target])
    data = comment.replace("\n", "\r\n").encode(_ENCODING, "replace")
    return bytes([flags | _COMMENT, 0, origin, target]) + struct.pack("<i", len(data)) + data
