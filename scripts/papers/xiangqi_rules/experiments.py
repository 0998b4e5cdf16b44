"""Paper 2: rules mined from games by Apriori, played without a search (Xiangqi).

    python -m scripts.papers.xiangqi_rules --data DATA
    python -m scripts.papers.xiangqi_rules --quick

The paper numbers the 32 pieces, mines whole games for rules "if this move was played, answer so", and plays a rule at
random among those that fit; it searches only if none fits. It claims to save time. `play` compares this with the search
alone at a fixed depth, with the paper's items and ours, and with the first 40 plies and whole games. `loop` lets the
rule base grow from the engine's own games, as the daemon's options `GameLog`, `MineRules` and `RuleFile` do. `clock`
and `movetimes` are matches of whole engines by time: `--only clock --jobs 1` takes some seven hours, and resumes.

Without these two a full run takes about a quarter of an hour on two cores.

Data: games.jsonl.zst in the folder of `--data`, games as JSON lines (`moves`, `result`); siqi/books/README.md names the
sources of the shipped rule book's games, which are not shipped themselves. Without it the command plays games of the
engine against itself.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scripts.common import script
from scripts.common.table import Table
from scripts.match.paired_games import Pairing, PaperGame, pairing_scores, percents, run_games
from scripts.papers.paper import Bench, Experiment, Paper, Result, run_paper
from scripts.papers.xiangqi_rules.clock import clock, movetimes
from scripts.papers.xiangqi_rules.games import games_of, openings
from scripts.papers.xiangqi_rules.mining import (
    ALL,
    MAX_PLIES,
    PAPER_BASES,
    PAPER_RULES,
    TABLE_3,
    WANTED,
    Base,
    Growing,
    RuleCount,
    count_rule,
    mine_bases,
    paper_item,
    play_by_rules,
    read_games,
    same_rule,
    write_paper_bases,
)

from siqi.daemon.clients.player import PlayerLimits
from siqi.daemon.match.statistics import percent
from siqi.games.xiangqi.knowledge.mining import move_rules
from siqi.games.xiangqi.knowledge.rulebook import RuleBook

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAPER = Paper(
    "Jiang Jiafu, Chen Aixiang, Tang Xianying",
    "Search Algorithm for Game of Checkers Based on Knowledge Inference",
    "Computer Engineering and Applications 40(1)",
    2004,
)

PAPER_GAMES = 8

MOVES = {
    11: paper_item(8, 9, 10, 8, 10), 26: paper_item(21, 2, 1, 3, 3), 72: paper_item(31, 9, 4, 9, 5),
    90: paper_item(10, 8, 8, 5, 8), 91: paper_item(12, 3, 7, 3, 6), 92: paper_item(5, 2, 10, 3, 8),
}  # fmt: skip
"""The moves of the paper's table 3 by their numbers."""

WORDS = {11: "车一平二", 26: "马2进3", 72: "卒9进1", 90: "炮二平五", 91: "兵七进一", 92: "马八进七"}

RULES = ((11, 26), (11, 72), (26, 11), (26, 90), (26, 91), (26, 92), (72, 11), (90, 26), (91, 26))
"""The rules of table 3."""

CONFIDENCES = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


# table-3


def count_table(key: str) -> dict[str, Any]:
    """Return the counts of the paper's rules in the first games of a file; the key is `<games> <bytes> <path>`."""
    most, _, path = key.split(" ", 2)
    games = read_games(Path(path), "identity", 0, int(most))
    mined = {"any order": move_rules(games, PAPER_RULES), "later": move_rules(games, WANTED._replace(support=0.25))}
    return {
        "counts": [count_rule(games, MOVES[asked], MOVES[answer]) for asked, answer in RULES],
        "rules": {order: len(rules) for order, rules in mined.items()},
        "found": {
            order: [any(same_rule(rule, MOVES[a], MOVES[b]) for rule in rules) for a, b in RULES]
            for order, rules in mined.items()
        },
    }


def table_3(bench: Bench) -> Result:
    path = games_of(bench)
    sizes = (PAPER_GAMES, bench.size(10, 100), 0)
    keys = {size: f"{size} {path.stat().st_size} {path}" for size in sizes}
    counted = bench.measure(keys.values(), count_table)
    counts = [RuleCount(*row) for row in counted[keys[0]]["counts"]]
    rows = [
        (
            f"{asked} => {answer}",
            f"{WORDS[asked]} => {WORDS[answer]}",
            str(count.both),
            f"{count.confidence:.1%}",
            f"{count.lift:.2f}",
            f"{count.confidence_in_order:.1%}",
        )
        for (asked, answer), count in zip(RULES, counts, strict=True)
    ]
    columns = ("rule", "moves", "games with both", "confidence", "lift", "confidence, answer later")
    mined = [
        (
            str(value["counts"][0][0]),
            *(
                text
                for order, rules in value["rules"].items()
                for text in (str(rules), f"{sum(value['found'][order])} of {len(RULES)}")
            ),
        )
        for value in (counted[keys[size]] for size in sizes)
    ]
    mined_columns = ("games", "rules, any order", "of the paper's", "rules, answer later", "of the paper's")
    return Result(
        f"{counts[0].games} games of {path.name}, whole, items by identity, games that begin on the left mirrored. "
        "Confidence and lift are the paper's, whatever the order of the two moves; in the last column the answer comes "
        "after the antecedent. Mined below: rules of one move and one answer. In any order, by the paper's definition: "
        f"support {PAPER_RULES.support:.0%}, confidence {PAPER_RULES.confidence:.0%}. The answer later: support 25 %, "
        f"at least {WANTED.least} games, confidence {WANTED.confidence:.0%}. The paper names no thresholds.",
        [
            Table("The paper's rules in our games", columns, rows),
            Table("Rules mined", mined_columns, mined),
        ],
    )


