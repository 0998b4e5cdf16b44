"""Scenarios of UCI for each game: whole games, errors, searches, questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scenarios import scenario
from scenarios.players import (
    FULL_BOARD,
    SETUPS,
    JunqiReferee,
    moves_line,
    position_after,
    push,
    random_move,
    random_turn,
)
from scenarios.uci import ERROR, MATE, PAWN, ready, variant

if TYPE_CHECKING:
    from record_transcripts import Recorder

GO = "go wtime 3600000 btime 3600000"
QUESTIONS = ("result", "turn", "eval", "book", "probe", "d")
AFTER_THE_END = ("result", "turn", "legal", "eval", "book", "probe", "d")


def after_the_end(play: Recorder, line: str, move: str) -> None:
    """Send questions about a game that is over."""
    play.send(line, *AFTER_THE_END, until="Key:")
    play.send(GO, until="bestmove")
    play.send(f"{line} {move}", until=ERROR)
    play.send("go depth 3", until="bestmove")
    play.send("go infinite", until="info depth 0")
    play.send("stop", until="bestmove")
    play.send("go ponder", until="info depth 0")
    play.send("ponderhit", until="bestmove")
    play.send(f"go searchmoves {move}", until="bestmove")
    play.send("perft 1", until="perft")


# Whole games


@scenario("uci")
def xiangqi_game(play: Recorder) -> None:
    """A whole game against random moves, by clocks, and questions after its end."""
    ready(play, "setoption name Seed value 1")
    play.send("ucinewgame", "position startpos", GO, until="bestmove")
    position = position_after("xiangqi")
    moves: list[str] = []
    while position.outcome() is None:
        if position.turn:
            move = random_move(play.random, position)
        else:
            clock = 3600000 - 20000 * len(moves)
            move = play.best(moves_line(moves), f"go wtime {clock} btime {clock}")
        moves.append(move)
        push(position, move)
    after_the_end(play, moves_line(moves), "a0a1")
    play.send("ucinewgame", "d", until="Key:")
    play.send("quit")


@scenario("uci", nodes=200)
def connect6_game(play: Recorder) -> None:
    """The engine on both sides with increments and some random turns; then White against random turns."""
    ready(play, variant("connect6"))
    for is_random in ((lambda ply: ply in (1, 2, 6)), (lambda ply: ply % 2 == 0)):
        play.send("ucinewgame", "isready", until="readyok")
        position = position_after("connect6")
        moves: list[str] = []
        while position.outcome() is None:
            if is_random(len(moves)):
                move = random_turn(play.random, position)
            else:
                move = play.best(moves_line(moves), f"{GO} winc 1000 binc 2000 movestogo {40 - len(moves) // 2}")
            moves.append(move)
            push(position, move)
        after_the_end(play, moves_line(moves), "a1b1")
    play.send("quit")


@scenario("uci", nodes=200)
def ewn_games(play: Recorder) -> None:
    """Two games with set-ups and dice against random moves, one on either side."""
    ready(play, variant("ewn"), "setoption name Seed value 3")
    for side in (0, 1):
        play.send("ucinewgame", "isready", until="readyok")
        position = position_after("ewn")
        moves: list[str] = []
        while position.outcome() is None:
            is_deployed = len(moves) >= 2
            if is_deployed:
                position.set_dice(play.random.randint(1, 6))
            if position.turn == side:
                throw = (f"dice {position.dice}",) if is_deployed else ()
                move = play.best(moves_line(moves), *throw, GO)
            else:
                move = random_move(play.random, position)
            moves.append(move)
            push(position, move)
        after_the_end(play, moves_line(moves), "a1b1")
        play.send(moves_line(moves), "dice 3", until=ERROR)
    play.send("quit")


@scenario("uci", nodes=200)
def junqi_game(play: Recorder) -> None:
    """A game against random moves in the engine's own view, and a recorded game with all pieces known."""
    ready(play, variant("junqi"), "setoption name Seed value 1")
    word = play.best("position startpos", GO)
    game = JunqiReferee(word, SETUPS[1])
    plies = 0
    while game.position.outcome() is None:
        if game.position.turn:
            move = game.random_move(play.random)
        else:
            move = play.best(moves_line(game.view(0)), GO)
        game.play(move[:4])
        plies += 1
        if plies == 80:
            break
    play.send(moves_line(game.view(0)), *QUESTIONS, until="Key:")
    play.send(moves_line(game.view(1)), "result", "legal", "d", until="Key:")
    play.send(moves_line([*game.position.words, *game.view(0)[2:]]), "result", "d", until="Key:")
    text = (
        "G2F2=1 E2F2=2 G0H1=3 F4G4=1 H0F0=1 E0E1=3 F0D0=1 C0D0=2 G1B0=1 C2C1=3 B0A0=0 F3G0=3 G3G0=1 G4G0=1 I0G0=2 "
        "F1F0=3 J0F0=1 C1D0=3 F0D0=1 E4H4=2 D0B0=3 D3E3=3 B0A0=1 D1D0=3 A0A1=1"
    )
    moves = text.split(" ")
    for words in (SETUPS, (SETUPS[0], "?"), ("?", SETUPS[1])):
        for count in (0, 1, 12, len(moves)):
            play.send(moves_line([*words, *moves[:count]]), "result", "turn", "legal", "d", until="Key:")
    play.send(moves_line([*SETUPS, *moves]), GO, until="bestmove")
    play.send(moves_line([SETUPS[0], "?", *moves]), GO, until="bestmove")
    play.send("quit")


