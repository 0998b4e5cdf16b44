"""The working memory of one Connect6 search thread: turn lists, threats, principal variations."""

from __future__ import annotations

from siqi.games.connect6.rules.lookup import LINES, NEIGHBOURS, POINT_ROADS, POINTS, ROAD_LENGTH, ROADS
from siqi.games.kernel.jit import record, record_type

MAX_PLY = 48
"""The most plies of a line; a ply is a turn."""

MAX_FIRSTS, SECONDS = 40, 8
"""The most first points of the turns listed at a node, and the second points listed with each of them."""

CANDIDATES = MAX_FIRSTS + 3 * SECONDS
"""The most points in work.candidates."""

MAX_MOVES = MAX_FIRSTS * SECONDS
"""The most turns listed at one node."""

MAX_THREATS = 128
"""The most threats listed; two stones can hit at most 48."""

MAX_ATTACKS = 8192
"""The most attacks listed along one line of the threat search."""

MAX_HITS = 48
"""The most roads through two points."""

MAX_REPLIES = 8
"""A bound on the pairs that hit all threats after an attack: at most four, as each point of one threat leaves two."""

MAX_REFUTATIONS = 4096
"""The most turns listed against a claim."""

MAX_LEVELS = 24
"""The most attacks in a sequence of the threat search."""

PARTIAL, COMPLETE, LOST = 0, 1, 2
"""Coverage of a list of turns: it has some of the turns that do not lose at once, it has all, or there are none."""

WORK_DTYPE = record(
    [
        ("control", "i8"),  # address of the control block
        ("thread", "i8"),
        ("nodes", "i8"),
        ("poll_at", "i8"),  # node count at which to poll the control block
        ("stopped", "i8"),
        ("tt", "i8"),  # address of the transposition table
        ("tt_mask", "i8"),  # its index mask
        ("generation", "i8"),  # of the entries that this search stores
        ("width", "i8"),  # turns searched at a node
        ("network", "i8"),  # address of the memory of the evaluation's networks, 0 to evaluate by roads
        ("seldepth", "i8"),
        ("interest", "i4", POINTS),  # [empty point]: worth of a stone of the side to move, for the turns being listed
        ("threat_count", "i8"),
        ("threat_roads", "u2", MAX_THREATS),
        ("candidates", "u2", CANDIDATES),  # points, best first
        ("candidate_scores", "i8", CANDIDATES),
        ("leading", "u2", CANDIDATES),  # candidates before the turn's first stone
        ("leading_count", "i8"),
        ("touched", "u2", POINTS),  # points whose interest a first stone changes
        ("gains", "i4", POINTS),  # [point]: the change of its interest, valid for the points touched
        # The threat search:
        ("attack_nodes", "i8"),  # nodes of this threat search
        ("attack_budget", "i8"),  # its node limit
        ("attack_aborted", "i8"),  # 1 if the limit or the stop came first
        ("attack_move", "i8"),  # first turn of the win found last: from search_attacks to find_win
        ("attack_cut", "i8"),  # 1 if the depth limit or full memory left out an attack
        ("attacks", "i4", MAX_ATTACKS),
        ("attack_scores", "i8", MAX_ATTACKS),
        ("replies", "i4", MAX_REPLIES * (MAX_LEVELS + 2)),
        ("singles", "u2", 2),  # points that hit every threat alone
        ("hit_count", "i8"),  # noted threats; each is kept as the one or two points that hit it
        ("hit_first", "u2", MAX_HITS),
        ("hit_second", "u2", MAX_HITS),
        # Lists for attacks: hot roads (two or three own stones), points that go with a maker of threats, and points on
        # roads of three:
        ("hot_count", "i8"),
        ("partner_count", "i8"),
        ("three_count", "i8"),
        ("hot", "u2", ROADS),
        ("hot_on_line", "u2", LINES),  # [line]: bit i is set if its road number i is hot; all 0 between uses
        ("empty_count", "u1", ROADS),  # [hot road]: its empty points
        ("empty_places", "u1", ROADS * ROAD_LENGTH),  # their places on it, from 0
        ("partners", "u2", POINTS),
        ("three", "u2", POINTS),
        ("marks", "u1", POINTS),  # [point]: all 0 between uses
        ("alone_count", "u1", POINTS),  # [point of `three`]: threats that a stone there makes alone
        ("alone_first", "u2", POINTS * POINT_ROADS),  # the one or two points that hit each of them
        ("alone_second", "u2", POINTS * POINT_ROADS),
        ("stamp", "i8"),  # number of the present list of attacks
        ("seen_on_line", "i8", POINTS * NEIGHBOURS),  # [pair on a line]: stamp of the last list that tried the pair
        ("killers", "i4", 2 * (MAX_PLY + 2)),  # [ply, 2]: turns that caused a cutoff at this ply
        # The zone: points that a win of the opponent needs
        ("zone_count", "i8"),  # points added so far
        ("zone", "u2", POINTS),
        ("zone_stamp", "i8"),  # number of the present zone
        ("zone_seen", "i8", POINTS),  # [point]: stamp of the last zone that has it
        # Turns that may refute a claim (search/claims.py):
        ("refuting_firsts", "u2", POINTS),
        ("refutations", "i4", MAX_REFUTATIONS),
        ("root_proves", "i8"),  # 1 if a loss with every root turn is a proven loss
        ("root_is_free", "i8"),  # 1 if turns other than those listed may be played
        ("root_count", "i8"),
        ("root_moves", "i4", MAX_MOVES),  # best first
        ("moves", "i4", MAX_MOVES * (MAX_PLY + 2)),  # [ply, MAX_MOVES]
        ("move_scores", "i4", MAX_MOVES * (MAX_PLY + 2)),
        ("pv", "i4", (MAX_PLY + 2) * (MAX_PLY + 2)),  # [ply, place]: a triangle of variations
        ("pv_length", "u1", MAX_PLY + 2),
        ("claims", "u1", MAX_PLY + 2),  # [ply]: the claim on which the variation rests (search/claims.py), 0 for none
    ]
)
WORK = record_type(WORK_DTYPE)
