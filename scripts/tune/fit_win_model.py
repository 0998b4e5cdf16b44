"""Fit the chances to win, draw and lose of a score, from games of the engine against itself.

    python scripts/tune/fit_win_model.py xiangqi --out win/ --games 600 --nodes 1000 5000 20000 --jobs 2

Games start from balanced openings, the node counts taking turns; the score of every move, the phase of the game and
the result go to the folder, one line per game. The same command resumes an interrupted run; with more `--games` it adds
games. Games of another seed or node counts are refused. `--fit` plays nothing.
The model is the ordered logistic of siqi/games/search/win_model.py, fitted by maximum likelihood to four games of five
and tested on the fifth: log loss in nats and that of constant chances, and a table of ten classes. Prints the model.
"""

from __future__ import annotations

import contextlib
import itertools
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

import msgspec
import numpy as np

from scripts.common import script
from scripts.common.logistic import minimize
from scripts.match.agents import AgentPlayer, EngineAgent

from siqi.daemon.clients.player import Choice, PlayerLimits, Turn
from siqi.daemon.cluster.jobs import Jobs
from siqi.daemon.match.game_loop import Adjudication, Agreement, Clock, Opening, Referee, play_moves
from siqi.daemon.match.random_openings import random_openings
from siqi.games.contract import FIRST, Position
from siqi.games.search.win_model import WinModel
from siqi.system.files import check_owned
from siqi.system.log import RunLog, read_log


class Form(NamedTuple):
    """The form of a game's model."""

    has_draws: bool  # false: drawn games are left out
    largest: int  # larger scores are clipped to it
    degree: int  # degree of the polynomials of the phase


FORMS = {"xiangqi": Form(True, 800, 2), "connect6": Form(False, 800, 0)}
"""The games whose scores are not chances already.

One in five hundred of Connect6's games is drawn. Log losses, held out, by degree: Xiangqi 0.742, 0.672, 0.669, 0.668;
Connect6 0.607 for any, by roads. With each fifth held out by turns, Xiangqi's has 0.616, 0.620, 0.626 and 0.630 for
scores clipped at 600, 800, 1,000 and 3,000; at 600 the emptiest endings would not be rated above 0.76.
"""

KIND = "win_model"  # of the log of games
ADJUDICATION = Adjudication(max_plies=300, agreement=Agreement(sys.maxsize, 0))
"""Only a mate decides a game, and at once."""

HELD_OUT = 5
"""Games are held out if this divides their number."""

CLASSES = 10
TOLERANCE = 1e-7
"""Largest gradient at which the fit stops."""

SMALLEST = 1e-9


class ScoredGame(msgspec.Struct):
    """A game: its number, nodes per move; mover, score and phase of each move searched; winner or None."""

    number: int
    nodes: int
    winner: int | None
    moves: list[tuple[int, int, float]]


# ---------------------------------------------------------------- games


@runtime_checkable
class PhasedPosition(Position, Protocol):
    """A position whose game has a win model."""

    @property
    def phase(self) -> float: ...


class Recording(AgentPlayer):
    """A player that records mover, score and phase of its moves, until a win is proven."""

    moves: list[tuple[int, int, float]]

    def choose(self, turn: Turn) -> Choice:
        position = turn.position
        assert isinstance(position, PhasedPosition)
        choice = super().choose(turn)
        if choice.score is not None and choice.score.mate is None:
            self.moves.append((position.turn, choice.score.cp, round(position.phase, 4)))
        return choice


class Start(NamedTuple):
    """A game to be played."""

    game: str
    opening: list[str]
    number: int
    nodes: int


def play(start: Start) -> ScoredGame:
    """Play a game until the rules or a proven win end it."""
    game = script.load_once(start.game)
    player = Recording(EngineAgent(game, {"Hash": "8"}), game, PlayerLimits(nodes=start.nodes))
    player.moves = []
    referee = Referee(game, Opening(moves=start.opening))
    ending = play_moves(referee, [player] * 2, [Clock()] * 2, ["0"] * 2, ADJUDICATION)
    return ScoredGame(start.number, start.nodes, ending.winner, player.moves)


