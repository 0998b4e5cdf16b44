#!/usr/bin/env bash
# Set up a virtual environment of the project's own and run every check: style, types, tests.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
[ -x .venv/bin/python ] || "$python" -m venv .venv
.venv/bin/python -m pip install -q --disable-pip-version-check -e '.[test,scripts,cluster]'
unset PYTHONDONTWRITEBYTECODE  # many tests start processes
# A machine of its own may be given the other programs that the tests know; elsewhere run scripts/clients.sh by hand.
if [ "${CI:-}" = true ]; then timeout 300 bash scripts/clients.sh || echo "tests with these programs are skipped" >&2; fi
.venv/bin/ruff check .
.venv/bin/ruff format --check .
.venv/bin/mypy
# Compile once, so that the test processes share a warm kernel cache instead of all compiling.
.venv/bin/python -c 'from games import registry; [registry.load(name) for name in registry.NAMES]'
exec .venv/bin/python -m pytest -n 2 --dist worksteal "$@"
