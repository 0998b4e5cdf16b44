"""Parts of game record formats that several games share."""
