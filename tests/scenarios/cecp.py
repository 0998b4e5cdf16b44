"""Scenarios of CECP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scenarios import scenario

if TYPE_CHECKING:
    from record_transcripts import Recorder


@scenario("cecp")
def handshake(play: Recorder) -> None:
    """Features, and a first move."""
    play.send("xboard", "protover 2", until="feature done=1")
    play.send("new", "post", "ping 1", until="pong 1")
    play.send("usermove h2e2", until="move")
    play.send("quit")
