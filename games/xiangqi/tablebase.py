"""Tables of endings: the distance to mate of every position, from files that scripts/build_endgames.py makes.

A file `RN-AABB.ending` is a book (games/book.py) whose payload is the values [side to move, number] (numbering.py) in
blocks of BLOCK bytes, each a zstd frame, behind the offsets of the frames. A value is a code: 0 a draw, d + 1 an end in
d plies, d odd if the side to move wins. Kernels see unpacked blocks and ask for others: a search with a deadline has
them unpacked beside it, any other between its iterations, so that it does the same each time.

Values know nothing of repetition: where the weaker side can attack, what they call a draw may be lost by a perpetual.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import zstandard

from games.book import BookError, open_book
from games.kernel.control import Control
from games.kernel.hashing import hash16
from games.kernel.intrinsics import load_byte, pointer_to, store_byte
from games.kernel.jit import Record, entry, inner, int64, record, record_type, void
from games.xiangqi.numbering import ENDING, ORDER, Ending, can_attack, index, letters_of, material_of, number
from games.xiangqi.position import POSITION
from games.xiangqi.rules import pop, push
from games.xiangqi.tables import TABLES_RECORD

KIND, VERSION = "xiangqi-ending", 1
SUFFIX = ".ending"
BLOCK = 1 << 20
REACH = 3
"""Captures from the root within which endings are unpacked."""

CAPACITY = 1 << 28
"""Bytes of unpacked values that are kept."""

SHARE, ROOT_SHARE = 0.03, 0.3
"""Of the time that a move has, what opening files may take; and that with unpacking what tells the root's own moves."""

PATIENCE_S, PAUSE_S = 0.2, 0.001
"""How long the loader waits for a search to ask for more, looking so often."""

ABSENT, PRESENT, WANTED = range(3)
"""States of a block."""

UNKNOWN = -1
_SLOTS = 2048

TABLEBASE_DTYPE = record(
    [
        # A hash table by pos.material, open addressing; 0 is free.
        ("material", "i8", _SLOTS),
        ("strong", "u1", _SLOTS),  # colour of the stronger side
        ("has_draws", "u1", _SLOTS),  # 1 if what the values call a draw is one
        ("has_cannon", "u1", _SLOTS),  # 1 if the stronger side has one, to which its own defenders are screens
        ("ending", "i8", _SLOTS),  # address of its ENDING
        ("values", "i8", _SLOTS),  # address of its values
        ("states", "i8", _SLOTS),  # address of a byte a block: ABSENT, PRESENT, WANTED
        ("any_wanted", "i8"),  # 1 once a block is newly wanted
    ]
)
TABLEBASE = record_type(TABLEBASE_DTYPE)
tablebase_at = pointer_to(TABLEBASE)
ending_at = pointer_to(ENDING)


@inner(int64(TABLEBASE, int64), forceinline=True)
def find_slot(tables: Record, material: int) -> int:
    """The slot of a material, or the free one where it belongs."""
    slot = hash16(material) & _SLOTS - 1
    while tables.material[slot] != material and tables.material[slot] != 0:
        slot = slot + 1 & _SLOTS - 1
    return slot


@inner(int64(POSITION, TABLEBASE, int64))
def cell_of(pos: Record, tables: Record, slot: int) -> int:
    """Where a position stands in its ending's values; UNKNOWN if a piece stands where none can."""
    e = ending_at(tables.ending[slot])
    strong = int64(tables.strong[slot])
    at = index(pos, e, strong)
    return UNKNOWN if at < 0 else (pos.turn ^ strong) * e.entries + at


@inner(int64(POSITION, TABLEBASE, int64))
def code_at(pos: Record, tables: Record, slot: int) -> int:
    cell = cell_of(pos, tables, slot)
    if cell == UNKNOWN:
        return UNKNOWN
    state = tables.states[slot] + cell // BLOCK
    if load_byte(state) != PRESENT:
        if load_byte(state) == ABSENT:
            store_byte(state, int64(WANTED))
            tables.any_wanted = 1
        return UNKNOWN
    code = load_byte(tables.values[slot] + cell)
    return UNKNOWN if code == 0 and tables.has_draws[slot] == 0 else code


