"""Golden transcripts, replayed against the real process; transcripts.py describes their format.

After an intended change, `python tests/support/record_transcripts.py [NAME ...]` records them anew.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from scenarios import SCENARIOS, load_all
from transcripts import TRANSCRIPTS, Transcript, read_transcript, replay, text_of

PATHS = sorted(TRANSCRIPTS.glob("*/*.txt"))


@pytest.mark.parametrize("path", PATHS, ids=[f"{path.parent.name}/{path.stem}" for path in PATHS])
def test_transcript(path: Path, tmp_path: Path) -> None:
    replay(read_transcript(path), tmp_path)


def test_a_file_is_read_as_it_was_written() -> None:
    assert [path for path in PATHS if text_of(read_transcript(path)) != path.read_text(encoding="utf-8")] == []


def test_every_scenario_has_its_transcript_and_the_other_way_round() -> None:
    load_all()
    assert {Transcript(*key).path for key in SCENARIOS} == set(PATHS)
