"""The version of Siqi."""

__version__ = "0.2.0"
