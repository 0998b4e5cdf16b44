"""The player of paper 3: its three scans of roads, and their alpha-beta."""
