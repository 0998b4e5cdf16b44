"""Positions of Connect6's games from which its networks learn, as the side to move sees them.

The policy learns where players put their stones. The value learns results and the scores of searches, from positions
where a search asks for it: no threat stands, and the side to move has no win by double threats.
"""

from __future__ import annotations

import math
import random
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec
import numpy as np

from scripts.common import logistic, script
from scripts.common.records import open_text, positions_before, read_game_records

from siqi.daemon.cluster.jobs import Jobs
from siqi.games.connect6.board import Connect6Position
from siqi.games.connect6.evaluation.network import ENEMY, OWN, VALUE_LOGIT
from siqi.games.connect6.rules.lookup import POINTS
from siqi.games.connect6.rules.notation import parse_move
from siqi.games.connect6.rules.position import NO_POINT
from siqi.games.connect6.search.threats import ThreatSolver
from siqi.games.game_record import GameRecord, replay

HELD_OUT = 20
"""One opening in HELD_OUT is held out, with all its games."""

OPENING_MOVES = 4
"""Moves that games of one opening have in common."""

FIRST_PLY = 2
"""The first ply that samples are taken from, the empty board's being 0."""

SOLVER_NODES = 300

ONE_LEFT = 0.3
"""Share of the policy's samples in which one stone of the turn is on the board."""

GAMES_PER_CALL = 50

LARGEST_SCORE = 800
"""The bound of scores."""

CREDIBLE = 20_000
"""Larger scores say that a side loses after all moves that were tried, or are of proven wins: none is a value."""

LARGEST_CHANCE = 0.99
"""The chance of a proven win among the positions of sample_connect6_positions.py, and the bound of all of them."""

SMALLEST_SLOPE = 1e-4
"""The fewest logits that a score of 1 is worth."""


class PolicySamples(NamedTuple):
    boards: Any  # uint8 [n, POINTS]
    heads: Any  # uint8 [n]: 0 with two stones left, 1 with one
    stones: Any  # int16 [n, 2]: points of the stones to predict; the same twice if it is one


class ValueSamples(NamedTuple):
    boards: Any  # uint8 [n, POINTS]
    results: Any  # float32 [n]: 1, 0.5 or 0 for the side to move
    chances: Any  # float32 [n]: expected by the score of the search


class _Game(msgspec.Struct):
    """The fields that are read of a game of self_play.py or score_connect6_games.py."""

    moves: list[str]
    result: str
    scores: list[int | str | None]  # of the last moves; None for one that was not searched, a text for a proven win
    game: Literal["connect6"] = "connect6"


def is_held_out(moves: Sequence[str]) -> bool:
    """True if games that begin with these moves are held out."""
    return zlib.crc32(" ".join(moves[:OPENING_MOVES]).encode()) % HELD_OUT == 0


def as_seen(stones: Any, side: int) -> Any:
    """Return a board as a side sees it, from 0 empty, 1 black, 2 white."""
    return np.array([0, OWN, ENEMY] if side == 0 else [0, ENEMY, OWN], np.uint8)[stones]


# ---------------------------------------------------------------- policy


def policy_samples(paths: Sequence[Path], seed: int) -> tuple[PolicySamples, PolicySamples]:
    """Return samples of all positions of games without a threat of the side to move, and those held out.

    A turn that one of its stones would have ended is none: the search finds it.
    """
    rng = random.Random(seed)
    samples: tuple[list[Any], list[Any]] = [], []
    for path in paths:
        for record in script.progress(read_game_records(path, print, "connect6"), unit=" games"):
            if not record.fen:
                samples[is_held_out(record.moves)].extend(_turns(record, rng))
    return _policy(samples[0]), _policy(samples[1])


def _turns(record: GameRecord, rng: random.Random) -> Iterator[tuple[Any, int, tuple[int, int]]]:
    game: Any = script.load_once("connect6")
    for position, word in positions_before(game, record):
        points = list(parse_move(word))
        if position.ply >= FIRST_PLY and position.record.threats[position.turn] == 0 and points[1] != NO_POINT:
            board = as_seen(position.record.stones, position.turn)
            if rng.random() < ONE_LEFT:
                rng.shuffle(points)
                board[points[0]] = OWN
                yield board, 1, (points[1], points[1])
            else:
                yield board, 0, (points[0], points[1])


def _policy(samples: Sequence[tuple[Any, int, tuple[int, int]]]) -> PolicySamples:
    boards, heads, stones = zip(*samples, strict=True) if samples else ((), (), ())
    return PolicySamples(
        np.array(boards, np.uint8).reshape(-1, POINTS),
        np.array(heads, np.uint8),
        np.array(stones, np.int16).reshape(-1, 2),
    )


# ---------------------------------------------------------------- value


def value_samples(
    path: Path, share: float, seed: int, jobs: Jobs, report: Callable[[str], None] = print
) -> tuple[ValueSamples, ValueSamples]:
    """Return samples of a share of a file's positions where a search asks for a value, and those held out.

    What a score is worth is fitted to the results of the file's games: files may be scored by other evaluations.
    """
    games = list(_scored_games(path, report))
    calls = [
        (games[start : start + GAMES_PER_CALL], share, seed + start) for start in range(0, len(games), GAMES_PER_CALL)
    ]
    parts: tuple[list[Row], list[Row]] = [], []
    with script.progress(total=len(games), unit=" games") as progress:
        for results in script.finished(_label, calls, jobs):
            for learned, held_out in results:
                parts[0].extend(learned)
                parts[1].extend(held_out)
                progress.update(GAMES_PER_CALL)
    for part in parts:
        part.sort()  # whatever the order in which the calls ended
    slope = _slope(parts[0])
    report(f"{path}: a score of {1 / slope:.0f} is a logit")
    return _value(parts[0], slope), _value(parts[1], slope)


