"""The search job, from the limits to the best move: iterations, clock, skill and pondering."""

from __future__ import annotations

import random
import threading
from typing import TYPE_CHECKING, NamedTuple

from siqi.daemon.engine import clock
from siqi.daemon.engine.events import BestMove, GameOver, Info, Kind, Note, Post, Refused, Warning, internal_reason
from siqi.daemon.engine.limits import Limits
from siqi.daemon.engine.load_job import SearcherConfig, configure
from siqi.daemon.engine.options import MAX_SKILL
from siqi.daemon.engine.scheduler import Job, Shutdown
from siqi.games.contract import (
    Game,
    Line,
    Move,
    Position,
    Report,
    Score,
    Searcher,
    Suggestion,
    Task,
    exhaust,
    is_dice_position,
    set_dice,
)
from siqi.system.pipes import now_ns

if TYPE_CHECKING:
    from siqi.games.kernel.control import Control

SKILL_NODES = 500
"""The node limit at skill 0; it doubles every second level."""

SKILL_LINES = 4
"""The least number of lines from which a weakened engine chooses."""

SKILL_NOISE = 8.0
"""Standard deviation of the score noise, in centipawns for each level below the highest."""

BOOK_CHECK_NODES = 20_000
"""Nodes of the search that checks a book's move, and of the search for the best move."""

BOOK_CHECK_SHARE = 0.25
"""The share of the move's soft limit that both may use together."""

BOOK_CHECK_MARGIN = 30
"""A book's move may be worse than the best by this many hundredths of a pawn."""

MATE_SLACK = 4
"""A search for a mate goes this many plies beyond the mate's length, as a selective search may see it late."""


class SearchOptions(NamedTuple):
    """The options of one search, with their values at its request."""

    multipv: int = 1
    overhead: int = 0  # ms
    skill: float = MAX_SKILL
    seed: int = 1
    is_analysis: bool = False  # no book moves, no single replies without a search
    is_debugging: bool = False  # post Notes of the time


def stop_at(control: Control, ns: int) -> threading.Timer | None:
    """Set the time, by `now_ns`, at which a search stops.

    Where kernels cannot read a clock this starts a timer; return it, to be cancelled after the search. None otherwise.
    """
    from siqi.games.kernel.intrinsics import HAS_CLOCK

    if HAS_CLOCK:
        control.set_deadline(ns)
        return None
    timer = threading.Timer(max(ns - now_ns(), 0) / 1e9, control.stop)
    timer.daemon = True
    timer.start()
    return timer


class SearchRequest(NamedTuple):
    """One search: the position, the searcher, the limits and the options."""

    game: Game[Position]
    searcher: Searcher[Position]
    position: Position  # the job's own copy
    moves: tuple[Move, ...] = ()  # those allowed; empty: all
    limits: Limits = Limits()
    options: SearchOptions = SearchOptions()


