"""What a match shows while it is played."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator

from siqi.daemon.cluster.progress import Bar
from siqi.daemon.match.standings import Standings
from siqi.daemon.match.tally import Tally


@contextlib.contextmanager
def progress(tally: Tally | Standings, every: int, as_json: bool = False) -> Iterator[Callable[[], None]]:
    """Yield a function to call after each game: it moves a bar on a terminal, else prints every `every` games."""
    if as_json or sys.stderr.isatty():
        layout = "{l_bar}{bar:10}| {n_fmt}/{total_fmt} [{elapsed}<{remaining}]{postfix}"
        total = tally.settings.games * len(tally.settings.pairings) * max(tally.settings.best_of, 1)
        with Bar(total=total, initial=tally.games, bar_format=layout, as_json=as_json, unit=" games") as bar:

            def advance() -> None:
                bar.set_postfix_str(tally.standing(), refresh=False)
                bar.update()

            yield advance
    else:

        def print_standing() -> None:
            if tally.games % every == 0:
                print(f"{tally.games}  {tally.standing()}", flush=True)

        yield print_standing
