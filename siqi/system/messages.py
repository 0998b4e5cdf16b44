"""Messages for people in their language: the English texts of the sources, translated as they are printed.

Inside the program a message is English, as protocols, logs and the errors of the library are. Where a command prints
it, it goes through `translated`. A catalogue, the files `siqi/messages/LANGUAGE/*.json`, has the translation of each
message, with `{}` in place of a value: `{0}`, `{1}` where their order differs, `{:words}` for words of `words.json`.

A text may be made of several messages: the parts before `: ` and after `; `, and clauses, which begin with a comma, a
semicolon or a bracket. What the catalogue does not have stays English.
"""

from __future__ import annotations

import functools
import itertools
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "messages"

WORDS = "words"
"""The part of a catalogue with words that stand in lists and tables."""

FEW_LETTERS = 6
"""Messages with fewer letters are found only around values that are single words, or messages themselves."""

MAX_PARTS = 9
"""The most parts of a message, with the marks between them."""

_CLAUSE = r"((?:[,;:] .*| (?:\(|for |each).*)?)"
MARKS = {": ": "：", "; ": "；"}
"""Marks between parts of a text, and what they are behind Chinese."""

_MARKS = re.compile(r"(: |; |  +|(?<=\.) (?=[a-z]))")  # the last behind the number of a move
_VALUE = re.compile(r"(?:[,;:]| (?:\(|for |each)).*|(?:(?!: |; |  ).)*")
"""A value that is no further part of a text: a clause, or a text without marks."""

_PLURAL = re.compile("(?:file|game)$")
"""The text before the ending of a plural."""

_LIST = re.compile(r"[^ ,]*(?:, [^ ,]+)*")


class Message:
    """A message and its translation."""

    def __init__(self, english: str, translation: str) -> None:
        self.english = english
        self.translation = translation
        self.literals = english.split("{}")
        self.longest = max(self.literals, key=len)
        self.letters = sum(map(str.isalpha, english))
        self.is_plain = self.letters >= FEW_LETTERS or ": " in english

    @functools.cached_property
    def pattern(self) -> re.Pattern[str]:
        """The pattern of the message with its values.

        One right behind another is a clause, or empty; one behind a noun is the ending of a plural.
        """
        pattern = re.escape(self.literals[0])
        for at, (before, behind) in enumerate(itertools.pairwise(self.literals)):
            value = _CLAUSE if at and not before else "(s?)" if _PLURAL.search(before) else "(.*?)"
            pattern += value + re.escape(behind)
        return re.compile(pattern)


class Catalogue:
    """The messages of a language."""

    def __init__(self, messages: Mapping[str, str], words: Mapping[str, str]) -> None:
        self._words = words
        self._lines = {**words, **messages}
        compiled = map(Message, messages, messages.values())
        self._messages = sorted(compiled, key=lambda message: (-message.letters, -len(message.english)))
        self._clauses = [message for message in self._messages if message.english.startswith((",", "("))]
        self._known: dict[str, str | None] = {}  # what `_sentence` has returned for the text being translated

    def translate(self, text: str) -> str:
        """Return a text, or each line of it, with its messages translated."""
        self._known.clear()
        return "\n".join(map(self._line, text.split("\n")))

    def _line(self, line: str) -> str:
        text = line.lstrip(" ")
        return line[: len(line) - len(text)] + (self._lines.get(text) or self._sentence(text) or text)

    def value(self, text: str) -> str:
        """Return a value of a message: it may be a message, too, with a blank or a mark before it in English."""
        if (mark := MARKS.get(text[:2])) and (sentence := self._sentence(text[2:])):
            return mark + sentence
        return self._sentence(text.strip(" ")) or text

    def words(self, text: str) -> str:
        """Return a list in which words are translated, alone or before what belongs to them."""
        if sentence := self._sentence(text):
            return sentence
        words = list(map(self._word, parts := text.strip(" ").split(", ")))
        return text if words == parts else "、".join(words)

    def _word(self, text: str) -> str:
        word, blank, rest = text.rpartition(" ")
        begun = self._words.get(word) or self._sentence(word)
        return self._words.get(text) or self._sentence(text) or (f"{begun}{blank}{rest}" if begun else text)

    def _sentence(self, text: str) -> str | None:
        """Return the translation of a text of messages; None if it has none, or is a single word."""
        if " " not in text:
            return None
        if text not in self._known:
            self._known[text] = self._whole(text) or self._parts(text)
        return self._known[text]

    def _whole(self, text: str) -> str | None:
        """Return the translation of a text that is one message; the one with most letters counts."""
        for message in self._messages:
            if message.longest in text and (match := message.pattern.fullmatch(text)):
                values = match.groups()
                if all(map(_VALUE.fullmatch, values)) and (message.is_plain or all(map(self._is_certain, values))):
                    return message.translation.format(*(Value(self, value) for value in values))
        return None

    def _is_certain(self, value: str) -> bool:
        return _LIST.fullmatch(value) is not None or self.words(value) != value

    def _parts(self, text: str) -> str | None:
        """Return a text with those of its parts translated that are messages, or together are one; None if none is."""
        parts = _MARKS.split(text)
        translated, at = [""], 0
        is_found = False
        while at < len(parts):
            ends = range(min(len(parts), at + MAX_PARTS), at, -2) if len(parts) > 1 else ()
            pieces = ((end, self._whole("".join(parts[at:end]))) for end in ends)
            end, chinese = next(filter(lambda piece: piece[1], pieces), (at + 1, self._with_clause(parts[at])))
            is_found = is_found or chinese is not None
            translated += [chinese or parts[at], *parts[end : end + 1]]
            if chinese is not None and end < len(parts):
                translated[-1] = MARKS.get(parts[end], parts[end])
            at = end + 1
        return "".join(translated) if is_found else None

    def _with_clause(self, text: str) -> str | None:
        """Return the translation of a text that ends in a clause, None if it does not."""
        for clause in self._clauses:
            at = text.find(clause.literals[0], 1)
            if at > 0 and clause.pattern.fullmatch(text, at):
                return self.value(text[:at].rstrip(" ")) + (self._whole(text[at:]) or text[at:])
        return None


class Value:
    """A value, as the translation of its message formats it."""

    def __init__(self, catalogue: Catalogue, text: str) -> None:
        self._catalogue = catalogue
        self._text = text

    def __format__(self, form: str) -> str:
        return self._catalogue.words(self._text) if form == WORDS else self._catalogue.value(self._text)


_selected: list[Catalogue] = []
"""The catalogue of the selected language; none for English."""


def select(language: str) -> None:
    """Let `translated` return texts in this language from now on."""
    _selected[:] = [] if language == "en" else [load(language)]


def load(language: str) -> Catalogue:
    """Return the catalogue of a language."""
    parts = dict(parts_of(language))
    words = parts.pop(WORDS)
    return Catalogue({english: text for part in parts.values() for english, text in part.items()}, words)


def parts_of(language: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the files of a catalogue, each with its name."""
    for path in sorted((FOLDER / language).glob("*.json")):
        yield path.stem, json.loads(path.read_text(encoding="utf-8"))


def translated(text: str) -> str:
    """Return a text for people in the selected language."""
    return _selected[0].translate(text) if _selected else text


def is_english() -> bool:
    """True while texts stay as they are."""
    return not _selected
