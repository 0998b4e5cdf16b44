"""The plain text of dpxq.com (东萍象棋网): one field per line, then moves in Chinese, one round
per line.

    标题: 第01局
    红方: 甲
    结果: 红方胜

    说明
    【主变: 红胜】
      1.炮二平五　马８进７
    当头炮
      2.马二进三　车９平８

    【变1-0-2】
      2. …………　车９进１

A line that is neither is a comment on the move before it. A variation names itself, the line that it leaves (0: the
main line) and the round in which; its first line begins with dots if the second side moves. It may also be called
变①接主变第2回合, and have the FEN of its first position in braces. A position stands behind 初始局面, as a FEN or drawn
with red pieces in ( ), black ones in [ ].

Sources: the site's own script, and texts that it wrote.
"""

from __future__ import annotations

import itertools
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from siqi.games.formats import Format, Losses, ParsedFile, WriteStyle, WrittenFile, encode, left_out
from siqi.games.xiangqi.formats.fitting import board_of, fen_tag, first_fen, fitted, rewrite_comments, tags_of
from siqi.games.xiangqi.library.board import Board
from siqi.games.xiangqi.library.move import Move
from siqi.games.xiangqi.library.movetext import CHINESE_MOVE, move_number
from siqi.games.xiangqi.library.pgn import MAX_MOVES, Game
from siqi.games.xiangqi.library.tree import CommentParts, Line
from siqi.games.xiangqi.rules.notation import board_text
from siqi.system.encodings import decode

_TAGS = {
    **{"标题": "Title", "分类": "EventType", "赛事": "Event", "轮次": "Round", "布局": "Opening", "红方": "Red"},
    **{"黑方": "Black", "结果": "Result", "日期": "Date", "地点": "Site", "组别": "Group", "台次": "Board"},
    **{"裁判": "Referee", "记录": "Recorder", "评论": "Annotator", "作者": "Author", "备注": "Remarks"},
    **{"结束方式": "Termination", "记时规则": "TimeControl", "红方用时": "RedTime", "黑方用时": "BlackTime"},
    **{"红等级分": "RedElo", "黑等级分": "BlackElo", "棋局类型": "Category", "棋局性质": "Nature"},
    **{"红方团体": "RedTeam", "红方姓名": "RedName", "红方等级": "RedTitle", "黑方团体": "BlackTeam"},
    **{"黑方姓名": "BlackName", "黑方等级": "BlackTitle", "棋谱主人": "Owner", "棋谱价值": "Price"},
    **{"浏览次数": "Hits", "来源网站": "Source"},
}
"""The tag of a field; any other field is a tag of its own name."""

_FIELDS = {tag: field for field, tag in _TAGS.items()}
_RESULTS = {"1-0": "红方胜", "0-1": "黑方胜", "1/2-1/2": "和棋", "*": "未知"}
_END = "棋谱由 http://www.dpxq.com/ 生成"
_SIMPLE = str.maketrans(
    "標題類賽輪佈紅結點組別臺評論備註記時規則團體棋譜價值瀏覽來源網站錄變",
    "标题类赛轮布红结点组别台评论备注记时规则团体棋谱价值浏览来源网站录变",
)

_FIELD = re.compile(r"(\w+)[ \t]*[:：][ \t　]*(.*)")
_ROW = re.compile(rf"\s*\d+\s*[.．、]\s*(?:[…\.]{{2,}}|{CHINESE_MOVE})")
_MOVE = re.compile(CHINESE_MOVE)
_DOTS = re.compile(r"\s*\d+\s*[.．、]\s*[…\.]{2,}")
_NUMBER = re.compile(r"\d+\s*[.．、]+|[…*!?！？①-⑳B]+")
_MAIN = re.compile(r"\s*【主变(?:[:：]\s*(.*?))?】")
_BRANCH = re.compile(
    r"\s*(?:【变(\d+)-(\d+)-(\d+)】|变([①-⑳]|\{\d+\})接(主变|变(?:[①-⑳]|\{\d+\}))第\s*(\d+)\s*(回合|着))"
)
_FEN = re.compile(r"\s*\{\s*((?:[A-Za-z1-9]+\s*/\s*){9}[A-Za-z1-9]+(?:\s+[rwb])?)\s*\}")
_POSITION = re.compile(r"\s*初始局面[:：]\s*(.*)")
_FOOT = re.compile(r"\s*棋谱由\s*\S+")
_POINT = re.compile(r"\(([^()])\)|\[([^\[\]])\]|[┌┬┐├┼┤└┴┘※]")
_SPECIAL = (_ROW, _MAIN, _BRANCH, _FEN, _POSITION, _FOOT, re.compile("标题[:：]"))
_NOTE = "注: "

