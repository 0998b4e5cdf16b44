"""The knowledge that the settings select for Junqi: the evaluation, the model of beliefs and the user's layouts."""

from __future__ import annotations

import functools
from pathlib import Path

from siqi.games.contract import Warn
from siqi.games.junqi import Settings
from siqi.games.junqi.evaluation import choice
from siqi.games.junqi.evaluation.choice import Evaluation
from siqi.games.junqi.knowledge import belief_models
from siqi.games.junqi.knowledge.belief_models import BeliefModel
from siqi.games.junqi.rules.notation import check_deployment
from siqi.games.options import changed, named_file
from siqi.system.encodings import read_text

MAX_BYTES = 1 << 20
"""The largest file of layouts, in bytes: 40,000 layouts."""


def read_layouts(path: Path) -> list[str]:
    """Return a file's deployment words, one per line; `#` begins a comment.

    OSError; ValueError, with line and reason, if it is no text, a word is not a legal deployment, or there is none.
    """
    layouts = []
    for number, line in enumerate(read_text(path, MAX_BYTES).splitlines(), 1):
        word = line.partition("#")[0].strip()
        if word:
            try:
                check_deployment(word)
            except ValueError as error:
                raise ValueError(f"line {number}: {error}") from None
            layouts.append(word)
    if not layouts:
        raise ValueError("no layouts")
    return layouts


class Knowledge:
    """The evaluation and the model of beliefs, chosen at their first use, and the user's layouts."""

    def __init__(self, settings: Settings, warn: Warn) -> None:
        """`warn` gets a line for a file that cannot be used."""
        self.settings = settings
        self.warn = warn
        self.layouts: list[str] = []
        """Set-up words of the user's file; without any the engine draws its own."""

    def use(self, settings: Settings) -> None:
        """Take other settings; what differs by them is chosen anew."""
        changes = changed(self.settings, settings)
        self.settings = settings
        if "beliefs" in changes or ("beliefs_file" in changes and settings.beliefs == "network"):
            self.__dict__.pop("beliefs", None)
        if "evaluation" in changes or ("network_file" in changes and settings.evaluation == "network"):
            self.__dict__.pop("evaluation", None)

    # Options come one by one, and only all together show whether a warning is due.

    @functools.cached_property
    def beliefs(self) -> BeliefModel:
        """The model of beliefs that the options name, chosen at its first use."""
        return belief_models.choose(self.settings.beliefs, named_file(self.settings.beliefs_file), self.warn)

    @functools.cached_property
    def evaluation(self) -> Evaluation:
        """The evaluation that the options name, chosen at its first use."""
        return choice.choose(self.settings.evaluation, named_file(self.settings.network_file), self.warn)

    def read_layouts(self, path: str) -> None:
        """Read the user's file, again if the same one is named again; '': there is none."""
        self.layouts = self._read_layouts(path) if path else []

    def _read_layouts(self, path: str) -> list[str]:
        try:
            return read_layouts(Path(path))
        except OSError as error:
            self.warn(f"cannot read {path}: {error.strerror}")
        except ValueError as error:
            self.warn(f"{path}: {error}")
        return []
