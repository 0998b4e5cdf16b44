"""Every script: its help has an example; a small run works, or names the file or extra that is missing."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from commands import COMMANDS, main_of
from fixture_files import FIXTURES, ROOT, vectors
from game_logs import connect6_games, connect6_scored, junqi_log, xiangqi_games

from scripts.common import script
from scripts.match import beat_random
from scripts.network.samples import SAMPLE_DTYPE, SampleFile

from siqi.games import registry
from siqi.games.xiangqi.rules.notation import START_FEN


class Run(NamedTuple):
    """A small run; `{name}` in its words is a file that the maker of that name writes in the folder of the run."""

    script: str  # `folder/name`
    words: str
    prints: str = ""  # a pattern in its output
    status: int = 0


RUNS = (
    Run("papers/compare_players", "junqi g.jsonl --games 2 --ms 1 --pairing minimax random", "minimax . random . "),
    Run("match/beat_random", "ewn --engine random", "ewn .* falls short", 1),
    Run("match/self_play", "connect6 own.jsonl --games 1 --nodes 20 --max-plies 3"),
    Run("network/sample_positions", "p.samples --positions 20 --nodes 60 --label-nodes 60 --openings {xiangqi_games}"),
    Run("papers/compare_players", "ewn g.jsonl --games 2 --nodes 9 --pairing uct random", "uct . random . . . 0 . . "),
    Run("match/swap_worlds", "{junqi_match} s.jsonl --player siqi --back 6 --worlds 1 --nodes 50", "6 . 4 . "),
    Run("match/replay_junqi", "{junqi_tsv}", "9 of 9 games agree"),
    Run("match/plot_match", "{match_log} --out m.svg", r"\+368 \[\+295, \+441\] after 100 pairs"),
    Run("pictures/draw_outlines", "{latin_font} {latin_font} --out o.json", "no outline of 帥", 2),
    Run("books/build_ewn_setups", "--out none/setups.book", "cannot be written", 2),
    Run("books/build_ewn_tablebases", "--pieces 2 --out ."),
    Run(
        "books/build_match_openings",
        "connect6-5 --log l.jsonl --out o.openings --count 1 --nodes 50 --games 2 --check c.jsonl --pairs 1",
        r"1 lines of .* drawn, [\s\S]*first side: ",
    ),
    Run("books/build_opening_books", "{xiangqi_games} --out my.book", "positions, .* moves"),
    Run("books/build_xiangqi_tablebases", "P-A --out ."),
    Run("books/check_patterns", "--tables --sample 1", "entries, "),
    Run("tune/fit_connect6", "{connect6_games} --share 1 --out w.py", "choices, loss"),
    Run("tune/fit_junqi", "{junqi_log} --out w.py", "positions; held out"),
    Run("tune/fit_win_model", "connect6 --out . --games 6 --nodes 50", "WinModel"),
    Run("tune/fit_xiangqi", "{xiangqi_games} --share 1 --first-ply 0 --steps 1 --out t.py", "held-out loss"),
    Run("tune/learn_junqi_habits", "{junqi_log} --passes 1 --every 9 --out h.py", "without habits"),
    Run("tune/learn_junqi_layouts", "advantages {junqi_log} --out a.py", "games; held out"),
    Run("tune/rate_skill_levels", "ewn --out . --table", "no pair of games of ewn", 2),
    Run("tune/tune_options", "ewn --log t.jsonl --parameter UCTK:30:0:10:0.5", "START 30 is not within 0..10", 2),
    Run("tune/train_ewn", "--games 10 --every 10 --out e.book", "10 games"),
    Run("network/train_xiangqi_network", "--search none.samples --out n.network", "none.samples: No such file", 2),
    Run("network/train_connect6_network", "--policy none.jsonl --out n.network", "without --start, --policy and ", 2),
    Run("network/train_junqi_beliefs", "none.jsonl --out n.network", "none.jsonl: No such file", 2),
    Run("network/train_junqi_network", "none.jsonl --out n.network", "none.jsonl: No such file", 2),
    Run(
        "network/sample_lost_games",
        "l.samples {match_log} --player siqi --moves 2 --nodes 30",
        "4 .* of 16 games lost",
    ),
    Run("network/score_connect6_games", "{connect6_games} scored.jsonl --nodes 30"),
    Run("network/sample_connect6_positions", "{connect6_games} samples.jsonl --samples 1 --depth 1"),
    Run("papers/connect6_roads", "--quick --only equal-time --out p", "2 . local . global . "),
    Run("papers/ewn_uct", "--quick --only figure-1 --out quick", "the worst"),
    Run("papers/junqi_cooperation", "--quick --only parts --out p --jobs 1", "no learning . "),
    Run("papers/xiangqi_endgames", "--quick --only figure-1 --out p", "A C E F G H I J L M"),
    Run("papers/xiangqi_rules", "--quick --only table-3 --jobs 1", "90 => 26"),
    Run("measure/measure_junqi_beliefs", "{junqi_match} --of GagaFix --every 40", r"\| network with habits \| 1\.\d+ "),
    Run(
        "measure/measure_junqi_beliefs", "{junqi_match} --of Fade", "no Fade in .*, whose engines are siqi, GagaFix", 2
    ),
    Run("network/compare_searches", "{xiangqi_samples} TuneRazor=99 --nodes 200", r"TuneRazor=99: [+-]\d"),
    Run("network/compare_searches", "{xiangqi_samples} TuneNone=1", "no margin TuneNone", 2),
    Run("network/compare_searches", "{xiangqi_samples} TuneRazor=x", "not a number: TuneRazor=x", 2),
    Run("network/compare_searches", "{xiangqi_samples} TuneRazor=1", "TuneRazor=1 is not within 20..800", 2),
    Run("network/measure_xiangqi_network", "{xiangqi_samples}", r"xiangqi_samples . 2 . shipped . 0\.\d+ "),
    Run("measure/check_bounds", "ewn", "set NUMBA_BOUNDSCHECK=1", 2),
    Run("measure/count_nodes", "{positions} --depth 2", "2 positions to depth 2"),
    Run("measure/count_perft", "{perft}", " 0 wrong"),
    Run("papers/ewn_uct/measure_ewn_regret", "{ewn_values} --nodes 100 --player random", "random . 100 nodes . 0.2"),
    Run(
        "papers/ewn_uct/solve_ewn_endings", "{ewn_match} values.csv --pieces 3 --positions 2", "2 of 2 positions solved"
    ),
    Run("measure/measure_latency", "--runs 1 ewn", "ewn . "),
    Run("measure/measure_match", "--only latency --games 2", r"latency: \d+\.\d+ ms a move"),
    Run("measure/simulate_sprt", "--runs 2 --elo1 180 --out s.jsonl", '"kind": "decisive", "nelo": 180'),
    Run("measure/solve_mates", "{mates}", "3 of 3 solved"),
    Run("measure/time_library", "--count 2 --runs 1", "Xiangqi, Board.push_uci . [0-9,]+ ."),
)


def junqi_tsv(path: Path) -> None:
    lines = []
    for game in vectors("junqi_games.jsonl"):
        ends = {"flag": ("first", "second")[game["winner"] or 0], "illegal": "first", "cut": "cut(31-rule)"}
        words = " ".join(word.replace("=", "") for word in game["moves"])
        lines.append(
            "\t".join([game["id"], "A", "B", game["first"], game["second"], words, ends[game["end"]], game["end"]])
        )
    path.write_text("\n".join(lines))


def ewn_values(path: Path) -> None:
    path.write_text((FIXTURES / "ewn_values.csv").read_text())


def positions(path: Path) -> None:
    path.write_text("h2e2 h9g7\nrnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w\n")


def perft(path: Path) -> None:
    path.write_text(json.dumps({"id": "start", "fen": START_FEN, "nodes": {"2": 1920}}))


def xiangqi_samples(path: Path) -> None:
    pos = registry.load("xiangqi").position().record
    with SampleFile(path, {}) as file:
        for _ in range(2):
            file.append(np.array([(pos.square[16:48], 0, 1, 0, 30)], SAMPLE_DTYPE), 1)


def mates(path: Path) -> None:
    path.write_text("\n".join((FIXTURES / "xiangqi_mates.jsonl").read_text().splitlines()[:3]))


def match_log(path: Path) -> None:
    path.write_bytes((ROOT / "scripts/results/xiangqi-fairy-stockfish.jsonl").read_bytes())


def ewn_match(path: Path) -> None:
    path.write_bytes((ROOT / "scripts/results/ewn-tcg.jsonl").read_bytes())


def junqi_match(path: Path) -> None:
    path.write_bytes((ROOT / "scripts/results/junqi-gaga.jsonl").read_bytes())


def latin_font(path: Path) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    path.write_bytes((Path(matplotlib.get_data_path()) / "fonts/ttf/DejaVuSans-Bold.ttf").read_bytes())


MAKERS: dict[str, Callable[[Path], object]] = {
    make.__name__: make
    for make in (
        xiangqi_games,
        connect6_games,
        connect6_scored,
        ewn_match,
        ewn_values,
        junqi_log,
        junqi_match,
        junqi_tsv,
        latin_font,
        match_log,
        positions,
        xiangqi_samples,
        perft,
        mates,
    )
}


def as_parameter(run: Run) -> Any:
    """Return a run with its name; whole papers in small, which take seconds, are long."""
    marks = [pytest.mark.long] if run.script.startswith("papers/") and "--quick" in run.words else []
    return pytest.param(run, id=f"{run.script} {run.words.split()[0]}", marks=marks)


def test_no_script_is_left_out() -> None:
    assert {run.script for run in RUNS} == set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_an_example(name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.argv", [str(COMMANDS[name]), "--help"])
    with pytest.raises(SystemExit) as ended:
        main_of(name)()
    assert ended.value.code == 0
    help_text = capsys.readouterr().out
    assert help_text.startswith(f"usage: {name.rpartition('/')[2]}")
    module = name.replace("/", ".")
    examples = (f"    python scripts/{name}.py ", f"    python -m scripts.{module} ")
    assert any(example in help_text.replace("NUMBA_BOUNDSCHECK=1 ", "") for example in examples)


def test_the_list_of_scripts_is_whole() -> None:
    rows = re.findall(r"^\| (`.*?) \|", (ROOT / "scripts/README.md").read_text(encoding="utf-8"), re.MULTILINE)
    listed = re.findall(r"`(\w+)[.\w]*`", " ".join(rows))
    assert sorted(listed) == sorted(name.rpartition("/")[2] for name in COMMANDS)


@pytest.mark.parametrize("run", [as_parameter(run) for run in RUNS])
def test_a_small_run(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(beat_random, "GAMES", 2)
    words = run.words
    for name, make in MAKERS.items():
        if f"{{{name}}}" in words:
            make(tmp_path / name)
            words = words.replace(f"{{{name}}}", name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [f"{run.script}.py", *words.split()])
    try:
        status = main_of(run.script)()
    except SystemExit as ended:
        status = int(ended.code or 0)
    reported = capfd.readouterr()
    assert status == run.status, reported.err
    assert re.search(run.prints, reported.out + reported.err), reported


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("papers/ewn_uct/measure_ewn_regret", "{ewn_values} --nodes 100 --player random --player uct"),
        ("measure/solve_mates", "{mates} --nodes 5000"),
        ("tune/fit_win_model", "connect6 --out . --games 6 --nodes 50"),
    ],
)
def test_two_processes_have_the_same_results(
    name: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    ewn_values(tmp_path / "ewn_values")
    mates(tmp_path / "mates")
    printed = []
    for jobs in "12":
        (tmp_path / jobs).mkdir()
        monkeypatch.chdir(tmp_path / jobs)
        paths = {made: str(tmp_path / made) for made in ("ewn_values", "mates")}
        monkeypatch.setattr("sys.argv", [f"{name}.py", *words.format(**paths).split(), "--jobs", jobs])
        assert main_of(name)() == 0
        printed.append(re.sub(r"in \d+ s", "", capfd.readouterr().out))
    assert printed[0] == printed[1]
    logs = [sorted((tmp_path / jobs).glob("*.jsonl")) for jobs in "12"]
    assert [sorted(path.read_text().splitlines()) for path in logs[0]] == [
        sorted(path.read_text().splitlines()) for path in logs[1]
    ]


# Missing files and extras are named


def test_a_missing_file_is_named_with_where_it_comes_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, words in (("tune/fit_xiangqi", "none.jsonl --out t.py"), ("measure/solve_mates", "none.jsonl")):
        monkeypatch.setattr("sys.argv", [f"{name}.py", *words.split()])
        with pytest.raises(SystemExit) as ended:
            main_of(name)()
        first, second = capsys.readouterr().err.splitlines()
        assert ended.value.code == 2 and first.endswith("none.jsonl: No such file or directory")
        assert second.startswith("Data: ")


def test_a_missing_extra_is_named() -> None:
    with pytest.raises(OSError, match=re.escape("is not installed: pip install -e '.[benchmark]'")):
        script.require("no_such_module", "benchmark")
