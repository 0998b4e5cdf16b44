"""Apriori against counting by hand and against mlxtend."""

from __future__ import annotations

import itertools
import random

import pytest

from siqi.games.xiangqi.knowledge import apriori
from siqi.games.xiangqi.knowledge.apriori import Rule

ITEMS = 24


def transactions(seed: int, count: int = 150) -> list[set[int]]:
    rng = random.Random(seed)
    return [
        {item for item in range(ITEMS) if rng.random() < (0.7 if item < 6 else 0.15)} | {rng.randrange(ITEMS)}
        for _ in range(count)
    ]


def mined(baskets: list[set[int]], least: int, longest: int) -> list[apriori.Level]:
    return apriori.frequent(apriori.columns(baskets, ITEMS), least, longest)


@pytest.mark.parametrize("seed", range(3))
def test_frequent_sets_are_those_counted_by_hand(seed: int) -> None:
    baskets = transactions(seed)
    levels = mined(baskets, 20, 4)
    assert len(levels) == 4
    for size, level in enumerate(levels, 1):
        counts = {
            items: sum(basket.issuperset(items) for basket in baskets)
            for items in itertools.combinations(range(ITEMS), size)
        }
        expected = {items: count for items, count in counts.items() if count >= 20}
        actual = [tuple(items) for items in level.sets.tolist()]
        assert actual == sorted(expected)
        assert level.counts.tolist() == [expected[items] for items in actual]


def test_arrays_grow_as_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    baskets = transactions(4)
    expected = [level.sets.tolist() for level in mined(baskets, 10, 3)]
    monkeypatch.setattr(apriori, "CAPACITY", 3)
    assert [level.sets.tolist() for level in mined(baskets, 10, 3)] == expected


def test_nothing_is_frequent() -> None:
    assert [len(level.sets) for level in mined([{1}, {2}], 2, 3)] == [0]


def test_rules_are_every_split_sure_enough() -> None:
    baskets = transactions(5)
    actual = {(rule.antecedent, rule.consequent): rule for rule in apriori.rules(mined(baskets, 25, 3), 150, 0.5)}
    hits = 0
    for size in (2, 3):
        for items in itertools.combinations(range(ITEMS), size):
            count = sum(basket.issuperset(items) for basket in baskets)
            for part in range(1, size):
                for antecedent in itertools.combinations(items, part):
                    consequent = tuple(item for item in items if item not in antecedent)
                    asked = sum(basket.issuperset(antecedent) for basket in baskets)
                    if count >= 25 and count / asked >= 0.5:
                        share = sum(basket.issuperset(consequent) for basket in baskets) / 150
                        rule = actual[antecedent, consequent]
                        assert rule == Rule(
                            antecedent, consequent, count, count / asked, pytest.approx(count / asked / share)
                        )
                        hits += 1
    assert hits == len(actual) > 50


def test_mlxtend_finds_the_same() -> None:
    pandas = pytest.importorskip("pandas")
    frequent_patterns = pytest.importorskip("mlxtend.frequent_patterns")
    baskets = transactions(6)
    table = pandas.DataFrame([[item in basket for item in range(ITEMS)] for basket in baskets])
    theirs = frequent_patterns.apriori(table, min_support=20 / 150, max_len=4)
    levels = mined(baskets, 20, 4)
    ours = {
        frozenset(s): c for level in levels for s, c in zip(level.sets.tolist(), level.counts.tolist(), strict=True)
    }
    assert ours == {frozenset(s): round(150 * v) for s, v in zip(theirs.itemsets, theirs.support, strict=True)}
    table = frequent_patterns.association_rules(theirs, metric="confidence", min_threshold=0.4)
    expected = {
        (frozenset(a), frozenset(c)): pytest.approx((confidence, lift))
        for a, c, confidence, lift in zip(
            table.antecedents, table.consequents, table.confidence, table.lift, strict=True
        )
    }
    rules = apriori.rules(levels, 150, 0.4)
    assert {(frozenset(r.antecedent), frozenset(r.consequent)): (r.confidence, r.lift) for r in rules} == expected
