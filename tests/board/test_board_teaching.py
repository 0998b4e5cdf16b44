"""Teaching in Play, without a browser: bad moves are judged and taken back, once; chances are given by the test."""

from __future__ import annotations

import errno

import pytest
from board_games import Memory, Table

from siqi.daemon.board.commands import Begin, Play, TakeBack, Throw
from siqi.daemon.board.entries import TakenBack
from siqi.daemon.board.events import Refused, Snapshot
from siqi.daemon.board.mode import SearchInfo, SearchLine, SearchRequest
from siqi.daemon.board.teaching import BEST, PLAYED
from siqi.games import registry
from siqi.games.contract import Score

GAMES = pytest.mark.parametrize("game", registry.NAMES)


@pytest.fixture
def table() -> Table:
    return Table()


def begin(table: Table, game: str, **more: str) -> Snapshot:
    """Begin a game with teaching; return it when the person is to move."""
    table.begin(game, teaches=True, **more)
    while not (table.shown().choices or table.shown().stones):
        table.step()
    return table.shown()


def asked(table: Table) -> SearchRequest:
    request = table.session.engine_request()
    assert isinstance(request, SearchRequest)
    return request


def judge(table: Table, purpose: str, chance: float, best: str = "") -> SearchRequest:
    """Answer a request about a position of the person with a chance and the best move."""
    request = asked(table)
    assert request.key[0] == purpose and request.lines == 1
    words = request.moves or (best,)
    line = SearchLine(Score.from_expected(chance), words, 0)
    table.session.engine_searched(SearchInfo(request.key, 5, 1000, 100, (line,)))
    assert not [event for event in table.session.engine_moved(request.key, words[0]) if isinstance(event, Refused)]
    return request


def two_moves(table: Table, shown: Snapshot) -> tuple[str, str]:
    """Return two moves of the person."""
    if shown.stones:
        return "a1", "b1"
    return shown.choices[0].word, shown.choices[-1].word


@GAMES
def test_a_bad_move_is_taken_back_once(game: str, table: Table) -> None:
    before = begin(table, game)
    (bad, best), moves = two_moves(table, before), list(before.moves)
    known = judge(table, BEST, 0.6, best)  # while the person thinks
    shown = table.do(Play(bad))
    assert shown.is_judging and shown.thinking and not shown.needs_throw
    request = judge(table, PLAYED, 0.35)
    assert request.moves == (bad,) and (request.words, request.throw) == (known.words, known.throw)
    shown = table.shown()
    assert shown.taught is not None and shown.taught.move.word.startswith(bad) and shown.taught.lost == 0.25
    assert shown.moves == moves and shown.throw == before.throw and not shown.is_judging
    shown = table.do(Play(bad))  # it is insisted on
    assert not shown.is_judging and shown.taught is None and shown.moves[len(moves)].word.startswith(bad)
    assert shown.stage == "over" or asked(table).key[0] == "move"


@GAMES
def test_a_good_move_stands(game: str, table: Table) -> None:
    before = begin(table, game)
    (good, best), count = two_moves(table, before), len(before.moves)
    table.do(Play(good))  # before the best one is known
    judge(table, BEST, 0.6, best)
    judge(table, PLAYED, 0.55)
    assert asked(table).key[0] == "move" and len(table.shown().moves) == count + 1
    table.do(TakeBack())
    table.do(Play(good))
    assert asked(table).key[0] == "move"  # what is known is not asked again
    table.do(TakeBack())
    table.do(Play(best))
    assert asked(table).key[0] == "move"  # nothing loses less


def test_the_engine_sees_what_the_person_knows(table: Table) -> None:
    shown = begin(table, "junqi")
    table.do(Play(shown.choices[0].word))
    words = asked(table).words
    assert [word for word in words if "?" in word] == [words[1]]  # the engine's set-up is unknown


@pytest.mark.parametrize("dice", ("page", "person"))
def test_the_die_waits_for_the_judgement(dice: str, table: Table) -> None:
    shown = begin(table, "ewn", dice=dice)
    before = table.session.state.throws
    shown = table.do(Play(shown.choices[0].word))
    assert shown.is_judging and table.session.state.throws == before
    if dice == "person":
        assert "judged" in table.refused(Throw(3))
    judge(table, BEST, 0.5, "a1a1")
    judge(table, PLAYED, 0.5)
    shown = table.shown()
    assert not shown.is_judging and shown.needs_throw == (dice == "person")
    assert table.session.state.throws == before + (dice == "page")


def test_a_restart_judges_again_and_keeps_what_was_taken_back() -> None:
    table = Table()
    bad, best = two_moves(table, begin(table, "xiangqi"))
    table.do(Play(bad))
    judge(table, BEST, 0.6, best)
    table.open()
    assert table.shown().stage == "asks"
    table.step()
    assert table.shown().is_judging
    judge(table, BEST, 0.6, best)
    judge(table, PLAYED, 0.3)
    assert [type(entry) for entry in table.store.entries[-1:]] == [TakenBack]
    table.open()
    table.step()
    assert not table.do(Play(bad)).is_judging


def test_nothing_changes_where_it_cannot_be_stored() -> None:
    store = Memory()
    table = Table(store)
    bad, best = two_moves(table, begin(table, "xiangqi"))
    table.do(Play(bad))
    judge(table, BEST, 0.6, best)
    store.fault = OSError(errno.ENOSPC, "No space left on device")
    request = asked(table)
    line = SearchLine(Score.from_expected(0.3), request.moves, 0)
    table.session.engine_searched(SearchInfo(request.key, 5, 1000, 100, (line,)))
    refused, shown = table.session.engine_moved(request.key, bad)
    assert isinstance(refused, Refused) and "No space" in refused.reason
    assert isinstance(shown, Snapshot) and shown.stage == "asks" and shown.moves[-1].word == bad
    store.fault = None
    table.step()
    judge(table, PLAYED, 0.3)
    assert table.shown().taught is not None


def test_no_teaching_under_a_clock(table: Table) -> None:
    assert "clocks" in table.refused(Begin("xiangqi", 0, 20, clock_ms=60_000, teaches=True))
