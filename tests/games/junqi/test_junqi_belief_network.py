"""The network of Junqi's beliefs against a plain computation, what it may not change, its file and its options."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from junqi_games import FIRST, RECORDS, random_games, replay
from samples import sampled

from siqi.games import registry
from siqi.games.books.book import BookFileError, open_book, write_book
from siqi.games.contract import Game, Task, exhaust
from siqi.games.junqi.knowledge import belief_models
from siqi.games.junqi.knowledge.behaviour import HISTORY, TRAITS, no_counts
from siqi.games.junqi.knowledge.belief_models import FLOOR, HABITS, NetworkModel, Showing, shares
from siqi.games.junqi.knowledge.belief_network import (
    INPUTS,
    KIND,
    LAYOUT,
    NEURONS,
    VERSION,
    Network,
    likelihoods,
    read_network,
    write_network,
)
from siqi.games.junqi.knowledge.worlds import draw_worlds, marginals
from siqi.games.junqi.rules.lookup import COUNTS, ENGINEER, MOBILE, PIECES
from siqi.games.junqi.rules.position import origin_of, target_of
from siqi.games.junqi.rules.setup import slot_types
from siqi.games.kernel.control import Control

NAMES = (*TRAITS, *HISTORY)


def some_network(seed: int = 1, spread: float = 0.3) -> Network:
    draw = np.random.default_rng(seed)
    return Network(*(draw.normal(0, spread, shape) for _, shape in LAYOUT.values()))


@pytest.fixture(scope="module")
def game() -> Game:
    return registry.load("junqi")


def view_of(game: Game, plies: int, viewer: int = 0) -> Any:
    referee = replay(game, [RECORDS[4]["first"], RECORDS[4]["second"], *RECORDS[4]["moves"][:plies]])
    return replay(game, referee.view_moves(viewer))


def plain_inputs(may: int, did: dict[str, int], plies: int) -> list[float]:
    def since(name: str, faded: float) -> float:
        return math.exp(-faded) if did[name] else 0.0

    types = [float(may >> kind & 1) for kind in range(12)]
    traits = [min(did[name] / most, 1.0) for name, most in TRAITS.items()]
    logarithms = [math.log(1 + did[name]) / 3 for name in TRAITS]
    history = [
        since("last", (plies - did["last"]) / 6),
        since("first", did["first"] / 20),
        min(did["beat"], 3) / 2,
        min(did["withstood"], 3) / 2,
        math.log(1 + did["steps"]) / 3,
        math.log(1 + did["runs"]) / 2,
        float(did["fallen"] > 0),
        since("fallen", did["fallen"] / 30),
        plies / 100,
        math.exp(-plies / 20),
    ]
    return [*types, *traits, *logarithms, *history]


def plain_layer(inputs: list[float], weights: Any, biases: Any) -> list[float]:
    sums = (sum(x * weights[i, n] for i, x in enumerate(inputs)) for n in range(NEURONS))
    return [max(0.0, biases[n] + total) for n, total in enumerate(sums)]


@pytest.mark.parametrize("plies", [0, 41])
def test_the_factors_are_those_of_a_plain_computation(game: Game, plies: int) -> None:
    network, view = some_network(), view_of(game, plies)
    may, counts = view.believed(1).may, view.counts()[PIECES:]
    factors = likelihoods(network, may, counts, plies)
    for piece in range(PIECES):
        inputs = plain_inputs(may[piece], dict(zip(NAMES, counts[piece].tolist(), strict=True)), plies)
        assert len(inputs) == INPUTS
        first = plain_layer(inputs, network.input_weights, network.slot_biases[piece])
        second = plain_layer(first, network.hidden_weights, network.hidden_biases)
        for kind in range(12):
            sums = sum(second[n] * network.output_weights[n, kind] for n in range(NEURONS))
            expected = min(max(sums + network.slot_outputs[piece, kind], -12.0), 12.0)
            assert math.log(factors[piece, kind]) == pytest.approx(expected, abs=1e-6)


@sampled("games", 2, 6)
def test_what_is_known_stays_known(game: Game, games: int) -> None:
    """Whatever a network says: worlds keep the sets and counts, and each possible type keeps its floor."""
    model = NetworkModel(some_network(2, 3.0))
    for referee, _ in list(random_games(game, 9, games))[::7]:
        for viewer in range(2):
            view = replay(game, referee.view_moves(viewer))
            if view.outcome() is not None:
                continue
            belief = view.believed(1 - viewer, model)
            for weights in belief.weights.values():
                can = np.array(belief.may)[:, None] >> np.arange(12) & 1
                assert (shares(weights) >= 0.99 * FLOOR * shares(can)).all()
            for kinds in draw_worlds(belief, 20, 3).kinds.tolist():
                assert all(types >> kind & 1 for types, kind in zip(belief.may, kinds, strict=True))
                assert tuple(kinds.count(kind) for kind in range(12)) == COUNTS


def test_pieces_of_a_fen_are_believed_by_habits(game: Game) -> None:
    view = game.position(view_of(game, 20).fen())
    by_network, by_habits = (view.believed(1, model) for model in (NetworkModel(some_network()), HABITS))
    assert all(np.array_equal(by_network.weights[flag], weights) for flag, weights in by_habits.weights.items())


def test_a_network_is_read_as_it_was_written(tmp_path: Path) -> None:
    network = some_network()
    write_network(tmp_path / "my.network", {"training": {}}, network)
    for written, found in zip(network, read_network(tmp_path / "my.network"), strict=True):
        assert np.array_equal(np.float32(written), np.float32(found))


def damaged(path: Path, damage: str) -> None:
    write_network(path, {}, some_network())
    book = open_book(path, KIND, VERSION, 1 << 20)
    about, payload = {key: value for key, value in book.about.items() if key in ("inputs", "neurons")}, book.payload
    if damage == "another build":
        about["neurons"] = 64
    elif damage == "no number":
        payload = payload.copy()
        payload[:4] = np.frombuffer(np.float32(math.nan).tobytes(), np.uint8)
    elif damage == "too short":
        payload = payload[:-4]
    write_book(path, KIND, VERSION, about, payload.tobytes())


@pytest.mark.parametrize("damage", ["another build", "no number", "too short"])
def test_a_bad_file_is_one_line(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "bad.network"
    damaged(path, damage)
    with pytest.raises(BookFileError) as caught:
        read_network(path)
    assert str(caught.value).startswith(str(path)) and "\n" not in str(caught.value)
    warnings: list[str] = []
    own = registry.load("junqi", warnings.append)
    own.set_option("BeliefsFile", str(path))
    own.set_option("Beliefs", "network")
    assert own.evaluate(view_of(own, 6))[-1].startswith("total ")
    assert len(warnings) == 1 and str(path) in warnings[0] and warnings[0].endswith("; the shipped network is used")


def test_without_any_network_one_warning_and_habits_are_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(belief_models, "NETWORK_BOOK", tmp_path / "shipped.network")
    warnings: list[str] = []
    assert belief_models.choose("network", None, warnings.append) is HABITS
    assert len(warnings) == 1 and warnings[0].endswith("; habits are used")


def test_the_option_changes_beliefs_and_the_papers_players_keep_theirs(tmp_path: Path) -> None:
    path = tmp_path / "my.network"
    write_network(path, {}, some_network(3, 0.5))
    answers: dict[tuple[str, str], list[Any]] = {}
    for algorithm in ("worlds", "uct", "flat", "minimax", "plain-uct"):
        for beliefs in ("habits", "network"):
            own = registry.load("junqi")
            for name, value in (("Algorithm", algorithm), ("BeliefsFile", str(path)), ("Beliefs", beliefs)):
                own.set_option(name, value)
            searcher = own.searcher()
            searcher.configure(1, 1, 5)
            report = exhaust(searcher, Task(view_of(own, 12), Control(400)))
            answers[algorithm, beliefs] = [(line.pv, line.score) for line in report.lines]
    for algorithm in ("worlds", "uct", "flat"):
        assert answers[algorithm, "habits"] != answers[algorithm, "network"], algorithm
    for algorithm in ("minimax", "plain-uct"):
        assert answers[algorithm, "habits"] == answers[algorithm, "network"], algorithm


def seeing_an_engineer(logarithm: float) -> NetworkModel:
    """Return a model whose network multiplies the weight of an engineer in slot 8, and nothing else."""
    zero = Network(*(np.zeros(shape) for _, shape in LAYOUT.values()))
    zero.slot_outputs[8, ENGINEER] = logarithm
    return NetworkModel(zero)


def test_marginals_follow_the_network(game: Game) -> None:
    """A network that takes the piece in a slot for an engineer is believed."""
    view = replay(game, [FIRST, "?"])
    may, counts = view.believed(1).may, view.counts()
    chances = [marginals(seeing_an_engineer(each).belief(may, counts, 1, is_deployed=True)) for each in (0.0, 6.0)]
    assert chances[0][8, ENGINEER] < 0.2 and chances[1][8, ENGINEER] > 0.7


# Trust in the network, by what the enemy's pieces have shown


def test_showings_are_what_moves_show_of_the_enemy(game: Game) -> None:
    """Each names the piece that moved or was struck, with its sets before and after; own pieces show nothing."""
    referee = replay(game, [RECORDS[4]["first"], RECORDS[4]["second"], *RECORDS[4]["moves"][:60]])
    for viewer in range(2):
        side, expected, before = 1 - viewer, [], None
        for view in replay_steps(game, referee.view_moves(viewer)):
            if before is not None:
                board, move = before.record.board, view.moves()[-1]
                for square in (origin_of(move), target_of(move)):
                    piece = int(board[square]) - 1 - side * PIECES
                    if board[square] and 0 <= piece < PIECES:
                        was, now = (int(each.record.may[side * PIECES + piece]) for each in (before, view))
                        if was != now:
                            expected.append((piece, was, now))
            before = view
        found = [(each.piece, each.types) for each in before.showings()]
        assert found == [(piece, now) for piece, _, now in expected] and len(found) > 5
        for each, (piece, was, now) in zip(before.showings(), expected, strict=True):
            assert each.may[piece] | was == was and now & ~was == 0


def replay_steps(game: Game, words: list[str]) -> list[Any]:
    """Return the positions after both deployments and each move."""
    return [replay(game, words[:count]) for count in range(2, len(words) + 1)]


def showing(types: int) -> Showing:
    """Return a showing of piece 8 at a game's beginning."""
    return Showing(8, tuple(slot_types(slot) for slot in range(PIECES)), no_counts().tobytes(), types)


