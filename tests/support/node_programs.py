"""Programs of node that check the page of `siqi board`, as scripts/clients.sh installs them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from fixture_files import ROOT

INSTALLED = ROOT / "build/node/node_modules"

IS_REQUIRED = os.environ.get("REQUIRE_NODE") == "true"


def needs(path: Path) -> pytest.MarkDecorator:
    """Return a mark that skips a test without a program of node; where REQUIRE_NODE=true (scripts/test.sh) it fails."""
    missing = not path.exists() and not IS_REQUIRED
    return pytest.mark.skipif(missing, reason=f"not installed: {path.name} (bash scripts/clients.sh)")
