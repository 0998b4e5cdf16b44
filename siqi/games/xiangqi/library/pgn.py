"""Xiangqi games in PGN, read one by one from an open text file, and written.

Tags follow XQBase's 中国象棋电脑应用规范: `[Game "Chinese Chess"]` first, then Event, Date, Red, Black, Result,
FEN, and Format for the notation of the moves (Chinese, which is the default, WXF or ICCS). Moves are read in any
notation, whatever Format is; Vietnamese ones, which have WXF's letters and signs, where WXF makes no sense of them. The
caller opens the file in its encoding (`utf-8`, `gb18030`); a byte order mark is skipped. The file need not be seekable.

Results and dates are read in any wording (siqi/games/records/values.py). A game of another kind by its tags is refused.

A game keeps the text that it was read from, so that `Game.annotated` adds our notes and changes nothing else: comments,
NAGs, variations, tags and the notation of the moves all stay. Where a game's coordinates make no sense with ranks from
0, it is read with ranks from 1, as Fairy-Stockfish writes it.
"""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TextIO
from weakref import WeakKeyDictionary

from siqi.games.formats import left_out
from siqi.games.game_record import Note
from siqi.games.records.values import RESULT_TEXT, RESULTS, read_date, read_result
from siqi.games.xiangqi.library import vietnamese
from siqi.games.xiangqi.library.algebraic import FAIRY_PAWN
from siqi.games.xiangqi.library.board import STARTING_FEN, Board
from siqi.games.xiangqi.library.move import InvalidMoveError, Move
from siqi.games.xiangqi.library.movetext import CHINESE_MOVE, move_number, moves_in, movetext
from siqi.games.xiangqi.library.san import Notation
from siqi.games.xiangqi.library.signs import KEYBOARD, NAGS, is_like_move, split_sign
from siqi.games.xiangqi.library.style import NotationStyle, style_of
from siqi.games.xiangqi.library.tag_names import standard_name
from siqi.games.xiangqi.library.tree import CommentParts, Line

FORMATS: dict[Notation, str] = {
    **{"wxf": "WXF", "chinese": "Chinese", "traditional": "Chinese", "iccs": "ICCS"},
    **{"vietnamese": "Vietnamese", "xboard": "XBoard", "fairy": "Fairy-Stockfish"},
}
"""The Format tag of each notation."""

SIDE_TAG = "SiqiScoreSide"
"""The tag of a game with our notes: the side whose advantage a positive score is, always Red."""

MAX_MOVES = 1_000_000
"""The most moves of a game, variations included."""

_NAMES = frozenset({"", "?", "chinesechess", "xiangqi", "cchess", "象棋", "中国象棋", "中國象棋", "cờtướng", "cotuong"})
"""The names of Xiangqi in the tags Game and Variant, in lower case without blanks."""

_NO_VARIANTS = frozenset({"normal", "standard", "regular", "fromposition"})
_OTHER_GAMES = re.compile(
    "chess|(?:international|western)chess|国际象棋|國際象棋|shogi|janggi|koreanchess|makruk|banqi|darkchess|暗棋|翻翻棋|manchu|"
    "go|weiqi|围棋|圍棋|gomoku|五子棋|connect6|六子棋|junqi|军棋|軍棋|minixiangqi|.*(?:960|jieqi|揭棋)"
)
"""Values of Game that are no Xiangqi; any other may be a name of the file's own."""

_HANDICAPS = ("Handicap", "Odds", "让子", "讓子")
_NO_HANDICAP = re.compile(r"[?*-]*|0|no|none|nil|even|无|無|不让|不讓|分先|平手", re.IGNORECASE)

_WHITE = re.compile(r"White(?![a-z])")

LOGGER = logging.getLogger(__name__)

