"""What a side knows and may assume: beliefs, habits, worlds, and how options select them."""
