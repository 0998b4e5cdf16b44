"""The file formats of Xiangqi."""
