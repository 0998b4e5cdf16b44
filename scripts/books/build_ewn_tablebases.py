"""Build EWN's tablebases: the chance to win of every position, before the throw, solved backwards.

    python scripts/books/build_ewn_tablebases.py --jobs 2 --replace-shipped     up to 4 pieces, as shipped
    python scripts/books/build_ewn_tablebases.py --jobs 2 --pieces 5 --out DIR   5 pieces too (0.9 GB, 5 GB of memory)

An ending whose file exists and is sound is skipped, so that the same command resumes an interrupted build.
Each table is checked before it is written: every value must follow from those of its successors.
"""

from __future__ import annotations

import functools
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from scripts.books.ewn_retrograde import Solver
from scripts.common import script

from siqi.daemon.cluster.jobs import Jobs, in_graph
from siqi.games.books.book import BookFileError, write_book
from siqi.games.ewn.knowledge.knowledge import TABLEBASE_FOLDER
from siqi.games.ewn.knowledge.numbering import MAX_PIECES, SIGNATURES, MaterialSignature
from siqi.games.ewn.knowledge.tablebase import KIND, SUFFIX, VERSION, SignatureTable, Tablebase
from siqi.games.ewn.rules.lookup import ONE


def is_built(folder: Path, signature: MaterialSignature) -> bool:
    try:
        SignatureTable(folder / f"{signature}{SUFFIX}", signature)
    except BookFileError:
        return False
    return True


def build(folder: Path, threads: int, signature: MaterialSignature) -> str:
    """Build one table, whose smaller endings must exist; return a line about it."""

    def refuse(line: str) -> None:
        raise BookFileError(line)

    started = time.perf_counter()
    smaller = Tablebase([folder, TABLEBASE_FOLDER], refuse)
    solver = Solver(signature, smaller.address, threads)
    with script.progress(total=1, desc=str(signature), bar_format="{l_bar}{bar}| {elapsed}") as bar:

        def report(done: float) -> None:
            bar.update(done - bar.n)

        solver.run(report)
    solved = time.perf_counter()
    wrong = solver.check()
    if wrong:
        raise AssertionError(f"{signature}: {wrong} values do not follow from their successors'")
    values = np.rint(solver.values * ONE).astype("<u2")
    about = {
        "ending": str(signature),
        "entries": len(values) // signature.movers,
        "source": "solved backwards",
        "error": f"at most {sum(signature) - 1} / {2 * ONE}",
        "mean": round(float(solver.values.mean(dtype=np.float64)), 6),
    }
    path = folder / f"{signature}{SUFFIX}"
    write_book(path, KIND, VERSION, about, values.tobytes())
    times = f"{solved - started:.1f} s + {time.perf_counter() - solved:.1f} s to check"
    return f"{signature}: {len(values):,} values, mean {about['mean']:.4f}, {path.stat().st_size:,} bytes; {times}"


def after_captures(signature: MaterialSignature) -> set[MaterialSignature]:
    """Return the endings with one piece fewer."""
    strong, weak = signature
    return {other for other in SIGNATURES if set(other) in ({strong - 1, weak}, {strong, weak - 1})}


def build_all(folder: Path, signatures: list[MaterialSignature], jobs: Jobs) -> Iterator[str]:
    """Build tables; yield a line for each. On this machine they are built one after the other, each in several threads;
    on a cluster all endings with the same number of pieces at a time, one per worker."""
    if isinstance(jobs, int):
        return (build(folder, jobs, signature) for signature in signatures)
    return in_graph(functools.partial(build, folder.resolve(), 1), signatures, after_captures, jobs)


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("--pieces", type=int, default=4, choices=range(2, MAX_PIECES + 1), help="at most")
    script.add_output(parser, "the tablebases (a folder)")
    script.add_jobs(parser, what="threads")
    options = parser.parse_args()
    out = script.output_folder(options, TABLEBASE_FOLDER)
    wanted = [signature for signature in SIGNATURES if sum(signature) <= options.pieces]
    missing = [signature for signature in wanted if not any(is_built(at, signature) for at in {out, TABLEBASE_FOLDER})]
    out.mkdir(parents=True, exist_ok=True)
    for signature in missing:
        script.check_output(out / f"{signature}{SUFFIX}", script.is_book(KIND))
    for line in build_all(out, missing, script.jobs(options)):
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
