"""PGN's tag names, which are case-insensitive: programs write `[white "A"]` and `[fen "..."]`."""

from __future__ import annotations

from siqi.games.records.values import RESULT_TEXT

_SIDES = tuple(
    side + part
    for side in ("Red", "Black", "White")
    for part in ("", "Elo", "FideId", "NA", "Name", "Rating", "Score", "Team", "Time", "Title", "Type")
)
_NAMES = (
    *_SIDES,
    *("Game", "Variant", "Event", "Site", "Date", "Time", "Round", "Result", "FEN", "SetUp", "Format"),
    *("Annotator", "Author", "Board", "ECCO", "ECO", "EventDate", "EventType", "Group", "Handicap", "Mode", "Nature"),
    *("Odds", "Opening", "PlyCount", "Recorder", "Referee", "Remarks", "Section", "Source", "Stage", "Termination"),
    *("TimeControl", "TimeRule", "Title", "UTCDate", "UTCTime", "URL", "Variation", RESULT_TEXT, "SiqiScoreSide"),
)
_STANDARD = {name.lower(): name for name in _NAMES}


def standard_name(name: str) -> str:
    """Return a tag's name in its standard spelling; one that is not known stays as it is."""
    return _STANDARD.get(name.lower(), name)
