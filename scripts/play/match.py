"""Play a match between two engines and say how sure the result is.

    python scripts/play/match.py ewn --a siqi --b random --games 200 --movetime 50 --log ewn.jsonl

Each engine runs in processes of its own and speaks UCI, with the words protocol.md adds for the other games.
Games 2k and 2k+1 are a pair: the same opening and the same throws with the sides swapped. Whoever plays an
illegal move, dies or oversteps its time loses the game. Every game becomes a line of the log; the same
command with the same log continues a match that was broken off. Our own rules judge, or for Xiangqi those of
another library: `--referee pyffish`. With `--best-of 7` it is a championship match, or several: series of seven games,
A moving first in games 1, 4 and 5 (B in every second series), each with throws of its own, left when they are decided.
`--records` also writes EWN's games as the championships keep them, a file each; a file that is there already must hold
the same game.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib.util
import itertools
import math
import queue
import random
import sys
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from scripts.lib import script
from scripts.lib.engine import EngineSpec, Forfeit, Limits, Player, StartError, Turn, make_player
from scripts.lib.match_log import (
    Record,
    Settings,
    UsageError,
    append,
    is_decided,
    missing,
    open_log,
    seating,
    series_scores,
)
from scripts.lib.tally import Tally, progress

from games import registry
from games.contract import FIRST, SECOND, Game, GameRecord, Position, is_hidden_position, is_setup_position, set_dice
from games.ewn import record as ewn_record
from games.files import check_owned, replace_file

# ---------------------------------------------------------------- one game


class Opening(NamedTuple):
    """Where a pair of games starts. `fen` None: the start position."""

    text: str = ""
    fen: str | None = None
    moves: Sequence[str] = ()


def parse_opening(text: str) -> Opening:
    """`m1 m2 ...`, `FEN`, or `FEN moves m1 m2 ...`; a FEN is known by its slashes."""
    if "/" not in text:
        return Opening(text, None, text.split())
    fen, _, moves = text.partition(" moves ")
    return Opening(text, fen, moves.split())


def load_openings(game: Game[Position], settings: Settings) -> list[Opening]:
    """The file's openings, one a line (`#` starts a comment), all checked, shuffled by the seed."""
    if not settings.openings:
        return [Opening()]
    openings = []
    for number, line in enumerate(Path(settings.openings).read_text("utf-8").splitlines(), 1):
        if text := line.partition("#")[0].strip():
            try:
                openings.append(parse_opening(text))
                Referee(game, openings[-1], iter(()), settings.referee)
            except (ValueError, Forfeit) as error:
                raise UsageError(f"{settings.openings}:{number}: {error}") from error
    if not openings:
        raise UsageError(f"{settings.openings} has no openings")
    random.Random(f"openings/{settings.seed}").shuffle(openings)
    return openings


def throws(seed: int, pair: int) -> Iterator[int]:
    """The dice of both games of a pair."""
    rng = random.Random(f"throws/{seed}/{pair}")
    while True:
        yield rng.randint(1, 6)


def words_for(game: Game[Position], position: Position, side: int, words: list[str]) -> list[str]:
    """The game so far as that side may know it: all of it, unless the opponent's pieces are hidden."""
    return position.view_moves(side) if is_hidden_position(position, game.info) else words


def judged_position(game: Game[Position], fen: str | None, rules: str) -> Position:
    """A position whose outcome is by the rules named."""
    if rules == "pyffish":
        from scripts.lib.pyffish_referee import PyffishPosition

        return PyffishPosition(fen) if fen else PyffishPosition()
    return game.position(fen)


class Referee:
    """Holds the full position, judges moves by the rules and throws the dice."""

    def __init__(self, game: Game[Position], opening: Opening, dice: Iterator[int], rules: str) -> None:
        if opening.fen and game.info.has_hidden:
            raise ValueError("a position has no history to know hidden pieces by: give moves from the start")
        self._game, self._dice, self._fen = game, dice, opening.fen
        self.position = judged_position(game, opening.fen, rules)
        self.words: list[str] = []
        self.thrown: list[int] = []
        for word in opening.moves:
            self.play(word)

    def turn(self, go: str, budget_ms: float) -> Turn:
        """The question for the side to move, its dice thrown."""
        info, position = self._game.info, self.position
        deploying = is_setup_position(position, info) and not position.has_pieces
        dice = 0
        if info.has_dice and not deploying:
            dice = next(self._dice)
            set_dice(position, info, dice)
            self.thrown.append(dice)
        start = f"fen {self._fen}" if self._fen else "startpos"
        words = words_for(self._game, position, position.turn, self.words)
        return Turn(position, start, words, deploying, dice, go, budget_ms)

    def play(self, word: str) -> None:
        """Push the move; Forfeit if it is none."""
        try:
            move = self.position.parse_move(word)
        except ValueError as error:
            raise Forfeit("illegal", f"{word}: {error}") from error
        self.words.append(self.position.move_text(move))
        self.position.push(move)


