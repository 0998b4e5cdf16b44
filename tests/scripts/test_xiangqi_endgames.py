"""Paper 5's command in small: pages, resumption, and the results of endgames, settled and judged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fixture_files import FIXTURES

from scripts.papers.xiangqi_endgames import experiments as xiangqi_endgames
from scripts.papers.xiangqi_endgames import known
from scripts.papers.xiangqi_endgames.solving import (
    DRAWN,
    Endgame,
    attempt,
    is_solved,
    read_endgames,
    settle,
    spread,
)

from siqi.daemon.clients.player import PlayerLimits
from siqi.games.xiangqi import game as xiangqi

EXAMPLE = Path(known.__file__).with_name("known_positions.txt")
NAMES = [experiment.name for experiment in xiangqi_endgames.EXPERIMENTS]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a quick run still smaller."""
    for name, value in {"TREES": 2, "DEPTH": 2, "GAMES": 4, "PLIES": 4, "NODES": 50, "MS": 2, "OPPONENT": 50}.items():
        monkeypatch.setattr(xiangqi_endgames, f"QUICK_{name}", value)


def run(monkeypatch: pytest.MonkeyPatch, folder: Path, *words: str) -> None:
    monkeypatch.setattr("sys.argv", ["xiangqi_endgames", "--quick", "--jobs", "1", "--out", str(folder), *words])
    assert xiangqi_endgames.main() == 0


