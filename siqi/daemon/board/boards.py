"""The boards of the page: pictures as the games draw them, and the places of their points."""

from __future__ import annotations

import itertools
from collections import OrderedDict
from collections.abc import Iterable
from typing import NamedTuple

from siqi.daemon.board.drawings import Drawing
from siqi.daemon.board.events import Board, BoardView, Cell, GameCard
from siqi.daemon.review.pictures import WAYS
from siqi.games import registry
from siqi.games.contract import Game, Position
from siqi.games.pictures.diagram import Diagram
from siqi.games.pictures.style import PictureStyle

KEPT = 8
"""Pictures that tabs may still ask for."""


def card(name: str) -> GameCard:
    """Return what the page says of a game before it is chosen."""
    info = registry.info(name)
    names = {language: [of.game, *of.sides] for language, of in (("en", info.english), ("zh", info.chinese))}
    return GameCard(
        name, names, list(info.pieces), list(info.skill_elo), info.has_dice, info.has_setup, info.has_hidden
    )


def board(game: Game[Position], number: int) -> Board:
    """Return the places of a game's board, from both sides."""
    name = game.info.name
    faces = list(registry.picture_maker(name).FACES)
    return Board(number=number, game=name, views=[_view(game, flipped) for flipped in WAYS], faces=faces)


def _view(game: Game[Position], flipped: bool) -> BoardView:
    maker, style = registry.picture_maker(game.info.name), PictureStyle(flipped=flipped)
    drawing = maker.draw(Diagram({}, 0, ""), style)
    rows: dict[float, list[Cell]] = {}
    for point, (x, y) in maker.grid_of(style).centres().items():
        rows.setdefault(y, []).append(Cell(point, x, y))
    cells = list(rows.values())
    width = _least_step(cell.x for cell in cells[0])
    height = _least_step(row[0].y for row in cells)
    return BoardView((drawing.width, drawing.height), (width, height), cells)


def _least_step(values: Iterable[float]) -> float:
    places = list(values)
    return min(after - before for before, after in itertools.pairwise(places))


class Seen(NamedTuple):
    """A picture as a tab sees boards."""

    is_flipped: bool
    faces: str
    svg: str


class Pictures:
    """The last pictures of all modes, drawn when they are asked for."""

    def __init__(self) -> None:
        self._drawn: OrderedDict[int, Drawing] = OrderedDict()
        self._svg: dict[tuple[int, bool, str], str] = {}
        self._sights: dict[object, tuple[bool, str]] = {}  # how tabs see boards
        self._sent: dict[object, int] = {}  # the pictures that they had last

    def keep(self, number: int, drawing: Drawing | None) -> None:
        """Keep what a mode shows now under a picture's number."""
        if drawing is None or number in self._drawn:
            return
        self._drawn[number] = drawing
        while len(self._drawn) > KEPT:
            gone, _ = self._drawn.popitem(last=False)
            self._svg = {key: svg for key, svg in self._svg.items() if key[0] != gone}

    def see(self, tab: object, is_flipped: bool, faces: str) -> None:
        """Note how a tab sees boards."""
        self._sights[tab] = is_flipped, faces

    def forget(self, tab: object) -> None:
        """Forget a tab that is gone."""
        self._sights.pop(tab, None)
        self._sent.pop(tab, None)

    def due(self, tab: object, number: int) -> Seen | None:
        """Return a picture for a tab that has said how it sees boards, once; None if there is nothing to send."""
        if tab not in self._sights or self._sent.get(tab) == number:
            return None
        is_flipped, faces = self._sights[tab]
        svg = self.svg(number, is_flipped, faces)
        if svg is None:
            return None
        self._sent[tab] = number
        return Seen(is_flipped, faces, svg)

    def svg(self, number: int, flipped: bool, faces: str = "") -> str | None:
        """Return a picture; None if it is no longer kept. `faces`: of the pieces, where the game has them."""
        if number not in self._drawn:
            return None
        key = number, flipped, faces
        if key not in self._svg:
            drawing = self._drawn[number]
            maker = registry.picture_maker(drawing.game)
            extras = {**drawing.extras, "faces": faces} if faces in maker.FACES else drawing.extras
            style = drawing.style._replace(flipped=flipped)
            self._svg[key] = str(maker.draw(drawing.drawn, style, **extras).svg())
        return self._svg[key]
