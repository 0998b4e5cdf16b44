"""Positions of `bench` for EWN, with their throws."""

from games.contract import BenchItem

BENCH = tuple(
    BenchItem(position, dice, 300_000)
    for position, dice in (
        ("startpos moves 123456 615243", 3),
        ("startpos moves 165432 265341", 6),
        ("fen A1B2/2E2/C1F1f/2e2/1cb1a s", 4),
        ("fen 2B2/2E2/4f/1C3/1cb2 f", 2),
        ("fen 5/1A3/2e2/3d1/5 f", 1),
        ("fen 5/1A3/2e2/3d1/2F2 s", 5),
    )
)
