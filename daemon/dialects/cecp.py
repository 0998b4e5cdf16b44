"""CECP, the Chess Engine Communication Protocol, version 2: XBoard and WinBoard, with Xiangqi and EinStein.

Every change of the position is told to the core, with the questions `result` and `turn`. Once `turn` is answered it is
known that the core took the position, and what there is to do: to think, to ponder, to analyse or to wait; the client's
next lines wait for that. Searches whose answers nobody wants any more are counted, and as many answers thrown away.

The protocol has no die: the engine throws it, for itself and for a person that plays against it. Another engine throws
its own, of which nothing is told.
"""

from __future__ import annotations

import itertools
import random
import re
from collections import deque
from collections.abc import Callable, Mapping
from typing import NamedTuple

from daemon import __version__
from daemon.dialects import CORE_ERROR, DRAW_BELOW, Reading, refuses_position
from daemon.dialects.told import number
from daemon.pipes import printable

FEATURES = (
    'feature myname="Siqi {version}" variants="xiangqi,einstein" ping=1 setboard=1 playother=1 san=0 usermove=1',
    "feature time=1 draw=1 highlight=1 sigint=0 sigterm=0 reuse=1 analyze=1 colors=0 ics=0 name=0 pause=0 nps=0",
    'feature debug=0 memory=1 smp=1 option="OwnBook -check 0" option="MultiPV -spin 1 1 256"',
    'feature option="Move Overhead -spin 10 0 5000"',
    "feature done=1",
)
IGNORED = (
    "accepted",
    "rejected",
    "random",
    "name",
    "rating",
    "ics",
    "white",
    "black",
    "xboard",
    "bogus",
    "put",
    "hover",
)

FIXED = ("UCI_Variant", "UCI_Coordinates")
"""Options of the core's that the protocol has its own words for."""

MATE = 100_000
"""The score of a mate, to which its moves are added."""

SIDES = ("first", "second")

MOST_MS = 10**9
"""No clock has more."""

FORCE, PLAY, ANALYZE = range(3)
IDLE, THINKING, PONDERING, ANALYZING = range(4)


class Variant(NamedTuple):
    """A game, as the protocol has it."""

    game: str  # the core's name
    start: str
    has_die: bool = False
    setup: tuple[str, ...] = ()  # what XBoard is told that does not know it


EINSTEIN = "ABE2/FC3/D3d/3cf/2eba"
"""The best set-up by the book, on both sides."""

VARIANTS = {
    "xiangqi": Variant("xiangqi", "startpos"),
    "einstein": Variant(
        "ewn",
        f"fen {EINSTEIN} f -",
        has_die=True,
        setup=(
            f"setup (.ABCDEF..abcdef.) 5x5+0_fairy {EINSTEIN} w - - 0 1",  # no pawns, they would be promoted
            *(f"piece {piece}& rbmcdWbrmcdF" for piece in "ABCDEF"),
        ),
    ),
}


class Level(NamedTuple):
    """`level`: moves to a time control, 0 for the whole game; times in milliseconds."""

    moves: int = 0
    base: int = 300_000
    increment: int = 0


class Pending(NamedTuple):
    """A position that the core has not answered for yet, and how it came about."""

    move: str = ""  # the last one, if that is new
    before: tuple[str, list[str]] | None = None  # start and moves before it was set up


