"""The evaluation by a network (network.py): accumulators that follow the moves of a search.

A thread's memory holds the accumulators of both sides for the last heights of its line. They are brought up to date
only when a position is evaluated: from the nearest earlier position whose accumulators are there, by the moves since.
An accumulator belongs to the position whose key is stored with it, so moves are done and undone without a call here. A
king's move changes all inputs of its side. Then the accumulators come from those kept for the kings' squares, by the
pieces that stand elsewhere since.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from siqi.games.books.nnue import Network, fill_layers, layer_fields, value_operation
from siqi.games.kernel.intrinsics import pointer_to
from siqi.games.kernel.jit import (
    Record,
    code_address,
    entry,
    inner,
    int64,
    new_record,
    outlined,
    record,
    record_type,
    void,
)
from siqi.games.kernel.memory import address_of, aligned_record, offset_of
from siqi.games.kernel.vectors import row_operations
from siqi.games.xiangqi.data.endings import WHOLE
from siqi.games.xiangqi.evaluation.evaluate import scale_factor
from siqi.games.xiangqi.evaluation.network import (
    ARCHITECTURE,
    KINDS_SEEN,
    SQUARES,
    kind_seen,
    used_rows,
    view,
)
from siqi.games.xiangqi.rules.lookup import CAPTURED, LOOKUP, LOOKUP_RECORD
from siqi.games.xiangqi.rules.notation import letter_of, square_text
from siqi.games.xiangqi.rules.position import NO_MOVE, POSITION, origin_of, target_of
from siqi.games.xiangqi.rules.work import WORK, WORK_DTYPE

NEURONS, HIDDEN = ARCHITECTURE.neurons, ARCHITECTURE.hidden

copy_row, add_row, subtract_row, exchange_row, exchange_two_rows, output_sum = row_operations(NEURONS, HIDDEN)
value_of = value_operation(ARCHITECTURE, output_sum)

ROW_BYTES = 2 * NEURONS

HEIGHTS = 128
"""Heights whose accumulators are held: a power of two, more than the plies of a line."""

REACH = 6
"""The most moves, null moves included, that are followed."""

PLACES = 18
"""Squares of kings: 0-8 in Red's palace, 9-17 in Black's."""

PALACES = [9 * rank + file for rank in (0, 1, 2, 7, 8, 9) for file in (3, 4, 5)]
"""The squares of kings by place."""

MAX_SCALED = 23
"""The most pieces left with which a side has less than three attackers: with more, no advantage is scaled down."""

MAX_CENTIPAWNS = 10_000
"""Bound of the value: it stays below that of a known win (known.py)."""

# Rows of weights and accumulators come first: records are aligned to cache lines here, and so are the rows.
WEIGHTS_DTYPE = record(
    [
        *layer_fields(ARCHITECTURE),
        ("place", "u1", SQUARES),  # [square of a king]
        ("first_row", "u2", PLACES),  # [place]: of the bucket
        ("squares", "u1", PLACES * SQUARES),  # [place of the king, square]: the square as its side sees it
        ("kind_rows", "u2", 2 * 15),  # [side, kind (lookup.kind_of)]: rows before those of the kind as the side sees it
    ]
)
WEIGHTS = record_type(WEIGHTS_DTYPE)
weights_at = pointer_to(WEIGHTS)

MEMORY_DTYPE = record(
    [
        ("accumulators", "i2", HEIGHTS * 2 * NEURONS),  # [height & HEIGHTS - 1, side]
        ("kept", "i2", PLACES * NEURONS),  # [place of the king]: an accumulator of its side
        ("kept_squares", "u1", PLACES * 32),  # [place of the king, piece]: squares of the pieces that it stands for
        ("keys", "i8", HEIGHTS),  # [height & HEIGHTS - 1]: key of the position that the accumulators stand for
        ("weights", "i8"),  # address
    ]
)
MEMORY = record_type(MEMORY_DTYPE)
memory_at = pointer_to(MEMORY)


_KEPT = offset_of(MEMORY_DTYPE, "kept")
assert offset_of(MEMORY_DTYPE, "accumulators") == offset_of(WEIGHTS_DTYPE, "feature_weights") == 0


@inner(int64(POSITION, int64), forceinline=True)
def key_at(pos: Record, height: int) -> int:
    """Return the key of the position at a height of the history, the present one included."""
    return pos.key if height == pos.height else pos.past_key[height]


@inner(int64(WORK, int64), forceinline=True)
def accumulators_at(work: Record, height: int) -> int:
    """Return the address of both accumulators of a height, Red's first."""
    return work.network + 2 * (height & HEIGHTS - 1) * ROW_BYTES


@inner(int64(POSITION, int64), forceinline=True)
def piece_moved(pos: Record, height: int) -> int:
    """Return the piece that made the move at a height; later moves may have moved or taken it."""
    square = target_of(int64(pos.past_move[height]))
    for later in range(height + 1, pos.height):
        move = int64(pos.past_move[later])
        if move != NO_MOVE:
            if target_of(move) == square:
                return int64(pos.past_captured[later])
            if origin_of(move) == square:
                square = target_of(move)
    return int64(pos.board[square])


