"""The tablebase: the distance to mate of every position with few pieces.

scripts/books/build_xiangqi_tablebases.py makes the files. A file `RN-AABB.ending` is a book (siqi/games/books/book.py).
Its payload is offsets of zstd frames, then the frames. A frame holds a block of BLOCK values, a byte each, of the array
[weak side to move, number] (numbering.py).

Kernels (probe.py) read unpacked blocks and mark others as wanted. A search without a deadline unpacks these between its
iterations, and so is reproducible. During a search with a deadline a thread reads and unpacks, because a disk may
be slow.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import zstandard

from siqi.games.books.book import BookFileError, files_in, open_book, warn_once
from siqi.games.kernel.control import Control
from siqi.games.kernel.jit import Record
from siqi.games.kernel.memory import address_of
from siqi.games.xiangqi.knowledge.numbering import ORDER, MaterialSignature, can_attack, letters_of, material_of, number
from siqi.games.xiangqi.knowledge.probe import (
    ABSENT,
    BLOCK,
    PRESENT,
    TABLEBASE_DTYPE,
    UNKNOWN,
    WANTED,
    cell_here,
    register,
)
from siqi.games.xiangqi.rules.lookup import LOOKUP_RECORD
from siqi.games.xiangqi.rules.repetition import pop, push

KIND, VERSION = "xiangqi-ending", 1
SUFFIX = ".ending"
REACH = 3
"""Most captures from the root to an ending that is opened."""

CAPACITY = 1 << 27
"""Most bytes of unpacked values. From half of it on, endings that a search does not need are closed."""

MAX_REACH = 1000
"""Materials whose endings within reach are kept."""

ROOT_SHARE = 0.2
"""Share of a move's time for which a search may wait for the codes of all root moves."""

PATIENCE_S, PAUSE_S = 0.2, 0.001
"""The loader ends after PATIENCE_S without work; it looks for work every PAUSE_S."""