class Cecp:
    """A `Dialect`."""

    def __init__(self) -> None:
        self._mode = FORCE
        self._activity = IDLE
        self._void = 0  # searches whose answers nobody waits for
        self._variant = VARIANTS["xiangqi"]
        self._is_against_engine = False
        self._die = 0
        self._allowed: list[str] = []  # the moves that the die leaves to a person, where one was thrown for it
        self._start = self._variant.start
        self._moves: list[str] = []
        self._pending: Pending | None = None
        self._later: deque[str] = deque()  # the client's lines that wait for the core's answer
        self._side = 1  # the engine's
        self._turn = 0
        self._is_over = False
        self._marks: deque[str] = deque()  # the client's lines for the next answers to `isready`
        self._pings: list[str] = []  # those that wait for the engine's move
        self._level = Level()
        self._movetime = 0
        self._depth = 0
        self._left = [0, 0]  # the engine's and the opponent's, ms; 0 where not told
        self._is_posting = False
        self._ponders = False
        self._reply = ""  # expected
        self._score = 0
        self._stat = (0, 0, 0)  # time in centiseconds, nodes, depth

    # The client's lines

    def read(self, text: str, ns: int) -> Reading:
        if self._pending is not None and text != "quit":
            self._later.append(text)
            return Reading()
        word, *words = text.split()
        if word in IGNORED:
            return Reading()
        handle = COMMANDS.get(word)
        if handle is None:
            return Reading(answers=(f"Error (unknown command): {printable(text)}",))
        try:
            return handle(self, words)
        except (IndexError, ValueError, OverflowError):
            return Reading(answers=(f"Error (bad argument): {printable(text)}",))

    def protover(self, words: list[str]) -> Reading:
        answers = tuple(line.format(version=__version__) for line in FEATURES)
        return Reading(("setoption name UCI_Variant value xiangqi", "isready"), answers)

    def new(self, words: list[str]) -> Reading:
        stop = self._stop()
        self._mode = ANALYZE if self._mode == ANALYZE else PLAY
        self._side, self._depth, self._score, self._is_over = 1, 0, 0, False
        self._is_against_engine = False
        self._start, self._moves, self._reply = self._variant.start, [], ""
        return Reading((*stop, "ucinewgame", *self._tell(Pending())))

    def variant(self, words: list[str]) -> Reading:
        variant = VARIANTS.get(words[0])
        if variant is None:
            return Reading(answers=(f"Error (unsupported variant): {printable(words[0])}",))
        if variant == self._variant:
            return Reading(answers=variant.setup)
        stop = self._stop()
        self._variant = variant
        self._start, self._moves, self._reply = variant.start, [], ""
        return Reading(
            (*stop, f"setoption name UCI_Variant value {variant.game}", *self._tell(Pending())), variant.setup
        )

    def computer(self, words: list[str]) -> Reading:
        """The opponent is another engine."""
        self._is_against_engine, self._allowed = True, []
        return Reading()

    def setboard(self, words: list[str]) -> Reading:
        board, *rest = words
        if "moves" in words:
            raise ValueError("a position has no moves")
        if self._variant.has_die and rest:
            rest = ["fs"["wb".index(rest[0])], "-"]
        stop = self._stop()
        before = self._start, self._moves
        self._start, self._moves, self._is_over = " ".join(["fen", board, *rest]), [], False
        return Reading((*stop, *self._tell(Pending(before=before))))

    def usermove(self, words: list[str]) -> Reading:
        move = words[0]
        if self._allowed and move not in self._allowed:
            return Reading(answers=(f"Illegal move (the die is {self._die}): {move}",))
        stop = self._stop()
        self._moves.append(move)
        return Reading((*stop, *self._tell(Pending(move))))

    def undo(self, words: list[str]) -> Reading:
        return self._take_back("undo", 1)

    def remove(self, words: list[str]) -> Reading:
        return self._take_back("remove", 2)

    def _take_back(self, word: str, count: int) -> Reading:
        if len(self._moves) < count:
            return Reading(answers=(f"Error (no move to take back): {word}",))
        stop = self._stop()
        del self._moves[-count:]
        self._is_over, self._reply = False, ""
        return Reading((*stop, *self._tell(Pending())))

    def force(self, words: list[str]) -> Reading:
        self._mode = FORCE
        return Reading(self._stop())

    def go(self, words: list[str]) -> Reading:
        if self._activity == THINKING:
            return Reading()
        stop = self._stop()
        self._mode, self._side = PLAY, self._turn
        return Reading((*stop, *self._tell(Pending())))

    def playother(self, words: list[str]) -> Reading:
        stop = self._stop()
        self._mode, self._side = PLAY, 1 - self._turn
        return Reading(stop)

    def analyze(self, words: list[str]) -> Reading:
        stop = self._stop()
        self._mode = ANALYZE
        return Reading((*stop, *self._tell(Pending())))

    def status(self, words: list[str]) -> Reading:
        centiseconds, nodes, depth = self._stat
        return Reading(answers=(f"stat01: {centiseconds} {nodes} {depth} 0 0",))

    def move_now(self, words: list[str]) -> Reading:
        return Reading(("stop",) if self._activity == THINKING else ())

    def level(self, words: list[str]) -> Reading:
        minutes, _, seconds = words[1].partition(":")
        base = 1000 * (60 * number(minutes) + (number(seconds) if seconds else 0))
        increment = min(round(1000 * float(words[2])), MOST_MS)
        self._level = Level(number(words[0]), min(base, MOST_MS), increment)
        self._movetime = 0
        self._left = [self._level.base, self._level.base]
        return Reading()

    def st(self, words: list[str]) -> Reading:
        self._movetime = 1000 * number(words[0])
        return Reading()

    def sd(self, words: list[str]) -> Reading:
        self._depth = number(words[0])
        return Reading()

    def time(self, words: list[str]) -> Reading:
        self._left[0] = clock_ms(words[0])
        return Reading()

    def otim(self, words: list[str]) -> Reading:
        self._left[1] = clock_ms(words[0])
        return Reading()

    def hard(self, words: list[str]) -> Reading:
        self._ponders = True
        return Reading()

    def easy(self, words: list[str]) -> Reading:
        self._ponders = False
        return Reading(self._stop() if self._activity == PONDERING else ())

    def post(self, words: list[str]) -> Reading:
        self._is_posting = True
        return Reading()

    def nopost(self, words: list[str]) -> Reading:
        self._is_posting = False
        return Reading()

    def ping(self, words: list[str]) -> Reading:
        """While the engine thinks on its move the answer waits for that."""
        pong = f"pong {words[0]}"
        if self._activity == THINKING:
            self._pings.append(pong)
            return Reading()
        self._marks.append(pong)
        return Reading(("isready",))

    def result(self, words: list[str]) -> Reading:
        self._mode, self._is_over = FORCE, True
        return Reading(self._stop())

    def draw(self, words: list[str]) -> Reading:
        return Reading(answers=("offer draw",) if self._score < DRAW_BELOW else ())

    def lift(self, words: list[str]) -> Reading:
        """Mark where the piece may go that is being taken up, if the die has a say in it."""
        if not self._allowed:
            return Reading()
        targets = {move[2:] for move in self._allowed if move[:2] == words[0]}
        rows = ["".join("Y" if column + row in targets else "." for column in "abcde") for row in "54321"]
        colours = re.sub(r"\.+", lambda run: str(len(run[0])), "/".join(rows))
        return Reading(answers=(f"highlight {colours}",))

    def hint(self, words: list[str]) -> Reading:
        return Reading(answers=(f"Hint: {self._reply}",) if self._reply else ())

    def bk(self, words: list[str]) -> Reading:
        self._marks.append("")
        return Reading(("book", "isready"))

    def memory(self, words: list[str]) -> Reading:
        return Reading((f"setoption name Hash value {number(words[0])}",))

    def cores(self, words: list[str]) -> Reading:
        return Reading((f"setoption name Threads value {number(words[0])}",))

    def option(self, words: list[str]) -> Reading:
        name, _, value = " ".join(words).partition("=")
        if name in FIXED or "value" in name.split():
            raise ValueError("not an option")
        if name == "OwnBook":
            value = {"0": "false", "1": "true"}.get(value, value)
        return Reading((f"setoption name {name} value {value}",))

    def quit(self, words: list[str]) -> Reading:
        return Reading(("quit",))

    # What the core is asked

    def _position(self, *more: str) -> str:
        moves = [*self._moves, *more]
        return " ".join(["position", self._start, *(["moves", *moves] if moves else [])])

    def _tell(self, pending: Pending) -> tuple[str, ...]:
        self._pending = pending
        self._allowed = []
        return (self._position(), "result", "turn")

    def _stop(self) -> tuple[str, ...]:
        """End what runs; its answer is void. The core then has the position without a move that was expected."""
        if self._activity == IDLE:
            return ()
        was, self._activity = self._activity, IDLE
        self._void += 1
        return ("stop", self._position()) if was == PONDERING else ("stop",)

    def _act(self) -> Reading:
        """What the position asks for."""
        if self._mode == ANALYZE:
            self._activity = ANALYZING
            return Reading(("go infinite",))
        if self._mode != PLAY or self._is_over:
            return Reading()
        if self._turn == self._side:
            self._activity = THINKING
            go = f"go {self._limits()}"
            return self._throw(go) if self._variant.has_die else Reading((go,))
        if self._variant.has_die and not self._is_against_engine:
            self._pending = Pending()
            return self._throw("legal")
        if self._ponders and self._reply:
            self._activity = PONDERING
            return Reading((self._position(self._reply), f"go ponder {self._limits()}"))
        return Reading()

    def _throw(self, question: str) -> Reading:
        """A question to the core about a new throw; to the client it is told as a line of thinking, which it shows."""
        self._die = random.randint(1, 6)
        return Reading((f"dice {self._die}", question), (f"0 0 0 0 die {self._die}",))

    def _limits(self) -> str:
        depth = f" depth {self._depth}" if self._depth else ""
        if self._movetime:
            return f"movetime {self._movetime}{depth}"
        moves, base, increment = self._level
        own_left, other_left = (time or base for time in self._left)
        left = (own_left, other_left) if self._side == 0 else (other_left, own_left)
        own = (len(self._moves) + 1 - self._side) // 2
        to_go = f" movestogo {moves - own % moves}" if moves else ""
        return f"wtime {left[0]} btime {left[1]} winc {increment} binc {increment}{to_go}{depth}"

    # The core's lines

    def write(self, text: str) -> Reading:
        if text.startswith(CORE_ERROR):
            reason = text.removeprefix(CORE_ERROR)
            return self._refused(reason) if refuses_position(text) else Reading(answers=(f"# {reason}",))
        word, *words = text.split()
        if word == "bestmove":
            return self._bestmove(words)
        if word == "result" and words[0] in ("win", "draw"):
            return self._over(words)
        if word == "turn":
            self._pending = None
            self._turn = SIDES.index(words[0])
            return self._catch_up(self._act())
        if word == "legal":
            self._pending = None
            self._allowed = words
            return self._catch_up(Reading())
        if word == "readyok" and self._marks:
            return Reading(answers=(self._marks.popleft(),))
        if word == "book":
            return Reading(answers=(" " + " ".join(words),))
        if text.startswith("info string "):
            return Reading(answers=(f"# {text.removeprefix('info string ')}",))
        if word == "info" and " pv " in text:
            return self._info(words)
        return Reading()

    def _refused(self, reason: str) -> Reading:
        """What the core did not take is as if it had not been said; `turn` is answered all the same."""
        told = self._pending or Pending()
        if told.before is not None:
            self._start, self._moves = told.before
            return Reading(answers=(f"tellusererror Illegal position: {reason}",))
        if told.move:
            self._moves.pop()
            self._pending = Pending()
            return Reading(answers=(f"Illegal move: {told.move}",))
        return Reading(answers=(f"# {reason}",))

    def _over(self, words: list[str]) -> Reading:
        if self._is_over:
            return Reading()
        self._is_over = True
        if self._variant.setup and self._is_against_engine and words[1:2] == [SIDES[self._side]]:
            return Reading()  # XBoard calls a win false that it cannot check; it believes who has lost
        score = "1/2-1/2" if words[0] == "draw" else "1-0" if words[1] == SIDES[0] else "0-1"
        return Reading(answers=(f"{score} {{{words[-1]}}}",))

    def _bestmove(self, words: list[str]) -> Reading:
        if self._void:
            self._void -= 1
            return Reading()
        was, self._activity = self._activity, IDLE
        if was != THINKING:  # the end of the input ended it
            return Reading()
        if words[0] == "(none)":  # the game is over, or the core has refused to think: it would again
            self._mode = FORCE
            return Reading(self._tell(Pending()))
        self._moves.append(words[0])
        self._reply = words[2] if len(words) > 2 else ""
        return Reading(self._tell(Pending()), (f"move {words[0]}",))

    def _catch_up(self, reading: Reading) -> Reading:
        """Beside what the position asks for, the pings and the lines that waited for it."""
        commands, answers = list(reading.commands), list(reading.answers)
        if self._activity != THINKING:
            commands += ["isready"] * len(self._pings)
            self._marks += self._pings
            self._pings = []
        while self._later and self._pending is None:
            more = self.read(self._later.popleft(), 0)
            commands += more.commands
            answers += more.answers
        return Reading(tuple(commands), tuple(answers))

    def _info(self, words: list[str]) -> Reading:
        told = dict(itertools.pairwise(words))
        kind, value = words[words.index("score") + 1], int(words[words.index("score") + 2])
        self._score = value if kind == "cp" else (MATE + value if value > 0 else -MATE + value)
        self._stat = int(told["time"]) // 10, int(told["nodes"]), int(told["depth"])
        if not (self._is_posting or self._mode == ANALYZE) or self._void:
            return Reading()
        centiseconds, nodes, depth = self._stat
        line = " ".join(words[words.index("pv") + 1 :])
        return Reading(answers=(f"{depth} {self._score} {centiseconds} {nodes} {line}",))


