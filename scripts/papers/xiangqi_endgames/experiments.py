"""Paper 5, Xiangqi endgames: cut-offs of all levels, the order by evaluation, endgames solved.

    python -m scripts.papers.xiangqi_endgames --quick
    python -m scripts.papers.xiangqi_endgames --data DATA --jobs 2

The paper compares a search whose bounds pass all levels with one in which only the grandparent cuts, orders successors
by its static evaluation, and solves endgames. It has no table; its figures are formulas and one example tree.

A full run takes about three quarters of an hour on two cores.

Data: endgames.jsonl.zst, published endgames that are not shipped: JSON lines of `fen`, `result` (1-0, 0-1, 1/2-1/2),
`category` and perhaps `engine_mate`, from the lists of chinese-chess-fish-android, chessq and other public programs.
Without it the tests' fifty are solved.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from scripts.common import script
from scripts.common.table import Table
from scripts.match.paired_games import percents
from scripts.papers.paper import Bench, Experiment, Paper, Result, proportion, run_paper
from scripts.papers.xiangqi_endgames.cutoffs import ALL_LEVELS, FIGURE_1, THREE_LEVELS, WHOLE, search
from scripts.papers.xiangqi_endgames.known import run_known
from scripts.papers.xiangqi_endgames.solving import (
    AGENTS,
    DRAWN,
    SETTLERS,
    Endgame,
    attempt,
    is_solved,
    read_endgames,
    settle,
    spread,
)
from scripts.papers.xiangqi_endgames.xiangqi_cutoffs import ORDERS, search_tree, size_of

from siqi.daemon.clients.player import PlayerLimits
from siqi.daemon.match.statistics import Estimate, Z, percent

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAPER = Paper(
    "Xiao Qiying, Wang Zhengzhi",
    "Game-tree search and static evaluation function",
    "Application Research of Computers",
    1997,
)

ENDGAMES, FIXTURE = "endgames.jsonl.zst", "xiangqi_endgames.jsonl"
SOURCE = "published endgames, not shipped"

WINDOWS = {"three levels": THREE_LEVELS, "all levels": ALL_LEVELS}
LEAVES = (
    "depth", "order", "whole tree", "three levels", "all levels", "NED", "all / three", "all / NED",
    "of TOTAL - NED cut, three levels", "all levels",
)  # fmt: skip
COSTS = (
    "depth", "order", "nodes, three levels", "all levels", "all / three",
    "ms, three levels", "all levels", "all / three",
)  # fmt: skip
"""Columns of the tables of cut-offs."""

ORDER_NAMES = {"none": "as generated", "evaluation": "by e(x)", "tuned": "by our terms"}
EVALUATION = "paper"
"""The evaluation of all leaves in the experiments with fixed trees."""

QUICK_TREES, FULL_TREES = 4, 40
QUICK_DEPTH, FULL_DEPTH = 3, 5
"""Numbers of endgames whose trees are searched, and their depths in plies."""

QUICK_GAMES, FULL_GAMES = 6, 200
QUICK_PLIES, FULL_PLIES = 12, 120
"""Endgames that are played out, and plies after which a game counts as drawn."""

DEPTH_GAMES, SECOND_GAMES = 100, 24
QUICK_SOLVING_DEPTH, FULL_SOLVING_DEPTH = 2, 8
"""Endgames that are played out at fixed depths and at a second per move; the greatest depth."""

QUICK_NODES, FULL_NODES = 300, 20_000
QUICK_MS, FULL_MS = 5, 50
QUICK_OPPONENT, FULL_OPPONENT = 600, 50_000
QUICK_SETTLING, FULL_SETTLING = 1_000, 500_000
"""The limits of a move of the solver and of its opponent, and nodes of the search that tests the claim of a draw."""


def chosen(bench: Bench, count: int) -> list[Endgame]:
    """Return endgames of the user's data, or of the fixture."""
    return spread(read_endgames(bench.data(ENDGAMES, FIXTURE, SOURCE)), count)


