"""The engine as an object: its calls and its events, without any protocol."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

import pytest

from siqi.daemon.engine.engine import Engine
from siqi.daemon.engine.events import (
    BenchDone,
    BenchPosition,
    BestMove,
    Compiling,
    Configured,
    Event,
    Failed,
    GameOver,
    Info,
    Kind,
    Loaded,
    LoadFailed,
    Note,
    PerftDone,
    PerftMove,
    Refusal,
    Refused,
    StillLoading,
    Warning,
    ends_job,
)
from siqi.daemon.engine.limits import Limits
from siqi.daemon.engine.options import Options, declared, parse_settings
from siqi.daemon.engine.scheduler import Needs, Shutdown, State
from siqi.daemon.engine.search_job import SearchJob
from siqi.games import registry
from siqi.games.contract import BenchItem, Report, Score, Warn
from siqi.games.kernel import jit

READY = Needs.GAME | Needs.IDLE
INFINITE = Limits(infinite=True)
START_TIMEOUT_S = 300.0
"""Longest wait for an event; kernels may have to be compiled."""

TIMEOUT_S = 30.0

MATE_IN_TWO = "3k5/9/R8/1R7/9/9/9/9/9/5K3 w"
KINGS = "3k5/9/9/9/9/9/9/9/9/4K4 w"
SETUPS = ("123456", "615243")

E = TypeVar("E", bound=Event)


class Owner:
    """The owner of an engine: makes the calls, and takes the events in order."""

    def __init__(self, game: str = "", **options: str) -> None:
        """Make an engine, without a game or with `game` loaded."""
        self.inbox: SimpleQueue[Event] = SimpleQueue()
        self.engine = Engine(self.inbox.put)
        self.loaded: Loaded | None = None
        for name, value in options.items():
            self.engine.set_option(name, value)
        if game:
            self.engine.set_option("UCI_Variant", game)
            self.engine.prepare(Needs.GAME)
            self.loaded = self.until(Loaded, START_TIMEOUT_S)[1]

    def next(self, timeout_s: float = TIMEOUT_S) -> Event:
        """Wait for an event and settle it."""
        event = self.inbox.get(timeout=timeout_s)
        self.engine.handle_event(event)
        return event

    def until(self, kind: type[E], timeout_s: float = TIMEOUT_S) -> tuple[list[Event], E]:
        """Return the events before the next of a kind, and that one."""
        before: list[Event] = []
        while not isinstance(event := self.next(timeout_s), kind):
            before.append(event)
        return before, event

    def rest(self) -> list[Event]:
        """Return all events until nothing runs or waits."""
        events: list[Event] = []
        while self.engine.is_busy or not self.inbox.empty():
            events.append(self.next(START_TIMEOUT_S))
        return events

    def answer(self) -> str:
        """Return the next best move."""
        answer = self.until(BestMove)[1]
        return "" if answer.move is None else answer.position.move_text(answer.move)

    def refused(self, call: Callable[..., object], *arguments: Any) -> Refusal:
        """Return the refusal of a call."""
        with pytest.raises(Refusal) as caught:
            call(*arguments)
        return caught.value


@pytest.fixture(scope="module")
def shared() -> Owner:
    """Return one engine of Xiangqi for tests that leave it idle and unchanged."""
    return Owner("xiangqi")


@pytest.fixture
def owner(shared: Owner) -> Owner:
    assert not shared.engine.is_busy and shared.inbox.empty()
    shared.engine.set_position(None, ())
    return shared


@pytest.fixture
def ewn() -> Owner:
    """Return an engine of EWN after the set-ups."""
    owner = Owner("ewn")
    owner.engine.set_position(None, SETUPS)
    return owner


def only(events: list[Event], kind: type[E]) -> list[E]:
    return [event for event in events if isinstance(event, kind)]


def depths(events: list[Event]) -> list[int]:
    return [info.report.depth for info in only(events, Info)]


# Loading


def test_what_needs_a_game_is_refused_before_one_is_loaded() -> None:
    owner = Owner()
    engine = owner.engine
    calls: list[Callable[[], object]] = [
        lambda: engine.position,
        lambda: engine.set_position(None, ()),
        lambda: engine.set_dice(1),
        engine.legal_moves,
        lambda: engine.fen_of({}, 0),
        lambda: engine.setup_points(0),
        lambda: engine.observed("h2e2", 3),
        engine.outcome,
        engine.evaluate,
        engine.consult,
        engine.recall,
        engine.new_game,
        lambda: engine.go(Limits(depth=1)),
        lambda: engine.perft(1),
        engine.bench,
    ]
    for call in calls:
        assert owner.refused(call).kind is Kind.BUSY
    assert engine.state is State.EMPTY and not engine.is_busy  # a refused call loads nothing
    engine.stop()
    engine.ponderhit()
    engine.shut_down(Shutdown.END_OF_INPUT)
    assert not engine.is_pondering and owner.rest() == []
    assert engine.info.name == "xiangqi"


def test_loading() -> None:
    owner = Owner()
    engine = owner.engine
    engine.set_option("UCI_Coordinates", "1")  # kept for the game
    assert engine.state is State.EMPTY
    assert engine.prepare(Needs.IDLE) and engine.prepare(Needs.NOTHING) and engine.state is State.EMPTY
    assert not engine.prepare(Needs.GAME) and engine.state is State.LOADING and engine.is_busy
    assert owner.refused(engine.set_option, "Hash", "1").kind is Kind.BUSY
    _, loaded = owner.until(Loaded, START_TIMEOUT_S)
    assert loaded.name == "xiangqi" and engine.state is State.READY and not engine.is_busy
    assert engine.prepare(READY)
    engine.set_position(None, ["h3e3"])
    assert owner.refused(engine.set_position, None, ["h2e2"]).played == 0


def test_compiling_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    load = registry.load

    def compile_some(name: str, warn: Warn) -> Any:
        for number in range(jit_lines := 11):
            jit.on_compile(f"kernel {number} of {jit_lines}")
        warn("no such book")
        return load(name, warn)

    monkeypatch.setattr(registry, "load", compile_some)
    owner = Owner("ewn")
    assert not owner.engine.is_compiling
    owner.engine.set_option("UCI_Variant", "junqi")
    assert isinstance(owner.next(START_TIMEOUT_S), Compiling)
    assert owner.engine.is_compiling
    events = owner.until(Loaded, START_TIMEOUT_S)[0]
    assert only(events, Compiling)[-1].text.startswith("compiled junqi: 11 kernels in ")
    assert "no such book" in [getattr(event, "text", "") for event in events]
    assert not owner.engine.is_compiling


def test_a_long_load_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    load, may_load = registry.load, threading.Event()
    monkeypatch.setattr("siqi.daemon.engine.load_job.GREETING_WAIT_S", 0.01)
    monkeypatch.setattr(registry, "load", lambda name, warn: may_load.wait(TIMEOUT_S) and load(name, warn))
    owner = Owner()
    owner.engine.prepare(Needs.GAME)
    owner.until(StillLoading)
    assert owner.engine.is_loading_ahead
    owner.engine.call_when_ready(lambda: None)
    assert not owner.engine.is_loading_ahead  # a call waits for it
    may_load.set()
    owner.until(Loaded, START_TIMEOUT_S)
    assert owner.engine.state is State.READY


def test_a_game_that_cannot_be_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls that wait for the game are refused; the next call that needs it loads it again."""

    def fail(name: str, warn: Warn) -> Any:
        raise ImportError("no numba")

    owner = Owner()
    engine = owner.engine
    made: list[int] = []
    with monkeypatch.context() as context:
        context.setattr(registry, "load", fail)
        for _ in range(2):
            engine.call_when_ready(lambda: made.append(1))
            engine.call_when_ready(lambda: made.append(2))
            assert engine.state is State.LOADING
            assert owner.rest() == [
                LoadFailed("xiangqi", "internal: ImportError: no numba"),
                *[Refused(Kind.LOADING, "xiangqi could not be loaded")] * 2,
            ]
            assert engine.state is State.EMPTY and made == []
        assert owner.refused(lambda: engine.position).kind is Kind.BUSY
    engine.call_when_ready(lambda: made.append(3))
    owner.rest()
    assert made == [3] and engine.state is State.READY


