"""The searchers."""
