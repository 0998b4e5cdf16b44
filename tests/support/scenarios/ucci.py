"""Scenarios of UCCI."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scenarios import scenario
from scenarios.players import moves_line, position_after, push, random_move

if TYPE_CHECKING:
    from record_transcripts import Recorder

MATE = "position fen 3k5/1R7/R8/9/9/9/9/9/9/4K4 w"
BARE = "position fen 4k4/9/9/9/9/9/9/9/9/3K5 w"
SINGLE = "position fen 5k3/9/9/9/4r4/9/9/9/9/3K5 w"
BEST = ("bestmove", "nobestmove")


def is_best(line: str) -> bool:
    return line.startswith(BEST)


def begin(play: Recorder) -> None:
    play.send("ucci", until="ucciok")
    play.send("setoption Seed 1", "isready", until="readyok")


@scenario("ucci")
def handshake(play: Recorder) -> None:
    """Options: good values, bad values, and UCCI's own options."""
    play.send("ucci", until="ucciok")
    wrong = (
        "", "nonsense", "nonsense 3", "UCI_Variant connect6", "UCI_Coordinates 1", "UCI_ShowWDL true",
        "UCI_AnalyseMode true", "Width 5", "Algorithm uct", "name", "value 3", "name value 3", "hashsize 0",
        "hashsize x", "hashsize", "threads 65", "usebook maybe", "useegtb 1", "ponder on", "UseRules nothing",
        "Move_Overhead -1", "move_overhead x", "Skill_Level 21", "UCI_Elo 5", "bookfiles", "egtbpaths",
        "Debug_Log_File folder", "GameLog foreign", "Learn foreign", "Seed", "Clear_Hash", "clear_hash now",
        "MultiPV 0",
    )  # fmt: skip
    play.each(*(f"setoption {text}" for text in wrong))
    for name in ("promotion", "batch", "debug", "pruning", "knowledge", "randomness", "style", "idle", "selectivity"):
        play.send(f"setoption {name} true", f"setoption {name.upper()}", f"setoption name {name} value large")
    right = (
        "hashsize 8", "THREADS 1", "name ponder value true", "ponder false", "usebook true", "usebook false",
        "Move_Overhead 20", "name Skill_Level value 20", "useegtb false", "useegtb true", "UCI_LimitStrength false",
        "MultiPV 2", "name MultiPV value 1", "newgame", "NewGame", "hashsize 0", "threads 0", "usebook on",
        "usebook OFF", "batch off", "debug off", "guiname XQWizard",
    )  # fmt: skip
    play.send(*(f"setoption {text}" for text in right), "newgame", "isready", until="readyok")
    play.each("", "  ", "hello", "UCCI", "uci", "debug on", "ucinewgame", "d", "legal", "eval", "result", "turn")
    play.each("perft 1", "bench", "dice 3", "help", "go2", ">! \\xe4\\xb8\\xad\\x01\\n", ">* 65537 x", ">* 65536 x")
    play.send("ucci", until="ucciok")
    play.send("quit", until="bye")


@scenario("ucci")
def game(play: Recorder) -> None:
    """A whole game with a clock in seconds against random moves, and commands after its end."""
    begin(play)
    for seed in (1, 2):
        play.send(f"setoption Seed {seed}", "setoption newgame", "isready", until="readyok")
        position = position_after("xiangqi")
        moves: list[str] = []
        while position.outcome() is None:
            if position.turn == seed - 1:
                go = f"go time {3600 - 20 * len(moves)} increment {len(moves) % 3} opptime 60 oppincrement 1"
                answers = play.send(moves_line(moves), go, until=is_best)
                if answers[-1] == "nobestmove":
                    break
                move = answers[-1].split()[1]
            else:
                move = random_move(play.random, position)
            moves.append(move)
            push(position, move)
        line = moves_line(moves)
        play.each(f"{line} a0a1", "probe")
        play.send(line, "go time 60 increment 0", until=is_best)
        play.send("banmoves a0a1", "go depth 2", until=is_best)
        play.send("go infinite", until=is_best)
        play.send(line, "go infinite", until="info depth 0")
        play.send("stop", until=is_best)
    play.send("quit", until="bye")