def play_missing(name: str, path: Path, count: int, node_counts: Sequence[int], seed: int, jobs: Jobs) -> None:
    """Play the games that the file lacks; a single job uses this process. OSError for games of other settings."""
    log = RunLog(path, KIND, {"game": name, "nodes": list(node_counts), "seed": seed})
    starts = (
        Start(name, opening, number, node_counts[number % len(node_counts)])
        for number, opening in enumerate(itertools.islice(random_openings(script.load_once(name), seed), count))
        if number not in log.numbers
    )
    finished = script.finished(play, starts, jobs)
    bar = script.progress(total=count, initial=sum(number < count for number in log.numbers), unit=" games")
    with log, bar, contextlib.closing(finished):
        for games in finished:
            log.add([msgspec.json.encode(game) for game in games])
            bar.update(len(games))


def read_games(path: Path) -> list[ScoredGame]:
    """Return the games of a log. OSError for another kind of file, or a damaged one."""
    mark = f'{{"{KIND}":'.encode()
    games: list[ScoredGame] = []
    check_owned(path, lambda head: head.startswith(mark))

    def read(line: bytes) -> None:
        if not line.startswith(mark):
            games.append(msgspec.json.decode(line, type=ScoredGame))

    read_log(path, read)
    return games


# ---------------------------------------------------------------- the fit


class Samples(NamedTuple):
    """Positions: score and phase, and the result for the mover (1, 0.5, 0)."""

    cp: Any  # float64 [n]
    phase: Any
    result: Any


def samples(games: Sequence[ScoredGame], largest: int) -> Samples:
    """Return every searched position of the games, its score clipped to +-largest."""
    rows = [
        (min(max(cp, -largest), largest), phase, 0.5 if game.winner is None else float(game.winner == mover))
        for game in games
        for mover, cp, phase in game.moves
    ]
    columns = np.array(rows, np.float64).T
    return Samples(*columns)


def likelihoods(data: Samples, steepness: Any, reserve: Any) -> tuple[Any, Any, Any]:
    """Return for each position the chance of its result, and those of a win and a loss."""
    win = 1 / (1 + np.exp(np.clip(reserve - steepness * data.cp, -30, 30)))
    loss = 1 / (1 + np.exp(np.clip(reserve + steepness * data.cp, -30, 30)))
    draw = np.maximum(1 - win - loss, SMALLEST)
    happened = np.where(data.result == 1, win, np.where(data.result == 0, loss, draw))
    return np.maximum(happened, SMALLEST), win, loss


def fit(data: Samples, form: Form) -> WinModel:
    """Return the model of maximum likelihood, by scoring: the curvature is estimated from the gradients."""
    basis = np.vander(data.phase, form.degree + 1, increasing=True)
    width = form.degree + 1
    unit = np.repeat([1 / 200, 1.0], width)  # units of steepness and reserve, so that steps in both are comparable
    start = np.zeros(2 * width)
    start[0], start[width] = 1, float(form.has_draws)
    free = 2 * width if form.has_draws else width

    def evaluate(trial: Any) -> tuple[float, Any, Any]:
        values = np.concatenate([trial, start[free:]]) * unit
        happened, win, loss = likelihoods(data, basis @ values[:width], basis @ values[width:])
        draw = np.maximum(1 - win - loss, SMALLEST)
        # Derivatives of the log likelihood by the logits of win and loss
        by_win = np.where(data.result == 1, 1 - win, np.where(data.result == 0, 0.0, -win * (1 - win) / draw))
        by_loss = np.where(data.result == 0, 1 - loss, np.where(data.result == 1, 0.0, -loss * (1 - loss) / draw))
        rows = np.hstack([basis * ((by_win - by_loss) * data.cp)[:, None], -basis * (by_win + by_loss)[:, None]])
        rows = rows[:, :free] * unit[:free]
        return float(-np.log(happened).mean()), -rows.mean(0), rows.T @ rows / len(rows)

    fitted = np.concatenate([minimize(evaluate, start[:free], TOLERANCE), start[free:]]) * unit
    steepness, reserve = (tuple(float(f"{value:.4g}") for value in part) for part in np.split(fitted, 2))
    return WinModel(steepness, reserve, form.largest)