def test_another_game() -> None:
    owner = Owner("ewn")
    engine = owner.engine
    engine.set_position(None, SETUPS)
    engine.set_option("UCI_Variant", "EWN")  # already selected: nothing happens
    assert engine.position.ply == 2 and not engine.is_busy
    engine.set_option("UCI_Variant", "connect6")
    assert engine.state is State.LOADING and engine.info.name == "connect6"
    assert owner.refused(lambda: engine.position).kind is Kind.BUSY
    assert owner.until(Loaded, START_TIMEOUT_S)[1].name == "connect6"
    assert engine.position.ply == 0 and engine.position.fen().endswith(" b 1")


# The position


def test_positions(owner: Owner) -> None:
    engine = owner.engine
    engine.set_position(None, ["h2e2", "h9g7"])
    assert engine.position.ply == 2 and engine.position.turn == 0
    engine.set_position(KINGS, ["e0e1"])
    assert engine.position.fen().split()[:2] == ["3k5/9/9/9/9/9/9/9/4K4/9", "b"]
    assert engine.legal_moves() == ["d9d8"]  # the other move makes the kings face each other
    outcome = engine.outcome()
    assert outcome is not None and outcome.winner is None
    engine.set_position(None, ())
    assert engine.position.ply == 0 and len(engine.legal_moves()) == 44
    assert engine.outcome() is None and engine.evaluate()[-1].startswith("total ")


