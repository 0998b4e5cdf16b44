"""Machine operations that numba lacks: bit counts, raw and atomic memory, the clock, self-calls.

Each is an LLVM instruction or calls a symbol by name, so kernels that use it can be cached. Addresses are int64, and
whoever gave one out keeps the array alive (memory.py); values are int64 too. All memory accesses are checked under
NUMBA_BOUNDSCHECK=1.
"""

# mypy: disable-error-code="no-untyped-def, misc, empty-body"

from __future__ import annotations

import time
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from siqi.games.kernel.memory import CHECKED, checked

_INT64 = ir.IntType(64)
_INT32 = ir.IntType(32)
_INT16 = ir.IntType(16)
_INT8 = ir.IntType(8)

HAS_CLOCK = hasattr(time, "clock_gettime_ns")
"""True if kernels can read the clock. Where they cannot (Windows), a timer thread sets the stop flag."""

_CLOCK_ID = time.CLOCK_MONOTONIC if HAS_CLOCK else 0


@intrinsic
def trailing_zeros(typing, value):
    """Return the index of the lowest set bit; undefined for 0."""

    def generate(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate


@intrinsic
def popcount(typing, value):
    """Return the number of set bits."""

    def generate(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.int64(types.int64), generate


@intrinsic
def leading_zeros(typing, value):
    """Return 63 minus the index of the highest set bit; undefined for 0."""

    def generate(context, builder, signature, args):
        return builder.ctlz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate


@intrinsic
def bit_reverse(typing, value):
    """Return the bits in reverse order: bit 0 becomes bit 63."""

    def generate(context, builder, signature, args):
        return builder.bitreverse(args[0])

    return types.int64(types.int64), generate


@intrinsic
def load(typing, address):
    """Return the int64 at an address."""

    def generate(context, builder, signature, args):
        address = checked(context, builder, args[0], 8)
        return builder.load(builder.inttoptr(address, _INT64.as_pointer()))

    return types.int64(types.int64), generate


@intrinsic
def store(typing, address, value):
    """Write an int64 to an address."""

    def generate(context, builder, signature, args):
        address = checked(context, builder, args[0], 8)
        builder.store(args[1], builder.inttoptr(address, _INT64.as_pointer()))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), generate


@intrinsic
def prefetch_line(typing, address):
    """Prefetch the cache line of an address into the nearest cache. Any address may be given."""

    def generate(context, builder, signature, args):
        pointer = _INT8.as_pointer()
        declared = ir.FunctionType(ir.VoidType(), [pointer, _INT32, _INT32, _INT32])
        fetch = cgutils.get_or_insert_function(builder.module, declared, "llvm.prefetch.p0i8")
        reads, keeps, data = _INT32(0), _INT32(3), _INT32(1)
        builder.call(fetch, [builder.inttoptr(args[0], pointer), reads, keeps, data])
        return context.get_dummy_value()

    return types.void(types.int64), generate


@intrinsic
def load_byte(typing, address):
    """Return the unsigned byte at an address."""

    def generate(context, builder, signature, args):
        address = checked(context, builder, args[0], 1)
        return builder.zext(builder.load(builder.inttoptr(address, _INT8.as_pointer())), _INT64)

    return types.int64(types.int64), generate


@intrinsic
def load_short(typing, address):
    """Return the unsigned 16-bit number at an address."""

    def generate(context, builder, signature, args):
        address = checked(context, builder, args[0], 2)
        return builder.zext(builder.load(builder.inttoptr(address, _INT16.as_pointer())), _INT64)

    return types.int64(types.int64), generate


@intrinsic
def store_byte(typing, address, value):
    """Write the lowest 8 bits of a value to an address."""

    def generate(context, builder, signature, args):
        address = checked(context, builder, args[0], 1)
        builder.store(builder.trunc(args[1], _INT8), builder.inttoptr(address, _INT8.as_pointer()))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), generate


@intrinsic
def bytes_equal(typing, values, start, wanted):
    """Return a mask of 64 bits: bit i is set if byte `start` + i of a record's field `values` equals `wanted`.

    All 64 bytes must lie in the field.
    """
    assert values.dtype == types.uint8

    def generate(context, builder, signature, args):
        start, length = args[1], ir.Constant(_INT64, signature.args[0].shape[0] - 64)
        if CHECKED:
            with cgutils.if_unlikely(builder, builder.icmp_unsigned(">", start, length)):
                context.call_conv.return_user_exc(builder, IndexError, ("bytes outside the field",))
        bytes64 = ir.VectorType(_INT8, 64)
        data = builder.gep(context.make_array(signature.args[0])(context, builder, args[0]).data, [start])
        found = builder.load(builder.bitcast(data, bytes64.as_pointer()))
        found.align = 1
        place = builder.insert_element(ir.Constant(bytes64, ir.Undefined), builder.trunc(args[2], _INT8), _INT32(0))
        same = builder.shuffle_vector(place, place, ir.Constant(ir.VectorType(_INT32, 64), [0] * 64))
        return builder.bitcast(builder.icmp_unsigned("==", found, same), _INT64)

    return types.int64(values, types.int64, types.int64), generate


def pointer_to(record: Any) -> Any:
    """Return an intrinsic that takes an address and returns the record of this numba type there."""

    @intrinsic
    def record_at(typing, address):
        def generate(context, builder, signature, args):
            address = checked(context, builder, args[0], record.size)
            return builder.inttoptr(address, context.get_value_type(record))

        return record(types.int64), generate

    return record_at


