"""Solving published Xiangqi endgames: the result that a player reaches from each, against a strong opponent.

A published result can be wrong. It is settled first (`settle`): by an engine's mate that the data has, by the shipped
tablebases, and, where a draw is claimed, by a search that finds a mate.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any, NamedTuple

from scripts.common import script
from scripts.common.records import open_text
from scripts.match.agents import AgentPlayer, EngineAgent

from siqi.daemon.clients.player import Choice, PlayerLimits, Turn
from siqi.daemon.match.game_loop import Adjudication, Clock, Opening, Referee, play_moves
from siqi.games.registry import load
from siqi.games.xiangqi.board import XiangqiPosition

DRAWN = "draw"
SIDES = ("red", "black")
"""Winners, by side, as the log has them."""

CLAIMS = {"1-0": SIDES[0], "0-1": SIDES[1], "1/2-1/2": DRAWN}

AGENTS = {
    "paper": {"Evaluation": "paper", "UseEndgames": "false", "UseRules": "false", "Hash": "16"},
    "ours": {"UseEndgames": "false", "UseRules": "false", "Hash": "16"},
    "our terms": {"Evaluation": "terms", "UseEndgames": "false", "UseRules": "false", "Hash": "16"},
    "ours with tablebases": {"UseRules": "false", "Hash": "16"},
}
"""The options of each player; only the last has tablebases and the pattern book, which the paper does not use."""

OPPONENT = "ours with tablebases"

SETTLERS = ("book", "engine", "tablebase", "search")
"""Sources of an endgame's result."""


class Endgame(NamedTuple):
    """A published endgame."""

    fen: str
    claim: str  # of CLAIMS
    category: str
    engine_mate: int  # moves to a mate that an engine has found, the mover's sign; 0: none


def read_endgames(path: Path) -> list[Endgame]:
    """Return the endgames of a file of JSON lines with `fen`, `result`, `category` and perhaps `engine_mate`.

    Positions that the rules cannot play, that are over, or that are repeated, are left out.
    """
    game: Any = load("xiangqi")
    endgames: dict[str, Endgame] = {}
    with open_text(path) as file:
        for line in script.progress(file):
            entry = json.loads(line)
            try:
                position = game.position(entry["fen"])
            except ValueError:
                continue
            fen = " ".join(entry["fen"].split()[:2])
            if entry["result"] in CLAIMS and position.outcome() is None:
                mate = int(entry.get("engine_mate", 0))
                endgames.setdefault(fen, Endgame(fen, CLAIMS[entry["result"]], entry["category"], mate))
    return list(endgames.values())


def spread(endgames: list[Endgame], count: int) -> list[Endgame]:
    """Return `count` endgames, or all if there are fewer, evenly spread over those of each category and claim."""
    ordered = sorted(endgames, key=lambda endgame: (endgame.category, endgame.claim))  # the file's order within
    count = min(count, len(ordered))
    return [ordered[(2 * i + 1) * len(ordered) // (2 * count)] for i in range(count)]


@functools.cache
def agent(name: str) -> EngineAgent:
    """Return a player of AGENTS, one for each name in a process."""
    return EngineAgent(load("xiangqi"), dict(AGENTS[name]))


def settle(endgame: Endgame, nodes: int) -> tuple[str, str]:
    """Return the winner, and the one of SETTLERS that decides it; `search` has `nodes` nodes."""
    player = agent(OPPONENT)
    position: XiangqiPosition = player.game.position(endgame.fen)
    if endgame.engine_mate:
        return SIDES[position.turn ^ (endgame.engine_mate < 0)], "engine"
    for line in player.game.consult(position):
        if line.ending is not None:
            result = line.ending.result
            return (DRAWN if result == "draw" else SIDES[position.turn ^ (result == "loss")]), "tablebase"
    if endgame.claim == DRAWN:
        player.new_game(1)
        mate = player.search(position, PlayerLimits(nodes=nodes)).lines[0].score.mate
        if mate is not None:
            return SIDES[position.turn ^ (mate < 0)], "search"
    return endgame.claim, "book"


class Attempt(NamedTuple):
    """A game from an endgame."""

    winner: str  # of SIDES, or DRAWN; games that reach the ply limit are drawn
    plies: int
    announced: bool  # the solver's first search found a mate for it


class SolverPlayer(AgentPlayer):
    """The player of a solver; `announced`: its first search found a mate for it."""

    announced: bool | None = None

    def choose(self, turn: Turn) -> Choice:
        choice = super().choose(turn)
        if self.announced is None:
            self.announced = choice.score is not None and (choice.score.mate or 0) > 0
        return choice


def attempt(fen: str, winner: str, solver: str, limit: PlayerLimits, opponent: PlayerLimits, plies: int) -> Attempt:
    """Play out an endgame of a known result. The solver has the winner's side; in a draw it has the move."""
    game = agent(OPPONENT).game
    referee = Referee(game, Opening(fen=fen))
    side = referee.position.turn if winner == DRAWN else SIDES.index(winner)
    solving = SolverPlayer(agent(solver), game, limit)
    other = AgentPlayer(agent(OPPONENT) if solver != OPPONENT else _second(), game, opponent)
    players = [other, solving] if side else [solving, other]
    ending = play_moves(referee, players, [Clock(), Clock()], ["1", "1"], Adjudication(plies))
    reached = DRAWN if ending.winner is None else SIDES[ending.winner]
    return Attempt(reached, len(referee.words), bool(solving.announced))


@functools.cache
def _second() -> EngineAgent:
    """Return a second player like the opponent, since two sides of one game share no memory."""
    return EngineAgent(load("xiangqi"), dict(AGENTS[OPPONENT]))


def is_solved(won: str, reached: str, fen: str) -> bool:
    """True if the result reached is, for the solver, at least as good as the known one."""
    if won == DRAWN:
        mover = SIDES[fen.split()[1] == "b"]
        return reached in (DRAWN, mover)
    return reached == won
