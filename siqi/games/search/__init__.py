"""Plain Python above the games' search kernels: iterative deepening, sampling, the choice of a searcher."""
