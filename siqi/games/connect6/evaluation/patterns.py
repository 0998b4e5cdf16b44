"""The evaluation by the networks (network.py): features of points, kept for the last board that each was asked about.

A thread's memory holds four views: of each network, as each side sees the board. Before a view is used, the stones in
which its board differs from the position's are changed one by one, so stones are done and undone without a call here.
A stone changes 24 windows, and with them the features of at most 41 points.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from siqi.games.connect6.data.weights import CENTRE
from siqi.games.connect6.evaluation.evaluate import EVAL_BOUND
from siqi.games.connect6.evaluation.network import (
    CHANNELS,
    CODES,
    EMPTY,
    HEADS,
    INTEREST_LOGIT,
    LARGEST,
    OFF,
    PLACES,
    SHIFT,
    SUM_SHIFT,
    WINDOWS,
    Network,
    mirror,
)
from siqi.games.connect6.rules.lookup import LOOKUP_RECORD, POINTS, ROAD_LENGTH, SIZE
from siqi.games.connect6.rules.notation import point_text
from siqi.games.connect6.rules.position import POSITION
from siqi.games.connect6.rules.work import WORK, WORK_DTYPE
from siqi.games.kernel.intrinsics import pointer_to
from siqi.games.kernel.jit import Record, entry, inner, int64, new_record, outlined, record, record_type, void
from siqi.games.kernel.memory import address_of, aligned_record, offset_of
from siqi.games.kernel.vectors import rectified_operations, row_operations

exchange_row = row_operations(CHANNELS, 8).exchange
rectified_dot, add_rectified = rectified_operations(CHANNELS, SIZE)

ROW_BYTES = 2 * CHANNELS

MARGIN = ROAD_LENGTH - 1
WIDE = SIZE + 2 * MARGIN
CELLS = WIDE * WIDE
"""Cells of the board with a margin on all sides; cells are numbered as points are, by columns."""

DIRECTIONS = 4
STEPS = ((1, 0), (0, 1), (1, 1), (1, -1))
CELL_STEPS = (WIDE, 1, WIDE + 1, WIDE - 1)
POINT_STEPS = (SIZE, 1, SIZE + 1, SIZE - 1)
"""Steps to the next cell by direction: columns and rows, and differences of cells and of points."""

VIEWS = 4
POLICY, VALUE = 0, 2
"""Views are numbered by network, plus the side that sees."""

EXPLAINED = 10
"""Points that `explain` names."""

NEARNESS = LOOKUP_RECORD.centre // CENTRE
"""[point]: 18 less the steps to the centre."""

# Rows come first: records are aligned to cache lines here, and so are the rows.
WEIGHTS_DTYPE = record(
    [
        ("policy_rows", "i2", len(WINDOWS) * PLACES * CHANNELS),
        ("value_rows", "i2", len(WINDOWS) * PLACES * CHANNELS),
        ("policy_weights", "i2", HEADS * CHANNELS),
        ("value_weights", "i2", CHANNELS),
        ("hidden_weights", "i2", CHANNELS * CHANNELS),
        ("hidden_outputs", "i2", CHANNELS),
        ("hidden_biases", "i8", CHANNELS),
        ("value_bias", "i8"),
        ("centre", "i8", HEADS * POINTS),  # [head, point]: a part of the interest
        ("cell", "u2", POINTS),
        ("forward", "u2", CODES),  # [code]: the first row of the window, in bytes / ROW_BYTES
        ("backward", "u2", CODES),  # [code]: that of its mirror image
    ]
)
WEIGHTS = record_type(WEIGHTS_DTYPE)
weights_at = pointer_to(WEIGHTS)

MEMORY_DTYPE = record(
    [
        ("features", "i2", VIEWS * POINTS * CHANNELS),  # [view, point]: before negative ones count as 0
        ("sums", "i4", CHANNELS),
        ("scaled", "i2", CHANNELS),  # the sums as the next layer has them
        ("hidden", "i2", CHANNELS),
        ("codes", "u2", VIEWS * DIRECTIONS * CELLS),  # [view, direction, first cell of a window]
        ("stones", "u1", VIEWS * POINTS),  # [view, point]: as in POSITION
        ("weights", "i8"),  # address
    ]
)
MEMORY = record_type(MEMORY_DTYPE)
memory_at = pointer_to(MEMORY)


_SUMS = offset_of(MEMORY_DTYPE, "sums")
_SCALED = offset_of(MEMORY_DTYPE, "scaled")
_HIDDEN = offset_of(MEMORY_DTYPE, "hidden")
_VALUE_ROWS = offset_of(WEIGHTS_DTYPE, "value_rows")
_POLICY_WEIGHTS = offset_of(WEIGHTS_DTYPE, "policy_weights")
_VALUE_WEIGHTS = offset_of(WEIGHTS_DTYPE, "value_weights")
_HIDDEN_WEIGHTS = offset_of(WEIGHTS_DTYPE, "hidden_weights")
_HIDDEN_OUTPUTS = offset_of(WEIGHTS_DTYPE, "hidden_outputs")
assert offset_of(MEMORY_DTYPE, "features") == offset_of(WEIGHTS_DTYPE, "policy_rows") == 0


@inner(int64(int64, int64), forceinline=True)
def seen(stone: int, side: int) -> int:
    """Return the state of a cell on the board as a side sees it: EMPTY, OWN or ENEMY, from 0, black 1 or white 2."""
    return 3 - stone if side == 1 and stone != EMPTY else stone


@inner(int64(int64, int64, int64), forceinline=True)
def features_at(network: int, view: int, point: int) -> int:
    """Return the address of a point's features; `network`: the address of a MEMORY, as everywhere here."""
    return network + (view * POINTS + point) * ROW_BYTES


