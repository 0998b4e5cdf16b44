"""The front end for UCCI 3.0, the protocol of Chinese Xiangqi GUIs and of their engine league.

Names of options have no blanks; where UCCI has a name for an option, that is used. Times belong to the side to move and
are in seconds, unless the client sets `usemillisec`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import ClassVar

from siqi.daemon.engine import events
from siqi.daemon.engine.engine import Engine
from siqi.daemon.engine.events import Kind, Refusal
from siqi.daemon.engine.options import ALIASES, names_for_game
from siqi.daemon.engine.scheduler import Needs
from siqi.daemon.frontends.base import (
    AT_ONCE,
    DRAW_BELOW,
    GAME,
    IDLE,
    IN_ORDER,
    NOT_STOPPING,
    READY,
    Command,
    FrontEnd,
    QueuedLine,
    whole_reason,
)
from siqi.daemon.frontends.uci_family import UciFamily, info_lines, option_text
from siqi.daemon.frontends.words import parse_go, parse_limit, parse_option, parse_position
from siqi.games.contract import Option, Score
from siqi.system.output import Output
from siqi.system.pipes import ClientLine, printable
from siqi.version import __version__

NAMES = {
    "usebook": "OwnBook",
    "useegtb": "UseEndgames",
    "bookfiles": "BookFile",
    "egtbpaths": "EndgamePath",
    "hashsize": "Hash",
    "threads": "Threads",
    "ponder": "Ponder",
}
"""The engine's names of options by UCCI's."""

HIDDEN = ("UCI_Variant", "UCI_Coordinates", "UCI_AnalyseMode", "UCI_ShowWDL")
"""Options of the engine that UCCI fixes, or that have no meaning in it."""

LISTED = frozenset(names_for_game("xiangqi")) - set(HIDDEN)

AUTOMATIC = ("Hash", "Threads")
"""Options in which UCCI's 0 leaves the choice to the engine: it chooses their defaults."""

OWN = ("usemillisec", "batch", "debug")
"""Options of this front end: times are milliseconds; lines wait for searches; searches explain their time."""

CHECKS = {"true": "true", "on": "true", "false": "false", "off": "false"}
"""Values of options that are on or off."""

TIMES = {"time": ("wtime", "btime"), "increment": ("winc", "binc"), "movestogo": ("movestogo",)}
"""The fields of `Limits` by UCCI's words for the limits of the side to move; in seconds, except `movestogo`."""

OPPONENTS = ("opptime", "oppmovestogo", "oppincrement")

MATE = 30_000
"""The score of a mate is this less the plies to it."""


