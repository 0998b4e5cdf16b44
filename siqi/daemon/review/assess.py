"""The judgement of a game: the chance at each position, chances lost by moves, and in EWN luck apart from skill.

All chances are expected results 0..1, a draw counting half.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import msgspec

from siqi.daemon.analysis.query import Query
from siqi.daemon.analysis.run import RunSettings
from siqi.daemon.review.engine import Finding, FoundLine, PositionRequest, bare, request_of
from siqi.daemon.review.games import ReviewedGame
from siqi.games import registry
from siqi.games.contract import (
    UNKNOWN_SETUP,
    BookMove,
    BookRule,
    Game,
    Outcome,
    Position,
    is_hidden_position,
    is_solving_game,
)
from siqi.games.formats import OpeningName
from siqi.games.game_record import replay

GRADES = (0.05, 0.10, 0.20)
"""The least chance lost, rounded as it is shown, by an inaccuracy, a mistake and a blunder."""

MORE_TIME = 4
"""If a judgement is in doubt, this many times the time used, or the default, is proposed."""

ALL_MOVES = 256
"""`multipv` in Junqi: its searcher values all root moves at once, and the next position is seen by the other side."""


class GameCourse(NamedTuple):
    """The positions of a game that its judgement needs, by ply."""

    turns: list[int]
    fens: list[str]
    outcomes: list[Outcome | None]
    books: list[list[BookMove]]  # up to the first position that no opening book has
    rules: list[BookRule | None]  # the surest mined rule that answers with the move before the position
    is_set_up: bool  # it does not begin from the start position
    opening: OpeningName | None
    is_view: bool = False  # Junqi: what one side knows
    views: tuple[list[str], list[str]] | None = None  # Junqi: the words of both sides', where both set-ups are known


class Ply(NamedTuple):
    """The judgement of a position and of the move that led to it; chances are the first side's."""

    before: float | None  # before the throw; None: not known
    after: float | None  # after the throw; without dice as `before`
    line: FoundLine | None  # the best for the side to move, with its throw if there is one
    finding: Finding | None
    lost: float = 0.0  # the chance that the move lost, its player's view
    grade: int = 0  # 0 or the number of GRADES that `shown_loss` reaches
    is_unsure: bool = False  # the next search takes the grade back


class SideSummary(NamedTuple):
    """The effect of a side's moves and throws, its own view."""

    moves: int
    grades: tuple[int, int, int]  # numbers of inaccuracies, mistakes and blunders
    lost: float  # mean chance lost by a move
    luck: float = 0.0  # EWN: the sum of the changes by its throws
    skill: float = 0.0  # EWN: the sum of the changes by its moves, which can gain only by the engine's error
    unknown: float = 0.0  # EWN: changes by moves whose throw is not known


def replayed(game: ReviewedGame, loaded: Game[Position]) -> Iterator[Position]:
    """Yield a game's position after each ply, as `replay` does."""
    return islice(replay(loaded, game.record), game.setups, None)


def course(game: ReviewedGame, loaded: Game[Position]) -> GameCourse:
    """Play a game through."""
    result = GameCourse([], [], [], [], [None], False, None)
    boards = []
    is_in_book = True
    for ply, position in enumerate(replayed(game, loaded)):
        result.turns.append(position.turn)
        result.fens.append(position.fen())
        result.outcomes.append(position.outcome())
        boards.append(position.pieces())
        lines = loaded.consult(position) if is_in_book or game.info.has_rules else []
        if is_in_book:
            moves = [line.move for line in lines if line.move is not None]
            is_in_book = bool(moves)
            if moves:
                result.books.append(moves)
        if ply < game.plies:
            played = game.record.moves[game.setups + ply]
            answers = [line.rule for line in lines if line.rule is not None and line.rule.word == played]
            result.rules.append(max(answers, key=lambda rule: rule.confidence, default=None))
        if is_hidden_position(position, game.info):
            result = result._replace(is_view=position.viewer is not None)
            if ply == game.plies and has_views(game):
                result = result._replace(views=(position.view_moves(0), position.view_moves(1)))
    is_set_up = bool(game.record.fen) and not _is_start(result.fens[0], loaded)
    notation = registry.notation(game.game)
    opening = None if notation is None or is_set_up else notation.opening(boards)
    return result._replace(is_set_up=is_set_up, opening=opening)


