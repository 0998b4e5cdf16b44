"""The cooperative player of paper 4."""
