"""Connect6 games in SGF: Little Golem's, which writes both stones of a turn as one move, and others.

    (;FF[4]EV[connect6.mc.2006.sep.1.10]PB[A]PW[B]SO[http://www.littlegolem.com];B[j10];W[i9l10];B[j8l8])

Columns are letters from the left, rows numbers from the bottom: the words of the protocol. SGF's usual points (`jj`,
rows as letters from the top), one stone per move, are read too. So are stones that stand before the first move (AB,
AW, and PL for the side to move). Of a tree the first line is the game; the others are counted in a fault. A game of
another kind (GM), on a board of another size (SZ), or with handicap stones that are not set (HA) is refused.

Source: games of littlegolem.net; SGF FF[4] (red-bean.com/sgf).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from siqi.games.connect6 import INFO
from siqi.games.connect6.rules.lookup import SIZE
from siqi.games.connect6.rules.notation import COLUMNS, parse_fen, point_text, write_fen
from siqi.games.formats import HEAD_BYTES, Format, Losses, ParsedFile, WriteStyle, WrittenFile, encode, left_out
from siqi.games.game_record import GameRecord
from siqi.games.records.record_format import count_changes, note_result
from siqi.games.records.values import ResultWording, read_result
from siqi.system.encodings import decode

# Linear in the text: a name is tried at its start only, and a value without an end takes the rest.
_TOKEN = re.compile(
    r"[();]|(?<![A-Za-z])([A-Za-z]++)\s*+((?:\[(?:[^\]\\]|\\.?)*+(?:\]|(?P<rest>\Z))\s*+)++)", re.DOTALL
)
_VALUE = re.compile(r"\[((?:[^\]\\]|\\.?)*+)(?:\]|\Z)", re.DOTALL)
_CHARSET = re.compile(rb"(?<![A-Za-z])CA\s*\[\s*([\w.:-]+)\s*\]", re.ASCII)
_ESCAPED = re.compile(r"\\(\r\n|.)", re.DOTALL)
_TURN = re.compile(r"([a-s][1-9][0-9]?)([a-s][1-9][0-9]?)?", re.IGNORECASE)
_POINTS = re.compile(r"([a-s])([a-s])(?:([a-s])([a-s]))?", re.IGNORECASE)
_ENDS = {"time": "Time", "illegal": "Forfeit", "crash": "Forfeit", "resigned": "Resign"}
"""SGF's words behind the winner for the cause of the end."""

_END = frozenset({"", "resign", "resigned", "pass", "tt"})
_GO, _GOMOKU = "1", "4"
"""Values of GM that editors without Connect6 write; any other number is a game with other moves."""

_HELD = {"EV": "event", "PB": "first", "PW": "second", "DT": "occasion", "PC": "occasion", "RE": "result"}
_TECHNICAL = frozenset({"FF", "GM", "SZ", "CA", "AP", "ST", "HA", "AB", "AW", "AE", "PL"})


def read(form: Format, data: bytes, encoding: str | None) -> ParsedFile:
    """Return the games of a text; of one with a fault the turns before it."""
    parsed = ParsedFile()
    said = _CHARSET.search(data[:HEAD_BYTES])
    text, _, parsed.faults = decode(data, encoding, form.encoding, said[1].decode("ascii") if said else "")
    number = 0
    skipped: list[str] = []
    for nodes, variations in _games(text, parsed.faults, skipped):
        number += 1
        faults = [f"variations are left out: {variations}"] if variations else []
        notes: list[str] = []
        try:
            parsed.games.append(_game(nodes, faults, notes))
            note_result(parsed, number, parsed.games[-1])
        except ValueError as error:
            faults.append(str(error))
        parsed.faults += (f"game {number}: {fault}" for fault in faults)
        parsed.notes += (f"game {number}: {note}" for note in notes)
    if not number:
        raise ValueError("no SGF game in the text")
    parsed.notes += left_out("texts", skipped)
    return parsed


Node = list[tuple[str, list[str]]]
"""Properties in order, each with its values."""


