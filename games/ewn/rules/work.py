"""The working memory of one EWN search thread: move lists, what an evaluation sums up, counters."""

from __future__ import annotations

from games.ewn.rules.position import MAX_HISTORY
from games.kernel.jit import record, record_type

MAX_UNION = 18
"""Moves whatever the throw: six pieces, three ways each."""

ALL_PIECES = 12
MAX_TERMS = 9 + ALL_PIECES * (ALL_PIECES - 1) // 2
"""Weights that an evaluation sums up."""

WORK_DTYPE = record(
    [
        ("control", "i8"),  # address of the control block
        ("thread", "i8"),
        ("nodes", "i8"),  # playouts of UCT, positions elsewhere
        ("poll_at", "i8"),  # node count at which to look at the control block again
        ("stopped", "i8"),
        ("random", "i8"),
        ("seldepth", "i8"),  # ply reached by this search
        ("tbhits", "i8"),  # positions of this search that tables of endings told
        ("tablebase", "i8"),  # address of a TABLEBASE, 0 for none
        ("evaluation", "i8"),  # address of an EVALUATION
        ("tt", "i8"),  # of the transposition table
        ("tt_mask", "i8"),
        ("generation", "i8"),
        # By ply, MAX_UNION places each:
        ("moves", "u2", MAX_UNION * MAX_HISTORY),
        ("values", "i4", MAX_UNION * MAX_HISTORY),
        # By ply and piece, of the search; of UCT those of a node:
        ("segment", "i4", 7 * MAX_HISTORY),  # where its moves begin; the seventh: where all end
        ("bounds", "i4", 12 * MAX_HISTORY),  # what its best move is worth: six lower bounds, six upper
        ("is_exact", "i8"),  # whether the value found last is more than an estimate
        ("proof_left", "i8"),  # positions that a proof may still look at
        # Of UCT:
        ("wink", "f8"),
        ("uctk", "f8"),
        ("policy", "i8"),  # of playouts: RANDOM, INFORMED, GREEDY
        ("playout_plies", "i8"),  # after which a playout is valued as it stands
        ("parallel_mode", "i8"),  # of working together: ROOT, TREE, CHILDREN
        ("allowed_count", "i8"),  # root moves allowed; 0: all
        ("allowed", "u2", MAX_UNION),
        ("shared", "i8"),  # address of what threads at one tree share: nodes used, lock
        ("path", "i4", MAX_HISTORY),
        # Of an evaluation:
        ("terms", "i4", MAX_TERMS),
        ("pieces", "i4", ALL_PIECES),
    ]
)
WORK = record_type(WORK_DTYPE)
