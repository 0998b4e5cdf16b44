"""The Analyse mode of `siqi board`: a tree of variations, the engine's lines, games and positions from anywhere."""
