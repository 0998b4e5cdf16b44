"""Take positions like those at which Connect6's search ends, and score them, to train the value network on.

    python scripts/network/sample_connect6_positions.py games.jsonl.zst samples.jsonl.zst --samples 40 --jobs 2

A game is left at random, and one to `--turns` turns follow, drawn by the policy with the roots of its chances: likely
turns stay likely, others come too, as in a search. A position counts if a search asks for its value: no threat stands,
and the mover has no win by double threats. Its score is that of a search of `--depth` plies by the shipped networks, or
by those of `--network`. So a game gives any number of positions, nearly all of them found in no other game.

Each game becomes a line with `moves` and `samples`: for each the plies of the game before it, the turns drawn, and the
score, in the mover's view. Lines are added to the file as they are done. The same command resumes an interrupted run,
even a killed one. A file of other settings is left unchanged.

Data: games of Connect6 as JSON lines (`moves`, `result`) or CSV.
"""

from __future__ import annotations

import functools
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from scripts.common import script
from scripts.common.records import playable, read_game_records
from scripts.common.runs import add_finished, digest
from scripts.network.connect6_samples import FIRST_PLY
from scripts.network.connect6_sampling import Search

from siqi.games.books.book import BookFileError
from siqi.games.connect6.evaluation.network import NETWORK_BOOK, read_network
from siqi.games.connect6.evaluation.patterns import NetworkEvaluation
from siqi.games.game_record import GameRecord, position_after
from siqi.system.log import RunLog

KIND = "positions of Connect6 from which its search asks for a value"


class Settings(msgspec.Struct, frozen=True):
    """The settings on which the samples depend. `network`: a hash of the file."""

    games: str
    samples: int
    turns: int
    depth: int
    seed: int
    network: str


class Work(NamedTuple):
    """A game to sample."""

    settings: Settings
    network: Path
    number: int
    record: GameRecord


@functools.cache
def search_by(network: Path) -> Search:
    """Return this process's search by the networks of a file."""
    game: Any = script.load_once("connect6")
    return Search(NetworkEvaluation(read_network(network)), game.knowledge.settings.width)


def sampled(work: Work) -> bytes:
    """Return the line of a game."""
    record = playable(script.load_once("connect6"), work.record)
    line = {"number": work.number, "moves": record.moves, "samples": list(samples_of(record, work))}
    return msgspec.json.encode(line)


def samples_of(record: GameRecord, work: Work) -> Iterator[tuple[int, str, int]]:
    """Yield the samples of a game: plies of it, turns drawn from there, score."""
    game: Any = script.load_once("connect6")
    search, rng = search_by(work.network), random.Random(f"{work.settings.seed}/{work.number}")
    for _ in range(work.settings.samples):
        ply = rng.randint(min(FIRST_PLY, len(record.moves)), len(record.moves))
        position = position_after(game, record, ply)
        if position.outcome() is not None:
            continue
        turns = search.drawn(position, rng.randint(1, work.settings.turns), rng.getrandbits(62))
        if turns:
            words = []
            for move in turns:
                words.append(position.move_text(move))
                position.push(move)
            yield ply, " ".join(words), search.score(position.record, work.settings.depth)


@script.command
def main(arguments: Sequence[str] | None = None) -> int:
    parser = script.parser(__doc__)
    parser.add_argument("games", type=Path, help="CSV or JSON lines, also .gz or .zst")
    parser.add_argument("file", type=Path, help="positions are added to it: JSON lines, .zst or .jsonl")
    parser.add_argument("--samples", type=int, default=40, help="positions tried of each game (%(default)s)")
    parser.add_argument("--turns", type=int, default=3, help="most turns drawn (%(default)s)")
    parser.add_argument("--depth", type=int, default=2, help="of the search for a score, in plies (%(default)s)")
    parser.add_argument("--network", type=Path, default=NETWORK_BOOK, metavar="FILE", help="default: the shipped one")
    parser.add_argument("--seed", type=int, default=1)
    script.add_jobs(parser)
    options = parser.parse_args(arguments)
    if min(options.samples, options.turns, options.depth, options.jobs) < 1 or options.seed < 0:
        parser.error("--samples, --turns, --depth and --jobs must be at least 1, --seed at least 0")
    script.check_distinct(options.games, options.file)
    try:
        read_network(options.network)
    except BookFileError as error:
        parser.error(str(error))
    drawn = options.samples, options.turns, options.depth, options.seed
    settings = Settings(options.games.name, *drawn, digest(options.network.read_bytes()))
    records = [record for record in read_game_records(options.games, print, "connect6") if not record.fen]
    log = RunLog(options.file, KIND, msgspec.to_builtins(settings))
    tasks = [
        Work(settings, options.network, number, record)
        for number, record in enumerate(records)
        if number not in log.numbers
    ]
    search_by(options.network)  # compile once, before there are several
    add_finished(log, sampled, tasks, script.jobs(options), script.progress(total=len(tasks)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
