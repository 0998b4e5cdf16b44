"""The working memory of one Connect6 search thread: turn lists, threats, principal variations."""

from __future__ import annotations

from games.connect6.rules.lookup import NEIGHBOURS, POINT_ROADS, POINTS, ROADS
from games.kernel.jit import record, record_type

MAX_PLY = 48
"""Turns of the deepest line."""

MAX_FIRSTS, SECONDS = 40, 8
"""Points that a turn's first stone is chosen from, at most, and with each of them its second."""

CANDIDATES = MAX_FIRSTS + 3 * SECONDS
"""Points looked at, at most."""

MAX_TURNS = MAX_FIRSTS * SECONDS
"""Turns listed at one node."""

MAX_THREATS = 128
"""Threatening roads looked at; two stones cannot hit more than 48 anyway."""

MAX_ATTACKS = 8192
"""Room for the attacks along one line of the threat search."""

MAX_HITS = 48
"""Roads through two points."""

MAX_REPLIES = 8
"""Room for the pairs that hit all threats after an attack: at most four, each point of one threat with two others."""

MAX_LEVELS = 24
"""Attacks of the longest sequence."""

PARTIAL, COMPLETE, LOST = 0, 1, 2
"""Of the turns that do not lose at once the list has some, it has all, or there are none."""

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
        ("width", "i8"),  # turns searched at a node
        ("seldepth", "i8"),
        ("coverage", "i8"),  # SOME, ALL or NONE
        ("threat_count", "i8"),
        ("threat_roads", "u2", MAX_THREATS),
        ("candidates", "u2", CANDIDATES),  # points, best first
        ("candidate_scores", "i8", CANDIDATES),
        ("leading", "u2", CANDIDATES),  # points of most interest before any stone of the turn
        ("leading_count", "i8"),
        ("touched", "u2", POINTS),  # points whose interest a first stone changes
        ("gains", "i4", POINTS),  # by how much
        # The threat search
        ("attack_nodes", "i8"),
        ("attack_budget", "i8"),
        ("attack_aborted", "i8"),
        ("attack_turn", "i8"),  # the first of the win found last
        ("attack_cut", "i8"),  # whether the depth left something out
        ("attacks", "i4", MAX_ATTACKS),
        ("attack_scores", "i8", MAX_ATTACKS),
        ("replies", "i4", MAX_REPLIES * (MAX_LEVELS + 2)),
        ("singles", "u2", 2),  # points that meet every threat alone
        ("hit_count", "i8"),  # threats, as the one or two points that hit them
        ("hit_first", "u2", MAX_HITS),
        ("hit_second", "u2", MAX_HITS),
        # Listing attacks: roads of two or three own stones, points on them, points on roads of three
        ("hot_count", "i8"),
        ("partner_count", "i8"),
        ("three_count", "i8"),
        ("hot", "u2", ROADS),
        ("partners", "u2", POINTS),
        ("three", "u2", POINTS),
        ("marks", "u1", POINTS),  # always cleared after use
        ("alone_count", "u1", POINTS),  # threats that a stone on the point makes alone
        ("alone_first", "u2", POINTS * POINT_ROADS),  # the points that hit them
        ("alone_second", "u2", POINTS * POINT_ROADS),
        ("stamp", "i8"),  # of the present list
        ("seen_on_line", "i8", POINTS * NEIGHBOURS),  # by pair on a line: the last list that looked at it
        ("killers", "i4", 2 * (MAX_PLY + 2)),  # [ply, 2]: turns that cut off a sibling
        # Points that a win of the opponent's needs
        ("zone_count", "i8"),
        ("zone", "u2", POINTS),
        ("zone_stamp", "i8"),
        ("zone_seen", "i8", POINTS),
        ("root_proves", "i8"),  # whether a loss against all root turns is one against any
        ("root_is_free", "i8"),  # whether other turns than those listed may be played
        ("root_count", "i8"),
        ("root_moves", "i4", MAX_TURNS),  # best first
        ("moves", "i4", MAX_TURNS * (MAX_PLY + 2)),  # MAX_TURNS places a ply
        ("move_scores", "i4", MAX_TURNS * (MAX_PLY + 2)),
        ("pv", "i4", (MAX_PLY + 2) * (MAX_PLY + 2)),  # [ply, place]
        ("pv_length", "u1", MAX_PLY + 2),
    ]
)
WORK = record_type(WORK_DTYPE)
