"""The contests' folder: a folder a day, official records, an operator whose server is killed at any moment."""

from __future__ import annotations

import random
import sys
from pathlib import Path

from board_games import shown_until_killed
from championship_games import NOW, Operator

from siqi.daemon.board.championship.commands import EndGame, Play
from siqi.daemon.board.championship.days import Days
from siqi.daemon.board.championship.entries import Begun
from siqi.daemon.board.championship.preflight import JUMP_MS, Drift, clock, disk
from siqi.daemon.board.commands import Resume


def begun(at: str) -> Begun:
    return Begun(at=at, game="connect6", teams=("A", "B"), games=1, first=0, clock_ms=60_000)


def test_each_day_has_a_folder_and_the_youngest_contest_goes_on(tmp_path: Path) -> None:
    days = Days(tmp_path)
    assert days.latest() == [] and days.last_day == ""
    for at in ("2026-11-26T09:00:00", "2026-11-26T10:00:00", "2026-11-27T09:00:00"):
        days.begin(begun(at))
    days.close()
    names = [str(path.relative_to(tmp_path)) for path in sorted(tmp_path.rglob("*.jsonl"))]
    assert names == [
        "2026-11-26/00001-connect6.siqi.jsonl",
        "2026-11-26/00002-connect6.siqi.jsonl",
        "2026-11-27/00001-connect6.siqi.jsonl",
    ]
    (tmp_path / "2026-11-28").mkdir()  # a day without a contest
    (tmp_path / "notes").mkdir()
    again = Days(tmp_path)
    assert again.latest() == [begun("2026-11-27T09:00:00")] and again.folder.name == "2026-11-27"
    assert again.last_day == "2026-11-28"
    again.close()


def test_a_contest_that_goes_on_over_midnight_stays_in_its_folder(tmp_path: Path) -> None:
    op = Operator(Days(tmp_path))
    op.begin("connect6", first=1)
    op.today = "2026-11-28T00:01:00"
    op.do(Resume())
    shown = op.do(Play("j10"))
    assert [path.name for path in tmp_path.iterdir()] == ["2026-11-27"]
    assert (tmp_path / "2026-11-27" / shown.record).is_file()
    op.store.close()


def test_a_record_is_there_after_each_move(tmp_path: Path) -> None:
    op = Operator(Days(tmp_path))
    op.begin("connect6", first=1)
    op.do(Resume())
    for count, word in enumerate(("j10", None, "a1a2"), 1):
        if word is None:
            op.step()
            op.step()
        else:
            op.do(Play(word))
        (path,) = tmp_path.rglob("C6-*")
        assert path.read_bytes().decode("gb18030").count("(") == 2 * count - 1
    op.do(EndGame(0, "time"))
    (path,) = tmp_path.rglob("C6-*")
    assert "-后手胜-" in path.name and "后手胜(超时)" in path.read_bytes().decode("gb18030")
    op.store.close()


def test_the_disk_and_the_clock_are_tried(tmp_path: Path) -> None:
    assert disk(tmp_path / "new").is_good and not list((tmp_path / "new").iterdir())
    (tmp_path / "file").write_text("")
    assert disk(tmp_path / "file").is_good is False
    (tmp_path / ".check").write_text("mine")
    assert disk(tmp_path).is_good and (tmp_path / ".check").read_text() == "mine"
    assert clock(NOW, "2026-11-27", 0).is_good and clock(NOW, "", JUMP_MS).is_good
    for now, last_day, drift in ((NOW, "2026-11-28", 0), ("2019-11-27T14:03:00", "", 0), (NOW, "", JUMP_MS + 1)):
        assert not clock(now, last_day, drift).is_good
    passed, wall = [0.0], [1000.0]
    drift_of = Drift(lambda: passed[0], lambda: wall[0])
    passed[0], wall[0] = 5000.0, 1005.0
    assert drift_of.ms == 0
    wall[0] += 3600  # somebody set the clock
    assert drift_of.ms == 3_600_000
    drift_of.reset()
    assert drift_of.ms == 0


OPERATING = """
import sys
sys.path[:0] = ["tests/support"]
from pathlib import Path
from championship_games import Operator
from siqi.daemon.board.championship.days import Days
op = Operator(Days(Path(sys.argv[1])), int(sys.argv[2]))
if op.shown().stage == "start":
    op.begin("ewn", games=7)
while True:
    shown = op.shown()
    card = shown.proposed.word if shown.proposed else "-"
    print(len(shown.contest.played), len(shown.moves), shown.throw, card, sum(shown.contest.points), flush=True)
    if not op.step():
        op.next()
"""


def test_an_operator_who_is_killed_at_any_moment_has_all_that_was_shown(tmp_path: Path) -> None:
    rng = random.Random(5)
    command = (sys.executable, "-c", OPERATING, str(tmp_path))
    for seed in range(3):
        lines = shown_until_killed((*command, str(seed)), rng)
        again = Operator(Days(tmp_path))
        shown = again.shown()
        assert shown.contest is not None and shown.stage in ("asks", "over")
        if lines:
            games, moves, throw, card, points = lines[-1].split()
            now = (len(shown.contest.played), len(shown.moves))
            assert now >= (int(games), int(moves)) and sum(shown.contest.points) >= float(points)
            if now == (int(games), int(moves)) and shown.stage == "asks":
                assert shown.throw == int(throw) or not int(throw)
                assert card == "-" or again.mode.state.games[-1].proposed == card
        again.store.close()