def clock_ms(text: str) -> int:
    """Of centiseconds, as they are told; a clock that has run out has one left."""
    return min(max(10 * int(text), 1), MOST_MS)


COMMANDS: Mapping[str, Callable[[Cecp, list[str]], Reading]] = {
    "protover": Cecp.protover,
    "new": Cecp.new,
    "variant": Cecp.variant,
    "setboard": Cecp.setboard,
    "usermove": Cecp.usermove,
    "undo": Cecp.undo,
    "remove": Cecp.remove,
    "force": Cecp.force,
    "go": Cecp.go,
    "computer": Cecp.computer,
    "playother": Cecp.playother,
    "analyze": Cecp.analyze,
    "exit": Cecp.force,
    ".": Cecp.status,
    "?": Cecp.move_now,
    "level": Cecp.level,
    "st": Cecp.st,
    "sd": Cecp.sd,
    "time": Cecp.time,
    "otim": Cecp.otim,
    "hard": Cecp.hard,
    "easy": Cecp.easy,
    "post": Cecp.post,
    "nopost": Cecp.nopost,
    "ping": Cecp.ping,
    "result": Cecp.result,
    "draw": Cecp.draw,
    "lift": Cecp.lift,
    "hint": Cecp.hint,
    "bk": Cecp.bk,
    "memory": Cecp.memory,
    "cores": Cecp.cores,
    "option": Cecp.option,
    "quit": Cecp.quit,
}