class Clock:
    """One side's time in one game, measured from our side of the pipe."""

    def __init__(self, limits: Limits, margin_ms: int) -> None:
        self.limits, self._margin_ms = limits, margin_ms
        self.left_ms, self.used_ms = float(limits.clock_ms), 0.0

    @property
    def budget_ms(self) -> float:
        """What the next move may take; infinite without a limit in time."""
        left_ms = self.left_ms if self.limits.clock_ms else math.inf
        return min(self.limits.movetime_ms or math.inf, left_ms)

    def spend(self, elapsed_ms: float) -> None:
        """Charge a move; Forfeit if it took more than budget and margin."""
        self.used_ms += elapsed_ms
        if elapsed_ms > self.budget_ms + self._margin_ms:
            raise Forfeit("time", f"{elapsed_ms:.0f} ms of {self.budget_ms:.0f}")
        self.left_ms = max(0.0, self.left_ms - elapsed_ms) + self.limits.increment_ms


def go_words(clocks: Sequence[Clock], side: int) -> str:
    """The `go` line for a side; `wtime` belongs to the side that moves first from the start position."""
    limits = clocks[side].limits
    words = ["go"]
    for letter, clock in zip("wb", clocks, strict=True):
        if limits.clock_ms and clock.limits.clock_ms:
            left_ms = max(1, round(clock.left_ms))  # many engines read 0 as "no clock"
            words += [f"{letter}time", str(left_ms), f"{letter}inc", str(clock.limits.increment_ms)]
    for name, value in (("movetime", limits.movetime_ms), ("nodes", limits.nodes), ("depth", limits.depth)):
        if value:
            words += [name, str(value)]
    return " ".join(words)


class Match(NamedTuple):
    """What all games of a match share."""

    settings: Settings
    game: Game[Position]
    openings: Sequence[Opening]


class Ending(NamedTuple):
    """Like a Record's, but the winner is a side."""

    winner: int | None
    cause: str
    reason: str


def play_moves(
    referee: Referee, seated: Sequence[Player], clocks: Sequence[Clock], seed: str, max_plies: int
) -> Ending:
    """Greet both sides, then ask in turn until the rules, the ply limit or a fault ends the game."""
    side = FIRST
    try:
        for side in (FIRST, SECOND):
            seated[side].new_game(f"{seed}/{side}")
        while (outcome := referee.position.outcome()) is None:
            if max_plies and len(referee.words) >= max_plies:
                return Ending(None, "adjudicated", f"{max_plies} plies")
            side = referee.position.turn
            choice = seated[side].choose(referee.turn(go_words(clocks, side), clocks[side].budget_ms))
            clocks[side].spend(choice.elapsed_ms)
            referee.play(choice.word)
    except Forfeit as fault:
        return Ending(1 - side, fault.cause, fault.reason)
    return Ending(outcome.winner, "rules", outcome.reason)


def play_game(match: Match, index: int, players: Sequence[Player]) -> Record:
    """One game. `players` are A and B; A has the first side in even games."""
    settings = match.settings
    pair, first = seating(settings, index)
    seats = (first, 1 - first)  # engine by side, and side by engine
    opening = match.openings[pair % len(match.openings)]
    referee = Referee(match.game, opening, throws(settings.seed, index if settings.best_of else pair), settings.referee)
    clocks = [Clock(settings.engines[engine].limits, settings.margin_ms) for engine in seats]
    seated = [players[engine] for engine in seats]
    winner, cause, reason = play_moves(referee, seated, clocks, f"{settings.seed}/{index}", settings.max_plies)
    return Record(
        game=index,
        pair=pair,
        first=first,
        players=(settings.engines[seats[FIRST]].name, settings.engines[seats[SECOND]].name),
        opening=opening.text,
        dice=referee.thrown,
        moves=referee.words,
        plies=len(referee.words),
        winner=None if winner is None else seats[winner],
        cause=cause,
        reason=reason,
        time_ms=(round(clocks[seats[0]].used_ms), round(clocks[seats[1]].used_ms)),
    )


# ---------------------------------------------------------------- many games


