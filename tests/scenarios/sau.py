"""Scenarios of the SAU platform."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scenarios import scenario

if TYPE_CHECKING:
    from record_transcripts import Recorder


@scenario("sau")
def handshake(play: Recorder) -> None:
    """The name, and the first turns as Black."""
    play.send("name?", until="name")
    play.send("new black", until="move")
    play.send("move ABAC", until="move")
    play.send("quit")
