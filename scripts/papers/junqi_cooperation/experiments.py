"""Paper 4, cooperative pieces in Junqi: every table and figure again, and the worth of its parts.

    python -m scripts.papers.junqi_cooperation --quick
    python -m scripts.papers.junqi_cooperation --jobs 2
    python -m scripts.papers.junqi_cooperation --only figures-3-7 --jobs 2

`players`: the paper's player against the paper's four opponents, at two levels of knowledge, at equal playouts and at
equal time; at equal playouts against little knowledge also UCT alone.
`activate`: one to four activated pieces against UCT alone and each other. `parts`: the paper's player without one of
its parts. `figure-2`: with and without what 1,000 games have taught. `figures-3-7`: its alpha from 0.2 to 1; `changes`:
the moves that alpha and gamma change.
`engine`: against the engine's default search. `table-1`: the kinds of its moves. `figure-8`: the time of a move by kind
of activation.

Games come in pairs, with the same two deployments, sides swapped. A full run took some four hours on two
cores, before `figure-2` was added.

Data: none is needed.
"""

from __future__ import annotations

import functools
import itertools
import math
import random
import statistics
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from scripts.common import script
from scripts.common.table import Table
from scripts.match.paired_games import (
    Pairing,
    PaperGame,
    pairing_scores,
    percents,
    read_games,
    run_games,
    score_table,
)
from scripts.papers.junqi_cooperation.activation import ACTIVATIONS, LearningStage
from scripts.papers.junqi_cooperation.feedback import run_feedback
from scripts.papers.junqi_cooperation.kinds import KINDS, kinds_of
from scripts.papers.junqi_cooperation.parameters import PAPER_PLAYER, UCT_ALONE, run_changes, run_figures
from scripts.papers.junqi_cooperation.players import OPPONENTS, deployed, play, view_of
from scripts.papers.paper import Bench, Experiment, Paper, Result, run_paper

from siqi.daemon.clients.player import PlayerLimits
from siqi.daemon.match.statistics import percent
from siqi.games.junqi.paper.team import MAX_TEAM, MOVES_BY_SIZE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAPER = Paper(
    "Zhang Xiaochuan, Wang Wanwan, Peng Lirong",
    "A multi-chess collaborative game method for military chess game machine",
    "CAAI Transactions on Intelligent Systems 15(2)",
    2020,
)

COOPERATION = "cooperation"
ONE_WITH_AS_MANY_ACTIONS = "cooperation CooperationPieces=1 learning=0.05"

LEVELS = {"": "the engine's beliefs and evaluation", " simple": "one completed board, material alone"}
PARTS = {
    "all": "cooperation",
    "no learning": "cooperation learning=0",
    "learned values not used": "cooperation prior=0",
    "no experience of kinds": "cooperation experience=none",
    "choice by Q alone": "cooperation CooperationChoice=q",
    "formula of UCB1": "cooperation formula=ucb1",
    "UCB1, no learning": "cooperation formula=ucb1 learning=0",
    "half of the playouts learn": "cooperation learning=0.5",
    "learned values count eight times": "cooperation prior=64",
}

TABLE_1 = {
    "minimax": (7, 24, 29), "alpha-beta": (9, 25, 23), "MCTS": (13, 29, 24), "UCT": (12, 27, 26),
    "Q learning": (21, 18, 19),
}  # fmt: skip
"""The paper's moves of each kind: attack, defence, shuffle."""

MEETS = "meets an enemy"

LAST_MOVE = 73
"""The last number of a move in figure 8."""


def playouts(bench: Bench, full: int) -> PlayerLimits:
    """Return the limit of a move: `full` playouts, fewer in a quick run."""
    return PlayerLimits(nodes=bench.size(50, full))


def run_players(bench: Bench) -> Result:
    games = bench.size(2, 400)
    tables, records = [], []
    levels = list(LEVELS.items())[bench.size(1, 0) :]
    limits = playouts(bench, 500), PlayerLimits(movetime_ms=bench.size(1, 5))
    for limit, (level, words) in itertools.product(limits, levels):
        heroes = (COOPERATION, UCT_ALONE) if limit.nodes and level and not bench.quick else (COOPERATION,)
        pairings = [(hero, other + level) for hero in heroes for other in OPPONENTS]
        played = run_games(play, pairings, bench.log, games, limit, bench.jobs)
        records += [record | {"b": f"{record['b']}, {limit.text}"} for record in played]
        scores = pairing_scores(played)
        rows = [[hero, *(scores[Pairing(hero, other + level)].text for other in OPPONENTS)] for hero in heroes]
        tables.append(Table(f"{limit.text} a move; opponents: {words}", ("", *OPPONENTS), rows))
    return Result(
        f"{games} games a cell, won-drawn-lost and score; a node is a playout, of minimax and alphabeta a position.",
        tables,
        functools.partial(draw_players, records=records),
    )


