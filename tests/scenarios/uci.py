"""Scenarios of the core protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from games import registry
from scenarios import scenario

if TYPE_CHECKING:
    from record_transcripts import Recorder

START = {"xiangqi": "startpos", "connect6": "startpos", "ewn": "startpos", "junqi": "startpos"}


def variant(name: str) -> str:
    return f"setoption name UCI_Variant value {name}"


@scenario("uci")
def handshake(play: Recorder) -> None:
    """Name, options, help, and what is answered before any game is loaded."""
    play.send("uci", until="uciok")
    play.send("help", until="help quit")
    play.send("hello", "Uci", "UCI", "go\tdepth", until="info string error", count=3)
    play.send("", "   ", "\t", "isready", until="readyok")
    play.send("uci", until="uciok")
    play.send("isready", "isready", until="readyok", count=2)
    play.send("debug", "debug maybe", "debug on on", "debug ON", "debug on", "debug off", until="info", count=4)
    play.send("stop", "ponderhit", "isready", until="readyok")
    play.send("quit")


@scenario("uci")
def xiangqi_game(play: Recorder) -> None:
    """A whole game against random moves, by clocks, and what comes after its end."""
    play.send("setoption name Seed value 1", "isready", until="readyok")
    play.send("ucinewgame", "position startpos", "go wtime 3600000 btime 3600000", until="bestmove")
    position = registry.load("xiangqi").position()
    moves: list[str] = []
    while position.outcome() is None:
        if position.turn:
            texts = sorted(map(position.move_text, position.legal_moves()))
            move = play.random.choice(texts)
        else:
            clock = 3600000 - 20000 * len(moves)
            line = " ".join(["position startpos", *(["moves", *moves] if moves else [])])
            move = play.best(line, f"go wtime {clock} btime {clock}")
        moves.append(move)
        position.push(position.parse_move(move))
    line = f"position startpos moves {' '.join(moves)}"
    play.send(line, "result", "turn", "legal", "d", "eval", "probe", "book", until="book")
    play.send("go wtime 3600000 btime 3600000", until="bestmove")
    play.send(f"{line} a0a1", until="info string error")
    play.send("go depth 3", until="bestmove")
    play.send("go infinite", until="info depth 0")
    play.send("stop", until="bestmove")
    play.send("ucinewgame", "d", until="Key:")
    play.send("quit")
