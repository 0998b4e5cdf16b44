"""Take labelled Xiangqi positions from games of the engine against itself, to train a network on.

    python scripts/network/sample_positions.py leaves.samples --positions 30000000 --openings games.jsonl.zst --jobs 2
    python scripts/network/sample_positions.py roots.samples --labels roots --nodes 5000 --positions 2000000 --jobs 2
    python scripts/network/sample_positions.py static.samples --evaluation terms --label-nodes 0 --every 4 --jobs 2

The searches evaluate by the shipped network, by `--network`, or by the terms. Each game begins with moves of the
opening book or of a game of `--openings`, then a few random ones. They are drawn until a search finds neither side more
than `--level` ahead. A game ends by the rules, by the tablebase, or as a draw after `--max-plies`. It also ends once
both sides' scores have agreed for six plies that one side is `--decided` ahead.

`--labels leaves` takes one in `--every` positions that the game's searches evaluate. Its score is that of its own
search of `--label-nodes`, or with 0 nodes the static evaluation. `--labels roots` takes the game's positions, with the
scores of their own searches. A sample is not in check, its score is below 2500 centipawns either way, and its best move
is no capture (static evaluations have no best move). It has the result of its game. One core makes some 4,500 leaves,
190,000 static ones (the third example) or 250 roots (the second) per second; a sample takes 5 to 7 bytes.

Games are added to the file in the order of their numbers (scripts/network/samples.py has the format), until it has
`--positions`. The same options make the same file content with any `--jobs`. The same command resumes an interrupted
run, even a killed one; with more `--positions` it adds to the file. A file of other settings is left unchanged.

Data: games as JSON lines (`moves`), PGN or CSV; siqi/books/README.md names those of the shipped books, which are not
shipped themselves.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import itertools
import random
import sys
import time
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from scripts.common import script
from scripts.common.records import read_game_records
from scripts.common.runs import digest
from scripts.network.samples import SAMPLE_DTYPE, SampleFile, Samples
from scripts.network.sampling import MAX_SCORE, Search, sample_of

from siqi.daemon.clients.player import Choice, Player, Turn
from siqi.daemon.cluster.jobs import Jobs, in_order
from siqi.daemon.match.game_loop import Adjudication, Agreement, Clock, Opening, Referee, play_moves
from siqi.daemon.match.matches import tablebase_judge
from siqi.games.books.book import BOOKS_FOLDER, BookFileError
from siqi.games.contract import FIRST, Score
from siqi.games.xiangqi.board import XiangqiPosition
from siqi.games.xiangqi.evaluation.accumulator import NetworkEvaluation
from siqi.games.xiangqi.evaluation.choice import choose
from siqi.games.xiangqi.evaluation.network import NETWORK_BOOK, read_network
from siqi.games.xiangqi.rules.notation import START_FEN
from siqi.system.pipes import to_stderr

LABELS = ("leaves", "roots")

AGREED_PLIES = 6
"""Plies after the first score that names the winner."""

DRAWS_OF_OPENINGS = 50
"""Most openings that are drawn for a game; if none is level, it has no positions."""

EMPTY_GAMES = 200
"""Number of consecutive games without a position that ends the run."""

BATCH_S, BATCH = 5.0, 1 << 17
"""Games that finish within BATCH_S seconds are written together; earlier, if they have BATCH positions."""


class SampleSettings(msgspec.Struct, frozen=True):
    """The settings on which the samples depend. `openings`: a hash of the games of `--openings`, or of the book."""

    labels: str
    nodes: int
    every: int
    label_nodes: int
    openings: str
    opening_plies: int
    random_plies: int
    level: int
    decided: int
    max_plies: int
    seed: int
    evaluation: str = "terms"  # or a hash of the network


class GameTask(NamedTuple):
    """A game to play. `opening` None: from the opening book; `network` None: the terms evaluate."""

    settings: SampleSettings
    number: int
    opening: Opening | None
    network: Path | None = None


# ---------------------------------------------------------------- one game


class Workplace:
    """A process's game with its opening book, its searches of games and of leaves, and its tablebases."""

    def __init__(self, network: Path | None) -> None:
        self.game = script.load("xiangqi")
        self.game.set_option("OwnBook", "true")
        evaluation = choose("terms") if network is None else NetworkEvaluation(read_network(network))
        self.playing, self.labelling = Search(evaluation), Search(evaluation)
        self.judge = tablebase_judge(self.game)
        for search in (self.playing, self.labelling):  # compiles the kernels
            search.clear()
            search.label(sample_of(XiangqiPosition().record, 0), 1)
            search.score(XiangqiPosition().record, 1)

    def clear(self) -> None:
        """Forget earlier games, so that the next depends on its number alone."""
        self.playing.clear()
        self.labelling.clear()


workplace = functools.cache(Workplace)


