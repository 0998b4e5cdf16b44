"""Knowledge that the search uses: opening books, and the evaluation, as options select them."""
