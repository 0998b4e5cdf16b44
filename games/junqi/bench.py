"""Positions of `bench` for Junqi: a view at the start, one with news, and a referee's full position."""

from games.contract import BenchItem

BENCH = tuple(
    BenchItem(position, 0, 200_000)
    for position in (
        "startpos moves diahcbgkkfiecfigjhedjljhg ?",
        "startpos moves ? bicgcakdgifgeekjfhjjihhld",
        "startpos moves diahcbgkkfiecfigjhedjljhg ? G2F2=1 E2F2=2 G0H1=3 F4G4=1 H0F0=1 E0E1=3",
        "startpos moves diahcbgkkfiecfigjhedjljhg bicgcakdgifgeekjfhjjihhld",
    )
)
