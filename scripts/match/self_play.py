"""Play games of the engine against itself with few nodes per move, to tune on.

    python scripts/match/self_play.py xiangqi own.jsonl.zst --games 5000 --nodes 3000 --jobs 2

A game starts with random moves. It ends by the rules, by the ply limit (a draw), or when both sides' scores have
agreed on the winner for some plies. Games are added to the file as they finish, one JSON object per line (`game`,
`number`, `moves`, `result`) after one with the settings. The name ends in `.zst` (zstd-compressed) or `.jsonl`. The
same options make the same games, in whatever order they finish. The same command resumes an interrupted run, even a
killed one; with more `--games` it adds games. A file with games of other settings is left unchanged.
"""

from __future__ import annotations

import contextlib
import random
import sys
import time
from pathlib import Path
from typing import Any

import msgspec

from scripts.common import script
from scripts.common.log import RunLog
from scripts.common.records import SELF_PLAY
from scripts.match.game_loop import Adjudication, Agreement, Clock, Opening, Referee, play_moves
from scripts.match.minds import EngineMind, Seat
from scripts.match.players import PlayerLimits

from siqi.daemon.cluster.jobs import completed
from siqi.games.contract import Game, Position

GAMES = ("xiangqi", "connect6")
"""The games without dice and hidden pieces."""

BATCH_S = 1.0
"""Games that finish within this time are written together: 32 at a time take 0.6 of the bytes of each alone."""

AGREEMENT = Agreement(1000, 6)

HASH_MB = "8"


class SelfPlaySettings(msgspec.Struct, frozen=True):
    game: str
    nodes: int
    random_plies: int
    max_plies: int
    seed: int


def random_moves(game: Game[Position], rng: random.Random, plies: int) -> list[str]:
    """Return the words of random moves from the start."""
    position, words = game.position(), list[str]()
    while len(words) < plies and position.outcome() is None:
        move = rng.choice(position.legal_moves())
        words.append(position.move_text(move))
        position.push(move)
    return words


def play(settings: SelfPlaySettings, number: int) -> dict[str, Any]:
    """Play the game of a number; return its line."""
    game = script.load_once(settings.game)
    most = min(settings.random_plies, settings.max_plies)
    referee = Referee(game, Opening(moves=random_moves(game, random.Random(f"{settings.seed}/{number}"), most)))
    player = Seat(EngineMind(game, {"Hash": HASH_MB}), game, PlayerLimits(nodes=settings.nodes))
    seed = str(settings.seed)
    ending = play_moves(referee, [player] * 2, [Clock()] * 2, [seed] * 2, Adjudication(settings.max_plies, AGREEMENT))
    return {
        "game": settings.game,
        "number": number,
        "moves": referee.words,
        "result": "1/2-1/2" if ending.winner is None else ("1-0", "0-1")[ending.winner],
    }


def _work(task: tuple[SelfPlaySettings, int]) -> bytes:
    return msgspec.json.encode(play(*task))


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("game", choices=GAMES)
    parser.add_argument("file", type=Path, help="games are added to it: JSON lines, .zst or .jsonl")
    parser.add_argument("--games", type=int, default=1000, help="total number, those in the file included")
    parser.add_argument("--nodes", type=int, default=3000, help="a move")
    parser.add_argument("--random-plies", type=int, default=8)
    parser.add_argument("--max-plies", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    script.add_jobs(parser)
    options = parser.parse_args()
    settings = SelfPlaySettings(options.game, options.nodes, options.random_plies, options.max_plies, options.seed)
    if options.games < 1 or options.jobs < 1:
        parser.error("--games and --jobs must be at least 1")
    log = RunLog(options.file, SELF_PLAY, msgspec.to_builtins(settings))
    tasks = [(settings, number) for number in range(options.games) if number not in log.numbers]
    script.load_once(options.game)  # compile once, before there are several
    progress = script.progress(total=options.games, initial=options.games - len(tasks))
    batch: list[bytes] = []
    written = time.monotonic()

    def write() -> None:
        nonlocal batch, written
        games, batch, written = batch, [], time.monotonic()  # cleared first: a failed write is not repeated
        if games:
            log.add(games)

    finished = completed(_work, tasks, script.jobs(options), BATCH_S)
    with contextlib.closing(log), progress, contextlib.closing(finished):
        try:
            for games in finished:
                batch += games
                progress.update(len(games))
                if time.monotonic() - written >= BATCH_S:
                    write()
        finally:
            write()
    return 0


if __name__ == "__main__":
    sys.exit(main())
