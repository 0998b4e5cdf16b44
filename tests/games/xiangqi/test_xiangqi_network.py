"""Xiangqi's evaluation by a network: against a slow oracle, along games and in searches; its file and its options."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import random_networks
from client import Client

from naive.xiangqi import Naive, side_of
from naive.xiangqi_network import network_value
from siqi.games import registry
from siqi.games.books import nnue
from siqi.games.books.book import BookFileError, open_book, write_book
from siqi.games.books.nnue import Network
from siqi.games.contract import Task
from siqi.games.kernel.control import Control
from siqi.games.kernel.jit import code_address, entry, int64, new_record, outlined
from siqi.games.xiangqi.data.endings import WHOLE, scale_of
from siqi.games.xiangqi.evaluation import choice
from siqi.games.xiangqi.evaluation.accumulator import (
    HEIGHTS,
    HIDDEN,
    MAX_CENTIPAWNS,
    MAX_SCALED,
    NEURONS,
    REACH,
    NetworkEvaluation,
    evaluate_by_network,
    output,
    refresh,
)
from siqi.games.xiangqi.evaluation.network import (
    ARCHITECTURE,
    NETWORK_BOOK,
    read_network,
    write_network,
)
from siqi.games.xiangqi.rules.lookup import LOOKUP, LOOKUP_RECORD
from siqi.games.xiangqi.rules.position import POSITION, do_null, undo_null
from siqi.games.xiangqi.rules.work import WORK, WORK_DTYPE


@entry(int64(POSITION, WORK, LOOKUP))
def value_here(pos: Any, work: Any, lookup: Any) -> int:
    return evaluate_by_network(pos, work, lookup)


@entry(int64(POSITION, LOOKUP, int64))
def pass_turn(pos: Any, lookup: Any, is_back: Any) -> int:
    if is_back:
        undo_null(pos, lookup)
    else:
        do_null(pos, lookup)
    return 0


DISAGREEMENT = 1 << 40


@outlined(int64(POSITION, WORK, LOOKUP))
def compared_value(pos: Any, work: Any, lookup: Any) -> int:
    """Evaluate, and count in work.tbhits: 1 if the board's own value is the same, else DISAGREEMENT."""
    value = evaluate_by_network(pos, work, lookup)
    fresh = output(pos, work, refresh(pos, work, lookup, int64(0)), refresh(pos, work, lookup, int64(1)))
    work.tbhits += 1 if fresh * pos.scale_factor // WHOLE == value else DISAGREEMENT
    return value


class Compared(NetworkEvaluation):
    def prepare(self, works: Any) -> None:
        super().prepare(works)
        for work in works:
            work.evaluator = code_address(compared_value)


def random_network(
    seed: int, buckets: int = 8, size: int = 60, neurons: int = NEURONS, hidden: int = HIDDEN
) -> Network:
    """Return a network of random numbers. The default size saturates many neurons; 12 is like a trained one's."""
    architecture = ARCHITECTURE._replace(neurons=neurons, hidden=hidden)
    return random_networks.random_network(architecture, seed, buckets, size)


def value_of(network: Network, position: Any) -> int:
    """Return the oracle's value, with the scaling for winnable material."""
    naive = Naive(position.fen())
    value = min(max(network_value(network, naive.board, naive.turn), -MAX_CENTIPAWNS), MAX_CENTIPAWNS)
    better = naive.turn if value > 0 else 1 - naive.turn
    letters = [letter.lower() for letter in naive.board.values() if side_of(letter) == better]
    others = [letter.lower() for letter in naive.board.values() if side_of(letter) != better]
    counter = min(sum(others.count(kind) for kind in "nrcp"), 2)
    factor = scale_of(*(letters.count(kind) for kind in "nrcp"), counter, *(others.count(kind) for kind in "ab"))
    return value * factor // WHOLE


class Values:
    """A network's values, with their own memory of accumulators."""

    def __init__(self, network: Network) -> None:
        self._evaluation = NetworkEvaluation(network)
        self.work = new_record(WORK_DTYPE)
        self.forget()

    def forget(self) -> None:
        """Begin with an empty memory."""
        self._evaluation._memories.clear()
        self._evaluation.prepare([self.work])

    def of(self, position: Any) -> int:
        return int(value_here(position.record, self.work, LOOKUP_RECORD))


@pytest.fixture(scope="module")
def game() -> Any:
    return registry.load("xiangqi")