@scenario("ucci", nodes=600)
def searches(play: Recorder) -> None:
    """Times in seconds and in milliseconds, limits, wrong words; scores as numbers, draw offers."""
    begin(play)
    for line in (
        "go depth 2",
        "go nodes 100",
        "go time 600",
        "go time 600 increment 1 movestogo 10",
        "go time 600 increment 1 opptime 5 oppincrement 2 oppmovestogo 3",
        "go movestogo 10 time 600",
        "go movetime 3600000",
        "go mate 1",
        "go",
        "go depth 2 draw",
        "go draw depth 2",
        "go searchmoves h2e2 depth 1",
        "go time x",
        "go time -5 depth 1",
        "go time 1.5",
        "go time",
        "go time 600 increment y",
        "go movestogo z time 600",
        "go depth x",
        "go depth",
        "go depth 0",
        "go opptime",
        "go depth 1 hello",
        "go depth 1 hello 3",
        "go wtime 3600000 btime 3600000",
        "go infinite 3 depth 1",
        ">! go time \\xd9\\xa3\\n",
        "go time 9999999999999999999",
    ):
        answers = play.send("position startpos", line, until=lambda line: line.startswith(("info depth", *BEST)))
        if not is_best(answers[-1]):
            play.send("stop", until=is_best)
    for line in ("go infinite", "go depth infinite", "go infinite depth 1"):
        play.send(MATE, line, until="info depth 1 ")
        play.send("isready", until="readyok")
        play.send("stop", until=is_best)
    play.send("setoption usemillisec true", SINGLE, "go time 3600000 increment 1000", until=is_best)
    play.send("setoption usemillisec on", "position startpos", "go time 3600000 movestogo 4", until=is_best)
    play.send("setoption usemillisec", "go time 3600000", until=is_best)
    play.send("setoption usemillisec false", "go time 3600 depth 2", until=is_best)
    play.send("setoption MultiPV 3", "go depth 2", until=is_best)
    play.send("setoption MultiPV 1", "setoption Skill_Level 2", "go depth 2", until=is_best)
    play.send("setoption Skill_Level 20", "setoption usebook true", "go time 3600", until=is_best)
    play.send("setoption bookfiles missing.book", "position startpos moves h2e2", "go time 3600", until=is_best)
    play.send("setoption usebook false", "setoption UseRules paper", "go time 3600", until=is_best)
    play.send("setoption UseRules true", "setoption newgame")
    play.send(MATE, "go depth 2", until=is_best)
    play.send(f"{MATE} moves a7b7", "go depth 4", until=is_best)
    play.send("position fen 3k5/9/R8/9/9/9/9/9/9/1R2K4 b", "go depth 3", until=is_best)
    play.send("go draw depth 3", until=is_best)
    play.send("go depth 3", until=is_best)
    play.send("go ponder depth 3 time 60", until="info")
    play.send("ponderhit draw", until=is_best)
    play.send("go ponder draw depth 3 time 60", until="info")
    play.send("ponderhit", until=is_best)
    play.send("go draw infinite", until="info")
    play.send("stop", until=is_best)
    play.send("position startpos", "go draw depth 2", until=is_best)
    play.send(f"{MATE} moves a7a9", "go draw depth 2", until=is_best)
    play.send("position fen 4k4/9/9/9/9/9/9/9/3r5/3K5 w", "go time 60", until=is_best)
    play.send("position fen 5k3/9/9/9/9/9/9/9/9/3K5 w", "go depth 1", until=is_best)
    play.send("position fen 3k5/9/9/9/9/9/9/4R4/9/4K4 w", "go depth 2", until=is_best)
    play.send("position fen 3k5/9/9/9/9/9/9/4R4/9/4K4 b", "go depth 2", until=is_best)
    play.send("probe", until="pophash")
    play.send("quit", until="bye")


