"""Scenarios of UCI: handshake, options, errors, lines sent ahead, the end of input."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scenarios import scenario

if TYPE_CHECKING:
    from record_transcripts import Recorder

ERROR = "info string error"

BENCH = f"{ERROR} bench"

MATE = "position fen 3k5/1R7/R8/9/9/9/9/9/9/4K4 w"
"""`a7a9` or `a7d7` mates."""

PAWN = "position fen 5k3/9/9/9/4P4/9/9/9/9/4K4 w"
"""A position with six legal moves."""


def variant(name: str) -> str:
    return f"setoption name UCI_Variant value {name}"


def ready(play: Recorder, *lines: str) -> None:
    """Send lines and wait until the game is loaded."""
    play.send(*lines, "isready", until="readyok")


@scenario("uci")
def handshake(play: Recorder) -> None:
    """Name, options, help, and commands that are answered before any game is loaded."""
    play.send("uci", until="uciok")
    play.send("help", until="help quit")
    play.send("hello", "Uci", "UCI", "go\tdepth", "isready", until="readyok")
    play.send("", "   ", "\t", "isready", until="readyok")
    play.send("uci", until="uciok")
    play.send("isready", "isready", until="readyok", count=2)
    play.each("debug", "debug maybe", "debug on on", "debug ON", until=ERROR)
    play.send("debug on", "debug off", "help move overhead", until="help Move Overhead")
    play.send("help me", until=ERROR)
    play.send("stop", "ponderhit", "isready", until="readyok")
    play.send("quit")


@scenario("uci")
def silence(play: Recorder) -> None:
    """The end of input without any line."""
    play.send(">.")


@scenario("uci")
def blank_lines(play: Recorder) -> None:
    """Blank lines select no front end; the first word does."""
    play.send("", "  ", ">! \\r\\n", "ucci", until="ucciok")
    play.send("uci", until="info message")
    play.send("quit", until="bye")


@scenario("uci")
def quit_at_once(play: Recorder) -> None:
    """`quit` as the first line ends the process; later lines are not read."""
    play.send("quit", "uci", "d")


SPINS = {
    "Hash": (1, 16384),
    "Threads": (1, 64),
    "MultiPV": (1, 256),
    "BookDepth": (0, 1000),
    "BookMinGames": (1, 1000000),
    "Move Overhead": (0, 5000),
    "MoveTime": (0, 3600000),
    "Seed": (0, 2147483647),
    "Skill Level": (0, 20),
    "UCI_Elo": (957, 3253),
    "Width": (2, 40),
    "Depth": (0, 47),
    "CooperationPieces": (1, 4),
    "UCTLeafVisits": (1, 1000000),
}
CHECKS = (
    "Ponder",
    "OwnBook",
    "MineRules",
    "UseEndgames",
    "UCI_LimitStrength",
    "UCI_ShowWDL",
    "UCI_AnalyseMode",
    "UCTProofs",
    "UCTReuseTree",
)
COMBOS = {
    "UseRules": ("checked", "paper", "false", "true"),
    "UCI_Coordinates": ("1", "0"),
    "UCTPlayout": ("informed", "short", "greedy", "evaluation", "random"),
    "UCTParallel": ("tree", "children", "root"),
    "UCTReward": ("-1..1", "0..1"),
    "Algorithm": ("flat", "uct", "cooperation", "worlds", "expectimax"),
    "UCI_Variant": ("xiangqi",),
}
NUMBERS = {"WINK": (0, 100), "UCTK": (0, 100), "CooperationAlpha": (0, 1), "CooperationGamma": (0, 1)}


@scenario("uci")
def option_values(play: Recorder) -> None:
    """Values that each option accepts and refuses, before a game is loaded."""
    play.send("uci", until="uciok")
    for value in ("x", "", "1.5", "99999999999999999999", "0x10", "+3", "--1", "1 2"):
        play.send(f"setoption name Hash value {value}", until=ERROR)
    play.send(">! setoption name Hash value \\xd9\\xa1\\n", until=ERROR)
    for name, (low, high) in SPINS.items():
        play.each(
            *(f"setoption name {name}{value}" for value in (f" value {low - 1}", f" value {high + 1}", "")), until=ERROR
        )
    for name in CHECKS:
        play.each(*(f"setoption name {name} value {value}" for value in ("yes", "", "1", "on")), until=ERROR)
    for name, choices in COMBOS.items():
        play.each(*(f"setoption name {name} value {value}" for value in ("nothing", "", f"{choices[0]}x")), until=ERROR)
    for name, (_, number) in NUMBERS.items():
        wrong = ("-0.1", number + 0.5, "x", "", "nan", "inf", "1e9", "1,5", "1 2")
        play.each(*(f"setoption name {name} value {value}" for value in wrong), until=ERROR)
    play.each(
        "setoption", "setoption name", "setoption value 3", "setoption Hash 3", "setoption name value 3",
        "setoption name Nonsense", "setoption name Nonsense value 3", "setoption name Skill  Level value 30",
        "setoption name MoveOverhead value 3", "setoption name Hash 3", "setoption name Hash value",
        "setoption name UCI_Variant value chess", "setoption name UCI_Variant", "setoption name 四棋 value 3",
        until=ERROR,
    )  # fmt: skip
    play.send("quit")


@scenario("uci")
def option_cases(play: Recorder) -> None:
    """Every option is set to its bounds, in upper or lower case, without an answer; some belong to other games."""
    ready(play)
    for name, (low, high) in SPINS.items():
        values = (low, 8, 1) if name == "Hash" else (low, 1) if name == "Threads" else (low, high)
        lines = [f"setoption name {name} value {value}" for value in values]
        if name == "UCI_Elo":  # else a note says that it has no effect
            play.send("setoption name UCI_LimitStrength value true")
        play.send(*lines, f"SetOption name {name} value 1", f"setoption NAME {name.upper()} VALUE {low}", until=ERROR)
    for name in (*CHECKS, "Clear Hash"):
        play.send(*(f"setoption name {name.lower()} value {value}" for value in ("TRUE", "False")))
    for name, choices in COMBOS.items():
        play.send(*(f"setoption name {name} value {value.upper()}" for value in choices))
    for name, (low, high) in NUMBERS.items():
        play.send(*(f"setoption name {name} value {value}" for value in (low, high, f"{high}.0", ".5", "5e-1", "1_0")))
    play.send("setoption name Seed value 1", "position startpos", "go depth 2", until="bestmove")
    play.send("setoption name Clear Hash", "setoption name clear hash value x", "isready", until="readyok")
    play.send("position startpos", "go depth 2", until="bestmove")
    play.send("quit")


@scenario("uci")
def options_of_other_games(play: Recorder) -> None:
    """Options for books that the game does not have are reported when set; books named before a game is loaded."""
    asked = (
        "setoption name OwnBook value true", "setoption name UseRules value paper",
        "setoption name UseRules value checked", "setoption name BookFile value xiangqi.book",
        "setoption name BookDepth value 4", "setoption name BookDepth value 40", "setoption name BookMinGames value 1",
        "setoption name EndgamePath value tables", "setoption name EndgamePath value <empty>",
        "setoption name EndgamePath value", "setoption name UseEndgames value false",
        "setoption name UseRules value false", "setoption name OwnBook value false",
        "setoption name UseEndgames value true", "setoption name UseRules value true",
        "setoption name BookFile value <empty>",
    )  # fmt: skip
    play.send(
        "setoption name BookFile value missing.book", "setoption name EndgamePath value missing",
        "setoption name LayoutFile value missing", "setoption name CooperationFile value missing/file",
        "setoption name OwnBook value true",
    )  # fmt: skip
    for game in ("junqi", "ewn", "connect6", "xiangqi"):
        ready(play, variant(game))
        play.send("position startpos", "go wtime 3600000 btime 3600000", until="bestmove")
        for line in asked:
            play.send(line, "isready", until="readyok")
        play.send("setoption name BookFile value missing.book", "setoption name EndgamePath value missing")
        play.send("setoption name OwnBook value true", "isready", until="readyok")
        other = "Width" if game != "connect6" else "CooperationAlpha"
        play.send(f"setoption name {other} value 1", "isready", until="readyok")
    play.send("quit")


@scenario("uci")
def files_of_books(play: Recorder) -> None:
    """Opening books and tablebases that are missing, damaged, of another game, or no files."""
    play.send("setoption name Seed value 1", "setoption name OwnBook value true", "isready", until="readyok")
    go = "go wtime 3600000 btime 3600000"
    for name in ("missing.book", "cut.book", "flipped.book", "foreign", "empty", "folder", "fifo", "connect6.book"):
        play.send(f"setoption name BookFile value {name}", "ucinewgame", "position startpos", go, until="bestmove")
        play.send("position startpos moves a3a4", "book", "isready", until="readyok")
    play.send("setoption name BookFile value xiangqi.book", "position startpos", "book", "isready", until="readyok")
    play.send(go, until="bestmove")
    for name in ("missing", "folder", "foreign", "tables", "tables:missing:folder", "fifo"):
        play.send(
            f"setoption name EndgamePath value {name}", "position fen 3k5/4a4/9/9/9/9/9/9/9/4K1R2 w", "book", "isready",
            until="readyok",
        )  # fmt: skip
    play.send("go depth 1", until="bestmove")
    play.send(variant("connect6"), "isready", until="readyok")
    for name in ("xiangqi.book", "cut.book", "missing.book", "connect6.book"):
        play.send(
            f"setoption name BookFile value {name}", "position startpos moves j10", "book", "isready", until="readyok"
        )
        play.send(go, until="bestmove")
    play.send("quit")


@scenario("uci")
def files_of_junqi(play: Recorder) -> None:
    """The user's deployments, and the data that `cooperation` has learned."""
    ready(play, variant("junqi"), "setoption name Seed value 1")
    for name in ("missing", "wrong-layouts", "foreign", "folder", "fifo", "empty", "layouts"):
        play.send(
            f"setoption name LayoutFile value {name}", "ucinewgame", "position startpos", "go nodes 10",
            until="bestmove",
        )  # fmt: skip
        play.send("setoption name Seed value 2", "position startpos moves ?", "go nodes 10", until="bestmove")
    play.send("setoption name Algorithm value cooperation", "isready", until="readyok")
    for name in ("foreign", "folder", "empty", "missing/file", "learned"):
        play.send(f"setoption name CooperationFile value {name}", "ucinewgame", "isready", until="readyok")
        play.send(
            "position startpos moves diahcbgkkfiecfigjhedjljhg bicgcakdgifgeekjfhjjihhld", "go nodes 50",
            until="bestmove",
        )  # fmt: skip
    play.send("ucinewgame", "isready", until="readyok")
    play.send("quit")


