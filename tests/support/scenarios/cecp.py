"""Scenarios of CECP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scenarios import scenario
from scenarios.players import listed, position_after, push, random_move

if TYPE_CHECKING:
    from record_transcripts import Recorder

MATE = "setboard 3k5/1R7/R8/9/9/9/9/9/9/4K4 w 0 1"
SINGLE = "r1bakab1r/9/2n3n2/p1p1p1p1p/4c4/9/P1P1P1P1P/1C5C1/4A4/RNB1KABNR"
RESULTS = ("1-0", "0-1", "1/2-1/2")


def begin(play: Recorder, *more: str) -> None:
    play.send("xboard", "protover 2", until="feature done=1")
    play.send("new", *more, "ping 1", until="pong 1")


def moved(answers: list[str]) -> str:
    """Return the engine's last move."""
    return [line for line in answers if line.startswith("move ")][-1].split()[1]


@scenario("cecp")
def handshake(play: Recorder) -> None:
    """Features, good and bad settings, ignored and unknown words."""
    play.send("xboard", "protover 2", "accepted myname", "rejected san", "accepted done", until="feature done=1")
    play.send("xboard", "ping 1", until="pong 1")
    play.send(
        "random", "name Fritz", "rating 1 2", "ics -", "white", "black", "bogus", "put a1", "hover a1", "ping 2",
        until="pong",
    )  # fmt: skip
    wrong = (
        "hello", "Ping 1", "usermove", "ping", "level", "level 40", "level 40 5", "level x 5 0", "level 40 x 0",
        "level 40 5 x", "level -1 5 0", "level 40 5:x 0", "level 40 5 1e999", "level 40 5 nan", "st", "st x", "st -1",
        "st 1.5", "sd", "sd x", "sd -3", "time", "time x", "otim", "otim 1.5", "memory", "memory x", "memory 0",
        "memory 99999", "cores", "cores x", "cores 0", "cores 65", "option", "option OwnBook", "option OwnBook=2",
        "option MultiPV=0", "option Move Overhead=x", "option Nonsense=3", "option UCI_Variant=ewn",
        "option UCI_Coordinates=1", "option Hash value 99 x=1", "variant", "variant chess", "setboard", "setboard x",
        "setboard 3k5/9/9/9/9/9/9/9/9/4K4 w moves e0e1", "undo", "remove", "lift", "hint", "draw", ".", "?", "exit",
        "uci", "go2", "d", "isready", "position startpos", "setoption name Hash value 1", ">! caf\\xc3\\xa9\\x01\\n",
        ">! usermove \\xe5\\x85\\xb5\\n", ">* 65537 x", ">* 65536 x",
    )  # fmt: skip
    play.each(*wrong)
    play.send(
        "level 40 5 0", "level 0 2:30 12", "level 40 0:30 1.5", "st 10", "sd 5", "time 100", "time -5",
        "otim 99999999999", "memory 16", "cores 1", "option OwnBook=1", "option OwnBook=0", "option OwnBook=true",
        "option OwnBook=false", "option MultiPV=2", "option multipv=1", "option Move Overhead=20",
        "option Skill Level=20", "option Clear Hash", "hard", "easy", "post", "nopost", "computer", "variant xiangqi",
        "ping 3", until="pong",
    )  # fmt: skip
    play.send("protover 1", until="feature done=1")
    play.send("quit")


@scenario("cecp")
def xiangqi_game(play: Recorder) -> None:
    """A game with random moves against the engine, to its end and beyond; then the engine begins."""
    begin(play, "variant xiangqi", "level 0 60:00 0", "post", "easy", "random")
    for side in (1, 0):
        play.send("new", "level 0 60:00 0", "post", "ping 2", until="pong")
        position = position_after("xiangqi")
        move = moved(play.send("go", until="move")) if side == 0 else ""
        count = 0
        while True:
            if move:
                push(position, move)
            if position.outcome() is not None:
                break
            own = random_move(play.random, position)
            push(position, own)
            count += 1
            lines = (f"time {360000 - 1000 * count}", f"otim {360000 - 100 * count}", f"usermove {own}")
            if position.outcome() is not None:
                play.send(*lines, until=lambda line: line.startswith(RESULTS))
                break
            move = moved(play.send(*lines, until="move"))
        play.send("hint", "draw", "ping 3", until="pong")
        play.send("usermove a0a1", "ping 4", until="pong")
        play.send("go", "ping 5", until="pong")
        play.send("undo", "ping 6", until="pong")
        play.send("remove", "ping 7", until="pong")
        play.send("result 1-0 {White mates}", "go", "ping 8", until="pong")
        play.send("result 0-1 {White resigns}", "ping 9", until="pong")
    play.send("quit")


