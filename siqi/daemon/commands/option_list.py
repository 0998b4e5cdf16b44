"""`siqi options`: the options by group, with what they mean, for a terminal or as the tables of the documents."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterable, Iterator

from siqi.daemon.engine.options import CORE, NO_FILE, declared, value_range
from siqi.games import registry
from siqi.games.contract import Help, Option
from siqi.games.options import SHARED

LANGUAGES = ("en", "zh")

ENGINE = Help("All games", "各棋种")
BOOKS = Help("Books and tablebases", "开局库、规则库和残局库")
PAPERS = {
    1: Help("Paper 1: UCT in EWN (Algorithm uct)", "论文 1：爱恩斯坦棋的 UCT（Algorithm uct）"),
    4: Help("Paper 4: cooperation in Junqi (Algorithm cooperation)", "论文 4：军棋的协同（Algorithm cooperation）"),
}
"""The papers whose players have options of their own."""

HEAD = Help("option | type | default | meaning", "选项 | 类型 | 默认值 | 含义")

WIDTH, INDENT = 100, " " * 6


def add_arguments(found: argparse.ArgumentParser) -> None:
    """Add the arguments of `siqi options` to a parser."""
    found.add_argument("game", nargs="?", choices=registry.NAMES, help="only the options that this game has")
    found.add_argument("--language", choices=LANGUAGES, default="en", help="of the text (en)")
    found.add_argument("--markdown", action="store_true", help="as tables for a document")


def print_options(options: argparse.Namespace) -> int:
    """Print the options; return the exit status."""
    write = markdown if options.markdown else plain
    print("\n".join(write(groups(options.game or ""), options.language)))
    return 0


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


def plain(found: Iterable[tuple[Help, list[Option]]], language: str) -> Iterator[str]:
    """Yield lines for a terminal."""
    for title, options in found:
        if not options:
            continue
        yield text_of(title, language) + ("：" if language == "zh" else ":")
        for option in options:
            default = f" ({option.default or NO_FILE})" if option.kind != "button" else ""
            yield f"  {option.name}  {value_range(option)}{default}"
            meaning = text_of(option.help, language).replace("`", "")
            width = WIDTH // 2 if language == "zh" else WIDTH  # a Chinese character takes two columns
            yield from textwrap.wrap(meaning, width, initial_indent=INDENT, subsequent_indent=INDENT)
        yield ""


def markdown(found: Iterable[tuple[Help, list[Option]]], language: str) -> Iterator[str]:
    """Yield the lines of a document: a section with a table for each group."""
    for title, options in found:
        if not options:
            continue
        yield from (f"## {text_of(title, language)}", "", f"| {text_of(HEAD, language)} |", "|---|---|---|---|")
        for option in options:
            default = "" if option.kind == "button" else option.default or f"`{NO_FILE}`"
            yield f"| {option.name} | {value_range(option)} | {default} | {text_of(option.help, language)} |"
        yield ""
