"""Build the site of these documents, in English and Chinese, as static files.

    python docs/build.py FOLDER

FOLDER then has `index.html`, `en/` and `zh/`, which any server of files can serve, or a browser open. It is new, empty,
or an earlier site and nothing else, which is replaced when the new one is whole. Sphinx's warnings and links without a
target are faults: the status is 1 then, and FOLDER stays as it was. Needs `pip install -e '.[docs]'`.

Each language is a site of its own, of the pages `x.md` or `x.zh.md` and those of TOP. Links between the two, and to
files that the site lacks, are rewritten first. The list of pages beside each page is made of the index page's links.
"""

from __future__ import annotations

import html.parser
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from siqi.daemon.commands.documents import FENCE, LINK

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"

LANGUAGES = {"en": "en", "zh": "zh_CN"}
"""The sites, and the names of their languages in Sphinx."""

TOP = {
    "CHANGELOG": "changelog",
    "CONTRIBUTING": "develop/contributing",
    "README": "index",
    "siqi/books/README": "develop/books",
    "protocol": "protocol/index",
    "scripts/README": "develop/scripts",
}
"""The pages outside docs/ and their names on the site. For README the site has its own index page."""

CHINESE_BREAK = re.compile(
    "(?<=[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef])\n(?=[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef])"
)
"""A line break within a Chinese sentence, which browsers would show as a blank."""

START = """<!doctype html><meta charset="utf-8"><title>Siqi 四棋</title>
<script>location.replace(navigator.language.startsWith("zh") ? "zh/index.html" : "en/index.html")</script>
<p><a href="en/index.html">English</a> · <a href="zh/index.html">中文</a></p>
"""


class Page(NamedTuple):
    """A page on the site: its language and its name there, without an ending."""

    language: str
    name: str


def page_of(path: Path) -> Page | None:
    """Return the page that a file is on the site, None if the site lacks it."""
    name = path.relative_to(ROOT).as_posix()
    if not name.endswith(".md"):
        return None
    stem, language = (name[:-6], "zh") if name.endswith(".zh.md") else (name[:-3], "en")
    if stem.startswith("docs/"):
        return Page(language, stem.removeprefix("docs/"))
    return Page(language, TOP[stem]) if stem in TOP else None


def pages() -> dict[Page, Path]:
    """Return the pages of the site and their files."""
    tops = [path for stem in TOP if stem != "README" for path in ROOT.glob(f"{stem}*.md")]
    files = {page_of(path): path for path in (*DOCS.rglob("*.md"), *tops)}
    return {page: path for page, path in files.items() if page is not None}


def rewritten(text: str, path: Path, page: Page, known: dict[Page, Path]) -> str:
    """Return a page's text with links that hold on the site; a link to another file becomes its text."""

    def link(match: re.Match[str]) -> str:
        words, target = match["text"], match["target"]
        if "://" in target or target.startswith("#"):
            return match[0]
        name, _, anchor = target.partition("#")
        anchor = anchor and f"#{anchor}"
        file = (path.parent / name).resolve()
        if match["picture"]:
            return f"![{words}](/{file.relative_to(DOCS).as_posix()})"
        to = page_of(file)
        if to not in known:
            return words
        if to.language == page.language:
            return f"[{words}](/{to.name}.md{anchor})"
        up = "../" * (page.name.count("/") + 1)
        return f'<a href="{up}{to.language}/{to.name}.html{anchor}">{words}</a>'

    def prose(text: str) -> str:
        return LINK.sub(link, CHINESE_BREAK.sub("", text))

    parts, end = [], 0
    for fence in FENCE.finditer(text):
        parts += [prose(text[end : fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*parts, prose(text[end:])])


def contents(index: str) -> str:
    """Return the lists of pages, hidden trees of Sphinx, for the sections of the index page and their links."""
    trees = []
    for section in index.split("\n## ")[1:]:
        title, _, rest = section.partition("\n")
        names = dict.fromkeys(re.findall(r"\]\(/([^)#]+)\.md\)", rest))
        if names:
            trees.append(
                "\n".join(["```{toctree}", ":hidden:", ":titlesonly:", f":caption: {title}", "", *names, "```"])
            )
    return "\n\n".join(trees)


def stage(folder: Path, language: str, known: dict[Page, Path]) -> None:
    """Write the sources of one language's site."""
    for page, path in known.items():
        if page.language != language:
            continue
        text = rewritten(path.read_text(encoding="utf-8"), path, page, known)
        if page.name == "index":
            text += "\n" + contents(text) + "\n"
        to = folder / f"{page.name}.md"
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text(text, encoding="utf-8")
    for path in DOCS.rglob("*"):
        if path.suffix in (".png", ".svg"):
            to = folder / path.relative_to(DOCS)
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, to)


