"""The parser of command lines: errors in our words, which name a document; its texts in the user's language."""

from __future__ import annotations

import argparse
import functools
import re
from collections.abc import Sequence
from typing import Any, NoReturn

from siqi.daemon.commands.arguments import MISUSED
from siqi.system.columns import wrapped
from siqi.system.languages import LANGUAGES, preferred_language
from siqi.system.messages import is_english, translated
from siqi.system.pipes import escaped
from siqi.system.spelling import did_you_mean

_PLAIN = "\0"
"""The beginning, while arguments are parsed, of a word behind `--`: argparse takes it for no option."""


def _split(words: Sequence[str]) -> tuple[Sequence[str], bool, Sequence[str]]:
    """Return the words before `--`, True if there is one, and the words behind it."""
    if "--" not in words:
        return words, False, ()
    at = words.index("--")
    return words[:at], True, words[at + 1 :]


REWORDED = (
    (r"unrecognized arguments: (.*)", "unknown arguments: {}"),
    (r"argument (.*): invalid choice: '?(.*?)'? \(choose from (.*)\)", "argument {0}: one of {2}, not {1}"),
    (r"argument (.*): expected (?:one|at least one) argument", "argument {}: a value is missing"),
    (r"argument (.*): expected (\d+) arguments", "argument {}: {} values are needed"),
    (r"argument (.*): invalid (?:int|float) value: '(.*)'", "argument {}: not a number: {}"),
    (r"argument (.*): not allowed with argument (.*)", "argument {}: not together with {}"),
    (r"argument (.*): ignored explicit argument '?(.*?)'?", "argument {}: it takes no value, {}"),
    (r"the following arguments are required: (.*)", "missing: {}"),
    (r"ambiguous option: (.*) could match (.*)", "{} may stand for {}"),
)
"""Messages of argparse, and what is said in their place."""


def reworded(message: str) -> str:
    """Return a message of argparse in our words; others stay as they are."""
    for pattern, words in REWORDED:
        if match := re.fullmatch(pattern, message, re.DOTALL):
            text = words.format(*match.groups())
            if "choose from" not in message:
                return text
            return text.replace("'", "") + did_you_mean(match[2], match[3].replace("'", "").split(", "))
    return message


class HelpFormatter(argparse.HelpFormatter):
    """The layout of help: argparse's, with texts in the user's language, whose characters may take two columns."""

    def add_text(self, text: str | None) -> None:
        super().add_text(text and translated(text))

    def start_section(self, heading: str | None) -> None:
        super().start_section(heading and translated(heading))

    def format_help(self) -> str:
        return re.sub(r"^([\u4e00-\u9fff]+):$", r"\1：", super().format_help(), flags=re.MULTILINE)

    def _get_help_string(self, action: argparse.Action) -> str | None:
        return action.help and translated(action.help)

    def _format_usage(self, usage: Any, actions: Any, groups: Any, prefix: Any) -> str:
        if is_english() or prefix is not None:
            return super()._format_usage(usage, actions, groups, prefix)
        english = "usage:"  # takes as many columns as the Chinese
        return super()._format_usage(usage, actions, groups, f"{english} ").replace(english, translated(english), 1)

    def _split_lines(self, text: str, width: int) -> list[str]:
        return super()._split_lines(text, width) if is_english() else wrapped(" ".join(text.split()), width)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """Return a text of one line as a paragraph; one of several lines, such as examples, stays as it is."""
        lines = text.split("\n") if "\n" in text else self._split_lines(text, width)
        return "\n".join(indent + line for line in lines)


class CommandParser(argparse.ArgumentParser):
    """A parser whose errors name a document; `page`: the command that prints it."""

    is_leaf = True

    def __init__(self, *, page: str = "siqi docs", **settings: Any) -> None:
        super().__init__(**{"formatter_class": HelpFormatter, **settings})
        self.page = page

    def add_subparsers(self, **settings: Any) -> Any:
        """Declare commands, whose document is this parser's unless they name one."""
        return super().add_subparsers(**{"parser_class": functools.partial(CommandParser, page=self.page), **settings})

    def format_usage(self) -> str:
        """Return the usage in English: argparse cuts off that word's seven characters."""
        formatter = self._get_formatter()
        formatter.add_usage(self.usage, self._actions, self._mutually_exclusive_groups, "usage: ")
        return formatter.format_help()

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse; options may stand between a command's files."""
        before, is_split, after = _split(args)
        self._check_names(before)
        if not self.is_leaf:
            return super().parse_known_args(args, namespace)
        words = [_PLAIN + word if is_split and word.startswith("-") else word for word in after]
        self.is_leaf = False  # the call below comes back here
        try:
            parsed, unknown = self.parse_known_intermixed_args([*before, *words], namespace)
        finally:
            self.is_leaf = True
        for name, value in vars(parsed).items():
            if isinstance(value, list):
                plain = [word.removeprefix(_PLAIN) if isinstance(word, str) else word for word in value]
                setattr(parsed, name, plain)
        if unknown:
            self.error(f"unknown arguments: {' '.join(unknown)}")
        return parsed, unknown

    def _check_names(self, words: Sequence[str]) -> None:
        """End with an error at a word that looks like an option and is none; a command's own come behind its name."""
        known = self._option_string_actions
        for word in words:
            name = word.partition("=")[0]
            if name.startswith("--") and not any(option.startswith(name) for option in known):
                self.error(f"unknown arguments: {name}{did_you_mean(name, known)}")
            if not self.is_leaf and not word.startswith("-") and "=" not in word:
                return

    def error(self, message: str) -> NoReturn:
        message = message.replace(repr(_PLAIN)[1:-1], "").replace(_PLAIN, "")
        hint = translated(f"(see {self.prog} --help, {self.page})")
        blank = " " if is_english() else ""
        self.exit(MISUSED, f"{self.prog}: {translated(escaped(reworded(message)))}{blank}{hint}\n")


def language_of(words: Sequence[str]) -> str:
    """Return the language that a command line asks for, before it is parsed: its last `--language`, or the user's."""
    language = preferred_language()
    before = _split(words)[0]
    for word, following in zip(before, [*before[1:], ""], strict=False):
        name, equals, value = word.partition("=")
        if name == "--language" and (chosen := value if equals else following) in LANGUAGES:
            language = chosen
    return language


def add_language(parser: argparse.ArgumentParser, default: str = argparse.SUPPRESS) -> None:
    """Declare `--language` for a parser and all its commands; these leave it unset where it is not given."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in dict.fromkeys(action.choices.values()):
                add_language(command)
    what = "language of messages and texts; default: the locale's"
    parser.add_argument("--language", choices=LANGUAGES, default=default, help=what)
