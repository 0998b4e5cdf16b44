"""Paper 4's figures 3 to 7: the player's alpha and gamma, by games and by the moves that they change."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from scripts.common.table import Table
from scripts.match.agents import EngineAgent
from scripts.match.paired_games import Pairing, PaperGame, pairing_scores, percents, run_games, score_table
from scripts.papers.junqi_cooperation.players import deployed, play, view_of
from scripts.papers.paper import Bench, Result, proportion

from siqi.daemon.clients.player import PlayerLimits
from siqi.daemon.match.statistics import percent
from siqi.games.junqi.game import Junqi

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STEPS = (0.2, 0.4, 0.6, 0.8, 1.0)
"""The paper's values of alpha and gamma."""

ALPHA, GAMMA = 0.4, 0.6
"""The paper's best values."""

PAPER_PLAYER, UCT_ALONE = "siqi Algorithm=paper", "siqi Algorithm=plain-uct"
"""The paper's player whole; the same formula with the same k, without activation and learning."""

GAME_PLAYOUTS = 500
"""Playouts per move in games: with as few, gamma changes no move, so alpha alone is played."""

PLAYOUTS = (500, 5_000, 20_000)
"""Playouts of the searches whose moves are compared."""

GUIDE_PLAYOUTS = 100
"""Playouts of a move in the games whose positions are searched."""


def paper_player(alpha: float, gamma: float = GAMMA) -> str:
    """Return the paper's player with values of its parameters, as `play` takes it."""
    return f"{PAPER_PLAYER} CooperationAlpha={alpha} CooperationGamma={gamma}"


def run_figures(bench: Bench) -> Result:
    """Play the paper's player with each alpha against UCT alone."""
    games = bench.size(2, 1000)
    steps = STEPS[1:2] if bench.quick else STEPS
    limit = PlayerLimits(nodes=bench.size(50, GAME_PLAYOUTS))
    records = run_games(
        play, [(paper_player(alpha), UCT_ALONE) for alpha in steps], bench.log, games, limit, bench.jobs
    )
    return Result(
        f"gamma {GAMMA}, {games} games a value against {UCT_ALONE}, {limit.text} a move; all have the "
        "same deployments.",
        [score_table(records)],
        functools.partial(draw_figures, records=records, steps=steps),
    )


def draw_figures(figure: Figure, records: list[PaperGame], steps: tuple[float, ...]) -> None:
    """Draw the paper's five figures as one: the score by alpha."""
    scores = pairing_scores(records)
    axes = figure.subplots()
    values, bars = percents([scores[Pairing(paper_player(alpha), UCT_ALONE)].score for alpha in steps])
    axes.errorbar(steps, values, bars, capsize=2)
    axes.axhline(50, color="grey", linewidth=0.8)
    axes.set(xlabel="alpha", ylabel="score of the paper's player, %")


# which moves change


def run_changes(bench: Bench) -> Result:
    """Count the positions in which a parameter, or another seed, changes the move."""
    positions = range(bench.size(2, 100))
    variants = {
        **{f"alpha {alpha}": (alpha, GAMMA, 1) for alpha in STEPS if alpha != ALPHA},
        **{f"gamma {gamma}": (ALPHA, gamma, 1) for gamma in STEPS if gamma != GAMMA},
        "another seed": (ALPHA, GAMMA, 2),
    }
    steps = PLAYOUTS[:1] if bench.quick else PLAYOUTS
    keys = {
        (name, playouts, number): f"position={number} alpha={alpha} gamma={gamma} seed={seed} playouts={playouts}"
        for name, (alpha, gamma, seed) in {"": (ALPHA, GAMMA, 1), **variants}.items()
        for playouts in steps
        for number in positions
    }
    moves = bench.measure(keys.values(), chosen_move)
    rows = []
    for name in variants:
        changed = [
            [moves[keys[name, playouts, at]] != moves[keys["", playouts, at]] for at in positions] for playouts in steps
        ]
        rows.append([name, *(percent(proportion(each)) for each in changed)])
    return Result(
        f"{len(positions)} positions, each of another game of UCT alone, {GUIDE_PLAYOUTS} playouts a move, after 10 to "
        f"109 plies. The share of them in which the paper's player chooses another move than with alpha {ALPHA}, gamma "
        f"{GAMMA} and seed 1.",
        [Table("", ("", *(f"{playouts:,} playouts" for playouts in steps)), rows)],
    )


def chosen_move(key: str) -> str:
    """Return the move of the paper's player in a position; the key has its parameters."""
    words = dict(word.split("=") for word in key.split())
    options = {"Algorithm": "paper", "CooperationAlpha": words["alpha"], "CooperationGamma": words["gamma"]}
    agent = _agent(tuple(options.items()))
    agent.new_game(int(words["seed"]))
    view = _view(int(words["position"]))
    return str(view.move_text(agent.choose(view, PlayerLimits(nodes=int(words["playouts"])))))


@functools.cache
def _agent(options: tuple[tuple[str, str], ...]) -> EngineAgent:
    return EngineAgent(Junqi(print), dict(options))


@functools.cache
def _view(number: int) -> Any:
    """Return the view of the side to move in a position of a game, which has not ended."""
    guide, referee = _agent((("Algorithm", "plain-uct"),)), deployed(number)
    guide.new_game(number)
    view = view_of(referee)
    for _ in range(10 + number % 100):
        move = guide.choose(view, PlayerLimits(nodes=GUIDE_PLAYOUTS))
        referee.push(referee.parse_move(view.move_text(move)))
        if referee.outcome() is not None:
            break
        view = view_of(referee)
    return view
