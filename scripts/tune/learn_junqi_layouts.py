"""Learn the usual slots of Junqi's pieces at the deployment, and the best ones.

    python scripts/tune/learn_junqi_layouts.py weights LAYOUTS --more FOUR_PLAYER_LAYOUTS --out deployments.py
    python scripts/tune/learn_junqi_layouts.py advantages own.jsonl --out advantages.py

All layouts are seen with the flag in L1: those with the flag in L3 are mirrored. Both write a source file to `--out`,
or with `--replace-shipped` the file of siqi/games/junqi.

`weights`: deployments.py. LAYOUTS: deployment words of two-player games, a line each.
FOUR_PLAYER_LAYOUTS: JSON lines, `layout` being 30 letters with `.` for camps; their shares count as `--strength`
layouts. Prints the mean log likelihood of each of LAYOUTS by weights learned from the others, in nats of the exact
distribution, and that of random deployments.

`advantages`: advantages.py. own.jsonl: a log of `compare_players.py junqi`, of equal players. The value of a type
in a slot is fitted to the results by logistic regression, a ridge holding it near 0. Prints the loss of every tenth
pair of games, held out.

Data: for `advantages` a log that `python scripts/papers/compare_players.py junqi own.jsonl --pairing siqi siqi`
makes, for `weights` deployment words, as in tests/support/fixtures/junqi_setups.txt (its first column).
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
from pathlib import Path

import numpy as np

from scripts.common import script
from scripts.common.logistic import Array, fit, loss
from scripts.common.records import open_text
from scripts.match.paired_games import read_games

from siqi.games.junqi.data import advantages, deployments
from siqi.games.junqi.knowledge.belief import FLAG_SLOT, MIRRORED
from siqi.games.junqi.rules.lookup import COUNTS, FLAG, PIECES, SLOTS, TYPES
from siqi.games.junqi.rules.notation import check_deployment, square_text
from siqi.games.junqi.rules.setup import DEPLOYMENT_COUNT, slot_types
from siqi.system.files import replace_file

LEGAL = np.array([[slot_types(slot) >> kind & 1 for kind in range(12)] for slot in range(PIECES)], bool)
LEGAL[:, FLAG] = False
LEGAL[FLAG_SLOT] = np.arange(12) == FLAG

HELD_OUT = 10

WEIGHTS_TITLE = '"""Weights of deployments ('
WEIGHTS_HEADER = '''scripts/tune/learn_junqi_layouts.py): by slot and type, learned from {layouts} layouts.

Columns are the types a (commander) to l (flag), rows the slots of a deployment word, G0 to L4 in the own frame, with
the flag in L1. A deployment with its flag in L3 is mirrored.
"""

'''

ADVANTAGES_TITLE = '"""The worth of deployments, fitted to '
ADVANTAGES_HEADER = '''{games} games (scripts/tune/learn_junqi_layouts.py advantages).

The worth of a type in a slot, in hundredths of the natural logarithm of the odds. Rows and columns are those of
siqi/games/junqi/data/deployments.py.
"""

'''


def types_by_slot(word: str) -> list[int]:
    """Return the types by slot of a legal deployment, mirrored if its flag is in L3; ValueError for an illegal one."""
    check_deployment(word)
    kinds = [TYPES.index(letter) for letter in word]
    return kinds if kinds[FLAG_SLOT] == FLAG else [kinds[slot] for slot in MIRRORED]


def read_more(path: Path) -> list[list[int]]:
    with open_text(path) as lines:
        words = {json.loads(line)["layout"].replace(".", "") for line in lines}
    layouts = []
    for word in sorted(words):
        try:
            layouts.append(types_by_slot(word))
        except ValueError as error:
            print(f"left out: {error}", file=sys.stderr)
    return layouts


def count(layouts: list[list[int]]) -> Array:
    table = np.zeros((PIECES, 12))
    for kinds in layouts:
        table[range(PIECES), kinds] += 1
    return table


def log_sum(table: Array) -> float:
    """Return the logarithm of the summed weights of all deployments, by recursion over the slots and types left."""
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


def log_likelihood(table: Array, kinds: list[int]) -> float:
    """Return the log likelihood of a layout, of which the mirror image counts too."""
    table = table * LEGAL
    return float(np.log(table[range(PIECES), kinds]).sum()) - log_sum(table) - math.log(2)


def learn_weights(options: argparse.Namespace) -> None:
    owns = script.begins_with(WEIGHTS_TITLE)
    out = script.output_file(options, Path(deployments.__file__), owns)
    words = [line for line in options.layouts.read_text().split() if not line.startswith("#")]
    layouts = [types_by_slot(word) for word in words]
    more = [kinds for kinds in read_more(options.more) if kinds not in layouts] if options.more else []
    prior = options.smoothing * LEGAL + (options.strength * count(more) / len(more) if more else 0)
    table = count(layouts) + prior
    alone = [log_likelihood(table - count([kinds]), kinds) for kinds in script.progress(layouts)]
    print(f"at random {-math.log(DEPLOYMENT_COUNT):.2f}, learned from the others {statistics.fmean(alone):.2f}")
    header = WEIGHTS_TITLE + WEIGHTS_HEADER.format(layouts=len(layouts) + len(more))
    replace_file(out, [source(header, "WEIGHTS", table)], owns)


def differences(path: Path) -> tuple[Array, Array]:
    """Return ([game, slot and type]: the first side's layout minus the second's, results of the first side)."""
    rows, results = [], []
    for record in read_games(path):
        first, second = (count([types_by_slot(word)]) for word in record["words"].split()[:2])
        rows.append((first - second).ravel())
        results.append(0.5 if record["winner"] is None else float(record["winner"] == record["first"]))
    return np.array(rows), np.array(results)


def learn_advantages(options: argparse.Namespace) -> None:
    owns = script.begins_with(ADVANTAGES_TITLE)
    out = script.output_file(options, Path(advantages.__file__), owns)
    rows, results = differences(options.games)
    held = np.arange(len(rows)) // 2 % HELD_OUT == 0
    start = np.zeros(rows.shape[1])
    values = fit(rows[~held], results[~held], start, options.ridge)
    print(
        f"{len(rows):,} games; held out: {loss(rows[held], results[held], start):.4f} before, "
        f"{loss(rows[held], results[held], values):.4f} after"
    )
    header = ADVANTAGES_TITLE + ADVANTAGES_HEADER.format(games=len(rows))
    replace_file(out, [source(header, "ADVANTAGES", values.reshape(PIECES, 12))], owns)


def source(header: str, name: str, table: Array) -> bytes:
    """Return the text of a source file that holds a table."""
    rows = "\n".join(
        "    (" + ", ".join(f"{number:5.2f}" for number in row) + f"),  # {square_text(square)}"
        for row, square in zip(table, SLOTS, strict=True)
    )
    return f"{header}{name} = (\n{rows}\n)  # fmt: skip\n".encode()


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    weights = commands.add_parser("weights")
    weights.add_argument("layouts", type=Path)
    weights.add_argument("--more", type=Path)
    weights.add_argument("--strength", type=float, default=20)
    weights.add_argument("--smoothing", type=float, default=0.1, help="amount added to each legal weight")
    script.add_output(weights, "deployments.py")
    weights.set_defaults(learn=learn_weights)
    worth = commands.add_parser("advantages")
    worth.add_argument("games", type=Path)
    worth.add_argument("--ridge", type=float, default=0.03)
    script.add_output(worth, "advantages.py")
    worth.set_defaults(learn=learn_advantages)
    options = parser.parse_args()
    options.learn(options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
