"""Games between engines: the loop, the match, its log and what it shows."""
