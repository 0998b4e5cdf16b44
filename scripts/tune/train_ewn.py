"""Learn EWN's evaluation from games against itself.

    python scripts/tune/train_ewn.py --games 6500000 --out evaluation.book

Writes a book to `--out`, or siqi/books/ewn-evaluation.book with `--replace-shipped`. One thread, some 20,000 games
a second; the same seed gives the same weights. Every `--every` games the work is saved next to the book (`.part.npz`);
the same command continues from there. Prints the root mean square of the differences between values and those that
their successors give.
"""

from __future__ import annotations

import errno
import io
import math
import os
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from scripts.common import script
from scripts.tune.ewn_learning import LEARNER_DTYPE, play, ready

from siqi.games.books.book import write_book
from siqi.games.ewn.evaluation.evaluate import BOOK, KIND, SCALE, VERSION, WEIGHTS, new_evaluation
from siqi.games.ewn.knowledge.knowledge import TABLEBASE_FOLDER
from siqi.games.ewn.knowledge.tablebase import Tablebase
from siqi.games.ewn.rules.lookup import LOOKUP_RECORD
from siqi.games.ewn.rules.position import POSITION_DTYPE
from siqi.games.ewn.rules.work import WORK_DTYPE
from siqi.games.kernel.jit import new_record
from siqi.games.kernel.random import seed_state
from siqi.system.files import open_regular, replace_file


def is_part(head: bytes) -> bool:
    """True if a file begins as `save` writes it: an archive whose first member is the weights."""
    return head.startswith(b"PK\x03\x04") and head[30:].startswith(b"weights.npy")


def save(part: Path, fields: dict[str, Any]) -> None:
    packed = io.BytesIO()
    np.savez(packed, **fields)
    replace_file(part, [packed.getbuffer()], is_part)


def saved(part: Path) -> dict[str, Any]:
    """Return the fields that `save` wrote, none if there is no such file; OSError if it is damaged."""
    try:
        with os.fdopen(open_regular(part), "rb") as file, np.load(file) as archive:
            return dict(archive)
    except FileNotFoundError:
        return {}
    except (ValueError, EOFError, zipfile.BadZipFile) as error:
        raise OSError(errno.EIO, f"is damaged: {error}", str(part)) from None


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("--games", type=int, default=6_500_000)
    parser.add_argument("--every", type=int, default=500_000, metavar="N", help="report and save")
    parser.add_argument("--seed", type=int, default=1)
    script.add_output(parser, "the evaluation")
    options = parser.parse_args()
    out = script.output_file(options, BOOK, script.is_book(KIND))
    part = out.with_suffix(".part.npz")
    script.check_output(part, is_part)
    if options.games < 1 or options.every < 1:
        parser.error("--games and --every must be at least 1")

    tables = Tablebase([TABLEBASE_FOLDER], sys.exit)
    error = math.nan
    weights, errors, sizes = (np.zeros(WEIGHTS, np.float32) for _ in range(3))
    state, done = seed_state(options.seed), 0
    if broken_off := saved(part):
        if int(broken_off["seed"]) != options.seed:
            parser.error(f"{part} is of seed {int(broken_off['seed'])}")
        weights, errors, sizes = broken_off["weights"], broken_off["errors"], broken_off["sizes"]
        state, done, error = int(broken_off["state"]), int(broken_off["done"]), float(broken_off["error"])

    pos, image = new_record(POSITION_DTYPE), new_record(POSITION_DTYPE)
    learner, work, evaluation = new_record(LEARNER_DTYPE), new_record(WORK_DTYPE), new_evaluation()
    ready(learner)
    work.random, work.tablebase = state, tables.address
    started = time.perf_counter()
    with script.progress(total=options.games, initial=done, unit=" games") as bar:
        while done < options.games:
            games = min(options.every, options.games - done)
            learner.states = learner.squared_error = 0
            play(pos, image, LOOKUP_RECORD, evaluation, learner, work, weights, errors, sizes, games)
            done += games
            error = math.sqrt(learner.squared_error / learner.states)
            bar.update(games)
            tqdm.write(f"{done:,} games, {time.perf_counter() - started:.0f} s, error {error:.4f}")
            sys.stdout.flush()
            state = int(work.random)
            fields = dict(state=state, done=done, seed=options.seed, error=error)
            save(part, dict(weights=weights, errors=errors, sizes=sizes) | fields)
    about = {"source": "self-play", "games": done, "seed": options.seed, "error": round(error, 5)}
    rounded = np.clip(np.rint(weights * SCALE), -32768, 32767).astype("<i2")
    write_book(out, KIND, VERSION, about, rounded.tobytes())
    part.unlink(missing_ok=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
