"""`siqi review`: games with the engine's judgements as one page."""
