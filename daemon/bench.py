"""`bench`: a fixed set of positions and nodes per game; the signature changes when the search does."""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterator

from games import registry
from games.compiling import announce_compiling, to_stderr
from games.contract import BenchItem, Game, Position, Report, Task, exhaust, set_dice
from games.kernel.control import Control

HASH_MB, SEED = 16, 1


class Bench:
    """One run over a game's positions, one thread, a fresh searcher for each position."""

    def __init__(self, game: Game[Position]) -> None:
        self._game = game
        self._control = Control()
        self._stopped = False

    def stop(self) -> None:
        self._stopped = True
        self._control.stop()

    def run(self) -> Iterator[str]:
        """A line a position, then `bench <game> nodes N time T nps X signature S`."""
        searcher = self._game.searcher()
        searcher.configure(HASH_MB, 1, SEED)
        nodes, nanoseconds, signature = 0, 0, 0
        for number, item in enumerate(self._game.bench, 1):
            searcher.clear()
            position = set_up(self._game, item)
            self._control = Control(item.nodes)
            if self._stopped:
                return
            started = time.perf_counter_ns()
            report = exhaust(searcher, Task(position, self._control))
            nanoseconds += time.perf_counter_ns() - started
            nodes += report.nodes
            found = describe(report, position.move_text(report.lines[0].pv[0]))
            signature = zlib.crc32(found.encode(), signature)
            yield f"bench position {number} {found}"
        speed = f"time {nanoseconds // 1_000_000} nps {nodes * 1_000_000_000 // max(nanoseconds, 1)}"
        yield f"bench {self._game.info.name} nodes {nodes} {speed} signature {signature}"


def set_up(game: Game[Position], item: BenchItem) -> Position:
    """The position of a bench item."""
    position = game.position(item.fen)
    for word in item.moves:
        position.push(position.parse_move(word))
    set_dice(position, game.info, item.dice)
    return position


def describe(report: Report, best: str) -> str:
    """What a search found, without times."""
    return f"depth {report.depth} nodes {report.nodes} score {report.lines[0].score.cp} best {best}"


def print_all(names: list[str]) -> int:
    """`siqi bench [game]`; the exit status."""
    for name in names:
        with announce_compiling(to_stderr, name):
            game = registry.load(name)
        for line in Bench(game).run():
            print(line, flush=True)
    return 0