# Errors


def refuse_all(play: Recorder, before: str, lines: list[str]) -> None:
    """Each line is refused, and the position stays."""
    play.send(before, "d", until="Key:")
    for line in lines:
        play.send(line, until=ERROR)
    play.send("d", until="Key:")


@scenario("uci")
def xiangqi_errors(play: Recorder) -> None:
    """Bad FENs and moves of Xiangqi."""
    ready(play)
    board = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR"
    fens = (
        "", "x", "w", "9/9/9/9/9/9/9/9/9/9 w", "9/9/9/9/9/9/9/9/9 w", "4k4/9/9/9/9/9/9/9/9/4K4 w",
        "4k4/9/9/9/9/9/9/9/9/3K5 x", "4k4/9/9/9/9/9/9/9/9/3K5 white", "3kk4/9/9/9/9/9/9/9/9/3K5 w",
        "4k4/9/9/9/9/9/9/9/9/9 w", "9/9/9/9/9/9/9/9/9/3K5 w", "3k5/9/9/9/9/9/9/9/9/RRRK5 w", "3k5/9/9/9/9/9/9/9/9/10 w",
        "3k5/9/9/9/9/9/9/9/9/4K5 w", "3k5/9/9/9/9/9/9/9/9/4K3 w", "3k5/9/9/9/9/9/9/9/9/4K4Q w",
        "3k5/9/9/9/9/9/9/9/9/4K0004 w", "k8/9/9/9/9/9/9/9/9/4K4 w", "3k5/9/9/9/9/9/9/4K4/9/9 b",
        "3k5/9/9/9/9/9/4K4/9/9/9 b", "3k5/4A4/9/9/9/9/9/9/9/4K4 w", "3k5/9/9/9/9/9/9/9/9/1B2K4 w",
        "3k5/9/9/9/9/2B6/9/9/9/4K4 w", "3k5/9/9/9/9/9/1P7/9/9/4K4 w", "3k5/9/9/9/9/9/9/P8/9/4K4 w",
        "3k5/p8/9/9/9/9/9/9/9/4K4 w", "3k5/9/9/9/9/9/9/9/9/3RK4 w", "3k5/9/9/9/9/9/9/9/9/4K4 w - - x 1",
        "3k5/9/9/9/9/9/9/9/9/4K4 w - - 0 y", "3k5/9/9/9/9/9/9/9/9/4K4 w - - -1 1",
        "3k5/9/9/9/9/9/9/9/9/4K4 w - - 1.5 1", "3k5/9/9/9/9/9/9/9/9/4K4 w - - 0 99999999999999999999",
        f"{board.replace('P1P1P1P1P', 'PPPPPP3')} w", f"{board.upper()} w", "/".join(["9"] * 200) + " w",
    )  # fmt: skip
    refuse_all(play, "position startpos moves h2e2 h9g7", [f"position fen {fen}" for fen in fens[:9]])
    play.each(*(f"position fen {fen}" for fen in fens[9:]), until=None)
    taken = (
        "3k5/9/9/9/9/9/9/9/9/4K4", "3k5/9/9/9/9/9/9/9/9/4K4 r", "3k5/9/9/9/9/9/9/9/9/4K4 b 3 4",
        "3k5/9/9/9/9/9/9/9/9/4K4 b - - 3 4 extra words",  # refused
        "3k5/9/9/9/9/9/9/9/9/4K4 w x y 119 200",
        "3k5/9/9/9/9/9/9/9/9/4K4 w - - 500 99999", "rheakaehr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RHEAKAEHR r",
    )  # fmt: skip
    for fen in taken:
        play.send(f"fen {fen}", "d", "result", until="result")
    play.each(
        "position", "position moves h2e2", "position nonsense", "position startpos nonsense",
        "position startpos nonsense moves h2e2", "position fen", "position fen moves h2e2", "fen", "fen moves",
        "position Startpos", "position startpos moves h2e2 x", "position startpos moves h2e2 h2e2 h9g7",
        "position startpos moves a9a8", "position startpos moves h2z2", "position startpos moves h2e22",
        "position startpos moves h10e10", "position startpos moves e0e5", "position startpos moves 0000",
        "position startpos moves moves", "position startpos moves h2e2 h9g7 h0g2 i9h9 a0a9 b0c2",
    )  # fmt: skip
    play.send("position startpos moves H2-E2 h9g7 H0G2", "d", until="Key:")
    play.send("position startpos moves", "position startpos moves h2e2", "d", until="Key:")
    play.send("dice 3", "dice", "dice x", "isready", until="readyok")
    play.send("setoption name UCI_Coordinates value 1", "d", until="Key:")
    play.send("position startpos moves h3e3 h10g8", "d", "legal", "probe", until="probe")
    play.send("go depth 2", until="bestmove")
    play.send("position startpos moves h0e0", until=ERROR)
    play.send("go searchmoves h3e3 depth 1", until="bestmove")
    play.send("go searchmoves h1g3 depth 1", until="bestmove")
    play.send("position fen 3k5/9/9/9/9/9/9/9/9/4K4 w moves e1e2 e1e2", "eval", until="eval total")
    play.send("setoption name UCI_Coordinates value 0", "position startpos moves h2e2", "book", until="book opening")
    play.send("quit")


