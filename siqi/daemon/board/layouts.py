"""Set-ups that a person keeps under names, in the games' folder: for all modes, and either side."""

from __future__ import annotations

from pathlib import Path

import msgspec

from siqi.daemon.board.commands import ForgetLayout, LayoutCommand, Refusal, SaveLayout
from siqi.system.files import read_bytes, replace_file

NAME = "layouts.json"

_BEGINNING = b'{"layouts":'
_MAX_BYTES = 1 << 20


class _File(msgspec.Struct):
    layouts: dict[str, dict[str, str]] = {}  # words by game and name


class Layouts:
    """The named set-ups of a folder; without one they last as long as this object."""

    def __init__(self, folder: Path | None = None) -> None:
        self._path = None if folder is None else folder / NAME
        self._kept = _File()

    def names(self, game: str) -> list[str]:
        """Return the names of a game's set-ups; none if the file cannot be read."""
        try:
            return sorted(self._read().layouts.get(game, {}))
        except Refusal:
            return []

    def do(self, command: LayoutCommand, game: str, word: str) -> str:
        """Keep, take or forget a set-up; return the word of the one that is to stand, `word` unless one is taken.

        Refusal for a name that is not there; OSError if the file cannot be written.
        """
        kept = self._read()
        words = kept.layouts.setdefault(game, {})
        if isinstance(command, SaveLayout):
            if not word:
                raise Refusal("no set-up is being made")
            words[command.name] = word
        elif command.name not in words:
            raise Refusal("there is no such set-up")
        elif isinstance(command, ForgetLayout):
            del words[command.name]
        else:
            return words[command.name]
        self._write(kept)
        return word

    def _read(self) -> _File:
        if self._path is None:
            return self._kept
        try:
            return msgspec.json.decode(read_bytes(self._path, _MAX_BYTES), type=_File)
        except FileNotFoundError:
            return _File()
        except (OSError, msgspec.DecodeError) as error:
            raise Refusal(f"{NAME} cannot be read: {error}") from None

    def _write(self, kept: _File) -> None:
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(self._path, [msgspec.json.encode(kept), b"\n"], lambda head: head.startswith(_BEGINNING))
