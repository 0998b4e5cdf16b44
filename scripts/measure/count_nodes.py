"""Count the nodes that two engines, or one with two settings, search to a fixed depth.

    python scripts/measure/count_nodes.py positions.txt --depth 11 --b-option UseRules=false
    python scripts/measure/count_nodes.py positions.txt --b "sh -c 'cd OLDER && exec python -m siqi'"

A line of the file is a FEN, moves from the start, or a FEN and `moves ...`. Prints both sums and the geometric mean of
B's nodes over A's, with its standard error: above 1, A needs fewer.

Data: any positions; the games of a match's log begin with its openings.
"""

from __future__ import annotations

import contextlib
import math
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path

from scripts.common import script

from siqi.daemon.clients.player import EngineSpec
from siqi.daemon.clients.uci import UciEngine
from siqi.daemon.match.game_loop import Opening, parse_opening
from siqi.games import registry

ENGINE = f"{sys.executable} -m siqi"


def counts(command: str, game: str, options: list[str], positions: list[Opening], depth: int) -> Iterator[int]:
    """Yield the nodes to the depth from each position, searched in a new game with an empty transposition table."""
    settings = dict(option.split("=", 1) for option in ("Seed=1", *options))
    engine = UciEngine(EngineSpec(command, command, settings), registry.info(game), math.inf)
    with contextlib.closing(engine):
        for position in positions:
            engine.new_game("")
            start = f"fen {position.fen}" if position.fen else "startpos"
            yield engine.ask(start, position.moves, (), f"go depth {depth}", math.inf).nodes


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("positions", type=Path)
    parser.add_argument("--game", default="xiangqi")
    parser.add_argument("--depth", type=int, default=11)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="take every Nth position")
    for side in "ab":
        parser.add_argument(f"--{side}", default=ENGINE, metavar="COMMAND")
        parser.add_argument(f"--{side}-option", action="append", default=[], metavar="NAME=VALUE")
    options = parser.parse_args()
    texts = [text for text in options.positions.read_text("utf-8").splitlines() if text and not text.startswith("#")]
    positions = [parse_opening(text) for text in texts[:: options.every]]
    runs = [
        script.progress(
            counts(command, options.game, settings, positions, options.depth),
            total=len(positions),
        )
        for command, settings in ((options.a, options.a_option), (options.b, options.b_option))
    ]
    a, b = map(list, runs)
    logs = [math.log(after / before) for before, after in zip(a, b, strict=True)]
    error = statistics.stdev(logs) / math.sqrt(len(logs)) if len(logs) > 1 else 0.0
    ratio = math.exp(statistics.fmean(logs))
    print(f"{len(a)} positions to depth {options.depth}: A {sum(a):,} nodes, B {sum(b):,}")
    print(f"B over A, geometric mean {ratio:.3f} +- {ratio * error:.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