@scenario("cecp")
def modes(play: Recorder) -> None:
    """`force`, `go`, `playother`, moves taken back, positions set up, hints, books, draws, ends of every kind."""
    begin(play, "post", "easy", "sd 2")
    play.send(
        "force", "usermove h2e2", "usermove h9g7", "usermove h9g7", "usermove x", "usermove h0g2", "ping 2",
        until="pong",
    )  # fmt: skip
    play.send("hint", "bk", "ping 3", until="pong")
    play.send("go", until="move")
    play.send("hint", "draw", "ping 4", until="pong")
    play.send("usermove a0a9", "ping 5", until="pong")
    play.send("usermove b0c2", until="move")
    play.send("remove", "ping 6", until="pong")
    play.send("usermove b0a2", until="move")
    play.send("undo", "ping 7", until="pong")
    play.send("go", until="move")
    play.send("force", "undo", "undo", "undo", "ping 8", until="pong")
    play.send("new", "force", "usermove h2e2", "usermove h9g7", "usermove h0g2", "playother", "ping 9", until="pong")
    play.send("usermove i9h9", until="move")
    undos = ["undo"] * 8
    play.send("force", *undos, "ping 10", until="pong")  # not in PLAY: searches stopped at any time would fill the tt
    play.send("remove", "ping 11", until="pong")
    play.send("force", MATE, "go", until="1-0")
    play.send("usermove d9d8", "go", "ping 12", until="pong")
    play.send("new", "force", MATE, "usermove a7a9", "usermove a9a8", "undo", "usermove a7a9", "ping 13", until="pong")
    play.send("new", "force", "setboard 4k4/9/9/9/9/9/9/9/9/4K4 w 0 1", "usermove h2e2", "ping 14", until="pong")
    play.each(
        "setboard x", "setboard rheakaehr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RHEAKAEHR w - - 0 1",
        "setboard 3k5/9/9/9/9/9/9/9/9/4K4", "setboard 3k5/9/9/9/9/9/9/9/9/4K4 w", "setboard 9/9 b 0 1",
        "setboard 3k5/9/9/9/9/9/9/9/9/4K4 z 0 1", "setboard 3kk4/9/9/9/9/9/9/9/9/3K5 w 0 1",
    )  # fmt: skip
    play.send("setboard 5k3/9/9/9/9/9/9/9/9/3K5 w 0 1", "go", "ping 15", until="pong")
    play.send("setboard 3k5/9/R8/9/9/9/9/9/9/1R2K4 b 0 1", "sd 3", "go", until="move")
    play.send("draw", "ping 16", until="pong")
    play.send("new", "sd 2", "nopost", "usermove h2e2", until="move")
    play.send("go", until="move")
    play.send("playother", "ping 17", until="pong")
    play.send("usermove a0a9", "ping 18", until="pong")
    play.send("variant xiangqi", "variant nonsense", "ping 19", until="pong")
    play.send("result 1/2-1/2 {agreed}", "usermove a0a1", "ping 20", until="pong")
    play.send("new", "option OwnBook=1", "usermove h2e2", until="move")
    play.send("bk", "ping 21", until="pong")
    play.send("option OwnBook=0", "memory 8", "cores 1", "option MultiPV=2", "post", "go", until="move")
    play.send("st 3600", "sd 1", "go", until="move")
    play.send("level 40 60 10", "go", until="move")
    play.send("new", "easy", "st 0", "option MultiPV=1", "sd 2", "post")
    repetition = [f"usermove {move}" for move in 2 * ("a0a1", "a9a8", "a1a0", "a8a9")]
    play.send("force", *repetition, "ping 2", until="pong")
    play.send("usermove a0a1", "go", "ping 3", until="pong")
    play.send("new", "force", "setboard 4k4/9/9/9/9/9/9/9/r8/3K5 b 0 1", "usermove a1e1", "ping 4", until="pong")
    play.send("new", "force", "setboard 5k3/9/9/9/4R4/9/9/9/9/3K5 w 119 80", "usermove e5e6", "ping 5", until="pong")
    play.send("new", "force", "setboard 5k3/9/9/9/9/9/9/9/4r4/4K4 w 0 1", "usermove e0e1", "ping 6", until="pong")
    play.send("new", MATE, "usermove b8b7", "usermove a7a9", "ping 7", until="pong")
    play.send("new", "force", MATE, "playother", "usermove a7a9", "ping 8", until="pong")
    play.send(
        "new", "setboard 3k5/9/R8/9/9/9/9/9/9/1R2K4 w 0 1", "usermove b0b8",
        until=lambda line: line.startswith(("move", *RESULTS)),
    )  # fmt: skip
    play.send("new", "force", "setboard 3k5/1R7/9/R8/9/9/9/9/9/4K4 w 0 1", "go", until="1-0")
    play.send("quit")


