"""The networks of Connect6 against an oracle, after stones put and taken back; and their book."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from client import Client
from samples import sampled

import naive.connect6_network as naive
import siqi
from naive.connect6 import points_of
from siqi.games import registry
from siqi.games.books.book import BookFileError, open_book, write_book
from siqi.games.connect6.board import Connect6Position
from siqi.games.connect6.evaluation import choice
from siqi.games.connect6.evaluation.evaluate import EVAL_BOUND
from siqi.games.connect6.evaluation.network import (
    CHANNELS,
    KIND,
    LAYOUT,
    VERSION,
    WINDOWS,
    Network,
    fault_of,
    read_network,
    write_network,
)
from siqi.games.connect6.evaluation.patterns import VIEWS, NetworkEvaluation, set_stone
from siqi.games.connect6.rules.lookup import POINTS, SIZE
from siqi.games.connect6.rules.notation import point_text
from siqi.games.contract import Task, exhaust
from siqi.games.kernel.control import Control
from siqi.games.kernel.jit import entry, int64, void
from siqi.games.kernel.memory import address_of

NUMBERS = {code: number for number, code in enumerate(WINDOWS)}


def some_network(seed: int = 1) -> Network:
    """Return networks of random numbers whose features are of both signs and whose sums come near their bounds."""
    draw = np.random.default_rng(seed)
    spread = {
        "policy_rows": 130, "policy_biases": 500, "policy_weights": 500, "policy_centre": 9000,
        "value_rows": 130, "value_biases": 500, "value_weights": 900,
        "hidden_weights": 300, "hidden_biases": 200_000, "hidden_outputs": 900, "value_bias": 100_000,
    }  # fmt: skip
    return Network(
        *(draw.integers(-spread[name], spread[name] + 1, shape).astype(kind) for name, (kind, shape) in LAYOUT.items())
    )


def stones_of(position: Connect6Position) -> dict[naive.Point, int]:
    stones = position.record.stones.tolist()
    return {divmod(point, SIZE): stone - 1 for point, stone in enumerate(stones) if stone}


@sampled("games", 1, 6)
def test_the_evaluation_gives_the_numbers_of_the_oracle(games: int) -> None:
    """One evaluation sees positions of several games in turn, forwards and back, so that its boards change by much."""
    network = some_network()
    assert not fault_of(network)
    evaluation = NetworkEvaluation(network)
    game: Any = registry.load("connect6")
    rng = random.Random(4)
    for _ in range(games):
        position = game.position()
        for _ in range(rng.randint(5, 40)):
            moves = position.legal_moves()
            position.push(moves[rng.randrange(len(moves))])
            if position.outcome() is not None:
                break
            if rng.random() < 0.2:
                check(evaluation, network, position)
        check(evaluation, network, position)


def check(evaluation: NetworkEvaluation, network: Network, position: Connect6Position) -> None:
    record, stones = position.record, stones_of(position)
    if len(stones) < 2:  # the roads' interest
        expected = record.interest[position.turn :: 2].tolist()
    else:
        expected = naive.interest(network, NUMBERS, stones, position.turn, int(record.left))
    values = evaluation.interest(record)
    assert [values[point] for point in range(POINTS) if not record.stones[point]] == [
        expected[point] for point in range(POINTS) if not record.stones[point]
    ]
    assert evaluation.value(record) == naive.value(network, NUMBERS, stones, position.turn)


@pytest.fixture(scope="module")
def game() -> Any:
    return registry.load("connect6")


def loaded(tmp_path: Path, network: Network) -> Any:
    """Return the game with networks of a file."""
    path = tmp_path / "own.network"
    write_network(path, {}, network)
    game = registry.load("connect6")
    game.set_option("Evaluation", "network")
    game.set_option("NetworkFile", str(path))
    return game


@pytest.mark.parametrize(("words", "steps"), [([], 4), (["a1"], 4)])
def test_the_first_stones_are_put_in_the_centre(game: Any, words: list[str], steps: int) -> None:
    """The networks began in a corner: they learned from games that all begin in the centre."""
    searcher = game.searcher()
    for nodes in (300, 3_000, 30_000):
        position = game.position()
        for word in words:
            position.push(position.parse_move(word))
        searcher.configure(8, 1, 1)
        line = exhaust(searcher, Task(position, Control(nodes))).lines[0]
        for point in points_of(position.move_text(line.pv[0])):
            assert max(abs(coordinate - SIZE // 2) for coordinate in point) <= steps


@pytest.mark.parametrize("threads", [1, 2])
def test_the_boards_that_a_search_leaves_are_right(threads: int) -> None:
    """After searches each view's features are those of its own board, computed anew: none has drifted."""
    game: Any = registry.load("connect6")
    evaluation = NetworkEvaluation(some_network())
    game.knowledge.evaluation = evaluation
    searcher = game.searcher()
    for item in game.bench[:4]:
        position = game.position(item.fen)
        for text in item.moves:
            position.push(position.parse_move(text))
        searcher.configure(16, threads, 1)
        searcher.start(Task(position, Control(12_000 * threads)))
        while (report := searcher.iterate()).complete and not report.finished:
            pass
        searcher.finish()
    for memory in evaluation._memories:
        moved = 0
        for view in range(VIEWS):
            board = memory[0].stones.reshape(VIEWS, POINTS)[view].copy()
            fresh = evaluation._new_memory()
            bring(fresh, view, board)
            for name in ("features", "codes"):
                both = (kept[0][name].reshape(VIEWS, -1)[view] for kept in (memory, fresh))
                assert np.array_equal(*both), (view, name)
            moved += int(board.any())
        assert moved == VIEWS


