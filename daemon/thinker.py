"""One search from `go` to `bestmove`, on a thread of its own: iterations, limits, info lines."""

from __future__ import annotations

import random
import threading
from typing import TYPE_CHECKING, Any, NamedTuple

from daemon import clock
from daemon.limits import Limits
from daemon.options import MAX_SKILL
from daemon.output import Output
from daemon.pipes import now_ns
from games.contract import Game, Line, Position, Report, Score, Searcher, Task, exhaust

if TYPE_CHECKING:
    from games.kernel.control import Control

SKILL_NODES = 500
"""Nodes at skill 0; doubled every second level."""

WARM_UP_NODES = 500

SKILL_LINES = 4
SKILL_NOISE = 8.0
"""Standard deviation of the score noise in centipawns, per level missing."""


CHECK_NODES = 20_000
"""A book's move that is to be checked gets so many nodes, and as many the search for a better one."""

CHECK_SHARE = 0.25
"""Of the time meant for the move, at most, for both."""

CHECK_MARGIN = 30
"""Hundredths of a pawn that it may be worse."""

MATE_SLACK = 4
"""Plies that `go mate` searches beyond the mate's own length: selective search may see it late."""


class Settings(NamedTuple):
    """The options that a search needs, as they stood at `go`."""

    multipv: int
    overhead: int  # ms
    skill: float
    seed: int
    shows_wdl: bool
    is_analysis: bool  # no move is played unsearched
    is_debugging: bool


def score_text(score: Score, shows_wdl: bool) -> str:
    """Return `cp N` or `mate N`, and if wanted the chances to win, draw and lose per mille: `wdl W D L`."""
    text = f"mate {score.mate}" if score.mate is not None else f"cp {score.cp}"
    if shows_wdl and score.win is not None:
        win = round(1000 * score.win)
        draw = min(round(1000 * score.draw), 1000 - win)
        text += f" wdl {win} {draw} {1000 - win - draw}"
    return text


def settles_mate(report: Report, wanted: int) -> bool:
    """Whether `go mate N` has its answer: a win short enough, or none where it should have shown by now."""
    mate = report.lines[0].score.mate
    found = mate is not None and 0 < mate <= wanted
    return found or report.depth >= 2 * wanted - 1 + MATE_SLACK


def stop_at(control: Control, ns: int) -> threading.Timer | None:
    """Have a search stopped at a time; by a timer, to be cancelled after it, where kernels see no clock."""
    from games.kernel.intrinsics import HAS_CLOCK

    if HAS_CLOCK:
        control.set_deadline(ns)
        return None
    timer = threading.Timer(max(ns - now_ns(), 0) / 1e9, control.stop)
    timer.daemon = True
    timer.start()
    return timer


