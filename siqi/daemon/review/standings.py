"""The results of the players of several games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from siqi.daemon.review.assess import GameCourse, SideSummary
from siqi.daemon.review.games import ReviewedGame

POINTS = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}
"""The first side's points by a record's result."""

UNKNOWN_PLAYER = "?"
"""The name in a record of a player who is not known."""


class Standing(NamedTuple):
    """The results of a player in several games, or of a side whose players have no names."""

    game: str
    name: str  # '': not known
    side: int  # where the name is not known
    games: tuple[int, ...]  # their numbers, from 0
    points: float  # of the games with a known result
    scored: int  # the number of these
    moves: int
    grades: tuple[int, int, int]
    lost: float  # mean chance lost by a move


def standings(games: Sequence[tuple[ReviewedGame, GameCourse, tuple[SideSummary, SideSummary]]]) -> list[Standing]:
    """Return the players' results, grouped by game, best scores first; sides without names come last."""
    rows: dict[tuple[str, str, int], list[tuple[int, float | None, SideSummary]]] = {}
    for number, (game, course, sums) in enumerate(games):
        points = points_of(game, course)
        for side, player in enumerate((game.record.first, game.record.second)):
            name = player.strip().removeprefix(UNKNOWN_PLAYER)
            own = None if points is None else abs(side - points)
            rows.setdefault((game.game, name, 0 if name else side), []).append((number, own, sums[side]))
    table = []
    for (kind, name, side), played in rows.items():
        known = [own for _, own, _ in played if own is not None]
        moves = sum(summary.moves for _, _, summary in played)
        grades = tuple(sum(summary.grades[i] for _, _, summary in played) for i in range(3))
        lost = sum(summary.lost * summary.moves for _, _, summary in played) / max(moves, 1)
        numbers = tuple(dict.fromkeys(number for number, _, _ in played))
        table.append(Standing(kind, name, side, numbers, sum(known), len(known), moves, grades, lost))  # type: ignore[arg-type]
    kinds = list(dict.fromkeys(row.game for row in table))
    return sorted(table, key=lambda row: (kinds.index(row.game), not row.name, _order(row)))


def points_of(game: ReviewedGame, course: GameCourse) -> float | None:
    """Return the first side's points by the record, else by the rules at the end; None if the result is not known."""
    if game.record.result in POINTS:
        return POINTS[game.record.result]
    outcome = course.outcomes[-1]
    return None if outcome is None else outcome.points


def _order(row: Standing) -> tuple[float, int, float]:
    if not row.name:
        return row.side, 0, 0
    return -row.points / max(row.scored, 1), -len(row.games), row.lost
