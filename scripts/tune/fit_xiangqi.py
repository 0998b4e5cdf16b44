"""Fit the weights of the Xiangqi evaluation to the results of games, by logistic regression.

    python scripts/match/self_play.py xiangqi own.jsonl.zst --games 5000 --nodes 2000 --jobs 2 --seed 7
    python scripts/tune/fit_xiangqi.py games.jsonl.zst own.jsonl.zst --out tuned.py

Each game is replayed, quiet positions (no check, no capture next) are sampled from it, and sigmoid(evaluation / scale)
is fitted to the results. The evaluation is linear in its weights (siqi/games/xiangqi/evaluation/terms.py), so the fit
is convex. A ridge holds the weights near the present ones where games give little evidence. Writes a source file to
`--out`, or siqi/games/xiangqi/data/tuned.py with `--replace-shipped`; the same input gives the same weights.

Data: games as JSON lines (`moves`, `result`), PGN or CSV; siqi/books/README.md names those of the shipped books, which
are not shipped themselves. `python scripts/match/self_play.py xiangqi own.jsonl` makes some.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from scripts.common import script
from scripts.common.records import positions_before, read_game_records

from siqi.games.contract import silent
from siqi.games.xiangqi.data.tuned import TUNED_END, TUNED_MIDDLE, TUNED_TERMS
from siqi.games.xiangqi.data.weights import KINDS, TERMS
from siqi.games.xiangqi.evaluation.terms import FULL_PHASE, fill_terms
from siqi.games.xiangqi.game import create
from siqi.games.xiangqi.rules.lookup import LOOKUP_RECORD
from siqi.games.xiangqi.rules.position import target_of
from siqi.system.files import replace_file

SCORES = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}
SQUARES = 7 * 10 * 5
FEATURES = SQUARES + len(TERMS)
TARGET = Path(__file__).parents[2] / "siqi" / "games" / "xiangqi" / "data" / "tuned.py"
Array = np.ndarray[Any, np.dtype[np.float32]]

HEADER = '"""Xiangqi weights in centipawns, written by '
OWNS = script.begins_with(HEADER)


def features(record: Any) -> Array:
    """Return counts, Red's minus Black's: pieces by [kind, rank, file folded on its mirror], then terms."""
    row = np.zeros(FEATURES, np.float32)
    for square in np.flatnonzero(record.board[:90]).tolist():
        code = int(LOOKUP_RECORD.kind_of[record.board[square]]) - 1
        rank, file = divmod(square, 9)
        sign, kind = (1, code) if code < 7 else (-1, code - 7)
        own_rank = rank if sign == 1 else 9 - rank
        row[kind * 50 + own_rank * 5 + min(file, 8 - file)] += sign
    row[SQUARES:] = record.terms
    return row


def samples(path: Path, share: float, first_ply: int, seed: int, limit: int) -> tuple[Array, Array, Array]:
    """Return (features, phase 0..1, results) of positions sampled from the games."""
    rng = random.Random(seed)
    game = create(silent)
    rows, phases, results = [], [], []
    for record in script.progress(read_game_records(path, print)):
        if record.result not in SCORES:
            continue
        for ply, (position, word) in enumerate(positions_before(game, record)):
            is_quiet = position.record.board[target_of(position.parse_move(word))] == 0
            if ply >= first_ply and is_quiet and rng.random() < share and not position.is_check():
                fill_terms(position.record)
                rows.append(features(position.record))
                phases.append(min(int(position.record.phase), FULL_PHASE) / FULL_PHASE)
                results.append(SCORES[record.result])
        if len(rows) >= limit:
            break
    return np.array(rows), np.array(phases, np.float32), np.array(results, np.float32)


