"""Scenarios of MyAI's protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scenarios import scenario

if TYPE_CHECKING:
    from record_transcripts import Recorder


@scenario("myai")
def handshake(play: Recorder) -> None:
    """Settings, set-ups, and a first move."""
    play.send("name", until="name")
    play.send("version", "time_setting 240", "board_setting 5 6", until="1", count=2)
    play.send("ini R", until=lambda line: len(line.split()) == 6)
    play.send("get R 3 E5 D5 C5 E4 D4 E3 A1 B1 C1 A2 B2 A3", until="C1")
    play.send("exit")