@scenario("cecp")
def analysis(play: Recorder) -> None:
    """Analysis, commands during it, and its end."""
    begin(play)
    play.send("analyze", until="2 ")
    play.send(".", until="stat01")
    play.send("ping 2", until="pong")
    play.send("usermove h2e2", until="2 ")
    play.send("usermove h2e2", until="2 ")
    play.send("usermove h9g7", until="2 ")
    play.send("undo", until="2 ")
    play.send("hint", "draw", "?", "bk", "hello", "ping 3", until="pong")
    play.send("remove", until="Error")
    play.send("undo", until="2 ")
    play.send("undo", until="Error")
    play.send(MATE, until="1 ")
    play.send("setboard x", until="1 ")
    play.send("usermove a7a9", until="1-0")
    play.send("undo", until="1 ")
    play.send("new", until="2 ")
    play.send("nopost", "setboard 5k3/9/9/9/4P4/9/9/9/9/4K4 w 0 1", until="1 ")
    play.send("analyze", until="1 ")
    play.send("exit", "ping 6", until="pong")
    play.send(".", "usermove e5e6", "ping 7", until="pong")
    play.send("sd 2", "go", until="move")
    play.send("force", "analyze", until="1 ")
    play.send("result *", "ping 8", until="pong")
    play.send("analyze", until="1 ")
    play.send("easy", "hard", "memory x", "usermove", "ping 9", until="pong")
    play.send("exit", "go", "undo", "go", until="move")
    play.send("quit")


@scenario("cecp", nodes=1200)
def pondering(play: Recorder) -> None:
    """Expected and other moves while the engine ponders, and commands meanwhile."""
    begin(play, "level 0 60:00 0", "hard", "post")

    def answered(*lines: str) -> str:
        """Return the expected move, once the engine has moved and pondered."""
        play.send(*lines, until=lambda line: line[:2] == "2 ", count=2)
        hints = play.send("hint", until="Hint")
        return hints[-1].split()[1]

    expected = answered("usermove h2e2")
    expected = answered(f"usermove {expected}")
    expected = answered("time 300000", "otim 300000", f"usermove {expected}")
    others = [move for move in ("a3a4", "a0a1", "i3i4") if move != expected]
    answered(f"usermove {others[0]}")
    play.send("ping 2", until="pong")
    play.send("usermove a0a9", until="Illegal")
    play.send("usermove a9a0", until="Illegal")
    play.send(".", "draw", "bk", "hello", "ping 3", until="pong")
    play.send("easy", "ping 4", until="pong")
    play.send("usermove f0e1", until="move")
    play.send("hard", "ping 5", until="pong")
    answered("usermove e1f0")
    play.send("undo", until=lambda line: line[:2] == "2 ", count=2)
    play.send("force", "ping 7", until="pong")
    play.send("go", until=lambda line: line[:2] == "2 ", count=2)
    play.send("remove", "ping 8", until="pong")
    play.send("setboard x", "ping 9", until="pong")
    play.send("go", until=lambda line: line[:2] == "2 ", count=2)
    play.send("new", "ping 10", until="pong")
    play.send("usermove h2e2", until=lambda line: line[:2] == "2 ", count=2)
    play.send("analyze", until=lambda line: line[:2] == "2 ")
    play.send("exit", "go", until=lambda line: line[:2] == "2 ", count=2)
    play.send("result 1-0 {x}", "ping 11", until="pong")
    play.send("quit")


