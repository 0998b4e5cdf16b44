"""The front end for CECP, the Chess Engine Communication Protocol, version 2, of XBoard and WinBoard: Xiangqi and EWN.

After every change of the position the engine searches, ponders, analyses or waits, as the mode and the side to move
require. The answer to a search that has been stopped since is dropped by its id.

The protocol has no die: the engine throws it, for itself and for a person that plays against it. Another engine throws
its own die and does not report it.
"""

from __future__ import annotations

import enum
import random
from collections.abc import Callable, Mapping
from typing import ClassVar, NamedTuple

from siqi.daemon.engine import events
from siqi.daemon.engine.engine import Engine
from siqi.daemon.engine.events import Kind, Refusal
from siqi.daemon.engine.limits import Limits
from siqi.daemon.frontends.base import AT_ONCE, DRAW_BELOW, GAME, IDLE, IN_ORDER, Command, FrontEnd, QueuedLine
from siqi.daemon.frontends.move_by_move import number
from siqi.games import registry
from siqi.games.contract import RESULTS, Outcome, Score
from siqi.system.output import Output
from siqi.system.pipes import ClientLine, printable
from siqi.version import __version__

FEATURES = (
    f'feature myname="Siqi {__version__}" variants="xiangqi,einstein" ping=1 setboard=1 playother=1 san=0 usermove=1',
    "feature time=1 draw=1 highlight=1 sigint=0 sigterm=0 reuse=1 analyze=1 colors=0 ics=0 name=0 pause=0 nps=0",
    'feature debug=0 memory=1 smp=1 option="OwnBook -check {OwnBook}" option="MultiPV -spin {MultiPV} 1 256"',
    'feature option="Move Overhead -spin {Move Overhead} 0 5000" option="Skill Level -spin {Skill Level} 0 20"',
    'feature option="UCI_LimitStrength -check {UCI_LimitStrength}" option="UCI_Elo -spin {UCI_Elo} {low} {high}"',
    "feature done=1",
)
"""The lines that list what the engine can do; the braces are for the defaults of options, and the range of UCI_Elo."""

CHECKS = ("OwnBook", "UCI_LimitStrength")
"""The listed options that XBoard sets to 0 or 1."""

LISTED = (*CHECKS, "MultiPV", "Move Overhead", "Skill Level", "UCI_Elo")

IGNORED = frozenset(
    ["accepted", "rejected", "random", "name", "rating", "ics", "white", "black", "xboard", "bogus", "put", "hover"]
)

MATE = 100_000
"""The score of a mate is this plus its moves."""

MAX_CLOCK_MS = 10**9
"""The longest time of a clock."""

WINNERS = {result: winner for winner, result in RESULTS.items()}
"""The winner's side, None for a draw, by the result's text."""

COLOURS = "wb"
"""The letters of the sides in clients' FENs."""


class Mode(enum.Enum):
    FORCE = enum.auto()  # the client moves for both sides
    PLAY = enum.auto()
    ANALYZE = enum.auto()


class Activity(enum.Enum):
    THINKING = enum.auto()
    PONDERING = enum.auto()
    ANALYZING = enum.auto()


class PendingSearch(NamedTuple):
    """The search whose answer is awaited."""

    search_id: int
    activity: Activity


class Variant(NamedTuple):
    """A game under XBoard's name."""

    game: str
    setup: tuple[str, ...] = ()  # lines that describe it to XBoard


EWN = registry.info("ewn")

VARIANTS = {
    "xiangqi": Variant("xiangqi"),
    "einstein": Variant(
        EWN.name,
        (
            # No pawns: they would be promoted.
            f"setup (.ABCDEF..abcdef.) 5x5+0_fairy {EWN.default_start.split()[0]} w - - 0 1",
            *(f"piece {piece}& rbmcdWbrmcdF" for piece in EWN.pieces[0]),
        ),
    ),
}


class TimeControl:
    """The limits set by the client; times in milliseconds."""

    def __init__(self) -> None:
        self.moves = 0  # moves for each time control; 0: one for the whole game
        self.base = 300_000
        self.increment = 0
        self.movetime = 0
        self.depth = 0
        self.left = [0, 0]  # the engine's and the opponent's time left; 0: not sent

    def limits(self, side: int, moves_played: int) -> Limits:
        """Return the limits of the engine's next move; `side` is the engine's."""
        if self.movetime:
            return Limits(movetime=self.movetime, depth=self.depth)
        own, other = (time or self.base for time in self.left)
        wtime, btime = (own, other) if side == 0 else (other, own)
        played = (moves_played + 1 - side) // 2
        to_go = self.moves - played % self.moves if self.moves else 0
        return Limits(wtime, btime, self.increment, self.increment, to_go, depth=self.depth)