@scenario("uci")
def files_that_are_written(play: Recorder) -> None:
    """A file of games, a log of the traffic, and file names that are refused for them."""
    for option in ("GameLog", "Debug Log File"):
        names = ("foreign", "folder", "fifo", "missing/file", "/dev/null", "xiangqi.book")
        play.each(*(f"setoption name {option} value {name}" for name in names), until=ERROR)
    play.send("setoption name Debug Log File value log", "setoption name GameLog value games")
    play.send("isready", until="readyok")
    play.send(f"{MATE} moves a7a9", "result", until="result")
    play.send(MATE, "go wtime 3600000 btime 3600000", until="bestmove")
    play.send("ucinewgame", "position startpos moves h2e2", "go wtime 3600000 btime 3600000", until="bestmove")
    play.send("position startpos moves h2e2 h9g7 x", until=ERROR)
    play.send("setoption name GameLog value foreign", until=ERROR)
    play.send("position fen 3k5/1R7/9/R8/9/9/9/9/9/4K4 w", "go wtime 3600000 btime 3600000", until="bestmove")
    play.send(variant("ewn"), "isready", until="readyok")
    play.send("setoption name WINK value 0.5", "position fen 5/5/5/3A1/a4 f - moves d2e1", "result", until="result")
    play.send("position fen 5/5/5/3A1/a4 f 1", "go movetime 3600000", until="bestmove")
    play.send("probe", until="probe")  # the search has ended by now; the next line ends the log
    play.send("setoption name Debug Log File value", "isready", until="readyok")
    play.send(
        "setoption name GameLog value <empty>", "position fen 5/5/5/3A1/a4 f - moves d2e1", "result", until="result"
    )
    play.send("quit")
    play.files += ["games", "log", "foreign"]