@inner(int64(POSITION, int64), forceinline=True)
def probe_ending(pos: Record, tables: int) -> int:
    """The code of a position, UNKNOWN if no table tells it. `tables`: address of a TABLEBASE."""
    slot = find_slot(tablebase_at(tables), pos.material)
    return code_at(pos, tablebase_at(tables), slot) if tablebase_at(tables).material[slot] != 0 else UNKNOWN


DEFENDERS = 0xFF00
"""The nibbles of pos.material that count Red's advisors and elephants; 28 bits further up Black's."""


@inner(int64(POSITION, int64, int64))
def probe_bare(pos: Record, tables: int, side: int) -> int:
    """The code without `side`'s own advisors and elephants, against an enemy who cannot attack: mostly right.

    But no draw of a cannon. `tables`: address of a TABLEBASE, 0 for none.
    """
    if tables != 0:
        slot = find_slot(tablebase_at(tables), pos.material & ~(DEFENDERS << 28 * side))
        if tablebase_at(tables).material[slot] != 0 and tablebase_at(tables).has_draws[slot] == 1:
            if tablebase_at(tables).strong[slot] == side:
                code = code_at(pos, tablebase_at(tables), slot)
                return UNKNOWN if code == 0 and tablebase_at(tables).has_cannon[slot] == 1 else code
    return UNKNOWN


@entry(void(TABLEBASE, int64, int64, int64, int64, int64, int64, int64))
def _register(
    tables: Record, material: int, strong: int, has_draws: int, has_cannon: int, ending: int, values: int, states: int
) -> None:
    slot = find_slot(tables, material)
    if tables.material[slot] == 0:  # else both sides have the same, and the first entry tells all
        tables.material[slot] = material
        tables.strong[slot] = strong
        tables.has_draws[slot] = has_draws
        tables.has_cannon[slot] = has_cannon
        tables.ending[slot] = ending
        tables.values[slot] = values
        tables.states[slot] = states


@entry(int64(POSITION, TABLEBASE))
def _cell(pos: Record, tables: Record) -> int:
    """The cell of a position whose material the tables have; UNKNOWN."""
    return cell_of(pos, tables, find_slot(tables, pos.material))


