"""The process: reads lines, owns the clock and the search thread, knows no game's rules."""

__version__ = "0.1.0"
