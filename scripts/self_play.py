"""Games of the engine against itself with few nodes a move, to tune on.

    python scripts/self_play.py xiangqi own.jsonl.zst --games 5000 --nodes 3000 --jobs 2

A game starts with random moves, and ends by the rules, by the ply limit (a draw), or once both sides have long agreed
on the winner. Writes a JSON object a line: `moves`, `result`. The same options make the same games.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
from pathlib import Path
from typing import Any

import msgspec
import zstandard
from tqdm import tqdm

from games import registry
from games.contract import FIRST, Searcher, Task, exhaust
from games.kernel.control import Control

GAMES = ("xiangqi", "connect6")
"""Those without dice and hidden pieces."""

AGREED_CP, AGREED_PLIES = 1000, 6
"""A score beyond it for so many plies running decides a game."""


class Settings(msgspec.Struct, frozen=True):
    game: str
    nodes: int
    random_plies: int
    max_plies: int
    seed: int


def best_move(searcher: Searcher, position: Any, nodes: int) -> tuple[int, int]:
    """(move, score in centipawns from the mover's side; mates are beyond any)."""
    line = exhaust(searcher, Task(position, Control(nodes))).lines[0]
    score = line.score
    cp = score.cp if score.mate is None else (100 * AGREED_CP if score.mate > 0 else -100 * AGREED_CP)
    return line.pv[0], cp


def play(settings: Settings, number: int) -> dict[str, Any]:
    """The game of that number."""
    rng = random.Random(f"{settings.seed}/{number}")
    game = registry.load(settings.game)
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
    return {"moves": words, "result": {1: "1-0", -1: "0-1", 0: "1/2-1/2"}[leader]}


def _work(task: tuple[Settings, int]) -> bytes:
    return msgspec.json.encode(play(*task)) + b"\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", choices=GAMES)
    parser.add_argument("file", type=Path, help="written whole: zstd-compressed JSON lines")
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--nodes", type=int, default=3000, help="a move")
    parser.add_argument("--random-plies", type=int, default=8)
    parser.add_argument("--max-plies", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    settings = Settings(options.game, options.nodes, options.random_plies, options.max_plies, options.seed)
    tasks = [(settings, number) for number in range(options.games)]
    registry.load(options.game)  # compile once, before there are several
    context = multiprocessing.get_context("spawn")
    partial = options.file.with_name(options.file.name + ".tmp")
    with (
        partial.open("wb") as raw,
        zstandard.ZstdCompressor().stream_writer(raw) as file,
        context.Pool(options.jobs) as pool,
    ):
        games = pool.imap(_work, tasks, chunksize=8)
        for line in tqdm(games, total=len(tasks), disable=not sys.stderr.isatty()):
            file.write(line)
    partial.replace(options.file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