@inner(void(int64, int64, int64, int64, int64, int64), forceinline=True)
def exchange_rows(target: int, step: int, code: int, shift: int, new: int, old: int) -> None:
    """Exchange the rows of three cells of a window, from one end of it on; all but `code` and `shift` are addresses.

    `target`: the features of the cell at that end; `step`: from one cell to the next; `code`: of the window; `shift`:
    the place of that cell in the code, in bits.
    """
    further = 2 if shift == 0 else -2
    for place in range(PLACES):
        if code >> shift + further * place & 3 != OFF:
            features = target + place * step
            exchange_row(features, features, new + place * ROW_BYTES, old + place * ROW_BYTES)


@inner(void(int64, int64, int64, int64))
def set_stone(network: int, view: int, point: int, stone: int) -> None:
    """Change what stands on a point of a view's board to 0, black 1 or white 2."""
    memory = memory_at(network)
    weights = weights_at(memory.weights)
    rows = memory.weights + (_VALUE_ROWS if view >= VALUE else 0)
    was = int64(memory.stones[view * POINTS + point])
    change = seen(was, view & 1) ^ seen(stone, view & 1)
    memory.stones[view * POINTS + point] = stone
    for direction in range(DIRECTIONS):
        step = POINT_STEPS[direction] * ROW_BYTES
        codes = (view * DIRECTIONS + direction) * CELLS + int64(weights.cell[point])
        for place in range(ROAD_LENGTH):
            at = codes - place * CELL_STEPS[direction]
            before = int64(memory.codes[at])
            after = before ^ change << 2 * place
            memory.codes[at] = after
            first = features_at(network, view, point) - place * step
            old = rows + int64(weights.forward[before]) * ROW_BYTES
            new = rows + int64(weights.forward[after]) * ROW_BYTES
            exchange_rows(first, step, after, int64(0), new, old)
            old = rows + int64(weights.backward[before]) * ROW_BYTES
            new = rows + int64(weights.backward[after]) * ROW_BYTES
            exchange_rows(first + MARGIN * step, -step, after, int64(2 * MARGIN), new, old)


@inner(void(POSITION, int64, int64))
def update(pos: Record, network: int, view: int) -> None:
    """Bring a view to the position's board."""
    memory = memory_at(network)
    for point in range(POINTS):
        stone = int64(pos.stones[point])
        if stone != memory.stones[view * POINTS + point]:
            set_stone(network, view, int64(point), stone)


