"""Training Xiangqi's network: inputs, gradients, rounding, held-out blocks, killed runs."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scripts.network import train_xiangqi_network
from scripts.network import training as network_training
from scripts.network.kernels import add_gradients, compile_kernels
from scripts.network.learner import (
    PARAMETERS,
    Learner,
    new_state,
    state_of,
    weights_of,
)
from scripts.network.sample_sets import HELD_OUT, count_samples, load_samples
from scripts.network.samples import SAMPLE_DTYPE, SampleFile
from scripts.network.training import rate_at
from scripts.network.weights import SCALES, Weights, evaluate, floats, largest_output, quantise
from scripts.network.xiangqi_inputs import CENTIPAWNS, inputs_of, mirrored, targets_of, widened

from siqi.games import registry
from siqi.games.books.book import BookFileError
from siqi.games.books.nnue import Network
from siqi.games.xiangqi.evaluation.network import ARCHITECTURE, ROWS, read_network

VALUES = np.array([0, 20, 20, 20, 20, 40, 40, 90, 90, 45, 45, 10, 10, 10, 10, 10])
"""Values of the pieces by slot: a score that is quickly learned."""


def play(games: int, seed: int) -> tuple[Any, list[str]]:
    """Return the positions of random games as samples with scores by material, and their FENs."""
    game, dice = registry.load("xiangqi"), random.Random(seed)
    samples, fens = [], []
    for _ in range(games):
        position: Any = game.position()
        result = dice.choice((1, 0, -1))
        for ply in range(dice.randrange(20, 120)):
            moves = position.legal_moves()
            if not moves:
                break
            position.push(dice.choice(moves))
            square = position.record.square[16:48].copy()
            own, enemy = (
                (square[16 * side : 16 * side + 16] < 90) @ VALUES for side in (position.turn, 1 - position.turn)
            )
            samples.append((square, position.turn, result, ply + 1, 5 * (own - enemy)))
            fens.append(position.fen())
    return np.array(samples, SAMPLE_DTYPE), fens


@pytest.fixture(scope="module")
def played() -> tuple[Any, list[str]]:
    return play(20, 3)


@pytest.fixture(scope="module")
def samples(played: tuple[Any, list[str]]) -> Any:
    return played[0]


# ---------------------------------------------------------------- inputs


def naive_rows(fen: str) -> tuple[list[int], list[int]]:
    """Return the rows of a FEN, sorted, of the side to move and of the other."""
    board, turn = fen.split()[:2]
    pieces = []
    for line, rank in zip(board.split("/"), range(9, -1, -1), strict=True):
        file = 0
        for letter in line:
            if letter.isdigit():
                file += int(letter)
            else:
                pieces.append((letter.isupper(), "kabnrcp".index(letter.lower()), file, rank))
                file += 1
    views = []
    for red in (turn == "w", turn != "w"):
        seen = [(own == red, kind, file, rank if red else 9 - rank) for own, kind, file, rank in pieces]
        ((king_file, king_rank),) = [(file, rank) for own, kind, file, rank in seen if own and kind == 0]
        if king_file == 5:
            seen = [(own, kind, 8 - file, rank) for own, kind, file, rank in seen]
            king_file = 3
        bucket = 2 * king_rank + king_file - 3
        views.append(
            sorted(bucket * 1260 + (kind + 7 * (not own)) * 90 + 9 * rank + file for own, kind, file, rank in seen)
        )
    return views[0], views[1]


def test_inputs_are_those_of_a_naive_oracle(played: tuple[Any, list[str]]) -> None:
    samples, fens = played
    inputs = inputs_of(samples, 8)
    assert len(set(inputs.counts.tolist())) > 3 and len(set(samples["square"][:, 0].tolist())) > 3
    for i, fen in enumerate(fens):
        expected, pieces = naive_rows(fen), sum(letter.isalpha() for letter in fen.split()[0])
        assert (inputs.counts[i], inputs.buckets[i], inputs.bases[i]) == (pieces, (pieces - 1) * 8 // 32, 0)
        for view in range(2):
            assert sorted(inputs.rows[i, view, :pieces].tolist()) == expected[view]


HIDDEN = 8


def random_weights(neurons: int, buckets: int, seed: int) -> Weights:
    """Return weights that keep some neurons at 0, some between, some at 1."""
    largest = largest_output(neurons)
    dice = np.random.default_rng(seed)
    return Weights(
        dice.normal(0, 0.12, (ROWS, neurons)).astype(np.float32),
        dice.normal(0.3, 0.1, neurons).astype(np.float32),
        dice.normal(0, 0.2, (buckets, 2 * neurons)).clip(-largest, largest).astype(np.float32),
        dice.normal(0, 0.5, buckets).astype(np.float32),
        dice.normal(0, 0.1, (buckets, HIDDEN, 2 * neurons)).astype(np.float32),
        dice.normal(0.3, 0.1, (buckets, HIDDEN)).astype(np.float32),
        dice.normal(0, 0.5, (buckets, HIDDEN)).astype(np.float32),
    )


def rounded(weights: Weights) -> Network:
    return quantise(weights, ARCHITECTURE, CENTIPAWNS)


def values_of(network: Network, samples: Any) -> Any:
    return evaluate(network, inputs_of(samples, network.buckets))


def test_exchanged_sides_have_the_same_value(samples: Any) -> None:
    exchanged = samples.copy()
    flipped = np.append([81 - square // 9 * 9 + square % 9 for square in range(90)], 90)
    exchanged["square"] = np.roll(flipped[samples["square"]], 16, axis=1)
    exchanged["turn"] ^= 1
    network = rounded(random_weights(32, 8, 1))
    values = values_of(network, samples)
    assert len(set(values.tolist())) > 100 and (values == values_of(network, exchanged)).all()


def test_a_mirrored_position_has_the_same_value_if_no_king_is_on_the_middle_file(samples: Any) -> None:
    """Values are equal if no king is on the middle file; there the network must learn it, from mirrored positions."""
    network = rounded(random_weights(32, 8, 1))
    assert (values_of(network, mirrored(samples)) != values_of(network, samples)).any()
    assert (mirrored(mirrored(samples)) == samples).all()
    aside = samples.copy()
    aside["square"][:, 0] = np.where(samples["ply"] % 2, 3, 14)
    aside["square"][:, 16] = np.where(samples["ply"] % 3, 86, 75)
    assert (values_of(network, mirrored(aside)) == values_of(network, aside)).all()


def test_a_widened_network_has_the_mean_of_a_position_s_value_and_its_mirror_image_s(samples: Any) -> None:
    weights = random_weights(32, 8, 3)._replace(hidden_outputs=np.zeros((8, HIDDEN), np.float32))
    value, image = (values_by(weights, positions) for positions in (samples, mirrored(samples)))
    assert np.abs(value - image).max() > 0.1
    assert np.allclose(values_by(widened(weights), samples), (value + image) / 2, atol=1e-4)
    wide = widened(random_weights(32, 8, 3))
    assert np.allclose(values_by(wide, samples), values_by(wide, mirrored(samples)), atol=1e-4)


# ---------------------------------------------------------------- integers


def test_integers_are_those_of_the_formula(played: tuple[Any, list[str]]) -> None:
    samples, fens = played
    network = rounded(random_weights(32, 8, 2))
    values = values_of(network, samples)
    inside = 0
    for i in range(0, len(samples), 50):
        sums = [
            network.biases.astype(int) + network.feature_weights[rows].astype(int).sum(0)
            for rows in naive_rows(fens[i])
        ]
        pieces = sum(letter.isalpha() for letter in fens[i].split()[0])
        bucket = (pieces - 1) * 8 // 32
        active = [min(max(int(x), 0), 255) for x in (*sums[0], *sums[1])]
        total = sum(x * x * int(w) for x, w in zip(active, network.output_weights[bucket], strict=True))
        total += 255 * int(network.output_biases[bucket])
        for k in range(HIDDEN):
            weights = network.hidden_weights[bucket, k].tolist()
            y = sum(x * w for x, w in zip(active, weights, strict=True)) + int(network.hidden_biases[bucket, k])
            y = min(max(y >> 9, 0), 255)
            inside += 0 < y < 255
            total += y * y * int(network.hidden_outputs[bucket, k])
        assert values[i] == total * network.scale // (255 * 255 * 512)
    assert inside > 20


@pytest.mark.parametrize(("neurons", "buckets"), [(32, 1), (128, 8), (256, 8)])
def test_rounding_costs_little(neurons: int, buckets: int, samples: Any) -> None:
    """A network with rounded weights has the integers' values; others differ by at most the rounding error."""
    weights = random_weights(neurons, buckets, 4)
    network = rounded(weights)
    back = floats(network, CENTIPAWNS)
    again = rounded(back)
    for one, other in zip(network.arrays, again.arrays, strict=True):
        assert (one == other).all()
    values = values_of(network, samples)
    exact = values_by(back, samples).astype(np.float64) * CENTIPAWNS
    # Rounded down, hidden neurons to a 255th.
    assert np.abs(values + 0.5 - exact).max() < 0.6 + CENTIPAWNS * np.abs(back.hidden_outputs).sum(1).max() / 255
    away = np.abs(values - values_by(weights, samples).astype(np.float64) * CENTIPAWNS)
    assert 0 < away.mean() < 0.5 * np.sqrt(neurons)


