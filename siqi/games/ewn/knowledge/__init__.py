"""Knowledge that the search uses: books, tablebases, and how options select them."""
