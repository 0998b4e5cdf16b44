"""Put the pages of the documents into the wheel, where `siqi docs` finds them; an editable one reads the checkout's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PAGES = ("docs/**/*.md", "protocol*.md", "CHANGELOG.md", "CONTRIBUTING.md", "scripts/README.md", "siqi/books/README.md")


class Documents(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version != "editable":
            root = Path(self.root)
            pages = (page for pattern in PAGES for page in root.glob(pattern))
            build_data["force_include"] |= {
                str(page): f"siqi/documents/{page.relative_to(root).as_posix()}" for page in pages
            }
