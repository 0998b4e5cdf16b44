"""Tests that are as strong as they are long: a sample in the usual run, all of it with `-m long`."""

from __future__ import annotations

import pytest


def sampled(name: str, sample: int, everything: int) -> pytest.MarkDecorator:
    """Give a test the argument `name`: `sample` in the usual run, `everything` in the one of the long tests."""
    return pytest.mark.parametrize(name, [sample, pytest.param(everything, marks=pytest.mark.long)])
