"""The mode Championship without a page: whole games, what is undone and corrected, restarts, the contest's score."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import msgspec
import pytest
from board_games import loaded
from championship_games import NOW, MemoryDays, Operator

from siqi.daemon.board.championship.commands import (
    AnyCommand,
    Arrange,
    BeginContest,
    CheckReady,
    Confirm,
    EndGame,
    GoBack,
    LeaveCheck,
    NextGame,
    Play,
    SetClocks,
    SetFirst,
    SetOptions,
    SetPlayers,
    SetScore,
    ThrowForMe,
)
from siqi.daemon.board.championship.entries import (
    AnyEntry,
    Begun,
    Ended,
    GameBegun,
    Moved,
    Thrown,
    Ticked,
)
from siqi.daemon.board.championship.events import Evaluation, Table
from siqi.daemon.board.championship.state import State, fold
from siqi.daemon.board.commands import MoveNow, Pause, Propose, Resume, SetUp, Swap, Throw
from siqi.daemon.board.events import Refused
from siqi.daemon.board.mode import LoadRequest, SearchInfo, SearchLine, SearchRequest
from siqi.games import registry
from siqi.games.contract import Score
from siqi.games.game_record import position_after

GAMES = pytest.mark.parametrize("game", registry.NAMES)


@pytest.fixture
def op(tmp_path: Path) -> Operator:
    return Operator(MemoryDays(tmp_path))


def until(op: Operator, *press: str) -> Table:
    """Play on until the operator has to press one of these."""
    while (shown := op.shown()).press not in press:
        assert op.step(), shown
    return shown


def reopened(op: Operator, entries: list[AnyEntry]) -> Operator:
    """Return an operator whose store has these facts, as after a kill."""
    assert isinstance(op.store, MemoryDays)
    again = Operator(MemoryDays(op.store.root, entries))
    again.hidden = op.hidden
    return again


def whole_game(op: Operator, game: str, first: int) -> Table:
    op.begin(game, first=first)
    return op.play()


@pytest.mark.parametrize(
    ("game", "first"),
    [
        pytest.param(game, first, marks=pytest.mark.long if game == "xiangqi" or (first and game == "junqi") else ())
        for game in registry.NAMES
        for first in (0, 1)
    ],
)
def test_a_whole_game(game: str, first: int, op: Operator) -> None:
    shown = whole_game(op, game, first)
    assert shown.stage == "over" and shown.press == "next" and shown.contest is not None
    (played,) = shown.contest.played
    assert played.end == "rules" and played.first == first
    assert isinstance(op.store, MemoryDays) and fold(op.store.entries) == op.mode.state
    if op.hidden is not None:  # the view has come to the referee's result
        outcome = op.hidden.outcome()
        assert outcome is not None and outcome.winner is not None and played.winner == outcome.winner ^ first
    else:
        position = loaded(game).position()
        for node in op.mode.state.games[0].path():
            if node.answered:
                position.set_dice(node.answered)  # type: ignore[attr-defined]
            position.push(position.parse_move(node.word))
        assert position.outcome() is not None and shown.pieces == position.pieces()
    assert "over" in op.refused(Play("a1")) and "over" in op.refused(Pause()) and op.mode.engine_request() is None
    (path,) = op.store.root.glob("*-*")
    form = registry.record_format(game)
    assert shown.record == path.name and op.mode.record() == (path.name, path.read_bytes())
    (record,) = form.read(path.read_bytes()).games
    if game != "xiangqi":
        assert record.result == ("1-0" if played.winner == first else "0-1") and len(record.moves) == played.moves
        assert {record.first, record.second} == {"Alpha", "Beta"}
        if game != "junqi":
            position_after(loaded(game), record)


@GAMES
def test_a_kill_at_every_fact_goes_on_with_the_same_game(game: str, op: Operator) -> None:
    op.begin(game)
    op.play(26)
    assert isinstance(op.store, MemoryDays)
    entries, state = op.store.entries, State()
    assert len(entries) > 16
    for count, entry in enumerate(entries, 1):
        state = state.after(entry)
        again = reopened(op, entries[:count])
        shown = again.shown()
        if not state.games:  # the contest without its first game
            assert shown.stage == "start"
            continue
        assert shown.stage == "asks" and shown.press == "resume" and again.mode.engine_request() is None
        used = state.games[0].used
        assert shown.clocks is not None and shown.clocks.running is None
        assert shown.clocks.left == (600_000 - used[0], 600_000 - used[1])
        again.do(Resume())
        words = [node.word for node in state.games[0].path()]  # an unknown set-up follows ours by itself
        assert [move.word for move in again.shown().moves] == words + ["?"] * (game == "junqi" and len(words) == 1)
        assert again.mode.state.games[0].proposed == state.games[0].proposed  # the card shows the same move
        assert again.mode.state.games[0].throw == state.games[0].throw


def test_our_clock_runs_until_the_move_was_announced_and_the_engine_starts_at_the_confirmation(op: Operator) -> None:
    shown = op.begin("xiangqi", first=1)
    assert shown.stage == "paused" and op.mode.engine_request() is None and shown.clocks is not None
    op.now += 5000
    shown = op.do(Resume())
    assert shown.press == "opponent" and shown.clocks is not None and shown.clocks.left == (600_000, 600_000)
    assert op.mode.engine_request() is None  # it does not ponder
    op.now += 2000
    op.do(Play("h2e2"))
    request = op.mode.engine_request()
    assert isinstance(request, SearchRequest) and request.limits[:2] == (598_000, 600_000) and not request.is_urgent
    op.do(MoveNow())
    assert isinstance(hurried := op.mode.engine_request(), SearchRequest) and hurried.is_urgent
    op.now += 3000
    assert op.answer()
    shown = op.shown()
    assert shown.press == "announce" and shown.proposed is not None and len(shown.moves) == 1
    assert shown.proposed.chinese and shown.clocks is not None and shown.clocks.running == 1
    assert "engine's turn" in op.refused(Play("b9c7"))
    op.now += 4000  # it is announced
    shown = op.do(Confirm())
    assert len(shown.moves) == 2 and shown.clocks is not None
    assert shown.clocks.left == (598_000, 593_000) and shown.clocks.running == 0
    assert "no move waits" in op.refused(Confirm())


def test_pondering_by_option(op: Operator) -> None:
    op.begin("xiangqi", first=1, ponders=True)
    op.do(Resume())
    request = op.mode.engine_request()
    assert isinstance(request, SearchRequest) and request.limits.infinite
    assert op.mode.engine_moved(request.key, "h2e2") == []  # no answer of it is played
    op.do(Play("h2e2"))
    assert isinstance(request := op.mode.engine_request(), SearchRequest) and not request.limits.infinite
    op.answer()
    op.do(Confirm())
    op.do(SetOptions(ends_on_time=False, ponders=False, hides=False))
    assert op.mode.engine_request() is None


def test_clocks_never_end_a_game_unless_that_was_chosen(op: Operator) -> None:
    op.begin("connect6", clock_ms=60_000)
    op.do(Resume())
    op.now += 75_000
    for _ in range(3):
        op.mode.tick()
    shown = op.shown()
    assert shown.stage == "play" and shown.clocks is not None and shown.clocks.left == (-15_000, 60_000)
    request = op.mode.engine_request()
    assert isinstance(request, SearchRequest) and request.limits.wtime == 1
    op.do(SetOptions(ends_on_time=True, ponders=False, hides=False))
    (event,) = op.mode.tick()
    assert isinstance(event, Table) and event.stage == "over" and event.contest is not None
    assert event.contest.played[0].winner == 1 and event.contest.played[0].end == "time"


def test_clocks_stand_while_paused_and_are_corrected_with_a_note(op: Operator) -> None:
    op.begin("connect6", first=1)
    op.do(Resume())
    op.now += 10_000
    assert op.do(Pause()).stage == "paused"
    op.now += 60_000
    shown = op.shown()
    assert shown.clocks is not None and shown.clocks.left == (590_000, 600_000) and shown.clocks.running is None
    assert "paused" in op.refused(Play("j10")) and "paused" in op.refused(Pause())
    shown = op.do(SetClocks((480_000, -5000), "the referee's clock"))  # ours, theirs; they move first
    assert shown.clocks is not None and shown.clocks.left == (-5000, 480_000)
    (correction,) = shown.corrections
    assert (correction.what, correction.detail, correction.note) == ("clocks", "-0:05 / 8:00", "the referee's clock")
    op.do(Resume())
    op.now += 1000
    shown = op.shown()
    assert shown.clocks is not None and shown.clocks.left == (-6000, 480_000)
    assert "run already" in op.refused(Resume())


def test_a_running_clock_is_stored_every_five_seconds(op: Operator) -> None:
    op.begin("connect6")
    op.do(Resume())
    for _ in range(60):
        op.now += 200
        op.mode.tick()
    assert isinstance(op.store, MemoryDays)
    assert [entry.used for entry in op.store.entries if isinstance(entry, Ticked)] == [(5000, 0), (10_000, 0)]


@GAMES
def test_undo_to_any_ply_keeps_the_clocks_and_goes_forward_again(game: str, op: Operator) -> None:
    op.begin(game)
    until(op, "resume")
    op.do(Resume())
    while len(op.shown().moves) < 8:
        op.now += 500
        op.step()
    full = op.shown()
    assert full.clocks is not None
    nodes = full.line
    setups = 2 if registry.info(game).has_setup else 0
    for ply in (7, setups + 1, 4):
        shown = op.do(GoBack(0, nodes[ply], f"ply {ply}"))
        assert len(shown.moves) == ply and shown.line + shown.ahead == nodes
        assert shown.clocks is not None and shown.clocks.left == full.clocks.left
        assert shown.moves == full.moves[:ply] and shown.corrections[-1].note == f"ply {ply}"
    shown = op.do(GoBack(0, nodes[8]))
    assert shown.moves == full.moves and shown.pieces == full.pieces and len(shown.corrections) == 4
    assert "no such position" in op.refused(GoBack(0, 99)) and "no such position" in op.refused(GoBack(5, 0))


def test_a_wrong_die_and_a_wrong_move_are_corrected(op: Operator) -> None:
    op.begin("ewn", engine=(True, False))
    until(op, "throw")
    assert "die" in op.refused(Play("a5b4")) or op.mode.state.games[0].first == 0
    op.do(Throw(3))
    op.answer()
    first = op.shown().proposed
    shown = op.do(Throw(5))  # it was a five: the engine's move to the three is dropped
    assert first is not None and shown.proposed is None and shown.throw == 5
    request = op.mode.engine_request()
    assert isinstance(request, SearchRequest) and request.throw == 5
    assert (shown.corrections[-1].what, shown.corrections[-1].detail) == ("throw", "3 → 5")
    op.answer()
    before = op.mode.state
    op.do(Throw(5))  # entered twice
    assert op.mode.state is before
    op.do(Confirm())
    shown = op.do(ThrowForMe())
    assert 1 <= shown.throw <= 6 and shown.choices and isinstance(op.store, MemoryDays)
    assert [entry.by for entry in op.store.entries if isinstance(entry, Thrown)] == ["person", "person", "page"]
    wrong, right = shown.choices[0].word, shown.choices[-1].word
    op.do(Play(wrong))
    shown = op.do(GoBack(0, op.shown().line[-2]))
    assert shown.throw and shown.press == "opponent"  # the throw stands
    op.do(Play(right))
    assert op.shown().moves[-1].word == right


def test_a_best_of_seven_is_begun_in_turns_and_decided_at_four(op: Operator) -> None:
    op.begin("ewn", games=7, first=1)
    firsts = []
    for number in range(7):
        firsts.append(op.mode.state.games[number].first)
        assert ("goes on" in op.refused(NextGame())) and op.shown().contest is not None
        winner = 0 if number in (0, 3) else 1
        shown = op.do(EndGame(winner, "referee"))
        assert shown.contest is not None
        if number < 6:
            assert shown.contest.is_decided == (shown.contest.points[1] >= 4)
            op.next()
    assert firsts == [1, 0, 0, 1, 1, 0, 0]  # A, theirs, is first in 1, 4 and 5
    assert shown.contest is not None and shown.contest.points == (2, 5)


def test_the_score_and_who_begins_are_corrected_across_games(op: Operator) -> None:
    op.begin("ewn", games=7)
    op.do(EndGame(0, "resignation"))
    shown = op.do(SetScore((1, 1), "a game was played at the other table"))
    assert shown.contest is not None and shown.contest.points == (1, 1) and shown.contest.next_first == 1
    shown = op.do(SetFirst(0))
    assert shown.contest is not None and shown.contest.next_first == 0
    shown = op.next()
    assert shown.first == 0 and shown.contest is not None and shown.contest.next_first == 1  # by the rules again
    shown = op.do(EndGame(1, "time"))
    assert shown.contest is not None and shown.contest.points == (1, 2)
    op.do(GoBack(0))  # the first game is taken up again: its end no longer counts
    shown = op.shown()
    assert shown.contest is not None and shown.contest.points == (0, 2) and shown.contest.current == 0
    assert shown.stage in ("set-up", "paused")
    op.do(EndGame(1, "referee", "the opponent's appeal"))
    op.do(GoBack(1))
    shown = op.do(EndGame(1, "time"))
    assert shown.contest is not None and shown.contest.points == (0, 3)
    again = reopened(op, op.store.latest())
    assert again.shown().contest == op.shown().contest and again.shown().corrections == shown.corrections
    assert [correction.what for correction in shown.corrections] == ["score", "first", "back", "back"]


def test_a_double_round_has_two_points_for_a_win_and_one_for_a_draw(op: Operator) -> None:
    op.begin("xiangqi", games=2)
    op.do(EndGame(None, "referee"))
    op.next()
    shown = op.do(EndGame(0, "resignation"))
    assert shown.contest is not None and shown.contest.points == (3, 1)
    shown = op.do(GoBack(1))
    shown = op.do(EndGame(None, "adjourned"))
    assert shown.contest is not None and shown.contest.points == (1, 1) and shown.contest.played[1].end == "adjourned"
    shown = op.do(GoBack(1))  # and is resumed
    assert shown.stage == "paused"


@pytest.mark.parametrize(
    ("end", "verdict"),
    [("resignation", "先手胜(认输)"), ("time", "先手胜(超时)"), ("referee", "先手胜(判定)"), ("adjourned", "[]")],
)
def test_the_record_says_how_the_game_ended_under_the_official_name(end: Any, verdict: str, op: Operator) -> None:
    op.begin("connect6", teams=("四棋", "A/B: x"), event="2026 CCGC", site="重庆")
    op.do(Resume())
    op.answer()
    op.do(Confirm())
    before = op.shown().record
    assert before == "C6-四棋 B vs A B x W-未完-2026.11.27 14.03 重庆-2026 CCGC.txt"
    shown = op.do(EndGame(None if end == "adjourned" else 0, end))
    word = "未完" if end == "adjourned" else "先手胜"
    assert shown.record == before.replace("未完", word)
    (path,) = op.store.root.glob("C6*")  # the one under the other name is gone
    text = path.read_bytes().decode("gb18030")
    assert path.name == shown.record and verdict in text and "[四棋 B]" in text and "[2026.11.27 14:03 重庆]" in text


def test_games_begun_in_the_same_minute_have_records_of_their_own(op: Operator) -> None:
    op.begin("ewn", games=7)
    for _ in range(4):
        while len(op.shown().moves) < 4:
            op.step()
        op.do(EndGame(0, "resignation"))
        op.next()
    assert len(list(op.store.root.glob("WTN-*先手胜*"))) + len(list(op.store.root.glob("WTN-*后手胜*"))) == 4


def test_a_record_replaces_only_what_its_game_has_written(op: Operator) -> None:
    """Not a record that was corrected by hand, nor another contest's of the same teams in the same minute."""
    op.begin("connect6", first=1)
    op.do(Resume())
    first = op.do(Play("j10")).record
    path = op.store.root / first
    path.write_text("corrected")
    op.answer()
    op.do(Confirm())
    assert path.read_text() == "corrected" and op.shown().record == first.replace(".txt", " 2.txt")
    (op.store.root / first.replace("未完", "后手胜")).write_text("another contest's")
    again = reopened(op, op.store.entries)  # type: ignore[attr-defined]
    shown = again.do(EndGame(0, "time"))
    assert shown.record == first.replace("未完", "后手胜").replace(".txt", " 2.txt")
    texts = {path.name: path.read_bytes() for path in op.store.root.glob("C6*")}
    assert len(texts) == 3 and b"corrected" in texts.values() and b"another contest's" in texts.values()


