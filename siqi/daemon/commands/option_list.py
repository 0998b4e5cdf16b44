"""`siqi options`: the options by group, with what they mean, for a terminal or as the tables of the documents."""

from __future__ import annotations

import argparse
import re
import textwrap
from collections.abc import Iterable, Iterator

from siqi.daemon.commands.arguments import MISUSED
from siqi.daemon.engine.options import CORE, NO_FILE, declared, value_range
from siqi.games import registry
from siqi.games.contract import Help, Option
from siqi.games.options import SHARED
from siqi.system.columns import wrapped
from siqi.system.languages import LANGUAGES
from siqi.system.pipes import printable, to_stderr
from siqi.system.spelling import did_you_mean

ENGINE = Help("All games", "各棋种")
BOOKS = Help("Books and tablebases", "开局库、规则库和残局库")
PAPERS = {
    1: Help("Paper 1: UCT in EWN (Algorithm uct)", "论文 1：爱恩斯坦棋的 UCT（Algorithm uct）"),
    3: Help("Paper 3: roads in Connect6 (Algorithm roads)", "论文 3：六子棋的“路”（Algorithm roads）"),
    4: Help("Paper 4: cooperation in Junqi (Algorithm cooperation)", "论文 4：军棋的协同（Algorithm cooperation）"),
}
"""The papers whose players have options of their own."""

HEAD = Help("option | type | default | meaning", "选项 | 类型 | 默认值 | 含义")

WIDTH, INDENT = 100, " " * 6


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `siqi options` to a parser."""
    what = "a game, for its options, a part of an option's name, or a word of its meaning; default: all options"
    parser.add_argument("wanted", nargs="?", metavar="GAME|NAME", help=what)
    parser.add_argument("name", nargs="?", metavar="NAME", help="behind a game: a part of a name, or a word, as before")
    parser.add_argument("--markdown", action="store_true", help="as tables for a document")


def print_options(options: argparse.Namespace) -> int:
    """Print the options; return the exit status."""
    write = markdown if options.markdown else plain
    wanted, game = options.wanted or "", ""
    if wanted in registry.NAMES:
        wanted, game = options.name or "", wanted
    elif options.name is not None:
        wanted = f"{wanted} {options.name}"  # a name of two words without quotes
    shown = list(named(wanted, game))
    if not any(group for _, group in shown):
        shown = list(explained_by(wanted, game))
    if not any(group for _, group in shown):
        names = (option.name for _, group in groups(game) for option in group)
        meant = did_you_mean(wanted, (*registry.NAMES, *names))
        to_stderr(f"siqi options: no option or game {printable(wanted)}{meant} (siqi options lists all)")
        return MISUSED
    print("\n".join(write(shown, options.language)))
    return 0


def named(part: str, game: str = "") -> Iterator[tuple[Help, list[Option]]]:
    """Yield the groups, of a game or of all, with those options alone whose names contain these letters."""
    for title, group in groups(game):
        yield title, [option for option in group if part.lower() in option.name.lower()]


def explained_by(word: str, game: str = "") -> Iterator[tuple[Help, list[Option]]]:
    """Yield the groups with those options alone whose meaning, in any language, has this word, large or small."""
    for title, group in groups(game):
        yield title, [option for option in group if any(has_word(text, word) for text in option.help)]


def has_word(text: str, word: str) -> bool:
    """True if a text has this word, or a word that begins with it; Chinese has no ends of words."""
    return re.search((r"\b" if word[:1].isascii() else "") + re.escape(word), text, re.IGNORECASE) is not None


def groups(game: str = "") -> Iterator[tuple[Help, list[Option]]]:
    """Yield the groups of options with their titles, those of a game only or, if it is '', of all games."""
    yield ENGINE, [option for option in CORE if option not in SHARED]
    yield BOOKS, [option for option in SHARED if not game or option in registry.info(game).options]
    names = (game,) if game else registry.NAMES
    own = [(option, owner) for option, owner in declared() if owner in names]
    for name in names:
        info = registry.info(name)
        options = [option for option, owner in own if owner == name and not option.paper]
        yield Help(info.english.game, info.chinese.game), options
    for paper, title in PAPERS.items():
        yield title, [option for option, _ in own if option.paper == paper]


def text_of(help_: Help, language: str) -> str:
    return help_[LANGUAGES.index(language)]


def plain(shown: Iterable[tuple[Help, list[Option]]], language: str) -> Iterator[str]:
    """Yield lines for a terminal."""
    for title, options in shown:
        if not options:
            continue
        yield text_of(title, language) + ("：" if language == "zh" else ":")
        for option in options:
            default = f" ({option.default or NO_FILE})" if option.kind != "button" else ""
            yield f"  {option.name}  {value_range(option)}{default}"
            meaning = text_of(option.help, language).replace("`", "")
            fill = wrapped if language == "zh" else textwrap.wrap
            yield from (f"{INDENT}{line}" for line in fill(meaning, WIDTH - len(INDENT)))
        yield ""


def markdown(shown: Iterable[tuple[Help, list[Option]]], language: str) -> Iterator[str]:
    """Yield the lines of a document: a section with a table for each group."""
    for title, options in shown:
        if not options:
            continue
        yield from (f"## {text_of(title, language)}", "", f"| {text_of(HEAD, language)} |", "|---|---|---|---|")
        for option in options:
            default = "" if option.kind == "button" else option.default or f"`{NO_FILE}`"
            yield f"| {option.name} | {value_range(option)} | {default} | {text_of(option.help, language)} |"
        yield ""
