"""Calls as data: the name of a function of a module, and its arguments as JSON.

A job that goes to another process or machine is such a call, and its result is JSON too. Names come from the code of
the caller, never from a user's file; arguments are decoded by the function's annotations, which every job's function
has. Annotations may be what msgspec knows (structs, named tuples, sequences, ...), paths, `Any` for what JSON can hold,
and `Callable` for a function, alone or with its first arguments (`functools.partial`).
"""

from __future__ import annotations

import collections.abc
import functools
import importlib
import inspect
import sys
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

PACKAGE = Path(__file__).absolute().parents[2]
ROOT = PACKAGE.parent.resolve()
"""The folder of our packages: in a checkout `siqi` and `scripts`."""


class Call(msgspec.Struct, array_like=True):
    """A function, `module:name`, and its first arguments."""

    function: str
    arguments: list[msgspec.Raw]


def encode(value: Any) -> bytes:
    """Return a value as JSON; TypeError if it holds anything that JSON cannot represent."""
    return msgspec.json.encode(value, enc_hook=_plain)


def decode(data: bytes | msgspec.Raw, kind: Any) -> Any:
    """Return the value of an annotated type; msgspec.ValidationError if the data has another."""
    if typing.get_origin(kind) is collections.abc.Callable:
        return _bound(msgspec.json.decode(data, type=Call))
    return msgspec.json.decode(data, type=kind, dec_hook=_path)


def encode_call(function: Callable[..., Any], *arguments: Any) -> bytes:
    """Return a call as data. ValueError if the function is not one of a module."""
    return encode(_call(function, *arguments))


def perform(data: bytes) -> bytes:
    """Carry out a call; return its result as data."""
    return encode(_bound(msgspec.json.decode(data, type=Call))())


def decode_result(function: Callable[..., Any], data: bytes) -> Any:
    """Return the result of a call of `function`, of the type that it is annotated with."""
    while isinstance(function, functools.partial):
        function = function.func
    return decode(data, _hints(function)["return"])


def _call(function: Callable[..., Any], *arguments: Any) -> Call:
    if isinstance(function, functools.partial):
        return _call(function.func, *function.args, *arguments)
    return Call(_name(function), [msgspec.Raw(encode(argument)) for argument in arguments])


def _name(function: Callable[..., Any]) -> str:
    module, name = function.__module__, function.__qualname__
    if module in ("__main__", "__mp_main__"):  # a script: other processes know it by its name
        path = Path(getattr(sys.modules[module], "__file__", None) or "").resolve()
        if not path.is_relative_to(ROOT):
            raise ValueError(f"{name} of {path} is in no package of ours")
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    if "<" in name:
        raise ValueError(f"{name} is no function of a module")
    return f"{module}:{name}"


def _bound(call: Call) -> Callable[..., Any]:
    """Return the function of a call with its arguments bound."""
    module, _, name = call.function.partition(":")
    function = functools.reduce(getattr, name.split("."), importlib.import_module(module))
    assert callable(function)
    if not call.arguments:
        return function
    hints = _hints(function)
    kinds = [hints[parameter] for parameter in inspect.signature(function).parameters]
    return functools.partial(function, *(decode(data, kind) for data, kind in zip(call.arguments, kinds)))


@functools.cache
def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    return typing.get_type_hints(function)


def _plain(value: Any) -> Any:
    """Return the encoded form of a value that msgspec does not know: a path, a function, a number of numpy's."""
    if isinstance(value, Path):
        return str(value)
    if callable(value):
        return _call(value)
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"{type(value).__name__} is no data of a job")


def _path(kind: Any, value: Any) -> Any:
    if kind is Path:
        return Path(value)
    raise TypeError(f"{kind} is no data of a job")