def values_by(weights: Weights, samples: Any) -> Any:
    """Return what a learner with these weights makes of samples, in logits."""
    buckets = len(weights.output_biases)
    state = first_state(len(weights.biases), buckets, 0)
    state |= dict(zip([name for name in PARAMETERS if name != "factors"], weights, strict=True))
    state["factors"] = np.zeros_like(state["factors"])
    return Learner(state, 1).values(inputs_of(samples, buckets))


def first_state(neurons: int, buckets: int, seed: int) -> Any:
    return new_state(ARCHITECTURE._replace(neurons=neurons), buckets, seed)


def test_what_could_overflow_is_not_written() -> None:
    weights = random_weights(32, 2, 5)
    large = weights._replace(output=weights.output * 1.9)
    assert rounded(weights).scale == CENTIPAWNS * SCALES[1] and rounded(large).scale == CENTIPAWNS * SCALES[2]
    assert rounded(random_weights(256, 2, 5)).scale == CENTIPAWNS * SCALES[0]
    for faulty, why in (
        (weights._replace(rows=weights.rows * 30), "accumulators may overflow"),
        (weights._replace(rows=weights.rows * 3000), "does not fit 16 bits"),
        (weights._replace(biases=weights.biases * np.nan), "does not fit"),
        (weights._replace(output=weights.output * 10), "beyond 127"),
        (weights._replace(hidden=weights.hidden * 30), "beyond 2047"),
        (weights._replace(hidden_biases=weights.hidden_biases * 60_000), "does not fit 32 bits"),
        (random_weights(512, 2, 5)._replace(output=np.full((2, 1024), 3.9)), "32 bits"),
    ):
        with pytest.raises(ValueError, match=why):
            rounded(faulty)


