"""The file formats of Junqi."""