@scenario("uci")
def lines_too_long(play: Recorder) -> None:
    """Lines of 65,536 bytes are accepted, longer ones are not; bytes that are no text; line ends."""
    ready(play)
    play.send(">* 65537 position startpos moves| a0a1 a9a8 a1a0 a8a9", until=ERROR)
    play.send(">* 65537 x", until=ERROR)
    play.send(">* 200000 \u00e9", until=ERROR)
    play.send(">* 65536 x", until=ERROR)
    play.send(">* 65536  isready", until="readyok")
    play.send("d", until="Key:")
    play.send(">* 65536 position startpos moves| a0a1 a9a8 a1a0 a8a9", until=ERROR)
    play.send("turn", "result", until="result")
    play.send(">! isready\\r\\n", until="readyok")
    play.send(">!  \\t isready \\t \\r\\r\\n", until="readyok")
    play.send(">! isready\\x00\\n", until=ERROR)
    play.each(
        ">! \\x00\\n", ">! \\xff\\xfe\\n", ">! \\xe5\\x9b\\x9b\\xe6\\xa3\\x8b\\n", ">! d\\x1b[31m\\n",
        ">! position fen \\xe5\\x9b\\x9b w\\n", ">! position startpos moves h2\\xc3\\xa9\\n",
        ">! setoption name Has\\xc3\\xa9h value 3\\n", ">! setoption name Hash value \\xef\\xbc\\x93\\n",
        ">! go depth \\xef\\xbc\\x93\\n", ">! perft \\xd9\\xa3\\n", ">! debug \\x7f\\n",
        ">! position startpos\\xc2\\xa0moves h2e2\\xe3\\x80\\x80x\\n", until=ERROR,
    )  # fmt: skip
    play.send(">! isready\\nd", until="readyok")
    play.send(">! \\nturn", until="Key:")
    play.send(">.", until="turn")


