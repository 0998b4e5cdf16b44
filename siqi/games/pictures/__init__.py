"""Pictures of boards: SVG without fonts, text for terminals, games that a reader steps through."""
