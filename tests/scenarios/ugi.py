"""Scenarios of UGI."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scenarios import scenario

if TYPE_CHECKING:
    from record_transcripts import Recorder


@scenario("ugi")
def handshake(play: Recorder) -> None:
    """Options, questions, and a search."""
    play.send("ugi", until="ugiok")
    play.send("query p1turn", "query gameover", "query result", until="response", count=3)
    play.send("position startpos", "go depth 3", until="bestmove")
    play.send("quit")