def test_a_list_that_goes_on_is_played_from_where_it_stood(owner: Owner) -> None:
    engine = owner.engine
    engine.set_position(None, ["h2e2"])
    before = engine.position
    engine.set_position(None, ["h2e2", "h9g7", "h0g2"])
    assert engine.position is before and before.ply == 3
    fen = before.fen()
    for words in (["h2e2", "h9g7", "h0g2"], ["h2e2", "h9g7"], ["b2e2", "h9g7", "h0g2"]):
        engine.set_position(None, words)  # the same, a shorter one, another: from the start
        assert engine.position is not before and engine.position.ply == len(words)
        before = engine.position
    engine.set_position(None, ["h2e2", "h9g7", "h0g2"])
    assert engine.position.fen() == fen
    engine.set_position(KINGS, ["e0e1"])
    before = engine.position
    engine.set_position(None, ())
    engine.set_position(KINGS, ["e0e1", "d9d8"])
    assert engine.position is not before and engine.position.ply == 2


def test_an_illegal_move_ends_the_list(owner: Owner) -> None:
    engine = owner.engine
    for words, played in ((["h2e2", "zz", "h9g7"], 1), (["h2e2", "h9g7", "h2e2"], 2), (["h2e2", "h9g7", "a9a0"], 2)):
        refusal = owner.refused(engine.set_position, None, words)
        assert refusal.kind is Kind.MOVE and refusal.played == played and words[played] in refusal.reason
        assert engine.position.ply == played
    engine.set_position(None, ["h2e2", "h9g7", "h0g2"])  # continues after the moves that were legal
    assert engine.position.ply == 3


def test_a_bad_fen_changes_nothing(owner: Owner) -> None:
    engine = owner.engine
    engine.set_position(None, ["h2e2"])
    before, fen = engine.position, engine.position.fen()
    for bad in ("", "x", "9/9/9/9/9/9/9/9/9/9 w", f"{KINGS[:-1]}x"):
        refusal = owner.refused(engine.set_position, bad, ["e0e1"])
        assert refusal.kind is Kind.POSITION and refusal.played is None and refusal.reason.startswith("bad FEN: ")
        assert engine.position is before and before.fen() == fen
    engine.set_position(None, ["h2e2", "h9g7"])
    assert engine.position is before


def test_dice(ewn: Owner, owner: Owner) -> None:
    engine = ewn.engine
    union = engine.legal_moves()
    engine.set_dice(3)
    thrown = engine.legal_moves()
    assert thrown and set(thrown) < set(union) and {move[:2] for move in thrown} == {"c5"}
    for dice in (-1, 7):
        assert ewn.refused(engine.set_dice, dice).kind is Kind.DICE
        assert engine.legal_moves() == thrown
    engine.set_dice(2)
    assert engine.legal_moves() != thrown
    other = next(move for move in union if move[:2] == "a3")
    engine.set_position(None, (*SETUPS, other))  # a list names no throws
    assert engine.position.ply == 3
    engine.set_position(None, ())
    assert ewn.refused(engine.set_dice, 3).kind is Kind.DICE
    assert owner.refused(owner.engine.set_dice, 3).kind is Kind.DICE


def test_questions_of_games_with_setups_and_hidden_pieces() -> None:
    owner = Owner("junqi")
    engine = owner.engine
    assert owner.refused(engine.legal_moves).kind is Kind.POSITION  # too many set-ups
    assert len(engine.setup_points(0)) == len(engine.setup_points(1)) == 25
    assert engine.observed("G0F0", 1, "A1") == "G0F0=1@A1"
    for arguments in (("G0F0", 9), ("G0F0", 1, "Z9")):
        assert owner.refused(engine.observed, *arguments).kind is Kind.MOVE
    fen = engine.fen_of({"A1": "l", "F0": "c", "L1": "L", "G0": "C"}, 1)
    engine.set_position(fen, ())
    assert engine.position.turn == 1 and engine.position.pieces()["F0"] == "c"
    assert owner.refused(engine.fen_of, {"A9": "l"}, 0).kind is Kind.POSITION


# Searches


@pytest.mark.parametrize(
    "limits", [Limits(depth=3), Limits(nodes=3000), Limits(movetime=60), Limits(depth=30, nodes=500)], ids=repr
)
def test_a_search_has_one_answer(owner: Owner, limits: Limits) -> None:
    engine = owner.engine
    engine.set_position(None, ["h2e2"])
    search_id = engine.go(limits)
    assert engine.state is State.RUNNING and engine.is_busy
    events = owner.rest()
    infos, answers = only(events, Info), only(events, BestMove)
    assert len(answers) == 1 and answers[0] is events[-1] and answers[0].search_id == search_id
    assert {info.search_id for info in infos} == {search_id}
    assert [info.is_final for info in infos] == [False] * (len(infos) - 1) + [True]
    assert answers[0].position is not engine.position and answers[0].position.fen() == engine.position.fen()
    assert answers[0].move == infos[-1].report.lines[0].pv[0]
    if limits.depth:
        assert max(depths(events)) <= limits.depth
    if limits.nodes:
        assert infos[-1].report.nodes <= limits.nodes + 100
    if limits.movetime:
        assert infos[-1].elapsed_ms < limits.movetime + 10_000
    assert engine.state is State.READY


