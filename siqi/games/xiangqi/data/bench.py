"""The bench positions of Xiangqi: openings, middle games, endgames and a mate."""

from siqi.games.contract import BenchItem

NODES = 200_000
LINES = (
    "",
    "h2e2 h9g7 h0g2 i9h9 i0h0 b9c7",
)
FENS = (
    "r1bakabr1/9/1cn3nc1/p1p1p1p1p/9/2P6/P3P1P1P/1C2C1N2/9/RNBAKABR1 b - - 0 5",
    "1rbakab1r/9/1cn1c1n2/p1p1p1p1p/9/9/P1P1P1P1P/2N1C1N1C/9/R1BAKAB1R w - - 4 8",
    "2bak4/4a4/4b1n2/p3p3p/2p2rp2/P8/2P1P1P1P/4C1N2/3RA4/2BAK4 w - - 2 20",
    "3akab2/9/4b4/p3p1R1p/5r3/2P6/P3P3P/4B4/4A4/3AK1B2 b - - 0 24",
    "4k4/4a4/4ba3/9/2P6/9/9/4B4/4A4/2BAK4 w - - 0 40",
    "2Rckab1C/4a4/4R3n/p5p2/9/2N6/2P5P/C5r2/4K4/2B2A3 w - - 0 1",
)
BENCH = (
    *(BenchItem(NODES, moves=tuple(line.split())) for line in LINES),
    *(BenchItem(NODES, fen) for fen in FENS),
)
