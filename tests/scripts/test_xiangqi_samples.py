"""Samples of Xiangqi: their file stays intact if its writer is killed, and the kernels agree with the engine."""

from __future__ import annotations

import json
import random
import resource
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zstandard
from fixture_files import ROOT, vectors

from scripts.common.records import match_games
from scripts.network.compare_searches import Variant, difference, search_errors
from scripts.network.measure_xiangqi_network import errors_of
from scripts.network.sample_lost_games import labelled, lost_positions
from scripts.network.samples import (
    MAGIC,
    SAMPLE_DTYPE,
    SampleFile,
    Samples,
    read_samples,
    read_settings,
)
from scripts.network.sampling import MAX_SCORE, TT_MB, Search, label_static, sample_of, set_up_sample

from siqi.games import registry
from siqi.games.contract import Searcher, Task, exhaust
from siqi.games.kernel.control import Control
from siqi.games.kernel.jit import Record, entry, void
from siqi.games.xiangqi.board import XiangqiPosition
from siqi.games.xiangqi.data.margins import Margins
from siqi.games.xiangqi.evaluation.choice import choose
from siqi.games.xiangqi.evaluation.terms import fill_terms
from siqi.games.xiangqi.rules.lookup import LOOKUP, LOOKUP_RECORD
from siqi.games.xiangqi.rules.position import POSITION, do_null

SETTINGS = {"nodes": 100, "seed": 1, "openings": "book"}


def some_samples(count: int, seed: int = 1) -> Samples:
    """Return samples of random bytes, all of which a file must keep."""
    data = np.random.default_rng(seed).integers(0, 256, count * SAMPLE_DTYPE.itemsize, np.uint8)
    return data.view(SAMPLE_DTYPE)


def content(path: Path) -> bytes:
    return b"".join(block.tobytes() for block in read_samples(path))


# The file


def test_a_sample_has_38_bytes() -> None:
    assert SAMPLE_DTYPE.itemsize == 38


def test_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "a.samples"
    blocks = [(some_samples(1000, 1), 3), (some_samples(0), 2), (some_samples(1, 2), 1), (some_samples(70_000, 3), 0)]
    with SampleFile(path, SETTINGS) as file:
        for block, games in blocks[:2]:
            file.append(block, games)
    with SampleFile(path, SETTINGS) as file:
        assert (file.count, file.games) == (1000, 5)
        for block, games in blocks[2:]:
            file.append(block, games)
        assert (file.count, file.games) == (71_001, 6)
    assert read_settings(path) == SETTINGS
    samples = list(read_samples(path))
    assert [len(block) for block in samples] == [1000, 1, 70_000] and samples[0].dtype == SAMPLE_DTYPE
    assert all(block.flags.writeable for block in samples)
    assert content(path) == b"".join(block.tobytes() for block, _ in blocks)


def test_every_second_sample_of_an_array_is_written_as_such(tmp_path: Path) -> None:
    path, samples = tmp_path / "a.samples", some_samples(10)
    with SampleFile(path, SETTINGS) as file:
        file.append(samples[::2])
    assert content(path) == samples[::2].tobytes()


def blocks_of(path: Path) -> list[int]:
    """Write a file of three blocks; return the end of each of its frames."""
    with SampleFile(path, SETTINGS) as file:
        ends = [path.stat().st_size]
        for number in range(3):
            file.append(some_samples(20, number), 2)
            ends.append(path.stat().st_size)
    return ends


def test_a_torn_block_is_left_out_and_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "a.samples"
    ends = blocks_of(path)
    whole, samples = path.read_bytes(), content(path)
    for end in [*range(ends[0], ends[1] + 20, 9), ends[1], *range(ends[2] - 3, len(whole), 50), len(whole) - 1]:
        path.write_bytes(whole[:end])
        blocks = sum(size <= end for size in ends) - 1
        assert content(path) == samples[: blocks * 20 * SAMPLE_DTYPE.itemsize]
        assert path.stat().st_size == end
        with SampleFile(path, SETTINGS) as file:
            assert (file.count, file.games) == (20 * blocks, 2 * blocks)
        assert path.read_bytes() == whole[: ends[blocks]]


def refused(path: Path, reason: str, settings: dict[str, Any] = SETTINGS) -> None:
    before = path.read_bytes()
    with pytest.raises(OSError, match=reason) as error:
        SampleFile(path, settings)
    assert "\n" not in str(error.value) and path.read_bytes() == before


def test_other_settings_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.samples"
    ends = blocks_of(path)
    refused(path, "has positions of other settings: seed was 1, now 2", SETTINGS | {"seed": 2})
    path.write_bytes(path.read_bytes()[: ends[3] - 5])  # not even its torn block is cut off
    refused(path, "every was None, now 3", SETTINGS | {"every": 3})


