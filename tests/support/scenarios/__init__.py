"""The clients of the transcripts: a function for each scenario, which `record_transcripts.py` runs.

A module of this folder declares the scenarios of a front end; nothing lists it.

A scenario gets a `Recorder` and sends blocks of lines through it. They may depend only on earlier answers: random
choices come from `Recorder.random`. A scenario's docstring is the remark that begins its transcript.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from record_transcripts import Recorder


class Scenario(NamedTuple):
    """A function that sends the lines of a transcript, and its node limit."""

    run: Callable[[Recorder], None]
    nodes: int  # the limit of each search, 0: none


SCENARIOS: dict[tuple[str, str], Scenario] = {}
"""The scenarios by front end and name."""


def scenario(front_end: str, nodes: int = 300) -> Callable[[Callable[[Recorder], None]], Callable[[Recorder], None]]:
    """Return a decorator that declares a scenario; its transcript has the function's name."""

    def declare(run: Callable[[Recorder], None]) -> Callable[[Recorder], None]:
        SCENARIOS[front_end, run.__name__.replace("_", "-")] = Scenario(run, nodes)
        return run

    return declare


def load_all() -> None:
    """Import all modules that declare scenarios."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"scenarios.{module.name}")
