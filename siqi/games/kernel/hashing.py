"""The hash for small tables within a kernel's records."""

from __future__ import annotations

from siqi.games.kernel.jit import inner, int64


@inner(int64(int64), forceinline=True)
def hash16(key: int) -> int:
    """Return 16 bits that depend on all bits of a key, by multiplication."""
    return key * 0x2545F4914F6CDD1D >> 48 & 0xFFFF
