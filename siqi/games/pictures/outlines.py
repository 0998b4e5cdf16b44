"""The outlines of characters, from a file that scripts/pictures/draw_outlines.py makes.

They keep the licences of the fonts that they come from (LICENSE-FONTS.txt).
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import NamedTuple

PATH = Path(__file__).with_name("outlines.json")

EM = 200
"""Units of an outline's square."""


class Outline(NamedTuple):
    """A character's shape; x grows from the start of the character, y downwards from the base line."""

    advance: int
    box: tuple[int, int, int, int]  # left, top, right, bottom
    path: str


@functools.cache
def _outlines() -> dict[str, Outline]:
    rows = json.loads(PATH.read_text(encoding="utf-8"))
    return {key: Outline(value[0], tuple(value[1]), value[2]) for key, value in rows.items() if len(key) == 1}


def outline(character: str) -> Outline:
    """Return a character's outline; KeyError if there is none."""
    return _outlines()[character]


def width_of(text: str) -> int:
    """Return the width of a line of text, in units of EM."""
    return sum(outline(character).advance for character in text)
