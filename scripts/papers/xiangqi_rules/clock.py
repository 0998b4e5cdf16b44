"""Rules under a clock: what they save, and what it costs, in games of whole engines.

The time that a rule saves stays on the clock. Rules know the moves played, as in the paper; `positions` are their like
that know the whole position: the moves of the shipped opening book, by the same thresholds. Both answer at once.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from scripts.common.table import Table
from scripts.papers.paper import Bench, Result
from scripts.papers.xiangqi_rules.games import games_of, openings
from scripts.papers.xiangqi_rules.mining import write_moves_base

from siqi.daemon import command_line
from siqi.daemon.match.match_log import MatchRecord
from siqi.daemon.match.statistics import PairedScore, percent
from siqi.daemon.match.stats import read_match
from siqi.games import registry
from siqi.games.books import opening
from siqi.games.books.book import BOOKS_FOLDER, open_book
from siqi.games.xiangqi.knowledge.mining import MiningRequest
from siqi.games.xiangqi.knowledge.rulebook import RuleBook

PLIES = 16
"""Plies of a game that are mined, and up to which rules and positions answer."""

SURE = MiningRequest(support=0.02, confidence=0.6, longest=1, least=3)
LEAST_SCORE = 0.5
"""The least mean result of the answering side."""

LEAST_GAMES = 30
"""The least number of games with an answer in a position."""

OPENING_PLIES = 2
"""Moves of an opening, so that rules can be used from the start."""

CLOCK = "10+0.1"

MOVETIME_GAMES = {100: 40, 1000: 14}
"""The number of games by the milliseconds of a move."""

MAX_PLIES = 300
MARGIN_MS = 2000
"""Grace beyond the time, so that other work of the machine decides no game."""

BASES = {"rules": "rules-16.book", "positions": "positions-16.book"}


def write_positions_base(path: Path) -> int:
    """Write an opening book that plays only the answers that the thresholds admit; return their number.

    The other moves of the shipped book are there without a weight: an engine asks that book where its own has nothing.
    """
    kind = opening.opening_book_kind("xiangqi")
    shipped = open_book(BOOKS_FOLDER / "xiangqi-openings.book", kind, opening.VERSION, opening.MAX_BYTES)
    rows = shipped.payload.view(opening.ENTRY).copy()
    _, place = np.unique(rows["key"], return_inverse=True)
    share = rows["games"] / np.bincount(place, rows["games"])[place]
    is_kept = (rows["games"] >= LEAST_GAMES) & (share >= SURE.confidence) & (rows["score"] >= 1000 * LEAST_SCORE)
    rows["weight"] = np.where(is_kept, 1000, 0)
    opening.write(path, "xiangqi", {"source": "the shipped opening book"}, rows)
    return int(is_kept.sum())


def write_bases(bench: Bench) -> dict[str, int]:
    """Write the rule bases into the folder of a bench; return the number of rules in each."""
    folder = bench.log.parent
    write_moves_base(games_of(bench), folder / BASES["rules"], PLIES, SURE, LEAST_SCORE)
    return {
        "rules": len(RuleBook(folder / BASES["rules"]).rules),
        "positions": write_positions_base(folder / BASES["positions"]),
    }


def options_of(player: str, folder: Path) -> dict[str, str]:
    """Return the engine's options of a player."""
    if player == "rules":
        return {"UseRules": "paper", "RuleFile": str(folder / BASES[player])}
    if player == "positions":
        book = {"BookFile": str(folder / BASES[player]), "BookDepth": str(PLIES)}
        return {"UseRules": "false", "OwnBook": "true"} | book
    return {"UseRules": "false"}


def engine_text(player: str, folder: Path) -> str:
    """Return a player as an argument of `siqi match`."""
    return f"{player}=siqi@" + ",".join(f"{name}={value}" for name, value in options_of(player, folder).items())


def play(bench: Bench, players: Sequence[str], limit: Sequence[str], games: int, jobs: int) -> list[MatchRecord]:
    """Play what a bench's log lacks of each player against the search; return all its games."""
    folder = bench.log.parent
    lines = dict.fromkeys(" ".join(words[:OPENING_PLIES]) for words in openings())
    path = folder / "openings-2.txt"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    kind = ["--tournament", "gauntlet"] if len(players) > 1 else []
    arguments = [
        "match", "xiangqi", *(engine_text(player, folder) for player in ("search", *players)), *kind, *limit,
        "--games", str(games), "--openings", str(path), "--seed", "1", "--concurrency", str(jobs),
        "--max-plies", str(MAX_PLIES), "--agree", "1000", "6", "--tablebases",
        "--margin", str(MARGIN_MS), "--faults", "0", "--log", str(bench.log),
    ]  # fmt: skip
    status = command_line.run(arguments)
    if status:
        raise OSError(status, "the match ended early", str(bench.log))
    return read_match(bench.log).records


class Times(NamedTuple):
    """Moves and milliseconds of a player: those that its base answers, and the others."""

    answered: int
    moves: int
    answered_ms: float
    moves_ms: float

    @property
    def share(self) -> float:
        """The share of the moves that the base answers."""
        return self.answered / max(self.moves, 1)

    @property
    def mean_ms(self) -> float:
        """The mean time of a move."""
        return self.moves_ms / max(self.moves, 1)


