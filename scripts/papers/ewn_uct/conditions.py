"""What paper 1's experiments share: its factors, the names of its players, and the conditions of games."""

from __future__ import annotations

import os

from scripts.papers.paper import Bench

from siqi.daemon.clients.player import PlayerLimits
from siqi.daemon.cluster.jobs import Jobs

THREADS = 3
"""The paper's threads."""

REWARDS = ("0..1", "-1..1")

Factors = tuple[float, float]
"""WINK and UCTK."""

PLAIN: Factors = (1, 1)
HALVES: Factors = (0.5, 0.5)
IMPROVED: Factors = (0.4, 1)

BARE = "the paper's bare UCT (no proofs, no tablebases, no kept tree, children at the second visit)"
MACHINE = f"{os.cpu_count()} cores"
PAIRS = "random set-ups and throws, each played twice with sides swapped"

A_TIME = PlayerLimits(movetime_ms=1)


def uct_text(factors: Factors, threads: int = 1, reward: str = REWARDS[0], hash_mb: int = 0) -> str:
    """Return the name of a bare UCT, as players.py reads it."""
    words = ["uct", f"WINK={factors[0]:g}", f"UCTK={factors[1]:g}"]
    words += [f"Threads={threads}", "UCTParallel=children"] * (threads > 1)
    words += [f"UCTReward={reward}"] * (reward != REWARDS[0]) + [f"Hash={hash_mb}"] * (hash_mb > 0)
    return " ".join(words)


def at_once(bench: Bench, limit: PlayerLimits) -> Jobs:
    """Return the number of games to play at a time: under a limit of time, one per three cores, a core per thread.

    The user of a cluster decides how many cores each worker has.
    """
    return bench.jobs if limit.nodes or not isinstance(bench.jobs, int) else max(1, bench.jobs // THREADS)
