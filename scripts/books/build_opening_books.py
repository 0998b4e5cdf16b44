"""Build an opening book for Xiangqi or Connect6 from games, or from a text of moves and weights.

    python scripts/books/build_opening_books.py games.jsonl.zst games.pgn --out my.book --verify 20000 --jobs 2

The book has the moves played in each position (symmetric ones are one), with their games and results. A move's weight
is learned from these results and from those of its best replies, backed up through the book. So a few lucky games do
not make a bad move popular. `--verify N`: a move that a search of N nodes finds clearly worse than the best gets no
weight. Writes a book to `--out`, or with `--replace-shipped` the game's in books/.

Data: games as JSON lines (`moves`, `result`), PGN or CSV, or a text (.txt) of moves and weights, a line
`h2e2 h9g7, 30`; siqi/books/README.md names those of the shipped books, which are not shipped themselves.
`python scripts/match/self_play.py xiangqi own.jsonl` makes some.
"""

from __future__ import annotations

import contextlib
import functools
import math
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from scripts.common import script
from scripts.common.records import read_game_records, read_weighted_lines

from siqi.daemon.cluster.jobs import Jobs, in_order
from siqi.games.books import opening
from siqi.games.books.book import BOOKS_FOLDER
from siqi.games.contract import Game, Position, Searcher, Task, exhaust
from siqi.games.game_record import GameRecord
from siqi.games.kernel.control import Control

POINTS = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}

PRIOR_GAMES = 20
"""Games added to a move's results, with the expected result of its best replies."""

SHARPNESS = 20.0
"""Weight of a score: of two moves played equally often, one that scores 0.1 more is chosen e^2 times as often."""

SWEEPS = 40

MARGIN_CP = 120
"""Moves worse than the best by more than this are not played. With 60 a search of 20,000 nodes refused Xiangqi's g0e2
at the start, which scored 57 % in 3,064 games."""

GAMES = ("xiangqi", "connect6")


class BookNode:
    """A position of the book; its moves are as siqi/games/books/opening.py keeps them."""

    def __init__(self, line: tuple[int, ...]) -> None:
        self.line = line  # moves from the start that lead to it
        self.games: dict[int, int] = {}  # by move
        self.points: dict[int, float] = {}  # of the mover
        self.after: dict[int, int] = {}  # key of the position after
        self.is_sound: dict[int, bool] = {}
        self.value = 0.5
        self.weights: dict[int, float] = {}


def collect(
    variant: str, records: Iterator[tuple[GameRecord, int]], plies: int, report: Callable[[str], None]
) -> dict[int, BookNode]:
    """Return the positions of the games' first plies, by key; games with another start are left out.

    Each game counts as many times as the number beside it says.
    """
    game = script.load(variant)
    start = game.position().fen()
    nodes: dict[int, BookNode] = {}
    for place, (record, weight) in enumerate(script.progress(records, unit=" games"), 1):
        if record.result not in POINTS or record.fen not in ("", start):
            continue
        position = game.position()
        assert isinstance(position, opening.SymmetricPosition)
        line: tuple[int, ...] = ()
        try:
            for word in record.moves[:plies]:
                move = position.parse_move(word)
                node = nodes.setdefault(opening.opening_key(position)[0], BookNode(line))
                points = POINTS[record.result] if position.turn == 0 else 1 - POINTS[record.result]
                stored = opening.canonical_move(position, move)
                position.push(move)
                line = (*line, move)
                node.games[stored] = node.games.get(stored, 0) + weight
                node.points[stored] = node.points.get(stored, 0.0) + weight * points
                node.after[stored] = opening.opening_key(position)[0]
        except ValueError as error:
            report(f"game {place}: {error}")
    return nodes


def thin_out(nodes: dict[int, BookNode], least: int) -> None:
    """Remove moves of fewer games than `least`, and positions without moves."""
    for key, node in list(nodes.items()):
        node.games = {move: games for move, games in node.games.items() if games >= least}
        if not node.games:
            del nodes[key]


def learn(nodes: dict[int, BookNode]) -> None:
    """Update the values of positions and the weights of moves in turn, SWEEPS times."""
    for _ in range(SWEEPS):
        for node in nodes.values():
            expected = {move: _expected(nodes, node, move) for move in node.games}
            best = max(expected.values())
            shares = {
                move: node.games[move] * math.exp(SHARPNESS * (value - best)) * node.is_sound.get(move, True)
                for move, value in expected.items()
            }
            total = sum(shares.values())
            node.weights = {move: share / total if total else 0.0 for move, share in shares.items()}
            node.value = sum(node.weights[move] * value for move, value in expected.items()) if total else best


