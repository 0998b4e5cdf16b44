"""One worker: its games and searchers, and the answers that it finds."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from daemon import __version__
from daemon.analysis.query import SEARCH_OPTIONS, BadLineError, Query, Setting
from daemon.pipes import now_ns
from daemon.thinker import settles_mate, stop_at
from games import registry
from games.compiling import announce_compiling
from games.contract import Game, Line, Position, Report, Score, Searcher, Task, set_dice

if TYPE_CHECKING:
    from games.kernel.control import Control

KEPT = 4
"""Games with different options that a worker keeps."""

Emit = Callable[[dict[str, Any]], None]


@dataclass(eq=False)
class Item:
    """A position of a query that is not answered yet."""

    query: Query
    turn: int  # moves before it
    options: tuple[Setting, ...]
    identity: str  # of its answer
    control: Control | None = None  # while it is searched
    is_left: bool = False  # by an action


class Loaded(NamedTuple):
    """A game with its options set."""

    game: Game[Position]
    searcher: Searcher


class Analyst:
    """Owned by one thread; only `forget` may be called by others."""

    def __init__(self, write: Callable[[str], None]) -> None:
        """`write` gets lines about the compiling of games."""
        self._write = write
        self._loaded: OrderedDict[tuple[Setting, ...], Loaded] = OrderedDict()

    def forget(self) -> None:
        """Drop what searches have stored; one that runs keeps its own to its end. Any thread may call this."""
        self._loaded = OrderedDict()

    def analyse(self, item: Item, control: Control, emit: Emit) -> dict[str, Any]:
        """Return the final answer to an item; `emit` gets those before it. BadLineError if the query has a fault."""
        query = item.query
        game, searcher = self._game(item)
        position = self._position(game, item)
        found = {"id": query.id, "turn": item.turn, "isDuringSearch": False, "game": query.game, "fen": position.fen()}
        found |= {"query": item.identity, "limits": query.limits, "version": __version__}
        found["toMove"] = ("first", "second")[position.turn]
        if played := played_move(position, item):
            found["played"] = played
        if query.book:
            found["book"] = game.consult(position)
        outcome = position.outcome()
        if outcome is not None:
            found["outcome"] = str(outcome)
        if not position.count_legal():
            return found | {"lines": []}
        try:
            moves = tuple(dict.fromkeys(position.parse_move(word) for word in query.searchmoves))
        except ValueError as error:
            raise BadLineError(str(error), "searchmoves", query.id) from None
        started = now_ns()
        multipv = query.multipv or 1

        def answer(report: Report) -> dict[str, Any]:
            return found | describe(position, report, multipv, (now_ns() - started) // 1_000_000)

        def between(report: Report) -> None:
            emit(answer(report) | {"isDuringSearch": True})

        if query.clear:
            searcher.clear()
        timer = stop_at(control, started + query.movetime * 1_000_000) if query.movetime else None
        searcher.start(Task(position, control, moves, multipv))
        try:
            return answer(iterate(searcher, control, query, between))
        finally:
            searcher.finish()
            if timer is not None:
                timer.cancel()

    def _game(self, item: Item) -> Loaded:
        loaded = self._loaded  # `forget` may put another in its place
        key = (("game", item.query.game), *item.options)
        if key not in loaded:
            loaded[key] = self._load(item)
            if len(loaded) > KEPT:
                loaded.popitem(last=False)
        loaded.move_to_end(key)
        return loaded[key]

    def _load(self, item: Item) -> Loaded:
        query = item.query
        with announce_compiling(self._write, query.game):
            game = registry.load(query.game)
            searcher = game.searcher()
        for name, value in item.options[len(SEARCH_OPTIONS) :]:
            game.set_option(name, value)
        hash_mb, threads, seed = (int(value) for _, value in item.options[: len(SEARCH_OPTIONS)])
        try:
            searcher.configure(hash_mb, threads, seed)
        except MemoryError:
            raise BadLineError(f"no memory for {hash_mb} MiB", "options", query.id) from None
        return Loaded(game, searcher)

    def _position(self, game: Game[Position], item: Item) -> Position:
        query = item.query
        try:
            position = game.position(query.fen or None)
        except ValueError as error:
            raise BadLineError(f"bad FEN: {error}", "fen", query.id) from None
        try:
            for turn, word in enumerate(query.moves[: item.turn]):
                if (dice := query.throw(turn)) and game.info.has_dice:
                    set_dice(position, game.info, dice)  # which the move has to answer
                position.push(position.parse_move(word))
        except ValueError as error:
            raise BadLineError(f"{error} (move {position.ply + 1})", "moves", query.id) from None
        if dice := query.throw(item.turn):
            try:
                set_dice(position, game.info, dice)
            except ValueError as error:
                raise BadLineError(str(error), "dice", query.id) from None
        return position


def played_move(position: Position, item: Item) -> str:
    """The move that the query has at the position, '' where it has none that is legal."""
    if item.turn == len(item.query.moves):
        return ""
    try:
        return position.move_text(position.parse_move(item.query.moves[item.turn]))
    except ValueError:
        return ""


def iterate(searcher: Searcher, control: Control, query: Query, between: Callable[[Report], None]) -> Report:
    """Search until a limit of the query; `between` gets reports on the way as often as the query asks for."""
    last = time.monotonic()
    while True:
        report = searcher.iterate()
        if not report.complete or report.finished or control.stopped or 0 < query.depth <= report.depth:
            return report
        if query.mate and settles_mate(report, query.mate):
            return report
        if query.reportEvery and time.monotonic() - last >= query.reportEvery:
            last = time.monotonic()
            between(report)


def describe(position: Position, report: Report, multipv: int, milliseconds: int) -> dict[str, Any]:
    """Return the part of an answer that a report makes."""
    lines = report.lines if report.lines[0].throw else report.lines[:multipv]
    found: dict[str, Any] = {
        "depth": report.depth,
        "seldepth": report.seldepth,
        "nodes": report.nodes,
        "time": milliseconds,
        "hashfull": report.hashfull,
        "tbhits": report.tbhits,
    }
    if not lines[0].throw:
        found["bestmove"] = position.move_text(lines[0].pv[0])
    found["lines"] = [line_of(position, line, report.depth) for line in lines]
    if report.value is not None:
        found["value"] = score_of(report.value)
    return found


def line_of(position: Position, line: Line, depth: int) -> dict[str, Any]:
    pv = [position.move_text(move) for move in line.pv]
    thrown = {"throw": line.throw} if line.throw else {}
    return thrown | {"move": pv[0], "score": score_of(line.score), "depth": line.depth or depth, "pv": pv}


def score_of(score: Score) -> dict[str, Any]:
    """`cp` or `mate`, and the chances to win and to draw, the latter if there is one, all from the mover's side."""
    found: dict[str, Any] = {"cp": score.cp} if score.mate is None else {"mate": score.mate}
    if score.win is not None:
        found["win"] = round(score.win, 4)
    if score.draw:
        found["draw"] = round(score.draw, 4)
    return found
