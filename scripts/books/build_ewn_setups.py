"""Value EWN's set-ups by games of the engine's quick play against itself.

    python scripts/books/build_ewn_setups.py --jobs 2 --log setups.jsonl --out setups.book

Each set-up of the first side meets every answer. Then the better half of the answers meets it in twice as many games,
and so on, until only a few are left, which further games value. Each move leads to the position that the learned
evaluation prefers; a game ends where a tablebase knows the chances. Finished set-ups are kept in a log (`--log`); the
same command resumes an interrupted build. Writes a book to `--out`, or siqi/books/ewn-setups.book with
`--replace-shipped`.
"""

from __future__ import annotations

import contextlib
import functools
import json
import math
import re
import sys
from pathlib import Path
from typing import NamedTuple

from scripts.common import script

from siqi.daemon.cluster.jobs import in_order
from siqi.games.books.book import BOOKS_FOLDER
from siqi.games.ewn.game import Ewn
from siqi.games.ewn.knowledge.knowledge import Knowledge
from siqi.games.ewn.knowledge.setupbook import ANSWERS, KIND, RatedSetup, write
from siqi.games.ewn.rules.lookup import LOOKUP_RECORD
from siqi.games.ewn.rules.position import POSITION_DTYPE
from siqi.games.ewn.rules.setup import FIRST_SETUPS, SECOND_SETUPS, set_up, setup_pieces
from siqi.games.ewn.search.playout import WIN, play_out
from siqi.games.ewn.search.setup import playout_work
from siqi.games.kernel.jit import Record, new_record
from siqi.system.log import Log

ROUND = 360 * 256
"""Games per round, shared among the answers left."""

LAST_GAMES = 65_536
"""Games that value each of the last answers: a standard error of 0.2 %."""


def first_share(work: Record, setup: str, answer: str, games: int) -> float:
    """Return the first side's share of the points in this many games."""
    root, board = new_record(POSITION_DTYPE), new_record(POSITION_DTYPE)
    set_up(root, setup_pieces(0, setup) + setup_pieces(1, answer), 0, 0)
    return int(play_out(root, board, work, LOOKUP_RECORD, games)) / (WIN * games)


class Amounts(NamedTuple):
    """Games per round, shared among the answers left, and games that value each of the last answers."""

    round: int
    last: int


def value(setup: str, work: Record, amounts: Amounts) -> RatedSetup:
    """Value a set-up against all answers, and against the best."""
    field = list(SECOND_SETUPS)
    shares: dict[str, float] = {}
    against_all = math.nan
    while len(field) > ANSWERS:
        games = amounts.round // len(field)
        shares = {answer: first_share(work, setup, answer, games) for answer in field}
        if len(field) == len(SECOND_SETUPS):
            against_all = sum(shares.values()) / len(shares)
        field = sorted(field, key=shares.__getitem__)[: max(len(field) // 2, ANSWERS)]
    last = {answer: first_share(work, setup, answer, amounts.last) for answer in field}
    answers = {answer: last[answer] for answer in sorted(last, key=last.__getitem__)}
    return RatedSetup(setup, against_all, min(answers.values()), answers)


@functools.cache
def knowledge() -> Knowledge:
    return Ewn(sys.exit).knowledge


def value_number(seed: int, amounts: Amounts, number: int) -> RatedSetup:
    """Value the set-up of a number; its games depend on nothing else."""
    return value(FIRST_SETUPS[number], playout_work(knowledge(), seed, number), amounts)


def is_log(head: bytes) -> bool:
    """True if a file begins with a line of the log: a seed and a set-up's entry."""
    return re.match(rb'\[-?\d+, \["[1-6]{6}", ', head) is not None


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    script.add_jobs(parser)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log", type=Path, default=Path("ewn-setups.jsonl"))
    script.add_output(parser, "the book of set-ups")
    options = parser.parse_args()
    out = script.output_file(options, BOOKS_FOLDER / "ewn-setups.book", script.is_book(KIND))
    done: dict[str, RatedSetup] = {}

    def read(line: bytes) -> None:
        seed, entry = json.loads(line)
        if seed == options.seed:
            done[entry[0]] = RatedSetup(*entry)

    log = Log(options.log, is_log, read)
    missing = [index for index, setup in enumerate(FIRST_SETUPS) if setup not in done]
    amounts = Amounts(ROUND, LAST_GAMES)
    valued = in_order(functools.partial(value_number, options.seed, amounts), missing, script.jobs(options))
    with log, contextlib.closing(valued):
        bar = script.progress(valued, total=len(FIRST_SETUPS), initial=len(done), unit=" set-ups")
        for entry in bar:
            done[entry.setup] = entry
            log.add([json.dumps([options.seed, entry]).encode()])
    about = {"source": "self-play", "seed": options.seed, "games": LAST_GAMES}
    write(out, about, list(done.values()))
    for entry in sorted(done.values(), key=lambda entry: -entry.against_best)[:10]:
        answer = next(iter(entry.answers))
        print(f"{entry.setup} {entry.against_all:.4f} {entry.against_best:.4f} {answer}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
