"""The version of Siqi."""

__version__ = "0.1.0"
