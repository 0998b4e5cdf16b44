"""The daemon: protocols, clock and search threads, without the rules of any game."""
