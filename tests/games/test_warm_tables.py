"""Searches whose transposition table has results from before the game repeated or neared a draw by quiet moves."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from fixture_files import SHARED, vectors

from siqi.games import registry
from siqi.games.contract import Line, Searcher, Task
from siqi.games.kernel.control import Control

LOST = -19_000
"""A score from which on every move loses, by a mate or by rule."""


GAME = registry.load("xiangqi")


def new_searcher() -> Searcher:
    searcher = GAME.searcher()
    searcher.configure(16, 1, 1)
    return searcher


def best(searcher: Searcher, position: Any, nodes: int = 0, depth: int = 60) -> Line:
    """Return the best line of a search of so many nodes (0: no limit) or to a depth."""
    searcher.start(Task(position.copy(), Control(nodes)))
    report = searcher.iterate()
    while report.complete and not report.finished and report.depth < depth:
        report = searcher.iterate()
    searcher.finish()
    return report.lines[0]


def push(position: Any, words: str) -> None:
    for word in words.split():
        position.push(position.parse_move(word))


def loses_by_rule(position: Any, move: int) -> bool:
    after = position.copy()
    after.push(move)
    outcome = after.outcome()
    return outcome is not None and outcome.winner == 1 - position.turn and outcome.reason != "checkmate"


def test_a_stored_value_is_not_believed_where_the_game_repeats() -> None:
    """A game from +1.08 was lost by a perpetual: e1d2, whose stored value was from when nothing had repeated."""
    position = GAME.position("9/1N1k2P2/1n1a1a3/9/2n6/2B6/2p6/3AB4/4AK3/3C5 w - - 86 108")
    push(position, "e2c0 b7a5 e1f2 a5b7 d2e1 d7e8")
    searcher = new_searcher()
    assert position.move_text(best(searcher, position, depth=17).pv[0]) == "e1d2"
    push(position, "e1d2 e8d7 d2e1 d7e8")
    for nodes in range(20_000, 420_000, 40_000):
        line = best(searcher, position, nodes)
        assert position.move_text(line.pv[0]) != "e1d2", nodes
        assert len(line.pv) > 1, nodes  # verified by a search with an open window


def shuffles(fens: list[str], seed: int) -> Iterator[tuple[str, list[str]]]:
    """Yield games of random moves, four of five of which go back where the piece came from."""
    rng = random.Random(seed)
    for fen in fens:
        position, words = GAME.position(fen), list[str]()
        while len(words) < 14 and position.outcome() is None:
            legal = [position.move_text(move) for move in position.legal_moves()]
            back = words[-2][2:] + words[-2][:2] if len(words) > 1 else ""
            words.append(back if back in legal and rng.random() < 0.8 else rng.choice(legal))
            push(position, words[-1])
        yield fen, words


def check_games(games: list[tuple[str, list[str]]], warming: int, limits: tuple[int, ...]) -> int:
    """Check that no warm search loses by rule where a cold one does not; return the number of searches."""
    searches = 0
    for fen, words in games:
        position, warm = GAME.position(fen), new_searcher()
        for word in [*words, ""]:
            if position.outcome() is not None:
                break
            best(warm, position, warming)
            for nodes in limits:
                searches += 1
                line = best(warm, position, nodes)
                if loses_by_rule(position, line.pv[0]):
                    cold = best(new_searcher(), position, nodes)
                    assert loses_by_rule(position, cold.pv[0]) or cold.score.cp < LOST, (position.fen(), words, nodes)
            if word:
                push(position, word)
    return searches


def test_no_warm_search_loses_by_rule_where_a_cold_one_does_not() -> None:
    cases = [case for case in vectors("xiangqi_repetition.jsonl") if case["moves"]]
    games = [(case["fen"], case["moves"]) for case in cases]
    assert check_games(games[::6], 3000, (300, 1000, 2500)) > 100


@pytest.mark.long
@pytest.mark.shared
def test_no_warm_search_loses_by_rule_in_long_shuffles() -> None:
    files = [SHARED / "xiangqi" / f"repetition_{name}.jsonl" for name in ("axf", "wxf")]
    cases = [json.loads(line) for path in files for line in path.read_text().splitlines()]
    games = [(case["fen"], case["moves"]) for case in cases]
    games += shuffles([case["fen"] for case in cases] * 3, 5)
    assert check_games(games, 30_000, (300, 1000, 2500, 5000, 9000, 14_000)) > 10_000


def test_a_draw_by_quiet_moves_does_not_stay_in_the_table() -> None:
    """What a search stored near the 60-move draw decides nothing when the same pieces have all the time."""
    board = "3akab2/9/4b4/9/9/9/9/4R4/4A4/3AK4 w - -"
    game = registry.load("xiangqi")
    game.set_option("UseEndgames", "false")
    searcher = game.searcher()
    searcher.configure(16, 1, 1)
    assert best(searcher, game.position(f"{board} 116 90"), 60_000).score.cp == 0
    assert best(searcher, game.position(f"{board} 0 1"), 2000).score.cp > 5
