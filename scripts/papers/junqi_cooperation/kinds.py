"""The kinds of moves of paper 4's table 1: attack, defence, shuffle.

The paper does not define them. Here an *attack* meets an enemy piece, or may meet one with the next move. Of the other
moves, a *defence* leaves a square that an enemy may reach, enters a camp or stops next to the own flag; the rest are a
*shuffle*. By this definition half of all moves are attacks, so the moves that *meet* an enemy are counted beside it.
"""

from __future__ import annotations

from collections.abc import Iterator

from siqi.games.junqi.board import JunqiPosition
from siqi.games.junqi.knowledge.behaviour import FLED, MOVED, RESTED
from siqi.games.junqi.rules.lookup import FLAG, LOOKUP_RECORD, NOWHERE, PIECES
from siqi.games.junqi.rules.movegen import reaches
from siqi.games.junqi.rules.position import make_move, target_of

KINDS = ("attack", "defence", "shuffle")


def kinds_of(words: list[str]) -> Iterator[tuple[int, str, bool]]:
    """Yield (side, kind, True if it meets an enemy) of every move of a game, as a referee sees it."""
    position = JunqiPosition()
    for word in words:
        side, had_pieces = position.turn, position.has_pieces
        own = slice(side * PIECES, side * PIECES + PIECES)
        move = position.parse_move(word)
        if not had_pieces:
            position.push(move)
            continue
        target = target_of(move)
        was_met = position.record.board[target] > 0
        before = position.counts()[own].sum(0)
        position.push(move)
        gone = position.counts()[own].sum(0) - before
        assert gone[MOVED] == 1
        flag = next(p for p in range(side * PIECES, side * PIECES + PIECES) if position.record.may[p] == 1 << FLAG)
        if was_met or _meets_enemy(position, target):
            yield side, "attack", was_met
        elif gone[FLED] or gone[RESTED] or LOOKUP_RECORD.roads[position.record.where[flag]] >> target & 1:
            yield side, "defence", was_met
        else:
            yield side, "shuffle", was_met


def _meets_enemy(position: JunqiPosition, origin: int) -> bool:
    """True if the piece that has just moved to a square can meet an enemy with its next move."""
    record, piece = position.record, int(position.record.board[origin]) - 1
    enemies = record.where[PIECES:] if piece < PIECES else record.where[:PIECES]
    may = int(record.may[piece])
    return any(
        reaches(record, LOOKUP_RECORD, make_move(origin, int(square)), may) for square in enemies if square != NOWHERE
    )
