"""Scenarios of Cloudict's protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scenarios import scenario
from scenarios.players import in_letters, of_letters, position_after, push, random_turn

if TYPE_CHECKING:
    from record_transcripts import Recorder


@scenario("cloudict", nodes=200)
def games(play: Recorder) -> None:
    """Games by `move`, and by `black`, `white` and `next`; commands after their ends; a single stone that wins."""
    play.send("name", until="name Siqi")
    play.send("depth 2", "vcf", "unvcf")
    for side in (1, 0):
        position = position_after("connect6")
        if side == 0:
            push(position, of_letters(play.best("new black", until="move"), from_top=False))
        else:
            play.send("new white")
        while position.outcome() is None:
            turn = random_turn(play.random, position)
            push(position, turn)
            if position.outcome() is None:
                letters = play.best(f"move {in_letters(turn, from_top=False)}", until="move")
                push(position, of_letters(letters, from_top=False))
        play.send("move AAAB", until="ERROR")
        play.send("next", until="ERROR")
    play.send("new xxx")
    position = position_after("connect6")
    while position.outcome() is None:
        colour = ("black", "white")[position.turn]
        if position.ply % 4 in (2, 3):
            turn = random_turn(play.random, position)
            play.send(f"{colour} {in_letters(turn, from_top=False)}")
            push(position, turn)
        else:
            push(position, of_letters(play.best("next", until="move"), from_top=False))
    play.send("next", until="ERROR")
    play.send("black AAAB", until="ERROR")
    play.send("new xxx", "next", until="move JJJJ")
    play.send(
        "white AAAB", "black KJ", "black JKJL", "white ACSA", "black JMJM", "black JMJN", "white SCSC", until="ERROR"
    )
    play.send("white SCSE", "black JO", "next", until="ERROR the game is over")
    play.send("white SFSG", "move SFSG", until="ERROR")
    play.send("quit")


@scenario("cloudict", nodes=200)
def errors(play: Recorder) -> None:
    """Malformed and illegal turns, unknown words."""
    play.errors = True
    play.send("name", until="name Siqi")
    play.send("name", "name again", until="name", count=2)
    play.send("new xxx", "next", until="move")
    play.each(
        "new", "new blue", "depth", "depth x", "depth 99", "depth -1", "hello", "name?", "move", "black", "white",
        "next now",
    )  # fmt: skip
    play.send("new xxx")
    play.each("black", "black J", "black JZ", "black JJKK", "white JJJJKK", "error", "end", "ini R", "version", "get R")
    play.send("black JJ", "white JJKK", "white KKLL", "white AAAB", "black KKLM", "black IIHH", "next", until="move")
    play.send("black IIHG", "next", until="move")
    play.send("new xxx", "black JJJJ", "new xxx", "black JJJJ", "next", until="move")
    play.send("setoption name Depth value 1", "setoption name Depth value x", "next", until="move")
    play.each("vcf on", "unvcf", ">! black \\xe6\\xa3\\x8b\\n", "", "setoption name Hash value 0")
    play.send("next", until="move")
    play.send("exit")


@scenario("cloudict", nodes=0)
def while_it_thinks(play: Recorder) -> None:
    """Lines that come while the engine thinks about a turn for minutes."""
    play.send("name", until="name Siqi")
    play.send("new xxx", "black JJJJ")
    play.send("next")
    play.each("next", "black AAAB", "move AAAB", "depth 2", "vcf", "hello", "name", "new blue")
    play.send("new black", until="move JJJJ")
    play.send("new xxx", "black JJJJ", "next", "new white", "hello", until="ERROR")
    play.send("quit")


@scenario("cloudict", nodes=200)
def without_a_new_game(play: Recorder) -> None:
    """The first word after the name is a turn; many lines in one write; the end of the input."""
    play.send("name", "black JJJJ", "white KKLL", "white KKMM", "black AAAB", "depth 1", "next", until="move")
    play.send("next", ">.", until="move")
