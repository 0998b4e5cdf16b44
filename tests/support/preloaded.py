"""What the server of tests/support/forked.py imports once for all processes that it forks."""

from __future__ import annotations

from daemon.main import hide_scipy

hide_scipy()

import daemon.serve  # noqa: E402, F401
import games.kernel.jit  # noqa: E402, F401
