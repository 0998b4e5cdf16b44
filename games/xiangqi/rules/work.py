"""The working memory of one Xiangqi search thread: move lists, ordering statistics, principal variations."""

from __future__ import annotations

from games.kernel.jit import record, record_type

MAX_MOVES = 128
"""Room for the moves of one position (the most known is 119)."""

MAX_PLY = 64

MAX_CYCLE = 256
"""Plies of the longest repetition that is judged for perpetuals; a longer one is a draw."""

CORRECTIONS = 1 << 14

WORK_DTYPE = record(
    [
        ("control", "i8"),  # address of the control block
        ("thread", "i8"),
        ("nodes", "i8"),
        ("poll_at", "i8"),  # node count at which to look at the control block again
        ("stopped", "i8"),
        ("tt", "i8"),  # address, mask and generation of the transposition table
        ("tt_mask", "i8"),
        ("generation", "i8"),
        ("tablebase", "i8"),  # address of the tables of endings (tablebase.py), 0 for none
        ("pattern_book", "i8"),  # address of the pattern book (patterns.py), 0 while no pattern is near
        ("tbhits", "i8"),
        ("mined_rules", "i8"),  # address of the rules that fit the game (rulebook.py), 0 for none
        ("root_height", "i8"),
        ("seldepth", "i8"),
        ("static", "i4", MAX_PLY + 3),  # [ply + 1]: static evaluation, UNKNOWN_STATIC in check
        ("lifted", "u1", 2 * 32),  # (piece, square) taken off by an exchange
        ("killers", "u2", 2 * (MAX_PLY + 2)),  # [ply, 2]
        ("counter", "u2", 48 * 90),  # [piece, target of the move answered]: the quiet move that refuted it
        ("history", "i4", 48 * 90),  # [piece, target]
        ("continuation", "i2", 1350 * 1350),  # [kind and target of an earlier move, of this one]
        ("correction", "i2", 2 * CORRECTIONS),  # [side, material hashed]: how far evaluations were off, in sixteenths
        ("sequel_correction", "i2", 1350),  # [kind and target of the last move]: likewise
        ("root_count", "i8"),
        ("root_moves", "u2", MAX_MOVES),  # best first
        ("pv", "u2", (MAX_PLY + 2) * (MAX_PLY + 2)),  # [ply, place]
        ("pv_length", "u1", MAX_PLY + 2),
        ("moves", "u2", MAX_MOVES * (MAX_PLY + 4)),  # MAX_MOVES places a ply; the last two for the judge of rules
        ("cycle", "u2", MAX_CYCLE),  # moves of the repetition being judged, bit 15: gave check
        ("move_scores", "i4", MAX_MOVES * (MAX_PLY + 4)),
    ]
)
WORK = record_type(WORK_DTYPE)