_MAX_DRAWN = 40
"""The most lines of a drawn board."""

_PIECES = dict(zip("车马相象士仕帅将炮兵卒", "rnbbaakkcpp", strict=True))
_CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"


def read(form: Format, data: bytes, encoding: str | None) -> ParsedFile:
    """Return the games of a text."""
    parsed = ParsedFile()
    text, _, parsed.faults = decode(data, encoding, "gb18030")
    between: list[str] = []
    for number, lines in enumerate(_games(text, between), 1):
        reader = _Reader(lines)
        try:
            game = reader.game()
            parsed.notes += (f"game {number}: {note}" for note in game.notes)
            parsed.games.append(game)
        except ValueError as error:
            reader.faults.append(str(error))
        parsed.faults += (f"game {number}: {fault}" for fault in reader.faults)
    if not parsed.games and not parsed.faults:
        raise ValueError("no game of dpxq.com in the text")
    parsed.notes += left_out("lines between games", between)
    return parsed


def _games(text: str, between: list[str]) -> Iterator[list[str]]:
    """Yield the lines of each game: from a field or a row of moves to the last line, or the next title."""
    lines: list[str] = []
    has_moves = False
    for line in [*text.splitlines(), _END]:
        plain = line.strip().translate(_SIMPLE)
        is_end = bool(_FOOT.match(plain))
        if lines and (is_end or (has_moves and plain.startswith(("标题:", "标题：")))):
            yield lines
            lines, has_moves = [], False
        if is_end:
            continue
        if not lines and not _begins(line):
            between.append(line)
            continue
        has_moves = has_moves or bool(_ROW.match(line))
        lines.append(line)


def _begins(line: str) -> bool:
    """True if a game may begin with a line."""
    plain = line.strip().translate(_SIMPLE)
    field = _field_of(line)
    return any(pattern.match(plain) for pattern in (_ROW, _MAIN, _POSITION)) or bool(field and field[0] in _TAGS)


def _field_of(line: str) -> tuple[str, str] | None:
    """Return the name and the value of a field's line, None if it is none."""
    match = _FIELD.fullmatch(line.strip())
    return (match[1].translate(_SIMPLE), match[2].strip()) if match else None


@dataclass
class _Branch:
    """A line that is being read."""

    line: Line
    path: list[Move]  # the moves before it
    slot: tuple[Line, int] | None = None  # the move that it replaces


