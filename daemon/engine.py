"""The engine as an object: typed calls in, typed events out, no word of a protocol.

An engine has one *owner*, a thread that makes all calls. No call blocks for longer than it takes to set up a position;
searches, counts and the loading of a game are *jobs* on a thread of their own. Their events come through `post`, in
order; the owner acts on each event and then passes it to `handle_event`, which changes the engine's state. It
may post events of calls that waited.

A call that is not carried out raises `Refusal` and changes nothing. Calls that need a game raise it until one is
loaded: `prepare` starts loading and says when a call can be made. Calls marked (idle) raise it while a job runs.

Moves are words of the game's notation; positions are those of the game's contract (games/contract.py).
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from daemon.events import (
    BestMove,
    Event,
    Kind,
    Loaded,
    LoadFailed,
    Note,
    Post,
    Refusal,
    Refused,
    Warning,
    ends_job,
    internal_reason,
)
from daemon.limits import Limits
from daemon.options import Options, lacks_book, supports
from daemon.pipes import now_ns
from daemon.scheduler import Job, Needs, Scheduler, Shutdown, State
from daemon.skill import skill_of_elo
from games import registry
from games.contract import (
    Game,
    GameInfo,
    Outcome,
    Position,
    Recollection,
    Searcher,
    is_hidden_position,
    is_setup_position,
    set_dice,
)

if TYPE_CHECKING:
    from daemon.game_log import GameLog, PlayedGame
    from daemon.load_job import SearcherConfig
    from daemon.search_job import SearchJob, SearchOptions

LOG_FILE, LEARN = "Debug Log File", "Learn"

READY = Needs.GAME | Needs.IDLE


def no_log(path: str) -> None:
    """Refuse a log of the traffic: there is none."""
    if path:
        raise Refusal(Kind.OPTION, f"option {LOG_FILE}: there is no traffic to log")


class LoadedGame(NamedTuple):
    """A loaded game and the searcher that plays it."""

    game: Game[Position]
    searcher: Searcher[Position]


class PositionHistory:
    """The position and how it came about."""

    def __init__(self, position: Position, fen: str | None) -> None:
        self.position = position
        self.fen = fen  # None: from the start
        self.moves: list[str] = []
        self.can_be_continued = True  # by a longer list of moves

    def is_continued_by(self, fen: str | None, moves: Sequence[str]) -> bool:
        """True if a list is this one and at least a move more."""
        count = len(self.moves)
        return self.can_be_continued and fen == self.fen and len(moves) > count and list(moves[:count]) == self.moves


class RunningSearch(NamedTuple):
    """A search and the game that it was asked for in."""

    job: SearchJob
    position: Position  # the engine's, of which the search has a copy
    ply: int  # of that position then
    played: PlayedGame


class Engine:
    """One engine: its options, its game, the position, and what it does."""

    def __init__(self, post: Post, log_to: Callable[[str], None] = no_log) -> None:
        """`post` takes events from any thread. `log_to` opens a log of the client's traffic; OSError if it cannot."""
        self.options = Options()
        self.is_debugging = False  # notes how each search spends its time
        self._post = post
        self._log_to = log_to
        self._scheduler = Scheduler(post)
        self._loaded_game: LoadedGame | None = None
        self._history: PositionHistory | None = None  # set whenever a game is loaded
        self._running: RunningSearch | None = None  # the search that runs
        self._log: GameLog | None = None
        self._ids = itertools.count(1)
        self._entropy = _entropy()

    # What it is and does

    @property
    def info(self) -> GameInfo:
        """The declaration of the game selected, loaded or not."""
        return registry.info(self.options.text("UCI_Variant"))

    @property
    def state(self) -> State:
        return self._scheduler.state

    @property
    def is_busy(self) -> bool:
        """True while a job runs or a call waits for its turn."""
        return self._scheduler.job is not None or bool(self._scheduler.waiting)

    @property
    def is_compiling(self) -> bool:
        """True while a game is loaded whose kernels were not all in the cache."""
        return getattr(self._scheduler.job, "is_compiling", False)

    def prepare(self, needs: Needs) -> bool:
        """True if a call that needs so much can be made now; begins to load the game if it is that which lacks."""
        if Needs.GAME in needs and self.state is State.EMPTY:
            self._load()
        return self._scheduler.allows(needs)

    def call_when_ready(self, call: Callable[[], None]) -> None:
        """Make a call once no job runs and the game is loaded, at once if that is so; a refusal of it is posted."""
        self.prepare(READY)
        self._scheduler.call_when_ready(lambda: self._make(call))

    def _make(self, call: Callable[[], None]) -> None:
        try:
            call()
        except Refusal as refusal:
            self._post(Refused(refusal.kind, refusal.reason))
        except Exception as error:
            self._post(Refused(Kind.INTERNAL, internal_reason(error)))

    def handle_event(self, event: Event) -> None:
        """Take an event that `post` delivered, after the owner has acted on it; calls that waited are made."""
        if not ends_job(event):
            return
        if isinstance(event, BestMove):
            self._log_move(event)
            self._running = None  # its searcher's memory goes with it once another game comes
        self._scheduler.job_ended(event)
        if isinstance(event, Loaded):
            self._loaded_game = LoadedGame(event.game, event.searcher)
            self._history = None
            self.set_position(None, ())
        elif isinstance(event, LoadFailed):
            for _ in range(self._scheduler.drop_waiting()):
                self._post(Refused(Kind.LOADING, f"{self.info.name} could not be loaded"))
        for call in self._scheduler.due():
            call()

    # Options

    def set_option(self, name: str, value: str) -> None:
        """Set an option by its name, upper or lower case (idle)."""
        self._check(Needs.IDLE)
        try:
            option, _ = self.options.find(name)
            before = self.options.text(option.name)
            self.options.set(option.name, value)
        except ValueError as error:
            raise Refusal(Kind.OPTION, str(error)) from None
        if option.name in (LOG_FILE, LEARN):
            self._open_file(option.name, before)
        elif option.name == "UCI_Variant":
            if self.options.text("UCI_Variant") != before:
                self._loaded_game = self._history = None
                self._load()
        elif self._loaded_game is None:
            pass  # the game gets all options when it is loaded
        elif option.name == "Clear Hash":
            self._loaded_game.searcher.clear()
        elif option.name in ("Hash", "Threads"):
            self._resize()
        elif supports(self.info.name, option):
            self._loaded_game.game.set_option(option.name, self.options.text(option.name))
            self._configure()
            self._current_history().can_be_continued = False  # the option may change how moves are read
        if lacks_book(self.info.name, option) and self.options.text(option.name) not in ("false", "", option.default):
            self._post(Note(f"{option.name}: {self.info.name} has no such book; playing without it"))

    def _open_file(self, name: str, before: str) -> None:
        """Write to the file that an option names from now on; the one before stays in force if it is refused."""
        path = self.options.text(name)
        try:
            if name == LOG_FILE:
                self._log_to(path)
            else:
                self._open_game_log(path)
        except OSError as error:
            self.options.set(name, before)
            raise Refusal(Kind.OPTION, f"option {name}: {error.strerror}: {path}") from None

    def _open_game_log(self, path: str) -> None:
        from daemon.game_log import GameLog

        if self._log is None:
            self._log = GameLog(self._warn)
        self._log.open(path)

    def _load(self) -> None:
        import daemon.game_log  # not within the first search's time
        import daemon.search_job  # noqa: F401
        from daemon.load_job import LoadJob

        name = self.info.name
        self._scheduler.load(LoadJob(name, tuple(self.options.for_game(name)), self._searcher_config(), self._post))

    def _searcher_config(self) -> SearcherConfig:
        from daemon.load_job import SearcherConfig

        return SearcherConfig(self.options.number("Hash"), self.options.number("Threads"), self._seed())

    def _resize(self) -> None:
        from daemon.load_job import ConfigureJob

        self._scheduler.load(ConfigureJob(self._require_game().searcher, self._searcher_config(), self._post))

    def _configure(self) -> None:
        from daemon.load_job import configure

        configure(self._require_game().searcher, self._searcher_config(), self._warn)

    def _seed(self) -> int:
        """Return the seed in force: the option's, or one of this game's own (an opponent must not foresee a set-up)."""
        return self.options.number("Seed") or self._entropy

    # The position

    @property
    def position(self) -> Position:
        """The current position; not to be changed."""
        return self._current_history().position

    def _current_history(self) -> PositionHistory:
        self._check(Needs.GAME)
        assert self._history is not None
        return self._history

    def set_position(self, fen: str | None, moves: Sequence[str]) -> None:
        """Set up a FEN, or the start position, and play moves; an illegal one ends the list, those before it stand.

        A list that continues the one before is played from there: replaying 330 plies takes 8 ms, which is much of
        a short clock's last seconds.
        """
        game = self._require_game().game
        history = self._history
        if history is None or not history.is_continued_by(fen, moves):
            try:
                history = self._history = PositionHistory(game.position(fen), fen)
            except ValueError as error:
                raise Refusal(Kind.POSITION, f"bad FEN: {error}") from None
        position = history.position
        for word in moves[len(history.moves) :]:
            try:
                position.push(position.parse_move(word))
            except ValueError as error:
                raise Refusal(Kind.MOVE, str(error), len(history.moves)) from None
            history.moves.append(word)
        if self._log is not None:
            self._log.update(self._played_game(), position)

    def _played_game(self) -> PlayedGame:
        """Return the game so far."""
        from daemon.game_log import PlayedGame

        name, history = self.info.name, self._current_history()
        return PlayedGame(name, history.fen or "", tuple(history.moves), self.options.changed(name))

    def set_dice(self, dice: int) -> None:
        """Set the die thrown for the side to move; a search that ponders on this position's throws takes it too."""
        position = self.position
        try:
            set_dice(position, self.info, dice)
        except ValueError as error:
            raise Refusal(Kind.DICE, str(error)) from None
        running = self._running
        if running is not None and running.position is position and running.ply == position.ply:
            running.job.set_dice(dice)
        self._current_history().can_be_continued = False  # a longer list names no throws

    def legal_moves(self) -> list[str]:
        """Return the legal moves as words, sorted; Refusal(POSITION) before set-ups, which are too many to list."""
        position = self.position
        try:
            return sorted(position.move_text(move) for move in position.legal_moves())
        except ValueError as error:
            raise Refusal(Kind.POSITION, str(error)) from None

    def fen_of(self, pieces: Mapping[str, str], turn: int, dice: int = 0) -> str:
        """Return the FEN of pieces, their letters by point, with a side to move; counters are at their beginning."""
        game = self._require_game().game
        try:
            return game.fen_of(pieces, turn, dice)
        except ValueError as error:
            raise Refusal(Kind.POSITION, str(error)) from None

    def setup_points(self, side: int) -> tuple[str, ...]:
        """Return where the pieces of a side's set-up stand, in the order of its word."""
        position = self.position
        return position.setup_points(side) if is_setup_position(position, self.info) else ()

    def observed(self, move: str, result: int, flag: str = "") -> str:
        """Return a move's word in the move list of a view: with its result, and a flag's square announced with it."""
        position = self.position
        try:
            return position.observed(move, result, flag) if is_hidden_position(position, self.info) else move
        except ValueError as error:
            raise Refusal(Kind.MOVE, str(error)) from None

    def outcome(self) -> Outcome | None:
        """Return how the game has ended, None while it goes on."""
        return self.position.outcome()

    def evaluate(self) -> list[str]:
        """Return the static evaluation by terms, the total last."""
        return self._require_game().game.evaluate(self.position)

    def consult(self) -> list[str]:
        """Return what the books know of the position, a line each (idle)."""
        self._check(READY)
        return self._require_game().game.consult(self.position)

    def recall(self) -> Recollection | None:
        """Return what earlier searches have stored of the position (idle)."""
        self._check(READY)
        return self._require_game().searcher.recall(self.position)

    def new_game(self) -> None:
        """Forget earlier searches; the position stays (idle)."""
        self._check(READY)
        self._entropy = _entropy()
        self._close_log()
        self._configure()
        self._require_game().searcher.clear()

    # Jobs

    def go(
        self, limits: Limits, searchmoves: Sequence[str] = (), requested_ns: int = 0, is_stopped: bool = False
    ) -> int:
        """Search the current position, once no other job runs; return the search's id.

        Events: Note, Info, GameOver, Warning, and last BestMove with the id. `asked_ns` is when the client asked
        (daemon.pipes.now_ns), 0: now; `is_stopped`: it has said stop since. Refusal(MOVE) for a word of `searchmoves`.
        """
        position = self.position
        try:
            moves = tuple(dict.fromkeys(position.parse_move(word) for word in searchmoves))
        except ValueError as error:
            raise Refusal(Kind.MOVE, str(error)) from None
        from daemon.search_job import SearchJob, SearchRequest

        loaded, search_id = self._require_game(), next(self._ids)
        request = SearchRequest(*loaded, position.copy(), moves, limits, self._search_options())
        job = SearchJob(search_id, request, self._post)
        if is_stopped:
            job.stop()
        running = RunningSearch(job, position, position.ply, self._played_game())
        self._scheduler.call_when_ready(lambda: self._begin(running, requested_ns or now_ns()), job)
        return search_id

    def _begin(self, running: RunningSearch, requested_ns: int) -> None:
        """Start a search whose turn has come."""
        self._running = running
        running.job.begin(max(requested_ns, self._scheduler.idle_since_ns), self._searcher_config())
        self._scheduler.start(running.job)

    def _search_options(self) -> SearchOptions:
        from daemon.search_job import SearchOptions

        options = self.options
        skill = float(options.number("Skill Level"))
        if options.is_on("UCI_LimitStrength"):
            skill = skill_of_elo(options.number("UCI_Elo"), self.info.skill_elo)
        return SearchOptions(
            multipv=options.number("MultiPV"),
            overhead=options.number("Move Overhead"),
            skill=skill,
            seed=self._seed(),
            is_analysis=options.is_on("UCI_AnalyseMode"),
            is_debugging=self.is_debugging,
        )

    def ponderhit(self, hit_ns: int = 0) -> None:
        """The move pondered on was played: a search that ponders runs under its clock from `hit_ns` (0: now)."""
        if self._running is not None:
            self._running.job.ponderhit(hit_ns or now_ns())

    @property
    def is_pondering(self) -> bool:
        return self._running is not None and self._running.job.is_pondering

    def stop(self) -> None:
        """End the job that runs and those that wait; each still posts its last event. Any thread may call this."""
        self._scheduler.stop()

    def perft(self, depth: int, is_stopped: bool = False) -> None:
        """Count the leaves below each root move (idle). Events: PerftMove, and last PerftDone or Failed."""
        self._check(READY)
        from daemon.bench import PerftJob

        self._start_count(PerftJob(self._require_game().game, self.position.copy(), depth, self._post), is_stopped)

    def bench(self, is_stopped: bool = False) -> None:
        """Run the fixed searches of the game (idle). Events: BenchPosition, and last BenchDone or Failed."""
        self._check(READY)
        from daemon.bench import BenchJob

        self._start_count(BenchJob(self._require_game().game, self._post), is_stopped)

    def _start_count(self, job: Job, is_stopped: bool) -> None:
        if is_stopped:
            job.stop()
        self._scheduler.start(job)

    def shut_down(self, shutdown: Shutdown) -> None:
        """The client asks for no more: stop what would not end, and after a quit every search."""
        self._scheduler.shut_down(shutdown)

    def close(self) -> None:
        """Write what is kept of the game; the engine is not used after it."""
        self._close_log()

    # Within

    def _require_game(self) -> LoadedGame:
        self._check(Needs.GAME)
        assert self._loaded_game is not None
        return self._loaded_game

    def _check(self, needs: Needs) -> None:
        if not self._scheduler.allows(needs):
            what = "no game is loaded" if self._loaded_game is None else "a search or a count runs"
            raise Refusal(Kind.BUSY, f"not now: {what}")

    def _warn(self, text: str) -> None:
        self._post(Warning(text))

    def _close_log(self) -> None:
        if self._log is not None:
            self._log.close()

    def _log_move(self, answer: BestMove) -> None:
        """Log the engine's move in a game: one under a clock or a time for each move."""
        if self._log is None or self._running is None or answer.move is None:
            return
        limits = self._running.job.request.limits
        if not (limits.has_clock or limits.movetime):
            return
        position, played = answer.position, self._running.played
        after = position.copy()
        try:
            after.push(answer.move)
        except ValueError:
            return  # a view does not know what its attack leaves
        winner = None if answer.mate is None else position.turn if answer.mate > 0 else 1 - position.turn
        played = played._replace(moves=(*played.moves, position.move_text(answer.move)))
        self._log.update(played, after, winner)


def _entropy() -> int:
    """Return a seed that nobody chose."""
    return int.from_bytes(os.urandom(3), "little") + 1
