"""The frame of the papers' commands says which data are used, and where the report is."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from scripts.common.table import Table
from scripts.papers.paper import Bench, Experiment, Paper, Result, run_paper


def count_lines(bench: Bench) -> Result:
    path = bench.data("exact_values.csv", "ewn_values.csv", "200 endings, not shipped")
    return Result(f"the lines of {path.name}", [Table("", ["lines"], [[str(len(path.read_text().splitlines()))]])])


@pytest.mark.parametrize("is_given", [False, True])
def test_a_run_names_its_data_and_its_report(
    is_given: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data, out = tmp_path / "data", tmp_path / "out"
    data.mkdir()
    if is_given:
        (data / "exact_values.csv").write_text("fen\n")
    monkeypatch.setattr(sys, "argv", ["count", "--quick", "--data", str(data), "--out", str(out)])
    paper = Paper("A. Author", "Of Lines", "A Journal", 2000)
    assert run_paper("Count.", paper, [Experiment("lines", "there are lines", count_lines)]) == 0
    said = capsys.readouterr().err.splitlines()
    used = (
        f"{data / 'exact_values.csv'} (200 endings, not shipped)"
        if is_given
        else "no exact_values.csv in --data: ewn_values.csv of the tests in its place"
        " (exact_values.csv: 200 endings, not shipped)"
    )
    assert used in said and said[-1] == f"written: {out / 'report.md'}"
    assert "the lines of" in (out / "report.md").read_text(encoding="utf-8")