def test_search_ids_are_never_used_twice(owner: Owner) -> None:
    ids = []
    for _ in range(3):
        ids.append(owner.engine.go(Limits(depth=1)))
        owner.refused(owner.engine.go, Limits(depth=1), ["zz"])
        owner.rest()
    assert len(set(ids)) == 3


def test_a_search_for_a_mate(owner: Owner) -> None:
    owner.engine.set_position(MATE_IN_TWO, ())
    owner.engine.go(Limits(mate=2))
    events = owner.rest()
    assert only(events, BestMove)[0].mate == 2 and max(depths(events)) <= 7
    owner.engine.go(Limits(mate=1))  # no mate exists: the search ends all the same
    assert len(only(owner.rest(), BestMove)) == 1


def test_moves_to_search(owner: Owner) -> None:
    owner.engine.go(Limits(depth=3), ["a0a1", "i0i1", "a0a1"])
    assert owner.answer() in ("a0a1", "i0i1")
    for words in (["a0a9"], ["a0a1", "zz"], [""]):
        assert owner.refused(owner.engine.go, Limits(depth=1), words).kind is Kind.MOVE
        assert not owner.engine.is_busy
    assert owner.rest() == []


def test_lines_of_several_moves(owner: Owner) -> None:
    owner.engine.set_option("MultiPV", "3")
    owner.engine.go(Limits(depth=3))
    infos = only(owner.rest(), Info)
    owner.engine.set_option("MultiPV", "1")
    assert {info.multipv for info in infos} == {3}
    assert len({line.pv[0] for line in infos[-1].report.lines[:3]}) == 3


def test_a_game_that_is_over(owner: Owner) -> None:
    owner.engine.set_position("R2k5/1R7/9/9/9/9/9/9/9/4K4 b", ())
    search_id = owner.engine.go(Limits(depth=3))
    over, answer = owner.rest()
    assert isinstance(over, GameOver) and over.search_id == search_id and over.score.mate == 0
    assert isinstance(answer, BestMove) and answer.move is None and answer.search_id == search_id


MATE_AT_HAND = "3k5/1R7/R8/9/9/9/9/9/9/4K4"
CHASED = ["a1e1", "e9f9", "e1f1", "f9e9", "f1e1", "e9f9", "e1f1", "f9e9", "f1e1", "e9f9"]
SHUFFLED = 2 * ["h2e2", "h9g7", "e2h2", "g7h9"]


@pytest.mark.parametrize(
    ("fen", "moves", "mate"),
    [
        (f"{MATE_AT_HAND} w - - 120 200", [], None),
        ("9/9/3k5/9/9/9/9/9/4R4/4K4 w - - 119 200", ["e1e2"], None),
        (None, SHUFFLED, None),
        ("3ak4/4a4/9/9/9/9/9/4B4/4A4/4K1B2 w", [], None),
        ("4k4/9/9/9/9/9/9/9/R8/3K5 w", CHASED[:-1], 1),
        ("4k4/9/9/9/9/9/9/9/R8/3K5 w", CHASED, 0),
    ],
)
def test_a_game_that_the_rules_have_ended_has_its_score_beside_a_move(
    owner: Owner, fen: str | None, moves: list[str], mate: int | None
) -> None:
    owner.engine.set_position(fen, moves)
    outcome = owner.engine.outcome()
    assert outcome is not None and (outcome.winner is None) == (mate is None)
    owner.engine.go(Limits(depth=4))
    events = owner.rest()
    lines = [line for info in only(events, Info) for line in info.report.lines]
    assert {(line.score.cp, line.score.mate, line.score.expected, len(line.pv)) for line in lines} == {
        (0, mate, 0.5 if mate is None else mate, 1)
    }
    answer = only(events, BestMove)[-1]
    assert (answer.mate, answer.ponder) == (mate, None) and answer.move is not None


def test_a_game_of_junqi_without_contact_is_won_by_the_mover() -> None:
    owner = Owner("junqi")
    owner.engine.set_position("1l3/a4/5/5/5/5/5/5/5/5/A4/1L3 f f 31", ())
    owner.engine.go(Limits(depth=3))
    events = owner.rest()
    scores = {line.score for info in only(events, Info) for line in info.report.lines}
    assert scores == {Score(mate=1, win=1.0)} and only(events, BestMove)[-1].mate == 1


def test_searches_wait_for_each_other(owner: Owner) -> None:
    """Each search has the position at the time of its call."""
    engine = owner.engine
    asked = []
    for words in ((), ("h2e2",), ("h2e2", "h9g7"), ("h2e2", "h9g7", "b0c2")):
        engine.set_position(None, words)
        asked.append((engine.go(Limits(nodes=200)), engine.position.fen()))
    engine.set_position(KINGS, ())
    events = owner.rest()
    answers = only(events, BestMove)
    assert [(answer.search_id, answer.position.fen()) for answer in answers] == asked
    order = [event.search_id for event in events if isinstance(event, Info | BestMove)]
    assert order == sorted(order)


