"""Commands for long jobs, in folders by subject. Importing them announces the compiling of the games' kernels."""

from scripts.common import script

__all__ = ["script"]
