"""`siqi match sprt`: the sequential test of counts of pairs that were played anywhere."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from siqi.daemon.commands.arguments import MISUSED
from siqi.daemon.match.statistics import MODELS, NORMALIZED
from siqi.daemon.match.tally import LEGEND, strength
from siqi.system.messages import translated
from siqi.system.pipes import to_stderr

if TYPE_CHECKING:
    from siqi.daemon.match.sequential import Sprt

MAX_PAIRS = 10**9

BOUNDS = (0.0, 5.0)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `siqi match sprt`."""
    parser.description = (
        "Test pairs of games by the SPRT: H0, the first engine is ELO0 stronger, against H1, ELO1 stronger."
    )
    what = "pairs in which the first engine had 0, 1/2, 1, 3/2 and 2 points, such as 10,30,60,40,12"
    parser.add_argument("counts", type=parse_counts, metavar="COUNTS", help=what)
    what = "default: 0,5; with a negative one write --bounds=-5,0"
    parser.add_argument("--bounds", type=parse_bounds, default=BOUNDS, metavar="ELO0,ELO1", help=what)
    parser.add_argument("--model", choices=MODELS, default=NORMALIZED, help=f"of Elo; default: {NORMALIZED}")
    parser.add_argument("--alpha", type=float, default=0.05, help="chance of H1 although H0 is right; default: 0.05")
    parser.add_argument("--beta", type=float, default=0.05, help="chance of H0 although H1 is right; default: 0.05")
    parser.set_defaults(run=sprt_with)


def parse_counts(text: str) -> list[int]:
    """Return pentanomial counts; ArgumentTypeError for other texts."""
    words = text.split(",")
    if len(words) != 5 or not all(word.isascii() and word.isdigit() and int(word[:10]) <= MAX_PAIRS for word in words):
        raise argparse.ArgumentTypeError(f"five numbers of pairs, such as 10,30,60,40,12, not {text}")
    return [int(word) for word in words]


def parse_bounds(text: str) -> tuple[float, float]:
    """Return `ELO0,ELO1`; ArgumentTypeError for other texts."""
    try:
        elo0, elo1 = map(float, text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"two numbers, such as 0,5, not {text}") from None
    return elo0, elo1


def sprt_with(options: argparse.Namespace) -> int:
    """Run `siqi match sprt`; return 0, or MISUSED for a test that there is not."""
    from siqi.daemon.match.sequential import Sprt  # late: it imports numpy, which no command line needs

    elo0, elo1 = options.bounds
    test = Sprt(elo0, elo1, options.model, options.alpha, options.beta)
    if fault := test.fault():
        to_stderr(f"siqi match sprt: --bounds: {fault}")
        return MISUSED
    llr = test.llr(options.counts)
    print(f"{test.text(llr)}: {translated(conclusion(test, llr))}")
    if any(options.counts):
        print(translated(f"{strength(options.counts)}\n{LEGEND}"))
    if test.model == NORMALIZED:
        ends, middle = (f"{2 * pairs:,.0f}" for pairs in test.expected_pairs())
        print(translated(f"such a test takes on average {ends} games if H0 or H1 is right, {middle} midway"))
    return 0


def conclusion(test: Sprt, llr: float) -> str:
    """Return in words what the test has decided."""
    verdict = test.verdict(llr)
    return {
        "": "not decided, play on",
        "H0": f"decided against Elo {test.elo1:g}, for {test.elo0:g}",
        "H1": f"decided for Elo {test.elo1:g}, against {test.elo0:g}",
    }[verdict]