class SearchJob(Job):
    """A search that waits or runs.

    `run` is called on the job's thread; `stop`, `ponderhit` and `set_dice` on the owner's, also before the search runs.
    `stop` may be called from any thread.
    """

    def __init__(self, search_id: int, request: SearchRequest, post: Post) -> None:
        """`post` takes the events, on the job's thread."""
        from siqi.games.kernel.control import Control

        self.search_id = search_id
        self.request = request
        self._post = post
        limits, options = request.limits, request.options
        nodes, multipv = limits.nodes, options.multipv
        if options.skill < MAX_SKILL:
            cap = int(SKILL_NODES * 2 ** (options.skill / 2))
            nodes, multipv = min(nodes or cap, cap), max(multipv, SKILL_LINES)
        self._task = Task(request.position, Control(nodes), request.moves, multipv)
        self._clock = MoveClock(request)
        self._config: SearcherConfig | None = None
        self._is_stopped = False
        self._best: Line | None = None  # of the last iteration
        self._final: Score | None = None  # of a game that the rules have ended though there are moves
        self._thrown = 0  # the die thrown while all throws are pondered; 0: none yet

    def begin(self, ns: int, config: SearcherConfig | None = None) -> None:
        """Start the clock at `ns`; called before `run`. `config`: the searcher's, None if that cannot have changed."""
        self._config = config
        self._clock.begin(ns, self._task.control)

    def stop(self) -> None:
        """Make the search end soon and answer; return at once."""
        self._is_stopped = True
        self._task.control.stop()
        self._clock.allow_answer()

    def ponderhit(self, ns: int) -> None:
        """End pondering, as the expected move was played: the clock runs from `ns`."""
        if self.is_pondering:
            if self._thrown:
                self._task.control.stop()  # `run` searches again with the throw, under a new control
            self._clock.ponderhit(ns, None if self._thrown else self._task.control)

    def set_dice(self, die: int) -> None:
        """Set the die, if the search ponders on a position without a throw; it is used after `ponderhit`."""
        position = self.request.position
        if self.is_pondering and is_dice_position(position, self.request.game.info) and not position.dice:
            self._thrown = die

    def shut_down(self, shutdown: Shutdown) -> None:
        """Stop an unbounded search, as no `stop` can come any more; after a quit stop any search."""
        if shutdown is Shutdown.QUIT or self.is_pondering or not self.request.limits.is_bounded:
            self.stop()

    @property
    def is_stopped(self) -> bool:
        return self._is_stopped

    @property
    def is_pondering(self) -> bool:
        return self._clock.is_pondering

    def run(self) -> BestMove:
        """Search and return the answer; an unbounded search waits for `stop` with it, a pondering one for `ponderhit`.

        After a fault, post Refused(INTERNAL) and answer with a legal move if there is one.
        """
        budget = self._clock.budget
        if self.request.options.is_debugging and budget is not None:
            self._note(f"time for this move {budget.soft:.0f} ms, at most {budget.hard:.0f} ms")
        try:
            answer = self._find_answer()
        except Exception as error:
            self._post(Refused(Kind.INTERNAL, internal_reason(error)))
            answer = self._answer(self._any_move())
        finally:
            self._clock.cancel_timer()
        if self.request.options.is_debugging:
            self._note(f"time used {self._clock.used_ms():.1f} ms")
        return answer

    def failure_event(self, reason: str) -> BestMove:
        self._post(Refused(Kind.INTERNAL, reason))
        self._post = lambda event: None  # what still runs of this job reports nothing more
        return self._answer(self._any_move())

    def _note(self, text: str) -> None:
        self._post(Note(text))

    def _answer(self, move: Move | None, ponder: Move | None = None, mate: int | None = None) -> BestMove:
        return BestMove(self.search_id, self.request.position, move, ponder, mate)

    def _any_move(self) -> Move | None:
        """Return the move to answer with after a fault: the best found, else a legal one; None if there is none."""
        if self._best is not None and not self._best.throw:
            return self._best.pv[0]
        try:
            moves = self._task.moves or tuple(self.request.position.legal_moves())
            return moves[0] if moves else None
        except Exception:
            return None

    def _find_answer(self) -> BestMove:
        position = self.request.position
        if self._config is not None:
            configure(self.request.searcher, self._config, lambda text: self._post(Warning(text)))
        if not position.count_legal():
            self._post(GameOver(self.search_id, _final_score(position)))
            self._clock.wait_to_answer()
            return self._answer(None)
        if (outcome := position.outcome()) is not None and not outcome.unknown:
            self._final = _final_score(position)
        if not self._task.moves and (suggestion := self._suggestion()) is not None:
            self._note(f"book {suggestion.why}")
            return self._answer(suggestion.move)
        report = self._iterate()
        self._clock.wait_to_answer()
        if self._thrown and not self._is_stopped:
            if not self._continue_with_throw():
                return self._answer(None)
            report = self._iterate()
        lines = report.lines
        if lines[0].throw:
            lines = tuple(line for line in lines if line.throw == self._thrown)
        if not lines:
            return self._answer(None)
        best = lines[0] if self.request.options.skill >= MAX_SKILL else self._pick_weakened(lines)
        if self._final is not None:
            return self._answer(best.pv[0], None, self._final.mate)
        return self._answer(best.pv[0], self._expected_reply(best.pv), best.score.mate)

    def _suggestion(self) -> Suggestion | None:
        """Return a legal move that books suggest and a short search does not refute; None if there is none.

        A fault of a book costs its suggestion: report it.
        """
        limits, position = self.request.limits, self.request.position
        if self.request.options.is_analysis or limits.ponder or not (limits.is_bounded or limits.answers_at_once):
            return None
        ply = position.ply
        try:
            suggestion = self.request.game.suggest(position, self._random())
            if suggestion is None or not (suggestion.under_any_limit or limits.answers_at_once):
                return None
            if suggestion.unless_refuted and self._refutes(suggestion.move):
                return None
            position.parse_move(position.move_text(suggestion.move))  # ValueError if it is illegal
        except Exception as error:
            self._post(Refused(Kind.INTERNAL, internal_reason(error)))
            while position.ply > ply:  # the fault came between a push and its pop
                position.pop()
            return None
        return suggestion

    def _expected_reply(self, pv: tuple[Move, ...]) -> Move | None:
        """Return the second move of a line; None with dice or hidden pieces, or if the game is over after it.

        No client may ponder on a game that is over.
        """
        info = self.request.game.info
        if len(pv) < 2 or info.has_dice or info.has_hidden:
            return None
        position = self.request.position.copy()
        try:
            for move in pv[:2]:
                position.push(move)
        except ValueError:  # the game is too long
            return None
        return None if position.outcome() is not None else pv[1]

    @property
    def _answers_at_once(self) -> bool:
        return self.request.limits.answers_at_once and not self.request.options.is_analysis

    def _continue_with_throw(self) -> bool:
        """Set the throw that came while pondering, and a new control; stored results for this throw are used again.

        Return False if none of the allowed root moves is legal with it.
        """
        from siqi.games.kernel.control import Control

        position = self.request.position
        set_dice(position, self.request.game.info, self._thrown)
        legal = set(position.legal_moves())
        moves = tuple(move for move in self._task.moves if move in legal)
        if self._task.moves and not moves:
            return False
        self._task = self._task._replace(control=Control(self._task.control.node_limit), moves=moves)
        if self._is_stopped:  # meanwhile: that stop reached the old control only
            self._task.control.stop()
        self._clock.set_deadline(self._task.control)
        return True

    def _refutes(self, move: Move) -> bool:
        """True if a short search finds the move worse than the best by the margin, or runs out of time."""
        from siqi.games.kernel.control import Control

        scores = []
        for moves in ((), (move,)):
            control = Control(BOOK_CHECK_NODES)
            self._clock.set_partial_deadline(control, BOOK_CHECK_SHARE)
            report = exhaust(self.request.searcher, Task(self.request.position, control, moves))
            if control.stopped and report.nodes < BOOK_CHECK_NODES:
                return True
            scores.append(report.lines[0].score.cp)
        return scores[1] < scores[0] - BOOK_CHECK_MARGIN * self.request.game.info.score_unit // 100

    def _iterate(self) -> Report:
        """Deepen iteratively until a limit is reached; post an Info after each iteration, return the last report."""
        searcher = self.request.searcher
        searcher.start(self._task)
        try:
            stable = 0
            previous: Line | None = None
            while True:
                report = searcher.iterate()
                if report.note and previous is None:
                    self._note(report.note)
                best = self._best = report.lines[0]
                drop = 0.0 if previous is None else (previous.score.cp - best.score.cp) * 100 / self._score_unit
                stable = stable + 1 if previous is not None and previous.pv[:1] == best.pv[:1] else 0
                previous = best
                is_final = self._is_final(report, stable, drop)
                multipv = self.request.options.multipv
                elapsed_ms = self._clock.elapsed_ms()
                shown = report if self._final is None else _ended(report, self._final)
                self._post(Info(self.search_id, self.request.position, shown, multipv, elapsed_ms, is_final))
                if is_final:
                    return report
        finally:
            searcher.finish()

    @property
    def _score_unit(self) -> int:
        return self.request.game.info.score_unit

    def _is_final(self, report: Report, stable: int, drop: float) -> bool:
        """True if no further iteration is needed. `stable`, `drop`: the arguments of `clock.scale`."""
        limits = self.request.limits
        if not report.complete or report.finished or self._task.control.stopped:
            return True
        if 0 < limits.depth <= report.depth or (limits.mate and is_mate_search_done(report, limits.mate)):
            return True
        if self.is_pondering:
            return False
        return self._is_single or (limits.has_clock and self._clock.is_used_up(stable, drop))

    @property
    def _is_single(self) -> bool:
        """True if there is a single reply, and it may be played at once."""
        return self._answers_at_once and (len(self._task.moves) or self.request.position.count_legal()) == 1

    def _pick_weakened(self, lines: tuple[Line, ...]) -> Line:
        """Return the best line after adding noise to the scores, more at a lower skill."""
        noise = self._random()
        sigma = SKILL_NOISE * (MAX_SKILL - self.request.options.skill)
        return max(lines, key=lambda line: line.score.cp + noise.gauss(0, sigma))

    def _random(self) -> random.Random:
        """Return a generator seeded by the seed option and the position, so that a search can be repeated."""
        return random.Random(f"{self.request.options.seed} {self.request.position.key}")