@pytest.mark.parametrize(
    "foreign",
    [b'{"moves": []}\n', zstandard.ZstdCompressor().compress(b"text"), b"\x28\xb5\x2f\xfd", MAGIC],
    ids=["text", "zst", "a torn frame", "not packed"],
)
def test_files_of_other_kinds_are_refused(tmp_path: Path, foreign: bytes) -> None:
    path = tmp_path / "a.samples"
    path.write_bytes(foreign)
    refused(path, "another kind of file")
    with pytest.raises(OSError, match="holds no positions"):
        read_settings(path)
    with pytest.raises(OSError, match="holds no positions"):
        list(read_samples(path))


def frame(data: bytes) -> bytes:
    return zstandard.ZstdCompressor(write_checksum=True).compress(data)


def test_other_versions_and_damage_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.samples"
    path.write_bytes(frame(MAGIC + json.dumps({"version": 2, "settings": SETTINGS}).encode()))
    refused(path, "is of version 2; this is version 1")
    path.unlink()
    ends = blocks_of(path)
    whole = path.read_bytes()
    for at in (ends[1] + 30, ends[2] - 1):  # within a block before other blocks
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 255]) + whole[at + 1 :])
        refused(path, f"is damaged at byte {ends[1]}; left as it is")
        with pytest.raises(OSError, match="is damaged"):
            list(read_samples(path))
    for broken in (
        whole[: ends[1]] + whole[ends[2] :],  # a block is missing
        whole[: ends[1]] + whole[ends[0] :],  # one is there twice
        whole[: ends[1]] + frame(b"\1\0\0\0\2\0\0\0\1\0\0\0" + bytes(37)),  # a block of another length
        whole[: ends[1]] + frame(b"\1\0"),
    ):
        path.write_bytes(broken)
        refused(path, f"is damaged at byte {ends[1]}")


def test_a_file_has_one_writer(tmp_path: Path) -> None:
    path = tmp_path / "a.samples"
    with SampleFile(path, SETTINGS), pytest.raises(OSError, match="is being written by another process"):
        SampleFile(path, SETTINGS)


def test_a_full_disk_leaves_the_blocks_before(tmp_path: Path) -> None:
    path, before = tmp_path / "a.samples", resource.getrlimit(resource.RLIMIT_FSIZE)
    with SampleFile(path, SETTINGS) as file:
        file.append(some_samples(20), 1)
        whole = path.read_bytes()
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) + 100, before[1]))
        try:
            with pytest.raises(OSError, match=str(path)):
                file.append(some_samples(500), 1)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert path.read_bytes() == whole and (file.count, file.games) == (20, 1)
        with pytest.raises(OSError, match="could not be written before"):
            file.append(some_samples(1), 1)
    with SampleFile(path, SETTINGS) as file:
        file.append(some_samples(500, 2), 1)
        assert (file.count, file.games) == (520, 2)


def test_a_device_is_no_file() -> None:
    with pytest.raises(OSError, match="is not a regular file"):
        SampleFile(Path("/dev/full"), SETTINGS)


# Positions and samples


def random_positions(count: int, seed: int) -> Iterator[XiangqiPosition]:
    """Yield positions of random games, of all lengths up to 120 plies."""
    rng = random.Random(seed)
    while count:
        position = XiangqiPosition()
        for _ in range(rng.randrange(1, 120)):
            if position.outcome() is None:
                position.push(rng.choice(position.legal_moves()))
        if position.outcome() is None:
            count -= 1
            yield position


def position_of(samples: Samples, index: int = 0) -> XiangqiPosition:
    position = XiangqiPosition()
    set_up_sample(position.record, samples, index)
    return position


def test_a_position_and_its_sample_are_the_same() -> None:
    for position in random_positions(50, 1):
        sample = sample_of(position.record, -7)
        assert sample["ply"] == position.ply and sample["score"] == -7 and sample["result"] == 0
        read = position_of(sample)
        assert read.fen().split()[:2] == position.fen().split()[:2]
        for name in ("board", "square", "rank_bits", "file_bits", "turn", "key", "material", "score"):
            assert (read.record[name] == position.record[name]).all(), name
        assert (read.ply, int(read.record.quiet), int(read.record.since)) == (0, 0, 0)
        assert sample_of(read.record, 0)["square"].tobytes() == sample["square"].tobytes()
        other = next(random_positions(1, position.ply)).record  # whatever a record held before
        set_up_sample(other, sample)
        assert other.board.tobytes() == read.record.board.tobytes() and other.key == read.key


def test_static_labels_are_the_evaluation() -> None:
    positions = list(random_positions(30, 2))
    samples = np.concatenate([sample_of(position.record, 0) for position in positions])
    scores = label_static(samples)
    assert scores.dtype == np.int16
    assert scores.tolist() == [fill_terms(position.record) for position in positions]
    assert label_static(samples[::2]).tolist() == scores[::2].tolist()
    assert label_static(samples[:0]).tolist() == []


