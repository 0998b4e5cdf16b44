"""The outputs of `siqi analyse`: what they have in common, answers as JSON, and the plot of all answers."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Protocol

import msgspec

from siqi.daemon.analysis import plot
from siqi.daemon.analysis.answers import Answer, EarlierAnswers, Final, Journal, last_answers, read_answers
from siqi.daemon.analysis.inputs import InputKind, OpenInput
from siqi.daemon.analysis.progress import report
from siqi.daemon.commands.arguments import FAILED
from siqi.daemon.commands.game_files import reason
from siqi.games.game_record import GameRecord


class Output(Protocol):
    """The form in which a run writes its answers. One thread at a time calls `write`, the reader the other methods.

    What an output does not need, it leaves to the methods here, which do nothing.

    An output that continues a file reads it when it is made: OSError if that fails, NotAnswersError if it is none of
    ours.
    """

    done: Collection[Final] = frozenset()
    """The final answers of earlier runs, which are not computed again."""
    shows_errors: bool = True
    """False if errors are for standard error."""
    keeps_text: bool = False
    """True if a game with a fault is written as it was read, without answers."""

    def open(self, stack: contextlib.ExitStack, first: OpenInput | None) -> None:
        """Open what is written to, which `stack` closes. `first`: the first input, if it is open; OSError."""
        return

    def begin(self, kind: InputKind, are_many: bool) -> None:
        """Take note of the kind of the next input; `are_many`: it is one of several.

        CommandError if it cannot be written.
        """
        return

    def skip(self, text: str) -> None:
        """Take text of the input that is in no readable game."""
        return

    def add_game(self, name: str, game: str, record: GameRecord) -> None:
        """Take a game of the input whose positions will be answered under an id."""
        return

    def expect(self, name: str, turns: tuple[int, ...], done: list[Final]) -> None:
        """Take note of the turns of an id that will be answered, and of earlier runs' answers to its others."""
        return

    def write(self, answer: Answer) -> None:
        """Take an answer, and write what is now complete."""

    def finish(self) -> str | None:
        """Write what is left at the end, or after an interruption. Return a fault for the user, None without one."""
        return None


def guarded(write: Callable[[], None]) -> None:
    """Write; if that fails, end the process at once, however much input is left."""
    try:
        write()
    except BrokenPipeError:
        os._exit(0)  # the reader has closed the pipe
    except OSError as error:  # a full disk
        report(f"the output: {error.strerror}")
        os._exit(FAILED)


def put(data: bytes) -> None:
    """Write to standard output; `guarded`."""

    def write() -> None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()

    guarded(write)


class JsonOutput(Output):
    """A line of JSON for each answer; `resume` is a file to append them to."""

    def __init__(self, resume: Path | None) -> None:
        self._resume = resume
        self._earlier = EarlierAnswers() if resume is None else read_answers(resume)
        self._journal: Journal | None = None
        self.done = self._earlier.finals

    def open(self, stack: contextlib.ExitStack, first: OpenInput | None) -> None:
        if self._resume is not None:
            self._journal = stack.enter_context(Journal(self._resume, self._earlier))

    def write(self, answer: Answer) -> None:
        if (journal := self._journal) is None:
            put(msgspec.json.encode(answer) + b"\n")
        else:
            guarded(lambda: journal.write(answer))


class PlotOutput(Output):
    """A picture of all answers, written at the end to a file, or to standard output as SVG.

    `resume`: the file that has the answers of this run and of earlier ones, or will have them.
    """

    shows_errors = False

    def __init__(self, path: Path | None, resume: Path | None) -> None:
        self._path = path
        self._resume = resume
        self._summary = plot.PlotSummary()

    def write(self, answer: Answer) -> None:
        if self._resume is None or "error" in answer:
            self._summary.add(answer)

    def finish(self) -> str | None:
        fault = None
        try:
            for answer in last_answers(self._resume) if self._resume is not None else ():
                self._summary.add(answer)
            if not self._summary.positions:
                fault = "no position has an answer"
            elif self._path is None:
                put(plot.picture(self._summary, ".svg"))
            else:
                plot.save(self._summary, self._path)
        except OSError as error:
            fault = reason(error)
        except ValueError:
            fault = f"{self._resume}: an answer is not of this version"
        return None if fault is None else f"no plot: {fault}"
