"""Slow rule oracles, one per game, written only from the rule texts; the engine is tested against them."""