@scenario("cecp")
def pondering_at_the_end_of_input(play: Recorder) -> None:
    """The end of input stops a search that ponders, and its answer is dropped."""
    begin(play, "hard", "post")
    play.send("usermove h2e2", until=lambda line: line[:2] == "2 ", count=2)
    play.send(">.")


@scenario("cecp")
def analysis_at_the_end_of_input(play: Recorder) -> None:
    """The end of input stops an analysis, and its answer is dropped."""
    begin(play)
    play.send("analyze", until=lambda line: line[:2] == "2 ")
    play.send("ping 2", ">.", until="pong")


@scenario("cecp")
def sent_ahead(play: Recorder) -> None:
    """A whole game in one write while the game is being loaded, and questions behind it."""
    moves = ("h2e2", "h9g7", "h0g2", "i9h9", "x9x9", "b0c2", "b9c7")
    play.send(
        "xboard", "protover 2", "ping 1", "new", "force", *(f"usermove {move}" for move in moves), "hello", "ping 2",
        "undo", "undo", "remove", "setboard x", "bk", "memory 0", "easy", "sd 2", "post", "go", "ping 3",
        "usermove a3a4", "ping 4", until="pong 4",
    )  # fmt: skip
    play.send("force", "new", "new", "setboard x", MATE, "usermove a7a9", "undo", "ping 5", "go", until="1-0")
    play.send("new", "variant einstein", "variant xiangqi", "force", "usermove h2e2", "ping 6", until="pong")
    play.send("usermove h9g7", "exit", "ping 7", ">.", until="pong")


@scenario("cecp", nodes=0)
def while_it_thinks(play: Recorder) -> None:
    """Lines that come while the engine thinks about its only move, with an hour on the clock."""
    begin(play, "easy", "nopost", "st 3600", "force")
    board = lone_reply()
    set_up = (f"setboard {board[0]} 0 1",)
    think = f"usermove {board[1]}"

    def again(ping: int) -> None:
        play.send("new", "st 3600", "force", *set_up, f"ping {ping}", until="pong")
        play.send("playother", think)

    again(2)
    play.send("ping 3", "hello", "hint", "time 100", "otim x", "go", "bk")
    play.send("?", until="move")
    again(4)
    play.send("usermove a0a0", "?", until="Illegal")
    again(5)
    play.send("ping 6", "force", "ping 7", until="pong 7")
    play.send("go", "ping 8")
    play.send("undo", "ping 9", until="pong 9")
    again(10)
    play.send("remove", "ping 11", until="Error")
    again(12)
    play.send("setboard x", "?", until="tellusererror")
    again(13)
    play.send("result 1-0 {flag}", "ping 14", until="pong")
    again(15)
    play.send("level 40 5 0", "memory 4", "option MultiPV=2", "easy", "post", "nopost", "computer")
    play.send("?", until="move")
    play.send("option MultiPV=1", "ping 16", until="pong")
    again(17)
    play.send("new", "ping 18", until="pong")
    again(19)
    play.send("variant einstein", "force", "ping 20", until="pong")
    play.send("quit")


def lone_reply() -> tuple[str, str]:
    """Return a board of many pieces and a move with a single reply that no search proves."""
    import random

    rng = random.Random(1)
    while True:
        position = position_after("xiangqi")
        while position.outcome() is None and position.ply < 60:
            fen = position.fen().split()
            move = random_move(rng, position)
            push(position, move)
            if position.count_legal() == 1 and fen[0].lower().count("r") >= 3 and not loses_soon(position):
                return f"{fen[0]} {fen[1]}", move


def loses_soon(position: Any) -> bool:
    """True if the next moves mate by force."""
    from siqi.games import registry
    from siqi.games.contract import Task, exhaust
    from siqi.games.kernel.control import Control

    searcher = registry.load("xiangqi").searcher()
    searcher.configure(16, 1, 1)
    return exhaust(searcher, Task(position, Control(300_000))).lines[0].score.mate is not None


# EinStein


def thrown(answers: list[str]) -> int:
    """Return the last die that the engine reports."""
    return int([line for line in answers if line.startswith("0 0 0 0 die ")][-1][-1])


