"""Scenarios of UCCI."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scenarios import scenario

if TYPE_CHECKING:
    from record_transcripts import Recorder


@scenario("ucci")
def handshake(play: Recorder) -> None:
    """Options, and a search."""
    play.send("ucci", until="ucciok")
    play.send("isready", until="readyok")
    play.send("position startpos", "go depth 3", until="bestmove")
    play.send("quit", until="bye")
