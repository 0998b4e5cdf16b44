"""Parsers of words that UCI and its relatives share; their errors are ValueErrors that are safe to echo."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from siqi.daemon.engine.limits import MAX_NUMBER, MAX_TIME_MS, Limits
from siqi.system.pipes import printable

MAX_DIGITS = 15
"""The most digits of a number of `go`."""

_AT_LEAST = dict(nodes=1, depth=1, mate=1, perft=1, movetime=1)
_TIMES = ("wtime", "btime", "winc", "binc", "movetime")
_NUMBERS = (*_TIMES, "movestogo", "nodes", "depth", "mate", "perft")
GO_WORDS = {word: word for word in (*_NUMBERS, "infinite", "ponder", "searchmoves")}
"""UCI's words of `go`; the word of a limit is its field in `Limits`."""


def parse_position(words: list[str]) -> tuple[str | None, list[str]]:
    """Parse `startpos|fen FEN [moves ...]`; return the FEN, None for the start, and the moves. ValueError otherwise."""
    split = words.index("moves") if "moves" in words else len(words)
    start, moves = words[:split], words[split + 1 :]
    kind = start[0] if start else ""
    if kind not in ("startpos", "fen"):
        raise ValueError("position: expected startpos or fen")
    if kind == "startpos" and len(start) > 1:
        raise ValueError(f"position startpos: unexpected {printable(start[1])}")
    return (" ".join(start[1:]) if kind == "fen" else None), moves


def parse_option(words: list[str]) -> tuple[str, str]:
    """Parse `name NAME [value VALUE]`; return the name and the value, '' if there is none. ValueError otherwise."""
    if len(words) < 2 or words[0].lower() != "name":
        raise ValueError("setoption: expected 'setoption name <name> [value <value>]'")
    lower = [word.lower() for word in words]
    split = lower.index("value") if "value" in lower else len(words)
    return " ".join(words[1:split]), " ".join(words[split + 1 :])


def parse_number(word: str, text: str, field: str = "") -> int:
    """Return the number after a word of `go`; ValueError if it is none, too small for the limit, or too long.

    `field`: UCI's word for the limit, if the client uses another.
    """
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()):
        raise ValueError(f"go {word}: not a number: {text}")
    if len(digits) > MAX_DIGITS:
        size = "small" if text.startswith("-") else "large"
        raise ValueError(f"go {word}: too {size}, more than {MAX_DIGITS} digits: {text}")
    least = _AT_LEAST.get(field or word, -MAX_NUMBER)
    if int(text) < least:
        raise ValueError(f"go {word}: at least {least}, not {text}")
    return int(text)


def parse_limit(word: str, text: str, field: str) -> int:
    """Return the number after a word of `go`, bounded to what the engine takes; ValueError as for `parse_number`."""
    number = parse_number(word, text, field)
    number = min(number, MAX_TIME_MS) if field in _TIMES else number
    return max(number, 0) if field in ("winc", "binc", "movestogo") else number


class GoRequest(NamedTuple):
    """A parsed `go`."""

    limits: Limits
    searchmoves: tuple[str, ...]
    perft: int  # depth; 0: a search
    unknown: tuple[str, ...]  # words that are neither a word of `go` nor a move


def parse_go(words: list[str], names: Mapping[str, str] = GO_WORDS) -> GoRequest:
    """Parse the words after `go`. ValueError for a missing value, or one that is not allowed.

    `names`: UCI's word for each word of the client's protocol, in lower case.
    """
    limits: dict[str, int] = {}
    unknown: list[str] = []
    moves: list[str] = []
    i = 0
    while i < len(words):
        word = words[i].lower()
        field = names.get(word, "")
        i += 1
        if field in _NUMBERS:
            if i == len(words):
                raise ValueError(f"go {word}: no number follows")
            limits[field] = parse_limit(word, words[i], field)
            i += 1
        elif field in ("infinite", "ponder"):
            limits[field] = True
        elif field == "searchmoves":
            # Every word up to the next word of `go` is a move.
            moves = []
            while i < len(words) and names.get(words[i].lower(), "searchmoves") == "searchmoves":
                moves.append(words[i])
                i += 1
            if not moves:
                raise ValueError(f"go {word}: no move follows")
        else:
            unknown.append(words[i - 1])
    perft = limits.pop("perft", 0)
    return GoRequest(Limits(**limits), tuple(moves), perft, tuple(unknown))  # type: ignore[arg-type]
