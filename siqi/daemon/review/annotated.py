"""A reviewed game as a record with its verdicts, for other programs."""

from __future__ import annotations

import io
from collections.abc import Sequence

from siqi.daemon.review.assess import Ply, shown_loss
from siqi.daemon.review.games import ReviewedGame
from siqi.games import registry
from siqi.games.game_record import Note, NoteLine

VERDICTS = ("", "inaccuracy", "mistake", "blunder")
"""The word of each grade."""


def annotated(game: ReviewedGame, plies: Sequence[Ply]) -> str:
    """Return the game's text with its verdicts as notes; '' if the game's records cannot store notes.

    Behind a move with a grade stand the grade and the expected result that it lost, before it the first side's expected
    result and the best line. The comments of the file that the game was read from stay.
    """
    module = registry.record_format(game.game).load_stream()
    if module.annotate is None:
        return ""
    record = game.record
    if record.source is None:
        (record,) = module.stream(io.StringIO(module.text(record)))
    notes: dict[int, Note] = {}
    for ply, judged in enumerate(plies):
        if not judged.grade:
            continue
        verdict = NoteLine(f"{VERDICTS[judged.grade]} -{100 * shown_loss(judged.lost):.0f}%")
        notes[game.setups + ply] = (verdict,)
        best = plies[ply - 1]
        if best.line is not None and best.after is not None and best.finding is not None:
            line = NoteLine(f"{100 * best.after:.0f}%/{best.finding.depth}", best.line.moves)
            notes[game.setups + ply - 1] = (*notes.get(game.setups + ply - 1, ()), line)
    return module.annotate(record, notes, "utf-8")
