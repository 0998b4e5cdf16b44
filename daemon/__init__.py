"""The daemon: protocols, clock and search threads, without the rules of any game."""

__version__ = "0.1.0"
