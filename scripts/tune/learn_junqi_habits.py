"""Learn the habits of Junqi's types of pieces from games.

    python scripts/tune/learn_junqi_habits.py own.jsonl --test GAMES --out habits.py

own.jsonl: a log of `compare_players.py junqi`. GAMES: a referee's log, other engines' games; the fit
does not see it. Each side's view is taken every `--every` plies. Gradient ascent finds the habits that make the true
types likeliest given the view: the gradient is the behaviour of pieces of a type
(siqi/games/junqi/knowledge/behaviour.py) minus that of
the pieces expected to be of the type. Prints the mean -ln of the chance given to the true types of
uncertain pieces, without and with habits, for every tenth game and for GAMES. Writes a source file to `--out`, or
siqi/games/junqi/data/habits.py with `--replace-shipped`.

Data: a log that `python scripts/papers/compare_players.py junqi own.jsonl --pairing siqi siqi` makes.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from scripts.common import script
from scripts.match.junqi_views import View, own_games, referee_games, views_of

from siqi.games.junqi.data import habits
from siqi.games.junqi.knowledge import behaviour
from siqi.games.junqi.knowledge.belief import deployment_weights
from siqi.games.junqi.knowledge.belief_models import flags_of
from siqi.games.junqi.knowledge.worlds import Belief, marginals
from siqi.games.junqi.rules.lookup import TYPES
from siqi.system.files import replace_file

HELD_OUT = 10
RATE, DECAY = 0.03, 0.9
"""Step of the first pass of the ascent, and the factor by which it shrinks per pass."""

BATCH = 64

TITLE = '"""The habits of pieces by type ('
OWNS = script.begins_with(TITLE)

HEADER = '''scripts/tune/learn_junqi_habits.py), learned from {games} own games.

Rows are the traits of siqi/games/junqi/knowledge/behaviour.py, columns the types a (commander) to l (flag). A cell
is the rise of the logarithm of a piece's weight if it has the trait in full.
"""

'''

Array = np.ndarray[Any, np.dtype[np.float64]]


class Sample(NamedTuple):
    """One side's pieces in the other's view."""

    view: View
    traits: Array  # [piece, trait], 0..1

    def with_habits(self, table: Array) -> Array:
        """Return the marginals [piece, type] by deployment, deduction and habits."""
        factors = np.exp(self.traits @ table)
        weights = {flag: factors * deployment_weights(flag) for flag in flags_of(self.view.may)}
        return np.asarray(marginals(Belief(self.view.may, weights)))


def read(games: Iterable[list[str]], every: int) -> list[list[Sample]]:
    return [
        [Sample(view, behaviour.scaled(view.counts)) for view in views_of(words, every)]
        for words in script.progress(games, unit=" games")
    ]


def surprise(samples: list[Sample], table: Array) -> float:
    """Return the mean -ln of the chance given to the true type, in nats, of pieces that are uncertain."""
    surprises = []
    for sample in samples:
        pieces = sample.view.unsure()
        surprises.append(-np.log(np.maximum(sample.with_habits(table)[pieces, sample.view.kinds[pieces]], 1e-6)))
    return float(np.concatenate(surprises).mean())


def fit(samples: list[Sample], passes: int, ridge: float) -> Array:
    """Return habits, float [trait, type]; rows have the mean 0, for only differences count."""
    table = np.zeros((len(behaviour.TRAITS), len(TYPES)))
    squares = np.full_like(table, 1e-8)
    rng = random.Random(1)
    for turn in range(passes):
        rng.shuffle(samples)
        for first in script.progress(range(0, len(samples), BATCH), desc=f"pass {turn + 1}"):
            gradient = -ridge * table
            for sample in samples[first : first + BATCH]:
                truth = np.eye(len(TYPES))[sample.view.kinds]
                gradient += sample.traits.T @ (truth - sample.with_habits(table)) / BATCH
            squares = 0.99 * squares + 0.01 * gradient**2
            table += RATE * DECAY**turn * gradient / np.sqrt(squares)
            table -= table.mean(1, keepdims=True)
    return table


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("games", type=Path)
    parser.add_argument("--test", type=Path)
    parser.add_argument("--every", type=int, default=12, help="plies between samples of a view")
    parser.add_argument("--passes", type=int, default=8)
    parser.add_argument("--ridge", type=float, default=0.01)
    script.add_output(parser, "habits.py")
    options = parser.parse_args()
    out = script.output_file(options, Path(habits.__file__), OWNS)
    games = read(own_games(options.games), options.every)
    held = [sample for game in games[::HELD_OUT] for sample in game]
    table = fit([s for i, game in enumerate(games) if i % HELD_OUT for s in game], options.passes, options.ridge)
    tests = {"held out": held}
    if options.test is not None:
        tests["test"] = [sample for game in read(referee_games(options.test), 1) for sample in game]
    for name, samples in tests.items():
        without = surprise(samples, np.zeros_like(table))
        print(f"{name}: {len(samples)} views, {without:.4f} without habits, {surprise(samples, table):.4f} with them")
    rows = "\n".join(
        "    (" + ", ".join(f"{value:5.2f}" for value in row) + f"),  # {name}"
        for name, row in zip(behaviour.TRAITS, table, strict=True)
    )
    text = TITLE + HEADER.format(games=len(games)) + f"HABITS = (\n{rows}\n)  # fmt: skip\n"
    replace_file(out, [text.encode()], OWNS)
    return 0


if __name__ == "__main__":
    sys.exit(main())
