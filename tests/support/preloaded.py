"""What the server of tests/support/forked.py imports once for all that it forks: the program and its games."""

from __future__ import annotations

from siqi.daemon.main import hide_scipy

hide_scipy()

import siqi.daemon.command  # noqa: E402
import siqi.daemon.serve  # noqa: E402, F401
from siqi.games import registry  # noqa: E402

for name in registry.NAMES:
    registry.load(name)