def _max_bytes(signature: MaterialSignature) -> int:
    """Return the most bytes of a payload: the offsets, and blocks that zstd cannot shrink."""
    return 2 * signature.entries + 64 * (2 + 2 * signature.entries // BLOCK)


class SignatureTable:
    """The open file of one ending. BookFileError if it cannot be used."""

    def __init__(self, path: Path, signature: MaterialSignature) -> None:
        self.numbering = np.array([number(signature)])
        book = open_book(path, KIND, VERSION, _max_bytes(signature))
        self.about = book.about
        entries = int(self.numbering["entries"][0])
        if (book.about.get("ending"), book.about.get("entries")) != (str(signature), entries):
            raise BookFileError(f"{path}: holds another ending, or other numbers, than {signature}")
        self.blocks = -(-2 * entries // BLOCK)
        head = 8 * (self.blocks + 1)
        if len(book.payload) < head:
            raise BookFileError(f"{path}: no offsets")
        self._offsets = book.payload[:head].view("<i8")
        is_sound = self._offsets[0] == head and self._offsets[-1] == len(book.payload)
        if not is_sound or (self._offsets[1:] < self._offsets[:-1]).any():
            raise BookFileError(f"{path}: wrong offsets")
        self._path = path
        self._payload: Any = book.payload
        self._entries = 2 * entries
        self.states = np.full(self.blocks, ABSENT, np.uint8)
        self.allocate()

    def allocate(self) -> None:
        """Allocate the unpacked values; BookFileError if there is no memory for them."""
        try:
            self.values = np.empty(self._entries, np.uint8)  # takes no memory until a block is written
        except MemoryError:
            raise BookFileError(f"{self._path}: no memory for it") from None

    def forget(self) -> None:
        """Drop the unpacked values and free their memory."""
        self.values = np.empty(0, np.uint8)
        self.states[:] = ABSENT

    @property
    def packed(self) -> int:
        """Bytes of the file's payload, which stays in memory."""
        return len(self._payload)

    @property
    def unpacked(self) -> int:
        """Bytes of the unpacked values, in whole blocks."""
        return BLOCK * int((self.states == PRESENT).sum())

    def unpack(self, block: int) -> None:
        """Unpack a block and mark it PRESENT; BookFileError if it is damaged."""
        frame = memoryview(self._payload)[self._offsets[block] : self._offsets[block + 1]]
        target = self.values[block * BLOCK : (block + 1) * BLOCK]
        try:
            # zstandard allocates the size that a frame states, whatever bound it is given.
            if zstandard.get_frame_parameters(frame).content_size != len(target):
                raise BookFileError(f"{self._path}: block {block} is of another size")
            data = zstandard.ZstdDecompressor().decompress(frame)
        except zstandard.ZstdError as error:
            raise BookFileError(f"{self._path}: block {block} is damaged") from error
        target[:] = np.frombuffer(data, np.uint8)
        self.states[block] = PRESENT


class UnpackRequest:
    """The request of a search: endings to open, nearest first, and root moves whose codes it needs."""

    def __init__(
        self, pos: Record, moves: list[int], signatures: list[MaterialSignature], needs_all: bool = True
    ) -> None:
        self.pos = pos.copy()
        self.moves = moves
        self.signatures = signatures
        self.needs_all = needs_all  # one unknown code makes the others useless
        self.codes: list[int] = []  # of the positions after the moves; empty unless all are known that are needed
        self.done = threading.Event()  # set once the codes are known or cannot be


class Tablebase:
    """All endings that some folders hold; the file of an ending is opened when the ending comes within reach.

    While a search runs, only `unpack_wanted` may be called: the search's threads read the open tables.
    """

    def __init__(self, folders: Iterable[Path], warn: Callable[[str], None]) -> None:
        """Find the files. `warn` gets a line for each that cannot be used, also later and from any thread."""
        self._warn = warn
        self._paths: dict[MaterialSignature, Path] = {}
        for folder in folders:
            faults = []
            for path in files_in(folder, SUFFIX, warn):
                try:
                    self._paths.setdefault(MaterialSignature.parse(path.name.removesuffix(SUFFIX)), path)
                except ValueError as error:
                    faults.append(f"{path}: {error}")
            warn_once(faults, warn)
        self._signatures = list(self._paths)
        counts = [[[side.count(letter) for letter in ORDER] for side in signature] for signature in self._signatures]
        self._counts = np.array(counts).reshape(-1, 2, len(ORDER))
        self._is_bare = np.array(
            [
                not can_attack(signature.weak) and not set(signature.strong) & set("AB")
                for signature in self._signatures
            ],
            bool,
        )
        self._by_material: dict[int, MaterialSignature] = {}  # cache of `code_of`
        self._reach: dict[int, dict[MaterialSignature, int]] = {}  # cache of `_in_reach`, by material
        self._lock = threading.Lock()  # guards what follows
        self._opened: dict[MaterialSignature, SignatureTable] = {}  # in the order of opening
        self._closed: dict[MaterialSignature, SignatureTable] = {}  # by `clear`: still packed, as read and checked
        self._record = np.zeros(1, TABLEBASE_DTYPE)
        self._loader: threading.Thread | None = None
        self._request: UnpackRequest | None = None  # for the loader
        self._is_closing = False  # the loader must end
        self._wake = threading.Event()

    @property
    def address(self) -> int:
        """Address of a TABLEBASE, for `probe_tablebase`."""
        return address_of(self._record)

    def clear(self) -> None:
        """Close all tables, so that the next search runs as in a new process, without reading a file a second time.

        Block while the loader reads a file.
        """
        with self._lock:
            loader, self._request, self._is_closing = self._loader, None, True
        if loader is not None:
            self._wake.set()
            loader.join()
        self._is_closing = False
        self._closed.update((signature, table) for signature, table in self._opened.items() if signature in self._paths)
        self._opened.clear()
        for table in self._closed.values():
            table.forget()
        self._record[:] = np.zeros(1, TABLEBASE_DTYPE)

    def prepare(self, pos: Record, moves: list[int], control: Control) -> list[int] | None:
        """Open the endings within reach of a position for a search of these moves; return None if there are none.

        Otherwise return the codes of the positions after the moves, for the side then to move, or an empty list unless
        all are known. Without a deadline, block until all is open; with one, for ROOT_SHARE of the time at most. Open
        nothing for a search that is already stopped: it must not wait, and no loader may outlast it.
        """
        captures = self._in_reach(pos)
        if not captures:
            return None
        if control.stopped:
            return []
        self._evict(set(captures))
        self._record["any_wanted"] = 1  # blocks may be left wanted by an earlier search
        request = UnpackRequest(pos, moves, sorted(captures, key=lambda signature: (captures[signature], signature)))
        left_ns = control.time_from(time.monotonic_ns())
        if left_ns == math.inf:
            self._answer(request)
        else:
            self._wake_loader(request)
            if captures[request.signatures[0]] == 0:
                request.done.wait(ROOT_SHARE * left_ns / 1e9)
        return request.codes

    def codes_after(self, pos: Record, moves: list[int], control: Control, last_ns: float) -> list[int]:
        """Return the codes of the positions after moves, UNKNOWN included.

        With a deadline wait for them until `last_ns` (monotonic); an empty list if that is too short.
        """
        request = UnpackRequest(pos, moves, [], needs_all=False)
        if control.time_from(time.monotonic_ns()) == math.inf:
            self._answer(request)
        else:
            self._wake_loader(request)
            request.done.wait(max(last_ns - time.monotonic_ns(), 0) / 1e9)
        return request.codes

    def unpack_wanted(self, control: Control) -> None:
        """Unpack the blocks that a search has marked as wanted, or have the loader do so if there is a deadline.

        At 50 ms a move, unpacking between iterations scored 42.5 % +- 4.0, and 46.9 % +- 2.9 with at most 3 % of the
        time.
        """
        if control.time_from(time.monotonic_ns()) == math.inf:
            for signature, block in self._wanted():
                if control.stopped:
                    break
                self._unpack(signature, block)
        else:
            self._wake_loader()

    def _wake_loader(self, request: UnpackRequest | None = None) -> None:
        """Start or wake the loader, with a new request if there is one."""
        with self._lock:
            self._request = request or self._request
            if self._loader is None:
                self._loader = threading.Thread(target=self._load, name="loader", daemon=True)
                self._loader.start()
        self._wake.set()

    def _load(self) -> None:
        """Run the loader's thread: answer requests and unpack wanted blocks until there is no work for PATIENCE_S."""
        busy = time.monotonic()
        while True:
            with self._lock:
                request, self._request = self._request, None
                if self._is_closing or (request is None and time.monotonic() - busy > PATIENCE_S):
                    self._loader = None
                    return
            wanted = [] if request is not None else self._wanted()
            if request is not None:
                self._answer(request)
            for signature, block in wanted:
                if self._request is None and not self._is_closing:
                    self._unpack(signature, block)
            if request is not None or wanted:
                busy = time.monotonic()
            self._wake.wait(PAUSE_S)
            self._wake.clear()

    def _answer(self, request: UnpackRequest) -> None:
        """Find the codes of a request, then open its endings; stop opening when the next request comes."""
        codes = []
        for move in request.moves:
            push(request.pos, LOOKUP_RECORD, move)
            codes.append(self.code_of(request.pos))
            pop(request.pos, LOOKUP_RECORD)
            if codes[-1] == UNKNOWN and request.needs_all:
                break
        else:
            request.codes = codes
        request.done.set()
        for signature in request.signatures:
            if self._request is None and not self._is_closing:
                self._open(signature)

    def _wanted(self) -> list[tuple[MaterialSignature, int]]:
        """Return all wanted blocks; nothing if none was marked since the last call."""
        with self._lock:
            if not self._record["any_wanted"][0]:
                return []
            self._record["any_wanted"] = 0
            return [
                (signature, block)
                for signature, table in self._opened.items()
                for block in np.flatnonzero(table.states == WANTED).tolist()
            ]

    def code_of(self, pos: Record) -> int:
        """Return the code of a position (probe.py), after unpacking its block if necessary; UNKNOWN if it has none."""
        material = int(pos.material)
        if material not in self._by_material:
            self._by_material[material] = MaterialSignature(letters_of(pos, 0), letters_of(pos, 1)).ordered()
        signature = self._by_material[material]
        self._open(signature)
        table = self._opened.get(signature)
        cell = int(cell_here(pos, self._record[0])) if table is not None else UNKNOWN
        if table is None or cell == UNKNOWN:
            return UNKNOWN
        self._unpack(signature, cell // BLOCK)
        if table.states[cell // BLOCK] != PRESENT:
            return UNKNOWN
        code = int(table.values[cell])
        return UNKNOWN if code == 0 and can_attack(signature.weak) else code

    def _in_reach(self, pos: Record) -> dict[MaterialSignature, int]:
        """Return the endings with files within REACH captures of a position, each with its number of captures.

        Captures of the defenders that `probe_bare` leaves out do not count. Each search asks: the answer is kept, as to
        find it takes a fifth of a reply without a search.
        """
        material = int(pos.material)
        if material not in self._reach:
            if len(self._reach) == MAX_REACH:
                self._reach.clear()
            self._reach[material] = self._find_in_reach(pos)
        return {
            signature: captures for signature, captures in self._reach[material].items() if signature in self._paths
        }

    def _find_in_reach(self, pos: Record) -> dict[MaterialSignature, int]:
        letters = [letters_of(pos, side) for side in (0, 1)]
        have = np.array([[side.count(letter) for letter in ORDER] for side in letters])
        in_reach: dict[MaterialSignature, int] = {}
        for sides in (have, have[::-1]):
            missing = sides - self._counts
            captures = missing.sum(axis=(1, 2)) - np.where(self._is_bare, missing[:, 0, 4:].sum(axis=1), 0)
            for i in np.flatnonzero((missing >= 0).all(axis=(1, 2)) & (captures <= REACH)):
                in_reach[self._signatures[i]] = min(in_reach.get(self._signatures[i], REACH), int(captures[i]))
        return in_reach

    def _open(self, signature: MaterialSignature) -> None:
        """Open the file of an ending if there is one, and if it is not open yet."""
        path = self._paths.get(signature)
        if path is None or signature in self._opened:
            return
        try:
            table = self._closed.pop(signature, None)
            if table is None:
                table = SignatureTable(path, signature)
            else:
                table.allocate()
        except BookFileError as error:
            self._refuse(signature, error)
            return
        with self._lock:
            if signature not in self._opened:
                self._opened[signature] = table
                self._register(signature, table)

    def _unpack(self, signature: MaterialSignature, block: int) -> None:
        """Unpack a block of an open ending, unless it is present or CAPACITY is reached."""
        with self._lock:
            table = self._opened.get(signature)
            unpacked = sum(table.unpacked for table in self._opened.values())
        if table is None or table.states[block] == PRESENT or signature not in self._paths or unpacked >= CAPACITY:
            return
        try:
            table.unpack(block)
        except BookFileError as error:
            self._refuse(signature, error)

    def _refuse(self, signature: MaterialSignature, error: BookFileError) -> None:
        """Warn once of a file that cannot be used, and drop it; its open table stays until no search runs."""
        if self._paths.pop(signature, None) is not None:
            self._warn(str(error))

    def _evict(self, needed: set[MaterialSignature]) -> None:
        """Close refused tables and, while half of CAPACITY is held, the oldest tables that are not needed."""
        with self._lock:
            held = sum(table.packed + table.unpacked for table in self._opened.values())
            if held + sum(table.packed for table in self._closed.values()) >= CAPACITY // 2:
                self._closed.clear()
            closed = []
            for signature, table in self._opened.items():
                if signature not in self._paths or (signature not in needed and held >= CAPACITY // 2):
                    closed.append(signature)
                    held -= table.packed + table.unpacked
            if closed:
                for signature in closed:
                    del self._opened[signature]
                self._record[:] = np.zeros(1, TABLEBASE_DTYPE)
                for signature, table in self._opened.items():
                    self._register(signature, table)

    def _register(self, signature: MaterialSignature, table: SignatureTable) -> None:
        for strong in (0, 1):
            material = material_of(signature, strong)
            slot = register(
                self._record[0],
                material,
                strong,
                not can_attack(signature.weak),
                "C" in signature.strong,
                address_of(table.numbering),
                address_of(table.values),
                address_of(table.states),
            )
            if slot != UNKNOWN:  # not where both sides have the same pieces: one entry serves both
                self._record["material"][0, slot] = material
