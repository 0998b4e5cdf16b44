"""The identity of an installation: two of the same give the same answers."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable
from pathlib import Path

import msgspec

from siqi.daemon.cluster.calls import PACKAGE, ROOT
from siqi.version import __version__

SOURCES = (PACKAGE / "daemon", ROOT / "scripts")
"""Folders of sources other than the kernels'; `scripts` is there in a checkout only."""


class Identity(msgspec.Struct, frozen=True):
    """A version, and digests of what a version number may not distinguish."""

    version: str
    kernels: str  # sources of the games, versions of Python, numba, numpy
    program: str  # the other sources
    books: str  # all files that are shipped in books/

    @property
    def digest(self) -> str:
        return hashlib.blake2b(msgspec.json.encode(self), digest_size=8).hexdigest()

    def differences(self, wanted: Identity) -> str:
        """Return the differences of this one from the wanted one in words, empty if there are none."""
        differences = [f"version {self.version}, not {wanted.version}"] if self.version != wanted.version else []
        what = {
            "kernels": "other kernels (sources, or versions of Python, numba or numpy)",
            "program": "another program",
        }
        for name, text in (what | {"books": "other books"}).items():
            if getattr(self, name) != getattr(wanted, name):
                differences.append(text)
        return ", ".join(differences)


@functools.cache
def identity() -> Identity:
    """Return the identity of this process's installation; it reads all books, once (0.1 s)."""
    from siqi.games.kernel.cache import sources_hash

    sources = [path for folder in SOURCES for path in folder.rglob("*.py")]
    books = [path for path in (PACKAGE / "books").rglob("*") if path.is_file()]
    return Identity(__version__, sources_hash(), digest_of(ROOT, sources), digest_of(ROOT, books))


def digest_of(folder: Path, files: Iterable[Path]) -> str:
    """Return a digest of the names, from a folder on, and contents of files."""
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(files):
        digest.update(f"{path.relative_to(folder).as_posix()}\0{path.stat().st_size}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
