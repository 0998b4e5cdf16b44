"""Tablebases: small ones against a naive analysis and against search, unsound files, play by the tables."""

from __future__ import annotations

import itertools
import os
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fixture_files import damaged
from samples import sampled

from scripts.books import build_xiangqi_tablebases
from scripts.books.xiangqi_retrograde import RetrogradeAnalysis, build_order

from naive.xiangqi import Naive
from siqi.games import registry
from siqi.games.books.book import BookFileError
from siqi.games.contract import BookLine, Score, TablebaseResult, Task, exhaust
from siqi.games.kernel.control import Control
from siqi.games.kernel.jit import entry, int64
from siqi.games.xiangqi.data.weights import KINDS
from siqi.games.xiangqi.knowledge.knowledge import TABLEBASE_FOLDER
from siqi.games.xiangqi.knowledge.numbering import INDEXING, MaterialSignature, index, number, placements, places
from siqi.games.xiangqi.knowledge.tablebase import SUFFIX, SignatureTable, Tablebase
from siqi.games.xiangqi.rules.notation import square_text, write_fen
from siqi.games.xiangqi.rules.position import POSITION

BUILT = ("N-A", "P-A", "R-P", "CA-AA", "NN-")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the tablebases of a few small endings."""
    into = tmp_path_factory.mktemp("endings")
    for signature in build_order([MaterialSignature.parse(name) for name in BUILT]):
        build_xiangqi_tablebases.build(into, signature)
    return into


@pytest.fixture(scope="module")
def game(folder: Path) -> Any:
    refused: list[str] = []
    game = registry.load("xiangqi", refused.append)
    game.set_option("EndgamePath", str(folder))
    yield game
    assert refused == []


def random_position(game: Any, signature: MaterialSignature, rng: random.Random, swapped: bool = False) -> Any:
    """Return a random legal position of an ending; the stronger side is Black if `swapped`."""
    while True:
        pieces: dict[str, str] = {}
        for side, letters in enumerate(signature):
            for letter in "K" + letters:
                square = rng.choice(places(KINDS.index(letter.lower()), side))
                if swapped:
                    square = 89 - square
                pieces[square_text(square)] = letter if (side == 0) != swapped else letter.lower()
        if len(pieces) == 2 + len(signature.strong + signature.weak):
            try:
                position = game.position(write_fen(pieces, rng.randrange(2)))
            except ValueError:
                continue
            if position.legal_moves():
                return position


def plies_to_mate(game: Any, position: Any) -> int:
    """Return the plies until the side to move mates, or minus those until it is mated; 0 for a draw."""
    known = game.consult(position)[-1].ending
    return {"win": 1, "loss": -1, "draw": 0}[known.result] * known.plies


def searched(game: Any, position: Any, nodes: int = 1000) -> Any:
    """Return the first line and the tbhits of a short search."""
    searcher = game.searcher()
    searcher.configure(1, 1, 1)
    report = exhaust(searcher, Task(position, Control(nodes)))
    return report.lines[0], report.tbhits


@pytest.mark.parametrize("name", ["", "R", "NR-", "R-BA", "A-B", "R-AAA", "NAABB-R", "Q-", "N-NA", "r-", "R-A-"])
def test_what_is_no_ending(name: str) -> None:
    with pytest.raises(ValueError):
        MaterialSignature.parse(name)


def test_captures_lead_to_smaller_endings() -> None:
    assert {str(e) for e in MaterialSignature.parse("RN-AB").after_captures()} == {"RN-A", "RN-B", "R-AB", "N-AB"}
    assert {str(e) for e in MaterialSignature.parse("R-NA").after_captures()} == {"R-A", "R-N", "NA-"}
    assert {str(e) for e in MaterialSignature.parse("CA-A").after_captures()} == {"CA-"}
    order = [str(e) for e in build_order([MaterialSignature.parse("R-NA")])]
    assert order[-1] == "R-NA" and set(order) == {"R-", "R-A", "N-", "NA-", "R-N", "R-NA"}


@entry(int64(POSITION, INDEXING, int64))
def index_of(pos: Any, e: Any, strong: int) -> int:
    return index(pos, e, strong)


@sampled("count", 100, 400)
@pytest.mark.parametrize("name", ["R-", "P-AABB", "NN-A", "PPP-B", "CAAB-A", "R-NAABB"])
def test_a_number_is_one_placement(game: Any, name: str, count: int) -> None:
    """A placement has one number, also mirrored or with colours exchanged, and no other placement has it."""
    signature = MaterialSignature.parse(name)
    e = number(signature)
    rng = random.Random(name)
    seen: dict[int, set[str]] = {}
    for _ in range(count):
        position = random_position(game, signature, rng)
        rows, side = position.fen().split()[:2]
        mirrored = "/".join(row[::-1] for row in rows.split("/"))
        exchanged = rows[::-1].swapcase()  # reversed as a whole, so mirrored too
        other_side = "b" if side == "w" else "w"
        numbers = [
            int(index_of(position.record, e, 0)),
            int(index_of(game.position(f"{mirrored} {side}").record, e, 0)),
            int(index_of(game.position(f"{exchanged} {other_side}").record, e, 1)),
        ]
        assert min(numbers) >= 0 and max(numbers) < e.entries
        assert numbers[1] == numbers[2]
        assert is_central(rows) or numbers[0] == numbers[1]
        seen.setdefault(numbers[0], set()).add(rows if is_central(rows) else min(rows, mirrored))
    assert all(len(placed) == 1 for placed in seen.values())


def is_central(rows: str) -> bool:
    """True if both kings stand on the middle file, where mirrored positions have different numbers."""
    files = []
    for row in rows.split("/"):
        wide = "".join("1" * int(c) if c.isdigit() else c for c in row)
        files += [file for file, c in enumerate(wide) if c in "kK"]
    return files == [4, 4]


@pytest.mark.parametrize("name", ["RN-", "NN-AB", "PPP-"])
def test_numbers_count_every_placement_once(name: str) -> None:
    e = number(MaterialSignature.parse(name))
    sizes = [len(placements(e, group)) for group in range(int(e.groups))]
    assert int(e.entries) == 45 * int(np.prod(sizes))
    assert all(len({frozenset(row) for row in placements(e, g).tolist()}) == sizes[g] for g in range(len(sizes)))


def naive_distances() -> dict[tuple[str, int], int]:
    """Return the distances of king and pawn against king: (board, side to move) -> plies to the end, without draws."""
    after: dict[tuple[str, int], list[tuple[str, int]]] = {}
    kings = list(itertools.product(places(0, 0), places(0, 1)))
    for (red, black), pawn, turn in itertools.product(kings, places(6, 0), (0, 1)):
        if pawn in (red, black):
            continue
        fen = write_fen({square_text(red): "K", square_text(black): "k", square_text(pawn): "P"}, turn)
        naive = Naive(fen)
        if naive.in_check(1 - turn):
            continue
        following = []
        for move in naive.legal_moves():
            then = Naive(fen)
            then.push(move)
            following.append((then.fen_board(), 1 - turn))
        after[(fen.split()[0], turn)] = following
    distances = {place: 0 for place, following in after.items() if not following}
    while True:
        grown = dict(distances)
        for place, following in after.items():
            if place in grown:
                continue
            ends = [distances.get(other) for other in following]  # positions without the pawn are never won
            lost = [end for end in ends if end is not None and end % 2 == 0]
            if lost:
                grown[place] = min(lost) + 1
            elif None not in ends:
                grown[place] = max(end for end in ends if end is not None) + 1
        if grown == distances:
            return distances
        distances = grown


@pytest.mark.long
def test_distances_are_those_of_a_naive_analysis(game: Any, folder: Path) -> None:
    expected = naive_distances()
    assert len(expected) > 2000
    rng = random.Random(1)
    signature = MaterialSignature.parse("P-")
    for _ in range(300):
        position = random_position(game, signature, rng)
        line, _ = searched(game, position)
        plies = expected.get((position.fen().split()[0], position.turn))
        mate = None if plies is None else (plies + 1) // 2 if plies % 2 else -(plies // 2)
        assert line.score.mate == mate, position.fen()


@pytest.mark.parametrize("name", ["N-A", "R-P", "CA-AA"])
@sampled("count", 10, 40)
def test_distances_are_those_of_a_search(game: Any, name: str, count: int) -> None:
    """A full search finds no shorter mate, and usually one of the same length."""
    plain = registry.load("xiangqi")
    plain.set_option("UseEndgames", "false")
    rng = random.Random(name)
    equal = tried = 0
    while tried < count:
        position = random_position(game, MaterialSignature.parse(name), rng, swapped=tried % 2 == 1)
        if not 0 < plies_to_mate(game, position) <= 7:
            continue
        line, hits = searched(game, position)
        assert hits and 0 < line.score.mate <= 4
        tried += 1
        by_search, hits = searched(plain, position, 200_000)
        assert not hits
        assert by_search.score.mate is not None and by_search.score.mate >= line.score.mate, position.fen()
        equal += by_search.score.mate == line.score.mate
    assert equal >= count * 9 // 10


def test_checking_finds_a_wrong_value(folder: Path) -> None:
    signature = MaterialSignature.parse("N-A")
    smaller = {
        other: build_xiangqi_tablebases.read_values(build_xiangqi_tablebases.path_of(folder, other), other)
        for other in signature.after_captures()
    }
    analysis = RetrogradeAnalysis(signature, smaller)
    analysis.run(lambda what, done: None)
    assert analysis.check(lambda what, done: None) == -1
    side, at = np.argwhere(analysis.values == 4)[0]
    analysis.values[side, at] = 6
    assert analysis.check(lambda what, done: None) >= 0


def test_a_build_goes_on_where_it_was_broken_off(folder: Path, tmp_path: Path) -> None:
    signatures = list(build_order([MaterialSignature.parse("P-A")]))
    first, *rest = signatures
    build_xiangqi_tablebases.build(tmp_path, first)
    before = build_xiangqi_tablebases.path_of(tmp_path, first).stat().st_mtime_ns
    built = list(build_xiangqi_tablebases.build_all(tmp_path, signatures, 1))
    assert len(built) == len(rest)
    assert build_xiangqi_tablebases.path_of(tmp_path, first).stat().st_mtime_ns == before
    for signature in signatures:
        again, whole = (build_xiangqi_tablebases.path_of(at, signature) for at in (tmp_path, folder))
        assert again.read_bytes() == whole.read_bytes()


# Files that cannot be used


@sampled("count", 60, 300)
def test_a_damaged_file_is_refused(folder: Path, tmp_path: Path, count: int) -> None:
    data = (folder / f"N-A{SUFFIX}").read_bytes()
    path = tmp_path / f"N-A{SUFFIX}"
    rng = random.Random(5)
    for _ in range(count):
        path.write_bytes(damaged(data, rng))
        with pytest.raises(BookFileError, match=r"N-A\.ending: [^\n]+$"):
            SignatureTable(path, MaterialSignature.parse("N-A"))


@pytest.mark.parametrize(
    ("name", "source", "reason"),
    [
        ("N-A", "N-", "holds another ending"),
        ("Q-Q", "N-", "not an ending"),
        ("A-", "N-", "not in order"),
    ],
)
def test_a_file_of_another_name_is_refused(folder: Path, tmp_path: Path, name: str, source: str, reason: str) -> None:
    (tmp_path / f"{name}{SUFFIX}").write_bytes((folder / f"{source}{SUFFIX}").read_bytes())
    warnings: list[str] = []
    game = registry.load("xiangqi", warnings.append)
    game.set_option("EndgamePath", str(tmp_path))
    line, _ = searched(game, game.position("3k1a3/9/9/9/9/9/9/9/9/3NK4 w"))
    assert line.pv
    if TABLEBASE_FOLDER.is_dir() and name == "N-A":
        return  # the shipped tablebase comes first
    assert len(warnings) == 1 and reason in warnings[0] and "\n" not in warnings[0]


def test_a_damaged_block_is_reported_once_and_play_goes_on(folder: Path, tmp_path: Path) -> None:
    """One warning is given for damage that only unpacking detects, since the checksum is right."""
    from siqi.games.books.book import open_book, write_book
    from siqi.games.xiangqi.knowledge.tablebase import KIND, VERSION

    source = open_book(folder / f"NN-{SUFFIX}", KIND, VERSION)
    payload = bytearray(source.payload.tobytes())
    payload[40:60] = bytes(20)
    about = {name: source.about[name] for name in ("ending", "entries")}
    write_book(tmp_path / f"NN-{SUFFIX}", KIND, VERSION, about, bytes(payload))
    warnings: list[str] = []
    tables = Tablebase([tmp_path], warnings.append)
    game = registry.load("xiangqi", warnings.append)
    game.knowledge.tablebase = tables
    for _ in range(3):
        line, hits = searched(game, game.position("3k5/9/9/9/9/9/9/9/9/3NKN3 w"))
        assert line.pv and not hits
    assert len(warnings) == 1 and "NN-.ending: block 0" in warnings[0] and "\n" not in warnings[0]


def test_another_version_is_refused(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("siqi.games.xiangqi.knowledge.tablebase.VERSION", 2)
    with pytest.raises(BookFileError, match="version 1, this program reads 2"):
        SignatureTable(folder / f"N-A{SUFFIX}", MaterialSignature.parse("N-A"))


# Play


def play_out(game: Any, position: Any, plies: int) -> Iterator[Any]:
    """Play both sides by the tables; yield the score before each move."""
    for _ in range(plies):
        line, _ = searched(game, position, 200)
        yield line.score
        position.push(line.pv[0])
        if position.outcome() is not None:
            return


@pytest.mark.parametrize("name", ["N-A", "R-P", "CA-AA", "NN-"])
@sampled("count", 2, 6)
def test_won_endings_are_won_without_wandering(game: Any, name: str, count: int) -> None:
    """The winner mates within the distance against the best defence."""
    rng = random.Random(f"{name} won")
    played = 0
    while played < count:
        position = random_position(game, MaterialSignature.parse(name), rng, swapped=played % 2 == 0)
        if not plies_to_mate(game, position):
            continue
        line, _ = searched(game, position)
        played += 1
        plies = 2 * line.score.mate - 1 if line.score.mate > 0 else -2 * line.score.mate
        winner = position.turn if line.score.mate > 0 else 1 - position.turn
        scores = list(play_out(game, position, plies))
        assert len(scores) == plies
        assert position.outcome() is not None and position.outcome().winner == winner


@sampled("count", 3, 10)
def test_drawn_endings_are_drawn(game: Any, count: int) -> None:
    rng = random.Random(3)
    for name in ("P-A", "CA-AA") * count:
        position = random_position(game, MaterialSignature.parse(name), rng)
        line, _ = searched(game, position)
        if line.score == Score(win=0.0, draw=1.0):
            assert all(score.mate is None for score in play_out(game, position, 40))


def test_among_drawing_moves_the_search_chooses(game: Any) -> None:
    """The search scores a draw and continues to deepen; with several lines each move's value is known at once."""
    position = game.position("3k5/4a4/9/9/9/4P4/9/9/9/4K4 w")
    searcher = game.searcher()
    searcher.configure(1, 1, 1)
    report = exhaust(searcher, Task(position, Control(2000)))
    assert report.note == "endgame draw" and report.depth > 4 and report.lines[0].score == Score(win=0.0, draw=1.0)
    position.push(report.lines[0].pv[0])
    assert game.consult(position)[-1] == BookLine("endgame draw", ending=TablebaseResult("draw"))
    position.pop()
    several = exhaust(searcher, Task(position, Control(2000), multipv=2))
    assert several.depth == 1 and several.finished


