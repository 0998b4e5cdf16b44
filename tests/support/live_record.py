"""The bytes of a position's record that decide the game, to compare positions before and after do and undo."""

from __future__ import annotations

from typing import Any


def live_bytes(record: Any) -> dict[str, bytes]:
    """Return each field's bytes; of the history (fields `past_*`) only the entries below `height`."""
    live = {}
    for name in record.dtype.names:
        field = record[name]
        if name.startswith("past_"):
            pairs = 2 if name == "past_checks" else 1
            field = field[: pairs * int(record["height"])]
        live[name] = field.tobytes()
    return live
