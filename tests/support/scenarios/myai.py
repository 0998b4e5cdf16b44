"""Scenarios of MyAI's protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scenarios import scenario
from scenarios.players import position_after, push, random_move

if TYPE_CHECKING:
    from record_transcripts import Recorder

START = "E5 D5 C5 E4 D4 E3 A1 B1 C1 A2 B2 A3"


def squares(fen: str) -> str:
    """Return the twelve squares of a FEN as the referee writes them, the second side's first."""
    places = {}
    for row, text in enumerate(fen.split(maxsplit=1)[0].split("/"), 1):
        column = 0
        for sign in text:
            if sign.isdigit():
                column += int(sign)
            else:
                places[sign] = f"{'ABCDE'[column]}{row}"
                column += 1
    return " ".join(places.get(piece, "0") for piece in "abcdefABCDEF")


@scenario("myai")
def games(play: Recorder) -> None:
    """Games on either side against random moves, from the name to the last move."""
    play.send("name", until="name Siqi")
    play.send("version", until=lambda line: True)
    play.send("time_setting 240", "board_setting 5 6", until="1", count=2)
    play.send("setoption name Seed value 1")
    for side in (0, 1):
        play.send("ini R", until=lambda line: len(line.split()) == 6)
        play.send("ini B", until=lambda line: len(line.split()) == 6)
        position = position_after("ewn", fen="ABC2/DE3/F3f/3ed/2cba f -")
        while position.outcome() is None:
            die = play.random.randint(1, 6)
            position.set_dice(die)
            if position.turn == side:
                (answer,) = play.send(
                    f"get {'RB'[side]} {die} {squares(position.fen())}", until=lambda line: len(line.split()) == 2
                )
                move = "".join(f"{square[0].lower()}{6 - int(square[1])}" for square in answer.split())
            else:
                move = random_move(play.random, position)
            push(position, move)
        play.send(f"get {'RB'[side]} 3 {squares(position.fen())}", until="ERROR")
    play.send("exit")


@scenario("myai")
def errors(play: Recorder) -> None:
    """Malformed and illegal commands, in any order."""
    play.errors = True
    play.send("name", until="name Siqi")
    play.send("version", until=lambda line: True)
    play.each(
        "version now", "time_setting", "time_setting x", "time_setting -5", "time_setting 5s", "time_setting 99999999",
        "time_setting 0", "time_setting 240", "board_setting", "board_setting 5", "board_setting 6 6",
        "board_setting 5 x", "board_setting 5 6 7", "ini", "ini X", "ini r", "get", "get R", "get X 3", "get R x",
        f"get R 3 {START} A1", f"get R 3 {START[:-3]}", f"get X 3 {START}", f"get R x {START}", f"get R 0 {START}",
        f"get R 9 {START}", f"get R 3 {START.replace('A3', 'A1')}", f"get R 3 {START.replace('A3', 'a3')}",
        f"get R 3 {START.replace('A3', 'F1')}", f"get R 3 {START.replace('A3', 'moves')}",
        f"get R 3 {START.replace('A3', '0').replace('E3', '0')}", "get R 1 E5 D5 C5 E4 D4 E3 0 0 0 0 0 0",
        "get B 1 0 0 0 0 0 0 A1 0 0 0 0 0", "get R 1 0 0 0 0 0 0 0 0 0 0 0 0", "get R 1 0 0 0 0 0 A1 E5 0 0 0 0 0",
        "get R 1 0 0 0 0 0 C3 E5 0 0 0 0 0", "get R 1 0 0 0 0 0 C3 D4 0 0 0 0 0", "get B 6 0 0 0 0 0 B2 0 0 C2 0 0 0",
        "hello", "new", "next", "name?", "name", "", ">! get \\xe7\\xba\\xa2\\n", ">* 65537 x",
        "setoption name Nonsense value 1", "setoption name Algorithm value uct", f"get R 3 {START}", "ini B",
        f"get B 3 {START}", "setoption name OwnBook value true", "ini R", "ini B", "ini R", f"get R 4 {START}",
    )  # fmt: skip
    play.send("quit")


@scenario("myai", nodes=0)
def while_it_thinks(play: Recorder) -> None:
    """Lines that come while the engine thinks about a move; a new game ends its search."""
    play.send("name", until="name Siqi")
    play.send("time_setting 3600", "setoption name Algorithm value uct", until="1")
    play.send("setoption name OwnBook value true", "ini R", until=lambda line: len(line.split()) == 6)
    play.send(f"get R 3 {START}")
    play.each(
        f"get R 3 {START}", "version", "time_setting 3600", "board_setting 5 6", "name", "hello", "get R 1", "ini X"
    )
    play.send("ini B", until=lambda line: len(line.split()) == 6)
    play.send(f"get B 3 {START}", "ini R", until=lambda line: len(line.split()) == 6)
    play.send("exit")


@scenario("myai")
def sent_ahead(play: Recorder) -> None:
    """Commands sent while the game is being loaded, and the end of input."""
    play.send(
        "name", "version", "time_setting 60", "board_setting 5 6", "hello", f"get R 3 {START}", "version", "get X",
        ">.", until=lambda line: line.startswith("C1 "),
    )  # fmt: skip


@scenario("myai")
def named_again(play: Recorder) -> None:
    """The client sends `name` twice, then a command that MyAI and Cloudict's protocol share."""
    play.send("name", "name", until="name", count=2)
    play.send("quit")
