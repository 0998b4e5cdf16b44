"""Search the positions of Connect6's games in which a search asks for a value, to train the value network on.

    python scripts/network/score_connect6_games.py games.jsonl.zst scored.jsonl.zst --nodes 4000 --jobs 2

Each game becomes a line as match/self_play.py writes it: `moves`, `result` and `scores`, one for each move, in the
mover's view; null where no value is asked for (connect6_samples.py). Games are added to the file as they are done. The
same command resumes an interrupted run, even a killed one. A file of other settings is left unchanged.

Data: games of Connect6 as JSON lines (`moves`, `result`) or CSV.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import msgspec

from scripts.common import script
from scripts.common.records import SELF_PLAY, playable, read_game_records
from scripts.common.runs import add_finished
from scripts.match.agents import EngineAgent
from scripts.network.connect6_samples import is_asked, new_solver

from siqi.daemon.clients.player import PlayerLimits
from siqi.daemon.match.arguments import parse_option
from siqi.games.game_record import GameRecord, replay
from siqi.system.log import RunLog

HASH_MB = "8"


class ScoringSettings(msgspec.Struct, frozen=True):
    games: str  # name of the file
    nodes: int
    options: dict[str, str] = {}  # of the engine, by name


def scored(call: tuple[ScoringSettings, int, GameRecord]) -> bytes:
    """Return the line of a game."""
    settings, number, record = call
    game: Any = script.load_once("connect6")
    agent = EngineAgent(game, {"Hash": HASH_MB, **settings.options})
    solver, moves = new_solver(), playable(game, record).moves
    scores: list[int | None] = []
    for position, _ in zip(replay(game, record), moves, strict=False):
        score = None
        if is_asked(position, solver):
            agent.new_game(0)
            score = agent.search(position, PlayerLimits(nodes=settings.nodes)).lines[0].score.cp
        scores.append(score)
    line = {"game": "connect6", "number": number, "moves": moves, "scores": scores, "result": record.result}
    return msgspec.json.encode(line)


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("games", type=Path, help="CSV or JSON lines, also .gz or .zst")
    parser.add_argument("file", type=Path, help="games are added to it: JSON lines, .zst or .jsonl")
    parser.add_argument("--nodes", type=int, default=4000, help="a position")
    parser.add_argument(
        "--option", action="append", type=parse_option, default=[], metavar="NAME=VALUE", help="an option of the game"
    )
    script.add_jobs(parser)
    options = parser.parse_args()
    if options.nodes < 1 or options.jobs < 1:
        parser.error("--nodes and --jobs must be at least 1")
    script.check_distinct(options.games, options.file)
    settings = ScoringSettings(options.games.name, options.nodes, dict(options.option))
    records = [record for record in read_game_records(options.games, print, "connect6") if not record.fen]
    log = RunLog(options.file, SELF_PLAY, msgspec.to_builtins(settings))
    calls = [(settings, number, record) for number, record in enumerate(records) if number not in log.numbers]
    script.load_once("connect6")  # compile once, before there are several
    add_finished(log, scored, calls, script.jobs(options), script.progress(total=len(calls)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
