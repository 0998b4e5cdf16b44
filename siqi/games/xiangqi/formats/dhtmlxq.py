"""DhtmlXQ, the texts of dpxq.com (东萍象棋网): as UBB for forums, and for web pages.

Each field stands between `[DhtmlXQ_name]` and `[/DhtmlXQ_name]`, all fields of a game between `[DhtmlXQ]` and
`[/DhtmlXQ]` (UBB) or `[DhtmlXQHTML]` and `[/DhtmlXQHTML]`. `binit` has the squares of 32 pieces, `movelist` four digits
a move: file from Red's left, rank from Black's side, of origin and target. `move_P_S_B` is the variation B that
replaces move S (from 1, counted from the start) of variation P, 0 being the main line. `commentS` follows move S of the
main line, `commentB_S` move S of variation B. `||` is a line end, `\\u` and four digits a character.

A saved page has a block whose `movelist` is empty, and the moves in a script beside it, as the variable
`DhtmlXQ_movelist`: the digits, the field, or a segment a line, `[0_1_0]` the main line and `[P_S_B]` a variation. Its
texts may be parts joined by `+`. Brackets may be written as entities, in a link also as `%5B` and `%5D`.

Sources: the site's own script, and public readers and writers.
"""

from __future__ import annotations

import html
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

from siqi.games.formats import HEAD_BYTES, Format, Losses, ParsedFile, WriteStyle, WrittenFile, encode, left_out
from siqi.games.xiangqi.formats.fitting import board_of, fen_tag, first_fen, fitted, tags_of
from siqi.games.xiangqi.formats.xqf import PIECES
from siqi.games.xiangqi.library.board import Board
from siqi.games.xiangqi.library.move import Move, Piece
from siqi.games.xiangqi.library.pgn import MAX_MOVES, Game
from siqi.games.xiangqi.library.tree import Line
from siqi.games.xiangqi.rules.notation import board_text
from siqi.system.encodings import can_be, decode

WRAPPERS = {"ubb": "DhtmlXQ", "dhtmlxq": "DhtmlXQHTML"}

START = "8979695949392919097717866646260600102030405060708012720323436383"
"""The field `binit` of the start position."""

_BLOCK_NAMES = {name.lower(): name for name in ("DhtmlXQ", "DhtmlXQHTML", "DhtmlXQiFrame")}
_BLOCK = re.compile(rf"\[({'|'.join(_BLOCK_NAMES.values())})\](.*?)(?:\[/\1\]|\Z)", re.DOTALL)
_MARK = re.compile(r"\[(/?)DhtmlXQ_(\w+)\]")
_ESCAPED_MARK = re.compile(
    r"(?:\[|&#91;|&#[xX]5[bB];|&lbrack;|&lsqb;)(/|&#47;|&#[xX]2[fF];|&sol;)?(DhtmlXQ\w*)(?:\]|&#93;|&#[xX]5[dD];|&rbrack;|&rsqb;)",
    re.IGNORECASE,
)
_LITERAL = r"""(?:'(?:[^'\\\n]|\\[\s\S])*+'|"(?:[^"\\\n]|\\[\s\S])*+"|`(?:[^`\\]|\\[\s\S])*+`)"""
_ASSIGNED = re.compile(
    rf"\bDhtmlXQ_(\w++)[\"'`]?\s*+\]?\s*+(?:[=:]|value\s*+=)\s*+({_LITERAL}(?:\s*+\+\s*+{_LITERAL})*+|\d{{4,}}+)",
    re.IGNORECASE,
)
"""A variable of a script, or a field of a form, with its value."""

_ELEMENT = re.compile(r"<\w++([^<>]*?\b(?:id|name)\s*+=\s*+[\"']?DhtmlXQ_(\w++)\b[^<>]*+)>([^<>]*+)", re.IGNORECASE)
"""An element of a page that is called as a field; its text or its attribute `value` is the field's."""

