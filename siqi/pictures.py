"""Pictures of positions and games that a reader steps through; notebooks show both."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from siqi.checks import check_type
from siqi.games import registry
from siqi.games.pictures.drawing import Drawing, Picture
from siqi.games.pictures.look import Look, look
from siqi.games.pictures.replay import page
from siqi.positions import Position, check_is_position

if TYPE_CHECKING:
    from siqi.games.xiangqi.library.board import Board


def picture(
    position: Position | Board,
    *,
    flipped: bool = False,
    coordinates: bool = True,
    size: int | None = None,
    theme: str = "auto",
    colors: Mapping[str, str] = {},
    lastmove: Collection[str] | None = None,
    arrows: Collection[tuple[str, str] | tuple[str, str, str]] = (),
    squares: Collection[str] = (),
    fill: Mapping[str, str] = {},
    **more: Any,
) -> Picture:
    """Return a position's picture, an SVG document that needs no font and nothing from outside; notebooks show it.

    Points are named as in moves. `flipped`: the second side is at the bottom; `size`: the width in pixels, None: the
    picture fills its container; `theme`: `auto` (the reader's), `light` or `dark`; `colors`: by the names of the
    game's PALETTE (games/<game>/picture.py), which are CSS variables `--siqi-NAME`, too; `lastmove`: its points, None:
    those of the last move; `arrows`: (from, to) or (from, to, colour), drawn below the pieces; `squares`: points with a
    ring; `fill`: colours by point. `more`, by game: Xiangqi `faces` (`traditional`, `simplified`, `letters`),
    `numerals` (the numbers of files in Chinese moves, in place of coordinates); Connect6 `numbers`, `threats`, `heat`;
    EWN `chances` by throw; Junqi `beliefs`, `faces` (`characters`, `letters`).

    ValueError for a point, colour or value that does not exist, TypeError for an unknown name or a wrong type.
    """
    shown = look(
        flipped=flipped,
        coordinates=coordinates,
        size=size,
        theme=theme,
        colors=colors,
        lastmove=lastmove,
        arrows=arrows,
        squares=squares,
        fill=fill,
    )
    return _drawing(position, shown, more).svg()


class Replay:
    """A game that a reader steps through, by buttons, keys or its list of moves; `html` needs no server."""

    def __init__(self, html: str) -> None:
        self.html = html

    def _repr_html_(self) -> str:
        return self.html

    def __str__(self) -> str:
        return self.html


def replay(
    position: Position | Board,
    *,
    words: Sequence[str] | None = None,
    flipped: bool = False,
    theme: str = "auto",
    **more: Any,
) -> Replay:
    """Return the game that led to a position, from the first position with a board; notebooks show it.

    `words`: the moves as they are shown, None: as in the protocol; `more` as for `picture`. Where they are Chinese, the
    margin of Xiangqi's board has the numbers of files.
    """
    check_is_position(position)
    shown = look(flipped=flipped, theme=theme)
    if words is not None:
        check_type("words", words, Sequence, "a list of texts")
    if words is not None and not isinstance(position, Position):
        from siqi.games.xiangqi.picture import are_chinese

        more = {"numerals": are_chinese(words), **more}
    back = position.copy()
    drawings = [_drawing(back, shown, more)]
    while back.move_stack:
        back.pop()
        if isinstance(back, Position) and not getattr(back._inner, "has_pieces", True):
            break  # before the set-ups
        drawings.append(_drawing(back, shown, more))
    moves = list(map(str, position.move_stack[len(position.move_stack) - len(drawings) + 1 :]))
    if words is not None and len(words) != len(moves):
        raise ValueError(f"{len(words)} words for {len(moves)} moves")
    return Replay(page(drawings[::-1], moves if words is None else words))


def _drawing(position: Position | Board, shown: Look, more: Mapping[str, Any]) -> Drawing:
    check_is_position(position)
    if isinstance(position, Position):
        return registry.picture_maker(position.game).draw(position._inner, shown, **more)
    from siqi.games.xiangqi.library import svg

    return svg.draw(position, shown, **more)
