"""List the pages whose Chinese version is older than the English one, or mark Chinese pages as up to date.

    python docs/translations.py
    python docs/translations.py PAGE.zh.md ...

The last line of a Chinese page, a comment, has a digest of the English text that it was written after. After a change
of the English page bring the Chinese one up to date, then mark it with the second command. The first command exits
with 1 if a page is older.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MARK = re.compile(r"\n*<!-- English: (\w+) -->\n*\Z")


def english_of(page: Path) -> Path:
    """Return the English page of a Chinese one."""
    return page.with_name(page.name.removesuffix(".zh.md") + ".md")


def digest(english: Path) -> str:
    """Return a digest of an English page's text."""
    return hashlib.sha256(english.read_bytes()).hexdigest()[:16]


def chinese_pages() -> list[Path]:
    """Return the Chinese pages, sorted."""
    return sorted([*ROOT.glob("*.zh.md"), *(ROOT / "docs").rglob("*.zh.md")])


def outdated() -> Iterator[str]:
    """Yield a line for each Chinese page that is older than the English one, or has none."""
    for page in chinese_pages():
        english = english_of(page)
        mark = MARK.search(page.read_text(encoding="utf-8"))
        if not english.exists():
            yield f"{page.relative_to(ROOT)}: there is no {english.name}"
        elif mark is None or mark[1] != digest(english):
            yield f"{page.relative_to(ROOT)}: older than {english.name}"


def mark(page: Path) -> None:
    """Write into a Chinese page that it says what the English one says now."""
    text = MARK.sub("", page.read_text(encoding="utf-8")).rstrip("\n")
    page.write_text(f"{text}\n\n<!-- English: {digest(english_of(page))} -->\n", encoding="utf-8")


def main() -> int:
    named = [Path(name).resolve() for name in sys.argv[1:]]
    for page in named:
        if page not in chinese_pages() or not english_of(page).is_file():
            print(f"{page}: no Chinese page with an English one", file=sys.stderr)
            return 2
    for page in named:
        mark(page)
    if named:
        return 0
    stale = list(outdated())
    print(*stale, sep="\n", end="\n" if stale else "")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
