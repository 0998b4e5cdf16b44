"""What only the papers need of a search: mined rules in it (paper 2), paper 5's evaluation."""
