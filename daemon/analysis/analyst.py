"""One worker: its games and searchers, and the answers that it finds."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from daemon import __version__
from daemon.analysis.query import SEARCHER_OPTIONS, BadLineError, OptionValue, Query
from daemon.events import Event, Info, Refused
from daemon.limits import Limits
from daemon.pipes import now_ns
from daemon.search_job import SearchJob, SearchOptions, SearchRequest
from games import registry
from games.compiling import announce_compiling
from games.contract import Game, Line, Position, Score, Searcher, set_dice

MAX_LOADED = 4
"""Games with different options that a worker keeps."""

Emit = Callable[[dict[str, Any]], None]


@dataclass(eq=False)
class Item:
    """A position of a query that is not answered yet."""

    query: Query
    turn: int  # moves before it
    options: tuple[OptionValue, ...]
    query_hash: str  # of its answer
    job: SearchJob | None = None  # while it is searched
    is_terminated: bool = False  # by an action


class LoadedGame(NamedTuple):
    """A game with its options set."""

    game: Game[Position]
    searcher: Searcher[Position]


class Analyst:
    """Owned by one thread; only `forget` may be called by others."""

    def __init__(self, write: Callable[[str], None]) -> None:
        """`write` gets lines about the compiling of games."""
        self._write = write
        self._games: OrderedDict[tuple[OptionValue, ...], LoadedGame] = OrderedDict()

    def forget(self) -> None:
        """Drop what searches have stored; one that runs keeps its own to its end. Any thread may call this."""
        self._games = OrderedDict()

    def analyse(self, item: Item, begin: Callable[[Item, SearchJob], None], emit: Emit) -> dict[str, Any]:
        """Return the final answer to an item; `emit` gets those before it. BadLineError if the query has a fault.

        `begin` gets the search just before it runs.
        """
        query = item.query
        game, searcher = self._game(item)
        position = self._position(game, item)
        found = {"id": query.id, "turn": item.turn, "isDuringSearch": False, "game": query.game, "fen": position.fen()}
        found |= {"query": item.query_hash, "limits": query.limits, "version": __version__}
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
        if query.clear:
            searcher.clear()
        limits = Limits(movetime=query.movetime or None, nodes=query.nodes, depth=query.depth, mate=query.mate)
        search_options = SearchOptions(multipv=query.multipv or 1, is_analysis=True)
        reports = Reports(lambda info: emit(found | describe(info) | {"isDuringSearch": True}), query.reportEvery)
        job = SearchJob(0, SearchRequest(game, searcher, position, moves, limits, search_options), reports.handle_event)
        begin(item, job)
        job.begin(now_ns())
        job.run()
        if reports.final is None:
            raise SearchFaultError(reports.fault)
        return found | describe(reports.final)

    def _game(self, item: Item) -> LoadedGame:
        loaded = self._games  # `forget` may put another in its place
        key = (("game", item.query.game), *item.options)
        if key not in loaded:
            loaded[key] = self._load(item)
            if len(loaded) > MAX_LOADED:
                loaded.popitem(last=False)
        loaded.move_to_end(key)
        return loaded[key]

    def _load(self, item: Item) -> LoadedGame:
        query = item.query
        with announce_compiling(self._write, query.game):
            game = registry.load(query.game)
            searcher = game.searcher()
        for name, value in item.options[len(SEARCHER_OPTIONS) :]:
            game.set_option(name, value)
        hash_mb, threads, seed = (int(value) for _, value in item.options[: len(SEARCHER_OPTIONS)])
        try:
            searcher.configure(hash_mb, threads, seed)
        except MemoryError:
            raise BadLineError(f"no memory for {hash_mb} MiB", "options", query.id) from None
        return LoadedGame(game, searcher)

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
        dice = query.throw(item.turn)
        if dice:
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
        text: str = position.move_text(position.parse_move(item.query.moves[item.turn]))
    except ValueError:
        return ""
    return text


class SearchFaultError(Exception):
    """A search broke off by a fault of ours."""


class Reports:
    """The listener of one search: passes on reports as often as asked for, and keeps the last."""

    def __init__(self, emit: Callable[[Info], None], every_s: float) -> None:
        """`every_s`: seconds between two reports; 0: none but the last is wanted."""
        self._emit = emit
        self._every_s = every_s
        self._last_s = time.monotonic()
        self.final: Info | None = None
        self.fault = ""

    def handle_event(self, event: Event) -> None:
        if isinstance(event, Refused):
            self.fault = event.reason
        elif isinstance(event, Info) and event.is_final:
            self.final = event
        elif isinstance(event, Info) and self._every_s and time.monotonic() - self._last_s >= self._every_s:
            self._last_s = time.monotonic()
            self._emit(event)


def describe(info: Info) -> dict[str, Any]:
    """Return the part of an answer that a report makes."""
    report, position = info.report, info.position
    lines = report.lines if report.lines[0].throw else report.lines[: info.multipv]
    found: dict[str, Any] = {
        "depth": report.depth,
        "seldepth": report.seldepth,
        "nodes": report.nodes,
        "time": info.elapsed_ms,
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
