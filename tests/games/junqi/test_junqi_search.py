"""Junqi's searchers: moves that must be found, limits, reproducibility, and the cooperative player's file."""

from __future__ import annotations

import itertools
import random
import shutil
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fixture_files import damaged
from junqi_games import random_games, replay
from samples import sampled

from naive import junqi as naive
from siqi.games import registry
from siqi.games.books.book import open_book
from siqi.games.contract import Game, Report, Searcher, Task, exhaust
from siqi.games.junqi import INFO
from siqi.games.junqi.evaluation.terms import MAX_DISTANCE, QUIET_GRACE, count_terms_here, steps_overdue_here
from siqi.games.junqi.paper.cooperation import KIND, VERSION, read_experience
from siqi.games.junqi.paper.experience import KIND_DTYPE, KINDS
from siqi.games.junqi.rules.lookup import FLAG, LOOKUP_RECORD, MINE, PIECES
from siqi.games.junqi.rules.work import WORK_DTYPE
from siqi.games.junqi.search.search import HASTY_WORLDS, WORLD_NODES, WORLDS, keys_of
from siqi.games.kernel.control import Control
from siqi.games.kernel.jit import new_record

SEARCHERS = INFO.options[0].choices

FLAG_IN_REACH = "1l3/1B3/5/5/5/1x1x1/5/5/5/5/3H1/1L3 f f 3"
SOME_VIEW = "1l1x1/5/5/5/x4/1x1x1/B4/1D1E1/5/5/3H1/1L3 f f 3"
OTHER_VIEW = "1l1x1/5/5/x4/5/1x1x1/B4/1D1E1/5/5/3H1/1L3 f f 3"
ONLY_CONTACT_SAVES = "1x1x1/5/5/5/5/x4/B4/5/5/5/3H1/1L3 f f 30"


def load(name: str, **options: str) -> Game:
    game = registry.load("junqi")
    game.set_option("Algorithm", name)
    for option, value in options.items():
        game.set_option(option, value)
    return game


def run(game: Game, position: Any, nodes: int, searcher: Searcher | None = None) -> Report:
    """Return the last report of a search with a cleared searcher."""
    searcher = searcher or game.searcher()
    searcher.configure(16, 1, 7)
    searcher.clear()
    return exhaust(searcher, Task(position, Control(nodes)))


@pytest.mark.parametrize("name", SEARCHERS)
def test_a_known_flag_is_taken(name: str) -> None:
    game = load(name)
    position = game.position(FLAG_IN_REACH)
    line = run(game, position, 3000).lines[0]
    assert (position.move_text(line.pv[0]), line.score.mate) == ("B1A1", 1)


def test_little_time_has_few_worlds() -> None:
    """The shortest search is short, so that a clock without an increment lasts a long game."""
    game = load("worlds")
    position, searcher = game.position(SOME_VIEW), game.searcher()
    searcher.configure(1, 1, 7)
    notes = []
    for left_ns in (10**7, 10**9, 0):
        control = Control(WORLDS * WORLD_NODES)
        if left_ns:
            control.set_deadline(time.monotonic_ns() + left_ns)
        notes.append(exhaust(searcher, Task(position, control)).note.split(" effective", maxsplit=1)[0])
    assert notes == [f"worlds {HASTY_WORLDS}", f"worlds {WORLDS}", f"worlds {WORLDS}"]


def test_a_low_node_limit_has_few_worlds() -> None:
    """Depth 1 in all worlds would go far over it, and low Skill Levels would play alike."""
    game = load("worlds")
    position, searcher = game.position(SOME_VIEW), game.searcher()
    searcher.configure(1, 1, 7)
    notes = {}
    for nodes in (1, WORLD_NODES * 5, WORLD_NODES * WORLDS * 2):
        report = exhaust(searcher, Task(position, Control(nodes)))
        notes[nodes] = report.note.split(" effective", maxsplit=1)[0]
        assert report.nodes <= max(nodes, WORLD_NODES)
    assert list(notes.values()) == ["worlds 1", "worlds 5", f"worlds {WORLDS}"]


@pytest.mark.parametrize("name", SEARCHERS)
def test_contact_is_made_before_its_lack_loses(name: str) -> None:
    game = load(name)
    position = game.position(ONLY_CONTACT_SAVES)
    assert position.move_text(run(game, position, 5000).lines[0].pv[0]) == "G0F0"


