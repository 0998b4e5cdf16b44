"""Bare texts: one FEN per line, with `moves ...` if there are any, and lists of moves, one game per paragraph."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

from siqi.games.formats import Format, Losses, ParsedFile, WriteStyle, WrittenFile, encode, left_out
from siqi.games.records.position_lines import read_line
from siqi.games.records.values import RESULTS
from siqi.games.xiangqi.formats.fitting import board_of, fen_tag, fitted
from siqi.games.xiangqi.library.algebraic import FAIRY_PAWN
from siqi.games.xiangqi.library.board import STARTING_FEN, Board
from siqi.games.xiangqi.library.movetext import move_number, moves_in
from siqi.games.xiangqi.library.pgn import Game
from siqi.games.xiangqi.library.san import Notation
from siqi.games.xiangqi.library.signs import KEYBOARD, is_like_move, split_sign
from siqi.games.xiangqi.library.vietnamese import is_vietnamese
from siqi.system.encodings import decode

_NUMBER = re.compile(r"\d+\s*(?:[.．、]+|…+)|[.．…]+")
_SEPARATORS = re.compile(r"[;；]|[!?]+")
_LINE_WIDTH = 80


class _Row(NamedTuple):
    """A game of a text: the number of its line, its first position, its moves, and what else stands with it."""

    line: int
    fen: str
    words: Sequence[str]
    comment: str = ""
    result: str = "*"


def read(form: Format, data: bytes, encoding: str | None) -> ParsedFile:
    """Return the games of a text; of one with a fault the moves before it."""
    parsed = ParsedFile()
    text, _, parsed.faults = decode(data, encoding, form.encoding)
    remarks: list[str] = []
    for row in _fen_rows(text, remarks) if form.name == "fens" else _paragraphs(text, remarks):
        try:
            fen = fen_tag(board_of(row.fen))
        except ValueError as error:
            parsed.faults.append(f"line {row.line}: {error}")
            continue
        game = Game({"FEN": fen} if fen else {})
        if row.result != "*":
            game.headers["Result"] = row.result
        if row.comment:
            game.comments[0] = row.comment
        board, fault = _play(game.board(), row.words, 0)
        if fault and is_vietnamese(row.words):
            other, its_fault = _play(game.board(), row.words, 0, is_vietnamese=True)
            if len(other.move_stack) > len(board.move_stack):
                board, fault = other, its_fault
        elif fault or any(map(FAIRY_PAWN.fullmatch, row.words)):
            other, its_fault = _play(game.board(), row.words, 1)
            board, fault = (board, fault) if its_fault else (other, "")
        if fault:
            parsed.faults.append(f"line {row.line}: {fault}")
        game.moves = list(board.move_stack)
        parsed.games.append(game)
    if not parsed.games and not parsed.faults:
        raise ValueError("no game in the text")
    parsed.notes += left_out("remarks", remarks)
    return parsed


def _play(board: Board, words: Sequence[str], ranks: int, *, is_vietnamese: bool = False) -> tuple[Board, str]:
    """Return a board after the moves, and the first fault, '' if there is none."""
    for word in words:
        try:
            board.push(board.parse_san(word, ranks, is_vietnamese=is_vietnamese))
        except ValueError as error:
            return board, f"{move_number(board)} {error}"
    return board, ""


def _fen_rows(text: str, remarks: list[str]) -> Iterator[_Row]:
    """Yield each line with a FEN; EPD's operations and what follows `;` are the game's comment.

    `remarks` gets lines with a `#`.
    """
    for number, line in enumerate(text.splitlines(), 1):
        parts = read_line(line)
        if parts is None:
            remarks.append(line)
        else:
            fen = STARTING_FEN if parts.start == "startpos" else parts.start
            yield _Row(number, fen, parts.moves, parts.comment)


def _paragraphs(text: str, remarks: list[str]) -> Iterator[_Row]:
    """Yield each paragraph of moves, from the start position. `remarks` gets lines with a `#`, and what is no move."""
    words: list[str] = []
    start = 1
    for number, line in enumerate([*text.splitlines(), ""], 1):
        if line.strip():
            if line.lstrip().startswith("#"):
                remarks.append(line)
                continue
            start = start if words else number
            # The dot of a number may touch a move that begins with a digit: 1.33.4.
            plain = re.sub(r"(?:^|(?<=\s))\d+\s*[.．、]+(?=\D|[1-9][-+1-9][-+.=][1-9])", " ", line.translate(KEYBOARD))
            for part in _SEPARATORS.sub(" ", plain).split():
                for word, _ in moves_in(split_sign(part)[0]):
                    if word in RESULTS or is_like_move(word):
                        words.append(word)
                    elif not _NUMBER.fullmatch(word):
                        remarks.append(word)
        elif words:
            result = words.pop() if words[-1] in RESULTS else "*"
            yield _Row(start, STARTING_FEN, words, "", result)
            words = []


def write(form: Format, games: Sequence[Game], style: WriteStyle) -> WrittenFile:
    """Return the text of the games; ValueError if one begins where the format cannot store it."""
    losses = Losses()
    rows = []
    for whole in games:
        game = fitted(whole, form.holds, (), losses)
        if form.name == "fens":
            moves = f" moves {' '.join(map(str, game.moves))}" if game.moves else ""
            rows.append(game.board().fen() + moves)
        elif not game.moves:
            losses["games without moves"] += 1
        else:
            rows += [*_wrapped(game, cast(Notation, style.notation)), ""]
    return WrittenFile(encode("".join(f"{row}\n" for row in rows), style.encoding, losses), +losses)


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
