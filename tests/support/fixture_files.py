"""The fixture files of the tests, the large files of `shared/data`, and damaged copies of files."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
"""The repository."""

FIXTURES = ROOT / "tests/support/fixtures"

SHARED = ROOT / "../shared/data"
"""Large data files next to the checkout; tests marked `shared` are skipped where they are missing."""


def vectors(name: str, folder: Path = FIXTURES) -> list[dict[str, Any]]:
    """Return the objects of a JSONL file."""
    return [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines()]


def lines(name: str) -> list[str]:
    """Return the lines of a fixture."""
    return (FIXTURES / name).read_text(encoding="utf-8").splitlines()


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Return `data` cut short, with one bit flipped, or with 1 to 49 random bytes appended."""
    kind, at = rng.randrange(3), rng.randrange(len(data))
    if kind == 0:
        return data[:at]
    if kind == 1:
        return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]
    return data + rng.randbytes(rng.randrange(1, 50))
