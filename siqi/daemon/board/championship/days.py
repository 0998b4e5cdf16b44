"""The folder of contests: a folder a day, in it a file of facts for each contest, and the official records."""

from __future__ import annotations

from pathlib import Path

from siqi.daemon.board.championship.entries import AnyEntry, Begun
from siqi.daemon.board.store import SUFFIX, Store

DAY = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]"


class Days(Store[AnyEntry]):
    """The contests of all days; the youngest goes on, a new one begins in the folder of its day."""

    def __init__(self, root: Path) -> None:
        """Make the folder if there is none; OSError if that fails."""
        super().__init__(root, AnyEntry)

    def _paths(self) -> list[Path]:
        return sorted(self.root.glob(f"{DAY}/*{SUFFIX}"), reverse=True)

    def begin(self, entry: Begun) -> None:  # type: ignore[override]
        before, self.folder = self.folder, self.root / entry.at[:10]
        try:
            super().begin(entry)
        except OSError:
            self.folder = before
            raise

    @property
    def last_day(self) -> str:
        """The youngest day that has a folder, '' if there is none."""
        return max((folder.name for folder in self.root.glob(DAY)), default="")
