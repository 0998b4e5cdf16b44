"""Connect6 games in SGF: Little Golem's, which writes both stones of a turn as one move, and others.

    (;FF[4]EV[connect6.mc.2006.sep.1.10]PB[A]PW[B]SO[http://www.littlegolem.com];B[j10];W[i9l10];B[j8l8])

Columns are letters from the left, rows numbers from the bottom: the words of the protocol. SGF's usual points (`jj`,
rows as letters from the top), one stone a move, are read too. Of a tree the first line is the game; the others are
counted in a fault.

Source: games of littlegolem.net; SGF FF[4] (red-bean.com/sgf).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from games.connect6.rules.lookup import SIZE
from games.connect6.rules.notation import COLUMNS
from games.contract import GameRecord
from games.encodings import decode
from games.formats import Found, Losses, Style, Written, encode
from games.records.championship import check_start
from games.records.record_format import count_changes

ENCODING = "utf-8"

# Each sign is looked at once, whatever the text: a name is tried at its start only, a value without end takes the rest.
_TOKEN = re.compile(
    r"[();]|(?<![A-Za-z])([A-Za-z]++)\s*+((?:\[(?:[^\]\\]|\\.?)*+(?:\]|(?P<rest>\Z))\s*+)++)", re.DOTALL
)
_VALUE = re.compile(r"\[((?:[^\]\\]|\\.?)*+)(?:\]|\Z)", re.DOTALL)
_ESCAPED = re.compile(r"\\(\r\n|.)", re.DOTALL)
_TURN = re.compile(r"([a-s][1-9][0-9]?)([a-s][1-9][0-9]?)?", re.IGNORECASE)
_POINTS = re.compile(r"([a-s])([a-s])(?:([a-s])([a-s]))?", re.IGNORECASE)
_END = frozenset({"", "resign", "resigned", "pass", "tt"})
_RESULT = re.compile(r"\s*(?:([BW])\+|(0|draw|jigo|1/2))", re.IGNORECASE)


def read(name: str, data: bytes, encoding: str | None) -> Found:
    """Return the games of a text; of one with a fault the turns before it."""
    found = Found()
    text, used, broken = decode(data, encoding, ENCODING)
    if broken:
        found.faults.append(f"{broken} characters that are not {used}")
    number = 0
    for nodes, variations in _games(text, found.faults):
        number += 1
        faults = [f"variations are left out: {variations}"] if variations else []
        found.games.append(_game(nodes, faults))
        found.faults += (f"game {number}: {fault}" for fault in faults)
    if not number:
        raise ValueError("no SGF game in the text")
    return found


Node = list[tuple[str, list[str]]]
"""Properties in order, each with its values."""


def _games(text: str, faults: list[str]) -> list[tuple[list[Node], int]]:
    """Return the nodes of the first line of each game, and the number of its other lines."""
    games: list[tuple[list[Node], int]] = []
    depth, is_main, others = 0, True, 0
    for match in _TOKEN.finditer(text):
        sign = match[0]
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
        elif games and depth and is_main:
            if sign == ";":
                games[-1][0].append([])
            elif games[-1][0]:
                games[-1][0][-1].append((match[1].upper(), [_plain(value) for value in _VALUE.findall(match[2])]))
        if games:
            games[-1] = games[-1][0], others
    return [game for game in games if game[0]]


def _plain(value: str) -> str:
    return _ESCAPED.sub(lambda match: "" if match[1] in ("\n", "\r\n") else match[1], value).strip()


def _game(nodes: list[Node], faults: list[str]) -> GameRecord:
    tags: dict[str, str] = {}
    stones: list[tuple[str, str]] = []  # colour and point
    resigned, is_bad = "", False
    for node in nodes:
        for key, values in node:
            if key not in ("B", "W"):
                tags.setdefault(key, values[0])
                continue
            if resigned or is_bad:
                continue
            word = values[0].lower()
            if word in _END:
                resigned = key if word.startswith("resign") else resigned
                continue
            points = _points(word)
            if not points:
                faults.append(f"turn {(len(stones) + 1) // 2 + 1}: not a point of the board: {values[0][:20]}")
                is_bad = True
                continue
            stones += ((key, point) for point in points)
    turns = [stones[max(first, 0) : first + 2] for first in range(-1, len(stones), 2)]
    words: list[str] = []
    for number, turn in enumerate(filter(None, turns)):
        if any(colour != "BW"[number % 2] for colour, _ in turn):
            faults.append(f"turn {number + 1} has a stone of the wrong side")
            break
        words.append("".join(point for _, point in turn))
    match = _RESULT.match(tags.get("RE", ""))
    result = "*"
    if match:
        result = "1/2-1/2" if match[2] else "1-0" if match[1].upper() == "B" else "0-1"
    elif resigned:
        result = "0-1" if resigned == "B" else "1-0"
    occasion = " ".join(tags[key] for key in ("DT", "PC") if tags.get(key))
    return GameRecord(tuple(words), (), result, tags.get("PB", "?"), tags.get("PW", "?"), occasion, tags.get("EV", ""))


def _points(word: str) -> list[str]:
    """Return the points of a move, none if it has no meaning."""
    if match := _TURN.fullmatch(word):
        points = [point for point in match.groups() if point]
        return points if all(int(point[1:]) <= SIZE for point in points) else []
    if match := _POINTS.fullmatch(word):
        signs = [sign for sign in match.groups() if sign]
        return [f"{file}{SIZE - COLUMNS.index(rank)}" for file, rank in zip(signs[::2], signs[1::2], strict=True)]
    return []


def write(name: str, games: Sequence[GameRecord], style: Style) -> Written:
    """Return the text of the games as Little Golem writes them; ValueError if one began from a FEN."""
    losses = Losses()
    texts = []
    for game in games:
        check_start(game.fen)
        tags = {"EV": game.event, "PB": game.first, "PW": game.second, "DT": game.occasion}
        if game.result != "*":
            tags["RE"] = {"1-0": "B+", "0-1": "W+"}.get(game.result, "0")
        head = "".join(f"{key}[{_escaped(value)}]" for key, value in tags.items() if value not in ("", "?"))
        moves = "".join(f";{'BW'[number % 2]}[{word}]" for number, word in enumerate(game.moves))
        texts.append(f"(;FF[4]{head}{moves})\n")
        ((nodes, _),) = _games(texts[-1], [])
        count_changes(game, _game(nodes, []), losses)
    return Written(encode("".join(texts), style.encoding or ENCODING, losses), +losses)


def _escaped(value: str) -> str:
    return re.sub(r"([\]\\])", r"\\\1", value)
