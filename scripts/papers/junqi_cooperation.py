"""Paper 4's experiments with Junqi, and similar ones: games between players of lib/junqi_players.py.

    python scripts/papers/compare_junqi_players.py games LOG --games 200 --jobs 2 --pairing siqi random
    python scripts/papers/compare_junqi_players.py table LOG --games 200 --ms 50 --jobs 2 --plot table.svg
    python scripts/papers/compare_junqi_players.py grid LOG --games 20 --ms 10 --jobs 2 --plot grid.svg
    python scripts/papers/compare_junqi_players.py setups LOG --games 400 --ms 20 --jobs 2
    python scripts/papers/compare_junqi_players.py kinds LOG
    python scripts/papers/compare_junqi_players.py times --playouts 2000 --games 40 --plot times.svg
    python scripts/papers/compare_junqi_players.py speed

Games come in pairs: the same two deployments, drawn from the learned weights, sides swapped. Every game is a line of
the log, with its words; the same command continues a run that was broken off.

`table`: the paper's player and the engine against four others and each other. `grid`: figures 3 to 7, the paper's
player with its two parameters from 0.2 to 1.0 against the four. `setups`: the engine against itself, A with the
deployments of its choice. `kinds`: table 1, the moves of a log's games by kind: an *attack* meets an enemy piece, or
may meet one with the next move; of the others a *defence* leaves a square that an enemy may reach, enters a camp or
stops beside the own flag; all others *shuffle*. `times`: figure 8, the time of the paper's player for `--playouts`
playouts and episodes by the number of the move, without activation (UCT alone) and with 1 to 4 pieces activated, and
the number of joint actions of all movable pieces. `speed`: plies of playouts a second.
"""

from __future__ import annotations

import functools
import itertools
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from scripts.lib import script
from scripts.lib.junqi_players import make_player
from scripts.lib.paper_games import (
    EngineMind,
    Job,
    Mind,
    Pairing,
    PaperGame,
    add_games,
    play_game,
    print_grid,
    report_games,
    results,
    whole_pairs,
)
from scripts.lib.plots import check_plot, save_plot

from games.contract import UNKNOWN_SETUP, Task, exhaust
from games.junqi.game import Junqi, JunqiPosition
from games.junqi.knowledge.behaviour import FLED, MOVED, RESTED
from games.junqi.rules.lookup import FLAG, LOOKUP_RECORD, NOWHERE, PIECES
from games.junqi.rules.movegen import reaches
from games.junqi.search.cooperation import INTENTIONS, MAX_TEAM
from games.junqi.search.flat import PLAYOUT_PLIES
from games.junqi.search.setup import TILT, draw_setup
from games.kernel.control import Control

MOST_PLIES = 1000

PAPERS = ("minimax", "alphabeta", "mcts", "uct")
TABLE = (
    *(("cooperation", other) for other in PAPERS),
    *(("siqi", other) for other in (*PAPERS, "cooperation", "random")),
)
STEPS = (0.2, 0.4, 0.6, 0.8, 1.0)
"""The grid's values of Alpha and Gamma."""

OWN = " with own setups"
OWN_SETUPS = (f"siqi{OWN}", "siqi")

KINDS = ("attack", "defence", "shuffle")


@functools.cache
def player(text: str, seat: int) -> Mind:
    """Return a player, kept by the process for each seat: both seats may have the same kind."""
    return make_player(text.removesuffix(OWN))


def play(job: Job, first: int) -> PaperGame:
    """Play a game of random set-ups, the same in both games of a pair."""
    setups = [draw_setup(2 * job.pair + side + 1) for side in range(2)]
    if job.pairing == OWN_SETUPS:
        setups[first] = draw_setup(2 * job.pair + first + 1, TILT)
    minds = [player(job.pairing[first], 0), player(job.pairing[1 - first], 1)]
    played = play_game(script.load_once("junqi"), job, first, minds, setups, max_plies=MOST_PLIES)
    position = played.referee.position
    assert isinstance(position, JunqiPosition)
    return played.record | {"words": words_of(position)}


def words_of(referee: JunqiPosition) -> str:
    """Return the game as `position startpos moves` takes it."""
    return " ".join([*referee.words, *map(referee.move_text, referee.moves())])