def times_of(games: Iterable[MatchRecord], player: str, folder: Path, first: int = 0, end: int = MAX_PLIES) -> Times:
    """Return a player's times in games, of the plies from `first` to `end`."""
    game = registry.load("xiangqi")
    for name, value in options_of(player, folder).items():
        game.set_option(name, value)
    answered = moves = 0
    answered_ms = moves_ms = 0.0
    for record in games:
        position, side = game.position(), record.players.index(player)
        begun = len(record.moves) - len(record.times_ms)
        for ply, word in enumerate(record.moves):
            if begun <= ply and first <= ply < end and ply % 2 == side:
                is_answered = ply < PLIES and game.suggest(position, random.Random(0)) is not None
                answered, moves = answered + is_answered, moves + 1
                answered_ms += record.times_ms[ply - begun] * is_answered
                moves_ms += record.times_ms[ply - begun]
            position.push(position.parse_move(word))
    return Times(answered, moves, answered_ms, moves_ms)


def score_of(games: Iterable[MatchRecord], player: str) -> PairedScore:
    """Return a player's results against the search."""
    score = PairedScore()
    for record in games:
        points = record.score if record.names[0] == player else 1 - record.score
        score.add(record.pair, points)
    return score


def against(games: Iterable[MatchRecord], player: str) -> list[MatchRecord]:
    """Return the games of a player."""
    return [record for record in games if player in record.players]


def row_of(games: Sequence[MatchRecord], player: str, folder: Path) -> tuple[str, ...]:
    """Return a row: a player, its results, and its times beside the search's in the same games."""
    score, own = score_of(games, player), times_of(games, player, folder)
    early, other = times_of(games, player, folder, 0, PLIES), times_of(games, "search", folder, 0, PLIES)
    whole = times_of(games, "search", folder)
    return (
        player,
        "-".join(score.counts),
        percent(score.score) if sum(score.pairs) else "-",
        f"{own.share:.1%}",
        f"{own.answered_ms / max(own.answered, 1):.1f}",
        f"{early.share:.1%}",
        f"{early.mean_ms:.0f}, {other.mean_ms:.0f}",
        f"{own.mean_ms:.0f}, {whole.mean_ms:.0f}",
        f"{1 - own.mean_ms / max(whole.mean_ms, 1e-9):.1%}",
    )


COLUMNS = (
    "player", "won-drawn-lost", "score", "moves answered", "ms for an answer", f"answered to ply {PLIES}",
    f"ms a move to ply {PLIES}: own, search", "ms a move: own, search", "time saved",
)  # fmt: skip


def conditions(count: dict[str, int], games: Path) -> str:
    """Return the conditions of the matches; `count`: rules of each base."""
    return (
        f"Whole engines of `siqi match`, one thread, openings of {OPENING_PLIES} plies, sides swapped, at most "
        f"{MAX_PLIES} plies, agreement on 1000 cp for 6 plies, tablebases, {MARGIN_MS} ms of grace. "
        "`search`: UseRules false. `rules`: "
        f"{count['rules']} rules of one move after one move, items by identity, the first {PLIES} plies of "
        f"{games.name}, support {SURE.support:.0%}, confidence from {SURE.confidence:.0%}, mean result from "
        f"{LEAST_SCORE:.0%}. `positions`: {count['positions']} answers to a position in the shipped opening book, of "
        f"at least {LEAST_GAMES} games, by the same confidence and result. Both answer up to ply {PLIES}."
    )


def clock(bench: Bench) -> Result:
    """Play with a clock, on which saved time stays."""
    count, games = write_bases(bench), games_of(bench)
    limit = ("--clock", "1+0.01" if bench.quick else CLOCK)
    played = play(bench, ("rules", "positions"), limit, bench.size(2, 400), jobs_of(bench))
    rows = [row_of(against(played, player), player, bench.log.parent) for player in ("rules", "positions")]
    return Result(f"{conditions(count, games)} Clock {limit[1]}.", [Table("", COLUMNS, rows)])


def movetimes(bench: Bench) -> Result:
    """Play with a fixed time per move, which a rule saves whole. Book moves take their time, so rules alone play."""
    count, games = write_bases(bench), games_of(bench)
    rows = []
    for movetime, count_of_games in itertools.islice(MOVETIME_GAMES.items(), bench.size(1, len(MOVETIME_GAMES))):
        own = bench.of(f"movetimes-{movetime}")
        size = bench.size(2, count_of_games)
        played = play(own, ("rules",), ("--movetime", str(movetime)), size, jobs_of(bench))
        rows.append((f"{movetime / 1000:g} s", *row_of(played, "rules", bench.log.parent)))
    return Result(conditions(count, games), [Table("", ("a move", *COLUMNS), rows)])


def jobs_of(bench: Bench) -> int:
    """Return the number of games at a time on this machine."""
    return bench.jobs if isinstance(bench.jobs, int) else 1
