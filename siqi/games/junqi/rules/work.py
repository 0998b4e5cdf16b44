"""The working memory of one Junqi search thread: move lists, worlds, histories, what the evaluation counts."""

from __future__ import annotations

from siqi.games.junqi.data.weights import TERMS
from siqi.games.junqi.rules.lookup import PIECES, SQUARES
from siqi.games.kernel.jit import ThreadWork, record, record_type

MAX_MOVES = 512
"""A bound on the moves of one side: 21 mobile pieces, of them engineers with at most 31 stations each."""

MAX_PLY = 64
"""Plies from the root at which every search ends."""

WORK_DTYPE = record(
    [
        ("control", "i8"),  # address of the control block
        ("thread", "i8"),
        ("nodes", "i8"),  # playouts (perft: positions)
        ("poll_at", "i8"),  # node count of the next poll of the control block
        ("stopped", "i8"),
        ("random", "i8"),
        ("used", "i8"),  # edges in use, edge 0 included, which stands for none
        ("first_edge", "i8"),  # of the root
        ("seldepth", "i8"),
        ("allowed_count", "i8"),  # root moves to search; 0: all
        ("allowed", "u2", MAX_MOVES),
        ("moves", "u2", MAX_MOVES),
        ("open", "i8", SQUARES * 64),  # by move: `stamp` if the node's world allows it and it was not met yet
        ("stamp", "i8"),
        ("path_edge", "i4", MAX_PLY),
        ("formula", "i8"),  # of the upper confidence bound (uct.py)
        ("exploration", "f8"),  # its k
        ("expand_visits", "i8"),  # of a leaf, before it gets moves
        ("prior_weight", "f8"),  # visits for which the prior values of the root's moves count, 0: none
        ("prior", "f4", SQUARES * 64),  # by move: the prior value to the side to move at the root, or NO_PRIOR
        ("chosen", "i8", 4),  # by activated piece: the number of its move in a joint action (learning.py)
        ("reward", "f8", 4),  # by activated piece
        ("kind", "i8", 4),  # by activated piece: the kind of its part, -1 without a move (experience.py)
        # The worlds, shared by the threads of a search:
        ("worlds", "i8"),  # address of uint8 [world, piece]: types
        ("world_count", "i8"),
        ("hidden", "i8"),  # the side that they give types to, or NOBODY
        ("gains", "f4", 12 * 2 * PIECES),  # [attacker's type, attacked piece]: as its player expects
        # For alpha-beta:
        ("history", "f4", 2 << 12),  # [side, move]: sum of depth**2 of the cuts by a quiet move
        ("min_gain", "f8"),  # attacks expected to gain no more are not searched
        ("quiescence_plies", "i8"),  # depth of the quiescence search
        ("tt", "i8"),  # address of the transposition table
        ("tt_mask", "i8"),  # its index mask
        ("generation", "i8"),  # of the search, stored with entries
        # For the evaluation along a line (sums.py):
        ("sums", "i8"),  # address of the sums, [ply]
        ("values", "i8"),  # address of the values of pieces
        ("first_value", "i8", 2),  # by side: place of its values
        ("beside_flag", "i8", 2),  # by side: bits of the neighbours of its flag by road
        ("network", "i8"),  # address of the memory of a network (accumulator.py), or 0
        # For the evaluation of one position:
        ("terms", "i8", len(TERMS)),  # counts, the first side's less the second's
        ("counts", "i8", 2 * 12),  # [side, type]
        ("mobile", "i8", 2),  # by side: bits of the squares of its mobile pieces
        ("flag", "i8", 2),  # by side: its square, -1 if fallen
        ("shelter", "i8", 2),  # by side: mines beside it
    ]
)
WORK = record_type(WORK_DTYPE)
THREAD_WORK = ThreadWork(WORK_DTYPE)