_TAG = re.compile(r'\s*\[\s*(\w+)\s+"(.*)"\s*\]\s*\Z', re.DOTALL)
_OPEN_TAG = re.compile(r'\s*\[\s*\w+\s+"[^"]*\Z')
_TAG_END = re.compile(r'[^"\[]*"\s*\]\s*\Z')
_START = re.compile(r'\s*\[\s*\w+\s+"|\s*1\s*[.．、]')
# The dot of a move number may touch a move that begins with a digit, as some of WXF's pawn moves: 1.33.4 and 33.4.
_TOKEN = re.compile(
    rf"(?P<comment>[{{;]|；(?!\s*(?:\Z|\d+\s*[.．、]|…|{CHINESE_MOVE}|[A-Za-z+-][A-Za-z0-9+.-]{{3}})))"
    r"|(?P<open>\()"
    r"|(?P<close>\))"
    r"|\$(?P<nag>\d{1,3})"
    r"|(?P<result>1-0|0-1|1/2-1/2|\*)(?![^\s({;])"
    r"|(?P<glyph>[!?‼⁇⁉⁈]+)"
    r"|\d+\s*[.．、]+(?=[^1-9]|[1-9][-+1-9][-+.=][1-9]|\Z)|\.+|…+"
    r"|(?P<move>[^\s{};()$!?‼⁇⁉⁈；、]+)"
    r"|(?P<stray>\})"
)
_SCORED_LINE = r"(?:[+-](?:\d+\.\d\d|M\d+)|\d{1,3}%)/\d+(?: (?=\S*[\d一二三四五六七八九１-９])\S{4,5})*"
_VERDICT = r"(?:inaccuracy|mistake|blunder) -\d{1,3}%"
_NOTED = f"(?:{_SCORED_LINE}|{_VERDICT})"
_NOTE = re.compile(rf"Siqi (?:{_NOTED}(?: \| {_NOTED})*|(?:1-0|0-1|1/2-1/2) [a-z-]+)")
"""A comment that is our note, which the next annotation replaces."""

_LAST_COMMENT = re.compile(r"\{([^}]*)\}|;(.*)", re.DOTALL)
_XBOARD_LETTERS = str.maketrans("nbNB", "heHE")

# By file, the line that ended a game because it begins the next.
_PENDING: WeakKeyDictionary[TextIO, str] = WeakKeyDictionary()


@dataclass
class Source:
    """The text that a game was read from, the places for our notes in it, and the notes that it has."""

    text: str = ""
    tags_end: int = 0  # offset of the end of the last tag's line
    anchors: list[int] = field(default_factory=list)  # offsets for notes, by the number of moves before them
    notes: list[tuple[int, int]] = field(default_factory=list)  # start, including a line end before it, and end of each
    words: list[str] = field(default_factory=list)  # the main line's moves as they are written
    ranks: int = 0  # the number of the first rank in coordinates
    is_vietnamese: bool = False