class MoveClock:
    """The clock of one search: its budget, its start, and whether the answer may be given yet."""

    def __init__(self, request: SearchRequest) -> None:
        position, info, limits = request.position, request.game.info, request.limits
        overhead = request.options.overhead
        self.budget = limits.budget(
            position.turn, position.ply // 2, info.expected_turns, overhead, info.early_weight, info.reply_ms
        )
        self.is_pondering = limits.ponder
        self._requested_ns = self._runs_since_ns = 0
        self._timer: threading.Timer | None = None
        self._may_answer = threading.Event()
        if not (limits.infinite or limits.ponder):
            self._may_answer.set()

    def begin(self, ns: int, control: Control) -> None:
        """Note the time of the request; unless the search ponders, start the clock."""
        self._requested_ns = self._runs_since_ns = ns
        if not self.is_pondering:
            self.set_deadline(control)

    def set_deadline(self, control: Control) -> None:
        """Set a control's deadline to the hard limit, if there is a budget."""
        if self.budget is not None:
            self._timer = stop_at(control, self._runs_since_ns + int(self.budget.hard * 1e6))

    def ponderhit(self, ns: int, control: Control | None) -> None:
        """End pondering: the clock runs from `ns`, and the answer may be given. Set the control's deadline, if any."""
        self._runs_since_ns = max(ns, self._requested_ns)
        if control is not None:
            self.set_deadline(control)
        self.is_pondering = False
        self._may_answer.set()

    def set_partial_deadline(self, control: Control, share: float) -> None:
        """Set a control's deadline to a share of the soft limit."""
        if self.budget is not None:
            control.set_deadline(self._runs_since_ns + int(self.budget.soft * share * 1e6))

    def is_used_up(self, stable: int, drop: float) -> bool:
        """True if the soft limit, scaled, has passed: no new iteration should start."""
        assert self.budget is not None
        return self.used_ms() >= self.budget.soft * clock.scale(stable, drop)

    def used_ms(self) -> float:
        """Return the milliseconds since the clock was started."""
        return (now_ns() - self._runs_since_ns) / 1e6

    def elapsed_ms(self) -> int:
        """Return the milliseconds since the search was requested."""
        return max((now_ns() - self._requested_ns) // 1_000_000, 0)

    def wait_to_answer(self) -> None:
        """Block until the answer may be given: at once, or for an unbounded search after `stop` or `ponderhit`."""
        self._may_answer.wait()

    def allow_answer(self) -> None:
        """Let `wait_to_answer` return, now and later."""
        self._may_answer.set()

    def cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()


def is_mate_search_done(report: Report, wanted: int) -> bool:
    """True if a search for a mate in `wanted` moves is done: it has found one, or was deep enough to see one."""
    mate = report.lines[0].score.mate
    is_found = mate is not None and 0 < mate <= wanted
    return is_found or report.depth >= 2 * wanted - 1 + MATE_SLACK


def _ended(report: Report, score: Score) -> Report:
    """Return a report on a game that is over: its score stands beside a move for clients that play on."""
    return report._replace(lines=tuple(line._replace(score=score, pv=line.pv[:1]) for line in report.lines))


def _final_score(position: Position) -> Score:
    """Return the score of a position in which the game is over, the mover's view."""
    outcome = position.outcome()
    if outcome is None or outcome.winner is None:
        return Score(0, win=0.0, draw=1.0)
    has_won = outcome.winner == position.turn
    return Score(mate=int(has_won), win=float(has_won))
