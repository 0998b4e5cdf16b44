"""XBoard on a virtual screen plays whole games with the daemon; another implementation of the rules checks them.

Each match leaves a screenshot, `build/xboard-<variant>.png`.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from naive.ewn import Naive
from siqi.games.kernel import jit
from siqi.games.xiangqi.library.pgn import read_game

pyffish = pytest.importorskip("pyffish", reason="pyffish is not installed")

ROOT = Path(__file__).parents[2]
PATH = f"{os.environ['PATH']}:/usr/games"
MISSING = [name for name in ("xboard", "Xvfb", "xvfb-run", "hoixiangqi") if shutil.which(name, path=PATH) is None]
TIMEOUT_S = 90

pytestmark = pytest.mark.skipif(
    bool(MISSING), reason=f"not installed: {' '.join(MISSING)} (Debian: xboard xvfb hoichess)"
)

CACHE = str(jit.CACHE_FOLDER.parent) if jit.CACHE_FOLDER is not None else ""
"""The kernel cache: without it each match, whose home is a new folder, would compile all kernels."""

START = pyffish.start_fen("xiangqi")
SAN = re.compile(r"([KAEHRC])?([a-i]?)(\d?)(x?)([a-i])(\d)[+#]?")


@pytest.fixture(autouse=True)
def compiled(siqi: Path) -> None:
    """Compile all kernels first, since XBoard does not wait for it."""
    lines = "isready\nsetoption name UCI_Variant value ewn\nisready\n"
    subprocess.run([siqi], input=lines, text=True, capture_output=True, check=True, timeout=TIMEOUT_S)


def play(folder: Path, first: str, second: str, *more: str, variant: str = "xiangqi") -> str:
    """Play a match of one game and return its PGN.

    Two seconds after the first move `scrot`, if installed, takes a screenshot.
    """
    games = folder / "games.pgn"
    log = folder / "xboard.debug"
    silent = "-popupExitMessage false -popupMoveErrors false -soundProgram true"
    command = f"xboard -variant {variant} -mg 1 -tc 0:20 -mps 200 {silent} -sgf {games} -debug -nameOfDebugFile {log}"
    picture = ROOT / f"build/xboard-{variant}.png"
    picture.parent.mkdir(exist_ok=True)
    moved = f'grep -qs "first : move" {log}'
    photograph = f"(until {moved}; do sleep 0.2; done; sleep 2; scrot -o {picture}) >&2 2>/dev/null &"
    xboard = [*command.split(), "-fcp", first, "-scp", second, *more]
    subprocess.run(
        ["xvfb-run", "-a", "-s", "-screen 0 640x720x24", "sh", "-c", f'{photograph} exec "$@"', "sh", *xboard],
        env={**os.environ, "PATH": PATH, "HOME": str(folder), "SIQI_CACHE": CACHE},
        capture_output=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert games.exists(), log.read_text(errors="replace")[-2000:] if log.exists() else "XBoard did not start"
    return games.read_text()


def replay(pgn: str) -> tuple[str, list[str]]:
    """Return the result and the moves in pyffish's notation; each must be the only legal move that its text names."""
    tags = dict(re.findall(r'\[(\w+) "(.*)"\]', pgn))
    fen = tags.get("FEN", START)
    moves: list[str] = []
    text = re.sub(r"\{[^}]*\}|\[[^\]]*\]|\d+\.(?:\s*\.\.)?", " ", pgn)
    for word in text.split():
        if word in ("1-0", "0-1", "1/2-1/2", "*"):
            return word, moves
        match = SAN.fullmatch(word)
        assert match, word
        board = [
            list(re.sub(r"\d", lambda run: "." * int(run[0]), row))
            for row in pyffish.get_fen("xiangqi", fen, moves).split()[0].split("/")
        ]
        named = [move for move in pyffish.legal_moves("xiangqi", fen, moves) if fits(move, match, board)]
        assert len(named) == 1, (word, named)
        moves += named
    raise AssertionError("the game has no end")


