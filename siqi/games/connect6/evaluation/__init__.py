"""The static evaluation and its weights."""