# Searches


def engine_search(evaluation: str = "terms") -> Searcher[Any]:
    """Return the engine's searcher, without books, and with the memory of the kernels' search."""
    game = registry.load("xiangqi")
    game.set_option("Evaluation", evaluation)
    game.set_option("UseEndgames", "false")
    game.set_option("UseRules", "false")
    searcher = game.searcher()
    searcher.configure(TT_MB, 1, 0)
    return searcher


EVALUATIONS = pytest.mark.parametrize("name", ["terms", "network"])


@EVALUATIONS
@pytest.mark.parametrize("nodes", [1, 60, 200, 4000])
def test_the_kernel_searches_as_the_engine_does(nodes: int, name: str) -> None:
    engine, search = engine_search(name), Search(choose(name))
    for position in random_positions(15, nodes):
        engine.clear()
        search.clear()
        best = exhaust(engine, Task(position, Control(nodes))).lines[0]
        assert (search.score(position.record, nodes), search.best_move) == (best.score.cp, best.pv[0])


def test_a_mate_ends_the_search_as_in_the_engine() -> None:
    engine, search = engine_search(), Search(choose("terms"))
    for mate in vectors("xiangqi_mates.jsonl")[:8]:
        engine.clear()
        search.clear()
        position = XiangqiPosition(mate["fen"])
        report = exhaust(engine, Task(position, Control(20_000)))
        assert search.score(position.record, 20_000) == report.lines[0].score.cp
        assert int(search.work.nodes) == report.nodes < 20_000


def leaves_of(
    position: XiangqiPosition, nodes: int, every: int, seed: int = 1, evaluation: str = "terms"
) -> tuple[Search, int, Samples]:
    search = Search(choose(evaluation))
    search.clear()
    search.take_leaves(every, seed)
    score, leaves = search.score_and_leaves(position.record, nodes)
    return search, score, leaves


@EVALUATIONS
def test_taking_leaves_changes_no_search(name: str) -> None:
    plain = Search(choose(name))
    for position in random_positions(5, 3):
        plain.clear()
        expected = plain.score(position.record, 3000)
        for every in (1, 7):
            search, score, _ = leaves_of(position, 3000, every, evaluation=name)
            assert (score, search.best_move) == (expected, plain.best_move)
            assert int(search.work.nodes) == int(plain.work.nodes)


@entry(void(POSITION, LOOKUP), is_rare=True)
def _pass(pos: Record, lookup: Record) -> None:
    do_null(pos, lookup)


def below(position: XiangqiPosition, plies: int) -> set[int]:
    """Return the keys of the positions that moves, or passes out of check, reach within some plies."""
    keys, moves = {position.key}, position.legal_moves() if plies else []
    for move in moves:
        position.push(move)
        keys |= below(position, plies - 1)
        position.pop()
    if plies and not position.is_check():
        twin = position.copy()
        _pass(twin.record, LOOKUP_RECORD)
        keys |= below(twin, plies - 1)
    return keys


def test_leaves_are_positions_of_the_tree_with_their_static_values() -> None:
    for position in random_positions(4, 4):
        _, _, leaves = leaves_of(position, 2000, 1)
        keys = [position_of(leaves, index).key for index in range(len(leaves))]
        assert len(keys) > 200 and len(set(keys)) > 0.98 * len(keys)  # each once, except for what was forgotten
        assert label_static(leaves).tolist() == leaves["score"].tolist() and (abs(leaves["score"]) < MAX_SCORE).all()
        depth = leaves["ply"].astype(int) - position.ply
        assert depth.min() >= 1 and depth.max() >= 3
        near = {key for key, plies in zip(keys, depth.tolist(), strict=True) if plies <= 2}
        assert len(near) > 20 and near <= below(position, 2)
        for index in range(0, len(leaves), 5):
            leaf = position_of(leaves, index)
            assert not leaf.is_check() and XiangqiPosition(leaf.fen()).key == leaf.key  # refuses illegal positions


def test_leaves_have_the_network_s_values() -> None:
    network = choose("network")
    position = next(random_positions(1, 4))
    *_, leaves = leaves_of(position, 2000, 1, evaluation="network")
    for index in range(0, len(leaves), 5):
        assert network.explain(position_of(leaves, index).record)[-1].split()[1] == f"{int(leaves['score'][index]):+d}"


def test_the_gap_between_leaves_is_drawn() -> None:
    position = next(random_positions(1, 5))
    counts = [len(leaves_of(position, 20_000, every)[2]) for every in (10, 40)]
    assert 3.2 < counts[0] / counts[1] < 4.8
    first, again, other = (leaves_of(position, 5000, 10, seed)[2].tobytes() for seed in (1, 1, 2))
    assert first == again != other


