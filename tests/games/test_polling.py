"""Latency of a stop: the nodes between two polls of the control block, and what delays polls."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from siqi.games import registry
from siqi.games.connect6.rules.lookup import LOOKUP_RECORD
from siqi.games.connect6.rules.work import WORK_DTYPE
from siqi.games.connect6.search.threats import win_by_threats
from siqi.games.contract import Searcher, Task, exhaust
from siqi.games.kernel.control import POLL_INTERVAL, Control
from siqi.games.kernel.jit import new_record
from siqi.games.kernel.tt import TranspositionTable
from siqi.games.search.threads import ALONE_NODES, HELPER

ROOT = Path(__file__).parents[2]

CROWDED = (
    "16bw1/1w3b11w1/6b4w1b5/5w2w2w6b/1b6w6b2w/3w6b2b5/1b9ww2b3/b10w2b1w1w/3b2w5w1w4/1b1b4bb9/13w5/7b6b4/"
    "4w6w2b2w1/5w3w6bb1/1b9w2wwb2/2b5b10/2b5w2bw6/14b4/w1w4w1b9 b 2"
)
"""Each side has some 60 roads of two or three stones: a threat search's node takes ten times the usual time."""

DEPLOYED = "diahcbgkkfiecfigjhedjljhg"

SETTINGS = [
    ("xiangqi", {}, 1, 1),
    ("xiangqi", {}, 1, 256),
    ("xiangqi", {}, 4, 1),
    ("connect6", {"Width": "40"}, 1, 1),
    ("connect6", {"Width": "40"}, 4, 1),
    ("connect6", {"Width": "40"}, 1, 256),
    ("ewn", {"Algorithm": "expectimax"}, 2, 1),
    ("ewn", {"Algorithm": "uct"}, 2, 1),
    ("junqi", {"Algorithm": "worlds"}, 2, 1),
    ("junqi", {"Algorithm": "flat"}, 2, 1),
    ("junqi", {"Algorithm": "uct"}, 2, 1),
    ("junqi", {"Algorithm": "cooperation"}, 2, 1),
]
NAMES = [f"{name}-{'-'.join(options.values())}-{threads}-{lines}" for name, options, threads, lines in SETTINGS]

LATEST_S = 1.5
"""Limit of the time to stop; the usual time is a tenth of it."""


def a_position(name: str) -> Any:
    """Return an early position of a game; of Junqi, a view."""
    game = registry.load(name)
    position = game.position()
    if name == "junqi":
        for word in (DEPLOYED, "?"):
            position.push(position.parse_move(word))
    elif name == "ewn":
        for word in ("123456", "615243"):
            position.push(position.parse_move(word))
        position.set_dice(3)
    elif name == "connect6":
        for word in ("j10", "i9k9", "i11k11"):
            position.push(position.parse_move(word))
    return position


def a_searcher(name: str, options: dict[str, str], threads: int) -> Searcher:
    game = registry.load(name)
    for option, value in options.items():
        game.set_option(option, value)
    searcher = game.searcher()
    searcher.configure(1, threads, 1)
    searcher.clear()
    return searcher


@pytest.mark.parametrize(("name", "options", "threads", "lines"), SETTINGS, ids=NAMES)
def test_every_searcher_keeps_its_deadline(name: str, options: dict[str, str], threads: int, lines: int) -> None:
    searcher, position = a_searcher(name, options, threads), a_position(name)
    control = Control()
    started = time.monotonic()
    control.set_deadline(time.monotonic_ns() + 150_000_000)
    report = exhaust(searcher, Task(position, control, (), lines))
    assert time.monotonic() - started < LATEST_S
    assert report.lines[0].pv


@pytest.mark.parametrize(("name", "options", "threads", "lines"), SETTINGS, ids=NAMES)
def test_every_searcher_sees_a_stop_within_few_nodes(
    name: str, options: dict[str, str], threads: int, lines: int
) -> None:
    searcher, position = a_searcher(name, options, threads), a_position(name)
    control = Control()
    thread = threading.Thread(target=exhaust, args=(searcher, Task(position, control, (), lines)))
    thread.start()
    time.sleep(0.1)
    control.stop()
    then = control.nodes
    thread.join()
    assert control.nodes - then <= 4 * threads * POLL_INTERVAL


