"""The evaluation by a network (network.py): accumulators that follow the moves of a search.

A thread's memory holds the accumulators of both sides for each ply of its line: those of a ply come from the ply before
by the move between them, those of a line's first ply from the board.
"""

from __future__ import annotations

from typing import Any

from siqi.games.books.nnue import Network, fill_layers, layer_fields, value_operation
from siqi.games.junqi.evaluation.network import ARCHITECTURE, MAX_MOBILE, squares_seen
from siqi.games.junqi.evaluation.sums import flag_square
from siqi.games.junqi.rules.lookup import (
    ATTACKER_DIES,
    ATTACKER_WINS,
    COLUMNS,
    PIECES,
    PLAIN,
    SQUARES,
    TYPES,
)
from siqi.games.junqi.rules.position import POSITION, origin_of, target_of, type_of
from siqi.games.junqi.rules.work import MAX_PLY, WORK
from siqi.games.kernel.intrinsics import pointer_to, trailing_zeros
from siqi.games.kernel.jit import Record, inner, int64, record, record_type, void
from siqi.games.kernel.memory import address_of, aligned_record, offset_of
from siqi.games.kernel.vectors import row_operations

NEURONS, HIDDEN = ARCHITECTURE.neurons, ARCHITECTURE.hidden

copy_row, add_row, subtract_row, exchange_row, exchange_two_rows, output_sum = row_operations(NEURONS, HIDDEN)
value_of = value_operation(ARCHITECTURE, output_sum)

ROW_BYTES = 2 * NEURONS

# Rows of weights and accumulators come first: records are aligned to cache lines here, and so are the rows.
WEIGHTS_DTYPE = record(
    [
        *layer_fields(ARCHITECTURE),
        ("seen", "u1", 4 * SQUARES),  # [2 * side + is mirrored, square]: the square as the side sees it
    ]
)
WEIGHTS = record_type(WEIGHTS_DTYPE)
weights_at = pointer_to(WEIGHTS)

MEMORY_DTYPE = record(
    [
        ("accumulators", "i2", (MAX_PLY + 1) * 2 * NEURONS),  # [ply, side]
        ("frame", "i8", 2),  # by side: 2 * side + is mirrored
        ("weights", "i8"),  # address
    ]
)
MEMORY = record_type(MEMORY_DTYPE)
memory_at = pointer_to(MEMORY)

_BIASES = offset_of(WEIGHTS_DTYPE, "biases")
assert offset_of(MEMORY_DTYPE, "accumulators") == offset_of(WEIGHTS_DTYPE, "feature_weights") == 0


@inner(int64(WORK, int64, int64), forceinline=True)
def accumulator_at(work: Record, ply: int, side: int) -> int:
    """Return the address of a side's accumulator at a ply."""
    return work.network + (2 * ply + side) * ROW_BYTES


@inner(int64(POSITION, WORK, int64, int64, int64, int64), forceinline=True)
def row_of(pos: Record, work: Record, side: int, piece: int, square: int, has_fought: int) -> int:
    """Return the address of the weights of a piece on a square, as a side sees it."""
    memory = memory_at(work.network)
    weights = weights_at(memory.weights)
    kind = type_of(pos, piece) + (len(TYPES) if (piece >= PIECES) != (side == 1) else 0)
    seen = int64(weights.seen[memory.frame[side] * SQUARES + square])
    return memory.weights + (kind * ARCHITECTURE.places + 2 * seen + has_fought) * ROW_BYTES


@inner(void(POSITION, WORK, int64))
def begin_accumulators(pos: Record, work: Record, ply: int) -> None:
    """Write the accumulators of a line's first ply from the board; all pieces must be known."""
    memory = memory_at(work.network)
    for side in range(2):
        is_right = int64(flag_square(pos, int64(side)) % COLUMNS > COLUMNS // 2)
        memory.frame[side] = 2 * side + (is_right ^ side)  # the second side sees the board turned
        target = accumulator_at(work, ply, side)
        copy_row(target, memory.weights + _BIASES)
        occupied = pos.occupied[0] | pos.occupied[1]
        while occupied != 0:
            square = trailing_zeros(occupied)
            occupied &= occupied - 1
            piece = int64(pos.board[square]) - 1
            add_row(target, row_of(pos, work, side, piece, square, pos.fought >> piece & 1))


@inner(void(POSITION, WORK, int64, int64, int64, int64))
def follow_accumulators(pos: Record, work: Record, ply: int, next_ply: int, move: int, code: int) -> None:
    """Write the accumulators of `next_ply`, which a move leads to from `pos`, the position of `ply`."""
    origin, target = origin_of(move), target_of(move)
    mover, other = int64(pos.board[origin]) - 1, int64(pos.board[target]) - 1
    has_fought = pos.fought >> mover & 1
    other_fought = pos.fought >> other & 1 if other >= 0 else int64(0)
    for side in range(2):
        old, new = accumulator_at(work, ply, side), accumulator_at(work, next_ply, side)
        gone = row_of(pos, work, side, mover, origin, has_fought)
        if code == PLAIN:
            exchange_row(new, old, row_of(pos, work, side, mover, target, has_fought), gone)
            continue
        taken = row_of(pos, work, side, other, target, other_fought)
        if code == ATTACKER_WINS:
            exchange_two_rows(new, old, row_of(pos, work, side, mover, target, int64(1)), gone, taken)
        elif code == ATTACKER_DIES:
            exchange_two_rows(new, old, row_of(pos, work, side, other, target, int64(1)), gone, taken)
        else:
            copy_row(new, old)
            subtract_row(new, gone)
            subtract_row(new, taken)


@inner(int64(POSITION, WORK, int64, int64), forceinline=True)
def network_value(pos: Record, work: Record, ply: int, mobile: int) -> int:
    """Return the network's value of the position of a ply for the side to move, in hundredths of log odds.

    `mobile`: the mobile pieces of both sides.
    """
    address = memory_at(work.network).weights
    buckets = weights_at(address).buckets
    bucket = min(mobile * buckets // MAX_MOBILE, buckets - 1)
    return value_of(address, bucket, accumulator_at(work, ply, pos.turn), accumulator_at(work, ply, 1 - pos.turn))


class Accumulators:
    """A network in use; all threads share its weights, and each has a memory."""

    def __init__(self, network: Network) -> None:
        self._weights = aligned_record(WEIGHTS_DTYPE)
        weights = self._weights[0]
        fill_layers(weights, network)
        for frame in range(4):
            weights.seen[frame * SQUARES : (frame + 1) * SQUARES] = squares_seen(frame // 2, bool(frame % 2))

    def new_memory(self) -> Any:
        """Return the memory of a thread; kernels get its address as work.network."""
        memory = aligned_record(MEMORY_DTYPE)
        memory[0].weights = address_of(self._weights)
        return memory
