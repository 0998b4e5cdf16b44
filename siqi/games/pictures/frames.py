"""Several positions of a game as one picture whose moving part is replaced: every shape is kept once."""

from __future__ import annotations

from siqi.games.pictures.drawing import Drawing


class Frames:
    """The pictures of positions on one board. A frame is the numbers of its shapes, in the order of drawing.

    Each position may be drawn in several ways that differ in places alone, such as from both sides of the board; a
    number then stands for a shape in each of them.
    """

    def __init__(self, ways: int = 1) -> None:
        self._numbers: dict[str, int] = {}  # by the shape in the first way
        self._shapes: list[tuple[str, ...]] = []
        self._shown: list[
            Drawing
        ] = []  # of each way: the first drawing's board, all drawings' shapes by id, the last one's title
        self._other: list[Drawing] = []  # another board under the same shapes, in each way
        self._ways = ways

    def add(self, *drawings: Drawing) -> list[int]:
        """Return the frame of a position, from its drawing in each way.

        ValueError if they differ in more than places.
        """
        if len(drawings) != self._ways:
            raise ValueError(f"{self._ways} drawings of a position, not {len(drawings)}")
        if not self._shown:
            self._shown = list(drawings)
        for kept, drawing in zip(self._shown, drawings, strict=True):
            kept.defs |= drawing.defs
            kept.title, kept.text = drawing.title, drawing.text
        frame = []
        for parts in zip(*(map(drawing.finished, drawing.foreground) for drawing in drawings), strict=True):
            number = self._numbers.setdefault(parts[0], len(self._shapes))
            if number == len(self._shapes):
                self._shapes.append(parts)
            elif self._shapes[number] != parts:
                raise ValueError(f"shapes that are alike in one way only: {parts[0]}")
            frame.append(number)
        return frame

    def add_background(self, *drawings: Drawing) -> None:
        """Add another board that may lie under the shapes, from a drawing with it in each way."""
        self._other = list(drawings)

    def find(self, drawing: Drawing) -> list[int] | None:
        """Return the frame of a position from its drawing in the first way; None if a shape of it is new."""
        try:
            return [self._numbers[drawing.finished(part)] for part in drawing.foreground]
        except KeyError:
            return None

    def shapes(self, way: int = 0) -> list[str]:
        """Return the shapes by number, as SVG; a shape may be a part of an element that another one ends."""
        return [parts[way] for parts in self._shapes]

    def background(self, way: int = 0) -> str:
        """Return the board."""
        return background_of(self._shown[way])

    def backgrounds(self) -> list[tuple[str, str]]:
        """Return the board and the part of the plane that the picture shows, in each way."""
        return [(background_of(drawing), drawing.view_box) for drawing in self._shown]

    def other_backgrounds(self) -> list[tuple[str, str]]:
        """Return the other board in the form of `backgrounds`; an empty list if there is none."""
        return [(background_of(drawing), drawing.view_box) for drawing in self._other]

    def picture(self, frame: list[int]) -> str:
        """Return the SVG that shows a frame in the first way.

        What moves change is a group of the class `siqi-foreground`.
        """
        shapes = self.shapes()
        foreground = "".join(shapes[number] for number in frame)
        for other in [*self._shown[1:], *self._other]:
            self._shown[0].defs |= other.defs
        groups = f'<g class="siqi-background">{self.background()}</g><g class="siqi-foreground">{foreground}</g>'
        return f"{self._shown[0].opening()}{groups}</svg>"


def background_of(drawing: Drawing) -> str:
    """Return the board of a drawing."""
    return "".join(map(drawing.finished, drawing.background))
