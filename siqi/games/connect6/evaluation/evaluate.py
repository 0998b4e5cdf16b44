"""The static evaluation of Connect6: the sum of all road values, updated with each stone (paper 3)."""

from __future__ import annotations

from siqi.games.connect6.data.weights import TEMPO
from siqi.games.connect6.rules.position import POSITION
from siqi.games.kernel.jit import Record, inner, int64

EVAL_BOUND = 1_500_000
"""The highest absolute value of an evaluation; scores of proven wins are higher."""


@inner(int64(POSITION), forceinline=True)
def evaluate(pos: Record) -> int:
    """Return the evaluation in the view of the side to move, within EVAL_BOUND (units of weights.py)."""
    return min(max(pos.score[pos.turn] + TEMPO, -EVAL_BOUND), EVAL_BOUND)


def explain(pos: Record) -> list[str]:
    """Return each side's living roads by number of stones, and the total for the side to move, as lines for `eval`."""
    lines = []
    for side, name in enumerate(("black", "white")):
        counts = [int((pos.roads == (n if side == 0 else 8 * n)).sum()) for n in range(1, 7)]
        lines.append(f"{name} roads " + " ".join(f"{n}:{count}" for n, count in enumerate(counts, 1)))
    turn = int(pos.turn)

    return [*lines, f"total {int(pos.score[turn]) + TEMPO:+d} for the side to move"]