def test_the_time_of_a_move_is_capped_under_a_clock() -> None:
    hour = 3_600_000
    owner = Owner("ewn", MoveTime="60")
    owner.engine.set_position("ABC2/DE3/F3f/3ed/2cba f 3", ())
    for limits in (Limits(hour, hour), Limits(hour, hour, movetime=30), Limits(hour, hour, movetime=hour)):
        owner.engine.go(limits)
        infos = only(owner.rest(), Info)
        assert infos[-1].elapsed_ms < 60 + 10_000
    owner.engine.go(Limits(depth=3))
    assert max(depths(owner.rest())) == 3


def test_settings_of_the_start_are_the_defaults_that_clients_see() -> None:
    owner = Owner()
    owner.engine.begin_with({"UCI_Variant": "ewn", "Hash": "8", "Algorithm": "uct", "Width": "3"})
    assert owner.engine.state is State.EMPTY and owner.engine.info.name == "ewn"
    listed = {option.name: option for option in owner.engine.options.listed("ewn")}
    assert (listed["Hash"].default, listed["Threads"].default) == ("8", "1")
    assert listed["Algorithm"].choices[:2] == ("uct", "expectimax") and "Width" not in listed
    owner.engine.set_option("Hash", "16")
    assert {option.name: option.default for option in owner.engine.options.listed("connect6")}["Hash"] == "8"
    assert owner.refused(owner.engine.begin_with, {"RecordPath": "/nowhere"}).kind is Kind.OPTION


def test_games_may_share_the_name_of_an_option() -> None:
    options = Options()

    def algorithms() -> list[str]:
        return [dict(options.for_game(game))["Algorithm"] for game in ("xiangqi", "ewn", "junqi")]

    assert algorithms() == ["pvs", "expectimax", "worlds"]
    for value, expected in (
        ("UCT", ["pvs", "uct", "uct"]),
        ("worlds", ["pvs", "uct", "worlds"]),
        ("expectimax", ["pvs", "expectimax", "worlds"]),
        ("paper5", ["paper5", "expectimax", "worlds"]),
        ("pvs", ["pvs", "expectimax", "worlds"]),
    ):
        assert options.set("algorithm", value)[1] == value.lower() and algorithms() == expected
    with pytest.raises(ValueError, match="option Algorithm: one of pvs paper2 paper5, not deep"):
        options.set("Algorithm", "deep")
    options.set("UCI_Variant", "junqi")
    options.set("Algorithm", "uct")
    assert algorithms() == ["pvs", "expectimax", "uct"] and options.changed("junqi") == {"Algorithm": "uct"}
    with pytest.raises(ValueError, match=r"option Algorithm: one of worlds flat uct .* montecarlo, not deep"):
        options.set("Algorithm", "deep")
    options.set("Algorithm", "paper5")  # Xiangqi's: Junqi has no such value
    assert algorithms() == ["paper5", "expectimax", "uct"] and options.changed("xiangqi") == {"Algorithm": "paper5"}
    assert parse_settings(["Algorithm=flat"]) == {"Algorithm": "flat"}


def test_options_of_one_name_differ_in_choices_and_default_only() -> None:
    for option, owner in declared():
        for other, another in declared():
            if option.name.lower() == other.name.lower():
                assert (owner and another) or option is other, option.name
                same = {"default": "", "choices": (), "help": None}
                assert option._replace(**same) == other._replace(**same)


def test_an_alias_stands_for_its_option() -> None:
    options = Options()
    options.set("learn", "games")
    assert options.text("GameLog") == options.text("Learn") == "games" and "LEARN" in options
    assert [option.name for option in options.listed("ewn") if option.name in ("Learn", "GameLog")] == ["GameLog"]
    assert parse_settings(["Learn=games"]) == {"GameLog": "games"}


def test_a_search_that_waited_has_its_whole_time(owner: Owner) -> None:
    for _ in range(2):
        owner.engine.go(Limits(movetime=150))
    owner.until(BestMove)
    events, _ = owner.until(BestMove)
    infos = only(events, Info)
    assert 60 <= infos[-1].elapsed_ms < 10_000  # not from the time of the call


def test_stop(owner: Owner) -> None:
    """`stop` applies to the running search and to all waiting ones."""
    engine = owner.engine
    ids = [engine.go(INFINITE) for _ in range(3)]
    owner.until(Info)
    engine.stop()
    assert engine.state is State.STOPPING
    last = engine.go(Limits(depth=3))  # called after the stop
    answers = only(owner.rest(), BestMove)
    assert [answer.search_id for answer in answers] == [*ids, last]
    assert all(answer.move is not None for answer in answers)


