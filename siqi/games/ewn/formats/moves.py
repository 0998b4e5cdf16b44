"""EWN games as lines of moves (siqi/games/records/move_lines.py)."""

from __future__ import annotations

from siqi.games.ewn import INFO
from siqi.games.records.move_lines import MoveLines

_LINES = MoveLines(INFO, r"[1-6]{6}|[a-e][1-5][a-e][1-5]")
annotate, stream, text, read, write = _LINES.annotate, _LINES.stream, _LINES.text, _LINES.read, _LINES.write
