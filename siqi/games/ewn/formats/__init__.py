"""The file formats of EWN."""
