"""`siqi analyse`: positions in, analyses out, as lines of JSON; several positions at a time, answered out of order."""
