"""What the checks must say and hear in each protocol, and the positions that they use of each game."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple

from siqi.daemon.clients.options import UCCI_LINE, UCI_LINE, Option, declared_options
from siqi.daemon.match.check.dialogue import Line

CHESS = "chess"


class Unplayable(Exception):
    """The engine has not the game, by its own words."""


class Game(NamedTuple):
    """Positions of a game, and patterns of the moves that can be played there; ranks count from 0 or from 1."""

    first: str  # a move at the start
    moves: str  # played from there
    reply: str  # a move after these, never one at the start
    dice: str = ""  # the line that throws the die for it
    decided: str = ""  # FEN of a position that is won in one move, '' if the checks need none
    finished: str = ""  # FEN of a position without a legal move
    fens: Mapping[str, bool] = {}  # ways in which clients write a FEN; True: it is the second side's turn
    bad_fens: tuple[str, ...] = ()


XIANGQI_START = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR"
XIANGQI_SECOND = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR"

GAMES = {
    "xiangqi": Game(
        first="([a-i][01]|[bh][23]|[acegi][34])[a-i][0-9]",
        moves="h2e2",
        reply="[a-i]([6-9]|10)[a-i]([0-9]|10)",
        decided="3k5/1R7/R8/9/9/9/9/9/9/4K4 w - - 0 1",
        finished="R2k5/1R7/9/9/9/9/9/9/9/4K4 b - - 0 1",
        fens={
            f"{XIANGQI_SECOND} b - - 1 1": True,
            f"{XIANGQI_SECOND} b": True,
            f"{XIANGQI_START} r - - 0 1": False,
            f"{XIANGQI_START.replace('n', 'h').replace('N', 'H').replace('b', 'e').replace('B', 'E')} w - - 0 1": False,
        },
        bad_fens=(
            "x",
            "9/9/9/9/9/9/9/9/9/9 w",
            "3k5/9/9/9/9/9/9/9/9/10 w",
            f"{XIANGQI_START}/9 w",
            f"{XIANGQI_START} z",
        ),
    ),
    "connect6": Game(
        first=r"[a-s]\d+",
        moves="j10",
        reply=r"[a-s]\d+[a-s]\d+",
        bad_fens=("x", "19 b 1", "/".join(["19"] * 19) + " b 3", "/".join(["18"] * 19) + " b 1"),
    ),
    "ewn": Game(
        first="[1-6]{6}|([abc][3-5])[a-e][1-5]",
        moves="123456 615243",
        reply="[abc][3-5][a-d][2-5]",
        dice="dice 2",
        decided="5/5/5/3A1/a4 f - 1",
        bad_fens=("x", "ABC2/DE3/F3f/3ed/2cba x", "5/5/5/5/5 f -", "ABC2/DE3/F3f/3ed/2cba f 7"),
    ),
    "junqi": Game(
        first="[a-l]{25}",
        moves="diahcbgkkfiecfigjhedjljhg ?",
        reply="[A-L][0-4][A-L][0-4]",
        bad_fens=("x", "5/5/5/5/5/5/5/5/5/5/5/5 f - 0", "6/5 f"),
    ),
    CHESS: Game(
        first="[a-h][12][a-h][34]",
        moves="e2e4",
        reply="[a-h][78][a-h][56]",
        decided="6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1",
        finished="R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1",
        fens={
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1": True,
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -": True,
        },
        bad_fens=("x", "8/8/8/8/8/8/8/8 w - - 0 1", "rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
    ),
}


class Protocol:
    """A protocol; a line that it has not is ''."""

    name: ClassVar[str]
    games: ClassVar[tuple[str, ...]]
    """The games that are played by it, the default first."""

    greeting: ClassVar[tuple[str, ...]]
    begin: ClassVar[str] = ""
    """Begins another game; the search lines of a referee's protocol do."""

    stop: ClassVar[str] = ""
    end: ClassVar[str] = "quit"
    status: ClassVar[int | None] = 0
    bad_moves: ClassVar[tuple[str, ...]] = ()

    def is_greeted(self, line: Line) -> bool:
        """True for the line that ends the answer to the greeting."""
        raise NotImplementedError

    def selection(self, game: str, options: Mapping[str, str], answers: Sequence[Line]) -> list[str]:
        """Return the lines that select a game and set options; Unplayable by what the engine answered."""
        return [f"setoption name {name} value {value}" for name, value in options.items()]

    def probe(self, number: int) -> str:
        """Return a line that every engine which lives and listens answers."""
        raise NotImplementedError

    def is_alive(self, line: Line) -> bool:
        """True for the answer to a probe."""
        return self.is_greeted(line)

    def search(self, game: Game) -> list[str]:
        """Return lines that make it move, soon."""
        raise NotImplementedError

    def long_search(self, game: Game) -> list[str]:
        """Return lines that make it think for seconds at least, if it will; [] if the protocol cannot say so."""
        return []

    def timed(self, ms: int) -> list[str]:
        """Return the lines of a search with the time of a move, where the protocol has one."""
        raise NotImplementedError

    def clock(self, ms: int) -> list[str]:
        """Return the lines of a search with this time left on both clocks, where the protocol has some."""
        raise NotImplementedError

    def move_of(self, line: Line) -> str | None:
        """Return the move of an answer to a search, '' if it says that there is none; None for other lines."""
        raise NotImplementedError


