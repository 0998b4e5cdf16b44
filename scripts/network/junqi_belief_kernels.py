"""The kernel of training Junqi's network: the beliefs of many views, by the sampler of worlds.py."""

from __future__ import annotations

from typing import Any

from numba import njit

from scripts.network.adam import KERNEL_OPTIONS

from siqi.games.junqi.knowledge.worlds import scale_all
from siqi.games.junqi.rules.lookup import FLAG, PIECES, TYPES


@njit(**KERNEL_OPTIONS)
def beliefs(s: Any, may: Any, logarithms: Any, flags: Any, deployments: Any, counts: Any, chances: Any) -> None:
    """Fill `chances` [view, piece, type] with what worlds.marginals gives; `s` is scratch."""
    for view in range(may.shape[0]):
        s.flag_count = 0
        for index in range(len(flags)):
            if may[view, flags[index]] >> FLAG & 1:
                base = s.flag_count * PIECES * len(TYPES)
                s.flag[s.flag_count] = flags[index]
                s.flag_count += 1
                for piece in range(PIECES):
                    for kind in range(len(TYPES)):
                        s.weights[base + piece * len(TYPES) + kind] = (
                            logarithms[view, piece, kind] + deployments[index, piece, kind]
                        )
        for piece in range(PIECES):
            s.may[piece] = may[view, piece]
        scale_all(s, counts)
        chances[view] = 0.0
        for index in range(s.flag_count):
            base = index * PIECES * len(TYPES)
            for piece in range(PIECES):
                for kind in range(len(TYPES)):
                    chances[view, piece, kind] += s.share[index] * s.scaled[base + piece * len(TYPES) + kind]
            chances[view, s.flag[index], FLAG] += s.share[index]
