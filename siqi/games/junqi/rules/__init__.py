"""The rules: positions, moves, notation, and the constants that kernels look up."""
