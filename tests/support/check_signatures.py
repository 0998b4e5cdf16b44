"""Compare the signatures of `siqi bench` with those that commit messages name: `Bench <game>: <signature>`.

For each game the last commit that names one counts. A game that none names, as in a shallow clone, is skipped. While
the games or the daemon have uncommitted changes, a difference is only printed, for the next commit message.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from siqi.games import registry

ROOT = Path(__file__).resolve().parents[2]
NAMED = re.compile(r"^Bench (\w+): (\d+)$", re.MULTILINE)
BENCH_LINE = re.compile(r"^bench (\w+) nodes .* signature (\d+)$", re.MULTILINE)


def git(*words: str) -> str:
    """Return the output of git; an empty text if there is no git, or this is no clone."""
    try:
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""


def named_in(log: str) -> dict[str, str]:
    """Return the first signature of each game in commit messages, newest first."""
    return dict(reversed(NAMED.findall(log)))


def differences(named: dict[str, str], signatures: dict[str, str]) -> list[str]:
    """Return a line for each game whose signature a commit message should name."""
    return [
        f"signatures: the last commit message names {named[game]}; end the next one with `Bench {game}: {signature}`"
        for game, signature in signatures.items()
        if named.get(game, signature) != signature
    ]


def main() -> int:
    named = named_in(git("log", "--format=%B"))
    for game in registry.NAMES:
        if game not in named:
            print(f"signatures: no commit message names that of {game}: skipped")
    if not named:
        return 0
    bench = subprocess.run(
        [sys.executable, "-m", "siqi", "bench"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
    )
    lines = differences(named, dict(BENCH_LINE.findall(bench.stdout)))
    print(*lines, sep="\n", end="\n" if lines else "")
    is_committed = not git("status", "--porcelain", "--", "siqi")
    return int(bool(lines) and is_committed)


if __name__ == "__main__":
    sys.exit(main())
