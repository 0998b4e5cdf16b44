"""The World Xiangqi Federation's text format, as PlayOK and XieXie export it.

    FORMAT  WXF
    RED     Alpha ; 1200 ;;
    BLACK   Beta ; 1240 ;;
    RESULT  1-0
    DATE    2020-02-02 02:02:02
    EVENT   PlayOK Game ; 10m+0s
    START{
     1. C2.5 h8+7   2. H2+3 r9.8 }END

A player's line has the name, a rating, a team and a title; the event's may have the time control. A position stands
behind FEN, or as pieces on squares in SETUP{Ke0 ... MOVE 12 RED}. Moves are read in any notation. FORMAT may name
others (AXF, ICCS, LALG, SALG), whose letters are ICCS's, G for advisors and M for elephants, and other letters still,
G(S).

Sources: "Chinese Chess File Format" (wxf.org, H. Yang), files of PlayOK and XieXie, and a public reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from siqi.games.formats import Format, Losses, ParsedFile, WriteStyle, WrittenFile, encode, left_out
from siqi.games.records.values import RESULT_TEXT
from siqi.games.xiangqi.formats.fitting import board_of, fen_tag, fitted, tags_of
from siqi.games.xiangqi.library.movetext import movetext
from siqi.games.xiangqi.library.pgn import Game, OtherGameError, read_movetext
from siqi.games.xiangqi.rules.notation import fen_text
from siqi.system.encodings import decode

_START = re.compile(r"^[ \t]*FORMAT\b", re.MULTILINE)
_MOVES = re.compile(r"^[ \t]*START[ \t]*\{", re.MULTILINE)
_SETUP = re.compile(r"^[ \t]*SETUP[ \t]*\{([^}]*)\}?", re.MULTILINE)
_END = re.compile(r"\}\s*END\b")
_FIELD = re.compile(r"[ \t]*([A-Za-z]\w*)(?:[ \t]+(.*?))?[ \t]*\Z")
_PLAYER = re.compile(r"(.*?)\s*;([^;]*);([^;]*);([^;]*)\Z")
_EVENT = re.compile(r"(.*(?<=\s)|);(?:\s+(.*))?\Z")
_PIECE = re.compile(r"([A-Za-z])([a-i][0-9])|MOVE\s+(\d+)|(RED|BLACK)|(\S+)")
_SYMBOL = re.compile(r"([KRNCGMP])\(([A-Za-z])\)")
_WIDTH = 60

_TAGS = {
    **{"GAME": "Title", "DATE": "Date", "TIME": "Time", "PLACE": "Site", "ROUND": "Round", "OPEN": "Opening"},
    **{"ANNOTATOR": "Annotator", "AUTHOR": "Author"},
}
_SYNONYMS = {"RESULT": "Result", "SITE": "Site", "TITLE": "Title", "OPENING": "Opening", "TIMECONTROL": "TimeControl"}
_PARTS = ("", "Elo", "Team", "Title")
"""Fields of a player's line, as ends of tags."""

_PLAYERS = {side + part for side in ("Red", "Black") for part in _PARTS}
NAMES = frozenset({*_TAGS.values(), *_PLAYERS, "Event", "TimeControl", RESULT_TEXT})
"""The tags that the format holds."""

_REMARKS = frozenset({"REMARK", "REMARKS", "COMMENT"})
_OURS = {"K": "K", "R": "R", "N": "H", "C": "C", "G": "A", "M": "E", "P": "P"}
"""Our letters by ICCS's."""

_WITHOUT_LETTERS = frozenset({"WXF", "ICCS"})


def read(form: Format, data: bytes, encoding: str | None) -> ParsedFile:
    """Return the games of a text."""
    parsed = ParsedFile()
    text, _, parsed.faults = decode(data, encoding, form.encoding)
    starts = [match.start() for match in _START.finditer(text)]
    if not starts:
        raise ValueError("no game of this format in the text: no line begins with FORMAT")
    between = [text[: starts[0]]]
    for number, (start, end) in enumerate(zip(starts, [*starts[1:], len(text)], strict=True), 1):
        faults: list[str] = []
        try:
            game = _read_game(text[start:end], faults, between)
            faults += [*map(str, game.errors), *game.warnings]
            parsed.notes += (f"game {number}: {note}" for note in game.notes)
            if not any(isinstance(error, OtherGameError) for error in game.errors):
                game.errors, game.warnings = [], []
                parsed.games.append(game)
        except ValueError as error:
            faults.append(str(error))
        parsed.faults += (f"game {number}: {fault}" for fault in faults)
    parsed.notes += left_out("texts between games", between)
    return parsed


def _read_game(text: str, faults: list[str], between: list[str]) -> Game:
    """Return a game; ValueError if its moves or its position cannot be understood."""
    start = _MOVES.search(text)
    head, moves = (text[: start.start()], text[start.end() :]) if start else (text, "")
    if start and (end := _END.search(moves)):
        between.append(moves[end.end() :])
        moves = moves[: end.start()]
    elif start:
        faults.append("the moves have no end")
    tags: dict[str, str] = {}
    remarks: list[str] = []
    notes: list[str] = []
    letters = {}
    for line in _SETUP.sub("", head).splitlines():
        if not line.strip():
            continue
        match = _FIELD.fullmatch(line)
        if match is None:
            notes.append(f"a line left out: {line.strip()[:60]}")
            continue
        key, value = match[1].upper(), match[2] or ""
        if key == "FORMAT":
            letters = _letters(value, notes)
        elif key in _REMARKS:
            remarks.append(value)
        else:
            tags |= dict(_tags(key, value))
    if setup := _SETUP.search(head):
        tags.setdefault("FEN", _fen_of(setup[1]))
    if "FEN" in tags:
        tags["FEN"] = fen_tag(board_of(tags["FEN"]))
        if not tags["FEN"]:
            del tags["FEN"]
    game = read_movetext(tags, moves.translate(letters), has_day_first=True)
    game.notes += notes
    if remark := "\n".join(remarks).strip():
        game.comments[0] = "\n".join(filter(None, (remark, game.comments.get(0, ""))))
    return game