@inner(int64(LOOKUP, WEIGHTS, int64, int64, int64, int64), forceinline=True)
def row_of(lookup: Record, weights: Record, address: int, place: int, piece: int, square: int) -> int:
    """Return the address of the weights of a piece on a square, as the side sees it whose king is at `place`.

    `address`: of the weights.
    """
    side = 15 if place >= PLACES // 2 else 0
    row = int64(weights.first_row[place]) + int64(weights.kind_rows[side + lookup.kind_of[piece]])
    return address + (row + int64(weights.squares[place * SQUARES + square])) * ROW_BYTES


@inner(int64(POSITION, WORK, LOOKUP, int64))
def refresh(pos: Record, work: Record, lookup: Record, side: int) -> int:
    """Bring the accumulator kept for a side's king up to date; return its address."""
    memory = memory_at(work.network)
    address = memory.weights
    weights = weights_at(address)
    place = int64(weights.place[pos.square[16 << side]])
    kept = work.network + _KEPT + place * ROW_BYTES
    for piece in range(32):
        was = int64(memory.kept_squares[place * 32 + piece])
        now = int64(pos.square[16 + piece])
        if was != now:
            memory.kept_squares[place * 32 + piece] = now
            if now == CAPTURED:
                subtract_row(kept, row_of(lookup, weights, address, place, int64(16 + piece), was))
            elif was == CAPTURED:
                add_row(kept, row_of(lookup, weights, address, place, int64(16 + piece), now))
            else:
                gone = row_of(lookup, weights, address, place, int64(16 + piece), was)
                exchange_row(kept, kept, row_of(lookup, weights, address, place, int64(16 + piece), now), gone)
    return kept


@inner(void(POSITION, WORK, LOOKUP, int64, int64), forceinline=True)
def follow_move(pos: Record, work: Record, lookup: Record, height: int, source: int) -> None:
    """Write both accumulators after the move at a height, from those of the height `source`.

    No king has moved since.
    """
    memory = memory_at(work.network)
    address = memory.weights
    weights = weights_at(address)
    move = int64(pos.past_move[height])
    piece = piece_moved(pos, height)
    captured = int64(pos.past_captured[height])
    red = int64(weights.place[pos.square[16]])
    black = int64(weights.place[pos.square[32]])
    red_gone = row_of(lookup, weights, address, red, piece, origin_of(move))
    red_come = row_of(lookup, weights, address, red, piece, target_of(move))
    black_gone = row_of(lookup, weights, address, black, piece, origin_of(move))
    black_come = row_of(lookup, weights, address, black, piece, target_of(move))
    old = accumulators_at(work, source)
    new = accumulators_at(work, height + 1)
    memory.keys[height + 1 & HEIGHTS - 1] = key_at(pos, height + 1)
    if captured == 0:
        exchange_row(new, old, red_come, red_gone)
        exchange_row(new + ROW_BYTES, old + ROW_BYTES, black_come, black_gone)
    else:
        red_taken = row_of(lookup, weights, address, red, captured, target_of(move))
        black_taken = row_of(lookup, weights, address, black, captured, target_of(move))
        exchange_two_rows(new, old, red_come, red_gone, red_taken)
        exchange_two_rows(new + ROW_BYTES, old + ROW_BYTES, black_come, black_gone, black_taken)


@inner(void(POSITION, WORK, LOOKUP, int64))
def catch_up(pos: Record, work: Record, lookup: Record, top: int) -> None:
    """Write the accumulators of height `top`: the present one, or that of the same board before null moves.

    Search for the nearest earlier height whose accumulators are there, and follow the moves since. If a king has moved
    since then, or too much else, both accumulators come from those kept for the kings' squares: one evaluation in a
    hundred, in endgames up to one in four.
    """
    memory = memory_at(work.network)
    red_king = int64(pos.square[16])
    black_king = int64(pos.square[32])
    at = top
    while at > 0 and at > top - REACH:
        at -= 1
        target = target_of(int64(pos.past_move[at]))  # that of a null move, 0, is in no palace
        if target == red_king or target == black_king:
            break
        if memory.keys[at & HEIGHTS - 1] == pos.past_key[at]:
            source = at
            for height in range(at, top):
                if pos.past_move[height] != NO_MOVE:
                    follow_move(pos, work, lookup, int64(height), source)
                    source = height + 1
            return
    new = accumulators_at(work, top)
    copy_row(new, refresh(pos, work, lookup, int64(0)))
    copy_row(new + ROW_BYTES, refresh(pos, work, lookup, int64(1)))
    memory.keys[top & HEIGHTS - 1] = key_at(pos, top)


@inner(int64(POSITION), forceinline=True)
def count_pieces(pos: Record) -> int:
    """Return the number of pieces left, kings included. Without a product: numba assumes that none overflows."""
    counts = (pos.material & 0x0F0F0F0F0F0F0F0F) + (pos.material >> 4 & 0x0F0F0F0F0F0F0F0F)
    counts += counts >> 32
    counts += counts >> 16
    return counts + (counts >> 8) & 63


