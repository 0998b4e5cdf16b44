"""Scenarios: a function for each transcript, which plays its client; `record_transcripts.py` runs them.

A scenario gets a `Recorder` and sends blocks through it. What it sends depends on the answers before and on nothing
else: random choices come from `Recorder.random`. Its docstring becomes the transcript's first remark.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from record_transcripts import Recorder

FRONT_ENDS = ("uci", "ucci", "ugi", "cecp", "sau", "cloudict", "myai", "junqi", "botzone")


class Scenario(NamedTuple):
    """The function that makes a transcript, and the node limit under which it runs."""

    run: Callable[[Recorder], None]
    nodes: int  # the limit of each search, 0 for none


SCENARIOS: dict[tuple[str, str], Scenario] = {}
"""All scenarios, by front end and name."""


def scenario(front_end: str, nodes: int = 300) -> Callable[[Callable[[Recorder], None]], Callable[[Recorder], None]]:
    """Declare a scenario; its transcript has the function's name."""

    def declare(run: Callable[[Recorder], None]) -> Callable[[Recorder], None]:
        SCENARIOS[front_end, run.__name__.replace("_", "-")] = Scenario(run, nodes)
        return run

    return declare


def load_all() -> None:
    """Import all modules that declare scenarios."""
    for front_end in FRONT_ENDS:
        importlib.import_module(f"scenarios.{front_end}")
    importlib.import_module("scenarios.uci_games")
