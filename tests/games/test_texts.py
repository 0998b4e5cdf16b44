"""Foreign texts that are shown: in scripts, in markup, next to other texts, and in terminals."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from siqi.system.pipes import to_stderr
from siqi.system.texts import as_script, escape, isolated, visible

OPENS = {"\u202a": "\u202c", "\u202b": "\u202c", "\u202d": "\u202c", "\u202e": "\u202c"} | dict.fromkeys(
    "\u2066\u2067\u2068", "\u2069"
)
foreign = st.text(st.sampled_from("ab \n\u2029\u05d0\u200e\u200f\u061c\u202c\u2069" + "".join(OPENS)), max_size=12)


@given(st.text() | st.sampled_from(["</script>", "<!--<script>", "]]>", "\u2028\u2029", "\ud800", '"\\', "&lt;", "\0"]))
def test_data_in_a_script_cannot_leave_it(text: str) -> None:
    written = as_script([text])
    assert not set("<>&\u2028\u2029") & set(written) and json.loads(written) == [text] and written.encode()


@given(st.text(st.characters() | st.sampled_from("<>&\"'\0\ud800\x1b"), max_size=20))
def test_markup_says_the_text_and_nothing_else(text: str) -> None:
    said = re.sub("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", "\ufffd", text)
    root = ElementTree.fromstring(f'<a b="{escape(text)}">{escape(text)}</a>')
    assert root.text == (said.replace("\r\n", "\n").replace("\r", "\n") or None) and len(root) == 0


@given(foreign)
def test_an_isolated_text_closes_all_that_it_opens_and_nothing_else(text: str) -> None:
    """An isolated text closes all that it opens, by Unicode's algorithm (UAX 9, X1-X8), the isolate around it last."""
    shown = isolated(text)
    if shown == text:
        assert not set(text) - set("ab \n\u2029")
        return
    assert shown[0] == "\u2068" and [sign for sign in shown if sign in "ab\u05d0"] == [
        s for s in text if s in "ab\u05d0"
    ]
    ends: list[str] = []  # the ends of all that is open
    for place, sign in enumerate(shown):
        if sign in OPENS:
            ends.append(OPENS[sign])
        elif sign in OPENS.values():
            while ends[-1] != sign:
                assert sign == "\u2069" and ends.pop() == "\u202c", "an isolate's end ends embeddings within, too"
            ends.pop()
        elif sign in "\n\u2029":
            assert ends == ["\u2069"]
        assert ends[:1] == ["\u2069"] or place == len(shown) - 1
    assert not ends


@pytest.mark.parametrize("text", ["Ann", "胡荣华", "Müller – é", "", "a\nb", "😀", "中文，字"])
def test_other_texts_are_as_they_were(text: str) -> None:
    assert isolated(text) == text == visible(text)


def test_a_terminal_gets_nothing_that_acts_on_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert visible("a\u202eb\u2066\x1b[31m\r\x9b\u061c\tc\n") == "a\\u202eb\\u2066\\x1b[31m\\r\\x9b\\u061c\tc\n"
    to_stderr("siqi convert: \u202egnp.exe: no such file")
    assert capsys.readouterr().err == "siqi convert: \\u202egnp.exe: no such file\n"