@inner(int64(POSITION, WORK, int64, int64), forceinline=True)
def output(pos: Record, work: Record, red: int, black: int) -> int:
    """Return the network's value for the side to move, from the addresses of both accumulators."""
    address = memory_at(work.network).weights
    bucket = (count_pieces(pos) - 1) * weights_at(address).buckets >> 5
    own, other = (red, black) if pos.turn == 0 else (black, red)
    return min(max(value_of(address, bucket, own, other), -MAX_CENTIPAWNS), MAX_CENTIPAWNS)


@outlined(int64(POSITION, WORK, LOOKUP))
def evaluate_by_network(pos: Record, work: Record, lookup: Record) -> int:
    """Return the network's value in centipawns for the side to move, scaled by what is winnable (endings.py).

    It depends on the board and the turn alone. work.network must be the address of a MEMORY. Overwrites
    pos.scale_factor.
    """
    top = pos.height
    while top > 0 and pos.past_move[top - 1] == NO_MOVE:
        top -= 1
    if memory_at(work.network).keys[top & HEIGHTS - 1] != key_at(pos, top):
        catch_up(pos, work, lookup, top)
    red = accumulators_at(work, top)
    value = output(pos, work, red, red + ROW_BYTES)
    pos.scale_factor = WHOLE
    if count_pieces(pos) <= MAX_SCALED:
        pos.scale_factor = scale_factor(pos, lookup, pos.turn if value > 0 else pos.turn ^ 1)
    return value * pos.scale_factor // WHOLE


@entry(int64(POSITION, WORK, LOOKUP), is_rare=True)
def _evaluate(pos: Record, work: Record, lookup: Record) -> int:
    return evaluate_by_network(pos, work, lookup)


@entry(int64(POSITION, WORK, LOOKUP), is_rare=True)
def _value_of_board(pos: Record, work: Record, lookup: Record) -> int:
    """Return the network's value of a board without history, not scaled by what is winnable."""
    return output(pos, work, refresh(pos, work, lookup, int64(0)), refresh(pos, work, lookup, int64(1)))


class NetworkEvaluation:
    """The evaluation by a network; all threads share its weights, and each has a memory."""

    name = "network"

    def __init__(self, network: Network) -> None:
        self._weights = aligned_record(WEIGHTS_DTYPE)
        weights = self._weights[0]
        fill_layers(weights, network._replace(feature_weights=used_rows(network.feature_weights)))
        for place, king in enumerate(PALACES):
            weights.place[king] = place
            first, squares = view(place // 9, king)
            weights.first_row[place] = first
            weights.squares[place * SQUARES : (place + 1) * SQUARES] = squares
        for side in range(2):
            for kind in range(KINDS_SEEN):
                weights.kind_rows[15 * side + 1 + kind] = kind_seen(side, kind) * SQUARES
        self._code = code_address(evaluate_by_network)
        self._memories: list[Any] = []

    def _new_memory(self) -> Any:
        memory = aligned_record(MEMORY_DTYPE)
        memory[0].kept.reshape(PLACES, NEURONS)[:] = self._weights[0].biases
        memory[0].kept_squares[:] = CAPTURED
        memory[0].weights = address_of(self._weights)
        return memory

    def prepare(self, works: Iterable[Record]) -> None:
        """Let the kernels that get these working memories, one for each thread, evaluate by the network."""
        for thread, work in enumerate(works):
            if thread == len(self._memories):
                self._memories.append(self._new_memory())
            work.evaluator, work.network = self._code, address_of(self._memories[thread])

    def explain(self, pos: Record, first_rank: int = 0) -> list[str]:
        """Return a line for each piece: what it is worth, its side's value less that without it; then the total.

        Centipawns in Red's view; ranks count from `first_rank`. The worth is not scaled by what is winnable. The total
        is the mover's.
        """
        work = new_record(WORK_DTYPE)
        self.prepare([work])
        pos = pos.copy()
        total = int(_evaluate(pos, work, LOOKUP_RECORD))
        sign = 1 - 2 * int(pos.turn)
        value = sign * int(_value_of_board(pos, work, LOOKUP_RECORD))
        lines = []
        for square in np.flatnonzero(pos.board[:SQUARES]).tolist():
            piece = int(pos.board[square])
            if piece & 15:  # the kings stay
                unit = LOOKUP_RECORD.unit[LOOKUP_RECORD.kind_of[piece]]
                pos.square[piece] = CAPTURED
                pos.material -= unit
                worth = value - sign * int(_value_of_board(pos, work, LOOKUP_RECORD))
                pos.square[piece] = square
                pos.material += unit
                lines.append(f"{letter_of(piece)} {square_text(square, first_rank)} {worth:+d}")
        lines += [f"network {value:+d}", f"winnable {int(pos.scale_factor)}/{WHOLE}"]
        return [*lines, f"total {total:+d} for the side to move"]
