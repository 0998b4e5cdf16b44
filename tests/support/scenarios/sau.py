"""Scenarios of the SAU platform."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scenarios import scenario
from scenarios.players import in_letters, of_letters, position_after, push, random_turn

if TYPE_CHECKING:
    from record_transcripts import Recorder


def begin(play: Recorder) -> None:
    play.send("name?", until="name Siqi")
    play.send("setoption name Seed value 1")


@scenario("sau", nodes=200)
def games(play: Recorder) -> None:
    """Whole games against random turns on either side, and commands after their ends."""
    begin(play)
    for side in (0, 1, 0):
        position = position_after("connect6")
        if side == 0:
            push(position, of_letters(play.best("new black", until="move"), from_top=True))
        else:
            play.send("new white")
        while position.outcome() is None:
            turn = random_turn(play.random, position)
            push(position, turn)
            if position.outcome() is None:
                letters = play.best(f"move {in_letters(turn, from_top=True)}", until="move")
                push(position, of_letters(letters, from_top=True))
        play.send("move AAAB", until="ERROR")
        if side == 1:
            play.send("error", "move SSSR", until=lambda line: True)
        play.send("end black")
        play.send("move AAAB", until=lambda line: True)
    play.send("quit")


@scenario("sau", nodes=200)
def errors(play: Recorder) -> None:
    """Malformed and illegal turns, unknown words; a missing book is reported on standard error only."""
    play.errors = True
    play.send("name?", until="name Siqi")
    play.each(
        "move", "new", "new blue", "new BLACK", "new xxx", "hello", "NAME?", "name", "next", "black JJ", "depth 1",
        "version",
    )  # fmt: skip
    play.each(
        "setoption name Depth value 99", "setoption name Nonsense value 1", "setoption", "setoption name Depth value 2"
    )
    play.each(
        "", "  ", ">! \\xe6\\xa3\\x8b\\x02\\n", ">! move \\xe6\\xa3\\x8b\\n", ">* 65537 x", ">* 65536 x", "name? again"
    )
    play.send("new white")
    play.each(
        "move AAAB", "move AA", "move AA@@BB", "move A", "move AAZZ", "move aa1b", "move @@@@", "move @@AA",
        "move AABBCC", "move JJJJ extra",
    )  # fmt: skip
    play.send("new white", "move JJ@@", until="move")
    play.each("move JJKK", "move JJ@@", "move AA@@", "move AAAA", "move AA", "move AAJJ", "move jjaa")
    play.send("move aaab", until="move")
    play.send("error")
    play.send("move ssrr", until="move")
    play.send("error", "error", "error", "error")
    play.send("move SASB", until="move")
    play.send("new black", until="move JJ@@")
    play.send("error")
    play.send("move KKLL", until=lambda line: True)
    play.send("end")
    play.send("end white wins", "error", "new black", until="move JJ@@")
    play.send("move JJ@@ @@", until="ERROR")
    play.send("setoption name OwnBook value true", "setoption name BookFile value missing.book")
    play.send(
        "setoption name UseRules value paper", "setoption name Hash value x", "new white", "move JJ@@", until="move"
    )
    play.send("new white", "move JJ@@", until="move")
    play.send("setoption name BookFile value cut.book", "new white", "move JJ@@", until="move")
    play.send("quit now")


@scenario("sau", nodes=0)
def while_it_thinks(play: Recorder) -> None:
    """Lines that come while the engine thinks about a turn for minutes."""
    begin(play)
    play.send("new white")
    play.send("move JJ@@")
    play.each("move AAAB", "error", "hello", "name?", "move", "setoption name Depth value 3", "new blue")
    play.send("new white")
    play.send("move KK@@", "move AAAB", "end white", "move JJ@@", until="ERROR")
    play.send("new black", "new black", until="move JJ@@")
    play.send("end black")
    play.send("new white", "move JJ@@", "new black", until="move JJ@@")
    play.send("quit")


@scenario("sau", nodes=200)
def sent_ahead(play: Recorder) -> None:
    """Lines sent while the game is being loaded, and the end of input before that is done."""
    play.send("name?", "hello", "new white", "move JJ@@", "move AAAB", "end", "new black", ">.", until="move JJ@@")