def test_a_record_of_long_names_is_written(op: Operator) -> None:
    op.begin("connect6", first=1, teams=("四" * 60, "棋" * 60), event="赛" * 200, site="渝" * 200)
    op.do(Resume())
    assert (op.store.root / op.do(Play("j10")).record).is_file()


def test_a_fact_that_says_no_time_costs_none(op: Operator) -> None:
    op.begin("ewn", clock_ms=60_000)
    until(op, "resume")
    op.do(Resume())
    for throw in (3, 4, 5):
        op.now += 1000
        op.do(Throw(throw))
    shown = op.do(SetScore((1, 0), ""))
    assert shown.clocks is not None and min(shown.clocks.left) == 57_000


def test_a_record_that_cannot_be_written_stops_no_game(op: Operator, monkeypatch: pytest.MonkeyPatch) -> None:
    op.begin("connect6", first=1)
    op.do(Resume())

    def full(*words: Any) -> str:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("siqi.daemon.board.championship.records.replace_file", full)
    warning, shown = op.mode.do(Play("j10"))
    assert "No space" in warning.reason and len(shown.moves) == 1  # type: ignore[attr-defined]


def test_a_full_disk_changes_nothing_and_asks(op: Operator) -> None:
    op.begin("connect6", first=1)
    op.do(Resume())
    before = op.mode.state
    assert isinstance(op.store, MemoryDays)
    op.store.fault = OSError(errno.ENOSPC, "No space left on device")
    refused, shown = op.mode.do(Play("j10"))
    assert isinstance(refused, Refused) and "No space" in refused.reason and op.mode.state is before
    assert isinstance(shown, Table) and shown.stage == "asks" and op.mode.engine_request() is None
    op.store.fault = None
    op.do(Resume())
    assert len(op.do(Play("j10")).moves) == 1