def draw_players(figure: Figure, records: list[PaperGame]) -> None:
    scores = pairing_scores(records)
    names = list(dict.fromkeys(pairing.b for pairing in scores))
    figure.set_size_inches(10, 6)
    axes = figure.subplots()
    for hero, side in ((COOPERATION, -1), (UCT_ALONE, 1)):
        played = [at for at, name in enumerate(names) if Pairing(hero, name) in scores]
        values, bars = percents([scores[Pairing(hero, names[at])].score for at in played])
        places = [at + 0.2 * side * (Pairing(UCT_ALONE, names[at]) in scores) for at in played]
        axes.barh(places, values, 0.38, xerr=bars, label=hero)
    axes.axvline(50, color="grey", linewidth=0.8)
    axes.set_yticks(range(len(names)), names)
    axes.set(xlabel="score, %", xlim=(0, 100))
    axes.legend()


def run_activate(bench: Bench) -> Result:
    games = bench.size(2, 400)
    teams = [f"cooperation CooperationPieces={size}" for size in range(bench.size(MAX_TEAM - 1, 1), MAX_TEAM + 1)]
    pairings = [(team, UCT_ALONE) for team in teams] + [(b, a) for a, b in itertools.combinations(teams, 2)]
    pairings.append((teams[-1], ONE_WITH_AS_MANY_ACTIONS))
    limit = playouts(bench, 1000)
    records = run_games(play, pairings, bench.log, games, limit, bench.jobs)
    conditions = (
        f"{games} games a row, {limit.text} a move. A joint action of four pieces takes four playouts; with "
        "`learning=0.05` one piece learns as many actions as four with a share of 0.2."
    )
    return Result(conditions, [score_table(records)])


def run_parts(bench: Bench) -> Result:
    games = bench.size(2, 200)
    limit = playouts(bench, 1000)
    parts = dict(itertools.islice(PARTS.items(), bench.size(2, len(PARTS))))
    records = run_games(play, [(name, UCT_ALONE) for name in parts.values()], bench.log, games, limit, bench.jobs)
    scores = pairing_scores(records)
    rows = [
        [part, name, *score.counts, percent(score.score)]
        for part, name in parts.items()
        for score in [scores[Pairing(name, UCT_ALONE)]]
    ]
    columns = ("part", "player", "won", "drawn", "lost", f"score against {UCT_ALONE}")
    return Result(f"{games} games a row, {limit.text} a move.", [Table("", columns, rows)])


def run_engine(bench: Bench) -> Result:
    games, limit = bench.size(2, 400), playouts(bench, 2000)
    pairings = [(name, "siqi") for name in (PAPER_PLAYER, COOPERATION, UCT_ALONE)]
    records = run_games(play, pairings, bench.log, games, limit, bench.jobs)
    conditions = f"{games} games a row, {limit.text} a move: playouts of the players, positions of the engine."
    return Result(conditions, [score_table(records)])


def run_kinds(bench: Bench) -> Result:
    source = bench.log.with_name("players.jsonl")
    if not source.exists():
        run_players(bench.of("players"))
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    ends: dict[str, Counter[str]] = defaultdict(Counter)
    records = read_games(source)
    for record in script.progress(records, unit=" games"):
        players = (record["a"], record["b"]) if record["first"] == 0 else (record["b"], record["a"])
        for side, kind, meets in kinds_of(record["words"].split()):
            counts[players[side]][kind] += 1
            counts[players[side]][MEETS] += meets
        for name in set(players):
            is_winner = record["winner"] is not None and name == record["ab"[record["winner"]]]
            how = "drawn" if record["winner"] is None else "won" if is_winner else "lost"
            ends[name][f"{how} by {record['end']}"] += 1
    rows = [
        [
            name,
            *(f"{count[kind] / sum(count[each] for each in KINDS):.1%}" for kind in (*KINDS, MEETS)),
            ", ".join(map(_end, ends[name].most_common())),
        ]
        for name, count in counts.items()
    ]
    theirs = [[name, *(f"{n / sum(row):.1%} ({n})" for n in row)] for name, row in TABLE_1.items()]
    return Result(
        f"all moves of the {len(records)} games of `players`.",
        [
            Table("Here", ("player", *KINDS, MEETS, "ends of its games"), rows),
            Table("Paper", ("player", *KINDS), theirs),
        ],
    )


def _end(pair: tuple[str, int]) -> str:
    return f"{pair[0]} {pair[1]}"