def test_a_stop_that_came_before_the_search(owner: Owner) -> None:
    owner.engine.go(INFINITE, is_stopped=True)
    assert owner.answer()
    owner.engine.go(Limits(ponder=True), is_stopped=True)
    assert owner.answer()
    owner.engine.stop()  # nothing runs
    assert owner.engine.state is State.READY
    owner.engine.go(Limits(depth=3))
    assert 3 in depths(owner.rest())


def test_an_endless_search_waits_for_its_stop(owner: Owner) -> None:
    owner.engine.go(Limits(depth=1, infinite=True))
    owner.until(Info)
    with pytest.raises(Empty):
        owner.next(0.2)
    owner.engine.stop()
    assert owner.answer()


def test_pondering(owner: Owner) -> None:
    engine = owner.engine
    engine.go(Limits(depth=1, ponder=True))
    assert engine.is_pondering
    owner.until(Info)
    with pytest.raises(Empty):
        owner.next(0.2)
    engine.ponderhit()
    assert not engine.is_pondering
    assert owner.answer()
    engine.ponderhit()  # nothing runs
    engine.go(Limits(movetime=200, ponder=True))
    owner.until(Info)
    hit = time.monotonic()
    engine.ponderhit()
    assert owner.answer() and 0.1 < time.monotonic() - hit < 10
    engine.go(INFINITE)
    engine.ponderhit()  # the search does not ponder
    with pytest.raises(Empty):
        while not ends_job(owner.next(0.2)):
            pass
    engine.stop()
    assert owner.answer()


@pytest.mark.parametrize("name", ["expectimax", "uct"])
def test_a_throw_that_is_named_while_its_throws_are_pondered(name: str, ewn: Owner) -> None:
    engine = ewn.engine
    engine.set_option("Algorithm", name)
    pondering = Limits(movetime=60, ponder=True)
    engine.go(pondering)
    engine.set_dice(4)
    engine.ponderhit()
    assert ewn.answer()[:2] == "a4"  # the piece of that number
    engine.set_position(None, SETUPS)
    engine.go(pondering)
    engine.ponderhit()
    assert ewn.answer() == ""  # no throw, no move
    engine.go(pondering)
    engine.set_position(None, SETUPS[::-1])
    engine.set_dice(4)  # of another position
    engine.ponderhit()
    assert ewn.answer() == ""


# Options


def test_options(owner: Owner) -> None:
    engine = owner.engine
    engine.set_option("hash", "8")
    assert engine.state is State.LOADING  # the table is written
    owner.until(Configured)
    assert engine.options.number("Hash") == 8
    for name, value in (("Nonsense", "1"), ("Hash", "0"), ("Hash", "x"), ("Ponder", "maybe"), ("UCI_Variant", "go")):
        assert owner.refused(engine.set_option, name, value).kind is Kind.OPTION
    assert engine.options.number("Hash") == 8 and engine.state is State.READY
    engine.set_option("Clear Hash", "")
    engine.set_option("Hash", "64")
    owner.until(Configured)
    assert owner.rest() == []


