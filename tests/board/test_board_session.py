"""The session of `siqi board`, without a page: whole games, what is undone, restarts, clocks, a disk that is full."""

from __future__ import annotations

import errno
from typing import Any

import msgspec
import pytest
from board_games import Memory, Table, loaded

from siqi.daemon.board.commands import (
    AnyCommand,
    Begin,
    Hint,
    MoveNow,
    Pause,
    Play,
    Propose,
    Resign,
    Resume,
    SetUp,
    ShowPly,
    Swap,
    TakeBack,
    Throw,
)
from siqi.daemon.board.entries import AnyEntry, Begun, Moved, Resumed, Thrown, Ticked, WentBack
from siqi.daemon.board.events import Refused
from siqi.daemon.board.mode import SearchRequest
from siqi.daemon.board.state import State, fold
from siqi.daemon.board.stopwatch import TICK_MS
from siqi.games import registry
from siqi.games.contract import is_hidden_position

GAMES = pytest.mark.parametrize("game", registry.NAMES)
SIDES = pytest.mark.parametrize("person", (0, 1))


def replayed(table: Table) -> Any:
    """Return the position that the rules reach by the moves of the session, with the throws that they answered."""
    position = loaded(table.shown().settings.game).position()  # type: ignore[union-attr]
    for node in table.session.state.path():
        if node.answered:
            position.set_dice(node.answered)  # type: ignore[attr-defined]
        position.push(position.parse_move(node.word))
    return position


@pytest.mark.parametrize(
    ("game", "person"),
    [
        pytest.param(game, side, marks=pytest.mark.long if side and game in ("xiangqi", "junqi") else ())
        for game in registry.NAMES
        for side in (0, 1)
    ],
)
def test_a_whole_game(game: str, person: int) -> None:
    table = Table(seed=person)
    table.begin(game, person)
    shown = table.play()
    position = replayed(table)
    outcome = position.outcome()
    assert shown.stage == "over" and shown.game_end is not None and outcome is not None
    assert (shown.game_end.winner, shown.game_end.reason) == (outcome.winner, outcome.reason)
    assert shown.pieces == position.pieces() and len(shown.moves) == position.ply
    assert not shown.choices and not shown.stones and table.session.engine_request() is None
    words = {"the game is over": [Play("a1"), Hint(), Resign(), Pause(), MoveNow()]}
    for reason, commands in words.items():
        assert {table.refused(command) for command in commands} == {reason}
    assert fold(table.store.entries) == table.session.state


@GAMES
def test_a_restart_at_every_fact_goes_on_with_the_same_game(game: str) -> None:
    table = Table()
    table.begin(game, clock_ms=600_000)
    table.play(24)
    entries = table.store.entries
    assert len(entries) > 12
    state = State()
    for count, entry in enumerate(entries, 1):
        state = state.after(entry)
        again = Table(Memory(entries[:count]))
        shown = again.shown()
        assert (
            shown.stage == "asks" and again.session.engine_request() is None and len(shown.moves) == len(state.path())
        )
        assert shown.clocks is not None and shown.clocks.running is None
        assert shown.clocks.left == (600_000 - state.used[0], 600_000 - state.used[1])
        again.do(Resume())
        assert again.shown().moves == shown.moves and again.shown().stage in ("play", "set-up")
        assert again.session.state.throw == state.throw or not state.throw  # what was thrown stands


@GAMES
@SIDES
def test_taking_back_leaves_the_moves_as_a_variation(game: str, person: int) -> None:
    table = Table(seed=3)
    table.begin(game, person)
    assert "no move" in table.refused(TakeBack())
    table.play(9)
    while table.session.engine_request():
        table.step()
    before, shown = table.session.state, table.shown()
    position = replayed(table)
    back = table.do(TakeBack())
    played = len(shown.moves) - len(back.moves)
    assert back.can_take_back and played in (1, 2) and len(back.moves) % 2 == person
    assert table.session.state.nodes == before.nodes
    for _ in range(played):
        position.pop()
    assert back.pieces == position.pieces() or game == "junqi"
    for move in shown.moves[len(back.moves) :]:
        if len(table.shown().moves) % 2 == person:
            table.do(Play(move.word))
        else:
            request = table.session.engine_request()
            assert isinstance(request, SearchRequest)
            table.session.engine_moved(request.key, move.word.partition("=")[0].partition("@")[0])
    assert table.session.state.current == before.current and len(table.session.state.nodes) == len(before.nodes)
    assert table.shown().pieces == shown.pieces
    while (now := table.shown()).can_take_back:
        assert len(table.do(TakeBack()).moves) < len(now.moves)
    assert len(table.play(10).moves) > person