@pytest.mark.parametrize(("name", "options", "threads", "lines"), SETTINGS, ids=NAMES)
def test_the_first_iteration_is_finished_without_any_time(
    name: str, options: dict[str, str], threads: int, lines: int
) -> None:
    """A search that is stopped before it begins plays a searched move, and reports no invented line."""
    reports = []
    for is_stopped in (False, True):
        searcher, position, control = a_searcher(name, options, threads), a_position(name), Control()
        if is_stopped:
            control.stop()
        searcher.start(Task(position, control, (), lines))
        reports.append(searcher.iterate())
        searcher.finish()
    first, hurried = reports
    assert first.complete and first.depth == hurried.depth == 1
    assert not hurried.complete and (hurried.nodes == first.nodes or lines > 1)
    if threads == 1 or name in ("xiangqi", "connect6"):  # elsewhere threads share the first iteration
        assert hurried.lines[:1] == first.lines[:1]
        assert set(hurried.lines) <= set(first.lines)


@pytest.mark.parametrize("limit", [1, 50])
@pytest.mark.parametrize(("name", "option"), [("ewn", {"Algorithm": "uct"}), ("junqi", {"Algorithm": "flat"})])
def test_playouts_keep_to_a_node_limit_in_the_first_iteration(name: str, option: dict[str, str], limit: int) -> None:
    control = Control(limit)
    searcher = a_searcher(name, option, 1)
    searcher.start(Task(a_position(name), control))
    assert searcher.iterate().nodes == max(limit, 6 if name == "ewn" else 1)  # EWN's throws take six
    assert control.stopped
    searcher.finish()


def test_connect6_looks_sooner_where_nodes_are_dear() -> None:
    position = registry.load("connect6").position(CROWDED)
    table, control, work = TranspositionTable(1), Control(), new_record(WORK_DTYPE)
    control.stop()
    work.control, work.tt, work.tt_mask = control.address, table.address, table.mask
    work.poll_at = POLL_INTERVAL
    win_by_threats(position.record, work, LOOKUP_RECORD, 20, 10_000)
    assert work.stopped
    assert work.nodes < POLL_INTERVAL / 4


def test_junqi_looks_after_few_episodes() -> None:
    from siqi.games.junqi.paper.learning import learn
    from siqi.games.junqi.rules.lookup import LOOKUP_RECORD as JUNQI_LOOKUP

    searcher: Any = a_searcher("junqi", {"Algorithm": "cooperation"}, 1)
    control = Control()
    searcher.start(Task(a_position("junqi"), control))
    searcher.iterate()
    uct = searcher._searcher
    adapter, work = uct._adapter, uct._works[0]
    before = int(work.nodes)
    work.poll_at = before + POLL_INTERVAL
    control.stop()
    assert adapter._team.row >= 0
    place = (adapter._root.view, uct._scratch[0], adapter._spare, work, JUNQI_LOOKUP, adapter._trees[0], adapter._team)
    learn(*place, adapter._matrix, adapter._experience, 1000)
    assert 0 < work.nodes - before <= POLL_INTERVAL + 1


@pytest.mark.parametrize("name", registry.NAMES)
def test_a_round_of_the_collector_passes_over_what_was_imported(name: str) -> None:
    """A garbage collection skips imported objects: with all of numba's it stopped every thread for 60 ms or more."""
    script = (
        "import gc, os, sys; from siqi.daemon.main import main; leave = os._exit;"
        "os._exit = lambda status: (print(len(gc.get_objects()), file=sys.stderr), leave(status)); main()"
    )
    setup = f"setoption name UCI_Variant value {name}\nisready\n"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, input=setup, capture_output=True, text=True, check=True
    )
    assert int(done.stderr) < 10_000


def count_helpers() -> int:
    """Return the number of search helpers that run; other tests may have left threads of other kinds."""
    return sum(thread.name == HELPER for thread in threading.enumerate())


@pytest.mark.parametrize("name", ["xiangqi", "connect6", "ewn"])
def test_threads_help_only_in_searches_that_last(name: str) -> None:
    searcher = a_searcher(name, {}, 4)
    control = Control()
    searcher.start(Task(a_position(name), control))
    searcher.iterate()
    assert count_helpers() == 0
    while control.nodes < ALONE_NODES:
        searcher.iterate()
    searcher.iterate()
    assert count_helpers() == 3
    searcher.finish()
    assert count_helpers() == 0


@pytest.mark.parametrize("moves", [(), ("123456",)])
def test_a_set_up_is_searched_without_any_time(moves: tuple[str, ...]) -> None:
    from siqi.games.ewn.search.setup import FIRST_ROUND, LEAST_FIELD

    game, control = registry.load("ewn"), Control()
    position = game.position()
    for word in moves:
        position.push(position.parse_move(word))
    control.stop()
    searcher = a_searcher("ewn", {}, 1)
    searcher.start(Task(position, control, (), 256))
    report = searcher.iterate()
    assert report.nodes == FIRST_ROUND * LEAST_FIELD
    assert len(report.lines) == LEAST_FIELD
    searcher.finish()
