"""An SVG picture under construction: shapes, outlines of characters, colours by CSS variables.

A picture stands alone: no font, no script, no reference to anything outside it. Several pictures may share a page: all
ids and classes begin with `siqi-`, and equal ids have equal shapes. Each colour NAME of a picture is the CSS variable
`--siqi-NAME`, which a page may set; its default depends on the reader's light or dark mode.
"""

from __future__ import annotations

import functools
import re
import zlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from siqi.games.pictures.outlines import EM, outline, width_of
from siqi.games.pictures.style import PictureStyle
from siqi.system.texts import escape, isolated

MARK = "<!-- Siqi -->"
"""Stands in the head of each picture's file."""

_CLASSES = re.compile(r'class="([^"]*)"')

Palette = Mapping[str, tuple[str, str]]
"""Colours for light and for dark mode, by name."""


class Design(NamedTuple):
    """The name, the colours and the CSS of all pictures of a game."""

    name: str  # a word for ids and classes
    palette: Palette
    rules: str  # CSS, one rule per line; `$name` is a colour of the palette


class Picture(str):
    """An SVG document; notebooks show it."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)


def number(value: float) -> str:
    """Return a coordinate as text, to a tenth of a unit."""
    return f"{round(value, 1):g}" if round(value, 1) else "0"


def attributes(**values: Any) -> str:
    """Return XML attributes, each after a space; `_` stands for `-`, and None leaves an attribute out."""
    texts = ((key.strip("_").replace("_", "-"), value) for key, value in values.items() if value is not None)
    return "".join(
        f' {key}="{number(value) if isinstance(value, int | float) else escape(str(value))}"' for key, value in texts
    )


@functools.lru_cache(4096, typed=True)  # pictures of one game are made of the same shapes: half of their time
def shape(tag: str, **values: Any) -> str:
    """Return an empty element: `shape("circle", cx=1, cy=2, r=3, class_="stone")`."""
    return f"<{tag}{attributes(**values)}/>"


class Drawing:
    """A picture in three parts: `defs` (shapes by id), `background` (the board), `foreground` (what moves change)."""

    def __init__(self, design: Design, width: float, height: float, style: PictureStyle, title: str, text: str) -> None:
        """Begin a picture `width` by `height` units; `text` describes the position to readers who cannot see it.

        ValueError for a colour in `style` that the design does not have.
        """
        unknown = style.colors.keys() - design.palette.keys()
        if unknown:
            raise ValueError(f"unknown colour {min(unknown)!r}; one of {', '.join(design.palette)}")
        self.design, self.style = design, style
        self.width, self.height = width, height
        self.corner = (0.0, 0.0)  # the top left one
        self.title, self.text = title, text
        self.defs: dict[str, str] = {}
        self.background: list[str] = []
        self.foreground: list[str] = []

    def lay_board(self, parts: Iterable[str], coordinates: Callable[[], str]) -> None:
        """Draw the empty board, unless the style has none: its area, `parts`, and `coordinates` if it has them."""
        if self.style.background:
            (x, y), width, height = self.corner, self.width, self.height
            area = shape("rect", class_="board", x=x or None, y=y or None, width=width, height=height, rx=6)
            self.background += [area, *parts]
            if self.style.coordinates:
                self.background.append(coordinates())

    def symbol(self, name: str, *parts: str) -> str:
        """Keep a shape under an id of the design, and return the id."""
        key = f"{self.root_class()}-{name}"
        self.defs[key] = f'<g id="{key}">{"".join(parts)}</g>'
        return key

    def use(self, key: str, x: float, y: float, **values: Any) -> str:
        """Return a kept shape at a place."""
        return shape("use", href=f"#{key}", x=x or None, y=y or None, **values)

    def words(self, placed: Iterable[tuple[str, float, float]], height: float, **values: Any) -> str:
        """Return one group of lines of text, each centred at a place, with digits `height` units high."""
        scale = height / DIGIT
        parts = []
        for text, x, y in placed:
            left = x / scale - width_of(text) / 2
            for character in text:
                parts.append(self.use(self._character(character), round(left), round(y / scale + DIGIT / 2)))
                left += outline(character).advance
        return f'<g transform="scale({scale:.4g})"{attributes(**values)}>{"".join(parts)}</g>'

    def face(self, text: str, size: float, **values: Any) -> str:
        """Return characters side by side, each in a square of `size` units, centred on (0, 0) by their outlines."""
        boxes = [outline(character) for character in text]
        starts = [sum(other.advance for other in boxes[:i]) for i in range(len(boxes))]
        across = boxes[0].box[0] + starts[-1] + boxes[-1].box[2]
        along = min(other.box[1] for other in boxes) + max(other.box[3] for other in boxes)
        scale = size / EM
        place = f"translate({-scale * across / 2:.4g} {-scale * along / 2:.4g}) scale({scale:.4g})"
        uses = [self.use(self._character(character), x, 0) for character, x in zip(text, starts, strict=True)]
        return f'<g transform="{place}"{attributes(**values)}>{"".join(uses)}</g>'

    def _character(self, character: str) -> str:
        """Keep a character's outline; return its id."""
        key = f"siqi-{ord(character):x}"
        self.defs[key] = f'<path id="{key}" d="{outline(character).path}"/>'
        return key

    def colour(self, name: str) -> str:
        """Return a colour of the palette as a value of CSS, or any other colour as it is."""
        if name not in self.design.palette:
            return name
        if self.style.theme == "auto":
            return f"var(--{name})"
        return self.style.colors.get(name) or self.design.palette[name][self.style.theme == "dark"]

    def css(self) -> str:
        """Return the picture's CSS."""
        scope = f".{self.root_class()}"
        lines = []
        if self.style.theme == "auto":
            for dark in (False, True):
                body = ";".join(f"--{k}:var(--siqi-{k},{v[dark]})" for k, v in self.design.palette.items())
                rule = f"{scope}{{{body}}}"
                lines.append(f"@media(prefers-color-scheme:dark){{{rule}}}" if dark else rule)
        rules = re.sub(r"\$([a-z]+[0-9]?)", lambda match: self.colour(match[1]), self.design.rules)
        lines += [f"{scope}-{rule.strip().removeprefix('.')}" for rule in rules.strip().splitlines()]
        return "".join(lines)

    def root_class(self) -> str:
        """Return the class of the whole picture, with which ids and classes begin; equal ones have equal colours.

        A rule of CSS must not name it in front of another class: no ancestor is seen from within a used shape.
        """
        name = f"siqi-{self.design.name}"
        if self.style.theme == "auto":
            return name
        return f"{name}-{zlib.crc32(repr((self.style.theme, sorted(self.style.colors.items()))).encode()):x}"

    @property
    def view_box(self) -> str:
        """The part of the plane that the picture shows, as SVG has it."""
        return " ".join(map(number, (*self.corner, self.width, self.height)))

    def svg(self) -> Picture:
        """Return the picture as a document of its own."""
        return Picture(f"{self.opening()}{self.finished(''.join([*self.background, *self.foreground]))}</svg>")

    def finished(self, part: str) -> str:
        """Return a shape as it is written, with the names of its classes in full."""
        root = self.root_class()
        return _CLASSES.sub(lambda match: f'class="{" ".join(f"{root}-{name}" for name in match[1].split())}"', part)

    def opening(self) -> str:
        """Return the document up to the first shape."""
        width, height, style = self.width, self.height, self.style
        own = ";".join(f"--siqi-{key}:{value}" for key, value in style.colors.items()) if style.theme == "auto" else ""
        root = attributes(
            viewBox=self.view_box,
            width=style.size,
            height=None if style.size is None else round(style.size * height / width),
            class_=self.root_class(),
            style=own or None,
            role="img",
        )
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg"{root}>{MARK}<title>{escape(isolated(self.title))}</title>'
            f"<desc>{escape(isolated(self.text))}</desc><style>{self.css()}</style>"
            f"<defs>{self.finished(''.join(self.defs.values()))}</defs>"
        )


DIGIT = 146
"""The height of a digit, in units of an outline."""