def test_a_throw_stays_when_its_move_is_taken_back() -> None:
    table = Table()
    table.begin("ewn")
    while not table.shown().choices:
        table.step()
    throw = table.shown().throw
    table.do(Play(table.shown().choices[0].word))
    assert table.do(TakeBack()).throw == throw
    seen = {entry.throw for entry in table.store.entries if isinstance(entry, Thrown)}
    table.play()
    seen |= {entry.throw for entry in table.store.entries if isinstance(entry, Thrown)}
    assert seen <= set(range(1, 7)) and all(move.throw for move in table.shown().moves[2:])


@GAMES
def test_looking_back_changes_nothing(game: str) -> None:
    table = Table(seed=4)
    table.begin(game)
    while (len(table.shown().moves) < 9 or table.session.engine_request()) and table.step():
        pass
    now, state = table.shown(), table.session.state
    setups = 2 if registry.info(game).has_setup else 0
    position = loaded(game).position()
    for ply, node in enumerate(state.path()):
        if node.answered:
            position.set_dice(node.answered)  # type: ignore[attr-defined]
        if ply >= setups:
            shown = table.do(ShowPly(ply))
            assert shown.shown_ply == ply and shown.moves == now.moves and not shown.choices and not shown.stones
            assert set(shown.pieces) == set(position.pieces()) and shown.picture > now.picture
            assert "x" in shown.pieces.values() or game != "junqi"
            assert len(shown.last) == len(table.session.positions.points_of(now.moves[ply - 1].word) if ply else [])  # type: ignore[union-attr]
        position.push(position.parse_move(node.word))
    back = table.do(ShowPly(len(now.moves)))
    assert (back.shown_ply, back.pieces, back.choices, back.stones) == (None, now.pieces, now.choices, now.stones)
    table.do(ShowPly(setups))
    assert table.refused(ShowPly(len(now.moves) + 1)) == "there is no such position"
    assert table.session.state == state and table.shown().shown_ply == setups
    assert table.do(ShowPly()).shown_ply is None


def test_throws_follow_from_the_seed_alone() -> None:
    def throws(seed: int) -> list[int]:
        table = Table(seed=seed)
        table.begin("ewn")
        table.play()
        return [entry.throw for entry in table.store.entries if isinstance(entry, Thrown)]

    one, other = throws(1), throws(2)
    count = min(len(one), len(other))
    assert count > 5 and one[:count] == other[:count] and len(set(one)) > 2


def test_a_throw_by_hand() -> None:
    table = Table()
    table.begin("ewn", dice="person")
    assert "no throw" in table.refused(Throw(3))
    while not table.shown().needs_throw:
        table.step()
    assert table.shown().throw == 0 and not table.shown().choices and table.session.engine_request() is None
    assert "die" in table.refused(Play("a5b4"))
    table.do(Throw(3))
    first = {choice.word for choice in table.shown().choices}
    table.do(Throw(5))  # corrects it
    assert table.shown().throw == 5 and first != {choice.word for choice in table.shown().choices}
    table.do(Play(table.shown().choices[0].word))
    assert table.shown().needs_throw and not table.shown().thinking  # the engine's, too
    table.do(Throw(2))
    request = table.session.engine_request()
    assert isinstance(request, SearchRequest) and request.throw == 2
    assert table.play().stage == "over"


@pytest.mark.parametrize("game", ("ewn", "junqi"))
@SIDES
def test_a_set_up_by_the_engines_proposal_and_swaps(game: str, person: int) -> None:
    table = Table()
    table.begin(game, person)
    if person:
        assert table.answer()  # the engine's own
    shown = table.shown()
    assert shown.setup and shown.is_hint_coming and "no set-up" in table.refused(SetUp())
    assert table.answer()
    shown = table.shown()
    assert set(shown.pieces) == set(shown.setup) and not table.session.engine_request()
    own = registry.info(game).pieces[person]
    assert all(letter in own for letter in shown.pieces.values())
    a, b = next((a, b) for a in shown.setup for b in shown.setup if _can_swap(table, a, b))
    swapped = table.do(Swap(a, b)).pieces
    assert (swapped[a], swapped[b]) == (shown.pieces[b], shown.pieces[a])
    assert table.refused(Swap(a, "zz"))
    table.do(Propose())
    assert not table.shown().pieces and table.answer() and table.shown().pieces != swapped
    pieces = table.shown().pieces
    table.do(SetUp())
    while not table.shown().choices:
        table.step()
    assert {point: table.shown().pieces[point] for point in pieces if point in table.shown().pieces}.items() <= (
        pieces.items()
    )
    assert "over" in table.refused(Propose())