@pytest.mark.long
def test_every_experiment_writes_its_page_and_none_is_repeated(
    small: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(monkeypatch, tmp_path / "p")
    for name in NAMES:
        page = (tmp_path / "p" / f"{name}.md").read_text(encoding="utf-8")
        assert page.startswith("# The experiments of Xiao") and "| " in page and "A quick run" in page
    report = (tmp_path / "p" / "report.md").read_text(encoding="utf-8")
    assert [line[3:] for line in report.splitlines() if line.startswith("## ")] == NAMES
    logs = {path: path.read_bytes() for path in (tmp_path / "p").glob("*.jsonl")}
    assert sorted(path.stem for path in logs) == sorted(set(NAMES) - {"figure-1"})
    pages = {path: path.read_bytes() for path in (tmp_path / "p").glob("*.md")}

    def never(key: str) -> None:
        raise AssertionError(f"measured again: {key}")

    monkeypatch.setattr(xiangqi_endgames, "measure_tree", never)
    monkeypatch.setattr(xiangqi_endgames, "play", never)
    run(monkeypatch, tmp_path / "p")
    assert {path: path.read_bytes() for path in pages} == pages and {path: path.read_bytes() for path in logs} == logs
    capsys.readouterr()


def test_a_kill_in_the_middle_loses_nothing(
    small: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run resumes from a log that ends in half a line; its measurements are not repeated."""
    run(monkeypatch, tmp_path / "p", "--only", "ordering")
    log = tmp_path / "p" / "ordering.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[:5]) + lines[5][:30])
    measured = []
    measure = xiangqi_endgames.measure_tree

    def count(key: str) -> dict[str, float]:
        measured.append(key)
        return measure(key)

    monkeypatch.setattr(xiangqi_endgames, "measure_tree", count)
    run(monkeypatch, tmp_path / "p", "--only", "ordering")
    assert len(measured) == len(lines) - 5
    after = log.read_bytes().splitlines(keepends=True)
    assert after[:5] == lines[:5] and sorted(json.loads(x)["key"] for x in after) == sorted(
        json.loads(x)["key"] for x in lines
    )
    capsys.readouterr()


def test_the_endgames_are_spread_over_claims_and_categories() -> None:
    endgames = read_endgames(FIXTURES / "xiangqi_endgames.jsonl")
    assert len(endgames) == 52
    chosen = spread(endgames, 20)
    assert len(set(chosen)) == 20 and {endgame.claim for endgame in chosen} == {"red", "black", DRAWN}
    assert {endgame.category for endgame in chosen} == {"composed", "practical", "endgame-master"}
    assert sorted(spread(endgames, 999)) == sorted(endgames)


def test_a_file_s_faults_are_left_out(tmp_path: Path) -> None:
    lines = [
        {"fen": "9/9/9/9/9/9/9/9/9/4K4 w", "result": "1-0", "category": "a"},  # no position
        {"fen": "3k5/9/9/9/9/9/9/9/9/R3K4 w - - 0 1", "result": "1-0", "category": "a"},
        {"fen": "3k5/9/9/9/9/9/9/9/9/R3K4 w - - 0 9", "result": "0-1", "category": "b"},  # the same again
        {"fen": "3k5/9/9/9/9/9/9/9/9/C3K4 w", "result": "*", "category": "a"},  # no claim
        {"fen": "3k5/9/9/9/9/9/9/9/9/4K4 w", "result": "1/2-1/2", "category": "a"},  # over
    ]
    (tmp_path / "e.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert read_endgames(tmp_path / "e.jsonl") == [Endgame("3k5/9/9/9/9/9/9/9/9/R3K4 w", "red", "a", 0)]


@pytest.mark.parametrize(
    "endgame, settled",
    [
        (Endgame("3k5/9/9/4P4/2b6/9/9/9/5K3/4C4 w", DRAWN, "", 0), ("red", "tablebase")),
        (Endgame("6b2/4ak3/5a2b/9/4R4/9/9/9/9/5K3 w", "red", "", 0), (DRAWN, "tablebase")),
        (Endgame("3k5/9/9/4P4/2b6/9/9/9/5K3/4C4 w", DRAWN, "", -3), ("black", "engine")),
        (Endgame("2b1k4/4a4/9/4C4/9/9/9/9/9/R2RK4 b", DRAWN, "", 4), ("black", "engine")),
        (Endgame("3a5/3k3N1/4b4/1P1N4p/6bn1/1p7/c3Pn2P/4B4/4AC3/4KAB2 w", DRAWN, "", 0), ("red", "search")),
        (Endgame("3a5/3k3N1/4b4/1P1N4p/6bn1/1p7/c3Pn2P/4B4/4AC3/4KAB2 w", "black", "", 0), ("black", "book")),
    ],
)
def test_the_result_is_the_best_that_is_known(endgame: Endgame, settled: tuple[str, str]) -> None:
    assert settle(endgame, 100_000) == settled


def test_an_attempt_is_played_to_its_end() -> None:
    fen = "3k5/9/9/9/9/9/9/9/9/R3K3R w"
    for solver in ("paper", "ours", "our terms", "ours with tablebases"):
        won = attempt(fen, "red", solver, PlayerLimits(nodes=3000), PlayerLimits(nodes=500), 40)
        assert won.winner == "red" and won.plies <= 40 and won.announced
    cut = attempt(
        "2bak4/4a4/4b4/9/9/9/9/9/4A4/3R1K3 w", "red", "paper", PlayerLimits(nodes=50), PlayerLimits(nodes=50), 2
    )
    assert (cut.winner, cut.plies) == (DRAWN, 2)


def test_what_counts_as_solved() -> None:
    fen = "3k5/9/9/9/9/9/9/9/9/R3K4 b"
    assert is_solved("red", "red", fen) and not is_solved("red", DRAWN, fen) and not is_solved("red", "black", fen)
    assert is_solved(DRAWN, DRAWN, fen) and is_solved(DRAWN, "black", fen) and not is_solved(DRAWN, "red", fen)


def test_the_example_of_known_positions_is_right() -> None:
    """Each line is read, and has the tablebase's value."""
    warnings: list[str] = []
    game: Any = xiangqi.create(warnings.append)
    game.set_option("PositionFile", str(EXAMPLE))
    lines = [line.split(",") for line in EXAMPLE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    assert len(lines) >= 12 and not warnings
    for fen, value in lines:
        (result,) = (line.ending.result for line in game.consult(game.position(fen)) if line.ending is not None)
        assert value.split()[0] == result, fen


def test_known_positions_show_a_win_earlier(tmp_path: Path) -> None:
    """The horse takes the advisor at once: with the base two plies see the win; without it they see no mate."""
    path = tmp_path / "base.txt"
    assert known.write_base(path, 300) == 300 and known.write_base(path, None) == 300
    lines = [line.split(", ") for line in path.read_text(encoding="ascii").splitlines()]
    assert {value for _, value in lines} <= {"win", "draw", "loss"} and len({fen for fen, _ in lines}) == 300
    path.write_text("3k5/4N4/9/9/9/9/9/9/9/4K4 b, loss\n", encoding="ascii")
    fen = "3k5/4a4/9/3N5/9/9/9/9/9/4K4 w"
    assert known.ask(path, f"{fen}|2|{known.BASE}")["win"] and not known.ask(path, f"{fen}|2|")["win"]


def test_roots_are_positions_with_one_more_piece() -> None:
    roots = known.draw_roots(20)
    assert roots == known.draw_roots(20) and len(dict(roots)) == 20
    assert all(sorted(filter(str.isalpha, fen.split()[0])) == sorted(known.ROOT) for fen, _ in roots)