# ---------------------------------------------------------------- learning


def loss_of(weights: Weights, samples: Any, targets: Any) -> float:
    """Return the mean squared error in float64."""
    inputs = inputs_of(samples, len(weights.output_biases))
    bucket = inputs.buckets
    rows = weights.rows.astype(np.float64)
    sums = [rows[row[:, :count]].sum(1) for row, count in zip(inputs.rows, inputs.counts, strict=True)]
    x = (np.array(sums) + weights.biases).reshape(len(samples), -1).clip(0, 1)
    y = (np.einsum("nhj,nj->nh", weights.hidden[bucket], x) + weights.hidden_biases[bucket]).clip(0, 1)
    logits = (x**2 * weights.output[bucket]).sum(1) + weights.output_biases[bucket]
    logits += (y**2 * weights.hidden_outputs[bucket]).sum(1)
    return float(((1 / (1 + np.exp(-logits)) - targets) ** 2).mean())


def test_gradients_are_those_of_differences(samples: Any) -> None:
    compile_kernels()
    samples = samples[::7]
    weights, targets = random_weights(8, 4, 6), targets_of(samples, 0.3)
    gradients = [np.zeros_like(array) for array in weights]
    unit = np.float32(1 / len(samples))
    error = add_gradients(*inputs_of(samples, 4), targets, unit, *weights, *gradients) / len(samples)
    assert error == pytest.approx(loss_of(weights, samples, targets), rel=1e-5)
    dice, step = np.random.default_rng(1), 1e-5
    exact = Weights(*(array.astype(np.float64) for array in weights))
    for array, gradient in zip(exact, gradients, strict=True):
        largest = np.argsort(np.abs(gradient), axis=None)[-20:]
        for place in (*largest.tolist(), *dice.integers(array.size, size=5).tolist()):
            before = array.flat[place]
            values = []
            for moved in (before + step, before - step):
                array.flat[place] = moved
                values.append(loss_of(exact, samples, targets))
            array.flat[place] = before
            slope = (values[0] - values[1]) / (2 * step)
            assert gradient.flat[place] == pytest.approx(slope, rel=0.02, abs=1e-6)