class Game(Line):
    """A game: its tags (`headers`), and its moves with comments, NAGs and variations.

    `errors` are the faults of the text that it was read from by `read_game`; `moves` are then those before the first
    fault. `warnings` are faults within variations, which end there. `notes` say what is left out, or kept as text
    because it has no known meaning.
    """

    def __init__(
        self,
        headers: dict[str, str] | None = None,
        moves: list[Move] | None = None,
        comments: dict[int, str] | None = None,
        nags: dict[int, list[int]] | None = None,
        variations: dict[int, list[Line]] | None = None,
    ) -> None:
        super().__init__(moves or [], comments or {}, nags or {}, variations or {})
        self.headers = headers or {}
        self.errors: list[ValueError] = []
        self.warnings: list[str] = []
        self.notes: list[str] = []
        self.source = Source()

    def __repr__(self) -> str:
        red, black = (self.headers.get(side, "?") for side in ("Red", "Black"))
        return f"<siqi.Game {red} - {black}, {self.result}, moves: {len(self.moves)}>"

    @classmethod
    def from_board(cls, board: Board, **headers: str) -> Game:
        """Return the game of a board's move stack, with the board's result unless `headers` has one."""
        if not isinstance(board, Board):
            raise TypeError(f"board: a siqi.Board is needed, not {type(board).__name__}")
        start = board.root().fen()
        setup = {} if start == STARTING_FEN else {"FEN": start}
        return cls({"Result": board.result(), **setup, **headers}, list(board.move_stack))

    @property
    def result(self) -> str:
        """The result by the tags: `1-0` (Red has won), `0-1`, `1/2-1/2`, or `*` if it is not known."""
        return self.headers.get("Result", "*")

    def board(self) -> Board:
        """Return the position at the start, even one that the rules cannot play; ValueError for a malformed FEN tag."""
        board = Board.empty()
        board.set_fen(self.headers.get("FEN", STARTING_FEN))
        return board

    def settle(self, end: str = "", has_day_first: bool = False) -> None:
        """Put the values of Result and Date into PGN's own form, as far as their meaning is known.

        White's tags are Red's where Red has none, as XBoard, PyChess and other programs of chess write them.

        What is not known stays as text, with a note. `end` is a result behind the moves, '' if there is none.
        `has_day_first`: as of `read_date`.
        """
        reds = {name: "Red" + name.removeprefix("White") for name in filter(_WHITE.match, self.headers)}
        reds = {name: red for name, red in reds.items() if self.headers.get(red, "").strip() in ("", "?")}
        empty = set(reds.values())
        self.headers = {reds.get(tag, tag): value for tag, value in self.headers.items() if tag not in empty}
        result, text = read_result(self.headers.get("Result", end))
        if text:
            self.headers[RESULT_TEXT] = text
            if result == "*":
                self.notes.append(f"a result that is not known, kept as text: {text}")
        if end not in ("", "*", result):
            if result == "*":
                result = end
            else:
                self.notes.append(f"the result is {result} by the tags and {end} behind the moves")
        if "Result" in self.headers or end:
            self.headers["Result"] = result
        if (date := self.headers.get("Date", "").strip()) not in ("", "?"):
            known = read_date(date, has_day_first)
            if known is None:
                self.notes.append(f"a date that is not known, kept as text: {date}")
                return
            self.headers["Date"] = known.day
            if known.time:
                self.headers.setdefault("Time", known.time)

    def mainline_moves(self) -> list[Move]:
        """Return the moves, under python-chess's name."""
        return self.moves

    def end(self) -> Board:
        """Return the position after the last move of the main line."""
        board = self.board()
        for move in self.moves:
            board.push(move)
        return board

    def text(self, notation: Notation = "wxf", width: int = 80) -> str:
        """Return the game as PGN, with movetext lines of at most `width` characters and a line feed at the end."""
        headers = {"Game": "Chinese Chess", "Event": "?", "Date": "????.??.??", "Red": "?", "Black": "?"}
        headers |= {**self.headers, "Result": self.result, "Format": FORMATS[notation]}
        if notation in ("xboard", "fairy"):
            headers = {"Variant": "xiangqi", **headers}
        if notation == "xboard" and "FEN" in headers:
            placement, *fields = headers["FEN"].split(" ")
            headers["FEN"] = " ".join([placement.translate(_XBOARD_LETTERS), *fields])
        tags = "".join(f"[{name} {_quoted(value)}]\n" for name, value in headers.items())
        lines = [""]
        for token in [*movetext(self, self.board(), notation), read_result(self.result).result]:
            gap = " " if lines[-1] else ""
            if len(lines[-1]) + len(gap) + len(token) > width and gap:
                lines.append(token)
            else:
                lines[-1] += gap + token
        return "\n".join([tags, *lines, ""])

    def __eq__(self, other: object) -> bool:
        """Return True for the same tags, faults and moves, with all variations."""
        if not isinstance(other, Game):
            return NotImplemented
        texts = [(game.headers, list(map(str, game.errors)), game.warnings) for game in (self, other)]
        return texts[0] == texts[1] and super().__eq__(other)

    __hash__ = None

    def annotated(self, notes: Mapping[int, Note], encoding: str = "utf-8") -> str:
        """Return the text that the game was read from, with notes by the number of moves before them; PGN if none.

        Notes of an earlier annotation are removed; nothing else changes. The moves of notes are in the game's style, or
        the nearest to it that the encoding can hold.
        """
        source = self.source
        if not source.text:
            (whole,) = read_games(io.StringIO(self.text()))
            return whole.annotated(notes, encoding)
        newline = next((end for end in ("\r\n", "\n", "\r") if end in source.text), "\n")
        edits = []  # first offset, end, and the text to put there
        for start, end in source.notes:
            stands_between = source.text[max(0, start - 1) : start].strip() and source.text[end : end + 1].strip()
            edits.append((start, end, " " if stands_between else ""))
        if SIDE_TAG not in self.headers:
            head = source.text[: source.tags_end]
            gap = newline if head and not head.endswith(("\n", "\r")) else ""
            edits.append((source.tags_end, source.tags_end, f'{gap}[{SIDE_TAG} "Red"]{newline}'))
        style = style_of(source.words, self.headers.get("Format", ""), source.ranks).fitted(encoding)
        note_ends = dict(source.notes)
        board = self.board()
        for place, anchor in enumerate(source.anchors):
            if place in notes:
                end = note_ends.get(anchor, anchor)
                gap = " " if source.text[end : end + 1].strip() else ""
                edits.append((anchor, anchor, f"{newline}{{{_note_text(notes[place], board, style)}}}{gap}"))
            if place < len(self.moves):
                board.push(self.moves[place])
        parts, done = [], 0
        for start, end, new in sorted(edits, key=lambda edit: edit[:2]):
            parts += [source.text[done:start], new]
            done = end
        return "".join([*parts, source.text[done:]])

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        """Return a page part that steps through the game, its moves in the game's notation."""
        from siqi.games.pictures.replay import page
        from siqi.games.xiangqi.library.svg import draw

        notations: dict[str, Notation] = {"wxf": "wxf", "iccs": "iccs"}
        notation = notations.get(self.headers.get("Format", "").lower(), "chinese")
        board = self.board()
        drawings, words = [draw(board, numerals=notation == "chinese")], []
        for move in self.moves:
            words.append(board.san(move, notation))
            board.push(move)
            drawings.append(draw(board, numerals=notation == "chinese"))
        return page(drawings, words)


