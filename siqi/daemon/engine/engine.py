"""The engine as an object: typed calls in, typed events out, no word of a protocol.

Threads. One thread, the engine's *owner*, makes all calls except `stop`, which any thread may make. Searches, counts
and the loading of a game are *jobs*: the call returns at once, and the job runs on a thread of its own, one at a time.
No call waits for a job. What a call does itself takes milliseconds, except that `new_game` and `set_option` may clear
the searcher's memory or read a book.

Events. A job's events reach `post` in order; `ends_job` is true for the last one. The owner acts on each event, then
passes it to `handle_event`, which changes the engine's state and makes the calls that waited for the job's end.

Refusals. A call that cannot be carried out raises `Refusal`, whose `kind` gives the cause. It changes nothing except
what the call documents. Calls marked (game) raise Refusal(BUSY) until a game is loaded; calls marked (idle) raise it
while a job runs, too. `prepare` starts loading and returns True once a call can be made.

Moves are words of the game's notation; positions are those of the game's contract (siqi/games/contract.py).
"""

from __future__ import annotations

import contextlib
import itertools
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from siqi.daemon.engine.events import (
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
from siqi.daemon.engine.history import PositionHistory
from siqi.daemon.engine.limits import Limits
from siqi.daemon.engine.load_job import ConfigureJob, LoadedGame, LoadJob, SearcherConfig, configure
from siqi.daemon.engine.options import Options, lacks_book, supports
from siqi.daemon.engine.scheduler import Job, Needs, Scheduler, Shutdown, State
from siqi.daemon.engine.skill import skill_of_elo
from siqi.games import registry
from siqi.games.contract import (
    BookLine,
    GameInfo,
    Outcome,
    Position,
    StoredResult,
    is_hidden_position,
    is_learning_game,
    is_setup_position,
    set_dice,
)
from siqi.system.pipes import now_ns

if TYPE_CHECKING:
    from siqi.daemon.engine.kept_games import KeptGames
    from siqi.daemon.engine.played_game import PlayedGame
    from siqi.daemon.engine.search_job import SearchJob, SearchOptions

LOG_FILE, GAME_LOG, RECORDS = "Debug Log File", "GameLog", "RecordPath"

READY = Needs.GAME | Needs.IDLE

GIVE_UP_S = 0.1
"""After a fault the search's other threads write the searcher's memory until they see the stop: they get this long for
it, before the memory is used again."""


def no_log(path: str) -> None:
    """Raise Refusal(OPTION) for any path but '': this engine has no traffic to log."""
    if path:
        raise Refusal(Kind.OPTION, f"option {LOG_FILE}: there is no traffic to log")


class RunningSearch(NamedTuple):
    """The search that runs, and the game in which it was requested."""

    job: SearchJob
    history: PositionHistory  # the engine's; the search has a copy of its position
    ply: int  # of that position when the search was requested


class Engine:
    """One engine: its options, its game, its position, and the job that runs."""

    def __init__(self, post: Post, log_to: Callable[[str], None] = no_log) -> None:
        """Create an engine without a game; nothing is loaded or compiled.

        `post` takes events from any thread. `log_to` opens a log of the client's traffic; OSError if it cannot.
        """
        self.options = Options()
        self.is_debugging = False  # if True, each search posts Notes of its time
        self._post = post
        self._log_to = log_to
        self._scheduler = Scheduler(post)
        self._loaded_game: LoadedGame | None = None
        self._history: PositionHistory | None = None  # not None while a game is loaded
        self._running: RunningSearch | None = None
        self._kept: KeptGames | None = None
        self._ids = itertools.count(1)
        self._abandoned = 0  # the last search id whose answer is not played
        self._entropy = _entropy()

    # State

    @property
    def info(self) -> GameInfo:
        """The declaration of the selected game, loaded or not."""
        return registry.info(self.options.text("UCI_Variant"))

    @property
    def state(self) -> State:
        """The scheduler's state (siqi/daemon/engine/scheduler.py has the table)."""
        return self._scheduler.state

    @property
    def is_busy(self) -> bool:
        """True while a job runs or a call waits for its end."""
        return self._scheduler.job is not None or bool(self._scheduler.waiting)

    @property
    def is_loading_ahead(self) -> bool:
        """True while a game is being loaded and no call waits for it."""
        return isinstance(self._scheduler.job, LoadJob) and not self._scheduler.waiting

    @property
    def is_compiling(self) -> bool:
        """True while a game is being loaded whose kernels were not all in the cache."""
        return getattr(self._scheduler.job, "is_compiling", False)

    def prepare(self, needs: Needs) -> bool:
        """Return True if a call with these needs can be made now; start loading if it needs a game and none is loaded.

        Does not block. Events of loading: Compiling, Warning, StillLoading, and last Loaded or LoadFailed.
        """
        if Needs.GAME in needs and self.state is State.EMPTY:
            self._load()
        return self._scheduler.allows(needs)

    def call_when_ready(self, call: Callable[[], None]) -> None:
        """Make a call once the game is loaded and no job runs: now if possible, else later from `handle_event`.

        Calls are made in the order in which they came. Starts loading if no game is loaded. An exception of the call is
        posted as Refused; if loading fails, each waiting call is dropped and posted as Refused(LOADING).
        """
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
        """Change the state by an event that `post` delivered, after the owner has acted on it.

        Only the last event of a job changes anything: the job is over, a loaded game gets its start position, and the
        waiting calls are made until one of them starts a job. Their events are posted within this call.
        """
        if not ends_job(event):
            return
        if isinstance(event, BestMove):
            self._follow_move(event)
            self._running = None  # it would keep the searcher's memory when another game is loaded
        self._scheduler.job_ended(event)
        if isinstance(event, Loaded):
            self._loaded_game = LoadedGame(event.game, event.searcher)
            self._learn(self.options.text(GAME_LOG))
            self._history = None
            self.set_position(None, ())
        elif isinstance(event, LoadFailed):
            for _ in range(self._scheduler.drop_waiting()):
                self._post(Refused(Kind.LOADING, f"{self.info.name} could not be loaded"))
        for call in self._scheduler.due():
            call()

    # Options

    def begin_with(self, settings: Mapping[str, str]) -> None:
        """Set options, by their names, before a game is loaded; clients are shown these values as the defaults.

        Refusal(OPTION) as for `set_option`. Nothing is loaded.
        """
        for name, value in settings.items():
            if name == "UCI_Variant":
                self.options.set(name, value)
            else:
                self.set_option(name, value)
        self.options.become_defaults()

    def set_option(self, name: str, value: str) -> None:
        """Set an option by its name, upper or lower case (idle).

        Refusal(OPTION) for an unknown name, a value that is not allowed, or a file that cannot be opened: the old
        value stays. `UCI_Variant` starts loading another game, with the events of `prepare`; `Hash` and
        `Threads` start a job that ends with Configured. Posts a Note where the game has no book of the option's kind,
        or another option makes it ineffective, and Warning where memory or a book is missing.
        """
        self._check(Needs.IDLE)
        with _refused_as(Kind.OPTION):
            option = self.options.find(name)
            before = self.options.text(option.name)
            self.options.set(option.name, value)
        if option.name in (LOG_FILE, GAME_LOG, RECORDS):
            self._open_file(option.name, before)
        elif option.name == "UCI_Variant":
            if self.options.text("UCI_Variant") != before:
                self._close_game()
                self._loaded_game = self._history = None
                self._load()
        elif self._loaded_game is None:
            pass  # loading sets all options of the game
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
        limits = self.options.text("UCI_LimitStrength")
        ignored = "Skill Level" if limits == "true" else "UCI_Elo"
        if option.name == ignored and self.options.text(ignored) != option.default:
            self._post(Note(f"{ignored}: has no effect while UCI_LimitStrength is {limits}"))

    def _open_file(self, name: str, before: str) -> None:
        """Open the file or folder that an option names.

        Refusal(OPTION) if that fails; the option then keeps its old value.
        """
        path = self.options.text(name)
        try:
            if name == LOG_FILE:
                self._log_to(path)
            elif name == GAME_LOG:
                self._games_to_keep().log.open(path)
                self._learn(path)
            else:
                self._games_to_keep().records.open(path)
        except OSError as error:
            self.options.set(name, before)
            raise Refusal(Kind.OPTION, f"option {name}: {error.strerror}: {path}") from None

    def _games_to_keep(self) -> KeptGames:
        from siqi.daemon.engine.kept_games import KeptGames

        if self._kept is None:
            self._kept = KeptGames(self._warn, self._learn)
        return self._kept

    def _learn(self, path: str) -> None:
        """Have the game learn from the file of `GameLog`, if it is one that learns."""
        if self._loaded_game is not None and is_learning_game(self._loaded_game.game):
            self._loaded_game.game.learn_from(path)

    def _load(self) -> None:
        import siqi.daemon.engine.played_game  # imported here, so that the first search does not spend its time on it
        import siqi.daemon.engine.search_job  # noqa: F401

        name = self.info.name
        self._scheduler.load(LoadJob(name, tuple(self.options.for_game(name)), self._searcher_config(), self._post))

    def _searcher_config(self) -> SearcherConfig:
        return SearcherConfig(self.options.number("Hash"), self.options.number("Threads"), self._seed())

    def _resize(self) -> None:
        self._scheduler.load(ConfigureJob(self._require_game().searcher, self._searcher_config(), self._post))

    def _configure(self) -> None:
        configure(self._require_game().searcher, self._searcher_config(), self._warn)

    def _seed(self) -> int:
        """Return the option's seed, or if it is 0 this game's random one, so that no opponent can predict a set-up."""
        return self.options.number("Seed") or self._entropy

    # The position

    @property
    def position(self) -> Position:
        """The current position, not to be changed (game). Later calls of `set_position` may change it."""
        return self._current_history().position

    def _current_history(self) -> PositionHistory:
        self._check(Needs.GAME)
        assert self._history is not None
        return self._history

    def set_position(self, fen: str | None, moves: Sequence[str], is_played: bool = True) -> None:
        """Set up a FEN, None for the start position, and play moves (game); a search that runs is not affected.

        `is_played`: False if the position is only looked at and belongs to no game.

        Refusal(POSITION) for a bad FEN: the position before stays. Refusal(MOVE) for an illegal move: the moves before
        it are played, `played` is their number.

        A list that continues the previous one is played from there: replaying 330 plies takes 8 ms, too much of the
        last seconds of a short clock.
        """
        game = self._require_game().game
        history = self._history
        if history is None or not history.is_continued_by(fen, moves):
            try:
                history = PositionHistory(game.position(fen), fen, game.info)
            except ValueError as error:
                raise Refusal(Kind.POSITION, f"bad FEN: {error}") from None
            history.take_throws(self._history, moves)
            self._history = history
        position = history.position
        for word in moves[len(history.moves) :]:
            try:
                position.push(position.parse_move(word))
            except ValueError as error:
                raise Refusal(Kind.MOVE, str(error), len(history.moves)) from None
            history.moves.append(word)
        if self._kept is not None and is_played:
            self._kept.set_up(self._played_game(history, len(history.moves)), position)

    def _played_game(self, history: PositionHistory, count: int) -> PlayedGame:
        """Return a game up to a number of moves."""
        from siqi.daemon.engine.played_game import PlayedGame

        name = self.info.name
        moves, options = tuple(history.moves[:count]), self.options.changed(name)
        return PlayedGame(name, history.fen or "", moves, options, history.throws(count))

    def end_game(self, winner: int | None) -> None:
        """End the current game as the client reports it, `winner` None: drawn. An end by the rules stands."""
        if self._kept is not None:
            self._kept.end(winner)

    def set_dice(self, die: int) -> None:
        """Set the die thrown for the side to move (game); a search that ponders on this position takes it, too.

        Refusal(DICE) if the game has no such throw, or the position is before the set-ups or after the end.
        """
        position = self.position
        with _refused_as(Kind.DICE):
            set_dice(position, self.info, die)
        running, history = self._running, self._current_history()
        if running is not None and running.history is history and running.ply == position.ply:
            running.job.set_dice(die)
        history.note_throw(die)
        history.can_be_continued = False  # a list of moves has no throws

    def legal_moves(self) -> list[str]:
        """Return the legal moves as words, sorted (game). Refusal(POSITION) if there are too many set-ups to list."""
        position = self.position
        with _refused_as(Kind.POSITION):
            return sorted(position.move_text(move) for move in position.legal_moves())

    def fen_of(self, pieces: Mapping[str, str], turn: int, die: int = 0) -> str:
        """Return the FEN of pieces (letters by point) and a side to move, 0 or 1 (game); all counters are at the start.

        Refusal(POSITION) for a point, letter or throw that the game does not have.
        """
        game = self._require_game().game
        with _refused_as(Kind.POSITION):
            return game.fen_of(pieces, turn, die)

    def setup_points(self, side: int) -> tuple[str, ...]:
        """Return the points of a side's set-up, in the order of its word (game); () for a game without set-ups."""
        position = self.position
        return position.setup_points(side) if is_setup_position(position, self.info) else ()

    def observed(self, move: str, result: int, flag: str = "") -> str:
        """Return the word of a move in the move list of a view (game): the move with the referee's result code, and the
        square of a flag announced with it. Without hidden pieces this is `move`.

        Refusal(MOVE) if one of them is malformed; legality is checked when the word is played.
        """
        position = self.position
        with _refused_as(Kind.MOVE):
            return position.observed(move, result, flag) if is_hidden_position(position, self.info) else move

    def outcome(self) -> Outcome | None:
        """Return how the game has ended, None while it goes on (game)."""
        return self.position.outcome()

    def evaluate(self) -> list[str]:
        """Return the static evaluation, one line for each term and the total last, the mover's view (game)."""
        return self._require_game().game.evaluate(self.position)

    def consult(self) -> list[BookLine]:
        """Return the books' knowledge of the position, one line for each entry (game, idle)."""
        self._check(READY)
        return self._require_game().game.consult(self.position)

    def recall(self) -> StoredResult | None:
        """Return what earlier searches have stored of the position, None if nothing (game, idle)."""
        self._check(READY)
        return self._require_game().searcher.recall(self.position)

    def new_game(self) -> None:
        """Clear the searcher's memory, draw a new random seed and leave the current game (game, idle).

        The position stays. Posts Warning if memory is missing.
        """
        self._check(READY)
        self._entropy = _entropy()
        self._close_game()
        self._configure()
        game, searcher = self._require_game()
        searcher.clear()
        if is_learning_game(game):
            game.begin_game()

    # Jobs

    def go(
        self, limits: Limits, searchmoves: Sequence[str] = (), requested_ns: int = 0, is_stopped: bool = False
    ) -> int:
        """Start a search of a copy of the current position; return its search id (game). Does not block.

        If a job runs, the search waits for its end. Events: Note, Info, GameOver, Warning, after a fault
        Refused(INTERNAL), and last exactly one BestMove with this id.

        `searchmoves`: the root moves allowed, none: all; Refusal(MOVE) for an illegal one. `requested_ns`: the time at
        which the client sent the request (`pipes.now_ns`), from which the clock runs; 0: now. `is_stopped`: the client
        has sent `stop` since, so the search ends after its first iteration.
        """
        position = self.position
        with _refused_as(Kind.MOVE):
            moves = tuple(dict.fromkeys(position.parse_move(word) for word in searchmoves))
        from siqi.daemon.engine.search_job import SearchJob, SearchRequest

        most = self.options.number("MoveTime")
        if most and limits.has_clock:
            limits = limits._replace(movetime=min(most, limits.movetime or most))
        loaded, search_id = self._require_game(), next(self._ids)
        request = SearchRequest(*loaded, position.copy(), moves, limits, self._search_options())
        job = SearchJob(search_id, request, self._post)
        if is_stopped:
            job.stop()
        running = RunningSearch(job, self._current_history(), position.ply)
        if self._kept is not None and limits.is_of_game:
            self._kept.search(self._played_game(running.history, running.ply), position.turn, limits.ponder)
        self._scheduler.call_when_ready(lambda: self._begin(running, requested_ns or now_ns()), job)
        return search_id

    def _begin(self, running: RunningSearch, requested_ns: int) -> None:
        """Start a search, now that no job runs."""
        self._running = running
        running.job.begin(max(requested_ns, self._scheduler.idle_since_ns), self._searcher_config())
        self._scheduler.start(running.job)

    def _search_options(self) -> SearchOptions:
        from siqi.daemon.engine.search_job import SearchOptions

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
        """Turn a search that ponders into one under its clock, which runs from `hit_ns` (0: now).

        Does nothing if no search ponders.
        """
        if self._running is not None:
            self._running.job.ponderhit(hit_ns or now_ns())

    @property
    def is_pondering(self) -> bool:
        """True while the running search ponders."""
        return self._running is not None and self._running.job.is_pondering

    def stop(self) -> None:
        """Stop the running search or count and those that wait; return at once. Any thread may call this.

        Each still posts its last event; the loading of a game goes on.
        """
        self._scheduler.stop()

    def abandon(self) -> None:
        """Stop all searches as `stop` does; their answers are not played in the game."""
        self._abandoned = next(self._ids)
        self.stop()

    def give_up(self, reason: str) -> None:
        """End the running job, because its kernel has faulted and will not return; a search answers with its best line.

        What searches have stored is forgotten.
        """
        self._scheduler.give_up(reason)
        time.sleep(GIVE_UP_S)
        if self._loaded_game is not None:
            self._loaded_game.searcher.clear()

    def perft(self, depth: int, is_stopped: bool = False) -> None:
        """Start to count the leaves below each root move, `depth` plies deep (game, idle). Does not block.

        Events: PerftMove for each root move, and last PerftDone or Failed. `is_stopped`: the client has sent `stop`.
        """
        self._check(READY)
        from siqi.daemon.engine.bench import PerftJob

        self._start_count(PerftJob(self._require_game().game, self.position.copy(), depth, self._post), is_stopped)

    def bench(self, is_stopped: bool = False) -> None:
        """Start the fixed searches of the game (game, idle). Does not block.

        Events: BenchPosition for each, and last BenchDone or Failed. `is_stopped`: the client has sent `stop`.
        """
        self._check(READY)
        from siqi.daemon.engine.bench import BenchJob

        self._start_count(BenchJob(self._require_game().game, self._post), is_stopped)

    def _start_count(self, job: Job, is_stopped: bool) -> None:
        if is_stopped:
            job.stop()
        self._scheduler.start(job)

    def shut_down(self, shutdown: Shutdown) -> None:
        """Note that no more requests come: stop unbounded searches, after a quit all searches. Does not block."""
        self._scheduler.shut_down(shutdown)

    def close(self) -> None:
        """Leave the current game; the engine must not be used afterwards."""
        self._close_game()

    # Internals

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

    def _close_game(self) -> None:
        if self._kept is not None:
            self._kept.close()

    def _follow_move(self, answer: BestMove) -> None:
        """Follow the engine's move if it was played in a game."""
        running = self._running
        if self._kept is None or running is None or answer.move is None or answer.search_id <= self._abandoned:
            return
        if running.job.is_pondering or not running.job.request.limits.is_of_game:
            return  # a pondering search that is stopped was about a move that the opponent has not played
        position = answer.position
        after = position.copy()
        try:
            after.push(answer.move)
            move = after.pop()  # with the battle's result, where the view implies it
            after.push(move)
        except ValueError:
            return  # the result of an attack is unknown in a view
        winner = None if answer.mate is None else position.turn if answer.mate > 0 else 1 - position.turn
        played = self._played_game(running.history, running.ply + 1)
        moves = (*played.moves[: running.ply], position.move_text(move))
        self._kept.move(played._replace(moves=moves), after, winner)


@contextlib.contextmanager
def _refused_as(kind: Kind) -> Iterator[None]:
    """Raise a ValueError of the block as a Refusal of this kind."""
    try:
        yield
    except ValueError as error:
        raise Refusal(kind, str(error)) from None


def _entropy() -> int:
    """Return a random seed, 1 to 2**24."""
    return int.from_bytes(os.urandom(3), "little") + 1