@inner(int64(int64, int64, int64, int64), forceinline=True)
def interest_by(network: int, view: int, head: int, point: int) -> int:
    """Return the interest of an empty point as a view has it; `head`: 0 with two stones left, 1 with one."""
    address = memory_at(network).weights
    total = rectified_dot(features_at(network, view, point), address + _POLICY_WEIGHTS + head * ROW_BYTES)
    return total + weights_at(address).centre[head * POINTS + point] >> SHIFT


@inner(int64(POSITION, WORK), forceinline=True)
def has_policy(pos: Record, work: Record) -> int:
    """Return 1 if the networks say which points are worth a stone.

    Not of the first two turns: they learned from games that all begin in the centre, and would begin in a corner.
    """
    return 1 if work.network != 0 and pos.empty < POINTS - 1 else 0


@outlined(void(POSITION, WORK))
def load_interest(pos: Record, work: Record) -> None:
    """Write the interest of all empty points to the side to move to work.interest."""
    if has_policy(pos, work) == 0:
        for point in range(POINTS):
            work.interest[point] = pos.interest[2 * point + pos.turn]
        return
    view = POLICY + pos.turn
    update(pos, work.network, view)
    for point in range(POINTS):
        if pos.stones[point] == 0:
            work.interest[point] = interest_by(work.network, view, 2 - pos.left, int64(point))


@outlined(int64(POSITION, WORK))
def value_by_network(pos: Record, work: Record) -> int:
    """Return the value for the side to move, within EVAL_BOUND; VALUE_LOGIT to a logit."""
    network = int64(work.network)
    memory = memory_at(network)
    address = int64(memory.weights)
    weights = weights_at(address)
    view = VALUE + pos.turn
    update(pos, network, view)
    for channel in range(CHANNELS):
        memory.sums[channel] = 0
    for column in range(SIZE):
        add_rectified(network + _SUMS, features_at(network, view, int64(column * SIZE)))
    for channel in range(CHANNELS):
        memory.scaled[channel] = min(int64(memory.sums[channel]) >> SUM_SHIFT, LARGEST)
    for neuron in range(CHANNELS):
        total = rectified_dot(network + _SCALED, address + _HIDDEN_WEIGHTS + neuron * ROW_BYTES)
        memory.hidden[neuron] = min(max(total + weights.hidden_biases[neuron] >> SHIFT, 0), LARGEST)
    total = rectified_dot(network + _SCALED, address + _VALUE_WEIGHTS)
    total += rectified_dot(network + _HIDDEN, address + _HIDDEN_OUTPUTS)
    return min(max(total + weights.value_bias >> SHIFT, -EVAL_BOUND), EVAL_BOUND)


@entry(void(POSITION, WORK), is_rare=True)
def _load_interest(pos: Record, work: Record) -> None:
    load_interest(pos, work)


@entry(int64(POSITION, WORK), is_rare=True)
def _value(pos: Record, work: Record) -> int:
    return value_by_network(pos, work)


def _empty_codes() -> Any:
    """Return the codes of the empty board's windows, int64 [direction, first cell]."""
    places = np.arange(WIDE)
    codes = np.zeros((DIRECTIONS, WIDE, WIDE), np.int64)
    for direction, (across, along) in enumerate(STEPS):
        for place in range(ROAD_LENGTH):
            columns, rows = places + place * across, places + place * along
            on_board = [(lines >= MARGIN) & (lines < MARGIN + SIZE) for lines in (columns, rows)]
            codes[direction] += np.where(np.logical_and.outer(*on_board), EMPTY, OFF) << 2 * place
    return codes.reshape(DIRECTIONS, CELLS)


def empty_points(pos: Record) -> list[int]:
    """Return the points without a stone."""
    return np.flatnonzero(pos.stones == EMPTY).tolist()


