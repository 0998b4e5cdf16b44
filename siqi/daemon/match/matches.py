"""Matches and tournaments: games played in parallel threads, and the files of these games."""

from __future__ import annotations

import atexit
import contextlib
import itertools
import queue
import random
import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import NamedTuple

import msgspec

from siqi.daemon.clients import make_player
from siqi.daemon.clients.player import Player, StartError
from siqi.daemon.cluster import node
from siqi.daemon.cluster.jobs import completed
from siqi.daemon.cluster.remote import Cluster
from siqi.daemon.match.game_loop import (
    Adjudication,
    Clock,
    GameEnd,
    Opening,
    Referee,
    parse_opening,
    play_moves,
)
from siqi.daemon.match.match_log import MatchRecord, MatchSettings, UsageError, open_log
from siqi.daemon.match.openings import load_openings
from siqi.daemon.match.progress import progress
from siqi.daemon.match.record_files import RecordFiles
from siqi.daemon.match.records import UNKNOWN, Occasion
from siqi.daemon.match.schedule import Unit, is_decided, missing, seating
from siqi.daemon.match.standings import Standings
from siqi.daemon.match.tally import FAULTS, Tally
from siqi.games.compiling import announce_compiling
from siqi.games.contract import FIRST, SECOND, Game, Position, Score, is_tablebase_game
from siqi.system.pipes import to_stderr


class UnitJob(NamedTuple):
    """What one worker of a cluster plays in order."""

    settings: MatchSettings
    opening: str
    unit: Unit


class Match(NamedTuple):
    """The part that all games of a match share."""

    settings: MatchSettings
    game: Game[Position]
    openings: Sequence[Opening]
    adjudication: Adjudication


def throws(seed: int, pair: int) -> Iterator[int]:
    """Yield the dice of both games of a pair."""
    rng = random.Random(f"throws/{seed}/{pair}")
    while True:
        yield rng.randint(1, 6)


def play_game(match: Match, unit: Unit, index: int, players: Sequence[Player]) -> MatchRecord:
    """Play one game of a unit; `players` are of the settings' engines."""
    settings = match.settings
    pair, first = seating(settings, index)
    order = (first, 1 - first)  # engine by side, and side by engine
    specs = [settings.engines[unit.pairing[engine]] for engine in order]
    opening = match.openings[unit.turn % len(match.openings)]
    dice = throws(settings.seed, index if settings.best_of else unit.turn)
    referee = Referee(match.game, opening, dice, settings.referee)
    clocks = [Clock(spec.limits, settings.margin_ms) for spec in specs]
    sides = [players[unit.pairing[engine]] for engine in order]
    seeds = [f"{settings.seed}/{index}/{side}" for side in (FIRST, SECOND)]
    winner, cause, reason = play_moves(referee, sides, clocks, seeds, match.adjudication)
    dialogue: list[str] = []
    if cause in FAULTS and winner is not None:
        dialogue = sides[1 - winner].dialogue
        sides[1 - winner].close()  # it begins the next game as a new process
    return MatchRecord(
        game=index,
        pair=pair,
        first=first,
        players=(specs[FIRST].name, specs[SECOND].name),
        opening=opening.text,
        dice=referee.thrown,
        moves=referee.words,
        plies=len(referee.words),
        winner=None if winner is None else order[winner],
        cause=cause,
        reason=reason,
        time_ms=(round(clocks[order[0]].used_ms), round(clocks[order[1]].used_ms)),
        times_ms=[round(choice.elapsed_ms, 1) for choice in referee.choices],
        scores=[score_text(choice.score) for choice in referee.choices],
        nodes=[choice.nodes for choice in referee.choices],
        over_ms=([round(ms, 1) for ms in clocks[order[0]].over_ms], [round(ms, 1) for ms in clocks[order[1]].over_ms]),
        versions=(sides[order[0]].version, sides[order[1]].version),
        start_ms=(sides[order[0]].start_ms, sides[order[1]].start_ms),
        dialogue=dialogue,
    )


def score_text(score: Score | None) -> int | str | None:
    """Return a score as the log keeps it."""
    if score is None or score.mate is None:
        return None if score is None else score.cp
    return f"#{score.mate}"


class CurrentMatch:
    """A match and its players in a worker's process, which stay for the next games."""

    settings: bytes = b""
    match: Match
    players: Sequence[Player] = ()

    @classmethod
    def of(cls, settings: MatchSettings) -> tuple[Match, Sequence[Player]]:
        """Return the match of the settings, without its openings, and the players."""
        key = msgspec.json.encode(settings)
        if key != cls.settings:
            cls.dismiss()
            cls.match = new_match(settings)
            cls.players = [make_player(spec, cls.match.game.info, settings.hang_s) for spec in settings.engines]
            cls.settings = key
        return cls.match, cls.players

    @classmethod
    def dismiss(cls) -> None:
        for player in cls.players:
            player.close()
        cls.settings, cls.players = b"", ()


atexit.register(CurrentMatch.dismiss)


def play_in_order(match: Match, unit: Unit, players: Sequence[Player]) -> Iterator[MatchRecord]:
    """Play a unit's games; yield each when it is over."""
    a, b = unit.scores
    for index in unit.games:
        record = play_game(match, unit, index, players)
        yield record
        a, b = a + record.score, b + 1 - record.score
        if is_decided((a, b), match.settings):
            return