class SamplingPlayer(Player):
    """Both sides of a game; collects its samples, still without results."""

    def __init__(self, search: Search, settings: SampleSettings) -> None:
        self._search, self._settings = search, settings
        self.samples: list[Samples] = []

    def choose(self, turn: Turn) -> Choice:
        position, settings = turn.position, self._settings
        assert isinstance(position, XiangqiPosition)
        pos = position.record
        if settings.labels == "leaves":
            score, leaves = self._search.score_and_leaves(pos, settings.nodes)
            self.samples.append(leaves)
        else:
            score = self._search.score(pos, settings.nodes)
            is_quiet = pos.board[self._search.best_move >> 7] == 0
            if is_quiet and abs(score) < MAX_SCORE and not position.is_check():
                self.samples.append(sample_of(pos, score))
        return Choice(position.move_text(self._search.best_move), 0.0, Score(score))


def level_opening(task: GameTask, rng: random.Random) -> Opening | None:
    """Return the start of a game, None if no level one was found."""
    settings, place = task.settings, workplace(task.network)
    for _ in range(DRAWS_OF_OPENINGS):
        fen = task.opening.fen if task.opening is not None else None
        position, words = XiangqiPosition(fen or START_FEN), list[str]()
        for ply in range(rng.randint(0, settings.opening_plies)):
            move = opening_move(task, ply, position, rng)
            if move is None or position.outcome() is not None:
                break
            words.append(position.move_text(move))
            position.push(move)
        for _ in range(rng.randint(1, settings.random_plies) if settings.random_plies else 0):
            if position.outcome() is None:
                move = rng.choice(position.legal_moves())
                words.append(position.move_text(move))
                position.push(move)
        if position.outcome() is None and abs(place.playing.score(position.record, settings.nodes)) <= settings.level:
            return Opening("", fen, words)
    return None


def opening_move(task: GameTask, ply: int, position: XiangqiPosition, rng: random.Random) -> int | None:
    """Return the next move of a task's opening, or of the book; None at its end."""
    if task.opening is None:
        suggestion = workplace(task.network).game.suggest(position, rng)
        return None if suggestion is None else suggestion.move
    with contextlib.suppress(IndexError, ValueError):  # the game ends here, or has an illegal move
        return position.parse_move(task.opening.moves[ply])
    return None


def play(task: GameTask) -> Samples:
    """Play the game of a number; return its samples."""
    place, settings, number = workplace(task.network), task.settings, task.number
    rng = random.Random(f"{settings.seed}/{number}")
    place.clear()
    opening = level_opening(task, rng)
    if opening is None:
        return np.empty(0, SAMPLE_DTYPE)
    place.playing.clear()
    if settings.labels == "leaves":
        place.playing.take_leaves(settings.every, rng.getrandbits(62))
    player, referee = SamplingPlayer(place.playing, settings), Referee(place.game, opening)
    rules = Adjudication(settings.max_plies, Agreement(settings.decided, AGREED_PLIES), place.judge)
    ending = play_moves(referee, [player] * 2, [Clock()] * 2, [""] * 2, rules)
    samples = np.concatenate([np.empty(0, SAMPLE_DTYPE), *player.samples])
    if settings.label_nodes:
        samples = place.labelling.label(samples, settings.label_nodes)
    samples["result"] = 0 if ending.winner is None else (1 if ending.winner == FIRST else -1)
    return samples


def _work(task: GameTask) -> bytes:
    return play(task).tobytes()


# ---------------------------------------------------------------- the run


def read_openings(path: Path, plies: int) -> list[Opening]:
    """Return the first `plies` moves of a file's games, without repetitions; OSError if there are none.

    Games whose position or first move is illegal are left out, with one line that counts them.
    """
    openings: dict[tuple[str | None, tuple[str, ...]], None] = {}
    refused = 0
    for game in read_game_records(path, to_stderr):
        fen, moves = game.fen or None, tuple(game.moves[:plies])
        if can_begin(fen, moves[:1]):
            openings[fen, moves] = None
        else:
            refused += 1
    if refused:
        to_stderr(f"{path}: {refused} games left out: their position or first move is illegal")
    if not openings:
        raise OSError(errno.EINVAL, "has no games of Xiangqi", str(path))
    return [Opening("", fen, moves) for fen, moves in openings]


@functools.cache
def can_begin(fen: str | None, words: tuple[str, ...]) -> bool:
    """True if a position is legal, and so is the first move from it, if there is one."""
    try:
        position = XiangqiPosition(fen or START_FEN)
        return all(position.parse_move(word) for word in words)
    except ValueError:
        return False


def tasks(
    settings: SampleSettings, openings: Sequence[Opening], first: int, network: Path | None = None
) -> Iterator[GameTask]:
    """Yield the games from a number on, without end."""
    for number in itertools.count(first):
        rng = random.Random(f"{settings.seed}/opening/{number}")
        yield GameTask(settings, number, openings[rng.randrange(len(openings))] if openings else None, network)