# ---------------------------------------------------------------- cut-offs


def run_figure_1(bench: Bench) -> Result:
    """Search the example tree by each passing of bounds, and by the procedure as it is printed."""
    rows = []
    for name, windows, is_printed in (
        ("minimax", WHOLE, False),
        ("three levels [1, 2]", THREE_LEVELS, False),
        ("all levels (the paper)", ALL_LEVELS, False),
        ("the paper as printed, value <- -beta", ALL_LEVELS, True),
    ):
        value, visit = search(FIGURE_1, windows, is_printed)
        cuts = [" ".join(names) or "-" for names in (visit.alpha, visit.beta)]
        rows.append((name, f"{value:g}", str(len(visit.leaves)), *cuts))
    return Result(
        "the figure is an image that is not to hand; the tree is made after the text (cutoffs.py). The text"
        " names E twice; the first stands for F, so that each letter from A to M is cut once. The printed `value <-"
        " -beta` searches nothing below a root with open bounds; the text's own values at C (alpha 0, beta"
        " -infinity, value 2) ask for `value <- beta`.",
        [Table("", ("search", "value", "leaves", "alpha cut-offs", "beta cut-offs"), rows)],
    )


def measure_tree(key: str) -> dict[str, float]:
    """Search one tree; the key is `FEN|depth|windows|order`, of a whole tree `FEN|depth`."""
    fen, depth, *how = key.split("|")
    if not how:
        size = size_of(fen, int(depth))
        return {"leaves": size.leaves, "nodes": size.nodes, "ideal": size.ideal}
    visited = search_tree(fen, int(depth), WINDOWS[how[0]], how[1], EVALUATION)
    return {"leaves": visited.leaves, "nodes": visited.nodes, "ms": visited.ms, "value": visited.value}


class GeometricMean(NamedTuple):
    """A geometric mean and the half-width of its 95 % interval, as a factor."""

    mean: float
    factor: float

    @property
    def text(self) -> str:
        return f"{self.mean:.3g}" if self.factor == 1 else f"{self.mean:.3g} (x/ {self.factor:.2f})"


def geometric(values: Iterable[float]) -> GeometricMean:
    logs = [math.log(value) for value in values]
    spread_ = Z * statistics.stdev(logs) / math.sqrt(len(logs)) if len(logs) > 1 else 0.0
    return GeometricMean(math.exp(statistics.fmean(logs)), math.exp(spread_))


Measured = dict[str, dict[str, float]]


def measure_trees(
    bench: Bench, depths: Sequence[int], orders: Sequence[str], names: Sequence[str]
) -> tuple[list[str], Measured]:
    """Return the FENs, and the measurements by key. AssertionError if searches disagree on a tree's value."""
    fens = [endgame.fen for endgame in chosen(bench, bench.size(QUICK_TREES, FULL_TREES))]
    trees = [f"{fen}|{depth}" for fen in fens for depth in depths]
    keys = [f"{tree}|{name}|{order}" for tree in trees for name in names for order in orders]
    measured: Measured = bench.measure([*trees, *keys], measure_tree, jobs=1)
    for tree in trees:
        values = {measured[key]["value"] for key in keys if key.startswith(f"{tree}|")}
        assert len(values) == 1, (tree, values)
    return fens, measured