def random_setups(game: Any, count: int, seed: int) -> Iterator[Any]:
    """Yield positions of random pieces on squares that the rules allow."""
    rng = random.Random(seed)
    while count:
        letters = {}
        for side, most in (("KAABBNNRRCCPPPPP", 5), ("kaabbnnrrccppppp", 5)):
            for letter in (side[0], *(letter for letter in side[1:] if rng.randrange(6) < most)):
                letters.setdefault(rng.randrange(90), letter)
        names = {f"{'abcdefghi'[square % 9]}{square // 9}": letter for square, letter in letters.items()}
        kings = [
            (f"{file}{rank}", king) for king, ranks in (("K", "012"), ("k", "789")) for file in "def" for rank in ranks
        ]
        for king in "Kk":
            names = {square: letter for square, letter in names.items() if letter != king}
            square = rng.choice([square for square, letter in kings if letter == king])
            names[square] = king
        try:
            fen = game.fen_of(legal_pieces(names), rng.randrange(2))
            position = game.position(fen)
        except ValueError:
            continue
        count -= 1
        yield position


def legal_pieces(names: dict[str, str]) -> dict[str, str]:
    """Return the pieces that stand where the rules allow it."""
    palace = {f"{file}{rank}" for file in "def" for rank in range(3)}
    places = {
        "k": palace,
        "a": {"d0", "f0", "e1", "d2", "f2"},
        "b": {"c0", "g0", "a2", "e2", "i2", "c4", "g4"},
    }
    placements = {}
    for square, letter in names.items():
        place = square if letter.isupper() else f"{square[0]}{9 - int(square[1])}"
        if place in places.get(letter.lower(), {place}):
            placements[square] = letter
    return placements


