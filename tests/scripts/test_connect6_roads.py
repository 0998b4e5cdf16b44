"""Paper 3's command in small: every page, the scaled clock, and resumed runs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fixture_files import ROOT

from scripts.papers.connect6_roads import experiments as connect6_roads
from scripts.papers.connect6_roads.experiments import EXPERIMENTS, Cell
from scripts.papers.connect6_roads.times import PAPER_SECONDS, PAPER_TURN, Spot, TurnTimes, clock_scale, spot_of

from siqi.daemon.clients.player import PlayerLimits

COMMAND = (sys.executable, "-m", "scripts.papers.connect6_roads", "--quick", "--jobs", "2")


def logs(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*.jsonl")}


@pytest.mark.long
def test_a_quick_run_goes_on_after_a_kill_and_writes_every_page(tmp_path: Path) -> None:
    command = (*COMMAND, "--out", str(tmp_path))
    log = tmp_path / "games.jsonl"
    killed = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + 300
    while killed.poll() is None and not (log.exists() and log.stat().st_size):
        assert time.monotonic() < end
        time.sleep(0.01)
    os.kill(killed.pid, signal.SIGKILL)
    assert killed.wait() == -signal.SIGKILL
    left = logs(tmp_path)
    assert {"figure-3.jsonl", "games.jsonl"} <= set(left)
    so_far = (tmp_path / "report.md").read_text()  # written after each experiment
    assert "## figure-3" in so_far and "## figure-5" not in so_far

    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    first = logs(tmp_path)
    for name, content in left.items():
        whole = content[: content.rfind(b"\n") + 1]
        assert whole and first[name].startswith(whole), name
    report = (tmp_path / "report.md").read_text()
    for experiment in EXPERIMENTS:
        page = (tmp_path / f"{experiment.name}.md").read_text()
        assert experiment.claim in page and experiment.claim in report and "A quick run" in page
        assert (tmp_path / f"{experiment.name}.svg").stat().st_size > 1000

    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    assert logs(tmp_path) == first
    assert (tmp_path / "report.md").read_text() == report


def test_the_log_of_another_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "figure-3.jsonl"
    log.write_bytes(b'{"moves": ["h2e2"]}\n')
    monkeypatch.setattr("sys.argv", ["connect6_roads.py", "--quick", "--only", "figure-4", "--out", str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        sys.exit(connect6_roads.main())
    assert ended.value.code == 2 and f"{log}: is another kind of file, left as it is" in capsys.readouterr().err
    assert log.read_bytes() == b'{"moves": ["h2e2"]}\n' and list(tmp_path.iterdir()) == [log]


def test_the_clock_is_scaled_by_the_geometric_mean_of_turn_9() -> None:
    """A global scan in 1/10 of the paper's time and a local one in 1/40 give a factor of 1/20."""
    times = [
        TurnTimes(depth, turn, {"global": [paper["global"] / 10] * 2, "local": [0.0, paper["local"] / 20]})
        for depth, paper in PAPER_SECONDS.items()
        for turn in (5, PAPER_TURN)
    ]
    assert clock_scale(times) == {depth: pytest.approx(1 / 20) for depth in PAPER_SECONDS}


def test_a_spot_s_key_says_everything() -> None:
    spot = Spot(3, 7, 9, 10, 2)
    assert spot_of(spot.key) == spot


def test_overruns_are_listed_by_colour_and_opening() -> None:
    def game(pair: int, first: int, winner: int | None, end: str = "time", plies: int = 9) -> dict[str, object]:
        names = {"a": "local width 10 depth 3", "b": "global width 10 depth 3", "limit": "1000 ms a game"}
        return names | {
            "pair": pair,
            "first": first,
            "winner": winner,
            "end": end,
            "plies": plies,
            "spent": [100, 1001],
        }

    games = [
        *(game(0, 0, 0), game(0, 1, 0, plies=12)),
        *(game(1, 0, 0), game(1, 1, 1, "six")),
        *(game(2, 0, 0), game(2, 1, 1)),
        *(game(3, 0, 0, "six"), game(3, 1, None, "full")),
    ]
    cell = Cell(3, 10, PlayerLimits(clock_ms=1000), games)
    assert len(cell.overruns(1)) == 4 and len(cell.overruns(0)) == 1
    assert [cell.on_board(winner) for winner in (0, None, 1)] == [1, 1, 1]
    assert connect6_roads.overrun_rows(cell) == [
        ["global", "1", "1-3", "10, 10, 13"],
        ["local", "none", "3", "10, 10, 10"],
    ]
    assert cell.score.text.startswith("5-1-2: 68.8%")
    assert cell.minutes(0) == pytest.approx(1.5)


@pytest.mark.parametrize(("numbers", "text"), [([], "none"), ([3], "3"), ([4, 1, 2, 3, 9], "1-4, 9"), ([1, 3], "1, 3")])
def test_numbers_are_listed_as_ranges(numbers: list[int], text: str) -> None:
    assert connect6_roads.ranges(numbers) == text
