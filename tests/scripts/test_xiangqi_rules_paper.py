"""Paper 2's command in small: pages, a second run, a kill in the middle, and counts against counting by hand."""

from __future__ import annotations

import csv
import itertools
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from fixture_files import FIXTURES

from scripts.papers.xiangqi_rules.experiments import MOVES, RULES, WORDS, time_saved
from scripts.papers.xiangqi_rules.mining import RuleAgent, count_rule, paper_item, paper_search

from siqi import Board, Move
from siqi.daemon.clients.player import PlayerLimits
from siqi.games import registry
from siqi.games.game_record import GameRecord, position_after
from siqi.games.xiangqi.knowledge import rulebook
from siqi.games.xiangqi.knowledge.items import BY_IDENTITY, items_played
from siqi.games.xiangqi.knowledge.mining import MiningRequest, move_rules
from siqi.games.xiangqi.knowledge.replay import collect
from siqi.games.xiangqi.knowledge.rulebook import MinedRule
from siqi.games.xiangqi.rules.notation import move_text, parse_move

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-m", "scripts.papers.xiangqi_rules", "--quick", "--jobs", "2", "--out")
TIMEOUT_S = 600.0

GAMES = (
    ("h2e2 b9c7 h0g2 h9g7 i0h0", "1-0"),
    ("g3g4 b9c7 h2e2", "0-1"),
    ("h2e2 h9g7", "1/2-1/2"),
    ("b2e2 h9g7", "1-0"),  # the mirrored: cannon 9 is 10 there, horse 22 is 21
)


def test_items_of_the_paper_are_moves() -> None:
    words = {11: "i0h0", 26: "b9c7", 72: "i6i5", 90: "h2e2", 91: "c3c4", 92: "b0c2"}
    assert {number: item.move for number, item in MOVES.items()} == {
        number: parse_move(word) for number, word in words.items()
    }
    assert set(WORDS) == set(words) == {number for rule in RULES for number in rule}
    assert paper_item(10, 8, 8, 5, 8) == MOVES[90]


def test_counts_of_a_rule() -> None:
    records = [GameRecord(tuple(words.split()), result=result) for words, result in GAMES]
    games = collect(records, 0, lambda line: None, BY_IDENTITY)
    count = count_rule(games, MOVES[90], MOVES[26])
    assert count == (4, 4, 3, 3, 2)
    assert count.confidence == 0.75 and count.lift == 1.0 and count.confidence_in_order == 0.5


def test_the_game_that_the_paper_prints_is_a_game() -> None:
    """Table 1: without rows 41 and 42, which repeat 44 and 45, 59 of 60 plies are legal; the last ignores a check.

    The numbers of the pieces are those of items.py, captured ones too.
    """
    with (FIXTURES / "xiangqi_paper_game.csv").open(encoding="utf-8") as file:
        rows = [{name: int(cell) for name, cell in row.items()} for row in csv.DictReader(file)]
    assert [row["ply"] for row in rows] == [*range(1, 63)]
    for misprint in (40, 41):
        assert {**rows[misprint], "ply": 0} == {**rows[misprint + 3], "ply": 0}
    position: Any = registry.load("xiangqi").position()
    played = 0
    plies = [row for row in rows if row["ply"] not in (41, 42)]
    for row in plies:
        item = paper_item(*(row[name] for name in ("piece", "from_x", "from_y", "to_x", "to_y")))
        if item.move not in position.legal_moves():
            break
        position.push(item.move)
        played += 1
        items = items_played(position.record, BY_IDENTITY) or []
        assert items[-1] == item._replace(captured=row["captured"])
    assert (played, len(plies)) == (59, 60)
    board = Board(position.fen())
    assert board.is_check() and board.is_pseudo_legal(Move.from_uci(move_text(item.move)))


def test_rules_in_any_order_are_counted_by_games() -> None:
    """The paper's definition: confidence is the share of the games with the antecedent that have the answer."""
    records = [GameRecord(tuple(words.split()), result=result) for words, result in GAMES]
    games = collect(records, 0, lambda line: None, BY_IDENTITY)
    sets = [{games.items[number] for number in numbers} for numbers in games.numbers]
    wanted = MiningRequest(support=0.5, confidence=0.7, longest=1, ordered=False)
    expected = {
        (a, b): len([each for each in sets if {a, b} <= each])
        for a, b in itertools.permutations(games.items, 2)
        if len([each for each in sets if {a, b} <= each]) >= 2
        and len([each for each in sets if {a, b} <= each]) >= 0.7 * len([each for each in sets if a in each])
    }
    actual = {(rule.after[0], rule.answer): rule.games for rule in move_rules(games, wanted)}
    assert actual == expected and (MOVES[26], MOVES[90]) in actual and (MOVES[90], MOVES[26]) in actual
    in_order = {(rule.after[0], rule.answer) for rule in move_rules(games, wanted._replace(ordered=True))}
    assert in_order < set(actual) and (MOVES[26], MOVES[90]) not in in_order


def test_a_rule_is_played_at_once_and_else_the_search_moves(tmp_path: Path) -> None:
    rule = MinedRule((MOVES[90],), 0, MOVES[26], 0, 3, 1.0, 1.0, 0.5)
    about = {"games": 3, "items": "identity", "parameters": {"plies": 0}}
    rulebook.write(tmp_path / "one.book", about, [rule])
    agent, limit = RuleAgent(tmp_path / "one.book", paper_search()), PlayerLimits(depth=1)
    plain = paper_search()
    for each in (agent, plain):
        each.new_game(1)
    game = registry.load("xiangqi")
    for words, answer in ((("h2e2",), "b9c7"), (("b2e2",), "h9g7"), (("c3c4",), None)):
        position = position_after(game, GameRecord(words))
        move = agent.choose(position, limit)
        assert move == (parse_move(answer) if answer else plain.choose(position, limit))
    assert (agent.answered, agent.asked) == (2, 3)


def test_time_saved_is_by_moves() -> None:
    games = [
        {"spent": [10, 40], "asked": 10, "moves": 10},
        {"spent": [20, 40], "asked": 10, "moves": 10},
    ]
    assert abs(time_saved(games) - (1 - 1.5 / 4)) < 1e-12


def run(folder: Path) -> None:
    subprocess.run([*COMMAND, str(folder)], cwd=ROOT, check=True, timeout=TIMEOUT_S, capture_output=True)


@pytest.mark.long
def test_a_quick_run_is_gone_on_with_after_a_kill(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    process = subprocess.Popen(
        [*COMMAND, str(folder)], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    deadline = time.monotonic() + TIMEOUT_S
    while not (folder / "play.jsonl").exists() or not (folder / "play.jsonl").stat().st_size:
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    kept = (folder / "play.jsonl").read_bytes().rpartition(b"\n")[0]
    own = (folder / "own-games.jsonl").read_bytes()
    run(folder)
    assert (folder / "play.jsonl").read_bytes().startswith(kept) and kept
    assert (folder / "own-games.jsonl").read_bytes() == own
    for name in ("table-3", "play", "searches", "loop", "clock", "movetimes"):
        page = (folder / f"{name}.md").read_text(encoding="utf-8")
        assert "Jiang" in page and "| " in page and "A quick run" in page, name
    logs = {path.name: path.read_bytes() for path in folder.glob("*.jsonl")}
    bases = {path.name: path.stat().st_ino for path in folder.glob("*.book")}
    assert len(bases) == 13
    run(folder)
    assert {path.name: path.read_bytes() for path in folder.glob("*.jsonl")} == logs
    assert {path.name: path.stat().st_ino for path in folder.glob("*.book")} == bases
