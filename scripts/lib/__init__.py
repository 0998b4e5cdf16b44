"""The code that scripts share. Importing it announces the compiling of the games' kernels that follows."""

from scripts.lib import script

__all__ = ["script"]
