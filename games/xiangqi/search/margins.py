"""The margins of Xiangqi's search as kernels read them."""

from __future__ import annotations

from typing import Any

import numpy as np

from siqi.games.kernel.intrinsics import pointer_to
from siqi.games.kernel.jit import record, record_type
from siqi.games.kernel.memory import address_of
from siqi.games.xiangqi.data.margins import Margins

REDUCTIONS = 64
"""Depths and moves in the table of reductions; beyond them its last row and column count."""

MARGINS_DTYPE = record([(name, "i8") for name in Margins._fields[:-2]] + [("reduction", "i1", REDUCTIONS * REDUCTIONS)])
MARGINS = record_type(MARGINS_DTYPE)
margins_at = pointer_to(MARGINS)


class MarginsRecord:
    """Margins as kernels read them."""

    def __init__(self, margins: Margins) -> None:
        self._array: np.ndarray[Any, Any] = np.zeros(1, MARGINS_DTYPE)
        found = self._array[0]
        for name in MARGINS_DTYPE.names or ():
            if name != "reduction":
                found[name] = getattr(margins, name)
        logs = np.log(np.arange(REDUCTIONS, dtype=np.float64).clip(1))
        plies = margins.reduction_base / 100 + np.outer(logs, logs) / (margins.reduction_divisor / 100)
        found["reduction"] = plies.clip(-8, 63).astype(np.int8).ravel()

    @property
    def address(self) -> int:
        """Return the address of the MARGINS, for work.margins; they live as long as this object."""
        return address_of(self._array)