def run_cutoffs(bench: Bench) -> Result:
    """Count leaves, nodes and time by depth, order and passing of bounds."""
    depths = range(2, bench.size(QUICK_DEPTH, FULL_DEPTH) + 1)
    orders = ("none", "evaluation")
    fens, measured = measure_trees(bench, depths, orders, tuple(WINDOWS))
    leaves, costs, ratios = [], [], {}
    for depth in depths:
        trees = [f"{fen}|{depth}" for fen in fens]
        for order in orders:
            by = {name: [measured[f"{tree}|{name}|{order}"] for tree in trees] for name in WINDOWS}
            three, every = by.values()
            whole = [measured[tree] for tree in trees]
            pairs = list(zip(three, every, strict=True))
            ratio = geometric(b["leaves"] / a["leaves"] for a, b in pairs)
            ratios[order, depth] = ratio
            counts = [geometric(entry["leaves"] for entry in entries) for entries in (whole, three, every)]
            ideal = geometric(entry["ideal"] for entry in whole)
            over = geometric(b["leaves"] / entry["ideal"] for b, entry in zip(every, whole, strict=True))
            reach = [
                statistics.fmean(
                    (size["nodes"] - entry["nodes"]) / (size["nodes"] - size["ideal"])
                    for size, entry in zip(whole, entries, strict=True)
                )
                for entries in (three, every)
            ]
            row = [str(depth), ORDER_NAMES[order], *(f"{count.mean:,.0f}" for count in (*counts, ideal))]
            leaves.append([*row, ratio.text, over.text, *(f"{share:.1%}" for share in reach)])
            costs.append(
                [
                    *row[:2],
                    *(f"{geometric(entry['nodes'] for entry in entries).mean:,.0f}" for entries in (three, every)),
                    geometric(b["nodes"] / a["nodes"] for a, b in pairs).text,
                    *(f"{geometric(entry['ms'] for entry in entries).mean:,.3g}" for entries in (three, every)),
                    geometric(b["ms"] / a["ms"] for a, b in pairs).text,
                ]
            )
    return Result(
        f"{len(fens)} published endgames, all legal moves to a fixed depth, e(x) at the leaves, neither transposition"
        " table nor quiescence search; geometric means, with the factor of a 95 % interval. NED is the paper's formula"
        " for a uniform tree with as many leaves. It counts leaves, TOTAL all nodes; TOTAL is the real tree's here."
        " Time is that of one thread, the order's evaluations included.",
        [
            Table("leaves", LEAVES, leaves),
            Table("nodes and time", COSTS, costs),
        ],
        lambda figure: draw_ratios(figure, ratios, "leaves, all levels / three levels"),
    )


def draw_ratios(figure: Figure, ratios: dict[tuple[str, int], GeometricMean], label: str) -> None:
    """Draw a line for each order, ratios by depth with their 95 % intervals."""
    axes = figure.subplots()
    for order in dict.fromkeys(order for order, _ in ratios):
        chosen_ = {depth: ratio for (name, depth), ratio in ratios.items() if name == order}
        means = [ratio.mean for ratio in chosen_.values()]
        bars = [
            [ratio.mean * (1 - 1 / ratio.factor) for ratio in chosen_.values()],
            [ratio.mean * (ratio.factor - 1) for ratio in chosen_.values()],
        ]
        axes.errorbar(list(chosen_), means, yerr=bars, marker="o", capsize=3, label=ORDER_NAMES[order])
    axes.set_xlabel("depth, plies")
    axes.set_ylabel(label)
    axes.set_ylim(bottom=0)
    axes.legend()


def run_ordering(bench: Bench) -> Result:
    """Compare orders of successors by the number of leaves that bounds of all levels do not cut."""
    depths = range(2, bench.size(QUICK_DEPTH, FULL_DEPTH) + 1)
    name = "all levels"
    fens, measured = measure_trees(bench, depths, ORDERS, (name,))
    rows, ratios = [], {}
    for depth in depths:
        trees = [f"{fen}|{depth}" for fen in fens]
        plain = [measured[f"{tree}|{name}|none"] for tree in trees]
        for order in ORDERS:
            entries = [measured[f"{tree}|{name}|{order}"] for tree in trees]
            over = geometric(
                entry["leaves"] / measured[tree]["ideal"] for tree, entry in zip(trees, entries, strict=True)
            )
            ratios[order, depth] = over
            pairs = list(zip(plain, entries, strict=True))
            rows.append(
                [
                    str(depth),
                    ORDER_NAMES[order],
                    f"{geometric(entry['leaves'] for entry in entries).mean:,.0f}",
                    geometric(b["leaves"] / a["leaves"] for a, b in pairs).text,
                    over.text,
                    f"{geometric(entry['ms'] for entry in entries).mean:,.3g}",
                    geometric(b["ms"] / a["ms"] for a, b in pairs).text,
                ]
            )
    columns = ("depth", "order", "leaves", "leaves / as generated", "leaves / NED", "ms", "ms / as generated")
    return Result(
        f"{len(fens)} published endgames, trees as in the experiment `cut-offs`, bounds of all levels. Successors are"
        " valued by e(x), which also values the leaves, or by our own terms.",
        [Table("", columns, rows)],
        lambda figure: draw_ratios(figure, ratios, "leaves / NED"),
    )


