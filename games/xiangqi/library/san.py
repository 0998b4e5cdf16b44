"""Moves as players write them, WXF's `C2.5` and Chinese 炮二平五: written and read.

Either text has four signs: the piece, its file, the direction, and a number. Each side counts files 1-9 from
its own right. Directions: forward `+` 进, back `-` 退, sideways `.` 平. The number is the new file after a
sideways or slanting step, else the ranks passed. Where pieces of a kind share a file ("in tandem"), signs in
place of the file distinguish them:

                        WXF                             Chinese
    two                 R+  R-                          前车 后车
    three pawns         P+  P3  P-                      前兵 中兵 后兵
    four                ++  P+  P-  --                  一兵 二兵 三兵 四兵
    five                ++  P+  P3  P-  --              一兵 .. 五兵
    pawns on two files  3+  33  3-  and  7+  7-         一兵 .. 五兵, file by file from the right, front first

(with 3 and 7 for their files). Advisors and elephants are written with their file: the front one goes back, the
rear one forward. Only in a composed position can both go the same way; they are then written as front and rear.

Sources: WXF, "Official Xiangqi piece names and notation" (wxf.org/xq/computer/wxf_notation.html, after C. W.
Huang, 1980/82); XQBase, 中国象棋通用引擎协议, 着法表示 (for the Chinese pawns).
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal, NamedTuple

from games.xiangqi import INFO
from games.xiangqi.library.letters import PIECES, after_legal, find_all
from games.xiangqi.rules.lookup import ADVISOR, ELEPHANT, HORSE, PAWN
from games.xiangqi.rules.move import AmbiguousMoveError, IllegalMoveError, InvalidMoveError
from games.xiangqi.rules.notation import move_code, squares_of

Notation = Literal["wxf", "chinese", "traditional", "iccs", "xboard", "fairy"]
"""Every notation except UCI's; `chinese` has simplified characters, `xboard` and `fairy` are SAN (algebraic.py)."""

LETTERS = "KAEHRCP"
NAMES = {
    "chinese": ("帅仕相马车炮兵", "将士象马车炮卒"),
    "traditional": ("帥仕相馬車炮兵", "將士象馬車砲卒"),
}
"""Characters of the pieces, by notation, side and kind."""

_DIRECTIONS = {"chinese": {"+": "进", "-": "退", ".": "平"}, "traditional": {"+": "進", "-": "退", ".": "平"}}
_ORDERS = {"chinese": "前中后", "traditional": "前中後"}
_NUMERALS = ("一二三四五六七八九", "１２３４５６７８９")
_MARKS = {2: ("?+", "?-"), 3: ("?+", "?#", "?-"), 4: ("++", "?+", "?-", "--"), 5: ("++", "?+", "?#", "?-", "--")}
"""WXF's first two signs, by length of the tandem and place in it: `?` for the letter, `#` for the file."""

_SYNONYMS = {
    "K": "帅帥将將G", "A": "仕士", "E": "相象B", "H": "马馬傌N", "R": "车車俥", "C": "炮砲包", "P": "兵卒S",
    "+": "进進前", "-": "退后後\u2212\u2013\u2014", ".": "平=",
}  # fmt: skip
_PLAIN = str.maketrans(
    {sign: plain for plain, signs in _SYNONYMS.items() for sign in signs}
    | {numeral: str(number) for number, numeral in enumerate(_NUMERALS[0], 1)}
)
_TEXT = re.compile(
    r"([KAEMHRCP][1-9+-]"  # C2, R+
    r"|[-+中1-5][KAEMHRCP]"  # 前车, 中兵, 一兵
    r"|[-+中][1-9]|[1-9][+-]|([1-9])\2"  # 前三, 3+, 33
    r"|\+\+|--)([-+.])([1-9])"
)
_SLANTS = {ADVISOR: {1: 1}, ELEPHANT: {2: 2}, HORSE: {1: 2, 2: 1}}
"""Ranks passed by files passed."""


def characters(notation: Notation) -> str:
    """Return all characters that texts of a notation may hold."""
    if notation not in NAMES:
        return "ABCDEFGHIKPRabcdefghix0123456789+-.#"
    return "".join((*NAMES[notation], *_DIRECTIONS[notation].values(), _ORDERS[notation], *_NUMERALS))


class Scene(NamedTuple):
    """The parts of a position on which the text of a move depends."""

    letters: str  # letters.py
    side: int  # to move, 0 Red, 1 Black

    def is_legal(self, origin: int, target: int) -> bool:
        """Return True if a move is legal; any numbers may be asked."""
        return after_legal(self.letters, self.side == 0, origin, target) is not None

    def kind_at(self, square: int) -> int:
        return PIECES[self.letters[square]].piece_type

    def squares_of(self, kind: int) -> list[int]:
        """Return the squares of the mover's pieces of a kind, in order."""
        return find_all(self.letters, INFO.pieces[self.side][kind])