@scenario("uci")
def connect6_errors(play: Recorder) -> None:
    """Bad FENs and turns of Connect6."""
    rows = "/".join(["19"] * 19)
    six, other = "bbbbbb13", "wwwwww13"
    fens = [
        "",
        "x",
        rows,
        f"{rows} b",
        "19 b 1",
        f"{rows} b 3",
        f"{rows} b 0",
        f"{rows} x 1",
        f"{rows} b 1 1",
        f"{rows}/19 b 1",
        f"{rows.replace('19', '18', 1)} b 1",
        f"{rows.replace('19', '20', 1)} b 1",
        f"{rows.replace('19', 'x18', 1)} b 1",
        f"{rows.replace('19', 'B18', 1)} b 1",
        f"{rows.replace('19', '0b18', 1)} b 1",
        f"{six}/{other}/{rows[6:]} b 2",
    ]
    ready(play, variant("connect6"))
    refuse_all(play, "position startpos moves j10 k11i9", [f"position fen {fen}" for fen in fens])
    play.each(
        "position startpos moves i9", "position startpos moves j10 i9", "position startpos moves j10i9",
        "position startpos moves j10 j10i9", "position startpos moves j10 i9i9", "position startpos moves j10 i9k20",
        "position startpos moves j10 i9t1", "position startpos moves j10 i0k1", "position startpos moves j10 i9k11m1",
        "position startpos moves j10 pass", "position startpos moves J10 K11I9 x",
        "position startpos moves j10 i9k11 i9k12 a1a2", f"position fen {six}/{rows[3:]} b 2 moves a1a2", "dice 3",
        "go searchmoves i9 depth 1",
    )  # fmt: skip
    play.send(f"position fen {six}/{rows[3:]} b 2", *AFTER_THE_END, until="Key:")
    play.send(f"position fen {rows} w 2", "d", "legal", "turn", until="turn")
    play.send(f"position fen {FULL_BOARD} b 2", "result", "legal", "eval", until="eval total")
    play.send(f"position fen 1{FULL_BOARD[1:]} b 2", "result", "legal", until="legal")
    play.send(GO, until="bestmove")
    play.send(f"position fen 2{FULL_BOARD[2:]} w 1 moves a19", "result", "legal", until="legal")
    play.send("quit")


