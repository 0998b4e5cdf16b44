"""The front end for UCI, the main protocol (protocol.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from siqi.daemon.engine import events
from siqi.daemon.engine.events import Kind, Refusal
from siqi.daemon.engine.options import value_range
from siqi.daemon.frontends.base import AT_ONCE, GAME, IDLE, NOT_STOPPING, READY, Command, whole_reason
from siqi.daemon.frontends.uci_family import UciFamily, chances_text, info_lines, option_text
from siqi.daemon.frontends.words import GO_WORDS, parse_go, parse_number, parse_option
from siqi.games.contract import Outcome, Score
from siqi.system.pipes import ClientLine, printable
from siqi.version import __version__

MAX_LISTED = 5000
"""The most moves that `legal` lists; if there are more it gives their number."""

SIDES = ("first", "second")

FOREIGN = frozenset(
    {
        "contempt", "analysis contempt", "evalfile", "use nnue", "variantpath", "protocol", "nalimovpath",
        "nalimovcache", "syzygypath", "syzygyprobedepth", "syzygyprobelimit", "syzygy50moverule", "slow mover",
        "minimum thinking time", "nodestime",
    }
)  # fmt: skip
"""Options of chess engines, in lower case, that clients set although they are not listed (LiGround, fairyfishnet)."""


class Uci(UciFamily):
    """The front end for UCI."""

    go_words = GO_WORDS
    ready = "uciok"
    no_move = "bestmove (none)"
    comment = "info string"

    _has_listed = False  # True: the client has requested the options, and is sent those of another game, too

    def refuse(self, line: ClientLine, refusal: Refusal) -> None:
        """Report why a line is not carried out. A `go` also gets a `bestmove`, since the client waits for one."""
        self.error(whole_reason(refusal))
        self.end_refused_go(line.text)

    def error(self, reason: str) -> None:
        self.note(f"error {printable(reason, 400)}")

    # Commands

    def uci(self, words: list[str], line: ClientLine) -> None:
        self.out.line(f"id name Siqi {__version__}", "id author the Siqi authors")
        self._list_options()
        self.out.line(self.ready)
        self._has_listed = True

    def _list_options(self) -> None:
        for option in self.engine.options.listed(self.engine.info.name):
            self.out.line(f"option name {option_text(option, option.name)}")

    def setoption(self, words: list[str], line: ClientLine) -> None:
        name, value = parse_option(words)
        if self._is_foreign(name):
            if self.engine.is_debugging:
                self.note(f"option ignored: {printable(name)}")
            return
        before = self.engine.info.name
        self.engine.set_option(name, value)
        game = self.engine.info.name
        if game != before and self._has_listed:
            self.note(f"variant {game}")
            self._list_options()

    def _is_foreign(self, name: str) -> bool:
        """True for an option that this engine lacks and clients set unasked; UCI itself owns the prefix `UCI_`."""
        lower = name.lower()
        return lower in FOREIGN or (lower.startswith("uci_") and name not in self.engine.options)

    def ucinewgame(self, words: list[str], line: ClientLine) -> None:
        self.engine.new_game()
        self.engine.set_position(None, [])

    def dice(self, words: list[str], line: ClientLine) -> None:
        game = self.engine.info
        if not game.has_dice:
            raise ValueError(f"dice: {game.name} has none")
        if len(words) != 1 or words[0] not in map(str, range(1, game.die_faces + 1)):
            raise ValueError(f"dice: a number from 1 to {game.die_faces}, not {printable(' '.join(words))}")
        self.engine.set_dice(int(words[0]))

    def go(self, words: list[str], line: ClientLine) -> None:
        request = parse_go(words, self.go_words)
        for word in request.unknown:
            self.error(f"go: unknown word ignored: {printable(word)}")
        self.start(request, request.searchmoves, line)

    def d(self, words: list[str], line: ClientLine) -> None:
        position = self.engine.position
        self.out.line(*position.board().splitlines())
        self.out.line(f"Fen: {position.fen()}", f"Key: {position.key & (1 << 64) - 1:016X}")
        if (outcome := position.outcome()) is not None:
            self.out.line(f"Result: {outcome}")

    def legal(self, words: list[str], line: ClientLine) -> None:
        count = self.engine.position.count_legal()
        if count > MAX_LISTED:
            self.out.line(f"legal count {count}")
        else:
            self.out.line(" ".join(["legal", *self.engine.legal_moves()]))

    def book(self, words: list[str], line: ClientLine) -> None:
        for text in [line.text for line in self.engine.consult()] or ["none"]:
            self.out.line(f"book {text}")

    def perft(self, words: list[str], line: ClientLine) -> None:
        if len(words) != 1:
            raise ValueError("perft: expected a depth")
        self.engine.perft(parse_number("perft", words[0]), line.is_stopped)

    def eval(self, words: list[str], line: ClientLine) -> None:
        for text in self.engine.evaluate():
            self.out.line(f"eval {text}")

    def result(self, words: list[str], line: ClientLine) -> None:
        self.out.line(f"result {outcome_text(self.engine.outcome())}")

    def probe(self, words: list[str], line: ClientLine) -> None:
        """Report what earlier searches have stored of this position."""
        stored = self.engine.recall()
        if stored is None:
            self.out.line("probe none")
            return
        bounds = [("lower", stored.lower), ("upper", stored.upper)]
        shows_wdl = self.engine.info.scores_chances
        parts = [f"{name} {score_text(score, shows_wdl)}" for name, score in bounds if score is not None]
        move = [] if stored.move is None else [f"move {self.engine.position.move_text(stored.move)}"]
        self.out.line(" ".join(["probe", f"depth {stored.depth}", *parts, *move]))

    def turn(self, words: list[str], line: ClientLine) -> None:
        self.out.line(f"turn {SIDES[self.engine.position.turn]}")

    def bench(self, words: list[str], line: ClientLine) -> None:
        if words:
            raise ValueError("bench: takes no argument; it runs the selected game")
        self.engine.bench(line.is_stopped)

    def help(self, words: list[str], line: ClientLine) -> None:
        """List the commands, or explain the option that is named."""
        if words:
            option = self.engine.options.find(" ".join(words))
            self.out.line(f"help {option.name}  {value_range(option)}: {option.help.english}")
            return
        for command in self.commands.values():
            self.out.line(f"help {command.help}")

    def debug(self, words: list[str], line: ClientLine) -> None:
        if words not in (["on"], ["off"]):
            raise ValueError(f"debug: on or off, not {printable(' '.join(words))}")
        self.engine.is_debugging = words == ["on"]

    # Events

    def score_text(self, score: Score) -> str:
        return score_text(score, self.engine.options.is_on("UCI_ShowWDL") or self.engine.info.scores_chances)

    def info(self, info: events.Info) -> None:
        self.out.line(*info_lines(info, self.score_text, is_ranked=True))  # LiGround shows no line without a rank

    def game_over(self, event: events.GameOver) -> None:
        self.out.line(f"info depth 0 multipv 1 score {self.score_text(event.score)} time 0 nodes 0 nps 0")

    def best_move(self, answer: events.BestMove) -> None:
        move, reply = (answer.position.move_text(m) if m is not None else "" for m in (answer.move, answer.ponder))
        self.out.line(f"bestmove {move}" + (f" ponder {reply}" if reply else "") if move else self.no_move)

    def refused(self, kind: Kind, reason: str) -> None:
        self.error(reason)

    commands: ClassVar[Mapping[str, Command]] = {
        "uci": Command(uci, AT_ONCE, "uci  the engine's name and options"),
        "isready": Command(
            UciFamily.isready,
            NOT_STOPPING,
            "isready  readyok, once all before it is done and the game is loaded",
        ),
        "setoption": Command(setoption, IDLE, "setoption name NAME [value VALUE]  UCI_Variant selects the game"),
        "ucinewgame": Command(ucinewgame, READY, "ucinewgame  forget earlier searches"),
        "position": Command(UciFamily.position, GAME, "position startpos|fen FEN [moves MOVE ...]  set the position"),
        "fen": Command(UciFamily.fen, GAME, "fen FEN [moves MOVE ...]  set the position"),
        "dice": Command(dice, GAME, "dice 1-6  the die thrown (EWN)"),
        "go": Command(
            go,
            READY,
            "go [wtime MS btime MS winc MS binc MS movestogo N] [movetime MS] [depth N] [nodes N] [mate N] [infinite]"
            " [ponder] [searchmoves MOVE ...]  search; go perft N counts",
            is_worth_compiling=True,
        ),
        "stop": Command(UciFamily.stop, AT_ONCE, "stop  end the search; it answers with bestmove"),
        "ponderhit": Command(UciFamily.ponderhit, AT_ONCE, "ponderhit  the move pondered on was played"),
        "d": Command(d, GAME, "d  the board, its FEN and key", is_worth_compiling=True),
        "legal": Command(legal, GAME, "legal  all legal moves", is_worth_compiling=True),
        "eval": Command(eval, GAME, "eval  the static evaluation by terms", is_worth_compiling=True),
        "book": Command(book, READY, "book  what the books know of the position", is_worth_compiling=True),
        "result": Command(result, GAME, "result  none, or how the game has ended", is_worth_compiling=True),
        "turn": Command(turn, GAME, "turn  the side to move", is_worth_compiling=True),
        "probe": Command(probe, READY, "probe  what searches have stored of the position", is_worth_compiling=True),
        "perft": Command(perft, READY, "perft N  count the leaves of the game tree", is_worth_compiling=True),
        "bench": Command(bench, READY, "bench  fixed searches: signature and speed", is_worth_compiling=True),
        "debug": Command(debug, AT_ONCE, "debug on|off  report how each search spends its time"),
        "help": Command(help, AT_ONCE, "help [<option>]  this list, or an option's meaning; all: siqi docs protocol"),
        "quit": Command(UciFamily.quit, AT_ONCE, "quit  stop searching and end; a second one does not wait"),
    }


def outcome_text(outcome: Outcome | None) -> str:
    """Return `none`, `win first REASON`, `draw REASON` or `unknown REASON`."""
    return "none" if outcome is None else str(outcome)


def score_text(score: Score, shows_wdl: bool) -> str:
    """Return `cp N` or `mate N`, and if wanted the chances to win, draw and lose."""
    text = f"mate {score.mate}" if score.mate is not None else f"cp {score.cp}"
    return text + (chances_text(score) if shows_wdl else "")
