"""The peak memory of a process: a resized table or tree is never there twice."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from client import Client

from games.kernel.tt import FALLBACK, SMALLEST, Memory

HASH = 256

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/proc tells the peak")

POSITIONS = {
    "xiangqi": ["position startpos"],
    "connect6": ["position startpos moves j10 i9k9"],
    "ewn": ["position startpos moves 123456 615243", "dice 2"],
    "junqi": ["position startpos moves diahcbgkkfiecfigjhedjljhg ?"],
}


def peak(client: Client) -> int:
    """Return the peak resident memory of the daemon, in MiB."""
    status = Path(f"/proc/{client.process.pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) >> 10


def option(name: str, value: object) -> str:
    return f"setoption name {name} value {value}"


@pytest.mark.parametrize("game", POSITIONS)
def test_a_table_is_never_there_twice(game: str) -> None:
    """Threads and size change in turn, each time after a search, which could keep a reference to the old table."""
    with Client(option("UCI_Variant", game)) as client:
        client.sync()
        small = peak(client)
        for change in (("Hash", HASH), ("Threads", 2), ("Hash", HASH - 1), ("Hash", HASH), ("Threads", 1)):
            client.answers(option(*change))
            client.search(*POSITIONS[game], "go nodes 2000")
        assert HASH // 2 < peak(client) - small < 1.5 * HASH


@pytest.mark.parametrize(
    ("game", "name", "values"),
    [("ewn", "Algorithm", ("uct", "expectimax")), ("junqi", "Searcher", ("uct", "flat", "cooperation", "worlds"))],
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


def test_a_searcher_falls_back_to_a_size_that_fits() -> None:
    """Without room for the new size the searcher has the size before; without room for that, the smallest."""
    room = 64
    made: list[int] = []

    def make(size: int) -> bytearray:
        made.append(size)
        if size > room:
            raise MemoryError
        return bytearray(size)

    memory = Memory[bytearray]()
    with pytest.raises(MemoryError, match=f"using {FALLBACK} MiB"):
        memory.resize(100, make)
    assert len(memory.held) == FALLBACK and memory.wanted == 100
    memory.resize(64, make)
    with pytest.raises(MemoryError, match="using 64 MiB"):
        memory.resize(65, make)
    assert len(memory.held) == 64 and memory.wanted == 65
    room = 2
    with pytest.raises(MemoryError, match=f"using {SMALLEST} MiB"):
        memory.resize(3, make)
    assert len(memory.held) == SMALLEST
    assert made == [100, FALLBACK, 64, 65, 64, 3, 64, SMALLEST]