@scenario("uci")
def bad_limits(play: Recorder) -> None:
    """Wrong words after `go`."""
    ready(play)
    words = ("wtime", "btime", "winc", "binc", "movestogo", "movetime", "nodes", "depth", "mate", "perft")
    values = ("", "x", "1.5", "1000000000000000", "\\xef\\xbc\\x91", "--1", "-")
    for word in words:
        play.each(*(f">! go {word} {value}\\n" for value in values), until=ERROR)
    play.each(*(f"go {word} 0" for word in ("nodes", "depth", "mate", "perft", "movetime")), until=ERROR)
    play.each(*(f"go {word} -3" for word in ("nodes", "depth", "mate", "perft", "movetime")), until=ERROR)
    play.each(
        "go searchmoves", "go searchmoves depth 3", "go depth 3 searchmoves", "go searchmoves a0a9",
        "go searchmoves h2e2 a0a9", "go searchmoves h2e2 hello depth 2", "go depth 2 wtime",
        "go wtime 1000 btime x depth 2", until="bestmove",
    )  # fmt: skip
    play.each(
        "go depth 1 hello", "go hello depth 1 world", "go DEPTH 1", "go Depth 1 NODES 40 foo", "go depth 3 depth 1",
        "go winc -5 binc -7 movestogo -1 depth 1", "go wtime -100 btime -100 depth 1",
        "go wtime 999999999999999 btime 999999999999999 depth 1", "go movetime 999999999999999 depth 1",
        "go depth 999999999999999", "go mate 999999999999999", "go nodes 999999999999999",
        "go searchmoves h2e2 h2e2 h2e2 depth 1", until="bestmove",
    )  # fmt: skip
    play.each("perft", "perft x", "perft 0", "perft -1", "perft 1 2", "perft 200", "go perft 200", until=ERROR)
    play.each("bench now", "bench 1", until=ERROR)
    play.send("quit")