class Thinker:
    """A running search. All methods but `run` are called from the session's thread."""

    def __init__(
        self,
        game: Game[Position],
        searcher: Searcher,
        position: Any,
        moves: tuple[int, ...],
        limits: Limits,
        settings: Settings,
        started_ns: int,
        out: Output,
    ) -> None:
        from games.kernel.control import Control

        self._game = game
        self._searcher = searcher
        self._position = position
        self._limits = limits
        self._settings = settings
        self._out = out
        self._started_ns = started_ns
        self._pondering = limits.ponder
        self._stopped = False
        self._answers_at_once = limits.answers_at_once and not settings.is_analysis
        self._thrown = 0  # the die, told while its throws were pondered
        self._clock_ns = started_ns
        self._released = threading.Event()
        if not (limits.infinite or limits.ponder):
            self._released.set()
        nodes = limits.nodes
        multipv = settings.multipv
        if settings.skill < MAX_SKILL:
            cap = int(SKILL_NODES * 2 ** (settings.skill / 2))
            nodes = min(nodes or cap, cap)
            multipv = max(multipv, SKILL_LINES)
        self._control: Control = Control(nodes)
        self._task = Task(position, self._control, moves, multipv)
        played, info = position.ply // 2, game.info
        self._budget = limits.budget(position.turn, played, info.expected_turns, settings.overhead, info.early_weight)
        self._timer: threading.Timer | None = None
        self.is_answering = False
        self.played: tuple[str, Any, int | None] | None = None
        """Once answered: the move, the position after it, the side for which a mate is proven. Not of an analysis."""
        if not self._pondering:
            self._start_clock(started_ns)

    def _start_clock(self, ns: int) -> None:
        self._clock_ns = ns
        if self._budget is not None:
            self._timer = stop_at(self._control, ns + int(self._budget.hard * 1e6))

    def stop(self) -> None:
        self._stopped = True
        self._control.stop()
        self._released.set()

    def ponderhit(self, ns: int) -> None:
        """The move pondered on was played: from now on the clock runs."""
        if self._pondering:
            if self._thrown:
                self._control.stop()  # `run` begins anew with the throw, and a control that runs from now
                self._clock_ns = ns
            else:
                self._start_clock(ns)
            self._pondering = False
            self._released.set()

    def throw(self, dice: int) -> None:
        """The die thrown, in the position whose six throws are pondered."""
        if self._pondering and not self._position.dice:
            self._thrown = dice

    def end_of_input(self) -> None:
        """Nobody can stop it any more: an unbounded search ends now."""
        if self._pondering or not self._limits.is_bounded:
            self.stop()

    def run(self) -> None:
        """Think, wait for `stop` if the search was unbounded, and print exactly one `bestmove`."""
        if self._settings.is_debugging and self._budget is not None:
            self._out.info(f"time for this move {self._budget.soft:.0f} ms, at most {self._budget.hard:.0f} ms")
        try:
            answer = self._think()
        except Exception as error:
            self._out.error(f"internal: {type(error).__name__}: {error}")
            answer = self._any_move()
        finally:
            if self._timer is not None:
                self._timer.cancel()
        if self._settings.is_debugging:
            self._out.info(f"time used {(now_ns() - self._clock_ns) / 1e6:.1f} ms")
        self.is_answering = True
        self._out.line(answer)

    def _any_move(self) -> str:
        """The answer after a fault: a legal move, if there is still one to be had."""
        try:
            moves = self._task.moves or tuple(self._position.legal_moves())
            return f"bestmove {self._position.move_text(moves[0])}" if moves else "bestmove (none)"
        except Exception:
            return "bestmove (none)"

    def _think(self) -> str:
        if not self._position.count_legal():
            outcome = self._position.outcome()
            lost = outcome is not None and outcome.winner == 1 - self._position.turn
            won = outcome is not None and outcome.winner == self._position.turn
            self._out.line(
                f"info depth 0 score {'mate 0' if lost else 'mate 1' if won else 'cp 0'} time 0 nodes 0 nps 0"
            )
            self._released.wait()
            return "bestmove (none)"
        if self._answers_at_once and not self._task.moves:
            suggestion = self._game.suggest(self._position, self._random())
            if suggestion is not None and not (suggestion.unless_refuted and self._refutes(suggestion.move)):
                self._out.info(f"book {suggestion.why}")
                text = self._position.move_text(suggestion.move)
                self._play(suggestion.move, None)
                return f"bestmove {text}"
        report = self._search()
        self._released.wait()
        if self._thrown and not self._stopped:
            if not self._go_on_with_throw():
                return "bestmove (none)"
            report = self._search()
        lines = report.lines
        if lines[0].throw:
            lines = tuple(line for line in lines if line.throw == self._thrown)
        if not lines:
            return "bestmove (none)"
        best = lines[0] if self._settings.skill >= MAX_SKILL else self._weakened(lines)
        answer = f"bestmove {self._position.move_text(best.pv[0])}"
        self._play(best.pv[0], best.score.mate)
        if len(best.pv) > 1 and not self._game.info.has_dice and not self._game.info.has_hidden:
            answer += f" ponder {self._texts(best.pv)[1]}"
        return answer

    def _search(self) -> Report:
        self._searcher.start(self._task)
        try:
            return self._iterate()
        finally:
            self._searcher.finish()

    def _go_on_with_throw(self) -> bool:
        """Take the throw that was told while pondering; what the searcher keeps is worth as much for one throw.

        False if it fits none of the moves allowed.
        """
        from games.kernel.control import Control

        self._position.set_dice(self._thrown)
        legal = set(self._position.legal_moves())
        moves = tuple(move for move in self._task.moves if move in legal)
        if self._task.moves and not moves:
            return False
        self._control = Control(self._control.node_limit)
        self._task = self._task._replace(control=self._control, moves=moves)
        if self._stopped:  # just now
            self._control.stop()
        self._start_clock(self._clock_ns)
        return True

    def _play(self, move: int, mate: int | None) -> None:
        """Note the answer for who keeps the game."""
        if self._limits.has_clock or self._limits.movetime:
            after = self._position.copy()
            try:
                after.push(move)
            except ValueError:
                return  # a view does not know what its attack leaves
            winner = None if mate is None else self._position.turn if mate > 0 else 1 - self._position.turn
            self.played = self._position.move_text(move), after, winner

    def _refutes(self, move: int) -> bool:
        """Whether a short search finds a move clearly worse than the best, or does not get so far."""
        from games.kernel.control import Control

        scores = []
        for moves in ((), (move,)):
            control = Control(CHECK_NODES)
            if self._budget is not None:
                control.set_deadline(self._clock_ns + int(self._budget.soft * CHECK_SHARE * 1e6))
            report = exhaust(self._searcher, Task(self._position, control, moves))
            if control.stopped and report.nodes < CHECK_NODES:
                return True
            scores.append(report.lines[0].score.cp)
        return scores[1] < scores[0] - CHECK_MARGIN * self._game.info.score_unit // 100

    def _iterate(self) -> Report:
        limits = self._limits
        single = self._answers_at_once and (
            len(self._task.moves) == 1 or (not self._task.moves and self._position.count_legal() == 1)
        )
        stable = 0
        previous: Line | None = None
        while True:
            report = self._searcher.iterate()
            if report.note and previous is None:
                self._out.info(report.note)
            self._print(report)
            best = report.lines[0]
            if not report.complete or report.finished or self._control.stopped:
                break
            if 0 < limits.depth <= report.depth or (single and not self._pondering):
                break
            if limits.mate and settles_mate(report, limits.mate):
                break
            drop = (previous.score.cp - best.score.cp) * 100 / self._game.info.score_unit if previous is not None else 0
            stable = stable + 1 if previous is not None and previous.pv[:1] == best.pv[:1] else 0
            previous = best
            if self._budget is not None and not self._pondering and limits.has_clock:
                elapsed = (now_ns() - self._clock_ns) / 1e6
                if elapsed >= self._budget.soft * clock.scale(stable, drop):
                    break
        return report

    def _weakened(self, lines: tuple[Line, ...]) -> Line:
        """The best line after noise that grows as the skill falls."""
        noise = self._random()
        sigma = SKILL_NOISE * (MAX_SKILL - self._settings.skill)
        return max(lines, key=lambda line: line.score.cp + noise.gauss(0, sigma))

    def _random(self) -> random.Random:
        """Draws that the seed and the position fix."""
        return random.Random(f"{self._settings.seed} {self._position.key}")

    def _texts(self, pv: tuple[int, ...]) -> list[str]:
        """The moves of a variation as text; some games need the position to write them."""
        return [self._position.move_text(move) for move in pv]

    def _print(self, report: Report) -> None:
        milliseconds = max((now_ns() - self._started_ns) // 1_000_000, 0)
        nps = report.nodes * 1000 // max(milliseconds, 1)
        shows_wdl = self._settings.shows_wdl or self._game.info.scores_chances
        if report.value is not None:
            self._out.line(
                f"info depth {report.depth} seldepth {report.seldepth} score {score_text(report.value, shows_wdl)}"
                f" nodes {report.nodes} nps {nps} hashfull {report.hashfull} time {milliseconds}"
            )
        shown = report.lines if report.lines[0].throw else report.lines[: self._settings.multipv]
        for index, line in enumerate(shown, 1):
            head = f"info throw {line.throw}" if line.throw else "info"
            multipv = f" multipv {index}" if self._settings.multipv > 1 and not line.throw else ""
            depth = line.depth or report.depth
            tbhits = f" tbhits {report.tbhits}" if report.tbhits else ""
            self._out.line(
                f"{head} depth {depth} seldepth {report.seldepth}{multipv} score {score_text(line.score, shows_wdl)}"
                f" nodes {report.nodes} nps {nps} hashfull {report.hashfull}{tbhits} time {milliseconds}"
                f" pv {' '.join(self._texts(line.pv))}"
            )


def warm_up(game: Game[Position], searcher: Searcher) -> None:
    """One short search, its answer thrown away."""
    from daemon.bench import set_up
    from games.kernel.control import Control

    position = set_up(game, game.bench[0])
    report = exhaust(searcher, Task(position, Control(WARM_UP_NODES)))
    position.outcome()
    position.move_text(report.lines[0].pv[0])
