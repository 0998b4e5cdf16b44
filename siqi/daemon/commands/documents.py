"""`siqi docs`: the pages of the documents, as a list or one of them as text.

The index page of each language names all pages, so the list is made of its links. A wheel has the pages in the
package (hatch_build.py), a checkout where they are written.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from siqi.daemon.commands.arguments import FAILED, MISUSED
from siqi.system.pipes import printable, to_stderr
from siqi.system.spelling import did_you_mean

PACKAGE = Path(__file__).resolve().parents[2]

INDEX = {"en": "docs/index.md", "zh": "docs/index.zh.md"}

FENCE = re.compile(r"^(?P<fence>```+).*?^(?P=fence)\s*?$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"(?P<picture>!?)\[(?P<text>[^\]\n]*(?:\n[^\]\n]+)?)\]\((?P<target>[^)\s]+)\)")
COMMENT = re.compile(r"\n*<!--.*?-->", re.DOTALL)


class Page(NamedTuple):
    """A page, as the list shows it."""

    section: str
    name: str
    path: Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `siqi docs` to a parser."""
    what = "a page, or the end of its name, for example match or protocol/ucci; default: list them"
    parser.add_argument("page", nargs="?", metavar="NAME", help=what)


def print_documents(options: argparse.Namespace) -> int:
    """Print a page, or the list of them; return the exit status."""
    root = documents_folder()
    if root is None:
        to_stderr("siqi docs: the documents are not installed")
        return FAILED
    pages = list(listed(root, options.language))
    if options.page is None:
        show("\n".join(list_of(pages)))
        return 0
    page = find(options.page, pages)
    if page is None:
        names = [word for page in pages for word in (page.name, page.name.rpartition("/")[2])]
        meant = did_you_mean(plain_name(options.page), names)
        to_stderr(f"siqi docs: no page {printable(options.page)}{meant} (siqi docs lists all)")
        return MISUSED
    show(text_of(page.path, root, pages))
    return 0


def documents_folder(package: Path = PACKAGE) -> Path | None:
    """Return the folder in which the documents have the paths of a checkout, None if they are not there."""
    for folder in (package / "documents", package.parent):
        if (folder / INDEX["en"]).is_file():
            return folder
    return None


def listed(root: Path, language: str) -> Iterator[Page]:
    """Yield the pages in the index's order and sections; a page that a language lacks is the English one."""
    index = root / INDEX[language]
    head, *sections = index.read_text(encoding="utf-8").split("\n## ")
    yield Page(head.partition("\n")[0].removeprefix("# "), "index", index)
    for section in sections:
        title, _, rest = section.partition("\n")
        for link in LINK.finditer(rest):
            if link["target"].endswith(".md"):
                path = Path(os.path.normpath(index.parent / link["target"]))
                yield Page(title, name_of(path, root), path)


def name_of(path: Path, root: Path) -> str:
    """Return the name of a page: its path without docs/ and endings, and a folder's for the first page in it."""
    return plain_name(path.relative_to(root).as_posix())


def plain_name(name: str) -> str:
    """Return a page's name as the list has it, of one that may be written as a path."""
    name = name.lower().removesuffix(".md").removesuffix(".zh").removeprefix("docs/")
    for first in ("/index", "/readme"):
        name = name.removesuffix(first)
    return "index" if name == "readme" else name


def find(name: str, pages: list[Page]) -> Page | None:
    """Return the first page of the list that has this name or ends in it, None if none does."""
    wanted = plain_name(name)
    exact = (page for page in pages if page.name == wanted)
    ending = (page for page in pages if page.name.endswith(f"/{wanted}"))
    return next(exact, None) or next(ending, None)


def list_of(pages: list[Page]) -> Iterator[str]:
    """Yield the lines of the list: sections, and in them each page's name and title."""
    width = max(len(page.name) for page in pages)
    section = pages[0].section
    for page in pages:
        if page.section != section:
            section = page.section
            yield from ("", f"{section}:")
        title = page.path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
        yield f"  {page.name:<{width}}  {title}"


def text_of(path: Path, root: Path, pages: list[Page]) -> str:
    """Return a page as text, in which each link is followed by where it leads: a command, a path or an address."""
    names = {page.name for page in pages}

    def link(match: re.Match[str]) -> str:
        words, target = match["text"], match["target"]
        if match["picture"]:
            return f"[{words}]"
        if target.startswith("#"):
            return words
        if "://" in target:
            return f"{words} ({target})"
        to = Path(os.path.normpath(path.parent / target.partition("#")[0]))
        if to == path:
            return words
        if to.suffix != ".md" or name_of(to, root) not in names:
            return f"{words} ({to.relative_to(root).as_posix()})"
        other = ""
        if name_of(to, root) == name_of(path, root):
            other = f" --language {'zh' if to.name.endswith('.zh.md') else 'en'}"
        return f"{words} (siqi docs {name_of(to, root)}{other})"

    text = path.read_text(encoding="utf-8")
    parts, end = [], 0
    for fence in FENCE.finditer(text):
        parts += [LINK.sub(link, text[end : fence.start()]), fence[0]]
        end = fence.end()
    return COMMENT.sub("", "".join([*parts, LINK.sub(link, text[end:])])).rstrip("\n")


def show(text: str) -> None:
    """Print a text, through the user's pager on a terminal."""
    if sys.stdout.isatty():
        import pydoc

        pydoc.pager(text + "\n")
    else:
        print(text)
