"""Games at a fixed depth, in the paper's own seconds, and their results with a clock of any length.

At a fixed depth all scans visit the same nodes, value the same pairs and choose the same turns. So a game is played
once from each opening, and the pairs that each turn values are counted. A scan's time for a pair is nearly constant
(figure-3); its time for a turn is therefore the paper's time of turn 9, by the ratio of the pairs. No time of this
machine is used. Both games of a pair, local as Black and as White, are then judged by any clock: a side loses at the
first turn at which its turns together exceed it.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

from scripts.papers.connect6_roads.players import referee_at

from siqi.daemon.match.statistics import PairedScore
from siqi.games.connect6.board import Connect6Position
from siqi.games.connect6.paper.roads import INCREMENTAL, Program


class CountedGame(NamedTuple):
    """A game of the program against itself."""

    first_turn: int  # after the opening, from 1 for the empty board's; odd turns are Black's
    winner: int | None  # the side that wins on the board, 0 Black; None: a draw
    pairs: Sequence[int]  # valued for each turn from first_turn on

    def used(self, side: int, seconds: float) -> float:
        """Return the seconds that a side uses, each pair taking `seconds`."""
        return seconds * sum(self.pairs[(side + 1 - self.first_turn) % 2 :: 2])

    def points(self, local: int, seconds: Sequence[float], clock_s: float) -> float:
        """Return local's points as Black (0) or White (1); `seconds` of local and global for a pair."""
        used = [0.0, 0.0]
        for turn, pairs in enumerate(self.pairs, self.first_turn):
            mover = (turn + 1) % 2
            used[mover] += pairs * seconds[mover ^ local]
            if used[mover] > clock_s:
                return float(mover != local)
        return 0.5 if self.winner is None else float(self.winner == local)


def game_key(depth: int, width: int, opening: int) -> str:
    return f"depth {depth} width {width} opening {opening}"


def count_game(key: str) -> dict[str, Any]:
    """Play the game of a key; return the fields of `CountedGame`."""
    depth, width, opening = map(int, key.split()[1::2])
    program = Program(INCREMENTAL, width)
    position = referee_at(opening).position
    assert isinstance(position, Connect6Position)
    first_turn, pairs = position.ply + 1, []
    while (outcome := position.outcome()) is None:
        result = program.search(position, depth)
        assert result is not None
        pairs.append(result.pairs)
        position.push(result.move)
    return {"first_turn": first_turn, "winner": outcome.winner, "pairs": pairs}


def pairs_at(games: Sequence[CountedGame], turn: int) -> list[int]:
    """Return the pairs that a turn values in each game that reaches it."""
    return [game.pairs[turn - game.first_turn] for game in games if 0 <= turn - game.first_turn < len(game.pairs)]


def local_score(games: Sequence[CountedGame], seconds: Sequence[float], clock_s: float) -> PairedScore:
    """Return local's score in both games from each opening."""
    score = PairedScore()
    for (number, game), side in itertools.product(enumerate(games), (0, 1)):
        score.add(number, game.points(side, seconds, clock_s))
    return score
