"""`siqi board`: a page on this machine to play on."""