def _is_start(fen: str, loaded: Game[Position]) -> bool:
    """True if a FEN has the pieces and the turn of the start position."""
    return fen.split()[:2] == loaded.position(None).fen().split()[:2]


def has_views(game: ReviewedGame) -> bool:
    """True if a game is shown as each side saw it and as a referee: hidden pieces whose both set-ups are known."""
    return game.info.has_hidden and game.setups > 0 and UNKNOWN_SETUP not in game.record.moves[: game.setups]


def positions(game: ReviewedGame, course: GameCourse, settings: RunSettings) -> list[PositionRequest]:
    """Return the positions of a game to analyse, by ply; the last is left out if the game has ended there.

    A position of EWN is analysed before its throw, one of Junqi as the side to move sees it.
    """
    asked = []
    for ply in range(game.plies + 1):
        outcome = course.outcomes[ply]
        if ply == game.plies and outcome is not None and not outcome.unknown:
            continue
        words = course.views[course.turns[ply]] if course.views else game.record.moves
        query = Query(
            "-",
            game.game,
            fen=game.record.fen,
            moves=tuple(words[: game.setups + ply + 1]),
            dice=game.record.dice[:ply],
            nodes=settings.nodes or None,
            depth=settings.depth or None,
            movetime=settings.movetime or (None if settings.nodes or settings.depth else game.info.review.movetime_ms),
            multipv=ALL_MOVES if game.info.has_hidden else 1,
            book=True,
            clear=not settings.movetime and bool(settings.nodes or settings.depth),  # so that a run can be repeated
        )
        asked.append(request_of(query, game.setups + ply, settings))
    return asked


def assess(
    game: ReviewedGame, course: GameCourse, asked: Sequence[PositionRequest], findings: Mapping[str, Finding]
) -> list[Ply]:
    """Return the judgement of each position of a game from the findings on the analysed ones."""
    plies: list[Ply] = []
    for ply in range(game.plies + 1):
        finding = findings.get(asked[ply].key) if ply < len(asked) else None
        plies.append(_ply(game, course, ply, finding))
        if ply:
            lost = round(max(_lost(game, course, ply, plies), 0.0), 4)
            plies[ply] = plies[ply]._replace(lost=lost, grade=grade_of(lost))
    for ply in range(1, len(plies) - 1):
        if plies[ply].grade and _is_taken_back(game, course, ply, plies):
            plies[ply] = plies[ply]._replace(is_unsure=True)
    return plies


def shown_loss(lost: float) -> float:
    """Return a chance lost as it is shown: in whole percent, below 10 % in tenths; halves are rounded up."""
    parts = round(lost * 10_000)
    return (parts + 5) // 10 / 1000 if parts < 1000 else (parts + 50) // 100 / 100


def grade_of(lost: float) -> int:
    """Return the number of GRADES that a loss reaches, as it is shown."""
    return sum(shown_loss(lost) >= least for least in GRADES)


def _is_taken_back(game: ReviewedGame, course: GameCourse, ply: int, plies: Sequence[Ply]) -> bool:
    """True if the next search finds that the move before a position lost less than an inaccuracy.

    That is known where the other side answers as the engine would: its answer changes no value, so a difference of
    the two searches corrects the first. It is not known in Junqi, where the two searches know different pieces.
    """
    old, new = plies[ply], plies[ply + 1]
    if course.views or old.line is None or old.after is None or new.before is None:
        return False
    if bare(old.line.moves[0]) != bare(game.record.moves[game.setups + ply]):
        return False
    back = new.before - old.after if course.turns[ply - 1] == 0 else old.after - new.before
    return not grade_of(max(old.lost - back, 0.0))


class Doubt(NamedTuple):
    """Reasons to doubt the judgement of a game."""

    depth: int  # the median depth of its searches if they are shallow, else 0
    unsure: int  # the number of grades that the next search takes back
    movetime: int  # milliseconds for a position that may settle it