class Uci(Protocol):
    name = "uci"
    games: ClassVar[tuple[str, ...]] = ("xiangqi", "connect6", "ewn", "junqi", CHESS)
    greeting: ClassVar[tuple[str, ...]] = ("uci",)
    ready: ClassVar[str] = "uciok"
    begin = "ucinewgame"
    stop = "stop"
    set_option: ClassVar[str] = "setoption name {} value {}"
    option_line: ClassVar[str] = UCI_LINE
    goes_endless = "go infinite"
    bad_moves = ("position startpos moves zz", "position startpos moves {move} zz {move}", "position startpos moves")

    def is_greeted(self, line: Line) -> bool:
        return line.words == [self.ready]

    def options(self, answers: Sequence[Line]) -> list[Option]:
        """Return the options that the answers declare."""
        return declared_options(self.option_line, [line.text for line in answers])

    def selection(self, game: str, options: Mapping[str, str], answers: Sequence[Line]) -> list[str]:
        variant = next((option for option in self.options(answers) if option.name == "UCI_Variant"), None)
        lines = [self.set_option.format(name, value) for name, value in options.items()]
        if variant is None or "UCI_Variant" in options:
            return lines
        if game not in variant.choices:
            raise Unplayable(f"no {game} in its UCI_Variant: {', '.join(variant.choices)[:200]}")
        return [self.set_option.format("UCI_Variant", game), *lines]

    def probe(self, number: int) -> str:
        return "isready"

    def is_alive(self, line: Line) -> bool:
        return line.words == ["readyok"]

    def after_moves(self, game: Game) -> list[str]:
        """Return lines that set the position after the game's first moves."""
        return [f"position startpos moves {game.moves}", *([game.dice] if game.dice else [])]

    def search(self, game: Game) -> list[str]:
        return [*self.after_moves(game), "go depth 1"]

    def long_search(self, game: Game) -> list[str]:
        return [*self.after_moves(game), self.goes_endless]

    def timed(self, ms: int) -> list[str]:
        return [f"go movetime {ms}"]

    def clock(self, ms: int) -> list[str]:
        return [f"go wtime {ms} btime {ms}"]

    def move_of(self, line: Line) -> str | None:
        if line.word != "bestmove":
            return None
        move = line.at(1)
        return "" if move in ("(none)", "0000", "none", "null") else move


class Ugi(Uci):
    name = "ugi"
    greeting = ("ugi",)
    ready = "ugiok"
    begin = "uginewgame"

    def clock(self, ms: int) -> list[str]:
        return [f"go p1time {ms} p2time {ms}"]


class Ucci(Uci):
    name = "ucci"
    games = ("xiangqi",)
    greeting = ("ucci",)
    ready = "ucciok"
    begin = "setoption newgame"
    set_option = "setoption {} {}"
    option_line = UCCI_LINE

    def selection(self, game: str, options: Mapping[str, str], answers: Sequence[Line]) -> list[str]:
        lines = super().selection(game, options, answers)
        return [*lines, "setoption usemillisec true"] if self.has_milliseconds(answers) else lines

    def has_milliseconds(self, answers: Sequence[Line]) -> bool:
        """True if its clocks can be set in milliseconds."""
        return any(option.name == "usemillisec" for option in self.options(answers))

    def clock(self, ms: int) -> list[str]:
        return [f"go time {ms} increment 0"]

    def move_of(self, line: Line) -> str | None:
        return "" if line.word == "nobestmove" else super().move_of(line)


