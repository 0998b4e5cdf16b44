"""Scenarios of Cloudict's protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scenarios import scenario

if TYPE_CHECKING:
    from record_transcripts import Recorder


@scenario("cloudict")
def handshake(play: Recorder) -> None:
    """The name, and the first turns."""
    play.send("name", until="name")
    play.send("new xxx", "black JJJJ", "next", until="move")
    play.send("quit")