def doubt_of(game: ReviewedGame, plies: Sequence[Ply], movetime: int) -> Doubt | None:
    """Return why a game's judgement is in doubt, None if it is not; `movetime`: that of its searches, 0 for another
    limit.

    Positions with a proven value do not count: their searches end early.
    """
    depths = [
        judged.finding.depth for judged in plies if judged.finding and judged.finding.depth and not _is_proven(judged)
    ]
    depth = statistics.median_low(depths) if depths else 0
    unsure = sum(judged.is_unsure for judged in plies)
    if depth >= game.info.review.shallow_depth:
        depth = 0
    if not depth and not unsure:
        return None
    return Doubt(depth, unsure, MORE_TIME * (movetime or game.info.review.movetime_ms))


def _is_proven(judged: Ply) -> bool:
    assert judged.finding is not None
    return bool(judged.finding.ending or (judged.line is not None and judged.line.value.mate))


def solved(game: ReviewedGame, loaded: Game[Position], plies: Sequence[Ply]) -> list[Ply]:
    """Return the judgement with the tablebase's line to the end in place of the search's, where there is one."""
    updated = list(plies)
    if is_solving_game(loaded):
        for ply, position in enumerate(replayed(game, loaded)):
            line, finding = plies[ply].line, plies[ply].finding
            if line is not None and finding is not None and finding.ending:
                twin, words = position.copy(), []
                for move in loaded.solution(position):
                    words.append(twin.move_text(move))
                    twin.push(move)
                if words:
                    updated[ply] = plies[ply]._replace(line=msgspec.structs.replace(line, moves=tuple(words)))
    return updated


def _ply(game: ReviewedGame, course: GameCourse, ply: int, finding: Finding | None) -> Ply:
    outcome, turn = course.outcomes[ply], course.turns[ply]
    if outcome is not None and not outcome.unknown:
        return Ply(outcome.points, outcome.points, None, finding)
    if finding is None or finding.value is None:
        return Ply(None, None, None, finding)
    throw = game.throw(ply) if ply < game.plies else 0
    line = next((line for line in finding.lines if line.throw in (0, throw)), None)
    before = _first_view(finding.value.expected, turn)
    after = _first_view(line.value.expected, turn) if line else None
    return Ply(before, after, line, finding)


def _first_view(chance: float, turn: int) -> float:
    return 1 - chance if turn else chance


def _lost(game: ReviewedGame, course: GameCourse, ply: int, plies: Sequence[Ply]) -> float:
    """Return the chance that the move before a position lost, its player's view; 0 where it is not known."""
    old, new = plies[ply - 1], plies[ply]
    played = bare(game.record.moves[game.setups + ply - 1])
    if old.line is None or old.finding is None or bare(old.line.moves[0]) == played:
        return 0.0
    if course.views:
        lines = (line for line in old.finding.lines if bare(line.moves[0]) == played)
        return old.line.value.expected - next(lines, old.line).value.expected
    if old.after is None or new.before is None:
        return 0.0
    return old.after - new.before if course.turns[ply - 1] == 0 else new.before - old.after


def summaries(game: ReviewedGame, course: GameCourse, plies: Sequence[Ply]) -> tuple[SideSummary, SideSummary]:
    """Return the effects of each side's moves and throws.

    In EWN, luck + skill + unknown of the first side, less those of the second, is the change of the first side's chance
    from the first position to the last. This needs the chances of all positions.
    """
    sides = []
    for side in range(2):
        own = [ply for ply in range(1, len(plies)) if course.turns[ply - 1] == side]
        grades = [plies[ply].grade for ply in own]
        lost = sum(plies[ply].lost for ply in own) / max(len(own), 1)
        summary = SideSummary(len(own), (grades.count(1), grades.count(2), grades.count(3)), lost)
        if game.info.has_dice:
            luck, skill, unknown = _luck_and_skill(side, own, plies)
            summary = summary._replace(luck=luck, skill=skill, unknown=unknown)
        sides.append(summary)
    return sides[0], sides[1]


def _luck_and_skill(side: int, own: Sequence[int], plies: Sequence[Ply]) -> tuple[float, float, float]:
    luck = skill = unknown = 0.0
    sign = 1 - 2 * side
    for ply in own:
        old, new = plies[ply - 1], plies[ply]
        if old.before is None or new.before is None:
            continue
        if old.after is None:
            unknown += sign * (new.before - old.before)
        else:
            luck += sign * (old.after - old.before)
            skill += sign * (new.before - old.after)
    return luck, skill, unknown
