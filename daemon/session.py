"""The session: one loop that takes events in order and never blocks.

Lines come from the reader's thread, long work (loading a game, searching, perft, bench) runs on a job's thread and
posts JobDone. A line whose turn has not come (its game is loading, a search runs) waits in order; `stop`,
`ponderhit`, `quit` and, during a search, `isready` never wait.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, NamedTuple

from daemon import __version__
from daemon.dialects import chosen_by
from daemon.job import Job, JobDone
from daemon.learn import Line, Recorder
from daemon.limits import parse_go, parse_number
from daemon.options import Options, declared, honours, lacks, uci_line
from daemon.output import Output
from daemon.pipes import QUIT, EndOfInput, Entry, now_ns, printable, read_lines
from daemon.skill import skill_of_elo
from daemon.words import split_moves
from games import registry
from games.compiling import announce_compiling
from games.contract import Game, Position, Searcher

QUIT_WAIT_S = 30.0
"""`perft` and `bench` may run on for so long after a `quit`."""

MAX_LISTED = 5000
"""`legal` lists no more moves than this; beyond it gives their number."""


def _entropy() -> int:
    """A seed that nobody chose."""
    return int.from_bytes(os.urandom(3), "little") + 1


class Command(NamedTuple):
    """How a command is handled and when: at once, when its game is loaded, when no job runs."""

    handle: Callable[[Session, list[str], Entry], None]
    help: str  # its words, two blanks, what it does
    at_once: bool = False
    needs_game: bool = True
    needs_idle: bool = False


def _spare_imported() -> None:
    """Take what has been imported out of the garbage collector's rounds.

    With numba a full round goes through 115,000 objects: it held a search up for 57 to 90 ms of processor time, between
    two looks at the clock, whenever one fell due.
    """
    gc.collect()
    gc.freeze()


def _is_search(text: str) -> bool:
    """True for a line that is answered with `bestmove`."""
    words = text.lower().split()
    return words[:1] == ["go"] and "perft" not in words


class Session:
    """The state that a client builds up: options, game, position, the job that runs."""

    def __init__(self, out: Output, events: SimpleQueue[object]) -> None:
        self._out = out
        self._events = events
        self._options = Options()
        self._variant = self._options.text("UCI_Variant")
        self._game: Game[Position] | None = None
        self._searcher: Searcher | None = None
        self._position: Any = None
        self._start_words: list[str] = []  # the `position` line that led here: before and after `moves`
        self._reads_anew = True  # the next one, even if it continues this
        self._moves: list[str] = []
        self._load_failed = False
        self._job: Job | None = None
        self._waiting: deque[Entry] = deque()
        self._closing = False  # no more lines will come
        self._has_quit = False
        self._idle_ns = 0  # when the last search ended: one sent ahead of that is counted from there
        self._loaded_ns = 0
        self._entropy = _entropy()
        self._recorder = Recorder(out.warn)
        self._files = {"Learn": "", "Debug Log File": ""}  # that are written
        self._is_debugging = False
        self._has_spoken = False  # the client, and so chosen its dialect
        self._thread = threading.current_thread()
        self._asked: deque[str] = deque()  # commands of the dialect's, called for by lines of the core's
        out.ask = self._ask

    # Events

    def run(self) -> None:
        """Take events until the input has ended, or `quit` has come, and all that was asked for is answered."""
        while not (self._closing and self._has_answered_all()):
            event = self._events.get()
            if isinstance(event, Entry):
                self._take(event)
            elif isinstance(event, JobDone):
                self._end_job()
            elif isinstance(event, EndOfInput):
                self._closing = True
                if self._job is not None and self._job.thinker is not None:
                    self._job.thinker.end_of_input()
            elif callable(event):
                event()
            if self._load_failed and self._game is None:
                self._refuse_waiting()
            self._take_asked()
            while self._waiting and self._job_allows(self._waiting[0]):
                self._handle(self._waiting.popleft())
                self._take_asked()
        self._recorder.close()

    def _has_answered_all(self) -> bool:
        """True if the process may end. After `quit` nobody waits for a compiler so that `readyok` can be answered."""
        if self._has_quit and self._job is not None and self._job.is_compiling:
            return all(entry.text.split()[0] in UNANSWERED for entry in self._waiting)
        return self._job is None and not self._waiting

    def _end_job(self) -> None:
        job, self._job = self._job, None
        if job is not None and not job.is_load:
            self._idle_ns = now_ns()
        if job is not None and job.thinker is not None and job.thinker.played is not None:
            word, position, mate_for = job.thinker.played
            self._recorder.see(job.line._replace(moves=(*job.line.moves, word)), position, mate_for)

    def _take(self, entry: Entry) -> None:
        if self._has_quit:
            if entry.text in (QUIT, "exit"):
                self._leave()
            return
        self._out.log_input(entry.text)
        if entry.too_long:
            self._refuse(entry, f"line too long, ignored: {printable(entry.text, 40)}")
            return
        if not entry.text:
            return
        if not self._has_spoken:
            self._out.dialect = chosen_by(entry.text)
            self._has_spoken = True
        for text in self._out.read(entry.text, entry.ns):
            self._take_command(Entry(text, entry.ns))
            self._take_asked()

    def _ask(self, command: str) -> None:
        """What the dialect asks: by the session's own lines at once, by a job's as an event."""
        self._asked.append(command)
        if threading.current_thread() is not self._thread:
            self._events.put(None)  # look at `_asked`

    def _take_asked(self) -> None:
        """What the dialect asks comes before the client's lines that wait: these were said later."""
        place = 0
        while self._asked:
            entry = Entry(self._asked.popleft(), now_ns())
            if not self._takes(entry, place > 0):
                self._waiting.insert(place, entry)
                place += 1

    def _take_command(self, entry: Entry) -> None:
        if not self._takes(entry, bool(self._waiting)):
            self._waiting.append(entry)

    def _takes(self, entry: Entry, is_behind: bool) -> bool:
        """Handle a command; False if it has to wait, behind others or for what runs."""
        words = entry.text.split()
        command = COMMANDS.get(words[0])
        if command is None:
            self._out.error(f"unknown command: {printable(words[0])}")
        elif command.at_once:
            self._handle(entry)
        elif words[0] == "isready" and self._job is not None and self._job.is_pingable:
            self._out.line("readyok")
        elif is_behind or not self._job_allows(entry):
            return False
        else:
            self._handle(entry)
        return True

    def _refuse_waiting(self) -> None:
        """The game could not be loaded: say so to each line that needs it, rather than wait for ever."""
        for entry in list(self._waiting):
            if COMMANDS[entry.text.split()[0]].needs_game:
                self._waiting.remove(entry)
                self._refuse(entry, f"{self._variant} could not be loaded: {printable(entry.text)}")
        self._load_failed = False

    def _job_allows(self, entry: Entry) -> bool:
        """Whether a command's turn has come; starts loading the game that it needs."""
        command = COMMANDS[entry.text.split()[0]]
        if command.needs_game and self._game is None:
            if self._job is None:
                self._load()
            return False
        return not (command.needs_idle and self._job is not None)

    def _handle(self, entry: Entry) -> None:
        words = entry.text.split()
        try:
            COMMANDS[words[0]].handle(self, words[1:], entry)
        except ValueError as error:
            self._refuse(entry, str(error))
        except Exception as error:
            self._refuse(entry, f"internal: {type(error).__name__}: {error}")

    def _refuse(self, entry: Entry, reason: str) -> None:
        """Say why a line is not carried out. A `go` gets its `bestmove` too, for a client waits for that."""
        self._out.error(reason)
        if _is_search(entry.text):
            self._out.line("bestmove (none)")

    def _start(self, job: Job, work: Callable[[], None]) -> None:
        def run() -> None:
            try:
                work()
            except Exception as error:
                self._out.error(f"internal: {type(error).__name__}: {error}")
            finally:
                self._events.put(JobDone())

        self._job = job
        try:
            threading.Thread(target=run, name="job", daemon=True).start()
        except RuntimeError as error:  # the system has no thread to spare
            self._job = None
            if not job.is_load:
                raise
            self._out.error(f"internal: {error}")
            self._load_failed = True
            self._events.put(None)  # refuse what waits

    # Loading

    def _load(self) -> None:
        """Load the selected game on a thread: import numba, and compile what is not in the kernel cache."""
        name = self._variant

        def work() -> None:
            def say(line: str) -> None:
                job.is_compiling = True
                self._events.put(None)  # after `quit` nothing more may be worth the wait
                self._out.info(line)

            try:
                is_first = f"games.{name}.game" not in sys.modules
                with announce_compiling(say, name):
                    game = registry.load(name, self._out.warn)
                    searcher = game.searcher()
                if is_first:
                    _spare_imported()
                from games.kernel import jit

                if jit.cache_faults:
                    self._out.warn(f"kernels are compiled at every start; {jit.cache_faults[0]}")
                for option, value in self._options.of_game(name):
                    game.set_option(option, value)
                self._warm_up(game, searcher)
            except BaseException:
                self._events.put(self._fail)
                raise
            self._events.put(lambda: self._adopt(name, game, searcher))

        job = Job()
        self._start(job, work)

    def _warm_up(self, game: Game[Position], searcher: Searcher) -> None:
        """Search a little before the game is said to be ready: the first search of a process pays for late
        imports and first calls (100 ms measured), which under a short clock would lose the game."""
        from daemon import thinker

        self._configure(searcher)
        thinker.warm_up(game, searcher)
        searcher.clear()

    def _adopt(self, name: str, game: Game[Position], searcher: Searcher) -> None:
        if name == self._variant:
            self._game, self._searcher = game, searcher
            self._loaded_ns = now_ns()
            self._set_position(["startpos"])

    def _started_ns(self, entry: Entry) -> int:
        """Return when the time of a `go` starts: as it was read, or as its turn came if it was sent ahead.

        A client that waits for `readyok` sends none before its game is loaded; one that does not wait, a script at
        the end of a pipe, would lose its clock to the compiler.
        """
        return max(entry.ns, self._idle_ns, self._loaded_ns)

    def _fail(self) -> None:
        self._load_failed = True

    def _seed(self) -> int:
        """The seed in force: the option's, or one of this game's own (an opponent must not foresee a set-up)."""
        return self._options.number("Seed") or self._entropy

    def _skill(self) -> float:
        if self._options.is_on("UCI_LimitStrength"):
            return skill_of_elo(self._options.number("UCI_Elo"), registry.info(self._variant).skill_elo)
        return self._options.number("Skill Level")

    # Commands

    def uci(self, words: list[str], entry: Entry) -> None:
        self._out.line(f"id name Siqi {__version__}")
        self._out.line("id author the Siqi authors")
        for option, _ in declared():
            self._out.line(uci_line(option))
        self._out.line("uciok")

    def isready(self, words: list[str], entry: Entry) -> None:
        self._out.line("readyok")

    def setoption(self, words: list[str], entry: Entry) -> None:
        if len(words) < 2 or words[0].lower() != "name":
            raise ValueError("setoption: expected 'setoption name <name> [value <value>]'")
        lower = [word.lower() for word in words]
        split = lower.index("value") if "value" in lower else len(words)
        name, value = " ".join(words[1:split]), " ".join(words[split + 1 :])
        option, _ = self._options.set(name, value)
        if option.name == "UCI_Variant" and self._options.text("UCI_Variant") != self._variant:
            self._variant = self._options.text("UCI_Variant")
            self._game = self._searcher = self._position = None
            self._load()
        elif option.name == "Clear Hash" and self._searcher is not None:
            self._searcher.clear()
        elif option.name in self._files:
            self._open_file(option.name)
        elif option.name in ("Hash", "Threads") and self._searcher is not None:
            self._configure(self._searcher)
        elif honours(self._variant, option):
            if self._game is not None:
                self._game.set_option(option.name, self._options.text(option.name))
                self._configure(self._searcher)
                self._reads_anew = True  # the option may change how a `position` line is read
        elif lacks(self._variant, option) and self._options.text(option.name) not in ("false", "", option.default):
            self._out.info(f"{option.name}: {self._variant} has no such book; playing without it")

    def _open_file(self, name: str) -> None:
        """Write to the file that an option names from now on; the one before stays in force if it is refused."""
        path = self._options.text(name)
        try:
            (self._recorder.open if name == "Learn" else self._out.log_to)(path)
        except OSError as error:
            self._options.set(name, self._files[name])
            raise ValueError(f"option {name}: {error.strerror}: {path}") from None
        self._files[name] = path

    def ucinewgame(self, words: list[str], entry: Entry) -> None:
        assert self._searcher is not None
        self._entropy = _entropy()
        self._recorder.close()
        self._configure(self._searcher)
        self._searcher.clear()
        self._set_position(["startpos"])

    def position(self, words: list[str], entry: Entry) -> None:
        """`position startpos|fen F [moves ...]`: an illegal move ends the list, what came before stands.

        A list that continues the one before is played from there: replaying 330 plies takes 8 ms, which is much of
        a short clock's last seconds.
        """
        start, moves = split_moves(words)
        played = len(self._moves)
        if self._reads_anew or start != self._start_words or len(moves) <= played or moves[:played] != self._moves:
            self._set_position(start)
        position = self._position
        for word in moves[len(self._moves) :]:
            try:
                position.push(position.parse_move(word))
            except ValueError as error:
                played = len(self._moves)
                raise ValueError(f"{error} (move {played + 1}; the {played} before it stand)") from None
            self._moves.append(word)
        self._recorder.see(self._line(), position)

    def fen(self, words: list[str], entry: Entry) -> None:
        """`position fen ...` without its first word, as clients of Cyclone's dialect have it."""
        self.position(["fen", *words], entry)

    def _line(self) -> Line:
        """The game that the last `position` command told."""
        fen = " ".join(self._start_words[1:]) if self._start_words[:1] == ["fen"] else ""
        return Line(self._variant, fen, tuple(self._moves), self._options.changed(self._variant))

    def _set_position(self, start: list[str]) -> None:
        """Begin anew at `startpos` or `fen F`."""
        assert self._game is not None
        kind = start[0] if start else ""
        if kind == "startpos":
            if len(start) > 1:
                raise ValueError(f"position startpos: unexpected {printable(start[1])}")
            self._position = self._game.position()
        elif kind == "fen":
            try:
                self._position = self._game.position(" ".join(start[1:]))
            except ValueError as error:
                raise ValueError(f"bad FEN: {error}") from None
        else:
            raise ValueError("position: expected startpos or fen")
        self._start_words, self._moves, self._reads_anew = start, [], False

    def dice(self, words: list[str], entry: Entry) -> None:
        assert self._game is not None
        if not self._game.info.has_dice:
            raise ValueError(f"dice: {self._variant} has none")
        if len(words) != 1 or words[0] not in ("1", "2", "3", "4", "5", "6"):
            raise ValueError(f"dice: a number from 1 to 6, not {printable(' '.join(words))}")
        self._position.set_dice(int(words[0]))
        if self._job is not None and self._job.searched == (self._position, self._position.ply):
            self._job.thinker.throw(int(words[0]))
        self._reads_anew = True  # a later `position` line says nothing of this throw

    def go(self, words: list[str], entry: Entry) -> None:
        from daemon.thinker import Settings, Thinker

        assert self._game is not None and self._searcher is not None
        limits, unknown = parse_go(words)
        for word in unknown:
            self._out.error(f"go: unknown word ignored: {printable(word)}")
        if limits.perft:
            self._perft(limits.perft, entry)
            return
        moves = tuple(dict.fromkeys(self._position.parse_move(word) for word in limits.searchmoves))
        self._configure(self._searcher)
        settings = Settings(
            multipv=self._options.number("MultiPV"),
            overhead=self._options.number("Move Overhead"),
            skill=self._skill(),
            seed=self._seed(),
            shows_wdl=self._options.is_on("UCI_ShowWDL"),
            is_analysis=self._options.is_on("UCI_AnalyseMode"),
            is_debugging=self._is_debugging,
        )
        thinker = Thinker(
            self._game,
            self._searcher,
            self._position.copy(),
            moves,
            limits,
            settings,
            self._started_ns(entry),
            self._out,
        )
        if entry.stopped or self._has_quit:
            thinker.stop()
        job = Job(thinker.stop)
        job.thinker, job.line, job.searched = thinker, self._line(), (self._position, self._position.ply)
        self._start(job, thinker.run)
        if entry.ponderhit_ns:
            while self._waiting and self._waiting[0].ponderhit_ns and self._waiting[0].text.split()[0] == "dice":
                self._handle(self._waiting.popleft())
            thinker.ponderhit(max(entry.ponderhit_ns, self._loaded_ns))
        if self._closing:
            thinker.end_of_input()

    def _configure(self, searcher: Searcher | None) -> None:
        """Give the searcher its memory; it says what it makes do with where there is no more."""
        assert searcher is not None
        hash_mb, threads = self._options.number("Hash"), self._options.number("Threads")
        try:
            searcher.configure(hash_mb, threads, self._seed())
        except MemoryError as error:
            self._out.warn(f"option Hash: no memory for {hash_mb} MiB; {error}")

    def stop(self, words: list[str], entry: Entry) -> None:
        """Ends the job that runs and those that wait: all were asked for before the stop."""
        if self._job is not None:
            self._job.stop()
        for waiting in self._waiting:
            waiting.stopped = True

    def ponderhit(self, words: list[str], entry: Entry) -> None:
        if self._job is not None and self._job.thinker is not None:
            self._job.thinker.ponderhit(entry.ns)
        for waiting in self._waiting:
            waiting.ponderhit_ns = entry.ns

    def d(self, words: list[str], entry: Entry) -> None:
        for line in self._position.board().splitlines():
            self._out.line(line)
        self._out.line(f"Fen: {self._position.fen()}")
        self._out.line(f"Key: {self._position.key & (1 << 64) - 1:016X}")

    def legal(self, words: list[str], entry: Entry) -> None:
        count = self._position.count_legal()
        if count > MAX_LISTED:
            self._out.line(f"legal count {count}")
        else:
            texts = sorted(self._position.move_text(move) for move in self._position.legal_moves())
            self._out.line(" ".join(["legal", *texts]))

    def book(self, words: list[str], entry: Entry) -> None:
        assert self._game is not None
        for line in self._game.consult(self._position) or ["none"]:
            self._out.line(f"book {line}")

    def perft(self, words: list[str], entry: Entry) -> None:
        if len(words) != 1:
            raise ValueError("perft: expected a depth")
        self._perft(parse_number("perft", words[0]), entry)

    def _perft(self, depth: int, entry: Entry) -> None:
        from games.kernel.control import Control

        assert self._game is not None
        game, position, control = self._game, self._position.copy(), Control()
        if entry.stopped:
            control.stop()

        def work() -> None:
            started = now_ns()
            total = 0
            try:
                for move, nodes in game.perft(position, depth, control):
                    if control.stopped:
                        self._out.info(f"perft {depth} stopped")
                        return
                    self._out.line(f"{position.move_text(move)}: {nodes}")
                    total += nodes
            except ValueError as error:
                self._out.error(str(error))
                return
            self._out.line(f"perft {depth} nodes {total} time {(now_ns() - started) // 1_000_000}")

        self._start(Job(control.stop), work)

    def eval(self, words: list[str], entry: Entry) -> None:
        assert self._game is not None
        for line in self._game.evaluate(self._position):
            self._out.line(f"eval {line}")

    def result(self, words: list[str], entry: Entry) -> None:
        outcome = self._position.outcome()
        self._out.line(f"result {outcome if outcome is not None else 'none'}")

    def probe(self, words: list[str], entry: Entry) -> None:
        """What the searches before have stored of this position."""
        from daemon.thinker import score_text

        assert self._game is not None and self._searcher is not None
        found = self._searcher.recall(self._position)
        if found is None:
            self._out.line("probe none")
            return
        bounds = [("lower", found.lower), ("upper", found.upper)]
        shows_wdl = self._game.info.scores_chances
        words = [f"{name} {score_text(score, shows_wdl)}" for name, score in bounds if score is not None]
        move = [] if found.move is None else [f"move {self._position.move_text(found.move)}"]
        self._out.line(" ".join(["probe", f"depth {found.depth}", *words, *move]))

    def turn(self, words: list[str], entry: Entry) -> None:
        self._out.line(f"turn {('first', 'second')[self._position.turn]}")

    def bench(self, words: list[str], entry: Entry) -> None:
        from daemon.bench import Bench

        assert self._game is not None
        if words:
            raise ValueError("bench: takes no argument; it runs the selected game")
        bench = Bench(self._game)
        if entry.stopped:
            bench.stop()

        def work() -> None:
            for line in bench.run():
                self._out.line(line)

        self._start(Job(bench.stop), work)

    def quit(self, words: list[str], entry: Entry) -> None:
        """Stop the searches, answer what came before, then end. A second `quit` does not wait."""
        self._has_quit = self._closing = True
        self._out.expect_end()
        if self._job is not None and self._job.thinker is not None:
            self._job.stop()
        for waiting in self._waiting:
            waiting.stopped |= _is_search(waiting.text)
        timer = threading.Timer(QUIT_WAIT_S, lambda: self._events.put(lambda: self.stop([], entry)))
        timer.daemon = True
        timer.start()

    def _leave(self) -> None:
        """End at once. Not through interpreter shutdown: that would wait for a compiler or a kernel."""
        self._recorder.close()
        os._exit(0)

    def help(self, words: list[str], entry: Entry) -> None:
        for command in COMMANDS.values():
            self._out.line(f"help {command.help}")

    def debug(self, words: list[str], entry: Entry) -> None:
        if words not in (["on"], ["off"]):
            raise ValueError(f"debug: on or off, not {printable(' '.join(words))}")
        self._is_debugging = words == ["on"]


