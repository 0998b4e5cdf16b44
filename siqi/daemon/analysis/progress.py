"""The lines that `siqi analyse` writes to standard error, and the progress of a run."""

from __future__ import annotations

import os
import sys
from typing import Any

from siqi.daemon.commands.arguments import reporter
from siqi.system.messages import translated
from siqi.system.pipes import printable
from siqi.system.texts import visible

report = reporter("siqi analyse")


def shown(name: str) -> str:
    """Return the name of an input for the user."""
    return "standard input" if name == "-" else name


class Progress:
    """A progress bar, or its figures as JSON: positions, rate, workers of a cluster, time left."""

    def __init__(self, as_json: bool, stays: bool = True) -> None:
        """A bar needs a terminal as standard error, `as_json` does not. `stays`: it is still seen at the end."""
        self._as_json = as_json
        self._stays = stays

    def __enter__(self) -> Progress:
        self._bar: Any = None
        if sys.stderr is not None and (self._as_json or sys.stderr.isatty()):
            from siqi.daemon.cluster.progress import Bar

            unit = translated(" positions")
            self._bar = Bar(as_json=self._as_json, total=0, unit=unit, file=sys.stderr, leave=self._stays)
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def report(self, text: str) -> None:
        """Write a line for the user, above the bar."""
        if self._bar is None or self._as_json:
            report(text)
        else:
            self._bar.write(visible(translated(f"siqi analyse: {text}")), file=sys.stderr)

    def note(self, text: str) -> None:
        """Write a line on what is done now, unless a bar shows it."""
        if self._bar is None:
            report(text)

    def read(self, name: str, number: int, total: int) -> None:
        """Show which input is read."""
        if self._bar is not None:
            what = printable(os.path.basename(shown(name)), 40)
            self._bar.reading = name
            self._bar.set_description_str(f"{what} {number}/{total}" if total > 1 else what, refresh=False)

    def expect(self, count: int) -> None:
        """Add to the number of positions to be answered."""
        if self._bar is not None:
            self._bar.total += count

    def update(self, answer: dict[str, Any]) -> None:
        if self._bar is not None and not answer.get("isDuringSearch", "turn" not in answer):
            self._bar.update()