class Cecp(Protocol):
    name = "xboard"
    games = ("xiangqi", "ewn", CHESS)
    greeting = ("xboard", "protover 2")
    begin = "new"
    stop = "?"
    status = None  # XBoard never looks
    bad_moves = ("usermove zz", "usermove a1", "undo", "setboard")

    def user_move(self, move: str, answers: Sequence[Line]) -> str:
        """Return the line of an opponent's move."""
        return f"usermove {move}" if self.features(answers).get("usermove") == "1" else move

    def is_greeted(self, line: Line) -> bool:
        return line.word == "feature" and re.search(r"\bdone=1\b", line.text) is not None

    def features(self, answers: Sequence[Line]) -> dict[str, str]:
        """Return the features by name; of a repeated one the last."""
        text = " ".join(line.text.removeprefix("feature") for line in answers if line.word == "feature")
        return {name: value.strip('"') for name, value in re.findall(r'(\w+)=("[^"]*"|\S+)', text)}

    def selection(self, game: str, options: Mapping[str, str], answers: Sequence[Line]) -> list[str]:
        features = self.features(answers)
        if features.get("ping") != "1":
            raise Unplayable("it has not feature ping=1, without which nothing can be awaited")
        variant = {"ewn": "einstein", CHESS: "normal"}.get(game, game)
        if variant not in features.get("variants", "normal").split(","):
            raise Unplayable(f"no {variant} in its variants: {features.get('variants', 'normal')[:200]}")
        chosen = [] if variant == "normal" else [f"variant {variant}"]
        return [*(f"option {name}={value}" for name, value in options.items()), "new", *chosen, "easy", "nopost"]

    def probe(self, number: int) -> str:
        return f"ping {number}"

    def is_alive(self, line: Line) -> bool:
        return line.word == "pong"

    def search(self, game: Game) -> list[str]:
        return ["sd 1", "go"]

    def long_search(self, game: Game) -> list[str]:
        return self.timed(30_000)

    def timed(self, ms: int) -> list[str]:
        return [f"st {ms // 1000}", "go"]

    def clock(self, ms: int) -> list[str]:
        return ["level 0 5 0", f"time {ms // 10}", f"otim {ms // 10}", "go"]

    def move_of(self, line: Line) -> str | None:
        match = re.fullmatch(r"(?:move|My move is ?:)\s+(\S+)\s*", line.text)
        return match[1] if match else None


class Sau(Protocol):
    name = "sau"
    games = ("connect6",)
    greeting = ("name?",)
    bad_moves = ("move", "move AAXX", "move JJ", "new blue", "move " + 40 * "A")

    def is_greeted(self, line: Line) -> bool:
        return line.word == "name" and len(line.words) > 1

    def probe(self, number: int) -> str:
        return "name?"

    def search(self, game: Game) -> list[str]:
        return ["new black"]

    def long_search(self, game: Game) -> list[str]:
        return ["new white", "move JJ@@"]

    def move_of(self, line: Line) -> str | None:
        return line.at(1) if line.word == "move" else None


class Cloudict(Sau):
    name = "cloudict"
    greeting = ("name",)
    bad_moves = ("white AAAZ", "black", "next now", "new blue", "depth x")

    def probe(self, number: int) -> str:
        return "name"

    def long_search(self, game: Game) -> list[str]:
        return ["new white", "move JJJJ"]


class MyAi(Protocol):
    name = "myai"
    games = ("ewn",)
    greeting = ("name", "version")
    bad_moves = ("get", "get R 7 E5 D5 C5 E4 D4 E3 A1 B1 C1 A2 B2 A3", "get X 1", "board_setting 6 6", "ini X")

    def is_greeted(self, line: Line) -> bool:
        return bool(re.search(r"\d\.\d", line.text))  # the version; the name comes before it

    def probe(self, number: int) -> str:
        return "version"

    def selection(self, game: str, options: Mapping[str, str], answers: Sequence[Line]) -> list[str]:
        return [*super().selection(game, options, answers), "time_setting 8", "board_setting 5 6"]

    def search(self, game: Game) -> list[str]:
        return ["get R 3 E5 D5 C5 E4 D4 E3 A1 B1 C1 A2 B2 A3"]

    def move_of(self, line: Line) -> str | None:
        return line.text if re.fullmatch(r"[A-E][1-5] [A-E][1-5]\s*", line.text) else None


class Junqi(Protocol):
    name = "junqi"
    games = ("junqi",)
    greeting = ("INFO 1.0",)
    end = ""
    bad_moves = ("START 5", "GO K9 3 00", "RESULT 4", "GO", "RESULT")

    def is_greeted(self, line: Line) -> bool:
        return line.word == "NAME"

    def probe(self, number: int) -> str:
        return "INFO 1.0"

    def search(self, game: Game) -> list[str]:
        return ["START 0 20 31"]

    def move_of(self, line: Line) -> str | None:
        return line.at(1) if line.word in ("ARRAY", "BESTMOVE") else None


PROTOCOLS: dict[str, Protocol] = {
    protocol.name: protocol for protocol in (Uci(), Ucci(), Cecp(), Sau(), Cloudict(), MyAi(), Junqi(), Ugi())
}
"""The protocols by name, which are those of the clients."""
