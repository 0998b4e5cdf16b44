"""Measure how well Junqi's models of beliefs know a player's pieces, in the games of a match.

    python scripts/measure/measure_junqi_beliefs.py junqi-fade-2.jsonl --of Fade --every 6

The other side's view is taken every `--every` plies. Per model it prints the loss, the mean -ln of the chance that it
gave to the true type of each uncertain piece, in nats: deployments alone, habits, the network alone, and the network
with habits by what the player's pieces have shown (the engine's default). Then the mean trust in the network.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from scripts.common import script
from scripts.common.records import match_games
from scripts.common.table import Table
from scripts.match.junqi_views import LEAST_CHANCE, positions_of

from siqi.games.junqi.board import JunqiPosition
from siqi.games.junqi.knowledge.belief import deployment_weights
from siqi.games.junqi.knowledge.belief_models import HABITS, NetworkModel
from siqi.games.junqi.knowledge.belief_network import NETWORK_BOOK, read_network
from siqi.games.junqi.knowledge.worlds import Belief, marginals
from siqi.games.junqi.rules.lookup import TYPES

MODELS = ("deployments", "habits", "network", "network with habits")


def beliefs(view: JunqiPosition, side: int, network: NetworkModel) -> list[Belief]:
    """Return the beliefs of MODELS about a side's pieces."""
    by_habits = view.believed(side, HABITS)
    may, counts = by_habits.may, view.counts()
    by_deployment = Belief(may, {flag: deployment_weights(flag) for flag in by_habits.weights})
    alone = network.belief(may, counts, side, is_deployed=True)
    return [by_deployment, by_habits, alone, view.believed(side, network)]


def losses(belief: Belief, kinds: Sequence[int]) -> list[float]:
    """Return the loss of each piece whose type is not certain; `kinds`: the true types."""
    chances = marginals(belief)
    unsure = (piece for piece, may in enumerate(belief.may) if may & may - 1)
    return [-float(np.log(max(chances[piece, kinds[piece]], LEAST_CHANCE))) for piece in unsure]


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("match", type=Path, help="a log of `siqi match junqi`")
    parser.add_argument("--of", required=True, metavar="PLAYER", help="whose pieces are to be known")
    parser.add_argument("--every", type=int, default=6, metavar="N", help="plies between views; %(default)s")
    options = parser.parse_args()
    if options.every < 1:
        parser.error("--every must be at least 1")
    records = match_games(options.match, options.of)
    network = NetworkModel(read_network(NETWORK_BOOK))
    found: list[list[float]] = [[] for _ in MODELS]
    trusts = []
    for record in script.progress(records, unit=" games"):
        side = record.players.index(options.of)
        kinds = [TYPES.index(letter) for letter in record.moves[side]]
        for view in positions_of(record.moves, 1 - side, options.every):
            trusts.append(network.trust(side, view.showings()))
            for each, belief in zip(found, beliefs(view, side, network), strict=True):
                each.extend(losses(belief, kinds))
    if not trusts:
        raise OSError(None, "no game is long enough", str(options.match))
    rows = [(name, f"{statistics.fmean(each):.4f}") for name, each in zip(MODELS, found, strict=True)]
    print(Table("", ("model", "loss"), rows).markdown())
    print(f"{len(records)} games, {len(trusts):,} views; mean trust {statistics.fmean(trusts):.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
