"""The texts of Junqi squares, moves, deployments and FENs.

A move is `from | to << 6 | (result code + 1) << 12 | (announced flag square + 1) << 15`; the last two parts are 0
if not given. A deployment is DEPLOYMENT plus its word's bytes read as a number.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from siqi.games.contract import HIDDEN
from siqi.games.junqi import INFO
from siqi.games.junqi.rules.lookup import COUNTS, PIECES, ROWS, SLOTS, TYPES
from siqi.games.junqi.rules.position import make_move, origin_of, target_of
from siqi.games.junqi.rules.setup import slot_types

DEPLOYMENT = 1 << 256
MAX_QUIET = 999
"""The most plies since contact that a FEN can state."""

LETTERS = {*"".join(INFO.pieces), *HIDDEN}

_MOVE = re.compile(r"([A-L][0-4])([A-L][0-4])(?:=([0-3]))?(?:@([A-L][0-4]))?\Z", re.ASCII | re.IGNORECASE)


def square_text(square: int) -> str:
    return f"{ROWS[square // 5]}{square % 5}"


def parse_square(text: str) -> int:
    return 5 * ROWS.index(text[0].upper()) + int(text[1])


def move_text(move: int) -> str:
    """Return `G0F0`, with `=code` and `@flag` if the move has them; the word of a deployment."""
    if move >= DEPLOYMENT:
        return deployment_word(move)
    text = square_text(origin_of(move)) + square_text(target_of(move))
    if (code := given_code(move)) >= 0:
        text += f"={code}"
    if (flag := flag_square(move)) >= 0:
        text += f"@{square_text(flag)}"
    return text


def with_result(move: int, code: int | None, flag: int | None) -> int:
    """Return a move of 12 bits with its result code and the announced flag square; None: not known."""
    return move | (0 if code is None else code + 1) << 12 | (0 if flag is None else flag + 1) << 15


def without_result(move: int) -> int:
    """Return the 12 bits of a move without its result code and flag square."""
    return move & 0xFFF


def given_code(move: int) -> int:
    """Return the result code given with a move, -1 if there is none."""
    return (move >> 12 & 7) - 1


def flag_square(move: int) -> int:
    """Return the announced flag square given with a move, -1 if there is none."""
    return (move >> 15) - 1


def parse_move(text: str) -> int:
    """Return the move of a text such as `G0F0=2@A1`; ValueError if it is none."""
    match = _MOVE.match(text)
    if not match:
        raise ValueError(f"not a move: {text}")
    move = make_move(parse_square(match[1]), parse_square(match[2]))
    return with_result(move, int(match[3]) if match[3] else None, parse_square(match[4]) if match[4] else None)


def deployment_word(move: int) -> str:
    """Return the word of a deployment's move."""
    number = move - DEPLOYMENT
    return number.to_bytes((number.bit_length() + 7) // 8, "big").decode()


def deployment_move(word: str) -> int:
    """Return the move of a deployment's word, unchecked."""
    return DEPLOYMENT + int.from_bytes(word.encode(), "big")


def check_deployment(word: str) -> None:
    """Check that a word is a legal deployment of 25 letters; ValueError if not, with the reason."""
    if len(word) != PIECES or any(letter not in TYPES for letter in word):
        raise ValueError(f"not a set-up (25 letters a-l): {word}")
    for kind, letter in enumerate(TYPES):
        if word.count(letter) != COUNTS[kind]:
            raise ValueError(f"set-up has {word.count(letter)} of piece {letter}, not {COUNTS[kind]}: {word}")
    for slot, letter in enumerate(word):
        if not slot_types(slot) >> TYPES.index(letter) & 1:
            raise ValueError(f"set-up may not have {letter} on {square_text(SLOTS[slot])}: {word}")


def letter_of(may: int, side: int) -> str:
    """Return the FEN letter of a side's piece that may be any of a set of types."""
    return HIDDEN[side] if may & (may - 1) else INFO.pieces[side][may.bit_length() - 1]


def observed(text: str, result: int, flag: str) -> str:
    """Return a move's text with result code and, unless it is "", flag square; ValueError if one is invalid."""
    return move_text(parse_move(f"{text}={result}" + (f"@{flag}" if flag else "")))


def parse_fen(fen: str) -> tuple[list[tuple[str, int]], int, int | None, int]:
    """Return a FEN's pieces as (letter, square), turn, viewer and plies since contact; ValueError, with the reason.

    The viewer is None in a referee's position.
    """
    fields = fen.split()
    if not 2 <= len(fields) <= 4:
        raise ValueError(f"{len(fields)} fields, not 2 to 4")
    pieces = []
    for column, row, char in INFO.shape.read_placement(fields[0]):
        if char not in LETTERS:
            raise ValueError(f"unknown piece {char}")
        pieces.append((char, 5 * (11 - row) + column))
    if fields[1] not in ("f", "s"):
        raise ValueError(f"side to move is f or s, not {fields[1]}")
    view = fields[2] if len(fields) > 2 else "-"
    if view not in ("f", "s", "-"):
        raise ValueError(f"viewer is f, s or -, not {view}")
    quiet = fields[3] if len(fields) > 3 else "0"
    if not (quiet.isascii() and quiet.isdigit()):
        raise ValueError(f"plies since contact are not a number: {quiet}")
    if len(quiet) > len(str(MAX_QUIET)):
        raise ValueError(f"plies since contact are above {MAX_QUIET}: {quiet}")
    return pieces, int(fields[1] == "s"), None if view == "-" else int(view == "s"), int(quiet)


def write_fen(pieces: Mapping[str, str], turn: int, viewer: int | None, quiet: int = 0) -> str:
    """Return the FEN of letters by their squares' texts; ValueError if there is no such square or letter."""
    view = "-" if viewer is None else INFO.sides[viewer]
    return f"{INFO.placement(pieces)} {INFO.sides[turn]} {view} {min(quiet, MAX_QUIET)}"