@scenario("uci")
def pipelines(play: Recorder) -> None:
    """Many searches sent in one write, before the first game is loaded and after."""
    go = "go depth 2"
    play.send(
        "position startpos", go, "position startpos moves h2e2", go, "position startpos moves h2e2 h9g7", go, go,
        "setoption name MultiPV value 2", go, "ucinewgame", go, "setoption name MultiPV value 1", "isready",
        until="readyok",
    )  # fmt: skip
    play.send(
        variant("connect6"), "position startpos moves j10", "go depth 1", variant("xiangqi"), "position startpos", go,
        variant("ewn"), "position startpos moves 123456 615243", "dice 3", "go depth 3", variant("junqi"),
        "position startpos", "setoption name Seed value 1", "go nodes 20", "probe", "isready", until="readyok",
    )  # fmt: skip
    play.send(variant("ewn"), variant("connect6"), variant("xiangqi"), go, "probe", "d", until="Key:")
    play.send(go, "book", "legal", "d", until="Key:")
    play.send(PAWN, go, "perft 1", "probe", "eval", go, "probe", "position startpos moves a0a9", "turn x", until="turn")
    play.send(PAWN, "go perft 1", go, "perft 1", "perft x", "result", until="result")
    play.send("go depth x", "go depth 1", "go searchmoves zz", "go depth 1", "probe", until="probe")
    play.send("bench 3", go, "setoption name Hash value 0", "setoption name Hash value 2", go, "bench 4", until=BENCH)
    play.send("uci", "uci", go, until="bestmove")
    play.send("quit")


@scenario("uci")
def stop_for_those_that_wait(play: Recorder) -> None:
    """`stop` and `ponderhit` while the game is being loaded apply to every search sent before."""
    play.send("position startpos", "go infinite", "go depth 5", "go ponder depth 3", "stop", until="bestmove", count=3)
    play.send("go infinite", until="info depth")
    play.send("isready", "d", "turn", until="turn")
    play.send("position startpos moves h2e2", "d", until="Key:")
    play.send(
        "go depth 4", "go infinite", "go ponder wtime 1000 btime 1000", "perft 2", "bench", "stop", "isready",
        until="readyok",
    )  # fmt: skip
    play.send("go infinite", until="info depth")
    play.send("stop", "go depth 1", until="bestmove", count=2)
    play.send("go ponder depth 1", until="info depth")
    play.send("go ponder depth 2", "go infinite depth 1", "ponderhit", until="bestmove", count=2)
    play.send("ponderhit", "isready", until="readyok")
    play.send("stop", until="bestmove")
    play.send("go ponder depth 1 infinite", until="info depth")
    play.send("isready", until="readyok")
    play.send("ponderhit", until="bestmove")
    play.send("quit")


@scenario("uci")
def ponderhit_for_those_that_wait(play: Recorder) -> None:
    """The pondered move is played while the game is being loaded."""
    play.send("position startpos moves h2e2 h9g7", "go ponder depth 2", "ponderhit", until="bestmove")
    play.send("go ponder depth 2 movetime 60000", until="info depth 2")
    play.send("isready", until="readyok")
    play.send("ponderhit", until="bestmove")
    play.send("go ponder wtime 60000 btime 60000", until="info depth")
    play.send("stop", "ponderhit", until="bestmove")
    play.send("ponderhit", "stop", "isready", until="readyok")
    play.send("quit")


