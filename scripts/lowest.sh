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
exec "$lowest/bin/python" -m pytest -n 3 --dist worksteal tests/{frontends/test_protocol,analysis/test_plot,commands/test_convert,board/test_board_server}.py \
    tests/cluster/test_cluster.py::test_a_review_on_a_cluster_has_the_same_values \
    tests/games/test_apriori.py tests/docs/test_site.py tests/structure/test_installations.py