_VALUE = re.compile(r"\bvalue\s*+=\s*+[\"']?([^\"'\s]++)", re.IGNORECASE)
_PART = re.compile(_LITERAL)
_SCRIPT_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u(005[bBdD])|([/'\"\\`])|\n)")
_UNREAD = re.compile(r"\b(?:DhtmlXQ_)?movelist\b(?!\])[^;\n]{0,300}?\d{4}", re.IGNORECASE)
_MARKUP = re.compile(r"<[^<>]*+>|&(?:nbsp|#160|#[xX][aA]0);|['\"`]\s*+\+\s*+['\"`]|\\?\s")
"""Markup that pages put into a field of moves."""

_CHARSET = re.compile(
    rb"<(?:meta|\?xml)\b[^<>]{0,300}?\b(?:charset|encoding)\s*=\s*[\"']?\s*([\w.:-]+)", re.I | re.ASCII
)
_PAGE = re.compile(r"<(?:html|body|div|script|textarea)\b", re.IGNORECASE)
_VARIATION = re.compile(r"move_(\d{1,6})_(\d{1,6})_(\d{1,6})")
_SEGMENT = re.compile(r"\[(\d{1,6}_\d{1,6}_\d{1,6})\]([\da-zA-Z]*)\[/\1\]")
_COMMENT = re.compile(r"comment(?:(\d{1,6})_)?(\d{1,6})")
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")
_ENTITY = re.compile(r"&(?:\w+|#\d+);")
_MUST_ESCAPE = re.compile(r"\[(?=/?DhtmlXQ)|\||\\(?=u[0-9a-fA-F]{4})|&(?=\w+;|#\d+;)")

_TEXTS = {"1-0": "红胜", "0-1": "黑胜", "1/2-1/2": "和棋", "*": "未知"}

_TAGS = {
    **{"title": "Title", "event": "Event", "date": "Date", "place": "Site", "round": "Round", "group": "Group"},
    **{"table": "Board", "timerule": "TimeControl", "red": "Red", "black": "Black", "redteam": "RedTeam"},
    **{"blackteam": "BlackTeam", "redtime": "RedTime", "blacktime": "BlackTime", "redrating": "RedElo"},
    **{"blackrating": "BlackElo", "open": "Opening", "class": "EventType", "remark": "Annotator", "author": "Author"},
    **{"refer": "Source", "type": "Category"},
}
"""The tag of a field; any other field is a tag of its own name."""

_FIELDS = {tag: field for field, tag in _TAGS.items()}
_NO_TAGS = frozenset({"ver", "pver", "init", "binit", "fen", "movelist", "result", "length", "firstnum", "generator"})
_GAME_FIELDS = frozenset({"binit", "fen", "movelist", "result"})


def read(form: Format, data: bytes, encoding: str | None) -> ParsedFile:
    """Return the games of a text, whatever stands around them."""
    parsed = ParsedFile()
    said = _CHARSET.search(data[:HEAD_BYTES])
    text, used, parsed.faults = decode(data, encoding, "gb18030", said[1].decode("ascii") if said else "")
    text = _with_plain_marks(text, used)
    if "[DhtmlXQ" not in text:
        raise ValueError("no DhtmlXQ in the text")
    parts = _BLOCK.split(text)
    if len(parts) > 1:
        blocks, around = list(map(_Fields, parts[2::3])), parts[::3]
        _take_scripts(blocks, around, parsed)
        if any(map(_PAGE.search, around)):
            blocks = _without_twins(blocks)
    else:
        blocks, around = [_Fields(text)], [text]
    has_unread = any(map(_UNREAD.search, around))
    for number, block in enumerate(blocks, 1):
        faults: list[str] = []
        try:
            game = _read_game(block, faults)
            if game is not None:
                if has_unread and not game.moves:
                    faults.append("the moves stand in a script that is not understood")
                parsed.games.append(game)
                parsed.notes += (f"game {number}: {note}" for note in game.notes)
        except ValueError as error:
            faults.append(str(error))
        parsed.faults += (f"game {number}: {fault}" for fault in faults)
    if not parsed.games and not parsed.faults:
        raise ValueError("no DhtmlXQ game in the text")
    return parsed


def _with_plain_marks(text: str, encoding: str) -> str:
    """Return a text with all its marks in brackets, and the variables of its scripts as fields."""
    if "%5bdhtmlxq" in text.lower():  # in a link
        text = re.sub(r"[^\s\"'<>]+", lambda word: _unquoted(word[0], encoding), text)
    text = _ESCAPED_MARK.sub(lambda mark: f"[{'/' if mark[1] else ''}{_standard_name(mark[2])}]", text)
    return _ASSIGNED.sub(_field_of, _ELEMENT.sub(_field_of_element, text))


def _standard_name(mark: str) -> str:
    """Return the name of a mark as the site writes it: forums take it in any letters."""
    if mark.startswith("DhtmlXQ"):
        return mark
    return _BLOCK_NAMES.get(mark.lower()) or f"DhtmlXQ{mark[len('DhtmlXQ') :].lower()}"


def _unquoted(word: str, encoding: str) -> str:
    """Return the text of a link that has a game, in UTF-8 or in the encoding of its page; any other word as it is."""
    if "%5bdhtmlxq" not in word.lower():
        return word
    data = unquote_to_bytes(word.replace("+", " "))
    return decode(data, "utf-8" if can_be(data, "utf-8") else encoding, encoding)[0]


def _field_of(match: re.Match[str]) -> str:
    """Return the field that a script's variable stands for; its own text if it is none of a game's."""
    value = "".join(part[1:-1] for part in _PART.findall(match[2])) or match[2].strip("'\"`")
    return _marked(match[1], _SCRIPT_ESCAPE.sub(_unescaped, value)) or match[0]


def _field_of_element(match: re.Match[str]) -> str:
    """Return the field that an element of a page stands for; its own text if it is none of a game's."""
    value = _VALUE.search(match[1])
    text = value[1] if value else match[3].strip()
    return (text and _marked(match[2], text)) or match[0]


def _marked(name: str, value: str) -> str:
    """Return the text of a field with its marks, '' if it is none of a game's."""
    if "[DhtmlXQ" in value or _SEGMENT.search(value):
        return value
    is_known = name in _TAGS or name in _GAME_FIELDS or _VARIATION.fullmatch(name) or _COMMENT.fullmatch(name)
    return f"[DhtmlXQ_{name}]{value}[/DhtmlXQ_{name}]" if is_known else ""


def _unescaped(match: re.Match[str]) -> str:
    """Return the character that an escape of a script stands for; '' for the end of a line."""
    return chr(int(code, 16)) if (code := match[1] or match[2]) else match[3] or ""


class _Fields(dict[str, str]):
    """The fields of a block that are not empty, by name; `notes` say what of it is left out."""

    def __init__(self, block: str) -> None:
        super().__init__()
        self.notes: list[str] = []
        ends = 0
        for field, value in _fields(block):
            ends += 1
            if value.strip() and self.setdefault(field, value.strip()) != value.strip():
                self.notes.append(f"the field {field} is given twice, the second is left out: {value.strip()[:60]}")
        if broken := sum(not mark[1] for mark in _MARK.finditer(block)) - ends:
            self.notes.append(f"fields without an end, or within others: {broken}")
        if _SEGMENT.search(self.get("movelist", "")):
            del self["movelist"]
        for key, moves in _SEGMENT.findall(block):  # as the site's pages have them in a script
            self.setdefault("movelist" if key == "0_1_0" else f"move_{key}", moves)
        if "move_0_1_0" in self:
            self.setdefault("movelist", self.pop("move_0_1_0"))
        self.has_own_moves = "movelist" in self

    def fill(self, other: _Fields) -> None:
        """Add the fields of another block that this one lacks."""
        for field, value in other.items():
            self.setdefault(field, value)

    def tags(self) -> set[tuple[str, str]]:
        """Return the fields that say which game it is."""
        return {(field, value) for field, value in self.items() if field not in _NO_TAGS}


def _take_scripts(blocks: list[_Fields], around: Sequence[str], parsed: ParsedFile) -> None:
    """Give the fields between blocks to the block before them if it has no moves, else to the one behind them.

    What else stands there is noted. Moves that no block takes are a fault.
    """
    lines: list[str] = []
    for number, text in enumerate(around):
        others = _Fields(text)
        near = blocks[max(0, number - 1) : number + 1]
        owner = next((block for block in near if "movelist" not in block), None)
        is_taken = bool(others) and owner is not None
        if owner is not None:
            owner.fill(others)
        elif others.get("movelist", "") not in ("", *(block["movelist"] for block in near)):
            parsed.faults.append(f"moves beside a game that has others, left out: {others['movelist'][:60]}")
        lines += (line for line in text.splitlines() if not (is_taken and _is_of_fields(line)))
    parsed.notes += left_out("lines around games", lines)


def _is_of_fields(line: str) -> bool:
    return "[DhtmlXQ_" in line or _SEGMENT.search(line) is not None


def _without_twins(blocks: list[_Fields]) -> list[_Fields]:
    """Return the blocks of a page without those that repeat another one's tags and have no moves of their own."""
    owners = [block.tags() for block in blocks if block.has_own_moves]
    return [
        block
        for block in blocks
        if block.has_own_moves or not (tags := block.tags()) or not any(tags <= other for other in owners)
    ]


def _read_game(fields: _Fields, faults: list[str]) -> Game | None:
    if not fields:
        return None
    game = Game()
    for field, value in fields.items():
        if field not in _NO_TAGS and not _VARIATION.fullmatch(field) and not _COMMENT.fullmatch(field):
            game.headers[_TAGS.get(field, field)] = _text(value)
    game.headers = tags_of(game)
    game.headers["Result"] = _text(fields.get("result", "*"))
    game.settle()
    game.notes += fields.notes
    moves = _moves(fields.get("movelist", ""), "movelist", faults)
    if fen := _first_fen(fields, moves):
        game.headers["FEN"] = fen
    comments: dict[tuple[int, int], str] = {}
    for field, value in fields.items():
        if match := _COMMENT.fullmatch(field):
            comments[int(match[1] or 0), int(match[2])] = _text(value)
    _Tree(game, {key: text for key, text in comments.items() if text}, faults).plant(moves, fields)
    return game


def _fields(block: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each field that has an end, in time that grows with the block's size only."""
    marks = list(_MARK.finditer(block))
    ends: dict[str, list[re.Match[str]]] = {}  # by name, the last one first
    for mark in reversed(marks):
        if mark[1]:
            ends.setdefault(mark[2], []).append(mark)
    behind = 0
    for mark in marks:
        if mark[1] or mark.start() < behind:
            continue
        left = ends.get(mark[2], [])
        while left and left[-1].start() < mark.end():
            left.pop()
        if left:
            yield mark[2], block[mark.end() : left[-1].start()]
            behind = left[-1].end()


def _text(value: str) -> str:
    """Return the text of a field."""
    lines = (html.unescape(value) if _ENTITY.search(value) else value).replace("||", "\n")
    return _ESCAPED.sub(_character, lines).strip()


def _character(match: re.Match[str]) -> str:
    code = int(match[1], 16)
    return "\ufffd" if 0xD800 <= code < 0xE000 else chr(code)


def _field_text(text: str) -> str:
    """Return a text as a field has it, from which `_text` returns the same."""
    return _MUST_ESCAPE.sub(lambda match: f"\\u{ord(match[0]):04x}", text).replace("\n", "||")


def _moves(digits: str, field: str, faults: list[str]) -> list[Move]:
    """Return the moves of a field; what is no move, and all that follows, is left out."""
    digits = _MARKUP.sub("", digits)
    moves = []
    for at in range(0, len(digits), 4):
        word = digits[at : at + 4]
        if not (len(word) == 4 and word.isascii() and word.isdigit() and word[0] < "9" and word[2] < "9"):
            faults.append(f"{field}: not a move: {word}")
            break
        from_file, from_rank, to_file, to_rank = map(int, word)
        moves.append(Move((9 - from_rank) * 9 + from_file, (9 - to_rank) * 9 + to_file))
    return moves


def _digits(moves: Iterable[Move]) -> str:
    return "".join(f"{square % 9}{9 - square // 9}" for move in moves for square in move)


def _first_fen(fields: dict[str, str], moves: list[Move]) -> str:
    if "fen" in fields:
        return fen_tag(board_of(fields["fen"]))
    places = fields.get("binit", START)
    if len(places) != 64 or not (places.isascii() and places.isdigit()):
        raise ValueError(f"binit: not 64 digits: {places[:70]}")
    letters = {
        (9 - int(places[2 * n + 1])) * 9 + int(places[2 * n]): letter
        for n, letter in enumerate(PIECES)
        if places[2 * n] != "9"
    }
    mover = letters.get(moves[0].from_square, "K") if moves else "K"
    return first_fen(board_text(letters), "w" if mover.isupper() else "b")


@dataclass
class _Branch:
    """A line whose variations are being read."""

    number: int
    line: Line
    before: int  # plies before the line
    slot: tuple[Line, int] | None  # the move that a variation replaces
    waiting: list[tuple[int, int, list[Move]]]  # ply, number and moves of its variations, the last ply at the end


class _Tree:
    """A builder of a game's tree, each move checked against the rules."""

    def __init__(self, game: Game, comments: dict[tuple[int, int], str], faults: list[str]) -> None:
        self._comments, self._faults = comments, faults
        self._game, self._board = game, game.board()

    def plant(self, moves: list[Move], fields: dict[str, str]) -> None:
        """Put the main line and the variations into the game; ValueError if there are too many moves."""
        variations: dict[int, list[tuple[int, int, list[Move]]]] = {}  # by the number of the line that they leave
        for field, value in fields.items():
            if match := _VARIATION.fullmatch(field):
                parent, ply, number = map(int, match.groups())
                variations.setdefault(parent, []).append((ply, number, _moves(value, field, self._faults)))
        for waiting in variations.values():
            waiting.sort(key=lambda entry: -entry[0])
            waiting.reverse()
        count = sum(len(words) for waiting in variations.values() for _, _, words in waiting) + len(moves)
        if count > MAX_MOVES:
            raise ValueError(f"more than {MAX_MOVES} moves")
        self._play(self._game, 0, 0, moves)
        seen = {0}
        branches = [_Branch(0, self._game, 0, None, variations.pop(0, []))]
        while branches:
            branch = branches[-1]
            if not branch.waiting:
                branches.pop()
                continue
            ply, number, words = branch.waiting.pop()
            place = ply - 1 - branch.before
            if number in seen or not 0 <= place < len(branch.line.moves):
                self._faults.append(f"variation {number}: there is no move {ply} of variation {branch.number}")
                continue
            seen.add(number)
            while len(self._board.move_stack) > ply - 1:
                self._board.pop()
            line = Line()
            self._play(line, number, ply - 1, words)
            if line.moves:
                owner, at = branch.slot if place == 0 and branch.slot else (branch.line, place)
                owner.variations.setdefault(at, []).append(line)
                branches.append(_Branch(number, line, ply - 1, (owner, at), variations.pop(number, [])))
        for parent, waiting in variations.items():
            self._faults += (f"variation {number}: there is no variation {parent}" for _, number, _ in waiting)
        if self._comments:
            self._faults.append(f"{len(self._comments)} comments at moves that do not exist")

    def _play(self, line: Line, number: int, before: int, words: list[Move]) -> None:
        """Play a line's moves and take its comments; the board stays after the last legal move."""
        for word in words:
            try:
                self._board.push(word)
            except ValueError as error:
                self._faults.append(f"{f'variation {number}' if number else 'main line'}: {error}")
                break
            line.moves.append(word)
        for place in range(0 if line is self._game else 1, len(line.moves) + 1):
            if text := self._comments.pop((number, before + place), ""):
                line.comments[place] = text


def write(form: Format, games: Sequence[Game], style: WriteStyle) -> WrittenFile:
    """Return the text of the games."""
    losses = Losses()
    texts = [_game_text(form.name, fitted(game, form.holds, None, losses), losses) for game in games or [Game()]]
    return WrittenFile(encode("\n".join(texts), style.encoding, losses), +losses)


def _game_text(name: str, game: Game, losses: Losses) -> str:
    board = game.board()
    fields = {"ver": "www_dpxq_com", "init": "500,350", "binit": _binit(board)}
    first = board.piece_at(game.moves[0].from_square) if game.moves else None
    side = board.turn if first is None else first.color
    has_sets = all(len(board.pieces(*Piece.from_symbol(letter))) <= PIECES.count(letter) for letter in set(PIECES))
    if not has_sets or board.fen() != f"{board.board_fen()} {'w' if first is None or side else 'b'} - - 0 1":
        fields["fen"] = board.fen()
    for tag, value in tags_of(game).items():
        field = _FIELDS.get(tag, tag)
        if tag not in _FIELDS and (
            field in _NO_TAGS or field in _TAGS or _VARIATION.fullmatch(field) or _COMMENT.fullmatch(field)
        ):
            losses[f"tags {tag}"] += 1
            continue
        fields[field] = _field_text(value)
    fields["result"] = _TEXTS[game.result]
    fields["movelist"] = _digits(game.moves)
    fields |= _variations(game)
    wrapper = WRAPPERS[name]
    rows = [f"[DhtmlXQ_{field}]{value}[/DhtmlXQ_{field}]" for field, value in fields.items()]
    return "\n".join([f"[{wrapper}]", *rows, f"[/{wrapper}]", ""])


def _binit(board: Board) -> str:
    squares = {letter: board.pieces(*Piece.from_symbol(letter)) for letter in set(PIECES)}
    # In the site's order: each side's pieces from Red's right, its pawns too.
    left = {letter: sorted(held, key=lambda square: (-(square % 9), square)) for letter, held in squares.items()}
    left |= {letter: left[letter][::-1] for letter in "rnbakcp"}
    places = (left[letter].pop(0) if left[letter] else None for letter in PIECES)
    return "".join("99" if square is None else f"{square % 9}{9 - square // 9}" for square in places)


def _variations(game: Game) -> dict[str, str]:
    """Return the fields of a game's variations and of all comments, lines numbered in the order in which they begin."""
    moves: dict[str, str] = {}
    comments: dict[str, str] = {}
    count = 0
    waiting: deque[tuple[Line, int, int]] = deque([(game, 0, 0)])  # line, its number, plies before it
    while waiting:
        line, number, before = waiting.popleft()
        for place, text in line.comments.items():
            comments[f"comment{f'{number}_' if number else ''}{before + place}"] = _field_text(text)
        for place in sorted(line.variations):
            for variation in line.variations[place]:
                count += 1
                moves[f"move_{number}_{before + place + 1}_{count}"] = _digits(variation.moves)
                waiting.append((variation, count, before + place))
    return moves | comments