@scenario("uci")
def ewn_errors(play: Recorder) -> None:
    """Bad FENs, set-ups, moves and throws of EWN."""
    fens = (
        "", "ABC2/DE3/F3f/3ed/2cba", "ABC2/DE3/F3f/3ed/2cba x", "ABC2/DE3/F3f/3ed/2cbaa f",
        "ABC2/DE3/F3f/3ed/2cb f 1 2", "ABC2/DE3/F3f/3ed f", "ABC2/DE3/F3f/3ed/2cb0a f", "ABC2/DE3/F3f/3ed/2cbg f",
        "5/5/5/5/5 f -", "ABC2/DE3/F3f/A2ed/2cba f -", "ABC2/DE3/F3f/3ed/2cba f 7", "ABC2/DE3/F3f/3ed/2cba f 0",
        "ABC2/DE3/F3f/3ed/2cba f x", "a4/5/5/5/4A f -", "A4/5/5/5/A4 f -",
    )  # fmt: skip
    ready(play, variant("ewn"))
    refuse_all(play, "position startpos moves 123456 615243", [f"position fen {fen}" for fen in fens])
    play.each(
        "position startpos moves 123455", "position startpos moves 12345", "position startpos moves 1234567",
        "position startpos moves a5b4", "position startpos moves 123456 a5b4",
        "position startpos moves 123456 654321 a5a1", "position startpos moves 123456 654321 e1d2",
        "position startpos moves 123456 654321 a3a2 a3a2", "position startpos moves 123456 654321 a3a9",
        "position startpos moves 123456 654321 ?", "position fen ABC2/DE3/F3f/3ed/2cba f 3 moves a5b4",
    )  # fmt: skip
    play.send("d", until="Key:")
    play.each("dice", "dice 0", "dice 7", "dice one", "dice 3 4", "dice -1", ">! dice \\xd9\\xa3\\n", until=ERROR)
    play.send("dice 3", "legal", "d", "dice 5", "legal", until="legal", count=2)
    play.each("position startpos", until=None)
    play.each("dice 3", until=ERROR)
    play.send("d", "turn", "result", "eval", "book", until="book")
    play.send("position startpos moves 123456", "d", "turn", "result", "eval", "book", until="book")
    play.each("dice 3", until=ERROR)
    play.send(
        "position startpos moves 123456 654321", "dice 6", "position startpos moves 123456 654321 a3a2", "d",
        until="Key:",
    )  # fmt: skip
    play.send("dice 2", "position startpos moves 123456 654321 a3a2", "d", until="Key:")
    play.send("position fen 5/1A3/2e2/3d1/5 f 4", "d", "position fen 5/1A3/2e2/3d1/5 f", "d", until="Key:", count=2)
    play.send("position fen 4a/5/5/5/A4 s 2", "result", "legal", until="legal")
    play.send("position fen 4a/5/5/5/4A s 2", "result", "legal", until="legal")
    play.send("position fen 5/5/5/5/4a s 2", *AFTER_THE_END, until="Key:")
    play.each("dice 3", until=ERROR)
    play.each("perft 200", "go searchmoves 123456", "go searchmoves a1a2 depth 1", until=ERROR)
    play.send("quit")


@scenario("uci")
def junqi_errors(play: Recorder) -> None:
    """Bad FENs, deployments, moves and results of Junqi."""
    empty = "/".join(["5"] * 10)
    fens = (
        "", "5/5/5/5/5/5/5/5/5/5/5/5 f - 0", "6/5 f", "1cl1b/5/5/5/5/5/5/5/5/5/5/B1LAC z - 0",
        "1cl1b/5/5/5/5/5/5/5/5/5/5/B1LAC f z 0", "1cl1b/5/5/5/5/5/5/5/5/5/5/B1LAC f - x",
        "1cl1b/5/5/5/5/5/5/5/5/5/5/B1LAC f - 0 0", "1cl1b/5/5/5/5/5/5/5/5/5/5/B1LAC",
        "1cl1q/5/5/5/5/5/5/5/5/5/5/B1LAC f", "1cl1b1/5/5/5/5/5/5/5/5/5/5/B1LAC f", "1cl1b/5/5/5/5/5/5/5/5/5/5/B1LAA f",
        "1cl1b/5/5/5/5/5/5/5/5/5/5/B1XAC f", f"1c1lb/{empty}/BL1AC f -", f"1lllb/{empty}/BL1AC f -",
        f"1clxb/{empty}/B1LAC f -", f"lc1xb/{empty}/BL1AC f f", f"xcxxb/{empty}/BL1AX f f",
        f"1l1j1/5/j4/{empty[4:]}/BL1AC f -", f"1l1j1/j4/5/{empty[4:]}/BL1AC f -",
        "xxxxx/xxxxx/x1x1x/xx1xx/x1x1x/xxxxx/5/5/5/5/5/1L1AC f f",
    )  # fmt: skip
    ready(play, variant("junqi"))
    refuse_all(play, moves_line([SETUPS[0], "?"]), [f"position fen {fen}" for fen in fens[:10]])
    play.each(*(f"position fen {fen}" for fen in fens[10:]))
    words = (SETUPS[0], SETUPS[1])
    lists = (
        ["diahcbgkkfiecfigjhedjljlh"], ["diahcbgkkfiecfigjhedjljh"], ["ddahcbgkkfiecfigjhedjljhg"],
        ["lidahcbgkkfiecfigjhedjjhg"], ["jiahcbgkkfiecfigdhedjljhg"], [SETUPS[0].upper()], ["?", "?"],
        ["? ?", SETUPS[1]], [words[0], words[1], "G2F3"], [words[0], words[1], "G2"], [words[0], words[1], "M2F2"],
        [words[0], words[1], "G2F2=4"], [words[0], words[1], "G2F2=0"], [words[0], words[1], "E2F2"],
        [words[0], words[1], "K0J0"], [words[0], "?", "G2F2"], [words[0], "?", "G2F2=9"], [words[0], "?", "G2F2=3"],
        [words[0], "?", "G2F2=0@A1"], [words[0], "?", "G2F2=1@A0"], [words[0], "?", "G2F2=1@Z9"],
        [words[0], "?", "G0F0=0"], ["?", words[1], "G0F0=1", "F0E0=1", "E0D0=1", "D0C0=1"],
    )  # fmt: skip
    play.each(*(moves_line(list(moves)) for moves in lists))
    play.send("position startpos", "d", "turn", "result", "eval", "book", "probe", until="probe")
    play.each("legal", "perft 1", "dice 3", "go searchmoves abc")
    play.send(moves_line(["?"]), "d", "turn", "result", until="result")
    play.send(moves_line([*words]), "perft 100", until=ERROR)
    play.send(moves_line([words[0], "?"]), "perft 2", until=ERROR)
    play.send("position fen 1c1lb/5/5/5/5/5/5/5/5/5/5/BL1AC s", "d", "legal", "perft 2", until="perft")
    play.send("quit")


