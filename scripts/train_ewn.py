"""Learn EWN's evaluation from games against itself, into books/ewn-evaluation.book.

    python scripts/train_ewn.py --games 6500000

One thread, some twenty thousand games a second; the same seed gives the same weights. `--every` so many games the work
is saved beside the book (`.part.npz`), and goes on from there when it was broken off. Prints the root mean square of
the errors that it learns from: how far values are from what their successors give.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from pathlib import Path

import numpy as np
from _ewn_learning import LEARNER_DTYPE, play, ready
from tqdm import tqdm

from games.book import write_book
from games.ewn.evaluate import BOOK, KIND, SCALE, VERSION, WEIGHTS, without_weights
from games.ewn.knowledge import ENDINGS
from games.ewn.position import POSITION_DTYPE
from games.ewn.tablebase import Tablebase
from games.ewn.tables import TABLES_RECORD
from games.ewn.work import WORK_DTYPE
from games.kernel.jit import new_record
from games.kernel.random import seed_state


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=6_500_000)
    parser.add_argument("--every", type=int, default=500_000, metavar="N", help="report and save")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=BOOK)
    options = parser.parse_args()

    tables = Tablebase([ENDINGS], sys.exit)
    part, fresh = options.out.with_suffix(".part.npz"), options.out.with_suffix(".fresh.npz")
    error = math.nan
    weights, errors, sizes = (np.zeros(WEIGHTS, np.float32) for _ in range(3))
    state, done = seed_state(options.seed), 0
    if part.exists():
        with np.load(part) as saved:
            if int(saved["seed"]) != options.seed:
                parser.error(f"{part} is of seed {int(saved['seed'])}")
            weights, errors, sizes = saved["weights"], saved["errors"], saved["sizes"]
            state, done, error = int(saved["state"]), int(saved["done"]), float(saved["error"])

    pos, image = new_record(POSITION_DTYPE), new_record(POSITION_DTYPE)
    learner, work, evaluation = new_record(LEARNER_DTYPE), new_record(WORK_DTYPE), without_weights()
    ready(learner)
    work.random, work.endings = state, tables.address
    started = time.perf_counter()
    with tqdm(total=options.games, initial=done, unit=" games", disable=not sys.stderr.isatty()) as bar:
        while done < options.games:
            games = min(options.every, options.games - done)
            learner.states = learner.squared_error = 0
            play(pos, image, TABLES_RECORD, evaluation, learner, work, weights, errors, sizes, games)
            done += games
            error = math.sqrt(learner.squared_error / learner.states)
            bar.update(games)
            tqdm.write(f"{done:,} games, {time.perf_counter() - started:.0f} s, error {error:.4f}")
            sys.stdout.flush()
            state = int(work.random)
            fields = dict(state=state, done=done, seed=options.seed, error=error)
            np.savez(fresh, weights=weights, errors=errors, sizes=sizes, **fields)
            os.replace(fresh, part)
    about = {"source": "self-play", "games": done, "seed": options.seed, "error": round(error, 5)}
    rounded = np.clip(np.rint(weights * SCALE), -32768, 32767).astype("<i2")
    write_book(options.out, KIND, VERSION, about, rounded.tobytes())
    part.unlink(missing_ok=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
