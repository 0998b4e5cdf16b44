"""Knowledge that the search uses: books, the tablebase, and the options that select them."""
