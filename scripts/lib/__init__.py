"""What scripts share. Importing any of it announces the compiling of the games' kernels that comes after."""

from scripts.lib import script

__all__ = ["script"]
