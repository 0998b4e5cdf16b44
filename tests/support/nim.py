"""A toy game for matches, and an engine of a few lines that plays it.

Ten stones: a move `aN` takes N of 1..3, at most what the die shows, if there is one. The taker of the last stone wins.
The game has the name of a real one, and so its declaration.
"""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from siqi.games import registry
from siqi.games.contract import GameInfo, Outcome, Warn, silent

ENGINE = """
import sys, time
mode, log, strength = sys.argv[1], open(sys.argv[2], "a"), 1

def answer():
    if mode == "setup" and len(moves) < 2:
        return "abcdefghijklmnopqrstuvwxy"
    if mode in ("wise", "skill"):
        left = heap - sum(int(move[1:]) for move in moves)
        return f"a{left % 4 or 1}" if mode == "wise" or left <= strength else "a1"
    return {"illegal": "a9", "resign": "(none)", "ranks": "a2 ponder a3"}.get(mode, "a1")

for line in sys.stdin:
    log.write(line); log.flush()
    words = line.split()
    if words[0] == "uci":
        print("id name fake")
        print("option name UCI_Variant type combo default xiangqi var xiangqi var connect6 var ewn var junqi")
        print("option name Strength type spin default 1 min 1 max 9")
        if mode == "stillborn":
            sys.exit(3)
        print("uciok")
    elif words[0] == "setoption" and words[2] == "Strength":
        if int(words[4]) > 8 and mode == "strict":
            print("info string no Strength beyond 8")
        strength = int(words[4])
    elif words[0] == "isready":
        print("readyok")
    elif words[0] == "position":
        moves = words[words.index("moves") + 1:] if "moves" in words else []
        heap = int(words[2].strip("/")) if words[1] == "fen" else 10
    elif words[0] == "go":
        if mode == "loud":
            print("nothing works", file=sys.stderr)
        if mode in ("crash", "loud"):
            sys.exit(7)
        time.sleep({"slow": 0.25, "hang": 60}.get(mode, 0))
        print("info depth 1 score", {"sure": "mate 3", "doubt": "cp -900"}.get(mode, "cp 0"))
        print("bestmove", answer())
    elif words[0] == "quit":
        break
    sys.stdout.flush()
"""


class Nim:
    """The toy's position, with the extras of games with dice, set-ups and hidden pieces."""

    def __init__(self, info: GameInfo, fen: str | None) -> None:
        if fen and not re.fullmatch(r"\d+/", fen):
            raise ValueError(f"bad FEN {fen}")
        self.heap = int(fen[:-1]) if fen else 10
        self.info, self.dice = info, 0
        self.moves: list[str] = []

    @property
    def turn(self) -> int:
        return len(self.moves) % 2

    def set_dice(self, die: int) -> None:
        self.dice = die

    @property
    def has_pieces(self) -> bool:
        return not self.info.has_setup or len(self.moves) >= 2

    def legal_moves(self) -> list[int]:
        most = min(3, self.heap, self.dice or 3)
        return list(range(1, most + 1))

    def count_legal(self) -> int:
        return len(self.legal_moves())

    def move_text(self, move: Any) -> str:
        return move if isinstance(move, str) else f"a{move}"

    def parse_move(self, text: str) -> Any:
        if not self.has_pieces:
            return text
        if not re.fullmatch(r"a\d", text) or int(text[1:]) not in self.legal_moves():
            raise ValueError("no such move")
        return int(text[1:])

    def push(self, move: Any) -> None:
        if self.has_pieces:
            self.heap -= move
        self.moves.append(self.move_text(move))
        self.dice = 0

    def pop(self) -> None:
        word = self.moves.pop()
        if self.has_pieces:
            self.heap += int(word[1:])

    def copy(self) -> Nim:
        twin = Nim(self.info, f"{self.heap}/")
        twin.moves = list(self.moves)
        return twin

    def outcome(self) -> Outcome | None:
        return None if self.heap else Outcome(1 - self.turn, "last-stone")

    def view_moves(self, viewer: int) -> list[str]:
        return ["?" if ply < 2 and ply != viewer else move + "=3" * (ply >= 2) for ply, move in enumerate(self.moves)]


class NimGame:
    def __init__(self, name: str, warn: Warn = silent) -> None:
        self.info: GameInfo = registry.info(name)

    def position(self, fen: str | None = None) -> Nim:
        return Nim(self.info, fen)


def play_nim(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the toy in the place of every game; its matches begin at the start position, as the lists are of others."""
    monkeypatch.setattr(registry, "load", NimGame)
    monkeypatch.setattr("siqi.daemon.match.command.with_default_openings", lambda settings, log: settings)


def engine_command(folder: Path, mode: str, letter: str) -> str:
    """Return the command of an engine that plays in a mode and writes the lines that it reads to `<letter>.txt`."""
    (folder / "engine.py").write_text(ENGINE)
    return shlex.join((sys.executable, "-ISu", str(folder / "engine.py"), mode, str(folder / f"{letter}.txt")))