def _games(text: str, faults: list[str], skipped: list[str]) -> list[tuple[list[Node], int]]:
    """Return the nodes of the first line of each game, and the number of its other lines.

    `skipped` gets what stands between the parts of SGF.
    """
    games: list[tuple[list[Node], int]] = []
    depth, is_main, others, end = 0, True, 0, 0
    for match in _TOKEN.finditer(text):
        sign = match[0]
        skipped.append(text[end : match.start()])
        end = match.end()
        if match["rest"] is not None:
            faults.append(f"a value without end: {sign[:20]}")
        if sign == "(":
            depth += 1
            if depth == 1:
                games.append(([], 0))
                is_main, others = True, 0
            elif not is_main:
                others += 1
        elif sign == ")":
            depth = max(0, depth - 1)
            is_main = False
        elif not (games and depth):
            skipped.append(sign)
        elif is_main:
            if sign == ";":
                games[-1][0].append([])
            elif games[-1][0]:
                games[-1][0][-1].append((match[1].upper(), [_plain(value) for value in _VALUE.findall(match[2])]))
        if games:
            games[-1] = games[-1][0], others
    skipped.append(text[end:])
    return [game for game in games if game[0]]


def _plain(value: str) -> str:
    return _ESCAPED.sub(lambda match: "" if match[1] in ("\n", "\r\n") else match[1], value).strip()


def _game(nodes: list[Node], faults: list[str], notes: list[str]) -> GameRecord:
    """Return the game of a line of nodes; ValueError if its moves would mean something else here."""
    tags: dict[str, str] = {}
    lost: Counter[str] = Counter()
    stones: list[tuple[str, str]] = []  # colour and point
    placed: dict[str, str] = {}  # before the first move, letters by point
    resigned, has_ended = "", False
    for key, values in (each for node in nodes for each in node):
        if key in ("AB", "AW", "AE", "PL") and (stones or resigned):
            faults.append(
                f"turn {(len(stones) + 1) // 2 + 1}: stones are set on the board by {key}: the rest is left out"
            )
            break
        if key in ("AB", "AW"):
            placed |= dict.fromkeys(_set_stones(key, values), "BW"[key == "AW"])
            continue
        lost[key] += len(values) - 1
        if key not in ("B", "W"):
            lost[key] += key in tags or key not in _HELD.keys() | _TECHNICAL
            tags.setdefault(key, values[0])
            continue
        word = values[0].lower()
        if has_ended:
            lost[f"{key} behind the end"] += 1
        elif word in _END:
            resigned = key if word.startswith("resign") else resigned
            has_ended = bool(resigned)
        elif points := _points(word):
            stones += ((key, point) for point in points)
        else:
            faults.append(f"turn {(len(stones) + 1) // 2 + 1}: not a point of the board: {values[0][:20]}")
            break
    _check_kind(tags, placed)
    if +lost:
        notes.append(f"properties left out: {', '.join(f'{key} {count}' for key, count in sorted((+lost).items()))}")
    fen, first = _first_fen(tags, placed, stones)
    words: list[str] = []
    starts = range(0 if placed else -1, len(stones), 2)  # a turn has two stones, the first on the empty board one
    for number, turn in enumerate(filter(None, (stones[max(start, 0) : start + 2] for start in starts))):
        if any(colour != "BW"[(number + first) % 2] for colour, _ in turn):
            faults.append(f"turn {number + 1} has a stone of the wrong side")
            break
        words.append("".join(point for _, point in turn))
    result = ResultWording("1/2-1/2") if tags.get("RE") == "0" else read_result(tags.get("RE", ""), "black", "white")
    if resigned and result.result == "*" and not result.text:
        result = ResultWording("0-1" if resigned == "B" else "1-0")
    return GameRecord(
        tuple(words),
        (),
        result.result,
        tags.get("PB", "?"),
        tags.get("PW", "?"),
        " ".join(tags[key] for key in ("DT", "PC") if tags.get(key)),
        tags.get("EV", ""),
        fen,
        result_text=result.text,
    )


