"""Play Junqi's lost games on in other worlds: how many of the losses were luck.

    python scripts/match/swap_worlds.py match.jsonl swaps.jsonl --player siqi --back 20 40 --worlds 20 --jobs 2

Each game of a log of `siqi match` that the player lost by the rules is taken back by `--back` plies. From there the
engine plays both sides to the end: `--worlds` times in the game's world, and once in each of as many worlds that the
player's beliefs allow there. A world differs in the types of the enemy's pieces alone: it allows all the moves so far,
with their results.

A loss whose position the player wins as often as not in the other worlds, but not in the game's, was decided by which
world it was. `losses by luck` are those with at least half of the points in other worlds, and fewer in the game's. Each
game played is a line of the log; the same command resumes an interrupted run.
"""

from __future__ import annotations

import functools
import itertools
import json
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from scripts.common import script
from scripts.common.records import has_lost, match_games
from scripts.common.runs import add_finished, digest
from scripts.common.table import Table
from scripts.match.agents import AgentPlayer, EngineAgent

from siqi.daemon.clients.player import PlayerLimits
from siqi.daemon.match.game_loop import Adjudication, Clock, Opening, Referee, play_moves
from siqi.daemon.match.match_log import MatchRecord
from siqi.games.game_record import GameRecord, position_after
from siqi.games.junqi.game import Junqi
from siqi.games.junqi.knowledge.belief_models import default_model
from siqi.games.junqi.knowledge.worlds import draw_worlds
from siqi.games.junqi.rules.lookup import TYPES
from siqi.system.log import RunLog, read_log

KIND = "swap_worlds"
MAX_GAME_PLIES = 1000


class Replay(NamedTuple):
    """A lost game, to be played on from `back` plies before its end."""

    game: int
    loser: int  # the side
    words: tuple[str, ...]  # the set-ups and the moves that stay
    back: int
    number: int  # of the replay
    is_swapped: bool  # in another world


def lost_games(path: Path, player: str, reasons: Sequence[str]) -> Iterator[tuple[MatchRecord, int]]:
    """Yield the games that a player lost by the rules, for one of the reasons if any are named, and its side."""
    for record in match_games(path, player):
        is_counted = record.cause == "rules" and (not reasons or record.reason in reasons)
        if is_counted and has_lost(record, player):
            yield record, record.players.index(player)


def swapped(words: Sequence[str], viewer: int, seed: int) -> list[str]:
    """Return a game's words, with results, and the other side's pieces as in a world that a side's beliefs allow."""
    game: Any = script.load_once("junqi")
    referee = position_after(game, GameRecord(tuple(words)))
    view = position_after(game, GameRecord(tuple(referee.view_moves(viewer))))
    kinds = draw_worlds(view.believed(1 - viewer, default_model()), 1, seed).kinds[0]
    setups = list(words[:2])
    setups[1 - viewer] = "".join(TYPES[kind] for kind in kinds)
    return [*setups, *map(referee.move_text, referee.moves())]


@functools.cache
def _agent(side: int) -> EngineAgent:
    """Return this process's player of a side."""
    return EngineAgent(Junqi(print), {})


def play_on(nodes: int, replay: Replay) -> bytes:
    """Play a game on; return its line of the log. ValueError if its world does not allow the results so far."""
    game, seed = script.load_once("junqi"), 1000 * replay.game + replay.number
    words = swapped(replay.words, replay.loser, seed) if replay.is_swapped else list(replay.words)
    referee = Referee(game, Opening(moves=words))
    limit = PlayerLimits(nodes=nodes)
    players = [AgentPlayer(_agent(side), game, limit) for side in range(2)]
    seeds = [str(2 * seed + side + 1) for side in range(2)]
    ending = play_moves(referee, players, [Clock(), Clock()], seeds, Adjudication(MAX_GAME_PLIES))
    points = 0.5 if ending.winner is None else float(ending.winner == replay.loser)
    return json.dumps(
        {
            "game": replay.game,
            "back": replay.back,
            "number": replay.number,
            "swapped": replay.is_swapped,
            "points": points,
            "end": ending.reason,
        }
    ).encode()


def table(rows: Sequence[dict[str, Any]]) -> Table:
    """Return the points of the losers in the games' worlds and in others, by plies taken back."""
    points: dict[int, dict[int, dict[bool, list[float]]]] = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for row in rows:
        points[row["back"]][row["game"]][row["swapped"]].append(row["points"])
    lines = []
    for back, games in sorted(points.items()):
        whole = [
            (statistics.fmean(each[False]), statistics.fmean(each[True])) for each in games.values() if len(each) == 2
        ]
        luck = sum(there < 0.5 <= elsewhere for there, elsewhere in whole)
        means = [f"{100 * statistics.fmean(each):.1f} %" for each in zip(*whole, strict=True)]
        lines.append((str(back), str(len(whole)), *means, f"{luck} of {len(whole)}"))
    return Table("", ("plies back", "losses", "points in the game's world", "in other worlds", "losses by luck"), lines)


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("match", type=Path, help="a log of `siqi match junqi`")
    parser.add_argument("log", type=Path, help="JSON lines; continued if it exists")
    parser.add_argument("--player", required=True, help="whose losses are played on")
    parser.add_argument("--reason", action="append", default=[], help="only losses by this: flag, immobile, quiet")
    parser.add_argument("--back", type=int, nargs="+", default=[20, 40], metavar="PLIES")
    parser.add_argument("--worlds", type=int, default=20)
    parser.add_argument("--nodes", type=int, default=4000, help="per move")
    script.add_jobs(parser)
    options = parser.parse_args()
    games = list(lost_games(options.match, options.player, options.reason))
    replays = {
        (record.game, back, number, is_swapped): Replay(
            record.game, side, tuple(record.moves[: len(record.moves) - back]), back, number, is_swapped
        )
        for record, side in games
        for back in options.back
        if len(record.moves) - back > 2
        for number, is_swapped in itertools.product(range(options.worlds), (False, True))
    }
    rows: dict[tuple[Any, ...], dict[str, Any]] = {}

    def take(line: bytes) -> None:
        row = json.loads(line)
        if KIND not in row:
            rows[row["game"], row["back"], row["number"], row["swapped"]] = row

    settings = {"match": digest(options.match.read_bytes()), "player": options.player, "nodes": options.nodes}
    log = RunLog(options.log, KIND, settings, take)
    missing = [replay for key, replay in replays.items() if key not in rows]
    work = functools.partial(play_on, options.nodes)
    add_finished(log, work, missing, script.jobs(options), script.progress(total=len(missing)))
    read_log(options.log, take)
    print(table([row for key, row in rows.items() if key in replays]).markdown())
    return 0


if __name__ == "__main__":
    sys.exit(main())
