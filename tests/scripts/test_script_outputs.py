"""The outputs of scripts: only at the named paths, only over their own files, checked before the work."""

from __future__ import annotations

import importlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest
from commands import COMMANDS
from fixture_files import FIXTURES, ROOT
from game_logs import connect6_games, junqi_log, xiangqi_games
from hostile import fifo, folder, null
from matplotlib.figure import Figure

from scripts.common import plots, script
from scripts.tune import fit_connect6, fit_xiangqi

from siqi.games.books.book import BOOKS_FOLDER
from siqi.system.files import read_bytes

FOREIGN = b'"""My own notes."""\n\nTERMS = {}\n'
MISSING = "none.jsonl"
"""A missing file of games: a script that reports it has checked its output first."""


def file_of(module: str) -> str:
    return f"{module.rpartition('.')[2]}.py"


class Writer(NamedTuple):
    """A script that writes a shipped file, or one like it."""

    module: str  # `folder.name`
    words: tuple[str, ...]
    shipped: Path

    def __str__(self) -> str:
        return " ".join([self.file, *self.words[:1]])

    @property
    def file(self) -> str:
        return file_of(self.module)


WRITERS = (
    Writer("tune.fit_connect6", (MISSING,), ROOT / "siqi/games/connect6/data/weights.py"),
    Writer("tune.fit_junqi", (MISSING,), ROOT / "siqi/games/junqi/data/weights.py"),
    Writer("tune.fit_xiangqi", (MISSING,), ROOT / "siqi/games/xiangqi/data/tuned.py"),
    Writer("tune.learn_junqi_habits", (MISSING,), ROOT / "siqi/games/junqi/data/habits.py"),
    Writer("tune.learn_junqi_layouts", ("weights", MISSING), ROOT / "siqi/games/junqi/data/deployments.py"),
    Writer("tune.learn_junqi_layouts", ("advantages", MISSING), ROOT / "siqi/games/junqi/data/advantages.py"),
    Writer("books.build_opening_books", (MISSING,), BOOKS_FOLDER / "xiangqi-openings.book"),
    Writer("books.build_opening_books", (MISSING, "--game", "connect6"), BOOKS_FOLDER / "connect6-openings.book"),
    Writer("tune.train_ewn", ("--games", "1"), BOOKS_FOLDER / "ewn-evaluation.book"),
    Writer("network.train_xiangqi_network", ("--search", MISSING), BOOKS_FOLDER / "xiangqi.network"),
    Writer(
        "network.train_connect6_network", ("--policy", MISSING, "--value", MISSING), BOOKS_FOLDER / "connect6.network"
    ),
    Writer("books.build_match_openings", ("xiangqi", "--log", "l.jsonl"), BOOKS_FOLDER / "xiangqi.openings"),
    Writer("books.build_ewn_setups", (), BOOKS_FOLDER / "ewn-setups.book"),
)
FOLDERS = (
    Writer("books.build_xiangqi_tablebases", ("P-A",), BOOKS_FOLDER / "xiangqi-endings"),
    Writer("books.build_ewn_tablebases", (), BOOKS_FOLDER / "ewn-endings"),
)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., int]:
    monkeypatch.chdir(tmp_path)

    def run_script(module: str | ModuleType, *words: object) -> int:
        program = importlib.import_module(f"scripts.{module}") if isinstance(module, str) else module
        monkeypatch.setattr("sys.argv", [file_of(program.__name__), *map(str, words)])
        try:
            return int(program.main())
        except SystemExit as ended:
            return int(ended.code or 0)

    return run_script


