"""The style of a picture of any game: its size, colours, marks and arrows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

THEMES = ("auto", "light", "dark")
"""`auto` follows the reader's system and the page's CSS variables; the others have fixed colours for any viewer."""

_COLOUR = re.compile(r"#[0-9a-f]{3,8}|[a-z]{3,30}|(?:rgb|hsl)a?\([0-9.,%/ deg-]{1,60}\)", re.ASCII | re.IGNORECASE)


class Arrow(NamedTuple):
    """An arrow between two points; `colour` is the name of a picture's colour or a CSS colour."""

    tail: str
    head: str
    colour: str = "arrow"


class PictureStyle(NamedTuple):
    """The style of a picture; points are named as in move texts with all options at their defaults."""

    flipped: bool = False  # True: the second side is at the bottom
    coordinates: bool = True
    size: int | None = None  # width in pixels; None: the picture fills its container
    theme: str = "auto"
    colors: Mapping[str, str] = MappingProxyType({})  # by the names of a picture's COLOURS
    lastmove: tuple[str, ...] | None = None  # its points; None: those of the position's last move
    arrows: tuple[Arrow, ...] = ()
    squares: tuple[str, ...] = ()  # points with a ring
    fill: Mapping[str, str] = MappingProxyType({})  # colours by point
    background: bool = True  # False: without the board, for a picture whose board stands already


def picture_style(
    *,
    flipped: bool = False,
    coordinates: bool = True,
    size: int | None = None,
    theme: str = "auto",
    colors: Mapping[str, str] = MappingProxyType({}),
    lastmove: Iterable[str] | None = None,
    arrows: Iterable[Arrow | tuple[str, str] | tuple[str, str, str]] = (),
    squares: Iterable[str] = (),
    fill: Mapping[str, str] = MappingProxyType({}),
) -> PictureStyle:
    """Return a checked `PictureStyle`; ValueError for an invalid theme, size or colour. Points are checked when drawn.

    TypeError for a value of a wrong type.
    """
    for name, points in (("lastmove", lastmove), ("squares", squares), ("arrows", arrows)):
        if isinstance(points, str) or not isinstance(points, Iterable | None):
            raise TypeError(f"{name}: a list is needed, not {type(points).__name__}")
    arrows = tuple(arrows)
    for arrow in arrows:
        if isinstance(arrow, str) or len(arrow) not in (2, 3):
            raise TypeError(f"arrows: two points, perhaps with a colour, are needed, not {arrow!r}")
    for name, mapping in (("colors", colors), ("fill", fill)):
        if not isinstance(mapping, Mapping):
            raise TypeError(f"{name}: a mapping is needed, not {type(mapping).__name__}")
    if not isinstance(size, int | None):
        raise TypeError(f"size: a whole number of pixels is needed, not {type(size).__name__}")
    if theme not in THEMES:
        raise ValueError(f"unknown theme {theme!r}; one of {', '.join(THEMES)}")
    if size is not None and not 1 <= size <= 100_000:
        raise ValueError(f"size: 1 to 100000 pixels, not {size}")
    shown = tuple(Arrow(*arrow) for arrow in arrows)
    for colour in (*colors.values(), *fill.values(), *(arrow.colour for arrow in shown)):
        check_colour(colour)
    last = None if lastmove is None else tuple(lastmove)
    return PictureStyle(flipped, coordinates, size, theme, dict(colors), last, shown, tuple(squares), dict(fill))


def check_colour(text: str) -> None:
    """Raise ValueError unless a text is a CSS colour: a name, #rgb to #rrggbbaa, or rgb(), hsl()."""
    if not isinstance(text, str) or not _COLOUR.fullmatch(text):
        raise ValueError(f"not a colour: {text!r}")