@entry(void(int64, int64, int64, int64), is_rare=True)
def put(network: Any, view: Any, point: Any, stone: Any) -> None:
    set_stone(network, view, point, stone)


def bring(memory: Any, view: int, board: Any) -> None:
    for point in np.flatnonzero(board).tolist():
        put(address_of(memory), view, point, int(board[point]))


def test_searches_repeat_whatever_the_memory_holds(tmp_path: Path) -> None:
    game = loaded(tmp_path, some_network())
    searcher = game.searcher()

    def search() -> tuple[Any, int]:
        searcher.configure(1, 1, 1)
        searcher.clear()
        control = Control(10_000)
        searcher.start(Task(game.position(game.bench[0].fen), control))
        while (report := searcher.iterate()).complete and not report.finished:
            pass
        searcher.finish()
        return report.lines, control.nodes

    first = search()
    assert search() == first
    game.set_option("Evaluation", "roads")
    searcher.configure(1, 1, 1)
    assert searcher.recall(game.position(game.bench[0].fen)) is None, "what the other evaluation stored is gone"
    assert search() != first


def test_eval_names_the_points_and_the_value_of_the_oracle(tmp_path: Path) -> None:
    network = some_network(7)
    game = loaded(tmp_path, network)
    position = game.position()
    for word in ("j10", "i11i9", "h10i12"):
        position.push(position.parse_move(word))
    lines = game.evaluate(position)
    stones = stones_of(position)
    interest = naive.interest(network, NUMBERS, stones, position.turn, 2)
    free = [point for point, place in enumerate(naive.POINTS) if place not in stones]
    best = sorted(free, key=lambda point: (-interest[point], point))[: len(lines) - 1]
    assert [line.split()[0] for line in lines[:-1]] == [point_text(point) for point in best]
    total = sum(np.exp((interest[point] - interest[best[0]]) / 100) for point in free)
    assert abs(float(lines[0].split()[1]) - 100 / total) < 0.06
    assert lines[-1] == f"total {naive.value(network, NUMBERS, stones, position.turn):+d} for the side to move"


def test_a_full_board_has_no_points_to_name() -> None:
    rows = ["bbwwbbwwbbwwbbwwbbw" if row % 2 else "wwbbwwbbwwbbwwbbwwb" for row in range(19)]
    position: Any = registry.load("connect6").position("/".join(rows) + " w 2")
    lines = choice.choose("network").explain(position.record)
    assert len(lines) == 1 and lines[0].startswith("total ")
    assert siqi.picture(siqi.position("connect6", position.fen()), heat=True).startswith("<svg")


def test_a_file_gives_back_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "a.network"
    network = some_network(2)
    write_network(path, {"games": 3}, network)
    assert all(np.array_equal(one, other) for one, other in zip(read_network(path), network, strict=True))