def _can_swap(table: Table, a: str, b: str) -> bool:
    pieces = table.shown().pieces
    if pieces[a] == pieces[b]:
        return False
    (event, *_) = table.session.do(Swap(a, b))
    if isinstance(event, Refused):
        return False
    table.do(Swap(a, b))
    return True


@SIDES
def test_the_engine_and_the_person_see_their_own_pieces_alone(person: int) -> None:
    table = Table(seed=5)
    table.begin("junqi", person)
    info = registry.info("junqi")

    def viewed(words: list[str]) -> Any:
        position = loaded("junqi").position()
        for word in words:
            position.push(position.parse_move(word))
        return position

    for step in range(40):
        shown, request = table.shown(), table.session.engine_request()
        moves = [move.word for move in shown.moves]
        assert all((word == "?") == (side != person) for side, word in enumerate(moves[:2]))
        if step % 10 == 9:
            assert isinstance(request, SearchRequest) or shown.choices
            whole = replayed(table)
            assert is_hidden_position(whole, info)
            view = viewed(whole.view_moves(person))
            assert view.viewer == person and shown.pieces == view.pieces() != whole.pieces()
            assert moves == whole.view_moves(person)
            if isinstance(request, SearchRequest):
                assert list(request.words) == whole.view_moves(1 - person)
        table.step()
    if not table.shown().choices:
        table.step()
    table.do(Resign())
    assert table.shown().pieces == replayed(table).pieces()  # at the end all are shown


def test_a_hint_is_an_answer_for_the_person() -> None:
    table = Table()
    table.begin("xiangqi")
    picture = table.shown().picture
    assert table.do(Hint()).is_hint_coming
    request = table.session.engine_request()
    assert isinstance(request, SearchRequest) and request.key[0] == "hint" and request.skill == 20
    assert table.answer() and table.shown().hint and table.shown().picture > picture
    assert table.session.engine_moved(request.key, "h2e2") == []  # once
    assert table.do(Play("h2e2")).hint is None and "engine's turn" in table.refused(Hint())
    assert isinstance(request := table.session.engine_request(), SearchRequest) and not request.is_urgent
    table.do(MoveNow())
    assert isinstance(request := table.session.engine_request(), SearchRequest) and request.is_urgent


def test_an_answer_to_a_dropped_question_changes_nothing() -> None:
    table = Table()
    table.begin("xiangqi")
    table.do(Play("h2e2"))
    old = table.session.engine_request()
    assert isinstance(old, SearchRequest)
    table.do(TakeBack())
    table.do(Play("b2e2"))
    assert table.session.engine_moved(old.key, "h9g7") == [] and len(table.shown().moves) == 1
    table.begin("ewn")
    assert table.session.engine_moved(old.key, "h9g7") == []


def test_clocks_run_for_the_side_to_move_and_end_the_game() -> None:
    table = Table()
    clocks = table.begin("xiangqi", clock_ms=60_000, increment_ms=2000).clocks
    assert clocks is not None and clocks.left == (60_000, 60_000) and clocks.running == 0
    table.now += 5000
    shown = table.do(Play("h2e2"))
    assert shown.clocks is not None and shown.clocks.left == (57_000, 60_000) and shown.clocks.running == 1
    request = table.session.engine_request()
    assert isinstance(request, SearchRequest) and request.limits[:4] == (57_000, 60_000, 2000, 2000)
    table.now += 1000
    table.answer()
    table.do(Pause())
    assert table.shown().stage == "paused" and "paused" in table.refused(Play("b2b3"))
    table.now += 10_000_000
    assert table.session.tick() == [] and table.do(Resume()).clocks.left == (57_000, 61_000)  # type: ignore[union-attr]
    table.now += 2000
    assert table.do(TakeBack()).clocks.left == (53_000, 59_000)  # type: ignore[union-attr]  # used time stays used
    table.now += 52_999
    assert table.session.tick() == [] and table.shown().stage == "play"
    table.now += 2
    (event,) = table.session.tick()
    assert event.stage == "over" and event.game_end.winner == 1 and event.game_end.reason == "time"  # type: ignore[union-attr]
    assert table.session.finished().result == "0-1"  # type: ignore[union-attr]


