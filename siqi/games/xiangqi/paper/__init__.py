"""What the papers need: mined rules in a search (paper 2), paper 5's evaluation and search."""
