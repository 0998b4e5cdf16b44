"""Scenarios of Junqi's referee protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scenarios import scenario

if TYPE_CHECKING:
    from record_transcripts import Recorder


@scenario("junqi")
def handshake(play: Recorder) -> None:
    """The name, a deployment and a first move."""
    play.send("INFO 1.0", until="NAME")
    play.send("START 0 1800 31", until="ARRAY")
    play.send("GO 0000 0 00", until="BESTMOVE")
    play.send("END 2")