def test_targets_are_in_the_mover_s_view() -> None:
    samples = np.zeros(4, SAMPLE_DTYPE)
    samples["score"], samples["turn"], samples["result"] = (200, -200, 0, 0), (0, 1, 1, 0), (1, 1, -1, 0)
    assert targets_of(samples, 0.0) == pytest.approx([0.731, 0.269, 0.5, 0.5], abs=1e-3)
    assert targets_of(samples, 1.0).tolist() == [1, 0, 1, 0.5]


def learn(learner: Any, samples: Any, steps: int, row_decay: float = 0.0) -> list[float]:
    targets, inputs = targets_of(samples, 0.0), inputs_of(samples, 4)
    return [learner.step(inputs, targets, 3e-3, row_decay) for _ in range(steps)]


def test_learning_reduces_the_loss_and_goes_on_from_its_state(samples: Any) -> None:
    learner = Learner(first_state(32, 4, 1), 2)
    errors = learn(learner, samples, 30)
    assert errors[-1] < errors[0] / 4
    state = learner.state()
    again = Learner(state, 2)
    later = learn(learner, samples, 3), learn(again, samples, 3)
    assert later[0] == later[1] and later[0][0] < errors[0]
    for name, array in learner.state().items():
        assert (array == again.state()[name]).all()
    assert int(learner.state()["steps"]) == 33 and int(state["steps"]) == 30  # a state is a copy


def test_factors_are_part_of_every_bucket() -> None:
    state = first_state(8, 1, 1)
    table = weights_of(state).rows.reshape(6, 1260, 8)
    assert np.allclose(table - state["rows"].reshape(6, 1260, 8), state["factors"])


def test_a_learner_that_begins_with_a_network_begins_with_what_its_buckets_share() -> None:
    weights = random_weights(8, 4, 6)
    state = state_of(weights, ARCHITECTURE)
    assert np.allclose(weights_of(state).rows, weights.rows, atol=1e-6)
    assert np.allclose(state["rows"].reshape(6, 1260, 8).mean(0), 0, atol=1e-6)


def test_decay_makes_buckets_alike(samples: Any) -> None:
    """Decay makes buckets alike: rows lose a share of themselves in each step, factors nothing."""
    few, start = samples[:8], random_weights(32, 4, 6)
    free, decayed = (Learner(state_of(start, ARCHITECTURE), 1) for _ in range(2))
    learn(free, few, 20)
    learn(decayed, few, 20, row_decay=1.0)
    untouched = np.abs(free.state()["rows"] - state_of(start, ARCHITECTURE)["rows"]).max(1) == 0
    assert untouched.mean() > 0.5
    left = decayed.state()["rows"][untouched] / free.state()["rows"][untouched]
    assert left == pytest.approx((1 - 3e-3) ** 20, rel=1e-3)
    unseen = np.abs(free.state()["factors"] - state_of(start, ARCHITECTURE)["factors"]).max(1) == 0
    assert (decayed.state()["factors"][unseen] == free.state()["factors"][unseen]).all() and unseen.any()


def test_threads_differ_in_rounding_alone(samples: Any) -> None:
    one, three = (Learner(first_state(32, 4, 1), threads) for threads in (1, 3))
    assert learn(one, samples, 5) == pytest.approx(learn(three, samples, 5), rel=1e-4)


def test_the_rate_rises_and_falls() -> None:
    rates = [rate_at(step, 200, 0.01) for step in range(200)]
    assert rates[:10] == sorted(rates[:10]) and rates[10:] == sorted(rates[10:], reverse=True)
    assert max(rates) == 0.01 and 0 < rates[0] < 0.002 and rates[-1] < 0.0003


# ---------------------------------------------------------------- files


def write(path: Path, blocks: int, seed: int) -> None:
    """Write a file of samples, two games per block."""
    with SampleFile(path, {"seed": seed}) as file:
        for number in range(blocks):
            samples, _ = play(2, 100 * seed + number)
            samples["ply"] = number
            file.append(samples, 2)


