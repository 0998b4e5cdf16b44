"""Junqi's evaluation by a network: against a slow oracle along games; its file, its option, and who does without it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import random_networks
from client import Client
from junqi_games import random_games
from samples import sampled

from naive import junqi as naive
from siqi.games import registry
from siqi.games.books.book import BookFileError, open_book, write_book
from siqi.games.books.nnue import Network
from siqi.games.contract import Task, exhaust
from siqi.games.junqi.evaluation.accumulator import network_value
from siqi.games.junqi.evaluation.choice import Evaluation, choose
from siqi.games.junqi.evaluation.evaluate import begin_line, follow_move
from siqi.games.junqi.evaluation.network import ARCHITECTURE, read_network, write_network
from siqi.games.junqi.evaluation.sums import mobile_pieces
from siqi.games.junqi.rules.lookup import LOOKUP, LOOKUP_RECORD, PIECES
from siqi.games.junqi.rules.notation import without_result
from siqi.games.junqi.rules.position import NOBODY, POSITION, result_code
from siqi.games.junqi.rules.work import MAX_PLY, WORK, WORK_DTYPE
from siqi.games.kernel.control import Control
from siqi.games.kernel.jit import entry, int64, new_record

FLAG, MINE = 11, 9


@entry(int64(POSITION, WORK, LOOKUP, int64))
def first_value(pos: Any, work: Any, lookup: Any, ply: int) -> int:
    begin_line(pos, work, lookup, ply)
    return network_value(pos, work, ply, mobile_pieces(work, ply))


@entry(int64(POSITION, POSITION, WORK, LOOKUP, int64, int64, int64))
def next_value(before: Any, pos: Any, work: Any, lookup: Any, ply: int, next_ply: int, move: int) -> int:
    follow_move(before, work, lookup, ply, next_ply, move, result_code(before, lookup, move))
    return network_value(pos, work, next_ply, mobile_pieces(work, next_ply))


def random_network(seed: int) -> Network:
    """Return a network of random numbers that keep some neurons at 0, some between, some at the top."""
    return random_networks.random_network(ARCHITECTURE, seed, 4, 30)


def value_by_hand(network: Network, pos: Any) -> int:
    """Return the network's value for the side to move, by Python's integers, from the description in network.py."""
    pieces = [(square, int(piece) - 1) for square, piece in enumerate(pos.board) if piece]
    kinds = {piece: int(pos.may[piece]).bit_length() - 1 for _, piece in pieces}
    squares = {piece: square for square, piece in pieces}
    mobile = [
        piece
        for square, piece in pieces
        if kinds[piece] not in (FLAG, MINE) and naive.SQUARES[square] not in naive.HEADQUARTERS
    ]
    bucket = min(len(mobile) * network.buckets // 42, network.buckets - 1)
    active: list[int] = []
    for side in (int(pos.turn), 1 - int(pos.turn)):

        def seen(square: int, side: int = side) -> tuple[int, int]:
            row, column = divmod(square, 5)
            return (row, column) if side == 0 else (11 - row, 4 - column)

        (flag,) = [squares[piece] for piece in squares if kinds[piece] == FLAG and piece // PIECES == side]
        is_mirrored = seen(flag)[1] > 2
        sums = network.biases.astype(int)
        for square, piece in pieces:
            row, column = seen(square)
            kind = kinds[piece] + 12 * (piece // PIECES != side)
            place = 5 * row + (4 - column if is_mirrored else column)
            sums = sums + network.feature_weights[120 * kind + 2 * place + (int(pos.fought) >> piece & 1)]
        active += [min(max(int(x), 0), 255) for x in sums]
    total = sum(x * x * int(w) for x, w in zip(active, network.output_weights[bucket], strict=True))
    total += 255 * int(network.output_biases[bucket])
    for k in range(network.hidden):
        y = sum(x * int(w) for x, w in zip(active, network.hidden_weights[bucket, k], strict=True))
        y = min(max(y + int(network.hidden_biases[bucket, k]) >> 9, 0), 255)
        total += y * y * int(network.hidden_outputs[bucket, k])
    return total * network.scale // (255 * 255 * 512)


@sampled("games", 3, 30)
def test_the_value_along_a_line_is_that_of_the_oracle(games: int) -> None:
    game, network = registry.load("junqi"), random_network(3)
    evaluation, work = Evaluation(network), new_record(WORK_DTYPE)
    evaluation.prepare([work])
    ply, before, values = 0, None, set()
    for position, _ in random_games(game, 7, games):
        pos = position.record.copy()
        if position.ply == 2:
            ply = MAX_PLY
            value = first_value(pos, work, LOOKUP_RECORD, ply)
        else:
            ply, last = (ply + 1) % MAX_PLY, ply
            move = without_result(position.moves()[-1])
            value = next_value(before, pos, work, LOOKUP_RECORD, last, ply, move)
        if pos.loser == NOBODY:
            assert value == value_by_hand(network, pos)
            values.add(value)
        before = pos
    assert len(values) > 50


def test_a_network_is_read_as_it_was_written(tmp_path: Path) -> None:
    network = random_network(1)
    write_network(tmp_path / "my.network", {"games": 3}, network)
    back = read_network(tmp_path / "my.network")
    assert all((np.asarray(one) == np.asarray(other)).all() for one, other in zip(back, network, strict=True))
    extreme = network._replace(feature_weights=np.full_like(network.feature_weights, 700))
    with pytest.raises(ValueError, match="overflow"):
        write_network(tmp_path / "other.network", {}, extreme)


def test_a_bad_file_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "bad.network"
    write_network(path, {}, random_network(2))
    book = open_book(path, ARCHITECTURE.kind, ARCHITECTURE.version)
    about = {key: book.about[key] for key in ("inputs", "activation", "neurons", "hidden", "buckets", "scale")}
    write_book(path, ARCHITECTURE.kind, ARCHITECTURE.version, about | {"neurons": 128}, book.payload.tobytes())
    with pytest.raises(BookFileError, match="not of 64 and 8"):
        read_network(path)
    warnings: list[str] = []
    own = registry.load("junqi", warnings.append)
    own.set_option("NetworkFile", str(path))
    own.set_option("Evaluation", "network")
    assert own.evaluate(own.position())[-1].startswith("total ")
    position, _ = next(random_games(own, 1, 1))
    assert own.evaluate(position)[-1].startswith("total ")
    assert len(warnings) == 1 and str(path) in warnings[0]


def test_eval_lists_the_network_s_value(tmp_path: Path) -> None:
    path = tmp_path / "my.network"
    network = random_network(4)
    write_network(path, {}, network)
    position, _ = next(random_games(registry.load("junqi"), 1, 1))
    with Client("setoption name UCI_Variant value junqi") as client:
        client.send("position startpos moves " + " ".join(position.words), "setoption name Evaluation value terms")
        terms = client.answers("eval")
        client.send(f"setoption name NetworkFile value {path}", "setoption name Evaluation value network")
        shown = client.answers("eval")
    value = value_by_hand(network, position.record) * (1 - 2 * position.turn)
    assert f"eval network {value:+d}" in shown
    assert [line for line in shown if not line.startswith(("eval network", "eval total"))] == terms[:-1]


def test_the_option_changes_the_default_search_and_no_other_player(tmp_path: Path) -> None:
    path = tmp_path / "my.network"
    write_network(path, {}, random_network(5))
    position, _ = next(random_games(registry.load("junqi"), 1, 1))
    answers: dict[tuple[str, str], list[Any]] = {}
    for algorithm in ("worlds", "uct", "flat", "minimax", "plain-uct"):
        for evaluation in ("terms", "network"):
            own = registry.load("junqi")
            for name, value in (("Algorithm", algorithm), ("NetworkFile", str(path)), ("Evaluation", evaluation)):
                own.set_option(name, value)
            searcher = own.searcher()
            searcher.configure(1, 1, 5)
            report = exhaust(searcher, Task(position, Control(400)))
            answers[algorithm, evaluation] = [(line.pv, line.score) for line in report.lines]
    for algorithm in ("worlds", "uct", "flat", "minimax", "plain-uct"):
        is_same = answers[algorithm, "terms"] == answers[algorithm, "network"]
        assert is_same == (algorithm != "worlds"), algorithm


def test_without_a_network_the_terms_stand_alone() -> None:
    assert choose("terms").name == "terms"
