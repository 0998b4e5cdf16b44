"""Take positions of a player's lost games of Xiangqi, labelled by long searches: what it did not see in time.

    python scripts/network/sample_lost_games.py lost.samples match.jsonl --player siqi

Of each game lost it takes the positions of the player's last `--moves` moves, with the score of a search of `--nodes`
by the shipped network. In check, with a capture as best move, or with a score beyond `--level` centipawns (the game is
decided) it takes none. `scripts/network/measure_xiangqi_network.py` measures networks on such a file.

Data: logs of `siqi match xiangqi`, as scripts/results/xiangqi-pikafish-hce.jsonl.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from scripts.common import script
from scripts.common.records import has_lost, match_games
from scripts.common.runs import digest
from scripts.network.samples import SAMPLE_DTYPE, SampleFile, Samples
from scripts.network.sampling import Search, sample_of

from siqi.daemon.match.match_log import MatchRecord
from siqi.daemon.match.records import record_of
from siqi.games.game_record import replay
from siqi.games.xiangqi import INFO
from siqi.games.xiangqi.board import XiangqiPosition
from siqi.games.xiangqi.evaluation.accumulator import NetworkEvaluation
from siqi.games.xiangqi.evaluation.network import NETWORK_BOOK, read_network
from siqi.games.xiangqi.rules.position import target_of


def lost_positions(record: MatchRecord, player: str, moves: int) -> Iterator[XiangqiPosition]:
    """Yield copies of the positions before a player's last moves of a game that it lost; none of another game."""
    if player not in record.players or not has_lost(record, player):
        return
    xiangqi: Any = script.load_once("xiangqi")
    played = record_of(INFO, record, None)
    assert played is not None  # there are no set-ups
    side = record.players.index(player)
    positions: list[XiangqiPosition] = [position.copy() for position in replay(xiangqi, played)]
    yield from [position for position in positions[:-1] if position.turn == side][-moves:]


def labelled(search: Search, position: XiangqiPosition, nodes: int, level: int) -> Samples:
    """Return a position with the score of a search as an array of one sample, or an empty one if it is not taken."""
    if position.is_check() or position.outcome() is not None:
        return np.empty(0, SAMPLE_DTYPE)
    search.clear()
    score = search.score(position.record, nodes)
    if abs(score) > level or position.record.board[target_of(search.best_move)] != 0:
        return np.empty(0, SAMPLE_DTYPE)
    sample = sample_of(position.record, score)
    sample["result"] = 1 if position.turn else -1  # the mover lost
    return sample


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("out", type=Path, metavar="FILE", help="of the positions; must not exist")
    parser.add_argument("logs", type=Path, nargs="+", metavar="LOG", help="matches of the player")
    parser.add_argument("--player", required=True, metavar="NAME")
    parser.add_argument("--moves", type=int, default=24, help="of the player, from each game's end; %(default)s")
    parser.add_argument("--nodes", type=int, default=300_000, help="of a search; %(default)s")
    parser.add_argument("--level", type=int, default=400, help="largest score, in centipawns; %(default)s")
    options = parser.parse_args()
    if min(options.moves, options.nodes, options.level) < 1:
        parser.error("--moves, --nodes and --level must be at least 1")
    if script.is_shipped(options.out) or options.out.exists():
        parser.error(f"{options.out} is there already, or belongs to what is shipped")
    records = [record for log in options.logs for record in match_games(log, options.player)]
    network = NETWORK_BOOK.read_bytes()
    settings = {
        "player": options.player, "moves": options.moves, "nodes": options.nodes, "level": options.level,
        "network": digest(network),
    }  # fmt: skip
    search = Search(NetworkEvaluation(read_network(NETWORK_BOOK)))
    games = []
    for record in script.progress(records, unit=" games"):
        found = [
            labelled(search, position, options.nodes, options.level)
            for position in lost_positions(record, options.player, options.moves)
        ]
        if found:
            games.append(np.concatenate(found))
    with SampleFile(options.out, settings) as file:  # only now: a run that is killed leaves no part of it
        for samples in games:
            file.append(samples, 1)
        print(f"{file.count:,} positions of {file.games} games lost")
    return 0


if __name__ == "__main__":
    sys.exit(main())
