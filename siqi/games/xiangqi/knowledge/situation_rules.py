"""Mining rules that look at the position: from its classes and the move before to a move or its intents.

Jiang, Chen, Tang 2004 (section 5) propose them. A move played is a transaction. Its items are the situations of the
position it was played in (situation.py), the move before, the move itself and its intents (intent.py).
"""

from __future__ import annotations

import numpy as np

from siqi.games.xiangqi.knowledge import apriori, intent, situation
from siqi.games.xiangqi.knowledge.items import Item
from siqi.games.xiangqi.knowledge.mining import MiningRequest
from siqi.games.xiangqi.knowledge.replay import INTENTS, SITUATIONS, Games
from siqi.games.xiangqi.knowledge.rulebook import MinedRule

NO_ITEM = -1


def situation_rules(games: Games, wanted: MiningRequest) -> list[MinedRule]:
    """Return rules from the move before and the position's classes to a move or its intents."""
    classes = np.concatenate([plies[:, SITUATIONS] for plies in games.plies])
    intents = np.concatenate([plies[:, INTENTS] for plies in games.plies])
    answer = np.concatenate(games.numbers)
    before = np.concatenate([np.append(NO_ITEM, numbers[:-1]) for numbers in games.numbers])
    lengths = [len(plies) for plies in games.plies]
    side = np.array([games.numbering.side(item) for item in games.items])[answer]
    winner = np.repeat(games.winners, lengths)
    kept = np.ones(len(answer), bool)
    if wanted.phase:
        kept &= classes & wanted.phase != 0
    if wanted.winners:
        kept &= winner == side
    classes, intents, answer, before, side, winner = (
        column[kept] for column in (classes, intents, answer, before, side, winner)
    )
    points = np.where(winner == side, 1.0, np.where(winner < 0, 0.5, 0.0))
    least = wanted.transactions(len(answer))
    # Items in four ranges: classes, the move before, intents, the move.
    kinds: list[tuple[str, int]] = []
    rows = []
    for kind, column, bits in (
        ("when", classes, len(situation.SITUATIONS)),
        ("intent", intents, len(intent.INTENTS)),
    ):
        for bit in range(bits):
            kinds.append((kind, bit))
            rows.append(column >> bit & 1 == 1)
    for kind, column in (("after", before), ("answer", answer)):
        counts = np.bincount(column[column >= 0], minlength=len(games.items))
        for number in np.flatnonzero(counts >= least):
            kinds.append((kind, int(number)))
            rows.append(column == number)
    levels = apriori.frequent(apriori.packed(rows), least, wanted.longest + 1)
    mined = []
    for rule in apriori.rules(levels, len(answer), wanted.confidence):
        asked = [kinds[item] for item in rule.antecedent]
        given = [kinds[item] for item in rule.consequent]
        if {kind for kind, _ in asked} - {"when", "after"} or not any(kind == "when" for kind, _ in asked):
            continue
        if {kind for kind, _ in given} not in ({"answer"}, {"intent"}):
            continue
        fits = np.logical_and.reduce([rows[item] for item in (*rule.antecedent, *rule.consequent)])
        mined.append(
            MinedRule(
                tuple(games.items[number] for kind, number in asked if kind == "after"),
                sum(1 << bit for kind, bit in asked if kind == "when"),
                games.items[given[0][1]] if given[0][0] == "answer" else None,
                sum(1 << bit for kind, bit in given if kind == "intent"),
                rule.support,
                rule.confidence,
                rule.lift,
                float(points[fits].mean()),
            )
        )
    return sorted(mined, key=lambda rule: (len(rule.after), -rule.confidence))


def without_idle_conditions(rules: list[MinedRule], improvement: float) -> list[MinedRule]:
    """Return rules whose confidence is `improvement` above that of rules with the same answer and fewer conditions."""

    def parts(rule: MinedRule) -> frozenset[Item | int]:
        return frozenset(rule.after) | {bit for bit in range(len(situation.SITUATIONS)) if rule.when >> bit & 1}

    by_answer: dict[tuple[Item | None, int], list[tuple[frozenset[Item | int], float]]] = {}
    for rule in rules:
        by_answer.setdefault((rule.answer, rule.intents), []).append((parts(rule), rule.confidence))
    return [
        rule
        for rule in rules
        if not any(
            asked < parts(rule) and confidence > rule.confidence - improvement
            for asked, confidence in by_answer[rule.answer, rule.intents]
        )
    ]
