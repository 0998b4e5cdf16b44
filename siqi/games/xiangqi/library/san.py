"""Moves as players write them, WXF's `C2.5`, Chinese 炮二平五 and Vietnamese `P2-5` (vietnamese.py): written and read.

Either text has four characters: the piece, its file, the direction, and a number. Each side counts files 1-9 from
its own right. Directions: forward `+` 进, back `-` 退, sideways `.` 平. The number is the new file after a
sideways or slanting step, else the ranks passed. Where pieces of a kind share a file ("in tandem"), signs in
place of the file distinguish them:

                        WXF                             Chinese
    two                 R+  R-                          前车 后车
    three pawns         P+  P3  P-                      前兵 中兵 后兵
    four                ++  P+  P-  --                  一兵 二兵 三兵 四兵
    five                ++  P+  P3  P-  --              一兵 .. 五兵
    pawns on two files  3+  33  3-  and  7+  7-         一兵 .. 五兵, file by file from the right, front first

(with 3 and 7 for their files). Where a tandem has three pawns or several files have one, Fairy-Stockfish writes a
place, 1 for the front, and the file: 13 23 33. So 11+1 and 33+1 have two readings if three pawns stand on such a file
beside another tandem: WXF's, unless the caller wants the other. Books and dpxq.com write 前兵 二兵 三兵 .. 后兵 of four
and five pawns, and with several files 前兵三平四, 前三平四 or 二三平四.

Advisors and elephants are written with their file: the front one goes back, the
rear one forward. Only in a composed position can both go the same way; they are then written as front and rear.

Sources: WXF, "Official Xiangqi piece names and notation" (wxf.org/xq/computer/wxf_notation.html, after C. W.
Huang, 1980/82); XQBase, 中国象棋通用引擎协议, 着法表示 (for the Chinese pawns); texts of Fairy-Stockfish and dpxq.com.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal, NamedTuple

from siqi.games.xiangqi import INFO
from siqi.games.xiangqi.library.letters import PIECES, after_legal, find_all
from siqi.games.xiangqi.library.move import AmbiguousMoveError, IllegalMoveError, InvalidMoveError
from siqi.games.xiangqi.library.vietnamese import DIRECTIONS, is_only_vietnamese, to_wxf
from siqi.games.xiangqi.library.vietnamese import LETTERS as VIETNAMESE_LETTERS
from siqi.games.xiangqi.rules.lookup import ADVISOR, ELEPHANT, HORSE, PAWN
from siqi.games.xiangqi.rules.notation import squares_of
from siqi.games.xiangqi.rules.position import make_move

Notation = Literal["wxf", "chinese", "traditional", "vietnamese", "iccs", "xboard", "fairy"]
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
_SIDES = (frozenset(f"帅帥仕相兵俥傌{_NUMERALS[0]}"), frozenset("将將象卒123456789"))
"""Characters that one side alone writes; books write 士 and all other pieces for both."""
_MARKS = {2: ("?+", "?-"), 3: ("?+", "?#", "?-"), 4: ("++", "?+", "?-", "--"), 5: ("++", "?+", "?#", "?-", "--")}
"""WXF's first two characters, by length of the tandem and place in it: `?` for the letter, `#` for the file."""