NETWORKS = {
    "random": random_network(1),
    "one output": random_network(2, buckets=1),
    "like a trained one": random_network(3, buckets=8, size=12),
    "many outputs": random_network(4, buckets=32),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_values_are_the_oracle_s(game: Any, name: str) -> None:
    """Values equal the oracle's for random pieces, all squares of the kings and all numbers of pieces, in any order."""
    network = NETWORKS[name]
    values = Values(network)
    kings: set[int] = set()
    for position in random_setups(game, 150, 1):
        kings |= {int(position.record.square[16]), int(position.record.square[32])}
        assert values.of(position) == value_of(network, position), position.fen()
    assert len(kings) == 18
    counts = set()
    for position in games_of_random_moves(game, 3, 400, 2):
        counts.add(len(position.pieces()))
        if random.Random(position.key).random() < 0.3:
            assert values.of(position) == value_of(network, position), position.fen()
    assert len(counts) > 20 and min(counts) < MAX_SCALED < max(counts)


def games_of_random_moves(game: Any, count: int, plies: int, seed: int) -> Iterator[Any]:
    rng = random.Random(seed)
    for _ in range(count):
        position = game.position()
        for _ in range(plies):
            moves = position.legal_moves()
            if not moves:
                break
            captures = [move for move in moves if position.record.board[move >> 7]]
            position.push(rng.choice(captures if captures and rng.random() < 0.3 else moves))
            yield position


def test_a_pawn_where_no_game_brings_it_counts_as_on_a_square_that_it_has_left(game: Any) -> None:
    """Behind its start rank as on that rank, before the river as on one of its five files; the shipped network, too."""
    for network in (NETWORKS["random"], read_network(NETWORK_BOOK)):
        values = Values(network)

        def value(fen: str, values: Values = values) -> int:
            values.forget()
            return values.of(game.position(fen))

        assert value("3k5/9/9/9/9/9/9/P8/9/4K4 w") == value("3k5/9/9/9/9/9/P8/9/9/4K4 w")
        assert value("3k5/9/9/9/9/9/9/7P1/9/4K4 w") == value("3k5/9/9/9/9/9/6P2/9/9/4K4 w")
        assert value("3k5/3p5/9/9/9/9/9/9/9/4K4 w") == value("3k5/9/9/4p4/9/9/9/9/9/4K4 w")
        assert value("3k5/9/9/9/9/9/1P7/9/9/4K4 b") == value("3k5/9/9/9/9/9/2P6/9/9/4K4 b")


def test_values_follow_any_path(game: Any) -> None:
    """The value is the board's after moves, null moves, undos, siblings, long gaps, and heights beyond the memory."""
    values, fresh = Values(NETWORKS["random"]), Values(NETWORKS["random"])
    rng = random.Random(7)
    heights, gaps, kings_moved, passed = set(), set(), 0, 0
    for _ in range(4):
        position = game.position()
        done: list[bool] = []  # True for a null move
        last = 0
        for _ in range(2500):
            step = rng.random()
            moves = position.legal_moves()
            height = int(position.record.height)
            if step < 0.3 and done:
                if done.pop():
                    pass_turn(position.record, LOOKUP_RECORD, 1)
                else:
                    position.pop()
            elif step < 0.36 and not position.is_check() and moves:
                pass_turn(position.record, LOOKUP_RECORD, 0)
                done.append(True)
                passed += 1
            elif moves:
                king = int(position.record.square[16 << position.turn])
                steps = [move for move in moves if move & 127 == king]
                move = rng.choice(steps if steps and rng.random() < 0.1 else moves)
                kings_moved += move & 127 == king
                position.push(move)
                done.append(False)
            else:
                break
            if rng.random() < 0.4:
                height = int(position.record.height)
                heights.add(height)
                gaps.add(height - last)
                last = height
                before = position.record.copy()
                fresh.forget()
                assert values.of(position) == fresh.of(position), (position.fen(), done[-12:])
                before.scale_factor = position.record.scale_factor
                assert all((before[name] == position.record[name]).all() for name in before.dtype.names)
    assert max(heights) > HEIGHTS + REACH and max(gaps) > 2 and kings_moved > 50 and passed > 50
    assert min(heights) == 0 or min(heights) < 5


@pytest.mark.parametrize("threads", [1, 2])
def test_values_in_searches_are_those_of_the_board(threads: int) -> None:
    """Every evaluation of a search on each thread is the board's, with null moves, checks, captures and siblings."""
    game: Any = registry.load("xiangqi")
    game.set_option("UseEndgames", "false")
    searcher = game.searcher()
    game.knowledge.evaluation = Compared(NETWORKS["random"])
    for item in game.bench[:7]:
        position = game.position(item.fen)
        for text in item.moves:
            position.push(position.parse_move(text))
        searcher.configure(16, threads, 1)
        searcher.start(Task(position, Control(60_000 * threads)))
        while (report := searcher.iterate()).complete and not report.finished:
            pass
        searcher.finish()
        assert 0 < sum(int(work.tbhits) for work in searcher._searcher._works) < DISAGREEMENT
        if threads == 2:
            assert all(int(work.tbhits) > 0 for work in searcher._searcher._works)


def test_searches_repeat_whatever_the_memory_holds(game: Any, tmp_path: Path) -> None:
    path = tmp_path / "own.network"
    write_network(path, {}, NETWORKS["like a trained one"])
    game.set_option("NetworkFile", str(path))
    game.set_option("Evaluation", "network")
    searcher = game.searcher()

    def search() -> tuple[Any, int]:
        searcher.configure(1, 1, 1)
        searcher.clear()
        control = Control(20_000)
        searcher.start(Task(game.position(), control))
        while (report := searcher.iterate()).complete and not report.finished:
            pass
        searcher.finish()
        return report.lines, control.nodes

    first = search()
    assert search() == first
    game.set_option("Evaluation", "terms")
    searcher.configure(1, 1, 1)
    assert searcher.recall(game.position()) is None, "what the other evaluation stored is gone"
    assert search() != first


def test_eval_shows_what_each_piece_is_worth(game: Any, tmp_path: Path) -> None:
    network = NETWORKS["like a trained one"]
    path = tmp_path / "own.network"
    write_network(path, {}, network)
    game.set_option("NetworkFile", str(path))
    game.set_option("Evaluation", "network")
    fen = "2bak4/4a4/4b1n2/p3p3p/2p2rp2/P8/2P1P1P1P/4C1N2/3RA4/2BAK4 b - - 2 20"
    position = game.position(fen)
    lines = game.evaluate(position)
    naive = Naive(fen)
    value = -network_value(network, naive.board, naive.turn)
    worths = {}
    for square, letter in naive.board.items():
        if letter.lower() != "k":
            board = {other: kind for other, kind in naive.board.items() if other != square}
            worths[f"{letter} {'abcdefghi'[square[0]]}{square[1]}"] = value + network_value(network, board, naive.turn)
    shown = dict(re.fullmatch(r"(\w \w\d) ([+-]\d+)", line).groups() for line in lines[:-3])  # type: ignore[union-attr]
    assert {name: int(text) for name, text in shown.items()} == worths
    assert lines[-3:-1] == [f"network {value:+d}", "winnable 16/16"]
    assert lines[-1] == f"total {-value:+d} for the side to move"
    game.set_option("Evaluation", "terms")


def test_values_stay_below_a_known_win(game: Any) -> None:
    network = random_network(5, size=200)
    strong = network._replace(output_weights=np.full_like(network.output_weights, 127), scale=nnue.MAX_SCALE)
    for sign in (1, -1):
        values = Values(strong._replace(output_weights=sign * strong.output_weights))
        assert values.of(game.position()) == sign * MAX_CENTIPAWNS


def extreme(sign: int) -> Network:
    """Return a network whose accumulators reach the bounds of 16 bits as nearly as allowed."""
    each = (2**15 - (sign > 0)) // sum(ARCHITECTURE.pieces)
    network = random_network(6)
    return network._replace(
        feature_weights=np.full_like(network.feature_weights, sign * each), biases=np.zeros_like(network.biases)
    )


@pytest.mark.parametrize("sign", [1, -1])
def test_extreme_weights_are_exact(game: Any, sign: int) -> None:
    network = extreme(sign)
    assert nnue.fault_of(network, ARCHITECTURE) == ""
    values = Values(network)
    for position in games_of_random_moves(game, 1, 40, 3):
        assert values.of(position) == value_of(network, position)
    over = network._replace(feature_weights=network.feature_weights + np.int16(sign))
    assert "overflow" in nnue.fault_of(over, ARCHITECTURE)


@pytest.mark.parametrize(
    "neurons, hidden, buckets", [(NEURONS, HIDDEN, 1), (NEURONS, 16, 8), (32, 8, 32), (256, 8, 8), (512, 16, 2)]
)
def test_a_file_gives_back_what_was_written(tmp_path: Path, neurons: int, hidden: int, buckets: int) -> None:
    path = tmp_path / "a.network"
    network = random_network(8, buckets, neurons=neurons, hidden=hidden)
    write_network(path, {"games": 3}, network)
    back = read_network(path, ARCHITECTURE._replace(neurons=neurons, hidden=hidden))
    assert all((np.asarray(one) == np.asarray(other)).all() for one, other in zip(back, network, strict=True))
    about = open_book(path, ARCHITECTURE.kind, ARCHITECTURE.version).about
    assert [about[name] for name in ("games", *nnue.SIZES)] == [3, neurons, hidden, buckets, 400]


SPOILT = {
    "an output weight": lambda network: network._replace(output_weights=network.output_weights + np.int16(128)),
    "overflow": lambda network: network._replace(feature_weights=network.feature_weights * np.int16(30)),
    "hidden neuron's weight": lambda network: network._replace(hidden_outputs=network.hidden_outputs + np.int16(2048)),
    "hidden neuron may": lambda network: network._replace(
        hidden_biases=network.hidden_biases - np.int32(2**31 - 10**5)
    ),
    "8 hidden": lambda network: network._replace(hidden_weights=network.hidden_weights[:, :4]),
    "7 hidden": lambda network: network._replace(hidden_biases=network.hidden_biases[:, :7]),
    "scale": lambda network: network._replace(scale=0),
    "do not fit": lambda network: network._replace(biases=network.biases[:96]),
    "out of range": lambda network: network._replace(output_biases=network.output_biases[:0]),
}


@pytest.mark.parametrize("reason", SPOILT)
def test_what_cannot_be_evaluated_is_not_written(tmp_path: Path, reason: str) -> None:
    path = tmp_path / "a.network"
    with pytest.raises(ValueError, match=reason):
        write_network(path, {}, SPOILT[reason](random_network(9)))
    assert not path.exists()
    path.write_text("a diary")
    with pytest.raises(OSError, match="another kind"):
        write_network(path, {}, random_network(9))


def test_what_is_larger_than_a_file_may_be_is_not_written(tmp_path: Path) -> None:
    write_network(tmp_path / "a.network", {}, random_network(9, neurons=512))
    with pytest.raises(ValueError, match="8859776 bytes, more than"):
        write_network(tmp_path / "b.network", {}, random_network(9, buckets=32, neurons=512, hidden=16))


def header_of(path: Path) -> dict[str, Any]:
    about = dict(open_book(path, ARCHITECTURE.kind, ARCHITECTURE.version).about)
    return {name: value for name, value in about.items() if name not in ("kind", "version", "size", "crc")}


def test_other_architectures_and_other_sizes_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.network"
    network = random_network(10)
    write_network(path, {}, network)
    about, payload = header_of(path), open_book(path, ARCHITECTURE.kind, ARCHITECTURE.version).payload.tobytes()
    changes: list[tuple[dict[str, Any], bytes, str]] = [
        ({"inputs": "others"}, payload, "another kind of network"),
        ({"activation": None}, payload, "another kind of network"),
        ({"neurons": 2 * NEURONS}, payload, f"of {2 * NEURONS} neurons a side"),
        ({"hidden": HIDDEN + 8}, payload, f"and {HIDDEN + 8} hidden ones"),
        ({"neurons": float(NEURONS)}, payload, "damaged header"),
        ({"buckets": 0}, payload, "damaged header"),
        ({"buckets": True}, payload, "damaged header"),
        ({"buckets": 9}, payload, "too few"),
        ({"buckets": 7}, payload, "too many"),
        ({"scale": "400"}, payload, "damaged header"),
        ({}, payload[:-4], "too few"),
        ({}, payload + b"\0\0", "too many"),
        ({}, b"", "too few"),
        ({}, b"\x7f" * len(payload), "output weight"),
    ]
    for change, data, reason in changes:
        write_book(path, ARCHITECTURE.kind, ARCHITECTURE.version, about | change, data)
        with pytest.raises(BookFileError, match=reason):
            read_network(path)


def flipped(data: bytes) -> bytes:
    return data[:1000] + bytes([data[1000] ^ 4]) + data[1001:]


def test_a_network_that_cannot_be_used_is_one_line_and_the_shipped_one_plays(tmp_path: Path) -> None:
    path = tmp_path / "a.network"
    write_network(path, {}, random_network(11))
    sound = path.read_bytes()
    with Client() as client:
        shipped = client.answers("eval")
        assert any(line.startswith("eval network ") for line in shipped)
        assert client.answers(f"setoption name NetworkFile value {path}") == []
        shown = client.answers("eval")
        assert shown != shipped and any(line.startswith("eval network ") for line in shown)
        for number, data in enumerate((flipped(sound), sound[:-1], b"", b"no book", None)):
            other = tmp_path / f"{number}.network"
            if data is not None:
                other.write_bytes(data)
            warnings = client.answers(f"setoption name NetworkFile value {other}")
            assert len(warnings) == 1 and warnings[0].startswith(f"info string warning {other}: ")
            assert warnings[0].endswith("; the shipped network is used")
            assert client.answers("eval") == shipped
        assert client.answers(f"setoption name NetworkFile value {path}") == []
        assert client.answers("eval") == shown
        assert client.answers("setoption name Evaluation value terms") == []
        assert any("rook mobility" in line for line in client.answers("eval"))


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        (["NetworkFile=own"], "network"),
        (["Evaluation=paper"], "attack"),
        (["Evaluation=terms", "NetworkFile=missing"], "rook mobility"),
        (["NetworkFile=missing", "Evaluation=terms"], "rook mobility"),
    ],
)
def test_nothing_is_warned_of_that_the_options_together_do_not_need(
    options: list[str], shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No warning is given for a missing shipped network that the options, set one by one, do not need together."""
    monkeypatch.setattr(choice, "NETWORK_BOOK", tmp_path / "shipped.network")
    write_network(tmp_path / "own", {}, random_network(11))
    warnings: list[str] = []
    game = registry.load("xiangqi", warnings.append)
    for option in options:
        name, value = option.split("=")
        game.set_option(name, str(tmp_path / value) if name == "NetworkFile" else value)
    game.searcher().configure(1, 1, 0)
    assert any(shown in line for line in game.evaluate(game.position()))
    assert warnings == []
    game.set_option("Evaluation", "network")
    game.set_option("NetworkFile", str(tmp_path / "missing"))
    for _ in range(2):
        game.searcher().configure(1, 1, 0)
        game.evaluate(game.position())
    assert len(warnings) == 1 and warnings[0].endswith("; terms are used")


def test_squares_are_named_as_the_client_counts_ranks() -> None:
    with Client() as client:
        client.send("position startpos")
        plain = client.answers("eval")
        client.send("setoption name UCI_Coordinates value 1", "position startpos")
        raised = client.answers("eval")
    assert any(line.startswith("eval R a0 ") for line in plain)
    assert [
        re.sub(r"^(eval \w [a-i])(\d+)", lambda match: f"{match[1]}{int(match[2]) + 1}", line) for line in plain
    ] == raised


def test_without_any_network_one_warning_and_the_terms_play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "NETWORK_BOOK", tmp_path / "shipped.network")
    warnings: list[str] = []
    assert choice.choose("network", None, warnings.append).name == "terms"
    assert len(warnings) == 1 and warnings[0].endswith("; terms are used")


def test_options_given_before_the_game_is_loaded_warn_of_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.network"
    write_network(path, {}, random_network(12))
    with Client("setoption name Evaluation value network", f"setoption name NetworkFile value {path}") as client:
        client.sync()
        lines = client.answers("eval")
        assert any(line.startswith("eval network ") for line in lines)
        assert not any("warning" in line for line in [*client.seen, *lines])
