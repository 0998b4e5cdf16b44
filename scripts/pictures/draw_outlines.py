"""Draw the outlines of the characters on boards and pieces from two fonts, so that no picture needs a font.

    python scripts/pictures/draw_outlines.py LXGWWenKai-Bold.ttf DejaVuSans-Bold.ttf --out outlines.json

The first font gives the Chinese characters, the second letters and digits. The shipped outlines are of LXGW WenKai Bold
1.250 and DejaVu Sans Bold 2.37; other fonts give other pictures. Points that change an outline by less than half a unit
in 200 are left out. The script needs fontTools (it comes with matplotlib).

Data: LXGW WenKai (https://github.com/lxgw/LxgwWenKai, SIL Open Font License 1.1), Debian's package fonts-lxgw-wenkai;
DejaVu (https://dejavu-fonts.github.io, a free licence of its own), Debian's package fonts-dejavu-core.
"""

from __future__ import annotations

import json
import math
import string
import sys
from pathlib import Path
from typing import Any, NamedTuple

from scripts.common import script

from siqi.games.pictures.outlines import EM, PATH
from siqi.system.files import replace_file

CHINESE = "帥仕相傌俥炮兵將士象馬車砲卒帅将马车楚河漢界" + "司令军长师旅团营连排工兵地雷炸弹旗" + "一二三四五六七八九"
LATIN = string.digits + string.ascii_letters + "%?"
"""Every character that a picture may show."""

HEAD = '{"outlines of":'

TOLERANCE = 0.5
"""Largest distance of a simpler outline, in units of EM."""

SMOOTH = math.radians(12)
"""The largest change of direction at a point that is not a corner."""

MAX_TURN = math.radians(100)
"""The largest change of direction along one curve."""

Point = complex
"""x + y j, y downwards: directions are arguments, distances absolute values."""


class Curve(NamedTuple):
    """A quadratic curve; a straight line if `control` lies between its ends."""

    start: Point
    control: Point
    end: Point

    def at(self, t: float) -> Point:
        return (1 - t) ** 2 * self.start + 2 * t * (1 - t) * self.control + t * t * self.end

    def leaves(self) -> Point:
        """Return the curve's direction at its start."""
        return self.control - self.start or self.end - self.start

    def arrives(self) -> Point:
        """Return the curve's direction at its end."""
        return self.end - self.control or self.end - self.start


def turn(one: Point, other: Point) -> float:
    """Return the angle between two directions, -pi to pi; 0 if one has no length."""
    product = one.conjugate() * other
    return math.atan2(product.imag, product.real) if product else 0.0


def contours_of(glyph: Any, glyphs: Any, scale: float) -> list[list[Curve]]:
    """Return a TrueType glyph's contours, `scale` units per unit of the font."""
    coordinates, ends, flags = glyph.getCoordinates(glyphs)
    contours = []
    first = 0
    for end in ends:
        points = [(complex(x, -y) * scale, bool(on & 1)) for (x, y), on in zip(coordinates, flags)][first : end + 1]
        first = end + 1
        if len(points) > 2:
            contours.append(_curves(points))
    return contours


def _curves(points: list[tuple[Point, bool]]) -> list[Curve]:
    """Return the curves through the points of a contour; True stands for a point on the curve, False for a control."""
    if not any(on for _, on in points):
        points = [((points[-1][0] + points[0][0]) / 2, True), *points]
    start = next(i for i, (_, on) in enumerate(points) if on)
    points = points[start:] + points[:start]
    whole: list[Point] = []  # points on the curve and controls alternate
    for (point, on), (after, after_on) in zip(points, [*points[1:], points[0]], strict=True):
        whole.append(point)
        if on == after_on:
            whole.append((point + after) / 2)
    ring = [*whole, whole[0]]
    return [Curve(*ring[i : i + 3]) for i in range(0, len(whole), 2)]


def simplified(curves: list[Curve]) -> list[Curve]:
    """Return a contour with as few curves as the tolerance allows, which begins at a corner."""
    corners = [i for i, curve in enumerate(curves) if abs(turn(curves[i - 1].arrives(), curve.leaves())) > SMOOTH]
    first = corners[0] if corners else 0
    curves = curves[first:] + curves[:first]
    fewer = []
    i = 0
    while i < len(curves):
        best, after = curves[i], i + 1
        for j in range(i + 2, len(curves) + 1):
            if abs(turn(curves[j - 2].arrives(), curves[j - 1].leaves())) > SMOOTH:
                break
            joined = _joined(curves[i:j])
            if joined is not None:
                best, after = joined, j
        fewer.append(best)
        i = after
    return fewer


