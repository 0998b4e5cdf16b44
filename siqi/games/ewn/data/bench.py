"""The positions of `bench` for EWN, with their throws."""

from siqi.games.contract import BenchItem

NODES = 300_000
SETUPS = (
    ("123456 615243", 3),
    ("165432 265341", 6),
)
FENS = (
    ("A1B2/2E2/C1F1f/2e2/1cb1a s", 4),
    ("2B2/2E2/4f/1C3/1cb2 f", 2),
    ("A1C2/1B3/1e1F1/3dc/1b2a s", 2),
    ("2A2/1C1D1/a1f2/2d2/E1b2 f", 1),
)
BENCH = (
    *(BenchItem(NODES, None, tuple(words.split()), die) for words, die in SETUPS),
    *(BenchItem(NODES, fen, (), die) for fen, die in FENS),
)
