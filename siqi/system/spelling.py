"""Misspelt words: what a user may have meant."""

from __future__ import annotations

from collections.abc import Iterable

ALIKE = 0.7
"""The least likeness, 0 to 1, by difflib's ratio: a letter left out, doubled, wrong or moved in a short word."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `, did you mean WORD?` with the most similar of the known words, if one is; case does not count."""
    import difflib  # late: only after a mistake

    by_lower = {each.lower(): each for each in known}
    close = difflib.get_close_matches(word.lower(), by_lower, 1, ALIKE)
    return f", did you mean {by_lower[close[0]]}?" if close else ""
