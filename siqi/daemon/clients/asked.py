"""An engine whose protocol is found by asking.

A new process is started for each protocol that plays the game and greeted by that protocol's first line, since engines
may settle on a protocol with the first line that they read, or end at one that they do not know. The order is that of
`CLASSES`: UCI, which most engines speak, UCCI, CECP, the championships' protocols, UGI. UCI engines ignore lines that
they do not know, and none of them sees another's line; `name?` comes before `name`, as an engine that reads beginnings
of lines answers SAU's question by both.

All questions together have the time of one greeting (20 s), each an equal part. A process that ends is asked no longer.
One that has begun to answer in a protocol is held to it, and has the whole time.
"""

from __future__ import annotations

from collections.abc import Sequence

from siqi.daemon.clients.base import GREETING_S, EngineProcess
from siqi.daemon.clients.player import Choice, EngineSpec, Player, StartError, Turn
from siqi.games.contract import GameInfo, Position


class AskedEngine(Player):
    """An engine in a process; it is asked for its protocol before its first game."""

    def __init__(
        self,
        spec: EngineSpec,
        info: GameInfo,
        hang_s: float,
        clients: Sequence[type[EngineProcess]],
        greeting_s: float = GREETING_S,
    ) -> None:
        self._spec, self._info, self._greeting_s = spec, info, greeting_s
        self._clients = [client(spec, info, hang_s, greeting_s) for client in clients]
        self._client = self._clients[0]
        self._is_found = False

    def start(self) -> None:
        if not self._is_found:
            self.find()
            if why := self._client.unfit(self._spec, self._info):
                raise StartError(why)
            self._is_found = True
        self._client.start()

    def new_game(self, seed: str) -> None:
        self.start()
        self._client.new_game(seed)
        self.version, self.start_ms = self._client.version, self._client.start_ms

    @property
    def dialogue(self) -> list[str]:
        return self._client.dialogue

    @property
    def protocol(self) -> str:
        """The protocol that was found."""
        return self._client.protocol

    def find(self) -> None:
        """Find the client to which the engine answers, whose process then runs; StartError if there is none."""
        faults: list[StartError] = []
        for client in self._clients:
            self._client = client
            try:
                self._client.connect(self._greeting_s / len(self._clients))
            except StartError as fault:
                if self._client.is_known or isinstance(fault.__cause__, OSError):
                    raise
                faults.append(fault)
            else:
                return
        if len({str(fault) for fault in faults}) == 1:
            raise faults[0]
        words = ", ".join(client.protocol for client in self._clients)
        said = next((f"; its last line: {client.last_line}" for client in self._clients if client.last_line), "")
        raise StartError(
            f"{self._spec.name} answers in no protocol ({words}) within {self._greeting_s:g} s: give it proto=, if it "
            f"is slow{said}"
        )

    def choose(self, turn: Turn) -> Choice:
        return self._client.choose(turn)

    def played(self, position: Position) -> None:
        self._client.played(position)

    def game_over(self, won: bool | None) -> None:
        self._client.game_over(won)

    def close(self) -> None:
        self._client.close()
