"""The tablebase: the exact chance to win of every position of few pieces.

scripts/books/build_ewn_tablebases.py makes the files. A file like `3-1.ending` is a book (siqi/games/books/book.py) of
16-bit values, [weak side to move, number] (numbering.py): the mover's chance before the throw, 0 to ONE. Values are
rounded once for each capture on the way to the end and are otherwise exact. The error of an ending of n pieces is at
most (n - 1) / (2 * ONE), of four pieces 2.3e-5.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from siqi.games.books.book import BookFileError, open_book, warn_once
from siqi.games.ewn.knowledge.numbering import NUMBERING_RECORD, SIGNATURES, MaterialSignature, number
from siqi.games.ewn.knowledge.probe import TABLEBASE_DTYPE, UNKNOWN, slot_of, value_here
from siqi.games.ewn.rules.lookup import ONE
from siqi.games.kernel.jit import Record
from siqi.games.kernel.memory import address_of

KIND, VERSION = "ewn-ending", 1
SUFFIX = ".ending"


class SignatureTable:
    """The open file of one ending. BookFileError if it cannot be used."""

    def __init__(self, path: Path, signature: MaterialSignature) -> None:
        self.numbering = np.array([number(signature)])
        self.entries = int(self.numbering["entries"][0])
        book = open_book(path, KIND, VERSION, 2 * self.entries * signature.movers)
        if (book.about.get("ending"), book.about.get("entries")) != (str(signature), self.entries):
            raise BookFileError(f"{path}: holds another ending, or other numbers, than {signature}")
        if len(book.payload) != 2 * self.entries * signature.movers:
            raise BookFileError(f"{path}: {len(book.payload)} bytes do not hold its values")
        self.values = book.payload.view("<u2")


class Tablebase:
    """All endings found in some folders; the first file of an ending is used."""

    def __init__(self, folders: Iterable[Path], warn: Callable[[str], None]) -> None:
        """`warn` gets a line for each file that cannot be used."""
        self._tables: dict[MaterialSignature, SignatureTable] = {}
        self._numbering = np.array([NUMBERING_RECORD])
        self._record = np.zeros(1, TABLEBASE_DTYPE)
        self._record["numbering"] = address_of(self._numbering)
        for folder in folders:
            faults = []
            for signature in SIGNATURES:
                path = folder / f"{signature}{SUFFIX}"
                if signature not in self._tables and os.path.exists(path):  # Path.exists raises if the path is too long
                    try:
                        self._open(signature, SignatureTable(path, signature))
                    except BookFileError as error:
                        faults.append(str(error))
            warn_once(faults, warn)

    def _open(self, signature: MaterialSignature, table: SignatureTable) -> None:
        self._tables[signature] = table
        self._record["indexing"][0, slot_of(*signature)] = address_of(table.numbering)
        self._record["values"][0, slot_of(*signature)] = address_of(table.values)

    def __contains__(self, signature: MaterialSignature) -> bool:
        return signature in self._tables

    @property
    def address(self) -> int:
        """The address of the TABLEBASE, for `probe_tablebase`."""
        return address_of(self._record)

    def chance(self, pos: Record) -> float | None:
        """Return the mover's chance before the throw, 0 to 1; None if there is no table or the game is over."""
        value = int(value_here(pos, self.address))
        return None if value == UNKNOWN else value / ONE
