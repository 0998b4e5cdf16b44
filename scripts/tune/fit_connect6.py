"""Learn Connect6's weights from games: the values of roads, and the points where players place their stones.

    python scripts/tune/fit_connect6.py lg_expert_games.csv.gz games.jsonl --out weights.py

Values of roads depend on the number of stones on a road, the mover's or the opponent's: sigmoid(sum / scale) predicts
the result. Positions in which the side to move wins by double threats are left out, for the search sees these wins.
Interests of points: a softmax of a point's roads predicts the empty point of the next stone, the other stone of the
turn placed before or after it. Both fits are convex. Writes a source file to `--out`, or
siqi/games/connect6/data/weights.py with `--replace-shipped`; the same files and options give the same weights.

Data: games of Connect6 as JSON lines (`moves`, `result`) or CSV; the shipped weights are of 19,368 expert games of
Little Golem, which are not shipped. `python scripts/match/self_play.py connect6 own.jsonl` makes some.
"""

from __future__ import annotations

import random
import sys
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from scripts.common import logistic, script
from scripts.common.records import positions_before, read_game_records

from siqi.games.connect6.board import Connect6Position
from siqi.games.connect6.data.weights import CENTRE
from siqi.games.connect6.game import create
from siqi.games.connect6.rules.lookup import LOOKUP_RECORD, POINTS, ROAD_LENGTH, ROADS
from siqi.games.connect6.rules.position import NO_POINT, first_stone, second_stone
from siqi.games.connect6.search.threats import ThreatSolver
from siqi.games.contract import silent
from siqi.system.files import replace_file

TARGET = Path(__file__).parents[2] / "siqi" / "games" / "connect6" / "data" / "weights.py"
Array = np.ndarray[Any, np.dtype[np.float32]]

HEADER = '"""Weights of Connect6, by count of stones on a road, index 0..6; written by '
OWNS = script.begins_with(HEADER)

SOLVER_NODES = 300

VALUE_SCALE, INTEREST_SCALE = 400, 100
"""Units of a logit."""

WON = 1_000_000
UNSEEN_VALUE, UNSEEN_INTEREST = 200, 200
"""Weights of roads of four and five, which quiet positions lack: own roads (the paper's value), the opponent's."""


def incidence() -> Array:
    """Return [point, road]: 1 where the road passes through the point."""
    matrix = np.zeros((POINTS, ROADS), np.float32)
    for road, points in enumerate(LOOKUP_RECORD.road_points.reshape(ROADS, ROAD_LENGTH)):
        matrix[points, road] = 1
    return matrix


THROUGH = incidence()
NEARNESS = LOOKUP_RECORD.centre.astype(np.float32) / CENTRE


def kinds(roads: Any, side: int) -> Any:
    """Return each road's kind: n for n own stones, ROAD_LENGTH - 1 + n for n of the opponent's, KINDS if dead."""
    own, other = (roads & 7, roads >> 3) if side == 0 else (roads >> 3, roads & 7)
    return np.where(
        (own > 0) & (other > 0), 2 * ROAD_LENGTH - 1, np.where(other > 0, ROAD_LENGTH - 1 + other, own)
    ).clip(max=2 * ROAD_LENGTH - 1)


KINDS = 2 * ROAD_LENGTH - 1
"""Number of kinds of living roads: own stones 0..5, the opponent's 1..5."""


def point_features(roads: Any, side: int) -> Any:
    """Return [point, kind + 1]: roads of each kind through a point, and its nearness to the middle."""
    one_hot = np.eye(2 * ROAD_LENGTH, dtype=np.float32)[kinds(roads, side)][:, :KINDS]
    return np.hstack([THROUGH @ one_hot, NEARNESS[:, None]])


class Samples(NamedTuple):
    values: list[Any]  # counts of roads by kind, for the side to move
    results: list[float]
    points: list[Any]  # [empty point, feature]
    chosen: list[int]  # row of the point that was chosen


def collect(path: Path, limit: int, share: float, seed: int) -> Samples:
    rng = random.Random(seed)
    game = create(silent)
    solver = ThreatSolver()
    samples = Samples([], [], [], [])
    for record in script.progress(islice(read_game_records(path, print, "connect6"), limit)):
        if record.result not in ("1-0", "0-1"):
            continue
        for position, word in positions_before(game, record):
            move = position.parse_move(word)
            pos = position.record
            side = position.turn
            quiet = pos.threats[side] == 0
            if position.ply > 1 and quiet and rng.random() < share and not solver.solve(pos, SOLVER_NODES):
                samples.values.append(np.bincount(kinds(pos.roads, side), minlength=KINDS)[1:KINDS])
                samples.results.append(float((record.result == "1-0") == (side == 0)))
                if second_stone(move) != NO_POINT and pos.threats[side ^ 1] == 0:
                    add_points(samples, position, move, rng)
    return samples


