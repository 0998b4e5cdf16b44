"""Build Xiangqi's tablebases: the distance to mate of every position, by retrograde analysis.

    python scripts/books/build_xiangqi_tablebases.py --jobs 2 --replace-shipped  all shipped ones
    python scripts/books/build_xiangqi_tablebases.py RN-AABB R-NAABB --out DIR   these, and those that captures lead to

An ending whose file exists and is sound is skipped, so that the same command resumes an interrupted build.
Each table is checked before it is written: every value must follow from those of its successors.
"""

from __future__ import annotations

import functools
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import zstandard
from tqdm import tqdm

from scripts.books.xiangqi_retrograde import ILLEGAL, RetrogradeAnalysis, Values, build_order
from scripts.common import script

from siqi.daemon.cluster.jobs import Jobs, in_graph
from siqi.games.books.book import BookFileError, write_book
from siqi.games.xiangqi.knowledge.knowledge import TABLEBASE_FOLDER
from siqi.games.xiangqi.knowledge.numbering import MaterialSignature
from siqi.games.xiangqi.knowledge.probe import BLOCK
from siqi.games.xiangqi.knowledge.tablebase import KIND, SUFFIX, VERSION, SignatureTable

SHIPPED = (
    "R-AABB", "N-AABB", "C-AABB", "P-AABB", "CAA-AABB", "CAABB-AA", "NP-AABB", "CP-AABB", "PP-AABB", "N-PAABB",
    "R-PAA", "R-PAB", "R-PBB", "R-CAA", "R-CAB", "R-CBB", "R-NAA", "R-NBB",
    "RN-AA", "RN-AB", "RN-BB", "RP-AA", "RP-AB", "RP-BB", "RC-AA", "RC-AB", "RC-BB",
    "NN-AA", "NN-AB", "NN-BB", "NC-AA", "NC-AB", "NC-BB",
)  # fmt: skip
"""The endings whose result is in doubt, and small ones that are always won; built with all endings after captures."""

LEVEL = 19  # of zstd


def read_values(path: Path, signature: MaterialSignature) -> Values:
    """Return all values of a table, meaningless at illegal positions; BookFileError if it is not sound."""
    table = SignatureTable(path, signature)
    for block in range(table.blocks):
        table.unpack(block)
    return table.values.reshape(2, -1)


def pack(values: Values) -> bytes:
    """Return the payload of a table. Illegal positions take their neighbour's value, which packs best."""
    flat = values.ravel()
    compressor = zstandard.ZstdCompressor(level=LEVEL)
    frames = []
    for first in range(0, len(flat), BLOCK):
        block = flat[first : first + BLOCK]
        is_legal = block != ILLEGAL
        nearest = np.where(is_legal, np.arange(len(block)), 0)
        np.maximum.accumulate(nearest, out=nearest)
        block = block[nearest]
        frames.append(compressor.compress(np.where(block == ILLEGAL, 0, block).tobytes()))
    offsets = np.cumsum([8 * (len(frames) + 1), *map(len, frames)]).astype("<i8")
    return b"".join([offsets.tobytes(), *frames])


def describe(signature: MaterialSignature, values: Values) -> dict[str, Any]:
    """Return a table's header: positions by result and side to move, and the longest distance in plies."""
    about: dict[str, Any] = {"ending": str(signature), "entries": values.shape[1], "source": "retrograde analysis"}
    longest = 0
    for side, name in enumerate(("strong", "weak")):
        counts = np.bincount(values[side], minlength=256)[:ILLEGAL]
        about[f"{name}_to_move"] = {
            "wins": int(counts[2::2].sum()),
            "draws": int(counts[0]),
            "losses": int(counts[1::2].sum()),
        }
        longest = max(longest, int(np.flatnonzero(counts).max(initial=0)) - 1)
    return about | {"longest": longest}


def build(
    folder: Path, signature: MaterialSignature, report: Callable[[str, float], None] = lambda what, done: None
) -> str:
    """Build one table, whose smaller endings must exist; return a line about it."""
    started = time.perf_counter()
    smaller = {other: read_values(path_of(folder, other), other) for other in signature.after_captures()}
    analysis = RetrogradeAnalysis(signature, smaller)
    analysis.run(report)
    analysed = time.perf_counter()
    wrong = analysis.check(report)
    if wrong >= 0:
        raise AssertionError(f"{signature}: the value of position {wrong} does not follow from its successors'")
    about = describe(signature, analysis.values)
    path = path_of(folder, signature)
    write_book(path, KIND, VERSION, about, pack(analysis.values))
    size = path.stat().st_size
    return (
        f"{signature!s:12} {analysis.size:>11,} positions a side, {_share(about['strong_to_move'])} won, to move"
        f" {_share(about['weak_to_move'])}; longest {about['longest']:>3} plies; {size:>10,} bytes;"
        f" {analysed - started:.0f} + {time.perf_counter() - analysed:.0f} s"
    )


def _share(counts: dict[str, int]) -> str:
    return f"{counts['wins'] / sum(counts.values()):6.1%}"


def path_of(folder: Path, signature: MaterialSignature) -> Path:
    return folder / f"{signature}{SUFFIX}"


def is_built(folder: Path, signature: MaterialSignature) -> bool:
    try:
        SignatureTable(path_of(folder, signature), signature)
    except BookFileError:
        return False
    return True


def build_all(folder: Path, signatures: list[MaterialSignature], jobs: Jobs) -> Iterator[str]:
    """Build the missing tables, each as soon as its smaller endings exist; yield a line for each."""
    missing = [signature for signature in signatures if not is_built(folder, signature)]
    return in_graph(functools.partial(build, folder.resolve()), missing, MaterialSignature.after_captures, jobs)


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("endings", nargs="*", default=SHIPPED, help="such as RN-AABB; without any, those shipped")
    script.add_output(parser, "the tablebases (a folder)")
    script.add_jobs(parser, what="endings built at a time (some take 1 GB each)")
    options = parser.parse_args()
    try:
        wanted = [MaterialSignature.parse(name) for name in options.endings]
    except ValueError as error:
        parser.error(str(error))
    signatures = list(build_order(wanted))
    out = script.output_folder(options, TABLEBASE_FOLDER)
    out.mkdir(parents=True, exist_ok=True)
    for signature in signatures:
        if not is_built(out, signature):
            script.check_output(path_of(out, signature), script.is_book(KIND))
    progress = script.progress(total=len(signatures), unit=" endings")
    for line in build_all(out, signatures, script.jobs(options)):
        progress.update()
        tqdm.write(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