def _joined(curves: list[Curve]) -> Curve | None:
    """Return one curve in place of several, None if it differs too much."""
    start, end = curves[0].start, curves[-1].end
    leaves, arrives = curves[0].leaves(), curves[-1].arrives()
    samples = [curve.at(t) for curve in curves for t in (0.25, 0.5, 0.75, 1.0)]
    angle = turn(leaves, arrives)
    if abs(angle) > MAX_TURN:
        return None
    if abs(angle) < 0.02:
        control = (start + end) / 2
    else:
        along = ((end - start) * arrives.conjugate()).imag / (leaves * arrives.conjugate()).imag
        control = start + along * leaves
        if along <= 0 or ((end - control) * arrives.conjugate()).real <= 0:
            return None
    joined = Curve(start, control, end)
    line = [joined.at(i / 24) for i in range(25)]
    tolerance = TOLERANCE + abs(end - start) / 60  # the points of `line` are some 1/24 of its length apart
    return joined if all(min(abs(point - other) for other in line) <= tolerance for point in samples) else None


def path_of(contours: list[list[Curve]]) -> str:
    """Return the SVG path of closed contours, in whole numbers; relative steps add up to the rounded points."""
    parts = []
    at = 0j
    for curves in contours:
        start = _rounded(curves[0].start)
        parts.append(f"m{_text(start - at)}")
        at = start
        for curve in curves:
            control, end = _rounded(curve.control) - at, _rounded(curve.end) - at
            parts.append(_step(control, end))
            at += end
        parts.append("z")
    return "".join(parts)


def _rounded(point: Point) -> Point:
    return complex(round(point.real), round(point.imag))


def _step(control: Point, end: Point) -> str:
    """Return a curve's part of a path, relative to its start."""
    length = abs(end)
    if not length:
        return ""
    if abs((control * end.conjugate()).imag) > TOLERANCE * length:
        return f"q{_text(control)}{_joint(_text(end))}"
    if not end.imag:
        return f"h{end.real:g}"
    return f"v{end.imag:g}" if not end.real else f"l{_text(end)}"


def _text(point: Point) -> str:
    return f"{point.real:g}{_joint(f'{point.imag:g}')}"


def _joint(text: str) -> str:
    """Return a number with the separator before it: a minus sign needs no blank."""
    return text if text.startswith("-") else f" {text}"


def entry_of(font: Any, character: str) -> tuple[int, list[int], str]:
    """Return a character's advance, box and path."""
    scale, glyphs = EM / font["head"].unitsPerEm, font["glyf"]
    name = font.getBestCmap()[ord(character)]
    contours = [simplified(curves) for curves in contours_of(glyphs[name], glyphs, scale)]
    points = [_rounded(curve.start) for curves in contours for curve in curves]
    columns, rows = [int(point.real) for point in points], [int(point.imag) for point in points]
    box = [min(columns), min(rows), max(columns), max(rows)]
    return round(font["hmtx"][name][0] * scale), box, path_of(contours)


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("chinese", type=Path, help="a TrueType font")
    parser.add_argument("latin", type=Path, help="a TrueType font")
    script.add_output(parser, "the outlines")
    options = parser.parse_args()
    out = script.output_file(options, PATH, script.begins_with(HEAD))
    script.require("fontTools")
    from fontTools.ttLib import TTFont

    lines, about = [], []
    for path, characters in ((options.latin, LATIN), (options.chinese, CHINESE)):
        font = TTFont(path)
        missing = [character for character in characters if ord(character) not in font.getBestCmap()]
        if missing:
            print(f"{path}: no outline of {''.join(missing)}", file=sys.stderr)
            return script.WRONG_USAGE
        about.append(f"{font['name'].getDebugName(4)}, {font['name'].getDebugName(5)}")
        for character in sorted(set(characters)):
            entry = json.dumps(entry_of(font, character), separators=(",", ":"))
            lines.append(f"{json.dumps(character, ensure_ascii=False)}: {entry}")
    text = f"{HEAD} {json.dumps('; '.join([*about, 'see LICENSE-FONTS.txt']))},\n" + ",\n".join(lines) + "}\n"
    replace_file(out, [text.encode()], script.begins_with(HEAD))
    print(f"{len(lines)} outlines, {len(text.encode())} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
