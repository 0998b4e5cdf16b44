"""The improved UCT of paper 1."""