# play


def play(bench: Bench) -> Result:
    games, folder = games_of(bench), bench.log.parent
    confidences = CONFIDENCES if not bench.quick else CONFIDENCES[::6]
    bases = [Base(items, plies, sure) for items in ("identity", "kind") for plies in (40, 0) for sure in confidences]
    mine_bases(games, folder, bases)
    books = {base: RuleBook(base.path(folder)) for base in bases}
    names = {f"{base.text} of {books[base].about['games']} games": base for base in bases}
    depth, count = bench.size(2, 4), bench.size(2, 100)
    files = {name: base.path(folder).name for name, base in names.items()}
    records = run_games(
        functools.partial(play_by_rules, folder, files, openings(), "network"),
        [(name, "search") for name in names],
        bench.log,
        count,
        PlayerLimits(depth=depth),
        bench.jobs,
    )
    scores = pairing_scores(records)
    rows = []
    for name, base in names.items():
        own = [record for record in records if record["a"] == name]
        share, saved = answered_share(own), time_saved(own)
        rows.append(
            (
                base.items,
                "40 plies" if base.plies else "whole games",
                f"{base.confidence:.1f}",
                str(len(books[base].rules)),
                percent(scores[Pairing(name, "search")].score),
                f"{share:.1%}",
                f"{saved:.1%}",
            )
        )
    columns = ("items", "plies mined", "confidence from", "rules", "score", "moves by rules", "time saved")
    return Result(
        f"UseRules paper against UseRules false, {count} games each in pairs from common openings of six plies, depth "
        f"{depth}, at most {MAX_PLIES} plies; rules of one move after one move from {games.name}, support "
        f"{WANTED.support:.0%}. Time saved: a move's mean time, the look-up of rules included, against the opponent's "
        "in the same games.",
        [Table("", columns, rows)],
        lambda figure: draw_play(figure, names, records),
    )


def answered_share(records: Iterable[PaperGame]) -> float:
    """Return the share of A's moves that rules answered."""
    pairs = [(record["answered"], record["asked"]) for record in records]
    share: float = sum(answered for answered, _ in pairs) / max(sum(asked for _, asked in pairs), 1)
    return share


def time_saved(records: Sequence[PaperGame]) -> float:
    """Return the share of time per move that A saves against B."""
    own, other = (sum(record["spent"][player] for record in records) for player in (0, 1))
    moves = sum(record["asked"] for record in records), sum(record["moves"] for record in records)
    saved: float = 1 - own / max(moves[0], 1) / max(other / max(moves[1], 1), 1e-9)
    return saved


def draw_play(figure: Figure, names: dict[str, Base], records: Sequence[PaperGame]) -> None:
    """Draw scores and shares of moves by confidence."""
    scores = pairing_scores(records)
    axes = figure.subplots(1, 2)
    for items, plies in dict.fromkeys((base.items, base.plies) for base in names.values()):
        chosen = {name: base for name, base in names.items() if (base.items, base.plies) == (items, plies)}
        label = f"{items}, {'40 plies' if plies else 'whole games'}"
        at = [base.confidence for base in chosen.values()]
        heights, bars = percents([scores[Pairing(name, "search")].score for name in chosen])
        axes[0].errorbar(at, heights, yerr=bars, capsize=2, label=label)
        shares = [100 * answered_share(record for record in records if record["a"] == name) for name in chosen]
        axes[1].plot(at, shares, marker="o", label=label)
    for axis, text in zip(axes, ("score, %", "moves by rules, %"), strict=True):
        axis.set_xlabel("confidence from")
        axis.set_ylabel(text)
        axis.set_ylim(0, 100)
    axes[0].legend(fontsize="small")


# searches

MATCHES = (
    ("e(x)", 2, TABLE_3, 200),
    ("e(x)", 2, ALL, 400),
    ("terms", 1, ALL, 100),
    ("terms", 4, ALL, 100),
    ("network", 4, ALL, 100),
)
"""Search, depth, rule base and games, the weakest search first.

Nine rules seldom fit: a third game from an opening would be the first again, so each is played once from both sides.
"""