class OtherGameError(ValueError):
    """Raised for a game whose tags say that its moves mean something else than they seem to."""


def read_games(handle: TextIO, report: Callable[[Game], None] | None = None) -> Iterator[Game]:
    """Yield the sound games of an open file, each read when it is requested.

    A malformed game (one with `errors`) is skipped and passed to `report`, by default logged.
    """
    while (game := read_game(handle)) is not None:
        if not game.errors:
            yield game
        elif report:
            report(game)
        else:
            LOGGER.warning("malformed game skipped: %s: %s", game.headers, game.errors[0])


def read_game(handle: TextIO, skip: Callable[[str], None] = lambda line: None) -> Game | None:
    """Return the next game of an open file, with the faults of its text in `errors`; None at the file's end.

    A game begins with a tag (or, without tags, with move 1), and ends at its result or with the file. A line
    that is a tag also ends it, even within an open comment. Each line between games goes to `skip`.
    """
    if not hasattr(handle, "readline"):
        raise TypeError(f"handle: an open text file is needed, not {type(handle).__name__}; load_games takes a name")
    line = _next_line(handle)
    while line and not _START.match(line):
        skip(line)
        line = _next_line(handle)
    if not line:
        return None
    game = Game()
    lines: list[str] = []
    size = 0
    while line.lstrip().startswith(("[", "%")):
        following = _next_line(handle)
        if _OPEN_TAG.match(line) and _TAG_END.match(following):  # a value with a line end in it
            line, following = line + following, _next_line(handle)
        lines.append(line)
        size += len(line)
        if _read_tag(game, line):
            game.source.tags_end = size
        line = following
    text_start, tag_notes = len(lines), len(game.notes)
    if refusal := _refusal(game.headers):
        game.errors.append(OtherGameError(refusal))
    tag_errors = len(game.errors)
    game.source.ranks = int(game.headers.get("Format") == FORMATS["fairy"])
    reader = _Movetext(game, size)
    has_ended = False
    while line and not has_ended and not _TAG.match(line):
        lines.append(line)
        has_ended = reader.feed(line)
        if not has_ended:
            line = _next_line(handle)
    if not has_ended:
        reader.close()
        if line:
            _PENDING[handle] = line
    return _finished(game, reader, lines, text_start, tag_errors, tag_notes)


def read_movetext(tags: Mapping[str, str], text: str, has_day_first: bool = False) -> Game:
    """Return the game of tags and a movetext that another format has, as `read_game` does.

    `has_day_first`: as of `read_date`.
    """
    game = Game(dict(tags))
    if refusal := _refusal(game.headers):
        game.errors.append(OtherGameError(refusal))
    lines = text.splitlines(keepends=True)
    reader = _Movetext(game, 0)
    if not any(map(reader.feed, lines)):
        reader.close()
    return _finished(game, reader, lines, 0, len(game.errors) if refusal else 0, 0, has_day_first)


