"""Paper 2's matches by time: the bases, and what is counted in games."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.papers.xiangqi_rules.clock import (
    BASES,
    LEAST_GAMES,
    Times,
    engine_text,
    options_of,
    score_of,
    times_of,
    write_positions_base,
)
from scripts.papers.xiangqi_rules.experiments import MOVES

from siqi.daemon.match.match_log import MatchRecord
from siqi.games.books.book import BOOKS_FOLDER
from siqi.games.books.opening import OpeningBook
from siqi.games.xiangqi.knowledge import rulebook
from siqi.games.xiangqi.knowledge.rulebook import MinedRule


def record(game: int, players: tuple[str, str], words: str, winner: int | None) -> MatchRecord:
    """Return a game of the search (engine 0) after an opening of two plies; each move took its ply's number in ms."""
    moves = words.split()
    times = [float(ply) for ply in range(2, len(moves))]
    return MatchRecord(
        game, game // 2, players.index("search"), players, "", [], moves, len(moves), winner, "rules", "checkmate",
        (0, 0), times,
    )  # fmt: skip


def test_positions_are_the_sure_answers_of_the_shipped_book(tmp_path: Path) -> None:
    count = write_positions_base(tmp_path / "a.book")
    book, shipped = (
        OpeningBook(tmp_path / "a.book", "xiangqi"),
        OpeningBook(BOOKS_FOLDER / "xiangqi-openings.book", "xiangqi"),
    )
    kept = 0
    for key in dict.fromkeys(shipped._keys.tolist()):
        moves, total = book.find(key), sum(move.games for move in shipped.find(key))
        for move in moves:
            is_sure = move.games >= LEAST_GAMES and move.games >= 0.6 * total and move.score >= 0.5
            assert (move.weight > 0) == is_sure
            kept += is_sure
    assert kept == count > 100 and len(book) == len(shipped)


def test_moves_that_rules_answer_and_their_times(tmp_path: Path) -> None:
    rule = MinedRule((MOVES[90],), 0, MOVES[26], 0, 9, 0.9, 1.0, 0.5)
    rulebook.write(tmp_path / BASES["rules"], {"items": "identity", "parameters": {"plies": 16}}, [rule])
    games = [
        record(0, ("search", "rules"), "g3g4 g6g5 h2e2 b9c7 h0g2 h9g7", 1),  # the rule answers at ply 3
        record(1, ("rules", "search"), "g3g4 g6g5 h2e2 b9c7 h0g2 h9g7", None),
    ]
    assert times_of(games[:1], "rules", tmp_path) == Times(1, 2, 3.0, 3.0 + 5.0)
    assert times_of(games, "rules", tmp_path) == Times(1, 4, 3.0, 3.0 + 5.0 + 2.0 + 4.0)
    assert times_of(games, "search", tmp_path) == Times(0, 4, 0.0, 2.0 + 4.0 + 3.0 + 5.0)
    assert times_of(games, "rules", tmp_path, 0, 4).moves == 2
    assert score_of(games, "rules").counts == ("1", "1", "0")
    assert score_of(games, "search").counts == ("0", "1", "1")


@pytest.mark.parametrize("player", ["search", "rules", "positions"])
def test_players_are_engines_of_a_match(player: str) -> None:
    options = options_of(player, Path("folder"))
    assert engine_text(player, Path("folder")).startswith(f"{player}=siqi@UseRules=")
    assert (options["UseRules"] == "paper") == (player == "rules") and ("OwnBook" in options) == (player == "positions")
