"""The examples of CONTRIBUTING are complete: the option is honoured; the front end plays, refuses and ends."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from siqi.daemon.engine.engine import Engine
from siqi.daemon.engine.events import Event, ends_job
from siqi.daemon.system.pipes import ClientLine, now_ns

ROOT = Path(__file__).parents[2]
CONTRIBUTING = ROOT / "CONTRIBUTING.md"


class Lines:
    """An output that keeps its lines."""

    def __init__(self) -> None:
        self.written: list[str] = []

    def line(self, *texts: str) -> None:
        self.written += texts


def test_the_option_of_contributing(tmp_path: Path) -> None:
    text = CONTRIBUTING.read_text(encoding="utf-8")
    (diff,) = re.findall(r"```diff\n(.*?)```", text, re.DOTALL)
    ((given, expected),) = re.findall(r"\$ printf '(.*?)' \| siqi\n(.*?)```", text, re.DOTALL)
    shutil.copytree(ROOT / "daemon", tmp_path / "daemon")
    shutil.copytree(ROOT / "siqi", tmp_path / "siqi", symlinks=True)
    for name in ("games", "books"):
        (tmp_path / name).symlink_to(ROOT / name)
    subprocess.run(["git", "apply", "--unidiff-zero", "-"], cwd=tmp_path, input=diff, text=True, check=True)
    done = subprocess.run(
        [sys.executable, "-m", "siqi"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        input=given.replace("\\n", "\n"),
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    lines, begun = done.stdout.splitlines()[-2:], [line.removesuffix("...") for line in expected.splitlines()]
    assert len(begun) == 2 and all(line.startswith(start) for line, start in zip(lines, begun, strict=True)), lines


def test_the_front_end_of_contributing() -> None:
    (source,) = re.findall(r"```python\n(.*?)```", CONTRIBUTING.read_text(encoding="utf-8"), re.DOTALL)
    assert source.count("\n") < 100
    scope: dict[str, Any] = {}
    exec(compile(source, "CONTRIBUTING.md", "exec"), scope)
    inbox: SimpleQueue[Event] = SimpleQueue()
    owner, out, has_left = threading.current_thread(), Lines(), threading.Event()

    def post(event: Event) -> None:
        if threading.current_thread() is owner and not ends_job(event):
            client.write(event)
        else:
            inbox.put(event)

    engine = Engine(post)
    client = scope["Gtp"](engine, out, has_left.set)
    for text in ("name", "clear_board", "genmove b", "play w a1b1", "play w a1b1", "dance", "genmove b", "quit"):
        client.read(ClientLine(text, now_ns()))
        while engine.is_busy:
            event = inbox.get(timeout=300)
            client.write(event)
            engine.handle_event(event)
            client.run_queued()
    assert [line for line in out.written if line][:3] == ["= Siqi", "=", "= j10"]
    (refusal, unknown) = [line for line in out.written if line.startswith("?")]
    assert "taken" in refusal and unknown == "? unknown command: dance"
    assert re.fullmatch(r"= [a-s]\d+[a-s]\d+", [line for line in out.written if line][-1])
    assert has_left.is_set()