# Searches


def weaker(play: Recorder, line: str) -> None:
    """Searches below full strength, by Skill Level and by UCI_Elo, with seeds."""
    for level, seed in ((0, 1), (0, 2), (5, 1), (12, 1), (19, 2), (20, 2)):
        play.send(f"setoption name Skill Level value {level}", f"setoption name Seed value {seed}", "ucinewgame")
        play.send(line, "go nodes 1000", until="bestmove")
    play.send("setoption name UCI_LimitStrength value true")
    for elo in (957, 1790, 2000, 3253):
        play.send(f"setoption name UCI_Elo value {elo}", "ucinewgame", line, GO, until="bestmove")
    play.send("setoption name UCI_LimitStrength value false")


CLOCKS = (
    "wtime 60000 btime 30000", "wtime 60000 btime 30000 winc 1000 binc 2000", "wtime 60000",
    "btime 30000 winc 5 binc 700",
    "wtime 60000 btime 30000 movestogo 1", "wtime 60000 btime 30000 movestogo 40 winc 100 binc 100",
    "wtime 100 btime 50", "wtime 0 btime 0", "movetime 100", "movetime 5", "movetime 1 wtime 60000 btime 60000",
    "nodes 5",
)  # fmt: skip


def clocks(play: Recorder, *lines: str, count: int = len(CLOCKS)) -> None:
    """`debug on` reports the time budget of each search."""
    play.send("debug on")
    for line in lines:
        for go in CLOCKS[:count]:
            play.send(line, f"go {go} depth 1", until="bestmove")
    play.send("debug off", "go movetime 1000 depth 1", until="bestmove")


def short_bench(play: Recorder) -> None:
    """The bench within the launcher's node limit, which leaves the position and the memory as they were."""
    play.send("bench", "probe", until="probe")


