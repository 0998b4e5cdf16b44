"""Parts of a search that only the papers need: mined rules in it (paper 2), paper 5's evaluation."""