def test_a_piece_far_from_the_enemy_makes_contact_in_time() -> None:
    """The side to move is due to make the last ply without contact, eight steps away; the other goes to and fro."""
    game = load("worlds")
    position: Any = game.position("1l3/1d3/5/5/5/5/5/5/5/3C1/5/1L3 f f 12")
    answers = itertools.cycle(("B1B0", "B0B1"))
    while position.record.quiet >= 12 and position.outcome() is None:
        position.push(run(game, position, 200).lines[0].pv[0])
        if position.record.quiet >= 12:
            position.push(position.parse_move(next(answers)))
    assert position.record.quiet == 0


def steps_by_hand(pos: Any, side: int) -> int:
    """Return the steps from a mobile piece of a side over empty squares to an enemy out of camps, by a plain search."""
    names = dict(enumerate(naive.SQUARES))
    at = {names[square]: int(piece) - 1 for square, piece in enumerate(pos.board) if piece}
    kinds = {square: int(pos.may[piece]).bit_length() - 1 for square, piece in at.items()}
    own = [square for square, piece in at.items() if piece // PIECES == side]
    frontier = {s for s in own if kinds[s] not in (FLAG, MINE) and s not in naive.HEADQUARTERS}
    seen = set(frontier)
    for steps in range(1, MAX_DISTANCE):
        around = {there for here in frontier for there in naive.SQUARES if naive.is_road(here, there)}
        if any(there in at and there not in own and there not in naive.CAMPS for there in around):
            return steps
        frontier = {there for there in around if there not in at} - seen
        seen |= frontier
    return MAX_DISTANCE


@sampled("games", 4, 40)
def test_the_steps_to_contact_are_those_of_a_plain_search(games: int) -> None:
    """In positions of random games, as if there had been no contact for a time: those of the side that is due."""
    game, rng = registry.load("junqi"), random.Random(8)
    work, found = new_record(WORK_DTYPE), set()
    for position, _ in random_games(game, 5, games):
        if not position.has_pieces or position.outcome() is not None:
            continue
        pos = position.record.copy()
        for pos.quiet in (QUIET_GRACE, rng.randrange(QUIET_GRACE + 1, 31)):
            count_terms_here(pos, work, LOOKUP_RECORD)
            due = pos.turn ^ (30 - pos.quiet) % 2
            steps = steps_by_hand(pos, due)
            expected = (pos.quiet - QUIET_GRACE) * steps * (-1 if due else 1)
            assert steps_overdue_here(pos, work, LOOKUP_RECORD) == expected, (position.fen(), pos.quiet)
            found.add(steps)
    assert len(found) > 4


@pytest.mark.parametrize("name", SEARCHERS)
def test_answers_are_legal_and_lines_in_order(name: str) -> None:
    game = load(name)
    searcher = game.searcher()
    for referee, _ in itertools.islice(random_games(game, 3, 3), 0, None, 9):
        view = replay(game, referee.view_moves(referee.turn))
        if view.outcome() is not None or referee.outcome() is not None:
            continue
        searcher.configure(16, 1, 1)
        searcher.start(Task(view, Control(600), (), 3))
        lines = searcher.iterate().lines
        searcher.finish()
        legal = view.legal_moves()
        assert 1 <= len(lines) <= 3 and all(line.pv[0] in legal for line in lines)
        assert len({line.pv[0] for line in lines}) == len(lines)


@pytest.mark.parametrize("name", SEARCHERS)
def test_a_search_is_repeated_exactly_and_keeps_to_its_nodes(name: str) -> None:
    """The first depth is searched whole under any limit; here it takes 6,042 nodes."""
    game = load(name)
    searcher = game.searcher()
    view = replay(game, ["diahcbgkkfiecfigjhedjljhg", "?"])
    one, other = (run(game, view, 8000, searcher) for _ in range(2))
    assert one == other and one.nodes <= 8000


def test_a_search_stopped_at_once_still_answers() -> None:
    game = load("worlds")
    searcher, control = game.searcher(), Control()
    searcher.configure(16, 2, 1)
    control.stop()
    view = replay(game, ["diahcbgkkfiecfigjhedjljhg", "?"])
    searcher.start(Task(view, control))
    line = searcher.iterate().lines[0]
    searcher.finish()
    assert line.pv[0] in view.legal_moves()


def with_padding(position: Any, byte: int) -> Any:
    """Return a copy of a position with this byte in its record's padding."""
    twin = position.copy()
    dtype = position.record.dtype
    record = np.frombuffer(bytearray([byte]) * dtype.itemsize, dtype)[0]
    for name in dtype.names:
        record[name] = position.record[name]
    twin._state = twin._state._replace(record=record)
    return twin


def test_padding_is_no_part_of_a_world() -> None:
    """Keys do not depend on a record's padding, whose bytes are arbitrary in a copy."""
    game = load("worlds")
    position = game.position("1c1l1/5/5/1d1f1/5/5/5/5/1h3/5/1g1i1/B2LC f - 0")
    twins = [with_padding(position, byte) for byte in (0, 1, 0x5A, 0xFF)]
    twins += [twin.copy() for twin in twins]
    assert len({twin.record.tobytes() for twin in twins}) >= 4
    worlds = np.arange(2 * PIECES, dtype=np.uint8).reshape(2, PIECES)
    keys = keys_of(position.record, worlds)
    assert keys[0] != keys[1] and all(keys_of(twin.record, worlds) == keys for twin in twins)
    moved = position.copy()
    moved.push(moved.legal_moves()[0])
    assert keys_of(moved.record, worlds) != keys


def test_a_second_search_finds_what_the_first_stored() -> None:
    game = load("worlds")
    position = game.position("1c1l1/2h2/5/1d1f1/5/2D2/5/5/1h3/3E1/1g1i1/B2LC f - 0")
    searcher = game.searcher()
    searcher.configure(16, 1, 3)
    nodes = []
    for byte in (0, 0x5A, 0xFF):
        searcher.start(Task(with_padding(position, byte), Control()))
        nodes.append([searcher.iterate().nodes for _ in range(5)][-1])
        searcher.finish()
    assert max(nodes[1:]) < 0.8 * nodes[0]


# The file of the cooperative player


def lessons(path: Path) -> int:
    return int(open_book(path, KIND, VERSION).about["lessons"])


def test_experience_outlives_the_game(tmp_path: Path) -> None:
    path = tmp_path / "learned.book"
    game = load("cooperation", CooperationFile=str(path))
    searcher = game.searcher()
    run(game, game.position(SOME_VIEW), 4000, searcher)
    searcher.clear()
    first = lessons(path)
    assert first > 100
    searcher = load("cooperation", CooperationFile=str(path)).searcher()
    run(game, game.position(SOME_VIEW), 4000, searcher)
    searcher.clear()
    assert lessons(path) > first + 100
    kept = read_experience(path)
    searcher.clear()  # a game in which nothing was learned
    assert (read_experience(path) == kept).all()


def test_two_engines_with_one_file_keep_what_both_have_learned(tmp_path: Path) -> None:
    """The second to save adds to what the first has saved, whether or not both began with a file."""
    path, alone = tmp_path / "learned.book", tmp_path / "alone.book"
    for begins_with in range(2):
        before = read_experience(path) if begins_with else np.zeros(KINDS, KIND_DTYPE)
        searchers = []
        for view, name in ((SOME_VIEW, path), (OTHER_VIEW, path), (OTHER_VIEW, alone)):
            game = load("cooperation", CooperationFile=str(name))
            searchers.append(game.searcher())
            run(game, game.position(view), 4000, searchers[-1])
        searchers[0].clear()
        first = read_experience(path)
        searchers[2].clear()
        searchers[1].clear()
        second, both = read_experience(alone), read_experience(path)
        assert (first["lessons"] > before["lessons"]).any() and (second["lessons"] > before["lessons"]).any()
        assert (both["lessons"] == first["lessons"] + second["lessons"] - before["lessons"]).all()
        assert np.allclose(both["total"], first["total"] + second["total"] - before["total"])
        shutil.copyfile(path, alone)


def test_a_damaged_cooperation_file_is_reported_and_left_out(tmp_path: Path) -> None:
    path = tmp_path / "learned.book"
    game = load("cooperation", CooperationFile=str(path))
    searcher = game.searcher()
    run(game, game.position(SOME_VIEW), 2000, searcher)
    searcher.clear()
    warnings: list[str] = []
    broken = registry.load("junqi", warnings.append)
    broken.set_option("Algorithm", "cooperation")
    path.write_bytes(damaged(path.read_bytes(), random.Random(1)))
    broken.set_option("CooperationFile", str(path))
    run(broken, game.position(FLAG_IN_REACH), 500)
    assert len(warnings) == 1
