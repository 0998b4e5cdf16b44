"""Bare texts: FENs a line, each with `moves ...` if there are any, and lists of moves, a game a paragraph."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import cast

from games.encodings import decode
from games.formats import Found, Losses, Style, Written, encode
from games.xiangqi.formats.fitting import fitted
from games.xiangqi.formats.table import FORMATS
from games.xiangqi.library.algebraic import FAIRY_PAWN
from games.xiangqi.library.board import STARTING_FEN, Board
from games.xiangqi.library.movetext import move_number
from games.xiangqi.library.pgn import RESULTS, Game
from games.xiangqi.library.san import Notation

ENCODING = "utf-8"
_NUMBER = re.compile(r"\d+\s*(?:[.．、]+|…+)|[.．…]+")
_LINE_WIDTH = 80


def read(name: str, data: bytes, encoding: str | None) -> Found:
    """Return the games of a text; of one with a fault the moves before it."""
    found = Found()
    text, used, broken = decode(data, encoding, ENCODING)
    if broken:
        found.faults.append(f"{broken} characters that are not {used}")
    rows = _fen_rows(text) if name == "fens" else _paragraphs(text)
    for number, fen, words in rows:
        try:
            game = Game()
            board = Board(fen)
            first = board.fen()
            if first != STARTING_FEN:
                game.headers["FEN"] = first
        except ValueError as error:
            found.faults.append(f"line {number}: {error}")
            continue
        board, fault = _play(board, words, 0)
        if fault or any(map(FAIRY_PAWN.fullmatch, words)):
            other, its_fault = _play(Board(first), words, 1)
            board, fault = (board, fault) if its_fault else (other, "")
        if fault:
            found.faults.append(f"line {number}: {fault}")
        game.moves = list(board.move_stack)
        found.games.append(game)
    if not found.games and not found.faults:
        raise ValueError("no game in the text")
    return found


def _play(board: Board, words: Sequence[str], ranks: int) -> tuple[Board, str]:
    """Return a board after the moves, and the first fault, '' if there is none."""
    for word in words:
        try:
            board.push(board.parse_san(word, ranks))
        except ValueError as error:
            return board, f"{move_number(board)} {error}"
    return board, ""


def _fen_rows(text: str) -> Iterator[tuple[int, str, list[str]]]:
    """Yield the number of each line with a FEN, the FEN and the moves; `#` and what follows `;` are comments."""
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition(";")[0].split()
        if not words or words[0].startswith("#"):
            continue
        words = words[1:] if words[0] in ("fen", "position") else words
        words = words[1:] if words[:1] == ["fen"] else words
        end = words.index("moves") if "moves" in words else len(words)
        fen = " ".join(words[:end])
        yield number, STARTING_FEN if fen == "startpos" else fen, words[end + 1 :]


def _paragraphs(text: str) -> Iterator[tuple[int, str, list[str]]]:
    """Yield the number of the first line of each paragraph, the start position and the moves."""
    words: list[str] = []
    start = 1
    for number, line in enumerate([*text.splitlines(), ""], 1):
        if line.strip():
            if line.lstrip().startswith("#"):
                continue
            start = start if words else number
            # The dot of a number may touch a move that begins with a digit: 1.33.4.
            plain = re.sub(r"(?:^|(?<=\s))\d+\s*[.．、]+(?=\D|[1-9][-+1-9][-+.=][1-9])", " ", line)
            words += (word.strip(",，;；") for word in plain.split() if word.strip(",，;；"))
        elif words:
            yield start, STARTING_FEN, [word for word in words if not _NUMBER.fullmatch(word) and word not in RESULTS]
            words = []


def write(name: str, games: Sequence[Game], style: Style) -> Written:
    """Return the text of the games; ValueError if one begins where the format has no room for it."""
    losses = Losses()
    holds = next(one.holds for one in FORMATS if one.name == name)
    rows = []
    for whole in games:
        game = fitted(whole, holds, (), losses)
        if name == "fens":
            moves = f" moves {' '.join(map(str, game.moves))}" if game.moves else ""
            rows.append(game.board().fen() + moves)
        elif not game.moves:
            losses["games without moves"] += 1
        else:
            rows += [*_wrapped(game, cast(Notation, style.notation or "iccs")), ""]
    return Written(encode("".join(f"{row}\n" for row in rows), style.encoding or ENCODING, losses), +losses)


def _wrapped(game: Game, notation: Notation) -> Iterator[str]:
    """Yield lines with the numbered moves of a game."""
    board = game.board()
    line = ""
    for move in game.moves:
        number = f"{move_number(board)} " if board.turn else ""
        word = number + board.san_and_push(move, notation)
        if line and len(line) + len(word) >= _LINE_WIDTH:
            yield line
            line = ""
        line += f" {word}" if line else word
    yield line