def test_blocks_are_held_out_whole(tmp_path: Path) -> None:
    block = play(1, 1)[0]
    path = tmp_path / "many.zst"
    with SampleFile(path, {}) as file:
        for number in range(HELD_OUT + 3):
            block["ply"] = number
            file.append(block, 1)
    assert count_samples([path, path]) == [(HELD_OUT + 3, (HELD_OUT + 3) * len(block))] * 2
    loaded = load_samples([path, path], [HELD_OUT + 3] * 2, None, 32767)
    assert set(loaded.test["ply"].tolist()) == {0, HELD_OUT, HELD_OUT - 3}
    assert len(loaded.train) == (2 * (HELD_OUT + 3) - 3) * len(block)
    fewer = load_samples([path], [3], None, 32767)  # the file has grown since
    assert set(fewer.train["ply"].tolist()) == {1, 2}
    with pytest.raises(OSError, match="has 53 blocks of positions, not 54"):
        load_samples([path], [54], None, 32767)
    for counts, largest in (([1], 32767), ([5], -1)):
        with pytest.raises(OSError, match="too few positions"):
            load_samples([path], counts, None, largest)
    near = load_samples([path], [9], lambda samples: 100 * np.arange(len(samples)), 500)
    assert near.train["score"].tolist() == [0, 100, 200, 300, 400, 500] * 8


