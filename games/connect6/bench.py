"""Positions of `bench` for Connect6: an opening, middle games with and without threats."""

from games.contract import BenchItem

BENCH = tuple(
    BenchItem(position, 0, 100_000)
    for position in (
        "startpos moves j10",
        "startpos moves j10 i9k9",
        "startpos moves j10 i9j11 h10h12 g10i11 h9h11 h8h13",
        "startpos moves j10 f7g6 j11k11 e8h5 d9i4 h8j8 h11i11 g11m11",
        "startpos moves j10 i9k11 i11k9 h8l12 h12l8",
        "startpos moves j10 k8l9 j9k11 i12l13 j12k9 i10m12",
    )
)