@scenario("uci")
def dice_for_those_that_wait(play: Recorder) -> None:
    """EWN: the throw is sent before the `ponderhit` or after it, while the game is being loaded and later."""
    start = "position startpos moves 123456 615243"
    # A single move and no tablebase: the search finds the same wherever the throw stops it.
    lone = "position fen 5/5/2e2/3d1/A4 f -"
    play.send(
        variant("ewn"), "setoption name UseEndgames value false", lone, "go ponder depth 1", "dice 3", "ponderhit",
        until="bestmove",
    )  # fmt: skip
    play.send("setoption name UseEndgames value true", "ucinewgame")
    play.send("d", until="Key:")
    play.send(start, "go ponder depth 2", until="info throw 6 depth 2")
    play.send("dice 4", "isready", until="readyok")
    play.send("ponderhit", until="bestmove")
    play.send("d", until="Key:")
    play.send(start, "go ponder depth 1", until="info throw 6 depth 1")
    play.send("dice 4", "dice 5", "dice 9", "stop", until="bestmove")
    play.send(start, "go ponder depth 1", until="info throw 6 depth 1")
    play.send("ponderhit", until="bestmove")
    play.send(start, "go ponder depth 1 searchmoves a3a2 b4c3", until="info throw")
    play.send("dice 5", "ponderhit", until="bestmove")
    play.send(start, "go ponder depth 1 searchmoves a3a2", until="info throw")
    play.send("dice 1", "ponderhit", until="bestmove")
    play.send(start, "go ponder depth 1", until="info throw 6 depth 1")
    play.send("position startpos moves 123456 615243", "dice 1", "ponderhit", until="bestmove")
    play.send(start, "dice 6", "go ponder depth 1", until="info depth 1")
    play.send("dice 1", "ponderhit", until="bestmove")
    play.send("setoption name UseEndgames value false", lone, "go ponder depth 1", until="info throw 6")
    play.send("go ponder depth 1", "dice 3", "ponderhit", until="bestmove", count=2)
    play.send("quit")


@scenario("uci")
def end_of_input(play: Recorder) -> None:
    """Lines that wait for the game at the end of input are answered, also unbounded searches of ended games."""
    play.send(
        PAWN, "go depth 2", "perft 1", "go nodes 100", f"{MATE} moves a7a9", "go infinite", "go ponder", "probe",
        "result", "hello", ">.", until="result",
    )  # fmt: skip


@scenario("uci")
def end_of_input_beside_an_endless_search(play: Recorder) -> None:
    """A search that waits for `stop` at the end of input is answered."""
    play.send("go infinite", until="info depth")
    play.send(">.", until="bestmove")


@scenario("uci")
def end_of_input_beside_pondering(play: Recorder) -> None:
    """A search that ponders at the end of input is answered; the bounded search behind it is completed."""
    play.send("go ponder depth 1", until="info depth")
    play.send("position startpos moves h2e2", "go depth 2", "isready", ">.", until="bestmove", count=2)


@scenario("uci")
def quit_in_the_middle(play: Recorder) -> None:
    """After `quit` the lines before it are answered, searches after their first iteration; later lines are not."""
    play.send(
        PAWN, "perft 1", "go depth 9", "go infinite", "book", "d", "go ponder", "probe", "isready", "quit", "d", "uci",
        until="readyok",
    )  # fmt: skip


@scenario("uci")
def quit_beside_an_endless_search(play: Recorder) -> None:
    """A search that waits for `stop` when `quit` comes is answered, and so are the lines that wait behind it."""
    play.send("go infinite", until="info depth")
    play.send("go infinite", "bench 1", "go depth 3", "probe", "turn", "isready", "quit", until="turn")


@scenario("uci", nodes=0)
def quit_after_perft(play: Recorder) -> None:
    """`quit` does not cut a perft short."""
    play.send(PAWN, "perft 3", "go infinite", "go perft 1", "quit", until="perft 1")


@scenario("uci")
def front_ends_by_first_word(play: Recorder) -> None:
    """A first word that only resembles another front end's selects UCI."""
    play.send("info", "ugis", "Name", "xboards", "isready", until="readyok")
    play.send("ugi", "ucci", "name", "xboard", "INFO 1.0", "{", "name?", "isready", until="readyok")
    play.send("quit")