def test_a_running_clock_is_stored_every_five_seconds() -> None:
    table = Table()
    table.begin("connect6", clock_ms=60_000)
    for _ in range(int(12_000 / 200)):
        table.now += 200
        table.session.tick()
    ticks = [entry.used for entry in table.store.entries if isinstance(entry, Ticked)]
    assert ticks == [(TICK_MS, 0), (2 * TICK_MS, 0)]
    assert table.open().clocks.left == (50_000, 60_000)  # type: ignore[union-attr]  # at most five seconds are lost


def test_no_fact_bears_a_time_that_clocks_depend_on() -> None:
    table = Table()
    table.begin("xiangqi", clock_ms=60_000)
    table.play(6)
    changed = [msgspec.structs.replace(entry, at="1970-01-01T00:00:00Z") for entry in table.store.entries]
    assert msgspec.structs.replace(fold(changed), begun=None) == msgspec.structs.replace(
        table.session.state, begun=None
    )


@GAMES
def test_a_full_disk_changes_nothing_and_asks(game: str) -> None:
    table = Table()
    table.begin(game)
    while not (table.shown().choices or table.shown().stones):
        table.step()
    before, word = table.session.state, table.person_word(table.shown())
    table.store.fault = OSError(errno.ENOSPC, "No space left on device")
    refused, shown = table.session.do(Play(word))
    assert isinstance(refused, Refused) and "No space" in refused.reason and table.session.state is before
    assert shown.stage == "asks" and table.session.engine_request() is None  # type: ignore[union-attr]
    table.store.fault = None
    assert len(table.do(Resume()).moves) == len(before.path())
    table.do(Play(word))
    table.store.fault = OSError(errno.ENOSPC, "No space left on device")
    request = table.session.engine_request()
    if isinstance(request, SearchRequest):  # the engine's answer is asked for again
        assert table.session.engine_moved(request.key, table.engine_word(request))[1].stage == "asks"  # type: ignore[union-attr]
    table.store.fault = None
    assert len(table.play(8).moves) > len(before.path())


def test_a_game_that_cannot_begin_leaves_the_one_before() -> None:
    table = Table()
    table.begin("xiangqi")
    table.do(Play("h2e2"))
    table.store.fault = OSError(errno.ENOSPC, "No space left on device")
    table.session.do(Begin("ewn", 0, 20))
    table.store.fault = None
    shown = table.do(Resume())
    assert shown.settings.game == "xiangqi" and len(shown.moves) == 1  # type: ignore[union-attr]


def test_refusals_say_why() -> None:
    table = Table()
    for command in (Play("h2e2"), Hint(), TakeBack(), Pause(), Resign(), Swap("a", "b"), Throw(1), SetUp()):
        assert table.refused(command)
    assert table.refused(Begin("chess", 0, 20)) == "no game chess"
    table.begin("xiangqi")
    assert "illegal" in table.refused(Play("h2h8")) and table.refused(Play("nonsense")) and table.refused(Throw(1))
    assert "not paused" in table.refused(Resume())
    assert table.do(Resign()).game_end.winner == 1  # type: ignore[union-attr]
    assert table.do(TakeBack()).stage == "play" if table.shown().can_take_back else True


def test_a_game_that_was_over_is_shown_after_a_restart() -> None:
    table = Table()
    table.begin("ewn")
    over = table.play()
    again = table.open()
    assert again.stage == "over" and again.game_end == over.game_end
    table.begin("ewn")
    table.do(Resign())
    assert table.open().game_end.reason == "resignation"  # type: ignore[union-attr]


def test_moves_are_worded_as_players_write_them() -> None:
    table = Table()
    table.begin("xiangqi")
    assert table.do(Play("h2e2")).moves[0].chinese == "炮二平五"


def test_commands_are_read_strictly() -> None:
    read = msgspec.json.Decoder(AnyCommand).decode
    assert read(b'{"do":"move","word":"h2e2"}') == Play("h2e2")
    for bad in (b'{"do":"fly"}', b'{"do":"throw","throw":7}', b'{"do":"hint","more":1}', b'{"do":"move","word":1}'):
        with pytest.raises(msgspec.DecodeError):
            read(bad)
    with pytest.raises(msgspec.DecodeError):
        read(msgspec.json.encode({"do": "move", "word": "x" * 65}))


def test_facts_that_cannot_follow_are_refused() -> None:
    begun = Begun(at="", game="xiangqi", person=0, skill=20, movetime_ms=1)
    for entries in ([Resumed(at="")], [begun, begun], [begun, WentBack(at="", node=5, used=(0, 0))]):
        with pytest.raises(ValueError):
            fold(entries)
    moved = Moved(at="", word="h2e2", by="person", used=(0, 0))
    assert msgspec.json.decode(msgspec.json.encode(moved), type=AnyEntry) == moved