SPOILT = {
    "features may overflow": lambda network: network._replace(policy_rows=network.policy_rows * np.int16(90)),
    "32 bits": lambda network: network._replace(hidden_outputs=network.hidden_outputs * np.int16(30)),
    "do not fit": lambda network: network._replace(value_biases=network.value_biases[:16]),
}


@pytest.mark.parametrize("reason", SPOILT)
def test_what_cannot_be_evaluated_is_not_written(tmp_path: Path, reason: str) -> None:
    path = tmp_path / "a.network"
    with pytest.raises(ValueError, match=reason):
        write_network(path, {}, SPOILT[reason](some_network()))
    assert not path.exists()


def test_other_builds_and_sizes_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.network"
    write_network(path, {}, some_network())
    book = open_book(path, KIND, VERSION)
    about = {name: value for name, value in book.about.items() if name not in ("kind", "version", "size", "crc")}
    payload = book.payload.tobytes()
    for change, data, reason in (
        ({"channels": 2 * CHANNELS}, payload, "another kind of network"),
        ({"inputs": "others"}, payload, "another kind of network"),
        ({}, payload[:-4], "too few"),
        ({}, payload + b"\0\0", "too many"),
        ({}, b"", "too few"),
        ({}, b"\x7f" * len(payload), "overflow"),
    ):
        write_book(path, KIND, VERSION, about | change, data)
        with pytest.raises(BookFileError, match=reason):
            read_network(path)


def test_the_largest_values_stay_within_the_bound() -> None:
    network = some_network()
    for sign in (1, -1):
        strong = network._replace(value_bias=np.array([sign * (2**31 - 1)], np.int32))
        value = NetworkEvaluation(strong).value(registry.load("connect6").position().record)
        assert abs(value) <= EVAL_BOUND and sign * value > 100_000


def test_networks_that_cannot_be_used_are_one_line_and_the_shipped_ones_play(tmp_path: Path) -> None:
    path = tmp_path / "a.network"
    write_network(path, {}, some_network(3))
    sound = path.read_bytes()
    with Client("setoption name UCI_Variant value connect6") as client:
        client.send("setoption name Evaluation value network")
        client.send("position startpos moves j10 i11i9")
        shipped = client.answers("eval")
        assert len(shipped) == 11 and not any("roads" in line for line in shipped)
        assert client.answers(f"setoption name NetworkFile value {path}") == []
        shown = client.answers("eval")
        assert shown != shipped and len(shown) == 11
        for number, data in enumerate((sound[:1000] + b"?" + sound[1001:], sound[:-1], b"", None)):
            other = tmp_path / f"{number}.network"
            if data is not None:
                other.write_bytes(data)
            warnings = client.answers(f"setoption name NetworkFile value {other}")
            assert len(warnings) == 1 and warnings[0].startswith(f"info string warning {other}: ")
            assert warnings[0].endswith("; the shipped network is used")
            assert client.answers("eval") == shipped
        assert client.answers("setoption name Evaluation value roads") == []
        assert any("black roads" in line for line in client.answers("eval"))


def test_without_any_network_one_warning_and_roads_play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "NETWORK_BOOK", tmp_path / "shipped.network")
    warnings: list[str] = []
    assert choice.choose("network", None, warnings.append).name == "roads"
    assert len(warnings) == 1 and warnings[0].endswith("; roads are used")


def test_symmetric_positions_have_the_same_value_and_points(game: Any) -> None:
    """The shipped networks are the same under all eight symmetries of the board."""
    evaluation = choice.choose("network")
    position = game.position()
    for word in ("j10", "i11i9", "h10k12", "g11l8"):
        position.push(position.parse_move(word))
    stones = stones_of(position)
    seen = []
    for turns in range(4):
        for mirrored in range(2):
            places: Any = {}
            for point, side in stones.items():
                place = (18 - point[0], point[1]) if mirrored else point
                for _ in range(turns):
                    place = place[1], 18 - place[0]
                places[point_text(place[0] * SIZE + place[1])] = "bw"[side]
            twin = game.position(game.fen_of(places, position.turn))
            record = twin.record
            seen.append((evaluation.value(record), sorted(evaluation.interest(record))))
    assert len(seen) == 8 and all(values == seen[0] for values in seen)
