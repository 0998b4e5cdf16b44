"""Tuning by SPSA: the arithmetic, convergence, the dialogue with engines, and interrupted runs."""

from __future__ import annotations

import json
import math
import random
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
from fixture_files import ROOT
from nim import NimGame, engine_command

from scripts.tune import tune_options
from scripts.tune.tune_options import (
    Iteration,
    Parameter,
    SpsaSettings,
    Trajectory,
    Trial,
    engine_word,
    gain,
    perturbation,
    run,
)

from siqi.daemon.clients.player import UNLIMITED, EngineSpec, PlayerLimits
from siqi.daemon.match.engines import parse_engine
from siqi.daemon.match.match_log import MatchSettings
from siqi.games import registry
from siqi.system.log import Log

WIDTH = Parameter("Width", 10, 0, 100, 4, 0.5, is_whole=True)
WEIGHT = Parameter("Weight", 2.5, -1, 6, 0.25, 0.02)


def settings_of(*parameters: Parameter, iterations: int = 10, pairs: int = 2) -> SpsaSettings:
    engines = tuple(EngineSpec(side, "none", {}, PlayerLimits(nodes=1)) for side in ("plus", "minus"))
    match = MatchSettings("ewn", engines, games=2 * pairs * iterations)
    return SpsaSettings(match, parameters, iterations, pairs, 0.1, is_seeded=False)


def iteration_of(number: int, *points: float) -> Iteration:
    return Iteration(number, {}, {}, {}, list(points), [])


# Arithmetic


def test_an_iteration_moves_each_value_by_spall_s_gains() -> None:
    """Iteration 3 has the pairs 7 and 8 of 20, and A is 2: c = 4 (20/7)^0.101, a = 0.5 4^2 (22/9)^0.602."""
    settings = settings_of(WIDTH, WEIGHT)
    assert perturbation(settings, WIDTH, 3) == pytest.approx(4.447429975270423)
    assert gain(settings, WIDTH, 3) == pytest.approx(13.701699867340775 / 4.447429975270423)
    trajectory = Trajectory(settings)
    trajectory.take(iteration_of(3, 1, 0.5, 1, 1))  # three wins and a draw: wins - losses = 3
    first, second = tune_options.signs(settings, 3)
    assert {first, second} <= {-1, 1}
    assert trajectory.values[0] == pytest.approx(10 + first * 3 * 3.08081295119383)
    small = 0.02 * 0.25**2 * (22 / 9) ** 0.602 / (0.25 * (20 / 7) ** 0.101)
    assert trajectory.values[1] == pytest.approx(2.5 + second * 3 * small)
    assert trajectory.points[-1].squares == pytest.approx([(3 * 3.08081295119383) ** 2, (3 * small) ** 2])


def test_the_last_pair_has_the_gains_that_the_command_names() -> None:
    settings = settings_of(WIDTH, iterations=10, pairs=1)
    assert perturbation(settings, WIDTH, 9) == 4
    assert gain(settings, WIDTH, 9) == pytest.approx(0.5 * 4**2 / 4)


def test_values_stay_within_their_limits() -> None:
    settings = settings_of(WIDTH)
    trajectory = Trajectory(settings)
    sign = tune_options.signs(settings, 0)[0]
    trajectory.take(iteration_of(0, *[float(sign < 0)] * 4))  # downwards by some 30
    assert trajectory.values == [0]
    for side in (-1, 1):
        assert 0 <= int(tune_options.perturbed(settings, 0, [1.0], side)["Width"]) <= 8


def test_the_order_of_iterations_does_not_matter() -> None:
    settings = settings_of(WEIGHT, iterations=50)
    rng = random.Random(3)
    played = [iteration_of(number, *rng.choices((0, 0.5, 1), k=4)) for number in range(50)]
    ends = []
    for _ in range(3):
        rng.shuffle(played)
        trajectory = Trajectory(settings)
        for iteration in played:
            trajectory.take(iteration)
        ends.append([*trajectory.values, *trajectory.points[-1].squares])
    assert ends[1:] == [pytest.approx(ends[0])] * 2


def test_both_sides_are_as_far_from_the_value_and_whole_numbers_are_so_on_the_average() -> None:
    settings = settings_of(WIDTH, WEIGHT, iterations=4000, pairs=1)
    sums = [0.0, 0.0]
    for number in range(4000):
        plus, minus = (tune_options.perturbed(settings, number, [10.3, 2.5], side) for side in (1, -1))
        assert float(plus["Weight"]) + float(minus["Weight"]) == pytest.approx(5.0, abs=1e-4)
        expected = 2 * tune_options.signs(settings, number)[1] * perturbation(settings, WEIGHT, number)
        assert float(plus["Weight"]) - float(minus["Weight"]) == pytest.approx(expected, abs=1e-4)
        assert plus["Width"] == str(int(plus["Width"]))
        sums[0] += int(plus["Width"]) + int(minus["Width"])
        sums[1] += tune_options.signs(settings, number)[0]
    assert sums[0] / 8000 == pytest.approx(10.3, abs=0.05)
    assert abs(sums[1]) < 250  # four standard deviations


