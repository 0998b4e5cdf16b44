"""tests/support/check_signatures.py: signatures of `siqi bench` against those that commit messages name."""

from __future__ import annotations

import subprocess
from pathlib import Path

import check_signatures as signatures
import pytest

LOG = """Newest

Bench ewn: 3
Bench junqi: 4

Older: the text Bench junqi: 7 within a line names nothing

Bench junqi: 5
Bench xiangqi: 1

"""


def test_the_newest_message_that_names_a_game_counts() -> None:
    assert signatures.named_in(LOG) == {"ewn": "3", "junqi": "4", "xiangqi": "1"}
    assert signatures.named_in("") == {}


def test_games_that_differ_have_a_line_and_those_without_a_name_have_none() -> None:
    computed = {"ewn": "3", "junqi": "6", "connect6": "9"}
    (line,) = signatures.differences(signatures.named_in(LOG), computed)
    assert "names 4" in line and "`Bench junqi: 6`" in line


def test_lines_of_the_bench_are_read() -> None:
    assert signatures.BENCH_LINE.findall("bench ewn nodes 5 time 1 nps 5000 signature 12\n") == [("ewn", "12")]


@pytest.mark.parametrize("is_committed", [True, False])
def test_a_difference_is_an_error_once_it_is_committed(
    is_committed: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    output = "bench ewn nodes 5 time 1 nps 5000 signature 12\n"
    monkeypatch.setattr(signatures, "git", lambda *words: LOG if words[0] == "log" else "" if is_committed else " M x")
    monkeypatch.setattr(
        subprocess, "run", lambda *words, **more: subprocess.CompletedProcess(words, 0, stdout=output, stderr="")
    )
    assert signatures.main() == is_committed
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "signatures: no commit message names that of connect6: skipped"
    assert len(printed) == 2 and "`Bench ewn: 12`" in printed[1]


def test_without_history_every_game_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signatures, "ROOT", tmp_path)
    assert signatures.git("log") == ""
    assert signatures.main() == 0