def grid_name(alpha: float, gamma: float) -> str:
    return f"cooperation Alpha={alpha} Gamma={gamma}"


def report_grid(records: list[PaperGame], path: Path | None) -> None:
    """Print the scores by parameters, all opponents together; plot each gamma as the paper does."""
    found = results(records)
    together = results([record | {"b": "all", "pair": f"{record['b']} {record['pair']}"} for record in records])
    print_grid("Alpha, Gamma", STEPS, lambda alpha, gamma: together[Pairing(grid_name(alpha, gamma), "all")])
    if path is None:
        return
    from matplotlib import pyplot

    _, parts = pyplot.subplots(1, len(STEPS), figsize=(16, 4), sharey=True)
    for axes, gamma in zip(parts, STEPS, strict=True):
        for i, other in enumerate(PAPERS):
            scores = [found[Pairing(grid_name(alpha, gamma), other)] for alpha in STEPS]
            axes.errorbar(
                [alpha + 0.015 * (i - 1.5) for alpha in STEPS],
                [100 * score.score for score in scores],
                [100 * score.bar for score in scores],
                capsize=2,
                label=other,
            )
        axes.set_title(f"gamma {gamma}")
        axes.set_xlabel("alpha")
    parts[0].set_ylabel("score of the paper's player, %")
    parts[-1].legend()
    pyplot.tight_layout()
    save_plot(pyplot.gcf(), path)


def meets_enemy(position: JunqiPosition, origin: int) -> bool:
    """True if the piece that has just moved to a square can meet an enemy with its next move."""
    record, piece = position.record, int(position.record.board[origin]) - 1
    enemies = record.where[PIECES:] if piece < PIECES else record.where[:PIECES]
    may = int(record.may[piece])
    return any(
        reaches(record, LOOKUP_RECORD, origin | int(square) << 6, may) for square in enemies if square != NOWHERE
    )


def kinds_of(words: list[str]) -> Iterator[tuple[int, str]]:
    """Yield (side, kind) of every move of a game, as a referee sees it."""
    position = JunqiPosition()
    for word in words:
        side, had_pieces = position.turn, position.has_pieces
        move = position.parse_move(word)
        was_met = had_pieces and position.record.board[move >> 6 & 63] > 0
        before = position.trait_counts(side).sum(0) if had_pieces else None
        position.push(move)
        if not had_pieces:
            continue
        target = move >> 6 & 63
        gone = position.trait_counts(side).sum(0) - before
        assert gone[MOVED] == 1
        flag = next(p for p in range(side * PIECES, side * PIECES + PIECES) if position.record.may[p] == 1 << FLAG)
        if was_met or meets_enemy(position, target):
            yield side, "attack"
        elif gone[FLED] or gone[RESTED] or LOOKUP_RECORD.roads[position.record.where[flag]] >> target & 1:
            yield side, "defence"
        else:
            yield side, "shuffle"


