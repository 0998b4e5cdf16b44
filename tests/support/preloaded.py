"""What the server of tests/support/forked.py imports once for all processes that it forks."""

from __future__ import annotations

from siqi.daemon.main import hide_scipy

hide_scipy()

import siqi.daemon.serve  # noqa: E402
import siqi.games.kernel.jit  # noqa: E402, F401
