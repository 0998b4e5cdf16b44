"""Time the library and python-chess by turns: whole games replayed, games read from PGN, and the verbs of a board.

    python scripts/measure/time_library.py
    python scripts/measure/time_library.py --games games.jsonl.zst --count 1000

The games are random ones of each library, so that both list and play equally many moves; `--games` has Xiangqi's from a
file of records. All times are the best of some runs, by turns in one process. Needs the extra `chess`.
"""

from __future__ import annotations

import argparse
import io
import itertools
import random
import sys
import time
import timeit
from collections.abc import Callable, Sequence, Sized
from functools import partial
from pathlib import Path
from typing import Any

from scripts.common import script
from scripts.common.records import read_game_records
from scripts.common.table import Table

import siqi
from siqi.games.xiangqi.library.pgn import Game, read_games
from siqi.games.xiangqi.library.san import Notation

PLIES = 80
"""The plies of each random game."""

GAMES = 10_000
"""Number of games for which the tables give a time."""

NOTATIONS: tuple[Notation, ...] = ("wxf", "chinese", "iccs")

Words = Sequence[str]


def random_games(start: Callable[..., Any], count: int) -> list[Words]:
    """Return the UCI texts of random games on boards with python-chess's verbs."""
    draw = random.Random(1)
    games: list[Words] = []
    for _ in range(count):
        board = start()
        words: list[str] = []
        while len(words) < PLIES and (moves := list(board.legal_moves)):
            move = draw.choice(moves)
            words.append(move.uci())
            board.push(move)
        games.append(words)
    return games


def random_words(name: str, count: int) -> list[list[tuple[str, int]]]:
    """Return random games of a game other than Xiangqi, as words with the throws before them."""
    draw = random.Random(1)
    games: list[list[tuple[str, int]]] = []
    setups = {"ewn": ["123456", "123456"], "junqi": _layouts()}.get(name, [])
    for _ in range(count):
        position = siqi.Position(name)
        words: list[tuple[str, int]] = []
        for number in itertools.count():
            if len(words) >= PLIES or (number >= len(setups) and position.is_game_over()):
                break
            dice = draw.randint(1, 6) if name == "ewn" and number >= len(setups) else 0
            if dice:
                position.set_dice(dice)
            word = setups[number] if number < len(setups) else draw.choice(position.legal_moves)
            words.append((word, dice))
            position.push(word)
        games.append(words)
    return games


def _layouts() -> list[str]:
    """Return a set-up of Junqi for each side, as the engine makes them."""
    position = siqi.Position("junqi")
    with siqi.Engine("junqi", {"Seed": 1, "Hash": 1}) as engine:
        for _ in range(2):
            move = engine.play(position, siqi.Limit(nodes=1)).move
            assert move is not None
            position.push(move)
    return position.move_stack


def replay(start: Callable[..., Any], games: Sequence[Words]) -> None:
    for words in games:
        board = start()
        for word in words:
            board.push_uci(word)


def replay_words(name: str, games: Sequence[Sequence[tuple[str, int]]]) -> None:
    for words in games:
        position = siqi.Position(name)
        for word, dice in words:
            if dice:
                position.set_dice(dice)
            position.push(word)


def best(run: Callable[[], object], runs: int) -> float:
    """Return the least time of some calls, in seconds."""
    run()
    return min(timeit.repeat(run, number=1, repeat=runs))


def replays(options: argparse.Namespace) -> Table:
    """Time whole games from lists of moves, ours and python-chess's in turns."""
    import chess

    if options.games:
        records = itertools.islice(read_game_records(options.games, print), options.count)
        ours: list[Words] = [record.moves for record in records if not record.fen]
    else:
        ours = random_games(siqi.Board, options.count)
    theirs = random_games(chess.Board, options.count)
    runs = options.runs
    rows = [
        row("Xiangqi, Board.push_uci", ours, lambda: replay(siqi.Board, ours), runs),
        row("python-chess, Board.push_uci", theirs, lambda: replay(chess.Board, theirs), runs),
    ]
    for notation in NOTATIONS:
        moves = ([siqi.Move.from_uci(word) for word in words] for words in ours)
        text = "\n".join(Game({}, line).text(notation) for line in moves)
        rows.append(row(f"Xiangqi, PGN in {notation}", ours, partial(_read, text), runs))
    for name in siqi.GAMES[1:]:
        games = random_words(name, 1 + options.count // 50)  # Connect6 lists sixty thousand moves at each
        rows.append(row(f"{name}, Position.push", games, partial(replay_words, name, games), runs))
    return Table("", ("", "moves/s", f"{GAMES} games, s"), rows)


def _read(text: str) -> int:
    return len(list(read_games(io.StringIO(text))))


def row(name: str, games: Sequence[Sized], run: Callable[[], object], runs: int) -> tuple[str, str, str]:
    taken = best(run, runs)
    return name, f"{sum(map(len, games)) / taken:,.0f}", f"{GAMES * taken / len(games):.1f}"


def verbs(options: argparse.Namespace) -> Table:
    """Time the verbs of a board in the middle of a random game, in microseconds."""
    import chess

    columns = [times(start, options.runs) for start in (siqi.Board, chess.Board)]
    rows = [(name, *(f"{column[name]:.1f}" for column in columns)) for name in columns[0]]
    return Table("", ("microseconds", "siqi.Board", "chess.Board"), rows)


def times(start: Callable[..., Any], runs: int) -> dict[str, float]:
    (words,) = random_games(start, 1)
    board = start()
    for word in words:
        board.push_uci(word)
    move = next(iter(board.legal_moves))
    fen, san = board.fen(), board.san(move)

    def forth_and_back(verb: Callable[[], object]) -> Callable[[], object]:
        def run() -> None:
            verb()
            board.pop()

        return run

    def list_afresh() -> None:
        board.push(move)
        list(board.legal_moves)
        board.pop()

    calls: dict[str, Callable[[], object]] = {
        "Board()": start,
        "Board(fen)": lambda: start(fen),
        "push, pop": forth_and_back(lambda: board.push(move)),
        "push_uci, pop": forth_and_back(lambda: board.push_uci(move.uci())),
        "push_san, pop": forth_and_back(lambda: board.push_san(san)),
        "push, list(legal_moves), pop": list_afresh,
        "is_legal": lambda: board.is_legal(move),
        "is_check": board.is_check,
        "gives_check": lambda: board.gives_check(move),
        "san": lambda: board.san(move),
        "fen": board.fen,
        "copy": board.copy,
        "root": board.root,
        "outcome": board.outcome,
    }
    return {name: 1e6 * min(timeit.repeat(call, number=200, repeat=runs)) / 200 for name, call in calls.items()}


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("--games", type=Path, help="a file of Xiangqi games")
    parser.add_argument("--count", type=int, default=500, help="games to replay")
    parser.add_argument("--runs", type=int, default=5, help="the best counts")
    options = parser.parse_args()
    started = time.perf_counter()
    print(replays(options).markdown(), verbs(options).markdown(), sep="\n\n")
    print(f"\n{time.perf_counter() - started:.0f} s in all")
    return 0


if __name__ == "__main__":
    sys.exit(main())
