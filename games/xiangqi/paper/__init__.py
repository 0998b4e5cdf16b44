"""What only the papers need: paper 5's evaluation."""
