"""CITATION.cff: the version of the package, and the papers as their pages name them."""

from __future__ import annotations

import re
from pathlib import Path

from siqi.version import __version__

ROOT = Path(__file__).resolve().parents[2]
CITATION = (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_the_version_is_the_package_s() -> None:
    assert f"\nversion: {__version__}\n" in CITATION


def test_the_papers_are_cited_as_on_their_pages() -> None:
    _, *papers = CITATION.split("  - type: article\n")
    for number, paper in enumerate(papers, 1):
        page = " ".join((ROOT / f"docs/results/paper-{number}.md").read_text(encoding="utf-8").split())
        fields = dict(re.findall(r"(\w+): (.+)", paper))
        names = re.findall(r"family-names: (\w+), given-names: (\w+)", paper)
        assert f"{', '.join(map(' '.join, names))}: {fields['title']}. {fields['journal']}" in page
        volume = f"{fields['volume']}({fields['issue']}), " if "volume" in fields else ""
        assert f"{fields['journal']}{' ' if volume else ', '}{volume}{fields['year']}" in page
    assert len(papers) == len(list((ROOT / "docs/results").glob("paper-?.md")))
