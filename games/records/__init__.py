"""Game records: what those of several games share."""