def report(model: WinModel, train: Samples, test: Samples) -> str:
    """Return the model's log loss on held-out games, and a table of expected and achieved results."""
    chances = [model.chances(cp, phase) for cp, phase in zip(test.cp, test.phase, strict=True)]
    win, draw = np.array(chances).T
    loss = 1 - win - draw
    happened = np.where(test.result == 1, win, np.where(test.result == 0, loss, draw))
    shares = {value: float((train.result == value).mean()) for value in (1.0, 0.5, 0.0)}
    constant = np.array([shares[value] for value in test.result.tolist()])
    lines = [
        f"log loss {-np.log(np.maximum(happened, SMALLEST)).mean():.4f}"
        f" (constant chances {-np.log(np.maximum(constant, SMALLEST)).mean():.4f}), {len(test.cp)} positions",
        "expected result   positions   expected   achieved   draws expected   achieved",
    ]
    expected = win + draw / 2
    for index in range(CLASSES):
        inside = (expected * CLASSES).astype(int).clip(0, CLASSES - 1) == index
        if inside.any():
            low, high = index / CLASSES, (index + 1) / CLASSES
            lines.append(
                f"{low:.1f} - {high:.1f}  {inside.sum():17}  {expected[inside].mean():9.3f}"
                f"  {test.result[inside].mean():9.3f}  {draw[inside].mean():15.3f}"
                f"  {(test.result[inside] == 0.5).mean():9.3f}"
            )
    return "\n".join(lines)


@script.command
def main(arguments: Sequence[str] | None = None) -> int:
    parser = script.parser(__doc__)
    option = parser.add_argument
    option("game", choices=FORMS)
    option("--out", type=Path, required=True, metavar="DIR", help="the games; continued if they exist")
    option("--games", type=int, default=600)
    option("--nodes", type=int, nargs="+", default=[1000, 5000, 20000], metavar="N", help="nodes per move, by turns")
    option("--degree", type=int, help="degree of the polynomials of the phase")
    option("--seed", type=int, default=2)
    option("--fit", action="store_true", help="play nothing")
    script.add_jobs(parser, what="games at a time")
    options = parser.parse_args(arguments)
    if options.jobs < 1:
        parser.error("--jobs must be at least 1")
    path = options.out / f"{options.game}-win-model.jsonl"
    if not options.fit:
        script.work_folder(options.out)
        play_missing(options.game, path, options.games, options.nodes, options.seed, script.jobs(options))
    form = FORMS[options.game]
    games = [game for game in read_games(path) if form.has_draws or game.winner is not None]
    held_out = [game for game in games if game.number % HELD_OUT == 0]
    fitted_to = [game for game in games if game.number % HELD_OUT]
    if not held_out or not fitted_to:
        parser.error(f"{path} has too few games")
    train, test = samples(fitted_to, form.largest), samples(held_out, form.largest)
    if options.degree is not None:
        form = form._replace(degree=options.degree)
    model = fit(train, form)
    results = [game.winner for game in games]
    print(
        f"{len(games)} games: first side won {results.count(FIRST)}, drawn {results.count(None)},"
        f" second side won {results.count(1 - FIRST)}; {len(train.cp)} positions fitted to"
    )
    print(report(model, train, test))
    print(model)
    return 0


if __name__ == "__main__":
    sys.exit(main())
