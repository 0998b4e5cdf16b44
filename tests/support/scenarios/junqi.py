"""Scenarios of Junqi's referee protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scenarios import scenario
from scenarios.players import SETUPS, JunqiReferee

if TYPE_CHECKING:
    from record_transcripts import Recorder

ROWS = "ABCDEFGHIJKL"


def turned(squares: str, side: int) -> str:
    """Return squares turned to a side's own view, or back."""
    if side == 0:
        return squares
    pairs = zip(squares[::2], squares[1::2], strict=True)
    return "".join(f"{ROWS[11 - ROWS.index(row)]}{4 - int(column)}" for row, column in pairs)


def play_game(play: Recorder, side: int, most: int) -> None:
    """Play a game of limited length against random moves, attacks if there are any."""
    word = play.best(f"START {side} 1800 31", until="ARRAY")
    game = JunqiReferee(*((word, SETUPS[1]) if side == 0 else (SETUPS[0], word)))
    line = "GO 0000 0 00"
    while game.position.outcome() is None and game.position.ply < most:
        if game.position.turn == side:
            answer = play.best(line, until="BESTMOVE")
            code, flags = game.play(turned(answer, side))
            flag = flags[1 - side]
            play.send(f"RESULT {code} {'00' if flag is None else turned(flag, side)}")
        else:
            move = game.random_move(play.random)
            code, flags = game.play(move)
            flag = flags[1 - side]
            line = f"GO {turned(move, side)} {code} {'00' if flag is None else turned(flag, side)}"
    outcome = game.position.outcome()
    play.send(f"END {2 if outcome is None or outcome.winner is None else int(outcome.winner == side)}")


@scenario("junqi", nodes=100)
def games(play: Recorder) -> None:
    """Games on either side against random moves, with other seeds and with the user's deployments."""
    play.send("INFO 1.0", until="NAME Siqi")
    for side in (0, 1):
        play_game(play, side, 150)
    play.send("END 0", "GO 0000 0 00", until=lambda line: True)
    for seed, layouts in ((2, "<empty>"), (3, "layouts")):
        play.send(f"setoption name Seed value {seed}", f"setoption name LayoutFile value {layouts}")
        play_game(play, seed % 2, 60)


@scenario("junqi", nodes=6400)  # with fewer the first move would not be an attack
def errors(play: Recorder) -> None:
    """Incomplete lines, lines at the wrong time, illegal moves."""
    play.errors = True
    play.send("INFO", until="NAME Siqi")
    play.each(
        "START", "START x", "START 2", "START -1", "START 0 x", "STARTED", "GO", "GO F4G4 1 00", "GO 0000",
        "RESULT 1 00",
    )  # fmt: skip
    play.each(
        "RESULT", "hello", "info", "go", "END x", "END", "quit", "exit", "new", "", ">! GO \\xe5\\x86\\x9b 1 00\\n"
    )
    play.each(">* 65537 GO", "setoption name Nonsense value 1", "setoption name Seed value x")
    play.send("START 0 1800 31", until="ARRAY")
    play.each(
        "RESULT 1 00", "GO", "GO F4G4", "GO F4 1 00", "GO F4G4H4I4 3 00", "GO F9G9 3 00", "GO f4g4 1 00", "GO Z4G4 1 00"
    )
    play.each(
        "GO G4F4 1 00", "GO F4G4 x 00", "GO F4G4 9 00", "GO F4G4 3 A1A2", "GO F4G4 3 Z1", "GO F4G4 1 A1", "GO 0000 1 00"
    )
    play.each("RESULT", "RESULT x", "RESULT 4", "RESULT 9 00", "RESULT 3 zz", "RESULT 3 A1", "GO F4F3 3 00")
    play.send("START 1", until="ARRAY")
    play.each("GO F4G4 1 00", "GO G0F0 5 00", "GO G0F0 2 A1", "GO K1J1 3 00", "GO 0000 0 00")
    play.send("START 1 60", until="ARRAY")
    play.each("END 1", "END 0", "GO F0G0 1 00", "START 0 0", "GO 0000 0 00", "END 7 x")
    play.send("setoption name Seed value 4", "START 1 1800 31", until="ARRAY")
    play.send("GO F0G0 1 00", until=lambda line: True)
    play.send("GO F0E0 3 00", until=lambda line: True)
    play.send("RESULT 3 00", "RESULT 3 00", until="ERROR")
    play.send("GO A0A1 3 00", until=lambda line: True)
    play.send("GO G0H0 1 00", until=lambda line: True)
    play.send("END 1", "RESULT 3 00", until="ERROR")
    play.send("INFO 2.0", until="NAME")


@scenario("junqi", nodes=0)
def while_it_thinks(play: Recorder) -> None:
    """Lines that come while the engine thinks about a move; the end of a game and a new game end its search."""
    play.send("INFO 1.0", until="NAME Siqi")
    play.send("START 0 36000 31", until="ARRAY")
    play.send("GO 0000 0 00")
    play.each("GO 0000 0 00", "GO F4G4 1 00", "RESULT 3 00", "hello", "INFO 1.0", "START 3", "GO")
    play.send("END 1", "RESULT 3 00", until="ERROR")
    play.send("GO 0000 0 00", "START 1 36000 31", until="ARRAY")
    play.send("GO F0G0 1 00", "END 0", "hello", until="ERROR")


@scenario("junqi", nodes=100)
def sent_ahead(play: Recorder) -> None:
    """Lines sent while the game is being loaded, and the end of input."""
    play.send(
        "INFO 1.0", "START 0 1800 31", "GO 0000 0 00", "hello", "quit", "END 2", "START 1 1800 31", ">.", until="ARRAY"
    )