# ---------------------------------------------------------------- whole runs


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with two small files."""
    folder = tmp_path_factory.mktemp("files")
    write(folder / "static.zst", 4, 1)
    write(folder / "deep.zst", 4, 2)
    return folder


@pytest.fixture
def run(
    files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., str]:
    """Run the script with two small files; return its output. AssertionError if its status is not `status`."""
    shutil.copytree(files, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["train_xiangqi_network.py"])
    words = "--distil static.zst --distil-epochs 2 --search deep.zst --search-epochs 2 --batch 64 --threads 2"

    def run_script(*more: str, status: int = 0) -> str:
        try:
            returned = train_xiangqi_network.main([*words.split(), *more])
        except SystemExit as ended:
            returned = int(ended.code or 0)
        printed = capsys.readouterr()
        assert returned == status, printed.err
        return printed.out + printed.err

    return run_script


def test_a_killed_run_ends_with_the_same_network(run: Callable[..., str], tmp_path: Path, monkeypatch: Any) -> None:
    printed = run("--out", "whole.network", "--log", "whole.jsonl", "--plot", "whole.svg")
    assert "distil: " in printed and "search: " in printed and "centipawns from float32" in printed
    losses = [json.loads(line) for line in Path("whole.jsonl").read_text().splitlines()]
    assert {loss["stage"] for loss in losses} == {"distil", "search"} and len(losses) > 10
    assert losses[-1]["test"] < losses[0]["test"] and Path("whole.svg").stat().st_size > 1000
    network = read_network(Path("whole.network"))
    assert network.buckets == 8

    monkeypatch.setattr(network_training, "SAVE_S", 0.0)
    learn, left = network_training.Training._learn, [0]

    def die(self: Any, *rest: Any) -> None:
        left[0] -= 1
        if left[0] == 0:
            raise KeyboardInterrupt
        learn(self, *rest)

    monkeypatch.setattr(network_training.Training, "_learn", die)
    for steps in (7, 2, 9, 3):  # of 13 a stage
        left[0] = steps
        run("--out", "killed.network", "--log", "killed.jsonl", status=130)
        assert not Path("killed.network").exists() and Path("killed.part.npz").exists()
    checkpoint = network_training.saved(Path("killed.part.npz"))
    assert checkpoint and checkpoint[1].stage == 1 and checkpoint[1].step > 2
    left[0] = 0
    with SampleFile(Path("deep.zst"), {"seed": 2}) as file:  # positions that came later are left out
        file.append(play(1, 9)[0], 1)
    run("--out", "killed.network", "--log", "killed.jsonl")
    assert Path("killed.network").read_bytes() == Path("whole.network").read_bytes()
    assert Path("killed.jsonl").read_bytes() == Path("whole.jsonl").read_bytes()
    assert sorted(path.suffix for path in tmp_path.iterdir()) == sorted(
        [".zst"] * 2 + [".network", ".jsonl"] * 2 + [".svg"]
    )


def test_a_checkpoint_of_other_settings_is_left_alone(run: Callable[..., str], monkeypatch: Any) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(network_training.Training, "_measure", lambda *rest: (_ for _ in ()).throw(KeyboardInterrupt))
        patch.setattr(network_training, "SAVE_S", 0.0)
        run("--out", "n.network", "--batch", "16", status=130)
    part = Path("n.part.npz")
    before = part.read_bytes()
    (line,) = run("--out", "n.network", "--seed", "2", "--batch", "16", status=2).splitlines()
    assert line.endswith("n.part.npz: is of other settings: seed was 1, now 2") and part.read_bytes() == before
    (line,) = run("--out", "n.network", "--batch", "16", "--search-epochs", "3", status=2).splitlines()
    assert line.endswith("n.part.npz: is of other settings: stages[1].epochs was 2, now 3")
    network_training.save(part, {"of": "another program"}, network_training.TrainingProgress(), {})
    (line,) = run("--out", "n.network", "--batch", "16", status=2).splitlines()
    assert "n.part.npz: is of other settings: of was another program, now None" in line
    part.write_bytes(before[: len(before) // 2])
    (line,) = run("--out", "n.network", "--batch", "16", status=2).splitlines()
    assert "n.part.npz: is damaged" in line
    part.write_bytes(b"PK\x03\x04 of somebody else")
    (line,) = run("--out", "n.network", status=2).splitlines()
    assert line.endswith("n.part.npz: is another kind of file, left as it is")


def test_a_network_can_be_learned_on(run: Callable[..., str]) -> None:
    run("--out", "one.network", "--buckets", "2")
    rates = ["--search-rate", "1e-9", "--distil-rate", "1e-9"]
    run("--out", "two.network", "--buckets", "2", "--start", "one.network", *rates)
    one, two = (read_network(Path(name)) for name in ("one.network", "two.network"))
    assert all((a == b).all() for a, b in zip(one.arrays, two.arrays, strict=True))
    run("--out", "wide.network", "--buckets", "2", "--start", "one.network", "--neurons", "256", *rates)
    wide = read_network(Path("wide.network"), ARCHITECTURE._replace(neurons=256))
    assert (wide.feature_weights[:, :128] == one.feature_weights).all()
    (line,) = run("--out", "three.network", "--start", "one.network", status=2).splitlines()
    assert line.endswith("one.network: has 2 buckets, not 8")
    (line,) = run("--out", "three.network", "--start", "static.zst", status=2).splitlines()
    assert "static.zst: not a book" in line
    with pytest.raises(BookFileError):
        read_network(Path("one.network"), ARCHITECTURE._replace(neurons=256))


def test_a_network_goes_a_share_of_the_way(run: Callable[..., str]) -> None:
    run("--out", "first.network")
    begin = ["--start", "first.network", "--seed", "2"]
    run("--out", "last.network", *begin)
    run("--out", "between.network", *begin, "--start-share", "0.75")
    names = ("first", "last", "between")
    networks = [floats(read_network(Path(f"{name}.network")), CENTIPAWNS) for name in names]
    for first, last, between in zip(*networks, strict=True):
        steps, away = np.abs(last - first), np.abs(between - (0.75 * first + 0.25 * last))
        assert away.max() < 0.15 * steps.max()


def test_wrong_options_are_refused(run: Callable[..., str]) -> None:
    for words, why in (
        ("--buckets 0", "--buckets must be within"),
        ("--batch 0", "--batch must be at least 1"),
        ("--result-share 1.5", "--result-share must be within"),
        ("--search-rate 0", "rates must be"),
        ("--start-share 1 --start n.network", "--start-share must be at least 0 and below 1"),
        ("--start-share 0.5", "--start-share needs --start"),
        ("--search none.zst", "none.zst: No such file"),
        ("--search n.txt", "n.txt: holds no positions of Xiangqi"),
        ("--log n.network", "n.network: cannot be two of the files to be written"),
        ("--log n.part.npz", "n.part.npz: cannot be two of the files to be written"),
        ("--log a.svg --plot ./a.svg", "a.svg: cannot be two of the files to be written"),
    ):
        Path("n.txt").write_text("notes")
        assert why in run("--out", "n.network", *words.split(), status=2)
