"""Every kernel with array bounds and addresses checked, near the limits of its arguments.

scripts/measure/check_bounds.py draws the rounds. Checked kernels are compiled in processes of their own, into a
cache of their own folder: the first run of a game takes as long as its first load, 5 to 20 s, so all of it is `long`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from siqi.games import registry

ROOT = Path(__file__).parents[2]
CHECKED = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "PYTHONPATH": str(ROOT)}
SCRIPT = "scripts/measure/check_bounds.py"
ROUNDS = 64
LONG_S = float(os.environ.get("BOUNDS_SECONDS", "600"))
"""Seconds of the long run of each game."""

SOAK_NODES = float(os.environ.get("SOAK_NODES", "2e9"))
"""Nodes of the soak of each game: 20 minutes to 3 hours on an idle core."""


def run(*arguments: str, timeout_s: float) -> str:
    """Run Python with checked kernels and return its output; it must exit with 0."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=CHECKED,
        timeout=timeout_s,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout[-4000:]}{done.stderr[-2000:]}"
    return done.stdout


@pytest.mark.long
@pytest.mark.parametrize("game", registry.NAMES)
def test_no_access_out_of_bounds(game: str) -> None:
    """No access is out of bounds with the default options, for which only a game's own kernels are compiled."""
    assert " 0 faults" in run(SCRIPT, game, "--defaults", "--rounds", str(ROUNDS), timeout_s=400)


def signature(game: str, environment: dict[str, str]) -> str:
    """Return the signature of a game's bench in a process of its own."""
    command = [sys.executable, "-m", "siqi", "bench", game]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=ROOT, env=environment, check=True)
    match = re.search(rf"^bench {game} nodes (\d+) time \d+ nps \d+ signature (\d+)$", done.stdout, re.MULTILINE)
    assert match and int(match[1]) > 0 and all("compil" in line for line in done.stderr.splitlines())
    return match[2]


@pytest.mark.long
@pytest.mark.parametrize("game", registry.NAMES)
def test_signature_holds_with_bounds_checked(game: str) -> None:
    """An unchecked read beyond an array returns garbage; numba raises IndexError here instead.

    The test is in this file so that one process compiles the checked kernels for all tests.
    """
    assert signature(game, dict(os.environ)) == signature(game, CHECKED)


def test_an_access_out_of_bounds_is_found() -> None:
    """Accesses beyond an array, across its end, in a freed one and beyond a record are found; those within pass."""
    code = """
import numpy as np
from siqi.games.kernel.intrinsics import bytes_equal, load, load_byte, pointer_to, store
from siqi.games.kernel.jit import entry, int64, new_record, record, record_type, void
from siqi.games.kernel.memory import address_of

PAIR = record_type(record([("first", "i8"), ("second", "i8")]))
pair_at = pointer_to(PAIR)

@entry(int64(int64))
def read(address):
    return load(address)

@entry(int64(int64))
def read_byte(address):
    return load_byte(address)

@entry(void(int64))
def write(address):
    store(address, int64(5))

@entry(int64(int64))
def second(address):
    return pair_at(address).second

BYTES_DTYPE = record([("before", "u1", 3), ("bytes", "u1", 100)])
BYTES = new_record(BYTES_DTYPE)
BYTES.bytes[:] = np.arange(100) % 9 + 250 - 9

@entry(int64(record_type(BYTES_DTYPE), int64))
def equal_from(bytes, start):
    return bytes_equal(bytes.bytes, start, int64(248))

def equal(start):
    return equal_from(BYTES, start)

def is_refused(kernel, address):
    try:
        kernel(address)
    except IndexError:
        return True
    return False

words = np.zeros(4, np.int64)
base = address_of(words)
write(base + 24)
assert words.tolist() == [0, 0, 0, 5] and read(base + 24) == second(base + 16) == read_byte(base + 24) == 5
assert read_byte(base + 31) == 0
for kernel, address in ((read, base + 32), (read, base + 25), (read, base - 8), (write, base + 32), (read, 0),
                        (second, base + 24), (read_byte, base + 32)):
    assert is_refused(kernel, address), (kernel, address)
assert address_of(words[1:]) == base + 8  # of what is known already
half = np.zeros(8, np.int64)[4:]
assert not is_refused(read, address_of(half)) and is_refused(read, address_of(half) - 8)
for start in range(37):
    expected = sum(1 << place for place in range(64) if (start + place) % 9 == 7)
    assert equal(start) % 2**64 == expected
assert is_refused(equal, 37) and is_refused(equal, -1)
del words
assert is_refused(read, base)
"""
    run("-c", code, timeout_s=120)


@pytest.mark.parametrize("variable", ["", "0"])
def test_kernels_are_not_checked_otherwise(variable: str) -> None:
    code = "from siqi.games.kernel.memory import CHECKED; raise SystemExit(CHECKED)"
    environment = {**CHECKED, "NUMBA_BOUNDSCHECK": variable}
    if not variable:
        del environment["NUMBA_BOUNDSCHECK"]
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, timeout=60, check=False)
    assert done.returncode == 0


@pytest.mark.long
@pytest.mark.parametrize("game", registry.NAMES)
def test_no_access_out_of_bounds_long(game: str) -> None:
    """No access is out of bounds with any options, tried for LONG_S per game."""
    seed = str(10**6)  # not the rounds of the short test
    output = run(SCRIPT, game, "--first", seed, "--seconds", str(LONG_S), timeout_s=LONG_S + 900)
    print(output)
    assert " 0 faults" in output


@pytest.mark.long
@pytest.mark.parametrize("game", registry.NAMES)
def test_soak(game: str, tmp_path: Path) -> None:
    """Whole games have no fault at 200 ms a move, with one to four threads on a small transposition table."""
    log = str(tmp_path / "log.txt")
    output = run(SCRIPT, game, "--games", "--nodes", f"{SOAK_NODES}", "--log", log, timeout_s=24 * 3600)
    print(output)
    assert " 0 faults" in output


@pytest.mark.long
def test_a_soak_goes_on_after_its_last_game(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_text("0 900\n1 99\n")
    output = run(SCRIPT, "ewn", "--games", "--nodes", "1000", "--log", str(log), timeout_s=400)
    assert "seeds 2 to 2, 1 positions" in output
    seeds = [line.split()[0] for line in log.read_text().splitlines()]
    assert seeds == ["0", "1", "2"]


@pytest.mark.long
def test_other_tests_with_bounds_checked() -> None:
    """The daemon's random lines and the games' common suite pass with checked kernels."""
    files = ["tests/engine/test_fuzz.py", "tests/games/test_conformance.py", "tests/games/test_search.py"]
    run("-m", "pytest", "-x", *files, timeout_s=3600)
