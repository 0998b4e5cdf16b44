"""Vectors of 16-bit numbers in memory, for networks whose first layer is updated move by move.

A row is `count` numbers of 16 bits at an address. The count is a constant of the code: the functions here return
intrinsics for one count, to be named at the top of a module. The code is vectors of 16 lanes, which LLVM turns into the
instructions that the processor has (vpaddw, vpmaddwd), and else into plain ones; the integers are the same everywhere.
Sums of rows wrap around modulo 2**16.
"""

# mypy: disable-error-code="no-untyped-def, misc, empty-body"

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from siqi.games.kernel.memory import checked

LANES = 16
"""Numbers in a vector; the count of a row is a multiple of it."""

ACTIVATION_TOP = 255
"""The value at which an activation is clipped."""

MAX_OUTPUT_WEIGHT = 127
"""The greatest absolute value of an output weight: its product with an activation fits 16 bits."""

HIDDEN_SHIFT = 9
"""Bits by which the sum of a hidden neuron is shifted to the scale of an activation."""

MAX_HIDDEN, HIDDEN_STEP = 16, 8
"""The most hidden neurons, and the number of which their count is a multiple."""

MAX_HIDDEN_WEIGHT = 2047
"""The greatest absolute value of a weight to or from a hidden neuron."""

MAX_COUNT = 512
"""The greatest count of a row. A lane of 32 bits then adds 64 products of pairs, each at most 2 * 127 * 255**2, and two
of hidden neurons, each at most 2047 * 255**2: 1.3e9 of the 2.1e9 that it holds."""

