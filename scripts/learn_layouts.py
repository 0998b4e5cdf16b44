"""Learn where Junqi's pieces are deployed, into games/junqi/deployments.py.

    python scripts/learn_layouts.py LAYOUTS --more FOUR_PLAYER_LAYOUTS

LAYOUTS: set-up words of two-player games, a line each. FOUR_PLAYER_LAYOUTS: JSON lines, `layout` being 30 letters with
`.` for camps; of these the shares count as so many layouts (`--strength`). All are seen with the flag in L1: those with
the flag in L3 are mirrored. Prints how likely each layout is to weights learned from the others, in nats (the mean over
LAYOUTS, of the exact distribution), beside what deployments at random have.
"""

from __future__ import annotations

import argparse
import io
import json
import math
import statistics
import sys
from pathlib import Path
from typing import Any

import numpy as np
import zstandard
from tqdm import tqdm

from games.junqi import deployments
from games.junqi.belief import FLAG_SLOT, MIRRORED, slot_types
from games.junqi.notation import check_setup, square_text
from games.junqi.setup import SETUP_COUNT
from games.junqi.tables import COUNTS, FLAG, PIECES, SLOTS, TYPES

Table = np.ndarray[Any, np.dtype[np.float64]]

LEGAL = np.array([[slot_types(slot) >> kind & 1 for kind in range(12)] for slot in range(PIECES)], bool)
LEGAL[:, FLAG] = False
LEGAL[FLAG_SLOT] = np.arange(12) == FLAG

HEADER = '''"""Where pieces are deployed (scripts/learn_layouts.py): weights by slot and type, of {layouts} layouts.

Columns are the types a (commander) to l (flag); rows the slots of a set-up word, G0 to L4 in the own frame, the flag
being in L1. With the flag in L3 it is the mirror image.
"""

'''


def kinds_of(word: str) -> list[int]:
    """Types by slot of a legal set-up, mirrored if its flag is in L3."""
    check_setup(word)
    kinds = [TYPES.index(letter) for letter in word]
    return kinds if kinds[FLAG_SLOT] == FLAG else [kinds[slot] for slot in MIRRORED]


def read_more(path: Path) -> list[list[int]]:
    with path.open("rb") as file:
        lines = io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(file), encoding="utf-8")
        words = {json.loads(line)["layout"].replace(".", "") for line in lines}
    found = []
    for word in sorted(words):
        try:
            found.append(kinds_of(word))
        except ValueError as error:
            print(f"left out: {error}", file=sys.stderr)
    return found


def count(layouts: list[list[int]]) -> Table:
    table = np.zeros((PIECES, 12))
    for kinds in layouts:
        table[range(PIECES), kinds] += 1
    return table


def log_sum(table: Table) -> float:
    """The logarithm of the sum of the weights of all deployments, a piece at a time over how many of each are left."""
    shape = tuple(number + 1 for number in COUNTS)
    sums = np.zeros(shape)
    sums[(0,) * 12] = 1
    logarithm = 0.0
    for row in table:
        more = np.zeros(shape)
        for kind in np.flatnonzero(row):
            taken, given = [slice(None)] * 12, [slice(None)] * 12
            taken[kind], given[kind] = slice(0, -1), slice(1, None)
            more[tuple(given)] += row[kind] * sums[tuple(taken)]
        sums = more / more.max()
        logarithm += math.log(more.max())
    return logarithm + math.log(sums[COUNTS])


def log_likelihood(table: Table, kinds: list[int]) -> float:
    """Of a layout whose flag may as well be on the other side."""
    table = table * LEGAL
    return float(np.log(table[range(PIECES), kinds]).sum()) - log_sum(table) - math.log(2)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("layouts", type=Path)
    parser.add_argument("--more", type=Path)
    parser.add_argument("--strength", type=float, default=20)
    parser.add_argument("--smoothing", type=float, default=0.1, help="added to each legal weight")
    parser.add_argument("--out", type=Path, default=Path(deployments.__file__))
    options = parser.parse_args()
    words = [line for line in options.layouts.read_text().split() if not line.startswith("#")]
    layouts = [kinds_of(word) for word in words]
    more = [kinds for kinds in read_more(options.more) if kinds not in layouts] if options.more else []
    prior = options.smoothing * LEGAL + (options.strength * count(more) / len(more) if more else 0)
    table = count(layouts) + prior
    alone = [log_likelihood(table - count([kinds]), kinds) for kinds in tqdm(layouts, disable=not sys.stderr.isatty())]
    print(f"at random {-math.log(SETUP_COUNT):.2f}, learned from the others {statistics.fmean(alone):.2f}")
    rows = "\n".join(
        "    (" + ", ".join(f"{weight:5.2f}" for weight in row) + f"),  # {square_text(square)}"
        for row, square in zip(table, SLOTS, strict=True)
    )
    text = HEADER.format(layouts=len(layouts) + len(more)) + f"WEIGHTS = (\n{rows}\n)  # fmt: skip\n"
    options.out.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
