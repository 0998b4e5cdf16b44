"""Scenarios of Botzone's bots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scenarios import scenario

if TYPE_CHECKING:
    from record_transcripts import Recorder


@scenario("botzone")
def handshake(play: Recorder) -> None:
    """A first move."""
    play.send('{"requests": [{"source": "-1", "target": "-1"}], "responses": []}', until=">>>")
