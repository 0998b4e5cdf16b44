#!/usr/bin/env bash
# Install the lowest versions that pyproject.toml admits into build/lowest, and run a short part of the tests with them.
# Each package is needed by one: the protocol, files, plots, mined rules, the board, the cluster, the site, the distributions.
set -euo pipefail
cd "$(dirname "$0")/.."
lowest=build/lowest
.venv/bin/python -m venv --clear "$lowest"
.venv/bin/python tests/support/lowest.py >"$lowest/constraints.txt"
export PIP_CONSTRAINT="$PWD/$lowest/constraints.txt"
"$lowest/bin/python" -m pip install -q --no-compile --disable-pip-version-check -e '.[test,scripts,cluster,docs]'
"$lowest/bin/python" -m siqi warm
exec "$lowest/bin/python" -m pytest -n 3 --dist worksteal tests/daemon/test_{protocol,plot,convert,board_server}.py \
    tests/daemon/test_cluster.py::test_a_review_on_a_cluster_has_the_same_values \
    tests/books/test_apriori.py tests/structure/test_{site,installations}.py
