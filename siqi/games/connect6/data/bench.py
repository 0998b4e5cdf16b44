"""The positions of `bench` for Connect6: an opening, and middle games with and without threats."""

from siqi.games.contract import BenchItem

NODES = 100_000
LINES = (
    "j10",
    "j10 i9k9",
    "j10 i9j11 h10h12 g10i11 h9h11 h8h13",
    "j10 f7g6 j11k11 e8h5 d9i4 h8j8 h11i11 g11m11",
    "j10 i9k11 i11k9 h8l12 h12l8",
    "j10 k8l9 j9k11 i12l13 j12k9 i10m12",
)
BENCH = tuple(BenchItem(NODES, moves=tuple(line.split())) for line in LINES)
