"""Count the leaves that deep cut-offs save (paper 5, section 2): windows that pass three levels or all.

    python scripts/papers/count_xiangqi_cutoffs.py --depth 5
    python scripts/papers/count_xiangqi_cutoffs.py endgames.txt --depth 4 --order none

The trees are fixed: all legal moves of Xiangqi positions to one depth, the static evaluation at the leaves, no
transposition table, no pruning but alpha-beta. "Three levels" gives a node the bound that its parent has found so far,
so that only its grandparent can cut it off; "all levels" passes both bounds down. The ideal is the paper's count for
the same number of leaves, B^D: 2 B^(D/2) - 1 for even D, B^((D+1)/2) + B^((D-1)/2) - 1 for odd.

Data: none is needed; a file has a FEN a line.
"""

from __future__ import annotations

import math
import statistics
import sys
from pathlib import Path
from typing import NamedTuple

from scripts.lib import script

from games.contract import Game
from games.kernel.intrinsics import recurse_4
from games.kernel.jit import Record, entry, inner, int64, new_record
from games.kernel.node import pick
from games.registry import silent
from games.xiangqi.evaluation.evaluate import evaluate
from games.xiangqi.game import XiangqiPosition, create
from games.xiangqi.rules.lookup import LOOKUP, LOOKUP_RECORD
from games.xiangqi.rules.movegen import checks_and_pins, generate_legal
from games.xiangqi.rules.position import POSITION, do_move, undo_move
from games.xiangqi.rules.work import MAX_MOVES, WORK, WORK_DTYPE

LOST = -30_000

WHOLE, THREE_LEVELS, ALL_LEVELS = range(3)
"""The passing of windows: not at all, to the grandchildren, to all levels."""

ENDGAMES = (  # of games between masters
    "9/3Pak3/9/9/9/5R3/4r4/9/3K5/9 b",
    "5k3/9/4c4/4c4/N1b6/9/4C4/4BA3/4A4/4K4 w",
    "3k1a3/4a4/b8/9/2b6/9/1p2r4/R2A5/3K5/9 w",
    "9/4ak3/3a5/4c4/4N4/5nN2/9/5A3/4A4/4K4 b",
    "4kab2/4a4/4b4/3PR4/4P4/9/6r2/9/9/4K4 b",
    "2bk1a3/4aP3/b2r5/3N3R1/9/9/9/4B4/4A4/3AK4 b",
    "R4ab1C/4k4/3a5/9/2b1p4/9/9/3AB4/4K4/3r5 w",
    "3akab2/5R3/4b4/9/3r5/9/9/3AB4/4A4/3KC1B2 w",
)


@inner(int64(POSITION, WORK, LOOKUP, int64, int64, int64, int64))
def negamax(pos: Record, work: Record, lookup: Record, alpha: int, beta: int, depth: int, mode: int) -> int:
    """Search to `depth` and count leaves in work.nodes; return the value in (alpha, beta), fail-soft, the mover's view.

    `mode`: WHOLE, THREE_LEVELS or ALL_LEVELS, plus 4 to order the moves by their evaluation.
    """
    if depth == 0:
        work.nodes += 1
        return evaluate(pos, lookup)
    ply = pos.height - work.root_height
    first = ply * MAX_MOVES
    end = generate_legal(pos, work, lookup, first, int64(0), checks_and_pins(pos, lookup))
    if end == first:
        work.nodes += 1
        return LOST + ply
    for i in range(first, end):
        work.move_scores[i] = 0
        if mode >= 4:
            do_move(pos, lookup, int64(work.moves[i]))
            work.move_scores[i] = -evaluate(pos, lookup)
            undo_move(pos, lookup)
    best = int64(LOST - 1)
    for i in range(first, end):
        move = pick(work, i, end)
        passing = mode & 3
        lower = max(alpha, best)
        below = -lower if passing != WHOLE else int64(-LOST + 1)
        above = -beta if passing == ALL_LEVELS else int64(LOST - 1)
        do_move(pos, lookup, move)
        # `above`: the child's bound from our ancestors; `below`: the one from the best move here.
        score = -recurse_4(pos, work, lookup, above, below, depth - 1, mode)
        undo_move(pos, lookup)
        best = max(best, score)
        if passing != WHOLE and best >= beta:
            break
    return best


@entry(int64(POSITION, WORK, LOOKUP, int64, int64))
def count_leaves(pos: Record, work: Record, lookup: Record, depth: int, mode: int) -> int:
    """Return the number of leaves visited; leave the value in work.root_count."""
    work.nodes = 0
    work.root_height = pos.height
    work.root_count = negamax(pos, work, lookup, int64(LOST - 1), int64(-LOST + 1), depth, mode)
    return int64(work.nodes)


class Counts(NamedTuple):
    leaves: int
    three_levels: int
    all_levels: int
    ideal: float


def ideal(leaves: int, depth: int) -> float:
    """Return the paper's count for a uniform tree with this many leaves, searched in the best order."""
    branching = leaves ** (1 / depth)
    if depth % 2 == 0:
        return float(2 * branching ** (depth // 2) - 1)
    return float(branching ** ((depth + 1) // 2) + branching ** ((depth - 1) // 2) - 1)


def count(game: Game[XiangqiPosition], fen: str, depth: int, is_ordered: bool) -> Counts:
    """Count the leaves in each mode; AssertionError if the modes disagree on the value."""
    record, work = game.position(fen).record, new_record(WORK_DTYPE)
    values = set()

    def leaves(mode: int) -> int:
        found = int(count_leaves(record, work, LOOKUP_RECORD, depth, mode + 4 * is_ordered))
        values.add(int(work.root_count))
        return found

    whole = leaves(WHOLE)
    counts = Counts(whole, leaves(THREE_LEVELS), leaves(ALL_LEVELS), ideal(whole, depth))
    assert len(values) == 1, values
    return counts


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("positions", type=Path, nargs="?", help="a FEN a line; without, eight endings of games")
    parser.add_argument("--depth", type=int, default=4)
    parser.add_argument("--order", choices=("evaluation", "none"), default="evaluation", help="of successors")
    options = parser.parse_args()
    fens = options.positions.read_text("utf-8").splitlines() if options.positions else ENDGAMES
    game = create(silent)
    is_ordered = options.order == "evaluation"
    rows = [count(game, fen, options.depth, is_ordered) for fen in script.progress(fens)]
    print(f"depth {options.depth}, order {options.order}; leaves visited")
    print("| position | all leaves | three levels | all levels | ideal | all levels / three | all levels / ideal |")
    print("|---|---|---|---|---|---|---|")
    for fen, row in zip(fens, rows, strict=True):
        print(
            f"| `{fen}` | {row.leaves:,} | {row.three_levels:,} | {row.all_levels:,} | {row.ideal:,.0f}"
            f" | {row.all_levels / row.three_levels:.3f} | {row.all_levels / row.ideal:.2f} |"
        )
    saved = statistics.fmean(math.log(row.all_levels / row.three_levels) for row in rows)
    over = statistics.fmean(math.log(row.all_levels / row.ideal) for row in rows)
    print(f"geometric means: all levels / three levels {math.exp(saved):.3f}, all levels / ideal {math.exp(over):.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
