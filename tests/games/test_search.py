"""The claims that searchers may make, and their soundness in long games."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import pytest
from connect6_proofs import prove
from samples import sampled

from naive.connect6 import ROADS, Naive, Point, points_of
from siqi.games import registry
from siqi.games.connect6.search.threats import ThreatSolver
from siqi.games.contract import Line, Searcher, Task, exhaust
from siqi.games.kernel.control import Control

ROOT = Path(__file__).parents[2]


def search(name: str, fen: str, depth: int, nodes: int = 0, searcher: Searcher | None = None) -> tuple[Line, str]:
    """Return the best line of a search to a depth, and its first move's text."""
    game = registry.load(name)
    position = game.position(fen)
    searcher = searcher or game.searcher()
    searcher.configure(16, 1, 1)
    searcher.start(Task(position, Control(nodes)))
    report = searcher.iterate()
    while report.complete and not report.finished and report.depth < depth:
        report = searcher.iterate()
    searcher.finish()
    return report.lines[0], position.move_text(report.lines[0].pv[0])


def test_a_mate_by_the_last_quiet_move_counts() -> None:
    line, _ = search("xiangqi", "3k5/1R7/R8/9/9/9/9/9/9/4K4 w - - 119 100", 4)
    assert line.score.mate == 1


def search_after(fen: str, moves: str, allowed: str, depth: int) -> int:
    """Return the score of one move of Xiangqi after others, by a search to a depth, in centipawns."""
    game = registry.load("xiangqi")
    position = game.position(fen)
    for word in moves.split():
        position.push(position.parse_move(word))
    searcher = game.searcher()
    searcher.configure(16, 1, 1)
    searcher.start(Task(position, Control(), (position.parse_move(allowed),)))
    while (report := searcher.iterate()).depth < depth:
        pass
    searcher.finish()
    return report.lines[0].score.cp


def test_a_repetition_of_a_position_before_the_root_ends_nothing() -> None:
    """A second occurrence, after Black has checked twice, is no perpetual check yet; a third is one."""
    fen, cycle = "3k5/9/4b4/p8/9/9/P8/4B4/r8/4K3R b - - 0 1", "a1a0 e0e1 a0a1 "
    assert abs(search_after(fen, cycle, "e1e0", 8)) < 2000
    assert search_after(fen, cycle + "e1e0 " + cycle, "e1e0", 2) > 19_000


@pytest.mark.parametrize("depth", [2, 4, 7])
def test_a_third_occurrence_ends_the_game_within_a_search(depth: int) -> None:
    """A third occurrence ends the game: Red is a rook ahead, and Black's horse returns a second and a third time."""
    fen = "rnbakabn1/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"
    cycle = "h0g2 h9g7 g2h0 g7h9 "
    assert search_after(fen, cycle[:15], "g7h9", depth) < -300
    assert search_after(fen, cycle + cycle[:15], "g7h9", depth) == 0


@pytest.mark.parametrize(
    ("name", "limits"), [("xiangqi", range(2000, 12000, 1000)), ("connect6", range(200, 1000, 100))]
)
def test_lines_that_a_stop_left_unreached_stay_as_they_were(name: str, limits: range) -> None:
    game = registry.load(name)
    unreached = 0
    for limit in limits:
        searcher = game.searcher()
        searcher.configure(1, 1, 1)
        searcher.start(Task(game.position(), Control(limit), multipv=4))
        last = report = searcher.iterate()
        while report.complete and not report.finished:
            last, report = report, searcher.iterate()
        searcher.finish()
        for line in report.lines:
            assert line.depth == report.depth or line in last.lines
            unreached += line.depth < report.depth
    assert unreached > 0


@pytest.mark.parametrize("width", [2, 6])
def test_connect6_reports_no_mate_against_chosen_defences_only(width: int) -> None:
    """No mate is claimed when, with few turns per node, every line is lost for one side after two turns."""
    game = registry.load("connect6")
    game.set_option("Width", str(width))
    board = "19/19/19/19/19/19/19/19/10ww7/9b9/19/19/19/19/19/19/19/19/19"
    line, _ = search("connect6", f"{board} b 2", 8, 100_000, game.searcher())
    assert line.score.mate is None