# Runs on a known objective


def strength(options: dict[str, str]) -> float:
    """Return a strength in logits, best at a width of 40 and a weight of 1; the third option has no effect."""
    return -(((int(options["Width"]) - 40) / 15) ** 2) - ((float(options["Weight"]) - 1) / 1.5) ** 2


def play_by_strength(trial: Trial) -> Iteration:
    """Draw the results of games by the difference of the strengths."""
    rng = random.Random(f"results {trial.number}")
    chance = 1 / (1 + math.exp(strength(trial.minus) - strength(trial.plus)))
    points = [float(rng.random() < chance) for _ in range(2 * trial.settings.pairs)]
    return Iteration(trial.number, trial.values, trial.plus, trial.minus, points, [])


IDLE = Parameter("Idle", 0, -100, 100, 1, 0.02)


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_best_values_are_found(tmp_path: Path, jobs: int) -> None:
    start = msgspec.structs.replace(WIDTH, r_end=0.02)
    settings = settings_of(start, WEIGHT, IDLE, iterations=1500)
    trajectory = Trajectory(settings)
    run(settings, [""], tmp_path / "log.jsonl", jobs, trajectory, 10**9, play_by_strength)
    assert trajectory.iterations == 1500 and trajectory.games == 6000
    assert trajectory.values[0] == pytest.approx(40, abs=6)
    assert trajectory.values[1] == pytest.approx(1, abs=0.4)
    (moved, bar), others = (
        (trajectory.values[2], trajectory.points[-1].squares[2] ** 0.5),
        trajectory.points[-1].squares,
    )
    assert abs(moved) < 3 * bar  # by chance
    assert abs(trajectory.values[0] - 10) > 2 * others[0] ** 0.5


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()[1:]]


# Games of engines


def tune(
    folder: Path, *options: str, parameter: str = "Strength:3:1:9:1:0.5", mode: str = "skill", limit: str = "--nodes 5"
) -> int:
    words = ("xiangqi", "--log", str(folder / "t.jsonl"), "--engine", engine_command(folder, mode, "a"))
    return tune_options.main((*words, "--parameter", parameter, *limit.split(), *options))


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(registry, "load", NimGame)
    return tmp_path


