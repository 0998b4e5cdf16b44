"""Moves as chess players write them, `Ce2` and `Hxc7+`: the SAN of XBoard and of Fairy-Stockfish, written and read.

Both have the letters K A E H R C, `x` for captures, `+` and `#`, and name the origin's file or rank
where another piece of the kind could go to the same square: the file, unless only the rank distinguishes the pieces;
both, where neither alone does. They differ in this:

                        XBoard          Fairy-Stockfish
    ranks               0-9             1-10
    pawns               e4, exe6, de6   P, and otherwise like pieces

Sources: XBoard's and Fairy-Stockfish's own texts of moves; tests hold ours against both programs.
"""

from __future__ import annotations

import re
from typing import Literal

from siqi.games.xiangqi.library.letters import EMPTY
from siqi.games.xiangqi.library.move import AmbiguousMoveError, IllegalMoveError, InvalidMoveError
from siqi.games.xiangqi.library.san import LETTERS, Scene
from siqi.games.xiangqi.rules.lookup import PAWN
from siqi.games.xiangqi.rules.notation import FILES, square_text, squares_of
from siqi.games.xiangqi.rules.position import make_move

Dialect = Literal["xboard", "fairy"]

FIRST_RANK: dict[Dialect, int] = {"xboard": 0, "fairy": 1}
"""The number of the first rank."""

PATTERN = re.compile(r"([KAEBHNRCP]?)([a-i]?)(10|[0-9])?[-x:]?([a-i])(10|[0-9])(?:[+#]|\+\+)?")
COORDINATES = re.compile(r"[A-I](?:10|[0-9])-?[A-I](?:10|[0-9])|[a-i](?:10|[0-9])-?[a-i](?:10|[0-9])")
"""Moves by both squares, as ICCS and UCI write them."""

FAIRY_PAWN = re.compile(r"P[a-i]?(?:10|[0-9])?x?[a-i](?:10|[0-9])[+#]?|([1-5])(?!\1)[1-9][-+.=][1-9]")
"""A pawn's move as Fairy-Stockfish writes it and others do not: its letter in SAN, its place on its file in WXF."""

_SYNONYMS = {"B": "E", "N": "H", "": "P"}


def write_algebraic(scene: Scene, move: int, dialect: Dialect) -> str:
    """Return the text of a legal move without the sign for check or mate."""
    origin, target = squares_of(move)
    base = FIRST_RANK[dialect]
    kind = scene.kind_at(origin)
    is_capture = scene.letters[target] != EMPTY
    goal = ("x" if is_capture else "") + square_text(target, base)
    others = [other for other in _origins(scene, kind, target) if other != origin]
    file, rank = FILES[origin % 9], str(origin // 9 + base)
    if dialect == "xboard" and kind == PAWN:
        return (file if is_capture or origin % 9 != target % 9 else "") + goal
    has_rank = any(other % 9 == origin % 9 for other in others)
    has_file = any(other // 9 == origin // 9 for other in others) or (bool(others) and not has_rank)
    return LETTERS[kind] + (file if has_file else "") + (rank if has_rank else "") + goal


def read_algebraic(scene: Scene, text: str, first_rank: int) -> int:
    """Return the legal move of a text of either dialect, ranks counted from `first_rank`.

    It also reads N for the horse, B for the elephant, P for a pawn and both squares (`Ch2-e2`). A pawn's text without
    its file means the pawn that goes straight ahead, if there is one.

    InvalidMoveError, IllegalMoveError or AmbiguousMoveError if there is no such move.
    """
    match = PATTERN.fullmatch(text)
    if not match:
        raise InvalidMoveError(f"not a move: {text}")
    letter, file, rank, to_file, to_rank = match.groups()
    target = (int(to_rank) - first_rank) * 9 + FILES.index(to_file)
    kind = LETTERS.index(_SYNONYMS.get(letter, letter))
    origins = [
        origin
        for origin in _origins(scene, kind, target)
        if (not file or FILES[origin % 9] == file) and (not rank or origin // 9 + first_rank == int(rank))
    ]
    if kind == PAWN and len(origins) > 1:
        origins = [origin for origin in origins if origin % 9 == target % 9] or origins
    if not origins:
        raise IllegalMoveError(f"illegal move: {text}")
    if len(origins) > 1:
        raise AmbiguousMoveError(f"ambiguous move: {text}")
    return make_move(origins[0], target)


def _origins(scene: Scene, kind: int, target: int) -> list[int]:
    """Return the squares of the mover's pieces of a kind with a legal move to a square."""
    return [origin for origin in scene.squares_of(kind) if scene.is_legal(origin, target)]