_SYNONYMS = {
    "K": "帅帥将將G", "A": "仕士", "E": "相象B", "H": "马馬傌N", "R": "车車俥", "C": "炮砲包", "P": "兵卒S",
    "+": "进進前上", "-": "退后後下\u2212\u2013\u2014", ".": "平=",
}  # fmt: skip
_PLAIN = str.maketrans(
    {sign: plain for plain, signs in _SYNONYMS.items() for sign in signs}
    | {numeral: str(number) for number, numeral in enumerate(_NUMERALS[0], 1)}
)
_TEXT = re.compile(
    r"(?:(?P<letter>[KAEMHRCP])(?P<after>[1-9.+-])"  # C2, R+
    r"|(?P<mark>[-+中1-5])(?:(?P<marked>[KAEMHRCP])(?P<far_file>[1-9]?)|(?P<near_file>[1-9])(?P<late>[KAEMHRCP]?))"
    r"|(?P<file>[1-9])(?P<side>[+-])|(?P<double>[6-9])(?P=double)"  # 3+, 77
    r"|(?P<ends>\+\+|--))(?P<direction>[-+.])(?P<far>[1-9])"  # the row before: 前车, 一兵, 前兵三, 前三, 13, 33
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
        """Return True if a move is legal; any numbers are accepted."""
        return after_legal(self.letters, self.side == 0, origin, target) is not None

    def kind_at(self, square: int) -> int:
        return PIECES[self.letters[square]].piece_type

    def squares_of(self, kind: int) -> list[int]:
        """Return the squares of the mover's pieces of a kind, in order."""
        return find_all(self.letters, INFO.pieces[self.side][kind])


def write_san(scene: Scene, move: int, notation: Notation) -> str:
    """Return the text of a legal move, WXF, Chinese or Vietnamese, from which `read_san` returns the same move."""
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
    has_place = len(tandem) > 3 or (len(tandem) > 1 and has_several_tandems)
    place = _tandem_pieces(files).index(origin) if has_place else -1
    if notation == "vietnamese":
        name = VIETNAMESE_LETTERS[kind]
        if len(tandem) == 1:
            piece = f"{name}{number}"
        elif place >= 0:
            piece = f"{place + 1}{name}"
        else:
            piece = name + ("tgs" if len(tandem) == 3 else "ts")[tandem.index(origin)]
        return f"{piece}{DIRECTIONS[direction]}{far}"
    name = NAMES[notation][scene.side][kind]
    numerals = _NUMERALS[scene.side]
    if len(tandem) == 1:
        piece = name + numerals[number - 1]
    elif place >= 0:
        piece = _NUMERALS[0][place] + name
    else:
        orders = _ORDERS[notation]
        piece = (orders if len(tandem) == 3 else orders[::2])[tandem.index(origin)] + name
    return f"{piece}{_DIRECTIONS[notation][direction]}{numerals[far - 1]}"


def read_san(scene: Scene, text: str, has_places: bool = False, is_vietnamese: bool = False) -> int:
    """Return the legal move of a WXF or Chinese text; of a Vietnamese one if it can be no other, or `is_vietnamese`.

    In addition to what `write_san` writes, it reads any case, full-width characters, `=` for `.`, the letters G (king),
    B or M (elephant; M also advisor), N (horse) and S (pawn), either side's characters and numerals, 上 and 下, 前 and
    后 for the outermost of more pawns, the `+` or `-` before the piece (`+R.3` for 前车平三; of four or five pawns that
    is the foremost), a place on a file (13, 二三), and a plain file where that leaves one legal move. 11 and 33 are
    places in Chinese, before `=`, and if `has_places`.

    InvalidMoveError, IllegalMoveError or AmbiguousMoveError if there is no such move.
    """
    shown = unicodedata.normalize("NFKC", text.strip())
    if is_vietnamese or is_only_vietnamese(shown):
        shown = to_wxf(shown) or shown
    match = _TEXT.fullmatch(shown.upper().translate(_PLAIN))
    if not match:
        raise InvalidMoveError(f"not a move: {text}")
    letter, mark, file = _named(match)
    moves: set[int] = set()
    for reading in (mark,) if has_places or "=" in shown or not shown.isascii() else (_doubled(match), mark):
        moves = moves or {
            _move(scene, kind, origin, match["direction"], int(match["far"]))
            for kind in ((ADVISOR, ELEPHANT) if letter == "M" else (LETTERS.index(letter),))
            for origin in _origins(_files(scene, kind), kind, reading, file)
        } - {-1}
    if not moves:
        raise IllegalMoveError(f"illegal move: {text}")
    if len(moves) > 1:
        raise AmbiguousMoveError(f"ambiguous move: {text}")
    return moves.pop()


def is_of_other_side(text: str, side: int) -> bool:
    """Return True if a Chinese text has names or numerals of the side that is not to move.

    The first numeral of Black's 一卒进１ is a place, and no file.
    """
    shown = unicodedata.normalize("NFKC", text.strip())
    if side == 1 and shown[:1] in _NUMERALS[0]:
        shown = shown[1:]
    return re.search("[\u4e00-\u9fff]", shown) is not None and not _SIDES[1 - side].isdisjoint(shown)


def _doubled(match: re.Match[str]) -> str:
    """Return the mark `33` for WXF's middle pawn on a file beside another tandem; any other text's own mark."""
    is_doubled = match["mark"] == match["near_file"] is not None and not match["late"]
    return "33" if is_doubled else _named(match)[1]


def _named(match: re.Match[str]) -> tuple[str, str, int]:
    """Return the letter, the mark ('' for none) and the file (0 for any) that the first characters of a text name.

    A mark: `++`, `--`; `+`, `-` for the ends of a tandem; `P+`, `P-` for WXF's, which are the inner ones of four pawns
    and more; `=` for the middle; `33` for WXF's, of a tandem beside another one; a place from 1 on.
    """
    if match["letter"]:
        after = match["after"]
        if after.isdigit():
            return match["letter"], "", int(after)
        return match["letter"], "=" if after == "." else f"P{after}", 0
    if match["ends"]:
        return "P", match["ends"], 0
    if match["double"]:
        return "P", "33", int(match["double"])
    if match["side"]:
        return "P", match["side"], int(match["file"])
    mark = "=" if match["mark"] == "中" else match["mark"]
    if match["marked"]:
        return match["marked"], mark, int(match["far_file"] or 0)
    return match["late"] or "P", mark, int(match["near_file"])


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
    """Return the legal move from a square by the last two characters of its text, -1 if there is none."""
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
    return make_move(origin, target) if scene.is_legal(origin, target) else -1


def _middle(tandem: list[int]) -> list[int]:
    return tandem[len(tandem) // 2 : len(tandem) // 2 + 1] if len(tandem) % 2 else []


def _origins(files: dict[int, list[int]], kind: int, mark: str, file: int) -> list[int]:
    """Return the squares that a mark and a file may name."""
    if not mark:
        tandem = files.get(file, [])
        return _middle(tandem) if kind == PAWN and len(tandem) % 2 else tandem
    if mark == "33":
        return _middle(files.get(file, [])) if sum(len(tandem) > 1 for tandem in files.values()) > 1 else []
    tandems = [tandem for number, tandem in files.items() if len(tandem) > 1 and file in (0, number)]
    if mark.isdigit():
        places = tandems[0] if file and tandems else [] if file else _tandem_pieces(files)
        return places[int(mark) - 1 : int(mark)]
    if mark == "=":
        return [square for tandem in tandems for square in _middle(tandem)]
    if mark in ("++", "--"):
        tandems = [tandem for tandem in tandems if len(tandem) > 3]
    inner = [len(tandem) > 3 and mark[0] == "P" for tandem in tandems]
    return [tandem[far] if mark[-1] == "+" else tandem[-1 - far] for tandem, far in zip(tandems, inner, strict=True)]