@scenario("cecp")
def einstein(play: Recorder) -> None:
    """EinStein against a person, whose die the engine throws, and against an engine; modes and the other variant."""
    play.send("xboard", "protover 2", until="feature done=1")
    against_a_person(play)
    against_an_engine(play)
    einstein_modes(play)
    play.send("quit")


def against_a_person(play: Recorder) -> None:
    """Games against a person; moves that the die does not allow."""
    answers = play.send("new", "variant einstein", "level 0 60:00 0", "post", "ping 1", until="pong")
    for _ in range(2):
        position = position_after("ewn", fen="ABE2/FC3/D3d/3cf/2eba f -")
        while True:
            die = thrown(answers)
            allowed = position.copy()
            allowed.set_dice(die)
            texts = listed(allowed)
            others = sorted(set(listed(position)) - set(texts))
            if others:
                play.send(
                    f"lift {texts[0][:2]}", f"usermove {others[0]}", f"lift {others[0][:2]}", "lift", "lift x9",
                    until="Illegal",
                )  # fmt: skip
            move = play.random.choice(texts)
            push(position, move)
            if position.outcome() is not None:
                play.send(f"usermove {move}", "ping 2", until="pong")
                break
            answers = play.send(f"usermove {move}", until="move")
            push(position, moved(answers))
            if position.outcome() is not None:
                break
        play.send("lift a5", "usermove a5a4", "ping 3", until="pong")
        play.send("undo", "ping 4", until="pong")
        answers = play.send("new", "sd 2", "ping 5", until="pong")


def against_an_engine(play: Recorder) -> None:
    """Games against another engine, which throws its own die."""
    play.send("new", "variant einstein", "computer", "post", "level 40 5 0", "ping 1", until="pong")
    for side in (1, 0):
        play.send("new", "computer", "ping 2", until="pong")
        position = position_after("ewn", fen="ABE2/FC3/D3d/3cf/2eba f -")
        if side == 0:
            push(position, moved(play.send("go", until="move")))
        while position.outcome() is None:
            move = random_move(play.random, position)
            push(position, move)
            if position.outcome() is not None:
                play.send(f"usermove {move}", "ping 3", until="pong")
                break
            push(position, moved(play.send("time 30000", f"usermove {move}", until="move")))
        play.send("go", "ping 4", until="pong")
    play.send("new", "computer", "setboard 5/2A2/5/1a3/3bc w - - 0 1", "usermove c4c3", until="move")
    play.send("setboard 5/5/2A2/4b/a4 w - - 0 1", "go", until="move")
    play.send("force", "setboard 5/5/5/3A1/a4 w - - 0 1", "computer", "go", until="move")
    play.send("new", "computer", "setboard 5/5/5/3A1/a4 w - - 0 1", "usermove d2e1", "ping 5", until="pong")


def einstein_modes(play: Recorder) -> None:
    """Positions, moves in force mode, analysis without a throw, and the other variant."""
    play.send("new", "variant einstein", "variant einstein", "force", "ping 3", until="pong")
    play.each(
        "setboard", "setboard x", "setboard 5/5/5/5/5 w - - 0 1", "setboard 5/5/5/3A1/a4", "setboard 5/5/5/3A1/a4 f",
        "setboard 5/5/5/3A1/a4 x - - 0 1", "setboard 5/5/5/3A1/a4 b", "setboard 5/5/5/3A1/a4 w - - 0 1",
        "usermove d2d3", "usermove a1a2", "usermove 123456", "lift d2", "hint", "bk", "draw", "undo",
    )  # fmt: skip
    play.send("usermove d2d1", "usermove a1a2", "usermove d1e1", "ping 4", until="pong")
    play.send("undo", "undo", "ping 5", until="pong")
    play.send("analyze", until="1 ")
    play.send("usermove a1a2", until="1 ")
    play.send("exit", "new", "post", "sd 1", "force", "usermove c5d4", "ping 8", until="pong")
    play.send("go", until="move")
    play.send("hard", "playother", "ping 9", until="pong")
    play.send("force", "undo", "remove", "remove", "ping 10", until="pong")
    play.send("variant xiangqi", "force", "usermove h2e2", "usermove c5d4", "sd 1", "go", until="move")
    play.send("variant einstein", "ping 11", until="pong")
    play.send("setboard 5/1A3/2e2/3d1/5 b - - 0 1", until="move")
    play.send("option OwnBook=1", "new", "go", until="move")
