"""Players of Connect6 by the paper's scans, at a fixed depth under a game clock or with a time for each turn."""

from __future__ import annotations

import functools
import math
import statistics
import time
from typing import NamedTuple

from scripts.common import script
from scripts.match.paired_games import PairJob, PaperGame, play_game
from scripts.papers.paper import FIXTURES

from siqi.daemon.clients.player import Choice, Player, PlayerLimits, Turn
from siqi.daemon.match.game_loop import Opening, Referee
from siqi.games.connect6.board import Connect6Position
from siqi.games.connect6.paper.roads import ROAD_VALUES, SCANS, Program


@functools.cache
def openings() -> list[list[str]]:
    """Return the openings' turns."""
    text = (FIXTURES / "connect6_openings.txt").read_text(encoding="utf-8")
    return [line.split() for line in text.splitlines()]


def referee_at(opening: int) -> Referee:
    return Referee(script.load_once("connect6"), Opening(moves=openings()[opening]))


class Entrant(NamedTuple):
    """A player of a match, as its name in the log describes it. Depth 0: deepens until the limit of a move."""

    scan: str
    width: int
    depth: int
    values: str = "paper"  # of ROAD_VALUES

    @property
    def name(self) -> str:
        values = "" if self.values == "paper" else f" values {self.values}"
        return f"{self.scan} width {self.width} depth {self.depth}{values}"


def entrant_of(name: str) -> Entrant:
    words = name.split()
    return Entrant(words[0], int(words[2]), int(words[4]), *words[6:])


class Scanner(Player):
    """A program as a player, with a clock for the game or a time for each turn."""

    def __init__(self, entrant: Entrant, limit: PlayerLimits) -> None:
        self._program = Program(SCANS[entrant.scan], entrant.width, ROAD_VALUES[entrant.values]())
        self._depth = entrant.depth
        self._turn_ms = limit.movetime_ms
        self.depths: list[int] = []
        """The depth finished at each turn."""

    def choose(self, turn: Turn) -> Choice:
        """Return a turn; if the clock ran out, an empty one, whose time exceeds the clock."""
        assert isinstance(turn.position, Connect6Position)
        start = time.monotonic_ns()
        if self._depth:
            deadline = start + math.ceil(1e6 * turn.budget_ms) + 1 if math.isfinite(turn.budget_ms) else 0
            result = self._program.search(turn.position, self._depth, deadline)
        else:
            result = self._program.deepen(turn.position, start + round(1e6 * self._turn_ms))
        spent_ms = (time.monotonic_ns() - start) / 1e6
        if result is None:
            return Choice("", spent_ms)
        self.depths.append(result.depth)
        return Choice(turn.position.move_text(result.move), spent_ms)


def play(job: PairJob, first: int) -> PaperGame:
    """Play a game from the pair's opening. A side whose clock runs out loses; a full board is a draw."""
    referee = referee_at(job.pair)
    players = [Scanner(entrant_of(name), job.limit) for name in job.pairing]
    record = play_game(job, first, referee, [players[side ^ first] for side in range(2)])
    return record | {
        "plies": len(referee.words),  # the opening's, too
        "depths": [statistics.mean(player.depths) if player.depths else 0.0 for player in players],
    }