class Links(html.parser.HTMLParser):
    """The links of a page of HTML, and the names in it that links may have."""

    def __init__(self) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.names: set[str] = set()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if name == "id" and value:
                self.names.add(value)
            elif name in ("href", "src") and value and tag != "link":
                self.targets.append(value)


def broken_links(site: Path) -> Iterator[str]:
    """Yield a line for each link in a site that leads to no file, or to a name that its page lacks."""
    parsed = {}
    for path in sorted(site.rglob("*.html")):
        parsed[path] = Links()
        parsed[path].feed(path.read_text(encoding="utf-8"))
    for path, links in parsed.items():
        for target in links.targets:
            parts = urllib.parse.urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            file = Path(os.path.normpath(path.parent / urllib.parse.unquote(parts.path))) if parts.path else path
            name = urllib.parse.unquote(parts.fragment)
            if not file.is_file() or (name and file in parsed and name not in parsed[file].names):
                yield f"{path.relative_to(site)}: no target of the link {target}"


def build(site: Path) -> list[str]:
    """Build the site into a new folder; return a line for each fault."""
    known, faults = pages(), []
    with tempfile.TemporaryDirectory() as name:
        running = []
        for language, sphinx_name in LANGUAGES.items():
            sources = Path(name, language)
            stage(sources, language, known)
            command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-c", str(DOCS)]
            warnings = Path(name, f"{language}.txt")
            command += ["-d", f"{name}/{language}-doctrees", "-D", f"language={sphinx_name}", "-w", str(warnings)]
            command += [str(sources), str(site / language)]
            running.append((subprocess.Popen(command, stderr=subprocess.PIPE, text=True), warnings))
        for process, warnings in running:
            _, said = process.communicate()  # may also have that kernels are being compiled
            warned = warnings.read_text(encoding="utf-8") if warnings.exists() else ""
            if process.returncode and not warned:
                warned = f"Sphinx ended with status {process.returncode}\n{said}"
            faults += [line.replace(f"{name}/", "") for line in warned.splitlines() if line.strip()]
    (site / "index.html").write_text(START, encoding="utf-8")
    return [*faults, *broken_links(site)]


def is_ours(target: Path) -> bool:
    """True if a folder may be replaced: it does not exist, is empty, or has an earlier site and nothing else."""
    if not target.exists():
        return True
    if not target.is_dir():
        return False
    names = {path.name for path in target.iterdir()}
    return not names or (names == {"index.html", *LANGUAGES} and (target / "index.html").read_bytes() == START.encode())


def main() -> int:
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 2
    target = Path(sys.argv[1]).resolve()
    if not is_ours(target):
        print(f"{target} is no earlier site; it stays as it is", file=sys.stderr)
        return 2
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as name:
        site = Path(name, "site")
        site.mkdir()
        faults = build(site)
        if faults:
            print(*faults, sep="\n", file=sys.stderr)
            return 1
        if target.exists():
            target.rename(Path(name, "earlier"))  # removed with the temporary folder
        site.rename(target)
    print(f"{target}/index.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
