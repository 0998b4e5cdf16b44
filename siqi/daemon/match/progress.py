"""What a match shows while it is played: two lines on a terminal, twice a second; elsewhere a line now and then."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator

from tqdm import tqdm

from siqi.daemon.cluster.progress import Bar
from siqi.daemon.match.schedule import count_games
from siqi.daemon.match.standings import Standings
from siqi.daemon.match.tally import Tally
from siqi.system.messages import translated

REFRESH_S = 0.5


@contextlib.contextmanager
def progress(tally: Tally | Standings, every: int, as_json: bool = False) -> Iterator[Callable[[], None]]:
    """Yield a function to call after each game; off a terminal it prints the standing every `every` games."""
    if not (as_json or sys.stderr.isatty()):

        def print_standing() -> None:
            if tally.games % every == 0:
                print(f"{tally.games}  {translated(tally.standing())}", flush=True)

        yield print_standing
        return
    layout = "{l_bar}{bar:10}| " + translated("{n_fmt}/{total_fmt} games") + " [{elapsed}<{remaining}]"
    total = count_games(tally.settings)
    with (
        Bar(total=total, initial=tally.games, bar_format=layout, as_json=as_json, mininterval=REFRESH_S) as games,
        tqdm(total=0, position=1, bar_format="{desc}", disable=as_json, dynamic_ncols=True) as standing,
    ):

        def advance() -> None:
            if games.update():
                standing.set_description_str(translated(tally.standing()))

        standing.set_description_str(translated(tally.standing()))
        yield advance
        standing.set_description_str(translated(tally.standing()))