@intrinsic
def copy_record(typing, target, source):
    """Copy a record's bytes over another record of the same type."""

    def generate(context, builder, signature, args):
        cgutils.raw_memcpy(builder, args[0], args[1], ir.Constant(_INT64, signature.args[0].size), 1)
        return context.get_dummy_value()

    return types.void(target, source), generate


@intrinsic
def load_atomic(typing, address):
    """Return the int64 at an address by a relaxed load, which is never hoisted out of a loop and never torn."""

    def generate(context, builder, signature, args):
        address = checked(context, builder, args[0], 8)
        return builder.load_atomic(builder.inttoptr(address, _INT64.as_pointer()), "monotonic", 8)

    return types.int64(types.int64), generate


@intrinsic
def store_atomic(typing, address, value):
    """Write an int64 to an address by a relaxed store, which is never torn."""

    def generate(context, builder, signature, args):
        address = checked(context, builder, args[0], 8)
        builder.store_atomic(args[1], builder.inttoptr(address, _INT64.as_pointer()), "monotonic", 8)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), generate


@intrinsic
def fetch_add(typing, address, value):
    """Add to an int64 atomically, in relaxed order; return its old value."""

    def generate(context, builder, signature, args):
        address = checked(context, builder, args[0], 8)
        return builder.atomic_rmw("add", builder.inttoptr(address, _INT64.as_pointer()), args[1], "monotonic")

    return types.int64(types.int64, types.int64), generate


@intrinsic
def fetch_add_32(typing, address, value):
    """`fetch_add` for a signed 32-bit number."""

    def generate(context, builder, signature, args):
        pointer = builder.inttoptr(checked(context, builder, args[0], 4), _INT32.as_pointer())
        old = builder.atomic_rmw("add", pointer, builder.trunc(args[1], _INT32), "monotonic")
        return builder.sext(old, _INT64)

    return types.int64(types.int64, types.int64), generate


@intrinsic
def swap_if_32(typing, address, old, new):
    """Replace the 32-bit number `old` by `new` atomically; return 1 if `old` was there, else 0.

    Acquire-release order: a thread that sees `new` sees all that was written before it.
    """

    def generate(context, builder, signature, args):
        pointer = builder.inttoptr(checked(context, builder, args[0], 4), _INT32.as_pointer())
        old, new = (builder.trunc(arg, _INT32) for arg in args[1:])
        result = builder.cmpxchg(pointer, old, new, "acq_rel", "monotonic")
        return builder.zext(builder.extract_value(result, 1), _INT64)

    return types.int64(types.int64, types.int64, types.int64), generate


@intrinsic
def clock_ns(typing):
    """Return CLOCK_MONOTONIC in nanoseconds (38 ns per read); 0 on a platform without `clock_gettime`."""

    def generate(context, builder, signature, args):
        if not HAS_CLOCK:
            return ir.Constant(_INT64, 0)
        timespec = ir.ArrayType(_INT64, 2)
        kind = ir.FunctionType(_INT32, [_INT32, timespec.as_pointer()])
        function = cgutils.get_or_insert_function(builder.module, kind, "clock_gettime")
        cell = cgutils.alloca_once(builder, timespec)
        builder.call(function, [ir.Constant(_INT32, _CLOCK_ID), cell])
        zero, one = ir.Constant(_INT32, 0), ir.Constant(_INT32, 1)
        seconds = builder.load(builder.gep(cell, [zero, zero]))
        nanoseconds = builder.load(builder.gep(cell, [zero, one]))
        return builder.add(builder.mul(seconds, ir.Constant(_INT64, 10**9)), nanoseconds)

    return types.int64(), generate


def _call_self(context, builder, signature, args):
    """Emit a call of the kernel being compiled.

    The intrinsics below declare its type, which numba would otherwise infer at each call: a search compiles in 1.5 s
    instead of 4.0 s.
    """
    status, result = context.call_conv.call_function(
        builder, builder.function, signature.return_type, signature.args, args
    )
    with cgutils.if_unlikely(builder, status.is_error):
        context.call_conv.return_status_propagate(builder, status)
    return result


_I = types.int64


@intrinsic
def call_at(typing, address, pos, work, lookup):
    """Call the kernel whose code is at an address (jit.code_address), an `int64(pos, work, lookup)`."""

    def generate(context, builder, signature, args):
        result_type, kinds = signature.return_type, signature.args[1:]
        kernel = context.call_conv.get_function_type(result_type, kinds)
        function = builder.inttoptr(args[0], kernel.as_pointer())
        status, result = context.call_conv.call_function(builder, function, result_type, kinds, args[1:])
        with cgutils.if_unlikely(builder, status.is_error):
            context.call_conv.return_status_propagate(builder, status)
        return result

    return _I(_I, pos, work, lookup), generate


@intrinsic
def recurse_1(typing, pos, work, lookup, a):
    """Call the kernel itself, an `int64(pos, work, lookup, int64)`."""
    return _I(pos, work, lookup, _I), _call_self


@intrinsic
def recurse_2(typing, pos, work, lookup, a, b):
    """Call the kernel itself, an `int64(pos, work, lookup, int64 * 2)`."""
    return _I(pos, work, lookup, _I, _I), _call_self


@intrinsic
def recurse_3(typing, pos, work, lookup, a, b, c):
    """Call the kernel itself, an `int64(pos, work, lookup, int64 * 3)`."""
    return _I(pos, work, lookup, _I, _I, _I), _call_self


@intrinsic
def recurse_4(typing, pos, work, lookup, a, b, c, d):
    """Call the kernel itself, an `int64(pos, work, lookup, int64 * 4)`."""
    return _I(pos, work, lookup, _I, _I, _I, _I), _call_self