def searches(bench: Bench) -> Result:
    games, folder = games_of(bench), bench.log.parent
    rules = write_paper_bases(games, folder, [(MOVES[a], MOVES[b]) for a, b in RULES])
    rows = []
    for search, depth, base, count in MATCHES[: bench.size(3, len(MATCHES))]:
        name = f"{base}, {search}"
        records = run_games(
            functools.partial(play_by_rules, folder, {name: PAPER_BASES[base]}, openings(), search),
            [(name, search)],
            bench.log,
            bench.size(2, count),
            PlayerLimits(depth=depth),
            bench.jobs,
        )
        (score,) = pairing_scores(records).values()
        cells = (f"{search}, depth {depth}", f"{base}: {rules[base]}", "-".join(score.counts), percent(score.score))
        rows.append((*cells, f"{answered_share(records):.1%}"))
    return Result(
        f"each search with rules against itself without, in pairs of games from common openings of six "
        f"plies, at most {MAX_PLIES} in all. e(x) is plain alpha-beta with paper 5's evaluation, without a table or a "
        "quiescence search; terms and network are the engine's search with its terms and its network. Rules, in any "
        f"order as the paper defines them, are of {games.name}, whole games, items by identity, support "
        f"{PAPER_RULES.support:.0%}, confidence {PAPER_RULES.confidence:.0%}; `table 3` has those of them that the "
        "paper prints.",
        [Table("", ("search", "rules", "won-drawn-lost", "score with rules", "moves by rules"), rows)],
    )


# loop


def loop(bench: Bench) -> Result:
    count, depth, steps = bench.size(4, 100), bench.size(2, 4), bench.size(2, 10)
    growing = Growing(bench.log.parent, openings(), depth)
    with contextlib.closing(growing):
        keys = [f"loop, depth {depth}, game {number}" for number in range(count)]
        played = list(bench.measure(keys, growing.play, jobs=1).values())
    size = -(-count // steps)
    blocks = [played[start : start + size] for start in range(0, count, size)]
    rows = [
        (
            str(block[-1]["games"]),
            str(block[-1]["rules"]),
            f"{_sum(block, 'answered') / max(_sum(block, 'asked'), 1):.1%}",
            f"{(_sum(block, 'search_ms') + _sum(block, 'rule_ms')) / max(_sum(block, 'asked'), 1):.2f}",
            f"{_sum(block, 'rule_ms') / max(_sum(block, 'answered'), 1):.2f}" if _sum(block, "answered") else "-",
            f"{_sum(block, 'search_ms') / max(_sum(block, 'asked') - _sum(block, 'answered'), 1):.2f}",
            f"{_sum(block, 'mining_s') / len(block):.1f}",
        )
        for block in blocks
    ]
    columns = ("games", "rules", "moves by rules", "ms a move", "by a rule", "by a search", "s until mined")
    return Result(
        f"The daemon against itself, UseRules paper, GameLog, MineRules and RuleFile, from an empty rule base; {count} "
        f"games from common openings of six plies, depth {depth}; each row has the games since the row before. Each "
        "game begins when the last is mined. Games that reach "
        f"{MAX_PLIES} plies are left unfinished, and are not kept.",
        [Table("", columns, rows)],
        lambda figure: draw_loop(figure, played),
    )


def _sum(games: Iterable[dict[str, Any]], name: str) -> float:
    return sum(float(game[name]) for game in games)


def draw_loop(figure: Figure, played: Sequence[dict[str, Any]]) -> None:
    """Draw the growth of the base, and the share of moves that it answers."""
    axes = figure.subplots(1, 2)
    at = range(1, len(played) + 1)
    axes[0].plot(at, [game["rules"] for game in played])
    axes[0].set_ylabel("rules")
    axes[1].plot(at, [100 * game["answered"] / max(game["asked"], 1) for game in played], ".")
    axes[1].set_ylabel("moves by rules, %")
    for axis in axes:
        axis.set_xlabel("game")


EXPERIMENTS = (
    Experiment(
        "table-3",
        "nine rules mined from 8 games, among them 90 => 26, 炮二平五 => 马二进三, a common answer.",
        table_3,
    ),
    Experiment(
        "play",
        "the algorithm keeps the strength of play and raises the efficiency of the search: where a rule fits, its "
        "answer is played at once, which saves needless search. No figures are given.",
        play,
    ),
    Experiment(
        "searches",
        "the algorithm keeps the strength of play, beside an alpha-beta search of its time. No figures are given.",
        searches,
    ),
    Experiment(
        "loop",
        "after each game the games kept are mined; the more games, the more rules can be used. No figures are given.",
        loop,
    ),
    Experiment(
        "clock",
        "rules raise the efficiency of the search and keep the strength of play. No figures are given; the time that a "
        "rule saves here stays on the clock.",
        clock,
    ),
    Experiment(
        "movetimes",
        "rules save needless search and speed the program up. No figures are given.",
        movetimes,
    ),
)


@script.command
def main() -> int:
    return run_paper(__doc__, PAPER, EXPERIMENTS)