class NetworkEvaluation:
    """The evaluation by the networks; all threads share their weights, and each has a memory."""

    name = "network"

    def __init__(self, network: Network) -> None:
        self._weights = aligned_record(WEIGHTS_DTYPE)
        weights = self._weights[0]
        for name in ("policy_rows", "value_rows", "policy_weights", "value_weights", "hidden_weights"):
            weights[name][:] = getattr(network, name).ravel()
        weights.hidden_outputs[:], weights.hidden_biases[:] = network.hidden_outputs, network.hidden_biases
        weights.value_bias = network.value_bias[0]
        weights.centre[:] = np.multiply.outer(network.policy_centre.astype(np.int64), NEARNESS).ravel()
        columns, rows = divmod(np.arange(POINTS), SIZE)
        weights.cell[:] = (columns + MARGIN) * WIDE + rows + MARGIN
        for number, code in enumerate(WINDOWS):
            weights.forward[code] = weights.backward[mirror(code)] = number * PLACES
        self._empty = self._empty_memory(network)
        self._memories: list[Any] = []

    def _empty_memory(self, network: Network) -> Any:
        """Return the memory whose views all have the empty board."""
        memory = aligned_record(MEMORY_DTYPE)
        weights, codes = self._weights[0], _empty_codes()
        memory[0].codes.reshape(VIEWS, DIRECTIONS, CELLS)[:] = codes
        views = memory[0].features.reshape(VIEWS // 2, 2, POINTS, CHANNELS)  # [network, side]
        for view, kind in zip(views, ("policy", "value"), strict=True):
            rows, biases = (getattr(network, f"{kind}_{part}") for part in ("rows", "biases"))
            rows = rows.reshape(-1, CHANNELS)
            view[:] = biases
            for direction in range(DIRECTIONS):
                for place in range(ROAD_LENGTH):
                    windows = codes[direction, weights.cell.astype(np.int64) - place * CELL_STEPS[direction]]
                    table, i = (weights.forward, place) if place < PLACES else (weights.backward, MARGIN - place)
                    view[:] += rows[table[windows].astype(np.int64) + i]
        memory[0].weights = address_of(self._weights)
        return memory

    def _new_memory(self) -> Any:
        memory = aligned_record(MEMORY_DTYPE)
        memory[:] = self._empty
        return memory

    def prepare(self, works: Iterable[Record]) -> None:
        """Let the kernels that get these working memories, one for each thread, evaluate by the networks."""
        for thread, work in enumerate(works):
            if thread == len(self._memories):
                self._memories.append(self._new_memory())
            work.network = address_of(self._memories[thread])

    def interest(self, pos: Record) -> list[int]:
        """Return each point's interest to the side to move, 0 where a stone stands."""
        work, memory = new_record(WORK_DTYPE), self._new_memory()  # a search may use the others
        work.network = address_of(memory)
        _load_interest(pos, work)
        return work.interest.tolist()

    def value(self, pos: Record) -> int:
        """Return the value for the side to move."""
        work, memory = new_record(WORK_DTYPE), self._new_memory()
        work.network = address_of(memory)
        return int(_value(pos, work))

    def chances(self, pos: Record) -> dict[int, float]:
        """Return by empty point the chance of the next stone; they sum to 1, and a full board has none."""
        interest, points = self.interest(pos), empty_points(pos)
        most = max((interest[point] for point in points), default=0)
        odds = [math.exp((interest[point] - most) / INTEREST_LOGIT) for point in points]
        total = sum(odds)
        return {point: odd / total for point, odd in zip(points, odds, strict=True)}

    def worths(self, pos: Record) -> dict[int, float]:
        """Return by empty point the root of its chance: of the chances themselves a picture would show two or three."""
        return {point: math.sqrt(chance) for point, chance in self.chances(pos).items()}

    def explain(self, pos: Record) -> list[str]:
        """Return the points of most interest, each with the chance of the next stone in percent, then the value."""
        best = sorted(self.chances(pos).items(), key=lambda item: (-item[1], item[0]))[:EXPLAINED]
        lines = [f"{point_text(point)} {100 * chance:.1f}" for point, chance in best]
        return [*lines, f"total {self.value(pos):+d} for the side to move"]
