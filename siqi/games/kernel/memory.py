"""Addresses of arrays and of their fields for kernels, and checks in kernels: of accesses by address, and of what a
kernel relies on.

The checks are compiled only under `NUMBA_BOUNDSCHECK=1`, where numba checks the indices into arrays too. Each access
must lie within one live array whose address `address_of` gave out.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import threading
import weakref
from typing import Any

import llvmlite.binding
import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils

CHECKED = bool(numba.config.BOUNDSCHECK)
"""True if kernels check the addresses that they access."""

Region = tuple[int, int]
"""The address of the first byte, and the one after the last."""

_MAX_REGIONS = 4096
_CHECK = "siqi_is_inside"  # a symbol: cached kernels find it by name
_INT64 = ir.IntType(64)

_places: dict[Region, int] = {}  # of each region in _published, from 1
_free = list(range(_MAX_REGIONS, 0, -1))  # places
_owners: set[tuple[int, Region]] = set()  # (id of the array that owns the memory, region)
_published = np.zeros(2 + 2 * _MAX_REGIONS, np.int64)  # for kernels: [0] the highest place used; [2 * place] a region
_lock = threading.RLock()  # reentrant: a finaliser may run while its thread holds it


def address_of(array: Any) -> int:
    """Return the address of an array's first byte, for kernels. The caller keeps the array alive while they use it."""
    address = int(array.ctypes.data)
    if CHECKED and array.nbytes:
        _publish(array, (address, address + array.nbytes))
    return address


def aligned_record(dtype: np.dtype[Any]) -> Any:
    """Return an array of one zeroed record that begins with a cache line."""
    buffer = np.zeros(dtype.itemsize + 63, np.uint8)
    skip = -address_of(buffer) % 64
    return buffer[skip : skip + dtype.itemsize].view(dtype)


def offset_of(dtype: np.dtype[Any], name: str) -> int:
    """Return the place of a field in a record, in bytes."""
    assert dtype.fields is not None
    return int(dtype.fields[name][1])


def _publish(array: Any, region: Region) -> None:
    """Let kernels access a region until the array that owns its memory is freed."""
    owner = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    key = id(owner), region
    with _lock:
        if key in _owners:
            return
        _owners.add(key)
        weakref.finalize(owner, _withdraw, key).atexit = False
        if region not in _places:
            place = _places[region] = _free.pop()
            _published[2 * place : 2 * place + 2] = region
            _published[0] = max(_published[0], place)


def _withdraw(key: tuple[int, Region]) -> None:
    with _lock:
        _owners.remove(key)
        region = key[1]
        if not any(other == region for _, other in _owners):
            place = _places.pop(region)
            _published[2 * place : 2 * place + 2] = 0
            _free.append(place)


def checked(context: Any, builder: Any, address: Any, size: int) -> Any:
    """Emit the check of an access to `size` bytes at `address`; return `address`.

    If CHECKED, the kernel raises IndexError unless the bytes lie within one region.
    """
    if CHECKED:
        kind = ir.FunctionType(_INT64, [_INT64, _INT64])
        is_inside = cgutils.get_or_insert_function(builder.module, kind, _CHECK)
        is_within = builder.call(is_inside, [address, ir.Constant(_INT64, size)])
        with cgutils.if_unlikely(builder, builder.icmp_signed("==", is_within, ir.Constant(_INT64, 0))):
            context.call_conv.return_user_exc(builder, IndexError, ("address outside the arrays given to kernels",))
    return address


@numba.extending.intrinsic
def expect(typing, condition):
    """Raise AssertionError if CHECKED and a condition that the kernel relies on is false."""

    def generate(context, builder, signature, args):
        if CHECKED:
            with cgutils.if_unlikely(builder, builder.not_(args[0])):
                context.call_conv.return_user_exc(builder, AssertionError, ("a condition that a kernel relies on",))
        return context.get_dummy_value()

    return numba.void(numba.boolean), generate


def _compile_check() -> Any:
    """Compile `is_inside(address, size)`, 1 or 0. It is not cached, so it can contain the address of `_published`."""
    base = int(_published.ctypes.data)

    @numba.extending.intrinsic
    def word(typing, place):
        def generate(context, builder, signature, args):
            at = builder.add(ir.Constant(_INT64, base), builder.shl(args[0], ir.Constant(_INT64, 3)))
            return builder.load_atomic(builder.inttoptr(at, _INT64.as_pointer()), "monotonic", 8)

        return numba.int64(numba.int64), generate

    @numba.cfunc(numba.int64(numba.int64, numba.int64))
    def is_inside(address, size):
        for place in range(1, word(0) + 1):
            if word(2 * place) <= address and address + size <= word(2 * place + 1):
                return 1
        return 0

    return is_inside


if CHECKED:
    _is_inside = _compile_check()
    llvmlite.binding.add_symbol(_CHECK, _is_inside.address)
