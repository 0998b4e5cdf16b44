"""Print the lowest versions of dependencies that pyproject.toml admits, as constraints for pip (scripts/lowest.sh)."""

from __future__ import annotations

import itertools
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]

EXTRAS = ("test", "scripts", "cluster", "docs")
"""What scripts/test.sh installs."""


def requirements() -> list[Requirement]:
    """Return what the package and these extras require."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = (project["optional-dependencies"][extra] for extra in EXTRAS)
    return [Requirement(line) for line in itertools.chain(project["dependencies"], *extras)]


if __name__ == "__main__":
    for requirement in sorted(requirements(), key=str):
        (lowest,) = (bound.version for bound in requirement.specifier if bound.operator == ">=")
        print(f"{requirement.name}=={lowest}")
