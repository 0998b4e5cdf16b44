"""Paper 1's command in small, its players, and the decisions of known value."""

from __future__ import annotations

import csv
import itertools
import json
import re
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from fixture_files import FIXTURES, vectors

from scripts.match import paired_games
from scripts.match.paired_games import PaperGame
from scripts.papers.ewn_uct import experiments as ewn_uct
from scripts.papers.ewn_uct import solve_ewn_endings
from scripts.papers.ewn_uct.players import make_player
from scripts.papers.ewn_uct.regret import COLUMNS, Step, choices, decisions, regret_of, row_of, search_steps

from naive.ewn import Naive
from siqi.daemon.clients.player import PlayerLimits
from siqi.daemon.match.statistics import mean
from siqi.games import registry
from siqi.games.contract import Task, exhaust
from siqi.games.ewn.board import EwnPosition
from siqi.games.kernel.control import Control

VALUES = FIXTURES / "ewn_values.csv"
MATCH = FIXTURES.parents[2] / "scripts/results/ewn-tcg.jsonl"
NAMES = [experiment.name for experiment in ewn_uct.EXPERIMENTS]


def run(monkeypatch: pytest.MonkeyPatch, *words: object) -> None:
    monkeypatch.setattr(sys, "argv", ["ewn_uct", *map(str, words)])
    assert ewn_uct.main() == 0


# Players


@pytest.mark.parametrize(
    "name", ["random", "minimax", "alphabeta", "montecarlo", "uct", "improved", "siqi", "siqi Threads=2"]
)
@pytest.mark.parametrize("limit", [PlayerLimits(movetime_ms=100), PlayerLimits(nodes=5000)], ids=str)
def test_players_take_a_win(name: str, limit: PlayerLimits) -> None:
    if name == "improved" and limit.movetime_ms:
        pytest.skip("on a busy machine its three threads have too few playouts to find a sure win")
    player = make_player(name)
    player.new_game(1)
    position = EwnPosition("5/1A3/2e2/3D1/2d2 f 4")
    moves = {position.move_text(player.choose(position, limit)) for _ in range(3)}
    assert moves == {"d2e1"} or name == "random"


def test_unknown_players_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown player"):
        make_player("deepblue")


def test_the_papers_uct_is_bare() -> None:
    for name, threads, wink in (("uct", 1, 1.0), ("improved", 3, 0.4)):
        agent: Any = make_player(name)
        agent.new_game(1)
        settings = agent.game.knowledge.settings
        assert (settings.uct_proofs, settings.uct_reuse_tree, settings.uct_leaf_visits) == (False, False, 1)
        assert (settings.wink, settings.uctk, settings.uct_reward) == (wink, 1.0, "0..1")
        assert agent.game.knowledge.tablebase == 0
        agent.choose(EwnPosition("5/1A3/2e2/3D1/2d2 f 4"), PlayerLimits(nodes=100))
        works = agent.searcher._searcher._works
        assert len(works) == threads
        assert settings.uct_parallel == ("children" if threads == 3 else "root")


# Decisions


def test_the_values_of_the_fixture_are_exact() -> None:
    """Values of four pieces are the tablebase's; others are the mean of the best moves one ply later."""
    game: Any = registry.load("ewn")
    searcher = game.searcher()
    searcher.configure(16, 1, 1)
    cases = list(decisions(VALUES))
    assert len(cases) == 6 * 36
    for case in cases:
        board, side, die = case.fen.split()
        naive = Naive(case.fen)
        assert len(naive.board) == case.pieces
        assert sorted(case.values) == sorted(naive.legal_moves())
        if case.pieces > 4 and die != "1":
            continue
        for move, value in case.values.items():
            after = Naive(case.fen)
            after.push(move)
            exact = 1.0
            if after.winner() is None:
                report = exhaust(searcher, Task(game.position(after.fen()), Control(20_000 if case.pieces < 6 else 50)))
                if not report.finished:
                    assert case.pieces > 4
                    continue
                assert report.value is not None
                exact = 1 - (report.value.win or 0)
            assert value == pytest.approx(exact, abs=5e-5), (board, side, move)