def play_games(match: Match, records: Sequence[Record]) -> Generator[Record]:
    """What `records` still lack, as the games finish. Closing the generator breaks off the games in progress."""
    settings = match.settings
    scores = series_scores(records)
    everyone: list[Player] = []
    free: queue.SimpleQueue[list[Player]] = queue.SimpleQueue()
    for _ in range(settings.concurrency):
        players = [make_player(spec, match.game.info, settings.hang_s) for spec in settings.engines]
        free.put(players)
        everyone += players

    done: queue.SimpleQueue[Record | Future[None]] = queue.SimpleQueue()

    def play(unit: Sequence[int]) -> None:
        players = free.get()
        try:
            for index in unit:
                record = play_game(match, index, players)
                done.put(record)
                score = scores.setdefault(record.pair, [0.0, 0.0])
                score[0] += record.score
                score[1] += 1 - record.score
                if is_decided(score, settings):
                    return
        finally:
            free.put(players)

    def dismiss() -> None:
        for player in everyone:
            player.close()

    with ThreadPoolExecutor(settings.concurrency) as pool:
        games = [pool.submit(play, unit) for unit in missing(settings, records)]
        for game in games:
            game.add_done_callback(done.put)
        left = len(games)
        try:
            while left:
                item = done.get()
                if isinstance(item, Record):
                    yield item
                else:
                    left -= 1
                    item.result()
        finally:
            for game in games:
                game.cancel()
            while wait(games, timeout=0.05).not_done:
                dismiss()  # once more each time: an engine may have been starting just then
            dismiss()


def record_text(record: Record) -> bytes:
    """A game of EWN as a championship record; nothing if not both sides came to set up."""
    if len(record.moves) < len((FIRST, SECOND)):
        return b""
    first, second = record.players
    result = "*" if record.winner is None else "1-0" if record.winner == record.first else "0-1"
    dice = tuple(record.dice[: len(record.moves) - 2])  # a throw may have been answered by no move
    game = GameRecord(tuple(record.moves), dice, result, first, second)
    return ewn_record.write(game).encode(ewn_record.ENCODING)


def record_path(folder: Path, game: int) -> Path:
    return folder / f"{game + 1:05d}.txt"


def write_record(folder: Path, record: Record) -> None:
    """Write a game's file, if it has a text; OSError if there is another."""
    if text := record_text(record):
        replace_file(record_path(folder, record.game), [text], text.startswith)


def prepare_records(folder: Path, settings: Settings, records: Sequence[Record]) -> None:
    """Write what files the logged games lack; OSError if a game's file, or one still to be written, is another's."""
    folder.mkdir(parents=True, exist_ok=True)
    for index in itertools.chain.from_iterable(missing(settings, records)):
        check_owned(record_path(folder, index), lambda head: False)
    for record in records:
        write_record(folder, record)


def run_match(settings: Settings, path: Path, tally: Tally, every: int = 10, records_into: Path | None = None) -> None:
    """Play what the log at `path` still lacks, into log and tally, until done or decided."""
    game = script.load(settings.game)
    match = Match(settings, game, load_openings(game, settings))
    file, records = open_log(path, settings)
    for record in records:
        tally.add(record)
    with file, progress(tally, every) as advance, contextlib.closing(play_games(match, records)) as fresh:
        if records_into is not None:
            prepare_records(records_into, settings, records)
        while not tally.sprt()[1] and (played := next(fresh, None)):
            append(file, played)
            if records_into is not None:
                write_record(records_into, played)
            tally.add(played)
            advance()


# ---------------------------------------------------------------- command line


def parse_clock(text: str) -> tuple[int, int]:
    """`SECONDS` or `SECONDS+INCREMENT`, as milliseconds."""
    base, _, increment = text.partition("+")
    return round(float(base) * 1000), round(float(increment or 0) * 1000)


