"""Games of the engine against itself with few nodes a move, to tune on.

    python scripts/play/self_play.py xiangqi own.jsonl.zst --games 5000 --nodes 3000 --jobs 2

A game starts with random moves, and ends by the rules, by the ply limit (a draw), or once both sides have long agreed
on the winner. Games are added to the file as they finish, a JSON object a line (`game`, `number`, `moves`, `result`)
after one with the settings; the file is zstd-compressed if its name ends in `.zst`, else in `.jsonl`. The same options
make the same games, in whatever order they finish. A run that was broken off, even killed, goes on with the same
command, and one with more `--games` adds them; a file with games of other settings is left alone.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import random
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
from tqdm import tqdm

from scripts.lib import script
from scripts.lib.game_log import GameLog
from scripts.lib.pool import completed
from scripts.lib.records import SELF_PLAY

from games.contract import FIRST, Game, Position, Searcher, Task, exhaust
from games.kernel.control import Control

GAMES = ("xiangqi", "connect6")
"""Those without dice and hidden pieces."""

BATCH_S = 1.0
"""Games that finish within this time are written together: 32 at a time take 0.6 of the bytes of each alone."""

AGREED_CP, AGREED_PLIES = 1000, 6
"""A score beyond it for so many plies running decides a game."""


class Settings(msgspec.Struct, frozen=True):
    game: str
    nodes: int
    random_plies: int
    max_plies: int
    seed: int


@functools.cache
def load(name: str) -> Game[Position]:
    """Load a game once a process; its books take longer than a game of few nodes."""
    return script.load(name)


def best_move(searcher: Searcher, position: Any, nodes: int) -> tuple[int, int]:
    """(move, score in centipawns from the mover's side; mates are beyond any)."""
    line = exhaust(searcher, Task(position, Control(nodes))).lines[0]
    score = line.score
    cp = score.cp if score.mate is None else (100 * AGREED_CP if score.mate > 0 else -100 * AGREED_CP)
    return line.pv[0], cp


def play(settings: Settings, number: int) -> dict[str, Any]:
    """The game of that number."""
    rng = random.Random(f"{settings.seed}/{number}")
    game = load(settings.game)
    searcher = game.searcher()
    searcher.configure(8, 1, settings.seed)
    searcher.clear()
    position = game.position()
    words: list[str] = []
    leader, agreed = 0, 0
    while (outcome := position.outcome()) is None and len(words) < settings.max_plies and agreed < AGREED_PLIES:
        if len(words) < settings.random_plies:
            move = rng.choice(position.legal_moves())
        else:
            move, cp = best_move(searcher, position, settings.nodes)
            winning = 0 if abs(cp) < AGREED_CP else 1 if (cp > 0) == (position.turn == FIRST) else -1
            agreed = agreed + 1 if winning and winning == leader else 0
            leader = winning
        words.append(position.move_text(move))
        position.push(move)
    if outcome is not None:
        leader = 0 if outcome.winner is None else 1 - 2 * outcome.winner
    elif agreed < AGREED_PLIES:
        leader = 0
    return {
        "game": settings.game,
        "number": number,
        "moves": words,
        "result": {1: "1-0", -1: "0-1", 0: "1/2-1/2"}[leader],
    }


def _work(task: tuple[Settings, int]) -> bytes:
    return msgspec.json.encode(play(*task))


@script.command
def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", choices=GAMES)
    parser.add_argument("file", type=Path, help="games are added to it: JSON lines, .zst or .jsonl")
    parser.add_argument("--games", type=int, default=1000, help="those that the file has included")
    parser.add_argument("--nodes", type=int, default=3000, help="a move")
    parser.add_argument("--random-plies", type=int, default=8)
    parser.add_argument("--max-plies", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    settings = Settings(options.game, options.nodes, options.random_plies, options.max_plies, options.seed)
    if options.games < 1 or options.jobs < 1:
        parser.error("--games and --jobs must be at least 1")
    log = GameLog(options.file, SELF_PLAY, msgspec.to_builtins(settings))
    tasks = [(settings, number) for number in range(options.games) if number not in log.numbers]
    load(options.game)  # compile once, before there are several
    progress = tqdm(total=options.games, initial=options.games - len(tasks), disable=not sys.stderr.isatty())
    batch: list[bytes] = []
    written = time.monotonic()

    def write() -> None:
        nonlocal batch, written
        games, batch, written = batch, [], time.monotonic()  # forgotten first: a write that fails is not repeated
        if games:
            log.add(games)

    finished = completed(_work, tasks, options.jobs, BATCH_S)
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