COMMANDS: dict[str, Command] = {
    "uci": Command(Session.uci, "uci  the engine's name and options", at_once=True),
    "isready": Command(Session.isready, "isready  readyok, once all before it is done and the game is loaded"),
    "setoption": Command(
        Session.setoption,
        "setoption name NAME [value VALUE]  UCI_Variant selects the game",
        needs_game=False,
        needs_idle=True,
    ),
    "ucinewgame": Command(Session.ucinewgame, "ucinewgame  forget earlier searches", needs_idle=True),
    "position": Command(Session.position, "position startpos|fen FEN [moves MOVE ...]  set the position"),
    "fen": Command(Session.fen, "fen FEN [moves MOVE ...]  set the position"),
    "dice": Command(Session.dice, "dice 1-6  the die thrown (EWN)"),
    "go": Command(
        Session.go,
        "go [wtime MS btime MS winc MS binc MS movestogo N] [movetime MS] [depth N] [nodes N] [mate N] [infinite]"
        " [ponder] [searchmoves MOVE ...]  search; go perft N counts",
        needs_idle=True,
    ),
    "stop": Command(Session.stop, "stop  end the search; it answers with bestmove", at_once=True),
    "ponderhit": Command(Session.ponderhit, "ponderhit  the move pondered on was played", at_once=True),
    "d": Command(Session.d, "d  the board, its FEN and key"),
    "legal": Command(Session.legal, "legal  all legal moves"),
    "eval": Command(Session.eval, "eval  the static evaluation by terms"),
    "book": Command(Session.book, "book  what the books know of the position", needs_idle=True),
    "result": Command(Session.result, "result  none, or how the game has ended"),
    "turn": Command(Session.turn, "turn  the side to move"),
    "probe": Command(Session.probe, "probe  what searches have stored of the position", needs_idle=True),
    "perft": Command(Session.perft, "perft N  count the leaves of the game tree", needs_idle=True),
    "bench": Command(Session.bench, "bench  fixed searches: signature and speed", needs_idle=True),
    "debug": Command(Session.debug, "debug on|off  say how each search spends its time", at_once=True),
    "help": Command(Session.help, "help  this list; protocol.md has the whole", at_once=True),
    "quit": Command(Session.quit, "quit  stop searching and end; a second one does not wait", at_once=True),
}

UNANSWERED = ("isready", "setoption", "ucinewgame", "position", "fen", "dice")
"""Commands whose answers are worth no compiling once the client has quit."""


def serve() -> None:
    """Run the daemon on standard input and output until `quit` or the end of input."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # Ctrl-C ends it at once: Python's own handler is seen only when the next event comes.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    events: SimpleQueue[object] = SimpleQueue()
    out = Output()
    threading.excepthook = lambda failed: out.error(f"internal: {failed.exc_type.__name__}: {failed.exc_value}")
    threading.Thread(target=read_lines, args=(events, out.expect_end), name="reader", daemon=True).start()
    Session(out, events).run()
    os._exit(0)