def exact_rows(count: int) -> list[dict[str, Any]]:
    """Return rows of positions whose best moves are known; other moves count 0.25 less."""
    rows = []
    for case in vectors("ewn_exact.jsonl")[:count]:
        board, side, _ = case["fen"].split()
        text = board.translate(str.maketrans("ABCDEF", "ÀÁÂÃÄÅ"))
        for run_length in "54321":
            text = text.replace(run_length, "." * int(run_length))
        text = text.translate(str.maketrans("ÀÁÂÃÄÅ", "123456"))
        row: dict[str, Any] = {"fen": f"{text} {'r' if side == 'f' else 'b'}", "n_red": 2, "n_blue": 3}
        for die in range(1, 7):
            parts = []
            for move in Naive(f"{board} {side} {die}").legal_moves():
                cells = ["abcde".index(move[i]) + 5 * (5 - int(move[i + 1])) for i in (0, 2)]
                value = case["throws"][die - 1] - (0 if move in case["best"][die - 1] else 0.25)
                parts.append(f"1:{cells[0]}-{cells[1]}={value}")
            row[f"all{die}"] = " ".join(parts)
        rows.append(row)
    return rows


def test_regret_of_a_perfect_player_is_none(tmp_path: Path) -> None:
    path, rows = tmp_path / "values.csv", exact_rows(8)
    with path.open("w") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    cases = list(decisions(path))
    assert len(cases) == 48
    perfect, chance = make_player("siqi"), make_player("random")
    assert {regret_of(perfect, case, PlayerLimits(movetime_ms=20)) for case in cases} == {0.0}
    assert mean([regret_of(chance, case, PlayerLimits(movetime_ms=20)) for case in cases]).mean > 0.01


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("fen,", "ffen,", 2),
        ("r,2,2,5:18-19", "r,2,2,5:18-22", 2),  # an illegal move
        ("r,2,2,5:18-19=0.138888 ", "r,2,2,", 2),  # a legal move is missing
        ("=0.050927", "=zero", 3),
        ("\n..c../", "\n..x../", 3),
    ],
)
def test_bad_values_are_named(old: str, new: str, line: int, tmp_path: Path) -> None:
    text = VALUES.read_text()
    assert old in text
    (tmp_path / "bad.csv").write_text(text.replace(old, new))
    with pytest.raises(OSError, match=f"line {line} is no position with the values of its legal moves"):
        list(decisions(tmp_path / "bad.csv"))


def test_the_course_of_a_search() -> None:
    """Each step equals the end of a search of that depth; a search that has decided keeps its last step."""
    agent: Any = make_player("uct")
    case = next(case for case in choices(VALUES) if case.pieces == 6)
    steps = search_steps(agent, case, (1, 5, 9))
    for step, depth in zip(steps, (1, 5, 9), strict=True):
        agent.new_game(1)
        agent.searcher.start(Task(EwnPosition(case.fen), Control()))
        reports = [agent.searcher.iterate() for _ in range(depth)]
        line = reports[-1].lines[0]
        move = EwnPosition(case.fen).move_text(line.pv[0])
        assert step == Step(line.score.win, max(case.values.values()) - case.values[move])
    settled = search_steps(make_player("siqi Algorithm=uct"), choices(VALUES)[0], (1, 9, 17))  # type: ignore[arg-type]
    assert settled[1:] == [settled[0]] * 2 and settled[0].regret == 0


def test_means_and_their_bars() -> None:
    assert mean([0.5]) == (0.5, 0.0)
    estimate = mean([0.0, 1.0] * 50)
    assert estimate.mean == 0.5 and estimate.bar == pytest.approx(1.96 * 0.5025 / 10, abs=1e-4)


