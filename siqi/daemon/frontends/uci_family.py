"""The base of UCI and its relatives UCCI and UGI.

Each line is answered after all lines before it, except that `stop` also stops queued searches, and that `isready` is
answered during a search. The lines for iterations and for the declarations of options differ in names only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar

from siqi.daemon.engine import events
from siqi.daemon.engine.events import Event, Info, Kind, ends_job
from siqi.daemon.engine.options import NO_FILE
from siqi.daemon.engine.scheduler import State
from siqi.daemon.frontends.base import FrontEnd, QueuedLine
from siqi.daemon.frontends.words import GoRequest, parse_position
from siqi.games.contract import Option, Score
from siqi.system.pipes import ClientLine

WriteScore = Callable[[Score], str]


class UciFamily(FrontEnd):
    """A front end for UCI or a relative."""

    no_move: ClassVar[str]
    """The answer to a `go` where there is no move, or that is refused."""

    _counts_for_go = False  # the count that runs was requested by `go`

    def read(self, line: ClientLine) -> None:
        word = line.text.split(maxsplit=1)[0]
        if word == "isready" and self.engine.state is State.RUNNING:
            self.out.line("readyok")
        else:
            super().read(line)

    def is_search(self, text: str) -> bool:
        word, *words = text.split()
        return word == "go" and "perft" not in map(str.lower, words)

    def end_refused_go(self, text: str) -> None:
        """Answer a refused line if it is a `go`, a count too: the client waits for the answer."""
        if text.split(maxsplit=1)[0] == "go":
            self.out.line(self.no_move)

    def isready(self, words: list[str], line: ClientLine) -> None:
        self.out.line("readyok")

    def position(self, words: list[str], line: ClientLine) -> None:
        self.engine.set_position(*parse_position(words))

    def fen(self, words: list[str], line: ClientLine) -> None:
        """Set the position by `fen ...`, as clients of Cyclone's variant of UCI send it."""
        self.position(["fen", *words], line)

    def stop(self, words: list[str], line: ClientLine) -> None:
        """Stop the running job and the queued ones: all were requested before the stop."""
        self.engine.stop()
        self.stop_waiting()

    def ponderhit(self, words: list[str], line: ClientLine) -> None:
        """End pondering, also of searches that are queued."""
        self.engine.ponderhit(line.ns)
        for queued in self.queue:
            queued.line.ponderhit_ns = line.ns

    def start(self, request: GoRequest, moves: Sequence[str], line: ClientLine) -> None:
        """Start the search or the count of a `go`."""
        if request.perft:
            self.engine.perft(request.perft, line.is_stopped)
            self._counts_for_go = True
            return
        self.engine.go(request.limits, moves, line.ns, line.is_stopped)
        if line.ponderhit_ns:
            while self.queue and self._is_throw_before_hit(self.queue[0]):
                self._handle(*self.queue.popleft())  # the client sent it before the `ponderhit`
            self.engine.ponderhit(line.ponderhit_ns)

    def _is_throw_before_hit(self, queued: QueuedLine) -> bool:
        return queued.command is self.commands.get("dice") and bool(queued.line.ponderhit_ns)

    # Events

    def count(self, event: Event) -> None:
        self._counts_for_go &= not ends_job(event)
        self.out.line(*count_lines(event))

    def failed(self, kind: Kind, reason: str) -> None:
        self.refused(kind, reason)
        if self._counts_for_go:
            self._counts_for_go = False
            self.out.line(self.no_move)


def info_lines(info: Info, score_text: WriteScore, is_ranked: bool) -> Iterator[str]:
    """Yield `info depth ...` for each line of a report; if no die is thrown yet, the root's value comes first.

    With `is_ranked` each has its rank, `multipv`: 1 for the root's value, and for the best line of each throw. If the
    best line's result is unproven, a line says so first.
    """
    report = info.report
    pace = f" nodes {report.nodes} nps {report.nodes * 1000 // max(info.elapsed_ms, 1)} hashfull {report.hashfull}"
    time = f" time {info.elapsed_ms}"
    if report.value is not None:
        score = score_text(report.value)
        rank = " multipv 1" if is_ranked else ""
        yield f"info depth {report.depth} seldepth {report.seldepth}{rank} score {score}{pace}{time}"
    if claim := report.lines[0].score.unproven:
        yield f"info string unproven {'win' if claim > 0 else 'loss'}"
    tbhits = f" tbhits {report.tbhits}" if report.tbhits else ""
    by_throw = bool(report.lines[0].throw)
    for index, line in enumerate(report.lines if by_throw else report.lines[: info.multipv], 1):
        throw = f" throw {line.throw}" if by_throw else ""
        rank = f" multipv {1 if by_throw else index}" if is_ranked else ""
        score, pv = score_text(line.score), " ".join(map(info.position.move_text, line.pv))
        yield (
            f"info{throw} depth {line.depth or report.depth} seldepth {report.seldepth}{rank}"
            f" score {score}{pace}{tbhits}{time} pv {pv}"
        )


def chances_text(score: Score) -> str:
    """Return ` wdl W D L`, the mover's chances to win, draw and lose per mille; '' if the search gives none."""
    if score.win is None:
        return ""
    win = round(1000 * score.win)
    draw = min(round(1000 * score.draw), 1000 - win)
    return f" wdl {win} {draw} {1000 - win - draw}"


def option_text(option: Option, name: str) -> str:
    """Return the declaration of an option, without the leading `option name` (UCI) or `option` (UCCI)."""
    kind = "string" if option.kind == "number" else option.kind  # UCI has no type for fractions
    text = f"{name} type {kind}"
    if option.kind != "button":
        text += f" default {option.default or NO_FILE}"
    if option.kind == "spin":
        text += f" min {option.low} max {option.high}"
    return text + "".join(f" var {choice}" for choice in option.choices)


def count_lines(event: Event) -> list[str]:
    """Return the lines for an event of perft or bench."""
    match event:
        case events.PerftMove():
            return [f"{event.position.move_text(event.move)}: {event.nodes}"]
        case events.PerftDone(is_stopped=True):
            return [f"info string perft {event.depth} stopped"]
        case events.PerftDone():
            return [f"perft {event.depth} nodes {event.nodes} time {event.elapsed_ms}"]
        case events.BenchPosition():
            return [f"bench position {event.number} {event.summary}"]
        case events.BenchDone(total) if total is not None:
            nps = total.nodes * 1_000_000_000 // max(total.elapsed_ns, 1)
            speed = f"time {total.elapsed_ns // 1_000_000} nps {nps}"
            return [f"bench {total.game} nodes {total.nodes} {speed} signature {total.signature}"]
    return []
