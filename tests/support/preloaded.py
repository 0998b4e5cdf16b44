"""Imports of the server of tests/support/forked.py, once for all that it forks: the program and its games."""

from __future__ import annotations

import contextlib
import gc
import importlib

from siqi.daemon.main import hide_scipy

hide_scipy()

import siqi.daemon.serve  # noqa: E402, F401
from siqi.daemon.command_line import build_parser  # noqa: E402
from siqi.games import registry  # noqa: E402

build_parser()  # imports all commands
for name in registry.NAMES:
    registry.load(name)
for name in (
    "charset_normalizer",
    "matplotlib.figure",
    "matplotlib.style",
    "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_svg",
):
    with contextlib.suppress(ImportError):
        importlib.import_module(name)
gc.collect()
gc.freeze()  # else a collection in a forked process writes to, and so copies, all that is loaded: 0.05 s