def test_engines_get_the_values_of_each_iteration(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert tune(toy, "--iterations", "3", "--pairs", "2", "--every", "2", mode="wise") == 0
    lines = read(toy / "t.jsonl")
    assert [line["number"] for line in lines] == [0, 1, 2]
    assert all(line["points"] == [1, 0, 1, 0] and line["faults"] == [] for line in lines)  # the side that begins wins
    heard = (toy / "a.txt").read_text().splitlines()
    values = [f"setoption name Strength value {line[side]['Strength']}" for line in lines for side in ("plus", "minus")]
    given = [line for line in heard if line.startswith("setoption name Strength")]
    assert given[:3] == [f"setoption name Strength value {value}" for value in (1, 9, 3)]  # the script tries the values
    assert sorted(given[3:]) == sorted(values)
    assert heard.count("ucinewgame") == 1 + 24
    printed = capsys.readouterr().out
    assert printed.startswith("2  Strength 3\nxiangqi: 3 of 3 iterations, 12 games\n")
    (line,) = re.findall(r"^siqi match xiangqi (.*)", printed, re.MULTILINE)
    tuned, start = (parse_engine(word, UNLIMITED) for word in shlex.split(line))
    assert (tuned.name, tuned.options) == ("tuned", {"Strength": "3"})
    assert (start.name, start.options) == ("start", {"Strength": "3"})
    assert shlex.split(tuned.command) == shlex.split(engine_command(toy, "wise", "a"))


def test_an_engine_is_named_as_a_match_reads_it() -> None:
    options = {"Skill Level": "3", "Algorithm": "uct"}
    spec = parse_engine(engine_word("tuned", "'an engine' --uci", options), UNLIMITED)
    assert (spec.name, shlex.split(spec.command), spec.options) == ("tuned", ["an engine", "--uci"], options)


def test_a_run_that_was_broken_off_goes_on_as_if_it_had_not(toy: Path) -> None:
    options = ("--iterations", "8", "--pairs", "3", "--seed", "5")
    assert tune(toy, *options) == 0
    path = toy / "t.jsonl"
    whole = path.read_bytes()
    assert len({tuple(line["values"].values()) for line in read(path)}) > 1
    path.write_bytes(b"".join(whole.splitlines(keepends=True)[:4]) + whole.splitlines()[4][:30])
    assert tune(toy, *options) == 0
    assert path.read_bytes() == whole
    assert tune(toy, *options, "--plot", str(toy / "t.svg")) == 0
    assert path.read_bytes() == whole
    assert b"<svg" in (toy / "t.svg").read_bytes()


def test_ctrl_c_ends_with_the_report(
    toy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    add = Log.add

    def add_or_break_off(log: Log, lines: list[bytes]) -> None:
        if (toy / "t.jsonl").read_bytes().count(b"\n") == 3:
            raise KeyboardInterrupt
        add(log, lines)

    monkeypatch.setattr(Log, "add", add_or_break_off)
    assert tune(toy, "--iterations", "50") == 130
    assert "xiangqi: 2 of 50 iterations, 4 games" in capsys.readouterr().out


def test_games_lost_by_faults_are_counted(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert tune(toy, "--iterations", "1", mode="illegal") == 0
    assert read(toy / "t.jsonl")[0]["faults"] == ["plus illegal", "minus illegal"]
    assert "lost by faults: plus illegal 1, minus illegal 1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("parameter", "complaint"),
    [
        ("Strenght:3:1:9:1", "the engine has no option Strenght"),
        ("UCI_Variant:3:1:9:1", "UCI_Variant is no numeric option of the engine: type combo default xiangqi var"),
        ("Strength:3:1:10:1", "Strength: MIN and MAX must be within the engine's 1..9"),
        ("Strength:3.5:1:9:1", "Strength: START, MIN and MAX must be whole numbers"),
        ("Strength:3:1:9:0.4", "Strength: C_END must be 0.5 or more"),
        ("Strength:0:1:9:1", "Strength: START 0 is not within 1..9"),
        ("Strength:3:1:9:0", "Strength: C_END and R_END must be above 0"),
        ("Strength:3:1:9:1:inf", "not NAME:START:MIN:MAX:C_END[:R_END]"),
        ("Strength:3:1:9", "not NAME:START:MIN:MAX:C_END[:R_END]"),
        ("Strength:three:1:9:1", "not numeric"),
        ("Strength:3:1:9:1", "the engine answers info string no Strength beyond 8"),
    ],
)
def test_bad_parameters_are_one_line(
    toy: Path, capsys: pytest.CaptureFixture[str], parameter: str, complaint: str
) -> None:
    try:
        status = tune(toy, parameter=parameter, mode="strict")
    except SystemExit as ended:
        status = int(str(ended.code))
    assert status in (1, 2)
    assert complaint in capsys.readouterr().err.splitlines()[-1]
    assert not (toy / "t.jsonl").exists()


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--iterations", "0"), "must be at least 1"),
        (("--nodes", "0"), "--nodes: a whole number from 1"),
        (("--option", "Strength=4"), "named twice"),
        (("--openings", "none.txt"), "none.txt"),
    ],
)
def test_usage_errors(toy: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], complaint: str) -> None:
    with pytest.raises(SystemExit) as ended:
        tune(toy, *options)
    assert ended.value.code == 2
    assert complaint in capsys.readouterr().err.splitlines()[-1]


def test_an_engine_needs_a_limit(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        tune(toy, limit="")
    assert ended.value.code == 2
    assert "needs a limit" in capsys.readouterr().err.splitlines()[-1]


def test_other_settings_do_not_mix_with_a_log(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert tune(toy, "--iterations", "1") == 0
    before = (toy / "t.jsonl").read_bytes()
    with pytest.raises(SystemExit):
        tune(toy, "--iterations", "2")
    assert "has games of other settings: games was 2, now 4, iterations was 1, now 2" in capsys.readouterr().err
    assert (toy / "t.jsonl").read_bytes() == before


@pytest.mark.long
def test_a_killed_run_of_the_engine_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A resumed run, of EWN's UCT with few playouts, has each iteration once."""
    path, count = tmp_path / "t.jsonl", 12
    words = ["ewn", "--log", str(path), "--option", "Algorithm=uct", "--nodes", "20", "--iterations", str(count)]
    words += ["--parameter", "UCTK:3:0:10:0.5"]
    command = [sys.executable, str(ROOT / "scripts/tune/tune_options.py"), *words, "--jobs", "2"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE)
    while not path.exists() or path.read_bytes().count(b"\n") < 4:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)  # to the end of the workers, which have its standard output open too
    before = path.read_bytes()
    assert before.count(b"\n") < count
    assert tune_options.main(words) == 0
    assert path.read_bytes().startswith(before)
    lines = read(path)
    assert sorted(line["number"] for line in lines) == list(range(count))
    assert all(line["faults"] == [] and set(line["points"]) <= {0, 1} for line in lines)
    printed = capsys.readouterr().out
    assert f"{count} of {count} iterations, {2 * count} games" in printed