def test_set_ups_by_proposal_preset_and_hand(op: Operator) -> None:
    shown = op.begin("ewn", games=7)
    assert shown.stage == "set-up" and shown.press == "nobody" and op.answer()
    shown = op.shown()
    assert shown.press == "announce" and shown.proposed is not None and len(shown.pieces) == 6
    swapped = op.do(Swap("a5", "b5"))
    assert swapped.proposed is not None and swapped.proposed.word != shown.proposed.word
    assert op.do(Propose()).press == "nobody" and op.answer()
    assert op.do(Arrange("615243")).word == "615243"
    assert "set-up" in op.refused(Arrange("615244"))
    shown = op.do(SetUp())
    assert shown.press == "set-up" and shown.word == "123456"  # theirs, from which pieces are exchanged
    op.do(Arrange("162435"))
    shown = op.do(SetUp())
    assert shown.stage == "paused" and [move.word for move in shown.moves] == ["615243", "162435"]
    op.do(EndGame(0, "resignation"))
    shown = op.next()
    assert shown.presets == ["162435"] and shown.first == 1
    op.do(SetUp())
    assert op.shown().presets == ["615243"]
    assert "over" in op.refused(Propose()) if op.shown().stage == "paused" else True


def test_junqis_referee(op: Operator) -> None:
    op.begin("junqi", first=1)
    shown = until(op, "announce")
    assert shown.setup and [move.word for move in shown.moves] == ["?"]
    op.step()
    until(op, "opponent")
    shown = op.shown()
    attack = next((choice for choice in shown.choices if choice.points[1] in shown.pieces), None)
    assert all(letter == "X" for point, letter in shown.pieces.items() if letter.isupper())
    plain = next(choice for choice in shown.choices if choice.points[1] not in shown.pieces)
    if attack is not None:
        assert "result code is needed" in op.refused(Play(attack.word))
        assert "impossible" in op.refused(Play(attack.word, 3))
    assert "impossible" in op.refused(Play(plain.word, 1)) and "no flag" in op.refused(
        Play(plain.word, 3, plain.points[1])
    )
    op.do(Play(plain.word, 3))
    assert op.shown().moves[-1].word.startswith(plain.word)
    assert "not known" in op.refused(SetPlayers((True, True)))