def test_every_line_of_a_tablebase_win_ends_in_the_mate(game: Any) -> None:
    """The winner's lines and the loser's are whole, each as long as its score says."""
    searcher = game.searcher()
    searcher.configure(1, 1, 1)
    rng = random.Random(8)
    lengths = []
    for name in ("N-A", "CA-AA", "R-P") * 4:
        position = random_position(game, MaterialSignature.parse(name), rng, swapped=rng.random() < 0.5)
        for line in exhaust(searcher, Task(position, Control(), multipv=3)).lines:
            if line.score.mate is None:
                continue
            after = position.copy()
            for move in line.pv:
                assert after.is_legal(move)
                after.push(move)
            assert after.outcome() is not None and not after.legal_moves()
            assert len(line.pv) == 2 * abs(line.score.mate) - (line.score.mate > 0)
            lengths.append(len(line.pv) * (1 if line.score.mate > 0 else -1))
    assert min(lengths) < -8 and max(lengths) > 8, lengths


@pytest.mark.parametrize(
    ("fen", "moves"),
    [
        ("3k5/9/9/9/9/9/9/P8/9/4K4 w", ("a2a3",)),
        ("3k5/9/9/9/9/9/1P7/9/9/4K4 w", ("b3b4", "d9d8", "b4b5")),
        ("3k5/5p3/9/9/9/9/9/9/9/4K4 b", ("f8f7", "e0e1", "f7f6", "e1e0", "f6f5", "e0e1", "f5f4")),
    ],
)
def test_the_tablebase_has_no_pawn_where_no_game_brings_it(game: Any, fen: str, moves: tuple[str, ...]) -> None:
    """There is a verdict as soon as the pawn has gone on to where one can stand."""
    position = game.position(fen)
    for move in moves:
        assert not game.solution(position) and all(line.ending is None for line in game.consult(position))
        position.push(position.parse_move(move))
    assert game.solution(position) and game.consult(position)[-1].ending.result in ("win", "loss")


