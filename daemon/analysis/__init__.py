"""`siqi analyse`: positions in, what the engine thinks of them out, as lines of JSON; many at a time, out of order."""