@pytest.mark.parametrize("writer", (*WRITERS, *FOLDERS), ids=str)
def test_nothing_shipped_is_replaced_unasked(
    writer: Writer, run: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    link = tmp_path / "link"
    link.symlink_to(writer.shipped)
    for words in ((), ("--out", writer.shipped), ("--out", link)):
        before = writer.shipped.stat()
        assert run(writer.module, *writer.words, *words) == 2
        reported = capsys.readouterr().err.splitlines()
        if words:
            assert reported == [
                f"{writer.file}: {words[1]}: belongs to what is shipped; --replace-shipped writes there"
            ]
        else:
            assert reported[-1].endswith("error: one of the arguments --out --replace-shipped is required")
        after = writer.shipped.stat()
        assert (before.st_mtime_ns, before.st_ino) == (after.st_mtime_ns, after.st_ino)
    assert list(tmp_path.iterdir()) == [link]


def foreign(path: Path) -> None:
    path.write_bytes(FOREIGN)


@pytest.mark.parametrize("make", (foreign, fifo, folder, null), ids=lambda make: str(make.__name__))
@pytest.mark.parametrize("writer", WRITERS, ids=str)
def test_what_is_not_ours_is_refused_before_the_work(
    writer: Writer,
    make: Callable[[Path], None],
    run: Callable[..., int],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "output"
    make(path)
    before = path.lstat()
    assert run(writer.module, *writer.words, "--out", path) == 2
    (reported,) = capsys.readouterr().err.splitlines()
    assert reported.startswith(f"{writer.file}: {path}: is ")
    after = path.lstat()
    assert (before.st_mode, before.st_ino, before.st_size) == (after.st_mode, after.st_ino, after.st_size)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("writer", WRITERS, ids=str)
def test_a_folder_that_is_missing_is_refused_before_the_work(
    writer: Writer, run: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "none" / "output"
    assert run(writer.module, *writer.words, "--out", path) == 2
    reported = f"{writer.file}: {path}: cannot be written: No such file or directory\n"
    assert capsys.readouterr().err == reported


@pytest.mark.parametrize(("writer", "name"), list(zip(FOLDERS, ("P-A.ending", "1-1.ending"), strict=True)))
def test_tables_do_not_replace_what_is_not_ours(
    writer: Writer,
    name: str,
    run: Callable[..., int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if writer.module == "books.build_ewn_tablebases":  # all shipped ones count as built
        monkeypatch.setattr("scripts.books.build_ewn_tablebases.TABLEBASE_FOLDER", tmp_path / "shipped")
    tables = tmp_path / "tables"
    tables.mkdir()
    (tables / name).write_bytes(FOREIGN)
    assert run(writer.module, *writer.words, "--out", tables) == 2
    reported = f"{writer.file}: {tables / name}: is another kind of file, left as it is\n"
    assert capsys.readouterr().err == reported
    assert (tables / name).read_bytes() == FOREIGN and list(tables.iterdir()) == [tables / name]


@pytest.mark.parametrize(
    ("module", "words"),
    [
        ("books.build_ewn_setups", ("--out", "setups.book", "--log")),
        ("papers.compare_players", ("ewn", "--pairing", "uct", "random", "--games", "0")),
        ("papers.compare_players", ("ewn", "new.jsonl", "--pairing", "uct", "random", "--plot")),
    ],
)
def test_logs_and_plots_of_others_are_left_alone(
    module: str, words: tuple[str, ...], run: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "own.svg" if words[-1] == "--plot" else "own.jsonl"
    for content in (b'<?xml version="1.0"?><svg/>', b'{"moves": ["h2e2"]}\n{"mov', b"game_1\n"):
        Path(name).write_bytes(content)
        assert run(module, *words, name) == 2
        assert capsys.readouterr().err == f"{file_of(module)}: {name}: is another kind of file, left as it is\n"
        assert [path.name for path in tmp_path.iterdir()] == [name] and Path(name).read_bytes() == content


def test_a_half_line_of_a_foreign_log_is_not_cut(run: Callable[..., int], tmp_path: Path) -> None:
    """A foreign log is left unchanged even by the experiment `table-1`, which only reads the games of `players`."""
    log = tmp_path / "players.jsonl"
    log.write_bytes(b'{"moves": ["h2e2"]}\n{"mov')
    assert run("papers.junqi_cooperation.experiments", "--quick", "--only", "table-1", "--out", tmp_path) == 2
    assert log.read_bytes() == b'{"moves": ["h2e2"]}\n{"mov'


def test_plots_are_known_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figure = Figure()
    figure.subplots().plot([1, 2])
    for suffix in (".svg", ".png"):
        path = tmp_path / f"plot{suffix}"
        for _ in range(2):
            plots.check_plot(path)
            plots.save_plot(figure, path)
    for path in (ROOT / "docs/results/images").glob("*.svg"):
        assert plots.is_plot(read_bytes(path, 1 << 20))
    assert not plots.is_plot((ROOT / "scripts/common/plots.py").read_bytes())
    with pytest.raises(OSError, match=r"ends in \.svg or \.png"):
        plots.check_plot(tmp_path / "plot.jpg")


# Whole runs, small


def layouts(path: Path) -> Path:
    path.write_text("\n".join(line.split()[0] for line in (FIXTURES / "junqi_setups.txt").read_text().splitlines()[:3]))
    return path


RUNS: tuple[tuple[Writer, Callable[[Path], Path], tuple[str, ...]], ...] = (
    (WRITERS[0], connect6_games, ()),
    (WRITERS[1], junqi_log, ()),
    (WRITERS[2], xiangqi_games, ("--share", "1", "--first-ply", "0", "--steps", "1")),
    (WRITERS[3], junqi_log, ("--passes", "1", "--every", "9")),
    (WRITERS[4], layouts, ()),
    (WRITERS[5], junqi_log, ()),
)


@pytest.mark.parametrize(
    ("writer", "make", "options"), RUNS, ids=lambda value: str(value) if isinstance(value, Writer) else ""
)
def test_sources_are_written_where_they_are_asked_for(
    writer: Writer,
    make: Callable[[Path], Path],
    options: tuple[str, ...],
    run: Callable[..., int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    games, out, copy = make(tmp_path / "games"), tmp_path / "out.py", tmp_path / "shipped.py"
    shipped = writer.shipped.read_bytes()
    copy.write_bytes(shipped)
    words = [games if word == MISSING else word for word in writer.words]
    assert run(writer.module, *words, *options, "--out", out) == 0
    written: dict[str, Any] = {}
    exec(out.read_text(), written)
    expected: dict[str, Any] = {}
    exec(shipped, expected)
    assert set(written) == set(expected)
    for name, value in expected.items():
        if name.isupper() and isinstance(value, tuple):
            assert np.shape(written[name]) == np.shape(value)
    out.write_bytes(shipped)  # a shipped file is one of its own
    assert run(writer.module, *words, *options, "--out", out) == 0
    assert out.read_bytes() != shipped and writer.shipped.read_bytes() == shipped

    monkeypatch.setattr(script, "output_folder", lambda options, shipped: copy if options.replace_shipped else None)
    assert run(writer.module, *words, *options, "--replace-shipped") == 0
    assert copy.read_bytes() == out.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["games", "out.py", "shipped.py"]


def test_the_part_of_another_program_is_left_alone(
    run: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    part = tmp_path / "a.part.npz"
    np.savez(part, other=np.zeros(3))
    before = part.read_bytes()
    assert run("tune.train_ewn", "--games", 1, "--out", tmp_path / "a.book") == 2
    assert capsys.readouterr().err == f"train_ewn.py: {part}: is another kind of file, left as it is\n"
    assert part.read_bytes() == before and list(tmp_path.iterdir()) == [part]


# Compiling

SCRIPT = """
import multiprocessing
from scripts.common import script
from siqi.games.kernel.jit import entry, int64

{kernels}

@script.command
def main():
    print("main", flush=True)
    return 0

if __name__ == "__main__":
    process = multiprocessing.get_context("spawn").Process(target=main)
    process.start(), process.join()
    main()
"""


@pytest.mark.long
def test_compiling_is_announced_once_on_standard_error(tmp_path: Path) -> None:
    kernels = "\n".join(f"@entry(int64(int64))\ndef kernel_{i}(x):\n    return x + {i}" for i in range(4))
    path = tmp_path / "scripts/some/some.py"
    path.parent.mkdir(parents=True)
    shutil.copy(ROOT / "scripts/__init__.py", tmp_path / "scripts")
    shutil.copytree(ROOT / "scripts/common", tmp_path / "scripts/common")
    path.write_text(SCRIPT.format(kernels=kernels))
    environment = os.environ | {"SIQI_CACHE": str(tmp_path / "cache"), "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    for is_cold in (True, False):
        command = [sys.executable, path]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=True)
        lines = [re.sub(r"\d+\.\d s", "T s", line) for line in done.stderr.splitlines()]
        assert done.stdout == "main\n" * 2
        assert lines == is_cold * [
            "compiling kernels for the first time; later starts use the cache",
            "compiling kernels: 3 kernels in T s",
            "compiled kernels: 4 kernels in T s",
        ]


def test_scripts_announce_compiling() -> None:
    """Importing `scripts` announces compiling, before any module of the games is imported."""
    for path in COMMANDS.values():
        assert re.findall(r"^(?:from|import) (scripts|siqi)\b", path.read_text(), re.MULTILINE)[:1] == ["scripts"], path


def test_the_shipped_sources_begin_as_their_scripts_write_them() -> None:
    for module, path in ((fit_connect6, fit_connect6.TARGET), (fit_xiangqi, fit_xiangqi.TARGET)):
        assert module.OWNS(path.read_bytes())


# Suites

CASES = {
    "measure.count_perft": {"id": "one", "fen": "3k5/9/9/9/9/9/9/9/9/4K4 w - - 0 1", "nodes": {"1": 2}},
    "measure.solve_mates": {"id": "one", "fen": "3k5/1R7/R8/9/9/9/9/9/9/4K4 w - - 0 1", "mate_moves": 1},
}


@pytest.mark.parametrize("module", CASES)
def test_a_suite_that_is_skipped_does_not_pass(
    module: str, run: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "suite.jsonl"
    good = json.dumps(CASES[module])
    bad = json.dumps(CASES[module] | {"fen": "9/9/9/9/9/9/9/9/9/9 w - - 0 1"})
    for text, status, skipped in ((good, 0, 0), (f"{bad}\n{good}\n{bad}", 0, 2), (f"{bad}\n{bad}", 1, 2), ("", 1, 0)):
        path.write_text(text)
        assert run(module, path) == status
        assert capsys.readouterr().out.splitlines()[-1].endswith(f"; {skipped} positions skipped")


# Ctrl-C and killed workers


@pytest.mark.parametrize(
    ("error", "status", "line"),
    [(KeyboardInterrupt(), 130, "interrupted"), (BrokenProcessPool(), 1, "a worker process was killed")],
)
def test_one_line_ends_a_script(
    error: BaseException, status: int, line: str, run: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    program = ModuleType("some")

    def main() -> int:
        raise error

    program.main = script.command(main)  # type: ignore[attr-defined]
    assert run(program) == status
    assert capsys.readouterr().err == f"some.py: {line}\n"


def test_pools_of_processes_are_those_that_notice_a_killed_worker() -> None:
    """No script uses `multiprocessing.Pool`, which would start another worker and wait for the lost task for ever."""
    for path in (ROOT / "scripts").rglob("*.py"):
        assert not re.search(r"\bPool\(", path.read_text()), path
