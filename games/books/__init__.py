"""Books of all games: the file format, and opening books."""
