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

from games.kernel.memory import checked

LANES = 16
"""Numbers in a vector; the count of a row is a multiple of it."""

ACTIVATION_TOP = 255
"""The value at which an activation is clipped."""

MOST_WEIGHT = 127
"""The greatest absolute value of a weight of the last layer: its product with an activation fits 16 bits."""

MOST_COUNT = 512
"""The greatest count of a row. A lane of 32 bits then adds 64 products of pairs, each at most 2 * 127 * 255**2, and
would hold 130."""

_ALIGNMENT = 2  # records promise no more; a vector within a cache line costs no more for it
_BLOCK = 8  # vectors that are worked on in registers at a time
_INT16, _INT32, _INT64 = ir.IntType(16), ir.IntType(32), ir.IntType(64)
_SHORTS = ir.VectorType(_INT16, LANES)
_PRODUCTS = ir.VectorType(_INT32, LANES)
_PAIRS = ir.VectorType(_INT32, LANES // 2)
_TOTALS = ir.VectorType(_INT64, LANES // 2)

_I = types.int64


def _load(builder: Any, row: Any, number: int) -> Any:
    value = builder.load(builder.gep(row, [ir.Constant(_INT64, number)]))
    value.align = _ALIGNMENT
    return value


def _store(builder: Any, value: Any, row: Any, number: int) -> None:
    builder.store(value, builder.gep(row, [ir.Constant(_INT64, number)])).align = _ALIGNMENT


def _rows(context: Any, builder: Any, addresses: Sequence[Any], count: int) -> list[Any]:
    """Return pointers to rows; the accesses are checked under NUMBA_BOUNDSCHECK=1."""
    assert count % LANES == 0 and 0 < count <= MOST_COUNT
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
    squared_clipped_sum: Any
    """`(first, second, weights)`: return the sum of clip(x, 0, ACTIVATION_TOP)**2 * w over the numbers x of two rows
    and the weights w of a row twice as long, |w| <= MOST_WEIGHT; exact."""


def row_operations(count: int) -> RowOperations:
    """Return the intrinsics for rows of `count` numbers."""

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
    def squared_clipped_sum(typing, first, second, weights):
        def generate(context, builder, signature, args):
            return _emit_sum(context, builder, args, count)

        return _I(_I, _I, _I), generate

    return RowOperations(copy, add, subtract, exchange, exchange_two, squared_clipped_sum)


def _emit_sum(context: Any, builder: Any, addresses: Sequence[Any], count: int) -> Any:
    """Emit `squared_clipped_sum`. x * w fits 16 bits, so that x * (x * w) and the sum of neighbours is one vpmaddwd."""
    zero, top = (ir.Constant(_SHORTS, [number] * LANES) for number in (0, ACTIVATION_TOP))
    even, odd = (ir.Constant(_PAIRS, list(range(start, LANES, 2))) for start in (0, 1))
    nothing = ir.Constant(_PRODUCTS, ir.Undefined)
    rows = _rows(context, builder, addresses[:2], count)
    checked(context, builder, addresses[2], 4 * count)
    weights = builder.inttoptr(addresses[2], _SHORTS.as_pointer())
    sums: list[Any] = [ir.Constant(_PAIRS, [0] * (LANES // 2))] * 4  # four, so that no addition waits for the last
    for number in range(2 * count // LANES):
        half, place = divmod(number, count // LANES)
        x = _load(builder, rows[half], place)
        x = builder.select(builder.icmp_signed(">", x, zero), x, zero)
        x = builder.select(builder.icmp_signed("<", x, top), x, top)
        weighted = builder.mul(x, _load(builder, weights, number))
        products = builder.mul(builder.sext(weighted, _PRODUCTS), builder.sext(x, _PRODUCTS))
        pairs = builder.add(*(builder.shuffle_vector(products, nothing, lanes) for lanes in (even, odd)))
        sums[number % 4] = builder.add(sums[number % 4], pairs)
    total = builder.add(builder.add(sums[0], sums[1]), builder.add(sums[2], sums[3]))
    kind = ir.FunctionType(_INT64, [_TOTALS])
    reduce = cgutils.get_or_insert_function(builder.module, kind, f"llvm.vector.reduce.add.v{LANES // 2}i64")
    return builder.call(reduce, [builder.sext(total, _TOTALS)])
