"""Paper 3's Connect6 program: its three scans value every pair and every position alike, and its games have a clock."""

from __future__ import annotations

import itertools
import json
import random
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from samples import sampled

from scripts.match.paired_games import Pairing, PairJob
from scripts.papers.connect6_roads.clocks import CountedGame, count_game, game_key, local_score, pairs_at
from scripts.papers.connect6_roads.players import Entrant, Scanner, entrant_of, openings, play

from naive.connect6 import Naive
from siqi.daemon.clients.player import PlayerLimits
from siqi.games import registry
from siqi.games.connect6.paper import roads as connect6_scans
from siqi.games.connect6.paper.roads import (
    GLOBAL,
    INCREMENTAL,
    LOCAL,
    MAX_WIDTH,
    OPPONENT,
    OWN,
    ROAD_VALUES,
    SCANS,
    WON,
    Program,
    road_count,
)
from siqi.games.connect6.rules.lookup import LOOKUP_RECORD, POINTS, ROADS, SIZE
from siqi.games.connect6.rules.position import first_stone, second_stone
from siqi.games.kernel.control import Control

FIXTURES = Path(__file__).parents[1] / "support" / "fixtures"
STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))
"""From a point of a line to the next: rows and columns."""

GAMES = [json.loads(line) for line in (FIXTURES / "connect6_games.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def game() -> Any:
    return registry.load("connect6")


def replayed(game: Any, record: dict[str, Any], turns: int) -> Any:
    position = game.position()
    for text in record["moves"][:turns]:
        position.push(position.parse_move(text))
    return position


def work_of(scan: int, control: Control | None = None) -> Any:
    work = np.zeros(1, connect6_scans.SCAN_DTYPE)[0]
    work.scan, work.width = scan, MAX_WIDTH
    work.control = control.address if control else 0
    return work


@pytest.mark.parametrize("scan", SCANS.values(), ids=SCANS)
def test_the_root_s_scan_gives_what_the_engine_keeps_stone_by_stone(game: Any, scan: int) -> None:
    for record in GAMES:
        position = game.position()
        for text in record["moves"]:
            position.push(position.parse_move(text))
            kept, scanned = position.record, position.record.copy()
            scanned.roads[:] = 0
            scanned.score[:] = 0
            value = connect6_scans.search_depth(scanned, work_of(scan), LOOKUP_RECORD, 0)
            assert (scanned.roads == kept.roads).all() and (scanned.score == kept.score).all()
            assert value == kept.score[kept.turn]


def scattered(game: Any, rng: random.Random) -> tuple[Any, Naive]:
    """Return a board with enough random stones for roads of one colour, as the game and as the oracle have it."""
    record, naive = game.position().record.copy(), Naive()
    middle = rng.randrange(5, 14), rng.randrange(5, 14)
    for _ in range(rng.randrange(8, 30)):
        column, row = (min(max(at + rng.randrange(-5, 6), 0), SIZE - 1) for at in middle)
        colour = int(rng.random() < 0.3)
        record.stones[column * SIZE + row] = colour + 1
        naive.board[column, row + 1] = colour
    record.turn = naive.turn = rng.randrange(2)
    return record, naive


def test_all_scans_give_a_pair_the_change_of_the_whole_evaluation(game: Any) -> None:
    """All scans agree also on pairs with common roads, which the local scan must not count twice."""
    rng, lookup, on_common_roads = random.Random(6), connect6_scans.paper_tables(), 0
    for _ in range(6):
        record, naive = scattered(game, rng)
        chosen = []
        for scan in SCANS.values():
            control = Control()
            work = work_of(scan, control)
            connect6_scans.search_depth(record.copy(), work, lookup, 1)
            best = slice(MAX_WIDTH, 2 * MAX_WIDTH)  # of depth 1
            chosen.append((work.turns[best].tolist(), work.values[best].tolist()))
        assert chosen[GLOBAL] == chosen[LOCAL] == chosen[INCREMENTAL]
        before = naive.global_evaluation(naive.turn, OWN, OPPONENT)
        for turn, value in zip(*chosen[LOCAL], strict=True):
            pair = [(point // SIZE, point % SIZE + 1) for point in (first_stone(turn), second_stone(turn))]
            placed = Naive()
            placed.board = naive.board | dict.fromkeys(pair, naive.turn)
            assert value == placed.global_evaluation(naive.turn, OWN, OPPONENT) - before
            columns, rows = (abs(a - b) for a, b in zip(*pair, strict=True))
            on_common_roads += max(columns, rows) < 6 and (columns == rows or 0 in (columns, rows))
    assert on_common_roads > MAX_WIDTH


@pytest.mark.parametrize(("width", "depth"), [(1, 4), (3, 3), (6, 2), (20, 1), (20, 2)])
@sampled("games", 2, 6)
def test_all_scans_choose_and_value_alike(game: Any, width: int, depth: int, games: int) -> None:
    rng = random.Random(width)
    programs = [Program(scan, width) for scan in SCANS.values()]
    for record in rng.sample(GAMES, games):
        position = replayed(game, record, rng.randrange(2, 12))
        if position.outcome() is None:
            results = {program.search(position, depth) for program in programs}
            assert len(results) == 1 and None not in results
            turn, _, searched, pairs = results.pop()
            assert searched == depth and pairs > 0
            assert position.move_text(turn) in map(position.move_text, position.legal_moves())


def test_the_paper_s_program_takes_a_six(game: Any) -> None:
    position = game.position("19/19/19/19/19/19/19/19/19/5bbbb10/19/19/9w4ww3/19/19/19/19/19/19 b 2")
    turn, value, *_ = Program(LOCAL, 10).search(position, 3)
    position.push(turn)
    assert value >= WON and str(position.outcome()) == "win first six"


@pytest.mark.parametrize("scan", SCANS.values(), ids=SCANS)
def test_a_search_ends_where_the_board_is_full(game: Any, scan: int) -> None:
    record = game.position().record.copy()
    for point in range(POINTS):  # stones of a colour are never six in a row
        record.stones[point] = 1 + ((point // SIZE + 2 * (point % SIZE)) // 2) % 2
    record.stones[[100, 200]] = 0
    value = connect6_scans.search_depth(record, work := work_of(scan, control := Control()), LOOKUP_RECORD, 3)
    assert work.best == 100 | 200 << 9 and abs(value) < WON and not control.stopped


@pytest.mark.parametrize("scan", SCANS.values(), ids=SCANS)
def test_a_deadline_stops_a_search_at_once_and_leaves_no_trace(game: Any, scan: int) -> None:
    position, program = replayed(game, GAMES[0], 8), Program(scan, 20)
    before = position.record.copy()
    start = time.monotonic_ns()
    assert program.search(position, 8, start + 20_000_000) is None
    assert time.monotonic_ns() - start < 2e9  # it would take days without the deadline
    assert position.record == before
    assert program.search(position, 1) == Program(INCREMENTAL, 20).search(position, 1)


# Games


def names(width: int, depth: int) -> Pairing:
    return Pairing(*(Entrant(scan, width, depth).name for scan in ("local", "global")))


def test_with_time_enough_both_games_of_a_pair_are_the_same() -> None:
    played = [play(PairJob(names(2, 1), 1, PlayerLimits(clock_ms=600_000)), first) for first in (0, 1)]
    assert all(game["end"] == "six" and game["depths"] == [1, 1] for game in played)
    assert played[0]["plies"] == played[1]["plies"] and {game["winner"] for game in played} == {0, 1}


def test_a_side_that_overruns_its_clock_loses() -> None:
    """The global scan, some 50 ms a node here, loses on time against the local one, 3 ms."""
    for first in (0, 1):
        game = play(PairJob(names(3, 4), 0, PlayerLimits(clock_ms=1000)), first)
        assert (game["winner"], game["end"], game["limit"]) == (0, "time", "1000 ms a game")
        assert 1000 <= game["spent"][1] < 10_000 and game["spent"][0] < 1000


def test_a_game_by_a_clock_is_lost_at_the_first_overrun() -> None:
    """White begins at turn 2; local takes 1 s for a pair, global 10."""
    game = CountedGame(first_turn=2, winner=0, pairs=[3, 2, 4, 1, 1])  # White 3 + 4 + 1, Black 2 + 1
    assert [game.used(side, 10) for side in (0, 1)] == [30, 80]
    as_black = {80: 1, 79: 1, 29: 1, 8: 1, 3: 1, 2.5: 1, 1.5: 1}  # global, White, overruns first
    assert {clock: game.points(0, (1, 10), clock) for clock in as_black} == as_black
    as_white = {30: 0, 29: 1, 20: 1, 19: 1, 8: 1, 3: 1, 2.5: 0}  # global loses at turn 5 or 3, local at turn 2
    assert {clock: game.points(1, (1, 10), clock) for clock in as_white} == as_white
    drawn = game._replace(winner=None)
    assert drawn.points(0, (1, 10), 80) == drawn.points(1, (1, 10), 80) == 0.5
    assert local_score([game, drawn], (1, 10), 80).score.score == 0.5
    assert local_score([game, drawn], (1, 10), 29).score.score == 1.0
    assert pairs_at([game, game._replace(first_turn=4)], 4) == [4, 3]
    assert pairs_at([game], 1) == pairs_at([game], 7) == []


def test_a_counted_game_is_the_timed_one_and_its_pairs_are_those_of_the_searches(game: Any) -> None:
    counted = CountedGame(**count_game(game_key(1, 2, 3)))
    timed = play(PairJob(names(2, 1), 3, PlayerLimits(clock_ms=600_000)), 0)
    black_is_a = timed["first"] == 0
    assert len(counted.pairs) == timed["plies"] - len(openings()[3])
    assert timed["winner"] == (counted.winner if black_is_a else 1 - (counted.winner or 0))
    position = game.position()
    for text in openings()[3]:
        position.push(position.parse_move(text))
    assert counted.first_turn == position.ply + 1
    near = sum(
        position.record.stones[point] == 0
        and any(
            0 <= point // SIZE + step * dc < SIZE
            and 0 <= point % SIZE + step * dr < SIZE
            and position.record.stones[point + step * (SIZE * dc + dr)] != 0
            for dc, dr, step in itertools.product((-1, 0, 1), (-1, 0, 1), (1, 2))
        )
        for point in range(POINTS)
    )
    assert counted.pairs[0] == near * (near - 1) // 2


def test_the_roads_of_any_board_are_counted() -> None:
    assert road_count(SIZE, SIZE, 6) == ROADS == 924
    for rows, columns, k in itertools.product((1, 5, 8), (4, 9), (1, 3, 5, 6)):
        lines = {
            frozenset((row + i * dr, column + i * dc) for i in range(k))
            for row, column, (dr, dc) in itertools.product(range(rows), range(columns), STEPS)
            if 0 <= row + (k - 1) * dr < rows and 0 <= column + (k - 1) * dc < columns
        }
        assert road_count(rows, columns, k) == len(lines) * (len(STEPS) if k == 1 else 1)


def test_a_program_plays_by_the_road_values_that_its_name_says() -> None:
    learned, paper = (Scanner(Entrant("local", 2, 1, values), PlayerLimits()) for values in ("learned", "paper"))
    assert (learned._program._lookup.value == LOOKUP_RECORD.value).all()
    assert (paper._program._lookup.value == connect6_scans.paper_tables().value).all()
    assert (paper._program._lookup.value != LOOKUP_RECORD.value).any()


def test_a_pair_of_the_same_time_a_turn() -> None:
    game = play(PairJob(names(4, 0), 2, PlayerLimits(movetime_ms=1)), 0)
    assert game["winner"] in (0, None, 1) and game["plies"] > 3 and min(game["depths"]) >= 1


def test_the_log_s_names_say_who_plays() -> None:
    for scan, width, depth, values in itertools.product(SCANS, (1, 20), (0, 5), ROAD_VALUES):
        entrant = Entrant(scan, width, depth, values)
        assert entrant_of(entrant.name) == entrant
        Scanner(entrant, PlayerLimits(movetime_ms=1))


def test_the_openings_of_the_matches_are_fifty_and_differ() -> None:
    assert len({tuple(opening) for opening in openings()[:50]}) == 50
