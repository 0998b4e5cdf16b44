"""Moves that need no search: books, rules, the first stone. Their faults cost the suggestion, never the answer."""

from __future__ import annotations

from typing import Any

import pytest
from client import Client

from siqi.daemon.engine.events import Event, Kind, Refused
from siqi.daemon.engine.limits import Limits
from siqi.daemon.engine.search_job import SearchJob, SearchRequest
from siqi.games import registry
from siqi.games.contract import Suggestion
from siqi.system.pipes import now_ns

STARTS = {
    "xiangqi": (None, ()),
    "connect6": (None, ("j10",)),
    "ewn": (None, ("123456", "615243")),
    "ewn set-up": (None, ()),
    "junqi set-up": (None, ()),
}


def answer_with(name: str, suggest: Any) -> tuple[str, list[Event]]:
    """Return the answer of a game whose books are `suggest`, and the events before it."""
    game: Any = registry.load(name.split(maxsplit=1)[0])
    fen, words = STARTS[name]
    position = game.position(fen)
    for word in words:
        position.push(position.parse_move(word))
    if game.info.has_dice and position.has_pieces:
        position.set_dice(3)
    game.suggest = suggest
    searcher = game.searcher()
    searcher.configure(4, 1, 1)
    events: list[Event] = []
    job = SearchJob(
        1, SearchRequest(game, searcher, position, (), Limits(wtime=2000, btime=2000, nodes=300)), events.append
    )
    job.begin(now_ns())
    move = job.run().move
    assert move is not None
    word = position.move_text(move)
    position.push(position.parse_move(word))  # ValueError if it is illegal
    return word, events


@pytest.mark.parametrize("name", STARTS)
def test_a_suggestion_that_fails_is_reported_and_the_search_answers(name: str) -> None:
    def suggest(position: Any, rng: Any) -> Suggestion:
        if name == "xiangqi":
            position.push(position.legal_moves()[0])  # a fault half-way
        raise KeyError("torn book")

    _, events = answer_with(name, suggest)
    faults = [event for event in events if isinstance(event, Refused)]
    assert len(faults) == 1 and faults[0].kind is Kind.INTERNAL and "KeyError" in faults[0].reason


@pytest.mark.parametrize("name", ["xiangqi", "connect6", "ewn"])
def test_an_illegal_suggestion_is_not_played(name: str) -> None:
    _, events = answer_with(name, lambda position, rng: Suggestion(0, "an illegal move"))
    assert any(isinstance(event, Refused) for event in events)


@pytest.mark.parametrize("limit", ["wtime 9000 btime 9000", "movetime 50", "depth 2", "nodes 500", "mate 1"])
def test_the_paper_s_rules_answer_under_any_limit(limit: str) -> None:
    setup = ("setoption name UseRules value paper", "position startpos moves h2e2")
    with Client(*setup) as client:
        assert any(line.startswith("info string book rule ") for line in client.ask(f"go {limit}", until="bestmove"))
        for word in ("h9g7", "b9c7"):  # a search of some moves is a search
            searched = client.ask(f"go {limit} searchmoves {word}", until="bestmove")
            assert searched[-1].startswith(f"bestmove {word}") and not any("book" in line for line in searched)
        client.send("setoption name UCI_AnalyseMode value true")
        assert not any("book" in line for line in client.ask(f"go {limit}", until="bestmove"))


def test_an_opening_book_answers_under_a_clock_alone() -> None:
    with Client("setoption name OwnBook value true", "position startpos") as client:
        assert any("book opening" in line for line in client.ask("go wtime 9000 btime 9000", until="bestmove"))
        assert not any("book" in line for line in client.ask("go nodes 500", until="bestmove"))


@pytest.mark.parametrize("side", "bw")
def test_two_first_stones_on_an_empty_board_are_searched(side: str) -> None:
    with Client("setoption name UCI_Variant value connect6") as client:
        client.send(f"position fen {'/'.join(['19'] * 19)} {side} 2", "go wtime 1000 btime 1000")
        lines = client.expect("bestmove")
        assert not any("error" in line for line in lines)
        assert lines[-1].split()[1] not in ("a1a2", "j10")
        client.send(f"position fen {'/'.join(['19'] * 19)} {side} 2 moves {lines[-1].split()[1]}", "d")
        assert any("Fen:" in line for line in client.expect("Key:"))
