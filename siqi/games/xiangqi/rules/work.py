"""The working memory of one Xiangqi search thread: move lists, ordering statistics, principal variations."""

from __future__ import annotations

from siqi.games.kernel.jit import ThreadWork, record, record_type

MAX_MOVES = 128
"""A bound on the moves of one position (the most known is 119)."""

MAX_PLY = 64
"""Plies from the root at which every search ends."""

MAX_CYCLE = 256
"""Plies of the longest repetition that is judged for perpetuals; a longer one is a draw."""

CORRECTIONS = 1 << 14
"""Corrections by material, per side."""

KIND_TARGETS = 15 * 90
"""Pairs of a kind (lookup.kind_of) and the square it moves to."""

NO_SCORE = -32_001
"""Sentinel for a missing score, beyond every score: the static value in check, the value of a position not known."""

WORK_DTYPE = record(
    [
        ("control", "i8"),  # address of the control block
        ("thread", "i8"),
        ("nodes", "i8"),
        ("poll_at", "i8"),  # node count at which to look at the control block again
        ("stopped", "i8"),  # 1 once the search is to end: values returned from then on mean nothing
        ("tt", "i8"),  # address, mask and generation of the transposition table
        ("tt_mask", "i8"),
        ("generation", "i8"),
        ("tablebase", "i8"),  # address of the TABLEBASE (probe.py), 0 for none
        ("pattern_book", "i8"),  # address of the pattern book (patterns.py), 0 while no pattern is near
        ("evaluator", "i8"),  # address of the kernel that gives static values (evaluation/choice.py)
        ("network", "i8"),  # address of the MEMORY of the evaluation by a network (accumulator.py), 0 for none
        ("margins", "i8"),  # address of the MARGINS of the search (search/margins.py)
        ("known_positions", "i8"),  # address of the user's known positions (known.py), 0 for none
        ("find_known", "i8"),  # address of the kernel that looks them up
        ("tbhits", "i8"),  # positions whose value tablebase or known positions gave
        ("mined_rules", "i8"),  # address of the mined rules that fit the game (rulebook.py), 0 for none
        ("root_height", "i8"),  # pos.height at the root
        ("experience", "i8", 2),  # [ply]: what the last move there gained for its mover by a mined rule, 0 for none
        ("seldepth", "i8"),
        ("static", "i4", MAX_PLY + 3),  # [ply + 1]: static value in the mover's view, NO_SCORE in check
        ("excluded", "u2", MAX_PLY + 2),  # [ply]: the move left out by a test whether it is singular, else 0 (NO_MOVE)
        ("lifted", "u1", 2 * 32),  # (piece, square) taken off by an exchange
        ("killers", "u2", 2 * (MAX_PLY + 2)),  # [ply, 2]
        ("counter", "u2", 48 * 90),  # [piece, target of the move answered]: the quiet move that refuted it
        ("history", "i4", 48 * 90),  # [piece, target]
        ("continuation", "i2", KIND_TARGETS * KIND_TARGETS),  # [kind and target of an earlier move, of this one]
        ("correction", "i2", 2 * CORRECTIONS),  # [side, material hashed]: how far evaluations were off, in sixteenths
        ("sequel_correction", "i2", KIND_TARGETS),  # [kind and target of the last move]: the same
        ("root_count", "i8"),
        ("root_moves", "u2", MAX_MOVES),  # best first
        ("pv", "u2", (MAX_PLY + 2) * (MAX_PLY + 2)),  # [ply, place]
        ("pv_length", "u1", MAX_PLY + 2),
        # MAX_MOVES places per ply; the last three for the judge of repetitions and for the paper's evaluation
        ("moves", "u2", MAX_MOVES * (MAX_PLY + 5)),
        ("cycle", "u2", MAX_CYCLE),  # moves of the repetition being judged, bit 15: gave check
        ("move_scores", "i4", MAX_MOVES * (MAX_PLY + 4)),  # of `moves`, where the search orders them
        # The move picker's state, by ply:
        ("picker_next", "i4", MAX_PLY + 2),  # place in `moves` of the next move
        ("picker_end", "i4", MAX_PLY + 2),  # end of the moves listed
        ("picker_stage", "i4", MAX_PLY + 2),  # what is listed next (search/picker.py)
    ]
)
WORK = record_type(WORK_DTYPE)
THREAD_WORK = ThreadWork(WORK_DTYPE)
