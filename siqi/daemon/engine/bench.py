"""The counting jobs: `bench`, whose signature changes when the search does, and `perft`."""

from __future__ import annotations

import time
import zlib

from siqi.daemon.engine.events import BenchDone, BenchPosition, BenchTotal, Failed, Kind, PerftDone, PerftMove, Post
from siqi.daemon.engine.scheduler import Job
from siqi.games.contract import BenchItem, Game, Position, Report, Task, exhaust, set_dice
from siqi.games.game_record import GameRecord, position_after
from siqi.games.kernel.control import Control
from siqi.system.pipes import now_ns

CONFIG = 16, 1, 1
"""The arguments of `Searcher.configure`: hash memory in MiB, threads, seed."""


class BenchJob(Job):
    """A search of each bench position of a game with a cleared searcher, by default with one thread."""

    def __init__(self, game: Game[Position], post: Post, config: tuple[int, ...] = CONFIG) -> None:
        """`config`: the arguments of `Searcher.configure`."""
        self._game = game
        self._post = post
        self._config = config
        self._control = Control()
        self._is_stopped = False

    @property
    def is_stopped(self) -> bool:
        return self._is_stopped

    def failure_event(self, reason: str) -> Failed:
        return Failed(Kind.INTERNAL, reason)

    def stop(self) -> None:
        self._is_stopped = True
        self._control.stop()

    def run(self) -> BenchDone:
        """Search all positions; post a BenchPosition for each."""
        searcher = self._game.searcher()
        searcher.configure(*self._config)
        nodes, nanoseconds, signature = 0, 0, 0
        for number, item in enumerate(self._game.bench, 1):
            searcher.clear()
            position = set_up(self._game, item)
            self._control = Control(item.nodes)
            if self._is_stopped:
                return BenchDone(None)
            started = time.perf_counter_ns()
            report = exhaust(searcher, Task(position, self._control))
            nanoseconds += time.perf_counter_ns() - started
            nodes += report.nodes
            summary = summarise(report, position)
            signature = zlib.crc32(summary.encode(), signature)
            self._post(BenchPosition(number, summary))
        return BenchDone(BenchTotal(self._game.info.name, nodes, nanoseconds, signature))


def set_up(game: Game[Position], item: BenchItem) -> Position:
    """Return the position of a bench item."""
    position = position_after(game, GameRecord(item.moves, fen=item.fen or ""))
    if item.die:
        set_dice(position, game.info, item.die)
    return position


def summarise(report: Report, position: Position) -> str:
    """Return a search's result without times, the text that the signature is made from."""
    line = report.lines[0]
    return f"depth {report.depth} nodes {report.nodes} score {line.score.cp} best {position.move_text(line.pv[0])}"


class PerftJob(Job):
    """A count of the leaves of the game tree below each root move."""

    def __init__(self, game: Game[Position], position: Position, depth: int, post: Post) -> None:
        self._game = game
        self._position = position
        self._depth = depth
        self._post = post
        self._control = Control()

    @property
    def is_stopped(self) -> bool:
        return self._control.stopped

    def failure_event(self, reason: str) -> Failed:
        return Failed(Kind.INTERNAL, reason)

    def stop(self) -> None:
        self._control.stop()

    def run(self) -> PerftDone | Failed:
        """Count; post a PerftMove for each root move. Failed(LIMIT) for a depth that the game refuses."""
        started = now_ns()
        total, is_stopped = 0, False
        try:
            for move, nodes in self._game.perft(self._position, self._depth, self._control):
                if self._control.stopped:  # this count is incomplete
                    is_stopped = True
                    break
                self._post(PerftMove(self._position, move, nodes))
                total += nodes
        except ValueError as error:
            return Failed(Kind.LIMIT, str(error))
        return PerftDone(self._depth, total, (now_ns() - started) // 1_000_000, is_stopped)
