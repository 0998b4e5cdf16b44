"""Engines that die: of what they wrote to standard error the match shows the line that says what is wrong."""

from __future__ import annotations

import contextlib
import shlex
import sys
from pathlib import Path

import pytest
from match_command import match

from siqi.daemon.clients.process import Ended, Process, Silent, complaint
from siqi.daemon.match.command import ENGINE_FAILED

JAVA = """\
loading
Exception in thread "main" java.lang.IllegalStateException: cannot load the book
\tat T.f(T.java:2)
\tat T.main(T.java:3)
Caused by: java.io.UncheckedIOException: no book
\tat T.f(T.java:2)
\t... 1 more
Caused by: java.io.FileNotFoundException: book.dat (No such file)
\tat T.f(T.java:2)
\t... 2 more
"""

PYTHON = """\
Traceback (most recent call last):
  File "net.py", line 3, in load
    return table[name]
           ~~~~~^^^^^^
KeyError: 'net'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "mine.py", line 9, in <module>
    load("net")
RuntimeError: cannot load the net:
\tnot a file
"""

JAVASCRIPT = """\
/mine.js:1
throw new Error("no book")
^

Error: no book
    at Object.<anonymous> (/mine.js:1:7)
    at Module._compile (node:internal/modules/cjs/loader:1358:14)

Node.js v20.16.0
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            JAVA,
            'Exception in thread "main" java.lang.IllegalStateException: cannot load the book; '
            "Caused by: java.io.FileNotFoundException: book.dat (No such file)",
        ),
        (
            JAVA.partition("Caused")[0],
            'Exception in thread "main" java.lang.IllegalStateException: cannot load the book',
        ),
        ("Caused by: x\n\tat T.f(T.java:2)\n", "Caused by: x"),
        ("\tat T.f(T.java:2)\n\tat T.main(T.java:3)\n", "at T.main(T.java:3)"),
        (PYTHON, "RuntimeError: cannot load the net:"),
        (PYTHON.splitlines()[0], "Traceback (most recent call last):"),
        (JAVASCRIPT, "Error: no book"),
        ("warning\nno licence\n\n", "no licence"),
        ("  no memory at all  \n", "no memory at all"),
        ("\n", ""),
        ("", ""),
    ],
)
def test_the_line_that_says_what_is_wrong(text: str, said: str) -> None:
    assert complaint(text.splitlines()) == said


def test_a_long_trace_hides_nothing(tmp_path: Path) -> None:
    (tmp_path / "trace").write_text("StackOverflowError: deep\n" + "\tat T.f(T.java:2)\n" * 1024)
    with contextlib.closing(Process(f"sh -c 'cat {tmp_path}/trace >&2; exit 1'")) as process:
        with pytest.raises(Ended, match=r"engine ended with status 1; on standard error: StackOverflowError: deep$"):
            process.wait_for("uciok")
        assert len(process.dialogue) < 10


def test_a_match_shows_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """At the start, and when the games that were lost end the match."""
    (tmp_path / "dead.py").write_text("import engine_that_is_not_there\n")
    (tmp_path / "dies.py").write_text(
        "answers = {'uci': 'uciok', 'isready': 'readyok', 'ucinewgame': '', 'position': ''}\n"
        "while True:\n"
        "    print(answers[input().split()[0]], flush=True)\n"
    )
    dead, dies = (shlex.join([sys.executable, "-ISu", str(tmp_path / name)]) for name in ("dead.py", "dies.py"))
    words = ("random", "--log", tmp_path / "m.jsonl", "--openings", "none")
    assert match("xiangqi", f"dead={dead}", *words) == ENGINE_FAILED
    what = "ModuleNotFoundError: No module named 'engine_that_is_not_there'"
    said = f"siqi match: dead does not start: engine ended with status 1; on standard error: {what}"
    assert capsys.readouterr().err.splitlines()[1:] == [said]
    assert match("xiangqi", f"dies={dies} proto=uci", *words, "--games", "4") == ENGINE_FAILED
    printed = capsys.readouterr()
    why = "the last by crash: engine ended with status 1; on standard error: KeyError: 'go'; the same command goes on"
    assert printed.err.endswith(f"{why}\n")
    assert "dies: illegal 0, crash 3, time 0" in printed.out


@pytest.mark.parametrize("command", ["yes", "cat /dev/zero"])
def test_an_engine_that_writes_without_end_hangs_no_match(command: str) -> None:
    with contextlib.closing(Process(command)) as process:
        with pytest.raises(Silent, match=r"hung: no uciok within 0\.5 s"):
            process.wait_for("uciok", timeout_s=0.5)
        assert not process.is_running
