"""Compare evaluations of Xiangqi, networks above all, with the deep search of another engine, without games.

    python scripts/measure/compare_evaluations.py judged.jsonl --games games.jsonl.zst --judge pikafish --jobs 2
    python scripts/measure/compare_evaluations.py judged.jsonl --evaluation terms network NEW.network

With `--games`, positions of games are judged first and added to the file, as many as it lacks of `--positions`: a
random position of a random game, its score the judge's after `--judge-nodes` nodes. Only quiet ones count: without a
check, the judge's move no capture, the score within 1,500 centipawns. A run goes on where the last one stopped.

Prints each evaluation's rank correlation (Spearman) with the judge's scores, and what it has beyond that of the first,
with the half-width of a 95 % interval (bootstrap over the positions). `network`: the shipped one.

Data: games as the scripts read them; books/README.md names sources.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import itertools
import math
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from scripts.lib import script
from scripts.lib.log import RunLog, read_log
from scripts.lib.paper import Table
from scripts.lib.players import EngineSpec, UciEngine
from scripts.lib.records import read_game_records
from scripts.lib.statistics import Z
from scripts.lib.xiangqi_network import evaluate
from scripts.lib.xiangqi_sampling import label_static, sample_of

from siqi.daemon.cluster.jobs import in_order
from siqi.games import registry
from siqi.games.contract import GameRecord
from siqi.games.files import check_owned
from siqi.games.xiangqi import NETWORK_BOOK
from siqi.games.xiangqi.board import XiangqiPosition
from siqi.games.xiangqi.evaluation.network import read_network

FIRST_PLY, LAST_PLY = 10, 120
"""Positions are drawn from these plies of a game, both included."""

MAX_SCORE = 1500

EMPTY_DRAWS = 1000
"""Draws without a position, one after the other, that end the run."""

KIND = "judged"
BOOTSTRAPS = 200


class Judged(msgspec.Struct, omit_defaults=True):
    """A position that was drawn; a line of the file. `fen` is empty if it does not count."""

    number: int
    fen: str = ""
    score: int = 0  # centipawns, the view of the side to move


class Question(NamedTuple):
    """A position to judge."""

    number: int
    fen: str
    judge: str
    nodes: int


@functools.lru_cache(1)
def engine_of(command: str) -> UciEngine:
    """Return a judge, which stays in its process for the next positions."""
    return UciEngine(EngineSpec(command, command, {}), registry.info("xiangqi"), math.inf)


def judge(question: Question) -> Judged:
    """Ask the judge, with an empty memory, for the score of a position."""
    engine = engine_of(question.judge)
    engine.new_game("")
    found = engine.ask(f"fen {question.fen}", (), (), f"go nodes {question.nodes}", math.inf)
    is_quiet = found.word[2:] not in XiangqiPosition(question.fen).pieces()
    score = found.score
    if score is None or score.mate is not None or abs(score.cp) > MAX_SCORE or not is_quiet:
        return Judged(question.number)
    return Judged(question.number, question.fen, score.cp)


def draw_position(games: list[GameRecord], seed: int, number: int) -> XiangqiPosition | None:
    """Return the position of a number, None if it does not count."""
    rng = random.Random(f"{seed} {number}")
    game = rng.choice(games)
    if len(game.moves) <= FIRST_PLY:
        return None
    position = XiangqiPosition(game.fen) if game.fen else XiangqiPosition()
    try:
        for word in game.moves[: rng.randint(FIRST_PLY, min(len(game.moves) - 1, LAST_PLY))]:
            position.push(position.parse_move(word))
    except ValueError:
        return None
    return None if position.is_check() or position.outcome() is not None else position


def add_judged(options: Any) -> None:
    """Judge positions until the file has as many as are wanted."""
    games = list(read_game_records(options.games, lambda line: print(line, file=sys.stderr)))
    about = {
        "games": hashlib.sha256(options.games.read_bytes()).hexdigest()[:16],
        "judge": options.judge,
        "nodes": options.judge_nodes,
        "seed": options.seed,
    }
    count = 0

    def take(line: bytes) -> None:
        nonlocal count
        count += bool(msgspec.json.decode(line, type=Judged).fen)

    log = RunLog(options.file, KIND, about, take)
    first = max(log.numbers, default=-1) + 1

    def questions() -> Iterator[Question]:
        empty = 0
        for number in itertools.count(first):
            position = draw_position(games, options.seed, number) if games else None
            empty = empty + 1 if position is None else 0
            if empty == EMPTY_DRAWS:
                print(f"{options.games}: has no more positions that count", file=sys.stderr)
                return
            if position is not None:
                yield Question(number, position.fen(), options.judge, options.judge_nodes)

    found = in_order(judge, questions(), script.jobs(options))
    with contextlib.closing(log), script.progress(total=options.positions, initial=count) as bar:
        if count >= options.positions:
            return
        with contextlib.closing(found):
            for judged in found:
                log.add([msgspec.json.encode(judged)])
                count += bool(judged.fen)
                bar.update(bool(judged.fen))
                if count >= options.positions:
                    return


def read_judged(path: Path) -> list[Judged]:
    """Return the positions that count. OSError if the file is damaged or of another kind."""
    check_owned(path, script.begins_with(f'{{"{KIND}":'))
    found: list[Judged] = []

    def take(line: bytes) -> None:
        if not line.startswith(f'{{"{KIND}":'.encode()):
            found.append(msgspec.json.decode(line, type=Judged))

    read_log(path, take)
    return [judged for judged in found if judged.fen]


def values_of(evaluation: str, samples: Any) -> Any:
    """Return an evaluation's values of samples, the views of the sides to move."""
    if evaluation == "terms":
        return label_static(samples)
    return evaluate(read_network(NETWORK_BOOK if evaluation == "network" else Path(evaluation)), samples)


