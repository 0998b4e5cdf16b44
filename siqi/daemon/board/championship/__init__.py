"""The mode Championship: the games of two teams under a referee, operated by one person at one machine."""