def test_trust_follows_bayes_rule() -> None:
    """By the chances that network and habits gave to what was shown, both as likely before."""
    model = seeing_an_engineer(3.0)
    assert model.trust(1, []) == 0.5
    engineer, other = showing(1 << ENGINEER), showing(MOBILE & ~(1 << ENGINEER))
    may = list(engineer.may)
    alone = marginals(model.belief(may, no_counts(), 1, is_deployed=True))[8]
    habits = marginals(HABITS.belief(may, no_counts(), 1, is_deployed=True))[8]
    for shown in ([engineer], [other], [engineer, engineer, other]):
        by_network = math.prod(float(alone @ (each.types >> np.arange(12) & 1)) for each in shown)
        by_habits = math.prod(float(habits @ (each.types >> np.arange(12) & 1)) for each in shown)
        assert model.trust(1, shown) == pytest.approx(by_network / (by_network + by_habits), abs=0.02)
    assert model.trust(1, [other]) < 0.5 < model.trust(1, [engineer])
    assert model.trust(1, [engineer] * 40) > 0.999 and model.trust(1, [other] * 40) < 0.001
    assert model.trust(1, [other] * 2000) == pytest.approx(0.0)  # beyond the range of exp


def test_beliefs_go_from_the_network_s_to_habits_with_trust() -> None:
    model = seeing_an_engineer(3.0)
    may, shown = [slot_types(slot) for slot in range(PIECES)], showing(MOBILE & ~(1 << ENGINEER))
    chances = [
        marginals(model.belief(may, no_counts(), 1, True, showings))[8, ENGINEER]
        for showings in (None, [], [shown], [shown] * 40)
    ]
    habits = marginals(HABITS.belief(may, no_counts(), 1, is_deployed=True))[8, ENGINEER]
    assert chances == sorted(chances, reverse=True) and chances[0] > 3 * habits
    assert chances[-1] == pytest.approx(habits, abs=FLOOR)


def test_own_pieces_are_believed_as_an_engine_like_this_one_sees_them(game: Game) -> None:
    view, model = view_of(game, 60), NetworkModel(some_network())
    assert view.showings() and model.trust(1, view.showings()) != 0.5
    own = view.believed(0, model)
    plain = model.belief(own.may, view.counts(), 0, is_deployed=True)
    assert all(np.array_equal(own.weights[flag], weights) for flag, weights in plain.weights.items())
