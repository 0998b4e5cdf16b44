"""The tree of a game: a line of moves with its comments, NAGs and variations. Every file format reads and writes it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from siqi.games.xiangqi.library.move import Move


@dataclass(eq=False, repr=False)
class Line:
    """Moves in a row, from a position that the owner of the line knows.

    A line that replaces the first move of a variation stands beside that variation, so variations of a variation begin
    at 1.
    """

    moves: list[Move] = field(default_factory=list)
    """The moves of the line."""
    comments: dict[int, str] = field(default_factory=dict)
    """Texts by the number of the line's moves before them, 0 for its start."""
    nags: dict[int, list[int]] = field(default_factory=dict)
    """PGN's numeric annotations (1 a good move, 2 a mistake) by the number of moves before them."""
    variations: dict[int, list[Line]] = field(default_factory=dict)
    """By n, the lines that replace move n (from 0) and what follows it; none of them is empty."""

    def lines(self) -> Iterator[Line]:
        """Yield this line and all its variations, however deeply they are nested."""
        waiting = [self]
        while waiting:
            line = waiting.pop()
            yield line
            for place in sorted(line.variations, reverse=True):
                waiting += reversed(line.variations[place])

    def count_moves(self) -> int:
        """Return the number of moves, variations included."""
        return sum(len(line.moves) for line in self.lines())

    def __repr__(self) -> str:
        count = sum(map(len, self.variations.values()))
        return f"<{type(self).__name__}: {' '.join(map(str, self.moves))}; {count} variations>"

    def __eq__(self, other: object) -> bool:
        """Return True for the same moves, comments, NAGs and variations in the same order."""
        if not isinstance(other, Line):
            return NotImplemented
        return all(_shape(a) == _shape(b) for a, b in zip(self.lines(), other.lines(), strict=False)) and (
            sum(1 for _ in self.lines()) == sum(1 for _ in other.lines())
        )

    __hash__ = None  # type: ignore[assignment]  # lines are mutable


def _shape(line: Line) -> tuple[object, ...]:
    """Return what a line is without its variations' contents."""
    counts = {place: len(lines) for place, lines in line.variations.items() if lines}
    return line.moves, line.comments, line.nags, counts


class CommentParts:
    """The comments of lines that are being read in parts, joined once: in time that grows with their size only."""

    def __init__(self, joint: str) -> None:
        """`joint` stands between the parts of a comment."""
        self._joint = joint
        self._parts: dict[tuple[int, int], tuple[Line, list[str]]] = {}  # by the line's identity and the place

    def add(self, line: Line, text: str) -> None:
        """Add a part of the comment after a line's last move."""
        place = len(line.moves)
        self._parts.setdefault((id(line), place), (line, []))[1].append(text)

    def move(self, source: Line, target: Line) -> None:
        """Give the comment at the start of a line to another line's last move."""
        _, parts = self._parts.pop((id(source), 0), (source, []))
        for part in parts:
            self.add(target, part)

    def put(self) -> None:
        """Put the comments into their lines."""
        for (_, place), (line, parts) in self._parts.items():
            line.comments[place] = self._joint.join(parts)
        self._parts.clear()
