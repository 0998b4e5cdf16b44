"""Pytest's hooks and fixtures for all tests; modules that tests import are in tests/support."""

from __future__ import annotations

import gc
import os
import signal
import sys
from pathlib import Path

import hypothesis
import pytest
from fixture_files import ROOT, SHARED

from siqi.system.languages import preferred_language


def pytest_configure() -> None:
    """Let interrupts reach the processes of the tests: in background jobs of a shell they would inherit to ignore them.

    A busy machine may be slow with any example of hypothesis, so none has a deadline.
    Garbage is not collected while tests are imported, since nothing is freed: this saves 4 s of a worker's 10.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    hypothesis.settings.register_profile("unhurried", deadline=None)
    hypothesis.settings.load_profile("unhurried")
    gc.disable()
    if preferred_language() != "en":
        os.environ["LC_ALL"] = "C.UTF-8"  # tests read messages in English


def pytest_collection_finish() -> None:
    """Exempt the tests and their imports from garbage collection: 0.3 s each time, half the CPU time of many tests."""
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests marked `shared` where the large data files are missing."""
    if SHARED.is_dir():
        return
    skip = pytest.mark.skip(reason="no ../shared/data beside the checkout")
    for item in items:
        if item.get_closest_marker("shared"):
            item.add_marker(skip)


@pytest.fixture
def siqi(tmp_path: Path) -> Path:
    """Return an engine command of one word, in a directory of its own, as GUIs run engines."""
    path = tmp_path / "siqi"
    path.write_text(f"#!/bin/sh\nPYTHONPATH='{ROOT}' exec '{sys.executable}' -m siqi\n")
    path.chmod(0o755)
    return path
