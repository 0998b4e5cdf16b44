"""Slow rule oracles, one a game, written from the rule texts alone; the engines are tested against them."""
