"""Paper 4's experiments with Junqi, and others like them: games between players of _junqi_players.py.

    python scripts/junqi_paper.py games LOG --games 200 --ms 50 --jobs 2 --pairing siqi random --pairing ...

Games come in pairs: the same two deployments, drawn from the learned weights, sides swapped. Every game is a line of
the log, with its words; a run that was broken off goes on from there.
"""

from __future__ import annotations

import argparse
import functools
import sys
import time

from _junqi_players import Player, make_player
from _paper import Job, Record, add_options, plot_scores, run_games, tell

from games.junqi.game import JunqiPosition
from games.junqi.notation import UNKNOWN
from games.junqi.setup import draw_setup

MOST_PLIES = 1000


@functools.cache
def player(text: str, seat: int) -> Player:
    """A process keeps its players, one for each seat: they may be two of a kind."""
    return make_player(text)


def play(job: Job) -> list[Record]:
    return [play_game(job, first) for first in (0, 1)]


def play_game(job: Job, first: int) -> Record:
    """One game; `first` is who has the first side, 0 for A."""
    setups = [draw_setup(2 * job.pair + side + 1) for side in range(2)]
    seats = [player(job.pairing[first], 0), player(job.pairing[1 - first], 1)]
    referee = JunqiPosition()
    views = [JunqiPosition(), JunqiPosition()]
    for side, setup in enumerate(setups):
        referee.push(referee.parse_move(setup))
        for viewer, view in enumerate(views):
            view.push(view.parse_move(setup if viewer == side else UNKNOWN))
        seats[side].new_game(2 * job.pair + side + 1)
    spent: list[list[float]] = [[], []]
    told = [2, 2]
    while (outcome := referee.outcome()) is None and referee.ply < MOST_PLIES:
        side = referee.turn
        started = time.perf_counter()
        move = seats[side].choose(views[side], job.ms)
        spent[side].append(time.perf_counter() - started)
        referee.push(referee.parse_move(referee.move_text(move & 0xFFF)))
        for viewer, view in enumerate(views):
            for word in referee.view_moves(viewer)[told[viewer] :]:
                view.push(view.parse_move(word))
            told[viewer] = referee.ply
    players = [side ^ first for side in range(2)]
    return {
        "a": job.pairing.a,
        "b": job.pairing.b,
        "ms": job.ms,
        "pair": job.pair,
        "first": first,
        "winner": None if outcome is None or outcome.winner is None else outcome.winner ^ first,
        "end": "plies" if outcome is None else outcome.reason,
        "plies": referee.ply - 2,
        "spent": [round(1000 * sum(spent[side])) for side in players],
        "longest": [round(1000 * max(spent[side], default=0)) for side in players],
        "words": words_of(referee),
    }


def words_of(referee: JunqiPosition) -> str:
    """The game as `position startpos moves` takes it."""
    return " ".join([*referee.words, *map(referee.move_text, referee.moves())])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    games = commands.add_parser("games")
    add_options(games)
    games.add_argument("--pairing", nargs=2, action="append", required=True, metavar=("A", "B"))
    options = parser.parse_args()
    records = run_games(play, [tuple(pairing) for pairing in options.pairing], options)
    tell(records)
    if options.plot is not None:
        plot_scores(records, options.plot)
    return 0


if __name__ == "__main__":
    sys.exit(main())