def test_connect6_reports_a_mate_by_threats_whatever_its_width() -> None:
    """The reported mate is the proven one, in five; at a width of six an unproven mate in four was once reported."""
    game = registry.load("connect6")
    game.set_option("Width", "6")
    board = "19/19/19/19/19/19/12w6/10bw7/9b9/6w2b1w7/19/19/19/19/19/19/19/19/19"
    proof = prove(ThreatSolver(), game.position(f"{board} b 2").record, 200_000)
    line, _ = search("connect6", f"{board} b 2", 8, 100_000, game.searcher())
    assert proof is not None and line.score.mate == proof.length


def open_points(position: Any, side: int) -> list[set[Point]]:
    """Return the empty points of each road on which a side can make six in one turn."""
    board = Naive(position.fen()).board
    points = []
    for road in ROADS:
        stones = [board.get(point) for point in road]
        if stones.count(side) >= 4 and stones.count(1 - side) == 0:
            points.append({point for point in road if point not in board})
    return points


@sampled("every", 6, 2)
def test_connect6_hits_every_four_that_can_be_hit(every: int) -> None:
    """The search hits every four that can be hit, with little time and in lost games too."""
    game = registry.load("connect6")
    searcher = game.searcher()
    lines = (ROOT / "tests" / "support" / "fixtures" / "connect6_games.jsonl").read_text().splitlines()
    met = 0
    for record in map(json.loads, lines[::every]):
        position = game.position()
        for text in record["moves"]:
            position.push(position.parse_move(text))
            threats = open_points(position, 1 - position.turn)
            points = set().union(*threats)
            if position.outcome() or not threats or open_points(position, position.turn):
                continue
            pairs = combinations_with_replacement(points, 2)
            if not any(all(set(pair) & threat for threat in threats) for pair in pairs):
                continue
            searcher.configure(1, 1, 1)
            searcher.clear()
            line = exhaust(searcher, Task(position, Control(50))).lines[0]
            stones = set(points_of(position.move_text(line.pv[0])))
            assert all(stones & threat for threat in threats), position.fen()
            met += 1
    assert met > 100 // every


@pytest.mark.parametrize("width", [2, 21, 40])
def test_connect6_lists_legal_turns_of_any_width_against_a_threat(width: int) -> None:
    """Turns of any width are legal against a threat: one stone meets it, and the other can stand anywhere."""
    game = registry.load("connect6")
    game.set_option("Width", str(width))
    position = game.position()
    for text in ("j10", "a1a3", "k10l10", "c1i10", "m10s19"):
        position.push(position.parse_move(text))
    searcher = game.searcher()
    searcher.configure(1, 1, 1)
    searcher.start(Task(position, Control(2000)))
    work = searcher._searcher._works[0]  # type: ignore[attr-defined]
    turns = work.root_moves[: int(work.root_count)].tolist()
    assert turns and len(set(turns)) == len(turns)
    assert all(position.is_legal(turn) for turn in turns)
    searcher.finish()


def test_connect6_reports_a_loss_that_nothing_averts() -> None:
    rows = ["19"] * 19
    for row in (3, 9, 15):
        rows[row] = "5wwww10"
    line, _ = search("connect6", f"{'/'.join(rows)} b 2", 4)
    assert line.score.mate == -1


def test_junqi_counters_outlast_four_bytes() -> None:
    game = registry.load("junqi")
    game.set_option("Algorithm", "uct")
    searcher = game.searcher()
    searcher.configure(16, 1, 1)
    work = searcher._searcher._works[0]  # type: ignore[attr-defined]
    work.stamp = 2**32 - 1000
    line, _ = search("junqi", "1c1l1/5/5/1d1f1/5/5/5/5/1h3/5/1g1i1/B2LC f - 0", 8, 5000, searcher)
    assert line.pv and int(work.stamp) > 2**32


def test_only_old_caches_of_ours_are_removed(tmp_path: Path) -> None:
    kept, stale, recent = tmp_path / "precious", tmp_path / f"siqi-{'0' * 16}", tmp_path / f"siqi-{'1' * 16}"
    for folder in (kept, stale, recent):
        folder.mkdir()
        (folder / "file").write_text("")
    old = time.time() - 60 * 24 * 3600
    for folder in (kept, stale):
        os.utime(folder, (old, old))
    tmp_path.chmod(0o700)
    environment = {**os.environ, "SIQI_CACHE": str(tmp_path)}
    subprocess.run([sys.executable, "-c", "import siqi.games.kernel.jit"], cwd=ROOT, env=environment, check=True)
    assert kept.is_dir() and recent.is_dir() and not stale.exists()