def test_a_search_with_a_deadline_has_blocks_unpacked_beside_it(folder: Path) -> None:
    warnings: list[str] = []
    game = registry.load("xiangqi", warnings.append)
    game.knowledge.tablebase = Tablebase([folder], warnings.append)
    searcher = game.searcher()
    searcher.configure(1, 1, 1)
    control = Control()
    control.set_deadline(time.monotonic_ns() + 1_000_000_000)
    report = exhaust(searcher, Task(game.position("3k5/4a4/9/9/9/9/8p/9/9/N3K4 w"), control))
    assert report.tbhits > 0 and report.note == "" and not warnings


def test_a_slow_disk_does_not_make_a_search_late(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = registry.load("xiangqi")
    game.knowledge.tablebase = Tablebase([folder], pytest.fail)
    open_table = SignatureTable.__init__

    def open_slowly(table: SignatureTable, path: Path, signature: MaterialSignature) -> None:
        time.sleep(3)
        open_table(table, path, signature)

    monkeypatch.setattr(SignatureTable, "__init__", open_slowly)
    searcher = game.searcher()
    searcher.configure(1, 1, 1)
    control = Control()
    started = time.monotonic_ns()
    control.set_deadline(started + 100_000_000)
    exhaust(searcher, Task(game.position("3k1a3/9/9/9/9/9/9/9/9/3NK4 w"), control))
    assert time.monotonic_ns() - started < 2_000_000_000


NEAR_TABLES = "3k1a3/4a4/9/9/9/4P4/9/2N6/9/4KR3 w"
"""A position whose captures lead to endings with tables, shipped ones and some built here."""


def iterations(searcher: Any, position: Any, control: Control) -> list[tuple[int, int, Any]]:
    """Return nodes, tbhits and lines of each iteration of a search."""
    searcher.start(Task(position, control))
    reports = [searcher.iterate()]
    while reports[-1].complete and not reports[-1].finished:
        reports.append(searcher.iterate())
    searcher.finish()
    return [(report.nodes, report.tbhits, report.lines) for report in reports]


def new_search(folder: Path) -> tuple[Any, Any]:
    """Return the searcher of a game without open tables, and a position near tables."""
    game = registry.load("xiangqi")
    game.knowledge.tablebase = Tablebase([TABLEBASE_FOLDER, folder], pytest.fail)
    searcher = game.searcher()
    searcher.configure(1, 1, 1)
    return searcher, game.position(NEAR_TABLES)


def test_clearing_forgets_what_was_unpacked(folder: Path) -> None:
    searcher, position = new_search(folder)
    first = iterations(searcher, position, Control(20_000))
    assert first[-1][1] > 0, "no table was asked"
    searcher.clear()
    assert iterations(searcher, position, Control(20_000)) == first


@sampled("count", 3, 10)
def test_clearing_ends_the_loader(folder: Path, count: int) -> None:
    """The loader continues for a while after a search with a deadline, until the searcher is cleared."""
    searcher, position = new_search(folder)
    first = iterations(searcher, position, Control(20_000))
    for _ in range(count):
        control = Control()
        control.set_deadline(time.monotonic_ns() + 10_000_000)
        iterations(searcher, position, control)
        searcher.clear()
        assert iterations(searcher, position, Control(20_000)) == first
        searcher.clear()


@pytest.mark.parametrize("wait_s", [0.0, 0.5])
def test_a_search_that_is_stopped_before_it_starts_leaves_no_loader(folder: Path, wait_s: float) -> None:
    """No loader is left running, which would change the next search at a random time."""
    searcher, position = new_search(folder)

    def search_after_a_stopped_one(wait_s: float) -> list[tuple[int, int, Any]]:
        searcher.clear()
        stopped = Control()
        stopped.stop()
        assert len(iterations(searcher, position, stopped)) == 1
        time.sleep(wait_s)
        return iterations(searcher, position, Control(20_000))

    first = search_after_a_stopped_one(0)
    for _ in range(5):
        assert search_after_a_stopped_one(wait_s) == first


def test_a_search_that_is_stopped_before_it_starts_opens_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No tablebase is opened, since that can be slow."""
    searcher, position = new_search(folder)
    opened: list[MaterialSignature] = []
    monkeypatch.setattr(SignatureTable, "__init__", lambda table, path, signature: opened.append(signature))
    stopped = Control()
    stopped.stop()
    assert len(iterations(searcher, position, stopped)) == 1 and not opened


def test_the_sixty_move_rule_comes_before_the_table(game: Any) -> None:
    """A mate that comes after a draw by the rule is not claimed."""
    fen = "3k1a3/9/9/9/9/9/9/9/9/3NK4 w - - {} 90"
    near, _ = searched(game, game.position(fen.format(0)))
    late, _ = searched(game, game.position(fen.format(119)))
    assert near.score.mate is not None and near.score.mate > 1
    assert late.score.mate is None


def test_tables_can_be_switched_off(game: Any) -> None:
    position = game.position("3k1a3/9/9/9/9/9/9/9/9/3NK4 w")
    assert searched(game, position)[1] > 0
    game.set_option("UseEndgames", "false")
    assert searched(game, position)[1] == 0
    game.set_option("UseEndgames", "true")
    assert searched(game, position)[1] > 0


@pytest.mark.parametrize("name", ["xiangqi", "ewn"])
def test_many_faults_of_a_folder_are_one_warning(name: str, tmp_path: Path) -> None:
    """The first is named, with the number of all; so are folders that do not exist."""
    stems = [str(stem) for stem in range(3000)] if name == "xiangqi" else ["3-2", "4-1"]
    for stem in stems:
        (tmp_path / f"{stem}.ending").write_text("x")
    warnings: list[str] = []
    game = registry.load(name, warnings.append)
    game.set_option("EndgamePath", str(tmp_path))
    assert len(warnings) == 1 and warnings[0].endswith(f" ({len(stems)} such faults)") and str(tmp_path) in warnings[0]
    warnings.clear()
    game.set_option("EndgamePath", os.pathsep.join(["a", "a", "b", str(tmp_path / "c")]))
    assert warnings == ["a: no such folder (3 such faults)"]
