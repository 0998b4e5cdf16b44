"""The plot of `siqi analyse`: its counts, its bounded memory, and its file."""

from __future__ import annotations

import itertools
import json
import random
import signal
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import forked
import pytest
from forked import ForkedProcess

from siqi.daemon.analysis import plot
from siqi.daemon.analysis.answers import last_answers
from siqi.daemon.analysis.plot import MAX_GAMES, MAX_PLIES, Histogram, PlotSummary, is_plot

ROOT = Path(__file__).parents[2]
GAME = {"moves": ["h2e2", "h9g7", "h0g2", "i9h9"], "analyseTurns": [0, 1, 2, 3, 4]}


def answer(name: str, turn: int, score: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return an answer as `siqi analyse` writes it."""
    line = {"move": "h2e2", "score": score, "depth": 5, "pv": ["h2e2"]}
    fields = {"id": name, "turn": turn, "isDuringSearch": False, "game": "xiangqi", "fen": "", "depth": 5}
    fields |= {"toMove": ("first", "second")[turn % 2], "nodes": 2000, "time": 4, "lines": [line]}
    return fields | more


def siqi(*arguments: object, given: list[dict[str, Any]] | None = None, **environment: str) -> tuple[int, bytes, str]:
    """Run `siqi analyse`; return exit status, standard output, and standard error without lines about compiling."""
    text = "".join(json.dumps(line) + "\n" for line in given or []).encode()
    done = forked.run("analyse", *map(str, arguments), given=text, changes=environment)
    lines = [line for line in done.stderr.decode().splitlines() if not line.startswith("siqi analyse: compil")]
    return done.returncode, done.stdout, "\n".join(lines)


# The summary


def test_histograms_count_and_rank() -> None:
    histogram = Histogram(0.0, 10.0, 5)
    for value in (-3, 0.5, 4.5, 4.6, 99):
        histogram.add(value)
    assert histogram.counts == [2, 0, 2, 0, 1] and histogram.total == 5 and histogram.used() == (0, 5)
    assert histogram.quantile(0.2) == 1.0 and histogram.quantile(0.6) == 5.0 and histogram.quantile(1.0) == 10.0


def test_scores_are_of_the_first_side() -> None:
    summary = PlotSummary()
    summary.add(answer("a", 0, {"cp": 100, "win": 0.5, "draw": 0.2}))
    summary.add(answer("a", 1, {"cp": 100, "win": 0.5, "draw": 0.2}))
    summary.add(answer("a", 2, {"mate": -2, "win": 0.0}))
    summary.add(answer("a", 3, {"mate": -1}))
    summary.add(answer("a", 4, {"cp": 0}, lines=[], outcome="win second checkmate"))
    summary.add(answer("a", 5, {"cp": 0}, lines=[], outcome="draw repetition"))
    summary.add(answer("a", 6, {"cp": 0}, lines=[], outcome="unknown headquarters-taken"))
    summary.add(answer("a", 7, {"cp": -9}, value={"cp": 80, "win": 0.9}))
    course = {turn: point.expected for turn, point in summary.courses["a"].items()}
    assert course == pytest.approx({0: 0.6, 1: 0.4, 2: 0.0, 3: 1.0, 4: 0.0, 5: 0.5, 7: 0.1})
    assert (summary.positions, summary.over, summary.scores.total, summary.depths.counts[5]) == (8, 3, 5, 5)
    assert summary.scores.counts[0] == summary.scores.counts[-1] == 1  # the mates
    assert summary.title() == "xiangqi; 8 positions; 3 of them over; 500,000 nodes/s of search"


def test_only_final_answers_to_positions_count() -> None:
    summary = PlotSummary()
    for other in (
        answer("a", 0, {"cp": 1}, isDuringSearch=True),
        {"id": "a", "turn": 0, "isDuringSearch": False, "noResults": True},
        {"id": "a", "warning": "unknown field", "field": "x"},
        {"id": "a", "action": "query_version", "isDuringSearch": False, "error": "x"},
    ):
        summary.add(other)
    assert (summary.positions, summary.errors) == (0, 0)
    summary.add({"error": "not JSON", "line": 3})
    assert summary.errors == 1
    with pytest.raises(ValueError, match="toMove"):
        summary.add({"id": "a", "turn": 0, "isDuringSearch": False, "game": "xiangqi"})


def test_memory_is_bounded() -> None:
    """A summary of a million positions takes no more memory than one of a few."""
    summary, rng = PlotSummary(), random.Random(1)
    for number in range(5000):
        summary.add(answer(f"g{number}", rng.randrange(3000), {"cp": rng.randrange(-5000, 5000)}))
    kept = sum(len(course) for course in summary.courses.values())
    assert len(summary.courses) == MAX_GAMES and kept <= MAX_GAMES * MAX_PLIES
    assert len(summary.by_ply) <= MAX_PLIES and summary.scores.total == 5000


def test_few_games_are_lines_and_many_a_spread() -> None:
    summary = PlotSummary()
    for game in range(MAX_GAMES):
        for turn in range(3):
            summary.add(answer(f"g{game}", turn, {"cp": 0}))
    assert list(summary.lines()) == [f"g{game}" for game in range(MAX_GAMES)]
    summary.add(answer("one more", 0, {"cp": 0}))
    assert summary.lines() == {} and summary.spread() == [0, 1, 2]
    alone = PlotSummary()
    alone.add(answer("a", 7, {"cp": 0}))
    assert alone.lines() == {} and alone.spread() == []


# The picture


def drawn(summary: PlotSummary) -> Any:
    from matplotlib.figure import Figure

    figure = Figure()
    plot.draw(figure, summary)
    return figure


def test_a_game_is_a_line_with_its_worst_moves() -> None:
    pytest.importorskip("matplotlib")
    summary = PlotSummary()
    for turn, (win, played) in enumerate([(0.5, "h2e2"), (0.5, "h9g7"), (0.5, "a0a2"), (0.8, "i9i7"), (0.8, "")]):
        summary.add(answer("$\\frac", turn, {"cp": 0, "win": win}, played=played))
    axes = drawn(summary).axes
    assert len(axes) == 5
    course, *marks = axes[0].lines
    assert list(course.get_ydata()) == pytest.approx([0.5, 0.5, 0.5, 0.2, 0.8])
    assert {text.get_text() for text in axes[0].texts} == {"a0a2", "i9i7"} and len(marks) == 3  # and the middle
    assert plot.shown("$\\x\n象") == "id \\$\\x??"
    bars = [sum(bar.get_height() for bar in axis.patches) for axis in axes[1:]]
    assert bars == [5, 5, 5, 5]


@pytest.mark.parametrize(
    "times", [(250, 250), (200, 205), (20, 900), (1, 1171), (100, 2000), (25, 26), (3, 3_000_000)], ids=str
)
def test_no_labels_overlap(times: tuple[int, int]) -> None:
    """Axes of any width have a few labels apart from each other; of moves side by side the worst ones are named."""
    pytest.importorskip("matplotlib")
    summary = PlotSummary()
    for turn in range(200):
        win = (0.95 if turn % 2 else 0.9) + turn / 10_000  # every move is a blunder
        more = {"played": "h10h11", "time": times[turn % 2], "nodes": 1000 + turn % 3}
        summary.add(answer("a", turn, {"cp": 0, "win": win}, **more))
    figure = plot.figure_of(summary)
    moves = [text.get_window_extent() for text in figure.axes[0].texts if text.get_visible()]
    assert 1 < len(moves) < 4
    for axes in figure.axes[3:]:
        low, high = axes.get_xlim()
        ticks = [tick.label1 for tick in axes.xaxis.get_major_ticks() if low <= tick.get_loc() <= high]
        assert 2 <= len(ticks) <= 8
        moves += [tick.get_window_extent() for tick in ticks]
    assert not any(one.overlaps(other) for one, other in itertools.combinations(moves, 2))


def test_throws_lie_between_a_move_and_the_next_score() -> None:
    summary = PlotSummary()
    for turn, win in enumerate((0.9, 0.9)):
        summary.add(answer("e", turn, {"cp": 0, "win": win}, game="ewn", played="a1b1"))
    assert list(plot.losses(summary.courses["e"])) == []


@pytest.mark.parametrize(("games", "suffix"), [(3, ".svg"), (9, ".png")])
def test_pictures_are_whole_and_repeat(suffix: str, games: int) -> None:
    pytest.importorskip("matplotlib")
    summary = PlotSummary()
    for game in range(games):
        for turn in range(4):
            summary.add(answer(f"$_{game}", turn, {"cp": 40 * game}, time=turn))
    data = plot.picture(summary, suffix)
    assert is_plot(data[:1000]) and data == plot.picture(summary, suffix)
    if suffix == ".svg":
        assert ElementTree.fromstring(data).tag.endswith("svg")


# The command


def test_a_plot_beside_answers_and_alone(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "a.png"
    status, out, err = siqi("--plot", path, "--depth", "2", given=[{"id": "a", **GAME}])
    assert (status, len(out.splitlines()), err) == (0, 5, "") and is_plot(path.read_bytes()[:1000])
    status, out, err = siqi("--output", "plot", "--depth", "2", given=[{"id": "a", **GAME}])
    assert (status, err) == (0, "") and is_plot(out[:1000]) and ElementTree.fromstring(out).tag.endswith("svg")
    bad = [{"id": "bad", "fen": "x"}, {"nodes": 1}]
    status, out, err = siqi("--output", "plot", "--plot", path, "--depth", "2", given=[{"id": "a", **GAME}, *bad])
    assert (status, out) == (1, b"") and "\nsiqi analyse: query bad: " in "\n" + err
    assert "siqi analyse: line 3: " in err and "2 of the answers are errors" in err


def test_a_row_without_a_fen_says_what_to_do(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    table = tmp_path / "p.csv"
    table.write_text("id,fen\na,4k4/9/9/9/9/9/9/9/9/3K5 w\nc,\n")
    status, out, err = siqi(table, "--output", "plot", "--depth", "1")
    assert status == 1 and is_plot(out[:1000])
    assert "siqi analyse: row c: no FEN in column fen; fill it in, or delete the row: the others are answered" in err


def test_an_interrupt_leaves_a_plot_of_what_was_answered(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    queries = [{"id": "short", "nodes": 500}, {"id": "long", "nodes": 10**15}]
    path = tmp_path / "a.svg"
    process = ForkedProcess(ROOT, "analyse", "--plot", str(path))
    process.stdin.write("".join(json.dumps(query) + "\n" for query in queries).encode())
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["id"] == "short"
    process.send_signal(signal.SIGINT)
    assert process.stdout.read() == b"" and process.wait(60) == 130
    assert is_plot(path.read_bytes()[:1000]) and b"1 position" in path.read_bytes()


def test_nothing_to_plot(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    status, out, err = siqi("--plot", tmp_path / "a.svg")
    assert (status, out, err) == (1, b"", "siqi analyse: no plot: no position has an answer")
    assert not (tmp_path / "a.svg").exists()


def test_a_resumed_run_has_all_answers_in_its_plot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    answers, path = tmp_path / "answers", tmp_path / "a.svg"
    for turns in ([0, 1], [0, 1, 2, 3]):
        query = {"id": "a", **GAME, "analyseTurns": turns}
        assert siqi("--resume", answers, "--plot", path, "--depth", "2", given=[query])[0] == 0
        assert f"{len(turns)} positions".encode() in path.read_bytes()
    again = json.dumps(answer("a", 0, {"cp": 7}), separators=(",", ":")).encode()
    with answers.open("ab") as file:
        file.write(again + b"\n")
    by_turn = {last["turn"]: last for last in last_answers(answers)}
    assert sorted(by_turn) == [0, 1, 2, 3] and by_turn[0]["lines"][0]["score"] == {"cp": 7}
    assert len(list(last_answers(answers))) == 4
    status, out, err = siqi("--resume", answers, "--output", "plot")
    assert (status, out, err) == (2, b"", "siqi analyse: --resume needs --output json or csv")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("a.pdf", "a plot's name ends in .svg or .png"),
        ("notes.svg", "is another kind of file, left as it is"),
        ("no/a.svg", "No such file or directory"),
        ("folder.svg", "is a folder"),
    ],
)
def test_a_plot_that_cannot_be_written_is_refused_first(tmp_path: Path, name: str, reason: str) -> None:
    pytest.importorskip("matplotlib")
    (tmp_path / "notes.svg").write_text("<svg></svg>")
    (tmp_path / "folder.svg").mkdir()
    status, out, err = siqi("--plot", tmp_path / name, given=[{"id": "a", **GAME}])
    assert (status, out, len(err.splitlines())) == (2, b"", 1) and reason in err
    assert (tmp_path / "notes.svg").read_text() == "<svg></svg>" and len(list(tmp_path.iterdir())) == 2


def test_without_matplotlib_nothing_runs(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['matplotlib'] = None\n")
    for arguments in (["--plot", tmp_path / "a.svg"], ["--output", "plot"]):
        status, out, err = siqi(*arguments, given=[{"id": "a", **GAME}], PYTHONPATH=str(tmp_path))
        assert (status, out) == (2, b"")
        assert err == "siqi analyse: --plot: plots need matplotlib: pip install 'siqi[plots]'"
    assert siqi("--depth", "1", given=[{"id": "a"}], PYTHONPATH=str(tmp_path))[0] == 0
