"""Record transcripts: `python tests/support/record_transcripts.py [BEGINNING ...]`.

A beginning, such as `uci/` or `ucci/handshake`, chooses transcripts; without one, all are recorded.

The output of the present code is recorded, right or wrong: read the diff before you commit it.
"""

from __future__ import annotations

import queue
import random
import re
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from client import ClientError
from scenarios import SCENARIOS, Scenario, load_all
from transcripts import Block, Process, Transcript, is_news, text_of

QUIET_S = 0.15
"""An answer is complete after this silence, if it ends with the line awaited."""

STILL_S = 0.6
"""An answer that ends otherwise is complete after this silence: a search that waits for `stop`, pondering."""

Awaited = str | Callable[[str], bool] | None


def is_thought(line: str) -> bool:
    """True for a line of a running search."""
    return line.startswith(("info depth", "info throw")) or re.match(r"\d+ -?\d+ \d+ \d+ ", line) is not None


class Recorder:
    """Sends a scenario's lines to a process and records the answers."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self.random = random.Random(1)
        self.blocks: list[Block] = []
        self.errors = False
        """True if standard error belongs to the transcript."""
        self.files: list[str] = []
        """Names of the files that belong to the transcript."""

    def send(self, *lines: str, until: Awaited = None, count: int = 1) -> list[str]:
        """Send lines in one block and return all answers until the process is silent, unmasked.

        `until` is the beginning of a line, or a predicate of lines; `count` such lines are awaited. `> ` is put before
        each line that does not begin with `>`.
        """
        sent = tuple(line if line.startswith(">") else f"> {line}" for line in lines)
        self._process.write(sent)
        fits = (lambda line: line.startswith(until)) if isinstance(until, str) else until
        answers: list[str] = []
        missing = count if fits is not None else 0
        while True:
            try:
                is_last = bool(answers) and fits is not None and fits(answers[-1]) and not is_thought(answers[-1])
                line = self._process._lines.get(timeout=60.0 if missing else QUIET_S if is_last else STILL_S)
            except queue.Empty:
                if missing:
                    raise ClientError(f"no {until} after {sent}; got {answers[-5:]}") from None
                break
            if line is None:
                self._process._lines.put(None)
                if missing:
                    raise ClientError(f"the process ended before {until}: {answers[-5:]} {self._process.errors}")
                break
            if is_news(line):
                continue
            answers.append(line)
            missing -= missing and fits is not None and fits(line)
        self.blocks.append(Block(sent, self._process.shown.lines(answers)))
        return answers

    def each(self, *lines: str, until: Awaited = None) -> None:
        """Send each line in its own block, and record its answer."""
        for line in lines:
            self.send(line, until=until)

    def best(self, *lines: str, until: str = "bestmove") -> str:
        """Send lines and return the second word of the last answer that begins with `until`."""
        answers = self.send(*lines, until=until)
        return [line for line in answers if line.startswith(until)][-1].split()[1]


def record(key: tuple[str, str], scenario: Scenario) -> Transcript:
    """Run a scenario and return its transcript."""
    front_end, name = key
    about = " ".join((scenario.run.__doc__ or "").split())
    with tempfile.TemporaryDirectory() as folder, Process(front_end, name, scenario.nodes, Path(folder)) as process:
        recorder = Recorder(process)
        scenario.run(recorder)
        if not process.process.stdin.closed:  # type: ignore[union-attr]
            process.close_input()
        more = process.remaining()
        if more:
            raise ClientError(f"{front_end}/{name}: more after the last block: {more[:5]}")
        status = process.end()
        return Transcript(
            front_end,
            name,
            (about,) if about else (),
            scenario.nodes,
            status,
            tuple(recorder.blocks),
            process.written_errors() if recorder.errors else None,
            tuple((file, process.content(file)) for file in recorder.files),
        )


def main(names: list[str]) -> None:
    load_all()
    for key, scenario in SCENARIOS.items():
        if names and not any("/".join(key).startswith(name) for name in names):
            continue
        started = time.monotonic()
        transcript = record(key, scenario)
        transcript.path.parent.mkdir(parents=True, exist_ok=True)
        text = text_of(transcript)
        transcript.path.write_text(text, encoding="utf-8")
        print(f"{'/'.join(key)}: {text.count(chr(10))} lines in {time.monotonic() - started:.1f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