def parse_option(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(text)
    return name, value


def add_limits(group: argparse._ArgumentGroup, prefix: str = "") -> None:
    group.add_argument(f"--{prefix}movetime", type=int, default=0, metavar="MS", help="a move")
    group.add_argument(f"--{prefix}nodes", type=int, default=0, metavar="N", help="a move")
    group.add_argument(f"--{prefix}depth", type=int, default=0, metavar="N")
    group.add_argument(f"--{prefix}clock", type=parse_clock, default=(0, 0), metavar="S[+S]", help="a game + each move")


def build_parser() -> argparse.ArgumentParser:
    """The options that fill Settings bear the names of its fields."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    option = parser.add_argument
    option("game", choices=registry.NAMES)
    option("--log", type=Path, required=True, help="JSON lines; continued if it exists")
    option("--games", type=int, default=100, help="even: they are played in pairs")
    option("--best-of", type=int, default=0, metavar="N", help="--games series of so many games")
    option("--records", type=Path, metavar="DIR", help="EWN: also write each game as the championships do")
    option("--concurrency", type=int, default=1, help="games at a time")
    option("--seed", type=int, default=1)
    option("--openings", default="", metavar="FILE", help="a line each: moves, FEN, or FEN moves ...")
    option("--sprt", nargs=2, type=float, metavar=("ELO0", "ELO1"), help="stop once decided (errors 5 %%)")
    option("--max-plies", type=int, default=0, metavar="N", help="after which a game is a draw")
    option("--margin", dest="margin_ms", type=int, default=50, metavar="MS", help="grace beyond the time allowed")
    option("--hang", dest="hang_s", type=float, default=60, metavar="S", help="silence beyond it: killed")
    option("--referee", choices=("siqi", "pyffish"), default="siqi", help="whose rules judge")
    option("--every", type=int, default=10, metavar="N", help="off a terminal, a line every N games")
    add_limits(parser.add_argument_group("limits of both engines"))
    for letter in "ab":
        group = parser.add_argument_group(f"engine {letter.upper()} (a limit of its own replaces all common ones)")
        group.add_argument(f"--{letter}", required=True, metavar="COMMAND", help="or `random`")
        group.add_argument(f"--{letter}-name", metavar="NAME")
        group.add_argument(f"--{letter}-option", type=parse_option, action="append", default=[], metavar="NAME=VALUE")
        group.add_argument(f"--{letter}-ranks", type=int, choices=(0, 1), default=0, help="Xiangqi's lowest rank")
        add_limits(group, f"{letter}-")
    return parser


def spec_from(arguments: dict[str, Any], letter: str) -> EngineSpec:
    def limits(prefix: str) -> Limits:
        movetime, nodes, depth, clock = (arguments[prefix + name] for name in ("movetime", "nodes", "depth", "clock"))
        return Limits(movetime, nodes, depth, *clock)

    own = limits(f"{letter}_")
    return EngineSpec(
        name=arguments[f"{letter}_name"] or f"{letter}:{arguments[letter]}",
        command=arguments[letter],
        options=dict(arguments[f"{letter}_option"]),
        limits=limits("") if own == Limits() else own,
        ranks=arguments[f"{letter}_ranks"],
    )


def settings_from(arguments: dict[str, Any]) -> Settings:
    """The match asked for; UsageError if it makes no sense."""
    fields = {name: value for name, value in arguments.items() if name in Settings.__struct_fields__}
    fields["engines"] = tuple(spec_from(arguments, letter) for letter in "ab")
    if arguments["openings"]:
        fields["openings_sha256"] = hashlib.sha256(Path(arguments["openings"]).read_bytes()).hexdigest()
    settings = msgspec.convert(fields, Settings)
    for spec in settings.engines:
        if spec.command != "random" and spec.limits == Limits():
            raise UsageError(f"{spec.name} needs a limit: --movetime, --nodes, --depth or --clock")
        if spec.ranks and settings.game != "xiangqi":
            raise UsageError("only Xiangqi's ranks are counted in two ways")
    if arguments["records"] is not None and (settings.game != "ewn" or settings.openings):
        raise UsageError("--records: of EWN's games from the set-ups on")
    if settings.referee == "pyffish":
        if settings.game != "xiangqi":
            raise UsageError("pyffish knows only Xiangqi's rules")
        if importlib.util.find_spec("pyffish") is None:
            raise UsageError("pyffish is not installed")
    if settings.games < 1 or (settings.games % 2 and not settings.best_of):
        raise UsageError("--games must be even: they are played in pairs")
    if settings.best_of and (settings.best_of % 2 == 0 or settings.sprt):
        raise UsageError("--best-of: an odd number of games, and no SPRT: it judges pairs")
    if settings.concurrency < 1 or arguments["every"] < 1:
        raise UsageError("--concurrency and --every must be at least 1")
    if settings.sprt and settings.sprt[0] >= settings.sprt[1]:
        raise UsageError("--sprt: ELO0 must be below ELO1")
    return settings


@script.command
def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status: 0 done, 1 an engine cannot be used, 2 wrong usage, 130 broken off by Ctrl-C."""
    parser = build_parser()
    parsed = parser.parse_args(arguments)
    status = 0
    try:
        settings = settings_from(vars(parsed))
        tally = Tally(settings)
        try:
            run_match(settings, parsed.log, tally, parsed.every, parsed.records)
        except KeyboardInterrupt:
            status = 130
        except StartError as error:
            print(f"match: {error}", file=sys.stderr)
            status = 1
    except UsageError as error:
        parser.error(str(error))
    print(tally.report())
    return status


if __name__ == "__main__":
    sys.exit(main())