class Opponent:
    """The opponent: an engine or a person, its expected reply, and a person's throw."""

    def __init__(self) -> None:
        self.is_engine = False
        self.reply = ""  # the expected one, '': none
        self.die = 0  # the last die thrown
        self.allowed: list[str] = []  # the moves that a person may choose from with this die


class ThinkingOutput:
    """The state of XBoard's thinking output: whether it is on, and the last report."""

    def __init__(self) -> None:
        self.is_posting = False
        self.score = 0
        self.figures = (0, 0, 0)  # time in centiseconds, nodes, depth


class Cecp(FrontEnd):
    """The front end for CECP."""

    comment = "#"
    fixed: ClassVar[Mapping[str, str]] = {"UCI_Variant": "xiangqi", "UCI_Coordinates": "0"}

    def __init__(self, engine: Engine, out: Output, leave: Callable[[], None]) -> None:
        super().__init__(engine, out, leave)
        self._mode = Mode.FORCE
        self._pending: PendingSearch | None = None
        self._variant = VARIANTS["xiangqi"]
        self._fen: str | None = None
        self._moves: list[str] = []
        self._side = 1  # the engine's side
        self._is_over = False
        self._ponders = False
        self._pings: list[str] = []  # answers that wait for the engine's move
        self._time_control = TimeControl()
        self._opponent = Opponent()
        self._thinking = ThinkingOutput()

    # Lines

    def yields_to(self, text: str) -> bool:
        """True for `uci` before any game: a client that knows both protocols may begin with `xboard`."""
        return text == "uci" and not self.has_begun

    def find(self, word: str) -> Command:
        return super().find(word) or UNKNOWN

    def awaits_answer(self) -> bool:
        """True if a queued line has an answer: a `go`, or a move that the engine answers in the mode it is then in."""
        plays = self._mode is Mode.PLAY
        for queued in self.queue:
            word = queued.line.text.split()[0]
            if queued.command.is_worth_compiling or (plays and word == "usermove"):
                return True
            plays = word in ("new", "playother") or (plays and word not in ("force", "exit", "result", "analyze"))
        return False

    def unknown(self, line: ClientLine) -> None:
        if line.text.split()[0] not in IGNORED:
            self.out.line(f"Error (unknown command): {printable(line.text)}")

    def refuse(self, line: ClientLine, refusal: Refusal) -> None:
        if refusal.kind is Kind.COMMAND:
            self.out.line(f"Error (bad argument): {printable(line.text)}")
        else:
            self.refused(refusal.kind, refusal.reason)

    def protover(self, words: list[str], line: ClientLine) -> None:
        options = self.engine.options
        shown: dict[str, object] = {name: options.default(name) for name in LISTED}
        shown |= {name: int(shown[name] == "true") for name in CHECKS}
        shown |= {"low": options.find("UCI_Elo").low, "high": options.find("UCI_Elo").high}
        self.out.line(*(line.format_map(shown) for line in FEATURES))
        self.engine.prepare(GAME)

    def new(self, words: list[str], line: ClientLine) -> None:
        self._stop()
        self._mode = Mode.ANALYZE if self._mode is Mode.ANALYZE else Mode.PLAY
        self._side, self._is_over = 1, False
        self._time_control.depth = self._thinking.score = 0
        self._opponent.is_engine, self._opponent.reply = False, ""
        self.engine.call_when_ready(self.engine.new_game)
        self._begin(self._default_start)

    def variant(self, words: list[str], line: ClientLine) -> None:
        variant = VARIANTS.get(words[0])
        if variant is None:
            self.out.line(f"Error (unsupported variant): {printable(words[0])}")
            return
        self.out.line(*variant.setup)
        if variant != self._variant:
            self._stop()
            self.queue.appendleft(QueuedLine(line, SELECT))  # before all later lines

    def select(self, words: list[str], line: ClientLine) -> None:
        """Change the game, now that no job runs."""
        self._variant = VARIANTS[words[0]]
        self.engine.set_option("UCI_Variant", self._variant.game)
        self._opponent.reply = ""
        self.engine.call_when_ready(lambda: self._begin(self._default_start))

    def computer(self, words: list[str], line: ClientLine) -> None:
        self._opponent.is_engine, self._opponent.allowed = True, []

    def setboard(self, words: list[str], line: ClientLine) -> None:
        board, *rest = words
        if "moves" in words:
            raise ValueError("a position has no moves")
        if self.engine.info.has_dice and rest:
            side, *others = rest
            unknown = [word for word in others if word != "-" and not word.isdigit()]
            rest = [self.engine.info.sides[COLOURS.index(side)], "-", *unknown]
        self._stop()
        fen = " ".join([board, *rest])
        try:
            self.engine.set_position(fen, [])
            self._fen, self._moves, self._is_over, self._opponent.reply = fen, [], False, ""
        except Refusal as refusal:
            self.out.line(f"tellusererror Illegal position: {printable(refusal.reason, 400)}")
        self._react()

    def usermove(self, words: list[str], line: ClientLine) -> None:
        move = words[0]
        if self._opponent.allowed and move not in self._opponent.allowed:
            self.out.line(f"Illegal move (the die is {self._opponent.die}): {move}")
            return
        if self._activity is not Activity.THINKING:
            self._stop()
        self._moves.append(move)
        try:
            self.engine.set_position(self._fen, self._moves)
        except Refusal:
            self._moves.pop()
            self.out.line(f"Illegal move: {move}")
            if self._activity is Activity.THINKING:  # a new search would get its time once more
                return
        self._stop()
        self._react()

    def undo(self, words: list[str], line: ClientLine) -> None:
        self._take_back("undo", 1)

    def remove(self, words: list[str], line: ClientLine) -> None:
        self._take_back("remove", 2)

    def _take_back(self, word: str, count: int) -> None:
        if len(self._moves) < count:
            self.out.line(f"Error (no move to take back): {word}")
            return
        self._stop()
        del self._moves[-count:]
        self._is_over, self._opponent.reply = False, ""
        self._set_position()

    def force(self, words: list[str], line: ClientLine) -> None:
        self._mode = Mode.FORCE
        self._stop()

    def go(self, words: list[str], line: ClientLine) -> None:
        if self._activity is Activity.THINKING:
            return
        self._stop()
        self._mode, self._side = Mode.PLAY, self.engine.position.turn
        self._set_position()

    def playother(self, words: list[str], line: ClientLine) -> None:
        self._stop()
        self._mode, self._side = Mode.PLAY, 1 - self.engine.position.turn

    def analyze(self, words: list[str], line: ClientLine) -> None:
        self._stop()
        self._mode = Mode.ANALYZE
        self._set_position()

    def status(self, words: list[str], line: ClientLine) -> None:
        centiseconds, nodes, depth = self._thinking.figures
        self.out.line(f"stat01: {centiseconds} {nodes} {depth} 0 0")

    def move_now(self, words: list[str], line: ClientLine) -> None:
        if self._activity is Activity.THINKING:
            self.engine.stop()

    def level(self, words: list[str], line: ClientLine) -> None:
        time = self._time_control
        minutes, _, seconds = words[1].partition(":")
        base = 1000 * (60 * number(minutes) + (number(seconds) if seconds else 0))
        increment = min(round(1000 * float(words[2])), MAX_CLOCK_MS)
        time.moves, time.base, time.increment = number(words[0]), min(base, MAX_CLOCK_MS), increment
        time.movetime = 0
        time.left = [time.base, time.base]

    def st(self, words: list[str], line: ClientLine) -> None:
        seconds = float(words[0])
        if seconds < 0:
            raise ValueError("no time")
        self._time_control.movetime = min(max(round(1000 * seconds), 1), MAX_CLOCK_MS)

    def sd(self, words: list[str], line: ClientLine) -> None:
        self._time_control.depth = number(words[0])

    def time(self, words: list[str], line: ClientLine) -> None:
        self._time_control.left[0] = clock_ms(words[0])

    def otim(self, words: list[str], line: ClientLine) -> None:
        self._time_control.left[1] = clock_ms(words[0])

    def hard(self, words: list[str], line: ClientLine) -> None:
        self._ponders = True

    def easy(self, words: list[str], line: ClientLine) -> None:
        self._ponders = False
        if self._activity is Activity.PONDERING:
            self._stop()

    def post(self, words: list[str], line: ClientLine) -> None:
        self._thinking.is_posting = True

    def nopost(self, words: list[str], line: ClientLine) -> None:
        self._thinking.is_posting = False

    def ping(self, words: list[str], line: ClientLine) -> None:
        """Answer a ping, but not before the engine's move if it thinks about one."""
        self._pings.append(f"pong {words[0]}")
        self._answer_pings()

    def result(self, words: list[str], line: ClientLine) -> None:
        self._mode, self._is_over = Mode.FORCE, True
        self._stop()
        if words and words[0] in WINNERS:
            self.engine.end_game(WINNERS[words[0]])

    def draw(self, words: list[str], line: ClientLine) -> None:
        if self._thinking.score < DRAW_BELOW:
            self.out.line("offer draw")

    def lift(self, words: list[str], line: ClientLine) -> None:
        """Highlight the targets of the piece that the user has picked up, if a die restricts them."""
        if not self._opponent.allowed:
            return
        shape = self.engine.info.shape
        targets = {move.removeprefix(words[0]) for move in self._opponent.allowed if move.startswith(words[0])}
        marks = dict.fromkeys(targets, "Y")
        self.out.line(f"highlight {shape.placement(marks)}")

    def hint(self, words: list[str], line: ClientLine) -> None:
        if self._opponent.reply:
            self.out.line(f"Hint: {self._opponent.reply}")

    def bk(self, words: list[str], line: ClientLine) -> None:
        """Show the book entries of the position; if the engine thinks about its move, after that move."""
        is_interrupted = self._activity in (Activity.PONDERING, Activity.ANALYZING)
        if is_interrupted:
            self._stop()
        self.engine.call_when_ready(self._show_book)
        if is_interrupted:
            self._act()

    def _show_book(self) -> None:
        """Write the book entries; an empty line ends them."""
        self.out.line(*(f" {known}" for known in [line.text for line in self.engine.consult()] or ["none"]), "")

    def memory(self, words: list[str], line: ClientLine) -> None:
        self._set_option("Hash", str(number(words[0])))

    def cores(self, words: list[str], line: ClientLine) -> None:
        self._set_option("Threads", str(number(words[0])))

    def option(self, words: list[str], line: ClientLine) -> None:
        name, _, value = " ".join(words).partition("=")
        if name.lower() in map(str.lower, self.fixed):
            raise ValueError("not an option")
        if name in CHECKS:
            value = {"0": "false", "1": "true"}.get(value, value)
        self._set_option(name, value)

    def _set_option(self, name: str, value: str) -> None:
        self.engine.call_when_ready(lambda: self.engine.set_option(name, value))

    # The game

    @property
    def _default_start(self) -> str | None:
        return self.engine.info.default_start or None

    @property
    def _activity(self) -> Activity | None:
        return None if self._pending is None else self._pending.activity

    def _begin(self, fen: str | None) -> None:
        self._fen, self._moves = fen, []
        self._set_position()

    def _set_position(self) -> None:
        self.engine.set_position(self._fen, self._moves)
        self._react()

    def _react(self) -> None:
        """React to a new position: report the end of the game, start the next activity, answer pings."""
        self._opponent.allowed = []
        outcome = self.engine.outcome()
        if outcome is not None and not outcome.unknown and not self._is_over:
            self._is_over = True
            self._report_end(outcome)
        self._act()
        self._answer_pings()

    def _report_end(self, outcome: Outcome) -> None:
        if self._variant.setup and self._opponent.is_engine and outcome.winner == self._side:
            return  # XBoard refuses a win that it cannot check, but accepts the loser's report
        self.out.line(f"{outcome.result} {{{outcome.reason}}}")

    def _act(self) -> None:
        """Start the search that the mode and the side to move require, if any; throw the die where one is needed."""
        if self._mode is Mode.ANALYZE:
            self._search(Activity.ANALYZING, Limits(infinite=True))
        if self._mode is not Mode.PLAY or self._is_over:
            return
        has_dice, limits = self.engine.info.has_dice, self._time_control.limits(self._side, len(self._moves))
        if self.engine.position.turn == self._side:
            if has_dice:
                self._roll_die()
            self._search(Activity.THINKING, limits)
        elif has_dice and not self._opponent.is_engine:
            self._roll_die()
            self._opponent.allowed = self.engine.legal_moves()
        elif self._ponders and self._opponent.reply:
            self.engine.set_position(self._fen, [*self._moves, self._opponent.reply], is_played=False)
            self._search(Activity.PONDERING, limits._replace(ponder=True))

    def _search(self, activity: Activity, limits: Limits) -> None:
        self._pending = PendingSearch(self.engine.go(limits), activity)

    def _stop(self) -> None:
        """Stop the pending search and drop its answer; take an expected reply back from the position."""
        if self._pending is None:
            return
        was, self._pending = self._pending.activity, None
        self.engine.abandon()
        if was is Activity.PONDERING:
            self.engine.set_position(self._fen, self._moves)
        self._answer_pings()

    def _roll_die(self) -> None:
        """Throw the die; XBoard shows it as a line of thinking output."""
        self._opponent.die = random.randint(1, self.engine.info.die_faces)
        self.engine.set_dice(self._opponent.die)
        self.out.line(f"0 0 0 0 die {self._opponent.die}")

    def _answer_pings(self) -> None:
        if self._activity is not Activity.THINKING:
            self.out.line(*self._pings)
            self._pings = []

    # Events

    def best_move(self, answer: events.BestMove) -> None:
        pending = self._pending
        if pending is None or answer.search_id != pending.search_id:
            return
        self._pending = None
        if pending.activity is not Activity.THINKING:  # an unbounded search that ended with the input
            return
        if answer.move is None:  # the game is over, or the search was refused: it would be again
            self._mode = Mode.FORCE
        else:
            text = answer.position.move_text
            self._moves.append(text(answer.move))
            self._opponent.reply = "" if answer.ponder is None else text(answer.ponder)
            self.out.line(f"move {self._moves[-1]}")
        self._set_position()

    def info(self, info: events.Info) -> None:
        """Write `depth score time nodes pv` for each line, if thinking output is on or the engine analyses."""
        if self._pending is None or info.search_id != self._pending.search_id:
            return
        report, thinking = info.report, self._thinking
        lines = report.lines if report.lines[0].throw else report.lines[: info.multipv]
        thinking.score = score_number(lines[0].score)
        for line in lines:
            depth = line.depth or report.depth
            thinking.figures = centiseconds, nodes, _ = info.elapsed_ms // 10, report.nodes, depth
            if thinking.is_posting or self._mode is Mode.ANALYZE:
                pv = " ".join(map(info.position.move_text, line.pv))
                self.out.line(f"{depth} {score_number(line.score)} {centiseconds} {nodes} {pv}")

    commands: ClassVar[Mapping[str, Command]] = {
        "protover": Command(protover, AT_ONCE),
        "new": Command(new),
        "variant": Command(variant),
        "setboard": Command(setboard),
        "usermove": Command(usermove),
        "undo": Command(undo),
        "remove": Command(remove),
        "force": Command(force),
        "go": Command(go, is_worth_compiling=True),
        "computer": Command(computer),
        "playother": Command(playother),
        "analyze": Command(analyze),
        "exit": Command(force),
        ".": Command(status),
        "?": Command(move_now),
        "level": Command(level),
        "st": Command(st),
        "sd": Command(sd),
        "time": Command(time),
        "otim": Command(otim),
        "hard": Command(hard),
        "easy": Command(easy),
        "post": Command(post),
        "nopost": Command(nopost),
        "ping": Command(ping),
        "result": Command(result),
        "draw": Command(draw),
        "lift": Command(lift),
        "hint": Command(hint),
        "bk": Command(bk, is_worth_compiling=True),
        "memory": Command(memory),
        "cores": Command(cores),
        "option": Command(option),
        "quit": Command(FrontEnd.quit, AT_ONCE),
    }


SELECT = Command(Cecp.select, IDLE)

UNKNOWN = Command(lambda cecp, words, line: cecp.unknown(line), IN_ORDER)


def clock_ms(text: str) -> int:
    """Return a clock's centiseconds as milliseconds, from 1 to MAX_CLOCK_MS; ValueError if it is no number."""
    return min(max(10 * int(text), 1), MAX_CLOCK_MS)


def score_number(score: Score) -> int:
    """Return a score as CECP writes it: centipawns; for a mate MATE plus the winner's moves, negative if mated."""
    if score.mate is None:
        return score.cp
    return MATE + score.mate if score.mate > 0 else score.mate - MATE
