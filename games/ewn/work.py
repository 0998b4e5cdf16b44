"""The working memory of one EWN search thread: move lists, the path of a playout, counters."""

from __future__ import annotations

from games.ewn.position import MAX_HISTORY
from games.kernel.jit import record, record_type

MAX_UNION = 18
"""Moves whatever the throw: six pieces, three ways each."""

WORK_DTYPE = record(
    [
        ("control", "i8"),  # address of the control block
        ("thread", "i8"),
        ("nodes", "i8"),  # playouts (perft: positions)
        ("poll_at", "i8"),  # node count at which to look at the control block again
        ("stopped", "i8"),
        ("random", "i8"),
        ("used", "i8"),  # tree nodes in use; 0 is none, 1-6 the roots by throw
        ("deepest", "i8"),
        ("allowed_count", "i8"),  # root moves allowed; 0: all
        ("allowed", "u2", MAX_UNION),
        ("path_node", "i4", MAX_HISTORY),
        ("path_edge", "u1", MAX_HISTORY),
        ("moves", "u2", MAX_UNION * MAX_HISTORY),  # MAX_UNION places a ply
    ]
)
WORK = record_type(WORK_DTYPE)
