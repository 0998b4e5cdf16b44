"""Outlines: the fewest curves within the tolerance, paths that add up, and a shipped file that pictures can read."""

from __future__ import annotations

import cmath
import json
import math
import re

from scripts.pictures.draw_outlines import CHINESE, LATIN, TOLERANCE, Curve, _curves, path_of, simplified

from siqi.games.pictures.outlines import EM, PATH, outline


def circle(parts: int) -> list[Curve]:
    """Return a circle of radius 100 in curves whose controls lie on the tangents."""
    step = math.tau / parts
    ends = [100 * cmath.exp(1j * step * i) for i in range(parts + 1)]
    controls = [100 / math.cos(step / 2) * cmath.exp(1j * step * (i + 0.5)) for i in range(parts)]
    return [Curve(*three) for three in zip(ends, controls, ends[1:], strict=False)]


def test_smooth_curves_are_joined_within_the_tolerance() -> None:
    fewer = simplified(circle(64))
    assert 6 <= len(fewer) <= 16
    points = [abs(curve.at(i / 20)) for curve in fewer for i in range(21)]
    assert max(abs(radius - 100) for radius in points) <= TOLERANCE + 1
    assert all(abs(one.end - two.start) < 1e-9 for one, two in zip(fewer, [*fewer[1:], fewer[0]], strict=True))


def test_corners_stay() -> None:
    corners = [0j, 100 + 0j, 100 + 100j, 100j]
    points = [point for one, two in zip(corners, [*corners[1:], 0j], strict=True) for point in (one, (one + two) / 2)]
    halves = [(point, True) for point in points]
    square = simplified(_curves(halves))
    assert [curve.start for curve in square] == corners
    assert path_of([square]) == "m0 0h100v100h-100v-100z"


def test_relative_steps_add_up() -> None:
    """Rounded steps do not drift: the path of a circle, in whole numbers, ends at its start."""
    path = path_of([circle(40)])
    steps = re.findall(r"q(-?\d+)[ ]?(-?\d+)[ ]?(-?\d+)[ ]?(-?\d+)", path)
    lines = re.findall(r"l(-?\d+)[ ]?(-?\d+)", path)
    across = sum(int(step[2]) for step in steps) + sum(int(line[0]) for line in lines)
    down = sum(int(step[3]) for step in steps) + sum(int(line[1]) for line in lines)
    across += sum(map(int, re.findall(r"h(-?\d+)", path)))
    down += sum(map(int, re.findall(r"v(-?\d+)", path)))
    assert (across, down) == (0, 0) and len(steps) > 20


def test_every_character_is_shipped() -> None:
    shipped = json.loads(PATH.read_text(encoding="utf-8"))
    assert set(shipped) == set(CHINESE + LATIN) | {"outlines of"}
    assert PATH.stat().st_size < 40_000
    for character in CHINESE + LATIN:
        advance, (left, top, right, bottom), path = outline(character)
        assert 0 < advance <= EM * 1.2 and left < right and top < bottom
        assert right - left <= EM * 1.2 and bottom - top <= EM * 1.2
        assert re.fullmatch(r"(?:[mlhvqz][0-9 -]*)+", path) and path[0] == "m" and path[-1] == "z"
