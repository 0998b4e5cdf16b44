"""The scores of answers, and the centipawns that a move loses."""

from __future__ import annotations

from typing import Any

from siqi.daemon.analysis.answers import Answer
from siqi.games import registry
from siqi.games.contract import SIDES, Outcome

MATE_CP = 10_000
"""The centipawns of a proven win in the column `lost`."""


def needs_next_score(answer: Answer) -> bool:
    """True if the loss by the move played follows only from the next position's score."""
    played, lines = answer.get("played"), answer.get("lines")
    return bool(played and lines and is_known_from_next(answer) and played not in [line["move"] for line in lines])


def is_known_from_next(answer: Answer) -> bool:
    """True if the next position's score is the move's: the game has neither dice nor hidden pieces."""
    info = registry.info(answer["game"])
    return not info.has_dice and not info.has_hidden


def loss(answer: Answer, next_score: int | None) -> int | None:
    """Return the centipawns by which the move played is worse than the best, at least 0; None if not known."""
    lines, played = answer.get("lines"), answer.get("played")
    if not lines or not played or "throw" in lines[0]:
        return None
    same = [centipawns(line["score"]) for line in lines if line["move"] == played]
    if same:
        return max(0, centipawns(lines[0]["score"]) - same[0])
    if next_score is None or not is_known_from_next(answer):
        return None
    return max(0, centipawns(lines[0]["score"]) + next_score)


def outcome_of(answer: Answer) -> Outcome | None:
    """Return how the game of an answer has ended, None while it goes on; ValueError if no text of ours says so."""
    text = answer.get("outcome")
    return Outcome.parse(text) if text else None


def score_before(answer: Answer) -> int | None:
    """Return the score of a position in centipawns, the mover's view; None if the answer has none."""
    outcome = outcome_of(answer)
    if outcome is not None and not outcome.unknown:
        if outcome.winner is None:
            return 0
        return MATE_CP if SIDES[outcome.winner] == answer["toMove"] else -MATE_CP
    lines = answer.get("lines")
    return centipawns(lines[0]["score"]) if lines and "throw" not in lines[0] else None


def centipawns(score: dict[str, Any]) -> int:
    """Return a score in centipawns, within MATE_CP, which is a proven win."""
    if "mate" in score:
        return MATE_CP if score["mate"] > 0 else -MATE_CP
    return int(max(-MATE_CP, min(MATE_CP, score["cp"])))
