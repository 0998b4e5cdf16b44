"""The import of numba, without the settings that it takes from the environment and the current folder.

They would change kernels' code, print into the protocol or keep games from loading. Those that pass are for tests and
for the choice of the processor.
"""

from __future__ import annotations

import os
import sys
import warnings

PASSED = ("NUMBA_BOUNDSCHECK", "NUMBA_DISABLE_JIT")
PASSED_START = "NUMBA_CPU_"

_FILE = ".numba_config.yaml"


def _import() -> list[str]:
    """Import numba; return the settings that were ignored. A program that had imported it has its own reasons."""
    if "numba" in sys.modules:
        return []
    names = [name for name in os.environ if name.startswith("NUMBA_")]
    ignored = sorted(name for name in names if name not in PASSED and not name.startswith(PASSED_START))
    for name in ignored:
        del os.environ[name]  # numba reads them again with each kernel, and so do processes that are started
    with warnings.catch_warnings():
        if os.path.isfile(_FILE):
            ignored.append(_FILE)
            reader = sys.modules.get("yaml")
            sys.modules["yaml"] = None  # type: ignore[assignment]  # numba then leaves the file alone, and warns
            warnings.simplefilter("ignore")
        import numba.core.config

    if ignored[-1:] == [_FILE]:
        del sys.modules["yaml"]
        if reader is not None:
            sys.modules["yaml"] = reader
    numba.core.config._config_fname = ""
    return ignored


ignored = _import()
"""Settings that have no effect; whoever names them to the user removes them here."""
