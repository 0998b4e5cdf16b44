"""Sphinx's settings for the site; docs/build.py gives the sources and the language."""

import gc
import itertools
import re
import sys
from importlib.metadata import version as installed
from pathlib import Path

from sphinx.search import SearchLanguage

sys.path.insert(0, str(Path(__file__).parents[1]))

gc.set_threshold(100_000, 50, 50)  # the trees of all pages stay: to look through them takes a fifth of the time else

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


class CharacterPairs(SearchLanguage):
    """The search of the Chinese site: Sphinx needs jieba, which cuts words; pairs of neighbours find them as well."""

    lang = "zh"
    js_splitter_code = r"""
var splitQuery = (query) => (query.match(/\p{Script=Han}+|[\p{L}\p{N}_]+/gu) || []).flatMap((all) =>
  (all.match(/\p{Script=Han}+|[^\p{Script=Han}]+/gu)).flatMap((run) => {
    const signs = Array.from(run);
    if (!/\p{Script=Han}/u.test(run) || signs.length === 1) return [run];
    return signs.slice(1).map((sign, at) => signs[at] + sign);
  }));
"""

    def split(self, input: str) -> list[str]:
        words = re.findall(r"[\u4e00-\u9fff]+|[^\W\u4e00-\u9fff]+", input)
        pairs = [a + b for run in words if run[0] >= "\u4e00" for a, b in itertools.pairwise(run)]
        return [*(word for word in words if word[0] < "\u4e00"), *pairs, *re.findall(r"[\u4e00-\u9fff]", input)]

    def stem(self, word: str) -> str:
        return word.lower()


def setup(app):  # type: ignore[no-untyped-def]
    """Show the sessions of a protocol and the shell's as they are."""
    from pygments.lexers.special import TextLexer

    app.add_lexer("session", TextLexer)
    app.add_search_language(CharacterPairs)
