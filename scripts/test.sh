#!/usr/bin/env bash
# Set up a virtual environment of the project's own and run the checks: style, types, signatures, tests.
# With --all first, the tests marked `long` run too, and a short part with the lowest versions of all dependencies.
# With --quick first, nothing is installed and no kernel compiled: style, types and QUICK's tests.
# All other words are pytest's.
set -euo pipefail
cd "$(dirname "$0")/.."
unset PYTHONDONTWRITEBYTECODE  # many tests start processes
# What most changes break first: every front end and command as documented, every game's contract, the imports' layers.
QUICK=(tests/frontends/test_{frontends,uci,ucci,ugi,cecp,move_by_move,botzone,transcripts,dialogues,protocol}.py
    tests/games/test_conformance.py tests/structure/test_structure.py
    tests/commands/test_command.py tests/engine/test_engine.py tests/library/test_siqi.py)
if [ "${1:-}" = --quick ]; then
    shift
    [ -x .venv/bin/ruff ] || { echo "nothing is installed yet: run scripts/test.sh without --quick once" >&2; exit 2; }
    .venv/bin/ruff check .
    .venv/bin/ruff format --check .
    .venv/bin/mypy
    exec .venv/bin/python -m pytest -n 3 --dist worksteal "${QUICK[@]}" "$@"
fi
marks=()
if [ "${1:-}" = --all ]; then
    shift
    marks=(-m "long or not long")
    # By hand, `pytest -m long` checks bounds for ten minutes of each game, and soaks for hours.
    export BOUNDS_SECONDS=${BOUNDS_SECONDS:-60} SOAK_NODES=${SOAK_NODES:-1e7}
fi
python=${PYTHON:-python3}
[ -x .venv/bin/python ] || "$python" -m venv .venv
# Python compiles what it imports: to compile all that pip installs takes longer than to install it.
pip=(.venv/bin/python -m pip install -q --no-compile --disable-pip-version-check)
"${pip[@]}" -e .
# Compile all kernels while the rest is installed: the tests' processes find them in the cache instead of all compiling.
.venv/bin/python -m siqi warm &
kernels=$!
"${pip[@]}" -e '.[test,scripts,cluster,docs]'
# A machine of its own may be given the other programs that the tests know; elsewhere run scripts/clients.sh by hand.
if [ "${CI:-}" = true ]; then
    timeout 300 bash scripts/clients.sh || echo "tests with these programs are skipped" >&2
    # Where node's packages can be had, the checks of the page that need them must run.
    if timeout 30 npm view typescript@5.9.3 version >/dev/null 2>&1; then export REQUIRE_NODE=true; fi
fi
.venv/bin/ruff check .
.venv/bin/ruff format --check .
.venv/bin/mypy &
types=$!
# Import all tests once, or each worker compiles them and what they import: 20 s. The run below shows their faults.
(.venv/bin/python -m pytest --collect-only >/dev/null || true) &
wait $kernels
.venv/bin/python tests/support/check_signatures.py
wait $types
wait
if [ ${#marks[@]} -gt 0 ]; then bash scripts/lowest.sh; fi
# Three workers fill two cores: tests wait a quarter of their time for processes and clocks. Four were slower.
exec .venv/bin/python -m pytest -n 3 --dist worksteal "${marks[@]}" "$@"