class Ucci(UciFamily):
    """The front end for UCCI."""

    page = "protocol/ucci"
    no_move = "nobestmove"
    comment = "info message"
    fixed: ClassVar[Mapping[str, str]] = {"UCI_Variant": "xiangqi", "UCI_Coordinates": "0"}

    def __init__(self, engine: Engine, out: Output, leave: Callable[[], None]) -> None:
        super().__init__(engine, out, leave)
        self._is_milli = self._is_batch = False
        self._is_offered = False  # True: the opponent has offered a draw with its last move
        self._score = 0  # of the last report, the engine's view
        self._banned: tuple[str, ...] = ()
        self._shown: tuple[str | None, list[str]] = (None, [])  # the client's position: FEN and moves
        engine.prepare(Needs.GAME)

    def read(self, line: ClientLine) -> None:
        """Carry out a line or queue it. In batch mode, once that is set, it waits for the searches before it."""
        command, *words = line.text.split()
        if command == "setoption" and words:
            name, value = option_and_value(words)
            if name == "batch":
                self._is_batch = {"true": True, "false": False}.get(CHECKS.get(value.lower(), ""), self._is_batch)
        if self._is_batch:
            FrontEnd.read(self, line)
        else:
            super().read(line)

    def find(self, word: str) -> Command | None:
        command = super().find(word)
        return command._replace(needs=command.needs | IDLE) if command is not None and self._is_batch else command

    def refuse(self, line: ClientLine, refusal: Refusal) -> None:
        self.note(printable(whole_reason(refusal), 400))
        self.end_refused_go(line.text)

    # Commands

    def ucci(self, words: list[str], line: ClientLine) -> None:
        """Describe the engine at once, and report that it is ready once the game is loaded."""
        self.out.line(f"id name Siqi {__version__}", "id author the Siqi authors")
        for option in self.engine.options.listed("xiangqi"):
            if option.name in LISTED:
                shown = option._replace(low=0) if option.name in AUTOMATIC else option
                self.out.line(f"option {option_text(shown, word_of(option.name))}")
        self.out.line(*(f"option {name} type check default false" for name in OWN), "option newgame type button")
        self.queue.append(QueuedLine(line, UCCIOK))

    def ucciok(self, words: list[str], line: ClientLine) -> None:
        self.out.line("ucciok")

    def setoption(self, words: list[str], line: ClientLine) -> None:
        """Set an option. An unknown one is no error: clients send all that they know."""
        name, value = option_and_value(words)
        if name == "newgame":
            self.engine.call_when_ready(self._new_game)
        elif name in OWN:
            self._set_own(name, value)
        elif known := listed(name):
            option = self.engine.options.find(known)
            try:
                self.engine.set_option(known, self._value_for(option, value))
            except Refusal as refusal:
                reason = refusal.reason.replace(f"option {known}:", f"option {word_of(known)}:")
                raise Refusal(refusal.kind, reason) from None

    def _set_own(self, name: str, value: str) -> None:
        if value.lower() not in CHECKS:
            raise Refusal(Kind.OPTION, f"option {name}: true or false, not {printable(value)}")
        is_on = CHECKS[value.lower()] == "true"
        if name == "usemillisec":
            self._is_milli = is_on
        elif name == "debug":
            self.engine.is_debugging = is_on

    def _value_for(self, option: Option, value: str) -> str:
        """Return an engine's value for UCCI's."""
        if option.kind == "check" or "true" in option.choices:
            return CHECKS.get(value.lower(), value)
        if option.name in AUTOMATIC and value == "0":
            return self.engine.options.default(option.name)
        if option.name == "EndgamePath":
            return value.replace(";", os.pathsep)
        if option.name == "BookFile":
            value, *others = [path for path in value.split(";") if path] or [""]
            if others:
                self.note(f"option bookfiles: one book is read, not {printable(' '.join(others))}")
        return value

    def newgame(self, words: list[str], line: ClientLine) -> None:
        """Begin a game; Sylvan sends this command in place of the option."""
        self._new_game()

    def _new_game(self) -> None:
        self.engine.new_game()
        self._show(None, [])

    def position(self, words: list[str], line: ClientLine) -> None:
        self._banned = ()
        self._show(*parse_position(words))

    def _show(self, fen: str | None, moves: list[str]) -> None:
        """Set the client's position; of a list with an illegal move, the moves before it are kept."""
        try:
            self.engine.set_position(fen, moves)
        except Refusal as refusal:
            if refusal.played is not None:
                self._shown = fen, moves[: refusal.played]
            raise
        self._shown = fen, moves

    def probe(self, words: list[str], line: ClientLine) -> None:
        """Report what searches have stored of a position; the client's own position stays.

        Without words, or if they are refused, it is the current position.
        """
        if words:
            try:
                self.engine.set_position(*parse_position(words), is_played=False)
            except ValueError as error:
                self.refuse(line, error if isinstance(error, Refusal) else Refusal(Kind.COMMAND, str(error)))
        self.out.line(self._pophash())
        if words:
            self.engine.set_position(*self._shown, is_played=False)

    def _pophash(self) -> str:
        stored = self.engine.recall()
        parts = ["pophash"]
        if stored is not None and stored.move is not None:
            parts += ["bestmove", self.engine.position.move_text(stored.move)]
        if stored is not None:
            for name, score in (("lowerbound", stored.lower), ("upperbound", stored.upper)):
                if score is not None:
                    parts += [name, str(score_number(score)), "depth", str(stored.depth)]
        return " ".join(parts)

    def banmoves(self, words: list[str], line: ClientLine) -> None:
        self._banned = tuple(words)

    def go(self, words: list[str], line: ClientLine) -> None:
        times: dict[str, int] = {}
        others: list[str] = []
        self._is_offered, self._score = False, 0
        i = 0
        while i < len(words):
            word, value = words[i], words[i + 1] if i + 1 < len(words) else ""
            i += 2
            if word == "draw":
                self._is_offered = True
                i -= 1
            elif word == "depth" and value == "infinite":
                others.append("infinite")
            elif word in TIMES:
                if not value:
                    raise ValueError(f"go {word}: no number follows")
                scale = 1 if self._is_milli or word == "movestogo" or not value.isdigit() else 1000
                number = str(int(value) * scale) if scale > 1 and value.isascii() else value
                times |= {field: parse_limit(word, number, field) for field in TIMES[word]}
            elif word not in OPPONENTS:
                others.append(word)
                i -= 1
        request = parse_go(others)
        for word in request.unknown:
            self.note(f"go: unknown word ignored: {printable(word)}")
        moves = request.searchmoves
        if self._banned and not request.perft:
            moves = tuple(move for move in moves or self.engine.legal_moves() if move not in self._banned)
            if not moves:
                self.out.line(self.no_move)
                return
        limits = request.limits._replace(**times)  # type: ignore[arg-type]
        self.start(request._replace(limits=limits), moves, line)

    def stop(self, words: list[str], line: ClientLine) -> None:
        """Stop searches; in batch mode none runs when the line's turn comes."""
        if not self._is_batch:
            super().stop(words, line)

    def ponderhit(self, words: list[str], line: ClientLine) -> None:
        self._is_offered = "draw" in words
        super().ponderhit(words, line)

    def farewell(self) -> None:
        self.out.line("bye")

    # Events

    def info(self, info: events.Info) -> None:
        """Report an iteration; UCCI's scores are plain numbers."""
        self._score = score_number(info.report.lines[0].score)
        is_ranked = info.multipv > 1  # UCCI itself knows no ranks
        self.out.line(*info_lines(info, lambda score: str(score_number(score)), is_ranked))

    def game_over(self, event: events.GameOver) -> None:
        self._score = score_number(event.score)
        self.out.line(f"info depth 0 score {self._score} time 0 nodes 0 nps 0")

    def best_move(self, answer: events.BestMove) -> None:
        if answer.move is None:
            self.out.line(self.no_move)
            return
        text = answer.position.move_text
        reply = "" if answer.ponder is None else f" ponder {text(answer.ponder)}"
        agrees = " draw" if self._is_offered and self._score < DRAW_BELOW else ""
        self.out.line(f"bestmove {text(answer.move)}{reply}{agrees}")

    commands: ClassVar[Mapping[str, Command]] = {
        "ucci": Command(ucci, AT_ONCE),
        "isready": Command(UciFamily.isready, NOT_STOPPING),
        "setoption": Command(setoption, IDLE),
        "newgame": Command(newgame, READY),
        "ucinewgame": Command(newgame, READY),
        "position": Command(position, GAME),
        "fen": Command(UciFamily.fen, GAME),
        "probe": Command(probe, READY, is_worth_compiling=True),
        "banmoves": Command(banmoves, IN_ORDER),
        "go": Command(go, READY, is_worth_compiling=True),
        "stop": Command(stop, AT_ONCE),
        "ponderhit": Command(ponderhit, AT_ONCE),
        "quit": Command(UciFamily.quit, AT_ONCE),
    }


