"""The kernel that looks rules up, against a naive look-up, in random games with random rules."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from siqi.games import registry
from siqi.games.xiangqi.knowledge import rulebook
from siqi.games.xiangqi.knowledge.intent import intents_of, situations_of
from siqi.games.xiangqi.knowledge.items import NUMBERINGS, Item, Numbering, histories
from siqi.games.xiangqi.knowledge.rulebook import FittingRule, MinedRule, RuleBook
from siqi.games.xiangqi.rules.notation import squares_of


def item_of(pos: Any, move: int, numbering: Numbering) -> Item:
    """Return the item of a move that is not played yet."""
    number_of = numbering.number_of
    origin, target = squares_of(move)
    return Item(number_of[pos.board[origin]], number_of[pos.board[target]], origin, target)


def naive(book: RuleBook, position: Any) -> list[FittingRule]:
    """Return the rules that fit, by the definition: all moves played, one of them last, mirrored if they began left."""
    numbering, fitting = book.numbering, []
    items = {move: item_of(position.record, move, numbering) for move in position.legal_moves()}
    for past, is_mirrored in histories(position.record, numbering):
        for last in (past[-1] if past else None, None):
            for rule in book.rules:
                is_after = last in rule.after if last is not None else not rule.after
                if not is_after or rule.when & ~situations_of(position.record) or not set(past) >= set(rule.after):
                    continue
                if rule.answer is not None:
                    wanted = numbering.mirror(rule.answer) if is_mirrored else rule.answer
                    moves = [move for move, item in items.items() if item == wanted]
                else:
                    moves = [move for move in items if not rule.intents & ~intents_of(position.record, move)]
                if moves:
                    fitting.append(FittingRule(rule, tuple(moves)))
    return sorted(dict.fromkeys(fitting), key=lambda fit: -fit.rule.confidence)


def random_rules(rng: random.Random, games: list[list[Item]]) -> list[MinedRule]:
    """Return rules of moves of games, some with situations, some of intents, some that follow from nothing."""
    rules = []
    for moves in games:
        for _ in range(60):
            at = rng.randrange(1, len(moves))
            size = rng.choice((0, 1, 1, 2, 3))
            after = tuple(dict.fromkeys(rng.choices(moves[:at], k=size) if size else ()))
            answer = moves[at] if rng.random() < 0.8 else None
            when = rng.choice((0, 0, 1, 1 << 3, 1 << 11)) if rng.random() < 0.5 else 0
            intents = 0 if answer is not None else 1 << rng.randrange(11)
            rules.append(MinedRule(after, when, answer, intents, 5, round(rng.uniform(0.1, 1), 3), 1.0, 0.5))
    return rules


@pytest.mark.parametrize("items", NUMBERINGS)
def test_the_kernel_finds_what_the_definition_says(items: str, tmp_path: Path) -> None:
    rng, numbering = random.Random(items), NUMBERINGS[items]
    starts: list[str | None] = [None, None, None, "4k4/4a4/9/9/4c4/9/9/4C4/9/R3K4 w - - 0 1"]
    positions, games = [], []
    for fen in starts:
        position: Any = registry.load("xiangqi").position(fen)
        for _ in range(40):
            positions.append(position.copy())
            moves = position.legal_moves()
            if not moves:
                break
            position.push(rng.choice(moves))
        games += [past for past, _ in histories(position.record, numbering) if len(past) > 1]
    rulebook.write(tmp_path / "a.book", {"items": items, "parameters": {"plies": 0}}, random_rules(rng, games))
    book = RuleBook(tmp_path / "a.book")
    answered = 0
    for position in positions:
        expected = naive(book, position)
        assert book.fitting(position) == expected
        assert book.answers(position) == [fit for fit in expected if fit.rule.answer is not None]
        answered += any(fit.rule.answer is not None for fit in expected)
    assert answered > 20


def test_a_book_without_rules_fits_nothing(tmp_path: Path) -> None:
    rulebook.write(tmp_path / "a.book", {}, [])
    assert RuleBook(tmp_path / "a.book").fitting(registry.load("xiangqi").position()) == []