def test_sides_are_played_by_the_engine_or_a_hand(op: Operator) -> None:
    op.begin("connect6")
    op.do(Resume())
    assert isinstance(op.mode.engine_request(), SearchRequest)
    shown = op.do(SetPlayers((False, False)))
    assert op.mode.engine_request() is None and shown.press == "own" and shown.stones == 1
    shown = op.do(Play("j10"))
    assert shown.press == "opponent" and shown.stones == 2
    op.do(SetPlayers((True, True)))
    assert isinstance(op.mode.engine_request(), SearchRequest)
    assert [correction.detail for correction in op.shown().corrections] == ["0 0", "1 1"]


def test_the_evaluation_is_the_operators_unless_it_is_hidden(op: Operator) -> None:
    op.begin("connect6")
    op.do(Resume())
    request = op.mode.engine_request()
    assert isinstance(request, SearchRequest)
    evaluation = SearchInfo(request.key, 5, 1000, 20, (SearchLine(Score(cp=31, win=0.6), ("j10", "i9k11"), 0),))
    (event,) = op.mode.engine_searched(evaluation)
    assert isinstance(event, Evaluation) and event.is_private and event.win == 0.6 and event.line == ["j10", "i9k11"]
    op.do(SetOptions(ends_on_time=False, ponders=False, hides=True))
    assert op.mode.engine_searched(evaluation) == [] and op.shown().contest.hides  # type: ignore[union-attr]


