"""The working memory of one EWN search thread: move lists, bounds, the terms of an evaluation, counters."""

from __future__ import annotations

from siqi.games.ewn.rules.position import MAX_HISTORY
from siqi.games.kernel.jit import ThreadWork, record, record_type

MAX_UNION = 18
"""The most moves of any throw: six pieces, three steps each."""

ALL_PIECES = 12
MAX_TERMS = 9 + ALL_PIECES * (ALL_PIECES - 1) // 2
"""The most weights in the sum of an evaluation: nine blocks and all pairs of pieces."""

WORK_DTYPE = record(
    [
        ("control", "i8"),  # address of the control block
        ("thread", "i8"),
        ("nodes", "i8"),  # playouts in UCT, positions elsewhere
        ("poll_at", "i8"),  # node count at which to poll the control block
        ("stopped", "i8"),
        ("random", "i8"),
        ("seldepth", "i8"),  # the deepest ply that this search has reached
        ("tbhits", "i8"),  # positions of this search that the tablebase answered
        ("tablebase", "i8"),  # address of a TABLEBASE, 0 for none
        ("evaluation", "i8"),  # address of an EVALUATION
        ("tt", "i8"),  # address of the transposition table
        ("tt_mask", "i8"),  # its index mask
        ("generation", "i8"),  # of the entries that this search stores
        # [ply, MAX_UNION]:
        ("moves", "u2", MAX_UNION * MAX_HISTORY),
        ("values", "i4", MAX_UNION * MAX_HISTORY),  # 0 to WIN, for the mover
        # [ply, piece]; UCT has those of one node only:
        ("segment", "i4", 7 * MAX_HISTORY),  # where the piece's moves begin; the seventh is where all end
        ("bounds", "i4", 12 * MAX_HISTORY),  # bounds on its best move's value, 0 to WIN: six lower, six upper
        ("is_exact", "i8"),  # 1 if the value returned last is proven, no estimate
        ("proof_left", "i8"),  # positions that a proof may still visit
        # UCT:
        ("wink", "f8"),  # the option's value times the reward of a win less that of a loss
        ("uctk", "f8"),
        ("has_proofs", "i8"),  # 1 if values are proven
        ("leaf_visits", "i8"),  # visits of a node before it gets children
        ("policy", "i8"),  # policy of playouts: RANDOM, INFORMED, GREEDY
        ("playout_plies", "i8"),  # plies after which a playout is evaluated
        ("parallel_mode", "i8"),  # ROOT, TREE or CHILDREN
        ("allowed_count", "i8"),  # root moves allowed, 0 if all are
        ("allowed", "u2", MAX_UNION),
        ("shared", "i8"),  # address of the words that the threads of one tree share (USED, CAPACITY)
        ("path", "i4", MAX_HISTORY),  # nodes of the present playout
        # The evaluation:
        ("terms", "i4", MAX_TERMS),  # indices of weights
        ("pieces", "i4", ALL_PIECES),  # pieces as parts of pairs
    ]
)
WORK = record_type(WORK_DTYPE)
THREAD_WORK = ThreadWork(WORK_DTYPE)
