"""The daemon with a kernel that faults once: `python tests/support/faulty_daemon.py DEPTH THREAD`.

The search's thread of that number reads address 8 when it begins that depth.
"""

from __future__ import annotations

import sys
from typing import Any

from siqi.daemon.main import main
from siqi.games.kernel.intrinsics import load
from siqi.games.kernel.jit import entry, int64
from siqi.games.search.aspiration import Aspiration

_DEPTH, _THREAD = int(sys.argv[1]), int(sys.argv[2])
_search = Aspiration.search
_are_due = [True]


@entry(int64(int64))
def read(address: int) -> int:
    """Return the word at an address."""
    return load(address)


def search(self: Any, thread: int, depth: int) -> None:
    """Search a depth, or fault before it."""
    if (thread, depth) == (_THREAD, _DEPTH) and _are_due and _are_due.pop():
        read(8)
    _search(self, thread, depth)


if __name__ == "__main__":
    Aspiration.search = search  # type: ignore[method-assign]
    del sys.argv[1:]
    main()