# ---------------------------------------------------------------- solving


def play(key: str) -> dict[str, Any]:
    """Settle an endgame's result, or play it out.

    The key is `FEN|claim|category|engine's mate|nodes`, or `FEN|winner|solver|nodes|ms|depth|opponent's nodes|plies`.
    """
    fields = key.split("|")
    if len(fields) == 5:
        fen, claim, category, mate, nodes = fields
        winner, by = settle(Endgame(fen, claim, category, int(mate)), int(nodes))
        return {"winner": winner, "by": by}
    fen, winner, solver, nodes, ms, depth, opponent, plies = fields
    limit = PlayerLimits(int(ms), int(nodes), int(depth))
    return attempt(fen, winner, solver, limit, PlayerLimits(nodes=int(opponent)), int(plies))._asdict()


class Case(NamedTuple):
    """An endgame with its settled result, and each solver's game from it (solving.Attempt, by field)."""

    endgame: Endgame
    winner: str
    by: str
    games: dict[str, dict[str, Any]]

    def solvers(self) -> dict[str, bool]:
        """Return whether each solver has solved it."""
        return {name: is_solved(self.winner, game["winner"], self.endgame.fen) for name, game in self.games.items()}


def play_out(bench: Bench, count: int, limit: PlayerLimits, solvers: Iterable[str]) -> list[Case]:
    """Let players solve the same endgames under a limit per move."""
    settling = bench.size(QUICK_SETTLING, FULL_SETTLING)
    opponent, plies = bench.size(QUICK_OPPONENT, FULL_OPPONENT), bench.size(QUICK_PLIES, FULL_PLIES)
    endgames = chosen(bench, count)
    claims = [f"{e.fen}|{e.claim}|{e.category}|{e.engine_mate}|{settling}" for e in endgames]
    settled = list(bench.measure(claims, play).values())
    how = f"{limit.nodes}|{limit.movetime_ms}|{limit.depth}|{opponent}|{plies}"
    games = [
        {solver: f"{endgame.fen}|{outcome['winner']}|{solver}|{how}" for solver in solvers}
        for endgame, outcome in zip(endgames, settled, strict=True)
    ]
    played = bench.measure([*claims, *(key for keys in games for key in keys.values())], play)
    return [
        Case(endgame, outcome["winner"], outcome["by"], {solver: played[key] for solver, key in keys.items()})
        for endgame, outcome, keys in zip(endgames, settled, games, strict=True)
    ]