def present_weights() -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the middle-game weights, then the endgame weights, in centipawns."""
    middle = [np.ravel(TUNED_MIDDLE), [pair[0] for pair in TUNED_TERMS.values()]]
    end = [np.ravel(TUNED_END), [pair[1] for pair in TUNED_TERMS.values()]]
    return np.concatenate([*middle, *end]).astype(np.float64)


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def chunks(rows: Array, phases: Array, size: int = 20_000) -> Iterator[tuple[slice, Array]]:
    """Yield design matrices: features for the middle game and for the endgame, weighted by the phase."""
    for start in range(0, len(rows), size):
        part = slice(start, start + size)
        phase = phases[part, None]
        yield part, np.hstack([rows[part] * phase, rows[part] * (1 - phase)])


def loss(weights: Any, scale: float, rows: Array, phases: Array, results: Array) -> float:
    """Return the mean cross-entropy, in nats."""
    total = 0.0
    for part, design in chunks(rows, phases):
        expected = np.clip(sigmoid(design @ weights / scale), 1e-6, 1 - 1e-6)
        total -= float(np.sum(results[part] * np.log(expected) + (1 - results[part]) * np.log(1 - expected)))
    return total / len(rows)


def fit(rows: Array, phases: Array, results: Array, ridge: float, steps: int) -> tuple[Any, float]:
    """Return (weights, scale): the best scale for the present weights, then Newton's steps on the weights.

    30,000 positions take 48 s on two cores; scipy's Newton-CG gave the same weights to 4e-6 in 300 s.
    """
    prior = present_weights()
    scale = min(np.arange(100, 1000, 20), key=lambda s: loss(prior, float(s), rows, phases, results))
    weights = prior.copy()
    for _ in range(steps):
        gradient = ridge * (weights - prior)
        curvature = ridge * np.eye(len(prior))
        for part, design in chunks(rows, phases):
            expected = sigmoid(design @ weights / scale)
            gradient += design.T @ (expected - results[part]) / scale
            curvature += (design.T * (expected * (1 - expected))) @ design / scale**2
        weights -= np.linalg.solve(curvature, gradient)
        print(f"loss {loss(weights, float(scale), rows, phases, results):.5f}", flush=True)
    return weights, float(scale)


def source(weights: Any, held_out_loss: float) -> str:
    """Return the text of tuned.py."""
    middle, end = np.rint(weights).astype(int).reshape(2, FEATURES)
    lines = [f'{HEADER}scripts/tune/fit_xiangqi.py: held-out loss {held_out_loss:.5f}."""', ""]
    for name, half in (("TUNED_MIDDLE", middle), ("TUNED_END", end)):
        lines += [f"# [kind {KINDS}, rank, file a-e]: material and squares together", f"{name} = ("]
        for kind in half[:SQUARES].reshape(7, 10, 5).tolist():
            lines += ["    (", *(f"        ({', '.join(map(str, rank))})," for rank in kind), "    ),"]
        lines += [")", ""]
    pairs = zip(TERMS, middle[SQUARES:].tolist(), end[SQUARES:].tolist(), strict=True)
    lines += ["# (middle game, endgame)", "TUNED_TERMS = {", *(f'    "{n}": ({m}, {e}),' for n, m, e in pairs), "}", ""]
    return "\n".join(lines)


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("games", type=Path, nargs="+", help="JSON lines or PGN, also .zst")
    parser.add_argument("--share", type=float, default=0.12, help="of the quiet positions")
    parser.add_argument("--first-ply", type=int, default=12)
    parser.add_argument("--limit", type=int, default=400_000, help="positions of each file")
    parser.add_argument("--ridge", type=float, default=0.001)
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    script.add_output(parser, "tuned.py")
    options = parser.parse_args()
    out = script.output_file(options, TARGET, OWNS)
    drawn = [samples(path, options.share, options.first_ply, options.seed, options.limit) for path in options.games]
    rows, phases, results = (np.concatenate(parts) for parts in zip(*drawn, strict=True))
    held = np.random.default_rng(options.seed).random(len(rows)) < 0.1
    train = rows[~held], phases[~held], results[~held]
    test = rows[held], phases[held], results[held]
    weights, scale = fit(*train, options.ridge, options.steps)
    before, after = (loss(w, scale, *test) for w in (present_weights(), weights))
    print(f"{len(rows)} positions, scale {scale:.0f}; held-out loss {before:.5f} -> {after:.5f}")
    replace_file(out, [source(weights, after).encode()], OWNS)
    return 0


if __name__ == "__main__":
    sys.exit(main())
