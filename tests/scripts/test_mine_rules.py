"""Mining rules from games: Apriori against counting by hand and against mlxtend; rules of a small file."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path

import pytest

from scripts.books import mine_rules

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
        found = [tuple(items) for items in level.sets.tolist()]
        assert found == sorted(expected)
        assert level.counts.tolist() == [expected[items] for items in found]


def test_room_grows_as_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    baskets = transactions(4)
    expected = [level.sets.tolist() for level in mined(baskets, 10, 3)]
    monkeypatch.setattr(apriori, "ROOM", 3)
    assert [level.sets.tolist() for level in mined(baskets, 10, 3)] == expected


def test_nothing_is_frequent() -> None:
    assert [len(level.sets) for level in mined([{1}, {2}], 2, 3)] == [0]


def test_rules_are_every_split_sure_enough() -> None:
    baskets = transactions(5)
    found = {(rule.antecedent, rule.consequent): rule for rule in apriori.rules(mined(baskets, 25, 3), 150, 0.5)}
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
                        rule = found[antecedent, consequent]
                        assert rule == Rule(
                            antecedent, consequent, count, count / asked, pytest.approx(count / asked / share)
                        )
                        hits += 1
    assert hits == len(found) > 50


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
    found = apriori.rules(levels, 150, 0.4)
    assert {(frozenset(r.antecedent), frozenset(r.consequent)): (r.confidence, r.lift) for r in found} == expected


GAMES = [
    {"moves": ["h2e2", "h9g7", "h0g2", "i9h9"], "result": "1-0"},
    {"moves": ["h2e2", "h9g7", "h0g2"], "result": "0-1"},
    {"moves": ["b2e2", "b9c7", "b0c2", "a9b9"], "result": "1/2-1/2"},  # the first, mirrored
    {"moves": ["c3c4", "h9g7", "h2e2", "b9c7"], "result": "0-1"},  # begins on the left
    {"moves": ["h2e2", "a0a9"], "result": "0-1"},  # illegal
]


def mine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *options: str
) -> list[str]:
    file = tmp_path / "games.jsonl"
    file.write_text("\n".join([*map(json.dumps, GAMES), "{broken"]) + "\n")
    monkeypatch.setattr("sys.argv", ["mine_rules.py", str(file), "--min-support", "0.5", *options])
    assert mine_rules.main() == 0
    reported = capsys.readouterr()
    assert "4 games" in reported.err
    assert reported.err.count("skipped: ") == 2 and "illegal move: a0a9" in reported.err
    return reported.out.splitlines()


def test_rules_of_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    lines = mine(tmp_path, capsys, monkeypatch)
    assert "炮二平五 => 马８进７  games 3  confidence 100.0%  lift 1.00  score 50.0%" in lines
    assert "马８进７ => 炮二平五  games 0" not in "\n".join(lines), "an answer comes after"
    assert any(line.startswith("炮二平五 马８进７ => 马二进三  games 3") for line in lines)


def test_rules_of_situations(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = mine(tmp_path, capsys, monkeypatch, "--kind", "situations", "--min-position-support", "0.1")
    assert "(central cannon) => 马８进７  positions 4  confidence 66.7%  lift 2.50  score 62.5%" in lines
    assert any(line.startswith("炮二平五 (") and "=> 马８进７  positions 3" in line for line in lines)
    assert any("=> [develop]" in line for line in lines)
    middle = mine(tmp_path, capsys, monkeypatch, "--kind", "situations", "--phase", "middle game")
    assert middle == []


def test_conditions_that_add_nothing_are_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = mine(tmp_path, capsys, monkeypatch)
    fewer = mine(tmp_path, capsys, monkeypatch, "--min-improvement", "0.05")
    assert set(fewer) < set(lines)
    assert not any(line.startswith("炮二平五 马８进７ => 马二进三") for line in fewer), "surely so without 马８进７"


def test_a_rule_base_is_written_and_dumped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = mine(tmp_path, capsys, monkeypatch, "--kind", "both")
    path = tmp_path / "a.book"
    mine(tmp_path, capsys, monkeypatch, "--kind", "both", "--out", str(path), "--source", "four games")
    monkeypatch.setattr("sys.argv", ["mine_rules.py", "--dump", str(path)])
    assert mine_rules.main() == 0
    dumped = capsys.readouterr().out.splitlines()
    assert dumped[0] == "# kind: xiangqi-rules" and "# source: four games" in dumped
    assert [line for line in dumped if not line.startswith("#")] == lines
    path.write_bytes(b"nothing")
    assert mine_rules.main() == 1
    assert capsys.readouterr().err == f"{path}: not a book\n"


def test_answers_of_winners(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = mine(tmp_path, capsys, monkeypatch, "--winners", "--min-confidence", "0.3")
    assert "炮二平五 => 马８进７  games 1  confidence 33.3%  lift 0.33  score 100.0%" in lines