@scenario("uci", nodes=2500)
def xiangqi_searches(play: Recorder) -> None:
    """Every limit, `searchmoves`, MultiPV; skill, clocks, counting."""
    ready(play, "setoption name Seed value 1")
    middle = "position fen r1bakabr1/9/1cn3nc1/p1p1p1p1p/9/2P6/P3P1P1P/1C2C1N2/9/RNBAKABR1 b - - 0 5"
    play.send(middle, "go depth 4", until="bestmove")
    play.send("probe", until="probe")
    for line in ("go nodes 1", "go nodes 500", "go depth 3 nodes 90", "go movetime 3600000", "go movestogo 5", "go"):
        play.send("ucinewgame", middle, line, until="bestmove")
    play.send("go searchmoves h7h3 a9a8", until="bestmove")
    play.send("go depth 2 searchmoves h7h3 nodes 50", until="bestmove")
    play.send("go ponder searchmoves a9a8 wtime 3600000 btime 3600000", until="info")
    play.send("ponderhit", until="bestmove")
    play.send("setoption name MultiPV value 3", "ucinewgame", middle, "go depth 3", until="bestmove")
    play.send("go nodes 700", until="bestmove")
    play.send("go depth 1 searchmoves a9a8 h7h3", until="bestmove")
    play.send("setoption name MultiPV value 1", "setoption name UCI_ShowWDL value true", "go depth 2", until="bestmove")
    play.send(MATE, "go depth 3", until="bestmove")
    play.send("probe", "setoption name UCI_ShowWDL value false", "probe", until="probe", count=2)
    mates = (
        "position fen 3a1k3/7R1/5a3/5P3/1n2P3p/p4C3/2r2c2P/4C3B/4A4/3AK4 w - - 0 1",
        "position fen 2b1kc3/1r1RaR3/4N4/p5p1p/2p6/P5r2/2P1P3P/9/2n1A4/2BK1AB2 w - - 0 1", PAWN,
    )  # fmt: skip
    for line in mates:
        for mate in (1, 2, 3):
            play.send("ucinewgame", line, f"go mate {mate}", until="bestmove")
    play.send("position startpos", "go mate 1", until="bestmove")
    single = "position fen 5k3/9/9/9/4r4/9/9/9/9/3K5 w"
    play.send(single, GO, until="bestmove")
    play.send(single, "go movestogo 3", until="bestmove")
    play.send(single, "go movetime 3600000", until="bestmove")
    play.send(single, "go depth 2", until="bestmove")
    play.send(single, "go ponder wtime 3600000 btime 3600000", until="info")
    play.send("ponderhit", until="bestmove")
    play.send(middle, f"{GO} searchmoves a9a8", until="bestmove")
    play.send("setoption name UCI_AnalyseMode value true", f"{GO} searchmoves a9a8", until="bestmove")
    play.send(single, GO, until="bestmove")
    play.send("setoption name UCI_AnalyseMode value false", PAWN, "go depth 2", until="bestmove")
    play.send("position fen 5k3/9/9/9/9/9/9/9/9/3K5 w", "go depth 2", until="bestmove")
    line = "position startpos moves h2e2 h9g7"
    weaker(play, line)
    play.send("setoption name Skill Level value 3", "go depth 1", until="bestmove")
    play.send("setoption name MultiPV value 6", "go depth 1", until="bestmove")
    play.send("setoption name MultiPV value 1", "setoption name Skill Level value 20")
    clocks(play, "position startpos", "position startpos moves h2e2")
    play.send("debug on")
    for overhead in (0, 500, 5000):
        play.send(f"setoption name Move Overhead value {overhead}", "go movetime 1000 depth 1", until="bestmove")
        play.send("go wtime 6000 btime 6000 winc 100 depth 1", until="bestmove")
    play.send("go ponder wtime 6000 btime 6000 depth 1", until="info depth")
    play.send("ponderhit", until="bestmove")
    play.send("go infinite wtime 6000 btime 6000 depth 1", until="info depth")
    play.send("stop", until="bestmove")
    moves = [move for _ in range(20) for move in ("a0a1", "a9a8", "a1a0", "a8a9")]
    for count in (16, 80):
        play.send(moves_line(moves[:count]), "go wtime 600000 btime 600000 depth 1", until="bestmove")
    play.send("debug off", "position startpos", "perft 1", "perft 2", until="perft 2")
    for board in (PAWN, MATE, "position fen 3k5/4a4/9/9/9/9/9/9/9/4A4/4K4 w", f"{MATE} moves a7a9"):
        play.send(board, "perft 1", "go perft 2", until="perft 2")
    play.send(PAWN, "go depth 3 perft 1", "go perft 1 depth 3 infinite", until="perft 1", count=2)
    short_bench(play)
    play.send("quit")


@scenario("uci")
def xiangqi_endings(play: Recorder) -> None:
    """Ends of every kind, knowledge of tablebases and patterns, searches of ended games."""
    ready(play, "setoption name Seed value 1")
    chase = "position fen 2bakabnr/9/r1n1c4/2p1p1p1p/PP7/9/4P1P1P/2C3NC1/9/1NBAKAB1R w - - 0 1"
    ended = (
        f"{MATE} moves a7a9", "position fen 3k5/4P4/4P4/9/9/9/9/9/9/3K5 b", "position fen 4k4/9/9/9/9/9/9/9/3r5/3K5 w",
        "position fen 5k3/9/9/9/9/9/9/9/9/3K5 w", "position fen 5k3/9/9/9/4R4/9/9/9/9/3K5 w - - 119 80 moves e5e6",
        "position fen 5k3/9/9/9/4R4/9/9/9/9/3K5 w - - 118 80 moves e5e6",
        "position startpos moves a0a1 a9a8 a1a0 a8a9 a0a1 a9a8 a1a0 a8a9",
        "position startpos moves a0a1 a9a8 a1a0 a8a9 a0a1 a9a8 a1a0",
        f"{chase} moves c2a2 a7b7 a2b2 b7a7 b2a2 a7b7 a2b2 b7a7 b2a2",
        "position fen 3P5/3k5/3nn4/9/9/9/9/9/9/5K3 w - - 0 1 moves d9e9 d8e8 e9d9 e8d8 d9e9 d8e8 e9d9 e8d8",
        "position fen 5k3/9/9/5C3/5c3/5C3/9/9/5p3/4K4 w - - 0 1 moves f4d4 f5d5 d4f4 d5f5 f4d4 f5d5 d4f4 d5f5",
    )  # fmt: skip
    for line in ended:
        play.send(line, "result", "turn", "book", "isready", until="readyok")
        play.send("go depth 2", until="bestmove")
        play.send(GO, until="bestmove")
    known = (
        "position fen 3ak4/4a4/9/9/2b6/9/9/9/9/3RK4 w", "position fen 3k5/9/9/9/9/9/9/4R4/9/4K4 w",
        "position fen 3k5/9/9/9/9/9/9/4r4/4A4/4K4 w", "position fen 5k3/9/9/9/9/9/9/9/4C4/4K4 w",
    )  # fmt: skip
    for line in known:
        play.send(line, "book", until="book")
        play.send("go depth 2", until="bestmove")
        play.send("setoption name UseEndgames value false", "book", "go depth 2", until="bestmove")
        play.send("setoption name UseEndgames value true", "probe", until="probe")
    play.send("quit")


