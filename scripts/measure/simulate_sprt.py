"""Simulate the SPRT of matches: how often it errs, and how many games it takes.

    python scripts/measure/simulate_sprt.py --out scripts/results/sprt.jsonl

Draws pairs of games from distributions of three kinds of games (drawish, usual, decisive), with a normalized Elo
at both hypotheses and midway, and lets `siqi match`'s own test decide after each pair. A line of the output is one
case: `h1` the share of tests that accept H1, `games` their mean length with its 95 % bar, `expected` Wald's
approximation of it (`Sprt.expected_pairs`). It also says how often intervals of `siqi match` contain the true score:
`covered`, by number of pairs; it should be 95 %.

Data: none; the same seed gives the same output, and the same command goes on with it. The default takes some ten
minutes of one core.
"""

from __future__ import annotations

import json
import math
import sys
import time
from pathlib import Path

import numpy as np

from scripts.common import script

from siqi.daemon.match.sequential import Array, Sprt, likeliest
from siqi.daemon.match.statistics import NELO_PER_T, NORMALIZED, POINTS, Z, estimate
from siqi.system.log import Log

KINDS = {
    "drawish": (0.02, 0.18, 0.60, 0.18, 0.02),
    "usual": (0.10, 0.22, 0.36, 0.22, 0.10),
    "decisive": (0.25, 0.0, 0.50, 0.0, 0.25),
}
"""Shares of pairs by points between equals: Xiangqi between strong engines, weaker ones, games without draws."""

CASES = [(Sprt(0, 20), kind) for kind in KINDS] + [(Sprt(0, 10), "drawish")]
"""The bounds to begin with: [0, 10] for Xiangqi, [0, 20] for the other games."""

LEAST_PAIRS, MARGIN = 200, 0.5
"""From this number of pairs a ratio further than this from both bounds is computed approximately, to 0.2."""

CHECKED = (5, 10, 20, 50, 100, 300)
"""Numbers of pairs after which the intervals are checked."""


def shares_of(kind: str, nelo: float) -> Array:
    """Return a distribution of pairs with a normalized Elo, the likeliest by that of equals."""
    shares = likeliest(np.array(KINDS[kind]) + 1e-12, nelo, NORMALIZED)
    return np.asarray(shares / shares.sum())


def nearly(counts: Array, test: Sprt) -> Array:
    """Return approximate log-likelihood ratios (Van den Bergh, "Comments on normalized Elo", section 4.2)."""
    pairs = counts.sum(-1)
    mean = counts @ POINTS / pairs
    t = (mean - 0.5) / np.sqrt(counts @ np.square(POINTS) / pairs - mean**2)
    t0, t1 = (elo * math.sqrt(2) / NELO_PER_T for elo in (test.elo0, test.elo1))
    return np.asarray(pairs / 2 * np.log((1 + (t - t0) ** 2) / (1 + (t - t1) ** 2)))


def llrs(counts: Array, test: Sprt) -> Array:
    """Return log-likelihood ratios of as many pairs each, exact where they may decide a test."""
    if counts[0].sum() < LEAST_PAIRS:
        return test.llrs(counts)
    ratios = nearly(counts, test)
    low, high = test.bounds
    close = (ratios < low + MARGIN) | (ratios > high - MARGIN)
    if close.any():
        ratios[close] = test.llrs(counts[close])
    return ratios


def simulate(test: Sprt, shares: Array, runs: int, rng: np.random.Generator) -> tuple[float, Array]:
    """Run tests to their ends; return the share that accepts H1, and the pairs of each."""
    low, high = test.bounds
    counts = np.zeros((runs, len(POINTS)))
    lengths, accepted = np.zeros(runs), 0
    going = np.arange(runs)
    pairs = 0
    while len(going):
        pairs += 1
        counts[np.arange(len(going)), rng.choice(len(POINTS), len(going), p=shares)] += 1
        ratios = llrs(counts, test)
        ended = (ratios <= low) | (ratios >= high)
        lengths[going[ended]] = pairs
        accepted += int((ratios >= high).sum())
        going, counts = going[~ended], counts[~ended]
    return accepted / runs, lengths


def coverage(shares: Array, pairs: int, runs: int, rng: np.random.Generator) -> float:
    """Return how often the interval of a number of pairs contains the true score."""
    truth = float(shares @ POINTS)
    estimates = (estimate(counts.tolist()) for counts in rng.multinomial(pairs, shares, runs))
    return sum(each.low <= truth <= each.high for each in estimates) / runs


def case(test: Sprt, kind: str, nelo: float, runs: int, seed: int) -> dict[str, object]:
    """Return a line of the output."""
    shares = shares_of(kind, nelo)
    rng = np.random.default_rng([seed, *map(ord, f"{kind} {nelo:g} {test.elo1:g}")])
    began = time.monotonic()
    h1, lengths = simulate(test, shares, runs, rng)
    ends, middle = test.expected_pairs()
    return {
        "test": [test.elo0, test.elo1],
        "kind": kind,
        "nelo": nelo,
        "runs": runs,
        "seed": seed,
        "h1": h1,
        "games": round(2 * lengths.mean()),
        "bar": round(2 * Z * lengths.std() / math.sqrt(runs)),
        "longest": round(2 * lengths.max()),
        "expected": round(2 * (ends if nelo in (test.elo0, test.elo1) else middle)),
        "covered": {pairs: coverage(shares, pairs, runs, rng) for pairs in CHECKED},
        "seconds": round(time.monotonic() - began),
    }


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("--out", type=Path, required=True, help="JSON lines, continued if they exist")
    parser.add_argument("--runs", type=int, default=1000, help="tests of each case; default: 1000")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--elo1", type=float, metavar="ELO", help="only the test of [0, ELO], with each kind of games")
    options = parser.parse_args()
    done = set()

    def read(line: bytes) -> None:
        result = json.loads(line)
        done.add((*result["test"], result["kind"], result["nelo"], result["runs"], result["seed"]))

    with Log(options.out, script.begins_with('{"test": ['), read) as log:
        cases = CASES if options.elo1 is None else [(Sprt(0, options.elo1), kind) for kind in KINDS]
        for test, kind in cases:
            for nelo in (test.elo0, (test.elo0 + test.elo1) / 2, test.elo1):
                if (test.elo0, test.elo1, kind, nelo, options.runs, options.seed) not in done:
                    line = json.dumps(case(test, kind, nelo, options.runs, options.seed))
                    log.add([line.encode()])
                    print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
