"""Paper 2's command in small: pages, a second run, a kill in the middle, and counts against counting by hand."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from scripts.papers.xiangqi_rules.experiments import MOVES, RULES, WORDS, time_saved
from scripts.papers.xiangqi_rules.mining import count_rule, paper_item

from siqi.games.game_record import GameRecord
from siqi.games.xiangqi.knowledge.items import BY_IDENTITY
from siqi.games.xiangqi.knowledge.replay import collect
from siqi.games.xiangqi.rules.notation import parse_move

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-m", "scripts.papers.xiangqi_rules", "--quick", "--jobs", "2", "--out")
TIMEOUT_S = 600.0

GAMES = (
    ("h2e2 b9c7 h0g2 h9g7 i0h0", "1-0"),
    ("g3g4 b9c7 h2e2", "0-1"),
    ("h2e2 h9g7", "1/2-1/2"),
    ("b2e2 h9g7", "1-0"),  # the mirrored: cannon 9 is 10 there, horse 22 is 21
)


def test_items_of_the_paper_are_moves() -> None:
    words = {11: "i0h0", 26: "b9c7", 72: "i6i5", 90: "h2e2", 91: "c3c4", 92: "b0c2"}
    assert {number: item.move for number, item in MOVES.items()} == {
        number: parse_move(word) for number, word in words.items()
    }
    assert set(WORDS) == set(words) == {number for rule in RULES for number in rule}
    assert paper_item(10, 8, 8, 5, 8) == MOVES[90]


def test_counts_of_a_rule() -> None:
    records = [GameRecord(tuple(words.split()), result=result) for words, result in GAMES]
    games = collect(records, 0, lambda line: None, BY_IDENTITY)
    count = count_rule(games, MOVES[90], MOVES[26])
    assert count == (4, 4, 3, 3, 2)
    assert count.confidence == 0.75 and count.lift == 1.0 and count.confidence_in_order == 0.5


def test_time_saved_is_by_moves() -> None:
    games = [
        {"spent": [10, 40], "asked": 10, "moves": 10},
        {"spent": [20, 40], "asked": 10, "moves": 10},
    ]
    assert abs(time_saved(games) - (1 - 1.5 / 4)) < 1e-12


def run(folder: Path) -> None:
    subprocess.run([*COMMAND, str(folder)], cwd=ROOT, check=True, timeout=TIMEOUT_S, capture_output=True)


@pytest.mark.long
def test_a_quick_run_is_gone_on_with_after_a_kill(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    process = subprocess.Popen(
        [*COMMAND, str(folder)], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    deadline = time.monotonic() + TIMEOUT_S
    while not (folder / "play.jsonl").exists() or not (folder / "play.jsonl").stat().st_size:
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    kept = (folder / "play.jsonl").read_bytes().rpartition(b"\n")[0]
    own = (folder / "own-games.jsonl").read_bytes()
    run(folder)
    assert (folder / "play.jsonl").read_bytes().startswith(kept) and kept
    assert (folder / "own-games.jsonl").read_bytes() == own
    for name in ("table-3", "play", "loop"):
        page = (folder / f"{name}.md").read_text(encoding="utf-8")
        assert "Jiang" in page and "| " in page and "A quick run" in page, name
    logs = {path.name: path.read_bytes() for path in folder.glob("*.jsonl")}
    bases = {path.name: path.stat().st_ino for path in folder.glob("*.book")}
    assert len(bases) == 9
    run(folder)
    assert {path.name: path.read_bytes() for path in folder.glob("*.jsonl")} == logs
    assert {path.name: path.stat().st_ino for path in folder.glob("*.book")} == bases
