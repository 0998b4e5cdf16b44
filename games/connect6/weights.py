"""Weights of Connect6, by count of stones on a road, index 0..6."""

OWN_VALUE = (0, 8, 18, 80, 200, 200, 1_000_000)
OPPONENT_VALUE = (0, 5, 25, 76, 300, 377, 1_000_000)
TEMPO = 198
"""A living road's value to the side that looks, the opponent's being subtracted, and the worth of the move; 400 are a
logit of the expected result."""

OWN_INTEREST = (16, 46, 99, 204, 169, 169, 0)
OPPONENT_INTEREST = (16, 38, 100, 176, 200, 200, 0)
CENTRE = 9
"""What a road is worth to a stone on it, and a step nearer to the middle; 100 are a logit of its being chosen."""
