"""CBF, the XML files of CCBridge (象棋桥).

`ChineseChessRecord` has a `Head`, whose elements are fields, and a `MoveList`. A move's `value` is `77-47`: file from
Red's left and rank from Black's side, of origin and target; its text is the comment. The first one, `00-00`, is no
move, its comment is the game's. The last one has `end="1"`. How CCBridge writes variations is not known to us; text
after the end is left out and reported.

Sources: files of CCBridge, and public readers.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element, ParseError, XMLPullParser
from xml.sax.saxutils import escape

from siqi.games.formats import Format, Losses, ParsedFile, WriteStyle, WrittenFile, encode
from siqi.games.xiangqi.formats.fitting import board_of, fen_tag, fitted, tags_of
from siqi.games.xiangqi.formats.preorder import Planter, TreeStep
from siqi.games.xiangqi.library.move import Move
from siqi.games.xiangqi.library.pgn import Game
from siqi.system.encodings import decode

_DECLARATION = re.compile(r"\s*<\?xml[^>]*\?>")
_SAID = re.compile(rb"\s*<\?xml\b[^>]{0,300}?\bencoding\s*=\s*[\"']([\w.:-]+)", re.ASCII)
_ENTITY = re.compile(r"<!(?:DOCTYPE|ENTITY)")
_MOVE = re.compile(r"([0-8])([0-9])-([0-8])([0-9])")
_ROOT = "00-00"
_RESULTS = ("*", "1-0", "0-1", "1/2-1/2", "1/2-1/2")

_FIELDS = {
    **{"Name": "Title", "URL": "URL", "From": "Source", "ContestType": "EventType", "Contest": "Event"},
    **{"Round": "Round", "Group": "Group", "Table": "Board", "Date": "Date", "Site": "Site"},
    **{"TimeRule": "TimeControl", "Red": "Red", "RedTeam": "RedTeam", "RedTime": "RedTime", "RedRating": "RedElo"},
    **{"Black": "Black", "BlackTeam": "BlackTeam", "BlackTime": "BlackTime", "BlackRating": "BlackElo"},
    **{"Referee": "Referee", "Recorder": "Recorder", "Commentator": "Annotator", "CommentatorURL": "AnnotatorMail"},
    **{"Creator": "Author", "CreatorURL": "AuthorMail", "DateCreated": "Created", "DateModified": "Modified"},
    **{"ECCO": "ECCO", "RecordKind": "Nature", "ResultType": "Termination"},
}
"""The tag of a field."""

_TECHNICAL = frozenset({"RecordType", "RecordResult", "FEN"})


def read(form: Format, data: bytes, encoding: str | None) -> ParsedFile:
    """Return the game of a file, up to the fault of its XML if it has one."""
    parsed = ParsedFile()
    said = _SAID.match(data)
    text, _, parsed.faults = decode(data, encoding, form.encoding, said[1].decode("ascii") if said else "")
    if _ENTITY.search(text):
        raise ValueError("entities of its own, which no file of CCBridge has")
    parser: XMLPullParser[Element] = XMLPullParser(["end"])
    elements: list[Element] = []
    try:
        declaration = _DECLARATION.match(text)
        parser.feed(text[declaration.end() :] if declaration else text)
        parser.close()
    except ParseError as error:
        parsed.faults.append(f"not XML from line {error.position[0]} on")
    with contextlib.suppress(ParseError):  # raised again, behind the last whole element
        elements += (part for event in parser.read_events() for part in event if isinstance(part, Element))
    if not any(element.tag in ("Move", "FEN") for element in elements):
        raise ValueError("no ChineseChessRecord in the text" if not parsed.faults else parsed.faults[-1])
    game = _head(elements, parsed)
    _plant(game, elements, parsed)
    parsed.notes += game.notes
    parsed.games.append(game)
    return parsed


def _head(elements: list[Element], parsed: ParsedFile) -> Game:
    """Return a game with its tags; ValueError for a malformed FEN."""
    fields: dict[str, str] = {}
    children = {id(child) for element in elements if element.tag == "Head" for child in element}
    heads = [element for element in elements if id(element) in children]
    if not heads:  # the file ends within the head
        heads = [element for element in elements if element.tag in _FIELDS.keys() | _TECHNICAL]
    for element in heads:
        if value := (element.text or "").strip():
            fields[element.tag] = value
    game = Game({_FIELDS.get(field, field): value for field, value in fields.items() if field not in _TECHNICAL})
    game.headers = tags_of(game)
    number = fields.get("RecordResult", "0")
    known = number.isascii() and number.isdigit() and int(number[:2]) < len(_RESULTS)
    game.headers["Result"] = _RESULTS[int(number)] if known else number
    game.settle()
    if "FEN" in fields and (fen := fen_tag(board_of(fields["FEN"]))):
        game.headers["FEN"] = fen
    return game


def _plant(game: Game, elements: list[Element], parsed: ParsedFile) -> None:
    planter = Planter(game, parsed.faults)
    behind, odd = 0, set()
    moves = [element for element in elements if element.tag == "Move"]
    for number, element in enumerate(moves):
        comment = (element.text or "").strip()
        value = element.get("value", "")
        odd |= set(element.keys()) - {"value", "end"}
        if value == _ROOT and not number:
            if comment:
                game.comments[0] = comment
            continue
        if planter.has_ended:
            behind += 1
            continue
        match = _MOVE.fullmatch(value)
        if match is None:
            parsed.faults.append(f"move {number}: not a move: {value[:20]}")
            planter.lost += sum(bool((left.text or "").strip()) for left in moves[number:])
            break
        file, rank, to_file, to_rank = map(int, match.groups())
        move = Move((9 - rank) * 9 + file, (9 - to_rank) * 9 + to_file)
        planter.add(TreeStep(move, comment, element.get("end", "0") != "1", False))
    planter.note_lost()
    if behind:
        parsed.faults.append(f"moves behind the end, variations perhaps, are left out: {behind}")
    if odd:
        parsed.notes.append(f"attributes of moves left out: {', '.join(sorted(odd))}")


def write(form: Format, games: Sequence[Game], style: WriteStyle) -> WrittenFile:
    """Return the file of one game."""
    losses = Losses()
    game = fitted(games[0] if games else Game(), form.holds, _FIELDS.values(), losses)
    tags = tags_of(game)
    fields = {field: tags.get(tag, "") for field, tag in _FIELDS.items()}
    fields |= {"RecordType": "1", "RecordResult": str(_RESULTS.index(game.result)), "FEN": game.board().fen()}
    rows = ['<?xml version="1.0" encoding="UTF-8"?>', '<ChineseChessRecord Version="1.0">', " <Head>"]
    rows += [f"  <{field}>{escape(value)}</{field}>" if value else f"  <{field} />" for field, value in fields.items()]
    rows += [" </Head>", " <MoveList>", _row(_ROOT, game.comments.get(0, ""), not game.moves)]
    for place, (origin, target) in enumerate(game.moves, 1):
        value = f"{origin % 9}{9 - origin // 9}-{target % 9}{9 - target // 9}"
        rows.append(_row(value, game.comments.get(place, ""), place == len(game.moves)))
    text = "\n".join([*rows, " </MoveList>", "</ChineseChessRecord>", ""])
    text = text.replace('encoding="UTF-8"', f'encoding="{style.encoding.upper()}"', 1)
    return WrittenFile(encode(text, style.encoding, losses), +losses)


def _row(value: str, comment: str, is_last: bool) -> str:
    end = ' end="1"' if is_last else ""
    return f'  <Move value="{value}"{end}>{escape(comment)}</Move>' if comment else f'  <Move value="{value}"{end} />'