# The command


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a quick run, of the smallest sizes."""
    out = tmp_path_factory.mktemp("papers") / "quick"
    with pytest.MonkeyPatch.context() as monkeypatch:
        run(monkeypatch, "--quick", "--jobs", 1, "--out", out)
    return out


@pytest.mark.long
def test_each_experiment_writes_its_page(quick: Path) -> None:
    for name in NAMES:
        page = (quick / f"{name}.md").read_text(encoding="utf-8")
        assert "Paper: " in page and "Here: " in page and "A quick run" in page
        assert (quick / f"{name}.svg").exists()
    report = (quick / "report.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.*)$", report, re.MULTILINE) == NAMES
    page = (quick / "figure-5.md").read_text(encoding="utf-8")
    assert "| all three |" in page and "+25%" in page


@pytest.mark.long
def test_what_is_done_is_not_done_again(quick: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No game or measurement is repeated: with broken players the same pages are written."""
    logs = {path: path.read_bytes() for path in quick.glob("*.jsonl")}
    assert len(logs) == len(NAMES) + 3  # regret, speed and figure-1's games have logs of their own
    pages = {name: (quick / f"{name}.md").read_bytes() for name in NAMES}

    def refuse(*words: object) -> None:
        raise AssertionError(words)

    for module, name in (
        (paired_games, "play_pair"),
        (ewn_uct, "measure_steps"),
        (ewn_uct, "measure_regret"),
        (ewn_uct, "measure_speed"),
    ):
        monkeypatch.setattr(module, name, refuse)
    run(monkeypatch, "--quick", "--jobs", 1, "--out", quick)
    assert {path: path.read_bytes() for path in quick.glob("*.jsonl")} == logs
    assert {name: (quick / f"{name}.md").read_bytes() for name in NAMES} == pages


