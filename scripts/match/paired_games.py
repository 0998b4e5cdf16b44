"""Games between players of a paper's experiment: played in pairs, kept in a log, reported and plotted as scores."""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
import random
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from scripts.common import script
from scripts.common.log import Log, read_log
from scripts.common.statistics import Estimate, estimate
from scripts.common.table import Table
from scripts.match.game_loop import Adjudication, Clock, GameEnd, Opening, Referee, play_moves
from scripts.match.players import Choice, Player, Turn

from siqi.daemon.cluster.jobs import Jobs, completed
from siqi.games.contract import Game, Position, Report, Task
from siqi.games.kernel.control import Control

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PaperGame = dict[str, Any]
"""A line of the log: players `a` and `b`, `limit` of a move, `pair`, `first` (0: A), `winner` (None: a draw), ..."""


class Limit(NamedTuple):
    """The limit of a move: a time, a number of nodes or playouts, or a depth; or of a side's whole game.

    0: none; one is given. `depth` is for `EngineMind` alone; `game_ms` for players that are asked by game_loop's
    clocks: a `Mind` knows no such clock.
    """

    ms: float = 0.0
    nodes: int = 0
    depth: int = 0  # plies
    game_ms: int = 0

    @property
    def text(self) -> str:
        if self.game_ms:
            return f"{self.game_ms} ms a game"
        if self.depth:
            return f"depth {self.depth}"
        return f"{self.nodes} nodes" if self.nodes else f"{self.ms:g} ms"

    def control(self) -> Control:
        """Return a control block with the limit; the time runs from here."""
        control = Control(self.nodes)
        if self.ms:
            control.set_deadline(time.monotonic_ns() + int(self.ms * 1e6))
        return control


class Pairing(NamedTuple):
    a: str
    b: str


class Job(NamedTuple):
    """Two games that begin alike, sides swapped."""

    pairing: Pairing
    pair: int
    limit: Limit


class Mind(Protocol):
    """A player of an experiment, in this process."""

    def new_game(self, seed: int) -> None: ...

    def choose(self, position: Any, limit: Limit) -> int:
        """Return a move in a position, which is a view where pieces are hidden."""


class RandomMind:
    """A player of random legal moves."""

    def __init__(self) -> None:
        self._random = random.Random(0)

    def new_game(self, seed: int) -> None:
        self._random.seed(seed)

    def choose(self, position: Position, limit: Limit) -> int:
        return self._random.choice(position.legal_moves())


class EngineMind:
    """A searcher of the engine, with options of its game, `Threads` and `Hash`."""

    def __init__(self, game: Any, options: dict[str, str], searcher: Any = None) -> None:
        """`searcher`: a searcher in place of the one that the options name."""
        self._threads, self._hash_mb = int(options.pop("Threads", 1)), int(options.pop("Hash", 64))
        self.game = game
        for name, value in options.items():
            game.set_option(name, value)
        self.searcher = searcher or game.searcher()

    def new_game(self, seed: int) -> None:
        self.searcher.configure(self._hash_mb, self._threads, seed)
        self.searcher.clear()

    def choose(self, position: Any, limit: Limit) -> int:
        return self.search(position, limit).lines[0].pv[0]

    def search(self, position: Any, limit: Limit, moves: tuple[int, ...] = ()) -> Report:
        """Search some moves, or all; return the last report."""
        control = limit.control()
        self.searcher.start(Task(position, control, moves))
        report: Report = self.searcher.iterate()
        while report.complete and not report.finished and not control.stopped and report.depth != limit.depth:
            report = self.searcher.iterate()
        self.searcher.finish()
        return report


class Seat(Player):
    """The seat of a mind: keeps its view of the game, and calls its `observe` with each move, if it has one."""

    def __init__(self, mind: Mind, game: Game[Position], limit: Limit) -> None:
        self._mind, self._game, self._limit = mind, game, limit
        self._view = game.position()
        self._known = 0

    def new_game(self, seed: str) -> None:
        self._mind.new_game(int(seed))

    def choose(self, turn: Turn) -> Choice:
        position: Any = turn.position
        throws = [0, 0, *turn.throws]  # none for the set-ups
        for ply in range(self._known, len(turn.words)):
            if self._game.info.has_hidden:
                self._view.push(self._view.parse_move(turn.words[ply]))
            elif observe := getattr(self._mind, "observe", None):
                observe(throws[ply], turn.words[ply])
        self._known = len(turn.words)
        started = time.perf_counter()
        move = self._mind.choose(self._view if self._game.info.has_hidden else position, self._limit)
        spent_ms = 1000 * (time.perf_counter() - started)
        return Choice(position.move_text(move & MOVE_BITS if self._game.info.has_hidden else move), spent_ms)