def play_unit(job: UnitJob) -> list[MatchRecord]:
    """Play a unit's games in this process."""
    match, players = CurrentMatch.of(job.settings)
    match = match._replace(openings=[parse_opening(job.opening)])
    return list(play_in_order(match, job.unit, players))


def play_on(match: Match, units: Sequence[Unit], cluster: Cluster) -> Generator[MatchRecord]:
    """Play units on a cluster, one per worker; yield each game when its unit is played."""
    jobs = (UnitJob(match.settings, match.openings[unit.turn % len(match.openings)].text, unit) for unit in units)
    with contextlib.closing(completed(play_unit, jobs, cluster)) as finished:
        for played in itertools.chain.from_iterable(finished):
            yield from played


def play_games(match: Match, units: Sequence[Unit]) -> Generator[MatchRecord]:
    """Play units, several at a time; yield each game as it finishes. Closing abandons those in progress."""
    settings = match.settings
    everyone: list[Player] = []
    free: queue.SimpleQueue[list[Player]] = queue.SimpleQueue()
    for _ in range(settings.concurrency):
        players = [make_player(spec, match.game.info, settings.hang_s) for spec in settings.engines]
        free.put(players)
        everyone += players

    done: queue.SimpleQueue[MatchRecord | Future[None]] = queue.SimpleQueue()

    def play(unit: Unit) -> None:
        players = free.get()
        try:
            for record in play_in_order(match, unit, players):
                done.put(record)
        finally:
            free.put(players)

    def dismiss() -> None:
        for player in everyone:
            player.close()

    try:
        for engine in sorted({engine for unit in units for engine in unit.pairing}):
            everyone[engine].start()  # before the first game: none is played if one cannot
    except BaseException:
        dismiss()
        raise
    with ThreadPoolExecutor(settings.concurrency) as pool:
        games = [pool.submit(play, unit) for unit in units]
        for game in games:
            game.add_done_callback(done.put)
        left = len(games)
        try:
            while left:
                item = done.get()
                if isinstance(item, MatchRecord):
                    yield item
                else:
                    left -= 1
                    item.result()
        finally:
            for game in games:
                game.cancel()
            while wait(games, timeout=0.05).not_done:
                dismiss()  # in each round: an engine may have been starting just then
            dismiss()


def tablebase_judge(game: Game[Position]) -> Callable[[Position], GameEnd | None]:
    """Return a function that ends games whose results tablebases know; games in several threads may call it."""
    assert is_tablebase_game(game)
    lock = threading.Lock()

    def judge(position: Position) -> GameEnd | None:
        with lock:
            outcome = game.tablebase_outcome(position)
        return None if outcome is None else GameEnd(outcome.winner, "adjudicated", outcome.reason)

    return judge


def new_match(settings: MatchSettings) -> Match:
    """Return a match without its openings."""
    with announce_compiling(to_stderr, settings.game):
        game = node.load(settings.game, to_stderr)
    judge = tablebase_judge(game) if settings.tablebases else None
    return Match(settings, game, [], Adjudication(settings.max_plies, settings.agreement, judge))


def fault_of(record: MatchRecord) -> str | None:
    """Return the name of the engine that lost by a fault, None if none did."""
    return record.names[1 - record.winner] if record.cause in FAULTS and record.winner is not None else None


def run_match(
    settings: MatchSettings,
    path: Path,
    tally: Tally | Standings,
    every: int = 10,
    records_into: Path | None = None,
    occasion: Occasion = UNKNOWN,
    cluster: Cluster | None = None,
    as_json: bool = False,
    most_faults: int = 0,
) -> int:
    """Play the games that the log at `path` lacks, into log and tally, until done or decided; return their number.

    `records_into`: a folder for the games' records, which name the `occasion`.
    StartError once an engine has lost `most_faults` games in a row by faults (0: never), as it then needs its operator.
    """
    match = new_match(settings)
    match = match._replace(openings=load_openings(match.game, settings))
    if records_into is not None and settings.game != "xiangqi" and any(opening.fen for opening in match.openings):
        raise UsageError("--records: games must begin at the start position, except Xiangqi's")
    log, records = open_log(path, settings)
    kept = len(records)
    for record in records:
        tally.add(record)
    faults: Counter[str] = Counter()  # in a row, by engine
    files = None if records_into is None else RecordFiles(records_into, match.game, occasion)
    with log, progress(tally, every, as_json) as advance:
        if files is not None:
            files.prepare(settings, records)
        while not tally.sprt()[1] and (units := missing(settings, records)):  # a tournament's next round
            playing = play_games(match, units) if cluster is None else play_on(match, units, cluster)
            with contextlib.closing(playing) as fresh:
                while not tally.sprt()[1] and (played := next(fresh, None)):
                    log.add_game(played)
                    if files is not None:
                        files.write(played)
                    records.append(played)
                    tally.add(played)
                    advance()
                    for name in played.names:
                        faults[name] = faults[name] + 1 if name == fault_of(played) else 0
                        if faults[name] == most_faults > 0:
                            what = f"{name}: {most_faults} games in a row lost by faults"
                            raise StartError(f"{what}, the last by {played.cause}: {played.reason}")
    return len(records) - kept