@pytest.mark.long
def test_a_killed_run_goes_on(quick: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "killed"
    shutil.copytree(quick, out)
    for name, kept in (("figure-1", 1), ("figure-4", 5)):  # killed as they wrote the next line
        lines = (quick / f"{name}.jsonl").read_bytes().splitlines(keepends=True)
        (out / f"{name}.jsonl").write_bytes(b"".join(lines[:kept]) + lines[kept][:20])
    run(monkeypatch, "--quick", "--jobs", 1, "--out", out, "--only", "figure-1", "figure-4")
    assert (out / "figure-1.jsonl").read_bytes() == (quick / "figure-1.jsonl").read_bytes()
    old, new = ((folder / "figure-4.jsonl").read_bytes().splitlines(keepends=True) for folder in (quick, out))
    assert new[:5] == old[:5]
    games = [json.loads(line) for line in new]
    assert [(game["b"], game["first"]) for game in games[4:7]] == [("alphabeta", 0), ("alphabeta", 0), ("alphabeta", 1)]
    assert {(game["b"], game["pair"], game["first"]) for game in games} == {
        (game["b"], game["pair"], game["first"]) for game in map(json.loads, old)
    }


def test_the_users_values_are_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    (tmp_path / "exact_values.csv").write_text("".join(VALUES.read_text().splitlines(keepends=True)[:5]))
    run(monkeypatch, "--quick", "--jobs", 1, "--out", tmp_path / "q", "--data", tmp_path, "--only", "figure-1")
    assert f"{tmp_path / 'exact_values.csv'} (" in capsys.readouterr().err
    assert "of exact_values.csv" in (tmp_path / "q/figure-1.md").read_text()


def test_the_cells_of_the_factorial_experiment() -> None:
    for level in (*ewn_uct.LEVELS, *ewn_uct.QUICK_LEVELS):
        names = [level.name(cell) for cell in level.cells()]
        assert len(set(names)) == len(names) and level.opponent in names
        whole = 2 * len(level.rewards) * len(level.factors)
        assert len(names) == whole - (0 if level.has_halves else len(level.rewards) * ((0.5, 0.5) in level.factors))
        for name in names:
            agent: Any = make_player(name)
            assert agent.game.knowledge.settings.uct_leaf_visits == 1
    assert {level.limit.nodes for level in ewn_uct.LEVELS} == {0, 20_000, 200_000, 2_000_000}
    assert {reward for level in ewn_uct.LEVELS for reward in level.rewards} == {"0..1", "-1..1"}


def test_regrets_of_the_same_decisions_are_compared_in_pairs() -> None:
    """Two players that lose much in the same decisions differ little: the bar is that of the differences."""
    other = {"value": 0.5, "regrets": [0.0, 0.2] * 50}
    step = {"value": 0.5, "regrets": [0.01, 0.21] * 50}
    assert ewn_uct.points_text(step["regrets"]) == "11.00 +- 1.97"
    assert ewn_uct.paired_text(step, other) == "+1.00 +- 0.00"
    assert ewn_uct.paired_text(other, step) == "-1.00 +- 0.00"


def test_the_gain() -> None:
    def games(a: str, won: dict[str, int]) -> list[PaperGame]:
        return [
            {"a": a, "b": other, "limit": "2 ms", "pair": pair, "first": first, "winner": int(pair >= wins)}
            for other, wins in won.items()
            for pair, first in itertools.product(range(10), (0, 1))
        ]

    before = games("uct", {"random": 8, "minimax": 5, "alphabeta": 4, "montecarlo": 3})
    after = games("improved", {"random": 9, "minimax": 6, "alphabeta": 5, "montecarlo": 4, "uct": 5})
    rows = ewn_uct.gain_table(before, after, PlayerLimits(movetime_ms=2)).rows
    assert rows[0] == ("random", "80.0% +- 24.8%", "90.0% +- 18.6%", "+10.0 +- 31.0 points", "+12.5%", "higher")
    assert rows[-1][0] == "all three" and rows[-1][1].startswith("40.0%") and rows[-1][2].startswith("50.0%")
    assert rows[-1][3].startswith("+10.0") and rows[-1][4:] == ("+25.0%", "+25%")


# Endings solved by search


def pieces(fen: str) -> int:
    return sum(letter.isalpha() for letter in fen.split(maxsplit=1)[0])


def of_fens(fens: Iterable[str]) -> list[Any]:
    """Return parameters, six pieces among the long tests: they take seconds each."""
    return [pytest.param(fen, marks=[pytest.mark.long] * (pieces(fen) > 5), id=fen) for fen in fens]


EXACT = {case["fen"]: case["throws"] for case in vectors("ewn_exact.jsonl")}


@pytest.mark.parametrize("fen", of_fens(EXACT))
def test_endings_are_solved_as_published(fen: str) -> None:
    """The best value after each throw is that of two exact solvers, none of them ours."""
    _, values = solve_ewn_endings.solve("", 10**9, fen)
    assert values is not None
    position = EwnPosition(fen)
    for die, known in enumerate(EXACT[fen], 1):
        position.set_dice(die)
        best = max(values[position.move_text(move)] for move in position.legal_moves())
        assert best == pytest.approx(known, abs=5e-5)


@pytest.mark.parametrize("fen", of_fens(sorted({case.fen[:-1] + "-" for case in decisions(VALUES)})))
def test_solved_endings_are_written_as_read(tmp_path: Path, fen: str) -> None:
    """Values by search, written and read again, are those of the file."""
    known = {case.fen: case.values for case in decisions(VALUES) if case.fen[:-1] == fen[:-1]}
    path = tmp_path / "values.csv"
    _, found = solve_ewn_endings.solve("", 10**9, fen)
    assert found is not None
    path.write_text("\n".join([",".join(COLUMNS), row_of(fen, found)]))
    solved = {case.fen: case.values for case in decisions(path)}
    assert solved.keys() == known.keys()
    for case, values in known.items():
        assert solved[case] == pytest.approx(values, abs=5e-5)


def test_solving_goes_on_after_a_kill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, torn = tmp_path / "whole.csv", tmp_path / "torn.csv"
    words = ["--pieces", "3", "4", "--positions", "2"]

    def solve(path: Path) -> None:
        monkeypatch.setattr(sys, "argv", ["solve_ewn_endings", str(MATCH), str(path), *words])
        assert solve_ewn_endings.main() == 0

    solve(whole)
    lines = whole.read_bytes().splitlines(keepends=True)
    assert len(lines) == 5
    torn.write_bytes(b"".join(lines[:3]) + lines[3][:40])
    solve(torn)
    assert torn.read_bytes() == whole.read_bytes()


def test_an_ending_beyond_the_limit_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "values.csv"
    words = ["--pieces", "9", "--positions", "1", "--nodes", "2000"]
    monkeypatch.setattr(sys, "argv", ["solve_ewn_endings", str(MATCH), str(path), *words])
    assert solve_ewn_endings.main() == 1
    assert "0 of 1 positions solved" in capsys.readouterr().out
    assert path.read_text() == ",".join(COLUMNS) + "\n"