def _finished(
    game: Game,
    reader: _Movetext,
    lines: list[str],
    text_start: int,
    tag_errors: int,
    tag_notes: int,
    has_day_first: bool = False,
) -> Game:
    """Return a game whose lines have been read, or the same read otherwise, if that makes sense of it.

    Otherwise: in Vietnamese notation, or with the other first rank.

    The first `text_start` lines have tags, which `tag_errors` and `tag_notes` of the errors and notes concern.
    """
    has_errors = len(game.errors) > tag_errors
    is_vietnamese = has_errors and vietnamese.is_vietnamese(lines[text_start:])
    is_odd = has_errors or (reader.has_fairy_pawns and not game.source.ranks)
    if is_vietnamese or (reader.has_ascii_moves and is_odd):
        other = Game(dict(game.headers))
        other.errors, other.notes = game.errors[:tag_errors], game.notes[:tag_notes]
        ranks = game.source.ranks if is_vietnamese else 1 - game.source.ranks
        other.source = Source("", game.source.tags_end, ranks=ranks, is_vietnamese=is_vietnamese)
        second = _Movetext(other, sum(map(len, lines[:text_start])))
        if not any(map(second.feed, lines[text_start:])):
            second.close()
        if len(other.errors) == tag_errors or (is_vietnamese and len(other.moves) > len(game.moves)):
            game, reader = other, second
    reader.put_comments()
    game.settle(reader.result, has_day_first)
    game.notes += reader.notes()
    game.source.text = "".join(lines)
    return game


def _refusal(tags: Mapping[str, str]) -> str:
    """Return why the moves of a game with these tags mean something else than they seem to, '' if they do not."""
    variant, kind = ("".join(tags.get(name, "").lower().split()) for name in ("Variant", "Game"))
    if variant not in _NAMES | _NO_VARIANTS:
        return f"a game of another kind: Variant {tags['Variant']}"
    if kind not in _NAMES and _OTHER_GAMES.fullmatch(kind):
        return f"a game of another kind: Game {tags['Game']}"
    if "FEN" in tags:
        return ""
    if tags.get("SetUp", "").strip() == "1":
        return "SetUp says that the game begins from a position, which no FEN gives"
    odds = next((name for name in _HANDICAPS if not _NO_HANDICAP.fullmatch(tags.get(name, "").strip())), "")
    return f"a handicap without the position from which it begins: {odds} {tags[odds]}" if odds else ""


def _next_line(handle: TextIO) -> str:
    return _PENDING.pop(handle, None) or handle.readline().lstrip("\ufeff")


def _read_tag(game: Game, line: str) -> bool:
    """Read a line into the tags if it is one; True if it is, even if it is malformed."""
    match = _TAG.match(line)
    if match:
        name, value = standard_name(match[1]), " ".join(match[2].splitlines())
        if name in game.headers:
            game.notes.append(f"the tag {name} is given twice, the first is left out: {game.headers[name]}")
        game.headers[name] = re.sub(r'\\(["\\])', r"\1", value)
        return True
    if line.lstrip().startswith("["):
        game.errors.append(ValueError(f"malformed tag: {line.strip()}"))
        return True
    return False


def _note_text(note: Note, board: Board, style: NotationStyle) -> str:
    """Return the text of a note without braces; its moves start from `board`."""
    lines = []
    for text, moves in note:
        words = [text]
        for word in moves:
            move = Move.from_uci(word)
            words.append(style.write(board, move))
            board.push(move)
        for _ in moves:
            board.pop()
        lines.append(" ".join(words))
    return f"Siqi {' | '.join(lines)}"


def _quoted(value: str) -> str:
    escaped = " ".join(value.replace("\\", "\\\\").replace('"', '\\"').splitlines())
    return f'"{escaped}"'


@dataclass
class _Branch:
    """A line that is being read: the game's own, or a variation that is open."""

    line: Line
    slot: tuple[Line, int] | None = None  # the line and the number of the move that a variation replaces
    is_dead: bool = False  # after a fault: its moves are skipped