MOVE_BITS = 0xFFF
"""Mask of a move without the result that Junqi's moves may have."""


class Played(NamedTuple):
    """A game that is over."""

    record: PaperGame
    referee: Referee


def play_game(
    game: Game[Position],
    job: Job,
    first: int,
    minds: Sequence[Mind],
    setups: Sequence[str],
    dice: Iterable[int] = (),
    max_plies: int = 0,
) -> Played:
    """Play one game; `first` is the player on the first side, 0 for A. Minds and set-ups are by side."""
    referee, clocks = Referee(game, Opening(moves=setups), dice), [Clock(), Clock()]
    seeds = [str(2 * job.pair + side + 1) for side in range(2)]
    seats = [Seat(mind, game, job.limit) for mind in minds]
    ending = play_moves(referee, seats, clocks, seeds, Adjudication(max_plies))
    if ending.cause not in ("rules", "adjudicated"):
        raise AssertionError(f"{job}: {ending}")
    return Played(game_record(job, first, ending, clocks, len(referee.words) - len(setups)), referee)


def game_record(job: Job, first: int, ending: GameEnd, clocks: Sequence[Clock], plies: int) -> PaperGame:
    """Return a game's line of the log; clocks are by side. `end`: the rules' reason, `plies`, or the fault's cause."""
    players = [clocks[side ^ first] for side in range(2)]
    ends = {"rules": ending.reason, "adjudicated": "plies"}
    return {
        "a": job.pairing.a,
        "b": job.pairing.b,
        "limit": job.limit.text,
        "pair": job.pair,
        "first": first,
        "winner": None if ending.winner is None else ending.winner ^ first,
        "end": ends.get(ending.cause, ending.cause),
        "plies": plies,
        "spent": [round(clock.used_ms) for clock in players],
        "longest": [round(clock.longest_ms) for clock in players],
    }


def is_log(head: bytes) -> bool:
    """True if a file begins with a game as `run_games` writes it."""
    return re.match(rb'\{"a": "[^"]*", "b": "[^"]*", "limit": ', head) is not None


class Pairs:
    """The games of a log. A kill may have left half a pair, which was then replayed."""

    def __init__(self) -> None:
        self._pairs: dict[tuple[Any, ...], dict[int, PaperGame]] = defaultdict(dict)

    def read(self, line: bytes) -> None:
        record = json.loads(line)
        self._pairs[_key(record)][record["first"]] = record

    def whole(self) -> list[PaperGame]:
        """Return the games of the complete pairs."""
        return [record for pair in self._pairs.values() if len(pair) == len((0, 1)) for record in pair.values()]


def read_games(path: Path) -> list[PaperGame]:
    """Return all games of a log, in its order. OSError if it is damaged or of another kind."""
    records: list[PaperGame] = []

    def read(line: bytes) -> None:
        records.append(json.loads(line))
        _key(records[-1])

    read_log(path, read)
    return records


def whole_pairs(path: Path) -> list[PaperGame]:
    """Return the games of the complete pairs of a log."""
    pairs = Pairs()
    read_log(path, pairs.read)
    return pairs.whole()