def report_kinds(records: list[PaperGame]) -> None:
    """Print the shares of each player's kinds of moves, and the ends of games."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    games: Counter[str] = Counter()
    ends: dict[str, Counter[str]] = defaultdict(Counter)
    for record in script.progress(records, unit=" games"):
        players = (record["a"], record["b"]) if record["first"] == 0 else (record["b"], record["a"])
        games.update(set(players))
        for side, kind in kinds_of(record["words"].split()):
            counts[players[side]][kind] += 1
        for name in set(players):
            is_winner = record["winner"] is not None and name == record["ab"[record["winner"]]]
            how = "drawn" if record["winner"] is None else "won" if is_winner else "lost"
            ends[name][f"{how} by {record['end']}"] += 1
    print("| player | games | " + " | ".join(KINDS) + " | ends |\n|---|---|" + "---|" * (len(KINDS) + 1))
    for name, count in counts.items():
        shares = " | ".join(f"{count[kind] / count.total():.1%}" for kind in KINDS)
        shown = ", ".join(f"{end} {number}" for end, number in ends[name].most_common())
        print(f"| {name} | {games[name]} | {shares} | {shown} |")


def report_times(playouts: int, games: int, path: Path | None) -> None:
    """Print mean ms by the number of the side's move, in games of the paper's player against itself."""
    players = {"UCT alone": "siqi Searcher=uct"} | {
        f"{count} activated": f"cooperation Activate={count}" for count in range(1, MAX_TEAM + 1)
    }
    spent: dict[str, dict[int, list[float]]] = {name: defaultdict(list) for name in players}
    movable: dict[int, list[int]] = defaultdict(list)
    for number in script.progress(range(games), unit=" games"):
        name = list(players)[number % len(players)]
        engine = player(players[name], 0)
        assert isinstance(engine, EngineMind)
        engine.new_game(number + 1)
        referee = new_game([draw_setup(2 * number + side + 1) for side in range(2)])
        while referee.outcome() is None and referee.ply < MOST_PLIES:
            view = JunqiPosition()
            for word in referee.view_moves(referee.turn):
                view.push(view.parse_move(word))
            started = time.perf_counter()
            report = exhaust(engine.searcher, Task(view, Control(playouts)))
            at = (referee.ply - 2) // 2
            spent[name][at].append(1000 * (time.perf_counter() - started))
            movable[at].append(len({move & 63 for move in view.legal_moves()}))
            referee.push(referee.parse_move(referee.move_text(report.lines[0].pv[0] & 0xFFF)))
    rows = range(0, 40, 4)
    print("| move | " + " | ".join(players) + " | joint actions of all pieces |\n|---|" + "---|" * (len(players) + 1))
    for at in rows:
        cells = [statistics.fmean(itertools.chain(*(spent[name][i] for i in range(at, at + 4)))) for name in players]
        pieces = statistics.fmean(itertools.chain(*(movable[i] for i in range(at, at + 4))))
        print(
            f"| {at + 1}-{at + 4} | " + " | ".join(f"{ms:.1f} ms" for ms in cells) + f" | {INTENTIONS**pieces:,.0f} |"
        )
    if path is None:
        return
    from matplotlib import pyplot

    _, axes = pyplot.subplots(figsize=(8, 4))
    for name, times in spent.items():
        axes.plot([at + 1 for at in range(40)], [statistics.fmean(times[at]) for at in range(40)], label=name)
    axes.set_xlabel("number of the move")
    axes.set_ylabel(f"ms for {playouts:,} playouts and episodes")
    axes.set_ylim(0)
    axes.legend()
    pyplot.tight_layout()
    save_plot(pyplot.gcf(), path)


def new_game(setups: list[str]) -> JunqiPosition:
    position = JunqiPosition()
    for setup in setups:
        position.push(position.parse_move(setup))
    return position


def report_speed(playouts: int, runs: int) -> None:
    """Print the plies a second of `flat`'s playouts, those that end early counted whole; the best of `runs`."""
    engine = EngineMind(Junqi(print), {"Searcher": "flat"})
    view = new_game([draw_setup(1), UNKNOWN_SETUP])
    rates = []
    for _ in range(runs):
        engine.new_game(1)
        started = time.perf_counter()
        report = exhaust(engine.searcher, Task(view, Control(playouts)))
        rates.append(report.nodes * (1 + PLAYOUT_PLIES) / (time.perf_counter() - started))
    print(f"{max(rates):,.0f} plies/s")


@script.command
def main() -> int:
    parser = script.parser(__doc__)
    commands = add_games(parser, ("games", "table", "grid", "setups"))
    kinds = commands.add_parser("kinds")
    kinds.add_argument("log", type=Path)
    times = commands.add_parser("times")
    times.add_argument("--playouts", type=int, default=2000)
    times.add_argument("--games", type=int, default=40)
    times.add_argument("--plot", type=Path, help="an SVG or PNG to draw")
    speed = commands.add_parser("speed")
    speed.add_argument("--playouts", type=int, default=500_000)
    speed.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    if options.command == "kinds":
        report_kinds(whole_pairs(options.log))
    elif options.command == "times":
        check_plot(options.plot)
        report_times(options.playouts, options.games, options.plot)
    elif options.command == "speed":
        report_speed(options.playouts, options.runs)
    else:
        pairings = {
            "table": TABLE,
            "setups": [OWN_SETUPS],
            "grid": [
                (grid_name(alpha, gamma), other) for alpha, gamma, other in itertools.product(STEPS, STEPS, PAPERS)
            ],
        }
        report_games(play, pairings, options, report_grid)
    return 0


if __name__ == "__main__":
    sys.exit(main())