def correlation(a: Any, b: Any) -> float:
    """Return Spearman's rank correlation."""
    from scipy.stats import spearmanr  # late: the command's help needs none of it

    return float(spearmanr(a, b).statistic)


def compare(judged: list[Judged], evaluations: list[str]) -> Table:
    """Return a row for each evaluation."""
    samples = np.concatenate([sample_of(XiangqiPosition(each.fen).record, each.score) for each in judged])
    scores = np.array([each.score for each in judged])
    rng = np.random.default_rng(1)
    draws = [rng.integers(0, len(judged), len(judged)) for _ in range(BOOTSTRAPS)]
    rows, base = [], None
    for evaluation in evaluations:
        values = values_of(evaluation, samples)
        found = np.array([correlation(values[draw], scores[draw]) for draw in draws])
        base = found if base is None else base
        beyond = found - base
        gain = f"{beyond.mean():+.4f} +- {Z * beyond.std():.4f}" if beyond.any() else ""
        rows.append((evaluation, f"{correlation(values, scores):.4f} +- {Z * found.std():.4f}", gain))
    return Table("", ("evaluation", "correlation", "beyond the first"), rows)


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("file", type=Path, help="judged positions, JSON lines")
    parser.add_argument("--evaluation", nargs="+", default=["terms", "network"], metavar="NAME", help="or a file")
    parser.add_argument("--games", type=Path, help="games to draw positions from")
    parser.add_argument("--judge", metavar="COMMAND", help="a UCI engine")
    parser.add_argument("--judge-nodes", type=int, default=100_000)
    parser.add_argument("--positions", type=int, default=8000, help="that the file shall have")
    parser.add_argument("--seed", type=int, default=1)
    script.add_jobs(parser)
    options = parser.parse_args()
    if (options.games is None) != (options.judge is None):
        parser.error("--games and --judge belong together")
    if options.positions < 2 or options.jobs < 1 or options.judge_nodes < 1:
        parser.error("--positions must be at least 2, --jobs and --judge-nodes at least 1")
    script.require("scipy")
    for evaluation in options.evaluation:
        if evaluation not in ("terms", "network"):
            read_network(Path(evaluation))  # before hours of judging
    if options.games is not None:
        add_judged(options)
    judged = read_judged(options.file)
    if len(judged) < 2:
        parser.error(f"{options.file} has {len(judged)} positions that count, and 2 are needed")
    print(f"{len(judged)} positions")
    print(compare(judged, options.evaluation).markdown())
    return 0


if __name__ == "__main__":
    sys.exit(main())