def _set_stones(key: str, values: list[str]) -> list[str]:
    """Return the points of stones that are set; ValueError if a value is none."""
    points = [_points(value) for value in values]
    for value, named in zip(values, points, strict=True):
        if len(named) != 1:
            raise ValueError(f"{key}: not a point of the board: {value[:20]}")
    return [named[0] for named in points]


def _check_kind(tags: dict[str, str], placed: dict[str, str]) -> None:
    """Raise ValueError if the tags say that the moves are another game's."""
    kind = tags.get("GM", "").lower()
    if kind not in ("", _GO, _GOMOKU) and not ("connect" in kind and "6" in kind) and "六子" not in kind:
        raise ValueError(f"a game of another kind: GM[{tags['GM'][:20]}]")
    size = tags.get("SZ") or str(SIZE)
    if size not in (str(SIZE), f"{SIZE}:{SIZE}"):
        raise ValueError(f"a board of another size: SZ[{size[:20]}]")
    if tags.get("HA", "0") not in ("", "0") and not placed:
        raise ValueError(f"handicap stones that are not set: HA[{tags['HA'][:20]}]")


def _first_fen(tags: dict[str, str], placed: dict[str, str], stones: list[tuple[str, str]]) -> tuple[str, int]:
    """Return the FEN of the stones that are set, '' for none, and the side to move."""
    if not placed:
        return "", 0
    mover = tags.get("PL", "").upper()[:1] or (stones[0][0] if stones else "B")
    if mover not in ("B", "W"):
        raise ValueError(f"side to move is B or W, not {tags['PL'][:20]}")
    first = "BW".index(mover)
    letters = {point: INFO.pieces["BW".index(colour)] for point, colour in placed.items()}
    return write_fen(letters, first, 2), first


def _points(word: str) -> list[str]:
    """Return the points of a move, none if it has no meaning."""
    if match := _TURN.fullmatch(word):
        points = [point for point in match.groups() if point]
        return points if all(int(point[1:]) <= SIZE for point in points) else []
    if match := _POINTS.fullmatch(word):
        signs = [sign for sign in match.groups() if sign]
        return [f"{file}{SIZE - COLUMNS.index(rank)}" for file, rank in zip(signs[::2], signs[1::2], strict=True)]
    return []


def write(form: Format, games: Sequence[GameRecord], style: WriteStyle) -> WrittenFile:
    """Return the text of the games as Little Golem writes them; ValueError if one began within a turn."""
    losses = Losses()
    texts = []
    for game in games:
        tags = {"EV": game.event, "RO": game.round, "PB": game.first, "BT": game.teams[0], "PW": game.second}
        tags |= {"WT": game.teams[1], "DT": game.occasion, "PC": game.site}
        if game.result != "*" or game.result_text:
            won = {"1-0": "B+", "0-1": "W+"}.get(game.result)
            tags["RE"] = game.result_text or (f"{won}{_ENDS.get(game.end, '')}" if won else "0")
        head = "".join(f"{key}[{_escaped(value)}]" for key, value in tags.items() if value not in ("", "?"))
        setup, first = _setup(game.fen)
        moves = "".join(f";{'BW'[(number + first) % 2]}[{word}]" for number, word in enumerate(game.moves))
        texts.append(f"(;FF[4]{head}{setup}{moves})\n")
        ((nodes, _),) = _games(texts[-1], [], [])
        count_changes(game._replace(occasion=f"{game.occasion} {game.site}"), _game(nodes, [], []), losses)
    return WrittenFile(encode("".join(texts), style.encoding, losses), +losses)


def _setup(fen: str) -> tuple[str, int]:
    """Return the properties that set the stones of a FEN, and the side to move."""
    if not fen:
        return "", 0
    stones, turn, left = parse_fen(fen)
    if left != 2 or not stones:
        raise ValueError(f"the format cannot store a position within a turn: {fen}")
    points = ["".join(f"[{point_text(point)}]" for point, side in stones if side == colour) for colour in range(2)]
    return "".join(f"A{'BW'[side]}{named}" for side, named in enumerate(points) if named) + f"PL[{'BW'[turn]}]", turn


def _escaped(value: str) -> str:
    return re.sub(r"([\]\\])", r"\\\1", value)
