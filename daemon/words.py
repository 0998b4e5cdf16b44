"""Lines taken apart."""

from __future__ import annotations


def split_moves(words: list[str]) -> tuple[list[str], list[str]]:
    """What comes before the word `moves`, and after it."""
    split = words.index("moves") if "moves" in words else len(words)
    return words[:split], words[split + 1 :]
