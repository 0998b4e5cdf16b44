"""Wins of Connect6 that rest on the turns which were tried against them."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from client import Client
from forked import run
from samples import sampled

from siqi.daemon.engine.events import Info
from siqi.daemon.frontends.uci_family import info_lines
from siqi.games import registry
from siqi.games.connect6.board import Connect6Position
from siqi.games.connect6.rules.lookup import LOOKUP, LOOKUP_RECORD
from siqi.games.connect6.rules.position import POSITION
from siqi.games.connect6.rules.work import WORK, WORK_DTYPE
from siqi.games.connect6.search.claims import CLAIM_BONUS, find_counter, list_refutations
from siqi.games.contract import Line, Report, Score, Task
from siqi.games.kernel.control import Control
from siqi.games.kernel.jit import entry, int64, new_record, pair
from siqi.games.kernel.tt import TranspositionTable
from siqi.games.search.threads import assign

CLAIMED = "j10 h8h10 h12j12 i8j8 g11k8"
"""White to move wins from a threat of its own; of Black's last move a search claims the reverse."""

ROADS_SCALE = 20_000
"""Beyond any score by roads in a game."""


@entry(pair(POSITION, WORK, LOOKUP), is_rare=True)
def counter(pos: Any, work: Any, lookup: Any) -> tuple[int, int]:
    return find_counter(pos, work, lookup)


@entry(int64(POSITION, WORK, LOOKUP), is_rare=True)
def refutations(pos: Any, work: Any, lookup: Any) -> int:
    return list_refutations(pos, work, lookup)


def position_after(words: str) -> Connect6Position:
    game: Any = registry.load("connect6")
    position: Connect6Position = game.position()
    for word in words.split():
        position.push(position.parse_move(word))
    return position


def state(record: Any) -> dict[str, Any]:
    """Return the fields of a position but its history, which kernels overwrite from its height on."""
    return {name: record[name].tolist() for name in record.dtype.names if not name.startswith("past_")}


@pytest.fixture
def work() -> Any:
    """Return a working memory whose transposition table lives as long."""
    memory, tt = new_record(WORK_DTYPE), TranspositionTable(1)
    memory.tt, memory.tt_mask, memory.generation = tt.address, tt.mask, tt.generation
    assign([memory], Control())
    yield memory
    del tt


def searched(position: Connect6Position, nodes: int) -> list[Line]:
    """Return the best line of each iteration."""
    searcher: Any = registry.load("connect6").searcher()
    searcher.configure(4, 1, 1)
    searcher.start(Task(position, Control(nodes)))
    reports = [searcher.iterate()]
    while reports[-1].complete and not reports[-1].finished:
        reports.append(searcher.iterate())
    searcher.finish()
    return [report.lines[0] for report in reports]


def test_a_claim_is_not_scored_like_a_proven_win() -> None:
    lines = searched(position_after(CLAIMED.rsplit(" ", 1)[0]), 100_000)
    assert all(line.score.mate is None and abs(line.score.cp) < ROADS_SCALE for line in lines)


@sampled("positions", 25, 200)
def test_scores_of_random_positions_stay_on_the_scale_of_roads(positions: int) -> None:
    rng = random.Random(3)
    claims = 0
    for _ in range(positions):
        position = position_after("j10")
        for _ in range(rng.randrange(3, 9)):
            if position.outcome() is not None:
                break
            near = [f"{column}{row}" for column in "fghijklmn" for row in range(6, 15)]
            free = [point for point in near if point not in position.pieces()]
            position.push(position.parse_move("".join(rng.sample(free, 2))))
        if position.outcome() is None:
            for line in searched(position, 3000):
                assert line.score.mate is not None or abs(line.score.cp) < ROADS_SCALE, position.fen()
                assert line.score.mate is None or not line.score.unproven
                claims += line.score.unproven != 0
    assert claims > 0


def test_a_threat_of_the_loser_counters_a_claim(work: Any) -> None:
    position = position_after(CLAIMED)
    before = state(position.record)
    length, turn = counter(position.record, work, LOOKUP_RECORD)
    assert (length, position.move_text(turn)) == (5, "h6h7")
    assert state(position.record) == before


def test_refutations_are_legal_turns_that_touch_the_win(work: Any) -> None:
    """Black has four twos that meet: after a pass he wins; each refutation has a stone on a point that he needs."""
    position = position_after("j10 a1s1 i9k11 a3s3 i11k9")
    before = state(position.record)
    count = int(refutations(position.record, work, LOOKUP_RECORD))
    assert state(position.record) == before
    turns = {position.move_text(turn) for turn in work.refutations[:count].tolist()}
    assert count > 20 and "h8l12" in turns
    for turn in turns:
        position.push(position.parse_move(turn))
        position.pop()
    assert not any(turn.startswith("a") and turn[-3:].startswith("s") for turn in turns)


def test_without_a_win_after_a_pass_nothing_is_listed(work: Any) -> None:
    position = position_after("j10 a1s1")
    assert refutations(position.record, work, LOOKUP_RECORD) == 0


def test_a_claim_is_the_winner_s_whatever_the_evaluation() -> None:
    """White claims; for a claim against the side to move its turns are too few: all that is allowed loses."""
    claims = [line.score.unproven for line in searched(position_after(CLAIMED), 10_000)]
    assert claims[-1] == 1 and -1 not in claims
    position = position_after("j10 h8h10 h12j12 i8j8 g11k8 h6h7")
    searcher: Any = registry.load("connect6").searcher()
    searcher.configure(4, 1, 1)
    searcher.start(Task(position, Control(0)))
    losing = [searcher.iterate().lines[0].score for _ in range(3)]
    searcher.finish()
    assert all(score.unproven == -1 or (score.mate or 0) < 0 for score in losing)
    for claim, word in ((1, "win"), (-1, "loss")):
        for cp in (-50, 50):
            report = Report(1, 1, 1, (Line(Score(cp, unproven=claim), (position.legal_moves()[0],)),))
            lines = [*info_lines(Info(1, position, report, 1, 1, True), lambda score: str(score.cp), True)]
            assert lines[0] == f"info string unproven {word}"


def test_clients_see_that_a_win_is_unproven() -> None:
    with Client("setoption name UCI_Variant value connect6", f"position startpos moves {CLAIMED}") as client:
        client.send("go nodes 10000")
        lines = client.expect("bestmove")
    at = lines.index("info string unproven win")
    assert " score cp " in lines[at + 1]
    query = {"id": "1", "game": "connect6", "position": f"startpos moves {CLAIMED}", "nodes": 10_000}
    done = run("analyse", given=json.dumps(query).encode() + b"\n")
    assert done.returncode == 0
    score = json.loads(done.stdout.splitlines()[-1])["lines"][0]["score"]
    assert score["unproven"] is True and CLAIM_BONUS // 2 < score["cp"] < ROADS_SCALE
