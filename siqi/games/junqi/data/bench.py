"""The positions that `bench` searches: both sides' views of a start, one view after six moves, and a full position."""

from siqi.games.contract import BenchItem

NODES = 200_000
LINES = (
    "diahcbgkkfiecfigjhedjljhg ?",
    "? bicgcakdgifgeekjfhjjihhld",
    "diahcbgkkfiecfigjhedjljhg ? G2F2=1 E2F2=2 G0H1=3 F4G4=1 H0F0=1 E0E1=3",
    "diahcbgkkfiecfigjhedjljhg bicgcakdgifgeekjfhjjihhld",
)
BENCH = tuple(BenchItem(NODES, moves=tuple(line.split())) for line in LINES)
