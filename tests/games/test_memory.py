"""Peak memory of a process: resized tables and trees are never in memory twice."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from client import Client

from siqi.games.search.resizable import FALLBACK_MB, SMALLEST_MB, Resizable

HASH = 256

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the peak comes from /proc")

POSITIONS = {
    "xiangqi": ["position startpos"],
    "connect6": ["position startpos moves j10 i9k9"],
    "ewn": ["position startpos moves 123456 615243", "dice 2"],
    "junqi": ["position startpos moves diahcbgkkfiecfigjhedjljhg ?"],
}


def peak(client: Client) -> int:
    """Return the process's peak memory in MiB."""
    status = Path(f"/proc/{client.process.pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) >> 10


def option(name: str, value: object) -> str:
    return f"setoption name {name} value {value}"


@pytest.mark.parametrize("game", POSITIONS)
def test_a_table_is_never_there_twice(game: str) -> None:
    """The old table is freed when threads or size change after a search, which could keep a reference to it."""
    with Client(option("UCI_Variant", game)) as client:
        client.sync()
        small = peak(client)
        for change in (("Hash", HASH), ("Threads", 2), ("Hash", HASH - 1), ("Hash", HASH), ("Threads", 1)):
            client.answers(option(*change))
            client.search(*POSITIONS[game], "go nodes 2000")
        assert HASH // 2 < peak(client) - small < 1.5 * HASH


@pytest.mark.parametrize(
    ("game", "name", "values"),
    [("ewn", "Algorithm", ("uct", "expectimax")), ("junqi", "Algorithm", ("uct", "flat", "cooperation", "worlds"))],
)
def test_a_searcher_goes_before_another_comes(game: str, name: str, values: tuple[str, ...]) -> None:
    with Client(option("UCI_Variant", game)) as client:
        client.sync()
        small = peak(client)
        client.answers(option("Hash", HASH))
        for value in values * 2:
            client.search(option(name, value), *POSITIONS[game], "go nodes 2000", timeout_s=300)
        assert HASH // 2 < peak(client) - small < 1.7 * HASH


def test_a_game_goes_before_another_comes() -> None:
    with Client(option("UCI_Variant", "xiangqi")) as client:
        client.sync()
        client.answers(option("UCI_Variant", "ewn"))
        client.answers(option("UCI_Variant", "xiangqi"))
        small = peak(client)
        client.answers(option("Hash", HASH))
        for game in ("xiangqi", "ewn", "xiangqi"):
            client.answers(option("UCI_Variant", game))
            client.search(*POSITIONS[game], "go nodes 2000")
        assert HASH // 2 < peak(client) - small < 1.5 * HASH


def test_a_searcher_without_memory_takes_less() -> None:
    """A searcher without memory for the new size takes the old one; without memory for that, the smallest."""
    limit = 64
    made: list[int] = []

    def make(size: int) -> bytearray:
        made.append(size)
        if size > limit:
            raise MemoryError
        return bytearray(size)

    memory = Resizable[bytearray]()
    with pytest.raises(MemoryError, match=f"using {FALLBACK_MB} MiB"):
        memory.resize(100, make)
    assert len(memory.held) == FALLBACK_MB and memory.wanted == 100
    memory.resize(64, make)
    with pytest.raises(MemoryError, match="using 64 MiB"):
        memory.resize(65, make)
    assert len(memory.held) == 64 and memory.wanted == 65
    limit = 2
    with pytest.raises(MemoryError, match=f"using {SMALLEST_MB} MiB"):
        memory.resize(3, make)
    assert len(memory.held) == SMALLEST_MB
    assert made == [100, FALLBACK_MB, 64, 65, 64, 3, 64, SMALLEST_MB]
