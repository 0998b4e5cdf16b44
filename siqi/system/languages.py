"""The languages of the texts for people, and which of them a user reads."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

LANGUAGES = ("en", "zh")

CHINESE_ON_WINDOWS = 0x04
"""The primary identifier of Chinese, the low ten bits of Windows' identifiers of languages."""


def preferred_language(environment: Mapping[str, str] = os.environ) -> str:
    """Return the language of the user's locale, `en` if it is none of ours: the variables of POSIX, then Windows."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if locale := environment.get(name):
            return "zh" if locale.lower().startswith("zh") else "en"
    if sys.platform == "win32":
        import ctypes

        if ctypes.windll.kernel32.GetUserDefaultUILanguage() & 0x3FF == CHINESE_ON_WINDOWS:
            return "zh"
    return "en"
