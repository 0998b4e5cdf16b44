"""Slow rule oracles, one for each game, written from the rule texts alone; the engine is tested against them."""
