"""Connect6 games as lines of moves (siqi/games/records/move_lines.py)."""

from __future__ import annotations

from siqi.games.connect6 import INFO
from siqi.games.records.move_lines import MoveLines

_LINES = MoveLines(INFO, r"(?:[a-s](?:1[0-9]|[1-9])){1,2}")
annotate, stream, text, read, write = _LINES.annotate, _LINES.stream, _LINES.text, _LINES.read, _LINES.write