UCCIOK = Command(Ucci.ucciok, GAME, is_greeting=True)


def option_and_value(words: list[str]) -> tuple[str, str]:
    """Return the option's name, in lower case, and its value by UCCI's syntax or UCI's; ValueError if there is none."""
    if not words:
        raise ValueError("setoption: an option must follow")
    if len(words) > 1 and words[0].lower() == "name":
        name, value = parse_option(words)
        return name.replace(" ", "_").lower(), value
    return words[0].lower(), " ".join(words[1:])


def word_of(option: str) -> str:
    """Return the word by which an option of the engine is listed."""
    return next((word for word in NAMES if NAMES[word] == option), option.replace(" ", "_"))


def listed(name: str) -> str:
    """Return the engine's name of a listed option by its word or by that name, in lower case; '' if there is none."""
    wanted = NAMES.get(name, ALIASES.get(name, name.replace("_", " "))).lower()
    return next((option for option in LISTED if option.lower().replace("_", " ") == wanted.replace("_", " ")), "")


def score_number(score: Score) -> int:
    """Return a score as UCCI writes it: centipawns; for a mate MATE less the plies to it, negative if mated."""
    if score.mate is None:
        return score.cp
    return MATE + 1 - 2 * score.mate if score.mate > 0 else -MATE - 2 * score.mate
