"""Paper 5's base of known positions: horse and king against king, asked from positions with an advisor more.

A search that takes the advisor meets a position of the base, and needs to look no further. The tablebases say which
positions are won; neither search has them.
"""

from __future__ import annotations

import functools
import itertools
import random
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scripts.common import script
from scripts.common.table import Table
from scripts.match.agents import EngineAgent
from scripts.papers.paper import Bench, Result

from siqi.daemon.clients.player import PlayerLimits
from siqi.games.registry import load
from siqi.system.files import replace_file

BASE, ROOT = "KNk", "KNka"
"""The pieces of the base and of the positions that are searched, as FEN letters."""

FILES, RANKS = "abcdefghi", range(10)
PLACES = {
    "K": [file + str(rank) for file in "def" for rank in (0, 1, 2)],
    "k": [file + str(rank) for file in "def" for rank in (7, 8, 9)],
    "a": ["d9", "f9", "e8", "d7", "f7"],
    "N": [file + str(rank) for file in FILES for rank in RANKS],
}
"""The squares of each piece."""

MIN_WIN = 10_000
"""Scores (centipawns) from here on are wins; an evaluation stays below."""


def mirrored(square: str) -> str:
    return FILES[8 - FILES.index(square[0])] + square[1]


def result_of(game: Any, squares: tuple[str, ...], pieces: str, turn: int) -> tuple[str, str] | None:
    """Return a position's FEN and its result for the side to move, `win`, `draw` or `loss`; None if it is not legal."""
    if len(set(squares)) < len(squares):
        return None
    try:
        position = game.position(game.fen_of(dict(zip(squares, pieces, strict=True)), turn))
    except ValueError:
        return None
    if position.outcome() is not None:
        return None
    (result,) = (line.ending.result for line in game.consult(position) if line.ending is not None)
    return " ".join(position.fen().split()[:2]), str(result)


def base_lines() -> Iterator[str]:
    """Yield the lines of a file of all positions of the base; of two mirror images one."""
    game = load("xiangqi")
    for squares in itertools.product(*(PLACES[piece] for piece in BASE)):
        if squares <= tuple(map(mirrored, squares)):
            for turn in range(2):
                if (result := result_of(game, squares, BASE, turn)) is not None:
                    yield f"{result[0]}, {result[1]}"


def draw_roots(count: int, seed: int = 1) -> list[tuple[str, str]]:
    """Return random positions with the horse's side to move, and their results; the same for a seed."""
    game, rng = load("xiangqi"), random.Random(seed)
    roots: dict[str, str] = {}
    while len(roots) < count:
        drawn = result_of(game, tuple(rng.choice(PLACES[piece]) for piece in ROOT), ROOT, 0)
        if drawn is not None:
            roots[drawn[0]] = drawn[1]
    return list(roots.items())


@functools.cache
def paper_agent(path: str) -> EngineAgent:
    """Return paper 5's player with a file of known positions, "" for none."""
    return EngineAgent(load("xiangqi"), {"Algorithm": "paper5", "PositionFile": path, "Hash": "1"})


def ask(path: Path, key: str) -> dict[str, Any]:
    """Return whether paper 5's player sees a win, and its nodes; the key is `FEN|depth|base`, the last empty if not."""
    fen, depth, base = key.split("|")
    agent = paper_agent(str(path) if base else "")
    agent.new_game(1)
    report = agent.search(agent.game.position(fen), PlayerLimits(depth=int(depth)))
    score = report.lines[0].score
    return {"win": score.mate > 0 if score.mate is not None else score.cp >= MIN_WIN, "nodes": report.nodes}


def write_base(path: Path, most: int | None) -> int:
    """Write the base's file, with at most this number of positions, unless it is there; return their number."""
    if not path.exists():
        lines = itertools.islice(script.progress(base_lines()), most)
        replace_file(path, ["".join(f"{line}\n" for line in lines).encode("ascii")], lambda head: False)
    return len(path.read_text(encoding="ascii").splitlines())


def run_known(bench: Bench) -> Result:
    """Search positions by the paper's player with and without a base, to fixed depths."""
    path = bench.log.with_suffix(".txt")
    size, roots = write_base(path, 500 if bench.quick else None), draw_roots(bench.size(4, 200))
    depths, bases = range(2, bench.size(2, 6) + 1, 2), ("", BASE)
    keys = {(fen, depth, base): f"{fen}|{depth}|{base}" for fen, _ in roots for depth in depths for base in bases}
    measured = bench.measure(keys.values(), functools.partial(ask, path))
    won = [fen for fen, result in roots if result == "win"]
    rows = []
    for depth, base in itertools.product(depths, bases):
        seen = [fen for fen, _ in roots if measured[keys[fen, depth, base]]["win"]]
        nodes = statistics.fmean(measured[keys[fen, depth, base]]["nodes"] for fen, _ in roots)
        right = len(set(seen) & set(won))
        rows.append([str(depth), "known" if base else "none", str(right), str(len(seen) - right), f"{nodes:,.0f}"])
    return Result(
        f"{len(roots)} random positions of king and horse against king and advisor, the horse's side to move, of them "
        f"{len(won)} won by the tablebase, searched by `Algorithm paper5`. The base, a `PositionFile`, has {size:,} "
        "positions of king and horse against king, of two mirror images one, with the tablebase's results. A win is "
        "seen if the score is a mate or a known win.",
        [Table("", ("depth", "base", "wins seen", "wins seen that are none", "nodes"), rows)],
    )