def solve(bench: Bench, limit: PlayerLimits) -> Result:
    """Let each player solve the same endgames under a limit per move."""
    settling = bench.size(QUICK_SETTLING, FULL_SETTLING)
    opponent, plies = bench.size(QUICK_OPPONENT, FULL_OPPONENT), bench.size(QUICK_PLIES, FULL_PLIES)
    cases = play_out(bench, bench.size(QUICK_GAMES, FULL_GAMES), limit, AGENTS)
    sources = ", ".join(f"{by} {sum(case.by == by for case in cases)}" for by in SETTLERS)
    rates = solve_rates(cases)
    return Result(
        f"{len(cases)} published endgames, spread evenly over category and claim. The solver plays the winner's side,"
        f" in a drawn ending the side to move, at {limit.text} a move, one thread, 16 MiB, without books; the opponent"
        f" is our engine with tablebases at {opponent} nodes a move. Won endings are solved if the solver wins within"
        f" {plies} plies, drawn ones if it does not lose. `paper`, `ours` (the network) and `our terms` are the same"
        " search without tablebases and pattern book; only the evaluation differs. `mate at once`: the solver's first"
        " search finds a mate, in all endings that are won. The result is that of the book unless something better is"
        f" known (settled by: {sources}); a claimed draw is tested by a search of {settling} nodes for a mate.",
        [
            Table("solved", RATES, [solved_row(*kind, cases) for kind in rates]),
            Table("claims that are wrong, which count by their true result", WRONG, wrong_claims(cases)),
        ],
        lambda figure: draw_solved(figure, [(kind[1], rate) for kind, rate in rates.items() if kind[0] == "all"]),
    )


RATES = (
    "category",
    "result",
    "endgames",
    *AGENTS,
    "only the paper's",
    "only ours",
    f"mate at once: {' / '.join(AGENTS)}",
)
WRONG = ("claim", "result", "settled by", "endgames")
"""Columns of the tables of solved endgames."""


def of_kind(category: str, result: str, cases: Iterable[Case]) -> list[Case]:
    """Return the cases of a category or of `all`, `won` or `drawn`."""
    fitting = [case for case in cases if category in (case.endgame.category, "all")]
    return [case for case in fitting if (case.winner == DRAWN) == (result == "drawn")]


def solve_rates(cases: Sequence[Case]) -> dict[tuple[str, str], dict[str, Estimate]]:
    """Return each solver's rate by category and result, where there are endgames."""
    kinds = [*sorted({case.endgame.category for case in cases}), "all"]
    return {
        (kind, result): {solver: proportion(case.solvers()[solver] for case in members) for solver in AGENTS}
        for kind in kinds
        for result in ("won", "drawn")
        if (members := of_kind(kind, result, cases))
    }


def solved_row(category: str, result: str, cases: Sequence[Case]) -> list[str]:
    members = of_kind(category, result, cases)
    solved = [case.solvers() for case in members]
    mates = [sum(case.games[solver]["announced"] for case in members) for solver in AGENTS]
    return [
        category,
        result,
        str(len(members)),
        *(percent(proportion(each[solver] for each in solved)) for solver in AGENTS),
        str(sum(each["paper"] and not each["ours"] for each in solved)),
        str(sum(each["ours"] and not each["paper"] for each in solved)),
        "-" if result == "drawn" else " / ".join(map(str, mates)),
    ]


def wrong_claims(cases: Iterable[Case]) -> list[list[str]]:
    """Return rows that count the claims that differ from the settled result."""
    counts = Counter((c.endgame.claim, c.winner, c.by) for c in cases if c.winner != c.endgame.claim)
    return [[*kind, str(count)] for kind, count in sorted(counts.items())]


def draw_solved(figure: Figure, bars: Sequence[tuple[str, dict[str, Estimate]]]) -> None:
    """Draw the solve rates of each player, won and drawn endings side by side."""
    axes = figure.subplots()
    width = 0.8 / len(AGENTS)
    for i, solver in enumerate(AGENTS):
        heights, errors = percents([shares[solver] for _, shares in bars])
        at = [place + width * (i - (len(AGENTS) - 1) / 2) for place in range(len(bars))]
        axes.bar(at, heights, 0.9 * width, yerr=errors, label=solver)
    axes.set_xticks(range(len(bars)), [name for name, _ in bars])
    axes.set_ylim(0, 100)
    axes.set_ylabel("solved, %")
    axes.legend()


def run_solved_by_nodes(bench: Bench) -> Result:
    return solve(bench, PlayerLimits(nodes=bench.size(QUICK_NODES, FULL_NODES)))


def run_solved_by_time(bench: Bench) -> Result:
    return solve(bench, PlayerLimits(movetime_ms=bench.size(QUICK_MS, FULL_MS)))