def write_san(scene: Scene, move: int, notation: Notation) -> str:
    """Return the text of a legal move, WXF or Chinese, from which `read_san` returns the same move."""
    origin, target = squares_of(move)
    kind = scene.kind_at(origin)
    if origin // 9 == target // 9:
        direction, far = ".", _file_number(target, scene.side)
    else:
        direction = "+" if (target > origin) == (scene.side == 0) else "-"
        slanting = origin % 9 != target % 9
        far = _file_number(target, scene.side) if slanting else abs(target // 9 - origin // 9)
    files = _files(scene, kind)
    number = _file_number(origin, scene.side)
    tandem = files[number]
    if kind in _SLANTS and kind != HORSE:
        tandem = [s for s in tandem if _move(scene, kind, s, direction, far) >= 0]
    has_several_tandems = kind == PAWN and sum(len(group) > 1 for group in files.values()) > 1
    if notation == "wxf":
        return f"{_wxf_piece(kind, number, tandem.index(origin), len(tandem), has_several_tandems)}{direction}{far}"
    name = NAMES[notation][scene.side][kind]
    numerals = _NUMERALS[scene.side]
    if len(tandem) == 1:
        piece = name + numerals[number - 1]
    elif has_several_tandems or len(tandem) > 3:
        piece = _NUMERALS[0][_tandem_pieces(files).index(origin)] + name
    else:
        orders = _ORDERS[notation]
        piece = (orders if len(tandem) == 3 else orders[::2])[tandem.index(origin)] + name
    return f"{piece}{_DIRECTIONS[notation][direction]}{numerals[far - 1]}"


def read_san(scene: Scene, text: str) -> int:
    """Return the legal move of a WXF or Chinese text.

    Besides what `write_san` writes, it reads any case, full-width signs, `=` for `.`, the letters G (king), B or
    M (elephant; M also advisor), N (horse) and S (pawn), either side's characters and numerals, 前 and 后 for
    the outermost of more pawns, the sign before the piece (`+R.3` for 前车平三; of four or five pawns that is
    the foremost), 前三 for `3+`, and a plain file where that leaves one legal move.

    InvalidMoveError, IllegalMoveError or AmbiguousMoveError if there is no such move.
    """
    plain = unicodedata.normalize("NFKC", text.strip()).upper().translate(_PLAIN)
    match = _TEXT.fullmatch(plain)
    if not match:
        raise InvalidMoveError(f"not a move: {text}")
    piece, _, direction, far = match.groups()
    letter = next((sign for sign in piece if sign.isalpha() and sign != "中"), "P")
    moves = {
        _move(scene, kind, origin, direction, int(far))
        for kind in ((ADVISOR, ELEPHANT) if letter == "M" else (LETTERS.index(letter),))
        for origin in _origins(_files(scene, kind), kind, piece)
    } - {-1}
    if not moves:
        raise IllegalMoveError(f"illegal move: {text}")
    if len(moves) > 1:
        raise AmbiguousMoveError(f"ambiguous move: {text}")
    return moves.pop()


def _file_number(square: int, side: int) -> int:
    return 9 - square % 9 if side == 0 else square % 9 + 1


def _files(scene: Scene, kind: int) -> dict[int, list[int]]:
    """Return the squares of the mover's pieces of a kind by file number, on each file from the front."""
    files: dict[int, list[int]] = {}
    for square in sorted(scene.squares_of(kind), reverse=scene.side == 0):
        files.setdefault(_file_number(square, scene.side), []).append(square)
    return files


def _tandem_pieces(files: dict[int, list[int]]) -> list[int]:
    """Return the squares of pieces in tandems, in the order in which Chinese notation numbers them."""
    return [square for _, tandem in sorted(files.items()) if len(tandem) > 1 for square in tandem]


def _wxf_piece(kind: int, number: int, place: int, length: int, has_several_tandems: bool) -> str:
    if length == 1:
        return f"{LETTERS[kind]}{number}"
    if has_several_tandems:
        mark = "+" if place == 0 else "-" if place == length - 1 else number
        return f"{number}{mark}"
    return _MARKS[length][place].replace("?", LETTERS[kind]).replace("#", str(number))


def _move(scene: Scene, kind: int, origin: int, direction: str, far: int) -> int:
    """Return the legal move from a square by the last two signs of its text, -1 if there is none."""
    rank, file = divmod(origin, 9)
    to_file = 9 - far if scene.side == 0 else far - 1
    if direction == ".":
        target = rank * 9 + to_file
    else:
        slants = _SLANTS.get(kind)
        ranks = slants.get(abs(to_file - file), 90) if slants else far
        up = (direction == "+") == (scene.side == 0)
        target = origin % 9 + (rank + (ranks if up else -ranks)) * 9
        target += to_file - file if slants else 0
    return move_code(origin, target) if scene.is_legal(origin, target) else -1


def _middle(tandem: list[int]) -> list[int]:
    return tandem[len(tandem) // 2 : len(tandem) // 2 + 1] if len(tandem) % 2 else []


def _origins(files: dict[int, list[int]], kind: int, piece: str) -> list[int]:
    """Return the squares that the first two signs of a plain text may name."""
    tandems = [tandem for tandem in files.values() if len(tandem) > 1]
    first, second = piece[0], piece[1]
    if first.isalpha() and first != "中":
        if second.isdigit():
            tandem = files.get(int(second), [])
            return _middle(tandem) if kind == PAWN and len(tandem) % 2 else tandem
        # Of four or more pawns the outermost are `++` and `--`, so `+` and `-` are the next ones.
        inner = [len(tandem) > 3 for tandem in tandems]
        return [t[i] if second == "+" else t[-1 - i] for t, i in zip(tandems, inner)]
    if piece in ("++", "--"):
        return [tandem[0 if first == "+" else -1] for tandem in tandems if len(tandem) > 3]
    if first.isdigit() and second.isalpha():
        return _tandem_pieces(files)[int(first) - 1 : int(first)]
    if not second.isalpha():
        # A mark with a file: 前三, 3+, 33.
        mark, file = (second, first) if first.isdigit() else (first, second)
        tandems = [tandem for tandem in (files.get(int(file), []),) if len(tandem) > 1]
        first = mark
    if first in "+-":
        return [tandem[0 if first == "+" else -1] for tandem in tandems]
    return [square for tandem in tandems for square in _middle(tandem)]
