"""The movetext of PGN, written: moves with their numbers, NAGs, comments and variations."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from games.xiangqi.library.board import Board
from games.xiangqi.library.san import Notation
from games.xiangqi.library.tree import Line


@dataclass
class _Branch:
    line: Line
    place: int = 0  # the number of its moves written
    variations: deque[Line] = field(default_factory=deque)  # that replace the last move, not written yet


def movetext(main: Line, board: Board, notation: Notation) -> list[str]:
    """Return the words of a line, from the position `board`, without its result.

    In comments `)` stands for `}`, and a blank for each run of blanks and line ends, because a line within a comment
    could be read as a tag. Nested variations need no recursion.
    """
    words = _notes(main, 0)
    branches = [_Branch(main)]
    has_number, opening = False, ""
    while branches:
        branch = branches[-1]
        if branch.variations:
            board.pop()
            branch = _Branch(branch.variations.popleft())
            branches.append(branch)
            notes = _notes(branch.line, 0)
            opening = "" if notes else "("
            words += [f"({notes[0]}", *notes[1:]] if notes else []
            has_number = False
        elif branch.place < len(branch.line.moves):
            if board.turn or not has_number:
                words.append(opening + move_number(board))
                opening = ""
            move = branch.line.moves[branch.place]
            words.append(opening + board.san(move, notation))
            board.push(move)
            branch.place += 1
            words += _notes(branch.line, branch.place)
            has_number = branch.place not in branch.line.comments
            branch.variations.extend(branch.line.variations.get(branch.place - 1, ()))
        else:
            branches.pop()
            if branches:
                for _ in branch.line.moves:
                    board.pop()
                words[-1] += ")"
                board.push(branches[-1].line.moves[branches[-1].place - 1])
                has_number = False
    return words


def _notes(line: Line, place: int) -> list[str]:
    """Return the NAGs and the comment after a number of a line's moves."""
    words = [f"${nag}" for nag in line.nags.get(place, ())]
    comment = " ".join(line.comments.get(place, "").replace("}", ")").split())
    return [*words, f"{{{comment}}}"] if comment else words


def move_number(board: Board) -> str:
    """Return `3.` before Red's third move, `3...` before Black's."""
    return f"{board.fullmove_number}.{'' if board.turn else '..'}"
