"""Earlier games, contests and analyses are opened by their names in the games' folder, and by nothing else."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from board_games import Table, loaded
from championship_games import Operator

from siqi.daemon.board.analyse import commands as ask
from siqi.daemon.board.analyse.entries import AnyEntry as Fact
from siqi.daemon.board.analyse.session import Analysis
from siqi.daemon.board.championship.commands import Play as Enter
from siqi.daemon.board.championship.days import Days
from siqi.daemon.board.commands import ListFiles, OpenFile, Play, Resume
from siqi.daemon.board.entries import AnyEntry
from siqi.daemon.board.events import Files, Refused
from siqi.daemon.board.mode import LoadRequest
from siqi.daemon.board.store import OPENED, SUFFIX, Store


@pytest.fixture
def games(tmp_path: Path) -> Iterator[Store[Any]]:
    store = Store[AnyEntry](tmp_path, AnyEntry)
    yield store
    store.close()


def listed(mode: Any) -> Files:
    (event,) = mode.do(ListFiles())
    assert isinstance(event, Files)
    return event


def test_an_earlier_game_goes_on_also_after_a_restart(games: Store[Any], tmp_path: Path) -> None:
    table = Table(games)
    table.begin("xiangqi", clock_ms=60_000)
    table.now += 2000
    table.do(Play("h2e2"))
    first = table.shown().file
    table.begin("ewn")
    table.begin("connect6", clock_ms=60_000)
    table.now += 3000
    files = listed(table.session)
    assert [file.game for file in files.files] == ["connect6", "ewn", "xiangqi"]
    assert files.current == files.files[0].name and files.files[2].name == first
    shown = table.do(OpenFile(first))
    assert shown.stage == "asks" and shown.file == first and [move.word for move in shown.moves] == ["h2e2"]
    assert shown.clocks is not None and shown.clocks.left[0] == 58_000
    table.do(Resume())
    table.answer()
    assert len(table.shown().moves) == 2
    games.close()
    again = Table(Store[AnyEntry](tmp_path, AnyEntry))
    assert again.shown().file == first and len(again.shown().moves) == 2
    left = again.do(OpenFile(files.current)).clocks
    assert left is not None and left.left[0] == 57_000  # what was used before it was left
    assert again.session.do(OpenFile(files.current))[0].reason == "this is what is shown"  # type: ignore[attr-defined]
    again.begin("ewn")
    again.store.close()
    last = Table(Store[AnyEntry](tmp_path, AnyEntry))
    assert last.shown().file.startswith("00004-ewn")  # the note is void: a younger game was begun
    last.store.close()


@pytest.mark.parametrize("name", ["../x", "/etc/passwd", "00009-ewn", "", ".mode", f"00001-xiangqi{SUFFIX}"])
def test_a_name_that_is_not_listed_opens_nothing(name: str, games: Store[Any], tmp_path: Path) -> None:
    shutil.copytree(tmp_path, tmp_path / "x")
    table = Table(games)
    table.begin("xiangqi")
    table.begin("xiangqi")
    before = table.shown().file
    (event,) = table.session.do(OpenFile(name))
    assert isinstance(event, Refused) and event.reason == "there is no such file" and table.shown().file == before
    assert not (tmp_path / OPENED).exists()


@pytest.mark.parametrize("damage", ["torn", "moves", "locked"])
def test_a_file_that_cannot_be_read_leaves_the_game_that_is_shown(
    damage: str, games: Store[Any], tmp_path: Path
) -> None:
    table = Table(games)
    table.begin("xiangqi")
    table.do(Play("h2e2"))
    first = table.shown().file
    table.begin("xiangqi")
    path = tmp_path / f"{first}{SUFFIX}"
    other = None
    if damage == "torn":
        path.write_bytes(path.read_bytes().replace(b'"person":0', b'"person":[]'))
    elif damage == "moves":
        path.write_bytes(path.read_bytes() + path.read_bytes())
    else:
        other = Store[AnyEntry](tmp_path, AnyEntry)
        other.open(first, list)
        (tmp_path / OPENED).unlink()
    before = table.session.state
    (event,) = table.session.do(OpenFile(first))
    assert isinstance(event, Refused) and table.session.state is before and table.shown().stage == "play"
    table.do(Play("b2e2"))
    games.close()
    if other is not None:
        other.close()
    again = Store[AnyEntry](tmp_path, AnyEntry)
    assert again.latest()[-1].word == "b2e2" and again.stem != first
    again.close()


def test_an_earlier_contest_of_another_day_goes_on_in_its_folder(tmp_path: Path) -> None:
    days = Days(tmp_path)
    op = Operator(days)
    op.begin("connect6", first=1, teams=("Alpha", "Beta"))
    op.do(Resume())
    op.do(Enter("j10"))
    op.today = "2026-11-28T09:00:00"
    op.begin("ewn", teams=("Alpha", "Gamma"))
    files = listed(op.mode)
    assert [file.title for file in files.files] == ["Alpha – Gamma", "Alpha – Beta"]
    shown = op.do(OpenFile(files.files[1].name))
    assert shown.stage == "asks" and shown.contest is not None and shown.contest.teams == ("Alpha", "Beta")
    assert (tmp_path / "2026-11-27" / shown.record).is_file() and shown.record
    op.do(Resume())
    op.answer()
    days.close()
    again = Operator(Days(tmp_path))
    assert again.shown().contest == op.shown().contest and len(list((tmp_path / "2026-11-28").iterdir())) == 1
    again.begin("ewn")
    assert len(list((tmp_path / "2026-11-27").glob("*ewn*"))) == 1  # of the day that the clock says
    again.store.close()


def test_an_earlier_analysis_is_shown_with_its_tree(tmp_path: Path) -> None:
    store = Store[Fact](tmp_path, Fact)
    analysis = Analysis(store)

    def do(command: Any) -> Any:
        events = [*analysis.do(command)]
        while isinstance(request := analysis.engine_request(), LoadRequest):
            events += analysis.game_loaded(loaded(request.game))
        assert not [event for event in events if isinstance(event, Refused)]
        return analysis.snapshot()

    do(ask.Read('[Game "Chinese Chess"]\n[Red "A"]\n[Black "B"]\n\n1. C2=5 H8+7 (C8=5) *\n'))
    first = do(ask.GoTo(3))
    do(ask.Open("xiangqi"))
    do(ask.Open("ewn"))
    files = listed(analysis)
    assert [file.title for file in files.files] == ["", "", "A – B"]
    shown = do(OpenFile(files.files[2].name))
    assert (shown.node, shown.fen, shown.players, shown.tree) == (3, first.fen, ("A", "B"), first.tree)
    assert do(OpenFile(files.files[1].name)).game == "xiangqi"  # of the game that is loaded
    store.close()