def add_points(samples: Samples, position: Connect6Position, move: int, rng: random.Random) -> None:
    """Add the choice of one stone, before or after the other stone of the turn."""
    points = [first_stone(move), second_stone(move)]
    rng.shuffle(points)
    roads, stones = position.record.roads.astype(np.int64), position.record.stones.copy()
    if rng.random() < 0.5:
        roads[THROUGH[points[1]] > 0] += 1 if position.turn == 0 else 8
        stones[points[1]] = position.turn + 1
    empty = np.flatnonzero(stones == 0)
    samples.points.append(point_features(roads, position.turn)[empty].astype(np.float16))
    samples.chosen.append(int(np.searchsorted(empty, points[0])))


def fit_values(values: Any, results: Any, ridge: float = 1.0) -> Any:
    """Return the weights of kinds 1 and up, then the worth of the move."""
    design = np.hstack([values, np.ones((len(values), 1))]).astype(np.float64)
    weights = logistic.fit(design, results, np.zeros(design.shape[1]), ridge / 100**2)
    print(f"values: {len(values)} positions, loss {logistic.loss(design, results, weights):.4f}")
    return weights / 100


def fit_points(points: list[Any], chosen: list[int], ridge: float = 1.0) -> Any:
    """Return the weights of kinds 0 and up, then that of the nearness to the middle."""
    count, size = len(points), points[0].shape[1]

    def evaluate(weights: Any) -> tuple[float, Any, Any]:
        gradient, curvature, loss, first = _choices(points, chosen, weights)
        loss += ridge / 2 * float(weights @ weights)
        print(f"points: {count} choices, loss {loss / count:.4f}, first {first:.1%}", flush=True)
        return loss / count, (gradient + ridge * weights) / count, (curvature + ridge * np.eye(size)) / count

    return logistic.minimize(evaluate, np.zeros(size), 1e-5)


def _choices(points: list[Any], chosen: list[int], weights: Any) -> tuple[Any, Any, float, float]:
    """Return (gradient, curvature, loss, share of choices that have the highest chance)."""
    size = len(weights)
    gradient, curvature, loss, first = np.zeros(size), np.zeros((size, size)), 0.0, 0
    for half, row in zip(points, chosen, strict=True):
        features = half.astype(np.float64)
        logits = features @ weights
        logits -= logits.max()
        expected = np.exp(logits)
        total = expected.sum()
        expected /= total
        mean = expected @ features
        gradient += mean - features[row]
        curvature += (features.T * expected) @ features - np.outer(mean, mean)
        loss += float(np.log(total) - logits[row])
        first += int(logits[row] == 0)
    return gradient, curvature, loss, first / len(points)


def source(values: Any, points: Any, note: str) -> str:
    """Return the text of weights.py."""
    seen = [round(VALUE_SCALE * float(value)) for value in values]
    own_value = (0, *seen[:3], UNSEEN_VALUE, UNSEEN_VALUE, WON)
    opponent_value = (0, *(-value for value in seen[ROAD_LENGTH - 1 : 2 * ROAD_LENGTH - 2]), WON)
    interest = [round(INTEREST_SCALE * float(point)) for point in points]
    own_interest = (*interest[:5], interest[4], 0)
    opponent_interest = (interest[0], *interest[ROAD_LENGTH : ROAD_LENGTH + 3], UNSEEN_INTEREST, UNSEEN_INTEREST, 0)
    return f'''{HEADER}scripts/tune/fit_connect6.py.

{note}
"""

OWN_VALUE = {own_value}
OPPONENT_VALUE = {opponent_value}
TEMPO = {seen[-1]}
"""The value of an own living road, the amount subtracted for an opponent's, and the worth of the move;
{VALUE_SCALE} points are one logit of the expected result."""

OWN_INTEREST = {own_interest}
OPPONENT_INTEREST = {opponent_interest}
CENTRE = {interest[-1]}
"""The worth of a stone on an own road, on an opponent's road, and of each step nearer to the centre;
{INTEREST_SCALE} points are one logit of the probability that the point is chosen."""
'''


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("games", type=Path, nargs="+", help="CSV or JSON lines, also .gz or .zst")
    parser.add_argument("--limit", type=int, default=20_000, help="games of each file")
    parser.add_argument("--share", type=float, default=0.25, help="of the positions")
    parser.add_argument("--seed", type=int, default=1)
    script.add_output(parser, "weights.py")
    options = parser.parse_args()
    out = script.output_file(options, TARGET, OWNS)
    parts = [collect(path, options.limit, options.share, options.seed) for path in options.games]
    values = fit_values(
        np.array([row for part in parts for row in part.values]), np.array([r for part in parts for r in part.results])
    )
    points = fit_points([p for part in parts for p in part.points], [c for part in parts for c in part.chosen])
    names = ", ".join(path.name for path in options.games)
    count = sum(len(part.results) for part in parts)
    note = f"From {names}: share {options.share}, seed {options.seed}, {count} positions."
    replace_file(out, [source(values, points, note).encode()], OWNS)
    return 0


if __name__ == "__main__":
    sys.exit(main())
