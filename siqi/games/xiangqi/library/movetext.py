"""The movetext of PGN, written: moves with their numbers, NAGs, comments and variations. Moves without blanks, read."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field

from siqi.games.xiangqi.library.board import Board
from siqi.games.xiangqi.library.san import Notation
from siqi.games.xiangqi.library.tree import Line
from siqi.games.xiangqi.library.vietnamese import PATTERN

_KINDS, _NUMERALS = "帅帥将將仕士相象马馬傌车車俥炮砲包兵卒", "1-9１-９一二三四五六七八九"
_PLACES = "前中后後一二三四五1-5１-５"
CHINESE_MOVE = (
    f"(?:[{_KINDS}][{_NUMERALS}]|[{_PLACES}][{_KINDS}][{_NUMERALS}]?|[{_PLACES}][{_NUMERALS}][{_KINDS}]?)"
    f"[进進退平上下][{_NUMERALS}]"
)
"""The pattern of a move in Chinese, however it is written."""

_SINGLE = tuple(
    map(
        re.compile,
        (
            r"[A-Ia-i](?:10|[0-9])-?[A-Ia-i](?:10|[0-9])",
            r"(?:[A-Za-z][1-9+.=-]|[+-][A-Za-z]|[1-9][1-9+-]|\+\+|--)[-+.=][1-9]",
            CHINESE_MOVE,
            PATTERN,
            r"[KAEBHNRCP][a-i]?(?:10|[0-9])?[x:]?[a-i](?:10|[0-9])[+#]?",
        ),
    )
)
"""Moves in each notation; SAN's pawns are left out, whose texts could be halves of coordinates."""

_NUMBER = re.compile(r"[0-9]{1,5}[.．、]{1,3}|…{1,9}")
_RESULT = re.compile(r"(?:1-0|0-1|1/2-1/2|\*)\Z")
_LEAST_MOVES = 6
"""The characters of the two shortest moves."""


def moves_in(text: str) -> list[tuple[str, int]]:
    """Return the moves of a text without blanks, each with its offset, and the result behind them if there is one.

    Numbers between them are left out. A text that is not made of moves is returned whole.
    """
    if len(text) < _LEAST_MOVES or any(pattern.fullmatch(text) for pattern in _SINGLE):
        return [(text, 0)]
    if not any(pattern.match(text) for pattern in (_NUMBER, *_SINGLE)):
        return [(text, 0)]
    size = len(text)
    ends: dict[
        int, tuple[int, bool]
    ] = {}  # by place from which the text is made of moves: where a part ends, if a move
    for at in range(size - 1, -1, -1):
        for pattern in (_NUMBER, *_SINGLE, _RESULT):
            match = pattern.match(text, at)
            if match and (match.end() == size or match.end() in ends):
                ends[at] = match.end(), pattern is not _NUMBER
                break
    moves, at = [], 0
    while at in ends:
        end, is_move = ends[at]
        if is_move:
            moves.append((text[at:end], at))
        at = end
    return moves or [(text, 0)]


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
