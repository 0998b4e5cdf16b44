"""Weights of Connect6, by count of stones on a road, index 0..6; written by scripts/tune/fit_connect6.py.

From lg_expert_games.csv.gz: share 0.25, seed 1, 79470 positions.
"""

OWN_VALUE = (0, 8, 18, 79, 200, 200, 1000000)
OPPONENT_VALUE = (0, 5, 24, 75, 300, 399, 1000000)
TEMPO = 203
"""The value of an own living road, the amount subtracted for an opponent's, and the worth of the move;
400 points are one logit of the expected result."""

OWN_INTEREST = (15, 46, 100, 201, 162, 162, 0)
OPPONENT_INTEREST = (15, 38, 100, 173, 200, 200, 0)
CENTRE = 9
"""The worth of a stone on an own road, on an opponent's road, and of each step nearer to the centre;
100 points are one logit of the probability that the point is chosen."""