class _Reader:
    """A reader of one game's lines."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = deque(lines)
        self.faults: list[str] = []
        self._game = Game()
        self._board = Board()
        self._count = 0
        self._comments = CommentParts("\n")
        self._lost = 0  # lines of comments behind a fault
        self._branches: dict[int, _Branch] = {}

    def game(self) -> Game:
        """Return the game; ValueError if its position cannot be read."""
        game = self._game
        self._read_head()
        self._board = game.board()
        self._branches[0] = _Branch(game, [])
        current: _Branch | None = self._branches[0]
        has_failed = False
        while self._lines:
            line = self._lines.popleft()
            plain = line.translate(_SIMPLE)
            if match := _MAIN.match(plain):
                if match[1]:
                    game.headers.setdefault("Result", match[1])
            elif match := _BRANCH.match(plain):
                current, has_failed = self._open(match), False
            elif _ROW.match(line):
                if current is not None and not has_failed:
                    has_failed = not self._play(current, line)
            elif line.strip() and not _FEN.match(line):
                if current is None or has_failed:
                    self._lost += 1
                else:
                    self._comments.add(current.line, line.strip())
        self._comments.put()
        game.settle()
        if self._lost:
            game.notes.append(f"lines of comments on moves that are left out: {self._lost}")
        return game

    def _read_head(self) -> None:
        """Read fields and a position, up to what stands before the moves."""
        game = self._game
        fen = ""
        drawn: list[str] | None = None
        while self._lines:
            line = self._lines[0]
            plain = line.strip().translate(_SIMPLE)
            if _ROW.match(line) or _MAIN.match(plain) or (not plain and drawn is None and game.headers):
                break
            self._lines.popleft()
            if match := _POSITION.match(plain):
                fen, drawn = (fen_tag(board_of(match[1])), None) if match[1] else (fen, [])
            elif drawn is not None:
                drawn.append(plain)
                if "红方" in plain or len(drawn) > _MAX_DRAWN:
                    fen, drawn = _drawn_fen(drawn, self._first_mover), None
            elif (field := _field_of(line)) is not None:
                if field[1]:
                    game.headers[_TAGS.get(field[0], field[0])] = field[1]
            elif plain:
                self._comments.add(game, line.strip())
        if drawn:
            fen = _drawn_fen(drawn, self._first_mover)
        result = {"Result": game.headers["Result"]} if "Result" in game.headers else {}
        game.headers = tags_of(game) | result | ({"FEN": fen} if fen else {})

    @cached_property
    def _first_mover(self) -> str:
        """The side of the first move, by its numerals; asked while the head is read."""
        rows = (match[0] for line in self._lines if _ROW.match(line) and (match := _MOVE.search(line)))
        return "b" if re.search("[1-9１-９]", next(rows, "")) else "w"

    def _open(self, match: re.Match[str]) -> _Branch | None:
        """Return the variation that begins; None, which is a fault, if there is no such place."""
        number, parent = _label(match[1] or match[4]), _label(match[2] or match[5])
        unit = int(match[3] or match[6])
        own = itertools.takewhile(lambda line: not _BRANCH.match(line.translate(_SIMPLE)), self._lines)
        first = next((line for line in own if _ROW.match(line)), "")
        ply = unit - 1 if match[7] == "着" else 2 * (unit - 1) + bool(_DOTS.match(first))
        owner = self._branches.get(parent)
        place = ply - len(owner.path) if owner else -1
        if owner is None or number in self._branches or not 0 <= place < len(owner.line.moves):
            self.faults.append(f"variation {number}: there is no such place in variation {parent}")
            return None
        path = [*owner.path, *owner.line.moves[:place]]
        slot = owner.slot if place == 0 and owner.slot else (owner.line, place)
        self._branches[number] = _Branch(Line(), path, slot)
        self._go_to(path)
        return self._branches[number]

    def _go_to(self, path: list[Move]) -> None:
        """Take moves back and play others, until the board stands after these."""
        stack = self._board.move_stack
        same = 0
        while same < min(len(stack), len(path)) and stack[same] == path[same]:
            same += 1
        while len(self._board.move_stack) > same:
            self._board.pop()
        for move in path[same:]:
            self._board.push(move)

    def _play(self, branch: _Branch, row: str) -> bool:
        """Play the moves of a row; False after a fault, which ends the line."""
        line = branch.line
        for match in _MOVE.finditer(row):
            self._count += 1
            if self._count > MAX_MOVES:
                raise ValueError(f"more than {MAX_MOVES} moves")
            try:
                move = self._board.push_san(match[0], either_side=True)
            except ValueError as error:
                self.faults.append(f"{move_number(self._board)} {error}")
                return False
            if not line.moves and branch.slot:
                owner, place = branch.slot
                owner.variations.setdefault(place, []).append(line)
            line.moves.append(move)
        if rest := _NUMBER.sub("", _MOVE.sub("", row)).strip():
            self._comments.add(line, rest)
        return True


def _label(text: str) -> int:
    """Return the number of a variation, 0 for the main line."""
    text = text.removeprefix("变")
    if text == "主变":
        return 0
    return _CIRCLED.index(text) + 1 if text in _CIRCLED else int(text.strip("{}"))


def _drawn_fen(lines: Iterable[str], turn: str) -> str:
    """Return the FEN tag of a board drawn in text; ValueError if it is none."""
    rows = [points for line in lines if len(points := list(_POINT.finditer(line))) == 9]
    if len(rows) != 10:
        raise ValueError(f"初始局面: a board of {len(rows)} ranks, not 10")
    letters = {}
    for rank, points in enumerate(rows):
        for file, point in enumerate(points):
            if piece := point[1] or point[2]:
                letter = _PIECES.get(piece)
                if letter is None:
                    raise ValueError(f"初始局面: unknown piece {piece}")
                letters[(9 - rank) * 9 + file] = letter.upper() if point[1] else letter
    return first_fen(board_text(letters), turn)


def write(form: Format, games: Sequence[Game], style: WriteStyle) -> WrittenFile:
    """Return the text of the games."""
    losses = Losses()
    texts = [_game_text(fitted(game, form.holds, None, losses), losses) for game in games or [Game()]]
    return WrittenFile(encode("\n".join(texts), style.encoding, losses), +losses)


def _game_text(game: Game, losses: Losses) -> str:
    tags = tags_of(game)
    rewrite_comments(game, _without_blank_lines, "blanks and blank lines in comments", losses)
    rewrite_comments(
        game, _without_special, f"lines of comments that look like others, now after {_NOTE.strip()}", losses
    )
    rows = [f"结果: {_RESULTS[game.result]}"]
    for tag, value in tags.items():
        shown = " ".join(value.split())
        losses["line ends in tags, now blanks"] += shown != value
        if tag in _TAGS or _field_of(f"{_FIELDS.get(tag, tag)}: {shown}") != (_FIELDS.get(tag, tag), shown):
            losses[f"tags {tag}"] += 1
        else:
            rows.insert(0 if tag == "Title" else len(rows), f"{_FIELDS.get(tag, tag)}: {shown}")
    if "FEN" in game.headers:
        rows.append(f"初始局面: {game.headers['FEN']}")
    rows += [" ", *game.comments.get(0, "").splitlines(), "【主变】"]
    board = game.board()
    rows += _rows(game, board, 0)
    count = 0
    waiting: deque[tuple[Line, int, int, list[Move]]] = deque(
        [(game, 0, 0, [])]
    )  # line, number, plies and moves before
    while waiting:
        line, number, before, path = waiting.popleft()
        for place in sorted(line.variations):
            start = [*path, *line.moves[:place]]
            for variation in line.variations[place]:
                count += 1
                while board.move_stack:
                    board.pop()
                for move in start:
                    board.push(move)
                rows += [
                    " ",
                    f"【变{count}-{number}-{(before + place) // 2 + 1}】",
                    *_rows(variation, board, before + place),
                ]
                waiting.append((variation, count, before + place, start))
    return "\n".join([*rows, " ", _END, ""])


def _rows(line: Line, board: Board, ply: int) -> Iterator[str]:
    """Yield the rows of a line's moves and comments, from a position after `ply` moves, and play the moves."""
    row = ""
    for place, move in enumerate(line.moves):
        number = f"{(ply + place) // 2 + 1:>3}."
        if (ply + place) % 2 == 0:
            row = number
        elif not row:
            row = f"{number} …………　"
        elif place:
            row += "　"
        row += board.san_and_push(move, "chinese")
        comment = line.comments.get(place + 1, "")
        if comment or (ply + place) % 2 or place + 1 == len(line.moves):
            yield row
            row = ""
        yield from comment.splitlines()


def _without_blank_lines(text: str) -> str:
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


def _without_special(text: str) -> str:
    return "\n".join(
        _NOTE + line if any(pattern.match(line.translate(_SIMPLE)) for pattern in _SPECIAL) else line
        for line in text.splitlines()
    )
