"""Positions of `bench` for EWN, with their throws."""

from games.contract import BenchItem

BENCH = tuple(
    BenchItem(position, dice, 300_000)
    for position, dice in (
        ("startpos moves 123456 615243", 3),
        ("startpos moves 165432 265341", 6),
        ("fen A1B2/2E2/C1F1f/2e2/1cb1a s", 4),
        ("fen 2B2/2E2/4f/1C3/1cb2 f", 2),
        ("fen A1C2/1B3/1e1F1/3dc/1b2a s", 2),
        ("fen 2A2/1C1D1/a1f2/2d2/E1b2 f", 1),
    )
)
