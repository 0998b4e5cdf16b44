"""Scenarios of UGI."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scenarios import scenario
from scenarios.players import moves_line, position_after, push, random_move, random_turn

if TYPE_CHECKING:
    from record_transcripts import Recorder

QUERIES = ("query p1turn", "query gameover", "query result")
MATE = "position fen 3k5/1R7/R8/9/9/9/9/9/9/4K4 w"
GO = "go p1time 3600000 p2time 3600000"


def variant(name: str) -> str:
    return f"setoption name UCI_Variant value {name}"


@scenario("ugi")
def handshake(play: Recorder) -> None:
    """Options, errors, and commands of UCI."""
    play.send("ugi", until="ugiok")
    play.send(*QUERIES, until="response", count=3)
    play.each("query", "query weather", "query p1turn now", "query P1TURN", "Query result", "ugi now", "uginewgame now")
    play.each(
        "go p1time x", "go p1time", "go p2time 1.5", "go p1inc z p2inc 1", "go p2inc", "go wtime x", "go p1time 3x"
    )
    play.each("go depth x", "go depth", "go nodes 0", "go searchmoves", "go searchmoves a0a9", "go p3time 5 depth 1")
    play.each("setoption name Hash value 0", "setoption name Nonsense", "setoption Hash 3", "hello", "", "ucci")
    play.each("position x", "position fen x", "position startpos moves a0a9", "dice 3", "perft x", "debug x")
    play.send("uginewgame", "isready", "ucinewgame", "isready", until="readyok", count=2)
    play.send("uci", until="ugiok")
    play.send("d", "result", "turn", "legal", "probe", until="probe")
    play.send("debug on", f"{GO} depth 1", until="bestmove")
    play.send("debug off", "perft 1", until="perft")
    play.send("quit")


@scenario("ugi", nodes=150)
def games(play: Recorder) -> None:
    """Games to their ends as match runners play them, with queries before every move."""
    play.send("ugi", until="ugiok")
    for game, side in (("xiangqi", 0), ("connect6", 1)):
        play.send(variant(game), "setoption name Seed value 1", "isready", until="readyok")
        play.send("uginewgame", "isready", until="readyok")
        position = position_after(game)
        moves: list[str] = []
        while position.outcome() is None:
            play.send(moves_line(moves), "query p1turn", "query gameover", until="response", count=2)
            if position.turn == side:
                move = play.best(GO + f" p1inc {len(moves)} p2inc {len(moves)}")
            else:
                choose = random_turn if game == "connect6" else random_move
                move = choose(play.random, position)
            moves.append(move)
            push(position, move)
        play.send(moves_line(moves), *QUERIES, until="response", count=3)
        play.send(GO, until="bestmove")
        play.send("go infinite", until="info depth 0")
        play.send("query result", until="response")
        play.send("stop", until="bestmove")
    play.send("quit")


@scenario("ugi", nodes=500)
def searches(play: Recorder) -> None:
    """Mates in plies, clocks of either player, every game, results of every kind."""
    play.send("ugi", "setoption name Seed value 1", until="ugiok")
    play.send(MATE, "go depth 2", until="bestmove")
    play.send("position fen 3k5/9/R8/9/9/9/9/9/9/1R2K4 b", "go depth 3", until="bestmove")
    play.send("position fen 3k5/9/9/9/9/9/9/4R4/9/4K4 w", "go depth 2", until="bestmove")
    play.send("position fen 3a1k3/7R1/5a3/5P3/1n2P3p/p4C3/2r2c2P/4C3B/4A4/3AK4 w", "go mate 1", until="bestmove")
    play.send(
        "debug on", "position startpos", "go p1time 60000 p2time 30000 p1inc 10 p2inc 700 depth 1", until="bestmove"
    )
    play.send(
        "position startpos moves h2e2", "go p1time 60000 p2time 30000 p1inc 10 p2inc 700 depth 1", until="bestmove"
    )
    play.send("go p1time 60000 movestogo 5 depth 1", until="bestmove")
    play.send("go wtime 60000 btime 60000 p1inc 5 depth 1", until="bestmove")
    play.send("debug off", "go infinite", until="info depth")
    play.each("isready", *QUERIES, until=lambda line: line.startswith(("response", "readyok")))
    play.send("stop", until="bestmove")
    play.send("go ponder depth 1", until="info depth")
    play.send("ponderhit", until="bestmove")
    for line in (
        f"{MATE} moves a7a9",
        "position fen 4k4/9/9/9/9/9/9/9/3r5/3K5 w",
        "position fen 5k3/9/9/9/9/9/9/9/9/3K5 w",
        "position startpos moves a0a1 a9a8 a1a0 a8a9 a0a1 a9a8 a1a0 a8a9",
    ):
        play.send(line, *QUERIES, until="response", count=3)
        play.send("go depth 1", until="bestmove")
    play.send(variant("ewn"), *QUERIES, until="response", count=3)
    play.send("position startpos moves 123456", *QUERIES, until="response", count=3)
    play.send("position startpos moves 123456 615243", "query p1turn", "go depth 1", until="bestmove")
    play.send("dice 3", GO, until="bestmove")
    play.send("position fen 5/5/5/3A1/a4 f 3", GO, until="bestmove")
    play.send("position fen 5/5/5/5/a4 f 3", *QUERIES, until="response", count=3)
    play.send(variant("junqi"), "position startpos", "query p1turn", GO, until="bestmove")
    play.send("position startpos moves diahcbgkkfiecfigjhedjljhg ? G2F2=1", *QUERIES, until="response", count=3)
    play.send(GO, until="bestmove")
    play.send("quit")


@scenario("ugi")
def sent_ahead(play: Recorder) -> None:
    """Many lines in one write, before the game is loaded and after."""
    play.send(
        "ugi", *QUERIES, "position startpos moves h2e2", *QUERIES, "go depth 1", "probe", *QUERIES, "hello",
        until="response", count=9,
    )  # fmt: skip
    play.send(
        "go depth 2", "uginewgame", "query p1turn", "go depth 2", variant("connect6"), *QUERIES, until="response",
        count=4,
    )  # fmt: skip
    play.send("position startpos moves j10", "go depth 1", "go p1time x", "query result", until="response")
    play.send("go infinite", until="info depth")
    play.send("go infinite", "probe", *QUERIES, "quit", until="response", count=3)


@scenario("ugi")
def end_of_input(play: Recorder) -> None:
    """Queries that wait for the game at the end of input."""
    play.send("ugi", MATE, "go depth 2", "probe", *QUERIES, ">.", until="response", count=3)
