"""A worker of `siqi analyse`: its games, its searchers, and its answers."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from siqi.daemon.analysis.query import BadLineError, OptionValue, Query, error_answer
from siqi.daemon.engine.events import Event, Info, Refused
from siqi.daemon.engine.limits import Limits
from siqi.daemon.engine.load_job import LoadedGame
from siqi.daemon.engine.options import SEARCHER_OPTIONS
from siqi.daemon.engine.search_job import SearchJob, SearchOptions, SearchRequest
from siqi.games import registry
from siqi.games.compiling import announce_compiling
from siqi.games.contract import SIDES, Game, Line, Position, Score, Warn, set_dice
from siqi.games.game_record import CutGameError, position_after
from siqi.system.pipes import now_ns, printable
from siqi.version import __version__

MAX_LOADED = 4
"""The most games, or settings of one game, that a worker keeps loaded."""

Emit = Callable[[dict[str, Any]], None]

Files: TypeAlias = tuple[tuple[str, str], ...]
"""The options that name files, with digests of these: on a cluster a file of the same name may differ."""


@dataclass(eq=False)
class PendingPosition:
    """A position of a query that is not answered yet."""

    query: Query
    turn: int  # the number of moves before it
    options: tuple[OptionValue, ...]
    query_hash: str  # the field `query` of its answer
    files: Files = ()
    written: Mapping[str, str] = field(default_factory=dict)  # the client's names of fields, by ours, where they differ
    job: SearchJob | None = None  # None: not searched yet
    is_terminated: bool = False  # by an action, or the end of the run


class Analyst:
    """A worker, owned by one thread; other threads may call `forget` only."""

    def __init__(self, write: Warn, load: Callable[[str, Warn], Game[Position]] = registry.load) -> None:
        """`write` gets lines on the progress of compiling, and on books that cannot be used; `load` returns a new game
        of a name."""
        self._write = write
        self._new_game = load
        self._games: OrderedDict[Any, LoadedGame] = OrderedDict()  # by name, options and files

    def forget(self) -> None:
        """Drop all games and searchers; a running search keeps its own to its end. Any thread may call this."""
        self._games = OrderedDict()

    def answer(
        self, item: PendingPosition, begin: Callable[[PendingPosition, SearchJob], None], emit: Emit
    ) -> dict[str, Any]:
        """Return the final answer of an item, an error if it has none; otherwise as `analyse`."""
        name, turn = item.query.id, item.turn
        try:
            return self.analyse(item, begin, emit)
        except BadLineError as error:
            return error_answer(error) | {"turn": turn}
        except SearchFaultError as error:
            return {"id": name, "turn": turn, "error": printable(str(error), 200)}
        except Exception as error:
            text = printable(str(error), 200)
            return {"id": name, "turn": turn, "error": f"internal: {type(error).__name__}: {text}"}

    def analyse(
        self, item: PendingPosition, begin: Callable[[PendingPosition, SearchJob], None], emit: Emit
    ) -> dict[str, Any]:
        """Search an item and return its final answer. Blocks until then.

        `begin` is called with the search just before it runs, `emit` with each answer during it. BadLineError if the
        query has a fault, SearchFaultError if the search had a fault.
        """
        query = item.query
        game, searcher = self._game(item)
        position = self._position(game, item)
        answer = {"id": query.id, "turn": item.turn, "isDuringSearch": False, "game": query.game, "fen": position.fen()}
        answer |= {"query": item.query_hash, "limits": query.limits, "version": __version__}
        answer["toMove"] = SIDES[position.turn]
        if played := played_move(position, item):
            answer["played"] = played
        outcome = position.outcome()
        if outcome is not None:
            answer["outcome"] = str(outcome)
            if not outcome.unknown or not position.count_legal():  # else it may go on
                return answer | {"lines": []}
        if query.book:
            known = game.consult(position)
            answer["book"] = [line.text for line in known]
            if ending := next((line.ending for line in known if line.ending is not None), None):
                answer["ending"] = {name: value for name, value in ending._asdict().items() if value}
        try:
            moves = tuple(dict.fromkeys(position.parse_move(word) for word in query.searchmoves or ()))
        except ValueError as error:
            raise BadLineError(str(error), "searchmoves", query.id) from None
        if query.clear:
            searcher.clear()
        limits = Limits(movetime=query.movetime, nodes=query.nodes or 0, depth=query.depth or 0, mate=query.mate or 0)
        search_options = SearchOptions(multipv=query.multipv or 1, is_analysis=True)
        every_s = query.reportEvery or 0.0
        reports = Reports(lambda info: emit(answer | describe(info) | {"isDuringSearch": True}), every_s)
        job = SearchJob(0, SearchRequest(game, searcher, position, moves, limits, search_options), reports.handle_event)
        begin(item, job)
        job.begin(now_ns())
        job.run()
        if reports.final is None:
            raise SearchFaultError(reports.fault)
        return answer | describe(reports.final)

    def _game(self, item: PendingPosition) -> LoadedGame:
        loaded = self._games  # read once: `forget` may replace it
        key = item.query.game, item.options, item.files
        if key not in loaded:
            loaded[key] = self._load(item)
            if len(loaded) > MAX_LOADED:
                loaded.popitem(last=False)
        loaded.move_to_end(key)
        return loaded[key]

    def _load(self, item: PendingPosition) -> LoadedGame:
        query = item.query
        with announce_compiling(self._write, query.game):
            game = self._new_game(query.game, self._write)
            searcher = game.searcher()
        for name, value in item.options[len(SEARCHER_OPTIONS) :]:
            game.set_option(name, value)
        hash_mb, threads, seed = (int(value) for _, value in item.options[: len(SEARCHER_OPTIONS)])
        try:
            searcher.configure(hash_mb, threads, seed)
        except MemoryError:
            raise BadLineError(f"no memory for {hash_mb} MiB", "options", query.id) from None
        return LoadedGame(game, searcher)

    def _position(self, game: Game[Position], item: PendingPosition) -> Position:
        query = item.query
        try:
            position = position_after(game, query.record.cut(game.info, item.turn))
        except CutGameError as error:
            raise BadLineError(f"{error} (move {len(error.record.moves) + 1})", "moves", query.id) from None
        except ValueError as error:
            raise BadLineError(f"bad FEN: {error}", "fen", query.id) from None
        if dice := query.throw(item.turn):
            try:
                set_dice(position, game.info, dice)
            except ValueError as error:
                raise BadLineError(str(error), "dice", query.id) from None
        return position


def played_move(position: Position, item: PendingPosition) -> str:
    """Return the query's next move at the position; '' if it has none, or an illegal one."""
    if item.turn == len(item.query.moves):
        return ""
    try:
        text: str = position.move_text(position.parse_move(item.query.moves[item.turn]))
    except ValueError:
        return ""
    return text