def played(games: Iterator[GameTask], jobs: Jobs) -> Generator[Samples]:
    """Play games in several processes; yield the samples of each, in their order."""
    with contextlib.closing(in_order(_work, games, jobs)) as results:
        for samples in results:
            yield np.frombuffer(samples, SAMPLE_DTYPE)


def fill(file: SampleFile, path: Path, games: Iterator[Samples], positions: int) -> None:
    """Write games to a file until it has enough positions; after an error, too, finished games are written.

    OSError after EMPTY_GAMES without a position.
    """
    batch: list[Samples] = []
    written, empty = time.monotonic(), 0
    progress = script.progress(total=positions, initial=file.count, unit=" positions")

    def write() -> None:
        nonlocal batch, written
        done, batch, written = batch, [], time.monotonic()  # cleared first: a failed write is not repeated
        if done:
            file.append(np.concatenate(done), len(done))

    with progress:
        try:
            while file.count + sum(map(len, batch)) < positions:
                samples = next(games)
                batch.append(samples)
                progress.update(len(samples))
                empty = 0 if len(samples) else empty + 1
                if empty == EMPTY_GAMES:
                    why = f"{empty} games in a row gave no position: is --level or --max-plies too small?"
                    raise OSError(errno.EINVAL, why, str(path))
                if time.monotonic() - written >= BATCH_S or sum(map(len, batch)) >= BATCH:
                    write()
        finally:
            write()


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("file", type=Path, help="positions are added to it")
    parser.add_argument("--positions", type=int, default=1_000_000, help="total number, those in the file included")
    parser.add_argument("--labels", choices=LABELS, default="leaves")
    parser.add_argument("--nodes", type=int, default=1000, help="per move of the game's searches")
    parser.add_argument("--every", type=int, help="leaves: take one position in EVERY (50)")
    parser.add_argument("--evaluation", choices=("network", "terms"), default="network")
    parser.add_argument("--network", type=Path, default=NETWORK_BOOK, metavar="FILE", help="default: the shipped one")
    parser.add_argument("--label-nodes", type=int, help="leaves: nodes of the search for a score (200); 0: none")
    parser.add_argument("--openings", type=Path, metavar="FILE", help="games to begin with; default: the opening book")
    parser.add_argument("--opening-plies", type=int, default=16, help="most plies of the book or of a game")
    parser.add_argument("--random-plies", type=int, default=4, help="most random plies after them")
    parser.add_argument("--level", type=int, default=200, help="largest score of a start, in centipawns")
    parser.add_argument("--decided", type=int, default=1200, help="centipawns that decide a game")
    parser.add_argument("--max-plies", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    script.add_jobs(parser)
    options = parser.parse_args()
    is_leaves = options.labels == "leaves"
    if not is_leaves and (options.every is not None or options.label_nodes is not None):
        parser.error("--every and --label-nodes are for leaves")
    every = (50 if options.every is None else options.every) if is_leaves else 0
    label_nodes = (200 if options.label_nodes is None else options.label_nodes) if is_leaves else 0
    amounts = [options.positions, options.nodes, options.level, options.decided, options.max_plies, options.jobs]
    if min(amounts) < 1 or (is_leaves and every < 1):
        parser.error("--positions, --nodes, --every, --level, --decided, --max-plies and --jobs must be at least 1")
    if min(label_nodes, options.opening_plies, options.random_plies) < 0:
        parser.error("--label-nodes, --opening-plies and --random-plies must be at least 0")
    if not options.file.parent.is_dir():
        parser.error(f"{options.file.parent} is no folder")
    if script.is_shipped(options.file):
        parser.error(f"{options.file} belongs to what is shipped")
    network = options.network if options.evaluation == "network" else None
    if network is not None:
        try:
            read_network(network)
        except BookFileError as error:
            parser.error(str(error))
    openings = [] if options.openings is None else read_openings(options.openings, options.opening_plies)
    source = repr(openings).encode() if openings else (BOOKS_FOLDER / "xiangqi-openings.book").read_bytes()
    settings = SampleSettings(
        options.labels,
        options.nodes,
        every,
        label_nodes,
        digest(source),
        options.opening_plies,
        options.random_plies,
        options.level,
        options.decided,
        options.max_plies,
        options.seed,
        "terms" if network is None else digest(network.read_bytes()),
    )
    with SampleFile(options.file, msgspec.to_builtins(settings)) as file:
        if file.count < options.positions:
            workplace(network)  # compile once, before there are several processes
            games = played(tasks(settings, openings, file.games, network), script.jobs(options))
            with contextlib.closing(games):
                fill(file, options.file, games, options.positions)
    return 0


if __name__ == "__main__":
    sys.exit(main())