@scenario("uci", nodes=30000)
def xiangqi_books(play: Recorder) -> None:
    """Moves from the opening book and by mined rules, chosen by the Seed, and searches that use neither."""
    ready(play, "setoption name OwnBook value true")
    for seed in (1, 2, 3, 4):
        play.send(f"setoption name Seed value {seed}", "position startpos moves h2e2", GO, until="bestmove")
    play.send("go movetime 3600000 depth 1", until="bestmove")
    play.send("go depth 1", until="bestmove")
    play.send("go infinite depth 1", until="info depth")
    play.send("stop", until="bestmove")
    play.send("go ponder wtime 3600000 btime 3600000 depth 1", until="info depth")
    play.send("ponderhit", until="bestmove")
    play.send(f"{GO} depth 1 searchmoves h9g7 b9c7", until="bestmove")
    play.send("setoption name UCI_AnalyseMode value true", f"{GO} depth 1", until="bestmove")
    play.send("setoption name UCI_AnalyseMode value false", "setoption name BookDepth value 1", until=None)
    play.send(f"{GO} depth 1", "book", until="book")
    play.send("setoption name BookDepth value 40", "setoption name BookMinGames value 1000", GO, until="bestmove")
    play.send("setoption name BookMinGames value 1000000", f"{GO} depth 1", until="bestmove")
    play.send("setoption name OwnBook value false")
    for value in ("paper", "checked", "false"):
        for seed in (1, 5):
            play.send(
                f"setoption name UseRules value {value}", f"setoption name Seed value {seed}",
                "position startpos moves h2e2", f"{GO} depth 3", until="bestmove",
            )  # fmt: skip
    play.send("book", until="book")
    play.send("quit")


@scenario("uci", nodes=1000)
def connect6_searches(play: Recorder) -> None:
    """Every limit, a threat sequence, books and options; skill, clocks, counting."""
    ready(play, variant("connect6"), "setoption name Seed value 1")
    middle = "position startpos moves j10 i9j11 h10h12 g10i11 h9h11 h8h13"
    play.send("position startpos", GO, until="bestmove")
    play.send("position startpos", "go depth 1", until="bestmove")
    for line in ("go depth 2", "go nodes 1", "go nodes 300", "go movetime 3600000", GO, "go mate 1", "go mate 3"):
        play.send("ucinewgame", middle, line, until="bestmove")
    play.send("probe", "eval", until="eval total")
    play.send("go infinite", until="info depth")
    play.send("stop", until="bestmove")
    play.send("go searchmoves a1a2 s18s19 depth 1", until="bestmove")
    play.send("setoption name MultiPV value 3", "go depth 2", until="bestmove")
    play.send("setoption name MultiPV value 1", "setoption name UCI_ShowWDL value true", "go depth 1", until="bestmove")
    won = "position startpos moves j10 k9l11 k10l10 l9m10 i9i10 h10k11 j11k12 h9i12 j8j9 j7j13 h11k8 g12l7 h8i8 f8l8"
    play.send(won, "go depth 2", until="bestmove")
    play.send("probe", until="probe")
    puzzle = "position startpos moves j10 l10m10 j9k9 l8l9 k10l11 m11m12 m13n11 i10j11 j12k12"
    play.send(puzzle, GO, until="bestmove")
    for width, depth in ((2, 0), (40, 1), (12, 2)):
        play.send(
            f"setoption name Width value {width}", f"setoption name Depth value {depth}", middle, GO, until="bestmove"
        )
    play.send("setoption name Depth value 0", "setoption name OwnBook value true", "book", until="book")
    for seed in (1, 2, 3):
        play.send(f"setoption name Seed value {seed}", "position startpos moves j10", GO, until="bestmove")
    play.send("book", "setoption name OwnBook value false", "position startpos moves j10", until="book")
    weaker(play, "position startpos moves j10")
    clocks(play, "position startpos moves j10 i9k9", "position startpos moves j10", count=4)
    play.send(f"position fen 4{FULL_BOARD[4:]} b 2", "perft 1", "perft 3", until="perft 3")
    short_bench(play)
    play.send("quit")


