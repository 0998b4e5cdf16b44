"""Road values of Connect6 by count of stones, index 0..6."""

OWN_VALUE = (0, 1, 20, 40, 200, 200, 1_000_000)
OPPONENT_VALUE = (0, 1, 25, 50, 6000, 6000, 1_000_000)
"""The paper's table 1: a living road's value by its stones, to the side that looks; the opponent's is subtracted."""

ATTACK = (1, 10, 30, 60, 20_000, 20_000, 0)
BLOCK = (1, 8, 25, 50, 10_000, 10_000, 0)
"""What one more stone is worth on a road with so many own, or so many enemy stones: chooses candidates only."""
