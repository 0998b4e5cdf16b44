"""The working memory of one Connect6 search thread: turn lists, threats, principal variations."""

from __future__ import annotations

from games.connect6.tables import POINTS
from games.kernel.jit import record, record_type

MAX_PLY = 48
"""Turns of the deepest line."""

CANDIDATES = 16
"""Points from which a quiet turn's stones are chosen."""

MAX_TURNS = 256
"""Turns listed at one node: all pairs of candidates, or the defences against threats."""

MAX_THREATS = 128
"""Threatening roads looked at; two stones cannot hit more than 48 anyway."""

SOME, ALL, NONE = 0, 1, 2
"""Of the turns that do not lose at once the list has some, it has all, or there are none."""

WORK_DTYPE = record(
    [
        ("control", "i8"),  # address of the control block
        ("thread", "i8"),
        ("nodes", "i8"),
        ("poll_at", "i8"),  # node count at which to look at the control block again
        ("stopped", "i8"),
        ("table", "i8"),  # address, mask and generation of the transposition table
        ("table_mask", "i8"),
        ("generation", "i8"),
        ("width", "i8"),  # turns searched at a node
        ("seldepth", "i8"),
        ("exhaustive", "i8"),  # SOME, ALL or NONE
        ("threat_count", "i8"),
        ("threat_roads", "u2", MAX_THREATS),
        ("candidate_count", "i8"),
        ("candidates", "u2", CANDIDATES),
        ("taken", "u1", POINTS),  # scratch marks, always cleared after use
        ("root_proves", "i8"),  # whether a loss against all root turns is one against any
        ("root_count", "i8"),
        ("root_moves", "i4", MAX_TURNS),  # best first
        ("moves", "i4", MAX_TURNS * (MAX_PLY + 2)),  # MAX_TURNS places a ply
        ("move_scores", "i4", MAX_TURNS * (MAX_PLY + 2)),
        ("pv", "i4", (MAX_PLY + 2) * (MAX_PLY + 2)),  # [ply, place]
        ("pv_length", "u1", MAX_PLY + 2),
    ]
)
WORK = record_type(WORK_DTYPE)
