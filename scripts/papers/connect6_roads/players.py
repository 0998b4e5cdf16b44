"""Players of Connect6 by the paper's scans, at a fixed depth under a game clock or with a time for each turn."""

from __future__ import annotations

import functools
import math
import statistics
import time
from typing import NamedTuple

from scripts.common import script
from scripts.match.paired_games import PairJob, PaperGame, play_game
from scripts.papers.connect6_roads.scans import SCANS, Program
from scripts.papers.paper import FIXTURES

from siqi.daemon.clients.player import Choice, Player, PlayerLimits, Turn
from siqi.daemon.match.game_loop import Opening, Referee
from siqi.games.connect6.board import Connect6Position


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

    @property
    def name(self) -> str:
        return f"{self.scan} width {self.width} depth {self.depth}"


def entrant_of(name: str) -> Entrant:
    scan, width, depth = name.split()[::2]
    return Entrant(scan, int(width), int(depth))


class Scanner(Player):
    """A program in a seat, with a clock for the game or a time for each turn."""

    def __init__(self, entrant: Entrant, limit: PlayerLimits) -> None:
        self._program, self._depth = Program(SCANS[entrant.scan], entrant.width), entrant.depth
        self._turn_ms = limit.movetime_ms
        self.depths: list[int] = []
        """The depth finished at each turn."""
        self.times: list[float] = []
        """The ms of each turn, including one that overran the clock."""

    def choose(self, turn: Turn) -> Choice:
        """Return a turn; if the clock ran out, an empty one, whose time exceeds the clock."""
        assert isinstance(turn.position, Connect6Position)
        start = time.monotonic_ns()
        if self._depth:
            deadline = start + math.ceil(1e6 * turn.budget_ms) + 1 if math.isfinite(turn.budget_ms) else 0
            found = self._program.search(turn.position, self._depth, deadline)
        else:
            found = self._program.deepen(turn.position, start + round(1e6 * self._turn_ms))
        spent_ms = (time.monotonic_ns() - start) / 1e6
        self.times.append(spent_ms)
        if found is None:
            return Choice("", spent_ms)
        self.depths.append(found.depth)
        return Choice(turn.position.move_text(found.turn), spent_ms)


def play(job: PairJob, first: int) -> PaperGame:
    """Play a game from the pair's opening. A side whose clock runs out loses; a full board is a draw."""
    referee = referee_at(job.pair)
    players = [Scanner(entrant_of(name), job.limit) for name in job.pairing]
    record = play_game(job, first, referee, [players[side ^ first] for side in range(2)])
    return record | {
        "plies": len(referee.words),  # the opening's, too
        "depths": [statistics.mean(player.depths) if player.depths else 0.0 for player in players],
        "times": [[round(ms, 1) for ms in player.times] for player in players],
    }


def winner_with_clock(game: PaperGame, clock_ms: float) -> int | None:
    """Return the winner that a game would have with a shorter clock: at a fixed depth the turns are the same."""
    opener: int = len(openings()[game["pair"]]) % 2 ^ game["first"]  # the player who moves first after the opening
    for turn in range(max(map(len, game["times"]))):
        for player in (opener, 1 - opener):
            if sum(game["times"][player][: turn + 1]) > clock_ms:
                return 1 - player
    winner: int | None = game["winner"]
    return winner
