"""Weights of Connect6, by count of stones on a road, index 0..6; written by scripts/tune/fit_connect6.py.

From lg_expert_games.csv.gz: share 0.25, seed 1, 79470 positions.
"""

OWN_VALUE = (0, 8, 18, 79, 200, 200, 1000000)
OPPONENT_VALUE = (0, 5, 24, 75, 300, 399, 1000000)
TEMPO = 203
"""A living road's value to the side that looks, the opponent's being subtracted, and the worth of the move;
400 are a logit of the expected result."""

OWN_INTEREST = (15, 46, 100, 201, 162, 162, 0)
OPPONENT_INTEREST = (15, 38, 100, 173, 200, 200, 0)
CENTRE = 9
"""What a road is worth to a stone on it, and a step nearer to the middle;
100 are a logit of its being chosen."""