@scenario("uci", nodes=2000)
def ewn_searches(play: Recorder) -> None:
    """Searches with and without throws, set-ups, tablebases, UCT with its options; skill, clocks, counting."""
    ready(play, variant("ewn"), "setoption name Seed value 1")
    start = "position startpos moves 123456 615243"
    ending = "position fen 5/1A3/2e2/3d1/5 f"
    for line in ("go depth 2", "go nodes 100", "go movetime 3600000", "go mate 2", GO):
        play.send("ucinewgame", start, line, until="bestmove")
        play.send("dice 4", line, until="bestmove")
    play.send("go searchmoves a4a3 depth 2", until="bestmove")
    play.send("go searchmoves a5a4 depth 2", until="bestmove")
    play.send("setoption name MultiPV value 3", "go depth 2", until="bestmove")
    play.send("setoption name UCI_ShowWDL value true", "go depth 1", "setoption name MultiPV value 1", until="bestmove")
    play.send(ending, "go depth 3", until="bestmove")
    play.send(f"{ending} 3", GO, until="bestmove")
    play.send("eval", "book", until="book")
    play.send("position fen 5/5/5/3A1/a4 f 2", GO, until="bestmove")
    play.send("position fen 5/5/5/3A1/a4 f", "go infinite", until="info throw 6")
    play.send("stop", until="bestmove")
    play.send("setoption name UseEndgames value false", f"{ending} 3", "go depth 3", until="bestmove")
    play.send("setoption name UseEndgames value true", "position startpos", "book", "go nodes 400", until="bestmove")
    play.send("position startpos moves 123456", "go nodes 400", until="bestmove")
    play.send("position startpos moves 123456", "go depth 1", until="bestmove")
    play.send("setoption name OwnBook value true", GO, until="bestmove")
    play.send("position startpos", GO, until="bestmove")
    play.send("go depth 1", until="bestmove")
    play.send("setoption name Algorithm value uct", start, "go depth 2", until="bestmove")
    play.send("dice 2", "go nodes 500", until="bestmove")
    for playout in ("informed", "short", "greedy", "evaluation"):
        play.send(f"setoption name UCTPlayout value {playout}", "go nodes 500", until="bestmove")
    play.send("setoption name WINK value 1", "setoption name UCTK value 0.5", "go nodes 500", until="bestmove")
    for bare in ("UCTReward value -1..1", "UCTProofs value false", "UCTReuseTree value false", "UCTLeafVisits value 1"):
        play.send(f"setoption name {bare}", "go nodes 500", until="bestmove")
    play.send("probe", "setoption name Algorithm value expectimax", until="probe")
    weaker(play, "position fen ABC2/DE3/F3f/3ed/2cba f 3")
    clocks(play, "position fen ABC2/DE3/F3f/3ed/2cba f 3", "position fen ABC2/DE3/F3f/3ed/2cba s 3", count=4)
    play.send(ending, "perft 1", "perft 3", until="perft 3")
    play.send("dice 3", "perft 2", "position startpos moves 123456 615243", "perft 2", until="perft 2", count=2)
    short_bench(play)
    play.send("quit")


@scenario("uci", nodes=600)
def junqi_searches(play: Recorder) -> None:
    """Views and referee's positions by each searcher, deployments; skill, clocks, counting."""
    ready(play, variant("junqi"), "setoption name Seed value 1")
    view = moves_line([SETUPS[0], "?", *["G2F2=1", "E2F2=2", "G0H1=3", "F4G4=1", "H0F0=1", "E0E1=3"]])
    full = "position fen 1c1l1/5/5/1d1f1/5/5/5/5/1h3/5/1g1i1/B2LC f - 0"
    for seed in (1, 2, 3):
        play.send(
            f"setoption name Seed value {seed}", "ucinewgame", "position startpos", "go depth 1", until="bestmove"
        )
        play.send("position startpos moves ?", GO, until="bestmove")
    for searcher in ("worlds", "flat", "uct", "cooperation"):
        play.send(f"setoption name Algorithm value {searcher}", "ucinewgame", view, "go nodes 400", until="bestmove")
        play.send(full, "go depth 2", until="bestmove")
        play.send("go infinite", until="info")
        play.send("stop", until="bestmove")
    play.send(
        "setoption name Algorithm value worlds", view, "setoption name MultiPV value 3", "go depth 1", until="bestmove"
    )
    play.send("go searchmoves F0E0 G3F3 depth 1", until="bestmove")
    play.send("go searchmoves F0D0=1 depth 1", until="bestmove")
    play.send("setoption name MultiPV value 1", "go mate 1", until="bestmove")
    play.send("go movetime 3600000", until="bestmove")
    play.send(moves_line(["?", SETUPS[1], "G2F2=1"]), GO, until="bestmove")
    play.send("probe", "eval", "book", until="book")
    weaker(play, moves_line([SETUPS[0], "?"]))
    clocks(play, moves_line([SETUPS[0], "?"]), moves_line([SETUPS[0], "?", "G0F0=3"]), count=4)
    play.send(full, "perft 1", "perft 2", moves_line([SETUPS[0], "?"]), "perft 1", "perft 2", until=ERROR)
    short_bench(play)
    play.send("quit")