def test_memory_that_cannot_be_had(owner: Owner, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine takes less memory, and then handles the waiting calls."""
    assert owner.loaded is not None
    made: list[State] = []

    def configure(hash_mb: int, threads: int, seed: int) -> None:
        raise MemoryError("using 1 MiB")

    with monkeypatch.context() as context:
        context.setattr(owner.loaded.searcher, "configure", configure)
        owner.engine.set_option("Hash", "16384")
        owner.engine.call_when_ready(lambda: made.append(owner.engine.state))
        assert made == []
        assert owner.rest() == [Warning("option Hash: no memory for 16384 MiB; using 1 MiB"), Configured()]
    assert made == [State.READY]
    owner.engine.set_option("Hash", "64")
    owner.until(Configured)


def test_an_option_is_for_an_idle_engine(owner: Owner) -> None:
    engine = owner.engine
    engine.go(INFINITE)
    for call in (
        lambda: engine.set_option("Hash", "8"),
        lambda: engine.perft(1),
        engine.bench,
        engine.new_game,
        engine.consult,
        engine.recall,
    ):
        assert owner.refused(call).kind is Kind.BUSY
    assert engine.options.number("Hash") == 64
    engine.set_position(None, ["h2e2"])  # these need none
    assert engine.legal_moves() and engine.outcome() is None and engine.evaluate()
    engine.stop()
    owner.rest()
    engine.set_option("Hash", "64")
    owner.until(Configured)


def test_an_option_that_another_makes_ineffective_is_noted(ewn: Owner) -> None:
    ewn.engine.set_option("UCI_Elo", "2000")  # the default, as many clients set it
    ewn.engine.set_option("Skill Level", "5")
    assert ewn.rest() == []
    ewn.engine.set_option("uci_elo", "1950")
    assert ewn.rest() == [Note("UCI_Elo: has no effect while UCI_LimitStrength is false")]
    ewn.engine.set_option("UCI_LimitStrength", "true")
    ewn.engine.set_option("UCI_Elo", "1960")
    assert ewn.rest() == []
    ewn.engine.set_option("Skill Level", "6")
    assert ewn.rest() == [Note("Skill Level: has no effect while UCI_LimitStrength is true")]


def test_a_book_that_a_game_has_not(ewn: Owner) -> None:
    ewn.engine.set_option("UseRules", "true")  # the default
    ewn.engine.set_option("OwnBook", "false")
    assert ewn.rest() == []
    ewn.engine.set_option("UseRules", "paper")
    assert ewn.rest() == [Note("UseRules: ewn has no such book; playing without it")]


def test_files_that_cannot_be_opened_leave_those_before(owner: Owner, tmp_path: Path) -> None:
    engine, path = owner.engine, tmp_path / "games.jsonl"
    engine.set_option("GameLog", str(path))
    refusal = owner.refused(engine.set_option, "GameLog", str(tmp_path))
    assert refusal.kind is Kind.OPTION and str(tmp_path) in refusal.reason
    assert engine.options.text("GameLog") == str(path)
    engine.set_position("3k5/1R7/R8/9/9/9/9/9/9/4K4 w", ())
    engine.go(Limits(movetime=500))
    owner.rest()
    assert path.read_text().count('"end": "checkmate"') == 1
    engine.set_option("GameLog", "")
    assert owner.refused(engine.set_option, "Debug Log File", str(path)).kind is Kind.OPTION  # no traffic
    engine.set_option("Debug Log File", "")


def test_memory_of_searches(owner: Owner) -> None:
    engine = owner.engine
    engine.new_game()
    assert engine.recall() is None
    engine.go(Limits(depth=4))
    best = owner.answer()
    stored = engine.recall()
    assert stored is not None and stored.depth >= 3 and stored.move is not None
    assert engine.position.move_text(stored.move) == best
    engine.new_game()
    assert engine.recall() is None


# Counts


def test_perft(owner: Owner) -> None:
    owner.engine.perft(2)
    *moves, done = owner.rest()
    assert all(isinstance(event, PerftMove) for event in moves)
    counts = {event.position.move_text(event.move): event.nodes for event in only(moves, PerftMove)}
    assert sorted(counts) == owner.engine.legal_moves()
    assert isinstance(done, PerftDone) and (done.depth, done.nodes, done.is_stopped) == (2, 1920, False)
    assert sum(counts.values()) == 1920


@pytest.mark.parametrize("is_stopped", [False, True])
def test_a_stopped_perft(owner: Owner, is_stopped: bool) -> None:
    owner.engine.perft(12, is_stopped)
    if not is_stopped:
        owner.engine.stop()
    done = owner.rest()[-1]
    assert isinstance(done, PerftDone) and done.is_stopped


def test_an_impossible_perft() -> None:
    owner = Owner("junqi")
    owner.engine.perft(1)  # of set-ups
    (failed,) = owner.rest()
    assert isinstance(failed, Failed) and failed.kind is Kind.LIMIT


def test_bench(ewn: Owner, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ewn.loaded is not None
    items = tuple(BenchItem(200, item.fen, item.moves, item.die) for item in ewn.loaded.game.bench[:2])
    monkeypatch.setattr(type(ewn.loaded.game), "bench", items)
    signatures = []
    for _ in range(2):
        ewn.engine.bench()
        first, second, done = ewn.rest()
        assert isinstance(first, BenchPosition) and isinstance(second, BenchPosition)
        assert (first.number, second.number) == (1, 2)
        assert isinstance(done, BenchDone) and done.total is not None and done.total.game == "ewn"
        assert done.total.nodes >= 200
        signatures.append(done.total.signature)
    assert signatures[0] == signatures[1]
    ewn.engine.bench(is_stopped=True)
    assert ewn.rest() == [BenchDone(None)]


# What waits


def test_calls_are_made_once_the_engine_is_idle_in_their_order(owner: Owner) -> None:
    engine = owner.engine
    made: list[int] = []
    engine.call_when_ready(lambda: made.append(0))
    assert made == [0]
    first = engine.go(INFINITE)
    engine.call_when_ready(lambda: made.append(1))
    second = engine.go(Limits(depth=1))
    engine.call_when_ready(lambda: engine.set_option("Hash", "x"))
    engine.call_when_ready(engine.new_game)
    engine.call_when_ready(lambda: made.append(2))
    assert made == [0]
    engine.stop()
    assert owner.until(BestMove)[1].search_id == first
    assert made == [0, 1]
    before, answer = owner.until(BestMove)
    assert answer.search_id == second and not only(before, Refused)
    assert made == [0, 1, 2] and not engine.is_busy
    (refused,) = owner.rest()
    assert isinstance(refused, Refused) and refused.kind is Kind.OPTION and "not a number" in refused.reason


def test_a_refusal_of_a_call_that_need_not_wait_is_posted_too(owner: Owner) -> None:
    owner.engine.call_when_ready(lambda: owner.engine.set_option("Hash", "x"))
    (refused,) = owner.rest()
    assert isinstance(refused, Refused) and refused.kind is Kind.OPTION


def test_a_fault_of_a_call_that_waits_is_posted(owner: Owner) -> None:
    """A fault of a waiting call is posted as an internal fault, since no caller can catch it."""
    engine = owner.engine
    made: list[int] = []
    engine.go(INFINITE)
    engine.call_when_ready(lambda: made[0])
    engine.call_when_ready(lambda: made.append(1))
    engine.stop()
    refused = only(owner.rest(), Refused)
    assert refused == [Refused(Kind.INTERNAL, "internal: IndexError: list index out of range")] and made == [1]


@pytest.mark.parametrize("shutdown", Shutdown)
def test_the_end(shutdown: Shutdown, owner: Owner) -> None:
    """The end of input stops searches without a limit; a quit stops every search. All are answered."""
    engine = owner.engine
    bounded = Limits(movetime=300)
    asked = [INFINITE, Limits(movetime=60_000, ponder=True), Limits(), bounded]
    ids = [engine.go(limits) for limits in asked]
    owner.until(Info)
    engine.shut_down(shutdown)
    began = time.monotonic()
    answers = only(owner.rest(), BestMove)
    assert [answer.search_id for answer in answers] == ids
    assert (time.monotonic() - began > 0.2) == (shutdown is Shutdown.END_OF_INPUT)
    engine.perft(3)
    engine.shut_down(shutdown)
    (done,) = only(owner.rest(), PerftDone)
    assert done.nodes == 79666 and not done.is_stopped


# Faults


def fail(*arguments: object) -> Any:
    raise ZeroDivisionError("a fault")


def test_a_fault_in_a_search_has_its_best_move(monkeypatch: pytest.MonkeyPatch) -> None:
    owner = Owner("connect6")
    assert owner.loaded is not None
    engine, searcher = owner.engine, owner.loaded.searcher
    engine.set_position(None, ["j10"])  # the first stone needs no search
    with monkeypatch.context() as context:
        context.setattr(searcher, "iterate", fail)
        for moves in ((), ("i9k9",)):
            search_id = engine.go(Limits(depth=1), moves)
            refused, answer = owner.rest()
            assert refused == Refused(Kind.INTERNAL, "internal: ZeroDivisionError: a fault")
            assert isinstance(answer, BestMove) and answer.search_id == search_id and answer.move is not None
            assert engine.state is State.READY
    engine.go(Limits(depth=1))
    assert owner.answer() and owner.rest() == []


def test_a_fault_in_an_endless_search_waits_for_no_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    owner = Owner("connect6")
    assert owner.loaded is not None
    monkeypatch.setattr(owner.loaded.searcher, "start", fail)
    owner.engine.go(INFINITE)
    assert owner.answer()


def test_a_fault_in_a_count(owner: Owner, monkeypatch: pytest.MonkeyPatch) -> None:
    assert owner.loaded is not None
    monkeypatch.setattr(owner.loaded.game, "perft", fail)
    monkeypatch.setattr(owner.loaded.game, "searcher", fail)
    for call in (lambda: owner.engine.perft(1), owner.engine.bench):
        call()
        assert owner.rest() == [Failed(Kind.INTERNAL, "internal: ZeroDivisionError: a fault")]


def test_threads_that_cannot_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    owner = Owner()
    engine, start = owner.engine, threading.Thread.start
    reason = "internal: RuntimeError: can't start new thread"

    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert not engine.prepare(READY)
    assert owner.rest() == [LoadFailed("xiangqi", reason)]
    monkeypatch.setattr(threading.Thread, "start", start)
    engine.prepare(READY)
    owner.until(Loaded, START_TIMEOUT_S)
    monkeypatch.setattr(threading.Thread, "start", refuse)
    search_id = engine.go(Limits(depth=1))
    refused, answer = owner.rest()
    assert refused == Refused(Kind.INTERNAL, reason)
    assert isinstance(answer, BestMove) and answer.search_id == search_id
    assert answer.move in answer.position.legal_moves()
    engine.perft(1)
    assert owner.rest() == [Failed(Kind.INTERNAL, reason)]
    engine.set_option("Hash", "1")
    assert owner.rest() == [Refused(Kind.INTERNAL, reason), Configured()]
    monkeypatch.setattr(threading.Thread, "start", start)
    engine.go(Limits(depth=1))
    assert owner.answer()


# Memory


def test_searches_leave_nothing(owner: Owner) -> None:
    engine = owner.engine
    kinds = Info, BestMove, Report, SearchJob, type(engine.position)

    def alive() -> list[int]:
        gc.collect()
        objects = gc.get_objects()
        return [sum(type(each) is kind for each in objects) for kind in kinds]

    def play(count: int) -> list[int]:
        for number in range(count):
            engine.set_position(None, ["h2e2", "h9g7"][: number % 3])
            engine.go(Limits(nodes=100))
            owner.rest()
        return alive()

    few, threads = play(6), threading.active_count()
    assert play(102) == few
    assert threading.active_count() == threads
