"""`siqi analyse` for tests: its runs, a dialogue with a process, and games."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import forked
from forked import ForkedProcess

ROOT = Path(__file__).parents[2]

COMMAND = (sys.executable, "-m", "siqi", "analyse")

TIMEOUT_S = 200

LAYOUT = "diahcbgkkfiecfigjhedjljhg"

C6 = "{[C6][A B][B W][][][];B(J,10);W(I,11);W(K,9)}"

PGN = '[Game "Chinese Chess"]\n[Red "A"]\n\n1. 炮二平五 马8进7 2. 马二进三 *\n'

TWO_GAMES = """[Event "Cup, final"]
[Date "1999.01.01"]
[Red "胡荣华"]
[Black "B"]
[ECCO "A01"]
[Result "1-0"]

1. C2.5 H8+7 1-0

[Red "C"]

1. C8.5 *
"""


def without_compiling(errors: str) -> str:
    """Return standard error without the lines of a cold kernel cache."""
    return re.sub(r"siqi analyse: compil.*\n", "", errors)


def siqi(*arguments: object, given: bytes = b"") -> tuple[int, bytes, str]:
    """Run `siqi analyse`; return exit status, standard output and standard error."""
    done = forked.run("analyse", *map(str, arguments), given=given, timeout=TIMEOUT_S)
    return done.returncode, done.stdout, without_compiling(done.stderr.decode())


def run(*lines: Any, arguments: tuple[str, ...] = (), errors: int = 0) -> list[dict[str, Any]]:
    """Return one worker's answers to lines, given as text or as objects for JSON; `errors` of them must be errors."""
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    status, out, err = siqi("--workers", 1, *arguments, given=text.encode())
    what = "is an error" if errors == 1 else "are errors"
    assert err == (f"siqi analyse: {errors} of the answers {what}\n" if errors else "")
    assert status == (1 if errors else 0)
    return [json.loads(line) for line in out.splitlines()]


class Live:
    """A `siqi analyse` process for dialogues, which takes one query after the other."""

    def __init__(self, *arguments: str) -> None:
        self.process = ForkedProcess(ROOT, "analyse", "--workers", "1", *arguments)

    def send(self, *lines: dict[str, Any]) -> None:
        self.process.stdin.write("".join(json.dumps(line) + "\n" for line in lines).encode())
        self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer

    def close(self) -> list[dict[str, Any]]:
        """End the input and return the remaining answers."""
        self.process.stdin.close()
        rest = [json.loads(line) for line in self.process.stdout]
        assert self.process.wait(TIMEOUT_S) == 0
        return rest


FOREVER = 10**15


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]
