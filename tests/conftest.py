"""What tests share: vectors beside them, large files that may be missing, bytes of a live record, a launcher."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
FIXTURES = ROOT / "tests/support/fixtures"
SHARED = ROOT / "../shared/data"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if SHARED.is_dir():
        return
    skip = pytest.mark.skip(reason="no ../shared/data beside the checkout")
    for item in items:
        if item.get_closest_marker("shared"):
            item.add_marker(skip)


def vectors(name: str, folder: Path = FIXTURES) -> list[dict[str, Any]]:
    """The objects of a JSONL file."""
    return [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines()]


def lines(name: str) -> list[str]:
    """The lines of a fixture."""
    return (FIXTURES / name).read_text(encoding="utf-8").splitlines()


def live_bytes(record: Any) -> dict[str, bytes]:
    """Every byte of a record that counts: the history (fields `past_*`) only below `height`."""
    live = {}
    for name in record.dtype.names:
        field = record[name]
        if name.startswith("past_"):
            pairs = 2 if name == "past_checks" else 1
            field = field[: pairs * int(record["height"])]
        live[name] = field.tobytes()
    return live


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Cut short, with a bit turned over, or with something behind."""
    kind, at = rng.randrange(3), rng.randrange(len(data))
    if kind == 0:
        return data[:at]
    if kind == 1:
        return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]
    return data + rng.randbytes(rng.randrange(1, 50))


@pytest.fixture
def siqi(tmp_path: Path) -> Path:
    """A command of one word, in a directory of its own, as GUIs run engines."""
    path = tmp_path / "siqi"
    path.write_text(f"#!/bin/sh\nPYTHONPATH='{ROOT}' exec '{sys.executable}' -m daemon\n")
    path.chmod(0o755)
    return path
