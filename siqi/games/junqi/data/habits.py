"""The habits of pieces by type (scripts/tune/learn_junqi_habits.py), learned from 2400 own games.

Rows are the traits of siqi/games/junqi/knowledge/behaviour.py, columns the types a (commander) to l (flag). A cell
is the rise of the logarithm of a piece's weight if it has the trait in full.
"""

HABITS = (
    ( 0.48, -0.62, -0.67,  0.11,  0.26,  0.26,  0.24,  0.53, -0.19,  0.22, -0.61, -0.00),  # waited
    ( 0.07, -0.54, -0.77, -0.38,  0.31,  0.44,  0.68,  0.67, -0.73,  0.01,  0.23,  0.01),  # moved
    ( 0.18,  0.60, -0.21, -0.14, -0.17,  0.05,  0.15, -0.03, -0.44,  0.00, -0.02,  0.00),  # crossed
    ( 1.20,  1.74,  1.32,  0.54, -0.88, -0.88, -1.58, -1.46, -1.41, -0.00,  1.41, -0.00),  # attacked
    (-0.86, -1.64, -0.41, -0.11,  0.30,  0.52,  0.59,  0.43,  0.31,  1.06, -0.17, -0.02),  # stood
    (-0.28, -1.12,  0.43,  0.36,  0.64, -0.01,  0.02,  0.10,  0.48,  0.00, -0.61,  0.00),  # fled
    ( 0.04, -0.12, -0.12,  0.17, -0.05,  0.13,  0.22,  0.41, -0.66, -0.01, -0.01, -0.01),  # approached
    (-0.45, -0.69, -0.00,  0.34,  0.63,  0.05, -0.04, -0.06,  0.13, -0.01,  0.11, -0.01),  # rested
)  # fmt: skip
