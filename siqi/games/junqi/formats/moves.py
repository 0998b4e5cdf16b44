"""Junqi games as lines of moves (siqi/games/records/move_lines.py)."""

from __future__ import annotations

from siqi.games.junqi import INFO
from siqi.games.records.move_lines import MoveLines

_LINES = MoveLines(INFO, r"[a-l]{25}|\?|[A-L][0-4][A-L][0-4](?:=[0-3])?(?:@[A-L][0-4])?")
annotate, stream, text, read, write = _LINES.annotate, _LINES.stream, _LINES.text, _LINES.read, _LINES.write