_ALIGNMENT = 2  # records promise no more; within a cache line an unaligned vector costs the same
_BLOCK = 8  # vectors that are worked on in registers at a time
_INT16, _INT32, _INT64 = ir.IntType(16), ir.IntType(32), ir.IntType(64)
_SHORTS = ir.VectorType(_INT16, LANES)
_PRODUCTS = ir.VectorType(_INT32, LANES)
_PAIRS = ir.VectorType(_INT32, LANES // 2)
_TOTALS = ir.VectorType(_INT64, LANES // 4)

_I = types.int64


def _load(builder: Any, row: Any, number: int) -> Any:
    value = builder.load(builder.gep(row, [ir.Constant(_INT64, number)]))
    value.align = _ALIGNMENT
    return value


def _store(builder: Any, value: Any, row: Any, number: int) -> None:
    builder.store(value, builder.gep(row, [ir.Constant(_INT64, number)])).align = _ALIGNMENT


def _rows(context: Any, builder: Any, addresses: Sequence[Any], count: int) -> list[Any]:
    """Return pointers to rows; the accesses are checked under NUMBA_BOUNDSCHECK=1."""
    assert count % LANES == 0 and 0 < count <= MAX_COUNT
    inside = [checked(context, builder, address, 2 * count) for address in addresses]
    return [builder.inttoptr(address, _SHORTS.as_pointer()) for address in inside]


def _combine(
    context: Any, builder: Any, target: Any, source: Any, plus: Sequence[Any], minus: Sequence[Any], count: int
) -> Any:
    """Emit `target = source + plus - minus` for rows at addresses; the target may be one of the others.

    A block of vectors is read before the block is written, so that the processor waits for no store.
    """
    target, source, *others = _rows(context, builder, [target, source, *plus, *minus], count)
    for first in range(0, count // LANES, _BLOCK):
        numbers = range(first, min(first + _BLOCK, count // LANES))
        values = [_load(builder, source, number) for number in numbers]
        for place, other in enumerate(others):
            change = builder.add if place < len(plus) else builder.sub
            values = [
                change(value, _load(builder, other, number)) for value, number in zip(values, numbers, strict=True)
            ]
        for value, number in zip(values, numbers, strict=True):
            _store(builder, value, target, number)
    return context.get_dummy_value()


class RowOperations(NamedTuple):
    """Intrinsics for rows of one count; all arguments are addresses."""

    copy: Any
    """`(target, source)`"""
    add: Any
    """`(target, row)`: add a row to another in place."""
    subtract: Any
    """`(target, row)`: subtract a row from another in place."""
    exchange: Any
    """`(target, source, plus, minus)`: target = source + plus - minus."""
    exchange_two: Any
    """`(target, source, plus, minus, minus_too)`: target = source + plus - minus - minus_too."""
    output_sum: Any
    """`(first, second, weights, hidden_weights, hidden_biases, hidden_outputs)`: return the sum of
    clip(x, 0, ACTIVATION_TOP)**2 * w over the numbers x of two rows and the weights w of a row twice as long, plus that
    of clip(y, 0, ACTIVATION_TOP)**2 * v over the hidden neurons, where y = (the sum of clip(x, 0, ACTIVATION_TOP) * u,
    plus bias) >> HIDDEN_SHIFT. Each hidden neuron has a row of weights u as long as that of the w, a bias of 32 bits
    and a weight v of 16; |w| <= MAX_OUTPUT_WEIGHT, |u| and |v| <= MAX_HIDDEN_WEIGHT. Exact as long as the sum before
    the shift fits 32 bits."""


def row_operations(count: int, hidden: int) -> RowOperations:
    """Return the intrinsics for rows of `count` numbers and `hidden` hidden neurons."""

    @intrinsic
    def copy(typing, target, source):
        def generate(context, builder, signature, args):
            return _combine(context, builder, args[0], args[1], [], [], count)

        return types.void(_I, _I), generate

    @intrinsic
    def add(typing, target, row):
        def generate(context, builder, signature, args):
            return _combine(context, builder, args[0], args[0], [args[1]], [], count)

        return types.void(_I, _I), generate

    @intrinsic
    def subtract(typing, target, row):
        def generate(context, builder, signature, args):
            return _combine(context, builder, args[0], args[0], [], [args[1]], count)

        return types.void(_I, _I), generate

    @intrinsic
    def exchange(typing, target, source, plus, minus):
        def generate(context, builder, signature, args):
            return _combine(context, builder, args[0], args[1], [args[2]], [args[3]], count)

        return types.void(_I, _I, _I, _I), generate

    @intrinsic
    def exchange_two(typing, target, source, plus, minus, minus_too):
        def generate(context, builder, signature, args):
            return _combine(context, builder, args[0], args[1], [args[2]], args[3:], count)

        return types.void(_I, _I, _I, _I, _I), generate

    @intrinsic
    def output_sum(typing, first, second, weights, hidden_weights, hidden_biases, hidden_outputs):
        def generate(context, builder, signature, args):
            return _emit_output(context, builder, args, count, hidden)

        return _I(_I, _I, _I, _I, _I, _I), generate

    return RowOperations(copy, add, subtract, exchange, exchange_two, output_sum)


class RectifiedOperations(NamedTuple):
    """Intrinsics for rows of one count, whose negative numbers are taken for 0; all arguments are addresses."""

    dot: Any
    """`(row, weights)`: return the sum of max(x, 0) * w. Exact as long as it fits 32 bits, whichever x are left out."""
    add_sums: Any
    """`(sums, rows)`: add max(x, 0) of some rows, one after the other, to `count` sums of 32 bits."""


def rectified_operations(count: int, rows_added: int) -> RectifiedOperations:
    """Return the intrinsics for rows of `count` numbers; `add_sums` adds `rows_added` of them."""

    @intrinsic
    def dot(typing, row, weights):
        def generate(context, builder, signature, args):
            row, weights = _rows(context, builder, args, count)
            x = [_rectify(builder, _load(builder, row, place)) for place in range(count // LANES)]
            return _total(builder, _weighted_sum(builder, x, weights, 0, False))

        return _I(_I, _I), generate

    @intrinsic
    def add_sums(typing, sums, rows):
        def generate(context, builder, signature, args):
            checked(context, builder, args[0], 4 * count)
            checked(context, builder, args[1], 2 * count * rows_added)
            target = builder.inttoptr(args[0], _PRODUCTS.as_pointer())
            row = builder.inttoptr(args[1], _SHORTS.as_pointer())
            for place in range(count // LANES):
                total = _load(builder, target, place)
                for number in range(rows_added):
                    x = _rectify(builder, _load(builder, row, number * (count // LANES) + place))
                    total = builder.add(total, builder.zext(x, _PRODUCTS))
                _store(builder, total, target, place)
            return context.get_dummy_value()

        return types.void(_I, _I), generate

    return RectifiedOperations(dot, add_sums)


def _rectify(builder: Any, values: Any) -> Any:
    """Emit `max(values, 0)` for a vector of 16 bits."""
    zero = ir.Constant(_SHORTS, [0] * LANES)
    return builder.select(builder.icmp_signed(">", values, zero), values, zero)


def _clip(builder: Any, values: Any, kind: Any) -> Any:
    """Emit `clip(values, 0, ACTIVATION_TOP)` for a vector type."""
    zero, top = (ir.Constant(kind, [number] * kind.count) for number in (0, ACTIVATION_TOP))
    values = builder.select(builder.icmp_signed(">", values, zero), values, zero)
    return builder.select(builder.icmp_signed("<", values, top), values, top)


def _lanes(builder: Any, first: Any, second: Any, places: Sequence[int]) -> Any:
    """Emit a vector of lanes of two vectors, one after the other, by their places."""
    return builder.shuffle_vector(first, second, ir.Constant(ir.VectorType(_INT32, len(places)), list(places)))


def _sums_of_eight(builder: Any, vectors: Sequence[Any]) -> Any:
    """Emit the sums of the lanes of eight vectors, a lane each.

    No vector has more than 256 bits: with one of 512 in flight Intel's processors compute on two ports in place of
    three (1.4 times the time of the whole layer).
    """
    while len(vectors) > 2:  # within halves of 128 bits, as vphaddd adds
        even, odd = (0, 2, 8, 10, 4, 6, 12, 14), (1, 3, 9, 11, 5, 7, 13, 15)
        vectors = [
            builder.add(_lanes(builder, first, second, even), _lanes(builder, first, second, odd))
            for first, second in zip(vectors[::2], vectors[1::2], strict=True)
        ]
    first, second = (
        builder.add(_lanes(builder, vector, vector, range(4)), _lanes(builder, vector, vector, range(4, 8)))
        for vector in vectors
    )
    return _lanes(builder, first, second, range(8))


def _total(builder: Any, sums: Any) -> Any:
    """Emit the sum of a vector's lanes, in 64 bits."""
    halves = [builder.sext(_lanes(builder, sums, sums, range(start, start + 4)), _TOTALS) for start in (0, 4)]
    kind = ir.FunctionType(_INT64, [_TOTALS])
    reduce = cgutils.get_or_insert_function(builder.module, kind, f"llvm.vector.reduce.add.v{LANES // 4}i64")
    return builder.call(reduce, [builder.add(*halves)])


def _products(builder: Any, values: Any, others: Any) -> Any:
    """Emit the products of two vectors of 16 bits, neighbours added: one vpmaddwd."""
    wide = builder.mul(builder.sext(values, _PRODUCTS), builder.sext(others, _PRODUCTS))
    return builder.add(*(_lanes(builder, wide, wide, range(start, LANES, 2)) for start in (0, 1)))


def _weighted_sum(builder: Any, values: Sequence[Any], weights: Any, first: int, is_squared: bool) -> Any:
    """Emit the lanes, to be added, of the sum of `values * weights`, or of `values**2 * weights`, from vector `first`
    of the weights on. In the latter case a value times its weight fits 16 bits."""
    sums: list[Any] = [ir.Constant(_PAIRS, [0] * (LANES // 2))] * 2  # two, so that an addition seldom waits
    for number, value in enumerate(values):
        weight = _load(builder, weights, first + number)
        products = _products(builder, value, builder.mul(value, weight) if is_squared else weight)
        sums[number % 2] = builder.add(sums[number % 2], products)
    return builder.add(*sums)


def _emit_output(context: Any, builder: Any, addresses: Sequence[Any], count: int, hidden: int) -> Any:
    """Emit `output_sum`: hidden neurons eight at a time, whose sums become the lanes of one vector."""
    assert hidden % HIDDEN_STEP == 0 and 0 < hidden <= MAX_HIDDEN and HIDDEN_STEP == LANES // 2
    rows = _rows(context, builder, addresses[:2], count)
    sizes = 4 * count, 4 * count * hidden, 4 * hidden, 2 * hidden
    kinds = _SHORTS, _SHORTS, _PAIRS, ir.VectorType(_INT16, HIDDEN_STEP)
    pointers = []
    for address, size, kind in zip(addresses[2:], sizes, kinds, strict=True):
        checked(context, builder, address, size)
        pointers.append(builder.inttoptr(address, kind.as_pointer()))
    weights, hidden_weights, hidden_biases, hidden_outputs = pointers
    x = [_clip(builder, _load(builder, row, place), _SHORTS) for row in rows for place in range(count // LANES)]
    total = _weighted_sum(builder, x, weights, 0, True)
    shift = ir.Constant(_PAIRS, [HIDDEN_SHIFT] * HIDDEN_STEP)
    for group in range(hidden // HIDDEN_STEP):
        neurons = range(group * HIDDEN_STEP, (group + 1) * HIDDEN_STEP)
        sums = [_weighted_sum(builder, x, hidden_weights, neuron * len(x), False) for neuron in neurons]
        y = builder.ashr(builder.add(_sums_of_eight(builder, sums), _load(builder, hidden_biases, group)), shift)
        y = _clip(builder, y, _PAIRS)
        v = builder.sext(_load(builder, hidden_outputs, group), _PAIRS)
        total = builder.add(total, builder.mul(builder.mul(y, y), v))
    return _total(builder, total)
