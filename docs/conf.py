"""Sphinx's settings for the site; docs/build.py gives the sources and the language."""

import sys
from importlib.metadata import version as installed
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

project = "Siqi (四棋)"
author = "the Siqi authors"
copyright = author
release = version = installed("siqi")

extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_heading_anchors = 4
myst_linkify_fuzzy_links = False
suppress_warnings = ["misc.highlighting_failure"]

html_theme = "furo"
html_title = f"Siqi {release}"
html_copy_source = html_show_sphinx = False
html_theme_options = {"top_of_page_buttons": []}

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
default_role = "literal"  # docstrings write code in single backticks


def setup(app):  # type: ignore[no-untyped-def]
    """Show the sessions of a protocol and the shell's as they are."""
    from pygments.lexers.special import TextLexer

    app.add_lexer("session", TextLexer)
