"""The rules: positions, moves, notation, and the constant arrays that kernels look up."""
