"""The output of `siqi analyse` as the input's records, with a note for every position."""

from __future__ import annotations

import contextlib
import sys
from collections import deque
from typing import Any

from siqi.daemon.analysis.answers import Answer
from siqi.daemon.analysis.inputs import OpenInput
from siqi.daemon.analysis.outputs import Output, put
from siqi.daemon.analysis.progress import report
from siqi.daemon.analysis.scores import outcome_of
from siqi.games import registry
from siqi.games.compiling import announce_compiling
from siqi.games.game_record import GameRecord, Note, NoteLine


class RecordOutput(Output):
    """The input text with a note for every position of each game."""

    shows_errors = False
    keeps_text = True

    def __init__(self) -> None:
        self._games: dict[str, GameRecord] = {}
        self._notes: dict[str, dict[int, Note]] = {}
        self._left: dict[str, int] = {}  # by game, the number of positions without an answer
        self._parts: deque[str | tuple[str]] = deque()  # text, or (name,) of a game, in the order of the input
        self._has_games = False

    def open(self, stack: contextlib.ExitStack, first: OpenInput | None) -> None:
        assert first is not None and first.text is not None
        self._encoding = first.text.encoding
        self._annotate = registry.record_format(first.kind.game).load_stream().annotate
        self._encode = for_terminal if sys.stdout.isatty() else first.text.encode

    def skip(self, text: str) -> None:
        self._parts.append(text)
        self._flush()

    def add_game(self, name: str, game: str, record: GameRecord) -> None:
        self._games[name], self._notes[name], self._left[name] = record, {}, len(record.moves) + 1
        self._parts.append((name,))
        self._has_games = True

    def write(self, answer: Answer) -> None:
        if answer.get("isDuringSearch") or "turn" not in answer:
            return
        name = answer["id"]
        if note := note_of(answer):
            self._notes[name][answer["turn"]] = note
        self._left[name] -= 1
        self._flush()

    def _flush(self) -> None:
        """Write the complete parts in order; nothing until there is a game, as the input may be something else."""
        while self._parts and self._has_games:
            part = self._parts[0]
            if isinstance(part, str):
                put(self._encode(part))
            elif self._left[part[0]]:
                return
            else:
                put(self._encode(self._text(*part)))
            self._parts.popleft()

    def _text(self, name: str) -> str:
        assert self._annotate is not None
        del self._left[name]
        return self._annotate(self._games.pop(name), self._notes.pop(name), self._encoding)


def comments_fault(game: str) -> str | None:
    """Return why records of a game are not written with comments, None if they are."""
    with announce_compiling(report, game):
        annotate = registry.record_format(game).load_stream().annotate
    return f"--output record: records of {game} cannot store comments" if annotate is None else None


def for_terminal(text: str) -> bytes:
    """Return a text for a person at a terminal, whose encoding is not that of the file."""
    return text.encode(sys.stdout.encoding, "replace")


def note_of(answer: Answer) -> Note:
    """Return a note: `+0.13/14` (score from the first side's view, depth) and the moves of each variation, or the
    outcome, or nothing."""
    sign = 1 if answer.get("toMove") == "first" else -1
    if lines := answer.get("lines"):
        return tuple(
            NoteLine(f"{pawns_text(line['score'], sign)}/{line['depth']}", tuple(line["pv"])) for line in lines
        )
    outcome = outcome_of(answer)
    return () if outcome is None or outcome.unknown else (NoteLine(f"{outcome.result} {outcome.reason}"),)


def pawns_text(score: dict[str, Any], sign: int) -> str:
    """Return a score from the first side's view: `+0.13` in pawns, or `-M3`, the second side wins in three moves.

    `sign`: -1 turns a score of the second side's view.
    """
    if "mate" in score:
        return f"{'+' if sign * score['mate'] > 0 else '-'}M{abs(score['mate'])}"
    return f"{sign * score['cp'] / 100:+.2f}"
