"""Games out of files of any format, for the commands that read them."""

from __future__ import annotations

import argparse
import errno
import sys
from collections.abc import Callable, Sequence
from typing import NamedTuple

from games import registry
from games.contract import GameRecord, is_dice_position
from games.files import read_bytes
from games.formats import HEAD_BYTES, MAX_BYTES, Format, Found, recognised

MOST_LINES = 20
"""Faults that are listed; more are counted."""


class Refusal(Exception):
    """Raised with one line for the user, before anything is written."""


class Choice(NamedTuple):
    """A game and one of its formats."""

    game: str
    format: Format


def add_arguments(found: argparse.ArgumentParser, what: str) -> None:
    """Add the arguments that say how a file is read; `what` names it."""
    found.add_argument(
        "--from", dest="source", metavar="FORMAT", help=f"the format of {what}; default: found by its content"
    )
    found.add_argument("--game", choices=registry.NAMES, help=f"the game; default: found by the content of {what}")
    found.add_argument("--encoding", help=f"the encoding of the texts in {what}; default: found by their content")


def check_encoding(name: str) -> None:
    """Raise Refusal unless there is such an encoding."""
    try:
        "".encode(name)
    except LookupError:
        raise Refusal(f"no such encoding: {name}") from None


def read_input(name: str) -> bytes:
    """Return the content of a file, or of standard input (`-`); OSError or ValueError if it cannot be read."""
    if name != "-":
        return read_bytes(name, MAX_BYTES)
    if sys.stdin is None:
        raise OSError(errno.EBADF, "standard input is closed")
    data = sys.stdin.buffer.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ValueError(f"standard input has more than {MAX_BYTES} bytes")
    return data


def _tables(options: argparse.Namespace) -> dict[str, tuple[Format, ...]]:
    return {game: registry.formats(game) for game in ([options.game] if options.game else registry.NAMES)}


def choose_format(options: argparse.Namespace, name: str, data: bytes) -> Choice:
    """Return the format of a file's content; Refusal if nothing shows it."""
    tables = _tables(options)
    head = data[:HEAD_BYTES]
    if options.source:
        named = [Choice(game, one) for game, table in tables.items() for one in table if one.name == options.source]
        if not named:
            raise Refusal(f"--from {options.source}: there is no such format (siqi convert --list)")
        choices = [choice for choice in named if choice.format.recognises(head)] or named
        if len(choices) > 1:
            raise Refusal(f"--from {options.source}: a format of several games; name one by --game")
        return choices[0]
    for hint in ("", name):  # the content of any game's files comes before a file's name
        for game, table in tables.items():
            if recognised(table, head, hint):
                one = recognised(table, head, name)
                assert one is not None
                return Choice(game, one)
    raise Refusal(f"{name}: not a format that is known; name it by --from (siqi convert --list shows them)")


def read_games(choice: Choice, data: bytes, encoding: str | None) -> Found:
    """Return the games of a file's content, each up to its first illegal move; ValueError if it has no games."""
    found = choice.format.read(data, encoding)
    if registry.wording(choice.game) is None:  # else the readers check the moves themselves
        cut_records(choice.game, found)
    return found


def cut_records(game: str, found: Found) -> None:
    """Cut each record before its first illegal move, which is a fault."""
    loaded = registry.load(game)
    info = registry.info(game)
    for number, record in enumerate(found.games):
        place = 0
        try:
            position = loaded.position(record.fen or None)
            setups = 2 if info.has_setup and not record.fen else 0
            for place, word in enumerate(record.moves):
                throw = record.dice[place - setups] if setups <= place < len(record.dice) + setups else 0
                if throw and is_dice_position(position, info):
                    position.set_dice(throw)
                position.push(position.parse_move(word))
        except ValueError as error:
            found.faults.append(f"game {number + 1}: move {place + 1}: {error}")
            found.games[number] = _cut(record, place, 2 if info.has_setup and not record.fen else 0)


def _cut(record: GameRecord, place: int, setups: int) -> GameRecord:
    return record._replace(moves=record.moves[:place], dice=record.dice[: max(0, place - setups)])


def report_all(report: Callable[[str], None], name: str, faults: Sequence[str]) -> None:
    """Report the faults of a file, MOST_LINES of them at most."""
    for fault in faults[:MOST_LINES]:
        report(f"{name}: {fault}")
    if len(faults) > MOST_LINES:
        report(f"{name}: {len(faults) - MOST_LINES} more faults")
