"""Small kernels that all games share: compilation policy, intrinsics, control block, transposition table, random
numbers."""

from siqi.games.kernel import environment  # noqa: F401  # before any module imports numba
