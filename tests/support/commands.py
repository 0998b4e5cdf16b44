"""The commands of `scripts/`: files that run a `main`."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path

from fixture_files import ROOT


def name_of(path: Path) -> str:
    """Return a command as help and README name it: `match/self_play`, or `papers/ewn_uct` for a package."""
    name = path.relative_to(ROOT / "scripts").with_suffix("").as_posix()
    return name.removesuffix("/__main__")


COMMANDS = {
    name_of(path): path
    for path in sorted((ROOT / "scripts").rglob("*.py"))
    if '\nif __name__ == "__main__":\n' in path.read_text(encoding="utf-8")
}


def main_of(name: str) -> Callable[[], int]:
    """Return the `main` of a command."""
    module = COMMANDS[name].relative_to(ROOT).with_suffix("")
    main: Callable[[], int] = importlib.import_module(".".join(module.parts)).main
    return main
