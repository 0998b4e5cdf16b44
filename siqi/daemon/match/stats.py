"""`siqi match stats`: the results of logs, in full; logs of the same conditions are counted together."""

from __future__ import annotations

import argparse
import errno
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from siqi.daemon.commands.game_files import reason
from siqi.daemon.match import statistics
from siqi.daemon.match.arguments import FILE_FAILED
from siqi.daemon.match.match_log import MatchRecord, MatchSettings, Reader, differences, shown_settings
from siqi.daemon.match.standings import Standings
from siqi.daemon.match.tally import LEGEND, Tally, strength
from siqi.system.log import read_log
from siqi.system.messages import translated
from siqi.system.pipes import to_stderr

EXTENT = {"engines", "games", "rounds", "concurrency", "seed", "openings", "sprt", "sprt_model", "tournament"}
"""The settings that say how much is played, not under which conditions; openings are compared by their sha256."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `siqi match stats`."""
    parser.description = (
        "Show what logs of matches say: results, strength, sides, ends of games. "
        "Logs are counted together if their engines and conditions are the same."
    )
    parser.add_argument("logs", nargs="+", type=Path, metavar="LOG", help="a log of siqi match, which may still run")
    parser.set_defaults(run=stats_with)


def stats_with(options: argparse.Namespace) -> int:
    """Run `siqi match stats`; return 0, or FILE_FAILED for a log that cannot be read."""
    try:
        groups = grouped([read_match(path) for path in options.logs])
    except OSError as error:
        to_stderr(f"siqi match stats: {reason(error)}")
        return FILE_FAILED
    print(translated("\n\n".join(text_of(group) for group in groups)))
    return 0


class PlayedMatch:
    """Games of one or several logs with the same conditions. `apart`: why others were not added, and to which log."""

    def __init__(self, path: Path, settings: MatchSettings, records: Sequence[MatchRecord]) -> None:
        self.paths = [path]
        self.settings = settings
        self.records = list(records)
        self.apart: list[str] = []

    def difference(self, other: PlayedMatch) -> list[str]:
        """Return the differences of the conditions, one text each; empty if games may be counted together."""
        mine, its = ({spec.name: spec.words for spec in match.settings.engines} for match in (self, other))
        before, after = (shown_settings(match.settings, EXTENT) for match in (self, other))
        of_engines = (f"{name}: {text}" for name in mine if name in its for text in differences(mine[name], its[name]))
        return [*of_engines, *differences(before, after)]

    def shares_engines(self, other: PlayedMatch) -> bool:
        names = {spec.name for spec in self.settings.engines}
        return self.settings.game == other.settings.game and any(spec.name in names for spec in other.settings.engines)

    def add(self, other: PlayedMatch) -> None:
        """Add the games of another match under the same conditions; its pairs stay separate from ours."""
        engines = {spec.name: spec for spec in (*self.settings.engines, *other.settings.engines)}
        is_same = list(engines) == [spec.name for spec in other.settings.engines]
        after = max((record.pair for record in self.records), default=-1) + 1
        order = {name: number for number, name in enumerate(engines)}
        for record in other.records:
            moved = msgspec.structs.replace(record, pair=record.pair + after)
            self.records.append(moved if order[moved.names[0]] < order[moved.names[1]] else turned(moved))
        same = {"sprt", "sprt_model", "tournament"} if is_same else set()
        fields = {name: getattr(self.settings, name) for name in same}
        if any(getattr(other.settings, name) != value for name, value in fields.items()) or not is_same:
            fields = {"sprt": None, "tournament": "" if len(engines) == 2 else "matches"}
        if fields["tournament"] in ("swiss", "knockout"):  # whose rounds are those of one log
            fields["tournament"] = "matches"
        self.settings = msgspec.structs.replace(self.settings, engines=tuple(engines.values()), **fields)
        self.paths += other.paths


def turned(record: MatchRecord) -> MatchRecord:
    """Return the same game with the engines A and B exchanged."""
    winner = None if record.winner is None else 1 - record.winner
    by_engine = {name: getattr(record, name)[::-1] for name in ("time_ms", "over_ms", "versions", "start_ms")}
    return msgspec.structs.replace(record, first=1 - record.first, winner=winner, **by_engine)


def read_match(path: Path) -> PlayedMatch:
    """Return the games of a log; OSError if it is none."""
    reader = Reader()
    read_log(path, reader.read)
    if reader.settings is None:
        raise OSError(errno.EINVAL, "has no game yet", str(path))
    return PlayedMatch(path, reader.settings, reader.records)


def grouped(matches: Iterable[PlayedMatch]) -> list[PlayedMatch]:
    """Return the matches with those of the same conditions put together."""
    groups: list[PlayedMatch] = []
    for match in matches:
        for group in filter(match.shares_engines, groups):
            if not (difference := group.difference(match)):
                group.add(match)
                break
            match.apart.append(f"counted apart from {group.paths[0]}: {'; '.join(difference)}")
        else:
            groups.append(match)
    return groups


def text_of(match: PlayedMatch) -> str:
    """Return all that the games of a match show."""
    lines = [f"{', '.join(map(str, match.paths))}", *match.apart]
    if match.settings.tournament:
        standings = Standings(match.settings)
        for record in match.records:
            standings.add(record)
        lines.append(standings.report())
        for tally in standings.tallies:
            lines += ["", f"{' against '.join(tally.names)}, {tally.games} games", tally.standing()]
            if any(tally.pairs) and tally.misconfigured is None:
                lines.append(strength(tally.pairs))
            lines += details(tally)
        if any(any(tally.pairs) for tally in standings.tallies):
            lines += ["", LEGEND]
    else:
        tally = Tally(match.settings)
        for record in match.records:
            tally.add(record)
        lines += [tally.report(), *details(tally)]
    return "\n".join(lines)


def details(tally: Tally) -> Iterator[str]:
    """Yield lines on the sides, the ends and the lengths of a pairing's games."""
    if not tally.games:
        return
    for side, scores in zip(("first", "second"), tally.sides, strict=True):
        if scores:
            yield f"{tally.names[0]} on the {side} side: {side_text(scores)}"
    first = Counter(tally.sides[0])
    for points, games in tally.sides[1].items():
        first[1 - points] += games
    yield f"the first side: {side_text(first)}"
    ends = (f"{end or cause} {games}" for (cause, end), games in tally.ends.most_common())
    yield f"ends: {', '.join(ends)}"
    plies = tally.plies
    yield f"plies: {sum(plies) / len(plies):.0f} on average, {min(plies)} to {max(plies)}"


def side_text(scores: Counter[float]) -> str:
    """Return the results of single games, from one side's view."""
    lost, drawn, won = (scores[points] for points in (0.0, 0.5, 1.0))
    result = statistics.estimate([lost, drawn, won])
    return f"W-D-L {won}-{drawn}-{lost}  score {result.score:.1%} [{result.low:.1%}, {result.high:.1%}]"
