"""The working memory of one Junqi search thread: move lists, a world and a board to play on, the path of a playout."""

from __future__ import annotations

from games.junqi.evaluation.weights import TERMS
from games.junqi.rules.lookup import PIECES, SQUARES
from games.kernel.jit import record, record_type

MAX_MOVES = 512
"""Room for the moves of one side: 21 movable pieces, engineers with 31 stations each at the most."""

MAX_DEPTH = 64

WORK_DTYPE = record(
    [
        ("control", "i8"),  # address of the control block
        ("thread", "i8"),
        ("nodes", "i8"),  # playouts (perft: positions)
        ("poll_at", "i8"),  # node count at which to look at the control block again
        ("stopped", "i8"),
        ("random", "i8"),
        ("used", "i8"),  # edges in use; 0 is none
        ("first_edge", "i8"),  # of the root
        ("seldepth", "i8"),
        ("allowed_count", "i8"),  # root moves allowed; 0: all
        ("allowed", "u2", MAX_MOVES),
        ("moves", "u2", MAX_MOVES),
        ("open", "i8", SQUARES * 64),  # moves open at the node, by `stamp`
        ("stamp", "i8"),
        ("path_edge", "i4", MAX_DEPTH),
        # Worlds, shared by the threads of a search:
        ("worlds", "i8"),  # address of their types, bytes [world, piece]
        ("world_count", "i8"),
        ("hidden", "i8"),  # the side that they complete, or NOBODY
        ("gains", "f4", 12 * 2 * PIECES),  # [attacker's type, piece attacked]: what its owner expects of it
        # Of alpha-beta:
        ("history", "f4", 2 << 12),  # [side, move]: how often a quiet move cut, the deeper the more
        ("min_gain", "f8"),  # what an attack must be expected to gain for being looked at
        ("quiescence_plies", "i8"),  # plies of attacks that a branch is prolonged by
        ("tt", "i8"),  # address and mask of the transposition table, and the search's generation
        ("tt_mask", "i8"),
        ("generation", "i8"),
        # Of the evaluation:
        ("terms", "i8", len(TERMS)),
        ("counts", "i8", 2 * 12),  # [side, type]
        ("mobile", "i8", 2),  # by side: bits of the squares of pieces that may move
        ("flag", "i8", 2),  # by side: its square, -1 if fallen
        ("shelter", "i8", 2),  # by side: mines beside it
    ]
)
WORK = record_type(WORK_DTYPE)
