"""The front end for UCCI 3.0, the protocol of Chinese Xiangqi GUIs and of their engine league.

Names of options have no blanks; where UCCI has a name for an option, that is used. Times belong to the side to move and
are in seconds, unless the client sets `usemillisec`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

from daemon import __version__, events
from daemon.engine import Engine
from daemon.events import Event, Kind, Refusal
from daemon.frontends.base import AT_ONCE, DRAW_BELOW, GAME, IDLE, IN_ORDER, NOT_STOPPING, READY, Command, whole_reason
from daemon.frontends.uci_family import UciFamily, count_lines, info_lines, option_text
from daemon.frontends.words import parse_go, parse_limit, parse_position
from daemon.options import declared, names_for_game
from daemon.output import Output
from daemon.pipes import ClientLine, printable
from games.contract import Score

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

BLIND = ("promotion", "batch", "debug", "pruning", "knowledge", "randomness", "style", "idle", "selectivity")
"""Options of UCCI that clients set although the engine does not offer them; ignored."""

HIDDEN = ("UCI_Variant", "UCI_Coordinates", "UCI_AnalyseMode", "UCI_ShowWDL")
"""Options of the engine that UCCI fixes, or that have no meaning in it."""

LISTED = frozenset(names_for_game("xiangqi")) - set(HIDDEN)

TIMES = {"time": ("wtime", "btime"), "increment": ("winc", "binc"), "movestogo": ("movestogo",)}
"""The fields of `Limits` by UCCI's words for the limits of the side to move; in seconds, except `movestogo`."""

OPPONENTS = ("opptime", "oppmovestogo", "oppincrement")

MATE = 30_000
"""The score of a mate is this less the plies to it."""


class Ucci(UciFamily):
    """The front end for UCCI."""

    def __init__(self, engine: Engine, out: Output, leave: Callable[[], None]) -> None:
        super().__init__(engine, out, leave)
        self._is_milli = False
        self._is_offered = False  # True: the opponent has offered a draw with its last move
        self._score = 0  # of the last report, the engine's view
        self._banned: tuple[str, ...] = ()
        self._shown: tuple[str | None, list[str]] = (None, [])  # the client's position: FEN and moves

    def refuse(self, line: ClientLine, refusal: Refusal) -> None:
        self.note(printable(whole_reason(refusal), 400))
        if self.is_search(line.text):
            self.out.line("nobestmove")

    # Commands

    def ucci(self, words: list[str], line: ClientLine) -> None:
        self.out.line(f"id name Siqi {__version__}", "id author the Siqi authors")
        names = {option: name for name, option in NAMES.items()}
        for option, _ in declared():
            if option.name in LISTED:
                name = names.get(option.name, option.name.replace(" ", "_"))
                self.out.line(f"option {option_text(option, name)}")
        self.out.line("option usemillisec type check default false", "ucciok")

    def setoption(self, words: list[str], line: ClientLine) -> None:
        if words[:1] == ["name"] and "value" in words:  # UCI's syntax
            words = [word for word in words[1:] if word != "value"]
        name, value = words[0].lower() if words else "", " ".join(words[1:])
        if name == "usemillisec":
            self._is_milli = value.lower() in ("true", "on", "")
        elif name == "newgame":
            self.engine.call_when_ready(self._new_game)
        elif name not in BLIND:
            wanted = NAMES.get(name, name.replace("_", " ")).lower()
            known = [option for option in LISTED if option.lower().replace("_", " ") == wanted]
            if not known:
                raise Refusal(Kind.OPTION, f"unknown option: {printable(name)}")
            self.engine.set_option(known[0], value)

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

    def fen(self, words: list[str], line: ClientLine) -> None:
        """Set the position by `fen ...`."""
        self.position(["fen", *words], line)

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
        found = self.engine.recall()
        parts = ["pophash"]
        if found is not None and found.move is not None:
            parts += ["bestmove", self.engine.position.move_text(found.move)]
        if found is not None:
            for name, score in (("lowerbound", found.lower), ("upperbound", found.upper)):
                if score is not None:
                    parts += [name, str(score_number(score)), "depth", str(found.depth)]
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
                self.out.line("nobestmove")
                return
        limits = request.limits._replace(**times)  # type: ignore[arg-type]
        self.start(request._replace(limits=limits), moves, line)

    def ponderhit(self, words: list[str], line: ClientLine) -> None:
        self._is_offered = "draw" in words
        super().ponderhit(words, line)

    def quit(self, words: list[str], line: ClientLine) -> None:
        self.out.line("bye")
        super().quit(words, line)

    # Events

    def info(self, info: events.Info) -> None:
        """Report an iteration; UCCI's scores are plain numbers."""
        self._score = score_number(info.report.lines[0].score)
        self.out.line(*info_lines(info, lambda score: str(score_number(score))))

    def game_over(self, event: events.GameOver) -> None:
        self._score = score_number(event.score)
        self.out.line(f"info depth 0 score {self._score} time 0 nodes 0 nps 0")

    def best_move(self, answer: events.BestMove) -> None:
        if answer.move is None:
            self.out.line("nobestmove")
            return
        text = answer.position.move_text
        reply = "" if answer.ponder is None else f" ponder {text(answer.ponder)}"
        agrees = " draw" if self._is_offered and self._score < DRAW_BELOW else ""
        self.out.line(f"bestmove {text(answer.move)}{reply}{agrees}")

    def note(self, text: str) -> None:
        self.out.line(f"info message {text}")

    compiling = note

    def warning(self, text: str) -> None:
        self.note(f"warning {text}")

    def refused(self, kind: Kind, reason: str) -> None:
        self.note(reason)

    def count(self, event: Event) -> None:
        self.out.line(*count_lines(event))

    commands: ClassVar[Mapping[str, Command]] = {
        "ucci": Command(ucci, AT_ONCE),
        "isready": Command(UciFamily.isready, NOT_STOPPING),
        "setoption": Command(setoption, IDLE),
        "position": Command(position, GAME),
        "fen": Command(fen, GAME),
        "probe": Command(probe, READY, is_worth_compiling=True),
        "banmoves": Command(banmoves, IN_ORDER),
        "go": Command(go, READY, is_worth_compiling=True),
        "stop": Command(UciFamily.stop, AT_ONCE),
        "ponderhit": Command(ponderhit, AT_ONCE),
        "quit": Command(quit, AT_ONCE),
    }


def score_number(score: Score) -> int:
    """Return a score as UCCI writes it: centipawns; for a mate MATE less the plies to it, negative if mated."""
    if score.mate is None:
        return score.cp
    return MATE + 1 - 2 * score.mate if score.mate > 0 else -MATE - 2 * score.mate