@scenario("ucci")
def positions_and_bans(play: Recorder) -> None:
    """Bad positions, banned moves, entries of the transposition table."""
    begin(play)
    play.each(
        "position", "position x", "position fen", "position fen x w", "position fen 4k4/9/9/9/9/9/9/9/9/4K4 w",
        "position startpos moves a0a9", "position startpos moves h2e2 hello", "position startpos moves h2e2 h9g7 h2h3",
        "fen", "fen x", "fen 4k4/9/9/9/9/9/9/9/9/3K5 w moves d0d1 d0d1",
    )  # fmt: skip
    play.send("position startpos", "go depth 1", until=is_best)
    play.send(
        "fen rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w moves h2e2", "go depth 2", until=is_best
    )
    play.send("probe", until="pophash")
    play.send("probe startpos", until="pophash")
    play.send("probe startpos moves h2e2 h9g7", until="pophash")
    play.send("probe fen 3k5/1R7/R8/9/9/9/9/9/9/4K4 w", until="pophash")
    play.each("probe fen x", "probe hello", "probe startpos moves a0a9")
    play.send("go depth 1", until=is_best)
    play.send(BARE, "banmoves d0e0", "go depth 3", until=is_best)
    play.send("go depth 1", until=is_best)
    play.send("banmoves d0d1", "go depth 3", until=is_best)
    play.send("banmoves d0d1 d0e0", "go depth 3", until=is_best)
    play.send("go time 60", until=is_best)
    play.send("banmoves", "go depth 1", until=is_best)
    play.send("banmoves d0d1 d0e0", BARE, "go depth 1", until=is_best)
    play.send("banmoves hello x9y9", "go depth 1", until=is_best)
    play.send("position startpos", "banmoves b0c2 h0g2", "go time 3600 increment 1", until=is_best)
    play.send("banmoves b0c2", "go infinite", until="info depth 2")
    play.send("stop", until=is_best)
    play.send("banmoves b0c2", "go ponder time 3600 depth 2", until="info depth 2")
    play.send("ponderhit draw", until=is_best)
    play.send("banmoves b0c2", "go depth x", until=is_best)
    play.send(f"{MATE} moves a7a9", "banmoves d9d8", "go depth 1", until=is_best)
    play.send("position startpos moves a0a9", "banmoves h2e2", "go depth 1", until=is_best)
    play.send("quit", until="bye")


@scenario("ucci")
def sent_ahead(play: Recorder) -> None:
    """Many lines in one write, before the game is loaded and after; `stop` and `ponderhit` for queued searches."""
    play.send("ucci", BARE, "banmoves d0d1 d0e0", "go infinite", "stop", "banmoves", "probe", until="pophash")
    play.send("position startpos moves h2e2", "go depth 2", "position startpos", "go depth 2", until=is_best, count=2)
    play.send(
        "setoption MultiPV 2", "go depth 1", "setoption MultiPV 1", "setoption newgame", "go depth 1", until=is_best,
        count=2,
    )  # fmt: skip
    play.send("go depth 2", "probe startpos", "go depth 2", "probe", until="pophash", count=2)
    play.send("go infinite", until="info depth 2")
    play.send("position startpos moves h2e2", "go depth 2", "go infinite", "stop", until=is_best, count=3)
    play.send("go ponder depth 1", until="info depth")
    play.send("go ponder depth 2", "ponderhit", until=is_best, count=2)
    play.send("stop", "ponderhit", "isready", until="readyok")
    play.send("go infinite", until="info depth 2")
    play.send("quit", until=is_best)


@scenario("ucci")
def sent_ahead_of_loading(play: Recorder) -> None:
    """The pondered move is played, and the input ends, while the game is being loaded."""
    play.send("ucci", "position startpos", "banmoves h2e2", "go ponder time 60 depth 2", "ponderhit", until=is_best)
    play.send("go ponder depth 1", until="info depth")
    play.send("position startpos moves h2e2", "go depth 2", ">.", until=is_best, count=2)
