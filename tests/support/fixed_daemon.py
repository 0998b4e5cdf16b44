"""The daemon without chance and clock: `python tests/support/fixed_daemon.py [NODES]`.

Each search ends at NODES nodes at the latest (0: only its own limits count). No deadline stops one, the engine's own
seeds are constant, and its dice come from a fixed seed. All else equals the process that clients start.
"""

from __future__ import annotations

import os
import random
import sys
from typing import Any

from siqi.games import registry
from siqi.games.contract import Game, Warn, silent

load = registry.load


def limit_nodes(most: int) -> None:
    """Remove the deadline of every search from now on, and limit it to `most` nodes unless that is 0."""
    from siqi.games.kernel.control import Control

    original = Control.__init__
    if getattr(original, "is_fixed", False):
        return

    def __init__(self: Any, node_limit: int = 0) -> None:
        original(self, min(node_limit or most, most) if most else node_limit)

    __init__.is_fixed = True  # type: ignore[attr-defined]
    Control.__init__ = __init__  # type: ignore[method-assign]
    Control.set_deadline = lambda self, ns: None  # type: ignore[method-assign]


def main() -> None:
    most = int(sys.argv.pop(1)) if len(sys.argv) > 1 else 0

    def load_fixed(name: str, warn: Warn = silent) -> Game:
        # Imported here, since it imports numba: the handshake has to come before.
        limit_nodes(most)
        return load(name, warn)

    registry.load = load_fixed
    os.urandom = bytes
    random.seed(1)
    from siqi.daemon.main import main

    main()


if __name__ == "__main__":
    main()