def test_the_check_before_a_contest(op: Operator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = op.mode.do(CheckReady("ewn"))[-1]
    assert isinstance(shown, Table) and [check.is_good for check in shown.checks] == [None, True, True, True]
    assert op.mode.engine_request() == LoadRequest("ewn")
    op.load()
    assert [check.name for check in op.shown().checks] == ["engine", "disk", "clock", "folder"]
    assert all(check.is_good for check in op.shown().checks) and op.shown().checks[3].detail.endswith("2026-11-27")
    (tmp_path / "2026-12-24").mkdir()  # the machine's clock is behind
    op.mode.do(CheckReady("ewn"))
    assert [check.is_good for check in op.shown().checks] == [None, True, False, True]
    op.mode.engine_failed("no such game")
    assert op.shown().checks[0].is_good is False
    monkeypatch.setattr("os.fsync", lambda descriptor: (_ for _ in ()).throw(OSError(errno.ENOSPC, "full")))
    op.mode.do(CheckReady("ewn"))
    assert op.shown().checks[1] == type(op.shown().checks[1])("disk", False, "full")
    monkeypatch.undo()
    assert op.do(LeaveCheck()).checks == [] and "no game" in op.refused(CheckReady("chess"))


def test_refusals_say_why(op: Operator) -> None:
    for command in (Play("j10"), Confirm(), NextGame(), Pause(), Resume(), Throw(1), SetUp(), EndGame(0, "time")):
        assert op.refused(command)
    for command in (SetClocks((1, 1)), SetScore((1, 1)), SetFirst(1), SetPlayers((True, False)), GoBack(0, 0)):
        assert op.refused(command)
    settings: dict[str, Any] = {"teams": ("A", "B"), "games": 1, "first": 0, "clock_ms": 1000}
    assert op.refused(BeginContest("chess", **settings)) == "no game chess"
    assert "not known" in op.refused(BeginContest("junqi", **settings, engine=(True, True)))
    op.begin("connect6", first=1)
    op.do(Resume())
    assert "illegal" in op.refused(Play("j10k10")) and op.refused(Throw(1)) and op.refused(Propose())


def test_commands_and_facts_are_read_strictly() -> None:
    read = msgspec.json.Decoder(AnyCommand).decode
    assert read(b'{"do":"move","word":"h2e2"}') == Play("h2e2")
    for bad in (
        b'{"do":"move","word":"h2e2","result":4}',
        b'{"do":"end","winner":2,"end":"time"}',
        b'{"do":"end","winner":0,"end":"anger"}',
        b'{"do":"set score","points":[-1,0]}',
        b'{"do":"begin","game":"ewn","teams":["A"],"games":1,"first":0,"clock_ms":1000}',
    ):
        with pytest.raises(msgspec.DecodeError):
            read(bad)
    begun = Begun(at=NOW, game="ewn", teams=("A", "B"), games=7, first=0, clock_ms=1)
    moved = Moved(at=NOW, word="123456", by="person", used=(0, 0))
    ended = Ended(at=NOW, winner=0, end="time", used=(0, 0))
    for entries in ([moved], [begun, begun], [begun, moved]):
        with pytest.raises(ValueError):
            fold(entries)
    for entry in (begun, moved, ended, GameBegun(at=NOW, first=1)):
        assert msgspec.json.decode(msgspec.json.encode(entry), type=AnyEntry) == entry
