"""Learning a network of nnue.py from positions, on the processor: gradients by numba's kernels, steps by Adam.

There is a row of parameters for each input of each input bucket, and a factor for each input, which every bucket's row
includes: so all buckets share what any of them learns. The state of a learner is a dictionary of arrays: each
parameter, the moments of its gradient, and the number of steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scripts.network.adam import MOMENTS, Steps
from scripts.network.kernels import Inputs, add_gradients, compile_kernels, evaluate_all
from scripts.network.weights import LARGEST_HIDDEN, Weights, largest_output

from siqi.games.books.nnue import Architecture

PARAMETERS = ("rows", "factors", "biases", "output", "output_biases", "hidden", "hidden_biases", "hidden_outputs")

KEEP_SQUARE = 0.999
"""Share of the mean square of a gradient that a step of Adam keeps."""

ROW_SPREAD, OUTPUT_SPREAD, BIAS = 0.02, 0.2, 0.1
HIDDEN_SPREAD, HIDDEN_OUTPUT_SPREAD, HIDDEN_BIAS = 0.1, 0.05, 0.3
"""Standard deviations of initial weights, and initial biases: at first most neurons are active, none is at 1."""

State = dict[str, Any]


def new_state(architecture: Architecture, buckets: int, seed: int) -> State:
    """Return the state of a learner before its first batch. `buckets`: of the output."""
    random = np.random.default_rng(seed)
    rows, neurons, hidden = architecture.rows, architecture.neurons, architecture.hidden
    largest = largest_output(neurons)
    output = random.normal(0, OUTPUT_SPREAD, 2 * neurons).clip(-largest, largest)
    weights = Weights(
        random.normal(0, ROW_SPREAD, (rows, neurons)),
        np.full(neurons, BIAS),
        np.tile(output, (buckets, 1)),
        np.zeros(buckets),
        np.tile(random.normal(0, HIDDEN_SPREAD, (hidden, 2 * neurons)), (buckets, 1, 1)),
        np.full((buckets, hidden), HIDDEN_BIAS),
        np.tile(random.normal(0, HIDDEN_OUTPUT_SPREAD, hidden), (buckets, 1)),
    )
    spread = ROW_SPREAD if architecture.input_buckets > 1 else 0.0
    return state_of(weights, architecture, random.normal(0, spread, (rows // architecture.input_buckets, neurons)))


def state_of(weights: Weights, architecture: Architecture, factors: Any = None) -> State:
    """Return the state of a learner that begins with the weights of a network.

    `factors` are added to its rows; None: the mean of the buckets' rows is taken out of them.
    """
    rows = weights.rows
    if factors is None:
        by_bucket = rows.reshape(architecture.input_buckets, -1, rows.shape[1])
        factors = by_bucket.mean(0)
        rows = (by_bucket - factors).reshape(rows.shape)
    parameters = dict(zip(PARAMETERS, (rows, factors, *weights[1:]), strict=True))
    state: State = {name: np.array(values, np.float32) for name, values in parameters.items()}
    for name in PARAMETERS:
        state |= {f"{name}_{moment}": np.zeros_like(state[name]) for moment in MOMENTS}
    return state | {"steps": np.zeros((), np.int64)}


def weights_of(state: State) -> Weights:
    """Return a learner's network."""
    return Weights(_table(state), *(state[name] for name in PARAMETERS[2:]))


def blended(state: State, start: State, share: float) -> State:
    """Return a state whose parameters are a learner's and, by a share, those of another (Wortsman et al. 2022)."""
    keep = np.float32(share)
    return state | {name: (1 - keep) * state[name] + keep * start[name] for name in PARAMETERS}


def _table(state: State) -> Any:
    """Return the rows with their factors, [rows, N]."""
    rows, factors = state["rows"], state["factors"]
    return (rows.reshape(-1, *factors.shape) + factors).reshape(rows.shape)


class Learner:
    """Learns from batches. Results depend on the number of threads, in rounding alone."""

    def __init__(self, state: State, threads: int) -> None:
        compile_kernels()
        self._state = {name: np.array(values) for name, values in state.items()}
        self._steps = Steps(threads, KEEP_SQUARE)
        self._table = _table(self._state)
        output = largest_output(len(self._state["biases"]))
        self._largest = {"output": output, "hidden": LARGEST_HIDDEN, "hidden_outputs": LARGEST_HIDDEN}
        parameters = self._network()
        self._gradients = [tuple(np.zeros_like(values) for values in parameters) for _ in range(threads)]

    def _network(self) -> Weights:
        return Weights(self._table, *(self._state[name] for name in PARAMETERS[2:]))

    def step(self, inputs: Inputs, targets: Any, rate: float, row_decay: float = 0.0) -> float:
        """Learn from a batch; return the mean squared error before the step. `targets`: chances, float32 [n].

        The rows then lose `rate * row_decay` of themselves, the factors nothing: buckets differ only where positions
        demand it, so a bucket with few positions does not overfit. With one bucket there are no factors to learn.
        """
        network, unit = self._network(), np.float32(1 / len(targets))

        def learn(part: slice, thread: int) -> float:
            gradients = self._gradients[thread]
            for gradient in gradients:
                gradient.fill(0)
            return float(add_gradients(*inputs.part(part), targets[part], unit, *network, *gradients))

        error = sum(self._steps.share(learn, len(targets)))
        first, *others = self._gradients
        for other in others:
            for total, more in zip(first, other, strict=True):
                np.add(total, more, out=total)
        rows, *smaller = first
        factors = self._state["factors"]
        of_factors = rows.reshape(-1, *factors.shape).sum(0)
        self._state["steps"] += 1
        for name, gradient in zip(PARAMETERS, (rows, of_factors, *smaller), strict=True):
            if name != "factors" or len(factors) < len(rows):
                self._steps.move(self._state, name, gradient, rate)
        if row_decay:
            self._state["rows"] *= np.float32(1 - rate * row_decay)
        for name, most in self._largest.items():
            np.clip(self._state[name], -most, most, out=self._state[name])
        shape = -1, *factors.shape
        np.add(self._state["rows"].reshape(shape), self._state["factors"], out=self._table.reshape(shape))
        return error / len(targets)

    def values(self, inputs: Inputs) -> Any:
        """Return the logit of each position, float32 [n]."""
        values, network = np.empty(len(inputs.counts), np.float32), self._network()
        self._steps.share(lambda part, _: evaluate_all(*inputs.part(part), *network, values[part]), len(values))
        return values

    def state(self) -> State:
        """Return the state, which later steps do not change."""
        return {name: np.array(values) for name, values in self._state.items()}