def _expected(nodes: dict[int, BookNode], node: BookNode, move: int) -> float:
    """Return the mover's expected result, by the games and by the value of the position after."""
    after = nodes.get(node.after[move])
    promised = 1 - after.value if after is not None else 0.5
    return (node.points[move] + PRIOR_GAMES * promised) / (node.games[move] + PRIOR_GAMES)


def weighted(path: Path, variant: str, report: Callable[[str], None]) -> Iterator[tuple[GameRecord, int]]:
    """Yield a file's games, or the lines of a text, with their weights; `report` gets a line about each bad one."""
    if ".txt" in path.suffixes:
        yield from read_weighted_lines(path, report)
    else:
        yield from ((record, 1) for record in read_game_records(path, report, variant))


class Work(NamedTuple):
    """A position whose moves are to be verified."""

    variant: str
    line: tuple[int, ...]  # moves that lead to it
    moves: list[int]  # as the book keeps them
    limit: int
    margin: int


@functools.cache
def _engine(variant: str) -> tuple[Game[Position], Searcher[Position]]:
    """Return the game and the searcher of this worker process."""
    game = script.load(variant)
    searcher = game.searcher()
    searcher.configure(16, 1, 1)
    return game, searcher


def verify_position(work: Work) -> list[int]:
    """Return the moves of a position that a search finds sound."""
    game, searcher = _engine(work.variant)
    position = game.position()
    assert isinstance(position, opening.SymmetricPosition)
    for move in work.line:
        position.push(move)
    symmetry = opening.opening_key(position)[1][0]

    def score(*moves: int) -> int:
        searcher.clear()
        return exhaust(searcher, Task(position, Control(work.limit), moves)).lines[0].score.cp

    best = score()
    scores = {move: score(position.turned_back(move, symmetry)) for move in work.moves}
    return [move for move, cp in scores.items() if cp >= max(best, *scores.values()) - work.margin]


def verify(variant: str, nodes: dict[int, BookNode], limit: int, margin: int, jobs: Jobs) -> int:
    """Mark the moves that are not sound; return their number."""
    works = [Work(variant, node.line, list(node.games), limit, margin) for node in nodes.values()]
    refused = 0
    with contextlib.closing(in_order(verify_position, works, jobs)) as faults:
        progress = script.progress(faults, total=len(works), unit=" positions")
        for node, sound in zip(nodes.values(), progress, strict=True):
            node.is_sound = {move: move in sound for move in node.games}
            refused += len(node.games) - len(sound)
    return refused


def entries(nodes: dict[int, BookNode]) -> np.ndarray[Any, Any]:
    rows = [
        (key, move, games, round(1000 * node.points[move] / games), round(1000 * node.weights[move]))
        for key, node in nodes.items()
        for move, games in node.games.items()
    ]
    return np.array(rows, opening.ENTRY)


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument(
        "files", type=Path, nargs="+", help="JSON lines, PGN, CSV, or .txt: moves, weight; also .zst, .gz"
    )
    parser.add_argument("--game", choices=GAMES, default=GAMES[0])
    script.add_output(parser, "the opening book")
    parser.add_argument("--plies", type=int, default=40, help="of each game")
    parser.add_argument("--min-games", type=int, default=3, help="moves of fewer games are left out")
    parser.add_argument("--verify", type=int, default=0, metavar="NODES", help="check moves by searches (0: none)")
    parser.add_argument("--margin", type=int, default=MARGIN_CP, help="largest loss of a sound move (centipawns)")
    script.add_jobs(parser)
    parser.add_argument("--source", default="", help="source of the games, for the header")
    options = parser.parse_args()
    shipped = BOOKS_FOLDER / f"{options.game}-openings.book"
    out = script.output_file(options, shipped, script.is_book(opening.opening_book_kind(options.game)))
    skipped: list[str] = []
    records = (pair for path in options.files for pair in weighted(path, options.game, skipped.append))
    nodes = collect(options.game, records, options.plies, skipped.append)
    thin_out(nodes, options.min_games)
    refused = verify(options.game, nodes, options.verify, options.margin, script.jobs(options)) if options.verify else 0
    learn(nodes)
    book = entries(nodes)
    about = {
        "source": options.source or ", ".join(path.name for path in options.files),
        "parameters": {
            "plies": options.plies,
            "min_games": options.min_games,
            "verify": options.verify,
            "margin_cp": options.margin,
        },
    }
    opening.write(out, options.game, about, book)
    for line in skipped:
        print(f"skipped: {line}", file=sys.stderr)
    print(f"{len(nodes)} positions, {len(book)} moves, {refused} of them refused by search", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