def _letters(value: str, notes: list[str]) -> dict[int, str]:
    """Return the letters of pieces to translate, as a FORMAT line gives them; ValueError for what it cannot mean."""
    kind, _, rest = value.replace(",", " ").partition(" ")
    if kind.upper() in _WITHOUT_LETTERS and not rest.strip():
        return {}
    symbols = dict(_OURS)
    for word in rest.split():
        match = _SYMBOL.fullmatch(word.upper())
        if match is None:
            raise ValueError(f"letters of pieces that are not known: FORMAT {value}")
        symbols[match[1]] = match[2]
    if kind.upper() not in {"AXF", "LALG", "SALG", "ICCS", "WXF"}:
        notes.append(f"a notation that is not known, read as any other: FORMAT {kind}")
    letters = {symbol: _OURS[piece] for piece, symbol in symbols.items()} if rest.strip() else _OURS
    both = {**letters, **{letter.lower(): ours.lower() for letter, ours in letters.items()}}
    return str.maketrans({letter: ours for letter, ours in both.items() if letter != ours})


def _tags(key: str, value: str) -> Iterator[tuple[str, str]]:
    """Yield the tags of a line."""
    if key in ("RED", "BLACK"):
        match = _PLAYER.fullmatch(value)
        for part, text in zip(_PARTS, match.groups() if match else (value,)):  # one part or all
            if text.strip():
                yield key.capitalize() + part, text.strip()
        return
    if key == "EVENT" and (match := _EVENT.fullmatch(value)):
        yield from ((name, text.strip()) for name, text in zip(("Event", "TimeControl"), match.groups("")) if text)
        return
    name = _TAGS.get(key) or _SYNONYMS.get(key) or ("FEN" if key == "FEN" else key.capitalize())
    if value:
        yield name, value


def _fen_of(setup: str) -> str:
    """Return the FEN of pieces on squares; ValueError for what is no part of them."""
    letters: dict[int, str] = {}
    turn, number = 0, 1
    for match in _PIECE.finditer(setup):
        if match[1]:
            square = 9 * int(match[2][1]) + "abcdefghi".index(match[2][0])
            letter = match[1].translate(str.maketrans("HhEeGgMm", "NnBbAaBb"))
            if letter.upper() not in "KABNRCP" or square in letters:
                raise ValueError(f"SETUP: not a piece on a point of its own: {match[0]}")
            letters[square] = letter
        elif match[5]:
            raise ValueError(f"SETUP: not a piece on a point: {match[5][:20]}")
        elif match[4]:
            turn = int(match[4] == "BLACK")
        else:
            number = min(int(match[3][:5]), 9999)
    return fen_text(letters, turn, 0, max(1, number))


def write(form: Format, games: Sequence[Game], style: WriteStyle) -> WrittenFile:
    """Return the text of the games."""
    losses = Losses()
    texts = []
    for whole in games or [Game()]:
        game = fitted(whole, form.holds, NAMES, losses)
        texts.append(_game_text(game))
        back = tags_of(_read_game(texts[-1], [], []))
        losses["some characters in tags"] += sum(back.get(tag) != value for tag, value in tags_of(game).items())
    return WrittenFile(encode("\n".join(texts), style.encoding, losses), +losses)


def _game_text(game: Game) -> str:
    tags = {tag: " ".join(value.split()) for tag, value in tags_of(game).items()}
    result = tags.get(RESULT_TEXT) or ("" if game.result == "*" else game.result)
    rows = {"FORMAT": "WXF", **{key: tags.get(tag, "") for key, tag in _TAGS.items()}, "RESULT": result}
    for side in ("Red", "Black"):
        parts = [tags.get(side + part, "") for part in _PARTS]
        rows[side.upper()] = f"{parts[0]} ; {' ; '.join(part.replace(';', ',') for part in parts[1:])}"
    event, control = tags.get("Event", ""), tags.get("TimeControl", "")
    if ";" in control:
        rows["TIMECONTROL"], control = control, ""
    rows["EVENT"] = f"{event} ; {control}".rstrip() if control or " ;" in f" {event}" else event
    if "FEN" in game.headers:
        placement, turn, *rest = game.headers["FEN"].split()
        rows["FEN"] = " ".join([placement, turn.replace("w", "r"), *rest])
    lines = [f"{key:<7} {value}".rstrip() for key, value in rows.items() if value or key in ("RED", "BLACK")]
    lines.append("START{")
    moves = ""
    for word in movetext(game, game.board(), "wxf"):
        if len(moves) + len(word) >= _WIDTH:
            lines.append(moves)
            moves = ""
        moves += f" {word}"
    return "\n".join([*lines, f"{moves} }}END", ""])