class SearchFaultError(Exception):
    """Raised if a search was ended by a fault in this program."""


class Reports:
    """The listener of one search: it passes on reports at intervals, and keeps the final one."""

    def __init__(self, emit: Callable[[Info], None], every_s: float) -> None:
        """`emit` gets a report at most every `every_s` seconds; 0: none. The final one is not passed on."""
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
    """Return the fields of an answer that come from a report."""
    report, position = info.report, info.position
    lines = report.lines if report.lines[0].throw else report.lines[: info.multipv]
    fields: dict[str, Any] = {
        "depth": report.depth,
        "seldepth": report.seldepth,
        "nodes": report.nodes,
        "time": info.elapsed_ms,
        "hashfull": report.hashfull,
        "tbhits": report.tbhits,
    }
    if not lines[0].throw:
        fields["bestmove"] = position.move_text(lines[0].pv[0])
    fields["lines"] = [line_of(position, line, report.depth) for line in lines]
    if report.value is not None:
        fields["value"] = score_of(report.value)
    return fields


def line_of(position: Position, line: Line, depth: int) -> dict[str, Any]:
    """Return a principal variation as the answer has it; `depth`: the report's, for a line without its own."""
    pv = [position.move_text(move) for move in line.pv]
    thrown = {"throw": line.throw} if line.throw else {}
    return thrown | {"move": pv[0], "score": score_of(line.score), "depth": line.depth or depth, "pv": pv}


def score_of(score: Score) -> dict[str, Any]:
    """Return a score as the answer has it, the mover's view: `cp` or `mate`, and the chances if they are known.

    `draw` is left out if it is 0, `unproven` if it is not true; `expected` follows from `win` and `draw` as written.
    """
    fields: dict[str, Any] = {"cp": score.cp} if score.mate is None else {"mate": score.mate}
    if score.win is not None:
        fields["win"] = round(score.win, 4)
        if score.draw:
            fields["draw"] = round(score.draw, 4)
        fields["expected"] = round(fields["win"] + fields.get("draw", 0.0) / 2, 4)
    if score.unproven:
        fields["unproven"] = True
    return fields