@EVALUATIONS
def test_labels_are_those_of_the_engine_one_leaf_after_the_other(name: str) -> None:
    leaves = np.concatenate([leaves_of(position, 3000, 100)[2] for position in random_positions(8, 6)])
    search, engine = Search(choose(name)), engine_search(name)
    search.clear()
    engine.clear()
    kept = search.label(leaves.copy(), 200)
    expected = []
    for index in range(len(leaves)):
        position = position_of(leaves, index)
        for nodes in (1, 200):  # depth 1 is asked first
            best = exhaust(engine, Task(position, Control(nodes))).lines[0]
            is_quiet = position.record.board[best.pv[0] >> 7] == 0
            if not is_quiet:
                break
        if is_quiet and abs(best.score.cp) < MAX_SCORE:
            expected.append((leaves["square"][index].tobytes(), best.score.cp))
    assert [(sample["square"].tobytes(), int(sample["score"])) for sample in kept] == expected
    assert len(leaves) > len(kept) > len(leaves) // 4


def test_checks_and_lost_positions_get_no_label() -> None:
    search = Search(choose("terms"))
    search.clear()
    check = XiangqiPosition("4k4/9/9/9/4R4/9/9/9/9/3K5 b")
    stalemate = XiangqiPosition("3k5/R8/4R4/9/9/9/9/9/9/4K4 b")
    assert check.is_check() and not stalemate.is_check() and stalemate.count_legal() == 0
    samples = np.concatenate([sample_of(position.record, 0) for position in (check, XiangqiPosition(), stalemate)])
    kept = search.label(samples, 200)
    assert (
        len(kept) == 1
        and kept["turn"][0] == 0
        and position_of(kept).fen().split()[0] == XiangqiPosition().fen().split()[0]
    )


# Networks measured on samples


def test_errors_of_values_that_are_the_scores() -> None:
    scores = np.array([-700, -20, 0, 300])
    errors = errors_of(scores, scores)
    chances = 1 / (1 + np.exp(-scores / 200))
    entropy = -(chances * np.log(chances) + (1 - chances) * np.log(1 - chances)).mean()
    assert (errors.squared, errors.above) == (0.0, 0.0)
    assert errors.log_loss == errors.least == pytest.approx(entropy)


def test_errors_of_values_that_are_too_high() -> None:
    errors = errors_of(np.array([200, 40, 900]), np.array([0, 0, 700]))  # a decided score counts for the chances alone
    chances = 1 / (1 + np.exp(-np.array([[200, 40, 900], [0, 0, 700]]) / 200))
    assert errors.above == 120
    assert errors.squared == pytest.approx(((chances[0] - chances[1]) ** 2).mean())
    assert errors.log_loss > errors.least


def test_positions_of_lost_games_are_the_loser_s() -> None:
    """The shipped log has 40 games, of which 5 are lost."""
    records = match_games(ROOT / "scripts/results/xiangqi-pikafish-hce-wheel.jsonl", "siqi")
    found = [(record, list(lost_positions(record, "siqi", 3))) for record in records]
    lost = [(record, positions) for record, positions in found if positions]
    assert len(lost) == 5
    search = Search(choose("terms"))
    for record, positions in lost:
        side = record.players.index("siqi")
        assert record.result == ("0-1", "1-0")[side]
        assert [position.turn for position in positions] == [side] * 3
        assert [position.ply for position in positions] == [positions[0].ply + 2 * i for i in range(3)]
        assert len(record.moves) - positions[-1].ply in (1, 2)  # the loser's last move, and perhaps the winner's
        for position in positions:
            for sample in labelled(search, position, 200, 10_000):
                search.clear()
                assert sample["score"] == search.score(position.record, 200)
                assert sample["turn"] == side and sample["result"] == (-1, 1)[side]
            assert len(labelled(search, position, 200, 1)) == 0 or abs(search.score(position.record, 200)) <= 1


# Searches compared on samples


def test_a_longer_search_comes_nearer_and_more_razoring_changes_it(tmp_path: Path) -> None:
    path = tmp_path / "deep.samples"
    search = Search(choose("network"))
    search.clear()
    with SampleFile(path, SETTINGS) as file:
        for position in random_positions(40, 3):
            search.clear()
            bare = position_of(sample_of(position.record, 0))  # without the game's history, as samples are
            file.append(sample_of(bare.record, search.score(bare.record, 20_000)), 1)
    usual, again, longer, other = (
        search_errors(path, Variant("", margins, nodes))
        for margins, nodes in ((Margins(), 300), (Margins(), 300), (Margins(), 3000), (Margins(razor=0), 300))
    )
    assert difference(again, usual) == (0.0, 0.0)
    assert difference(longer, usual).mean + difference(longer, usual).bar < 0
    assert (other != usual).any()
    assert search_errors(path, Variant("", Margins(), 20_000)).max() == 0