def run_games(
    play: Callable[[Job, int], PaperGame],
    pairings: Iterable[tuple[str, str]],
    path: Path,
    games: int,
    limit: Limit,
    jobs: Jobs,
) -> list[PaperGame]:
    """Play the pairs that a log lacks of `games` games of each pairing; return the games of these pairs, old and new.

    `play` plays a job's game with A (0) or B (1) on the first side; it is a function of a module. One job plays in this
    process.
    """
    pairs = Pairs()
    log = Log(path, is_log, pairs.read)
    wanted = {
        (*pairing, limit.text, pair): Job(Pairing(*pairing), pair, limit)
        for pairing in pairings
        for pair in range(games // 2)
    }
    records = [record for record in pairs.whole() if _key(record) in wanted]
    done = set(map(_key, records))
    missing = [job for key, job in wanted.items() if key not in done]
    each_pair = functools.partial(play_pair, play)
    finished = ([each_pair(job)] for job in missing) if jobs == 1 else completed(each_pair, missing, jobs)
    with log, contextlib.closing(finished):
        each = itertools.chain.from_iterable(finished)
        for played in (bar := script.progress(each, total=len(missing), unit=" pairs", mininterval=5)):
            log.add([json.dumps(record).encode() for record in played])
            records += played
            bar.set_postfix_str(f"{played[0]['a']} - {played[0]['b']}", refresh=False)
    return records


def _key(record: PaperGame) -> tuple[Any, ...]:
    """Return what tells a pair of games from others."""
    return record["a"], record["b"], record["limit"], record["pair"]


class PairingScore(NamedTuple):
    """A's results in a pairing."""

    won: int
    drawn: int
    lost: int
    score: Estimate

    @property
    def text(self) -> str:
        """The games and the score, as a table's cell has them."""
        return f"{self.won}-{self.drawn}-{self.lost}: {percent(self.score)}"


def percent(score: Estimate) -> str:
    return f"{score.score:.1%} +- {score.bar:.1%}"


def pairing_scores(records: Iterable[PaperGame]) -> dict[Pairing, PairingScore]:
    """Return A's results in each pairing, in the order of the records."""
    found: dict[Pairing, list[PaperGame]] = {}
    for record in records:
        found.setdefault(Pairing(record["a"], record["b"]), []).append(record)
    return {pairing: _score(games) for pairing, games in found.items()}


def points_of(game: PaperGame) -> float:
    """Return A's points."""
    return 0.5 if game["winner"] is None else 1.0 - game["winner"]


def _score(games: Sequence[PaperGame]) -> PairingScore:
    points: dict[Any, float] = defaultdict(float)
    for game in games:
        points[_key(game)] += points_of(game)
    pairs = [0] * 5
    for won in points.values():
        pairs[round(2 * won)] += 1
    won, drawn, lost = (sum(game["winner"] == winner for game in games) for winner in (0, None, 1))
    return PairingScore(won, drawn, lost, estimate(pairs))


def together(records: Iterable[PaperGame], name: str) -> list[PaperGame]:
    """Return games with all players B renamed, so that `pairing_scores` takes them as one; the pairs stay apart."""
    return [record | {"b": name, "pair": f"{record['b']} {record['pair']}"} for record in records]


def play_pair(play: Callable[[Job, int], PaperGame], job: Job) -> list[PaperGame]:
    return [play(job, first) for first in (0, 1)]


def score_table(records: Iterable[PaperGame], heading: str = "") -> Table:
    """Return the results, a row for each pairing."""
    rows = [
        (pairing.a, pairing.b, str(found.won), str(found.drawn), str(found.lost), percent(found.score))
        for pairing, found in pairing_scores(records).items()
    ]
    return Table(heading, ("A", "B", "won", "drawn", "lost", "A's score"), rows)


def draw_scores(figure: Figure, records: Iterable[PaperGame]) -> None:
    """Draw bars of each A's scores against each B."""
    found = pairing_scores(records)
    heroes = list(dict.fromkeys(pairing.a for pairing in found))
    others = list(dict.fromkeys(pairing.b for pairing in found))
    width = 0.8 / len(heroes)
    axes = figure.subplots()
    for i, hero in enumerate(heroes):
        chosen = {pairing.b: result.score for pairing, result in found.items() if pairing.a == hero}
        at = [others.index(name) + width * (i - (len(heroes) - 1) / 2) for name in chosen]
        heights, bars = percents(list(chosen.values()))
        axes.bar(at, heights, 0.9 * width, yerr=bars, label=hero)
    axes.axhline(50, color="grey", linewidth=0.8)
    axes.set_xticks(range(len(others)), others)
    axes.set_ylabel("score, %")
    axes.legend()


def percents(scores: Sequence[Estimate]) -> tuple[list[float], list[list[float]]]:
    """Return scores in percent, and their bars as matplotlib takes them: below and above, within 0 to 100."""
    below = [100 * (score.score - score.low) for score in scores]
    above = [100 * (score.high - score.score) for score in scores]
    return [100 * score.score for score in scores], [below, above]
