"""An engine in a process of its own, whatever its protocol."""

from __future__ import annotations

from siqi.daemon.clients.player import Forfeit, Player, StartError
from siqi.daemon.clients.process import Ended, Process, Silent

START_TIMEOUT_S = 300.0  # a cold kernel cache compiles for minutes where several engines share a core


class EngineProcess(Player):
    """An engine in a process, which starts with the first game and again after it died."""

    def __init__(self, name: str, command: str) -> None:
        self.name, self._command = name, command
        self._process: Process | None = None

    def greet(self) -> None:
        """Wait until the process, which has just started, can play. Forfeit or StartError if it cannot."""
        raise NotImplementedError

    def new_game(self, seed: str) -> None:
        """Start the process if need be (StartError if that fails)."""
        if self._process is None or not self._process.is_running:
            self.close()
            try:
                self._process = Process(self._command)
                self.greet()
            except (Forfeit, OSError) as fault:
                raise StartError(f"{self.name} does not start: {fault}") from fault

    def send(self, *lines: str) -> float:
        """Write lines; return the time. Forfeit if the process has died."""
        assert self._process is not None
        try:
            return self._process.send(*lines)
        except Ended as ended:
            raise Forfeit("crash", str(ended)) from ended

    def wait_for(self, *wanted: str, timeout_s: float, info: list[str] | None = None) -> tuple[float, str]:
        """Return the time and text of the next line that starts with a wanted word; earlier lines go to `info`.

        Forfeit if the process dies or stays silent.
        """
        assert self._process is not None
        try:
            return self._process.wait_for(*wanted, timeout_s=timeout_s, passing=str if info is None else info.append)
        except Ended as ended:
            raise Forfeit("crash", str(ended)) from ended
        except Silent as silent:
            raise Forfeit("time", str(silent)) from silent

    def close(self) -> None:
        if self._process is not None:
            self._process.close()