_decode = msgspec.json.Decoder(_Game).decode


def _slope(rows: Sequence[Row]) -> float:
    """Return the logits of the result that a score of 1 is worth."""
    _, results, scores = zip(*rows, strict=True) if rows else ((), (), ())
    design = np.array(scores, np.float64).reshape(-1, 1)
    (hundredths,) = logistic.fit(design, np.array(results), np.zeros(1), logistic.RIDGE)
    return max(float(hundredths) / 100, SMALLEST_SLOPE)


def _scored_games(path: Path, report: Callable[[str], None]) -> Iterator[str]:
    with open_text(path) as file:
        for number, line in enumerate(file, 1):
            try:
                _decode(line)
            except msgspec.DecodeError:
                if number > 1:  # the first line may have the settings
                    report(f"{path}:{number}: no game of Connect6 with scores")
            else:
                yield line


Row = tuple[bytes, float, int]
"""A board, the result and the score."""


def _label(call: tuple[list[str], float, int]) -> tuple[list[Row], list[Row]]:
    lines, share, seed = call
    rng = random.Random(seed)
    rows: tuple[list[Row], list[Row]] = [], []
    for line in lines:
        game = _decode(line)
        rows[is_held_out(game.moves)].extend(_quiet(game, share, rng))
    return rows


def _quiet(game: _Game, share: float, rng: random.Random) -> Iterator[Row]:
    connect6: Any = script.load_once("connect6")
    solver = new_solver()
    scores = [*[None] * (len(game.moves) - len(game.scores)), *game.scores, None]  # of the last position
    result = {"1-0": 1.0, "0-1": 0.0}.get(game.result, 0.5)
    for position, score in zip(replay(connect6, GameRecord(tuple(game.moves))), scores, strict=True):
        if isinstance(score, int) and abs(score) <= CREDIBLE and rng.random() < share and is_asked(position, solver):
            side = position.turn
            bounded = min(max(score, -LARGEST_SCORE), LARGEST_SCORE)
            yield as_seen(position.record.stones, side).tobytes(), result if side == 0 else 1 - result, bounded


def new_solver() -> ThreatSolver:
    """Return a solver for the positions of one game: what it remembers of others would change its answers."""
    return ThreatSolver(1)


def is_asked(position: Connect6Position, solver: ThreatSolver) -> bool:
    """True if a search asks for the value of a position, its turn just begun."""
    return (
        position.ply >= FIRST_PLY
        and not position.record.threats.any()
        and not solver.solve(position.record, SOLVER_NODES)
    )


def _value(rows: Sequence[Row], slope: float) -> ValueSamples:
    boards, results, scores = zip(*rows, strict=True) if rows else ((), (), ())
    chances = _chances(slope * np.array(scores, np.float64))
    return ValueSamples(_boards(boards), np.array(results, np.float32), chances)


def _boards(boards: Sequence[bytes]) -> Any:
    return np.frombuffer(b"".join(boards), np.uint8).reshape(-1, POINTS)


def _chances(logits: Any) -> Any:
    return (1 / (1 + np.exp(-logits))).astype(np.float32)


class _Sampled(msgspec.Struct):
    """A line of sample_connect6_positions.py."""

    moves: list[str]
    samples: list[tuple[int, str, int]]


def scored_positions(path: Path, report: Callable[[str], None] = print) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """Return boards and targets of a file of sample_connect6_positions.py, and those held out.

    A score is worth what the value network makes of it, VALUE_LOGIT to a logit, so that what has learned such positions
    may score the next.
    """
    decode = msgspec.json.Decoder(_Sampled).decode
    parts: tuple[list[bytes], list[bytes]] = [], []
    scores: tuple[list[int], list[int]] = [], []
    with open_text(path) as file:
        for number, line in enumerate(script.progress(file, unit=" games"), 1):
            try:
                game = decode(line)
            except msgspec.DecodeError:
                if number > 1:  # the first line has the settings
                    report(f"{path}:{number}: no positions of Connect6")
                continue
            held_out = is_held_out(game.moves)
            for ply, turns, score in game.samples:
                parts[held_out].append(_board_after([*game.moves[:ply], *turns.split()]))
                scores[held_out].append(score)
    report(f"{path}: {sum(map(len, parts)):,} positions")
    return _scored(parts[0], scores[0]), _scored(parts[1], scores[1])


def _board_after(words: Sequence[str]) -> bytes:
    """Return the board after a game's first turns, as the side to move sees it."""
    stones = np.zeros(POINTS, np.uint8)
    for ply, word in enumerate(words):
        for point in parse_move(word):
            if point != NO_POINT:
                stones[point] = 1 + ply % 2
    return as_seen(stones, len(words) % 2).tobytes()  # type: ignore[no-any-return]


def _scored(boards: Sequence[bytes], scores: Sequence[int]) -> tuple[Any, Any]:
    bound = math.log(LARGEST_CHANCE / (1 - LARGEST_CHANCE))
    logits = np.clip(np.array(scores, np.float64) / VALUE_LOGIT, -bound, bound)
    return _boards(boards), _chances(logits)
