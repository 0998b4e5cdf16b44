"""The boards of a review: each position of each view as a frame, kept as its difference to the frame before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from siqi.daemon.review.assess import Ply, has_views, replayed
from siqi.daemon.review.engine import bare
from siqi.daemon.review.games import ReviewedGame
from siqi.games import registry
from siqi.games.contract import Game, GameInfo, Position, is_hidden_position
from siqi.games.pictures.frames import Frames
from siqi.games.pictures.style import Arrow, PictureStyle

VIEWS = ("all", "first", "second")
"""The views of a game with hidden pieces: the referee's and both sides'."""

PARTS = ("threats", "heat", "beliefs")
"""Additions to pieces and moves in the pictures of some games."""

WAYS = (False, True)
"""The two ways of drawing a board: unflipped and flipped."""


class Boards:
    """The frames of all games of one kind."""

    def __init__(self, game: str) -> None:
        self.game = game
        self.frames = Frames(len(WAYS))
        self._maker = registry.picture_maker(game)
        self._info = registry.info(game)
        self.parts = [name for name in PARTS if name in self._maker.EXTRAS]
        self._is_begun = False

    def frame(self, position: Position, best: str = "", extras: Mapping[str, Any] = {}) -> list[int]:
        """Return the frame of a position; `best`: the move that an arrow or rings show."""
        arrows, squares = marks_of(self._info, best)
        style = PictureStyle(arrows=arrows, squares=squares, background=not self._is_begun)
        drawing = self._maker.draw(position, style, **extras)
        frame = self.frames.find(drawing) if self._is_begun else None
        if frame is None:
            if not self._is_begun and "numerals" in self._maker.MARGINS:
                self.frames.add_background(
                    *(self._maker.draw(position, PictureStyle(flipped=way), numerals=True) for way in WAYS)
                )
            self._is_begun = True
            frame = self.frames.add(drawing, self._maker.draw(position, style._replace(flipped=True), **extras))
        return frame


def marks_of(info: GameInfo, move: str) -> tuple[tuple[Arrow, ...], tuple[str, ...]]:
    """Return the marks of a move: an arrow, or rings where stones are placed; none for ''."""
    points = [info.shape.point_text(*point) for point in info.shape.points(bare(move))] if move else []
    if len(points) == 2 and info.stones_per_turn == 1:
        return (Arrow(points[0], points[1]),), ()
    return (), tuple(points)


class FrameStep(NamedTuple):
    """A position of a line and its frame in each view."""

    word: str
    frames: list[list[int]]


def watched(game: ReviewedGame, loaded: Game[Position]) -> Iterator[list[Position]]:
    """Yield a game's position after each ply in each of its views, always the same objects, as `replay` does."""
    views = [loaded.position() for _ in views_of(game)[1:]]
    for whole in replayed(game, loaded):
        follow(game, whole, views)
        yield [whole, *views]


def views_of(game: ReviewedGame) -> Sequence[str]:
    """Return the names of a game's views; a game without hidden pieces has one."""
    return VIEWS if has_views(game) else VIEWS[:1]


def follow(game: ReviewedGame, whole: Position, views: Sequence[Position]) -> None:
    """Play in each side's view the moves of the referee's position that it lacks; ValueError if that is impossible."""
    if is_hidden_position(whole, game.info):
        for viewer, view in enumerate(views):
            for word in whole.view_moves(viewer)[view.ply :]:
                view.push(view.parse_move(word))


class PositionFrames(NamedTuple):
    """A position of a game: its frame in each view, and those of the better line from it."""

    frames: list[list[int]]
    line: list[FrameStep]


def frames_of(
    game: ReviewedGame, loaded: Game[Position], plies: Sequence[Ply], boards: Boards
) -> Iterator[PositionFrames]:
    """Yield the frames of a game by ply."""
    for judged, positions in zip(plies, watched(game, loaded), strict=True):
        best = judged.line.moves[0] if judged.line is not None else ""
        frames = [boards.frame(position, best, _extras(game, position, judged)) for position in positions]
        yield PositionFrames(frames, list(_line(game, positions, judged, boards)))


def _extras(game: ReviewedGame, position: Position, judged: Ply | None = None) -> dict[str, Any]:
    """Return the extras of a position's picture: threats, what a side believes, chances by throw.

    Those of a better line, without `judged`, have no heat: it changes with each stone, and is most of a page's bytes.
    """
    maker = registry.picture_maker(game.game)
    extras: dict[str, Any] = {
        name: True for name in PARTS if name in maker.EXTRAS and (name != "heat" or judged is not None)
    }
    if game.info.has_dice and judged is not None and judged.finding is not None:
        extras["chances"] = {line.throw: line.value.expected for line in judged.finding.lines if line.throw}
    return extras


def _line(game: ReviewedGame, positions: Sequence[Position], judged: Ply, boards: Boards) -> Iterator[FrameStep]:
    """Yield the steps of the best line from a position, as far as they can be played and thrown."""
    if judged.line is None:
        return
    whole, *views = twins = [position.copy() for position in positions]
    for word in judged.line.moves:
        try:
            whole.push(whole.parse_move(word))
            follow(game, whole, views)
        except ValueError:
            return
        yield FrameStep(word, [boards.frame(twin, extras=_extras(game, twin)) for twin in twins])


def differences(frames: Iterable[Sequence[int]], base: Sequence[int] = ()) -> Iterator[list[int]]:
    """Yield each frame as changes of the one before it (the first: of `base`).

    The changes are, in order and one behind the other: the place in the old frame, the number of shapes removed there,
    the number of shapes put in their place, and these.
    """
    for frame in frames:
        changes: list[int] = []
        matcher = SequenceMatcher(None, base, frame, autojunk=False)
        for kind, start, end, first, last in matcher.get_opcodes():
            if kind != "equal":
                changes += [start, end - start, last - first, *frame[first:last]]
        yield changes
        base = frame
