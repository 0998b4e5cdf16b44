"""Players in this process: the agent, which chooses moves, and the player that it is in a game."""

from __future__ import annotations

import random
import time
from typing import Any, Protocol

from siqi.daemon.clients.player import Choice, Player, PlayerLimits, Turn
from siqi.games.contract import Game, Position, Report, Task


class Agent(Protocol):
    """A player of an experiment, in this process."""

    def new_game(self, seed: int) -> None: ...

    def choose(self, position: Any, limit: PlayerLimits) -> int:
        """Return a move in a position, which is a view where pieces are hidden."""


class RandomAgent:
    """A player of random legal moves."""

    def __init__(self) -> None:
        self._random = random.Random(0)

    def new_game(self, seed: int) -> None:
        self._random.seed(seed)

    def choose(self, position: Position, limit: PlayerLimits) -> int:
        return self._random.choice(position.legal_moves())


class EngineAgent:
    """A searcher of the engine, with options of its game, `Threads` and `Hash`."""

    def __init__(self, game: Any, options: dict[str, str], searcher: Any = None) -> None:
        """Load options; `searcher` replaces the searcher that they name."""
        self._threads, self._hash_mb = int(options.pop("Threads", 1)), int(options.pop("Hash", 64))
        self.game = game
        for name, value in options.items():
            game.set_option(name, value)
        self.searcher = searcher or game.searcher()
        self.report: Report | None = None
        """The report of the last search."""

    def new_game(self, seed: int) -> None:
        self.searcher.configure(self._hash_mb, self._threads, seed)
        self.searcher.clear()

    def choose(self, position: Any, limit: PlayerLimits) -> int:
        return self.search(position, limit).lines[0].pv[0]

    def search(self, position: Any, limit: PlayerLimits, moves: tuple[int, ...] = (), lines: int = 1) -> Report:
        """Search these moves, or all if none are given; return the last report, with at most this number of lines."""
        control = limit.control()
        self.searcher.start(Task(position, control, moves, lines))
        report: Report = self.searcher.iterate()
        while report.complete and not report.finished and not control.stopped and report.depth != limit.depth:
            report = self.searcher.iterate()
        self.searcher.finish()
        self.report = report
        return report


class AgentPlayer(Player):
    """The player of an agent: keeps its view of the game, and calls its `observe` with each move, if it has one.

    It reports score and nodes of an agent that has a `report`.
    """

    def __init__(self, agent: Agent, game: Game[Position], limit: PlayerLimits) -> None:
        self._agent, self._game, self._limit = agent, game, limit
        self._view = game.position()
        self._known = 0

    def new_game(self, seed: str) -> None:
        self._agent.new_game(int(seed))

    def choose(self, turn: Turn) -> Choice:
        position: Any = turn.position
        throws = [0, 0, *turn.throws]  # none for the set-ups
        for ply in range(self._known, len(turn.words)):
            if self._game.info.has_hidden:
                self._view.push(self._view.parse_move(turn.words[ply]))
            elif observe := getattr(self._agent, "observe", None):
                observe(throws[ply], turn.words[ply])
        self._known = len(turn.words)
        started = time.perf_counter()
        move = self._agent.choose(self._view if self._game.info.has_hidden else position, self._limit)
        spent_ms = 1000 * (time.perf_counter() - started)
        word = position.move_text(move & MOVE_BITS if self._game.info.has_hidden else move)
        report: Report | None = getattr(self._agent, "report", None)
        return Choice(word, spent_ms) if report is None else Choice(word, spent_ms, report.lines[0].score, report.nodes)


MOVE_BITS = 0xFFF
"""Mask of a move without the result that Junqi's moves may have."""