class _Movetext:
    """A reader of one game's movetext, line by line."""

    def __init__(self, game: Game, offset: int) -> None:
        """`offset` is the length of the game's text before its movetext."""
        self._game = game
        self._offset = offset  # of the current line in the game's text
        self._comment_at = 0  # offset of the open comment, or of the line end before it
        self._line_end = 0  # length of the line's end, 0 if it also ends a comment
        self._line_end_before = 0  # the same of the line before
        self._is_anchored = True  # since the last anchor only NAGs, or comments at the start
        game.source.anchors = [offset]
        self._branches = [_Branch(game)]
        self._comments = CommentParts(" ")
        self._skipped = 0  # open variations within one that is dead
        self._count = 0  # of moves
        self.has_ascii_moves = False
        self.has_fairy_pawns = False
        self._result = ""
        self._worded = "", ""  # a result in other words than PGN's, and these; none if moves follow
        self._left_out: list[str] = []  # texts that mean nothing to the reader
        self._lost = 0  # comments and NAGs of moves behind a fault
        self._comment: list[str] | None = None  # the lines of an open comment
        self._comment_end = "}"
        self._board: Board | None = None  # None after the first fault: moves are skipped
        if not any(isinstance(error, OtherGameError) for error in game.errors):
            try:
                self._board = game.board()
            except ValueError as error:
                game.errors.append(error)

    @property
    def result(self) -> str:
        """The result behind the moves, '' if there is none."""
        return self._result or self._worded[0]

    @property
    def _is_main(self) -> bool:
        return len(self._branches) == 1 and not self._skipped

    def feed(self, line: str) -> bool:
        """Read a line; return True if it holds the game's result."""
        self._line_end = len(line) - len(line.rstrip("\r\n"))
        has_ended = self._feed(line)
        self._offset += len(line)
        self._line_end_before = self._line_end
        return has_ended

    def _feed(self, line: str) -> bool:
        if self._comment is None and line.startswith("%"):
            self._line_end = 0
            self._left_out.append(line)
            return False
        start = 0
        plain = line.translate(KEYBOARD)
        while start < len(line):
            if self._comment is not None:
                end = line.find(self._comment_end, start)
                self._comment.append(line[start:] if end < 0 else line[start:end])
                if end < 0:
                    return False
                start = end + 1
                self._end_comment(self._offset + start)
                continue
            match = _TOKEN.search(plain, start)
            self._left_out.append(plain[start : match.start() if match else len(plain)].strip(" ；、"))
            if not match:
                return False
            start = match.end()
            if match.lastgroup == "comment":
                self._comment = []
                self._comment_at = self._offset + (match.start() or -self._line_end_before)
                self._comment_end = "｝" if line[match.start()] == "｛" else "}"
                if match.group() in (";", "；"):
                    self._line_end = 0
                    self._comment.append(line[start:])
                    self._end_comment(self._offset + len(line))
                    return False
            elif self._take(match.lastgroup, match.group(match.lastgroup or 0), self._offset + start):
                self._take_rest(line[start:].strip())
                return True
        return False

    def _take_rest(self, text: str) -> None:
        """Read the rest of the line after the result; a comment is kept."""
        if match := _LAST_COMMENT.fullmatch(text):
            comment = (match[1] or match[2] or "").strip()
            if comment and not _NOTE.fullmatch(" ".join(comment.split())):
                self._keep_comment(comment)
        else:
            self._left_out.append(text)

    def put_comments(self) -> None:
        """Put the comments that were read into the game."""
        self._comments.put()

    def notes(self) -> list[str]:
        """Return a note on each kind of content that is left out."""
        lost = [f"comments and NAGs of moves that are left out: {self._lost}"] if self._lost else []
        return left_out("texts", self._left_out) + lost

    def close(self) -> None:
        """Finish a game that has no result; an open comment or variation is an error."""
        if self._comment is not None:
            self._fail("comment without end")
        if not self._is_main:
            self._fail("variation without end")

    def _fail(self, message: str) -> None:
        self._game.errors.append(ValueError(message))

    def _end_comment(self, end: int) -> None:
        """Close the open comment, which ends before an offset of the game's text."""
        text = "".join(self._comment or ()).strip()
        self._comment = None
        if self._is_main:
            source = self._game.source
            if _NOTE.fullmatch(" ".join(text.split())):
                source.notes.append((self._comment_at, end))
            elif self._game.moves:
                self._is_anchored = False
            elif self._is_anchored:
                source.anchors[0] = end
        if text:
            self._keep_comment(text)

    @property
    def _is_lost(self) -> bool:
        """True behind a fault: what stands there belongs to moves that are left out."""
        return bool(self._skipped) or self._board is None or self._branches[-1].is_dead

    def _keep_comment(self, text: str) -> None:
        if self._is_lost:
            self._lost += not _NOTE.fullmatch(" ".join(text.split()))
        else:
            self._comments.add(self._branches[-1].line, text)

    def _take(self, group: str | None, text: str, end: int) -> bool:
        """Apply a token that ends before an offset of the game's text; return True if it is the result."""
        source = self._game.source
        if group == "move" and text in NAGS:
            group = "glyph"
        if group not in ("nag", "glyph"):
            self._is_anchored = False
        elif self._is_anchored and self._is_main:
            source.anchors[-1] = end
        if group == "open":
            self._open()
        elif group == "close" and not self._is_main:
            self._close()
        elif group in ("close", "stray"):
            self._fail(f"stray {text}")
        elif group in ("nag", "glyph") and self._is_lost:
            self._lost += 1
        elif self._skipped:
            return False
        elif group == "result":
            if self._is_main:
                self._result = text
            else:
                self._left_out.append(text)
            return self._is_main
        elif group in ("nag", "glyph"):
            line = self._branches[-1].line
            if group == "glyph" and text not in NAGS:
                self._comments.add(line, text)
            else:
                nag = int(text) if group == "nag" else NAGS[text]
                line.nags.setdefault(len(line.moves), []).append(nag)
        elif group == "move":
            words, sign = split_sign(text)
            start = end - len(text)
            for word, at in moves_in(words):
                if word in RESULTS:
                    return self._take("result", word, end)
                self._move(word, start + at + len(word))
            if len(words) < len(text):
                if sign:
                    self._take("glyph", sign, end)
                elif self._is_anchored and self._is_main:  # a check
                    source.anchors[-1] = end
        return False

    def _move(self, text: str, end: int) -> None:
        branch, source = self._branches[-1], self._game.source
        if self._board is None or branch.is_dead:
            return
        self.has_ascii_moves = self.has_ascii_moves or text.isascii()
        self.has_fairy_pawns = self.has_fairy_pawns or bool(FAIRY_PAWN.fullmatch(text))
        try:
            self._count += 1
            if self._count > MAX_MOVES:
                raise ValueError(f"more than {MAX_MOVES} moves")
            move = self._board.push_san(text, source.ranks, either_side=True, is_vietnamese=source.is_vietnamese)
        except ValueError as error:
            if isinstance(error, InvalidMoveError) and self._is_beside_moves(text):
                return
            fault = type(error)(f"{move_number(self._board)} {error}")
            if self._is_main:
                self._game.errors.append(fault)
                self._board = None
            else:
                self._game.warnings.append(str(fault))
                branch.is_dead = True
            return
        if branch.slot and not branch.line.moves:
            owner, place = branch.slot
            owner.variations.setdefault(place, []).append(branch.line)
        branch.line.moves.append(move)
        self._left_out.append(self._worded[1])
        self._worded = "", ""
        if self._is_main:
            source.words.append(text)
            source.anchors.append(end)
            self._is_anchored = True

    def _is_beside_moves(self, text: str) -> bool:
        """True for a text that is no move, and is taken here: a result in another wording, or what is left out."""
        result = read_result(text)
        if result.result in RESULTS[:3] and not result.text and (not text.isascii() or text[0].isdigit()):
            self._worded = result.result, text
            return True
        if is_like_move(text):
            return False
        self._left_out.append(text)
        return True

    def _open(self) -> None:
        """Begin a variation, which replaces the last move."""
        branch = self._branches[-1]
        if self._skipped or self._board is None or branch.is_dead or not branch.line.moves:
            self._skipped += 1
            return
        self._board.pop()
        place = len(branch.line.moves) - 1
        slot = branch.slot if place == 0 and branch.slot else (branch.line, place)
        self._branches.append(_Branch(Line(), slot))

    def _close(self) -> None:
        if self._skipped:
            self._skipped -= 1
            return
        branch, parent = self._branches.pop(), self._branches[-1]
        assert self._board is not None
        for _ in branch.line.moves:
            self._board.pop()
        self._board.push(parent.line.moves[-1])
        if not branch.line.moves:
            self._comments.move(branch.line, parent.line)