def activation_times(key: str) -> dict[str, Any]:
    """Return the seconds by number of the move, and the joint actions of all pieces, in one game."""
    words = dict(word.split("=") for word in key.split())
    number, lessons, last = (int(words[name]) for name in ("game", "lessons", "last"))
    learner = LearningStage(words["activation"], 0.4, 0.6)
    referee, rng = deployed(number), random.Random(number)
    seconds, actions = [], []
    while referee.outcome() is None and referee.ply < 2 * last + 2:
        view = view_of(referee)
        if referee.ply % 8 == 2:  # the first side's moves 1, 5, 9, ...
            seconds.append(learner.seconds(view, PlayerLimits(nodes=lessons), lessons))
            actions.append(math.prod(Counter(move & 63 for move in view.legal_moves()).values()))
        referee.push(referee.parse_move(referee.move_text(rng.choice(learner.ranked_moves(view)))))
    return {"seconds": seconds, "actions": actions}


def run_times(bench: Bench) -> Result:
    games, lessons, last = bench.size(1, 500), bench.size(64, 1000), bench.size(9, LAST_MOVE)
    keys = {
        (kind, game): f"activation={kind} game={game} lessons={lessons} last={last}"
        for game in range(games)
        for kind in ACTIVATIONS
    }
    measured = bench.measure(keys.values(), activation_times, jobs=1)
    moves = range(1, last + 1, 4)
    times = {
        kind: [_means([measured[keys[kind, game]]["seconds"] for game in range(games)], at) for at in range(len(moves))]
        for kind in ACTIVATIONS
    }
    actions = [
        _means([measured[keys["none", game]]["actions"] for game in range(games)], at) for at in range(len(moves))
    ]
    rows = [
        [str(move), *(f"{1000 * times[kind][at]:.1f} ms" for kind in ACTIVATIONS), f"{actions[at]:,.0f}"]
        for at, move in enumerate(moves)
        if actions[at]
    ]
    return Result(
        f"{games} games each, {lessons} nodes of the search that activates and {lessons} playouts of learning for a "
        f"team of {MAX_TEAM}. `none`: no search, all movable pieces learn together, with all their moves, {lessons} "
        f"playouts; `teams`: the same in teams of {MAX_TEAM}, up to {MOVES_BY_SIZE[MAX_TEAM]} moves each, {lessons} "
        "playouts for each team. CPU time. The last column: joint actions of `none`.",
        [Table("", ("move", *ACTIVATIONS, "joint actions of all pieces"), rows)],
        functools.partial(draw_times, moves=list(moves), times=times),
    )


def _means(runs: list[list[float]], at: int) -> float:
    """Return the mean of the values at a place, over the runs that are long enough; 0 if none is."""
    values = [run[at] for run in runs if at < len(run)]
    return statistics.fmean(values) if values else 0.0


def draw_times(figure: Figure, moves: list[int], times: dict[str, list[float]]) -> None:
    axes = figure.subplots()
    for kind, seconds in times.items():
        axes.plot(moves, [1000 * value for value in seconds], "o-", label=kind)
    axes.set(xlabel="number of the move", ylabel="ms a move", yscale="log")
    axes.legend(title="activation")


EXPERIMENTS = (
    Experiment(
        "players",
        "several cooperating pieces beat one: of 1,000 games against each of minimax, alpha-beta, MCTS and UCT the "
        "player with alpha 0.4 and gamma 0.6 wins most (figure 5, its axis ends at 1,000; no number is printed).",
        run_players,
    ),
    Experiment("activate", "several activated pieces beat a single one and UCT alone (abstract).", run_activate),
    Experiment("parts", "UCT activates, Q-learning chooses; the paper measures no part by itself.", run_parts),
    Experiment(
        "figure-2",
        "the cooperation matrix is fed back: what games have taught helps later ones (figures 1 and 2).",
        run_feedback,
    ),
    Experiment("engine", "none: the engine's default search is later than the paper.", run_engine),
    Experiment("figures-3-7", "the player is best with alpha 0.4 and gamma 0.6.", run_figures),
    Experiment("changes", "none: which moves alpha, gamma and the seed change.", run_changes),
    Experiment("table-1", "Q-learning attacks 21 times in 58 moves, UCT 12 in 65, MCTS 13 in 66.", run_kinds),
    Experiment(
        "figure-8",
        "without activation a move takes longest, up to some 14 s; activation by minimax, MCTS and UCT shortens it, "
        "UCT's most (read off the plot, over 73 moves of 500 games).",
        run_times,
    ),
)


@script.command
def main() -> int:
    return run_paper(__doc__, PAPER, EXPERIMENTS)
