"""Books: the file format of all books, and the opening books of all games."""