def solved_rows(bench: Bench, count: int, limits: dict[str, PlayerLimits]) -> list[list[str]]:
    """Let the paper's evaluation and the network solve the same endgames; a row for each limit, by name, and result."""
    rows, solvers = [], ("paper", "ours")
    for name, limit in limits.items():
        cases = play_out(bench, count, limit, solvers)
        for result in ("won", "drawn"):
            solved = [case.solvers() for case in of_kind("all", result, cases)]
            rates = [percent(proportion(each[solver] for each in solved)) for solver in solvers]
            rows.append([name, result, str(len(solved)), *rates])
    return rows


def run_solved_by_depth(bench: Bench) -> Result:
    """Let two players solve the same endgames at fixed depths."""
    depths = range(2, bench.size(QUICK_SOLVING_DEPTH, FULL_SOLVING_DEPTH) + 1, 2)
    limits = {str(depth): PlayerLimits(depth=depth) for depth in depths}
    opponent, plies = bench.size(QUICK_OPPONENT, FULL_OPPONENT), bench.size(QUICK_PLIES, FULL_PLIES)
    return Result(
        f"published endgames as in `solved-by-nodes`, each move a search of a fixed depth in plies (captures and checks"
        f" beyond it are searched on), against the engine with tablebases at {opponent} nodes a move, {plies} plies at"
        " most.",
        [
            Table(
                "solved",
                ("depth", "result", "endgames", "paper", "ours"),
                solved_rows(bench, bench.size(QUICK_GAMES, DEPTH_GAMES), limits),
            )
        ],
    )


def run_solved_in_a_second(bench: Bench) -> Result:
    """Let two players solve the same endgames with a second for each move."""
    limit = PlayerLimits(movetime_ms=bench.size(QUICK_MS, 1000))
    opponent, plies = bench.size(QUICK_OPPONENT, FULL_OPPONENT), bench.size(QUICK_PLIES, FULL_PLIES)
    rows = solved_rows(bench, bench.size(QUICK_GAMES, SECOND_GAMES), {limit.text: limit})
    return Result(
        f"published endgames as in `solved-by-nodes`, against the engine with tablebases at {opponent} nodes a move,"
        f" {plies} plies at most.",
        [Table("solved", ("a move", "result", "endgames", "paper", "ours"), rows)],
    )


SOLVED = "a large number of endgames solved, all results correct (section 5; no number, no list)."

EXPERIMENTS = (
    Experiment(
        "figure-1",
        "the searches of its references cut only within three levels: alpha cut-offs at A, F, G, H, beta cut-offs at B,"
        " D, K; bounds of all levels also cut at C, E, I, J, L, M (section 2).",
        run_figure_1,
    ),
    Experiment(
        "cut-offs",
        "bounds of three levels do not cut all that can be cut; in the ideal case TOTAL - NED nodes are, and bounds of"
        " all levels make cutting complete (section 2; no figures but the formulas).",
        run_cutoffs,
    ),
    Experiment(
        "ordering",
        "successors sorted by the static evaluation are cut much better, the nearer it is to an ideal one; at best a"
        " search goes twice as deep as minimax (section 4; no figures).",
        run_ordering,
    ),
    Experiment(
        "known-positions",
        "each node is first looked up in a base of known positions, which need no search (section 2; no number).",
        run_known,
    ),
    Experiment("solved-by-nodes", SOLVED, run_solved_by_nodes),
    Experiment("solved-by-time", SOLVED, run_solved_by_time),
    Experiment("solved-in-a-second", SOLVED, run_solved_in_a_second),
    Experiment(
        "solved-by-depth",
        "a greater depth removes part of the ridges, plains and hills of the evaluation, and most endgames are solved;"
        " in complicated ones no depth within reach removes them (section 4; no figures).",
        run_solved_by_depth,
    ),
)


@script.command
def main() -> int:
    return run_paper(__doc__, PAPER, EXPERIMENTS)
