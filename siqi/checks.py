"""Checks of what callers give: a value of a wrong type raises TypeError with what was expected."""

from __future__ import annotations

import sys


def check_type(what: str, value: object, kinds: type | tuple[type, ...], expected: str) -> None:
    """Raise TypeError, with what was expected, for a value of another type; True is a number only where bool is named.

    A text is no list of texts.
    """
    named = kinds if isinstance(kinds, tuple) else (kinds,)
    is_wrong = (isinstance(value, bool) and bool not in named) or (isinstance(value, str) and str not in named)
    if is_wrong or not isinstance(value, kinds):
        raise TypeError(f"{what}: {expected} is needed, not {type(value).__name__}")


def is_of(module: str, name: str, value: object) -> bool:
    """True for an instance of a module's class. A module that is not imported has none; importing it would compile."""
    return module in sys.modules and isinstance(value, getattr(sys.modules[module], name))
