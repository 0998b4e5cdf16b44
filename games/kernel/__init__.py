"""Small kernels that all games share: compilation policy, intrinsics, control block, transposition table, random
numbers."""