def fits(move: str, text: re.Match[str], board: list[list[str]]) -> bool:
    """True if a move of pyffish (ranks from 1) is the one that XBoard's text (ranks from 0) names."""
    origin, target = re.findall(r"[a-i]\d+", move)
    letter = {"N": "H", "B": "E", "P": ""}.get(kind := board[10 - int(origin[1:])][ord(origin[0]) - 97].upper(), kind)
    piece, column, rank, _, to_column, to_rank = text.groups()
    if not piece:  # a pawn's column is omitted if it moves straight ahead
        column = column or to_column
    return (
        (target[0], int(target[1:])) == (to_column, int(to_rank) + 1)
        and letter == (piece or "")
        and column in ("", origin[0])
        and (not rank or int(origin[1:]) == int(rank) + 1)
    )


@pytest.mark.long
def test_a_game_against_hoixiangqi(siqi: Path, tmp_path: Path) -> None:
    pgn = play(tmp_path, str(siqi), "hoixiangqi", "-depth", "4")
    result, moves = replay(pgn)
    game = read_game(io.StringIO(pgn))
    assert game is not None and not game.errors and game.result == result
    assert [move.uci(1) for move in game.moves] == moves
    board = game.board()
    words = [word for word in re.sub(r"\{[^}]*\}|\[[^\]]*\]|\d+\.", " ", pgn).split() if SAN.fullmatch(word)]
    assert [board.san_and_push(move, "xboard") for move in game.moves] == words
    assert "Siqi" in pgn
    assert result in ("1-0", "0-1", "1/2-1/2")
    assert len(moves) > 10
    assert not re.search(r"forfeit|illegal|disconnect|exited", pgn, re.IGNORECASE)


@pytest.mark.skipif(shutil.which("uci2wb", path=PATH) is None, reason="not installed: uci2wb")
@pytest.mark.parametrize("protocol", ["-x", "-c"])
@pytest.mark.long
def test_a_game_through_uci2wb(protocol: str, siqi: Path, tmp_path: Path) -> None:
    """uci2wb plays with the engine by UCCI, and by Cyclone's variant of UCI."""
    options = ("-depth", "4", "-xponder")  # with pondering, uci2wb 4.1 loses a move in one game of twenty
    pgn = play(tmp_path, f"uci2wb {protocol} {siqi}", "hoixiangqi", *options)
    result, moves = replay(pgn)
    assert result in ("1-0", "0-1", "1/2-1/2")
    assert len(moves) > 10
    assert not re.search(r"forfeit|illegal|disconnect|exited", pgn, re.IGNORECASE)


def test_a_position_from_a_file_against_itself(siqi: Path, tmp_path: Path) -> None:
    """A position from a file is played, in which XBoard writes horses and elephants as H and E."""
    position = tmp_path / "position.fen"
    position.write_text("3k5/4a4/4e4/9/9/9/9/4E4/4A4/R3K2H1 w - - 0 1\n")
    pgn = play(tmp_path, str(siqi), str(siqi), "-depth", "6", "-lpf", str(position))
    result, moves = replay(pgn)
    assert "H1 w" in pgn
    assert result == "1-0"
    assert moves


@pytest.mark.long
def test_einstein_against_itself(siqi: Path, tmp_path: Path) -> None:
    """EWN is played, a variant unknown to XBoard; each piece has its own letter in the PGN."""
    options = ("-inscriptions", " 123456", "-checkMates", "false")  # a side without moves has lost
    pgn = play(tmp_path, str(siqi), str(siqi), *options, variant="einstein")
    tags = dict(re.findall(r'\[(\w+) "(.*)"\]', pgn))
    assert tags["Variant"] == "einstein"
    board, side, *_ = tags["FEN"].split()
    position = Naive(f"{board} {'fs'['wb'.index(side)]} -")
    *words, result = re.sub(r"\{[^}]*\}|\[[^\]]*\]|\d+\.(?:\s*\.\.)?", " ", pgn).split()
    for word in words:
        piece, target = word[0], word[-2:]
        letter = piece if position.turn == 0 else piece.lower()
        origin = next(square for square, other in position.board.items() if other == letter)
        assert ("x" in word) == (target in position.board)
        position.push(origin + target)
    assert len(words) > 4
    assert result == ("1-0", "0-1")[position.winner() or 0]
    assert position.winner() is not None