class Table:
    """One ending's file, open. BookError if it cannot be used."""

    def __init__(self, path: Path, ending: Ending) -> None:
        book = open_book(path, KIND, VERSION)
        self.about = book.about
        self.numbering = np.array([number(ending)])
        entries = int(self.numbering["entries"][0])
        if (book.about.get("ending"), book.about.get("entries")) != (str(ending), entries):
            raise BookError(f"{path}: holds another ending, or other numbers, than {ending}")
        self.blocks = -(-2 * entries // BLOCK)
        head = 8 * (self.blocks + 1)
        if len(book.payload) < head:
            raise BookError(f"{path}: no offsets")
        self._offsets = book.payload[:head].view("<i8")
        is_sound = self._offsets[0] == head and self._offsets[-1] == len(book.payload)
        if not is_sound or (np.diff(self._offsets) < 0).any():
            raise BookError(f"{path}: wrong offsets")
        self._path, self._payload = path, book.payload
        self.values = np.empty(2 * entries, np.uint8)  # no memory until a block is written
        self.states = np.full(self.blocks, ABSENT, np.uint8)

    @property
    def unpacked(self) -> int:
        """Bytes."""
        return BLOCK * int((self.states == PRESENT).sum())

    def unpack(self, block: int) -> None:
        """Make a block present; BookError if it is damaged."""
        frame = self._payload[self._offsets[block] : self._offsets[block + 1]]
        room = self.values[block * BLOCK : (block + 1) * BLOCK]
        try:
            data = zstandard.ZstdDecompressor().decompress(frame.tobytes(), max_output_size=len(room))
        except zstandard.ZstdError as error:
            raise BookError(f"{self._path}: block {block}: {error}") from error
        if len(data) != len(room):
            raise BookError(f"{self._path}: block {block} is short")
        room[:] = np.frombuffer(data, np.uint8)
        self.states[block] = PRESENT


class Tablebase:
    """All endings found in some folders; files are opened when an ending comes in reach.

    While a search runs nothing may be called but `unpack_wanted`: its threads look at the open tables.
    """

    def __init__(self, folders: Iterable[Path], tell: Callable[[str], None]) -> None:
        """`tell` gets a line for each file that cannot be used."""
        self._tell = tell
        self._paths: dict[Ending, Path] = {}
        for folder in folders:
            for path in sorted(folder.glob(f"*{SUFFIX}")):
                try:
                    self._paths.setdefault(Ending.parse(path.name.removesuffix(SUFFIX)), path)
                except ValueError as error:
                    tell(f"{path}: {error}")
        self._endings = list(self._paths)
        counts = [[[side.count(letter) for letter in ORDER] for side in ending] for ending in self._endings]
        self._counts = np.array(counts).reshape(-1, 2, len(ORDER))
        self._is_bare = np.array(
            [not can_attack(ending.weak) and not set(ending.strong) & set("AB") for ending in self._endings], bool
        )
        self._tables: dict[Ending, Table] = {}  # open ones, in the order of their opening
        self._by_material: dict[int, Ending] = {}  # of positions looked up by `code_of`
        self._loader: threading.Thread | None = None  # unpacks beside a search
        self._record = np.zeros(1, TABLEBASE_DTYPE)

    @property
    def address(self) -> int:
        """What `probe_ending` takes."""
        return int(self._record.ctypes.data) if self._tables else 0

    def prepare(self, pos: Record, moves: list[int], control: Control) -> list[int]:
        """Open what a search from this position may meet, nearest first, as time allows.

        Returns the codes of the positions after the moves, for the other side; UNKNOWN where no table tells.
        """
        endings = self._in_reach(pos)
        if not endings:
            return [UNKNOWN] * len(moves)
        started_ns = time.monotonic_ns()

        def is_late(share: float) -> bool:
            return time.monotonic_ns() - started_ns >= share * control.time_from(started_ns)

        before = list(self._tables)
        self._forget(endings)
        for ending in endings:
            if is_late(SHARE):
                break
            self._open(ending)
        if list(self._tables) != before:
            self._register_all()
        self._record["any_wanted"] = 1  # perhaps of an earlier search
        codes = dict.fromkeys(moves, UNKNOWN)
        for move in moves:
            if is_late(ROOT_SHARE):
                break
            push(pos, TABLES_RECORD, move)
            codes[move] = self.code_of(pos)
            pop(pos, TABLES_RECORD)
        return list(codes.values())

    def unpack_wanted(self, control: Control) -> None:
        """Have the blocks unpacked that a search asks for: at once, or if it has a deadline beside it.

        At 50 ms a move unpacking between iterations scored 42.5 % +- 4.0, and 46.9 % +- 2.9 with at most 3 % of the
        time.
        """
        if control.time_from(time.monotonic_ns()) == math.inf:
            for ending, block in self._wanted():
                if control.stopped:
                    break
                self._unpack(ending, block)
        elif self._loader is None or not self._loader.is_alive():
            self._loader = threading.Thread(target=self._unpack_beside, name="loader", daemon=True)
            self._loader.start()

    def _unpack_beside(self) -> None:
        """The loader's thread."""
        busy = time.monotonic()
        while time.monotonic() - busy < PATIENCE_S:
            for ending, block in self._wanted():
                self._unpack(ending, block)
                busy = time.monotonic()
            time.sleep(PAUSE_S)

    def _wanted(self) -> list[tuple[Ending, int]]:
        """The wanted blocks, if there are new ones."""
        if not self._record["any_wanted"][0]:
            return []
        self._record["any_wanted"] = 0
        return [
            (ending, block)
            for ending, table in list(self._tables.items())
            for block in np.flatnonzero(table.states == WANTED).tolist()
        ]

    def code_of(self, pos: Record) -> int:
        """The code of a position, its block unpacked if need be; UNKNOWN."""
        material = int(pos.material)
        if material not in self._by_material:
            self._by_material[material] = Ending(letters_of(pos, 0), letters_of(pos, 1)).ordered()
        ending = self._by_material[material]
        if ending not in self._paths:
            return UNKNOWN
        if ending not in self._tables:
            self._open(ending)
            self._register_all()
        table = self._tables.get(ending)
        cell = int(_cell(pos, self._record[0])) if table is not None else UNKNOWN
        if table is None or cell == UNKNOWN:
            return UNKNOWN
        self._unpack(ending, cell // BLOCK)
        if table.states[cell // BLOCK] != PRESENT:
            return UNKNOWN
        code = int(table.values[cell])
        return UNKNOWN if code == 0 and can_attack(ending.weak) else code

    def _in_reach(self, pos: Record) -> list[Ending]:
        """The endings that there are files for, within REACH captures of a position, nearest first.

        Of what `probe_bare` leaves out no capture is counted.
        """
        have = np.array([[letters_of(pos, side).count(letter) for letter in ORDER] for side in (0, 1)])
        found: dict[Ending, int] = {}
        for sides in (have, have[::-1]):
            missing = sides - self._counts
            captures = missing.sum(axis=(1, 2)) - np.where(self._is_bare, missing[:, 0, 4:].sum(axis=1), 0)
            for i in np.flatnonzero((missing >= 0).all(axis=(1, 2)) & (captures <= REACH)):
                found[self._endings[i]] = min(found.get(self._endings[i], REACH), int(captures[i]))
        known = [ending for ending in found if ending in self._paths]
        return sorted(known, key=lambda ending: (found[ending], ending))

    def _open(self, ending: Ending) -> None:
        """Open a file, if it is not."""
        if ending not in self._tables:
            try:
                self._tables[ending] = Table(self._paths[ending], ending)
            except BookError as error:
                self._refuse(ending, error)

    def _unpack(self, ending: Ending, block: int) -> None:
        table = self._tables.get(ending)
        if table is None or table.states[block] == PRESENT or ending not in self._paths:
            return
        if sum(other.unpacked for other in list(self._tables.values())) >= CAPACITY:
            return
        try:
            table.unpack(block)
        except BookError as error:
            self._refuse(ending, error)

    def _refuse(self, ending: Ending, error: BookError) -> None:
        """Say once what is wrong with a file, and look no more at it. What is open of it stays till no search runs."""
        if self._paths.pop(ending, None) is not None:
            self._tell(str(error))

    def _forget(self, needed: list[Ending]) -> None:
        """Close what was refused, and while too much is unpacked the oldest tables that are not needed."""
        for ending in [ending for ending in self._tables if ending not in self._paths]:
            del self._tables[ending]
        unpacked = sum(table.unpacked for table in self._tables.values())
        for ending in [ending for ending in self._tables if ending not in needed]:
            if unpacked < CAPACITY // 2:
                break
            unpacked -= self._tables.pop(ending).unpacked

    def _register_all(self) -> None:
        self._record[:] = np.zeros(1, TABLEBASE_DTYPE)
        for ending, table in self._tables.items():
            for strong in (0, 1):
                _register(
                    self._record[0],
                    material_of(ending, strong),
                    strong,
                    not can_attack(ending.weak),
                    "C" in ending.strong,
                    table.numbering.ctypes.data,
                    table.values.ctypes.data,
                    table.states.ctypes.data,
                )
