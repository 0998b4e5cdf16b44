"""Foreign texts made safe for pages, pictures and terminals: none ends an element, runs, or reorders its neighbours."""

from __future__ import annotations

import html
import json
import re
import unicodedata

_NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML cannot hold: controls, and surrogates that stand alone."""

_EMBEDDINGS, _ISOLATES = "\u202a\u202b\u202d\u202e", "\u2066\u2067\u2068"
_END_OF_EMBEDDING, _END_OF_ISOLATE = "\u202c", "\u2069"
_MARKS = "\u200e\u200f\u061c"

_HIDDEN = re.compile(f"[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029{_MARKS}\u202a-\u202e\u2066-\u2069]")
"""Characters that act on a terminal unseen: controls except the tab and the line feed, and bidirectional ones."""

_TURNING = {"R", "AL", "AN", "LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
"""Unicode's bidirectional classes of characters that may change the order of others."""


def escape(text: str) -> str:
    """Return a text as HTML and XML have it, also within quotes; U+FFFD for what they cannot hold."""
    return html.escape(_NO_XML.sub("\ufffd", text))


def as_script(data: object) -> str:
    """Return JSON that may stand within a `<script>`: no text in it can end or reopen the element."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":  # only strings have them
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text.encode("utf-8", "backslashreplace").decode()  # a lone surrogate, as JSON writes it


def isolated(text: str) -> str:
    """Return a text that leaves the order of its neighbours as it is, wherever it is shown.

    One that could change it stands between U+2068 and U+2069, and what it opens is closed within.
    """
    if text.isascii() or not any(sign in _MARKS or unicodedata.bidirectional(sign) in _TURNING for sign in text):
        return text
    return f"\u2068{_balanced(text)}{_END_OF_ISOLATE}"


def _balanced(text: str) -> str:
    """Return a text without ends of embeddings and isolates that it has not begun, and with all those that it lacks."""
    marks: list[str] = []
    ends: list[str] = []  # of what is open
    for sign in text:
        if sign in _EMBEDDINGS:
            ends.append(_END_OF_EMBEDDING)
        elif sign in _ISOLATES:
            ends.append(_END_OF_ISOLATE)
        elif sign == _END_OF_EMBEDDING:
            if ends[-1:] != [sign]:
                continue
            ends.pop()
        elif sign == _END_OF_ISOLATE:
            if sign not in ends:
                continue
            while ends.pop() != sign:  # it ends the embeddings within, too
                pass
        elif unicodedata.bidirectional(sign) == "B":  # a paragraph ends all
            marks += reversed(ends)
            ends.clear()
        marks.append(sign)
    return "".join([*marks, *reversed(ends)])


def visible(text: str) -> str:
    """Return a text for a terminal, with escapes for invisible characters that would act on it."""
    return _HIDDEN.sub(lambda match: match[0].encode("unicode_escape").decode(), text)
